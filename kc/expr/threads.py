"""Thread axes, to which a GPU's loops are bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kc.dialects.tir.threads import THREAD_AXES
from kc.expr.constructors import Binary, Compare, Const, Expr, IterVar, Var, as_expr
from kc.support.diagnostics import ScheduleError, suggest
from kc.support.locations import caller_location


@dataclass(eq=False, repr=False)
class ThreadAxis(IterVar):
    """An axis of threads. ``extent`` is None if the bound loop determines it."""

    thread_tag: str = ""


def thread_axis(dom: Any = None, tag: str = "", name: str = "") -> ThreadAxis:
    """An axis of threads: ``te.thread_axis("threadIdx.x")`` or ``te.thread_axis((0, 32), ...)``.

    Raises KC3143 for an unknown tag, or a domain other than ``(0, number of threads)``.
    """
    location = caller_location()
    if isinstance(dom, str):
        dom, tag = None, dom
    if tag not in THREAD_AXES:
        raise ScheduleError(
            "KC3143",
            f"thread_axis: unknown threads '{tag}'",
            location=location,
            hints=suggest(tag, THREAD_AXES, "there are"),
        )
    extent: Any = dom
    if isinstance(dom, tuple | list) and len(dom) == 2 and _zero(dom[0]):
        extent = dom[1]
    if hasattr(extent, "__index__") and not isinstance(extent, Expr):
        extent = extent.__index__()
    extent = int(extent.value) if isinstance(extent, Const) else extent
    if not (extent is None or isinstance(extent, Var) or (isinstance(extent, int) and extent > 0)):
        raise ScheduleError(
            "KC3143",
            f"thread_axis: {tag} with the domain {dom!r}",
            location=location,
            why="the threads must be counted from 0, and there must be at least one",
            hints=[f'te.thread_axis((0, 32), "{tag}")', f'te.thread_axis("{tag}")'],
        )
    return ThreadAxis(
        name or tag.replace(".", "_"),
        extent,  # pyright: ignore[reportArgumentType]
        "thread",
        location=location,
        thread_tag=tag,
    )


def _zero(start: Any) -> bool:
    return (start.value if isinstance(start, Const) else start) == 0


def require_threads(primitive: str, axis: Any) -> None:
    """Refuse (KC3144) anything but an axis of threads."""
    if not isinstance(axis, ThreadAxis):
        raise ScheduleError(
            "KC3144",
            f"{primitive}: {getattr(axis, 'name', axis)!s} is not an axis of threads",
            location=caller_location(),
            why="te.thread_axis creates axes of threads",
            hints=['te.thread_axis("threadIdx.x")'],
        )


_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def thread_condition(name: str, predicate: Any) -> str:
    """A store predicate of the stage ``name`` as text, or a refusal (KC3149)."""
    parts: list[str] = []
    waiting = [as_expr(predicate)]
    while waiting:
        conjunct = waiting.pop()
        if isinstance(conjunct, Binary) and conjunct.op == "and":
            waiting += [conjunct.rhs, conjunct.lhs]
            continue
        if (
            not isinstance(conjunct, Compare)
            or not isinstance(conjunct.lhs, ThreadAxis)
            or not isinstance(conjunct.rhs, Const)
        ):
            raise ScheduleError(
                "KC3149",
                f"set_store_predicate: the predicate of {name} is not a condition on threads",
                location=caller_location(),
                why="the predicate selects the threads that store a value: it must consist of "
                "comparisons of "
                "axes of threads with numbers, joined by te.all or &",
                hints=["s[C].set_store_predicate(tx.var.equal(0))"],
            )
        parts.append(f"{conjunct.lhs.thread_tag} {_SIGNS[conjunct.op]} {conjunct.rhs.value}")
    return " and ".join(parts)
