"""A long short-term memory, step by step, after Hochreiter and Schmidhuber (1997)."""

from __future__ import annotations

from typing import Any

from kc.tvm.nodes.node_objects import TupleType
from kc.tvm.relay.expr import Function, Tuple, TupleGetItem, Var, var
from kc.tvm.relay.op import function_named, nn
from kc.tvm.relay.scope_builder import ScopeBuilder
from kc.tvm.relay.testing._networks import network
from kc.tvm.relay.testing.init import create_workload
from kc.tvm.relay.types import TensorType

_PARAMETERS = ("i2h_weight", "i2h_bias", "h2h_weight", "h2h_bias")


def lstm_cell(
    num_hidden: int, batch_size: int = 1, dtype: str = "float32", name: str = ""
) -> Function:
    """A step: the function of the input, of (cell, output) of the step before, and of the weights
    and biases of input and output. Its result is the output, and (cell, output)."""
    state = TensorType((batch_size, num_hidden), dtype)
    weight = TensorType((4 * num_hidden, num_hidden), dtype)
    bias = TensorType((4 * num_hidden,), dtype)
    inputs = Var("inputs", state)
    states = Var("states", TupleType([state, state]))
    params = [
        Var(f"{name}{each}", weight if each.endswith("weight") else bias) for each in _PARAMETERS
    ]
    split: Any = function_named("split")
    sigmoid: Any = function_named("sigmoid")
    tanh: Any = function_named("tanh")
    sb = ScopeBuilder()
    from_input = nn.bias_add(nn.dense(inputs, params[0], units=4 * num_hidden), params[1])
    before = TupleGetItem(states, 1)
    from_before = nn.bias_add(nn.dense(before, params[2], units=4 * num_hidden), params[3])
    gates = sb.let(f"{name}gates", from_input + from_before)
    enter, forget, change, leave = split(gates, indices_or_sections=4, axis=1)
    remembered = sigmoid(forget) * TupleGetItem(states, 0)
    cell = sb.let(f"{name}cell", remembered + sigmoid(enter) * tanh(change))
    out = sb.let(f"{name}out", sigmoid(leave) * tanh(cell))
    sb.ret(Tuple([out, Tuple([cell, out])]))
    return Function([inputs, states, *params], sb.get())


def get_net(
    iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32"
) -> Function:
    """``iterations`` steps, each of the input ``data`` and of weights of its own, from zeros."""
    zeros: Any = function_named("zeros")
    data = var("data", shape=(batch_size, num_hidden), dtype=dtype)
    weight = TensorType((4 * num_hidden, num_hidden), dtype)
    bias = TensorType((4 * num_hidden,), dtype)
    sb = ScopeBuilder()
    first = zeros((batch_size, num_hidden), dtype)
    states: Any = Tuple([first, first])
    out: Any = first
    for step in range(iterations):
        cell = sb.let(f"cell_{step}", lstm_cell(num_hidden, batch_size, dtype, f"lstm_{step}_"))
        params = [
            Var(f"{each.replace('_', f'_{step}_')}", weight if "weight" in each else bias)
            for each in _PARAMETERS
        ]
        results = sb.let(f"step_{step}", cell(data, states, *params))
        out, states = TupleGetItem(results, 0), TupleGetItem(results, 1)
    sb.ret(out)
    return network(sb.get())


def get_workload(
    iterations: int, num_hidden: int, batch_size: int = 1, dtype: str = "float32"
) -> tuple[Any, dict[str, Any]]:
    """The network as a module, and its parameters."""
    return create_workload(get_net(iterations, num_hidden, batch_size, dtype))
