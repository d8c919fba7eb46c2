"""Rules of torch's recurrent networks, each layer and direction of which is one scan over time.

The gates are those of Cho et al., 2014, in torch's form: the reset gate scales the product of the
state, with its bias.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc import te, topi
from kc.expr import functions as scalar
from kc.expr.tensor import Tensor
from kc.frontend.torch.rules import rule

Step = Callable[[Callable[[int], Any], Callable[[int], Any], Any], Any]
"""The next state of an element: of the parts of the input's product, of the parts of the state's
product, each with its bias, and of the state."""


def _gru(inputs: Callable[[int], Any], products: Callable[[int], Any], state: Any) -> Any:
    reset = scalar.sigmoid(inputs(0) + products(0))
    update = scalar.sigmoid(inputs(1) + products(1))
    new = scalar.tanh(inputs(2) + reset * products(2))
    return new + update * (state - new)


def _tanh(inputs: Callable[[int], Any], products: Callable[[int], Any], state: Any) -> Any:
    return scalar.tanh(inputs(0) + products(0))


def _relu(inputs: Callable[[int], Any], products: Callable[[int], Any], state: Any) -> Any:
    value = inputs(0) + products(0)
    return scalar.max(value, te.const(0, value.dtype))


def _states(
    x: Tensor, initial: Tensor, weights: Sequence[Tensor], parts: int, step: Step, name: str,
    is_reverse: bool,
) -> Tensor:  # fmt: skip
    """The states (T + 1, N, H) of a layer, of which the first is the initial one."""
    steps, batch, width = x.shape
    input_weight, state_weight, *biases = weights
    rows, hidden = state_weight.shape
    source = topi.flip(x, 0) if is_reverse else x
    k = te.reduce_axis((0, width), name="k")
    inputs = te.compute(
        (steps, batch, rows),
        lambda t, n, r: te.sum(source(t, n, k) * input_weight(r, k), axis=k),
        f"{name}_inputs",
        tag="dense",
    )
    states = te.placeholder((steps + 1, batch, hidden), x.dtype, f"{name}_h")
    j = te.reduce_axis((0, hidden), name="j")
    products = te.compute(
        (steps + 1, batch, rows),
        lambda t, n, r: te.sum(states(t - 1, n, j) * state_weight(r, j), axis=j),
        f"{name}_products",
    )

    def next_state(t: Any, n: Any, h: Any) -> Any:
        def with_bias(value: Any, place: int, row: Any) -> Any:
            return value + biases[place](row) if biases else value

        def of_input(part: int) -> Any:
            row = part * hidden + h
            return with_bias(inputs(t - 1, n, row), 0, row)

        def of_state(part: int) -> Any:
            row = part * hidden + h
            return with_bias(products(t, n, row), 1, row)

        return step(of_input, of_state, states(t - 1, n, h))

    assert rows == parts * hidden
    first = te.compute((1, batch, hidden), lambda _, n, h: initial(n, h), f"{name}_init")
    new = te.compute((steps + 1, batch, hidden), next_state, f"{name}_out")
    return te.scan(first, new, states, inputs=[inputs], name=name)


def _network(step: Step, parts: int, name: str) -> Callable[..., list[Tensor]]:
    def network(
        x: Tensor, initial: Tensor, parameters: Sequence[Tensor], has_biases: bool, layers: int,
        dropout: float, train: bool, bidirectional: bool, batch_first: bool, *, node: Any,
    ) -> list[Tensor]:  # fmt: skip
        size, directions = 4 if has_biases else 2, 2 if bidirectional else 1
        if batch_first:
            x = topi.transpose(x, (1, 0, 2))
        steps = x.shape[0]
        lasts: list[Tensor] = []
        for layer in range(layers):
            outputs: list[Tensor] = []
            for direction in range(directions):
                number = layer * directions + direction
                weights = parameters[size * number : size * (number + 1)]
                begin = topi.reshape(
                    topi.strided_slice(initial, (number,), (number + 1,), axes=(0,)),
                    initial.shape[1:],
                )
                states = _states(x, begin, weights, parts, step, name, direction == 1)
                result = topi.strided_slice(states, (1,), (steps + 1,))
                outputs.append(topi.flip(result, 0) if direction else result)
                lasts.append(topi.strided_slice(states, (steps,), (steps + 1,)))
            x = topi.concatenate(outputs, 2) if bidirectional else outputs[0]
        last = topi.concatenate(lasts, 0) if len(lasts) > 1 else lasts[0]
        return [topi.transpose(x, (1, 0, 2)) if batch_first else x, last]

    return network


rule("gru.input")(_network(_gru, 3, "gru"))
rule("rnn_tanh.input")(_network(_tanh, 1, "rnn"))
rule("rnn_relu.input")(_network(_relu, 1, "rnn"))
