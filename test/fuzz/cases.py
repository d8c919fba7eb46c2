"""One case of the fuzz tests: a program, a schedule of it, and all that must hold.

Everything follows from the seed. A case may be run with fewer computes or with given calls, which
is how a failure is shrunk.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from guarded_arrays import ENDS, all_guarded, checked_build, guarded
from layouts import Layouts
from programs import Program, Unsuitable, random_program
from schedules import check_text, draw, perform

import kc
from kc import te, tir
from kc.analysis import loop_tree
from kc.analysis.interpreter import run
from kc.dialects.tir import ForKind, ForOp
from kc.support.diagnostics import CodegenError, diagnostic_handler
from kc.tir import Trace
from kc.transforms.schedule._buffer_notes import set_argument_attribute
from kc.transforms.tir.apply_strides import STRIDES, strides_attr

COMPUTES = 8
CALLS = 20
NAME = "main"
TE_EVERY = 10
"""One case in so many is a schedule of TE, whose programs and calls are those of test/te."""
TE_STAGE = "TE schedule"
STRIDED_EVERY = 4
"""One case in so many is called with views of larger arrays, too."""
MAX_UNROLLED = 128
"""Copies of a body that LLVM is asked to make at most: thousands take it minutes."""

FORMS: dict[str, Callable[[Trace], Trace]] = {
    "python": lambda trace: Trace.from_python(trace.as_python()),
    "json": lambda trace: Trace.from_json(json.loads(json.dumps(trace.as_json()))),
    "mlir": lambda trace: Trace.from_mlir(trace.as_mlir()),
}
"""Each writes a trace in one form and reads it back."""


@dataclass
class Outcome:
    """What became of a case, as far as it got."""

    lines: list[str] = field(default_factory=list)
    """The calls that were accepted, and last the one that failed."""
    tried: int = 0
    module: str = ""
    """The module before it is scheduled."""
    stage: str = "program"
    error: BaseException | None = None
    arrays: list[Any] = field(default_factory=list)
    expected: list[Any] = field(default_factory=list)

    @property
    def accepted(self) -> Counter[str]:
        """How often each primitive was accepted."""
        return Counter(line.split(".")[1].split("(")[0] for line in self.lines)


def run_case(
    seed: int, *, keep: int | None = None, lines: list[str] | None = None, native: bool = True
) -> Outcome:
    """Run the case of ``seed``: its first ``keep`` computes, and ``lines`` instead of its calls."""
    done = Outcome()
    try:
        if lines is None and keep is None and seed % TE_EVERY == 0:
            _run_te(seed, native, done)
        else:
            _run(seed, keep, lines, native, done)
    except Exception as error:
        done.error = error
    return done


def _run_te(seed: int, native: bool, done: Outcome) -> None:
    from test_te_random import one_schedule

    done.stage = TE_STAGE
    with diagnostic_handler(lambda _: None):
        one_schedule(seed, native=native)
    done.stage = "done"


def _run(seed: int, keep: int | None, lines: list[str] | None, native: bool, done: Outcome) -> None:
    program = suitable(Random(f"program {seed}"), keep)
    random = Random(f"schedule {seed}")
    schedule = te.create_schedule(list({one.tensor.op: None for one in program.outputs}))
    original = kc.lower(schedule, program.args, name=NAME)
    done.module = str(original)
    done.arrays = program.arrays()
    sch = tir.Schedule(original)
    layouts = Layouts(sch, {one.name: size for one, size in program.sizes.items()})
    done.stage = "schedule"
    for line in _calls(random, sch, lines):
        done.tried += 1
        done.lines.append(line)
        with layouts.watching():
            accepted = perform(sch, line)
        if not accepted:
            done.lines.pop()
    done.stage = "text"
    check_text(sch.mod)
    done.stage = "trace"
    form = random.choice(list(FORMS))
    again = tir.Schedule(original)
    with diagnostic_handler(lambda _: None):
        FORMS[form](sch.trace).apply_to(again)
    assert str(again.mod) == str(sch.mod), f"the {form} form of the trace makes another module"
    done.stage = "interpreter"
    check_interpreted(program, sch.mod, layouts)
    if native and _is_native(loop_tree.loops(sch.mod[NAME])):
        done.stage = "native"
        check_compiled(program, sch.mod, layouts)
        if seed % STRIDED_EVERY == 1:
            done.stage = "strided"
            check_strided(random, program, sch.mod, layouts)
    done.stage = "done"


def _is_native(loops: list[ForOp]) -> bool:
    """Whether the loops run on a CPU, and LLVM is done with those to unroll in a moment."""
    most = 1
    for loop in loops:
        if loop.kind.data is ForKind.THREAD:
            return False
        nest = [*loop_tree.loops_around(loop), loop]
        unrolled = [one for one in nest if one.kind.data is ForKind.UNROLLED]
        most = max(most, math.prod(one.static_extent or 1 for one in unrolled))
    return most <= MAX_UNROLLED


def _calls(random: Random, sch: tir.Schedule, lines: list[str] | None) -> Iterator[str]:
    if lines is not None:
        yield from lines
        return
    threads = random.random() < 0.2
    for _ in range(random.randint(0, CALLS)):
        line = draw(random, sch, threads=threads)
        if line is None:
            return
        yield line


def suitable(random: Random, keep: int | None = None) -> Program:
    """A program whose results are known."""
    while True:
        with contextlib.suppress(Unsuitable):
            return random_program(random, random.choice((2, 4, COMPUTES)), keep)


def check_interpreted(program: Program, mod: kc.IRModule, layouts: Layouts) -> None:
    """That the interpreter gives numpy's results."""
    # What was printed is what is run: the text says all.
    mod = kc.IRModule.parse(str(mod))
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    with np.errstate(all="ignore"):
        run(mod.op, NAME, changed)
    program.check(layouts.from_scheduled(changed, arrays))


def check_compiled(program: Program, mod: kc.IRModule, layouts: Layouts) -> None:
    """That native code gives numpy's results, and touches no memory but that of its arguments.

    It does not come back if it does touch other memory.
    """
    with diagnostic_handler(lambda _: None):
        kernel, checked = kc.build(mod), checked_build(mod)
    # The one with checks comes first: it tells what is wrong.
    for call, at in ((checked, "end"), (kernel, "end"), (kernel, "start")):
        arrays = program.arrays()
        changed = all_guarded(layouts.to_scheduled(arrays), at)
        call(*changed)
        program.check(layouts.from_scheduled(changed, arrays))


def check_strided(random: Random, program: Program, mod: kc.IRModule, layouts: Layouts) -> None:
    """That the same code with declared strides computes on views, and keeps to their elements."""
    mod = kc.IRModule.parse(str(mod))
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
        function = mod[NAME]
        set_argument_attribute(function, function.args[n], STRIDES, strides_attr(strides))
    with diagnostic_handler(lambda _: None):
        try:
            kernel = kc.build(mod)
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
