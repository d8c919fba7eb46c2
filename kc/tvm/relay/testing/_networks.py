"""Code that the networks share: their inputs, and functions made of expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.relay.expr import Expr, Function, Var, var
from kc.tvm.relay.traversal import free_vars


def image(
    batch_size: int, image_shape: Sequence[int], dtype: str, layout: str = "NCHW"
) -> tuple[Var, int]:
    """The variable ``data`` of a batch of images, and the axis of the channels."""
    if layout not in ("NCHW", "NHWC"):
        raise unknown("layout", layout, ["NCHW", "NHWC"])
    return var("data", shape=(batch_size, *image_shape), dtype=dtype), layout.index("C")


def network(result: Expr) -> Function:
    """The function of all free variables of an expression."""
    return Function(free_vars(result), result)


def unknown(what: str, value: Any, values: Sequence[Any]) -> GraphError:
    """The error for a variant of a network that there is not."""
    return GraphError(
        "KC2403",
        f"the {what} {value!r}",
        location=caller_location(),
        why=f"the values are {', '.join(map(str, values))}",
    )
