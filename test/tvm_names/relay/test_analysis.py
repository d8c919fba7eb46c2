"""``relay.analysis``, passes of functions, loops, modules that grow: facts by first principles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
import kc.ir
from kc import relay
from kc.error import CodegenError, GraphError
from kc.graph.interpreter import Interpreter
from kc.relay import analysis, testing
from kc.tvm.relay.feature import Feature

X, Y = relay.var("x", shape=(2, 3)), relay.var("y", shape=(2, 3))
C = relay.var("c", shape=(), dtype="bool")


def names(variables: Any) -> list[str]:
    return [variable.name_hint for variable in variables]


def test_variables():
    v, f = relay.var("v"), relay.Function([X], X + Y)
    expr = relay.Let(v, f(X), v * v)
    assert names(analysis.free_vars(expr)) == ["y"] or "x" in names(analysis.free_vars(expr))
    assert set(names(analysis.all_vars(expr))) == {"x", "y", "v"}
    assert names(analysis.bound_vars(f)) == ["x"]
    assert names(analysis.free_vars(f)) == ["y"]


def test_type_parameters():
    a, b = relay.TypeVar("a"), relay.TypeVar("b")
    x = relay.var("x", a)
    y = relay.var("y", relay.TupleType([a, b]))
    f = relay.Function([x, y], x, a, [a])
    assert analysis.bound_type_vars(f) == [a]
    assert analysis.free_type_vars(f) == [b]
    assert analysis.all_type_vars(f) == [a, b]
    assert analysis.free_type_vars(relay.FuncType([a], b)) == [a, b]
    assert analysis.check_kind(relay.TensorType((1,))) == relay.TypeKind.Type


def test_well_formed():
    v, w = relay.var("v"), relay.var("w")
    bound = relay.Let(v, relay.exp(X), v + v)
    assert analysis.well_formed(bound)
    assert analysis.well_formed(relay.Function([X], bound))
    assert not analysis.well_formed(relay.Let(v, X, bound))  # bound twice
    assert not analysis.well_formed(bound + v)  # used outside
    assert not analysis.well_formed(relay.Let(w, relay.exp(w), w))
    loop = relay.Function([X], w(X))
    assert analysis.well_formed(relay.Let(w, loop, w(Y)))  # recursion


def test_basic_block_normal_form():
    shared = relay.exp(X)
    expr = relay.If(C, shared + X, shared)
    assert not analysis.check_basic_block_normal_form(expr)
    assert analysis.check_basic_block_normal_form(relay.If(C, relay.exp(X), X))
    v = relay.var("v")
    assert analysis.check_basic_block_normal_form(relay.Let(v, shared, relay.If(C, v + X, v)))
    assert analysis.check_basic_block_normal_form(shared + shared)


def test_operators_of_a_module():
    main = relay.Function([X], relay.exp(X) + relay.exp(relay.GlobalVar("g")(X)))
    mod = kc.IRModule({"g": relay.Function([Y], relay.exp(Y)), "main": main})
    assert analysis.list_op_freqs(mod) == {"exp": 3, "add": 1}
    deep = relay.exp(relay.nn.relu(relay.exp(X)) + relay.exp(Y))
    assert analysis.count_layers(deep, ["exp"]) == 2
    assert analysis.count_layers(deep, ["nn.relu", "exp", "add"]) == 4
    assert analysis.all_dtypes(relay.cast(X, "int8")) == {"float32", "int8"}


def test_multiplications():
    data, w = relay.var("d", shape=(2, 8, 10, 10)), relay.var("w", shape=(4, 4, 3, 3))
    grouped = relay.nn.conv2d(data, w, channels=4, kernel_size=(3, 3), groups=2)
    images = 2 * 4 * 8 * 8 * (4 * 3 * 3)
    assert analysis.get_total_mac_number(grouped) == images
    nhwc = relay.nn.conv2d(
        relay.var("d", shape=(2, 10, 10, 8)),
        relay.var("w", shape=(3, 3, 8, 4)),
        channels=4,
        kernel_size=(3, 3),
        data_layout="NHWC",
        kernel_layout="HWIO",
    )
    assert analysis.get_total_mac_number(nhwc) == 2 * 4 * 8 * 8 * (8 * 3 * 3)
    depthwise = relay.nn.conv2d(
        relay.var("d", shape=(1, 10, 10, 8)),
        relay.var("w", shape=(3, 3, 8, 1)),
        channels=8,
        kernel_size=(3, 3),
        groups=8,
        data_layout="NHWC",
        kernel_layout="HWOI",
    )
    assert analysis.get_total_mac_number(depthwise) == 8 * 8 * 8 * 9
    transposed = relay.nn.conv2d_transpose(
        relay.var("d", shape=(1, 6, 5, 5)),
        relay.var("w", shape=(6, 4, 2, 2)),
        channels=4,
        kernel_size=(2, 2),
        strides=(2, 2),
    )
    assert analysis.get_total_mac_number(transposed) == 25 * 6 * 4 * 4
    dense = relay.nn.dense(X, relay.var("w", shape=(5, 3)))
    assert analysis.get_total_mac_number(relay.nn.relu(dense)) == 2 * 5 * 3
    batched = relay.nn.batch_matmul(
        relay.var("a", shape=(7, 2, 3)), relay.var("b", shape=(7, 5, 3))
    )
    assert analysis.get_total_mac_number(batched) == 7 * 2 * 5 * 3
    # 1.814 thousand millions, as tables of ResNet-18 have it
    macs = analysis.get_total_mac_number(
        testing.run_infer_type(testing.resnet.get_net(1, 1000, 18))
    )
    assert 1.81e9 < macs < 1.83e9


def test_features():
    shared = relay.exp(X)
    found_in = analysis.detect_feature(shared + shared)
    assert found_in == {Feature.fCall, Feature.fOp, Feature.fGraph, Feature.fVar} | found_in
    assert Feature.fGraph in found_in
    assert Feature.fIf not in found_in
    assert Feature.fGraph not in analysis.detect_feature(relay.exp(X))
    w = relay.var("w")
    recursive = relay.Let(w, relay.Function([X], w(X)), w)
    assert {Feature.fLetRec, Feature.fLet, Feature.fFunction} <= analysis.detect_feature(recursive)
    mod = kc.IRModule({"main": relay.Function([X, C], relay.If(C, X, relay.const(1.0) * X))})
    features = analysis.detect_feature(mod)
    assert {Feature.fIf, Feature.fConstant} <= features


def test_parts_of_modules():
    x, w = relay.var("x", shape=(1, 8)), relay.var("w", shape=(4, 8))
    body = relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, w)))
    mod = kc.IRModule.from_expr(relay.Function([x, w], body))
    groups = analysis.extract_fused_functions(mod)
    operators = sorted(
        "+".join(sorted(testing.count_ops(function.body))) for function in groups.values()
    )
    assert operators == ["nn.dense+nn.relu", "nn.softmax"]
    first = analysis.extract_intermdeiate_expr(mod, 0)["main"]
    assert first.body.op.name == "nn.dense"
    with pytest.raises(GraphError) as caught:
        analysis.extract_intermdeiate_expr(mod, 9)
    assert caught.value.code == "KC2403"
    turned = relay.nn.dense(x, relay.transpose(relay.var("v", shape=(8, 4)), axes=[1, 0]))
    assert analysis.search_fc_transpose(turned) == ["v"]
    assert analysis.search_fc_transpose(body) == []


def test_passes_of_functions():
    @relay.transform.function_pass(opt_level=1, name="twice")
    def twice(func: Any, mod: Any, ctx: Any) -> Any:
        return relay.Function(func.params, func.body + func.body)

    @relay.transform.function_pass(opt_level=1)
    class Scale:
        def __init__(self, factor: float) -> None:
            self.factor = factor

        def transform_function(self, func: Any, mod: Any, ctx: Any) -> Any:
            return relay.Function(func.params, func.body * relay.const(self.factor))

    @kc.transform.module_pass(opt_level=1)
    class Extend:
        def __init__(self, function: Any) -> None:
            self.function = function

        def transform_module(self, mod: Any, ctx: Any) -> Any:
            mod["added"] = self.function
            return mod

    mod = kc.IRModule.from_expr(relay.Function([X], relay.exp(X)))
    assert str(mod) == str(kc.IRModule.from_expr(relay.exp(X)))
    after = kc.transform.Sequential([twice, Scale(3.0), Extend(relay.Function([Y], Y))])(mod)
    assert sorted(after.functions) == ["added", "main"]
    assert "graph.multiply" not in str(mod)
    x = np.ones((2, 3), "f4")
    np.testing.assert_allclose(Interpreter(after).run(x), 6 * np.exp(x), rtol=1e-6)
    assert Scale(2.0).info.name == "Scale"
    with pytest.raises(CodegenError, match="KC4505"):
        relay.transform.function_pass(lambda func, mod, ctx: func.body, opt_level=0)(mod)


def test_passes_on_expressions():
    folded = relay.transform.FoldConstantExpr(relay.const(2.0) * relay.const(3.0) + X)
    kc.ir.assert_structural_equal(folded, relay.const(6.0) + X)
    form = relay.transform.ToANormalFormExpr(relay.exp(relay.exp(X)))
    assert isinstance(form, relay.Let)
    assert names(analysis.free_vars(form)) == ["x"]


def test_modules_grow():
    mod = kc.IRModule()
    mod["g"] = relay.Function([Y], relay.exp(Y))
    g = mod.get_global_var("g")
    mod["main"] = relay.Function([X], g(X) if callable(g) else relay.GlobalVar(g)(X))
    assert "main" in mod
    assert relay.GlobalVar("other") not in mod
    x = np.ones((2, 3), "f4")
    np.testing.assert_allclose(Interpreter(mod).run(x), np.exp(x), rtol=1e-6)
    mod.update_func(g, relay.Function([Y], Y + Y))
    np.testing.assert_allclose(Interpreter(mod).run(x), x + x)
    before = str(mod)
    with pytest.raises(GraphError):
        mod["main"] = relay.Function([X], relay.nn.dense(X, relay.var("w", shape=(4, 9))))
    assert str(mod) == before


def test_values_in_place_of_variables():
    f = relay.Function([X, Y], X - Y)
    bound = relay.bind(f, {Y: relay.const(np.ones((2, 3), "f4"))})
    assert names(bound.params) == ["x"]
    kc.ir.assert_structural_equal(relay.bind(X - Y, {X: Y}), Y - Y)
    mod, params = relay.optimize(kc.IRModule.from_expr(f), params={"y": np.ones((2, 3), "f4")})
    assert params == {}
    x = np.full((2, 3), 3, "f4")
    np.testing.assert_allclose(Interpreter(mod).run(x), x - 1)


def test_operators_as_values():
    add = relay.op.get("add")
    assert add == relay.Op.get("add")
    assert add.get_attr("TOpPattern") == 1
    assert not add.has_attr("target.mine")
    add.set_attr("target.mine", True)
    assert add.get_attr("target.mine")
    assert "nn.conv2d" in relay.Op.list_op_names()
    with pytest.raises(GraphError, match="KC2404"):
        relay.Op.get("nn.no_such")


def test_functions_of_several_operators():
    run = relay.create_executor().evaluate
    np.testing.assert_array_equal(run(relay.arange(relay.const(4.0))).numpy(), np.arange(4))
    numbers = run(relay.arange(2, 9, 3, dtype="int32")).numpy()
    np.testing.assert_array_equal(numbers, [2, 5, 8])
    np.testing.assert_array_equal(run(relay.clip(relay.const([1.0, 9.0]), 2, 5)).numpy(), [2, 5])
    x = np.arange(12, dtype="f4").reshape(4, 3)
    data = relay.const(x)
    np.testing.assert_allclose(run(relay.variance(data, 1)).numpy(), x.var(1))
    np.testing.assert_allclose(
        run(relay.variance(data, 1, unbiased=True)).numpy(), x.var(1, ddof=1)
    )
    mean = relay.const(np.zeros((4, 1), "f4"))
    around_zero = run(relay.variance(data, 1, with_mean=mean)).numpy()
    np.testing.assert_allclose(around_zero, (x**2).mean(1))
    sums = run(relay.op.segment_sum(data, relay.const([0, 2, 0, 2]), 3)).numpy()
    np.testing.assert_allclose(sums, [x[0] + x[2], np.zeros(3), x[1] + x[3]])
    with pytest.raises(GraphError, match="KC2401"):
        relay.op.segment_sum(data, relay.const([0, 2, 0, 2]))
    assert relay.nn.get_pad_tuple2d(3) == (3, 3, 3, 3)
    assert relay.nn.get_pad_tuple2d((1, 2)) == (1, 2, 1, 2)
    assert relay.nn.get_pad_tuple3d([1] * 6) == (1,) * 6
    with pytest.raises(GraphError, match="KC2405"):
        relay.nn.get_pad_tuple1d((1, 2, 3))
    dense = np.array([[1, 0, 2], [0, 0, 3]], "f4")  # its rows hold 2 and 1 elements
    parts = [np.array([1, 2, 3], "f4"), np.array([0, 2, 2], "i4"), np.array([0, 2, 3], "i4")]
    product = run(relay.nn.sparse_dense(data, [relay.const(part) for part in parts])).numpy()
    np.testing.assert_allclose(product, x @ dense.T)


def test_random_numbers():
    key = relay.random.threefry_key(7)
    following, numbers = relay.random.uniform(key, (200, 5), low=2.0, high=3.0)
    _, again = relay.random.uniform(key, (200, 5), low=2.0, high=3.0)
    _, rest = relay.random.normal(following, (4000,), mean=5.0, scale=2.0)
    values = relay.create_executor().evaluate(relay.Tuple([numbers, again, rest]))
    first, same, normals = (value.numpy() for value in values)
    assert (first == same).all()
    assert 2 <= first.min() < first.max() < 3
    assert abs(normals.mean() - 5) < 0.2
    assert abs(normals.std() - 2) < 0.2


def test_loops():
    i, total = relay.var("i", shape=(), dtype="int32"), relay.var("t", shape=(2,))
    step = relay.const(1)
    loop = relay.while_loop(
        lambda i, total: i < relay.const(5), [i, total], lambda i, total: [i + step, total * total]
    )
    start = relay.var("s", shape=(2,))
    f = relay.Function([start], loop(relay.const(3), start)[1])
    run = Interpreter(kc.IRModule.from_expr(f)).run
    np.testing.assert_allclose(run(np.array([2, 3], "f4")), [16, 81])
