"""Accesses that certainly leave their buffers are refused before anything is converted."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from kc.analysis.access_bounds import OutOfBounds, may_leave, out_of_bounds
from kc.analysis.loop_tree import buffer_name, functions
from kc.conversion.raise_to_tir import raise_function
from kc.dialects import tir
from kc.support.diagnostics import CodegenError, TEError
from kc.support.locations import location_of


def require_accesses_inside(module: ModuleOp) -> None:
    """Refuse accesses outside of a buffer (KC2030) where loops of constant extents show it."""
    for function in functions(module):
        require_inside(function)
        if may_leave(function):
            _require_raised_inside(function)


def require_inside(function: FuncOp) -> None:
    """Refuse accesses of ``tir`` outside of a buffer: KC2030."""
    outside = out_of_bounds(function)
    if outside is not None:
        place = ", ".join(f"{name}={value}" for name, value in outside.point.items())
        raise _refusal(function, outside, f"at {place}")


def _require_raised_inside(function: FuncOp) -> None:
    """Judge loops of scf as loops of tir; where they cannot be raised they are not judged."""
    try:
        raised, _ = raise_function(function, set())
    except CodegenError:
        return
    outside = out_of_bounds(raised)
    if outside is not None:
        # The loops of the text need not start at 0.
        point = outside.point.items()
        place = ", ".join(f"iteration {value} of {name}" for name, value in point)
        raise _refusal(function, outside, f"in {place}, counted from 0")


def _refusal(function: FuncOp, outside: OutOfBounds, place: str) -> TEError:
    does = "reads" if isinstance(outside.access, tir.LoadOp) else "writes"
    return TEError(
        "KC2030",
        f"{function.sym_name.data} {does} outside {buffer_name(outside.access.buffer)}: index "
        f"{outside.index} of dimension {outside.dimension}, which has the size {outside.size}",
        location=location_of(outside.access),
        why=f"this happens {place if outside.point else 'whenever it is executed'}",
        hints=["make the loops shorter, or guard the access with an if"],
    )
