"""``relay.testing``: networks as Relay programs, which build and compute what they should."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from property_tests import is_sweep

import kc
from kc import relay
from kc.error import GraphError
from kc.graph.interpreter import Interpreter
from kc.relay import testing

# Numbers of parameters as their papers and Keras' pages of applications give them (all those of a
# norm counted, moving mean and variance too); Keras' Inception has no gammas, of which there are
# 17,216.
PARAMETERS: dict[str, tuple[Callable[[], relay.Function], int, tuple[int, ...]]] = {
    "vgg16": (
        lambda: testing.vgg.get_net(1, (3, 224, 224), 1000, "float32", 16),
        138_357_544,
        (1, 1000),
    ),
    "mobilenet": (lambda: testing.mobilenet.mobile_net(), 4_253_864, (1, 1000)),
    "squeezenet 1.0": (
        lambda: testing.squeezenet.get_net(2, (3, 224, 224), 1000, "1.0", "float32"),
        1_248_424,
        (2, 1000),
    ),
    "squeezenet 1.1": (
        lambda: testing.squeezenet.get_net(1, (3, 224, 224), 1000, "1.1", "float32"),
        1_235_496,
        (1, 1000),
    ),
    "inception v3": (
        lambda: testing.inception_v3.get_net(1, 1000, (3, 299, 299), "float32"),
        23_851_784 + 17_216,
        (1, 1000),
    ),
    "densenet 121": (lambda: testing.densenet.get_net(121, 1000, 1), 8_062_504, (1, 1000)),
    "mlp": (
        lambda: testing.mlp.get_net(3),
        28 * 28 * 128 + 128 + 128 * 64 + 64 + 64 * 10 + 10,
        (3, 10),
    ),
    "lstm": (lambda: testing.lstm.get_net(3, 8), 3 * 2 * (32 * 8 + 32), (1, 8)),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_numbers_of_parameters(name: str):
    make, count, shape = PARAMETERS[name]
    net = testing.run_infer_type(make())
    sizes = [np.prod(p.checked_type.shape) for p in net.params if p.name_hint != "data"]
    assert int(sum(sizes)) == count
    assert net.ret_type == relay.TensorType(shape, "float32")


@pytest.mark.parametrize("layers", [18, 34, 50])
def test_layers_of_residual_networks(layers: int):
    net = testing.resnet.get_net(1, 1000, layers)
    # The first unit of each of four stages has a convolution around the others, which the name
    # does not count; the last layer that it counts is dense.
    assert testing.count_ops(net)["nn.conv2d"] == layers - 1 + 4
    assert testing.count_ops(net)["nn.dense"] == 1


NETWORKS: dict[str, Callable[[], relay.Function]] = {
    "mlp": lambda: testing.mlp.get_net(2, image_shape=(1, 8, 8)),
    "lstm": lambda: testing.lstm.get_net(2, 4),
    "dqn": lambda: testing.dqn.get_net(1, image_shape=(2, 36, 36)),
    "dcgan": lambda: testing.dcgan.get_net(1, ngf=2, random_len=6),
    "resnet": lambda: testing.resnet.get_net(1, 10, 8, (3, 16, 16)),
}
LARGE_NETWORKS: dict[str, Callable[[], relay.Function]] = {
    "resnet in NHWC": lambda: testing.resnet.get_net(1, 10, 8, (16, 16, 3), "NHWC"),
    "resnet 18": lambda: testing.resnet.get_net(1, 10, 18, (3, 32, 32)),
    "resnet 50": lambda: testing.resnet.get_net(1, 10, 50, (3, 32, 32)),
    "mobilenet": lambda: testing.mobilenet.mobile_net(10, (1, 3, 64, 64), alpha=0.25),
    "mobilenet in NHWC": lambda: testing.mobilenet.mobile_net(
        10, (1, 64, 64, 3), alpha=0.25, layout="NHWC"
    ),
    "vgg": lambda: testing.vgg.get_net(1, (3, 32, 32), 10, "float32", 11, batch_norm=True),
    "squeezenet 1.0": lambda: testing.squeezenet.get_net(1, (3, 64, 64), 10, "1.0", "float32"),
    "squeezenet 1.1": lambda: testing.squeezenet.get_net(1, (3, 32, 32), 10, "1.1", "float32"),
    "inception v3": lambda: testing.inception_v3.get_net(1, 10, (3, 75, 75), "float32"),
    "densenet 121": lambda: testing.densenet.get_net(121, 10, 1, (3, 32, 32)),
    "dcgan in NHWC": lambda: testing.dcgan.get_net(1, 6, (64, 64, 3), 2, layout="NHWC"),
}


class KeepsVariance(testing.init.Initializer):
    """Weights whose layers keep the size of values, in each layout of kernels."""

    def _init_weight(self, name: str, arr: Any) -> None:
        outputs = (
            1 if arr.shape[-1] == 1 and arr.shape[0] == 3 else max(arr.shape[0], arr.shape[-1])
        )
        fan = np.prod(arr.shape[:2]) if outputs == 1 else arr.size / outputs
        arr[...] = self.generator.normal(0, np.sqrt(2 / fan), arr.shape)


@pytest.mark.parametrize("name", [*NETWORKS, *(LARGE_NETWORKS if is_sweep() else ())])
def test_a_built_network_computes_what_the_interpreter_does(name: str):
    net: Any = (NETWORKS | LARGE_NETWORKS)[name]()
    if getattr(getattr(net.body, "op", None), "name", "") == "nn.softmax":
        # Softmax makes nearly the same of everything: what is before it is compared.
        net = relay.Function(net.params, net.body.args[0])
    mod, params = testing.create_workload(net, KeepsVariance(), seed=3)
    (data,) = [param for param in mod["main"].params if param.name_hint == "data"]
    x = np.random.default_rng(4).standard_normal(data.checked_type.shape).astype("f4")
    values = {"data": x, **{key: value.numpy() for key, value in params.items()}}
    arguments = [values[param.name_hint] for param in mod["main"].params]
    expected = np.asarray(Interpreter(mod).run(*arguments))
    largest = np.abs(expected).max()
    assert expected.std() > 0.05 * largest
    built = relay.build(mod, "llvm", params=params)
    np.testing.assert_allclose(np.asarray(built(x)), expected, atol=2e-5 * largest)


def test_a_perceptron_by_numpy():
    mod, params = testing.mlp.get_workload(2, num_classes=5, image_shape=(1, 4, 4))
    x = y = np.random.default_rng(0).standard_normal((2, 1, 4, 4)).astype("f4")
    y = y.reshape(2, 16)
    for number in (1, 2, 3):
        y = y @ params[f"fc{number}_weight"].numpy().T + params[f"fc{number}_bias"].numpy()
        y = np.maximum(y, 0) if number < 3 else y
    y = np.exp(y - y.max(1, keepdims=True))
    module = relay.build(mod, params=params)
    np.testing.assert_allclose(np.asarray(module(x)), y / y.sum(1, keepdims=True), rtol=1e-5)


def test_a_memory_by_numpy():
    mod, params = testing.lstm.get_workload(3, 4)
    x = np.random.default_rng(0).standard_normal((1, 4)).astype("f4")
    out, cell = np.zeros((1, 4)), np.zeros((1, 4))
    for step in range(3):
        own = {key: params[key.replace("_", f"_{step}_")].numpy() for key in LSTM}
        gates = x @ own["i2h_weight"].T + own["i2h_bias"]
        gates = gates + out @ own["h2h_weight"].T + own["h2h_bias"]
        enter, forget, change, leave = np.split(gates, 4, axis=1)
        cell = sigmoid(forget) * cell + sigmoid(enter) * np.tanh(change)
        out = sigmoid(leave) * np.tanh(cell)
    module = relay.build(mod, params=params)
    np.testing.assert_allclose(np.asarray(module(x)), out, rtol=1e-4, atol=1e-6)


LSTM = ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def test_initializers():
    shape = (64, 32, 3, 3)
    for factor, fan in (("in", 32 * 9), ("out", 64 * 9), ("avg", 48 * 9)):
        for kind, ratio in (("uniform", 3), ("gaussian", 1)):
            values = np.zeros(shape, "f4")
            testing.init.Xavier(kind, factor, 6)("conv0_weight", values)
            np.testing.assert_allclose(values.var(), 6 / fan / ratio, rtol=0.1)
    mod, params = testing.create_workload(testing.mlp.get_net(1), testing.init.Constant(3))
    assert (params["fc1_weight"].numpy() == 3).all()
    assert (params["fc1_bias"].numpy() == 0).all()
    assert mod["main"].params[0].name_hint == "data"
    again = [testing.mlp.get_workload(1)[1]["fc1_weight"].numpy() for _ in range(2)]
    assert (again[0] == again[1]).all()
    assert not (again[0] == testing.create_workload(testing.mlp.get_net(1), seed=1)[1]).all()


def test_gradients_are_checked():
    x = relay.var("x", shape=(2, 3), dtype="float64")
    testing.check_grad(relay.Function([x], relay.exp(x) * x), scale=1.0)
    with pytest.raises(AssertionError):
        # The gradient of a sign is 0 between its steps, and so are differences, but for an eps that
        # is larger than the numbers.
        testing.check_grad(relay.Function([x], relay.sign(x)), [np.full((2, 3), 0.1)], eps=1.0)


def test_passes_on_expressions():
    x = relay.var("x", shape=(2, 3))
    after = testing.run_opt_pass(relay.nn.batch_flatten(x), relay.transform.InferType())
    assert after.checked_type == relay.TensorType((2, 3), "float32")
    folded = testing.run_opt_pass(
        relay.Function([x], x + (relay.const(1.0) + relay.const(2.0))),
        [relay.transform.FoldConstant(), relay.transform.InferType()],
    )
    assert testing.count_ops(folded) == {"add": 1}
    assert testing.rand("float32", 3, 4).shape == (3, 4)


def test_a_builder_of_scopes():
    x, c = relay.var("x", shape=(2,)), relay.var("c", shape=(), dtype="bool")
    sb = relay.ScopeBuilder()
    v = sb.let("v", relay.exp(x))
    with sb.if_scope(c):
        w = sb.let(("w", relay.TensorType((2,), "float32")), v + v)
        sb.ret(w)
    with sb.else_scope():
        sb.ret(v)
    expr: Any = sb.get()
    named = relay.var("v")
    inner = relay.var("w", shape=(2,))
    wanted = relay.Let(
        named, relay.exp(x), relay.If(c, relay.Let(inner, named + named, inner), named)
    )
    kc.ir.assert_structural_equal(expr, wanted)
    run = Interpreter(kc.IRModule.from_expr(relay.Function([x, c], expr))).run
    np.testing.assert_allclose(run(np.ones(2, "f4"), np.array(True)), 2 * np.exp(np.ones(2)))


def misuses() -> list[Callable[[relay.ScopeBuilder], Any]]:
    x, c = relay.var("x", shape=(2,)), relay.var("c", shape=(), dtype="bool")

    def twice(sb: relay.ScopeBuilder) -> None:
        sb.ret(x)
        sb.ret(x)

    def without_else(sb: relay.ScopeBuilder) -> None:
        with sb.if_scope(c):
            sb.ret(x)
        sb.get()

    def without_if(sb: relay.ScopeBuilder) -> None:
        with sb.else_scope():
            sb.ret(x)

    def without_value(sb: relay.ScopeBuilder) -> None:
        with sb.if_scope(c):
            pass

    return [twice, without_else, without_if, without_value, lambda sb: sb.get()]


@pytest.mark.parametrize("misuse", misuses())
def test_misuses_of_scopes(misuse: Any):
    with pytest.raises(GraphError) as caught:
        misuse(relay.ScopeBuilder())
    assert caught.value.code == "KC2492"


VARIANTS: list[Callable[[], Any]] = [
    lambda: testing.resnet.get_workload(num_layers=19),
    lambda: testing.vgg.get_workload(1, num_layers=12),
    lambda: testing.squeezenet.get_workload(version="2.0"),
    lambda: testing.densenet.get_workload(100),
    lambda: testing.dcgan.get_workload(1, oshape=(3, 32, 32)),
    lambda: testing.init.Xavier("normal"),
    lambda: testing.create_workload(relay.Function([v := relay.var("v", shape=(2,))], v)),
]


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants_that_there_are_not(variant: Callable[[], Any]):
    with pytest.raises(GraphError) as caught:
        variant()
    assert caught.value.code == "KC2403"
