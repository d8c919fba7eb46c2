"""pad_einsum: equal results on random einsums, by the interpreter and natively."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    assert_same,
    lowered,
    native_results,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)

from kc.analysis import loop_tree
from kc.dialects.tir import AllocOp
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef

AXES = "ijkl"


def einsum(
    random: Random, kind: str, symbolic: bool, zero: bool = False
) -> tuple[str, list[Any], int, int]:
    """A random einsum as te, arguments, and how many axes it has: spatial, and reduced."""
    names = AXES[: random.randint(2, 4)]
    rank = random.randint(1, len(names) - 1)
    sizes = {name: random.randint(1, 7) for name in names}
    if symbolic:
        sizes[names[0]] = 0 if zero else 5
    sym = {names[0]} if symbolic else set()
    out, reduced = names[:rank], names[rank:]
    operands: list[str] = []
    for _ in range(random.randint(1, 3)):
        operands.append("".join(random.sample(names, random.randint(1, len(names)))))
    operands.append("".join(random.sample(names, len(names))))

    def tensor(axes: str) -> str:
        shape = "".join(f"{'?' if axis in sym else sizes[axis]}x" for axis in axes)
        return f"tensor<{shape}{kind}>"

    def attrs(axes: str) -> str:
        dims = ", ".join("n" if axis in sym else str(sizes[axis]) for axis in axes)
        return f" {{kc.shape = affine_map<()[n] -> ({dims})>}}" if set(axes) & sym else ""

    def axis(name: str) -> str:
        return f"%{name} = {'%n' if name in sym else sizes[name]}"

    inputs = ", ".join(f"%A{n}: {tensor(axes)}{attrs(axes)}" for n, axes in enumerate(operands))
    lines: list[str] = []
    for n, axes in enumerate(operands):
        index = ", ".join(f"%{name}" for name in axes)
        lines.append(f"%r{n} = te.read %A{n}[{index}] : {tensor(axes)}\n")
    times = "mulf" if kind[0] == "f" else "muli"
    total = "%r0"
    for n in range(1, len(operands)):
        lines.append(f"%x{n} = arith.{times} {total}, %r{n} : {kind}\n")
        total = f"%x{n}"
    text = f"""
te.func @f({inputs}) -> {tensor(out)} attributes {{kc.symbols = ["n"]}} {{
  {'%n = te.symbol "n"' if symbolic else ""}
  %C = te.compute "C" [{", ".join(map(axis, out))}] reduce sum [{", ".join(map(axis, reduced))}] {{
    {"".join(lines)}
    te.yield {total} : {kind}
  }} : {tensor(out)}
  te.return %C : {tensor(out)}
}}"""
    generator = np.random.default_rng(random.randrange(2**32))
    dtype = {"i32": np.int32, "f32": np.float32}[kind]
    # Small whole numbers: sums of floats are exact in any order.
    arrays = [
        generator.integers(-2, 3, [sizes[a] for a in axes]).astype(dtype) for axes in operands
    ]
    return text, [*arrays, np.zeros([sizes[a] for a in out], dtype)], rank, len(names)


@given(seed=st.integers(0, 2**32), kind=st.sampled_from(("i32", "f32")), symbolic=st.booleans())
@examples(50)
def test_random_einsums(seed: int, kind: str, symbolic: bool):
    random = Random(seed)
    text, args, _, count = einsum(random, kind, symbolic, zero=random.random() < 0.2)
    module = lowered(text)
    expected = results(module, args)
    padding = tuple(random.choice((1, 2, 4, 5)) for _ in range(count))
    if try_step(module, pass_class("pad-einsum")(BlockRef("C"), padding)) is not None:
        assert_same(expected, results(module, args), module)
        random_splits(module, random, random.randint(0, 3))
        assert_same(expected, results(module, args), module)


@given(seed=st.integers(0, 2**32))
@examples(40)
def test_loops_of_one_iteration(seed: int):
    """They say nothing: i_o of ``i_o * 3 + i_i``, with i_o in 1 and i_i in 3, does not grow."""
    random = Random(seed)
    text, args, _, count = einsum(random, "i32", symbolic=False)
    module = lowered(text)
    expected = results(module, args)
    for loop in loop_tree.loops(site_of(module).function):
        extent = loop.static_extent
        assert extent is not None
        factors = random.choice(((None, extent), (extent, None), (1, None, extent), None))
        if factors is not None:
            assert try_step(module, pass_class("split")(LoopRef(loop), factors)) is not None
    padding = tuple(random.choice((1, 2, 4, 5)) for _ in range(count))
    assert try_step(module, pass_class("pad-einsum")(BlockRef("C"), padding)) is not None
    assert_same(expected, results(module, args), module)
    (block,) = [candidate for candidate in loop_tree.blocks(module) if candidate.label == "C"]
    iterations = math.prod(loop.static_extent or 0 for loop in loop_tree.loops_around(block))
    assert iterations == math.prod(extent for extent in block.extents if isinstance(extent, int))


@pytest.mark.parametrize("seed", range(8))
def test_natively(seed: int):
    random = Random(seed)
    text, args, _, count = einsum(random, random.choice(("i32", "f32")), seed % 2 == 0)
    module = lowered(text)
    expected = results(module, args)
    padding = tuple(random.choice((1, 4, 8)) for _ in range(count))
    try_step(module, pass_class("pad-einsum")(BlockRef("C"), padding))
    assert_same(expected, native_results(module, args), module)


SYMBOLIC = """
te.func @f(%A: tensor<5x?xf32> {kc.shape = affine_map<()[n] -> (5, n)>}, %b: tensor<?xf32>
             {kc.shape = affine_map<()[n] -> (n)>}, %c: tensor<7xf32>) -> tensor<5xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = 5] reduce sum [%k = %n] {
    %x = te.read %A[%i, %k] : tensor<5x?xf32>
    %y = te.read %b[%k] : tensor<?xf32>
    %z = te.read %c[%i] : tensor<7xf32>
    %u = arith.mulf %x, %y : f32
    %v = arith.mulf %u, %z : f32
    te.yield %v : f32
  } : tensor<5xf32>
  te.return %C : tensor<5xf32>
}"""


@pytest.mark.parametrize("n", [0, 1, 4, 6])
def test_a_symbolic_sum(n: int):
    """A padded sum of no element is 0 too; c is longer than what is read of it."""
    module = lowered(SYMBOLIC.replace("f32", "i32").replace("mulf", "muli"))
    generator = np.random.default_rng(n)
    shapes = ((5, n), n, 7)
    a, b, c = (generator.integers(-9, 9, shape).astype(np.int32) for shape in shapes)
    pass_class("pad-einsum")(BlockRef("C"), (4, 4)).apply(site_of(module))
    out = native_results(module, [a, b, c, np.full(5, 7, np.int32)])[3]
    np.testing.assert_array_equal(out, (a * b).sum(1) * c[:5])


@pytest.mark.parametrize("columns", [0, 2])
@pytest.mark.parametrize("symbolic", [False, True])
def test_an_element_that_only_a_block_which_runs_reads(columns: int, symbolic: bool):
    """B has no first column where there is nothing to compute."""
    size, dim = ("%n", "?") if symbolic else (columns, columns)
    shape = "kc.shape = affine_map<()[n] -> (3, n)>" if symbolic else ""
    text = f"""
func.func @f(%B: memref<3x{dim}xi32> {{{shape}}}, %C: memref<3x{dim}xi32> {{{shape}}})
    attributes {{kc.symbols = ["n"]}} {{
  {'%n = tir.symbol "n"' if symbolic else ""}
  tir.for %i in 3 {{
    tir.for %j in {size} {{
      tir.block "C" (spatial %v_i in 3 = %i, spatial %v_j in {size} = %j) do {{
        %b = tir.load %B[%v_i, 0] : memref<3x{dim}xi32>
        %d = tir.load %B[%v_i, %v_j] : memref<3x{dim}xi32>
        %c = arith.muli %b, %d : i32
        tir.store %c, %C[%v_i, %v_j] : memref<3x{dim}xi32>
      }}
    }}
  }}
  func.return
}}"""
    module = lowered(text)
    b = np.arange(3 * columns, dtype=np.int32).reshape(3, columns)
    pass_class("pad-einsum")(BlockRef("C"), (4, 4)).apply(site_of(module))
    for result in (results, native_results):
        out = result(module, [b, np.full_like(b, 7)])[1]
        np.testing.assert_array_equal(out, b[:, :1] * b)


def test_an_infinity_that_could_meet_a_zero():
    """In floats, c[i] times the padding of A[i, k] may not be 0."""
    module = lowered(SYMBOLIC)
    with pytest.raises(ScheduleError) as caught:
        pass_class("pad-einsum")(BlockRef("C"), (4, 4)).apply(site_of(module))
    assert caught.value.code == "KC3609"
    assert caught.value.hints == ("padding=4,1",)
    assert try_step(module, pass_class("pad-einsum")(BlockRef("C"), (4, 1))) is not None


def test_they_are_padded():
    """Most random einsums can be, unless an infinity could meet a zero."""
    done = {"i32": 0, "f32": 0}
    for kind in done:
        for seed in range(30):
            text, _, _, count = einsum(Random(seed), kind, seed % 2 == 0)
            step = pass_class("pad-einsum")(BlockRef("C"), (4,) * count)
            done[kind] += try_step(lowered(text), step) is not None
    assert done["i32"] == 30
    assert 5 <= done["f32"] <= 25


MATMUL = """
te.func @f(%A: tensor<5x7xf32>, %B: tensor<7x3xf32>) -> tensor<5x3xf32> {
  %C = te.compute "C" [%i = 5, %j = 3] reduce sum [%k = 7] {
    %a = te.read %A[%i, %k] : tensor<5x7xf32>
    %b = te.read %B[%k, %j] : tensor<7x3xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<5x3xf32>
  te.return %C : tensor<5x3xf32>
}"""


def matmul_arguments() -> list[Any]:
    generator = np.random.default_rng(1)
    a, b = generator.random((5, 7), np.float32), generator.random((7, 3), np.float32)
    return [a, b, np.zeros((5, 3), np.float32)]


def test_values():
    """Against numpy, natively; infinite elements stay where they are."""
    module = lowered(MATMUL)
    args = matmul_arguments()
    args[0][2, 3] = np.inf
    done = pass_class("pad-einsum")(BlockRef("C"), (4, 4, 4)).apply(site_of(module))
    assert [block.label for block in done.blocks] == ["A_pad", "B_pad", "C_crop"]
    out = native_results(module, args)[2]
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(out, args[0] @ args[1], rtol=1e-6)


def test_the_padded_block_can_be_tiled():
    """The point of it: factors that did not divide the extents do so now."""
    module = lowered(MATMUL)
    args = matmul_arguments()
    pass_class("pad-einsum")(BlockRef("C"), (8, 4, 8)).apply(site_of(module))
    for name in "ijk":
        block = next(
            candidate
            for candidate in loop_tree.blocks(site_of(module).function)
            if candidate.label == "C"
        )
        loop = next(
            candidate for candidate in loop_tree.loops_around(block) if candidate.label == name
        )
        pass_class("split")(LoopRef(loop), (None, 4)).apply(site_of(module))
    block = next(
        candidate
        for candidate in loop_tree.blocks(site_of(module).function)
        if candidate.label == "C"
    )
    assert not block.predicate.data.constraints
    np.testing.assert_allclose(native_results(module, args)[2], args[0] @ args[1], rtol=1e-6)


def test_nothing_to_pad_changes_nothing():
    module = lowered(MATMUL)
    before = text_of(module)
    assert try_step(module, pass_class("pad-einsum")(BlockRef("C"), (5, 1, 7))) is not None
    assert text_of(module) == before


def test_legal():
    paddings = [
        choice.padding for choice in pass_class("pad-einsum").legal(site_of(lowered(MATMUL)))
    ]
    assert paddings == [(4, 4, 4), (4, 4, 1), (16, 16, 16), (16, 16, 1)]


CHANNELS = """
te.func @f(%X: tensor<9x3xi32>, %W: tensor<2x3x5xi32>) -> tensor<4x5xi32> {
  %C = te.compute "C" [%x = 4, %f = 5] reduce sum [%r = 2, %c = 3] {
    %a = te.read %X[%x * 2 + %r, %c] : tensor<9x3xi32>
    %b = te.read %W[%r, %c, %f] : tensor<2x3x5xi32>
    %p = arith.muli %a, %b : i32
    te.yield %p : i32
  } : tensor<4x5xi32>
  te.return %C : tensor<4x5xi32>
}"""


@pytest.mark.parametrize(
    ("padding", "buffers"),
    [
        ((1, 8, 1, 1), ["C_pad", "W_pad"]),
        # X is read beyond its end, or at channels that it does not have.
        ((4, 1, 1, 4), ["W_pad", "X_pad"]),
        ((8, 8, 1, 1), ["C_pad", "W_pad", "X_pad"]),
        ((1, 8, 4, 1), ["C_pad", "W_pad", "X_pad"]),
    ],
)
def test_channels_of_a_convolution(padding: tuple[int, ...], buffers: list[str]):
    """The image is read as before, where it has all that is read."""
    module = lowered(CHANNELS)
    generator = np.random.default_rng(0)
    x, w = (generator.integers(-9, 9, shape).astype(np.int32) for shape in ((9, 3), (2, 3, 5)))
    step = try_step(module, pass_class("pad-einsum")(BlockRef("C"), padding))
    assert step is not None
    allocs = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert sorted(op.label for op in allocs) == buffers
    out = results(module, [x, w, np.zeros((4, 5), np.int32)])[2]
    windows = np.lib.stride_tricks.sliding_window_view(x, 2, axis=0)[::2]
    np.testing.assert_array_equal(out, np.einsum("xcr,rcf->xf", windows, w))
