"""Data types, references, scans and functions that call themselves: run, rewritten, refused."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from graph_programs import parsed
from test_gradients import check_gradient
from xdsl.dialects.builtin import ModuleOp, StringAttr

import kc
from kc.dialects.graph.data_types import (
    Binding,
    ConstructorPattern,
    DataOp,
    TuplePattern,
    Wildcard,
    missing_case,
)
from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.types import AdtType, tuple_type
from kc.graph.interpreter import DataValue, Interpreter, matched
from kc.support import registry
from kc.support.diagnostics import GraphError

TYPES = {
    "LIST": '!graph.adt<"List", tensor<f32>>',
    "INT": "tensor<si32>",
    "FLOAT": "tensor<f32>",
    "REF": "!graph.ref<tensor<f32>>",
    "COUNT": "!graph.fn<(tensor<si32>) -> tensor<si32>>",
    "ROWS": "tensor<5x2x3xf64>",
    "ROW": "tensor<2x3xf64>",
    "SQUARE": "tensor<3x3xf64>",
}
LIST = """
graph.data @List <"A"> { Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>), Nil() }
"""  # noqa: E501


def program(text: str) -> kc.IRModule:
    for short, written in TYPES.items():
        text = text.replace(short, written)
    return parsed(text)


SUM = (
    LIST
    + """
graph.func @main(%l: LIST) -> FLOAT {
  %r = graph.match %l : LIST -> FLOAT {
    case Cons(%h: FLOAT, Cons(%s: FLOAT, %t: LIST)) {
      %m = graph.call @main(%t) : (LIST) -> FLOAT
      %0 = graph.multiply(%h, %s) : (FLOAT, FLOAT) -> FLOAT
      %1 = graph.add(%0, %m) : (FLOAT, FLOAT) -> FLOAT
      graph.yield %1 : FLOAT
    }
    case Cons(%h: FLOAT, _) {
      graph.yield %h : FLOAT
    }
    case _ {
      %z = graph.constant dense<0.0> : FLOAT
      graph.yield %z : FLOAT
    }
  }
  graph.return %r : FLOAT
}
graph.func @first(%l: LIST) -> FLOAT {
  %r = graph.match %l partial : LIST -> FLOAT {
    case Cons(%h: FLOAT, _) {
      graph.yield %h : FLOAT
    }
  }
  graph.return %r : FLOAT
}
"""
)


def numbers(*values: float) -> DataValue:
    result = DataValue("Nil")
    for value in reversed(values):
        result = DataValue("Cons", (np.float32(value), result))
    return result


def test_the_first_case_with_the_pattern_is_computed() -> None:
    interpreter = Interpreter(program(SUM))
    assert interpreter.run(numbers()) == 0
    assert interpreter.run(numbers(3)) == 3
    assert interpreter.run(numbers(2, 3, 4, 5, 6)) == 2 * 3 + 4 * 5 + 6
    assert interpreter.run(numbers(7, 8), name="first") == 7
    with pytest.raises(GraphError, match="KC2483") as refused:
        interpreter.run(numbers(), name="first")
    assert "no case is that of Nil()" in str(refused.value)


REFERENCES = """
graph.func @main(%x: FLOAT, %y: FLOAT) -> tuple<FLOAT, FLOAT, FLOAT> {
  %r = graph.ref_create %x : FLOAT -> REF
  %s = graph.ref_create %x : FLOAT -> REF
  %a = graph.ref_read %r : REF -> FLOAT
  %w = graph.ref_write %r, %y : REF, FLOAT -> tuple<>
  %b = graph.ref_read %r : REF -> FLOAT
  %d = graph.exp(%b) : (FLOAT) -> FLOAT
  %e = graph.exp(%b) : (FLOAT) -> FLOAT
  %f = graph.add(%d, %e) : (FLOAT, FLOAT) -> FLOAT
  %v = graph.ref_write %r, %f : REF, FLOAT -> tuple<>
  %c = graph.ref_read %s : REF -> FLOAT
  %u = graph.ref_read %s : REF -> FLOAT
  %g = graph.ref_read %r : REF -> FLOAT
  %q = graph.multiply(%g, %b) : (FLOAT, FLOAT) -> FLOAT
  %t = graph.tuple(%a, %c, %q) : FLOAT, FLOAT, FLOAT
  graph.return %t : tuple<FLOAT, FLOAT, FLOAT>
}
"""


PASSES = (
    "dead-code-elimination",
    "eliminate-common-subexpr",
    "to-a-normal-form",
    "to-basic-block-normal-form",
    "to-graph-normal-form",
    "fold-constant",
    "fuse-ops",
    "graph-optimize",
    "infer-type",
    "lambda-lift",
    "simplify-expr",
)


@pytest.mark.parametrize("flag", PASSES)
def test_passes_keep_the_order_of_references(flag: str) -> None:
    module = program(REFERENCES)
    registry.pass_class(flag)().apply(registry.context(), module.op)
    module.op.verify()
    x, y = np.float32(2), np.float32(0.5)
    total = np.exp(y) + np.exp(y)
    result = Interpreter(module).run(x, y)
    np.testing.assert_allclose(result, [x, x, total * y], rtol=1e-6)
    if flag == "dead-code-elimination":  # %u is not used, writes stay
        assert str(module).count("graph.ref_read") == 4
        assert str(module).count("graph.ref_write") == 2
        assert str(module).count("graph.ref_create") == 2
    back = kc.IRModule({"main": program(REFERENCES)["main"]})
    np.testing.assert_allclose(Interpreter(back).run(x, y), [x, x, total * y], rtol=1e-6)


RECURSION = """
graph.func @main(%n: INT, %k: INT) -> INT {
  %f = graph.fn rec %self (%i: INT) -> INT {
    %one = graph.constant dense<1> : INT
    %more = graph.greater(%i, %one) : (INT, INT) -> tensor<i1>
    %r = graph.if %more -> INT {
      %j = graph.subtract(%i, %one) : (INT, INT) -> INT
      %o = graph.call_indirect %self(%j) : COUNT, (INT) -> INT
      %p = graph.multiply(%o, %i) : (INT, INT) -> INT
      graph.yield %p : INT
    } else {
      graph.yield %k : INT
    }
    graph.return %r : INT
  }
  %r = graph.call_indirect %f(%n) : COUNT, (INT) -> INT
  graph.return %r : INT
}
"""


@pytest.mark.parametrize("flag", ["", *PASSES])
def test_a_function_that_calls_itself(flag: str) -> None:
    module = program(RECURSION)
    if flag:
        registry.pass_class(flag)().apply(registry.context(), module.op)
        module.op.verify()
    assert Interpreter(module).run(np.int32(5), np.int32(3)) == 360
    if flag == "lambda-lift":
        assert "graph.fn (" not in str(module)
        assert " rec " not in str(module)


SCAN = """
graph.func @main(%x: ROWS, %c: ROW, %w: SQUARE) -> tuple<ROW, ROWS, ROW> {
  %r = graph.scan REVERSE (%a = %c, %b in %x) : ROW, ROWS {
    %p = graph.nn.dense(%a, %w) : (ROW, SQUARE) -> ROW
    %s = graph.add(%p, %b) : (ROW, ROW) -> ROW
    %t = graph.tanh(%s) : (ROW) -> ROW
    %q = graph.multiply(%t, %b) : (ROW, ROW) -> ROW
    graph.yield %t, %q : ROW, ROW
  }
  %l = graph.tuple_get_item %r[0] : tuple<ROW, ROWS>
  %m = graph.tuple_get_item %r[1] : tuple<ROW, ROWS>
  %u = graph.exp(%l) : (ROW) -> ROW
  %o = graph.tuple(%l, %m, %u) : ROW, ROWS, ROW
  graph.return %o : tuple<ROW, ROWS, ROW>
}
"""


@pytest.mark.parametrize("direction", ["", "reverse"])
def test_a_scan_is_run_built_and_differentiated(direction: str) -> None:
    module = program(SCAN.replace("REVERSE", direction))
    rng = np.random.default_rng(0)
    x, c, w = rng.normal(size=(5, 2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    carried, rows = c, np.zeros_like(x)
    for n in range(5)[:: -1 if direction else 1]:
        carried = np.tanh(carried @ w.T + x[n])
        rows[n] = carried * x[n]
    expected = (carried, rows, np.exp(carried))
    for run in (Interpreter(module).run, kc.graph.build(module)):
        for got, wanted in zip(run(x, c, w), expected, strict=True):
            np.testing.assert_allclose(got, wanted, 1e-12, 1e-12)
    check_gradient(module.op, [x, c, w])


def test_the_slices_of_one_scan_are_as_many() -> None:
    text = """
graph.func @main(%x: LONG, %y: MORE, %c: tensor<f32>) -> tuple<tensor<f32>, LONG> {
  %xs = graph.tuple(%x, %y) : LONG, MORE
  %r = graph.scan (%a = %c, %b in %xs) : tensor<f32>, tuple<LONG, MORE> {
    graph.yield %a, %a : tensor<f32>, tensor<f32>
  }
  graph.return %r : tuple<tensor<f32>, LONG>
}""".replace("LONG", 'tensor<?xf32, #graph.dims<"n">>').replace(
        "MORE", 'tensor<?xf32, #graph.dims<"n">>'
    )
    module = kc.IRModule.parse(text)
    with pytest.raises(GraphError, match="KC2443"):
        Interpreter(module).run(np.zeros(3, "f4"), np.zeros(4, "f4"), np.float32(0))
    with pytest.raises(GraphError, match="KC2448") as refused:
        kc.graph.build(module)
    assert "a compiled scan is written out" in str(refused.value)


@pytest.mark.parametrize("text", [SUM, REFERENCES])
def test_what_only_the_interpreter_runs_is_refused_by_a_build(text: str) -> None:
    text = text.replace("@main(%l: LIST)", "@other(%l: LIST)")
    text = text.replace("@first(%l: LIST)", "@main(%x: FLOAT)").replace(
        "%r = graph.match %l partial",
        "%n = graph.construct @List Nil() : () -> LIST\n  %r = graph.match %n partial",
    )
    text = text.replace("graph.call @main", "graph.call @other")
    with pytest.raises(GraphError, match="KC2445") as refused:
        kc.graph.build(program(text))
    assert "only the interpreter runs data types, references" in str(refused.value)


# Exhaustiveness -----------------------------------------------------------------------------------

FLAG = AdtType(StringAttr("Flag"), tuple_type([]))
PAIR = AdtType(StringAttr("Pair"), tuple_type([]))
CONSTRUCTORS = {"Flag": {"On": [], "Off": []}, "Pair": {"One": [FLAG], "Two": [FLAG, FLAG]}}


def _values(type_):
    if not isinstance(type_, AdtType):
        return [tuple(each) for each in itertools.product(*map(_values, type_.types))]
    return [
        DataValue(tag, each)
        for tag, fields in CONSTRUCTORS[type_.symbol.data].items()
        for each in itertools.product(*map(_values, fields))
    ]


def _pattern(rng: random.Random, type_):
    if rng.random() < 0.35:
        return rng.choice([Wildcard(), Binding()])
    if not isinstance(type_, AdtType):
        return TuplePattern(tuple(_pattern(rng, part) for part in type_.types))
    tag, fields = rng.choice(list(CONSTRUCTORS[type_.symbol.data].items()))
    return ConstructorPattern(tag, tuple(_pattern(rng, field) for field in fields))


def _text_of(value) -> str:
    fields = value.fields if isinstance(value, DataValue) else value
    tag = value.tag if isinstance(value, DataValue) else ""
    return f"{tag}({', '.join(map(_text_of, fields))})"


def test_a_case_is_missing_where_a_value_has_none() -> None:
    """Against all values of small types."""
    data = [DataOp(name, [], fields) for name, fields in CONSTRUCTORS.items()]
    function = parsed("graph.func @main(%x: VEC) -> VEC { graph.return %x : VEC }").op
    at = next(op for op in function.body.ops if isinstance(op, FuncOp))
    at.detach()
    ModuleOp([*data, at])
    type_ = tuple_type([PAIR, FLAG])
    values = _values(type_)
    assert len(values) == (2 + 4) * 2
    outcomes = set()
    for seed in range(300):
        rng = random.Random(seed)
        patterns = [_pattern(rng, type_) for _ in range(rng.randint(1, 7))]
        without = [v for v in values if all(matched(p, v) is None for p in patterns)]
        named = missing_case(at, patterns, type_)
        assert (named is None) == (not without)
        outcomes.add(named is None)
        if named is not None:  # "_" in it stands for each value: one of those without a case has it
            assert any(_fits(named, _text_of(value)) for value in without)
    assert outcomes == {True, False}


def _fits(named: str, text: str) -> bool:
    import re

    tokens = re.findall(r"\w+|[(),]", named)
    at = 0
    for token in tokens:
        if token == "_":
            depth, start = 0, at
            while at < len(text) and (depth or text[at] not in ",)"):
                depth += {"(": 1, ")": -1}.get(text[at], 0)
                at += 1
            assert at > start
        elif text.startswith(token, at):
            at += len(token)
        else:
            return False
        while at < len(text) and text[at] == " ":
            at += 1
    return at == len(text)
