"""Refusal of certainly invalid memory accesses, before anything is converted."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from kc.analysis.accesses.access_bounds import OutOfBounds, may_leave, out_of_bounds
from kc.analysis.accesses.owned_memory import written_constant, wrong_deallocation
from kc.analysis.loop_tree import buffer_name, functions
from kc.dialects import tir
from kc.support.diagnostics import CodegenError, TEError
from kc.support.locations import location_of


def require_accesses_inside(module: ModuleOp) -> None:
    """Refuse accesses that certainly leave a buffer in loops of constant extent (KC2030), and
    invalid deallocations and writes (KC4558, KC4559).
    """
    for function in functions(module):
        _require_own_memory(function)
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
    """Check loops of scf as loops of tir; loops that cannot be raised are not checked."""
    # Imported on demand: it contains the patterns of all dialects, and te and tir need none.
    from kc.conversion.raise_to_tir import raise_function

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


def _require_own_memory(function: FuncOp) -> None:
    written = written_constant(function)
    if written is not None:
        op, name = written
        raise CodegenError(
            "KC4559",
            f"{function.sym_name.data} writes @{name}, a constant",
            location=location_of(op),
            why="constants of a module are in memory that cannot be written",
            hints=[f"memref.global @{name} without constant", "a buffer of the function"],
        )
    wrong = wrong_deallocation(function)
    if wrong is None:
        return
    name = buffer_name(wrong.memory)
    raise CodegenError(
        "KC4558",
        f"{function.sym_name.data} frees {name} by memref.dealloc",
        location=location_of(wrong.dealloc),
        facts=[f"the use: {place}"] if wrong.use and (place := location_of(wrong.use)) else [],
        why=wrong.why,
        hints=["remove the dealloc: the memory of a function is freed at the end of the function"],
    )


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
