"""``combine-parallel-*``: what is combined, what is not, and that the values are the same."""

from typing import Any

import numpy as np
import pytest
from random_graphs import random_arguments, random_graph

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.support.diagnostics import GraphError

CONV, DENSE, BATCH = (
    "combine-parallel-conv2d",
    "combine-parallel-dense",
    "combine-parallel-batch-matmul",
)
RNG = np.random.default_rng(3)


def const(*shape: int) -> Any:
    return relay.const(RNG.uniform(-1, 1, shape).astype("float32"))


def flat(value: Any) -> list[Any]:
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


def combined(module: kc.IRModule, flag: str, **options: Any) -> list[str]:
    """The operators that are left after a pass and fold-constant; the values are checked."""
    after = kc.IRModule.parse(str(module))
    registry.pass_class(flag)(**options).apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(flag)(**options).apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    registry.pass_class("fold-constant")().apply(registry.context(), after.op)
    arguments = []
    for argument in Interpreter(module).function("main").body.block.args:
        spec = spec_of(argument.type)
        assert isinstance(spec, TensorSpec)
        shape = tuple(size if isinstance(size, int) else 3 for size in spec.shape)
        arguments.append(RNG.uniform(-1, 1, shape).astype(spec.dtype))
    expected, result = (flat(Interpreter(each).run(*arguments)) for each in (module, after))
    for left, right in zip(result, expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)
    return [op.OPERATOR.name for op in after.op.walk() if isinstance(op, OperatorOp)]


def graph_of(parts: Any, *arguments: Any) -> kc.IRModule:
    body = relay.Tuple(list(parts)) if isinstance(parts, list) else parts
    return kc.IRModule.from_expr(relay.Function(list(arguments), body))


def image() -> Any:
    return relay.var("x", shape=(2, 4, 5, 6))


def conv(x: Any, outputs: int, size: int = 1, **attributes: Any) -> Any:
    return relay.nn.conv2d(x, const(outputs, 4, size, size), **attributes)


@pytest.mark.parametrize("sizes", [(3, 3, 3), (1, 4, 2), (5, 1, 1, 2)])
def test_convolutions(sizes: tuple[int, ...]) -> None:
    x = image()
    parts = [conv(x, size, channels=size, kernel_size=(1, 1)) for size in sizes]
    names = combined(graph_of(parts, x), CONV)
    assert names == ["nn.conv2d", *["strided_slice"] * len(sizes)]
    names = combined(graph_of(parts, x), CONV, min_num_branches=len(sizes) + 1)
    assert names == ["nn.conv2d"] * len(sizes)


def test_convolutions_that_differ() -> None:
    """Groups of those that are alike: three of size 1, and two with strides."""
    x = image()
    parts = [conv(x, 2), conv(x, 3, 3, padding=(1, 1)), conv(x, 4), conv(x, 2, strides=(2, 2)),
             conv(x, 1), conv(x, 2, strides=(2, 2))]  # fmt: skip
    names = combined(graph_of(parts, x), CONV)
    assert sorted(names) == sorted(["nn.conv2d"] * 4 + ["strided_slice"] * 3)
    names = combined(graph_of(parts, x), CONV, min_num_branches=2)
    assert sorted(names) == sorted(["nn.conv2d"] * 3 + ["strided_slice"] * 5)
    grouped = [relay.nn.conv2d(x, const(2, 2, 1, 1), groups=2) for _ in range(3)]
    assert combined(graph_of(grouped, x), CONV) == ["nn.conv2d"] * 3
    y = relay.var("y", shape=(4, 4, 1, 1))
    as_weight = [conv(y, 4), conv(y, 4), relay.nn.conv2d(const(4, 4, 1, 1), y)]
    assert combined(graph_of(as_weight, y), CONV) == ["nn.conv2d"] * 3


def test_layouts_of_convolutions() -> None:
    x = relay.var("x", shape=(2, 5, 6, 4))
    parts = [
        relay.nn.bias_add(
            relay.nn.conv2d(x, const(1, 1, 4, n), data_layout="NHWC", kernel_layout="HWIO"),
            const(n),
            axis=-1,
        )
        for n in (2, 3, 1)
    ]
    names = combined(graph_of(parts, x), CONV)
    assert names == ["nn.conv2d", "nn.bias_add", *["strided_slice"] * 3]


def test_tails() -> None:
    """Elementwise operators with operands of each channel, or with one for all."""
    x, half = image(), relay.const(np.float32(0.5))
    parts = []
    for size in (2, 1, 3):
        y = relay.add(conv(x, size), const(size, 1, 1))
        y = relay.nn.bias_add(relay.nn.relu(y), const(size))
        parts.append(relay.multiply(half, relay.clip(y, 0.0, 1.0)))
    names = combined(graph_of(parts, x), CONV)
    tails = ["add", "nn.relu", "nn.bias_add", "clip", "multiply"]
    assert names == ["nn.conv2d", *tails, *["strided_slice"] * 3]


@pytest.mark.parametrize(
    "tails",
    [
        lambda y, n: relay.add(y, const(1, 6)) if n else relay.subtract(y, const(1, 6)),
        lambda y, n: relay.clip(y, 0.0, float(n)),
        lambda y, n: relay.subtract(y, const(3, 1, 1)) if n else relay.subtract(const(3, 1, 1), y),
        lambda y, n: relay.add(y, const(3, 1, 1)) if n else relay.add(y, const(1, 3, 1, 1)),
        lambda y, n: relay.add(y, const(1, 1)),  # numbers that differ
        lambda y, n: relay.nn.bias_add(y, const(5), axis=2),
        lambda y, n: relay.nn.softmax(y),
        lambda y, n: relay.add(y, y),
        lambda y, n: relay.annotation.stop_fusion(y),
    ],
)
def test_tails_that_are_not_combined(tails: Any) -> None:
    x = image()
    parts = [tails(conv(x, 3), n) for n in range(3)]
    names = combined(graph_of(parts, x), CONV)
    assert names[:1] == ["nn.conv2d"]
    assert names[1:4] == ["strided_slice"] * 3
    assert names.count("nn.conv2d") == 1


def test_a_branch_that_escapes() -> None:
    """The value behind its convolution is used twice, so the tails stay apart."""
    x = image()
    roots = [conv(x, 3) for _ in range(3)]
    parts = [relay.nn.relu(root) for root in roots]
    names = combined(graph_of([*parts, relay.exp(roots[1])], x), CONV)
    assert names.count("nn.relu") == 3
    assert names.count("nn.conv2d") == 1


def test_branches_that_need_each_other() -> None:
    """A weight, or an operand behind, is computed of another branch."""
    x = relay.var("x", shape=(1, 4, 1, 1))
    first = conv(x, 4)
    of_first = relay.reshape(relay.nn.relu(first), (1, 4, 1, 1))
    parts = [first, relay.nn.conv2d(x, of_first), conv(x, 2), conv(x, 3)]
    names = combined(graph_of(parts, x), CONV)
    assert names.count("nn.conv2d") == 2
    y = image()
    roots = [conv(y, 3) for _ in range(3)]
    parts = [relay.add(roots[0], roots[1]), relay.nn.relu(roots[2])]
    names = combined(graph_of(parts, y), CONV)
    assert names == ["nn.conv2d", *["strided_slice"] * 3, "add", "nn.relu"]


def test_weights_that_are_computed_later() -> None:
    """They move before the first branch; constants_only leaves them."""
    x, v = image(), relay.var("v", shape=(3, 4, 1, 1))
    text = str(graph_of([conv(x, 2), conv(x, 5), relay.nn.conv2d(x, relay.exp(v))], x, v))
    module = kc.IRModule.parse(text)
    names = combined(module, CONV)
    assert names == ["exp", "concatenate", "nn.conv2d", *["strided_slice"] * 3]
    names = combined(module, CONV, constants_only=True)
    assert names.count("nn.conv2d") == 3
    names = combined(module, CONV, constants_only=True, min_num_branches=2)
    assert names.count("nn.conv2d") == 2


def layer(x: Any, units: int, tail: Any) -> Any:
    y = relay.nn.dense(x, const(units, 8))
    return tail(y, units)


@pytest.mark.parametrize(
    ("tail", "stacked", "joined"),
    [
        (lambda y, n: y, [], []),
        (lambda y, n: relay.add(y, const(n)), ["add"], ["add"]),
        (lambda y, n: relay.nn.bias_add(y, const(n)), ["add"], ["nn.bias_add"]),
        (lambda y, n: relay.nn.relu(relay.multiply(const(4, n), y)), ["multiply", "nn.relu"],
         ["multiply", "nn.relu"]),
        (lambda y, n: relay.subtract(y, const(4, 1)), ["subtract"], None),
        (lambda y, n: relay.add(y, relay.const(np.float32(2))), ["add"], ["add"]),
    ],
)  # fmt: skip
def test_layers(tail: Any, stacked: list[str], joined: list[str] | None) -> None:
    x = relay.var("x", shape=(4, 8))
    module = graph_of([layer(x, 5, tail) for _ in range(3)], x)
    names = combined(module, DENSE)
    own = ["expand_dims", "nn.batch_matmul", *stacked]
    assert names == [*own, *["strided_slice", "squeeze"] * 3]
    names = combined(module, DENSE, to_batch=False)
    ends = ["strided_slice"] * 3
    assert names == ["nn.dense", *(ends if joined is None else joined), *(
        ["subtract"] * 3 if joined is None else ends)]  # fmt: skip
    module = graph_of([layer(x, n, tail) for n in (5, 2, 3)], x)
    assert "nn.batch_matmul" not in combined(module, DENSE)
    assert combined(module, DENSE, to_batch=False)[0] == "nn.dense"


def test_layers_of_more_dimensions_and_of_unknown_size() -> None:
    x = relay.var("x", shape=(2, 4, 8))
    module = graph_of([layer(x, 5, lambda y, n: relay.add(y, const(n))) for _ in range(3)], x)
    assert combined(module, DENSE) == [*["nn.dense", "add"] * 3]
    names = combined(module, DENSE, to_batch=False)
    assert names == ["nn.dense", "add", *["strided_slice"] * 3]
    rows = 'tensor<?xNxf32, #graph.dims<"n", N>>'
    wide, narrow = rows.replace("N", "8"), rows.replace("N", "2")
    lines = "".join(
        f"""  %w{n} = graph.constant dense<{n}.0> : tensor<2x8xf32>
  %{n} = graph.nn.dense(%x, %w{n}) : ({wide}, tensor<2x8xf32>) -> {narrow}
"""
        for n in range(3)
    )
    three = f"{narrow}, {narrow}, {narrow}"
    module = kc.IRModule.parse(f"""graph.func @main(%x: {wide}) -> tuple<{three}> {{
{lines}  %t = graph.tuple(%0, %1, %2) : {three}
  graph.return %t : tuple<{three}>
}}
""")
    assert "nn.batch_matmul" in combined(module, DENSE)
    assert combined(module, DENSE, to_batch=False).count("nn.dense") == 1


@pytest.mark.parametrize("transpose_b", [True, False])
@pytest.mark.parametrize("batch", [3, 1])
def test_batched_products(transpose_b: bool, batch: int) -> None:
    x = relay.var("x", shape=(3, 4, 8))
    parts = []
    for n in (2, 5, 1):
        shape = (batch, n, 8) if transpose_b else (batch, 8, n)
        y = relay.nn.batch_matmul(x, const(*shape), transpose_b=transpose_b)
        parts.append(relay.nn.relu(relay.add(y, const(3, 1, n))))
    names = combined(graph_of(parts, x), BATCH)
    assert names == ["nn.batch_matmul", "add", "nn.relu", *["strided_slice"] * 3]
    square = relay.var("x", shape=(3, 8, 8))
    mixed = [
        relay.nn.batch_matmul(square, const(3, 8, 8), transpose_a=flag)
        for flag in (True, False, True)
    ]
    assert combined(graph_of(mixed, square), BATCH) == ["nn.batch_matmul"] * 3


def test_a_number_of_branches_that_is_none() -> None:
    x = image()
    module = graph_of([conv(x, 1)], x)
    before = str(module)
    with pytest.raises(GraphError, match="KC2460.*min_num_branches is 1"):
        relay.transform.CombineParallelConv2D(1)(module)
    assert str(module) == before


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("to_batch", [True, False])
def test_random_graphs(seed: int, to_batch: bool) -> None:
    module = kc.IRModule.parse(random_graph(seed))
    arguments = random_arguments(seed)
    expected = flat(Interpreter(module).run(*arguments))
    options = {"min_num_branches": 2, "to_batch": to_batch}
    registry.pass_class(DENSE)(**options).apply(registry.context(), module.op)
    module.op.verify()
    for left, right in zip(flat(Interpreter(module).run(*arguments)), expected, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-5, atol=1e-5)
