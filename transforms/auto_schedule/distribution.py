"""distribution: blocks that share loops with other statements get separate loops.

Programs that are raised from loops have statements beside inner loops; the rules for products and
reductions need a nest for each block. In a nest of three loops or more, the outer loops are
distributed (``distribute``), because the computation outweighs the additional memory traffic. In a
nest of two loops only the inner loops are distributed, so that a row that several statements use
stays in the cache. A recurrence is not distributed.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from kc.analysis import loop_tree
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.reduction import gain
from kc.transforms.auto_schedule.rule import Rule

_Uses = dict[SSAValue, list[LoadOp | StoreOp]]

DEEP = 3
"""The number of loops around a block from which the outermost loop of the nest is distributed."""


class Distribution(Rule):
    """Give each block separate loops."""

    name = "distribution"
    downward = True

    def apply(self, draft: Draft, block: str) -> bool:
        loops = draft.nest(block).loops
        if not loops or block in draft.begun:
            return False
        depth = max(
            len(loop_tree.loops_around(neighbour)) for neighbour in loop_tree.blocks(loops[0])
        )
        changed = False
        for number in range(0 if depth >= DEEP else 1, len(loops)):
            handles = draft.loops(block)
            loop = list(handles)[number]
            if _pays(draft, block, loop):
                changed |= draft.attempt("distribute", handles[loop], draft.block(block))
        return changed


def _pays(draft: Draft, block: str, loop: ForOp) -> bool:
    """True if statements of ``loop`` precede the block, and one of the two parts has inner loops or
    the block sums contiguous terms.
    """
    nest = draft.nest(block)
    before: list[Operation] = []
    for op in loop.body.block.ops:
        if loop_tree.is_inside(nest.block, op):
            break
        if loop_tree.has_work(op):
            before.append(op)
    if not before or _share_elements(draft, loop, before):
        return False
    if any(isinstance(op, ForOp) for op in before) or nest.loops[-1] is not loop:
        return True
    is_sum = nest.block.is_reduction and IterType.OPAQUE not in nest.kinds[loop]
    return is_sum and gain(nest, loop) > 0


def _share_elements(draft: Draft, loop: ForOp, before: list[Operation]) -> bool:
    """True if all iterations use the same elements of a buffer that the first part writes and the
    second part uses, as far as the indices show: each iteration would need separate elements. This
    test is much cheaper than a refusal by ``distribute``.
    """
    key = loop, before[-1]
    shared = draft.results.get(key)
    if shared is None:
        shared = draft.results[key] = _find_shared(loop, set(before))
    return shared


def _find_shared(loop: ForOp, before: set[Operation]) -> bool:
    parts: tuple[_Uses, _Uses] = ({}, {})
    for op in loop.body.block.ops:
        part = parts[op not in before]
        for inner in loop_tree.preorder(op):
            if type(inner) is LoadOp or type(inner) is StoreOp:
                part.setdefault(inner.buffer, []).append(inner)
    first, second = parts
    for buffer in first.keys() & second.keys():
        uses = first[buffer], second[buffer]
        if not any(isinstance(op, StoreOp) for ops in uses for op in ops):
            continue
        if not _is_outside(buffer, loop):
            continue
        accesses = [{_access(op, loop) for op in ops} for ops in uses]
        for access, after in itertools.product(*accesses):
            if (access.is_store or after.is_store) and not access.is_apart_from(after):
                return True
    return False


@dataclass(frozen=True)
class _Index:
    """An index of an access in a loop."""

    expr: AffineExpr
    operands: tuple[SSAValue, ...]
    moves: bool
    """True if the variable of the loop changes the index."""
    varies: bool
    """True if the index depends on the variable of an inner loop, or on computed values."""
    is_known: bool
    """True if the index depends only on variables of loops."""


@dataclass(frozen=True)
class _Access:
    """A load or a store."""

    is_store: bool
    indices: tuple[_Index, ...]

    def is_apart_from(self, second: _Access) -> bool:
        """True if, in some dimension, the indices of the two accesses may select different elements
        in different iterations of the loop.
        """
        return any(
            a.is_known
            and b.is_known
            and (
                a.moves
                or b.moves
                or not (a.varies or b.varies or (a.expr, a.operands) == (b.expr, b.operands))
            )
            for a, b in zip(self.indices, second.indices, strict=True)
        )


def _access(op: LoadOp | StoreOp, loop: ForOp) -> _Access:
    operands = tuple(op.operands_of_map)
    indices: list[_Index] = []
    for expr in op.indices.data.results:
        used = [operands[n] for n in sorted(expr.used_dims())]
        sources = _sources(used)
        inner = [
            source for source in sources if source is not loop.var and not _is_outside(source, loop)
        ]
        is_known = all(isinstance(source, BlockArgument) for source in inner)
        indices.append(_Index(expr, operands, loop.var in sources, bool(inner), is_known))
    return _Access(isinstance(op, StoreOp), tuple(indices))


def _sources(values: list[SSAValue]) -> set[SSAValue]:
    """The sources of the values: variables of loops, arguments, and loaded values."""
    pending, met, sources = list(values), set(values), set[SSAValue]()
    while pending:
        value = pending.pop()
        owner = value.owner
        if isinstance(owner, Block):
            block = owner.parent_op()
            if isinstance(block, BlockOp) and isinstance(value, BlockArgument):
                expr = block.binding_exprs[value.index]
                before = [block.binding_operands[n] for n in expr.used_dims()]
            else:
                sources.add(value)
                continue
        elif owner.regions or isinstance(owner, LoadOp):
            sources.add(value)
            continue
        else:
            before = list(owner.operands)
        new = [value for value in before if value not in met]
        met.update(new)
        pending += new
    return sources


def _is_outside(value: SSAValue, loop: ForOp) -> bool:
    owner = value.owner
    op = owner.parent_op() if isinstance(owner, Block) else owner
    return op is not loop and not (op is not None and loop_tree.is_inside(op, loop))
