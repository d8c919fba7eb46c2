"""kc-run: compile a function of a module and run it in this process."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from kc.support import registry
from kc.support.diagnostics import InputError, counted, suggest
from kc.support.files import check_writable, write_output
from kc.support.fresh_names import fresh_name
from kc.tools._command_line import Arguments, Flag, parse
from kc.tools._common import (
    AUTO_SCHEDULE,
    CHECK_EACH,
    CHECKS,
    DIAGNOSTICS_FORMAT,
    HELP,
    INPUT,
    LOAD_PLUGIN,
    VERSION,
    checking_each,
    default_schedules,
    information,
    registry_for,
    target_flag,
)
from kc.tools._reporter import Reporter
from kc.tools._tool import MISTAKE, OK, run_tool

if TYPE_CHECKING:
    from kc.building.programs import Lowered
    from kc.runtime.timing import BenchmarkResult
    from kc.support.target import Target

TIME_BUDGET = 2.0
"""The time, in seconds, that ``--time`` may take after the first run."""

USAGE = "kc-run [FILE|-] [-e FUNC] [--args=a.npy,b.npy,3 | --random --seed=N]"
ABOUT = """\
Compiles a function of the module, runs it, and prints its outputs. Inputs are files and numbers in
the order of the arguments, or random (the same seed gives the same inputs)."""

FLAGS = (
    Flag("e", "the function to run (default: 'main', or the only one)", "FUNC", INPUT),
    Flag("args", "inputs: .npy files, and numbers for scalars", "A,B,...", INPUT),
    Flag("random", "use random inputs (the default without --args)", None, INPUT),
    Flag("seed", "the seed of random inputs (default: 0)", "N", INPUT),
    Flag("sizes", "symbolic sizes of random inputs: n=128,m=64", "SIZES", INPUT),
    Flag("o", "write the output to a .npy file (several: to a .npz file)", "FILE", INPUT),
    target_flag("this machine"),
    AUTO_SCHEDULE,
    LOAD_PLUGIN,
    Flag(
        "check",
        "check the GPU kernels (kc.gpu.check), or compare the outputs with .npy files",
        "REF,...",
        CHECKS,
        optional=True,
    ),
    CHECK_EACH,
    Flag(
        "interpret",
        "run the function in the interpreter: slow, with every access checked",
        None,
        CHECKS,
    ),
    Flag(
        "time",
        "measure the function and compare it with its roofline (on standard error)",
        None,
        CHECKS,
    ),
    Flag(
        "roofline",
        "draw the roofline to a .svg, .png or .pdf file (needs matplotlib)",
        "FILE",
        CHECKS,
    ),
    DIAGNOSTICS_FORMAT,
    HELP,
    VERSION,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run kc-run with these arguments; the exit status."""
    return run_tool("kc-run", sys.argv[1:] if argv is None else list(argv), _main)


def _main(argv: Sequence[str], reporter: Reporter) -> int:
    with registry.using(registry_for(argv)):
        arguments = parse(argv, FLAGS)
        information_text = information(arguments, USAGE, ABOUT, FLAGS)
        if information_text is not None:
            write_output(None, information_text)
            return OK
        if arguments.text("args") is not None and arguments.on("random"):
            raise InputError("KC0002", "--args and --random exclude each other")
        for output in filter(None, (arguments.text("o"), arguments.text("roofline"))):
            check_writable(output)
        from kc.tools._input import with_input

        return with_input(
            arguments.file(), lambda input_: _run(input_, arguments, reporter), reporter
        )


def _run(input_: Any, arguments: Arguments, reporter: Reporter) -> int:
    from kc.building.default_schedules import loops_as_written
    from kc.driver import auto_schedule, build_and_tell, lower
    from kc.support.target import Target
    from kc.tools._run_arguments import compare, made_arguments, read_arguments, sizes_from_text

    seed = arguments.text("seed") or "0"
    if not seed.isdigit():
        raise InputError("KC0002", f"--seed takes a number of at least 0, not '{seed}'")
    target = input_.target(arguments.text("target"), Target.host_cpu)
    reporter.progress("compiling ...")
    program = input_.module
    context = default_schedules(arguments)
    scheduled: list[str] = []
    as_written: list[str] = []

    def note(lowered: Lowered, target: Target) -> None:
        scheduled.extend([*lowered.chosen, *lowered.user_scheduled])
        as_written.extend(loops_as_written(lowered.loops, target, scheduled))

    if arguments.on("interpret") and any(op.name == "graph.func" for op in program.body.ops):
        return _interpret_graph(program, arguments, int(seed), reporter)
    chooses = arguments.on(AUTO_SCHEDULE.name)
    with checking_each() if arguments.on(CHECK_EACH.name) else nullcontext(), context:
        if chooses:
            program = auto_schedule(program, target)
        if arguments.on("interpret"):
            # Others do not wait for it to be imported.
            from kc.backends.interpreter import interpreted

            module = interpreted(lower(program, target=target).op)
        else:
            module = build_and_tell(program, target, note)
        is_native = target == Target.host_cpu() and not arguments.on("interpret")
    function = module[_function_name(module, arguments.text("e"))]
    signature = function.signature
    text = arguments.text("args")
    if text is not None:
        values = read_arguments(text, signature)
    else:
        sizes = sizes_from_text(arguments.text("sizes"), signature)
        values = made_arguments(signature, sizes, int(seed))
    references = [path for path in (arguments.text("check") or "").split(",") if path]
    written = [n for n, spec in enumerate(signature.args) if spec.written]
    _require_reference_for_each(references, len(written))
    _tell_of_schedule(function.name, chooses, scheduled, as_written)
    report, passed = None, values
    reporter.progress("running ...")
    start = time.perf_counter()
    if arguments.on("check"):
        from kc.gpu import check

        report = check(module, *values, name=function.name)
    else:
        passed = _where_it_runs(function, values)
        function(*passed)
    seconds = time.perf_counter() - start
    names: set[str] = set()  # those of a text may be the same
    outputs = {
        fresh_name(signature.args[n].name, names): (
            passed[n].numpy() if passed is not values else values[n].copy()
        )
        for n in written
    }
    picture = arguments.text("roofline")
    if arguments.on("time") or picture is not None:
        passed = _where_it_runs(function, values) if passed is values else passed
        measured = _measured(module, function.name, passed, seconds, reporter)
        reporter.write(str(measured))
        if is_native:
            with context:
                loops = lower(program, target=target)
            _compare_with_roof(loops, function, values, measured.min, picture, reporter)
    reporter.progress()
    for (name, output), reference in zip(outputs.items(), references, strict=False):
        compare(name, output, reference)
    _deliver(outputs, arguments.text("o"))
    if report is None:
        return OK
    write_output(None, f"{report}\n")
    return OK if report.ok else MISTAKE


def _interpret_graph(program: Any, arguments: Arguments, seed: int, reporter: Reporter) -> int:
    """Run a function of a graph in its interpreter; sizes of results may depend on elements."""
    from kc.graph.interpreter import Interpreter
    from kc.graph.signature import flattened, input_signature, result_leaves, unflattened
    from kc.tools._run_arguments import compare, made_arguments, read_arguments, sizes_from_text

    interpreter = Interpreter(program)
    function = interpreter.functions[_chosen_name(list(interpreter.functions), arguments.text("e"))]
    signature = input_signature(function)
    text = arguments.text("args")
    if text is not None:
        values = read_arguments(text, signature)
    else:
        sizes = sizes_from_text(arguments.text("sizes"), signature)
        values = made_arguments(signature, sizes, seed)
    names = [name for name, _ in result_leaves(function, [spec.name for spec in signature.args])]
    references = [path for path in (arguments.text("check") or "").split(",") if path]
    _require_reference_for_each(references, len(names))
    reporter.progress("running ...")
    rest = iter(values)
    leaves = [unflattened(argument.type, rest) for argument in function.body.block.args]
    result = interpreter.run(*leaves, name=function.sym_name.data)
    outputs = dict(zip(names, flattened(result), strict=True))
    reporter.progress()
    for (name, output), reference in zip(outputs.items(), references, strict=False):
        compare(name, output, reference)
    _deliver(outputs, arguments.text("o"))
    return OK


def _require_reference_for_each(references: Sequence[str], outputs: int) -> None:
    if references and len(references) != outputs:
        raise InputError(
            "KC0002",
            f"--check has {counted(len(references), 'file')} for {counted(outputs, 'output')}",
        )


def _tell_of_schedule(
    name: str, chooses: bool, scheduled: Sequence[str], rest: Sequence[str]
) -> None:
    """Report whether a schedule was chosen for the function ``name``, or its loops run as written.

    ``scheduled`` and ``rest`` are the functions with and without a chosen schedule. ``chooses`` is
    True if the user requested schedules for loops, too (``--auto-schedule``).
    """
    from kc.building.default_schedules import tell_of_loops_as_written, tell_of_schedule

    hints = [] if chooses else ["--auto-schedule chooses a schedule for loops, too"]
    tell_of_schedule([name] if name in scheduled else [])
    tell_of_loops_as_written([name] if name in rest else [], hints)


def _measured(
    module: Any, name: str, passed: Sequence[Any], seconds: float, reporter: Reporter
) -> BenchmarkResult:
    """The times of calls. The first call took ``seconds``; further calls run as long as time
    remains.
    """
    from kc.runtime.timing import BenchmarkResult, Repeats

    repeats = Repeats.within(TIME_BUDGET, seconds)
    if repeats is None:
        reporter.write(f"one run alone: it took {seconds:.1f} s")
        return BenchmarkResult((seconds,))
    reporter.progress(f"measuring, {repeats.repeat} times ...")
    evaluate = module.time_evaluator(
        name, number=repeats.number, repeat=repeats.repeat, min_repeat_ms=repeats.min_repeat_ms
    )
    return evaluate(*passed)


def _compare_with_roof(
    loops: Any,
    function: Any,
    values: Sequence[Any],
    seconds: float,
    picture: str | None,
    reporter: Reporter,
) -> None:
    from kc.roofline_model import beside_roof, plot

    reporter.progress("measuring the rates of this machine ...")
    line = beside_roof(loops, function, values, seconds)
    for text in line.lines():
        reporter.write(text)
    if picture is not None:
        plot([line], picture)


def _where_it_runs(function: Any, values: list[Any]) -> list[Any]:
    """The arguments with arrays on the device of the kernels; unchanged for the CPU."""
    from kc.runtime.array import array
    from kc.runtime.device import CPU, cuda

    if CPU in getattr(function, "device_types", (CPU,)):
        return values
    return [
        array(value, cuda(0), spec.dtype) if spec.is_array else value
        for spec, value in zip(function.signature.args, values, strict=True)
    ]


def _function_name(module: Any, requested: str | None) -> str:
    return _chosen_name(list(module.functions), requested)


def _chosen_name(names: Sequence[str], requested: str | None) -> str:
    if requested is None and len(names) > 1 and "main" not in names:
        raise InputError(
            "KC0063",
            f"the module has {len(names)} functions",
            hints=[f"-e {name}" for name in names[:3]],
        )
    if requested is not None and requested not in names:
        raise InputError(
            "KC0063",
            f"there is no function '{requested}'",
            hints=suggest(requested, names, "the functions are"),
        )
    return requested or ("main" if "main" in names else names[0])


def _deliver(outputs: dict[str, Any], path: str | None) -> None:
    """Write the outputs to a file, or show them on standard output."""
    import io

    import numpy as np

    if path is None:
        shown = [
            f"{name}: {array.dtype}[{', '.join(map(str, array.shape))}]\n{np.array2string(array)}\n"
            for name, array in outputs.items()
        ]
        write_output(None, "".join(shown))
        return
    stream = io.BytesIO()
    if len(outputs) == 1:
        np.save(stream, next(iter(outputs.values())))
    else:
        np.savez(stream, **outputs)
    write_output(path, stream.getvalue())


if __name__ == "__main__":
    sys.exit(main())
