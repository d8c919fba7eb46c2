"""Exported programs in terms of ATen's core, in which some operators stay whole.

An LSTM of 32 steps is 1,382 operators of ATen's core, and one here. Attention, which torch's table
would take apart, stays one operator, too, and a linear layer has its weight as it lies in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

_FLOATS = ("float32", "float64")


def _dtype(node: Any) -> str:
    return str(node.meta["val"].dtype).removeprefix("torch.")


def _shape(node: Any) -> tuple[Any, ...]:
    return tuple(node.meta["val"].shape)


def _keeps_linear(x: Any, weight: Any, bias: Any = None) -> bool:
    return len(_shape(weight)) == 2 and len(_shape(x)) > 0


def _keeps_attention(
    query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: Any = None, enable_gqa: bool = False,
) -> bool:  # fmt: skip
    """True for batches of heads that are equal, or divide each other."""
    first, *rest = (_shape(part) for part in (query, key, value))
    rank = len(first)
    if dropout_p or rank not in (3, 4) or any(len(shape) != rank for shape in rest):
        return False
    if not all(shape[: rank - 3] == first[: rank - 3] for shape in rest):
        return False
    return enable_gqa or all(shape[rank - 3] == first[rank - 3] for shape in rest)


def _keeps_recurrent(
    x: Any, states: Any, parameters: Any, has_biases: bool, layers: int, dropout: float,
    train: bool, bidirectional: bool, batch_first: bool,
) -> bool:  # fmt: skip
    """True for a batch of sequences of a known length, without projections or dropout."""
    size = (4 if has_biases else 2) * layers * (2 if bidirectional else 1)
    if len(_shape(x)) != 3 or len(parameters) != size or (dropout and train and layers > 1):
        return False
    steps = _shape(x)[1 if batch_first else 0]
    listed = states if isinstance(states, list | tuple) else [states]
    is_projected = len({_shape(state)[-1] for state in listed}) > 1
    return isinstance(steps, int) and not is_projected and _dtype(x) in _FLOATS


KEPT: dict[str, Callable[..., bool]] = {
    "aten.linear.default": _keeps_linear,
    "aten.scaled_dot_product_attention.default": _keeps_attention,
    "aten.lstm.input": _keeps_recurrent,
    "aten.gru.input": _keeps_recurrent,
    "aten.rnn_tanh.input": _keeps_recurrent,
    "aten.rnn_relu.input": _keeps_recurrent,
}
"""The operators that stay whole, where their arguments are of this form in all calls."""


def decomposed(program: Any) -> Any:
    """The program in ATen's core, and the operators of :data:`KEPT`."""
    try:
        defaults = getattr(import_module("torch.export"), "default_decompositions", None)
    except ImportError:
        defaults = None
    if defaults is None:
        return program.run_decompositions()
    table = defaults()
    refused = {
        str(node.target)
        for node in program.graph.nodes
        if str(getattr(node, "target", "")) in KEPT
        and not KEPT[str(node.target)](*node.args, **node.kwargs)
    }
    for operator in [each for each in table if str(each) in KEPT.keys() - refused]:
        table.pop(operator)
    return program.run_decompositions(table)
