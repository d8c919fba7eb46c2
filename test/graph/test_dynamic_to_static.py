"""``dynamic-to-static``: each operator ``dyn.*``, chains of shapes, and what stays dynamic."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.support.diagnostics import GraphError

FLAG = "dynamic-to-static"
X = np.arange(12, dtype=np.float32).reshape(3, 4) - 5
IMAGE = np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6) ** 1.5


def sizes(*numbers: int) -> Any:
    return relay.const(np.array(numbers, np.int64))


def number(value: Any) -> Any:
    return relay.const(value)


def call(name: str, *operands: Any, **attributes: Any) -> Any:
    function = relay.op.function_named(name)
    assert function is not None
    return function(*operands, **attributes)


def changed(module: kc.IRModule) -> kc.IRModule:
    after = kc.IRModule.parse(str(module))
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class(FLAG)().apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    return after


def names(module: kc.IRModule) -> list[str]:
    return [op.OPERATOR.name for op in module.op.walk() if isinstance(op, OperatorOp)]


def flat(value: Any) -> list[Any]:
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(
    ("name", "data", "operands", "attributes"),
    [
        ("reshape", X, [sizes(2, -1)], {}),
        ("reshape", X, [sizes(0, 2, -1)], {}),
        ("reshape", X[:0], [sizes(0, 5)], {"allowzero": True}),
        ("tile", X, [sizes(2, 1, 2)], {}),
        ("broadcast_to", X[:1], [sizes(5, 3, 4)], {}),
        ("full", np.float32(3), [sizes(2, 3)], {"dtype": "float32"}),
        ("topk", X, [number(np.int32(2))], {"axis": 0, "ret_type": "both"}),
        ("topk", X, [sizes(3)], {"ret_type": "indices", "is_ascend": True}),
        ("squeeze", X[:, None, :, None], [sizes(-1, 1)], {}),
        ("squeeze", X[:1], [sizes()], {}),
        ("expand_dims", X, [number(np.int32(-2))], {"num_newaxis": 2}),
        ("strided_slice", X, [sizes(2, -1), sizes(-9, 0), sizes(-1, -2)], {}),
        ("strided_slice", X, [sizes(1), sizes(-1), sizes(1)], {"slice_mode": "size"}),
        ("one_hot", np.array([2, 0, 9], np.int32),
         [number(np.float32(5)), number(np.float32(-1)), number(np.int64(3))],
         {"axis": 0, "dtype": "float32"}),
        ("nn.pad", X, [relay.const(np.array([[1, 0], [0, 2]])), number(np.float32(7))], {}),
        ("nn.pad", X, [relay.const(np.array([[1, 0], [0, 2]])), number(np.float32(7))],
         {"pad_mode": "edge"}),
        ("nn.upsampling", IMAGE, [number(np.float32(1.5)), number(np.float32(2))], {}),
        ("nn.upsampling3d", IMAGE[..., None], [number(np.float32(n)) for n in (1, 2, 1.5)], {}),
        ("image.resize2d", IMAGE, [sizes(4, 9), relay.const(np.zeros(0, "float32"))], {}),
        ("image.resize2d", IMAGE, [sizes(3, 4), relay.const(np.array([0, 0.5, 1, 1], "float32"))],
         {"coordinate_transformation_mode": "tf_crop_and_resize"}),
    ],
)  # fmt: skip
def test_operators(name: str, data: Any, operands: Any, attributes: Any) -> None:
    x = relay.var("x", shape=data.shape, dtype=str(data.dtype))
    before = kc.IRModule.from_expr(
        relay.Function([x], _first(call(f"dyn.{name}", x, *operands, **attributes)))
    )
    after = changed(before)
    assert names(after) == [name]
    for old, new in zip(*(flat(Interpreter(m).run(data)) for m in (before, after)), strict=True):
        np.testing.assert_array_equal(new, old)


def _first(value: Any) -> Any:
    return value.astuple() if hasattr(value, "astuple") else value


@pytest.mark.parametrize("name", ["zeros", "ones"])
def test_filled_tensors(name: str) -> None:
    """They are constants, unless they are large."""
    for shape, left in (((2, 3), []), ((1000, 1000), [name])):
        value = call(f"dyn.{name}", sizes(*shape), dtype="float32")
        after = changed(kc.IRModule.from_expr(relay.Function([], value)))
        assert names(after) == left
        np.testing.assert_array_equal(Interpreter(after).run(), getattr(np, name)(shape))


def test_sparse_to_dense() -> None:
    values = relay.var("v", shape=(2,), dtype="int8")
    places = relay.const(np.array([[0, 1], [1, 0]]))
    value = call("dyn.sparse_to_dense", places, sizes(2, 3), values, number(np.int8(-1)))
    after = changed(kc.IRModule.from_expr(relay.Function([values], value)))
    assert names(after) == ["sparse_to_dense"]
    expected = [[-1, 5, -1], [6, -1, -1]]
    np.testing.assert_array_equal(Interpreter(after).run(np.array([5, 6], np.int8)), expected)


def test_a_chain_of_shapes() -> None:
    """Each shape is known when the operator before it has become static; also through branches."""
    x, c = relay.var("x", shape=(3, 4)), relay.var("c", shape=(), dtype="bool")
    value = x
    for n in range(3):
        shape = relay.concatenate((relay.shape_of(value, "int64"), sizes(1)), 0)
        value = relay.exp(call("dyn.reshape", value, shape))
        if n == 1:
            value = relay.If(c, value, relay.negative(value))
    before = kc.IRModule.from_expr(relay.Function([x, c], value))
    after = changed(before)
    assert {name for name in names(after) if name.startswith("dyn")} == set()
    assert "tensor<3x4x1x1x1xf32>" in str(after)
    for flag in (True, False):
        arguments = (X, np.array(flag))
        np.testing.assert_array_equal(
            Interpreter(after).run(*arguments), Interpreter(before).run(*arguments)
        )


def test_what_stays() -> None:
    """Shapes that are arguments, of which some are beside constants, and sizes with names."""
    x, s = relay.var("x", shape=(3, 4)), relay.var("s", shape=(2,), dtype="int64")
    strided = call("dyn.strided_slice", x, sizes(0, 0), s, sizes(1, 1))
    assert names(changed(kc.IRModule.from_expr(relay.Function([x, s], strided)))) == [
        "dyn.strided_slice"
    ]
    module = kc.IRModule.parse(
        """
graph.func @main(%x: TYPE) -> tensor<?x?xf32> {
  %s = graph.shape_of(%x) <dtype = "int64"> : (TYPE) -> tensor<2xsi64>
  %0 = graph.dyn.reshape(%x, %s) : (TYPE, tensor<2xsi64>) -> tensor<?x?xf32>
  graph.return %0 : tensor<?x?xf32>
}
""".replace("TYPE", 'tensor<?x4xf32, #graph.dims<"n", 4>>')
    )
    assert "dyn.reshape" in names(changed(module))


def test_elements_that_are_not_there() -> None:
    module = kc.IRModule.parse("""
graph.func @main(%x: tensor<3x4xf32>, %a: tensor<2xsi64>) -> tensor<?x?xf32> {
  %s = graph.constant dense<[2, 6]> : tensor<2xsi64>
  %0 = graph.dyn.reshape(%x, %s) : (tensor<3x4xf32>, tensor<2xsi64>) -> tensor<?x?xf32>
  %1 = graph.shape_of(%0) <dtype = "int64"> : (tensor<?x?xf32>) -> tensor<2xsi64>
  %w = graph.constant dense_resource<w> : tensor<12xf32>
  %2 = graph.dyn.reshape(%w, %1) : (tensor<12xf32>, tensor<2xsi64>) -> tensor<?x?xf32>
  %e = graph.exp(%2) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %3 = graph.add(%0, %e) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %4 = graph.dyn.reshape(%3, %a) : (tensor<?x?xf32>, tensor<2xsi64>) -> tensor<?x?xf32>
  graph.return %4 : tensor<?x?xf32>
}
""")
    before = str(module)
    with pytest.raises(GraphError, match="KC2407"):
        registry.pass_class(FLAG)().apply(registry.context(), module.op)
    assert str(module) == before
