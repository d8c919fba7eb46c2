"""``relay.transform.gradient`` and its passes, by TVM's names."""

from __future__ import annotations

import numpy as np
import pytest

import kc
from kc import relay
from kc.error import GraphError


@pytest.mark.parametrize("mode", ["higher_order", "first_order"])
def test_the_gradient_is_a_function_of_the_same_parameters(mode: str) -> None:
    x = relay.var("x", shape=(3,))
    function = relay.Function([x], x * x + relay.exp(x))
    back = relay.transform.gradient(function, mode=mode)
    rand = np.array([0.5, 1, -1], np.float32)
    forward, (grad,) = relay.create_executor().evaluate(back)(rand)
    np.testing.assert_allclose(forward.numpy(), rand**2 + np.exp(rand), rtol=1e-6)
    np.testing.assert_allclose(grad.numpy(), 2 * rand + np.exp(rand), rtol=1e-6)


def test_functions_of_a_module_get_gradients_in_it() -> None:
    a, x = relay.var("a", shape=(3,)), relay.var("x", shape=(3,))
    mod = kc.IRModule({"cube": relay.Function([a], a * a * a)})
    back = relay.transform.gradient(
        relay.Function([x], relay.GlobalVar("cube")(relay.sin(x))), mod, mode="first_order"
    )
    mod.update(kc.IRModule({"main": back, **mod.functions}))
    rand = np.array([0.5, 1, -1], np.float32)
    _, (grad,) = kc.graph.Interpreter(mod).run(rand)
    np.testing.assert_allclose(grad, 3 * np.sin(rand) ** 2 * np.cos(rand), rtol=1e-5)


def test_passes() -> None:
    x = relay.var("x", shape=(3,))
    mod = kc.IRModule.from_expr(relay.Function([x], relay.tanh(x)))
    passes = kc.transform.Sequential(
        [relay.transform.FirstOrderGradient(), relay.transform.LazyGradientInit()], opt_level=3
    )
    value, (grad,) = kc.graph.Interpreter(passes(mod)).run(np.zeros(3, np.float32))
    np.testing.assert_array_equal(value, 0)
    np.testing.assert_array_equal(grad, 1)


def test_what_has_no_gradient() -> None:
    x = relay.var("x", shape=(3,))
    with pytest.raises(GraphError, match="KC2409") as refused:
        relay.transform.gradient(relay.Function([x], x), mode="second_order")
    assert "the modes are higher_order and first_order" in str(refused.value)
    with pytest.raises(GraphError, match="KC2409"):
        relay.transform.gradient(x)
