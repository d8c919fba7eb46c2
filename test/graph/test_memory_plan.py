"""Plans of memory: no two buffers that are alive at once overlap, and little is wasted."""

import itertools
import random

import graph_programs as programs
import numpy as np
import pytest
from graph_programs import parsed

import kc
from kc.building.graphs.memory_plan import best_offsets, live_peak, plan_memory
from kc.building.graphs.program import Launch, Place, all_steps, program_of
from kc.graph.interpreter import graph_functions

Interval = tuple[int, int, int]


def drawn(draw: random.Random, count: int) -> list[Interval]:
    """Buffers as (bytes, first step, last step), like those of a network: most live shortly."""
    intervals: list[Interval] = []
    for step in range(count):
        size = 64 * draw.choice([1, 1, 2, 4, 8, 16, 49, 196])
        last = step + draw.choice([1, 1, 1, 2, 3, 8])
        intervals.append((size, step, last))
    return intervals


def assert_apart(intervals: list[Interval], offsets: list[int], arena: int) -> None:
    """No two buffers hold the same byte at the same step."""
    for step in range(max(last for _, _, last in intervals) + 1):
        held = sorted(
            (offset, offset + size)
            for (size, first, last), offset in zip(intervals, offsets, strict=True)
            if first <= step <= last
        )
        for (_, end), (start, _) in itertools.pairwise(held):
            assert end <= start
        assert not held or (held[0][0] >= 0 and held[-1][1] <= arena)


@pytest.mark.parametrize("seed", range(40))
def test_random_plans_do_not_overlap_and_are_tight(seed: int) -> None:
    draw = random.Random(seed)
    intervals = drawn(draw, draw.randrange(2, 60))
    offsets, arena = best_offsets(intervals)
    assert_apart(intervals, offsets, arena)
    assert all(offset % 64 == 0 for offset in offsets)
    assert live_peak(intervals) <= arena <= 1.05 * live_peak(intervals)


def least_arena(intervals: list[Interval]) -> int:
    """The size of the smallest arena, by trying each order of the buffers, each in the first gap
    that it fits in: one of these orders is that of the offsets of a best plan."""
    best = sum(size for size, _, _ in intervals)
    for order in itertools.permutations(intervals):
        placed: list[tuple[int, Interval]] = []
        for size, first, last in order:
            beside = sorted(
                (at, at + there[0])
                for at, there in placed
                if there[1] <= last and first <= there[2]
            )
            offset = 0
            for start, end in beside:
                if start - offset >= size:
                    break
                offset = max(offset, end)
            placed.append((offset, (size, first, last)))
        best = min(best, max(at + each[0] for at, each in placed))
    return best


@pytest.mark.parametrize("seed", range(30))
def test_small_plans_are_exact(seed: int) -> None:
    draw = random.Random(seed)
    intervals = drawn(draw, draw.randrange(2, 7))
    _, arena = best_offsets(intervals)
    assert arena == least_arena(intervals)


def least_arena_by_milp(intervals: list[Interval]) -> int:
    """The size of the smallest arena, as an integer program: offsets, and for each two buffers that
    are alive at once which of them is below the other. In units of 64 bytes."""
    optimize = pytest.importorskip("scipy.optimize")
    intervals = [(size // 64, first, last) for size, first, last in intervals]
    count = len(intervals)
    pairs = [
        (a, b)
        for a, b in itertools.combinations(range(count), 2)
        if intervals[a][1] <= intervals[b][2] and intervals[b][1] <= intervals[a][2]
    ]
    bound = sum(size for size, _, _ in intervals)
    columns = count + 1 + len(pairs)  # the offsets, the arena, the order of each pair
    rows, upper = [], []
    for n, (size, _, _) in enumerate(intervals):  # offset + size <= arena
        rows.append([(n, 1), (count, -1)])
        upper.append(-size)
    for number, (a, b) in enumerate(pairs):
        order = count + 1 + number
        rows.append([(a, 1), (b, -1), (order, -bound)])  # a below b, if the order is 0
        upper.append(-intervals[a][0])
        rows.append([(b, 1), (a, -1), (order, bound)])
        upper.append(bound - intervals[b][0])
    matrix = np.zeros((len(rows), columns))
    for row, entries in enumerate(rows):
        for column, value in entries:
            matrix[row, column] = value
    cost = np.zeros(columns)
    cost[count] = 1
    limits = np.full(columns, float(bound))
    limits[count + 1 :] = 1
    result = optimize.milp(
        cost,
        constraints=optimize.LinearConstraint(matrix, -np.inf, upper),
        bounds=optimize.Bounds(0, limits),
        integrality=np.r_[np.zeros(count + 1), np.ones(len(pairs))],
        options={"time_limit": 20},
    )
    assert result.status == 0, result.message
    return 64 * round(result.fun)


@pytest.mark.parametrize("seed", range(8))
def test_plans_are_exact_by_integer_programming(seed: int) -> None:
    draw = random.Random(100 + seed)
    intervals = drawn(draw, draw.randrange(8, 13))
    _, arena = best_offsets(intervals)
    assert arena == least_arena_by_milp(intervals)


TEXTS = {
    "network": programs.NETWORK,
    "tuples": programs.TUPLES,
    "loop": programs.LOOP,
    "functions": programs.FUNCTIONS,
}


@pytest.mark.parametrize("name", TEXTS)
def test_values_of_programs_do_not_overlap(name: str) -> None:
    module = parsed(TEXTS[name])
    functions = {op.sym_name.data: op for op in graph_functions(module.op)}
    program = program_of(functions["main"], functions)
    plan = plan_memory(program)
    known = [it for it in plan.allocations if isinstance(it.bytes, int)]
    intervals = [(-(-int(it.bytes) // 64) * 64, it.first, it.last) for it in known]  # pyright: ignore
    if intervals:
        assert_apart(intervals, [int(it.offset) for it in known], int(plan.arena_bytes))  # pyright: ignore


def test_all_buffers_apart() -> None:
    module = parsed(programs.NETWORK)
    functions = {op.sym_name.data: op for op in graph_functions(module.op)}
    program = program_of(functions["main"], functions)
    plan = plan_memory(program, lambda launch, number: True, shares=False)
    assert plan.arena_bytes == plan.separate_bytes == 3 * 4 * 16 * 4
    assert not any(isinstance(s, Launch) and s.in_place for s in all_steps(program.steps))


def test_what_is_used_later_is_not_overwritten() -> None:
    text = """
graph.func @main(%x: MAT) -> MAT {
  %0 = graph.exp(%x) : (MAT) -> MAT
  %1 = graph.negative(%0) : (MAT) -> MAT
  %2 = graph.nn.softmax(%1) : (MAT) -> MAT
  %3 = graph.add(%0, %2) : (MAT, MAT) -> MAT
  %4 = graph.nn.softmax(%3) : (MAT) -> MAT
  graph.return %4 : MAT
}
"""
    module = parsed(text)
    functions = {op.sym_name.data: op for op in graph_functions(module.op)}
    program = program_of(functions["main"], functions)
    plan_memory(program, lambda launch, number: True)
    in_place = [s.in_place for s in all_steps(program.steps) if isinstance(s, Launch)]
    # negative must keep %0; softmax is none of one element each; add is the last to read %0.
    assert in_place == [{}, {}, {}, {0: 0}, {}]
    assert all(view.buffer.place is not Place.INPUT for s in all_steps(program.steps)
               if isinstance(s, Launch) for view in s.outputs)  # fmt: skip


def test_the_table() -> None:
    with kc.transform.PassContext(disabled_pass=["FuseOps"]):
        f = kc.graph.build(parsed(programs.NETWORK))
    assert str(f.memory_plan) == (
        "buffer      tensor          bytes  offset  alive at steps\n"
        "nn_dense_0  float32[4, 16]  256    0       0 to 3\n"
        "nn_bias_add_1  in the memory of nn_dense_0\n"
        "nn_relu_2  in the memory of nn_dense_0\n"
        "nn_softmax_3  in the memory of output\n"
        "arena: 256 bytes; alive at once: 256; without sharing: 256; constants: 0"
    )
