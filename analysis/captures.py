"""The values that a piece of code takes from around it."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.ir import Block, Operation, SSAValue


def captured_values(root: Operation | Block) -> list[SSAValue]:
    """The values that ``root`` uses and does not define, in order of first use.

    The operands of ``root`` itself are included, if it is an op.
    """
    used: dict[SSAValue, None] = {}
    defined: set[SSAValue] = set()
    ops: Iterable[Operation] = root.walk()
    if isinstance(root, Block):
        defined.update(root.args)
    for op in ops:
        defined.update(op.results)
        defined.update(
            arg for region in op.regions for block in region.blocks for arg in block.args
        )
        used.update(dict.fromkeys(op.operands))
    return [value for value in used if value not in defined]
