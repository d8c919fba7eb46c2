"""MLIR's own lowering of a program's text, run on numpy arrays: the third opinion on what it means.

``mlir-opt`` bufferizes tensors and lowers to the llvm dialect, ``mlir-translate`` writes LLVM IR,
and LLVM (of llvmlite) compiles that. Nothing of kc takes part.

``make fuzz-upstream SEED=0 COUNT=300`` compares so many programs like those of the family
``raised`` in three ways: MLIR's lowering, kc's native code and the interpreter, each with what
Python and numpy computed.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import multiprocessing
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

sys.path[:0] = [str(path) for path in (Path(__file__).parents[1], Path(__file__).parent)]

import numpy as np  # noqa: E402
from families import Fixed  # noqa: E402
from optional_tools import LLVM_BIN, find  # noqa: E402
from raised import from_text  # noqa: E402
from raised_loops import Loops, draw_loops  # noqa: E402
from raised_tensors import draw_tensors  # noqa: E402
from tensor_control import draw_control  # noqa: E402
from vector_programs import draw_vectors  # noqa: E402
from worlds import Unsuitable  # noqa: E402

import kc  # noqa: E402
from kc.analysis.dominance import check_dominance  # noqa: E402
from kc.analysis.interpreter import call, make_interpreter, run  # noqa: E402
from kc.support.diagnostics import diagnostic_handler  # noqa: E402
from kc.transforms.to_tir import to_tir  # noqa: E402

PIPELINE = (
    "--lower-vector-mask",
    "--lower-vector-multi-reduction",
    "--convert-vector-to-scf",
    "--convert-elementwise-to-linalg",
    "--tosa-to-scf",
    "--one-shot-bufferize=bufferize-function-boundaries allow-return-allocs-from-loops "
    "function-boundary-type-conversion=identity-layout-map",
    "--convert-linalg-to-loops",
    "--scf-forall-to-for",
    "--memref-expand",
    "--expand-realloc",
    "--llvm-request-c-wrappers",
    "--test-lower-to-llvm",
)
"""The passes of mlir-opt; results of tensors are memrefs that the callee allocates."""

RUNTIME = str(Path(LLVM_BIN).with_name("lib") / "libmlir_c_runner_utils.so.22.1")
"""The functions that MLIR's code calls: copies of memrefs with strides."""


class NotLowered(Exception):
    """mlir-opt or mlir-translate does not lower the text: what they say."""


def lowered(text: str) -> str:
    """LLVM IR of a module, by MLIR. Raises :class:`NotLowered`."""
    opt, translate = find("mlir-opt"), find("mlir-translate")
    assert opt is not None
    assert translate is not None
    for command in ([opt, *PIPELINE], [translate, "--mlir-to-llvmir"]):
        done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=600)
        if done.returncode:
            raise NotLowered(done.stderr[:2000])
        text = done.stdout
    return text


# Where mlir-opt fails, finding names for the addresses of its stack takes it seconds.
os.environ["LLVM_DISABLE_SYMBOLIZATION"] = "1"

PATIENCE = 0.5
"""Seconds that a tool of MLIR has for each of a batch and ten more: some it never lowers."""

SPLIT = "// -----\n"
"""The separator of the modules of a file."""


_MASKED_READ = re.compile(r"vector\.mask .*vector\.transfer_read .*-> \(([d\d, ]*)\)>}")
_HANDED_ON = re.compile(r"(?:scf\.yield|scf\.condition\(%\w+\)) (.*) : .*tensor<")


def miscompiled(text: str) -> str:
    """The known fault of MLIR 22 that concerns a text; empty if there is none.

    ``convert-vector-to-scf`` takes the mask of a read that transposes to have the dimensions of the
    vector, and it has those of the memory. ``one-shot-bufferize`` updates in place what an
    ``scf.while`` carries, also where it was handed on twice.
    """
    reads = (match[1].split(", ") for match in _MASKED_READ.finditer(text))
    if any(dims != sorted(dims) for dims in reads):
        return "a mask is read beyond its end"
    handed = (match[1].split(", ") for match in _HANDED_ON.finditer(text))
    if "scf.while" in text and any(len(set(values)) < len(values) for values in handed):
        return "a tensor is handed on twice"
    return ""


def all_lowered(texts: Sequence[str], pipeline: Sequence[str] = PIPELINE) -> list[str | None]:
    """LLVM IR of each module, by one run of MLIR's tools; None where it is not lowered so.

    Starting the tools takes longer than most programs do. A tool that aborts says nothing of the
    modules after, so these are halved.
    """
    opt, translate = find("mlir-opt"), find("mlir-translate")
    assert opt is not None
    assert translate is not None
    return _through(translate, ["--mlir-to-llvmir"], _through(opt, pipeline, texts))


def _through(tool: str, flags: Sequence[str], texts: Sequence[str | None]) -> list[str | None]:
    """The output of a tool for each text; None for a text that it refuses or that is None."""
    left = [text for text in texts if text]
    if not left:
        return [None] * len(texts)
    try:
        said = subprocess.run(
            [tool, *flags, "--split-input-file", f"--output-split-marker={SPLIT.strip()}"],
            input=SPLIT.join(left),
            capture_output=True,
            text=True,
            timeout=PATIENCE * (len(left) + 10),
        ).stdout
    except subprocess.TimeoutExpired:
        said = ""
    printed = re.split(r"^// -----\n", said, flags=re.MULTILINE)
    if len(printed) != len(left):
        if len(texts) == 1:
            return [None]
        middle = len(texts) // 2
        return _through(tool, flags, texts[:middle]) + _through(tool, flags, texts[middle:])
    given = iter(part if part.strip() else None for part in printed)
    return [next(given) if text else None for text in texts]


def descriptor(array: np.ndarray) -> ctypes.Array[ctypes.c_int64]:
    """An array as MLIR's C interface passes a memref: pointers, offset, sizes and strides."""
    strides = [stride // array.itemsize for stride in array.strides]
    fields = [array.ctypes.data, array.ctypes.data, 0, *array.shape, *strides]
    return (ctypes.c_int64 * len(fields))(*fields)


def run_upstream(program: Loops, ir: str | None = None) -> list[Any]:
    """The arguments of ``@main`` after a call of MLIR's code, the results behind them.

    ``ir`` is that code, where the text is lowered already.
    """
    results = _result_count(program.text)
    given = [array.copy() if isinstance(array, np.ndarray) else array for array in program.given]
    arguments, allocated = given[: len(given) - results], given[len(given) - results :]
    words = sum(3 + 2 * array.ndim for array in allocated)
    values: list[Any] = []
    kept: list[Any] = []
    for argument in arguments:
        if isinstance(argument, np.ndarray):
            kept.append(descriptor(argument))
            values.append(ctypes.c_void_p(ctypes.addressof(kept[-1])))
        else:
            values.append(ctypes.c_int64(argument))
    engine = compiled(ir or lowered(program.text))
    whole = (ctypes.c_int64 * words)()
    if words:
        values.insert(0, ctypes.c_void_p(ctypes.addressof(whole)))
    address = engine.get_function_address("_mlir_ciface_main")
    ctypes.CFUNCTYPE(None, *(type(value) for value in values))(address)(*values)
    fields = iter(whole)
    for n, array in enumerate(allocated):
        own = list(itertools.islice(fields, 3 + 2 * array.ndim))
        allocated[n] = read_descriptor(own, array.ndim, array.dtype)
    return [*arguments, *allocated]


def read_descriptor(fields: Sequence[int], rank: int, dtype: np.dtype[Any]) -> np.ndarray:
    """The array of a descriptor, copied."""
    _, aligned, offset, *rest = fields
    shape, strides = rest[:rank], [stride * dtype.itemsize for stride in rest[rank:]]
    if 0 in shape:
        return np.empty(shape, dtype)
    last = sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    start = aligned + offset * dtype.itemsize
    memory = ctypes.string_at(start, last + dtype.itemsize)
    return np.ndarray(shape, dtype, memory, 0, strides).copy()


def _result_count(text: str) -> int:
    """The number of tensors that ``@main`` returns."""
    signature = re.search(r"func\.func @main\(.*?\) -> (.*) \{\n", text)
    return 0 if signature is None else signature[1].count("tensor<")


def compiled(ir: str) -> Any:
    """The engine that has the functions of a module of LLVM IR."""
    import llvmlite.binding as binding

    binding.load_library_permanently(RUNTIME)

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(opt=0)
    engine = binding.create_mcjit_compiler(binding.parse_assembly(ir), machine)
    engine.finalize_object()
    return engine


def draw_program(seed: int) -> Loops:
    """A program of loops, of tensors with control flow or without, or of vectors.

    Three quarters are short: most defects need few ops, and the time of a program is that of its
    text.
    """
    random = Random(f"upstream {seed}")
    is_short = random.random() < 0.75
    while True:
        try:
            if random.random() < 0.2:
                return draw_vectors(random)
            if random.random() < 0.3:
                return draw_control(random, (1, 2) if is_short else (2, 3, 3, 4))
            if random.random() < 0.4:
                return draw_tensors(random, None)
            return draw_loops(random, 1 if is_short else None, strict=True)
        except Unsuitable:
            continue


def check(program: Loops, arrays: Sequence[Any]) -> None:
    """Compare what is expected with ``arrays``, of which bufferized tensors may be overwritten."""
    for n, wanted in program.expected.items():
        np.testing.assert_array_equal(arrays[n], wanted, err_msg=f"argument {n}")


def compare(program: Loops, ir: str | None = None) -> list[str]:
    """Run a program in three ways, each of which must give what is expected; those that it was run
    in. What MLIR does not lower, and kc does not raise, is left out. ``ir`` is what MLIR makes of
    it, where that is known already."""
    ways: list[str] = []
    try:
        if mistake := miscompiled(program.text):
            raise NotLowered(f"error: {mistake}")
        check(program, run_upstream(program, ir))
        ways.append("MLIR")
    except NotLowered as error:
        ways.append(
            f"not lowered: {re.sub('[0-9]+', 'N', str(error).partition('error: ')[2])[:60]}"
        )
    drawn = from_text(program)
    if drawn is None:
        return [*ways, "as it is"]
    arrays = drawn.arrays()
    kc.build(drawn.module)(*arrays)
    drawn.check(arrays)
    arrays = drawn.arrays()
    with np.errstate(all="ignore"):
        run(drawn.module.op, "main", arrays)
    drawn.check(arrays)
    return [*ways, "native", "interpreter"]


BATCH = 100
"""Programs that are lowered at a time, by MLIR's tools and by kc."""

LEVELS = (0, 0, 0, 1, 2, 3)
"""Optimisation levels of kc's code, of which each batch draws one: most programs need no better."""


def compare_all(programs: Sequence[Loops], level: int) -> Counter[str]:
    """As :func:`compare`, of programs that are functions of one module to kc. What differs is
    printed, and counted as such; what MLIR has by itself, and neither kc nor Python, apart."""
    ways: Counter[str] = Counter()
    code = all_lowered(["" if miscompiled(program.text) else program.text for program in programs])
    for program, ir in zip(programs, code, strict=True):
        if ir is None:
            ways["not lowered by MLIR"] += 1
            continue
        try:
            check(program, run_upstream(program, ir))
            ways["MLIR"] += 1
        except AssertionError as error:  # kc has yet to give what is expected
            report(ways, program, error, "MLIR alone differs")
        except Exception as error:
            report(ways, program, error)
    branches = [program for program in programs if " cf." in program.text]
    for program in branches:  # some of these are not raised, and all would be raised again
        _compare_own([program], level, ways)
    _compare_own([program for program in programs if program not in branches], level, ways)
    return ways


def compare_own(programs: Sequence[Loops], level: int) -> Counter[str]:
    """As :func:`compare_all`, without MLIR."""
    ways: Counter[str] = Counter()
    _compare_own(programs, level, ways)
    return ways


def _compare_own(programs: Sequence[Loops], level: int, ways: Counter[str]) -> None:
    """Compare native code and the interpreter. A program that is not raised or not built is taken
    out; where it is not known which one that is, they are halved."""
    texts = [program.text for program in programs]
    try:
        module, built = _build(texts, level)
    except Exception as error:
        if len(programs) == 1:
            _compare_refused(programs[0], ways)
            return
        middle = _refused(error, texts)
        if middle is None:
            parts = [programs[: len(programs) // 2], programs[len(programs) // 2 :]]
        else:
            parts = [[programs[middle]], [*programs[:middle], *programs[middle + 1 :]]]
        for part in parts:
            _compare_own(part, level, ways)
        return
    check_dominance(module.op)
    for n, program in enumerate(programs):
        drawn = Fixed(module, program.given, program.expected)
        try:
            arrays = drawn.arrays()
            built[f"p{n}"](*arrays)
            drawn.check(arrays)
            arrays = drawn.arrays()
            with np.errstate(all="ignore"):
                call(make_interpreter(module.op), f"p{n}", arrays)
            drawn.check(arrays)
            ways.update(("native", "interpreter"))
        except Exception as error:
            report(ways, program, error)


def _build(texts: Sequence[str], level: int) -> tuple[kc.IRModule, Any]:
    """``@main`` of each text as ``@p0``, ``@p1`` and so on of one module, and their code."""
    functions = [text.replace("@main(", f"@p{n}(") for n, text in enumerate(texts)]
    with diagnostic_handler(lambda _: None):
        module = kc.IRModule.parse("\n".join(functions))
        to_tir(module.op)
        with kc.transform.PassContext(opt_level=level):
            return module, kc.build(module)


def _refused(error: Exception, texts: Sequence[str]) -> int | None:
    """The text that an error is about, by its line; None where it has none."""
    line = getattr(getattr(error, "location", None), "line", 0)
    if not line:
        return None
    ends = itertools.accumulate(text.count("\n") + 1 for text in texts)
    return next((n for n, end in enumerate(ends) if line <= end), None)


def _compare_refused(program: Loops, ways: Counter[str]) -> None:
    """Of a program that is not raised, or not built: whether it may be refused."""
    try:
        drawn = from_text(program)
        if drawn is None:
            ways["as it is"] += 1
        else:
            kc.build(drawn.module)
    except Exception as error:
        report(ways, program, error)


def report(ways: Counter[str], program: Loops, error: Exception, what: str = "differ") -> None:
    """Print what differs, and count it."""
    ways[what] += 1
    notes = "\n".join(getattr(error, "__notes__", ()))
    print(
        f"{what}: {type(error).__name__}: {error}\n{notes}\n{program.text}\n{program.python}",
        flush=True,
    )


def apart(
    compare: Callable[[Sequence[Loops], int], Counter[str]], programs: Sequence[Loops], choice: int
) -> Counter[str]:
    """``compare(programs, choice)`` in a process of its own: code that ends the process ends one
    batch, of which the halves run then, and nothing has to be collected that a process leaves."""
    receiver, sender = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=lambda: sender.send(compare(programs, choice)))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        if len(programs) == 1:
            ended = ChildProcessError(f"it ended with {process.exitcode}")
            if compare is not compare_all:
                ways: Counter[str] = Counter()
                report(ways, programs[0], ended)
                return ways
            ways = apart(compare_own, programs, choice)
            if not ways["differ"]:  # MLIR's code ended it
                report(ways, programs[0], ended, "MLIR alone differs")
            return ways
        middle = len(programs) // 2
        parts = (programs[:middle], programs[middle:])
        return sum((apart(compare, part, choice) for part in parts), Counter[str]())
    finally:
        process.join()


_FORKS = multiprocessing.get_context("fork")


def main(seed: int, count: int) -> int:
    """Compare programs in three ways; the number of those that differ."""
    # What is imported and compiled at first is inherited, code that runs (and its threads) is not.
    _build([draw_program(n).text for n in range(10)], 0)
    gc.disable()
    gc.freeze()
    ways: Counter[str] = Counter()
    for first in range(seed, seed + count, BATCH):
        numbers = range(first, min(first + BATCH, seed + count))
        programs = [draw_program(n) for n in numbers]
        ways.update(apart(compare_all, programs, Random(first).choice(LEVELS)))
        done = ", ".join(f"{name} {number}" for name, number in ways.items())
        print(f"{numbers[-1] + 1 - seed} programs: {done}", flush=True)
    return ways["differ"]


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])) > 0)
