"""merge and loop_partition: equal results on random programs, by the interpreter and natively."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    arguments,
    assert_both_happen,
    assert_same,
    lowered,
    native_results,
    parse,
    random_program,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

from kc.analysis import loop_tree
from kc.analysis.interpreter.errors import OutOfBoundsError
from kc.dialects.tir import ForOp, SymbolOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import LoopRef, Primitive
from kc.transforms.schedule.loops._factors import Factors

Chooser = Callable[[ModuleOp, Random], Primitive]


def merge(module: ModuleOp, random: Random) -> Primitive:
    """A pair of loops: mostly one that may be legal, else any."""
    likely = list(pass_class("merge").candidates(site_of(module)))
    if likely and random.random() < 0.8:
        return random.choice(likely)
    loops = loop_tree.loops(module)
    return pass_class("merge")(tuple(LoopRef(random.choice(loops)) for _ in range(2)))


def partition(module: ModuleOp, random: Random) -> Primitive:
    """A loop, cut at random."""
    loop = random.choice(loop_tree.loops(module))
    names = [op.symbol.data for op in module.walk() if isinstance(op, SymbolOp)]
    factors: list[int | str | None] = []
    factors += [random.randint(1, 3) for _ in range(random.randint(1, 3))]
    if names and random.random() < 0.2:
        factors[0] = random.choice(names)
    if random.random() < 0.7:
        factors.insert(random.randint(0, len(factors)), None)
    return pass_class("loop-partition")(LoopRef(loop), Factors(factors), random.random() < 0.8)


CHOOSERS: dict[str, Chooser] = {"merge": merge, "loop_partition": partition}
SIZES = ({"n": 5, "m": 3}, {"n": 0, "m": 4}, {"n": 1, "m": 0}, {"n": 8, "m": 1})


def calls_of(module: ModuleOp, random: Random, symbolic: bool) -> list[tuple[list, list]]:
    """Arguments and results for several sizes; not for those too small for a read of ``[0]``."""
    calls: list[tuple[list, list]] = []
    for sizes in SIZES if symbolic else SIZES[:1]:
        args = arguments(module, random, sizes)
        with contextlib.suppress(OutOfBoundsError):
            calls.append((args, results(module, args)))
    return calls


def check(module: ModuleOp, random: Random, choosers: list[Chooser], symbolic: bool) -> int:
    """The program computes the same after each step; how many steps were legal."""
    calls = calls_of(module, random, symbolic)
    random_splits(module, random, random.randint(0, 3))
    done = 0
    for choose in choosers:
        if try_step(module, choose(module, random)) is not None:
            done += 1
            for args, before in calls:
                assert_same(before, results(module, args), module)
    return done


@pytest.mark.parametrize("name", CHOOSERS)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_random_programs(name: str, seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    check(module, random, [CHOOSERS[name]] * 3, symbolic)


@pytest.mark.sweep
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(15)
def test_natively(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 3, symbolic)
    calls = calls_of(module, random, symbolic)
    random_splits(module, random, 2)
    for choose in random.choices(list(CHOOSERS.values()), k=3):
        try_step(module, choose(module, random))
    for args, before in calls:
        assert_same(before, native_results(module, args), module)


@dataclass
class Nests:
    """A function of similar nests side by side, which read and write the same three buffers."""

    random: Random
    lines: list[str] = field(default_factory=list)

    def text(self) -> str:
        extents = [self.random.choice((2, 3, 4)) for _ in range(self.random.choice((1, 2)))]
        for n in range(self.random.randint(2, 4)):
            if self.random.random() < 0.1:
                self._statement(f"{n}", [])
            self._nest(f"{n}", extents)
        arguments = ", ".join(f'%{name}: memref<8xi32> {{kc.role = "in"}}' for name in "ABC")
        return f"func.func @f({arguments}) {{\n{''.join(self.lines)}  func.return\n}}\n"

    def _nest(self, name: str, extents: list[int]) -> None:
        loops = [f"{axis}{name}" for axis in "ij"[: len(extents)]]
        self.lines += [
            f"tir.for %{loop} in {extent} {{\n" for loop, extent in zip(loops, extents, strict=True)
        ]
        for n in range(self.random.choice((1, 1, 2))):
            self._statement(f"{name}_{n}", loops)
        self.lines.append("}\n" * len(loops))

    def _statement(self, name: str, loops: list[str]) -> None:
        block = self.random.random() < 0.5
        if block:
            iters = ", ".join(f"opaque %v_{loop} in 4 = %{loop}" for loop in loops)
            self.lines.append(f'tir.block "S{name}" ({iters}) do {{\n')
        at = [self._index(loops) for _ in range(3)]
        x, y, out = (self.random.choice("ABC") for _ in range(3))
        self.lines += [
            f"%x{name} = tir.load %{x}[{at[0]}] : memref<8xi32>\n",
            f"%y{name} = tir.load %{y}[{at[1]}] : memref<8xi32>\n",
            f"%z{name} = arith.subi %x{name}, %y{name} : i32\n",
            f"tir.store %z{name}, %{out}[{at[2]}] : memref<8xi32>\n",
            "}\n" if block else "",
        ]

    def _index(self, loops: list[str]) -> str:
        if not loops or self.random.random() < 0.1:
            return str(self.random.randrange(8))
        loop = self.random.choice(loops)
        kinds = [f"%{loop}", f"%{loop}", f"%{loop} + {self.random.randint(1, 4)}", f"7 - %{loop}"]
        kinds += [f"%{loop} * 2 + {self.random.randint(0, 1)}", " + ".join(f"%{i}" for i in loops)]
        return self.random.choice(kinds)


@pytest.mark.parametrize("name", CHOOSERS)
@given(seed=st.integers(0, 2**32))
@examples(40)
def test_programs_that_overwrite(name: str, seed: int):
    """Every buffer is read and written by several nests, at elements that overlap or do not."""
    random = Random(seed)
    module = parse(Nests(random).text())
    args = [np.arange(n * 10, n * 10 + 8, dtype=np.int32) for n in range(3)]
    expected = results(module, args)
    for _ in range(3):
        if try_step(module, CHOOSERS[name](module, random)) is not None:
            assert_same(expected, results(module, args), module)


@pytest.mark.parametrize("name", CHOOSERS)
def test_some_are_legal(name: str):
    """The property tests do not pass because everything is refused, or nothing is."""
    for program in (
        lambda random: parse(Nests(random).text()),
        lambda random: random_program(random, 4),
    ):

        def is_done(seed: int, program: Callable[[Random], ModuleOp] = program) -> bool:
            random = Random(seed)
            module = program(random)
            return try_step(module, CHOOSERS[name](module, random)) is not None

        assert_both_happen(map(is_done, range(40)), done=3, refused=3)


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(50)
def test_both_and_splits(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    calls = calls_of(module, random, symbolic)
    for _ in range(4):
        try_step(module, random.choice(list(CHOOSERS.values()))(module, random))
        random_splits(module, random, 1)
    for args, before in calls:
        assert_same(before, results(module, args), module)


SOFTMAX = """
te.func @f(%A: tensor<?x6xi32> {kc.shape = affine_map<()[n] -> (n, 6)>}) -> tensor<?x6xi32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %M = te.compute "M" [%i = %n] reduce max [%k = 6] {
    %a = te.read %A[%i, %k] : tensor<?x6xi32>
    te.yield %a : i32
  } : tensor<?xi32>
  %S = te.compute "S" [%i = %n] reduce sum [%k = 6] {
    %a = te.read %A[%i, %k] : tensor<?x6xi32>
    %m = te.read %M[%i] : tensor<?xi32>
    %d = arith.subi %a, %m : i32
    te.yield %d : i32
  } : tensor<?xi32>
  %D = te.compute "D" [%i = %n, %j = 6] {
    %a = te.read %A[%i, %j] : tensor<?x6xi32>
    %s = te.read %S[%i] : tensor<?xi32>
    %d = arith.subi %a, %s : i32
    te.yield %d : i32
  } : tensor<?x6xi32>
  te.return %D : tensor<?x6xi32>
}
"""


def rows(module: ModuleOp) -> list[LoopRef]:
    """The loops over rows."""
    return [LoopRef(op) for op in module.walk() if isinstance(op, ForOp) and op.label == "i"]


@pytest.mark.parametrize("n", [0, 1, 7])
def test_merged_rows(n: int):
    """The loops over the rows of a softmax become one; the buffers of sums shrink to an element."""
    module = lowered(SOFTMAX)
    done = pass_class("merge")(tuple(rows(module))).apply(site_of(module))
    assert [loop.label for loop in done.loops] == ["i_m"]
    assert len(loop_tree.loops(module)) == 4
    (block,) = [candidate for candidate in loop_tree.blocks(module) if candidate.label == "D"]
    assert loop_tree.loops_around(block)[0] is done.loops[0]
    a = np.random.default_rng(n).integers(-9, 9, (n, 6)).astype(np.int32)
    m = a.max(axis=1, initial=-(2**31), keepdims=True)
    expected = a - (a - m).sum(axis=1, keepdims=True)
    out = np.zeros((n, 6), np.int32)
    np.testing.assert_array_equal(results(module, [a, out])[1], expected)
    np.testing.assert_array_equal(native_results(module, [a, out])[1], expected)


def test_what_becomes_of_merged_loops():
    module = lowered(SOFTMAX)
    first, second, _ = rows(module)
    done = pass_class("merge")((second, first)).apply(site_of(module))
    (merged,) = done.loops
    assert done.replaced == {first.target: (merged,), second.target: (merged,)}


def test_merged_loops_are_remembered():
    module = lowered(SOFTMAX)
    site = site_of(module)
    pass_class("merge")(tuple(rows(module))).apply(site)
    with pytest.raises(ScheduleError) as caught:
        site.resolve_loop(LoopRef("i"))
    assert caught.value.why == "i was merged into i_m"


def test_gathers_are_undecided():
    """An element that is read through an index is not known to be written by then."""
    module = parse("""
func.func @f(%I: memref<8xindex>, %A: memref<8xi32>, %B: memref<8xi32>) {
  tir.for %p in 8 {
    %x = tir.load %A[%p] : memref<8xi32>
    tir.store %x, %B[%p] : memref<8xi32>
  }
  tir.for %q in 8 {
    %i = tir.load %I[%q] : memref<8xindex>
    %y = tir.load %B[%i] : memref<8xi32>
    tir.store %y, %A[%q] : memref<8xi32>
  }
  func.return
}
""")
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        pass_class("merge")((LoopRef("p"), LoopRef("q"))).apply(site_of(module))
    assert caught.value.code == "KC3455"
    assert caught.value.message == (
        "merge: running p and q together cannot be proven to keep the result"
    )
    assert caught.value.why == (
        "cannot prove that iterations touch different elements of B: i is not affine"
    )
    assert text_of(module) == before


def test_legal_merges():
    module = lowered(SOFTMAX)
    legal = [
        [str(loop) for loop in choice.loops]
        for choice in pass_class("merge").legal(site_of(module))
    ]
    assert legal == [["i", "i"], ["i", "i"]]
