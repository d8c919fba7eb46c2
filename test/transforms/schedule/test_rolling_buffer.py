"""rolling_buffer: equal results on chains of stencils, by the interpreter and natively."""

from __future__ import annotations

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
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)
from xdsl.dialects.builtin import ModuleOp

import kc
from kc import tir
from kc.analysis import loop_tree
from kc.analysis.dominance import check_dominance
from kc.dialects.tir import AllocOp, ForOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef


def stencils(random: Random) -> str:
    """A chain of computes, each of a few elements of the one before around each of its own."""
    rank = random.choice((1, 1, 2))
    axes = "ij"[:rank]
    count = random.randint(2, 3)
    steps = [[random.choice((1, 1, 1, 2)) for _ in axes] for _ in range(count)]
    reach = [[random.choice((0, 1, 2, 2, 3)) for _ in axes] for _ in range(count)]
    shapes = [[random.randint(2, 6) for _ in axes]]
    for step, far in zip(reversed(steps), reversed(reach), strict=True):
        shapes.insert(
            0, [(n - 1) * s + f + 1 for n, s, f in zip(shapes[0], step, far, strict=True)]
        )
    types = [f"tensor<{'x'.join(map(str, shape))}xi32>" for shape in shapes]
    body: list[str] = []
    for n, (step, far) in enumerate(zip(steps, reach, strict=True)):
        bounds = ", ".join(f"%{x} = {size}" for x, size in zip(axes, shapes[n + 1], strict=True))
        at = [f"%{x} * {s}" for x, s in zip(axes, step, strict=True)]
        if random.random() < 0.3:
            sums = ", ".join(f"%r{m} = {f + 1}" for m, f in enumerate(far))
            index = ", ".join(f"{x} + %r{m}" for m, x in enumerate(at))
            body.append(
                f'  %T{n + 1} = te.compute "T{n + 1}" [{bounds}] reduce '
                f"{random.choice(('sum', 'max'))} [{sums}] {{\n"
                f"    %a = te.read %T{n}[{index}] : {types[n]}\n    te.yield %a : i32\n"
                f"  }} : {types[n + 1]}\n"
            )
            continue
        last = ", ".join(f"{x} + {f}" for x, f in zip(at, far, strict=True))
        mid = ", ".join(f"{x} + {random.randint(0, f)}" for x, f in zip(at, far, strict=True))
        body.append(
            f'  %T{n + 1} = te.compute "T{n + 1}" [{bounds}] {{\n'
            f"    %a = te.read %T{n}[{', '.join(at)}] : {types[n]}\n"
            f"    %b = te.read %T{n}[{last}] : {types[n]}\n"
            f"    %c = te.read %T{n}[{mid}] : {types[n]}\n"
            "    %d = arith.muli %a, %b : i32\n    %e = arith.subi %d, %c : i32\n"
            f"    te.yield %e : i32\n  }} : {types[n + 1]}\n"
        )
    return (
        f"te.func @f(%T0: {types[0]}) -> {types[-1]} {{\n{''.join(body)}"
        f"  te.return %T{count} : {types[-1]}\n}}\n"
    )


def staged(random: Random) -> tuple[ModuleOp, list]:
    """A chain of stencils whose producers are computed inside of loops."""
    module = lowered(stencils(random))
    args = arguments(module, random)
    random_splits(module, random, random.randint(0, 3))
    for _ in range(3):
        choices = list(pass_class("compute-at").candidates(site_of(module)))
        if choices:
            try_step(module, random.choice(choices))
    return module, args


def rolled(module: ModuleOp, random: Random) -> int:
    """Let up to two buffers roll; how many do."""
    done = 0
    for _ in range(2):
        choices = list(pass_class("rolling-buffer").candidates(site_of(module)))
        if choices:
            done += try_step(module, random.choice(choices)) is not None
    return done


@given(seed=st.integers(0, 2**32))
@examples(40)
def test_random_stencils(seed: int):
    random = Random(seed)
    module, args = staged(random)
    expected = results(module, args)
    if rolled(module, random):
        assert_same(expected, results(module, args), module)
        for name in ("lower-init-block", "compact-buffer-allocation", "lower-blocks"):
            pass_class(name)().apply(None, module)
            module.verify()
            check_dominance(module)
            assert_same(expected, results(module, args), module)


@pytest.mark.sweep
@given(seed=st.integers(0, 2**32))
@examples(12)
def test_natively(seed: int):
    random = Random(seed)
    module, args = staged(random)
    expected = results(module, args)
    if rolled(module, random):
        assert_same(expected, native_results(module, args), module)


def test_some_are_legal():
    """The property tests do not pass because everything is refused."""
    randoms = map(Random, range(30))
    assert_both_happen((rolled(staged(random)[0], random) > 0 for random in randoms), done=8)


POOL = """
te.func @f(%A: tensor<16x10xi32>) -> tensor<14x8xi32> {
  %B = te.compute "B" [%i = 16, %j = 8] reduce max [%r = 3] {
    %a = te.read %A[%i, %j + %r] : tensor<16x10xi32>
    te.yield %a : i32
  } : tensor<16x8xi32>
  %C = te.compute "C" [%i = 14, %j = 8] reduce max [%r = 3] {
    %b = te.read %B[%i + %r, %j] : tensor<16x8xi32>
    te.yield %b : i32
  } : tensor<14x8xi32>
  te.return %C : tensor<14x8xi32>
}
"""


def pool() -> ModuleOp:
    """Rows of maxima, and maxima of these, a row at a time."""
    module = lowered(POOL)
    (row,) = [
        loop for loop in loop_tree.loops_around(loop_tree.blocks(module)[-1]) if loop.label == "i"
    ]
    pass_class("compute-at")(BlockRef("B"), LoopRef(row)).apply(site_of(module))
    pass_class("rolling-buffer")(BlockRef("B")).apply(site_of(module))
    return module


def test_maxima():
    """Against numpy; each row of the buffer is computed once."""
    module = pool()
    (alloc,) = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert str(alloc.buffer.type) == "memref<3x8xi32>"
    a = np.random.default_rng(0).integers(-99, 99, (16, 10)).astype(np.int32)
    rows = np.maximum(np.maximum(a[:, :8], a[:, 1:9]), a[:, 2:])
    expected = np.maximum(np.maximum(rows[:14], rows[1:15]), rows[2:])
    args = [a, np.zeros((14, 8), np.int32)]
    np.testing.assert_array_equal(results(module, args)[1], expected)
    np.testing.assert_array_equal(native_results(module, args)[1], expected)
    (block,) = [candidate for candidate in loop_tree.blocks(module) if candidate.label == "B"]
    (condition,) = block.predicate.data.constraints
    row, inner, *_ = loop_tree.loops_around(block)
    operands = list(block.predicate_operands)
    sides = [operands.index(row.var), operands.index(inner.var)]
    computed = 0
    for i in range(14):
        for d in range(3):
            at = [0, 0]
            at[sides[0]], at[sides[1]] = i, d
            computed += condition.lhs.eval(at, []) >= 0
    assert computed == 16


def test_peeled():
    """With the first iteration apart, the condition is one on the inner loop alone."""
    module = pool()
    (row,) = [op for op in module.walk() if isinstance(op, ForOp) and op.label == "i"]
    pass_class("loop-partition")(LoopRef(row), (1, None)).apply(site_of(module))
    first, rest = [block for block in loop_tree.blocks(module) if block.label in ("B", "B_1")]
    assert not first.predicate.data.constraints
    assert len(rest.predicate.data.constraints) == 1
    a = np.random.default_rng(0).integers(-99, 99, (16, 10)).astype(np.int32)
    args = [a, np.zeros((14, 8), np.int32)]
    assert_same(results(pool(), args), results(module, args), module)


SYMBOLIC = """
func.func @f(%A: memref<?xi32> {kc.shape = affine_map<()[n] -> (n + 2)>, kc.role = "in"},
             %C: memref<?xi32> {kc.shape = affine_map<()[n] -> (n)>, kc.role = "out"})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %m = tir.apply (%n + 2)
  tir.for %i in %n {
    %B = tir.alloc "B" (%m) : memref<?xi32>
    tir.for %d in 3 {
      tir.block "B" (spatial %v in %m = %i + %d) do {
        %a = tir.load %A[%v] : memref<?xi32>
        tir.store %a, %B[%v] : memref<?xi32>
      }
    }
    tir.block "C" (spatial %v in %n = %i) do {
      %x = tir.load %B[%v] : memref<?xi32>
      %y = tir.load %B[%v + 1] : memref<?xi32>
      %z = tir.load %B[%v + 2] : memref<?xi32>
      %p = arith.muli %x, %y : i32
      %q = arith.subi %p, %z : i32
      tir.store %q, %C[%v] : memref<?xi32>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_symbolic_sizes(n: int):
    module = parse(SYMBOLIC)
    pass_class("rolling-buffer")(BlockRef("B")).apply(site_of(module))
    assert 'tir.alloc "B" : memref<3xi32>' in text_of(module)
    a = np.arange(n + 2, dtype=np.int32) * 3 - 4
    args = [a, np.zeros(n, np.int32)]
    expected = a[:n] * a[1 : n + 1] - a[2:]
    np.testing.assert_array_equal(results(module, args)[1], expected)
    np.testing.assert_array_equal(native_results(module, args)[1], expected)


ROWS = """
func.func @f(%A: memref<?x64xi32> {kc.shape = affine_map<()[s0] -> (s0 + 2, 64)>},
    %C: memref<?x64xi32> {kc.shape = affine_map<()[s0] -> (s0, 64)>})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %rows = tir.apply (%n + 2)
  %B = tir.alloc "B" (%rows) : memref<?x64xi32>
  tir.for %i in %rows {
    tir.for %j in 64 {
      tir.block "B" (spatial %v in %rows = %i, spatial %w in 64 = %j) do {
        %x = tir.load %A[%v, %w] : memref<?x64xi32>
        %y = arith.muli %x, %x : i32
        tir.store %y, %B[%v, %w] : memref<?x64xi32>
      }
    }
  }
  tir.for %i in %n {
    tir.for %j in 64 {
      tir.block "C" (spatial %v in %n = %i, spatial %w in 64 = %j) do {
        %x = tir.load %B[%v, %w] : memref<?x64xi32>
        %y = tir.load %B[%v + 2, %w] : memref<?x64xi32>
        %z = arith.subi %x, %y : i32
        tir.store %z, %C[%v, %w] : memref<?x64xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("n", [0, 1, 5])
def test_later_iterations_are_told_apart_in_a_fused_loop(n: int):
    """The order of iterations depends on a quotient: no number in it has more than 64 bits."""
    sch = tir.Schedule(kc.IRModule.parse(ROWS))
    i, j = sch.get_loops("C")
    sch.compute_at("B", j)
    sch.rolling_buffer("B", 0)
    sch.fuse(i, j)
    a = np.arange((n + 2) * 64, dtype=np.int32).reshape(n + 2, 64) % 41
    args = [a, np.zeros((n, 64), np.int32)]
    expected = a[:n] ** 2 - a[2:] ** 2
    np.testing.assert_array_equal(results(sch.mod.op, args)[1], expected)
    np.testing.assert_array_equal(native_results(sch.mod.op, args)[1], expected)


def test_a_gather_is_undecided():
    """A row that is read through an index may be gone already."""
    text = SYMBOLIC.replace("%B[%v + 2]", "%B[%g]").replace(
        '    tir.block "C"', '    %g = tir.load %I[%i] : memref<?xindex>\n    tir.block "C"'
    )
    text = text.replace("func.func @f(", "func.func @f(%I: memref<?xindex>, ", 1)
    module = parse(text)
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        pass_class("rolling-buffer")(BlockRef("B")).apply(site_of(module))
    assert text_of(module) == before
    assert caught.value.code == "KC3492"
    assert caught.value.message == (
        "rolling_buffer: block C may not find all of its inputs in 3 elements of B"
    )
    assert caught.value.why == "g is not affine"
