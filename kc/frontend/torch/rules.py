"""The table of rules, and what they share: axes, sizes and operands in the types of torch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc import te
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import converted, with_numerics

OPERATORS: dict[str, Callable[..., Any]] = {}
"""Operator -> its expression."""


SIZES = frozenset(
    f"aten.{name}"
    for name in ("sym_size.int", "sym_numel.default", "sym_stride.int",
                 "sym_storage_offset.default", "sym_is_contiguous.default")
)  # fmt: skip
"""Operators whose result the export knows: a size of a tensor, or of its memory."""


class Unsupported(Exception):
    """Arguments of an operator that kc does not support; the text says why."""


def rule(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a function for operators; a name without an overload is the default overload.

    Each operator computes in its types of :data:`kc.frontend.torch.numerics.NUMERICS`.
    """

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            full = f"aten.{name}" if "." in name else f"aten.{name}.default"
            OPERATORS[full] = with_numerics(name, function)
        return function

    return enter


def rank_of(x: Tensor) -> int:
    return len(x.shape)


def axis_of(axis: int, count: int) -> int:
    return axis + count if axis < 0 else axis


def sizes_of(value: Any, count: int) -> list[Any]:
    """One number for each axis."""
    values = list(value) if isinstance(value, list | tuple) else [value]
    return values * count if len(values) == 1 else values


def in_type(value: Any, dtype: str) -> Any:
    """An operand in torch's computation type; a Python number becomes a constant of this type."""
    if isinstance(value, Tensor):
        return value if value.dtype == dtype else converted(value, dtype)
    if dtype == "bool":
        return te.const(int(bool(value)), dtype)
    return te.const(float(value) if "float" in dtype else int(value), dtype)


def number_of(value: Any, dtype: str) -> Any:
    """A size, or a number, in a type."""
    return te.const(value, dtype) if isinstance(value, int | float) else value.astype(dtype)


def check_memory(name: str, node: Any) -> None:
    """Raise Unsupported for a view of memory that is not in the order of its tensor's elements.

    ``as_strided`` counts the elements of the memory, also of a transposed or sliced tensor.
    """
    if not name.startswith("aten.as_strided"):
        return
    value = node.args[0].meta.get("val")
    is_dense = getattr(value, "is_contiguous", None)
    if is_dense is not None and not (is_dense() and value.storage_offset() == 0):
        raise Unsupported("a view of a tensor whose memory is not row-major from its first element")
