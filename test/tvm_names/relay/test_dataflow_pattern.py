"""Patterns of expressions: what they match, partition and rewrite.

Programs of the kinds of TVM 0.9's tests of ``relay.dataflow_pattern``. What is rewritten or
partitioned computes the same as before, by the interpreter of graphs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
import kc.ir
from kc import relay
from kc.error import GraphError
from kc.graph.interpreter import Interpreter
from kc.relay.dataflow_pattern import (
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DFPatternCallback,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    VarPattern,
    dominates,
    has_attr,
    has_dtype,
    has_shape,
    has_type,
    is_constant,
    is_expr,
    is_if,
    is_let,
    is_op,
    is_tuple,
    is_tuple_get_item,
    is_var,
    match,
    rewrite,
    wildcard,
)

K_ELEMWISE, K_BROADCAST = 0, 1


def variables(names: str, shape: tuple[int, ...] = (4, 4)) -> list[relay.Var]:
    return [relay.var(name, shape=shape) for name in names.split()]


def conv(data: Any, weight: Any, **options: Any) -> Any:
    return relay.nn.conv2d(data, weight, channels=4, kernel_size=(1, 1), **options)


def computes_the_same(before: relay.Expr, after: relay.Expr) -> None:
    """Both expressions give the same values for the same random arguments."""
    names = {v.name_hint: v for v in relay.analysis.free_vars(before)}
    own = {v.name_hint: v for v in relay.analysis.free_vars(after)}
    generator = np.random.default_rng(0)
    values = {
        name: generator.uniform(0.5, 2, v.type_annotation.shape).astype(v.type_annotation.dtype)
        for name, v in names.items()
        if isinstance(v.type_annotation, relay.TensorType)
    }
    assert own.keys() <= names.keys()
    first = Interpreter(kc.IRModule.from_expr(relay.Function(list(names.values()), before)))
    second = Interpreter(kc.IRModule.from_expr(relay.Function(list(own.values()), after)))
    expected = first.run(*(values[name] for name in names))
    actual = second.run(*(values[name] for name in own))
    np.testing.assert_allclose(actual, expected, rtol=1e-5)


def equal(lhs: relay.Expr, rhs: relay.Expr) -> bool:
    return kc.ir.structural_equal(lhs, rhs)


# What patterns are


def test_the_parts_of_patterns():
    x = relay.var("x")
    constant = relay.const(2.0)
    add = is_op("add")(is_var("x"), is_constant())
    assert isinstance(add, CallPattern)
    assert isinstance(add.op, ExprPattern)
    assert add.op.expr == relay.op.get("add")
    assert [type(arg) for arg in add.args or ()] == [VarPattern, ConstantPattern]
    assert is_expr(constant).expr is constant
    assert is_var("x").name == "x"
    assert is_tuple(None).fields is None
    assert is_tuple_get_item(wildcard(), 3).index == 3
    assert is_tuple_get_item(wildcard()).index == -1
    either = add | wildcard()
    assert either.left is add
    kind = relay.TensorType((10, 10), "float32")
    assert has_type(kind).type == kind
    assert has_dtype("float32").dtype == "float32"
    assert has_shape([10, 10]).shape == (10, 10)
    assert isinstance(has_attr({"axis": 1}), AttrPattern)
    assert add.has_attr({"axis": 1}).attrs == {"axis": 1}
    function = FunctionPattern([wildcard()], wildcard())
    assert len(function.params or ()) == 1
    chosen = is_if(is_var("c"), wildcard(), is_constant())
    assert isinstance(chosen.false_branch, ConstantPattern)
    bound = is_let(is_var("v"), is_constant(), is_expr(x))
    assert isinstance(bound.value, ConstantPattern)
    assert isinstance(dominates(add, wildcard(), add), DominatorPattern)
    assert repr(is_op("add")(wildcard(), None or wildcard())) == (
        "CallPattern(is_op(add), WildcardPattern(), WildcardPattern())"
    )


# What patterns match


def cases() -> dict[str, tuple[Any, list[Any], list[Any]]]:
    """Name -> pattern, expressions that match, expressions that do not."""
    x, y, w, b = variables("x y w b")
    c = relay.var("c", shape=(), dtype="bool")
    half = relay.var("h", shape=(4, 4), dtype="float16")
    unit, two = relay.const(1.0), relay.const(2.0)
    image, kernel = relay.var("i", shape=(1, 4, 8, 8)), relay.var("k", shape=(4, 4, 1, 1))
    v = relay.var("v")
    unary = relay.Function([x], relay.exp(x))
    shared = wildcard()
    diamond = relay.nn.relu(x)
    elementwise = wildcard().has_attr({"TOpPattern": K_ELEMWISE})
    return {
        "variable": (is_var("x"), [x], [y, unit]),
        "any variable": (is_var(), [x, y], [x + y]),
        "constant": (is_constant(), [unit], [x]),
        "constant of a value": (is_expr(relay.const(1.0)), [unit], [two, relay.const(1)]),
        "wildcard": (wildcard(), [x, unit, unary, relay.Tuple([])], []),
        "operator": (is_op("add"), [relay.op.get("add")], [relay.op.get("subtract"), x]),
        "one of two operators": (
            is_op("add") | is_op("subtract"),
            [relay.op.get("add"), relay.op.get("subtract")],
            [relay.op.get("multiply")],
        ),
        "call": (is_op("add")(is_var("x"), is_var("y")), [x + y], [x + w, x - y]),
        "call, operands exchanged": (
            is_op("add")(is_var("x"), is_var("y")),
            [y + x],
            [relay.maximum(y, x)],
        ),
        "difference, operands exchanged": (
            is_op("subtract")(is_var("x"), is_var("y")),
            [x - y],
            [y - x],
        ),
        "call of any arguments": (is_op("add")(None), [x + y, x + unit], [x * y]),
        "other number of arguments": (is_op("nn.relu")(wildcard(), wildcard()), [], [diamond]),
        "operators of patterns": (
            (is_var("x") + is_var("y")) * is_var("w") - is_var("b") / wildcard(),
            [(x + y) * w - b / two, w * (y + x) - b / x],
            [(x + y) * w - two / b],
        ),
        "product and quotient": (
            is_op("divide")(is_op("multiply")(is_var("x"), is_var("y")), is_var("w")),
            [x * y / w, x * (y / w), y * (x / w), (x / w) * y],
            [x * w / y],
        ),
        "quotient and product": (
            is_op("multiply")(is_op("divide")(is_var("x"), is_var("y")), is_var("w")),
            [x / y * w, x * w / y],
            [x * y / w],
        ),
        "function": (
            FunctionPattern([wildcard()], is_op("exp")(wildcard())),
            [unary],
            [relay.Function([x], relay.log(x)), relay.Function([x, y], relay.exp(x)), x],
        ),
        "function of any parameters": (
            FunctionPattern(None, wildcard()),
            [unary, relay.Function([], unit)],
            [x],
        ),
        "call of a function": (
            FunctionPattern([wildcard()], wildcard())(is_var("y")),
            [unary(y)],
            [unary(w), relay.exp(y)],
        ),
        "if": (
            is_if(is_var("c"), is_op("exp")(wildcard()), is_var("y")),
            [relay.If(c, relay.exp(x), y)],
            [relay.If(c, relay.log(x), y), relay.If(c, relay.exp(x), x), x],
        ),
        "let": (
            is_let(is_var("v"), is_var("x"), wildcard() + wildcard()),
            [relay.Let(v, x, v + v)],
            [relay.Let(v, y, v + v), relay.Let(v, x, v - v)],
        ),
        "optional part": (
            is_op("nn.conv2d")(wildcard(), wildcard()).optional(lambda p: is_op("nn.relu")(p)),
            [conv(image, kernel), relay.nn.relu(conv(image, kernel))],
            [diamond, relay.tanh(conv(image, kernel))],
        ),
        "tuple": (
            is_tuple([is_var("x"), wildcard()]),
            [relay.Tuple([x, y])],
            [relay.Tuple([y, x]), relay.Tuple([x])],
        ),
        "any tuple": (is_tuple(), [relay.Tuple([]), relay.Tuple([x])], [x]),
        "field": (
            is_tuple_get_item(wildcard(), 1),
            [relay.TupleGetItem(relay.Tuple([x, y]), 1)],
            [relay.TupleGetItem(relay.Tuple([x, y]), 0)],
        ),
        "any field": (
            is_tuple_get_item(is_tuple([is_var("x"), wildcard()])),
            [relay.TupleGetItem(relay.Tuple([x, y]), i) for i in (0, 1)],
            [relay.TupleGetItem(relay.Tuple([y]), 0)],
        ),
        "type": (
            is_op("exp")(wildcard()).has_type(relay.TensorType((4, 4), "float32")),
            [relay.exp(x)],
            [relay.exp(half), relay.log(x)],
        ),
        "dtype": (has_dtype("float16"), [half, half + half], [x, relay.Tuple([half])]),
        "shape": (
            has_shape((4,)),
            [relay.sum(x, axis=0)],
            [x, relay.sum(x)],
        ),
        "type of the operand": (
            is_op("nn.relu")(has_shape((4, 4))),
            [relay.nn.relu(x + unit)],
            [relay.nn.relu(relay.sum(x))],
        ),
        "attribute of an operator": (
            is_op("add").has_attr({"TOpPattern": K_BROADCAST}),
            [relay.op.get("add")],
            [relay.op.get("subtract")],
        ),
        "attribute of any operator": (
            elementwise(None),
            [diamond, relay.exp(x)],
            [x + y, relay.sum(x)],
        ),
        "attribute of a call": (
            is_op("nn.conv2d")(wildcard(), wildcard()).has_attr({"data_layout": "NCHW"}),
            [conv(image, kernel)],
            [conv(image, kernel, data_layout="NHWC", kernel_layout="HWIO")],
        ),
        "several attributes of a call": (
            is_op("nn.conv2d")(wildcard(), wildcard()).has_attr(
                {"strides": [2, 2], "groups": 1, "kernel_size": (1, 1)}
            ),
            [conv(image, kernel, strides=(2, 2))],
            [conv(image, kernel), conv(image, kernel, strides=(2, 1))],
        ),
        "attribute that is none": (
            wildcard().has_attr({"no_such": 1}),
            [],
            [diamond, relay.op.get("add"), unary, x],
        ),
        "attribute of a function": (
            wildcard().has_attr({"Composite": "add"}),
            [unary.with_attr("Composite", "add")],
            [unary, unary.with_attr("Composite", "sub")],
        ),
        "one operand twice": (
            is_op("add")(is_op("exp")(shared), is_op("log")(shared)),
            [relay.exp(x) + relay.log(x)],
            [relay.exp(x) + relay.log(y)],
        ),
        "diamond": (diamond_pattern(), [diamond_of(x, image, kernel)], [diamond_of(x, image)]),
    }


def diamond_pattern() -> Any:
    base = is_op("nn.conv2d")(wildcard(), wildcard())
    return is_op("add")(is_op("nn.relu")(base), is_op("nn.leaky_relu")(base))


def diamond_of(x: Any, image: Any, kernel: Any = None) -> Any:
    """One convolution with two activations that meet, or two convolutions."""
    if kernel is not None:
        base = second = conv(image, kernel)
    else:
        base, second = (conv(image, relay.var(n, shape=(4, 4, 1, 1))) for n in "ab")
    return relay.nn.relu(base) + relay.nn.leaky_relu(second, alpha=0.5)


@pytest.mark.parametrize("name", cases())
def test_matches(name: str):
    pattern, matches, rest = cases()[name]
    for expr in matches:
        assert pattern.match(expr), expr
        assert match(pattern, expr)
    for expr in rest:
        assert not pattern.match(expr), expr


# Dominators


def fuzzy() -> Any:
    """A convolution, elementwise operators on all ways, and a sum of them at the end."""
    is_conv = is_op("nn.conv2d")(wildcard(), wildcard())
    is_elementwise = wildcard().has_attr({"TOpPattern": K_ELEMWISE})(None)
    reduction = wildcard().has_attr({"TOpPattern": K_BROADCAST})(wildcard(), wildcard())
    return dominates(is_conv, is_elementwise | is_op("add")(wildcard(), wildcard()), reduction)


def test_dominators_match_paths_of_any_length():
    image, kernel, y = (
        relay.var("i", shape=(1, 4, 8, 8)),
        relay.var("k", shape=(4, 4, 1, 1)),
        relay.var("y", shape=(1, 4, 8, 8)),
    )
    base = conv(image, kernel)
    left = right = base
    for _ in range(3):
        left, right = relay.exp(left), relay.nn.relu(right)
    assert fuzzy().match(left + right)
    assert fuzzy().match(base + relay.exp(base))
    is_elementwise = wildcard().has_attr({"TOpPattern": K_ELEMWISE})(None)
    is_conv = is_op("nn.conv2d")(wildcard(), wildcard())
    only = (wildcard() + wildcard()).dominates(is_conv, is_elementwise)
    assert only.match(left + right)
    assert not only.match(left + relay.nn.relu(y))  # a way from elsewhere
    assert not only.match(relay.nn.softmax(left) + right)  # what is no part of the path
    unary = is_op("nn.relu")(wildcard()).dominates(is_conv)
    assert unary.match(relay.nn.relu(relay.nn.softmax(base)))
    assert not unary.match(relay.nn.relu(y))
    typed = is_op("nn.relu")(wildcard()).has_shape((1, 4, 8, 8)).dominates(is_conv)
    assert typed.match(relay.nn.relu(relay.exp(base)))
    assert not typed.match(relay.nn.relu(relay.sum(base, axis=0)))


def test_a_dominator_of_many_diamonds_is_matched_in_time():
    image, kernel = relay.var("i", shape=(1, 4, 8, 8)), relay.var("k", shape=(4, 4, 1, 1))
    y = conv(image, kernel)
    for _ in range(60):  # 2**60 ways
        y = relay.exp(y) + relay.nn.relu(y)
    is_conv = is_op("nn.conv2d")(wildcard(), wildcard())
    sums = is_op("add")(wildcard(), wildcard())
    assert sums.dominates(is_conv).match(y)


# Partitions


def partitioned(expr: Any) -> list[relay.Function]:
    """The functions that the partition has made."""
    functions: list[relay.Function] = []

    def visit(each: Any) -> None:
        if isinstance(each, relay.Function) and "PartitionedFromPattern" in each.attrs:
            functions.append(each)

    relay.analysis.post_order_visit(expr, visit)
    return functions


IMAGE = relay.var("image", shape=(1, 4, 6, 6))
KERNEL = relay.var("kernel", shape=(4, 4, 1, 1))
BIAS = relay.var("bias", shape=(4,))


def test_a_match_becomes_a_function_that_is_called():
    pattern = is_op("nn.relu")(
        is_op("nn.bias_add")(is_op("nn.conv2d")(wildcard(), wildcard()), wildcard())
    )
    expr = relay.exp(relay.nn.relu(relay.nn.bias_add(conv(IMAGE, KERNEL), BIAS)))
    after = pattern.partition(expr, attrs={"Composite": "conv_bias_relu"})
    a, b, c = relay.var("a"), relay.var("b"), relay.var("c")
    inner = relay.Function([a, b, c], relay.nn.relu(relay.nn.bias_add(conv(a, b), c)))
    inner = inner.with_attr("PartitionedFromPattern", "nn.conv2d_nn.bias_add_nn.relu_")
    inner = inner.with_attr("Composite", "conv_bias_relu")
    assert equal(after, relay.exp(inner(IMAGE, KERNEL, BIAS)))
    assert [p.name_hint for p in partitioned(after)[0].params] == [
        "FunctionVar_0_0",
        "FunctionVar_0_1",
        "FunctionVar_0_2",
    ]
    computes_the_same(expr, after)
    assert equal(pattern.partition(after), after)  # no match inside a function of a match


def test_each_match_has_a_function_of_its_own():
    x, y = variables("x y")
    pattern = is_op("nn.relu")(wildcard())
    expr = relay.nn.relu(relay.exp(relay.nn.relu(x))) + relay.nn.relu(y)
    after = pattern.partition(expr)
    assert len(partitioned(after)) == 3
    computes_the_same(expr, after)


def test_an_optional_part_is_taken_where_it_is():
    pattern = (
        is_op("nn.conv2d")(wildcard(), wildcard())
        .optional(lambda p: is_op("nn.bias_add")(p, wildcard()))
        .optional(lambda p: is_op("nn.relu")(p))
    )
    with_all = relay.nn.relu(relay.nn.bias_add(conv(IMAGE, KERNEL), BIAS))
    without_bias = relay.nn.relu(conv(IMAGE, KERNEL))
    for expr, name in (
        (with_all, "nn.conv2d_nn.bias_add_nn.relu_"),
        (without_bias, "nn.conv2d_nn.relu_"),
        (conv(IMAGE, KERNEL), "nn.conv2d_"),
    ):
        (function,) = partitioned(pattern.partition(expr))
        assert function.attrs["PartitionedFromPattern"] == name
        computes_the_same(expr, pattern.partition(expr))


def test_a_check_keeps_matches_as_they_are():
    pattern = is_op("nn.conv2d")(wildcard(), wildcard())
    expr = conv(conv(IMAGE, KERNEL), KERNEL, strides=(2, 2))

    def is_wide(root: Any) -> bool:
        return root.attrs.strides == (2, 2)

    after = pattern.partition(expr, check=is_wide)
    (function,) = partitioned(after)
    body: Any = function.body
    assert body.attrs.strides == (2, 2)
    assert equal(pattern.partition(expr, check=lambda root: False), expr)


def test_a_part_that_is_used_elsewhere_is_not_taken():
    pattern = is_op("nn.relu")(is_op("nn.conv2d")(wildcard(), wildcard()))
    base = conv(IMAGE, KERNEL)
    overused = relay.nn.relu(base) + relay.nn.relu(base)
    assert pattern.partition(overused) is overused
    fork = relay.Tuple([relay.nn.relu(base), base])
    assert pattern.partition(fork) is fork


def test_a_use_on_the_way_to_the_root_gets_a_copy():
    pattern = is_op("multiply")(
        is_op("add")(is_op("nn.conv2d")(wildcard(), wildcard()), wildcard()), wildcard()
    )
    total = conv(IMAGE, KERNEL) + relay.const(1.0)
    expr = total * relay.sigmoid(total)
    after = pattern.partition(expr)
    (function,) = partitioned(after)
    assert function.attrs["PartitionedFromPattern"] == "nn.conv2d_add_multiply_"
    computes_the_same(expr, after)


def test_constants_stay_where_the_pattern_asks_for_them():
    weights = relay.const(np.ones((4, 4, 1, 1), "f4"))
    expr = conv(IMAGE, weights)
    op = is_op("nn.conv2d")
    for weight, count in (
        (wildcard(), 2),
        (is_constant(), 1),
        (is_expr(weights), 1),
        (is_var() | is_constant(), 1),
        (is_constant() | wildcard(), 1),
        (wildcard() | is_constant(), 2),
    ):
        (function,) = partitioned(op(wildcard(), weight).partition(expr))
        assert len(function.params) == count
        computes_the_same(expr, op(wildcard(), weight).partition(expr))


def test_functions_stay_whole():
    x, y, z = variables("x y z")
    p, q = relay.var("p"), relay.var("q")
    function = relay.Function([p, q], relay.maximum(p, q))
    first, second = wildcard(), wildcard()
    pattern = FunctionPattern([first, second], is_op("maximum")(first, second))(
        wildcard(), wildcard()
    ) + (wildcard())
    expr = function(x, y) + z + z
    after = pattern.partition(expr)
    a, b, c = relay.var("a"), relay.var("b"), relay.var("c")
    inner = relay.Function([a, b, c], function(a, b) + c)
    name = "maximum_FunctionCall_add_"
    assert equal(after, inner.with_attr("PartitionedFromPattern", name)(x, y, z) + z)
    computes_the_same(expr, after)


@pytest.mark.parametrize("kind", ["any tuple", "fields", "any arguments"])
def test_values_of_any_number_become_arguments(kind: str):
    x, y, z = variables("x y z")
    taken = relay.concatenate(relay.Tuple([x, y, z]), axis=0)
    expr = relay.exp(taken)
    pattern: Any = {
        "any tuple": is_op("concatenate")(is_tuple(None)),
        "fields": is_op("concatenate")(is_tuple([wildcard(), wildcard(), wildcard()])),
        "any arguments": is_op("concatenate")(None),
    }[kind]
    after = pattern.partition(expr)
    (function,) = partitioned(after)
    assert len(function.params) == (1 if kind == "any arguments" else 3)
    computes_the_same(expr, after)


def test_partition_of_dominated_paths():
    left = right = conv(IMAGE, KERNEL)
    left, right = relay.exp(left), relay.nn.relu(relay.tanh(right))
    once = left + right
    after = fuzzy().partition(once)
    (function,) = partitioned(after)
    assert len(function.params) == 2
    computes_the_same(once, after)
    twice = conv(once, KERNEL)
    twice = relay.exp(twice) + relay.nn.relu(twice)
    after = fuzzy().partition(twice)
    assert len(partitioned(after)) == 2
    computes_the_same(twice, after)


def test_partition_below_if_and_let():
    x, y = variables("x y")
    c = relay.var("c", shape=(), dtype="bool")
    v = relay.var("v")
    expr = relay.Let(v, x + y, relay.If(c, (v - y) * y, v - y))
    after = (is_op("subtract")(wildcard(), wildcard())).partition(expr)
    assert len(partitioned(after)) == 2
    whole = is_let(is_var("v"), wildcard(), is_if(is_var("c"), wildcard(), wildcard()))
    assert whole.match(expr)


def test_branches_of_one_input():
    x, y = variables("x y")
    source = wildcard()
    pattern = is_op("subtract")(is_op("multiply")(source, wildcard()), is_op("exp")(source))
    expr = relay.tanh(x * y - relay.exp(x))
    after = pattern.partition(expr)
    (function,) = partitioned(after)
    assert len(function.params) == 2
    computes_the_same(expr, after)


def test_a_pattern_that_refers_to_itself():
    x, y = variables("x y")
    chain = wildcard()
    link = is_op("nn.relu")(chain) | is_op("tanh")(chain)
    chain.redirect_to(link | is_op("add")(wildcard(), wildcard()))
    expr = relay.nn.relu(relay.tanh(relay.nn.relu(x + y)))
    assert link.match(expr)
    assert not link.match(relay.nn.relu(relay.exp(x + y)))


# Rewriting


class SubtractToDifference(DFPatternCallback):
    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.left, self.right = wildcard(), wildcard()
        self.pattern = self.left - self.right

    def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
        return node_map[self.left][0] + relay.negative(node_map[self.right][0])


def test_rewrite_all_matches():
    x, y, z = variables("x y z")
    expr = relay.exp((x - y) - (z - y))
    after = rewrite(SubtractToDifference(), expr)
    assert "subtract" not in after.astext()
    assert equal(after, relay.exp((x + relay.negative(y)) + relay.negative(z + relay.negative(y))))
    computes_the_same(expr, after)
    assert equal(SubtractToDifference().rewrite(expr), after)


def test_rewrite_inside_functions():
    x, y = variables("x y")
    function = relay.Function([x, y], x - y)
    after = rewrite(SubtractToDifference(), function)
    assert equal(after, relay.Function([x, y], x + relay.negative(y)))
    assert equal(rewrite(SubtractToDifference(), function(x, y)), after(x, y))


def test_the_expressions_of_a_callback_are_the_rewritten_ones():
    x, y, z = variables("x y z")
    seen: list[tuple[str, str]] = []

    class Peek(SubtractToDifference):
        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            seen.append((pre.args[0].astext(), node_map[self.left][0].astext()))
            assert node_map[self.pattern] == [post]
            return super().callback(pre, post, node_map)

    rewrite(Peek(rewrite_once=True), (x - y) - z)
    assert len(seen) == 2
    assert ("subtract" in seen[1][0], "negative" in seen[1][1]) == (True, True)


def test_several_callbacks():
    x, y = variables("x y")

    class NegativeToProduct(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.x = wildcard()
            self.pattern = is_op("negative")(self.x)

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            return node_map[self.x][0] * relay.const(-1.0)

    after = rewrite([NegativeToProduct(), SubtractToDifference()], x - y)
    assert equal(after, x + y * relay.const(-1.0))
    computes_the_same(x - y, after)


class Normalize(DFPatternCallback):
    """gamma * (x - mean) / sqrt(var + eps) + beta becomes one operator."""

    def __init__(self) -> None:
        super().__init__()
        self.x, self.var, self.mean, self.beta, self.gamma, self.eps = (
            wildcard() for _ in range(6)
        )
        self.pattern = (
            self.gamma * (self.x - self.mean) / is_op("sqrt")(self.var + self.eps) + self.beta
        )

    def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
        x, var, mean, beta, gamma = (
            node_map[each][0] for each in (self.x, self.var, self.mean, self.beta, self.gamma)
        )
        eps = float(node_map[self.eps][0].data.numpy())
        return relay.nn.batch_norm(x, gamma, beta, mean, var, epsilon=eps)[0]


def normalized(x: Any, form: int = 0) -> Any:
    mean, var, beta, gamma = (relay.var(n, shape=(4,)) for n in ("mean", "var", "beta", "gamma"))
    root = relay.sqrt(var + relay.const(1e-5))
    return [
        gamma * (x - mean) / root + beta,
        beta + (x - mean) * gamma / root,
        gamma * ((x - mean) / root) + beta,
        (x - mean) * (gamma / root) + beta,
    ][form]


@pytest.mark.parametrize("form", range(4))
def test_a_norm_is_recognised_in_each_form(form: int):
    x = relay.var("x", shape=(3, 4))
    expr = normalized(x, form)
    after: Any = rewrite(Normalize(), expr)
    assert after.tuple_value.op.name == "nn.batch_norm"
    computes_the_same(expr, after)


def test_norms_after_one_another_and_parts_of_one():
    x = relay.var("x", shape=(3, 4))
    twice = rewrite(Normalize(), normalized(normalized(x)))
    assert twice.astext().count("nn.batch_norm") == 2
    part = x - relay.var("mean", shape=(4,))
    assert rewrite(Normalize(), part) is part


def test_rewrite_once_does_not_search_its_results():
    x = relay.var("x", shape=(2, 2))

    class Deeper(DFPatternCallback):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.x = wildcard()
            self.pattern = is_op("exp")(self.x)

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            return relay.exp(relay.exp(node_map[self.x][0]))

    class Exchange(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__()
            self.x, self.y = wildcard(), wildcard()
            self.pattern = is_op("subtract")(self.x, self.y)

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            return node_map[self.y][0] - node_map[self.x][0]

    assert equal(rewrite(Deeper(rewrite_once=True), relay.exp(x)), relay.exp(relay.exp(x)))
    for callback, expr in ((Deeper(), relay.exp(x)), (Exchange(), x - relay.const(1.0))):
        with pytest.raises(GraphError) as caught:
            rewrite(callback, expr)
        assert caught.value.code == "KC2491"
        assert type(callback).__name__ in str(caught.value)


def test_types_are_there_when_a_callback_asks():
    x = relay.var("x", shape=(3, 4))

    class ReshapeToFlatten(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__(require_type=True)
            self.x = wildcard()
            self.pattern = is_op("nn.batch_flatten")(self.x)

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            shape = pre.args[0].checked_type.shape
            return relay.reshape(node_map[self.x][0], (shape[0], -1))

    expr = relay.nn.batch_flatten(relay.exp(x) + relay.const(1.0))
    after: Any = rewrite(ReshapeToFlatten(), expr)
    assert after.op.name == "reshape"
    computes_the_same(expr, after)


def test_rewrite_of_a_dominated_path():
    is_conv = is_op("nn.conv2d")(wildcard(), wildcard())
    path = is_op("nn.relu")(wildcard()) | is_op("tanh")(wildcard())
    end = is_op("add")(wildcard(), wildcard())
    image, kernel = wildcard(), wildcard()
    is_conv = is_op("nn.conv2d")(image, kernel)

    class TwiceTheConvolution(DFPatternCallback):
        def __init__(self) -> None:
            super().__init__(rewrite_once=True)
            self.pattern = dominates(is_conv, path, end)

        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            base = conv(node_map[image][0], node_map[kernel][0])
            assert [call.op.name for call in node_map[path]] == ["nn.relu", "tanh"]
            return base + base

    base = conv(IMAGE, KERNEL)
    after = rewrite(TwiceTheConvolution(), relay.nn.relu(base) + relay.tanh(base))
    assert "relu" not in after.astext()


# Mistakes


def test_mistakes():
    x, y = variables("x y")

    class Nothing(DFPatternCallback):
        pass

    class Forgets(SubtractToDifference):
        def callback(self, pre: Any, post: Any, node_map: Any) -> Any:
            return None

    for code, make in (
        ("KC2404", lambda: is_op("nn.con2d")),
        ("KC2490", lambda: is_op("add")(x, wildcard())),
        ("KC2490", lambda: wildcard() | x),  # pyright: ignore
        ("KC2490", lambda: rewrite(Nothing(), x)),
        ("KC2490", lambda: rewrite(Forgets(), x - y)),
        ("KC2400", lambda: has_dtype("float32").match(x + relay.var("z", shape=(3, 3)))),
    ):
        with pytest.raises(GraphError) as caught:
            make()
        assert caught.value.code == code


def test_long_chains():
    x = relay.var("x", shape=(2,))
    y: Any = x
    for _ in range(2000):
        y = relay.exp(y) - relay.const(1.0)
    after = rewrite(SubtractToDifference(), y)
    assert after.astext().count("negative") == 2000
    assert len(partitioned(is_op("exp")(wildcard()).partition(y))) == 2000
