"""Minima and maxima of vectors, natively: NaN and the signs of zeros as IEEE 754-2019 has them."""

import numpy as np
import pytest

import kc
from kc import te

SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, -np.nan, 1e-45, -3e38]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("name", "lanes"), [("maximum", 64), ("minimum", 16), ("maximum", 20)])
def test_special_values_of_all_pairs(name: str, lanes: int, dtype: str):
    pairs = np.array(np.meshgrid(SPECIAL, SPECIAL), dtype).reshape(2, -1)
    size = -(-pairs.shape[1] // lanes) * lanes
    x, y = np.resize(pairs[0], size), np.resize(pairs[1], size)
    a, b = (te.placeholder((size,), dtype, name=label) for label in "AB")
    function = te.max if name == "maximum" else te.min
    c = te.compute((size,), lambda i: function(a[i], b[i]), name="C")
    s = te.create_schedule(c.op)
    s[c].vectorize(s[c].split(c.op.axis[0], factor=lanes)[1])
    got = np.empty(size, dtype)
    kc.build(s, [a, b, c])(x, y, got)
    with np.errstate(invalid="ignore"):
        wanted = getattr(np, name)(x, y)
    np.testing.assert_array_equal(got, wanted)
    zero = (x == 0) & (y == 0)
    both = np.signbit(x) & np.signbit(y) if name == "maximum" else np.signbit(x) | np.signbit(y)
    np.testing.assert_array_equal(np.signbit(got[zero]), both[zero])
