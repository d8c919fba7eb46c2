"""References of kc.topi.testing that no operator has: by what they are adjoint to."""

from __future__ import annotations

import numpy as np
import pytest

from kc.topi import testing


def normal(*shape: int) -> np.ndarray:
    return np.random.default_rng(sum(shape)).standard_normal(shape)


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize(("groups", "stride", "padding"), [(1, 1, 0), (2, (2, 1), (1, 0))])
def test_what_flows_to_a_weight(layout: str, groups: int, stride: object, padding: object):
    """A convolution is linear in its weight: <dy, conv(x, w)> is <dw, w>."""
    x, weight = normal(2, 4, 7, 6), normal(6, 4 // groups, 3, 2)
    result = testing.conv2d_nchw_python(x, weight, stride, padding, groups)
    dy = normal(*result.shape)
    given = (dy, x) if layout == "NCHW" else (dy.transpose(0, 2, 3, 1), x.transpose(0, 2, 3, 1))
    flow = testing.conv2d_backward_weight_python(
        given[0], given[1], (3, 2), stride, padding, layout, groups, 6
    )
    flow = flow if layout == "NCHW" else flow.transpose(0, 3, 1, 2)
    assert flow.shape == weight.shape
    for drawn in (weight, normal(*weight.shape) + 1):
        result = testing.conv2d_nchw_python(x, drawn, stride, padding, groups)
        np.testing.assert_allclose(np.vdot(dy, result), np.vdot(flow, drawn))


def test_transposed_convolutions_in_groups():
    """<y, convT(x, w)> is <conv(y, w), x>."""
    x, weight = normal(2, 4, 5), normal(4, 3, 3)
    result = testing.group_conv1d_transpose_ncw_python(x, weight, 2, 1, 1, 2)
    assert result.shape == (2, 6, 10)
    y = normal(*result.shape)
    back = testing.group_conv1d_ncw_python(y, weight, 2, 1, 1, 2)
    np.testing.assert_allclose(np.vdot(y, result), np.vdot(back, x))
