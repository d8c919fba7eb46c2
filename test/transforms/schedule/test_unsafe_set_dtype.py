"""unsafe_set_dtype: exact where it says so, and what numpy makes of the type where it does not."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from random_programs import (
    arguments,
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

from kc.dialects.tir import AllocOp
from kc.support.diagnostics import ScheduleError, diagnostic_handler
from kc.support.registry import pass_class
from kc.transforms.schedule._buffers import BufferRef
from kc.transforms.schedule.base import BlockRef


@examples(40)
@given(seed=st.integers(0, 2**32), symbolic=st.booleans())
def test_exact_types_keep_results(seed: int, symbolic: bool):
    random = Random(seed)
    module = random_program(random, 4, symbolic)
    args = arguments(module, random)
    expected = results(module, args)
    random_splits(module, random, random.randint(0, 2))
    for _ in range(3):
        offered = list(pass_class("unsafe-set-dtype").candidates(site_of(module)))
        if offered and try_step(module, random.choice(offered)) is not None:
            assert_same(expected, results(module, args), module)


@examples(10)
@given(seed=st.integers(0, 2**32))
def test_exact_types_natively(seed: int):
    random = Random(seed)
    module = random_program(random, 4)
    args = arguments(module, random)
    expected = results(module, args)
    offered = list(pass_class("unsafe-set-dtype").candidates(site_of(module)))
    if offered and try_step(module, random.choice(offered)) is not None:
        assert_same(expected, native_results(module, args), module)


def program(element: str, reduce: bool = False) -> str:
    kind = " reduce sum [%k = 3]" if reduce else ""
    index = "%i, %k" if reduce else "%i, 0"
    return f"""
    te.func @f(%A: tensor<8x3x{element}>) -> tensor<8x{element}> {{
      %B = te.compute "B" [%i = 8]{kind} {{
        %a = te.read %A[{index}] : tensor<8x3x{element}>
        te.yield %a : {element}
      }} : tensor<8x{element}>
      %C = te.compute "C" [%i = 8] {{
        %x = te.read %B[%i] : tensor<8x{element}>
        te.yield %x : {element}
      }} : tensor<8x{element}>
      te.return %C : tensor<8x{element}>
    }}"""


VALUES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64}


@pytest.mark.parametrize("run", [results, native_results])
@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        ("f32", "float16"),
        ("f64", "float32"),
        ("f32", "int8"),
        ("f32", "uint8"),
        ("i32", "int8"),
        ("i32", "uint8"),
        ("i64", "int16"),
        ("i64", "float32"),
        ("i32", "float16"),
    ],
)
def test_values(run: Callable[..., list[Any]], element: str, dtype: str):
    """Against numpy: to the type, and back."""
    module = lowered(program(element))
    seen: list[Any] = []
    with diagnostic_handler(seen.append):
        step = pass_class("unsafe-set-dtype")(BlockRef("B"), BufferRef("B"), dtype, True)
        step.apply(site_of(module))
    assert [warning.code for warning in seen] == ["KC3543"]
    low, high = (0, 100) if dtype.startswith("u") else (-100, 100)
    if element.startswith("i") and not dtype.startswith("float"):
        low, high = -1000, 1000  # wraps
    a = np.random.default_rng(0).uniform(low, high, (8, 3)).astype(VALUES[element])
    out = run(module, [a, np.zeros(8, VALUES[element])])[1]
    np.testing.assert_array_equal(out, a[:, 0].astype(dtype).astype(VALUES[element]))
    (alloc,) = [op for op in module.walk() if isinstance(op, AllocOp)]
    assert str(alloc.attributes["tir.unsafe_dtype"]) == f'"{element} as {dtype}"'


@pytest.mark.parametrize("run", [results, native_results])
def test_a_reduction_is_rounded_in_every_step(run: Callable[..., list[Any]]):
    module = lowered(program("i32", reduce=True))
    with diagnostic_handler(lambda _: None):
        step = pass_class("unsafe-set-dtype")(BlockRef("B"), BufferRef("B"), "int8", True)
        step.apply(site_of(module))
    a = np.array([[100, 100, -100]] * 8, np.int32)
    out = run(module, [a, np.zeros(8, np.int32)])[1]
    np.testing.assert_array_equal(out, np.full(8, 100, np.int32))  # 100, -56, 100


def test_refused_without_consent():
    module = lowered(program("f32"))
    before = text_of(module)
    with pytest.raises(ScheduleError) as caught:
        pass_class("unsafe-set-dtype")(BlockRef("B"), BufferRef("B"), "float16").apply(
            site_of(module)
        )
    assert caught.value.code == "KC3541"
    assert text_of(module) == before


def summing(extent: str, variable: str) -> str:
    """A sum of ``extent`` numbers whose init is in the iteration where ``variable`` is 0."""
    shape = "affine_map<()[n] -> (8, n)>"
    return f"""
    func.func @f(%A: memref<8x?xi32> {{kc.name = "A", kc.shape = {shape}}}, %C: memref<8xi32>)
        attributes {{kc.symbols = ["n"]}} {{
      %n = tir.symbol "n"
      %R = tir.alloc "R" : memref<8xi32>
      tir.for %i in 8 {{
        tir.for %k in {extent} {{
          tir.block "R" (spatial %v in 8 = %i, reduce %w in {extent} = {variable}) init {{
            %z = arith.constant 7 : i32
            tir.store %z, %R[%v] : memref<8xi32>
          }} do {{
            %a = tir.load %A[%v, %w] : memref<8x?xi32>
            %s = tir.load %R[%v] : memref<8xi32>
            %t = arith.addi %s, %a : i32
            tir.store %t, %R[%v] : memref<8xi32>
          }}
        }}
      }}
      tir.for %i in 8 {{
        tir.block "C" (spatial %v in 8 = %i) do {{
          %s = tir.load %R[%v] : memref<8xi32>
          tir.store %s, %C[%v] : memref<8xi32>
        }}
      }}
      func.return
    }}"""


@pytest.mark.parametrize(("extent", "sizes"), [("4", [4]), ("%n", [0, 1, 5])])
def test_integers_as_floats_where_all_are_written_first(extent: str, sizes: list[int]):
    """Also by the init of a reduction that may be empty."""
    module = parse(summing(extent, "%k"))
    pass_class("unsafe-set-dtype")(BlockRef("R"), BufferRef("R"), "float64").apply(site_of(module))
    assert "arith.fptosi" in text_of(module)
    for n in sizes:
        a = np.arange(8 * n, dtype=np.int32).reshape(8, n)
        out = results(module, [a, np.zeros(8, np.int32)])[1]
        np.testing.assert_array_equal(out, a.sum(1) + 7)


@pytest.mark.parametrize(
    ("extent", "variable", "witness"),
    [("4", "3 - %k", r"[0] at (i=0, k=0)"), ("%n", "%n - 1 - %k", "[7] (for n = 2) at (i=7, k=0)")],
)
def test_integers_as_floats_are_refused_where_one_is_read_before(
    extent: str, variable: str, witness: str
):
    """The variable falls: the init comes last, and what was read before it is lost."""
    module = parse(summing(extent, variable))
    before = text_of(module)
    step = pass_class("unsafe-set-dtype")
    with pytest.raises(ScheduleError) as caught:
        step(BlockRef("R"), BufferRef("R"), "float64").apply(site_of(module))
    said = str(caught.value)
    assert said.startswith(
        "error[KC3544]: unsafe_set_dtype: block R reads R before it is written\n"
    )
    assert said.endswith(
        "   |  for i in 8:\n"
        f"   |    for k in {extent.removeprefix('%')}:\n"
        "   |      block R    <-- reads R\n"
        f"  why: the value of element {witness} may not be convertible from float64 to i32\n"
        "  try: unsafe, if an undefined result is acceptable"
    )
    assert text_of(module) == before
    step(BlockRef("R"), BufferRef("R"), "int64").apply(site_of(module))
