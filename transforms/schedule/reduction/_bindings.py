"""Blocks in private loops, with one loop for each variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr

from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import BlockOp, ForOp, IfOp
from kc.transforms.known_values import is_available
from kc.transforms.schedule._blocks import own_loops
from kc.transforms.schedule.base import Site


def require_plain_bindings(site: Site, block: BlockOp) -> list[ForOp | None]:
    """The loop of each variable of the block; None for a variable that is always 0.

    Refuses (KC3607) a predicate, shared loops, and bindings that combine several loops.
    """
    own = own_loops(block)
    why: str | None = None
    if block.predicate.data.constraints:
        why = "it has a predicate"
    index = IndexValues()
    drivers: list[ForOp | None] = []
    by_var: dict[SSAValue, ForOp] = {loop.var: loop for loop in own}
    for n, name in enumerate(block.names):
        expr = index.compose(block.binding_exprs[n], block.binding_operands)
        if expr == AffineConstantExpr(0) and block.extents[n] == 1:
            drivers.append(_unit_loop(block, n, by_var, drivers))
            continue
        root = index.roots[expr.position] if isinstance(expr, AffineDimExpr) else None
        loop = by_var.get(root) if root is not None else None
        if loop is None:
            why = why or f"{name} is not bound to a loop that contains only the block"
        elif loop in drivers:
            why = why or f"{name} and another variable are bound to the same loop"
        elif loop.extent_value != block.extents[n]:
            why = why or f"{name} and its loop have different extents"
        drivers.append(loop)
    first = own[0] if own else block
    parent = block.parent_op()
    while parent is not None and parent is not first.parent_op():
        if isinstance(parent, IfOp):
            why = why or "it is in a tir.if"
        parent = parent.parent_op()
    for size in block.dynamic_extents:
        if not is_available(size, first):
            why = why or f"{size.name_hint or 'an extent'} is not known before its loops"
    if why is None:
        return drivers
    raise site.refuse(
        "KC3607",
        f"block {block.label} is not bound to separate loops",
        at=block,
        why=why,
        hints=[f"{site.primitive} before its loops are split, fused or shared with other blocks"],
    )


def _unit_loop(
    block: BlockOp, n: int, own: Mapping[SSAValue, ForOp], taken: Sequence[ForOp | None]
) -> ForOp | None:
    """The innermost loop of one iteration in the binding of variable ``n``, which is always 0; None
    if there is no such loop.
    """
    values = [block.binding_operands[dim] for dim in block.binding_exprs[n].used_dims()]
    inner_first = [loop for var, loop in own.items() if var in values][::-1]
    free = (loop for loop in inner_first if loop.static_extent == 1 and loop not in taken)
    return next(free, None)
