"""Blocks for te computes: the elements, the reduction and its initial value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import Rewriter

from kc.analysis.module_copy import copy_operation
from kc.analysis.trust import UNSAFE_ATTRIBUTE
from kc.dialects import te, tir
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.tir.combine import combiner_region
from kc.support.float_formats import upper_limit
from kc.support.fresh_names import free_name

_COMBINE: dict[te.Combiner, tuple[Callable[..., Operation], Callable[..., Operation]]] = {
    te.Combiner.SUM: (arith.AddfOp, arith.AddiOp),
    te.Combiner.PROD: (arith.MulfOp, arith.MuliOp),
    te.Combiner.MIN: (arith.MinimumfOp, arith.MinSIOp),
    te.Combiner.MAX: (arith.MaximumfOp, arith.MaxSIOp),
    te.Combiner.UMIN: (arith.MinUIOp, arith.MinUIOp),
    te.Combiner.UMAX: (arith.MaxUIOp, arith.MaxUIOp),
}


def identity_attr(combiner: te.Combiner, element: Attribute) -> IntegerAttr | FloatAttr:
    """The neutral element of ``combiner`` for elements of type ``element``."""
    if isinstance(element, IntegerType):
        width = element.width.data
        value = {
            te.Combiner.SUM: 0,
            te.Combiner.PROD: 1,
            te.Combiner.MIN: (1 << (width - 1)) - 1,
            te.Combiner.MAX: -(1 << (width - 1)),
            te.Combiner.UMIN: -1,
            te.Combiner.UMAX: 0,
        }[combiner]
        return IntegerAttr(value, element)
    assert isinstance(element, AnyFloat)
    top = upper_limit(str(element))
    values = {
        te.Combiner.SUM: 0.0,
        te.Combiner.PROD: 1.0,
        te.Combiner.MIN: top,
        te.Combiner.MAX: -top,
    }
    return FloatAttr(values[combiner], element)


def combine(combiner: te.Combiner, lhs: SSAValue, rhs: SSAValue) -> Operation:
    """The op that applies ``combiner`` to two scalars."""
    float_op, int_op = _COMBINE[combiner]
    op_type = int_op if isinstance(lhs.type, IntegerType) else float_op
    return op_type(lhs, rhs)


@dataclass(frozen=True)
class Time:
    """The block variable of the row that the computes of a scan define. It precedes the variables
    of their axes.
    """

    variable: SSAValue
    """The scan's time in ``te``."""
    loop: SSAValue
    """The loop over the rows after the initial ones."""
    start: int
    extent: int | SSAValue
    name: str


class BlockBuilder:
    """Builds the block of one compute.

    ``values`` maps values of ``te`` to buffers and sizes. ``rows`` are the tensors of a scan's
    step: buffers whose first dimension is time.
    """

    def __init__(
        self,
        op: te.ComputeOp,
        buffers: Sequence[SSAValue],
        values: Mapping[SSAValue, SSAValue],
        rows: Mapping[SSAValue, SSAValue],
        time: Time | None = None,
        limit: int | SSAValue | None = None,
    ) -> None:
        self.op = op
        self.buffers = buffers
        self.values = dict(values)
        self.rows = rows
        self.time = time
        self.limit = limit
        """The number of rows of the buffer, if it may be less than that of the compute."""
        self.fixed = 0 if time is None else 1
        """The number of block variables before those of the axes."""
        self.at: SSAValue | None = None
        """The block variable of time, in the region that is being filled."""

    def nest(self) -> list[Operation]:
        """Build the block inside a loop for each axis; the outermost ops."""
        op = self.op
        spatial_extents = [
            extent if isinstance(extent, int) else self.values.get(extent, extent)
            for extent in op.spatial_extents
        ]
        spatial = [
            tir.ForOp(name, extent) for name, extent in zip(op.names, spatial_extents, strict=False)
        ]
        before: list[Operation] = []
        inner = self._reduce_extents(spatial, before)
        reduce = [
            tir.ForOp(name, extent) for name, extent in zip(op.names[op.rank :], inner, strict=True)
        ]
        for loop in (*spatial, *reduce):
            loop.location = op.location
        block = self._block([*spatial_extents, *inner], [loop.var for loop in (*spatial, *reduce)])
        held = [*before, nest(reduce, block)]
        if not spatial:
            return held
        spatial[-1].body.block.add_ops(held)
        return [nest(spatial[:-1], spatial[-1])]

    def _reduce_extents(
        self, loops: Sequence[tir.ForOp], before: list[Operation]
    ) -> list[int | SSAValue]:
        """The extents of the reduction axes; the ops that compute them are appended to
        ``before``.
        """
        op = self.op
        extents = op.extents[op.rank :]
        sizes: list[SSAValue] = []
        if op.has_domain:
            home = Block()
            self.values.update(zip(op.domain.block.args, (loop.var for loop in loops), strict=True))
            if self.time is not None:
                row = tir.ApplyOp(AffineExpr.dimension(0) + self.time.start, [self.time.loop])
                home.add_op(row)
                row.location = op.location
                self.at = self.values[self.time.variable] = row.result
            last = self._fill(home, op.domain)
            sizes = [self.values.get(size, size) for size in last.operands]
            for moved in list(home.ops):
                moved.detach()
                before.append(moved)
        rest = iter(sizes)
        return [
            next(rest)
            if extent is None
            else extent
            if isinstance(extent, int)
            else self.values.get(extent, extent)
            for extent in extents
        ]

    def _block(
        self, extents: Sequence[int | SSAValue], loop_vars: Sequence[SSAValue]
    ) -> tir.BlockOp:
        """The block, for loops with the variables ``loop_vars``, one for each axis."""
        op, time = self.op, self.time
        names = [f"v_{name}" for name in op.names]
        kinds = [tir.IterType.SPATIAL] * op.rank
        kinds += [tir.IterType.REDUCE] * (len(names) - op.rank)
        exprs = [AffineExpr.dimension(n + self.fixed) for n in range(len(names))]
        operands, domain = list(loop_vars), list(extents)
        if time is not None:
            # A row that depends on rows of its own tensor is computed after them.
            recurs = any(
                isinstance(nested, te.ReadOp) and self.values.get(nested.tensor) in self.buffers
                for nested in op.walk()
            )
            names.insert(0, free_name(f"v_{time.name}", names))
            kinds.insert(0, tir.IterType.OPAQUE if recurs else tir.IterType.SPATIAL)
            exprs.insert(0, AffineExpr.dimension(0) + time.start)
            operands.insert(0, time.loop)
            domain.insert(0, time.extent)
        block = tir.BlockOp(
            op.label,
            list(zip(kinds, names, domain, strict=True)),
            AffineMap(len(operands), 0, tuple(exprs)),
            operands,
            self._body(names),
            self._init(names) if op.is_reduction else None,
            **fewer_than(operands, self.limit),
        )
        block.location = op.location
        return block

    # Regions -------------------------------------------------------------------------------

    def _open(self, names: Sequence[str], *sources: Region) -> Block:
        """An empty block whose variables replace the arguments of ``sources``."""
        block = Block(arg_types=[tir.INDEX] * len(names))
        for arg, name in zip(block.args, names, strict=True):
            arg.name_hint = name
        for source in sources:
            for old, arg in zip(source.block.args, block.args[self.fixed :], strict=False):
                self.values[old] = arg
        if self.time is not None:
            self.at = self.values[self.time.variable] = block.args[0]
        return block

    def _body(self, names: Sequence[str]) -> Region:
        op = self.op
        outer = inner = self._open(names, op.body, *([op.where] if op.has_where else []))
        if op.has_where:
            last = self._fill(outer, op.where)
            assert isinstance(last, te.ConditionOp)
            inner = Block()
            outer.add_op(self._guard(outer, last, inner))
        last = self._fill(inner, op.body)
        assert isinstance(last, te.YieldOp)
        element = list(outer.args[: self.fixed + op.rank])
        place = AffineMap.identity(len(element))
        results = [self.values[value] for value in last.values]
        ops: list[Operation] = []
        if op.is_reduction:
            olds = [tir.LoadOp(buffer, place, element) for buffer in self.buffers]
            ops += olds
            count = len(olds)
            results = self._combined(
                ops, [load.result for load in olds], results[:count], results[count:]
            )
        for value, buffer in zip(results, self.buffers, strict=True):
            ops.append(tir.StoreOp(value, buffer, place, element))
        for new_op in ops:
            new_op.location = last.location
        inner.add_ops(ops)
        return Region(outer)

    def _combined(
        self,
        ops: list[Operation],
        old: list[SSAValue],
        new: list[SSAValue],
        captured: list[SSAValue],
    ) -> list[SSAValue]:
        op = self.op
        if op.combiner is not None:
            step = combine(op.combiner.data, old[0], new[0])
        else:
            assert op.combiner_name is not None
            assert op.identity is not None
            region = combiner_region(op.combine)
            step = tir.CombineOp(op.combiner_name.data, old, new, region, op.identity, captured)
            if UNSAFE_ATTRIBUTE in op.attributes:
                step.attributes[UNSAFE_ATTRIBUTE] = op.attributes[UNSAFE_ATTRIBUTE]
        ops.append(step)
        return list(step.results)

    def _guard(self, outer: Block, last: te.ConditionOp, then: Block) -> Operation:
        """A ``tir.if`` around the update of a conditional term."""
        constraints = list(last.condition.data.constraints)
        operands = [self.values.get(operand, operand) for operand in last.operands_of_set]
        ops: list[Operation] = []
        if last.value is not None:
            wide = arith.ExtUIOp(self.values.get(last.value, last.value), i64)
            index = arith.IndexCastOp(wide.result, tir.INDEX)
            ops += [wide, index]
            truth = AffineExpr.dimension(len(operands)) - 1
            constraints.append(AffineConstraintExpr(AffineConstraintKind.eq, truth, ZERO))
            operands.append(index.result)
        guard = tir.IfOp(AffineSet(len(operands), 0, tuple(constraints)), operands, Region(then))
        for new_op in (*ops, guard):
            new_op.location = last.location
        outer.add_ops(ops)
        return guard

    def _init(self, names: Sequence[str]) -> Region:
        op = self.op
        block = self._open(names, *([op.init] if op.has_init else []))
        if op.has_init:
            last = self._fill(block, op.init)
            starts = [self.values[value] for value in last.operands]
        else:
            if op.combiner is not None:
                attrs = [identity_attr(op.combiner.data, op.element_types[0])]
            else:
                assert op.identity is not None
                attrs = list(op.identity.data)
            constants = [arith.ConstantOp(attr) for attr in attrs]  # pyright: ignore
            starts = [constant.result for constant in constants]
            block.add_ops(constants)
        element = list(block.args[: self.fixed + op.rank])
        for value, buffer in zip(starts, self.buffers, strict=True):
            block.add_op(tir.StoreOp(value, buffer, AffineMap.identity(len(element)), element))
        for new_op in block.ops:
            if not op.has_init or isinstance(new_op, tir.StoreOp):
                new_op.location = op.location
        return Region(block)

    # Scalar code ---------------------------------------------------------------------------

    def _fill(self, block: Block, source: Region) -> Operation:
        """Copy the ops of ``source``, with reads replaced by loads. Returns the terminator, which
        is not copied.
        """
        end = source.block.last_op
        assert end is not None
        for op in source.block.ops:
            if op is end:
                break
            if isinstance(op, te.ReadOp):
                operands = [self.values.get(operand, operand) for operand in op.operands_of_map]
                new: Operation = self._load(op, operands)
                self.values[op.result] = new.results[0]
            else:
                new = copy_operation(op, self.values)
                for read, copy in list(zip(op.walk(), new.walk(), strict=True)):
                    if isinstance(read, te.ReadOp) and isinstance(copy, te.ReadOp):
                        load = self._load(read, copy.operands_of_map)
                        load.location = read.location
                        Rewriter.replace_op(copy, load)
            new.location = op.location
            block.add_op(new)
        return end

    def _load(self, read: te.ReadOp, operands: Sequence[SSAValue]) -> tir.LoadOp:
        """The load for ``read``, a read of the compute; ``operands`` are the translated operands of
        its map.
        """
        operands = list(operands)
        space = read.indices.data
        row = self.rows.get(read.tensor)
        buffer = row if row is not None else self.values.get(read.tensor, read.tensor)
        if row is not None:
            assert self.at is not None
            time = AffineExpr.dimension(len(operands))
            space = AffineMap(len(operands) + 1, 0, (time, *space.results))
            operands.append(self.at)
        load = tir.LoadOp(buffer, space, operands)
        load.result.name_hint = read.result.name_hint
        return load


def nest(loops: Sequence[tir.ForOp], inner: Operation) -> Operation:
    """Put ``inner`` into the innermost of ``loops``; the outermost op is returned."""
    for loop in reversed(loops):
        loop.body.block.add_op(inner)
        inner = loop
    return inner


def copy_nest(
    source: SSAValue,
    target: SSAValue,
    name: str,
    sizes: Sequence[int | SSAValue],
    rows: int | SSAValue | None = None,
) -> Operation:
    """Loops that copy the part of ``sizes`` from a buffer to another, at most ``rows`` along the
    first dimension.
    """
    rank = len(sizes)
    loops = [tir.ForOp(f"c{n}", extent) for n, extent in enumerate(sizes)]
    body = Block(arg_types=[tir.INDEX] * rank)
    element = AffineMap.identity(rank)
    load = tir.LoadOp(source, element, body.args)
    body.add_ops([load, tir.StoreOp(load.result, target, element, body.args)])
    block = tir.BlockOp(
        name,
        [(tir.IterType.SPATIAL, f"v_c{n}", extent) for n, extent in enumerate(sizes)],
        element,
        [loop.var for loop in loops],
        Region(body),
        **fewer_than([loop.var for loop in loops], rows),
    )
    return nest(loops, block)


class Limit(TypedDict, total=False):
    """A block predicate and its operands."""

    predicate: AffineSet
    predicate_operands: Sequence[SSAValue]


def fewer_than(variables: Sequence[SSAValue], rows: int | SSAValue | None) -> Limit:
    """The predicate that the first variable is less than ``rows``; empty if ``rows`` is
    constant.
    """
    if not isinstance(rows, SSAValue):
        return {}
    difference = AffineExpr.dimension(1) - AffineExpr.dimension(0) - 1
    limit = AffineSet(2, 0, (at_least_zero(difference),))
    return {"predicate": limit, "predicate_operands": [variables[0], rows]}
