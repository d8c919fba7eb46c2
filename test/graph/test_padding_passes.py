"""``flatten-atrous-conv`` and ``fold-explicit-padding``: what is folded, and what stays."""

import itertools
from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.graph.interpreter import Interpreter
from kc.support import registry

RNG = np.random.default_rng(1)


def whole(*shape: int, dtype: str = "float32") -> np.ndarray:
    """Small whole numbers: sums of their products are exact in any order."""
    return RNG.integers(-4, 5, shape).astype(dtype)


def const(*shape: int, dtype: str = "float32") -> Any:
    return relay.const(whole(*shape, dtype=dtype))


def left(body: Any, x: Any, data: np.ndarray, flag: str) -> list[str]:
    """The operators that are left after a pass, which keeps the values."""
    before = kc.IRModule.from_expr(relay.Function([x], body))
    after = kc.IRModule.parse(str(before))
    registry.pass_class(flag)().apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(flag)().apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    np.testing.assert_array_equal(Interpreter(after).run(data), Interpreter(before).run(data))
    return [op.OPERATOR.name for op in after.op.walk() if isinstance(op, OperatorOp)]


ATROUS = "flatten-atrous-conv"
KEPT = ["nn.space_to_batch_nd", "nn.conv2d", "nn.batch_to_space_nd"]
NHWC: dict[str, Any] = {"data_layout": "NHWC", "kernel_layout": "HWIO"}


def blocks(
    x: Any, block: Any = (2, 2), pads: Any = ((2, 3), (2, 3)), crops: Any = ((0, 1), (0, 1)),
    weight: Any = None, value: float = 0.0, block_behind: Any = None, **attributes: Any,
) -> Any:  # fmt: skip
    y = relay.nn.space_to_batch_nd(x, block, pads, value)
    y = relay.nn.conv2d(y, const(3, 3, 4, 2) if weight is None else weight, **NHWC | attributes)
    return relay.nn.batch_to_space_nd(y, block_behind or block, crops)


@pytest.mark.parametrize(
    ("sizes", "block", "pads", "crops"),
    [
        ((5, 5), (2, 2), ((2, 3), (2, 3)), ((0, 1), (0, 1))),
        ((5, 7), (2, 3), ((2, 1), (1, 4)), ((1, 1), (0, 2))),
        ((6, 6), (2, 2), ((2, 2), (0, 0)), ((2, 2), (0, 0))),
        ((8, 6), (2, 1), ((0, 0), (1, 1)), ((0, 0), (0, 1))),
        ((9,), (3,), ((3, 3),), ((0, 0),)),
    ],
)
def test_dilated_convolutions(sizes: Any, block: Any, pads: Any, crops: Any) -> None:
    sizes = (*sizes, 5)[:2]
    x, data = relay.var("x", shape=(2, *sizes, 4)), whole(2, *sizes, 4)
    assert left(blocks(x, block, pads, crops), x, data, ATROUS) == ["nn.conv2d"]


def test_other_forms_of_dilated_convolutions() -> None:
    x, data = relay.var("x", shape=(1, 5, 5, 4)), whole(1, 5, 5, 4)
    several: list[dict[str, Any]] = [{"padding": (1, 0)}, {"dilation": (1, 2), "padding": (0, 1)}]
    for attributes in several:
        assert left(blocks(x, **attributes), x, data, ATROUS) == ["nn.conv2d"]
    depthwise = blocks(x, weight=const(3, 3, 4, 1), groups=4, kernel_layout="HWOI")
    assert left(depthwise, x, data, ATROUS) == ["nn.conv2d"]
    first = relay.var("x", shape=(1, 4, 5, 5))
    y = relay.nn.space_to_batch_nd(first, (1, 2, 2), ((0, 0), (2, 3), (2, 3)))
    y = relay.nn.conv2d(y, const(2, 4, 3, 3))
    y = relay.nn.batch_to_space_nd(y, (1, 2, 2), ((0, 0), (0, 1), (0, 1)))
    assert left(y, first, whole(1, 4, 5, 5), ATROUS) == ["nn.conv2d"]


def test_blocks_that_stay() -> None:
    x, data = relay.var("x", shape=(1, 5, 5, 4)), whole(1, 5, 5, 4)
    for value in (
        blocks(x, value=1.0),
        blocks(x, pads=((0, 1), (0, 1)), crops=((1, 0), (0, 1)), weight=const(1, 1, 4, 2)),
        blocks(x, strides=(2, 2), crops=((0, 0), (0, 0))),
        blocks(x, block=(2, 4), block_behind=(4, 2), pads=((2, 3), (2, 5))),
    ):
        assert left(value, x, data, ATROUS) == KEPT
    y = relay.nn.conv2d(
        relay.nn.space_to_batch_nd(x, (2, 2), ((2, 3), (2, 3))), const(3, 3, 4, 2), **NHWC
    )
    z = relay.nn.batch_to_space_nd(y, (2, 2), ((0, 0), (0, 0)))
    twice = relay.add(relay.sum(y), relay.sum(z))
    assert "nn.batch_to_space_nd" in left(twice, x, data, ATROUS)
    channels = relay.nn.space_to_batch_nd(
        relay.var("x", shape=(1, 4, 6, 6)), (2,), ((0, 0),)
    )  # of the axis C
    y = relay.nn.batch_to_space_nd(relay.nn.conv2d(channels, const(2, 2, 1, 1)), (2,), ((0, 0),))
    (own,) = relay.analysis.free_vars(y)
    assert left(y, own, whole(1, 4, 6, 6), ATROUS) == KEPT


PADDING = "fold-explicit-padding"
LOWEST = float(np.finfo(np.float32).min)


def padded(x: Any, widths: Any, value: Any = 0.0, mode: str = "constant") -> Any:
    return relay.nn.pad(x, widths, value, mode)


HW = ((0, 0), (0, 0), (1, 2), (0, 1))


@pytest.mark.parametrize(
    ("function", "shape", "widths"),
    [
        (lambda y: relay.nn.conv2d(y, const(2, 4, 3, 3)), (1, 4, 5, 5), HW),
        (lambda y: relay.nn.conv2d(y, const(2, 4, 3, 3), padding=(1, 2, 0, 1), strides=(2, 1),
                                   dilation=(1, 2)), (1, 4, 5, 5), HW),
        (lambda y: relay.nn.conv2d(y, const(3, 3, 5, 2), padding=1, **NHWC), (1, 4, 5, 5),
         ((0, 0), (1, 2), (0, 1), (0, 0))),
        (lambda y: relay.nn.conv2d(y, const(4, 1, 3, 3), groups=4), (1, 4, 5, 5), HW),
        (lambda y: relay.nn.conv1d(y, const(2, 4, 3), padding=1), (1, 4, 5),
         ((0, 0), (0, 0), (2, 1))),
        (lambda y: relay.nn.conv3d(y, const(2, 1, 2, 2, 2)), (1, 1, 3, 3, 3),
         ((0, 0), (0, 0), (1, 0), (0, 1), (1, 1))),
        (lambda y: relay.nn.avg_pool2d(y, (2, 3)), (1, 4, 5, 5), HW),
        (lambda y: relay.nn.avg_pool2d(y, (2, 3), padding=(1, 1), count_include_pad=True),
         (1, 4, 5, 5), HW),
    ],
)  # fmt: skip
def test_zeros_around_the_data(function: Any, shape: Any, widths: Any) -> None:
    x, data = relay.var("x", shape=shape), whole(*shape)
    names = left(function(padded(x, widths)), x, data, PADDING)
    assert len(names) == 1
    for value, mode in ((1.0, "constant"), (0.0, "edge")):
        assert left(function(padded(x, widths, value, mode)), x, data, PADDING)[0] == "nn.pad"
    batch = ((1, 0), *[(0, 0)] * (len(shape) - 1))
    assert left(function(padded(x, batch)), x, data, PADDING)[0] == "nn.pad"
    crop = tuple((0, 0) if pair == (0, 0) else (pair[0] + 1, -1) for pair in widths)
    assert left(function(padded(x, crop)), x, data, PADDING)[0] == "nn.pad"


def test_padding_of_channels_and_by_values_that_are_computed() -> None:
    x, data = relay.var("x", shape=(1, 4, 5, 5)), whole(1, 4, 5, 5)
    channels = relay.nn.conv2d(padded(x, ((0, 0), (1, 0), (0, 0), (0, 0))), const(2, 5, 3, 3))
    assert left(channels, x, data, PADDING) == ["nn.pad", "nn.conv2d"]
    computed = relay.nn.conv2d(padded(x, HW, relay.min(x)), const(2, 4, 3, 3))
    assert left(computed, x, data, PADDING) == ["min", "nn.pad", "nn.conv2d"]
    y = padded(x, HW)
    both = relay.add(relay.nn.conv2d(y, const(2, 4, 3, 3)), relay.sum(y))
    assert sorted(left(both, x, data, PADDING)) == ["add", "nn.conv2d", "nn.pad", "sum"]
    moved = relay.nn.conv2d_transpose(padded(x, HW), const(4, 2, 3, 3))
    assert left(moved, x, data, PADDING) == ["nn.pad", "nn.conv2d_transpose"]


def test_pools_of_the_largest_element() -> None:
    x, data = relay.var("x", shape=(1, 2, 5, 5)), whole(1, 2, 5, 5) - 3
    for value, size, pads in itertools.product(
        (-np.inf, LOWEST, 0.0, -1e30), ((2, 2), (3, 4)), ((0, 0), (1, 1))
    ):
        y = relay.nn.max_pool2d(padded(x, HW, value), size, padding=pads)
        is_folded = value == -np.inf or (value == LOWEST and size == (3, 4) and pads == (0, 0))
        assert (left(y, x, data, PADDING) == ["nn.max_pool2d"]) == is_folded
    dilated = relay.nn.max_pool2d(padded(x, HW, LOWEST), (3, 4), dilation=(2, 1))
    assert left(dilated, x, data, PADDING)[0] == "nn.pad"
    up = relay.nn.max_pool2d(padded(x, HW, -np.inf), (3, 4), strides=(3, 3), ceil_mode=True)
    assert left(up, x, data, PADDING)[0] == "nn.pad"
    for dtype, least in (("int8", -128), ("uint8", 0)):
        x, data = relay.var("x", shape=(1, 2, 5, 5), dtype=dtype), np.abs(whole(1, 2, 5, 5))
        for value in (least, least + 1):
            y = relay.nn.max_pool2d(padded(x, HW, relay.const(np.array(value, dtype))), (2, 2))
            names = left(y, x, data.astype(dtype), PADDING)
            assert (names == ["nn.max_pool2d"]) == (value == least)


def test_means_that_do_not_count_their_padding() -> None:
    x, data = relay.var("x", shape=(1, 2, 5, 5)), whole(1, 2, 5, 5)
    y = relay.nn.avg_pool2d(padded(x, HW), (2, 3), padding=(1, 1))
    assert left(y, x, data, PADDING) == ["nn.pad", "nn.avg_pool2d"]


def test_quantized_convolutions_pad_with_the_zero_point() -> None:
    x = relay.var("x", shape=(1, 4, 5, 5), dtype="int8")
    data = whole(1, 4, 5, 5, dtype="int8")
    numbers = [relay.const(np.int32(3)), relay.const(np.int32(0)), relay.const(np.float32(0.5)),
               relay.const(np.float32(0.5))]  # fmt: skip
    for value in (3, 0):
        y = padded(x, HW, relay.const(np.array(value, "int8")))
        y = relay.qnn.conv2d(
            y, const(2, 4, 3, 3, dtype="int8"), *numbers, kernel_size=(3, 3), channels=2
        )
        names = left(y, x, data, PADDING)
        assert names == (["qnn.conv2d"] if value == 3 else ["nn.pad", "qnn.conv2d"])
