"""reverse and distribute, against every pair of iterations and against plain Python."""

import random

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run
from kc.support.diagnostics import KCError

COUNT, SIZE = 6, 40


class Part:
    """``to[a * i + b] = source[c * i + d] + constant``."""

    def __init__(self, draw: random.Random) -> None:
        self.target, self.source = draw.choice("AB"), draw.choice("AB")
        self.written, self.read = (
            (draw.choice((-2, -1, 0, 1, 2)), draw.randrange(12, 24)) for _ in range(2)
        )
        self.constant = float(draw.randrange(1, 9))

    def accesses(self, i: int) -> tuple[tuple[str, int], tuple[str, int]]:
        """The element that iteration ``i`` writes, and the one that it reads."""
        (a, b), (c, d) = self.written, self.read
        return (self.target, a * i + b), (self.source, c * i + d)

    def text(self, label: str) -> str:
        (a, b), (c, d) = self.written, self.read
        return f"""
            tir.block "{label}" (opaque %v_i in {COUNT} = %i) do {{
              %x = tir.load %{self.source}[%v_i * {c} + {d}] : memref<{SIZE}xf32>
              %c = arith.constant {self.constant} : f32
              %y = arith.addf %x, %c : f32
              tir.store %y, %{self.target}[%v_i * {a} + {b}] : memref<{SIZE}xf32>
            }}"""

    def do(self, arrays: dict[str, np.ndarray], i: int) -> None:
        (target, at), (source, place) = self.accesses(i)
        arrays[target][at] = arrays[source][place] + np.float32(self.constant)


def conflict(first: Part, i: int, second: Part, j: int) -> bool:
    """True if the two instances cannot change places."""
    (written, read), (later_written, later_read) = first.accesses(i), second.accesses(j)
    return written in (later_written, later_read) or read == later_written


def program(parts: list[Part]) -> kc.IRModule:
    body = "".join(part.text(label) for part, label in zip(parts, "PQ", strict=False))
    return kc.IRModule.parse(f"""
        func.func @f(%A: memref<{SIZE}xf32>, %B: memref<{SIZE}xf32>) {{
          tir.for %i in {COUNT} {{{body}
          }}
          func.return
        }}""")


def carried(parts: list[Part]) -> bool:
    return any(
        conflict(first, i, second, j)
        for i in range(COUNT)
        for j in range(i + 1, COUNT)
        for first in parts
        for second in parts
    )


def backward(parts: list[Part]) -> bool:
    first, second = parts
    return any(conflict(second, i, first, j) for i in range(COUNT) for j in range(i + 1, COUNT))


def require_same(sch: kc.tir.Schedule, parts: list[Part]) -> None:
    arrays = {name: np.arange(SIZE, dtype=np.float32) * (n + 1) for n, name in enumerate("AB")}
    given = [array.copy() for array in arrays.values()]
    for i in range(COUNT):
        for part in parts:
            part.do(arrays, i)
    run(sch.mod.op, "f", given)
    for array, expected in zip(given, arrays.values(), strict=True):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize("seed", range(40))
def test_reverse_is_refused_where_iterations_depend_on_each_other(seed: int):
    draw = random.Random(seed)
    parts = [Part(draw) for _ in range(draw.choice((1, 2)))]
    sch = kc.tir.Schedule(program(parts))
    (loop,) = sch.get_loops("P")
    if carried(parts):
        with pytest.raises(KCError) as caught:
            sch.reverse(loop)
        assert caught.value.code == "KC3457"
    else:
        sch.reverse(loop)
        require_same(sch, parts)


@pytest.mark.parametrize("seed", range(40))
def test_distribute_is_refused_where_the_first_part_needs_the_second(seed: int):
    draw = random.Random(1000 + seed)
    parts = [Part(draw), Part(draw)]
    sch = kc.tir.Schedule(program(parts))
    (loop,) = sch.get_loops("P")
    if backward(parts):
        with pytest.raises(KCError) as caught:
            sch.distribute(loop, "Q")
        assert caught.value.code == "KC3464"
    else:
        assert len(sch.distribute(loop, "Q")) == 2
        require_same(sch, parts)


def test_both_decisions_are_drawn():
    drawn = {
        (carried([Part(draw := random.Random(seed)), Part(draw)]), backward([Part(draw)] * 2))
        for seed in range(40)
    }
    assert {decision for decision, _ in drawn} == {True, False}
    assert {decision for _, decision in drawn} == {True, False}
