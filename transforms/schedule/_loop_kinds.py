"""What parallel and vectorize share: a loop whose iterations run at the same time."""

from __future__ import annotations

from xdsl.ir import Operation

from kc.analysis import loop_tree
from kc.analysis.dependence import carried_conflict
from kc.dialects.tir import ForKind, ForKindAttr, ForOp
from kc.transforms.schedule.base import Rewritten, Site


def require_concurrent(site: Site, primitive: str, loop: ForOp) -> None:
    """Refuse unless no two iterations of ``loop`` depend on each other."""
    conflict = carried_conflict(loop)
    if conflict is None:
        return
    if conflict.reduction and conflict.undecided is None:
        block = conflict.source.block
        name = block.label if block is not None else "the reduction"
        raise site.refuse(
            "KC3040",
            f"{primitive}: loop {loop.label} is a reduction of {name}",
            at=loop,
            why=conflict.explain(),
            hints=[
                f"{primitive} a spatial loop: " + ", ".join(one.label for one in spatial)
                if (spatial := [one for one in loop_tree.spatial_loops(block)] if block else [])
                else "rfactor gives partial results that can be computed at the same time"
            ],
        )
    raise site.refuse(
        "KC3041",
        f"{primitive}: the iterations of {loop.label} "
        + ("cannot be proven independent" if conflict.undecided else "depend on each other"),
        at=loop,
        why=conflict.explain(),
    )


def kinds_inside(loop: ForOp, kind: ForKind) -> list[ForOp]:
    """The loops of ``kind`` below ``loop``."""
    return [one for one in loop_tree.loops(loop) if one is not loop and one.kind.data is kind]


def kinds_around(op: Operation, kind: ForKind) -> list[ForOp]:
    """The loops of ``kind`` around ``op``."""
    return [one for one in loop_tree.loops_around(op) if one.kind.data is kind]


def set_kind(loop: ForOp, kind: ForKind) -> Rewritten:
    """Give ``loop`` its kind; the loop stays the same op."""
    loop.properties["kind"] = ForKindAttr(kind)
    return Rewritten((loop,))
