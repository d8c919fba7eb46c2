"""The remainder of a vectorized loop: the iterations after its whole vectors.

Besides serial execution, a remainder can run as:

- *masked*: a whole vector whose last lanes are inactive;
- *overlapping*: a whole vector that ends with the loop and repeats earlier iterations, if
repetition has no effect (:func:`is_repeatable`);
- *narrower*: vectors of half the lanes, a quarter of the lanes, and so on.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import scf
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSet
from xdsl.traits import Pure

from kc.analysis.module_copy import copy_operation
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import (
    AllocOp,
    ApplyOp,
    ForKind,
    ForOp,
    IfOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    ViewOp,
)

NARROWEST_BITS = 32
"""The width in bits below which vectors are not faster than scalars."""

LARGEST_BODY = 200
"""The most operations in the body of a loop that is duplicated for its remainder."""

LARGEST_CODE = 4000
"""The most new operations for one loop. Beyond this number, lanes under nested conditions run
serially, as each condition multiplies the vectors of several widths.
"""


def first_lanes(loop: ForOp, width: int, count: int | SSAValue, start: int | SSAValue) -> ForOp:
    """A loop of ``width`` iterations whose first ``count`` iterations execute ``loop``.

    They are the iterations of ``loop`` from ``start`` on; the remaining iterations have no effect.
    The new loop is not in a block.
    """
    partial = ForOp(loop.label, width, kind=ForKind.VECTORIZED)
    lane = AffineExpr.dimension(0)
    if isinstance(count, int):
        condition, operands = at_least_zero(lane * -1 + count - 1), []
    else:
        condition, operands = at_least_zero(AffineExpr.dimension(1) - lane - 1), [count]
    guard = IfOp(
        AffineSet(1 + len(operands), 0, (condition,)), [partial.var, *operands], Region(Block())
    )
    number = (
        ApplyOp(lane + start, [partial.var])
        if isinstance(start, int)
        else ApplyOp(lane + AffineExpr.dimension(1), [partial.var, start])
    )
    values: dict[SSAValue, SSAValue] = {loop.var: number.result}
    guard.then.block.add_op(number)
    guard.then.block.add_ops(copy_operation(op, values) for op in loop.body.block.ops)
    partial.body.block.add_op(guard)
    for op in (partial, guard, number):
        op.location = loop.location
    return partial


def is_repeatable(loop: ForOp) -> bool:
    """True if iterations of ``loop`` may be repeated after later ones without a change of memory.

    This holds if the loop loads from no buffer to which it stores, and has no other effects. The
    iterations are independent of each other.
    """
    loaded: set[SSAValue] = set()
    stored: set[SSAValue] = set()
    for op in loop.walk():
        if isinstance(op, LoadOp | StoreOp):
            memory = _memory(op.buffer)
            if memory is None:
                return False
            (loaded if isinstance(op, LoadOp) else stored).add(memory)
        elif not (
            isinstance(op, ForOp | IfOp | scf.IfOp | scf.YieldOp | PrefetchOp) or op.has_trait(Pure)
        ):
            return False
    return not loaded & stored and not any(
        around.kind.data is ForKind.THREAD for around in _loops_around(loop)
    )


def _loops_around(op: Operation) -> Iterator[ForOp]:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, ForOp):
            yield parent
        parent = parent.parent_op()


def _memory(buffer: SSAValue) -> SSAValue | None:
    """The argument or allocation that ``buffer`` is or views; None for other memory. Two different
    results do not overlap.
    """
    while isinstance(buffer.owner, ViewOp):
        buffer = buffer.owner.buffer
    is_known = isinstance(buffer, BlockArgument) or isinstance(buffer.owner, AllocOp)
    return buffer if is_known else None
