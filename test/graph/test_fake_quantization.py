"""``fake-quantization-to-integer``: integers within a step of the float graph, and what stays."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.graph.interpreter import Interpreter
from kc.support import registry

FLAG = "fake-quantization-to-integer"
RNG = np.random.default_rng(4)


def f(value: Any) -> Any:
    return relay.const(np.array(value, "float32"))


def i(value: Any) -> Any:
    return relay.const(np.array(value, "int32"))


def dq(value: Any, scale: Any = 0.05, zero: Any = 3, axis: int = -1) -> Any:
    return relay.qnn.dequantize(value, f(scale), i(zero), axis=axis)


def q(value: Any, scale: float = 0.1, zero: int = -2, dtype: str = "int8") -> Any:
    return relay.qnn.quantize(value, f(scale), i(zero), out_dtype=dtype)


def weight(*shape: int) -> Any:
    return relay.const(RNG.integers(-60, 60, shape).astype("int8"))


def data(*shape: int, name: str = "x") -> Any:
    return relay.var(name, shape=shape, dtype="int8")


def integer(body: Any, *arguments: Any, steps: int = 1) -> list[str]:
    """The operators behind the pass; the results are within some steps of those before it."""
    before = kc.IRModule.from_expr(relay.Function(list(arguments), body))
    after = kc.IRModule.parse(str(before))
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    values = [
        RNG.integers(-128, 128, each.type_annotation.concrete_shape).astype("int8")
        for each in arguments
    ]
    expected, result = (Interpreter(each).run(*values) for each in (before, after))
    assert result.dtype == expected.dtype
    assert np.unique(expected).size > 3  # it does not saturate everywhere
    difference = np.abs(result.astype(int) - expected.astype(int))
    assert difference.max() <= steps
    registry.pass_class("qnn-canonicalize")().apply(registry.context(), after.op)
    np.testing.assert_array_equal(Interpreter(after).run(*values), result)
    module = kc.IRModule.parse(once)
    return [op.OPERATOR.name for op in module.op.walk() if isinstance(op, OperatorOp)]


def is_integer(names: list[str]) -> bool:
    return not {"qnn.dequantize", "qnn.quantize"} & set(names)


CHANNELS = RNG.uniform(0.002, 0.01, 4)


@pytest.mark.parametrize(
    ("layout", "filters", "shape", "taps", "attributes"),
    [
        ("NCHW", "OIHW", (1, 3, 6, 6), (4, 3, 3, 3), {"padding": (1, 1)}),
        ("NHWC", "HWIO", (1, 6, 6, 3), (3, 3, 3, 4), {"strides": (2, 1)}),
        ("NCHW", "OIHW", (1, 4, 6, 6), (4, 1, 3, 3), {"groups": 4}),
    ],
)
def test_convolutions(layout: str, filters: str, shape: Any, taps: Any, attributes: Any) -> None:
    """With scales of the channels of the weight, a bias of floats, and relu."""
    x, axis = data(*shape), layout.index("C")
    w = dq(weight(*taps), CHANNELS, np.zeros(4), axis=filters.index("O"))
    options = {
        "kernel_size": (3, 3),
        "channels": 4,
        "data_layout": layout,
        "kernel_layout": filters,
    }
    y = relay.nn.conv2d(dq(x), w, **options, **attributes)
    names = integer(q(y), x)
    assert is_integer(names)
    assert {"qnn.conv2d", "qnn.requantize"} <= set(names)
    y = relay.nn.bias_add(y, f(RNG.uniform(-2, 2, 4)), axis=axis)
    assert is_integer(integer(q(relay.nn.relu(y)), x))
    bias = f(RNG.uniform(-2, 2, (4, *[1] * (3 - axis))))
    y = relay.nn.conv2d(dq(x), w, **options, **attributes)
    assert is_integer(integer(q(relay.add(y, bias), dtype="uint8", zero=100), x))


def test_products() -> None:
    x, y = data(4, 16), data(2, 4, 16, name="y")
    for w in (dq(weight(5, 16), 0.004, 2), dq(weight(5, 16), np.linspace(0.002, 0.01, 5),
                                              np.zeros(5), axis=0)):  # fmt: skip
        names = integer(q(relay.nn.bias_add(relay.nn.dense(dq(x), w), f(np.arange(5)))), x)
        assert is_integer(names)
        assert "qnn.dense" in names
    names = integer(q(relay.nn.batch_matmul(dq(y), dq(weight(2, 3, 16), 0.004))), y)
    assert "qnn.batch_matmul" in names
    along_inputs = dq(weight(16, 16), RNG.uniform(0.002, 0.01, 16), np.zeros(16), axis=1)
    assert not is_integer(integer(q(relay.nn.dense(dq(x), along_inputs)), x))


@pytest.mark.parametrize(
    "function",
    [
        lambda v: relay.reshape(v, (2, 3, 24)),
        lambda v: relay.transpose(v, (0, 3, 1, 2)),
        lambda v: relay.nn.max_pool2d(v, (2, 2), padding=(1, 1)),
        lambda v: relay.nn.avg_pool2d(v, (2, 2), padding=(1, 1), count_include_pad=True),
        lambda v: relay.nn.avg_pool2d(v, (2, 3)),
        lambda v: relay.nn.global_avg_pool2d(relay.nn.relu(v)),
        lambda v: relay.nn.relu(v),
        lambda v: relay.clip(v, -1.0, 6.0),
        lambda v: relay.nn.pad(v, ((0, 0), (0, 0), (1, 2), (0, 1))),
        lambda v: relay.nn.pad(v, ((0, 0), (0, 0), (1, 2), (0, 1)), 0.0, "edge"),
        lambda v: relay.strided_slice(v, (0, 1), (2, 3)),
    ],
)
def test_operators_of_one(function: Any) -> None:
    x = data(2, 3, 4, 6)
    assert is_integer(integer(q(function(dq(x))), x))


def test_sums_and_concatenations_with_different_scales() -> None:
    x, y = data(2, 12), data(2, 12, name="y")
    for function in (relay.add, relay.subtract, relay.multiply):
        names = integer(q(function(dq(x), dq(y, 0.02, -5))), x, y)
        assert is_integer(names)
    joined = relay.concatenate((dq(x), dq(y, 0.02, -5)), 1)
    names = integer(q(joined), x, y)
    assert "qnn.concatenate" in names
    w = dq(weight(12, 12), 0.004)
    residual = relay.add(relay.nn.dense(dq(x), w), dq(y))
    assert is_integer(integer(q(relay.nn.relu(residual)), x, y, steps=2))


def test_a_network_of_several_quantizations() -> None:
    x = data(1, 3, 8, 8)
    y = relay.nn.conv2d(dq(x), dq(weight(4, 3, 3, 3), 0.01, 0), padding=(1, 1))
    a = q(relay.nn.relu(y), 0.2, -128)
    z = relay.nn.conv2d(dq(a, 0.2, -128), dq(weight(4, 4, 1, 1), 0.01, 0))
    b = q(relay.add(z, dq(a, 0.2, -128)), 0.4, -20)
    pooled = relay.nn.batch_flatten(relay.nn.max_pool2d(dq(b, 0.4, -20), (2, 2), (2, 2)))
    last = q(relay.nn.dense(pooled, dq(weight(6, 64), 0.01, 0)), 1.0, 0)
    names = integer(last, x, steps=3)
    assert is_integer(names)


def test_what_stays() -> None:
    x = data(2, 12)
    w = dq(weight(12, 12), 0.004)
    product = relay.nn.dense(dq(x), w)
    for body in (
        q(relay.exp(dq(x))),  # no rule
        q(relay.add(product, relay.nn.relu(product))),  # the product is used twice
        q(relay.nn.pad(dq(x), ((1, 0), (0, 0)), 1.0)),
        q(relay.nn.bias_add(dq(x), f(np.arange(12)))),  # a bias of 8 bits
        relay.qnn.quantize(relay.nn.relu(dq(x)), f(np.full(12, 0.1)), i(np.zeros(12)), axis=1),
    ):
        assert not is_integer(integer(body, x))
    shared = relay.add(relay.nn.relu(dq(x)), dq(x, 0.02))  # dequantized twice, which is no matter
    assert is_integer(integer(q(shared), x))
