"""Conditions on the body of a loop: in the predicates of its blocks, or in a ``tir.if``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineMap, AffineSet
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    BlockOp,
    DelinearizeOp,
    ForOp,
    IfOp,
    IterType,
    LinearizeOp,
    LoadOp,
)
from kc.transforms.affine_rewrite import add_predicate, compact
from kc.transforms.schedule.base import Site


def require_nonempty_reduction(site: Site, loop: ForOp) -> None:
    """Refuse (KC3036) additional empty iterations for a reduction loop that may have no iteration.

    A block stores its initial value if its reduction is empty; the condition on the new iterations
    would suppress that store.
    """
    for block in loop_tree.blocks(loop):
        if not block.has_init or loop.static_extent:
            continue
        if IterType.REDUCE in loop_tree.iter_types(loop, block):
            raise site.refuse(
                "KC3036",
                f"the reduction loop {loop.label} of {block.label} may have no iteration",
                at=loop,
                why=f"{block.label} then stores its initial value, but the condition on the new "
                "iterations would suppress that store",
            )


def require_counted_elements(site: Site, loops: Sequence[ForOp]) -> None:
    """Refuse (KC3036) loops that would count elements and terms together, in an ordered block with
    a reduction that may be empty.

    Such a block stores the elements of each step, so loops over elements must stay separate.
    """
    for block in loop_tree.blocks(loops[0]):
        if not block.has_init or IterType.OPAQUE not in block.types:
            continue
        kinds = set[IterType]().union(*(loop_tree.iter_types(loop, block) for loop in loops))
        if IterType.REDUCE not in kinds or len(kinds) == 1:
            continue
        for kind, name, extent in block.iters:
            if kind is IterType.REDUCE and (not isinstance(extent, int) or extent == 0):
                raise site.refuse(
                    "KC3036",
                    f"the reduction over {name.removeprefix('v_')} of {block.label} may be empty",
                    at=loops[0],
                    why=f"{block.label} then stores the initial values of each step, and "
                    f"{' and '.join(loop.label for loop in loops)} would no longer count elements "
                    "alone",
                    hints=["keep loops over elements separate from loops of this reduction"],
                )


def conjunction_of(guards: Sequence[IfOp]) -> tuple[AffineSet, list[SSAValue]]:
    """The conjunction of the conditions of ``guards``, with its operands."""
    operands: list[SSAValue] = []
    constraints: list[AffineConstraintExpr] = []
    for guard in guards:
        own = list(guard.operands_of_set)
        dims = [AffineExpr.dimension(len(operands) + n) for n in range(len(own))]
        constraints += [
            AffineConstraintExpr(
                constraint.kind,
                constraint.lhs.replace_dims_and_symbols(dims, []),
                constraint.rhs,
                canonicalize=False,
            )
            for constraint in guard.condition.data.constraints
        ]
        operands += own
    return compact(AffineSet(len(operands), 0, tuple(constraints)), operands)


def guard_body(
    body: Block, condition: AffineSet, operands: Sequence[SSAValue], *, of_nothing: bool = False
) -> None:
    """Restrict the operations in ``body`` to iterations where ``condition`` (over ``operands``)
    holds.

    With ``of_nothing``, the loop may have iterations although the loop before the rewrite had none.
    Sizes may then be 0, so that ``tir.delinearize`` must not divide by them outside a guard.
    """
    ops = list(_outside_of_blocks(body))
    sizes = [op for op in ops if isinstance(op, LoadOp) and _can_clamp(op)]
    work = [
        op for op in ops if loop_tree.has_work(op) and not _is_fixed(op, body) and op not in sizes
    ]
    divides = of_nothing and any(isinstance(op, DelinearizeOp) for op in ops)
    if not divides and all(
        isinstance(op, BlockOp | ForOp | IfOp) and not _may_read_poison(op) for op in work
    ):
        for size in sizes:
            _clamp(size)
        for op in ops:
            if isinstance(op, BlockOp):
                for constraint in condition.constraints:
                    add_predicate(op, constraint, operands)
        return
    needed: set[Operation] = set()
    pending = list(operands)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, Operation) and owner.parent is body and owner not in needed:
            needed.add(owner)
            pending += owner.operands
    inner = Block()
    for op in list(body.ops):
        if op not in needed:
            op.detach()
            inner.add_op(op)
    guard = IfOp(condition, operands, Region(inner))
    first = inner.first_op
    guard.location = first.location if first is not None else guard.location
    body.add_op(guard)


def _can_clamp(load: LoadOp) -> bool:
    """True if the result of ``load`` is only a loop extent and an element exists to read.

    Where the blocks do not run, the additional iterations have no effect.
    """
    shape = load.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    return loop_tree.is_size(load) and all(size > 0 for size in shape)


def _clamp(load: LoadOp) -> None:
    """Clamp the indices of ``load`` to the range of its buffer."""
    new: list[Operation] = []
    indices: list[SSAValue] = []
    shape = load.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    zero = arith.ConstantOp(IntegerAttr(0, INDEX))
    for expr, size in zip(load.indices.data.results, shape, strict=True):
        index = ApplyOp(expr, load.operands_of_map)
        last = arith.ConstantOp(IntegerAttr(size - 1, INDEX))
        low = arith.MinSIOp(index.result, last.result)
        both = arith.MaxSIOp(low.result, zero.result)
        new += [index, last, low, both]
        indices.append(both.result)
    copy = LoadOp(load.buffer, AffineMap.identity(len(indices)), indices)
    for op in (zero, *new, copy):
        op.location = load.location
    Rewriter.replace_op(load, [zero, *new, copy], [copy.result])


def _may_read_poison(op: Operation) -> bool:
    """True if the bounds or the condition of ``op`` use a linearized position.

    The guarding condition bounds the parts of the position. For parts out of range, the result of
    ``tir.linearize`` is poison, which must not decide a branch or an extent.
    """
    if isinstance(op, BlockOp):
        return False
    pending = list(op.operands)
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, LinearizeOp) and any(
            isinstance(index.owner, Operation) for index in owner.indices
        ):
            return True
        if isinstance(owner, Operation):
            pending += owner.operands
    return False


def _is_fixed(op: Operation, body: Block) -> bool:
    """True if ``op`` is an allocation with sizes from outside ``body``, which needs no guard."""
    return isinstance(op, AllocOp) and not any(
        body.is_ancestor(size.owner) for size in op.dynamic_sizes
    )


def _outside_of_blocks(body: Block) -> Iterator[Operation]:
    """The operations in ``body`` outside the bodies of its ``tir.block``; the blocks are
    included.
    """
    for op in body.ops:
        yield op
        if not isinstance(op, BlockOp):
            for region in op.regions:
                for block in region.blocks:
                    yield from _outside_of_blocks(block)
