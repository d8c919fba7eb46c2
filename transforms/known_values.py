"""Availability of values at an operation, and recomputation of the unavailable ones."""

from __future__ import annotations

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from kc.analysis.captures import captured_values


def is_available(value: SSAValue, anchor: Operation) -> bool:
    """True if ``value`` is defined before ``anchor``, in its block or in one around it."""
    owner = value.owner
    home = owner if isinstance(owner, Block) else owner.parent
    op: Operation | None = anchor
    while op is not None and op.parent is not home:
        op = op.parent_op()
    if op is None:
        return False
    return isinstance(owner, Block) or owner.is_before_in_block(op)


def can_rebuild(value: SSAValue, anchor: Operation) -> bool:
    """True if ``value`` is available at ``anchor``, or can be recomputed there."""
    if is_available(value, anchor):
        return True
    owner = value.owner
    if isinstance(owner, Block) or owner.regions or not owner.has_trait(Pure):
        return False
    return all(can_rebuild(operand, anchor) for operand in owner.operands)


def rebuild(value: SSAValue, anchor: Operation, copies: dict[SSAValue, SSAValue]) -> SSAValue:
    """Recompute ``value`` before ``anchor`` if necessary, and return it; see :func:`can_rebuild`.
    ``copies`` maps values to their recomputed copies.
    """
    if value in copies or is_available(value, anchor):
        return copies.get(value, value)
    owner = value.owner
    assert isinstance(owner, Operation)
    for operand in owner.operands:
        rebuild(operand, anchor, copies)
    copy = owner.clone(copies)
    copy.location = owner.location
    home = anchor.parent
    assert home is not None
    home.insert_op_before(copy, anchor)
    copies.update(zip(owner.results, copy.results, strict=True))
    return copies[value]


def rebuild_captured(top: Operation, copies: dict[SSAValue, SSAValue]) -> None:
    """Recompute before ``top`` the captured values that are unavailable there, and use the copies
    in ``top``; see :func:`rebuild`.
    """
    replaced = {value: rebuild(value, top, copies) for value in captured_values(top)}
    for op in top.walk():
        for n, operand in enumerate(op.operands):
            if operand in replaced and replaced[operand] is not operand:
                op.operands[n] = replaced[operand]
