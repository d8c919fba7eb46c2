"""fuse_reduction_epilogue: equal results on random reductions, by the interpreter and natively."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    SIZES,
    assert_same,
    lowered,
    native_results,
    random_splits,
    results,
    site_of,
    text_of,
    try_step,
)

from kc.analysis.loop_tree import blocks
from kc.support.diagnostics import ScheduleError
from kc.support.registry import pass_class
from kc.transforms.schedule.base import BlockRef, LoopRef, Primitive

COMBINERS = {"sum": "addi", "prod": "muli", "max": "maxsi", "min": "minsi", "umax": "maxui"}


def program(
    random: Random, symbolic: bool, same: bool = True, empty: bool = False
) -> tuple[str, list[Any]]:
    """A reduction (over nothing, if ``empty``), what follows it, and arguments."""
    combiner = random.choice(list(COMBINERS))
    epilogue = combiner if same else random.choice([name for name in COMBINERS if name != combiner])
    n = SIZES["n"] if symbolic else random.randint(1, 5)
    m = (0 if empty else SIZES["m"]) if symbolic else random.randint(1, 4)
    columns = random.randint(1, 4)
    rows, depth = ("?", "?") if symbolic else (str(n), str(m))
    bounds = ("%n", "%m") if symbolic else (str(n), str(m))
    transposed = random.random() < 0.4
    shape = [columns, n] if transposed else [n, columns]
    axes = ["%j", "%i"] if transposed else ["%i", "%j"]
    names = [rows if axis == "%i" else str(columns) for axis in axes]
    result = f"tensor<{'x'.join(names)}xi32>"
    read = random.choice(("%j", f"{columns - 1} - %j"))
    between = f"tensor<{rows}x{columns}xi32>"
    first = random.random() < 0.5
    sizes = "n, m" if symbolic else f"{n}, {m}"
    text = f"""
te.func @f(%A: tensor<{rows}x{depth}x{columns}xi32>
             {{kc.shape = affine_map<()[n, m] -> ({sizes}, {columns})>}},
           %b: tensor<{columns}xi32>) -> {result} attributes {{kc.symbols = ["n", "m"]}} {{
  {'%n = te.symbol "n"' if symbolic else ""}
  {'%m = te.symbol "m"' if symbolic else ""}
  %S = te.compute "S" [%i = {bounds[0]}, %j = {columns}] reduce {combiner} [%k = {bounds[1]}] {{
    %x = te.read %A[%i, %k, %j] : tensor<{rows}x{depth}x{columns}xi32>
    te.yield %x : i32
  }} : {between}
  %D = te.compute "D" [{", ".join(f"{a} = {bounds[0] if a == '%i' else columns}" for a in axes)}] {{
    %x = te.read %S[%i, %j] : {between}
    %y = te.read %b[{read}] : tensor<{columns}xi32>
    %three = arith.constant 3 : i32
    %w = arith.muli %y, %three : i32
    %z = arith.{COMBINERS[epilogue]} {"%x, %w" if first else "%w, %x"} : i32
    te.yield %z : i32
  }} : {result}
  te.return %D : {result}
}}"""
    generator = np.random.default_rng(random.randrange(2**32))
    a = generator.integers(-4, 5, (n, m, columns)).astype(np.int32)
    b = generator.integers(-4, 5, columns).astype(np.int32)
    return text, [a, b, np.zeros(shape, np.int32)]


def fuse() -> Primitive:
    return pass_class("fuse-reduction-epilogue")(BlockRef("S"), BlockRef("D"))


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(40)
def test_random_reductions(seed: int, symbolic: bool):
    random = Random(seed)
    text, args = program(random, symbolic)
    module = lowered(text)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 4))
    if try_step(module, fuse()) is not None:
        assert_same(expected, results(module, args), module)
        random_splits(module, random, random.randint(0, 3))
        assert_same(expected, results(module, args), module)


@pytest.mark.parametrize("seed", range(8))
def test_natively(seed: int):
    random = Random(seed)
    text, args = program(random, seed % 2 == 0, empty=seed % 4 == 0)
    module = lowered(text)
    expected = native_results(module, args)
    assert try_step(module, fuse()) is not None
    assert [block.label for block in blocks(site_of(module).function)] == ["S"]
    assert_same(expected, native_results(module, args), module)


@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
@examples(20)
def test_another_operation_is_refused(seed: int, symbolic: bool):
    """It would be applied to each partial result."""
    random = Random(seed)
    text, _ = program(random, symbolic, same=False)
    module = lowered(text)
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        fuse().apply(site_of(module))
    assert caught.value.code == "KC3616"
    assert text_of(module) == before


def test_the_alternative_is_legal():
    """The proposal in the refusal of a ReLU works."""
    text, args = program(Random(1), False, same=False)
    module = lowered(text)
    expected = results(module, args)
    with pytest.raises(ScheduleError) as caught:
        fuse().plan(site_of(module))
    (hint,) = caught.value.hints
    loop = hint.partition("loop=")[2].partition(":")[0]
    step = pass_class("reverse-compute-at")(BlockRef("D"), LoopRef(loop))
    assert try_step(module, step) is not None
    assert_same(expected, results(module, args), module)


MATMUL = """
te.func @f(%A: tensor<5x7xf32>, %B: tensor<7x3xf32>, %b: tensor<3xf32>) -> tensor<5x3xf32> {
  %S = te.compute "S" [%i = 5, %j = 3] reduce sum [%k = 7] {
    %x = te.read %A[%i, %k] : tensor<5x7xf32>
    %y = te.read %B[%k, %j] : tensor<7x3xf32>
    %z = arith.mulf %x, %y : f32
    te.yield %z : f32
  } : tensor<5x3xf32>
  %D = te.compute "D" [%i = 5, %j = 3] {
    %x = te.read %S[%i, %j] : tensor<5x3xf32>
    %y = te.read %b[%j] : tensor<3xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<5x3xf32>
  te.return %D : tensor<5x3xf32>
}"""


def test_values():
    """Against numpy, natively; only the rounding of the sums differs."""
    module = lowered(MATMUL)
    fuse().apply(site_of(module))
    generator = np.random.default_rng(0)
    a, b, c = (generator.random(shape, np.float32) for shape in ((5, 7), (7, 3), 3))
    out = native_results(module, [a, b, c, np.zeros((5, 3), np.float32)])[3]
    np.testing.assert_allclose(out, a @ b + c, rtol=1e-5)


def test_legal():
    choices = list(pass_class("fuse-reduction-epilogue").legal(site_of(lowered(MATMUL))))
    assert [(str(choice.reduction_block), str(choice.epilogue_block)) for choice in choices] == [
        ("S", "D")
    ]
