"""Executors of expressions, parameters bound by name, and classes that walk expressions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import relay
from kc.error import GraphError

X = np.arange(8, dtype=np.float32).reshape(2, 4) / 8
W = np.ones((3, 4), np.float32)


@pytest.fixture
def dense() -> relay.Function:
    x, w = relay.var("x", shape=(2, 4)), relay.var("w", shape=(3, 4))
    return relay.Function([x, w], relay.nn.relu(relay.nn.dense(x, w) - relay.const(1.0)))


EXPECTED = np.maximum(X @ W.T - 1, 0)


@pytest.mark.parametrize("kind", ["graph", "aot", "vm", "debug"])
def test_executors(kind: str, dense: relay.Function):
    mod = kc.IRModule.from_expr(dense)
    call = relay.create_executor(kind, mod, kc.cpu(), "llvm").evaluate()
    np.testing.assert_allclose(call(X, W).numpy(), EXPECTED, rtol=1e-6)
    np.testing.assert_allclose(call(X, w=kc.nd.array(W)).numpy(), EXPECTED, rtol=1e-6)
    bound = relay.create_executor(kind, mod, params={"w": W}).evaluate()
    np.testing.assert_allclose(bound(X).numpy(), EXPECTED, rtol=1e-6)


def test_values_of_expressions():
    executor = relay.create_executor()
    assert executor.evaluate(relay.const(2.0) * relay.const(3.0)).numpy() == 6
    parts = executor.evaluate(relay.Tuple([relay.const(1), relay.exp(relay.const(0.0))]))
    assert [part.numpy().item() for part in parts] == [1, 1]
    x = relay.var("x", shape=(), dtype="float32")
    assert executor.evaluate(x + relay.const(1.0), {x: np.float32(4)}).numpy() == 5


def test_parameters_by_name(dense: relay.Function):
    bound = relay.build_module.bind_params_by_name(dense, {"w": W})
    assert [param.name_hint for param in bound.params] == ["x"]
    call = relay.create_executor("debug", kc.IRModule.from_expr(bound)).evaluate()
    np.testing.assert_allclose(call(X).numpy(), EXPECTED, rtol=1e-6)
    for params in ({"v": W}, {"w": W.T.copy()}, {"w": W.astype("float64")}):
        with pytest.raises(GraphError) as caught:
            relay.bind_params_by_name(dense, params)
        assert caught.value.code == "KC2450"


def test_mistakes_in_calls(dense: relay.Function):
    call = relay.create_executor("debug", kc.IRModule.from_expr(dense)).evaluate()
    for args, by_name in (((X,), {}), ((X, W, W), {}), ((X, W), {"w": W}), ((X,), {"v": W})):
        with pytest.raises(GraphError) as caught:
            call(*args, **by_name)
        assert caught.value.code == "KC2442"
    with pytest.raises(GraphError, match="KC2403"):
        relay.create_executor("fast")


def test_a_visitor_visits_each_expression_once(dense: relay.Function):
    class Calls(relay.ExprVisitor):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def visit_call(self, call: Any) -> None:
            super().visit_call(call)
            self.names.append(call.op.name)

    x = relay.var("x", shape=(2,))
    shared = relay.exp(x)
    calls = Calls()
    calls.visit(relay.Function([x], shared + shared))
    assert calls.names == ["exp", "add"]
    y: Any = x
    for _ in range(2000):
        y = relay.exp(y)
    deep = Calls()
    deep.visit(y)
    assert len(deep.names) == 2000


def test_a_mutator_keeps_what_it_does_not_change(dense: relay.Function):
    class ReluToExp(relay.ExprMutator):
        def visit_call(self, call: Any) -> Any:
            call = super().visit_call(call)
            return relay.exp(*call.args) if call.op == relay.op.get("nn.relu") else call

    assert relay.ExprMutator().visit(dense) is dense
    changed = ReluToExp().visit(dense)
    assert changed.body.op.name == "exp"
    body: Any = dense.body
    assert changed.body.args[0] is body.args[0]
    assert body.op.name == "nn.relu"
