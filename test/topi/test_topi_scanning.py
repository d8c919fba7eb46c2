"""Running sums of columns, side by side in vectors, against numpy."""

from __future__ import annotations

import numpy as np
import pytest
from topi_cases import Program, np_dtype

import kc
from kc import te, topi
from kc.topi.loops import VECTOR
from kc.topi.scanning import SIDE_BY_SIDE

LANES = VECTOR // 32
WIDE = SIDE_BY_SIDE * LANES + LANES + 3
"""Columns of float32 that are summed up in many vectors together, in one vector, and one by one."""


def wanted(x: np.ndarray, axis: int, exclusive: bool) -> np.ndarray:
    """The sums in float64; without the element at the place itself, they begin with 0."""
    sums = np.cumsum(x.astype("float64"), axis)
    return sums - x.astype("float64") if exclusive else sums


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize(("shape", "axis"), [((3, WIDE), 0), ((2, 3, LANES + 1), 1)])
def test_columns(shape: tuple[int, ...], axis: int, exclusive: bool):
    data = np.random.default_rng(0).integers(-9, 9, shape).astype("float32")
    x = te.placeholder(shape, name="X")
    program = Program([x], [data], [topi.cumsum(x, axis, exclusive=exclusive)])
    for (sums,) in (program.interpreted(), program.native()):
        np.testing.assert_array_equal(sums, wanted(data, axis, exclusive))


@pytest.mark.parametrize("dtype", ["int8", "float16", "bfloat16", "float64"])
def test_types(dtype: str):
    data = np.random.default_rng(1).integers(0, 3, (5, 75)).astype(np_dtype(dtype))
    x = te.placeholder(data.shape, dtype, "X")
    (sums,) = Program([x], [data], [topi.cumsum(x, 0)]).native()
    np.testing.assert_array_equal(sums.astype("float64"), wanted(data, 0, exclusive=False))


def test_products_of_columns_whose_number_the_call_tells():
    rows, columns = te.var("rows"), te.var("columns")
    x = te.placeholder((rows, columns), name="X")
    multiply = kc.build([x, topi.cumprod(x, 0)])
    for count in (1, LANES, WIDE, 2 * SIDE_BY_SIDE * LANES):
        data = np.random.default_rng(2).integers(1, 3, (6, count)).astype("float32")
        products = np.zeros_like(data)
        multiply(data, products)
        np.testing.assert_array_equal(products, np.cumprod(data, 0))


def test_functions_of_scalars_are_applied_to_scalars():
    """``binop`` may branch on what it is given, which it cannot for vectors."""
    data = np.random.default_rng(3).normal(0, 1, (6, 40)).astype("float32")
    x = te.placeholder(data.shape, name="X")

    def larger(a: te.Expr, b: te.Expr) -> te.Expr:
        return te.if_then_else(a > b, a, b)

    (result,) = Program([x], [data], [topi.scanop(x, larger, -9.0, "cummax", 0)]).native()
    np.testing.assert_array_equal(result, np.maximum.accumulate(data, 0))
