"""Mistakes in Relay programs: one diagnostic that says what, where and why; no traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.error import KCError

X, W = relay.var("x", shape=(1, 8)), relay.var("w", shape=(4, 8))
C = relay.var("c", shape=(), dtype="bool")


def module() -> kc.IRModule:
    return kc.IRModule.from_expr(relay.Function([X, W], relay.nn.relu(relay.nn.dense(X, W))))


def ones(*shape: int) -> Any:
    return np.ones(shape, "f4")


def cycle() -> relay.Call:
    inner = relay.exp(X)
    whole = relay.exp(inner)
    inner.args = (whole,)
    return whole


def recursive(result: Any) -> Callable[[], Any]:
    def make() -> Any:
        y = relay.var("y", shape=(2,))
        mod = kc.IRModule()
        mod["f"] = relay.Function([y], relay.GlobalVar("f")(y), result)
        return mod

    return make


def of(expr: Any, *params: Any) -> Callable[[], Any]:
    return lambda: kc.IRModule.from_expr(relay.Function(params or [X], expr))


# name -> what is done, the code, and what the diagnostic must say
MISTAKES: dict[str, tuple[Callable[[], Any], str, tuple[str, ...]]] = {
    "shape at the call": (
        lambda: relay.build(module())(ones(2, 8), ones(4, 8)),
        "KC5108",
        ("'x'", "float32[2, 8]", "float32[1, 8]"),
    ),
    "shape for an executor": (
        lambda: relay.create_executor("debug", module()).evaluate()(ones(1, 8), ones(9, 8)),
        "KC2442",
        ("w", "[9, 8]", "float32[4, 8]"),
    ),
    "dtype at the call": (
        lambda: relay.build(module())(np.ones((1, 8)), ones(4, 8)),
        "KC5106",
        ("'x'", "float64", "float32"),
    ),
    "argument that is missing": (
        lambda: relay.build(module())(ones(1, 8)),
        "KC5101",
        ("1 argument", "w: float32[4, 8]"),
    ),
    "arguments that are too many": (
        lambda: relay.build(module())(ones(1, 8), ones(4, 8), ones(1, 4), 3),
        "KC5101",
        ("4 arguments",),
    ),
    "parameter of no argument": (
        lambda: relay.build(module(), params={"v": ones(4, 8)}),
        "KC2450",
        ("v", "x, w"),
    ),
    "parameter of another shape": (
        lambda: relay.build(module(), params={"w": ones(3, 8)}),
        "KC2450",
        ("float32[3, 8]", "float32[4, 8]"),
    ),
    "recursion without a type": (recursive(None), "KC2401", ("recursive", "result")),
    "cycle": (of(cycle()), "KC2498", ("contains itself",)),
    "cycle as text": (lambda: cycle().astext(), "KC2498", ("contains itself",)),
    "cycle in IR": (
        lambda: kc.IRModule.parse(
            "graph.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
            "  %0 = graph.exp(%1) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  %1 = graph.exp(%0) : (tensor<2xf32>) -> tensor<2xf32>\n"
            "  graph.return %1 : tensor<2xf32>\n}"
        ),
        "KC1201",
        ("before it is defined",),
    ),
    "operators that there are not": (
        lambda: relay.fromtext(
            "def @main(%x: float32) { nn.foo(%x) + nn.foo(%x) + bar(exp(%x)) + exq(%x) }"
        ),
        "KC2404",
        ("3 unknown operators", "nn.foo (2 calls)", "bar (1 call)", "exq (1 call)"),
    ),
    "function that there is not": (of(relay.GlobalVar("nope")(X)), "KC2402", ("nope",)),
    "number of arguments": (
        lambda: kc.IRModule(
            {
                "g": relay.Function([X], X),
                "main": relay.Function([W], relay.GlobalVar("g")(W, W)),
            }
        ),
        "KC2402",
        ("2 operands", "1 argument"),
    ),
    "type of an argument": (
        lambda: kc.IRModule(
            {"g": relay.Function([X], X), "main": relay.Function([W], relay.GlobalVar("g")(W))}
        ),
        "KC2400",
        ("1x8", "4x8"),
    ),
    "field that there is not": (
        of(relay.TupleGetItem(relay.Tuple([X]), 3)),
        "KC2400",
        ("no field 3",),
    ),
    "condition": (of(relay.If(X, X, X)), "KC2400", ("1x8", "i1")),
    "branches": (of(relay.If(C, X, W), X, W, C), "KC2400", ("1x8", "4x8")),
    "callee that is no function": (of(relay.Call(X, [X])), "KC2400", ("no function",)),
    "parameter twice": (lambda: relay.Function([X, X], X), "KC2403", ("twice", "x")),
    "dtype": (lambda: relay.var("x", shape=(1,), dtype="float33"), "KC2001", ("float33",)),
    "size": (lambda: relay.var("x", shape=(-1,)), "KC2403", ("-1",)),
    "attribute": (lambda: relay.nn.conv2d(X, W, strides="a"), "KC2405", ("strides",)),
    "operand": (lambda: X + "abc", "KC2403", ("str",)),
    "module that is none": (lambda: relay.build(3), "KC2027", ("int",)),
    "pass of a function": (
        lambda: relay.transform.FuseOps()(relay.Function([X], X)),
        "KC4505",
        ("Function", "IRModule.from_expr"),
    ),
    "target": (lambda: relay.build(module(), "llvmx"), "KC6001", ("llvmx",)),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_get_one_diagnostic(name: str):
    do, code, words = MISTAKES[name]
    with pytest.raises(KCError) as caught:
        do()
    text = str(caught.value)
    assert caught.value.code == code, text
    assert text.count("error[KC") == 1
    for word in words:
        assert word in text, text


def test_recursion_with_a_type_is_no_mistake():
    mod = recursive(relay.TensorType((2,), "float32"))()
    assert mod["f"].ret_type == relay.TensorType((2,), "float32")
