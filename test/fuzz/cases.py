"""One case of the fuzz tests: a program, a schedule of it, and all that must hold.

Everything follows from the number of the case. A case may be run with fewer computes or with given
calls, which is how a failure is shrunk.
"""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import numpy as np
import pipelines
from build_settings import context_of, target_of
from c_code import CC, run_in_c
from families import FAMILIES, Drawn, Family
from guarded_arrays import ENDS, all_guarded, checked_build, guarded
from intrinsic_code import unregister
from launching import (
    assemble,
    compacted,
    emulate,
    has_kernels,
    iterations,
    kernels,
    launches,
    order,
    shares_virtual_threads,
    verify,
)
from layouts import Layouts
from schedules import check_text, draw, draw_legal, perform, primitive_of
from xdsl.dialects import memref
from xdsl.dialects.builtin import AnyFloat, VectorType

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.analysis.interpreter import run
from kc.analysis.module_copy import copy_module
from kc.analysis.reductions.lane_reductions import reduced_blocks
from kc.check_each import StepCheck
from kc.dialects.memref_views import GenericAtomicRMWOp
from kc.dialects.tir import ForKind, ForOp
from kc.runtime import call_wrapper
from kc.support.diagnostics import CallError, CodegenError, KCError, diagnostic_handler
from kc.support.pass_context import watching_steps
from kc.support.registry import context, get_pass
from kc.tir import Trace
from kc.transforms.schedule.layout._buffer_notes import set_argument_attribute
from kc.transforms.tir.pipeline._pipeline_notes import is_pipelined
from kc.transforms.tir.storage.apply_strides import STRIDES, strides_attr

PROGRAMS = "programs"
TE_EVERY = 10
"""One case of this family in so many is a schedule of TE, by the programs and calls of test/te."""
TE_STAGE = "TE schedule"
DRAWING = "drawing a call"
"""The stage between calls. It is the generator that runs, and kc where that asks what is legal."""
MAX_UNROLLED = 128
"""Copies of a body that LLVM is asked to make at most: thousands take it minutes."""
MOST_ITERATIONS = 10_000
"""Of a loop that a size is a factor of: the interpreter takes them one by one."""
MOST_ALL = 2_000_000
"""Iterations of a nest beyond which it is not run at all: a loop may have been split by 2**40."""
MOST_IN_STEP = 500_000
"""The same of kernels, whose threads the interpreter takes step by step: 10,000 a second."""
MOST_LAUNCHED = 12_000
"""Iterations of a kernel beyond which it is not launched: that takes the interpreter minutes."""

MOST_THREADS = 1024
"""Of a block."""

UNSUITABLE = frozenset("KC4222 KC4223 KC4224 KC4225 KC4226 KC4227 KC4228".split())
"""The codes that keep kernels that a GPU could run from being compiled."""

CANONICAL = 0.25
"""Of the cases, so many are canonicalized after they are scheduled."""

ROUNDED_ONCE = set(
    "absf absi ceil copysign ctlz ctpop cttz floor fma ipowi round roundeven sqrt trunc".split()
)
"""The operations of ``math`` that have one result, wherever they are computed."""

FORMS: dict[str, Callable[[Trace], Trace]] = {
    "python": lambda trace: Trace.from_python(trace.as_python()),
    "json": lambda trace: Trace.from_json(json.loads(json.dumps(trace.as_json()))),
    "mlir": lambda trace: Trace.from_mlir(trace.as_mlir()),
}
"""Each writes a trace in one form and reads it back."""


@dataclass
class Outcome:
    """The outcome of a case, up to the stage that it reached."""

    lines: list[str] = field(default_factory=list)
    """The calls that were accepted, and last the one that failed."""
    given: list[str] | None = None
    """The calls to make instead of those that would be drawn."""
    tried: Counter[str] = field(default_factory=Counter)
    """The number of calls of each primitive."""
    source: str = ""
    """The source of the program, if it says more than the module."""
    original: kc.IRModule | str = ""
    """The module before it is scheduled."""
    stage: str = "program"
    """The stage that was running."""
    error: BaseException | None = None
    checks: list[str] = field(default_factory=list)
    """The ways in which the program was run."""

    @property
    def module(self) -> str:
        """The module before it is scheduled, as text."""
        return str(self.original)


def run_case(
    seed: int,
    *,
    family: str = PROGRAMS,
    keep: int | None = None,
    lines: list[str] | None = None,
    native: bool = True,
) -> Outcome:
    """Run the case of ``seed``: its first ``keep`` computes, and ``lines`` instead of its calls."""
    outcome = Outcome(given=lines)
    try:
        if family == PROGRAMS and lines is None and keep is None and seed % TE_EVERY == 0:
            _run_te(seed, native, outcome)
        elif FAMILIES[family].own_run:
            FAMILIES[family].run(Random(f"program {seed}"), keep, native, outcome)
        else:
            _run(seed, FAMILIES[family], keep, lines, native, outcome)
    except Exception as error:
        outcome.error = error
    finally:
        unregister()
    return outcome


def _run_te(seed: int, native: bool, outcome: Outcome) -> None:
    from test_te_random import one_schedule

    outcome.stage = TE_STAGE
    with diagnostic_handler(lambda _: None):
        one_schedule(seed, native=native)
    outcome.stage = "done"


def _run(
    seed: int,
    family: Family,
    keep: int | None,
    lines: list[str] | None,
    native: bool,
    outcome: Outcome,
) -> None:
    with diagnostic_handler(lambda _: None):
        program = family.draw(Random(f"program {seed}"), keep)
        random = Random(f"schedule {seed}")
        original = program.module
        outcome.source, outcome.original = program.source, original
        sch = tir.Schedule(original)
    layouts = Layouts(sch, program.symbols)
    outcome.stage = DRAWING
    for line in _calls(random, sch, family, program, lines, Random(f"pipeline {seed}")):
        if _is_endless(line, program.symbols):
            continue
        outcome.stage = "schedule"
        outcome.tried[primitive_of(line)] += 1
        outcome.lines.append(line)
        with layouts.watching():
            accepted = perform(sch, line)
        if not accepted:
            outcome.lines.pop()
        outcome.stage = DRAWING
    outcome.stage = "verifier"
    sch.module.verify()
    check_dominance(sch.module)
    if random.random() < 0.25:
        _check_forms(random, original, sch, outcome)
    mod = sch.mod
    if random.random() < 0.2:
        outcome.stage = "text"
        mod = check_text(mod)  # what was printed is what is run: the text says all
    if Random(f"canonical {seed}").random() < CANONICAL:
        outcome.stage = "canonicalize"
        mod = canonical(mod)
    if iterations(mod.op) > (MOST_IN_STEP if has_kernels(mod) else MOST_ALL):
        outcome.checks.append("verified alone")
        outcome.stage = "done"
        return
    outcome.stage = "interpreter"
    interpreted = check_interpreted(program, mod, layouts)
    outcome.checks.append("interpreter")
    if has_kernels(mod):
        _check_launched(random, program, mod, layouts, outcome)
    elif native and _is_native(loop_tree.loops(loop_tree.kernels(mod.op)[0])):
        outcome.stage = way = _way(random, program)
        try:
            WAYS[way](random, program, mod, layouts, interpreted)
            outcome.checks.append(way)
        except CodegenError as refusal:
            _require_pipeline(refusal, mod)
            outcome.checks.append("refused pipeline")
    outcome.stage = "done"


def _require_pipeline(refusal: KCError, mod: kc.IRModule) -> None:
    """Raise a refusal, unless it is one of a pipeline that the module has."""
    if refusal.code not in pipelines.REFUSED or not any(map(is_pipelined, mod.op.walk())):
        raise refusal


def canonical(mod: kc.IRModule) -> kc.IRModule:
    """``mod`` in canonical form, which is that of a second time too."""
    mod = kc.IRModule(copy_module(mod.op))
    get_pass("canonicalize").apply(context(), mod.op)
    mod.op.verify()
    check_dominance(mod.op)
    text = str(mod)
    get_pass("canonicalize").apply(context(), mod.op)
    assert str(mod) == text, "canonicalize changes what it gave"
    return mod


def first_wrong_step(seed: int, family: str, keep: int | None, lines: Sequence[str]) -> str:
    """The findings of ``--check-each`` for the schedule and the build of a case; empty if none."""
    if FAMILIES[family].own_run:
        return ""
    program = FAMILIES[family].draw(Random(f"program {seed}"), keep)
    sch = tir.Schedule(program.module)
    try:
        with diagnostic_handler(lambda _: None), watching_steps(StepCheck()):
            for line in lines:
                with contextlib.suppress(KCError):
                    exec(line, {"sch": sch})
            if not has_kernels(sch.mod):
                kc.build(sch.mod)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""


def _check_forms(random: Random, original: kc.IRModule, sch: tir.Schedule, done: Outcome) -> None:
    """Check that a written and reread trace of a schedule makes the same module."""
    done.stage = "trace"
    form = random.choice(list(FORMS))
    again = tir.Schedule(original)
    with diagnostic_handler(lambda _: None):
        FORMS[form](sch.trace).apply_to(again)
    assert str(again.mod) == str(sch.mod), f"the {form} form of the trace makes another module"


def _is_native(loops: list[ForOp]) -> bool:
    """True if the loops run on a CPU and LLVM unrolls them in a moment."""
    most = 1
    for loop in loops:
        if shares_virtual_threads(loop):
            return False
        nest = [*loop_tree.loops_around(loop), loop]
        unrolled = [around for around in nest if around.kind.data is ForKind.UNROLLED]
        most = max(most, math.prod(around.static_extent or 1 for around in unrolled))
    return most <= MAX_UNROLLED


def _calls(
    random: Random,
    sch: tir.Schedule,
    family: Family,
    program: Drawn,
    lines: list[str] | None,
    last: Random,
) -> Iterator[str]:
    """Calls of a schedule, those of ``last`` at the end."""
    if lines is not None:
        yield from lines
    elif family.scheduled:
        yield from _drawn_calls(random, sch, family, program)
        yield from pipelines.pipelines(last, sch)


def _drawn_calls(
    random: Random, sch: tir.Schedule, family: Family, program: Drawn
) -> Iterator[str]:
    if family.own_calls:
        yield from family.own(random, sch)
        return
    for name in getattr(program, "opening", ()):
        line = name if name.startswith("sch.") else draw_legal(random, sch, name)
        if line is not None:
            yield line
    favourites = (*family.favourites, *getattr(program, "favourites", ()))
    threads = random.random() < family.threads
    threads = threads or any(loop.axis is not None for loop in loop_tree.loops(sch.module))
    for _ in range(random.randint(0, family.calls)):
        line = draw(random, sch, threads=threads, favourites=favourites)
        if line is None:
            return
        yield line


def _is_endless(line: str, sizes: Mapping[str, int]) -> bool:
    """True if a call makes a number of iterations that comes from a large ordinary number, such as
    the argument of a script.
    """
    large = [name for name, value in sizes.items() if value > MOST_ITERATIONS]
    return any(f'"{name}"' in line for name in large)


def _check_launched(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, outcome: Outcome
) -> None:
    """Check that kernels accepted by ``verify-gpu-code`` are right when blocks run in any order,
    each with memory of its own, also with smaller buffers; and that a CPU runs no kernels.
    """
    outcome.stage = "build for a CPU"
    try:
        kernel = _build(random, mod, program=program)
    except CodegenError as refusal:
        if refusal.code != "KC4206":
            _require_pipeline(refusal, mod)
    else:  # kernels without iterations are gone by then
        _check_call(kernel, program, layouts, "end")
    try:
        outcome.stage = "verify-gpu-code"
        verify(mod)
    except KCError:
        outcome.checks.append("refused launch")
        return
    if iterations(mod.op) > MOST_LAUNCHED:
        return
    outcome.stage = "launch"
    check_interpreted(program, mod, layouts, launch_order=order(random))
    outcome.stage = "compacted"
    smaller = compacted(mod)
    launch_order = random.choice((None, order(random)))
    check_interpreted(program, smaller, layouts, launch_order=launch_order)
    outcome.checks.append("launch")
    outcome.stage = "kernels"
    try:
        launched = launches(mod)
        check_interpreted(program, launched, layouts, launch_order=order(random))
        outcome.checks.append("launches")
        kernels(launched)
        outcome.checks.append("kernels")
    except KCError as refusal:
        if refusal.code not in UNSUITABLE:
            _require_pipeline(refusal, mod)
        outcome.checks.append("refused kernel")
        return
    outcome.stage = "emulated"
    arrays = program.arrays()
    changed = all_guarded(layouts.to_scheduled(arrays), "end")
    copies = any("cache_inplace" in line for line in outcome.lines)
    options = getattr(program, "options", "")
    try:
        emulate(random, mod, changed, copies_unwritten=copies, options=options)
    except CallError as refusal:
        if refusal.code != "KC5132" or f"{MOST_THREADS} >=" not in refusal.message:
            raise
        outcome.checks.append("refused size")  # more threads of a block than a GPU has
        return
    program.check(layouts.from_scheduled(changed, arrays))
    outcome.checks.append("emulated")
    outcome.stage = "assembled"
    if assemble(mod):
        outcome.checks.append("assembled")


def check_interpreted(
    program: Drawn, mod: kc.IRModule, layouts: Layouts, *, launch_order: Random | None = None
) -> list[Any]:
    """Check the results of the interpreter; return the arguments after the call.

    Kernels run in lockstep or, with an order of their blocks, as they are launched.
    """
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    with np.errstate(all="ignore"):
        run(mod.op, _name(mod), changed, launch_order=launch_order)
    program.check(layouts.from_scheduled(changed, arrays))
    return changed


def _name(mod: kc.IRModule) -> str:
    return loop_tree.kernels(mod.op)[0].sym_name.data


# Ways to run a program ---------------------------------------------------------------------


def _way(random: Random, program: Drawn) -> str:
    """A way to run a program: each costs a compilation, which another program is worth more."""
    if hasattr(program, "unraised") and random.random() < UNRAISED:
        return "unraised"
    return random.choices(list(SHARES), list(SHARES.values()))[0]


def _build(
    random: Random, mod: kc.IRModule, options: str = "", program: Drawn | None = None
) -> Any:
    """Native code for a random CPU, at a random level, by random passes; of target ``options``."""
    target = target_of(random, options or getattr(program, "options", ""))
    with context_of(random), diagnostic_handler(lambda _: None):
        return kc.build(mod, target=target)


def _check_native(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """Native code gives the results, and touches no memory but that of its arguments.

    It does not come back if it does touch other memory.
    """
    del interpreted
    first_calls = 0 if random.random() < CALL_CODE else call_wrapper.FIRST_CALLS
    with mock.patch.object(call_wrapper, "FIRST_CALLS", first_calls):
        kernel = _build(random, mod, program=program)
    for end in ENDS:
        _check_call(kernel, program, layouts, end)


def _check_bounds(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """Native code that checks its accesses finds nothing wrong."""
    del random, interpreted
    with diagnostic_handler(lambda _: None):
        kernel = checked_build(mod, target=f"llvm {getattr(program, 'options', '')}".rstrip())
    _check_call(kernel, program, layouts, "end")


def _check_call(kernel: Any, program: Drawn, layouts: Layouts, end: str) -> list[Any]:
    """Check the results of a call; return the arguments after the call."""
    arrays = program.arrays()
    changed = all_guarded(layouts.to_scheduled(arrays), end)
    kernel(*changed)
    program.check(layouts.from_scheduled(changed, arrays))
    return changed


def _check_exactly(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """Without contraction, native code rounds as the interpreter does: bit for bit."""
    kernel = _build(random, mod, "-contract=0")
    for end in ENDS:
        changed = _check_call(kernel, program, layouts, end)
        if not _calls_functions(mod) and not _has_lanes_of_sums(mod):
            _compare_exactly(changed, interpreted)


def _has_lanes_of_sums(mod: kc.IRModule) -> bool:
    """True if terms of a float reduction are lanes of vectors. They are then added in another order
    than the interpreter's, which changes the result only if partial results are rounded.
    """
    return any(
        loop.kind.data is ForKind.VECTORIZED
        and any(
            isinstance(value.type, AnyFloat)
            for block in reduced_blocks(loop)
            for op in block.walk()
            for value in op.results
        )
        for function in loop_tree.kernels(mod.op)
        for loop in loop_tree.loops(function)
    )


def _calls_functions(mod: kc.IRModule) -> bool:
    """True if the module calls library functions, whose last bits may differ."""
    return any(
        op.name.startswith("math.") and op.name.removeprefix("math.") not in ROUNDED_ONCE
        for op in mod.op.walk()
    )


def _compare_exactly(values: Sequence[Any], interpreted: Sequence[Any]) -> None:
    for n, (value, wanted) in enumerate(zip(values, interpreted, strict=True)):
        if isinstance(value, np.ndarray):
            same = (value == wanted) | ((value != value) & (wanted != wanted))
            assert same.all(), (
                f"argument {n}: {value[~same][:4]} is not {wanted[~same][:4]}, "
                "as the interpreter has it"
            )


def _check_c(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """C, with sanitizers and without contraction, is the interpreter's bit for bit."""
    del random
    if CC is None:
        return
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    try:
        run_in_c(mod, changed)
    except CodegenError as refused:
        if refused.code not in ("KC4401", "KC4403") or not (_has_vectors(mod) or _is_beyond_c(mod)):
            raise
        # C has no vectors, which an intrinsic may be made of, takes no branches and keeps nothing,
        # and C99 has no atomic updates.
        return
    if _calls_functions(mod):
        program.check(layouts.from_scheduled(changed, arrays))
        return
    _compare_exactly(changed, interpreted)


def _has_vectors(mod: kc.IRModule) -> bool:
    values = (value for op in mod.op.walk() for value in (*op.operands, *op.results))
    return any(isinstance(value.type, VectorType) for value in values)


def _is_beyond_c(mod: kc.IRModule) -> bool:
    """True if a function has branches or atomic updates, or a global keeps its elements between
    calls.
    """
    return any(
        any(len(region.blocks) > 1 for region in op.regions)
        or isinstance(op, memref.AtomicRMWOp | GenericAtomicRMWOp)
        or (isinstance(op, memref.GlobalOp) and op.constant is None)
        for op in mod.op.walk()
    )


def _check_saved(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """Code that was saved and loaded gives the results."""
    del interpreted
    built = _build(random, mod, program=program)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"kernel.{random.choice(('o', 'll', 'bc', 'mlir'))}"
        built.save(str(path))
        loaded = kc.runtime.load_module(str(path))
    _check_call(loaded, program, layouts, "end")


def _check_strided(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """The same code with declared strides computes on views, and keeps to their elements."""
    del interpreted
    mod = kc.IRModule(copy_module(mod.op))
    function = loop_tree.kernels(mod.op)[0]
    arrays = program.arrays()
    views: list[Any] = []
    gaps: list[tuple[np.ndarray, np.ndarray, bytes]] = []
    for n, value in enumerate(layouts.to_scheduled(arrays)):
        views.append(value)
        if not isinstance(value, np.ndarray):
            continue
        steps = [random.choice((1, 1, 2, -1)) for _ in value.shape]
        sizes = [size * abs(step) + 1 for size, step in zip(value.shape, steps, strict=True)]
        around = guarded(np.ones(sizes, value.dtype), random.choice(ENDS))
        views[n] = _part(around, value.shape, steps)
        views[n][...] = value
        gap = np.ones(sizes, bool)
        _part(gap, value.shape, steps)[...] = False
        gaps.append((around, gap, around[gap].tobytes()))
        strides: list[int | str] = [f"s{n}_{d}" for d in range(value.ndim)]
        if steps[-1:] == [1]:
            strides[-1] = 1
        set_argument_attribute(function, function.args[n], STRIDES, strides_attr(strides))
    try:
        kernel = _build(random, mod, program=program)
    except CodegenError as refused:
        if refused.code != "KC4340":
            raise
        return  # an intrinsic takes dense memory
    kernel(*views)
    for around, gap, before in gaps:
        assert around[gap].tobytes() == before, "memory between the elements was written"
    program.check(layouts.from_scheduled(views, arrays))


def _part(array: np.ndarray, shape: Sequence[int], steps: Sequence[int]) -> np.ndarray:
    """A view of ``array``, of ``shape``: every other element for 2, backwards for -1."""
    pairs = list(zip(shape, steps, strict=True))
    begun = (slice(None, size * abs(step), abs(step)) for size, step in pairs)
    turned = (slice(None, None, 1 if step > 0 else -1) for step in steps)
    return array[(*begun, ...)][(*turned, ...)]


def _check_unraised(
    random: Random, program: Drawn, mod: kc.IRModule, layouts: Layouts, interpreted: list[Any]
) -> None:
    """The text that the program was raised from, as a build takes it, gives the results."""
    del mod, layouts, interpreted
    kernel = _build(random, getattr(program, "unraised"))  # noqa: B009
    arrays = program.arrays()
    changed = all_guarded(arrays, random.choice(ENDS))
    kernel(*changed)
    program.check(changed)


Way = Callable[[Random, Drawn, kc.IRModule, Layouts, list[Any]], None]

# Bounds come first: they tell what is wrong where other code would end the process.
WAYS: dict[str, Way] = {
    "bounds": _check_bounds,
    "native": _check_native,
    "exact": _check_exactly,
    "strided": _check_strided,
    "saved": _check_saved,
    "c": _check_c,
    "unraised": _check_unraised,
}
SHARES = {"bounds": 10, "native": 40, "exact": 30, "strided": 8, "saved": 8, "c": 4}
"""The share of programs run in each way, in percent."""
CALL_CODE = 0.5
"""Of those run natively, so many are called by generated code: it depends on arguments alone."""
UNRAISED = 0.2
"""The share of raised programs that run as they were drawn."""
