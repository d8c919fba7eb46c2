"""``to-cps``: functions pass their results to continuations, and compute the same."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from graph_programs import FUNCTIONS, LOOP, RECURSION, TUPLES, parsed
from test_data_types import LIST, REFERENCES, SUM, numbers, program
from test_data_types import RECURSION as LET_RECURSION

import kc
from kc import relay
from kc.dialects.graph.functions import CallIndirectOp, CallOp, FuncOp
from kc.dialects.graph.types import FnType
from kc.graph.interpreter import DataValue, Interpreter
from kc.support import registry
from kc.support.diagnostics import GraphError
from kc.transforms.graph.to_cps import MOST_NESTED
from kc.tvm.relay.prelude import Prelude

X, Y = np.array([1, 2], np.float32), np.array([3, -1], np.float32)


def run_pass(module: kc.IRModule, flag: str = "to-cps") -> kc.IRModule:
    copied = kc.IRModule(module.op.clone())
    registry.pass_class(flag)().apply(registry.context(), copied.op)
    copied.op.verify()
    return copied


def applied(module: kc.IRModule) -> kc.IRModule:
    """The module after the pass: in the forms each call passes a continuation, in tail position."""
    result = run_pass(module)
    once = str(result)
    assert str(kc.IRModule.parse(once)) == once
    assert str(run_pass(result, "infer-type")) == once
    for name, form in result.functions.items():
        if name not in module.functions:
            assert isinstance(form, FuncOp)
            answer = form.function_type.outputs.data[0]
            for op in form.walk():
                if isinstance(op, CallOp | CallIndirectOp) and not is_group(op, result):
                    assert op.result.type == answer
                    following = op.next_op
                    assert following is not None
                    assert following.next_op is None
                    assert list(following.operands) == [op.result]
    return result


def is_group(op: CallOp | CallIndirectOp, module: kc.IRModule) -> bool:
    return isinstance(op, CallOp) and (
        "primitive" in module.functions[op.callee.string_value()].attributes
    )


def flat(value) -> list:
    return [leaf for part in value for leaf in flat(part)] if isinstance(value, tuple) else [value]


def check_equal(got, wanted) -> None:
    for part, expected in zip(flat(got), flat(wanted), strict=True):
        np.testing.assert_array_equal(part, expected)


LOOP_OF_CALLS = """
graph.func @main(%x: VEC, %n: tensor<si32>) -> VEC {
  %s = graph.tuple(%x, %n) : VEC, tensor<si32>
  %r = graph.while (%a = %s) -> tuple<VEC, tensor<si32>> {
    %i = graph.tuple_get_item %a[1] : tuple<VEC, tensor<si32>>
    %more = graph.call @is_positive(%i) : (tensor<si32>) -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do (%b) {
    %y = graph.tuple_get_item %b[0] : tuple<VEC, tensor<si32>>
    %j = graph.tuple_get_item %b[1] : tuple<VEC, tensor<si32>>
    %one = graph.constant dense<1> : tensor<si32>
    %k = graph.subtract(%j, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %z = graph.call @doubled(%y) : (VEC) -> VEC
    %t = graph.tuple(%z, %k) : VEC, tensor<si32>
    graph.yield %t : tuple<VEC, tensor<si32>>
  }
  %v = graph.tuple_get_item %r[0] : tuple<VEC, tensor<si32>>
  %w = graph.call @fused(%v) : (VEC) -> VEC
  %f = graph.function_ref @fused : FUNC
  %u = graph.call_indirect %f(%w) : FUNC, (VEC) -> VEC
  graph.return %u : VEC
}
graph.func private @is_positive(%i: tensor<si32>) -> tensor<i1> {
  %zero = graph.constant dense<0> : tensor<si32>
  %more = graph.greater(%i, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
  graph.return %more : tensor<i1>
}
graph.func private @doubled(%x: VEC) -> VEC {
  %0 = graph.add(%x, %x) : (VEC, VEC) -> VEC
  graph.return %0 : VEC
}
graph.func private @fused(%x: VEC) -> VEC attributes {primitive} {
  %0 = graph.negative(%x) : (VEC) -> VEC
  %1 = graph.add(%0, %x) : (VEC, VEC) -> VEC
  %2 = graph.subtract(%1, %x) : (VEC, VEC) -> VEC
  graph.return %2 : VEC
}
"""

ADVANCE = """
graph.func @advance(%r: REF) -> FLOAT {
  %a = graph.ref_read %r : REF -> FLOAT
  %b = graph.add(%a, %a) : (FLOAT, FLOAT) -> FLOAT
  %w = graph.ref_write %r, %b : REF, FLOAT -> tuple<>
  graph.return %a : FLOAT
}
"""

ORDER = (
    """
graph.func @main(%x: FLOAT, %c: tensor<i1>) -> tuple<FLOAT, FLOAT> {
  %r = graph.ref_create %x : FLOAT -> REF
  %a = graph.call @advance(%r) : (REF) -> FLOAT
  %s = graph.if %c -> FLOAT {
    %b = graph.call @advance(%r) : (REF) -> FLOAT
    graph.yield %b : FLOAT
  } else {
    graph.yield %x : FLOAT
  }
  %d = graph.call @advance(%r) : (REF) -> FLOAT
  %e = graph.multiply(%a, %d) : (FLOAT, FLOAT) -> FLOAT
  %t = graph.tuple(%e, %s) : FLOAT, FLOAT
  graph.return %t : tuple<FLOAT, FLOAT>
}
"""
    + ADVANCE
)

LAST = (
    """
graph.func @main(%x: FLOAT) -> FLOAT {
  %r = graph.ref_create %x : FLOAT -> REF
  %0 = graph.call @returned(%r, %x) : (REF, FLOAT) -> FLOAT
  %1 = graph.ref_read %r : REF -> FLOAT
  %2 = graph.add(%0, %1) : (FLOAT, FLOAT) -> FLOAT
  graph.return %2 : FLOAT
}
graph.func private @returned(%r: REF, %x: FLOAT) -> FLOAT {
  %0 = graph.call @advance(%r) : (REF) -> FLOAT
  %1 = graph.call @advance(%r) : (REF) -> FLOAT
  graph.return %x : FLOAT
}
"""
    + ADVANCE
)

CONSTRUCTOR = (
    LIST
    + """
graph.func @main(%x: FLOAT, %l: LIST) -> LIST {
  %f = graph.constructor @List Cons : !graph.fn<(FLOAT, LIST) -> LIST>
  %g = graph.fn (%y: FLOAT) -> LIST {
    %0 = graph.call_indirect %f(%y, %l) : !graph.fn<(FLOAT, LIST) -> LIST>, (FLOAT, LIST) -> LIST
    graph.return %0 : LIST
  }
  %h = graph.tuple(%g, %x) : !graph.fn<(FLOAT) -> LIST>, FLOAT
  %i = graph.tuple_get_item %h[0] : tuple<!graph.fn<(FLOAT) -> LIST>, FLOAT>
  %m = graph.call_indirect %i(%x) : !graph.fn<(FLOAT) -> LIST>, (FLOAT) -> LIST
  graph.return %m : LIST
}
"""
)

SIZES = """
graph.func @main(%x: ROWS) -> ROWS {
  %0 = graph.call @halved(%x) : (ROWS) -> ROWS
  %1 = graph.call @halved(%0) : (ROWS) -> ROWS
  graph.return %1 : ROWS
}
graph.func private @halved(%x: ROWS) -> ROWS {
  %0 = graph.multiply(%x, %x) : (ROWS, ROWS) -> ROWS
  graph.return %0 : ROWS
}
"""

NUMBER = np.float32(3)


@pytest.mark.parametrize(
    ("module", "arguments", "expected"),
    [
        (parsed(FUNCTIONS), (X, Y), -(X - (X - X * Y * Y))),
        (parsed(RECURSION), (np.array(5),), 5 + 4 + 3 + 2 + 1),
        (program(LET_RECURSION), (np.int32(5), np.int32(3)), None),
        (parsed(TUPLES), ((X, Y), np.array(True)), (X, (X - Y,))),
        (parsed(LOOP), (NUMBER, np.int32(4)), (48, 0)),
        (parsed(LOOP_OF_CALLS), (X, np.int32(3)), 8 * X),
        (parsed(LOOP_OF_CALLS), (X, np.int32(0)), X),
        (program(SUM), (numbers(2, 3, 4, 5, 6),), 2 * 3 + 4 * 5 + 6),
        (program(REFERENCES), (NUMBER, NUMBER), None),
        (program(ORDER), (NUMBER, np.array(True)), (3 * 12, 6)),
        (program(ORDER), (NUMBER, np.array(False)), (3 * 6, 3)),
        (program(LAST), (NUMBER,), 3 + 12),
        (parsed(SIZES), (np.full((3, 16), 2, np.float32),), np.full((3, 16), 16)),
    ],
    ids=itertools.count(),
)
def test_the_results_are_the_same(module: kc.IRModule, arguments, expected) -> None:
    if expected is None:
        expected = Interpreter(module).run(*arguments)
    check_equal(Interpreter(module).run(*arguments), expected)
    result = applied(module)
    check_equal(Interpreter(result).run(*arguments), expected)
    check_equal(Interpreter(applied(result)).run(*arguments), expected)


def test_a_constructor_that_is_a_function_takes_a_continuation() -> None:
    module = applied(program(CONSTRUCTOR))
    result = Interpreter(module).run(NUMBER, numbers(4))
    assert isinstance(result, DataValue)
    assert result == numbers(3, 4)


def test_functions_that_take_functions_stay_and_private_ones_go() -> None:
    module = parsed(FUNCTIONS)
    result = applied(module)
    for name in ("twice", "adder"):
        assert str(result.functions[name]) == str(module.functions[name])
    assert {f"{name}_cps" for name in module.functions} < set(result.functions)
    result = applied(parsed(LOOP_OF_CALLS))
    assert list(result.functions) == ["main", "fused", "main_cps", "is_positive_cps", "doubled_cps"]


def test_the_names_of_forms_and_of_the_answer_are_free() -> None:
    text = (
        SIZES.replace("@halved", "@main_cps")
        + """
graph.func @same(%x: !graph.type_var<"Answer">) -> !graph.type_var<"Answer"> {
  graph.return %x : !graph.type_var<"Answer">
}
"""
    )
    functions = applied(parsed(text)).functions
    assert list(functions) == ["main", "same", "main_cps_0", "main_cps_cps", "same_cps"]
    same = functions["same_cps"]
    assert isinstance(same, FuncOp)
    assert str(same.function_type.outputs.data[0]) == '!graph.type_var<"Answer_0">'


def test_functions_of_any_type() -> None:
    module = Prelude().mod
    names = [name for name, op in module.functions.items() if isinstance(op, FuncOp)]
    assert {f"{name}_cps" for name in names} < set(applied(module).functions)
    x, y = relay.var("x", shape=(2,)), relay.var("y", shape=(2,))
    prelude = Prelude()
    item = prelude.cons(relay.negative(x), prelude.nil())
    summed = relay.Function([y], relay.add(y, x))
    prelude.mod["main"] = relay.Function([x], prelude.map(summed, prelude.cons(x, item)))
    result = Interpreter(applied(prelude.mod)).run(X)
    np.testing.assert_array_equal(result.fields[0], X + X)
    np.testing.assert_array_equal(result.fields[1].fields[0], np.zeros(2))
    form = relay.transform.to_cps("main", prelude.mod)
    assert "map_cps" in prelude.mod.functions
    prelude.mod["main"] = relay.transform.un_cps(form)
    result = Interpreter(prelude.mod).run(X)
    np.testing.assert_array_equal(result.fields[0], X + X)


VECTOR = relay.TensorType((3,), "float32")


def repeating() -> kc.IRModule:
    """``main(y)``: a function that captures ``y``, twice, and a function that calls itself."""
    x = relay.var("x", VECTOR)
    n = relay.var("n", relay.scalar_type("int32"))
    y, z, f = relay.var("y", VECTOR), relay.var("z", VECTOR), relay.var("f")
    repeat = relay.GlobalVar("repeat")
    less = relay.subtract(n, relay.const(1, "int32"))
    turn = relay.exp(relay.Call(repeat, [less, relay.negative(x)]))
    module = kc.IRModule()
    condition = relay.greater(n, relay.const(0, "int32"))
    module["repeat"] = relay.Function([n, x], relay.If(condition, turn, x), VECTOR)
    twice = relay.Call(f, [relay.Call(f, [y])])
    body = relay.Call(repeat, [relay.const(2, "int32"), twice])
    module["main"] = relay.Function([y], relay.Let(f, relay.Function([z], z + y), body))
    return module


A = np.array([0.1, -0.2, 0.3], np.float32)


def test_relay_functions_there_and_back() -> None:
    module = repeating()
    expected = Interpreter(module).run(A)
    np.testing.assert_allclose(expected, np.exp(np.exp(3 * A)), rtol=1e-6)
    form = relay.transform.to_cps(module["main"], module)
    assert [type_.name for type_ in form.type_params] == ["Answer"]
    assert [param.name_hint for param in form.params] == ["y", "k"]
    assert sorted(module.functions) == ["main", "repeat", "repeat_cps"]
    back = relay.transform.un_cps(form)
    assert not back.type_params
    assert [param.name_hint for param in back.params] == ["y"]
    module["main"] = back
    np.testing.assert_array_equal(Interpreter(module).run(A), expected)
    module["main"] = form
    module["main"] = relay.transform.un_cps(module["main"])
    np.testing.assert_array_equal(Interpreter(module).run(A), expected)


def test_partial_evaluation_removes_continuations() -> None:
    module = relay.transform.ToCPS()(repeating())
    module = relay.transform.PartialEvaluate()(module)
    names = [op.name for op in module.functions["main"].body.block.ops]
    assert names.count("graph.exp") == 2
    assert not {"graph.fn", "graph.call", "graph.call_indirect"} & set(names)
    np.testing.assert_allclose(Interpreter(module).run(A), np.exp(np.exp(3 * A)), rtol=1e-6)


def chain(calls: int) -> kc.IRModule:
    text = "graph.func @main(%x: VEC) -> VEC {\n  %0 = graph.negative(%x) : (VEC) -> VEC\n"
    for n in range(calls):
        text += f"  %{n + 1} = graph.call @f(%{n}) : (VEC) -> VEC\n"
    text += f"  %r = graph.negative(%{calls}) : (VEC) -> VEC\n  graph.return %r : VEC\n}}\n"
    return parsed(
        text
        + "graph.func private @f(%x: VEC) -> VEC {\n  %0 = graph.add(%x, %x) : (VEC, VEC) -> VEC\n"
        "  graph.return %0 : VEC\n}\n"
    )


def test_many_calls_one_after_the_other() -> None:
    result = run_pass(chain(MOST_NESTED))
    text = str(result)
    assert str(kc.IRModule.parse(text)) == text
    np.testing.assert_array_equal(Interpreter(result).run(X), np.ldexp(X, MOST_NESTED))


SCAN_OF_CALLS = """
graph.func @main(%x: VEC, %l: tensor<4x2xf32>) -> tuple<VEC, tensor<4x2xf32>> {
  %r = graph.scan (%c = %x, %e in %l) : VEC, tensor<4x2xf32> {
    %0 = graph.call @f(%e) : (VEC) -> VEC
    graph.yield %0, %0 : VEC, VEC
  }
  graph.return %r : tuple<VEC, tensor<4x2xf32>>
}
graph.func private @f(%x: VEC) -> VEC {
  graph.return %x : VEC
}
"""

FIELD = """
graph.data @Box { Box(FUNC) }
graph.func @main(%x: VEC) -> VEC {
  %f = graph.fn (%y: VEC) -> VEC {
    graph.return %y : VEC
  }
  %b = graph.construct @Box Box(%f) : (FUNC) -> !graph.adt<"Box">
  graph.return %x : VEC
}
"""


@pytest.mark.parametrize(
    ("module", "said"),
    [
        (parsed(SCAN_OF_CALLS), "the body of a graph.scan calls a function"),
        (parsed(FIELD), "the data type Box has functions in its fields"),
        (chain(MOST_NESTED + 1), f"@main makes {MOST_NESTED + 1} calls one after the other"),
    ],
    ids=["scan", "field", "nested"],
)
def test_what_has_no_form_is_refused(module: kc.IRModule, said: str) -> None:
    before = str(module)
    with pytest.raises(GraphError, match="KC2487") as refused:
        registry.pass_class("to-cps")().apply(registry.context(), module.op)
    assert said in str(refused.value)
    assert str(module) == before


def test_a_refusal_leaves_types_that_are_not_inferred() -> None:
    text = SCAN_OF_CALLS.replace(
        "  graph.return %x : VEC", "  %0 = graph.exp(%x) : (VEC) -> !graph.unknown\n"
        "  %1 = graph.negative(%0) : (!graph.unknown) -> VEC\n  graph.return %1 : VEC"
    )  # fmt: skip
    module = parsed(text)
    before = str(module)
    assert "!graph.unknown" in before
    with pytest.raises(GraphError, match="KC2487"):
        registry.pass_class("to-cps")().apply(registry.context(), module.op)
    assert str(module) == before


def test_a_scan_of_operators_stays() -> None:
    module = parsed(SCAN_OF_CALLS.replace("call @f", "negative"))
    rows = np.arange(8, dtype=np.float32).reshape(4, 2)
    last, stacked = Interpreter(applied(module)).run(X, rows)
    np.testing.assert_array_equal(last, -rows[3])
    np.testing.assert_array_equal(stacked, -rows)


def test_what_un_cps_refuses() -> None:
    module = repeating()
    with pytest.raises(GraphError, match="KC2487") as refused:
        relay.transform.un_cps(module["main"])
    assert "the last parameter of the function is not a continuation" in str(refused.value)
    adder = relay.transform.to_cps(parsed(FUNCTIONS)["adder"])
    with pytest.raises(GraphError, match="KC2487") as refused:
        relay.transform.un_cps(adder)
    assert "the identity is not a continuation of the function" in str(refused.value)
    for change in (relay.transform.to_cps, relay.transform.un_cps):
        with pytest.raises(GraphError, match="KC2409"):
            change(relay.const(1))


def test_types_of_functions_in_forms() -> None:
    twice = applied(parsed(FUNCTIONS)).functions["twice_cps"]
    assert isinstance(twice, FuncOp)
    function, _, k = twice.function_type.inputs
    assert isinstance(function, FnType)
    assert function.inputs.types.data[1] == k
    assert function.output == twice.function_type.outputs.data[0]
