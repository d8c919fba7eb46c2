"""Gradients of graphs, against central differences of the graphs themselves."""

from __future__ import annotations

import contextlib
import importlib
from typing import Any

import numpy as np
import pytest
from graph_programs import parsed
from operator_cases import Case, array_of
from property_tests import sliced
from random_graphs import random_arguments, random_graph
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.ir import Block, Region, SSAValue

import kc
from kc import relay
from kc.dialects.graph.declaration import RelationError, call
from kc.dialects.graph.functions import FuncOp, ReturnOp
from kc.dialects.graph.operators.differentiation import leaves
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp
from kc.graph.passes.first_order_gradient import differentiate
from kc.support.diagnostics import GraphError

MODULES = (
    "broadcast dynamic elementwise nn nn_images nn_products placing qnn shape slicing vision"
).split()
CASES: list[Case] = [
    each for module in MODULES for each in importlib.import_module(f"test_operators_{module}").CASES
]
REFUSED = {
    "dyn.tile": "the sizes of its result depend on the elements of reps",
    "dyn.topk": "the sizes of its result depend on the elements of k",
    "vision.get_valid_counts": "valid_counts_v1 is the result of a te.extern",
    "vision.non_max_suppression": "nms is the result of a te.extern",
    "vision.roi_align": "it has own rules, for what flows to",
    "vision.roi_pool": "it has own rules, for what flows to",
}
"""The operators that have no gradient, and a part of the reason."""
EXACT = 2e-5
"""The largest error, relative to the largest number, in float64."""


def _graph(case: Case, arrays: list[np.ndarray]) -> tuple[ModuleOp, list[int]]:
    """The operator with its float results weighed, as a function; the operands that it takes."""
    taken = [n for n in range(len(arrays)) if n not in case.constants]
    specs = [TensorSpec(array.shape, str(array.dtype)) for array in arrays]
    block = Block(arg_types=[specs[n].type for n in taken])
    values: list[SSAValue] = []
    for n, array in enumerate(arrays):
        if n in taken:
            values.append(block.args[taken.index(n)])
        else:
            values.append(_add(block, ConstantOp.of(array)))
    result = _add(block, call(case.name, *values, **case.attributes))
    spec = spec_of(result.type)
    assert spec is not None
    rng = np.random.default_rng(7)
    weighed: list[SSAValue] = []
    for n, part in enumerate(leaves(spec)):
        if "float" in part.dtype and None not in part.shape:
            shape = tuple(size for size in part.shape if isinstance(size, int))
            weights = _add(block, ConstantOp.of(rng.uniform(0.5, 1.5, shape).astype(part.dtype)))
            value = result
            if not isinstance(spec, TensorSpec):
                value = _add(block, TupleGetItemOp(result, n))
            weighed.append(_add(block, call("multiply", value, weights)))
    whole = _add(block, TupleOp(weighed))
    block.add_op(ReturnOp(whole))
    type_ = FunctionType.from_lists([argument.type for argument in block.args], [whole.type])
    return ModuleOp([FuncOp("main", type_, Region(block))]), taken


def _add(block: Block, op: Any) -> SSAValue:
    block.add_op(op)
    return op.results[0]


def _prepared(case: Case, dtype: str = "float64") -> list[np.ndarray]:
    """The operands as floats of a dtype, a little beside ties and places without a slope."""
    rng = np.random.default_rng(3)
    arrays: list[np.ndarray] = []
    for n, operand in enumerate(case.operands):
        array = np.array(array_of(operand, n))
        if array.dtype.kind == "f" or "float" in str(array.dtype):
            array = array.astype(np.float64)
            if n not in case.constants:
                array = array + rng.uniform(0.01, 0.05, array.shape)
            array = array.astype(dtype)
        arrays.append(np.ascontiguousarray(array).reshape(array.shape))
    return arrays


def _flat(value: Any) -> list[np.ndarray]:
    if isinstance(value, tuple):
        return [leaf for part in value for leaf in _flat(part)]
    return [np.asarray(value)]


def check_gradient(module: ModuleOp, arguments: list[np.ndarray]) -> None:
    """Compare the gradient of @main with central differences along a random direction."""
    value = module.clone()
    differentiate(module, ["main"])
    module.verify()
    forward, backward = kc.graph.Interpreter(value), kc.graph.Interpreter(module)
    own, gradients = backward.run(*arguments)
    for got, expected in zip(_flat(own), _flat(forward.run(*arguments)), strict=True):
        np.testing.assert_array_equal(got, expected)
    assert len(gradients) == len(arguments)
    for index, (argument, gradient) in enumerate(zip(arguments, gradients, strict=True)):
        assert gradient.shape == argument.shape
        assert gradient.dtype == argument.dtype
        if argument.dtype.kind != "f":
            assert not np.any(gradient)
            continue
        if not argument.size:
            continue
        is_exact = all(part.dtype != np.float32 for part in (argument, *_flat(own)))
        step, exact = (1e-5, EXACT) if is_exact else (1e-2, 2e-2)
        direction = np.random.default_rng(index).uniform(-1, 1, argument.shape)
        sums = []
        for sign in (1, -1):
            moved = list(arguments)
            moved[index] = (argument + sign * step * direction).astype(argument.dtype)
            results = _flat(forward.run(*moved))
            sums.append(sum(float(part.sum()) for part in results if part.dtype.kind == "f"))
        expected = (sums[0] - sums[1]) / (2 * step)
        got = float((gradient * direction).sum())
        size = max(1.0, float(np.abs(gradient).max(initial=0)))
        assert abs(got - expected) <= exact * size, f"argument {index}: {got}, not {expected}"


@pytest.mark.parametrize("case", sliced(CASES, 8), ids=str)
def test_the_gradient_of_an_operator_is_that_of_central_differences(case: Case) -> None:
    arrays = _prepared(case)
    try:
        module, taken = _graph(case, arrays)
    except RelationError:
        arrays = _prepared(case, "float32")
        module, taken = _graph(case, arrays)
    if case.name in REFUSED:
        with contextlib.suppress(GraphError):  # another test says of what
            differentiate(module, ["main"])
        return
    check_gradient(module, [arrays[n] for n in taken])


def test_operators_without_a_gradient_are_refused_with_the_reason() -> None:
    names = {case.name: case for case in reversed(CASES) if case.name in REFUSED}
    assert names.keys() == REFUSED.keys()
    for name, case in names.items():
        arrays = _prepared(case)
        module, _ = _graph(case, arrays)
        before = str(module)
        with pytest.raises(GraphError, match="KC2480") as refused:
            differentiate(module, ["main"])
        assert REFUSED[name] in str(refused.value)
        assert str(module) == before


PROGRAMS = {
    "shared": """
graph.func @main(%x: MAT, %y: MAT) -> MAT {
  %0 = graph.multiply(%x, %y) : (MAT, MAT) -> MAT
  %1 = graph.tanh(%0) : (MAT) -> MAT
  %2 = graph.multiply(%1, %0) : (MAT, MAT) -> MAT
  %3 = graph.add(%2, %1) : (MAT, MAT) -> MAT
  %4 = graph.let "v" = %3 : MAT
  %5 = graph.multiply(%4, %x) : (MAT, MAT) -> MAT
  graph.return %5 : MAT
}""",
    "tuples": """
graph.func @main(%x: MAT, %y: MAT) -> tuple<MAT, tuple<MAT, tensor<si32>>> {
  %n = graph.constant dense<3> : tensor<si32>
  %t = graph.tuple(%x, %y) : MAT, MAT
  %u = graph.tuple(%t, %x) : PAIR, MAT
  %a = graph.tuple_get_item %u[0] : tuple<PAIR, MAT>
  %b = graph.tuple_get_item %a[1] : PAIR
  %c = graph.exp(%b) : (MAT) -> MAT
  %d = graph.tuple_get_item %u[1] : tuple<PAIR, MAT>
  %e = graph.multiply(%c, %d) : (MAT, MAT) -> MAT
  %v = graph.tuple(%c, %n) : MAT, tensor<si32>
  %r = graph.tuple(%e, %v) : MAT, tuple<MAT, tensor<si32>>
  graph.return %r : tuple<MAT, tuple<MAT, tensor<si32>>>
}""",
    "if": """
graph.func @main(%x: MAT, %y: MAT, %c: tensor<i1>) -> MAT {
  %0 = graph.exp(%x) : (MAT) -> MAT
  %1 = graph.if %c -> PAIR {
    %2 = graph.multiply(%0, %y) : (MAT, MAT) -> MAT
    %3 = graph.if %c -> MAT {
      %4 = graph.multiply(%2, %x) : (MAT, MAT) -> MAT
      graph.yield %4 : MAT
    } else {
      graph.yield %x : MAT
    }
    %5 = graph.tuple(%3, %2) : MAT, MAT
    graph.yield %5 : PAIR
  } else {
    %6 = graph.sin(%x) : (MAT) -> MAT
    %7 = graph.tuple(%6, %x) : MAT, MAT
    graph.yield %7 : PAIR
  }
  %8 = graph.tuple_get_item %1[0] : PAIR
  %9 = graph.multiply(%8, %0) : (MAT, MAT) -> MAT
  graph.return %9 : MAT
}""",
    "calls": """
graph.func @main(%x: MAT, %y: MAT) -> MAT {
  %z = graph.sin(%y) : (MAT) -> MAT
  %f = graph.fn (%a: MAT) -> MAT {
    %b = graph.multiply(%a, %z) : (MAT, MAT) -> MAT
    graph.return %b : MAT
  }
  %0 = graph.call_indirect %f(%x) : FUN, (MAT) -> MAT
  %1 = graph.call_indirect %f(%0) : FUN, (MAT) -> MAT
  %2 = graph.call @half(%1, %y) : (MAT, MAT) -> PAIR
  %3 = graph.tuple_get_item %2[1] : PAIR
  %g = graph.closure @mixed(%3) : (MAT) -> FUN
  %4 = graph.call_indirect %g(%0) : FUN, (MAT) -> MAT
  %h = graph.function_ref @tan : FUN
  %5 = graph.call_indirect %h(%4) : FUN, (MAT) -> MAT
  graph.return %5 : MAT
}
graph.func @half(%a: MAT, %b: MAT) -> PAIR {
  %0 = graph.multiply(%a, %b) : (MAT, MAT) -> MAT
  %1 = graph.call @tan(%0) : (MAT) -> MAT
  %2 = graph.tuple(%a, %1) : MAT, MAT
  graph.return %2 : PAIR
}
graph.func @mixed(%a: MAT, %b: MAT) -> MAT {
  %0 = graph.multiply(%a, %b) : (MAT, MAT) -> MAT
  %1 = graph.add(%0, %b) : (MAT, MAT) -> MAT
  graph.return %1 : MAT
}
graph.func @tan(%a: MAT) -> MAT {
  %0 = graph.tanh(%a) : (MAT) -> MAT
  graph.return %0 : MAT
}""",
    "function in a branch": """
graph.func @main(%x: MAT, %y: MAT, %c: tensor<i1>) -> MAT {
  %f = graph.fn (%a: MAT) -> MAT {
    %b = graph.multiply(%a, %y) : (MAT, MAT) -> MAT
    graph.return %b : MAT
  }
  %0 = graph.if %c -> MAT {
    %1 = graph.call_indirect %f(%x) : FUN, (MAT) -> MAT
    graph.yield %1 : MAT
  } else {
    graph.yield %x : MAT
  }
  graph.return %0 : MAT
}""",
    "loop": """
graph.func @main(%x: MAT, %y: MAT, %n: tensor<si32>) -> tuple<MAT, tensor<si32>> {
  %s = graph.tuple(%x, %n) : MAT, tensor<si32>
  %z = graph.cos(%y) : (MAT) -> MAT
  %r = graph.while (%a = %s) -> tuple<MAT, tensor<si32>> {
    %i = graph.tuple_get_item %a[1] : tuple<MAT, tensor<si32>>
    %zero = graph.constant dense<0> : tensor<si32>
    %more = graph.greater(%i, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do (%b) {
    %v = graph.tuple_get_item %b[0] : tuple<MAT, tensor<si32>>
    %j = graph.tuple_get_item %b[1] : tuple<MAT, tensor<si32>>
    %one = graph.constant dense<1> : tensor<si32>
    %k = graph.subtract(%j, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %w = graph.multiply(%v, %z) : (MAT, MAT) -> MAT
    %u = graph.add(%w, %x) : (MAT, MAT) -> MAT
    %t = graph.tuple(%u, %k) : MAT, tensor<si32>
    graph.yield %t : tuple<MAT, tensor<si32>>
  }
  graph.return %r : tuple<MAT, tensor<si32>>
}""",
    "recursion": """
graph.func @main(%x: MAT, %y: MAT, %n: tensor<si32>) -> MAT {
  %zero = graph.constant dense<0> : tensor<si32>
  %one = graph.constant dense<1> : tensor<si32>
  %more = graph.greater(%n, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
  %r = graph.if %more -> MAT {
    %m = graph.subtract(%n, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %0 = graph.sin(%x) : (MAT) -> MAT
    %1 = graph.call @main(%0, %y, %m) : (MAT, MAT, tensor<si32>) -> MAT
    %2 = graph.multiply(%1, %y) : (MAT, MAT) -> MAT
    graph.yield %2 : MAT
  } else {
    graph.yield %x : MAT
  }
  graph.return %r : MAT
}""",
    "named sizes": """
graph.func @main(%x: LONG, %y: tensor<f64>) -> LONG {
  %0 = graph.add(%x, %y) : (LONG, tensor<f64>) -> LONG
  %1 = graph.nn.softmax(%0) : (LONG) -> LONG
  %2 = graph.multiply(%1, %x) : (LONG, LONG) -> LONG
  %3 = graph.sum(%2) <axis = [0], keepdims = true> : (LONG) -> tensor<1xf64>
  %4 = graph.multiply(%3, %2) : (tensor<1xf64>, LONG) -> LONG
  graph.return %4 : LONG
}""",
}


def _program(name: str) -> tuple[ModuleOp, list[np.ndarray]]:
    text = PROGRAMS[name]
    for short, written in {
        "FUN": "!graph.fn<(MAT) -> MAT>",
        "PAIR": "tuple<MAT, MAT>",
        "LONG": 'tensor<?xf64, #graph.dims<"n">>',
        "MAT": "tensor<2x3xf64>",
    }.items():
        text = text.replace(short, written)
    module = parsed(text).op
    rng = np.random.default_rng(1)
    arguments: list[np.ndarray] = []
    main = next(op for op in module.body.ops if isinstance(op, FuncOp))
    for type_ in main.function_type.inputs:
        spec = spec_of(type_)
        assert isinstance(spec, TensorSpec)
        shape = tuple(size if isinstance(size, int) else 4 for size in spec.shape)
        if spec.dtype == "float64":
            arguments.append(rng.uniform(0.5, 1.5, shape))
        else:
            arguments.append(np.array(3 if spec.dtype == "int32" else True))
    return module, [np.asarray(each, np.int32) if each.dtype == int else each for each in arguments]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_gradient_goes_through(name: str) -> None:
    module, arguments = _program(name)
    check_gradient(module.clone(), arguments)
    if "%c: tensor<i1>" in PROGRAMS[name]:
        check_gradient(module, [*arguments[:-1], np.array(False)])


@pytest.mark.parametrize("name", ["shared", "tuples", "if", "calls", "named sizes"])
def test_a_gradient_is_built_and_differentiated_again(name: str) -> None:
    module, arguments = _program(name)
    once = kc.graph.gradient(kc.IRModule(module))
    expected = _flat(kc.graph.Interpreter(once).run(*arguments))
    built = kc.graph.build(once)(*arguments)
    for got, wanted in zip(_flat(tuple(built)), expected, strict=True):
        np.testing.assert_allclose(got, wanted, 1e-12, 1e-12)
    check_gradient(once.op, arguments)


def test_the_gradient_of_random_graphs() -> None:
    for seed in range(4):
        module = kc.IRModule.parse(random_graph(seed, 12).replace("f32", "f64"))
        arguments = [
            each.astype(np.float64) if each.dtype == np.float32 else each
            for each in random_arguments(seed)
        ]
        check_gradient(module.op, arguments)


def test_gradients_with_respect_to_some_arguments() -> None:
    module, arguments = _program("shared")
    every = kc.graph.Interpreter(kc.graph.gradient(kc.IRModule(module))).run(*arguments)
    chosen = kc.graph.gradient(kc.IRModule(module), wrt=["y"])
    value, gradients = kc.graph.Interpreter(chosen).run(*arguments)
    np.testing.assert_array_equal(value, every[0])
    assert len(gradients) == 1
    np.testing.assert_allclose(gradients[0], every[1][1], 1e-12)
    with pytest.raises(GraphError, match="KC2441") as refused:
        kc.graph.gradient(kc.IRModule(module), wrt=["z"])
    assert "@main has no argument z" in str(refused.value)


def test_a_function_that_is_passed_on_is_refused() -> None:
    module = parsed("""
graph.func @main(%x: VEC) -> VEC {
  %f = graph.function_ref @negated : FUNC
  %1 = graph.call @twice(%f, %x) : (FUNC, VEC) -> VEC
  graph.return %1 : VEC
}
graph.func @twice(%f: FUNC, %x: VEC) -> VEC {
  %1 = graph.call_indirect %f(%x) : FUNC, (VEC) -> VEC
  graph.return %1 : VEC
}
graph.func @negated(%a: VEC) -> VEC {
  %1 = graph.negative(%a) : (VEC) -> VEC
  graph.return %1 : VEC
}""")
    before = str(module)
    with pytest.raises(GraphError, match="KC2481") as refused:
        kc.graph.gradient(module)
    assert "graph.call is given or gives !graph.fn" in str(refused.value)
    assert str(module) == before


def test_a_network_learns_with_its_compiled_gradient() -> None:
    rng = np.random.default_rng(0)
    x = relay.var("x", shape=(64, 2))
    labels = relay.var("labels", shape=(64, 2))
    weights = [relay.var("w1", shape=(16, 2)), relay.var("b1", shape=(16,)),
               relay.var("w2", shape=(2, 16)), relay.var("b2", shape=(2,))]  # fmt: skip
    hidden = relay.tanh(relay.nn.bias_add(relay.nn.dense(x, weights[0]), weights[1]))
    scores = relay.nn.bias_add(relay.nn.dense(hidden, weights[2]), weights[3])
    loss = relay.nn.cross_entropy_with_logits(relay.nn.log_softmax(scores), labels)
    mod = kc.IRModule.from_expr(relay.Function([x, labels, *weights], loss))
    step = kc.graph.build(kc.graph.gradient(mod, wrt=["w1", "b1", "w2", "b2"]))
    points = rng.uniform(-1, 1, (64, 2)).astype(np.float32)
    inside = (points**2).sum(1) < 0.5
    wanted = np.stack([inside, ~inside], 1).astype(np.float32)
    values = [rng.normal(0, 0.5, (16, 2)), np.zeros(16), rng.normal(0, 0.5, (2, 16)), np.zeros(2)]
    values = [value.astype(np.float32) for value in values]
    losses: list[float] = []
    for _ in range(400):
        loss_now, *gradients = step(points, wanted, *values)
        losses.append(float(loss_now))
        values = [v - np.float32(0.5) * g for v, g in zip(values, gradients, strict=True)]
    assert losses[-1] < 0.25 * losses[0]


def test_the_gradient_of_an_operator_without_a_rule_has_one() -> None:
    """``vjp`` of ``vjp``: the second derivative of a pool of squares, and of a gelu."""
    text = """
graph.func @main(%x: IMAGE) -> POOL {
  %0 = graph.nn.gelu(%x) : (IMAGE) -> IMAGE
  %1 = graph.nn.avg_pool2d(%0) <pool_size = [2, 2], strides = [2, 2]> : (IMAGE) -> POOL
  %2 = graph.multiply(%1, %1) : (POOL, POOL) -> POOL
  graph.return %2 : POOL
}"""
    text = text.replace("IMAGE", "tensor<1x1x4x4xf64>").replace("POOL", "tensor<1x1x2x2xf64>")
    once = kc.graph.gradient(parsed(text))
    assert "graph.vjp" in str(once)
    check_gradient(once.op, [np.random.default_rng(0).normal(size=(1, 1, 4, 4))])
