"""Functions that users register for operators: ``relay.op.register_legalize``, and for qnn."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.expr.op_attributes import forget
from kc.graph.interpreter import Interpreter
from kc.support.diagnostics import GraphError, TEError
from kc.target import Target


@pytest.fixture(autouse=True)
def _forget() -> Any:  # pyright: ignore[reportUnusedFunction]
    yield
    for name in ("nn.relu", "nn.conv2d", "concatenate", "qnn.dense", "qnn.quantize", "exp"):
        forget(name)


def names(module: kc.IRModule) -> list[str]:
    return [op.OPERATOR.name for op in module.op.walk() if isinstance(op, OperatorOp)]


def of_x(function: Any, *shape: int, dtype: str = "float32") -> kc.IRModule:
    x = relay.var("x", shape=shape or (2, 3), dtype=dtype)
    return kc.IRModule.from_expr(relay.Function([x], function(x)))


def test_an_operator_is_replaced_once() -> None:
    """The operator in the expression that replaces it stays."""

    @relay.op.register_legalize("nn.relu")
    def legalized(attrs: Any, inputs: Any, types: Any) -> Any:
        (data,) = inputs
        assert [type_.concrete_shape for type_ in types] == [(2, 3), (2, 3)]
        return relay.add(relay.nn.relu(data), relay.const(np.float32(1)))

    module = of_x(lambda x: relay.exp(relay.nn.relu(x)))
    after = relay.transform.Legalize()(module)
    after.op.verify()
    assert names(after) == ["nn.relu", "add", "exp"]
    assert names(module) == ["nn.relu", "exp"]
    x = np.array([[-1, 2, 3], [4, -5, 6]], np.float32)
    np.testing.assert_allclose(Interpreter(after).run(x), np.exp(np.maximum(x, 0) + 1), rtol=1e-6)
    assert legalized is not None


def test_attributes_as_relays() -> None:
    """A convolution with padding becomes nn.pad and a convolution with the rest of the attributes.
    One that has none stays."""

    def legalized(attrs: Any, inputs: Any, types: Any) -> Any:
        data, weight = inputs
        given = {key: attrs[key] for key in attrs.keys()}  # noqa: SIM118
        if not any(given["padding"]):
            return None
        pads = [(0, 0), (0, 0), *[(pad, pad) for pad in attrs.padding]]
        given["padding"] = (0, 0)
        return relay.nn.conv2d(relay.nn.pad(data, pads), weight, **given)

    relay.op.register_legalize("nn.conv2d", legalized)
    w = relay.const(np.ones((2, 1, 2, 2), "float32"))
    module = of_x(
        lambda x: relay.nn.conv2d(relay.nn.conv2d(x, w, padding=(1, 0), strides=(2, 1), channels=2,
                                                  kernel_size=(2, 2)),
                                  relay.const(np.ones((1, 2, 1, 1), "float32"))),
        1, 1, 4, 4,
    )  # fmt: skip
    after = relay.transform.Legalize()(module)
    assert names(after) == ["nn.pad", "nn.conv2d", "nn.conv2d"]
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    np.testing.assert_array_equal(Interpreter(after).run(x), Interpreter(module).run(x))


def test_the_operands_of_a_tuple() -> None:
    def legalized(attrs: Any, inputs: Any, types: Any) -> Any:
        (parts,) = inputs
        assert len(parts.fields) == len(types[0].fields) == 2
        return relay.concatenate([relay.negative(part) for part in parts.fields], attrs.axis)

    relay.op.register_legalize("concatenate", legalized)
    after = relay.transform.Legalize()(of_x(lambda x: relay.concatenate((x, relay.exp(x)), 1)))
    assert names(after) == ["exp", "negative", "negative", "concatenate"]


def test_an_operand_may_be_the_result() -> None:
    relay.op.register_legalize("exp", lambda attrs, inputs, types: inputs[0])
    assert names(relay.transform.Legalize()(of_x(lambda x: relay.exp(relay.exp(x))))) == []


def test_levels_and_unknown_operators() -> None:
    relay.op.register_legalize("exp", lambda *_: None)
    with pytest.raises(TEError, match="KC2179"):
        relay.op.register_legalize("exp", lambda *_: 3)
    relay.op.register_legalize("exp", lambda attrs, inputs, types: inputs[0], level=11)
    assert names(relay.transform.Legalize()(of_x(relay.exp))) == []
    with pytest.raises(GraphError, match="KC2404"):
        relay.op.register_legalize("exq", lambda *_: None)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda attrs, inputs, types: relay.sum(inputs[0]), "KC2470.*exp.*another type"),
        (lambda attrs, inputs, types: relay.var("y", shape=(2, 3)), "KC2406"),
        (lambda attrs, inputs, types: relay.nn.dense(inputs[0], inputs[0]), "KC2470"),
        (lambda attrs, inputs, types: object(), "KC2403"),
    ],
)
def test_what_a_function_may_not_return(function: Any, words: str) -> None:
    relay.op.register_legalize("exp", function)
    module = of_x(relay.exp)
    before = str(module)
    with pytest.raises(GraphError, match=words):
        relay.transform.Legalize()(module)
    assert str(module) == before


def test_the_target_is_the_current_one() -> None:
    def legalized(attrs: Any, inputs: Any, types: Any) -> Any:
        target = Target.current()
        return relay.fast_exp(inputs[0]) if target is not None and target.kind == "c" else None

    relay.op.register_legalize("exp", legalized)
    module = of_x(relay.exp)
    assert names(relay.transform.Legalize()(module)) == ["exp"]
    with Target("c"):
        assert names(relay.transform.Legalize()(module)) == ["fast_exp"]


def test_quantized_operators() -> None:
    """qnn-legalize, then qnn-canonicalize, in which a registered form comes first."""

    def widened(attrs: Any, inputs: Any, types: Any) -> Any:
        if types[0].dtype != "int8":
            return None
        return relay.qnn.dense(relay.cast(inputs[0], "int16"), *inputs[1:], units=2)

    relay.qnn.register_qnn_legalize("qnn.dense", widened)
    zero, scale = relay.const(np.int32(3)), relay.const(np.float32(0.5))
    w = relay.const(np.arange(6, dtype=np.int8).reshape(2, 3))
    module = of_x(
        lambda x: relay.qnn.dense(x, w, zero, zero, scale, scale, units=2), 4, 3, dtype="int8"
    )
    after = relay.qnn.transform.Legalize()(module)
    assert names(after) == ["cast", "qnn.dense"]
    plain = relay.qnn.transform.CanonicalizeOps()(after)
    assert not any(name.startswith("qnn.") for name in names(plain))
    x = np.arange(12, dtype=np.int8).reshape(4, 3) - 6
    for each in (after, plain):
        np.testing.assert_array_equal(Interpreter(each).run(x), Interpreter(module).run(x))
    kc.ir.register_op_attr(
        "qnn.quantize", "FTVMQnnCanonicalize",
        lambda attrs, inputs, types: relay.cast(inputs[0], attrs.out_dtype),
    )  # fmt: skip
    quantized = of_x(lambda x: relay.qnn.quantize(x, scale, zero))
    assert names(relay.qnn.transform.CanonicalizeOps()(quantized)) == ["cast"]
    with pytest.raises(AttributeError):
        _ = relay.qnn.transform.Nothing
