"""``kc.lower`` and ``kc.build``: from a schedule or a module to IR, and to functions to call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.module_copy import copy_module
from kc.building.default_schedules import loops_as_written, tell_of_loops_as_written
from kc.building.programs import Lowered, Program, program_of, refuse, tensors_of
from kc.expr.buffers import Buffer
from kc.expr.tensor import Operation, Tensor
from kc.support import progress, registry
from kc.support.diagnostics import TEError
from kc.support.files import read_bytes, read_text
from kc.support.locations import caller_location
from kc.support.pass_context import pipeline_options, using_options
from kc.support.paused_collection import paused_collection
from kc.support.reproducer import reproducing
from kc.support.second_names import second_names
from kc.support.target import Target
from kc.te.lowering import lower_schedule
from kc.tir.module import IRModule
from kc.transform import PassContext
from kc.tvm.intrin_rules import lower_operators

if TYPE_CHECKING:
    from kc import tir
    from kc.conversion.pipelines import Order
    from kc.runtime.module import Module

Instrument = Callable[[str, ModuleOp], None]
"""Called after each stage of a build with its name and the module."""


def lower(
    inp: Any,
    args: Sequence[Any] | None = None,
    name: str = "main",
    binds: Mapping[Tensor, Buffer] | None = None,
    simple_mode: bool = False,
    *,
    target: Target | str | None = None,
) -> IRModule:
    """The scheduled loops (``tir``) of a schedule, tensors, or module.

    ``inp`` is a TE schedule with its ``args``, a ``kc.tir.Schedule``, tensors, a module with ``te``
    or ``tir`` functions, or a list of modules. A schedule is chosen (:func:`auto_schedule`) for
    unscheduled inputs, unless the PassContext has ``opt_level=0``: tensors (with ``args``, or all
    arguments as a list), ``te`` functions, linalg, tosa, and functions marked ``kc.unscheduled``
    (``te.create_prim_func``), and graphs (:func:`kc.from_torch`). Loops and a user's schedule stay
    unchanged, even a schedule without a call. The target may take the place of ``args``. A list
    beside a module must name the arguments of its function; ``name`` renames a ``PrimFunc``, or
    names a function of a module (KC2029). ``binds`` are buffers (``tir.decl_buffer``) that declare
    the memory layout of arguments that are not dense. The result is at the level that people
    schedule and read; the passes of phase 0 that plugins and the PassContext add have run. If the
    PassContext adds passes to a later phase, the result is lowered to that phase, for ``target``.
    With ``simple_mode`` the result is the same module, displayed as TVM's loops
    (``script(style="tvm")``): ``show()``, ``repr`` and notebooks display only the loops, and
    ``print`` shows them as comments above the IR, so that ``str`` is always IR.

    Raises TEError and ScheduleError.
    """
    from kc.conversion.pipelines import planned_passes
    from kc.instrument import run_passes

    args, target = _args_and_target("lower", args, target)
    program = program_of("lower", inp, args, name, binds)
    chosen = _target(target) if target is not None else Target.current() or Target.generic()
    with (
        paused_collection(),
        _tracking("kc.lower", "schedule"),
        reproducing("kc.lower", lambda: program.source(chosen)),
    ):
        result = program.lowered(chosen)
        module = result.loops
        with chosen:
            added = planned_passes(_order(chosen), chosen.kind)
            if added:
                module = copy_module(module)
                run_passes(module, added)
    lowered = IRModule(module)
    lowered.prints_loops = simple_mode
    lowered.scheduled = frozenset([*result.chosen, *result.user_scheduled])
    lowered.added_passes_of = pipeline_options()
    return lowered


def _tracking(call: str, *phases: progress.Phase) -> AbstractContextManager[None]:
    """Report the progress of ``call`` to the handler of the PassContext."""
    return progress.tracking(call, PassContext.current().progress, phases)


def _order(target: Target) -> Order:
    """The phases of :func:`lower`: phase 0 alone, or all phases up to the last phase with added
    passes.
    """
    from kc.backends import backend_of

    last = max(pipeline_options().added, default=0)
    if last == 0:
        return (0,)
    whole = backend_of(target).pipeline
    return whole[: whole.index(last) + 1]


def _args_and_target(call: str, args: Any, target: Any) -> tuple[Any, Any]:
    """The arguments of the function, and the target, which may be passed in place of the arguments.

    Raises TEError KC2029 for two targets.
    """
    if not isinstance(args, Target | Mapping | str):
        return args, target
    if target is not None:
        refuse(
            call,
            f"two targets, {args} and {target}",
            "the second argument may also be a target, if it is not a list",
            f"kc.{call}(mod, target=...)",
        )
    return None, args  # TVM since 0.20


def _target(target: Target | str | None) -> Target:
    if target is None:
        return Target.current() or Target.host_cpu()
    return target if isinstance(target, Target) else Target(target)


def auto_schedule(mod: Any, target: Target | str | None = None) -> tir.Schedule:
    """The schedule that :func:`build` chooses, which you can inspect, change and keep.

    ``mod`` is a list of tensors (the arguments in order), or a module with ``te`` functions, or
    with ``tir`` functions whose blocks have the form that ``te`` is lowered to: one unscheduled
    loop per variable. ``trace.as_python()`` gives the calls, ``target`` defaults to the host CPU.
    Blocks that no rule handles stay unchanged.
    """
    from kc.tir.schedule import Schedule as EagerSchedule
    from kc.transforms.auto_schedule.auto_schedule import choose

    chosen = _target(target)
    with paused_collection(), _tracking("kc.auto_schedule", "schedule"):
        if isinstance(mod, list | tuple | Tensor | Operation):
            mod = IRModule(_written(mod, chosen))
        schedule = EagerSchedule(mod, target=chosen)
        choose(schedule.session)
    return schedule


def _written(tensors: Any, target: Target) -> ModuleOp:
    """The loops of tensors without a schedule."""
    schedule, args = tensors_of(tensors, None) or (None, None)
    if args is None or schedule is None:
        raise TEError(
            "KC2020",
            "auto_schedule: tensors without the arguments of the function",
            location=caller_location(),
            why="their order is the order of the function's arguments",
            hints=["kc.auto_schedule([A, B, C])"],
        )
    return lower_schedule(schedule, args, "main", target).tir


def build(
    inp: Any,
    args: Sequence[Any] | None = None,
    target: Target | str | None = None,
    name: str = "main",
    *,
    target_host: Target | str | None = None,
    runtime: Any = None,
    binds: Mapping[Tensor, Buffer] | None = None,
    instrument: Instrument | None = None,
) -> Module:
    """Compile to machine code: a :class:`kc.runtime.Module`, ready to be called.

    ``inp``, ``args`` and ``binds`` are as for :func:`lower`; of a module, or a list of modules, all
    public functions are compiled; a module with a graph is built as :func:`kc.graph.build` does.
    ``target`` defaults to the host CPU; ``"c"`` gives C source,
    which is called through the system's C compiler. The caller passes numpy arrays (or kc.nd
    arrays, or anything with DLPack) in the order of ``args``; outputs are written in place, or left
    out and then returned. ``target_host`` is the CPU beside a GPU; as in TVM, it may stand in the
    position of ``name``. ``runtime`` is accepted for programs written for TVM: kc has a single
    runtime. ``get_source("tir"|"mlir"|"llvm"|"ll"|"asm"|"c")`` shows the stages. The current
    ``kc.transform.PassContext`` determines which passes run and which instruments observe them. A
    remark (KC3750) names functions whose loops are compiled as they are written.
    """
    del runtime
    if not isinstance(name, str) or name.split()[:1] == ["llvm"]:  # in TVM's order
        target_host, name = name, "main"
    args, target = _args_and_target("build", args, target)
    own = _own_builder(inp) if args is None and binds is None else None
    if own is not None:
        with _tracking("kc.build", "schedule", "passes", "code"):
            return own(inp, _target(target), name)
    program = program_of("build", inp, args, name, binds)
    chosen = _target(target)
    if target_host is not None:
        chosen = Target(chosen, target_host)
    return _compiled(program, chosen, name, tell_of_loops, instrument)


def _own_builder(inp: Any) -> Callable[[Any, Target, str], Module] | None:
    """The function that builds a module with operations of a dialect that has one, as graph has."""
    module = getattr(inp, "op", inp)
    if not isinstance(module, ModuleOp):
        return None
    builders = registry.current().builders
    entry = next((builders[op.name] for op in module.body.ops if op.name in builders), None)
    return None if entry is None else entry.load()


def build_and_tell(inp: Any, target: Target, tell: Callable[[Lowered, Target], None]) -> Module:
    """:func:`build` that reports the chosen schedules to ``tell`` instead of the user."""
    return _compiled(program_of("build", inp), target, "main", tell)


def tell_of_loops(lowered: Lowered, target: Target) -> None:
    """Emit the remark of :func:`build` on unscheduled loops (KC3750)."""
    is_te = len(lowered.stages) > 1
    tensors = "kc.build([A, B, C]) chooses a schedule"
    module = "kc.build(kc.auto_schedule(mod)) chooses a schedule"
    names = loops_as_written(lowered.loops, target, [*lowered.chosen, *lowered.user_scheduled])
    by_hand = "kc.tir.Schedule(mod) schedules them by hand: no rule is for them"
    tell_of_loops_as_written(
        names,
        hints=[
            by_hand if {*names} <= {*lowered.without_rule} else tensors if is_te else module,
            'PassContext(disabled_pass=["auto-schedule"]) keeps them, without this remark',
        ],
        location=caller_location(),
    )


def _compiled(
    program: Program,
    target: Target,
    name: str,
    tell: Callable[[Lowered, Target], None],
    instrument: Instrument | None = None,
) -> Module:
    """Compile a program: lower it, and pass its loops to the target's backend.

    ``name`` is the function that a call of the module calls, if there is one of that name.
    """
    from kc.backends import Build, backend_of

    options = pipeline_options()
    if program.added_passes_of is options:
        options = replace(options, added={})  # kc.lower has run them
    with (
        paused_collection(),
        using_options(options),
        _tracking("kc.build", "schedule", "passes", "code"),
        reproducing("kc.build", lambda: program.source(target)),
    ):
        backend = backend_of(target)
        later = "verify-gpu-code" in backend.pipeline
        lowered = program.lowered(target, checks_kernels=not later)
        tell(lowered, target)
        lower_operators(lowered.loops, target)
        if instrument is not None:
            with progress.hidden():
                for stage, module in lowered.stages:
                    instrument(stage, module)
        functions = len(loop_tree.kernels(lowered.loops))
        progress.note("passes", 0, "passes", count=functions)
        return backend.build(Build(lowered.stages, target, name, instrument, backend))


def load_loops(path: str) -> Module:
    """The module in a file of textual IR, compiled for the target that it names.

    Raises CallError KC5143 for a file that is damaged.
    """
    from kc.runtime.checksums import check_comment, damaged

    data = read_bytes(path)
    if b"\n" not in data:
        raise damaged(path, "it ends in its first line")
    check_comment(data, path)
    module = IRModule.parse(read_text(path), path)
    target, entry = (
        getattr(module.op.attributes.get(key), "data", None) for key in ("kc.target", "kc.entry")
    )
    # The caller of a loaded module did not write its loops, so there is no remark about them.
    name = entry or "main"
    program = program_of("build", module, name=name)
    return _compiled(program, _target(target), name, lambda *_: None)


__all__ = ["auto_schedule", "build", "lower"]


second_names(__name__, "build_module")


def __dir__() -> list[str]:
    return sorted(__all__)
