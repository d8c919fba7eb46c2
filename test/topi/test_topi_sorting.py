"""Sorting by digits, which long lines are, against numpy: here of short lines, of all types."""

from __future__ import annotations

import numpy as np
import pytest
from topi_cases import Program, np_dtype

from kc import te, topi
from kc.te.dtypes import FLOATS
from kc.topi import sorting
from kc.topi.sorting import NUMBERS

EDGES = [np.nan, 0.0, -0.0, np.inf, -np.inf, 1.5, -1.5, np.nan, -0.0, 0.0, 1e-40, -1e-40]


@pytest.fixture(autouse=True)
def by_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line has digits enough."""
    monkeypatch.setattr(sorting, "LEAST_COUNTED", 1)


def line_of(dtype: str) -> np.ndarray:
    generator = np.random.default_rng(3)
    if dtype in FLOATS:
        with np.errstate(all="ignore"):
            return np.append(generator.normal(0, 40, 14), EDGES).astype(np_dtype(dtype))
    info = np.iinfo(dtype)
    drawn = generator.integers(info.min, info.max, 14, dtype, endpoint=True)
    return np.append(drawn, np.array([0, 1, 1, info.min, info.max, info.max], dtype))


def order(line: np.ndarray, ascending: bool) -> np.ndarray:
    """Stable, NaN last."""
    if line.dtype.kind in "iu":
        return np.argsort(line if ascending else ~line, kind="stable")
    wide = line.astype("float64")
    return np.argsort(wide if ascending else -wide, kind="stable")


def bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.dtype.itemsize}")


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(
            dtype, marks=() if dtype in ("float32", "int8", "uint8") else pytest.mark.sweep
        )
        for dtype in NUMBERS
    ],
)
def test_lines(dtype: str, ascending: bool):
    """The elements to the bit: signs of zeros and the bits of NaN stay in the order they had."""
    line = line_of(dtype)
    x = te.placeholder(line.shape, dtype, "X")
    outputs = [
        topi.sort(x, is_ascend=ascending),
        topi.argsort(x, is_ascend=ascending, dtype="int32"),
    ]
    values, places = Program([x], [line], outputs).interpreted()
    wanted = order(line, ascending)
    np.testing.assert_array_equal(places, wanted)
    np.testing.assert_array_equal(bits(values), bits(line[wanted]))


@pytest.mark.parametrize("axis", [0, 1])
def test_along_an_axis(axis: int):
    data = np.random.default_rng(0).integers(-5, 6, (7, 5)).astype("float32") / 2
    x = te.placeholder(data.shape, name="X")
    values, places = topi.topk(x, 4, axis, dtype="int32")
    both = Program([x], [data], [values, places]).interpreted()
    wanted = np.take(np.argsort(-data, axis, kind="stable"), range(4), axis)
    np.testing.assert_array_equal(both[1], wanted)
    np.testing.assert_array_equal(both[0], np.take_along_axis(data, wanted, axis))


def test_natively_with_a_digit_that_all_share():
    """The upper digits of small numbers are one; those passes are left out."""
    data = np.random.default_rng(1).permutation(3000).astype("int64")
    x = te.placeholder(data.shape, "int64", "X")
    (values,) = Program([x], [data], [topi.sort(x)]).native()
    np.testing.assert_array_equal(values, np.arange(3000))


def test_values_of_topk_have_signs_and_nan_in_place():
    line = np.array([-0.0, 0.0, np.nan, 1.0, -0.0], "float32")
    x = te.placeholder(line.shape, name="X")
    values = topi.topk(x, 3, ret_type="values")
    (result,) = Program([x], [line], [values]).interpreted()
    np.testing.assert_array_equal(bits(result), bits(line[[3, 0, 1]]))
