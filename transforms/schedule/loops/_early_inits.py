"""Initial values of reductions that may be empty: they are stored before the reduction's outermost
loop.

The store precedes all other statements of that loop. The initial value of a nonempty reduction is
stored beside the first term, where dependences determine the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import accesses_memory_of, may_share_memory
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp
from kc.transforms.schedule._blocks import describe


def early_init(
    loops: Sequence[ForOp], holding: Sequence[Operation], beside: Sequence[Operation]
) -> str | None:
    """The reason why ``beside`` may not move across ``holding`` in ``loops``; None if it may.

    The reason is a block in ``holding`` whose reduction starts in ``loops`` and may be empty, and
    whose init uses the same memory as an operation of ``beside``.
    """
    for block in (block for op in holding for block in loop_tree.blocks(op)):
        if not block.has_init or not any(_carries(loop, block) for loop in loops):
            continue
        empty = _possibly_empty(block, loops)
        if empty is None:
            continue
        for op in beside:
            if _meet(block, op):
                return (
                    f"where the reduction of {block.label} over {empty} is empty, its initial "
                    f"value is stored in front of the loop, and {describe(op)} uses the same memory"
                )
    return None


def _carries(loop: ForOp, block: BlockOp) -> bool:
    return IterType.REDUCE in loop_tree.iter_types(loop, block)


def _possibly_empty(block: BlockOp, loops: Sequence[ForOp]) -> str | None:
    """The name of a reduction variable that may have an empty range while ``loops`` run; None if no
    variable may.
    """
    counted: dict[SSAValue, int | SSAValue] = {loop.var: loop.extent_value for loop in loops}
    operands = block.binding_operands
    for expr, (kind, name, extent) in zip(block.binding_exprs, block.iters, strict=True):
        if kind is not IterType.REDUCE or (isinstance(extent, int) and extent > 0):
            continue
        used = [operands[n] for n in expr.used_dims()]
        if len(used) == 1 and counted.get(used[0]) == extent:
            continue  # one of the loops counts its values
        return name.removeprefix("v_")
    return None


def _meet(block: BlockOp, op: Operation) -> bool:
    """True if the init of ``block`` and ``op`` use the same memory, and at least one of them writes
    it.
    """
    return any(
        accesses_memory_of(op, buffer) if is_written else _may_write(op, buffer)
        for buffer, is_written in _used(block)
    )


def _used(block: BlockOp) -> Iterator[tuple[SSAValue, bool]]:
    """The buffers that the init of a block uses, each with True if the init may write it."""
    for op in block.init.walk():
        for operand in op.operands:
            if isinstance(operand.type, MemRefType):
                yield operand, not isinstance(op, LoadOp)


def _may_write(op: Operation, buffer: SSAValue) -> bool:
    return any(
        isinstance(operand.type, MemRefType) and may_share_memory(operand, buffer)
        for nested in op.walk()
        if not isinstance(nested, LoadOp)
        for operand in nested.operands
    )
