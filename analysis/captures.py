"""Captured values: values that code uses and that are defined outside of the code."""

from __future__ import annotations

from collections.abc import Container

from xdsl.ir import Block, Operation, SSAValue
from xdsl.traits import Pure

from kc.analysis.loop_tree import defined_inside, preorder


def captured_values(root: Operation | Block) -> list[SSAValue]:
    """The values that ``root`` uses and does not define, in order of first use.

    If ``root`` is an op, its own operands are included.
    """
    used: dict[SSAValue, None] = {}
    defined: set[SSAValue] = set()
    if isinstance(root, Block):
        defined.update(root.args)
        ops = (inner for op in root.ops for inner in preorder(op))
    else:
        ops = preorder(root)
    for op in ops:
        defined.update(op.results)
        for region in op.regions:
            defined.update(arg for block in region.blocks for arg in block.args)
        used.update(dict.fromkeys(op.operands))
    return [value for value in used if value not in defined]


def makers_inside(
    value: SSAValue, root: Operation, outer: Container[SSAValue] = ()
) -> list[Operation] | None:
    """The pure operations in ``root`` that compute ``value`` from values available at its entry and
    from ``outer``, in program order. None if ``value`` depends on anything else, such as a loop
    variable inside ``root`` or a load.
    """
    if value in outer or not defined_inside(value, root):
        return []
    owner = value.owner
    if isinstance(owner, Block) or owner.regions or not owner.has_trait(Pure):
        return None
    makers: list[Operation] = []
    for operand in owner.operands:
        before = makers_inside(operand, root, outer)
        if before is None:
            return None
        makers += before
    return list(dict.fromkeys([*makers, owner]))
