"""Operators whose result lies in the memory of their operand: nothing is computed, nor copied."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.sizes import MaybeSize, Size, product_of
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.runtime.signature import DTYPES

if TYPE_CHECKING:
    from kc.building.graphs.program import View

RESHAPES = frozenset(
    {
        "reshape",
        "squeeze",
        "expand_dims",
        "nn.batch_flatten",
        "reshape_like",
        "contrib_reverse_reshape",
    }
)
"""The operators whose result has the elements of their first operand, in the same order."""


def view_of(op: OperatorOp, inputs: Sequence[Any]) -> Any:
    """The result of an operator as views of its operand; None if it has to be computed.

    ``inputs`` are the views of the operands, None for one that is computed in a group.
    """
    from kc.building.graphs.program import View

    if not inputs or not isinstance(inputs[0], View):
        return None
    source = inputs[0]
    name = op.OPERATOR.name
    spec = spec_of(op.result.type)
    if name in RESHAPES and isinstance(spec, TensorSpec):
        if None in spec.shape or product_of(spec.shape) != product_of(source.spec.shape):
            return None
        return View(source.buffer, source.offset, spec)
    slices = _SLICES.get(name)
    if slices is None or spec is None:
        return None
    return slices(op, source, spec)


def _sliced(op: OperatorOp, source: View, spec: Any) -> Any:
    """``strided_slice`` of whole rows, one after the other."""
    operator: Any = op.operator
    axes = getattr(operator, "axes", None)
    begin, strides = getattr(operator, "begin", None), getattr(operator, "strides", None)
    if begin is None or getattr(operator, "slice_mode", "end") not in ("end", "size"):
        return None
    if strides is not None and any(step != 1 for step in strides):
        return None
    axis = _only_axis(source.spec.shape, spec.shape)
    if axis is None or not _is_outermost(source.spec.shape, axis):
        return None
    position = axis if axes is None else _index(axes, axis, len(source.spec.shape))
    start = 0 if position is None or position >= len(begin) else begin[position]
    size = source.spec.shape[axis]
    if start is None:
        start = 0
    if not isinstance(start, int):
        return None
    if isinstance(size, int):
        start = min(max(start + size if start < 0 else start, 0), size)
    elif start < 0 or size is None:
        return None
    return _rows(source, spec, axis, start)


def _index(axes: Sequence[int], axis: int, rank: int) -> int | None:
    normal = [each % rank for each in axes]
    return normal.index(axis) if axis in normal else None


def _split(op: OperatorOp, source: View, spec: Any) -> Any:
    """``split`` along the outermost dimension."""
    operator: Any = op.operator
    axis = operator.axis % len(source.spec.shape)
    if not isinstance(spec, tuple) or not _is_outermost(source.spec.shape, axis):
        return None
    parts: list[View] = []
    start: Size = 0
    for part in spec:
        view = _rows(source, part, axis, start)
        if view is None:
            return None
        parts.append(view)
        start = start + part.shape[axis]
    return tuple(parts)


_SLICES: dict[str, Callable[[OperatorOp, Any, Any], Any]] = {
    "strided_slice": _sliced,
    "split": _split,
}


def _only_axis(whole: Sequence[MaybeSize], part: Sequence[MaybeSize]) -> int | None:
    """The dimension whose size differs; 0 if none does; None if several do."""
    changed = [n for n, (a, b) in enumerate(zip(whole, part, strict=True)) if a != b]
    return None if len(changed) > 1 else changed[0] if changed else 0


def _is_outermost(shape: Sequence[MaybeSize], axis: int) -> bool:
    return all(size == 1 for size in shape[:axis])


def _rows(source: View, spec: TensorSpec, axis: int, start: Size) -> View | None:
    """The rows of a view from one on."""
    from kc.building.graphs.program import View

    row = product_of(source.spec.shape[axis + 1 :])
    if row is None or None in spec.shape:
        return None
    offset = start * row * DTYPES[spec.dtype].size
    return View(source.buffer, source.offset + offset, spec)


def joins_outermost(op: OperatorOp) -> bool:
    """True for a concatenation along the outermost dimension of parts with known sizes."""
    if op.OPERATOR.name != "concatenate":
        return False
    spec = spec_of(op.result.type)
    if not isinstance(spec, TensorSpec) or None in spec.shape:
        return False
    operator: Any = op.operator
    return _is_outermost(spec.shape, operator.axis % spec.rank)
