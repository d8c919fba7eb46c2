"""Checks that parallel, vectorize and bind share: loops whose iterations run concurrently."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import Conflict, carried_conflict
from kc.dialects.tir import BlockOp, ForKind, ForKindAttr, ForOp
from kc.dialects.tir.threads import VIRTUAL_AXES
from kc.transforms.schedule.base import LoopRef, Rewritten, Site, on_copy


def require_concurrent(site: Site, loop: ForOp, axis: str | None = None) -> None:
    """Refuse (KC3040, KC3041) a dependence between iterations of ``loop``.

    With ``axis``, the iterations are threads of that axis.
    """
    conflict = carried_conflict(loop, axis)
    if conflict is not None:
        refuse_conflict(site, loop, conflict, axis)


def refuse_conflict(
    site: Site, loop: ForOp, conflict: Conflict, axis: str | None = None
) -> NoReturn:
    """Refuse (KC3040, KC3041) the concurrent execution of the iterations of ``loop``."""
    if conflict.reduction and conflict.undecided is None:
        block = conflict.source.unit
        name = block.label if block is not None else "the reduction"
        raise site.refuse(
            "KC3040",
            f"loop {loop.label} is a reduction of {name}",
            at=loop,
            why=conflict.explain(),
            hints=instead(site, loop, block, axis),
        )
    raise site.refuse(
        "KC3041",
        f"the iterations of {loop.label} "
        + ("cannot be proven independent" if conflict.undecided else "depend on each other"),
        at=loop,
        why=conflict.explain(),
        hints=_apart(loop, conflict, axis),
    )


def _apart(loop: ForOp, conflict: Conflict, axis: str | None) -> list[str]:
    """The hint to give each thread of ``axis`` a separate buffer, if the conflict is on a buffer
    that is allocated inside the loop.
    """
    buffer = conflict.source_access.buffer
    if buffer is None or not loop_tree.defined_inside(buffer, loop):
        return []
    scope, name = loop_tree.memory_scope(buffer), loop_tree.buffer_name(buffer)
    return [f"the threads of {axis} share {name} ({scope}); in local memory each has its own"]


def instead(site: Site, loop: ForOp, block: BlockOp | None, axis: str | None = None) -> list[str]:
    """Hints for the refusal of ``loop``, which is a reduction of ``block``."""
    spatial = [loop.label for loop in loop_tree.spatial_loops(block)] if block is not None else []
    hints = [f"{site.primitive} a spatial loop: {', '.join(spatial)}"] if spatial else []
    if axis is not None:
        hints.append(f"bind {loop.label} to threadIdx.x: its threads combine their values")
    if axis is not None or not spatial:
        hints.append("rfactor creates partial results that can be computed in parallel")
    return hints


def kinds_inside(loop: ForOp, kind: ForKind) -> list[ForOp]:
    """The loops of ``kind`` below ``loop``."""
    return [
        inner for inner in loop_tree.loops(loop) if inner is not loop and inner.kind.data is kind
    ]


def kinds_around(op: Operation, kind: ForKind) -> list[ForOp]:
    """The loops of ``kind`` around ``op``."""
    return [outer for outer in loop_tree.loops_around(op) if outer.kind.data is kind]


def require_replaceable(site: Site, loop: ForOp, check: Callable[[Site, LoopRef], object]) -> None:
    """Refuse another kind for ``loop`` if ``check`` refuses the kind for the same loop as a serial
    loop.
    """

    def check_serial(copy: Site, twin: Callable[[ForOp], ForOp]) -> None:
        set_kind(twin(loop), ForKind.SERIAL)
        check(copy, LoopRef(twin(loop)))

    on_copy(site, check_serial)


def real_threads(loops: Iterable[ForOp]) -> list[ForOp]:
    """The loops that are bound to blocks or threads of a GPU."""
    return [loop for loop in loops if loop.axis is not None and loop.axis not in VIRTUAL_AXES]


def set_kind(loop: ForOp, kind: ForKind, axis: str | None = None) -> Rewritten:
    """Set the kind of ``loop`` in place."""
    loop.properties["kind"] = ForKindAttr(kind)
    loop.properties.pop("thread_axis", None)
    if axis is not None:
        loop.properties["thread_axis"] = StringAttr(axis)
    return Rewritten((loop,))
