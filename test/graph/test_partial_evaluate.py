"""``partial-evaluate``: what is left, and that it computes the same."""

from __future__ import annotations

import numpy as np
import pytest
from graph_programs import FUNCTIONS, LOOP, RECURSION, TUPLES, parsed
from random_graphs import random_arguments, random_graph
from test_data_types import REFERENCES, SCAN, SUM, numbers, program
from test_gradients import check_gradient

import kc
from kc import relay
from kc.graph.interpreter import Interpreter
from kc.support import registry
from kc.tvm.relay.prelude import Prelude

INT = relay.scalar_type("int32")


def evaluated(module: kc.IRModule) -> kc.IRModule:
    """The module after the pass, which does nothing the second time."""
    copied = kc.IRModule(module.op.clone())
    partial = registry.pass_class("partial-evaluate")()
    partial.apply(registry.context(), copied.op)
    copied.op.verify()
    once = str(copied)
    partial.apply(registry.context(), copied.op)
    assert str(copied) == once
    return copied


def body(module: kc.IRModule) -> list[str]:
    """The names of the operations of @main."""
    return [op.name.removeprefix("graph.") for op in module.functions["main"].body.block.ops]


def flat(value) -> list:
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def check_same(module: kc.IRModule, *arguments) -> kc.IRModule:
    result = evaluated(module)
    expected = flat(Interpreter(module).run(*arguments))
    for got, wanted in zip(flat(Interpreter(result).run(*arguments)), expected, strict=True):
        np.testing.assert_array_equal(got, wanted)
    return result


X, Y = np.array([1, 2], np.float32), np.array([3, -1], np.float32)


def test_functions_that_are_values_are_followed() -> None:
    module = check_same(parsed(FUNCTIONS), X, Y)
    assert body(module) == ["multiply", "multiply", "subtract", "subtract", "negative", "return"]


def test_a_branch_and_a_loop_of_unknown_conditions_stay() -> None:
    assert "if" in body(check_same(parsed(TUPLES), (X, Y), np.array(True)))
    assert "while" in body(check_same(parsed(LOOP), np.float32(3), np.int32(4)))
    module = check_same(parsed(RECURSION), np.array(4))
    assert body(module)[-2:] == ["if", "return"]


def test_a_loop_of_known_turns_is_written_out() -> None:
    text = LOOP.replace("@main(%x: tensor<f32>, %n: tensor<si32>)", "@main(%x: tensor<f32>)")
    text = text.replace(
        "%s = graph", "%n = graph.constant dense<3> : tensor<si32>\n  %s = graph", 1
    )
    module = check_same(parsed(text), np.float32(3))
    assert body(module) == ["add", "add", "add", "constant", "tuple", "return"]
    np.testing.assert_array_equal(kc.graph.build(module)(np.array(3, np.float32))[0], 24)
    floats = parsed(text.replace("f32", "f64"))
    check_gradient(evaluated(floats).op, [np.array(3.0)])


def test_recursion_of_known_depth_is_written_out() -> None:
    text = """
graph.func @main(%x: VEC) -> VEC {
  %n = graph.constant dense<COUNT> : tensor<si32>
  %r = graph.call @repeat(%n, %x) : (tensor<si32>, VEC) -> VEC
  graph.return %r : VEC
}
graph.func private @repeat(%n: tensor<si32>, %x: VEC) -> VEC {
  %zero = graph.constant dense<0> : tensor<si32>
  %one = graph.constant dense<1> : tensor<si32>
  %more = graph.not_equal(%n, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
  %r = graph.if %more -> VEC {
    %m = graph.subtract(%n, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %0 = graph.tanh(%x) : (VEC) -> VEC
    %1 = graph.call @repeat(%m, %0) : (tensor<si32>, VEC) -> VEC
    graph.yield %1 : VEC
  } else {
    graph.yield %x : VEC
  }
  graph.return %r : VEC
}"""
    assert body(check_same(parsed(text.replace("COUNT", "3")), X)) == ["tanh"] * 3 + ["return"]
    assert body(evaluated(parsed(text.replace("COUNT", "-1")))) == ["constant", "call", "return"]


def test_lists_of_known_length_become_tensors() -> None:
    p = Prelude()
    x, y = relay.Var("x", INT), relay.Var("y", INT)
    twice = relay.Function([y], y + y)
    xs = p.cons(x, p.cons(relay.const(5), p.cons(x * x, p.nil())))
    main = relay.Function([x], p.sum(p.map(twice, p.rev(xs))))
    module = kc.IRModule({**p.mod.functions, "main": main})
    result = check_same(module, np.int32(7))
    assert set(body(result)) == {"add", "multiply", "constant", "return"}
    assert kc.graph.build(result)(np.array(7, np.int32)) == 2 * (7 + 5 + 49)


def test_values_that_are_not_known_stay() -> None:
    module = check_same(program(SUM), numbers(2, 3, 4, 5, 6))
    assert body(module) == ["match", "return"]
    check_same(program(REFERENCES), np.float32(2), np.float32(0.5))
    rng = np.random.default_rng(0)
    arrays = rng.normal(size=(5, 2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    assert "scan" in body(check_same(program(SCAN.replace("REVERSE", "")), *arrays))


def test_a_function_that_is_given_back() -> None:
    """Functions that escape are made where they are needed, with what they capture."""
    text = """
graph.func @main(%x: VEC, %c: tensor<i1>) -> VEC {
  %f = graph.fn (%y: VEC) -> VEC {
    %0 = graph.add(%y, %x) : (VEC, VEC) -> VEC
    graph.return %0 : VEC
  }
  %g = graph.if %c -> FUNC {
    graph.yield %f : FUNC
  } else {
    %h = graph.fn rec %self (%y: VEC) -> VEC {
      %1 = graph.call_indirect %f(%y) : FUNC, (VEC) -> VEC
      %2 = graph.if %c -> VEC {
        %3 = graph.call_indirect %self(%1) : FUNC, (VEC) -> VEC
        graph.yield %3 : VEC
      } else {
        graph.yield %1 : VEC
      }
      graph.return %2 : VEC
    }
    graph.yield %h : FUNC
  }
  %r = graph.call_indirect %g(%x) : FUNC, (VEC) -> VEC
  graph.return %r : VEC
}"""
    for condition in (True, False):
        check_same(parsed(text), X, np.array(condition))


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs(seed: int) -> None:
    check_same(kc.IRModule.parse(random_graph(seed, 14)), *random_arguments(seed))
