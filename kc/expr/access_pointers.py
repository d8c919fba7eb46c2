"""Buffers as arguments of calls: ``A.access_ptr("r")``, which TVM has for C functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kc.expr.constructors import BufferAccess, Const, Expr, as_expr, binary
from kc.expr.dtypes import is_float, lanes
from kc.support.diagnostics import TEError, counted
from kc.support.locations import caller_location

if TYPE_CHECKING:
    from kc.expr.tensor import Tensor

_MODES = {"r": "read", "w": "write", "rw": "update", 1: "read", 2: "write", 3: "update"}
_MODES["wr"] = _MODES["rw"]


def access_of(buffer: Tensor, mask: Any, lanes: Any, offset: Any) -> BufferAccess:
    """A buffer as an argument of a call, from the element ``offset`` on: a flat index, or a list of
    indices (KC2154).

    TVM's mask declares the accesses of the call to the whole buffer. A write that starts after the
    first element does not overwrite the whole buffer.
    """
    location = caller_location()
    mode = _MODES.get(mask) if isinstance(mask, str | int) else None
    if mode is None:
        raise TEError(
            "KC2154",
            f"access_ptr: {buffer.name} with the mask {mask!r}",
            location=location,
            why="the mask must declare that the call reads the buffer, writes it, or both",
            hints=[f'{buffer.name}.access_ptr("r"), "w" or "rw"'],
        )
    starts = _starts(buffer, offset)
    wide = isinstance(lanes, int) and lanes >= 1 and not starts
    if starts is None or not (lanes == 1 or wide):
        raise TEError(
            "KC2154",
            f"access_ptr: {buffer.name} from element {offset} on, {counted(lanes, 'lane')}",
            location=location,
            why="an offset must be a flat index into a dense buffer, or an index for each "
            "dimension",
            hints=[f"tir.address_of({buffer.name}[{', '.join('ijklmnop'[: buffer.ndim])}])"],
        )
    if starts and mode == "write":
        mode = "update"
    return BufferAccess(buffer, mode, starts)


def _starts(buffer: Tensor, offset: Any) -> tuple[Expr, ...] | None:
    """The indices of the element ``offset``; empty for the first element. None for an invalid
    offset.
    """
    if isinstance(offset, list | tuple):
        firsts = tuple(map(as_expr, offset))
        return firsts if len(firsts) == buffer.ndim and all(map(_is_index, firsts)) else None
    number = as_expr(offset)
    if not _is_index(number):
        return None
    if isinstance(number, Const) and number.value == 0:
        return ()
    if getattr(buffer, "declared_strides", None) is not None or not buffer.ndim:
        return None
    starts: list[Expr] = []
    for size in reversed(buffer.shape[1:]):
        starts.insert(0, binary("floormod", number, size))
        number = binary("floordiv", number, size)
    return (number, *starts)


def _is_index(value: Expr) -> bool:
    return not (is_float(value.dtype) or value.dtype == "bool" or lanes(value.dtype) > 1)
