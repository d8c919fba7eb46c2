"""skew, shift, unroll-and-jam, privatize, and reorder and tile of imperfect nests.

Decisions are compared with every pair of iterations, results with plain Python.
"""

import itertools
import random
from collections.abc import Callable

import numpy as np
import pytest

import kc
from kc.analysis.accesses.directions import dependences, nest_of
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError, diagnostic_handler
from kc.transforms.trace.handles import LoopRV

OUTER, INNER, SIZE = 5, 4, 64


class Statement:
    """``A[a * i + b * j + c] = A[d * i + e * j + f] + constant``, of (i, j) or of i alone."""

    def __init__(self, draw: random.Random, *, is_inner: bool) -> None:
        self.is_inner = is_inner
        self.written, self.read = (
            (draw.randrange(-2, 3), draw.randrange(-2, 3) * is_inner, draw.randrange(20, 40))
            for _ in range(2)
        )
        self.constant = float(draw.randrange(1, 9))

    def accesses(self, i: int, j: int) -> tuple[int, int]:
        """The element that an instance writes, and the one that it reads."""
        (a, b, c), (d, e, f) = self.written, self.read
        return a * i + b * j + c, d * i + e * j + f

    def text(self, label: str) -> str:
        (a, b, c), (d, e, f) = self.written, self.read
        inner = f", opaque %v_j in {INNER} = %j" if self.is_inner else ""
        at, place = (
            f"%v_i * {x} + {z}" + (f" + %v_j * {y}" if self.is_inner else "")
            for x, y, z in ((a, b, c), (d, e, f))
        )
        return f"""
            tir.block "{label}" (opaque %v_i in {OUTER} = %i{inner}) do {{
              %x = tir.load %A[{place}] : memref<{SIZE}xf32>
              %c = arith.constant {self.constant} : f32
              %y = arith.addf %x, %c : f32
              tir.store %y, %A[{at}] : memref<{SIZE}xf32>
            }}"""


class Nest:
    """``for i { P(i); for j { Q(i, j) }; R(i) }``, P and R there or not."""

    def __init__(self, draw: random.Random) -> None:
        self.before = [Statement(draw, is_inner=False)] if draw.random() < 0.6 else []
        self.inside = Statement(draw, is_inner=True)
        self.behind = [Statement(draw, is_inner=False)] if draw.random() < 0.6 else []

    def module(self) -> kc.IRModule:
        before = "".join(it.text("P") for it in self.before)
        behind = "".join(it.text("R") for it in self.behind)
        return kc.IRModule.parse(f"""
            func.func @f(%A: memref<{SIZE}xf32>) {{
              tir.for %i in {OUTER} {{{before}
                tir.for %j in {INNER} {{{self.inside.text("Q")}
                }}{behind}
              }}
              func.return
            }}""")

    def instances(self) -> list[tuple[Statement, int, int]]:
        """All, in program order; j is where an instance goes in a perfect nest."""
        return [
            instance
            for i in range(OUTER)
            for instance in (
                *((it, i, 0) for it in self.before),
                *((self.inside, i, j) for j in range(INNER)),
                *((it, i, INNER - 1) for it in self.behind),
            )
        ]

    def keeps(self, time: Callable[[int, int, int, int], tuple[int, ...]]) -> bool:
        """True if the order of ``time(i, j, place in the text, place in the program)`` reverses no
        dependence.
        """
        place = {it: n for n, it in enumerate([*self.before, self.inside, *self.behind])}
        timed = [
            (time(i, j, place[it], n), it.accesses(i, j))
            for n, (it, i, j) in enumerate(self.instances())
        ]
        return not any(
            later < earlier and (w == w2 or w == r2 or r == w2)
            for (earlier, (w, r)), (later, (w2, r2)) in itertools.combinations(timed, 2)
        )

    def require_same(self, sch: kc.tir.Schedule) -> None:
        given = np.arange(SIZE, dtype=np.float32)
        expected = given.copy()
        for it, i, j in self.instances():
            written, read = it.accesses(i, j)
            expected[written] = expected[read] + np.float32(it.constant)
        run(sch.mod.op, "f", [given])
        np.testing.assert_array_equal(given, expected)


def schedule(nest: Nest) -> tuple[kc.tir.Schedule, LoopRV, LoopRV]:
    sch = kc.tir.Schedule(nest.module())
    i, j = sch.get_loops("Q")
    return sch, i, j


def decided(nest: Nest, is_legal: bool, code: str, step: Callable[..., object]) -> None:
    """Perform ``step(sch, i, j)``: it is refused where it would reverse a dependence."""
    sch, i, j = schedule(nest)
    if is_legal:
        step(sch, i, j)
        nest.require_same(sch)
    else:
        before = str(sch.mod)
        with pytest.raises(KCError) as caught:
            step(sch, i, j)
        assert caught.value.code == code
        assert str(sch.mod) == before


SEEDS = range(15)


def in_columns(i: int, j: int, place: int, n: int) -> tuple[int, ...]:
    return j, i, n


def in_tiles(i: int, j: int, place: int, n: int) -> tuple[int, ...]:
    return i // 2, j // 2, i % 2, j % 2, n


def jammed(i: int, j: int, place: int, n: int) -> tuple[int, ...]:
    return i // 2, place, j, i % 2, n


@pytest.mark.parametrize("seed", SEEDS)
def test_reorder_of_imperfect_nests(seed: int):
    nest = Nest(random.Random(seed))
    decided(nest, nest.keeps(in_columns), "KC3035", lambda sch, i, j: sch.reorder(j, i))


@pytest.mark.parametrize("seed", SEEDS)
def test_tile_of_imperfect_nests(seed: int):
    nest = Nest(random.Random(100 + seed))
    decided(nest, nest.keeps(in_tiles), "KC3035", lambda sch, i, j: sch.tile(i, j, 2, 2))


@pytest.mark.parametrize("seed", SEEDS)
def test_unroll_and_jam(seed: int):
    nest = Nest(random.Random(200 + seed))
    sch, i, _ = schedule(nest)
    if nest.keeps(jammed):
        outer, *unrolled = sch.unroll_and_jam(i, 2)
        assert len(unrolled) == 1 + len(nest.before) + len(nest.behind)
        nest.require_same(sch)
    else:
        with pytest.raises(KCError) as caught:
            sch.unroll_and_jam(i, 2)
        assert caught.value.code in ("KC3035", "KC3464")


@pytest.mark.parametrize("seed", SEEDS)
def test_skewed_nests_are_the_same_and_are_exchanged_where_that_is_legal(seed: int):
    draw = random.Random(300 + seed)
    nest, factor = Nest(draw), draw.choice((-2, -1, 1, 2))
    sch, i, j = schedule(nest)
    skewed = sch.skew(i, j, factor)
    nest.require_same(sch)
    if not nest.before and not nest.behind:
        legal = nest.keeps(lambda i, j, place, n: (j + factor * i, i))
        if legal:
            sch.reorder(skewed, i)
            nest.require_same(sch)
        else:
            with pytest.raises(KCError) as caught:
                sch.reorder(skewed, i)
            assert caught.value.code == "KC3035"


@pytest.mark.parametrize("seed", range(10))
def test_shifted_nests_are_the_same(seed: int):
    draw = random.Random(400 + seed)
    nest = Nest(draw)
    sch, i, j = schedule(nest)
    sch.shift(draw.choice((i, j)), by=draw.randrange(1, 4), after=draw.randrange(3))
    nest.require_same(sch)


def test_both_decisions_are_drawn():
    def drawn(first: int, time: Callable[[int, int, int, int], tuple[int, ...]]) -> set[bool]:
        return {Nest(random.Random(first + seed)).keeps(time) for seed in SEEDS}

    assert drawn(0, in_columns) == drawn(100, in_tiles) == drawn(200, jammed) == {True, False}


# Fusion and distances -------------------------------------------------------------------------


class Neighbours:
    """``for i: A[a * i + b] = A[c * i + d] + constant``, twice, of different lengths."""

    def __init__(self, draw: random.Random) -> None:
        self.loops = [Statement(draw, is_inner=False) for _ in range(2)]
        self.lengths = [draw.randrange(2, OUTER + 1) for _ in range(2)]

    def module(self) -> kc.IRModule:
        loops = "".join(
            f"tir.for %i in {length} {{{it.text(label)}\n}}\n"
            for it, length, label in zip(self.loops, self.lengths, "PQ", strict=True)
        )
        return kc.IRModule.parse(
            f"func.func @f(%A: memref<{SIZE}xf32>) {{\n{loops}\nfunc.return\n}}"
        )

    def delay(self) -> int:
        """By how many iterations the second loop must be delayed."""
        first, second = self.loops
        ahead = [
            s - t
            for s in range(self.lengths[0])
            for t in range(self.lengths[1])
            if _conflicts(first.accesses(s, 0), second.accesses(t, 0))
        ]
        return max(ahead, default=0)


def _conflicts(earlier: tuple[int, int], later: tuple[int, int]) -> bool:
    return earlier[0] in later or earlier[1] == later[0]


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbours_are_fused_with_the_least_delay(seed: int):
    pair = Neighbours(random.Random(600 + seed))
    sch = kc.tir.Schedule(pair.module())
    (i,), (j,) = sch.get_loops("P"), sch.get_loops("Q")
    fused = sch.fuse_loops(i, j)
    assert sch.get(fused).static_extent == max(
        pair.lengths[0], pair.lengths[1] + max(pair.delay(), 0)
    )
    given = np.arange(SIZE, dtype=np.float32)
    expected = given.copy()
    for it, length in zip(pair.loops, pair.lengths, strict=True):
        for i in range(length):
            written, read = it.accesses(i, 0)
            expected[written] = expected[read] + np.float32(it.constant)
    run(sch.mod.op, "f", [given])
    np.testing.assert_array_equal(given, expected)


def test_delays_are_drawn():
    delays = [Neighbours(random.Random(600 + seed)).delay() for seed in SEEDS]
    assert any(delay > 0 for delay in delays)
    assert any(delay <= 0 for delay in delays)


@pytest.mark.parametrize("seed", SEEDS)
def test_distances_are_those_of_all_pairs_of_iterations(seed: int):
    nest = Nest(random.Random(700 + seed))
    nest.before, nest.behind = [], []
    sch, i, _ = schedule(nest)
    exact: set[tuple[str, tuple[tuple[int, int], ...]]] = set()
    for kind, first, second in (("output", 0, 0), ("flow", 0, 1), ("anti", 1, 0)):
        distances = [
            (k - i, m - j)
            for (_, i, j), (_, k, m) in itertools.combinations(nest.instances(), 2)
            if nest.inside.accesses(i, j)[first] == nest.inside.accesses(k, m)[second]
        ]
        if distances:
            exact.add((kind, tuple((min(d), max(d)) for d in zip(*distances, strict=True))))
    told = {
        (it.kind, tuple((distance.low, distance.high) for distance in it.distances))
        for it in dependences(nest_of(sch.get(i)))
    }
    if nest.inside.written == nest.inside.read:  # one access that reads and writes
        exact = {("flow", distances) for _, distances in exact}
    assert told == exact


# Private copies -------------------------------------------------------------------------------


WIDTH = 2 * INNER + OUTER


class Copies:
    """Twice ``T[a * i + b * j + 4] = A[i, j]``, then ``B[i, j] = T[c * i + d * j + 4]``."""

    def __init__(self, draw: random.Random) -> None:
        self.stores, self.reads = (
            [(draw.choice((0, 0, 1)), draw.choice((1, 1, -1))) for _ in range(2)] for _ in range(2)
        )
        self.lengths = [draw.choice((INNER, INNER, 2)) for _ in range(2)]

    def text(self, n: int) -> str:
        def index(part: tuple[int, int]) -> str:
            return f"%v_i * {part[0]} + %v_j * {part[1]} + {INNER}"

        return f"""
            tir.for %j in {self.lengths[n]} {{
              tir.block "T{n}" (opaque %v_i in {OUTER} = %i, opaque %v_j in {INNER} = %j) do {{
                %a = tir.load %A[%v_i, %v_j] : memref<{OUTER}x{INNER}xf32>
                tir.store %a, %T[{index(self.stores[n])}] : memref<{WIDTH}xf32>
              }}
            }}
            tir.for %j in {INNER} {{
              tir.block "B{n}" (opaque %v_i in {OUTER} = %i, opaque %v_j in {INNER} = %j) do {{
                %t = tir.load %T[{index(self.reads[n])}] : memref<{WIDTH}xf32>
                tir.store %t, %B[{n}, %v_i, %v_j] : memref<2x{OUTER}x{INNER}xf32>
              }}
            }}"""

    def module(self) -> kc.IRModule:
        return kc.IRModule.parse(f"""
            func.func @f(%A: memref<{OUTER}x{INNER}xf32>, %B: memref<2x{OUTER}x{INNER}xf32>) {{
              %T = tir.alloc "T" : memref<{WIDTH}xf32>
              tir.for %i in {OUTER} {{{self.text(0)}{self.text(1)}
              }}
              func.return
            }}""")

    def copied(self, a: np.ndarray) -> np.ndarray | None:
        """B; None where an iteration reads what it has not written."""
        b = np.zeros((2, OUTER, INNER), np.float32)
        for i in range(OUTER):
            written: dict[int, np.float32] = {}
            for n in range(2):
                (x, y), (z, w) = self.stores[n], self.reads[n]
                written |= {x * i + y * j: a[i, j] for j in range(self.lengths[n])}
                if any(z * i + w * j not in written for j in range(INNER)):
                    return None
                b[n, i] = [written[z * i + w * j] for j in range(INNER)]
        return b


@pytest.mark.parametrize("seed", SEEDS)
def test_private_copies_are_given_where_iterations_read_what_they_wrote(seed: int):
    program = Copies(random.Random(500 + seed))
    a = np.random.default_rng(seed).random((OUTER, INNER), dtype=np.float32)
    expected = program.copied(a)
    sch = kc.tir.Schedule(program.module())
    if expected is None:
        with pytest.raises(KCError) as caught:
            sch.privatize("T0", "i")
        assert caught.value.code == "KC3487"
        return
    i = sch.get_loops("T0")[0]
    sch.privatize("T0", i)
    sch.parallel(i)
    given = np.zeros_like(expected)
    run(sch.mod.op, "f", [a, given])
    np.testing.assert_array_equal(given, expected)


def test_programs_with_and_without_private_copies_are_drawn():
    a = np.ones((OUTER, INNER), np.float32)
    copied = [Copies(random.Random(500 + seed)).copied(a) for seed in SEEDS]
    assert {b is None for b in copied} == {True, False}


# Sizes of the call ----------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 2, 7])
@pytest.mark.parametrize("steps", [0, 1, 5])
@pytest.mark.parametrize("turned", [False, True])
def test_skew_and_shift_of_symbolic_sizes(size: int, steps: int, turned: bool):
    """In place, so that an iteration too many shows; empty loops too."""
    module = kc.IRModule.parse("""
        func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0)>},
                     %T: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s1)>})
            attributes {kc.symbols = ["n", "m"]} {
          %n = tir.symbol "n"
          %m = tir.symbol "m"
          tir.for %t in %m {
            tir.for %i in %n {
              tir.block "A" (opaque %v_t in %m = %t, opaque %v_i in %n = %i) do {
                %a = tir.load %A[%v_i] : memref<?xf32>
                %b = tir.load %T[%v_t] : memref<?xf32>
                %c = arith.mulf %a, %b : f32
                tir.store %c, %A[%v_i] : memref<?xf32>
              }
            }
          }
          func.return
        }""")
    sch = kc.tir.Schedule(module)
    t, i = sch.get_loops("A")
    t = sch.shift(t, by=2, after=1)
    if turned:
        sch.skew(t, i, -3)
    else:
        sch.reorder(sch.skew(t, i, 3), t)
    a, factors = np.arange(1, size + 1, dtype=np.float32), np.arange(2, steps + 2, dtype=np.float32)
    expected = a * factors.prod()
    kc.build(sch)(a, factors)
    np.testing.assert_array_equal(a, expected)


def test_many_copies_are_warned_of_once():
    """A trial on a copy comes first, which says nothing."""
    module = kc.IRModule.parse(
        """func.func @main(%A: memref<400x3xf32>) {
  %z = arith.constant 0.0 : f32
  tir.for %i in 400 {
    tir.for %j in 3 {
      tir.block "A" (spatial %v_i in 400 = %i, spatial %v_j in 3 = %j) do {
        tir.store %z, %A[%v_i, %v_j] : memref<400x3xf32>
      }
    }
  }
  func.return
}"""
    )
    sch = kc.tir.Schedule(module)
    said: list[str] = []
    with diagnostic_handler(lambda warning: said.append(warning.message)):
        sch.unroll_and_jam(sch.get_loops("A")[0], 300)
    assert said == ["unroll: 300 copies of the body of i_i"]
