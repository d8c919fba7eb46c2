"""``to-mixed-precision``: which operators are narrow, where casts stand, and what values are."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.dialects.graph.declaration import OperatorOp
from kc.expr.op_attributes import forget
from kc.graph.interpreter import Interpreter
from kc.graph.passes.to_mixed_precision import KINDS
from kc.support import registry
from kc.support.diagnostics import GraphError, diagnostic_handler
from kc.transforms.graph._rewriting import tensor_of

RNG = np.random.default_rng(2)


def const(*shape: int, scale: float = 0.3) -> Any:
    return relay.const((RNG.standard_normal(shape) * scale).astype("float32"))


def narrowed(body: Any, *arguments: Any, tolerance: float = 2e-2, **options: Any) -> kc.IRModule:
    before = kc.IRModule.from_expr(relay.Function(list(arguments), body))
    after = kc.IRModule.parse(str(before))
    registry.pass_class("to-mixed-precision")(**options).apply(registry.context(), after.op)
    after.op.verify()
    once = str(after)
    registry.pass_class("to-mixed-precision")(**options).apply(registry.context(), after.op)
    assert str(after) == once, "the pass is not idempotent"
    values = []
    for argument in arguments:
        shape = argument.type_annotation.concrete_shape
        value = RNG.uniform(-1, 1, shape).astype("float32")
        values.append(np.asarray(value > 0) if argument.type_annotation.dtype == "bool" else value)
    expected, result = (flat(Interpreter(each).run(*values)) for each in (before, after))
    for left, right in zip(result, expected, strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)
    return after


def flat(value: Any) -> list[Any]:
    return [each for part in value for each in flat(part)] if isinstance(value, tuple) else [value]


def operators(module: kc.IRModule) -> list[tuple[str, str]]:
    """The operators, and the types of their first operands."""
    types = []
    for op in module.op.walk():
        if isinstance(op, OperatorOp):
            spec = tensor_of(op.inputs[0])
            types.append((op.OPERATOR.name, spec.dtype if spec is not None else ""))
    return types


def casts(module: kc.IRModule) -> int:
    return [name for name, _ in operators(module)].count("cast")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_network(dtype: str) -> None:
    x = relay.var("x", shape=(1, 3, 8, 8))
    y = relay.nn.conv2d(x, const(4, 3, 3, 3), padding=(1, 1))
    y = relay.nn.relu(relay.nn.bias_add(y, const(4)))
    y = relay.nn.max_pool2d(y, (2, 2), (2, 2))
    y = relay.nn.dense(relay.nn.batch_flatten(y), const(5, 64))
    after = narrowed(relay.nn.softmax(y), x, tolerance=5e-2, mixed_precision_type=dtype)
    types = dict(operators(after))
    narrow = (
        "nn.conv2d",
        "nn.bias_add",
        "nn.relu",
        "nn.max_pool2d",
        "nn.batch_flatten",
        "nn.dense",
    )
    assert {types[name] for name in narrow} == {dtype}
    assert types["nn.softmax"] == "float32"
    text = str(after)
    assert 'out_dtype = "float32"' in text
    # Of x, three constants and the bias; behind two products; before the softmax.
    assert casts(after) == 4 + 2 + 1


def test_products_sum_in_float32() -> None:
    """4096 ones are not summed in float16, which has no number between 2048 and 2050."""
    x = relay.var("x", shape=(1, 3001))
    w = relay.const(np.ones((1, 3001), "float32"))
    module = kc.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, w)))
    after = relay.transform.ToMixedPrecision("float16")(module)
    result = Interpreter(after).run(np.ones((1, 3001), np.float32))
    np.testing.assert_array_equal(result, np.float32(np.float16(3001)))


def test_casts_are_shared() -> None:
    x = relay.var("x", shape=(4, 8))
    y = relay.nn.relu(x)
    parts = [relay.nn.dense(y, const(8, 8)) for _ in range(2)]
    total = relay.add(relay.exp(parts[0]), relay.tanh(parts[0]))
    after = narrowed(relay.Tuple([total, parts[1]]), x)
    assert casts(after) == 1 + 2 + 2 + 3  # y; weights; products; three values that leave
    assert [name for name, _ in operators(after)].count("nn.dense") == 2


def test_what_follows() -> None:
    """An operand that is wide keeps an operator wide; arguments and constants become narrow."""
    x, b = relay.var("x", shape=(4, 8)), relay.var("b", shape=(4, 8))
    y = relay.nn.dense(x, const(8, 8))
    for partner, dtype in ((b, "float16"), (const(4, 8), "float16"), (relay.exp(b), "float32"),
                           (relay.nn.relu(b), "float32"), (relay.tanh(y), "float16")):  # fmt: skip
        total = relay.add(y, partner)
        after = narrowed(total, *relay.analysis.free_vars(total))
        assert dict(operators(after))["add"] == dtype
    alone = narrowed(relay.add(relay.nn.relu(x), b), x, b)
    assert {dtype for _, dtype in operators(alone)} == {"float32"}


def test_tuples_branches_and_comparisons() -> None:
    x, c = relay.var("x", shape=(4, 8)), relay.var("c", shape=(), dtype="bool")
    y = relay.nn.dense(x, const(8, 8))
    left, right = relay.split(y, 2, axis=1)
    joined = relay.concatenate((right, relay.nn.relu(left)), axis=1)
    after = narrowed(joined, x)
    types = dict(operators(after))
    assert (types["split"], types["concatenate"]) == ("float16", "float16")
    whole = relay.split(y, 2, axis=1).astuple()
    assert dict(operators(narrowed(whole, x)))["split"] == "float16"
    branch = relay.If(c, relay.nn.dense(y, const(8, 8)), relay.tanh(y))
    types = dict(operators(narrowed(branch, x, c)))
    assert (types["nn.dense"], types["tanh"]) == ("float16", "float16")
    compared = relay.where(relay.greater(y, const(8)), y, relay.negative(y))
    types = dict(operators(narrowed(compared, x)))
    assert (types["greater"], types["negative"]) == ("float16", "float16")


def test_a_wide_value_that_was_narrow() -> None:
    """A product of what was cast to float32 takes the narrow value itself."""
    x = relay.var("x", shape=(4, 8), dtype="float16")
    body = relay.nn.dense(relay.cast(x, "float32"), const(5, 8))
    module = kc.IRModule.from_expr(relay.Function([x], body))
    after = relay.transform.ToMixedPrecision()(module)
    dense = next(op for op in after.op.walk() if op.name == "graph.nn.dense")
    assert dense.operands[0] is Interpreter(after).function("main").body.block.args[0]


def test_other_types_stay() -> None:
    x = relay.var("x", shape=(4, 8), dtype="float64")
    w = relay.const(np.ones((5, 8)))
    module = kc.IRModule.from_expr(relay.Function([x], relay.nn.dense(x, w)))
    assert operators(relay.transform.ToMixedPrecision()(module)) == [("nn.dense", "float64")]


def test_kinds_that_users_register() -> None:
    x = relay.var("x", shape=(4, 8))
    body = relay.exp(relay.nn.dense(x, const(5, 8)))
    module = kc.IRModule.from_expr(relay.Function([x], body))

    @relay.op.register_mixed_precision_conversion("exp", level=11)
    def follows(call_node: Any, dtype: str) -> Any:
        assert call_node.op.name == "exp"
        return [1, "float32", dtype]

    try:
        after = relay.transform.ToMixedPrecision()(module)
        assert dict(operators(after))["exp"] == "float16"
        relay.op.register_mixed_precision_conversion(
            "nn.dense", lambda *_: [0, "float16", "float16"]
        )
        dense = relay.transform.ToMixedPrecision()(module)
        assert 'out_dtype = "float16"' in str(dense)
    finally:
        forget("exp")
        forget("nn.dense")
    assert follows is not None
    assert dict(operators(relay.transform.ToMixedPrecision()(module)))["exp"] == "float32"


def test_operators_without_a_kind() -> None:
    assert "sin" not in KINDS
    x = relay.var("x", shape=(4, 8))
    module = kc.IRModule.from_expr(relay.Function([x], relay.sin(x)))
    with pytest.raises(GraphError, match="KC2472.*sin may be narrow"):
        relay.transform.ToMixedPrecision("float16", 0)(module)
    told: list[str] = []
    with diagnostic_handler(lambda warning: told.append(warning.code)):
        relay.transform.ToMixedPrecision("float16", 2)(module)
        assert not told
        relay.transform.ToMixedPrecision()(module)
    assert told == ["KC2472"]
    for wrong in ({"mixed_precision_type": "float8"}, {"missing_op_mode": 3}):
        with pytest.raises(GraphError, match="KC2460"):
            relay.transform.ToMixedPrecision(**wrong)(module)


def test_names_of_kinds_are_operators() -> None:
    from kc.dialects.graph.declaration import all_operators

    assert KINDS.keys() <= all_operators().keys()
