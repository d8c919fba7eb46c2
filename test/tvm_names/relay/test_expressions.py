"""Relay's expressions: what graph they become, and the way back."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import relay
from kc.error import GraphError
from kc.transforms.graph.infer_type import infer_types


def test_shared_expressions_are_computed_in_the_block_around_their_uses():
    x = relay.var("x", shape=(1, 8))
    c = relay.var("c", shape=(), dtype="bool")
    shared = relay.exp(x)
    alone = relay.log(x)
    chosen = relay.If(c, shared + alone, shared)
    text = str(kc.IRModule.from_expr(relay.Function([x, c], chosen)))
    lines = [line.strip() for line in text.splitlines()]
    at = {
        word: next(i for i, line in enumerate(lines) if word in line)
        for word in ("graph.exp", "graph.if", "graph.log", "else")
    }
    assert at["graph.exp"] < at["graph.if"] < at["graph.log"] < at["else"]


def test_ways_back_and_forth_give_the_same_graph():
    x, w = relay.var("x", shape=(1, 32)), relay.var("w")
    v = relay.var("v")
    y = relay.nn.softmax(relay.nn.relu(relay.nn.dense(x, w, units=16) + relay.const(1.0)))
    f = relay.Function([x, w], relay.Let(v, y, v + v))
    mod = kc.IRModule.from_expr(f)
    again = kc.IRModule.from_expr(mod["main"])
    assert str(again) == str(mod)
    assert mod["main"].params[1].checked_type == relay.TensorType((16, 32), "float32")
    assert mod["main"].ret_type == relay.TensorType((1, 16), "float32")


def test_long_chains():
    x = relay.var("x", shape=(2,))
    y = x
    for _ in range(2000):
        y = relay.exp(y)
    mod = kc.IRModule.from_expr(relay.Function([x], y))
    assert str(mod).count("graph.exp") == 2000
    assert str(kc.IRModule.from_expr(mod["main"])) == str(mod)


def test_numbers_get_the_type_of_the_other_operand():
    x = relay.var("x", shape=(2,), dtype="float64")
    mod = kc.IRModule.from_expr(relay.Function([x], 2 * x + 1))
    assert mod["main"].ret_type == relay.TensorType((2,), "float64")


def test_seed_program_remove_unused_functions_until_the_pass():
    a1 = relay.var("a1", shape=(1,), dtype="float32")
    a2 = relay.var("a2", shape=(1,), dtype="float32")
    f1 = relay.Function([a1, a2], relay.add(a1, a2))
    d1 = relay.var("d1", shape=(4, 8), dtype="float32")
    w1 = relay.var("w1", shape=(16, 8), dtype="float32")
    f2 = relay.Function([d1, w1], relay.nn.relu(relay.nn.dense(d1, w1)))
    mod = relay.transform.InferType()(kc.IRModule({"add_func": f1, "main": f2}))
    assert [str(name) for name in mod.get_global_vars()] == ["add_func", "main"]


MISTAKES = {
    "free variable": (lambda x: relay.Function([], relay.exp(x)), "KC2406"),
    "sizes": (
        lambda x: relay.Function([x], relay.nn.dense(x, relay.const(np.ones((3, 9), "f4")))),
        "KC2400",
    ),
    "no type": (lambda x: relay.Function([v := relay.var("v")], relay.exp(v)), "KC2401"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_in_graphs(mistake: str):
    make, code = MISTAKES[mistake]
    with pytest.raises(GraphError) as caught:
        kc.IRModule.from_expr(make(relay.var("x", shape=(4, 8))))
    assert caught.value.code == code


def test_mistakes_in_calls():
    x = relay.var("x", shape=(4, 8))
    for code, make in (
        ("KC2405", lambda: relay.nn.dense(x, x, unit=3)),
        ("KC2405", lambda: relay.nn.softmax(x, axis="last")),
        ("KC2404", lambda: relay.op.get("nn.no_such")),
        ("KC2403", lambda: relay.Function(["x"], x)),  # pyright: ignore[reportArgumentType]
        ("KC2403", lambda: relay.var("x", relay.TensorType((1,)), shape=(1,))),
    ):
        with pytest.raises(GraphError) as caught:
            make()
        assert caught.value.code == code


def test_text():
    x = relay.var("x", shape=(1, 8))
    f = relay.Function([x], relay.nn.softmax(relay.nn.relu(x + relay.const(0.5)), axis=0))
    assert f.astext() == (
        "fn (%x: Tensor[(1, 8), float32]) {\n"
        "  %0 = add(%x, 0.5f /* ty=float32 */);\n"
        "  %1 = nn.relu(%0);\n"
        "  nn.softmax(%1, axis=0)\n"
        "}"
    )


def test_a_refusal_of_infer_type_leaves_the_module_as_it_was():
    text = """
graph.func @main(%x: tensor<4x8xf32>, %w: !graph.unknown) -> !graph.unknown {
  %0 = graph.nn.dense(%x, %w) <units = 16> : (tensor<4x8xf32>, !graph.unknown) -> !graph.unknown
  %1 = graph.nn.dense(%0, %x) : (!graph.unknown, tensor<4x8xf32>) -> !graph.unknown
  graph.return %1 : !graph.unknown
}"""
    module = kc.IRModule.parse(text)
    before = str(module)
    with pytest.raises(GraphError) as caught:
        infer_types(module.op)
    assert caught.value.code == "KC2400"
    assert str(module) == before


def test_a_name_that_a_namespace_does_not_have() -> None:
    for wrong, close in (("conv2", "conv2d"), ("rely", "relu")):
        with pytest.raises(AttributeError, match=f"did you mean .*'{close}'"):
            getattr(relay.nn, wrong)


def test_a_number_has_the_type_of_what_was_cast() -> None:
    x = relay.var("x", shape=(2, 3), dtype="int8")
    for data in (relay.cast(x, "float32"), relay.exp(relay.cast(x, "float32"))):
        padded = relay.nn.pad(data, ((0, 0), (1, 0)), 2.0)
        module = kc.IRModule.from_expr(relay.Function([x], padded))
        assert "dense<2.000000e+00> : tensor<f32>" in str(module)
