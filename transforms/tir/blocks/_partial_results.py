"""Partial results of a reduction: their buffers, the loops that initialise and combine them, and
the block that stores the combined results.

A reduction block updates a partial result instead of the result itself. The loops over results
inside the reduction loops are copied twice: before the reduction, to initialise the partial
results, and after it, to combine them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import MemRefType, NoneAttr, StringAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.captures import captured_values, makers_inside
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import Reduction, Update
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.threads import VIRTUAL_AXES
from kc.support.fresh_names import fresh_name
from kc.transforms.schedule._combiners import neutral_of, steps_on

Values = dict[SSAValue, SSAValue]
"""The copy of each value."""

_COPIED_KINDS = (ForKind.THREAD, ForKind.UNROLLED)


@dataclass(frozen=True)
class Split:
    """A reduction whose block gets partial results."""

    reduction: Reduction
    path: Sequence[ForOp]
    """The loops over results inside the reduction loops and around the block, outermost first."""
    reduced: Sequence[ForOp]
    """All loops that drive a reduce variable or repeat terms. A partial result belongs to the path
    inside these loops, not to one of their iterations.
    """
    root: Operation
    """The operation before which partial results are initialised and after which they are
    combined.
    """

    @property
    def block(self) -> BlockOp:
        """The reduction block."""
        return self.reduction.block

    @property
    def counted(self) -> list[ForOp]:
        """The loops of the path that have a partial result for each iteration: all except thread
        loops, whose memory is private. Virtual thread loops count, as they share the memory of one
        thread.
        """
        return [loop for loop in self.path if loop.axis is None or loop.axis in VIRTUAL_AXES]

    @property
    def conditions(self) -> list[AffineConstraintExpr]:
        """The conditions of the block that depend on results alone."""
        block = self.block
        reduced = {value for loop in self.reduced for value in loop_tree.derived_values(loop.var)}
        return [
            constraint
            for constraint in block.predicate.data.constraints
            if reduced.isdisjoint(block.predicate_operands[n] for n in constraint.lhs.used_dims())
        ]

    def makers(self) -> list[Operation] | str:
        """The operations inside ``root`` that compute the indices of results and the operands of
        the init, in order; or the name of a value that depends on more than the loops of the path.
        """
        block, makers = self.block, list[Operation]()
        variables = {loop.var for loop in self.path}
        exprs = [
            expr
            for kind, expr in zip(block.types, block.binding_exprs, strict=True)
            if kind is not IterType.REDUCE
        ]
        lhs = [constraint.lhs for constraint in self.conditions]
        places = [
            (update.store.indices.data.results, update.store.operands_of_map)
            for update in self.reduction.updates
        ]
        for used, operands in (
            (exprs, block.binding_operands),
            (lhs, block.predicate_operands),
            *places,
        ):
            for n in sorted({n for expr in used for n in expr.used_dims()}):
                if loop_tree.defined_inside(operands[n], block):
                    continue  # a variable, whose binding is checked
                before = makers_inside(operands[n], self.root, variables)
                if before is None:
                    return operands[n].name_hint or "an index"
                makers += before
        for value in captured_values(block.init.block) if block.has_init else ():
            before = makers_inside(value, self.root, variables)
            if before is None:
                return value.name_hint or "a value"
            makers += before
        return list(dict.fromkeys(makers))


class PartialResults:
    """The partial results of one reduction."""

    def __init__(
        self, split: Split, names: set[str], lanes: int | None = None, space: str | None = None
    ) -> None:
        """``names`` has the names of buffers in use. With ``lanes``, each partial result is a
        vector of ``lanes`` elements. ``space`` is the memory space of the buffers.
        """
        self.split = split
        self.has_lanes = lanes is not None
        shape = [loop.static_extent or 0 for loop in split.counted]
        shape = [*shape, lanes] if lanes is not None else shape or [1]
        self.allocs: list[AllocOp] = []
        for update in split.reduction.updates:
            label = fresh_name(f"{buffer_name(update.buffer)}_part", names)
            memory: Attribute = NoneAttr() if space is None else StringAttr(space)
            type_ = MemRefType(update.term.type, shape, memory_space=memory)
            self.allocs.append(AllocOp(label, type_))

    def nest(self, fill: Callable[[Values], list[Operation]]) -> list[Operation]:
        """Copies of the loops of the path, of the operations that compute the indices of results,
        and, in the innermost loop, the operations that ``fill`` returns.
        """
        values: Values = {}
        outermost: list[Operation] = []
        inner: Block | None = None
        for loop in self.split.path:
            size = loop.extent_value
            kind = loop.kind.data if loop.kind.data in _COPIED_KINDS else ForKind.SERIAL
            copy = ForOp(loop.label, size, kind=kind, axis=loop.axis)
            copy.var.name_hint = loop.var.name_hint
            values[loop.var] = copy.var
            if inner is None:
                outermost.append(copy)
            else:
                inner.add_op(copy)
            inner = copy.body.block
        copies: list[Operation] = []
        for maker in self.split.makers():
            assert isinstance(maker, Operation)
            copies.append(copy := maker.clone(values))
            values.update(zip(maker.results, copy.results, strict=True))
        ops = fill(values)
        for copy in reversed(copies):
            if any(result.uses for result in copy.results):
                ops.insert(0, copy)
            else:
                copy.erase()
        if inner is None:
            return ops
        inner.add_ops(ops)
        return outermost

    def place(
        self, values: Values, lane: SSAValue | None = None
    ) -> tuple[AffineMap, list[SSAValue]]:
        """The indices of the partial result of the current iteration of the path: the element of
        ``lane``, by default of the first lane.
        """
        at = [values.get(loop.var, loop.var) for loop in self.split.counted]
        if lane is not None:
            return AffineMap.identity(len(at) + 1), [*at, lane]
        if not at or self.has_lanes:
            exprs = [AffineExpr.dimension(n) for n in range(len(at))]
            return AffineMap(len(at), 0, (*exprs, AffineConstantExpr(0))), at
        return AffineMap.identity(len(at)), at

    def filled(self, place: tuple[AffineMap, Sequence[SSAValue]]) -> list[Operation]:
        """The operations that store the neutral elements."""
        ops: list[Operation] = []
        for update, alloc in zip(self.split.reduction.updates, self.allocs, strict=True):
            neutral = arith.ConstantOp(neutral_of(update))  # pyright: ignore[reportArgumentType]
            ops += [neutral, StoreOp(neutral.result, alloc.buffer, *place)]
        return ops

    def redirect(
        self, reduction: Reduction, lane: SSAValue | None = None, values: Values | None = None
    ) -> None:
        """Make a reduction update the partial results. ``reduction`` is the original one, or a copy
        of it whose values are ``values``.
        """
        at = self.place(values or {}, lane)
        for update, alloc in zip(reduction.updates, self.allocs, strict=True):
            load = LoadOp(alloc.buffer, *at)
            load.location = update.load.location
            load.result.name_hint = update.load.result.name_hint
            Rewriter.replace_op(update.load, [load])
            store = StoreOp(update.store.value, alloc.buffer, *at)
            store.location = update.store.location
            Rewriter.replace_op(update.store, [store], [])

    # The block that stores the results

    def store_block(
        self,
        label: str,
        values: Values,
        results: Callable[[Block, Values, Sequence[int]], Sequence[SSAValue]],
    ) -> BlockOp:
        """A block that stores a result to each buffer.

        ``results`` adds the results to the body of the block. Its arguments are the body, the map
        from the values of the reduction's block to their copies, and the positions of the variables
        of the reduction's block that the new block has.
        """
        block = self.split.block
        positions = [n for n, kind in enumerate(block.types) if kind is not IterType.REDUCE]
        body = Block(arg_types=[block.body.block.args[n].type for n in positions])
        mapping = values.copy()
        for n, arg in zip(positions, body.args, strict=True):
            arg.name_hint = block.names[n]
            mapping[block.body.block.args[n]] = arg
        totals = results(body, mapping, positions)
        for update, total in zip(self.split.reduction.updates, totals, strict=True):
            body.add_op(StoreOp(total, update.buffer, *self.result_place(update, mapping)))
        iters = [block.iters[n] for n in positions]
        exprs = [block.binding_exprs[n] for n in positions]
        bindings, operands = _over(exprs, block.binding_operands, values)
        conditions = self.split.conditions
        lhs = [constraint.lhs for constraint in conditions]
        parts, predicate_operands = _over(lhs, block.predicate_operands, values)
        predicate = AffineSet(
            len(predicate_operands),
            0,
            tuple(
                AffineConstraintExpr(constraint.kind, expr, constraint.rhs)
                for constraint, expr in zip(conditions, parts.results, strict=True)
            ),
        )
        return BlockOp(
            label,
            iters,
            bindings,
            operands,
            Region(body),
            predicate=predicate,
            predicate_operands=predicate_operands,
        )

    def result_place(self, update: Update, mapping: Values) -> tuple[AffineMap, list[SSAValue]]:
        """The map and the operands of the element to which ``update`` stores, in a copy of its
        block.
        """
        at = [mapping.get(operand, operand) for operand in update.store.operands_of_map]
        return update.store.indices.data, at


def _over(
    exprs: Sequence[AffineExpr], operands: Sequence[SSAValue], values: Values
) -> tuple[AffineMap, list[SSAValue]]:
    """Expressions over ``operands`` as a map over the copies of the operands that they use."""
    used = sorted({n for expr in exprs for n in expr.used_dims()})
    dims = [AffineExpr.dimension(used.index(n) if n in used else 0) for n in range(len(operands))]
    moved = tuple(expr.replace_dims_and_symbols(dims, ()) for expr in exprs)
    return AffineMap(len(used), 0, moved), [values.get(operands[n], operands[n]) for n in used]


def steps_added(
    body: Block,
    reduction: Reduction,
    old: Sequence[SSAValue],
    new: Sequence[SSAValue],
    variables: Values,
) -> list[SSAValue]:
    """Add the steps of the reduction to ``body`` with the values ``new`` in place of ``old``;
    return their results. ``variables`` maps the variables of the reduction's block."""
    steps, results = steps_on(reduction, old, new, variables)
    body.add_ops(steps)
    return results
