"""Folding factors of channels into weights: what is folded, what stays, and that values agree."""

from typing import Any

import numpy as np
import pytest
from random_graphs import random_arguments, random_graph

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.support.diagnostics import GraphError

BACKWARD, FORWARD, BOTH = (
    "backward-fold-scale-axis",
    "forward-fold-scale-axis",
    "fold-scale-axis",
)
RNG = np.random.default_rng(5)


def array(*shape: int, low: float = -1, dtype: str = "float32") -> np.ndarray:
    return RNG.uniform(low, 1.5, shape).astype(dtype)


def const(*shape: int, low: float = -1, dtype: str = "float32") -> Any:
    return relay.const(array(*shape, low=low, dtype=dtype), dtype)


def positive(*shape: int) -> Any:
    return const(*shape, low=0.5)


def folded(module: kc.IRModule, flag: str = BOTH) -> list[str]:
    """The operators that are left after a pass, whose values are checked."""
    after = kc.IRModule.parse(str(module))
    registry.pass_class(flag)().apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(flag)().apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    arguments = []
    for argument in Interpreter(module).function("main").body.block.args:
        spec: Any = argument.type
        arguments.append(array(*(size if size > 0 else 2 for size in spec.get_shape())))
    expected, result = (Interpreter(each).run(*arguments) for each in (module, after))
    assert np.isfinite(expected).all()
    np.testing.assert_allclose(result, expected, rtol=2e-4, atol=2e-4)
    return operators(after)


def operators(module: kc.IRModule) -> list[str]:
    return [op.OPERATOR.name for op in module.op.walk() if isinstance(op, OperatorOp)]


def graph_of(body: Any, *arguments: Any) -> kc.IRModule:
    return kc.IRModule.from_expr(relay.Function(list(arguments), body))


def image(channels: int, layout: str = "NCHW") -> Any:
    sizes = {"N": 2, "C": channels, "H": 5, "W": 6}
    return relay.var("x", shape=tuple(sizes[letter] for letter in layout))


def per_channel(layout: str, channels: int, low: float = -1) -> Any:
    """Factors of channels, in the shape that broadcasts to a layout."""
    behind = len(layout) - 1 - layout.index("C")
    return const(channels, *[1] * behind, low=low)


CONVOLUTIONS = {
    "plain": ("NCHW", "OIHW", 4, 1, (6, 4, 3, 2)),
    "last": ("NHWC", "HWIO", 4, 1, (3, 2, 4, 6)),
    "last, outputs first": ("NHWC", "OHWI", 4, 1, (6, 3, 2, 4)),
    "grouped": ("NCHW", "OIHW", 4, 2, (6, 2, 3, 2)),
    "grouped, last": ("NHWC", "HWIO", 4, 2, (3, 2, 2, 6)),
    "depthwise": ("NCHW", "OIHW", 4, 4, (4, 1, 3, 2)),
    "depthwise, two each": ("NCHW", "OIHW", 4, 4, (8, 1, 3, 2)),
    "depthwise, multiplier": ("NHWC", "HWOI", 4, 4, (3, 2, 4, 2)),
    "depthwise, multiplier before": ("NHWC", "HWIO", 4, 4, (3, 2, 2, 4)),
    "transposed": ("NCHW", "IOHW", 4, 1, (4, 6, 3, 2)),
    "transposed, last": ("NHWC", "HWOI", 4, 1, (3, 2, 6, 4)),
    "transposed, groups": ("NCHW", "IOHW", 4, 2, (4, 3, 3, 2)),
}


def convolution(case: str, data: Any = None) -> tuple[Any, Any, str, int, int]:
    """A convolution, its data, its layout, and the channels of data and result."""
    layout, filters, channels, groups, shape = CONVOLUTIONS[case]
    is_transposed = case.startswith("transposed")
    function = relay.nn.conv2d_transpose if is_transposed else relay.nn.conv2d
    outputs = shape[filters.index("O")] * (groups if is_transposed else 1)
    if "multiplier" in case:
        outputs *= shape[filters.index("I")]
    x = image(channels, layout)
    result = function(
        x if data is None else data(x, layout, channels),
        const(*shape), channels=outputs, kernel_size=(3, 2), padding=(1, 1), groups=groups,
        data_layout=layout, kernel_layout=filters,
    )  # fmt: skip
    return result, x, layout, channels, outputs


@pytest.mark.parametrize("case", CONVOLUTIONS)
@pytest.mark.parametrize("operator", [relay.multiply, relay.divide])
def test_results_of_convolutions(case: str, operator: Any) -> None:
    result, x, layout, _, outputs = convolution(case)
    low = 0.5 if operator is relay.divide else -1
    body = operator(result, per_channel(layout, outputs, low))
    (left,) = folded(graph_of(body, x))
    assert left.startswith("nn.conv2d")


@pytest.mark.parametrize("case", CONVOLUTIONS)
def test_data_of_convolutions(case: str) -> None:
    def scaled(x: Any, layout: str, channels: int) -> Any:
        return relay.multiply(per_channel(layout, channels), x)

    result, x, *_ = convolution(case, scaled)
    module = graph_of(result, x)
    assert "multiply" in folded(module, BACKWARD)  # of the data: nothing before it is a weight
    (left,) = folded(module)
    assert left.startswith("nn.conv2d")


def plain(x: Any = None) -> Any:
    return relay.nn.conv2d(image(4) if x is None else x, const(6, 4, 3, 3), padding=(1, 1))


def test_axes_and_numbers() -> None:
    """Other axes than the channels stay; one number is a factor of each channel."""
    x = image(4)
    for shape, count in {(): 1, (1, 1, 1): 1, (1, 6, 1, 1): 1, (6,): 2, (5, 1): 2, (2, 1, 1, 1): 2,
                         (6, 5, 1): 2}.items():  # fmt: skip
        assert len(folded(graph_of(relay.multiply(plain(x), const(*shape)), x))) == count
    narrow = relay.nn.conv2d(x, const(1, 4, 3, 3))
    grown = relay.multiply(narrow, const(6, 1, 1))  # it has more channels than the convolution
    assert folded(graph_of(grown, x)) == ["nn.conv2d", "multiply"]
    by = relay.divide(const(6, 1, 1), relay.exp(plain(x)))
    assert "divide" in folded(graph_of(by, x))
    assert "divide" in folded(graph_of(relay.divide(const(6, 1, 1), plain(x)), x))


@pytest.mark.parametrize(
    ("between", "kept", "needs_positive"),
    [
        (relay.nn.relu, ["nn.relu"], True),
        (relay.nn.leaky_relu, ["nn.leaky_relu"], True),
        (lambda y: relay.nn.prelu(y, const(6)), ["nn.prelu"], True),
        (lambda y: relay.nn.max_pool2d(y, (2, 2), padding=(1, 1)), ["nn.max_pool2d"], True),
        (relay.nn.global_max_pool2d, ["nn.global_max_pool2d"], True),
        (lambda y: relay.nn.avg_pool2d(y, (2, 2), padding=(1, 0)), ["nn.avg_pool2d"], False),
        (relay.nn.global_avg_pool2d, ["nn.global_avg_pool2d"], False),
        (lambda y: relay.nn.adaptive_avg_pool2d(y, (2, 2)), ["nn.adaptive_avg_pool2d"], False),
        (lambda y: relay.add(y, const(6, 1, 1)), ["add"], False),
        (lambda y: relay.add(const(2, 6, 5, 6), y), ["add"], False),
        (lambda y: relay.add(y, const(1, 1, 6)), ["add"], False),
        (lambda y: relay.subtract(const(1), y), ["subtract"], False),
        (lambda y: relay.nn.bias_add(y, const(6)), ["nn.bias_add"], False),
        (lambda y: relay.nn.pad(y, ((0, 0), (0, 0), (1, 2), (0, 1))), ["nn.pad"], False),
        (lambda y: relay.divide(y, positive(6, 1, 1)), [], False),
    ],
)
def test_what_factors_move_through(between: Any, kept: list[str], needs_positive: bool) -> None:
    """Backward before a result, and forward to a second convolution."""
    for factors, is_positive in ((positive(6, 1, 1), True), (const(6, 1, 1), False)):
        is_folded = is_positive or not needs_positive
        stays = [] if is_folded else ["multiply"]
        x = image(4)
        names = folded(graph_of(relay.multiply(between(plain(x)), factors), x))
        assert sorted(names) == sorted(["nn.conv2d", *kept, *stays])
        x = image(6)
        first = between(relay.multiply(x, factors))
        names = folded(graph_of(relay.nn.conv2d(first, const(3, 6, 1, 1)), x))
        assert sorted(names) == sorted(["nn.conv2d", *kept, *stays])


def test_what_factors_do_not_move_through() -> None:
    x = image(4)
    for between in (
        relay.exp,
        relay.sigmoid,
        lambda y: relay.nn.pad(y, ((0, 0), (0, 0), (1, 2), (0, 1)), 1.0),
        lambda y: relay.nn.pad(y, ((0, 0), (1, -1), (0, 0), (0, 0))),
        lambda y: relay.nn.bias_add(y, const(5), axis=2),
        lambda y: relay.nn.softmax(y, axis=1),
    ):
        names = folded(graph_of(relay.multiply(between(plain(x)), positive(6, 1, 1)), x))
        assert "multiply" in names


def test_a_zero_among_factors() -> None:
    """It moves back through a sum, but not forward: what is added is divided by it."""
    zero = relay.const(np.array([1, 0, 2, 3], "float32").reshape(4, 1, 1))
    x = image(4)
    moved = relay.nn.conv2d(relay.add(relay.multiply(x, zero), const(4, 1, 1)), const(3, 4, 1, 1))
    assert "multiply" in folded(graph_of(moved, x))
    result = relay.nn.conv2d(x, const(4, 4, 1, 1))
    back = relay.multiply(relay.add(result, const(4, 1, 1)), zero)
    assert "multiply" not in folded(graph_of(back, x))


def test_several_consumers() -> None:
    x = image(4)
    y = plain(x)
    for shared in (relay.add(relay.multiply(y, positive(6, 1, 1)), y),
                   relay.add(y, relay.multiply(relay.nn.relu(y), positive(6, 1, 1)))):  # fmt: skip
        assert "multiply" in folded(graph_of(shared, x))
    z = relay.multiply(x, const(4, 1, 1))
    pair = relay.add(relay.nn.conv2d(z, const(4, 4, 1, 1)), relay.nn.conv2d(z, const(4, 4, 1, 1)))
    assert "multiply" not in folded(graph_of(pair, x))
    escaped = relay.add(relay.nn.conv2d(z, const(4, 4, 1, 1)), z)
    assert "multiply" in folded(graph_of(escaped, x))
    as_weight = relay.nn.conv2d(
        image(4), relay.multiply(relay.var("w", shape=(6, 4, 3, 3)), const(4, 1, 1))
    )
    assert "multiply" in folded(graph_of(as_weight, *relay.analysis.free_vars(as_weight)))
    both = relay.multiply(relay.add(plain(x), plain(relay.exp(x))), const(6, 1, 1))
    assert "multiply" not in folded(graph_of(both, x))


def test_products_of_matrices() -> None:
    x = relay.var("x", shape=(3, 8))
    for layer in (
        lambda d: relay.nn.dense(d, const(5, 8)),
        lambda d: relay.nn.matmul(d, const(8, 5)),
        lambda d: relay.nn.matmul(d, const(5, 8), transpose_b=True),
    ):
        assert len(folded(graph_of(relay.multiply(layer(x), const(5)), x))) == 1
        assert len(folded(graph_of(layer(relay.multiply(x, const(8))), x))) == 1
        assert len(folded(graph_of(layer(relay.multiply(x, const(3, 1))), x))) == 2
    turned = relay.nn.matmul(relay.multiply(x, const(3, 1)), const(3, 5), transpose_a=True)
    assert len(folded(graph_of(turned, x))) == 1
    moved = relay.transpose(relay.multiply(relay.nn.dense(x, const(5, 8)), const(5)))
    assert folded(graph_of(relay.multiply(moved, const(5, 1)), x)) == ["nn.dense", "transpose"]


def test_a_weight_that_is_no_constant() -> None:
    """It is scaled when the graph runs, if it is smaller than the result."""
    x, small = image(4), relay.var("w", shape=(6, 4, 1, 1))
    result = relay.multiply(relay.nn.conv2d(x, small), const(6, 1, 1))
    assert folded(graph_of(result, x, small)) == ["multiply", "nn.conv2d"]
    large = relay.var("w", shape=(500, 4, 5, 6))
    result = relay.multiply(relay.nn.conv2d(x, large), const(500, 1, 1))
    assert folded(graph_of(result, x, large)) == ["nn.conv2d", "multiply"]


def test_factors_that_are_computed() -> None:
    """Of an argument; what computes them may stand after the convolution. Their sign is not
    known."""
    x, s = image(4), relay.var("s", shape=(6, 1, 1))
    module = kc.IRModule.parse(
        """
graph.func @main(%x: tensor<2x4x5x6xf32>, %w: tensor<6x4x1x1xf32>, %s: tensor<6x1x1xf32>) -> IMG {
  %0 = graph.nn.conv2d(%x, %w) : (tensor<2x4x5x6xf32>, tensor<6x4x1x1xf32>) -> IMG
  %1 = graph.exp(%s) : (tensor<6x1x1xf32>) -> tensor<6x1x1xf32>
  %2 = graph.multiply(%0, %1) : (IMG, tensor<6x1x1xf32>) -> IMG
  graph.return %2 : IMG
}
""".replace("IMG", "tensor<2x6x5x6xf32>")
    )
    assert folded(module)[-1] == "nn.conv2d"
    w = relay.var("w", shape=(6, 4, 1, 1))
    after_relu = relay.multiply(relay.nn.relu(relay.nn.conv2d(x, w)), relay.exp(s))
    assert folded(graph_of(after_relu, x, w, s))[-1] == "multiply"


def test_types_of_elements() -> None:
    """Products of float16 would leave its range; integers would overflow."""
    for dtype, is_folded in (("float64", True), ("float16", False), ("int32", False)):
        x = relay.var("x", shape=(2, 4, 5, 6), dtype=dtype)
        weight = relay.const(np.ones((6, 4, 3, 3), dtype))
        factors = relay.const(np.ones((6, 1, 1), dtype))
        module = graph_of(relay.multiply(relay.nn.conv2d(x, weight), factors), x)
        for flag in (BACKWARD, FORWARD):
            registry.pass_class(flag)().apply(registry.context(), module.op)
        assert (operators(module)[-1] == "nn.conv2d") == is_folded
    x = image(4)
    for extreme in (1e-25, 1e25):
        factors = relay.const(np.full((6, 1, 1), extreme, "float32"))
        module = graph_of(relay.multiply(plain(x), factors), x)
        registry.pass_class(BACKWARD)().apply(registry.context(), module.op)
        assert operators(module)[-1] == "multiply"


def test_blocked_layouts_stay() -> None:
    x = relay.var("x", shape=(1, 2, 5, 5, 4))
    result = relay.nn.conv2d(
        x, const(1, 2, 1, 1, 4, 4), data_layout="NCHW4c", kernel_layout="OIHW4i4o", channels=4,
        kernel_size=(1, 1),
    )  # fmt: skip
    module = graph_of(relay.multiply(result, const(4)), x)
    for flag in (BACKWARD, FORWARD):
        registry.pass_class(flag)().apply(registry.context(), module.op)
    assert operators(module) == ["nn.conv2d", "multiply"]


def test_elements_that_are_not_there() -> None:
    """What cannot be evaluated is refused, and the module is as it was."""
    module = kc.IRModule.parse(
        """
graph.func @main(%x: tensor<2x4x5x6xf32>) -> IMG {
  %w = graph.constant dense_resource<w> : tensor<6x4x1x1xf32>
  %s = graph.constant dense_resource<s> : tensor<6x1x1xf32>
  %0 = graph.nn.conv2d(%x, %w) : (tensor<2x4x5x6xf32>, tensor<6x4x1x1xf32>) -> IMG
  %1 = graph.multiply(%0, %s) : (IMG, tensor<6x1x1xf32>) -> IMG
  graph.return %1 : IMG
}
""".replace("IMG", "tensor<2x6x5x6xf32>")
    )
    before = str(module)
    with pytest.raises(GraphError, match="KC2407"):
        registry.pass_class(BOTH)().apply(registry.context(), module.op)
    assert str(module) == before


def batch_norm(data: Any, channels: int) -> Any:
    parameters = [positive(channels), *(const(channels) for _ in range(2)), positive(channels)]
    return relay.nn.batch_norm(data, *parameters)[0]


def test_a_block_of_a_residual_network() -> None:
    """All of its normalizations go into weights and biases."""
    x = image(4)
    y = relay.nn.conv2d(x, const(4, 4, 3, 3), padding=(1, 1))
    y = relay.nn.relu(batch_norm(y, 4))
    y = batch_norm(relay.nn.conv2d(y, const(4, 4, 3, 3), padding=(1, 1)), 4)
    shortcut = batch_norm(relay.nn.conv2d(x, const(4, 4, 1, 1)), 4)
    module = graph_of(relay.nn.relu(relay.add(y, shortcut)), x)
    data = array(2, 4, 5, 6)
    expected = Interpreter(kc.IRModule.parse(str(module))).run(data)
    for flag in ("simplify-inference", "fold-constant", BOTH):
        registry.pass_class(flag)().apply(registry.context(), module.op)
    module.op.verify()
    np.testing.assert_allclose(Interpreter(module).run(data), expected, rtol=1e-4, atol=1e-4)
    assert sorted(operators(module)) == sorted(
        ["nn.conv2d", "add", "nn.relu", "nn.conv2d", "add", "nn.conv2d", "add", "add", "nn.relu"]
    )
    assert folded(module) == operators(module)


@pytest.mark.parametrize("seed", range(12))
def test_random_graphs(seed: int) -> None:
    module = kc.IRModule.parse(random_graph(seed))
    arguments = random_arguments(seed)
    expected = Interpreter(module).run(*arguments)
    registry.pass_class(BOTH)().apply(registry.context(), module.op)
    module.op.verify()
    result = Interpreter(module).run(*arguments)
    for left, right in zip(_parts(result), _parts(expected), strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)


def _parts(value: Any) -> list[Any]:
    return list(value) if isinstance(value, tuple) else [value]
