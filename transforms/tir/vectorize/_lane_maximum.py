"""The maximum of floats in lanes, with numpy's rule for NaN, at one additional operation per
vector.

x86's instruction computes ``x > m ? x : m``, which drops a NaN operand and does not order -0 and
+0. To avoid a test of each term, the lanes also add up their terms: the sum is NaN if a term is
NaN. If a sum is NaN (also because the terms include both infinities), or if a lane's maximum is -0
and may have to be +0, the original reduction runs once more behind the loop, starting from the
lanes' result: a term that is combined twice does not change a maximum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    Float32Type,
    Float64Type,
    FloatAttr,
    MemRefType,
    VectorType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag, ReductionOp
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.reductions.reductions import Reduction
from kc.dialects.arith import CmpfOp, CmpiOp, SelectOp
from kc.dialects.tir import AllocOp, BlockOp, ForKind, ForOp, LoadOp, StoreOp
from kc.support.fresh_names import fresh_name
from kc.transforms.tir.blocks._partial_results import PartialResults, Values

Place = tuple[AffineMap, Sequence[SSAValue]]


@dataclass(frozen=True)
class TakenNames:
    """The names that are in use in a function."""

    buffers: set[str]
    labels: set[str]


def is_lane_maximum(reduction: Reduction, place: ForOp) -> bool:
    """True if ``reduction`` is a maximum of floats and is the only content of the loop nest
    ``place``.
    """
    if [type(step) for step in reduction.steps] != [arith.MaximumfOp]:
        return False
    if not isinstance(reduction.updates[0].term.type, Float32Type | Float64Type):
        return False
    child: Operation = place
    while isinstance(child, ForOp):
        if child.body.block.first_op is None or child.body.block.first_op.next_op is not None:
            return False
        child = child.body.block.first_op
    return child is reduction.block


class LaneMaximum:
    """The maximum of one reduction, computed in lanes."""

    def __init__(
        self, parts: PartialResults, place: ForOp, loop: ForOp, width: int, names: TakenNames
    ) -> None:
        """``loop`` is the loop over the lanes: ``place`` or a loop inside it."""
        self.parts = parts
        self.place = place
        self.loop = loop
        self.width = width
        self.labels = names.labels
        self.loops_again: list[ForOp] = []
        """The loops that replace ``loop`` in the second run of the reduction."""
        (self.maxima,) = parts.allocs
        label = fresh_name(f"{self.maxima.label}_sum", names.buffers)
        self.sums = AllocOp(label, self.maxima.buffer.type)

    @property
    def element(self) -> Float32Type | Float64Type:
        """The type of a term."""
        type_ = self.maxima.buffer.type
        assert isinstance(type_, MemRefType)
        assert isinstance(type_.element_type, Float32Type | Float64Type)
        return type_.element_type

    def filled(self, place: Place) -> list[Operation]:
        """Initialise the sums of the lanes to 0."""
        zero = arith.ConstantOp(FloatAttr(0.0, self.element))
        return [zero, StoreOp(zero.result, self.sums.buffer, *place)]

    def redirect(self, reduction: Reduction, lane: SSAValue, values: Values) -> None:
        """Make the reduction update the maxima and the sums of the lanes. ``values`` maps values of
        the reduction to their copies.
        """
        (update,) = reduction.updates
        at = self.parts.place(values, lane)
        old = LoadOp(self.maxima.buffer, *at)
        greater = CmpfOp(update.term, old.result, "ogt")
        greatest = SelectOp(greater.result, update.term, old.result)
        total = LoadOp(self.sums.buffer, *at)
        added = arith.AddfOp(total.result, update.term)
        ops = [
            *(old, greater, greatest, total, added),
            StoreOp(greatest.result, self.maxima.buffer, *at),
            StoreOp(added.result, self.sums.buffer, *at),
        ]
        for op in ops:
            op.location = update.store.location
        Rewriter.insert_op(ops, InsertPoint.before(update.store))
        for op in (update.store, update.step, update.load):
            op.detach()
            op.erase()

    def again(self, values: Values) -> list[Operation]:
        """The second run of the original reduction, under the condition that a sum is NaN or a
        maximum is -0.
        """
        ops: list[Operation] = []

        def add(op: Operation) -> SSAValue:
            ops.append(op)
            return op.results[0]

        shape = [self.width]
        integer = i32 if isinstance(self.element, Float32Type) else i64
        place = self.parts.place(values)
        total = add(LoadOp(self.sums.buffer, *place, VectorType(self.element, shape)))
        has_nan = add(CmpfOp(total, total, "uno"))
        greatest = add(LoadOp(self.maxima.buffer, *place, VectorType(self.element, shape)))
        bits_type = VectorType(integer, shape)
        bits = add(arith.BitcastOp(greatest, bits_type))
        negative_zero = DenseIntOrFPElementsAttr.from_list(
            bits_type, [-(1 << (integer.width.data - 1))]
        )
        is_zero = add(CmpiOp(bits, add(arith.ConstantOp(negative_zero)), "eq"))
        either = add(arith.OrIOp(has_nan, is_zero))
        any_lane = ReductionOp.build(
            operands=[either, []],
            result_types=[i1],
            properties={"kind": CombiningKindAttr(CombiningKindFlag.OR)},
        )
        body = Block([*self._copied(values), scf.YieldOp()])
        ops.append(scf.IfOp(add(any_lane), [], Region(body)))
        return ops

    def _copied(self, values: Values) -> Iterator[Operation]:
        """Copies of the reduction's loops around a copy of its block; yields the outermost one."""
        block = self.parts.split.block
        mapping = dict(values)
        outermost: Operation | None = None
        inner: Block | None = None
        for loop in loop_tree.all_loops_around(block):
            if not loop_tree.is_inside(loop, self.place) or loop in self.parts.split.path:
                continue
            copy = ForOp(loop.label, loop.extent_value, kind=ForKind.SERIAL)
            copy.var.name_hint = loop.var.name_hint
            mapping[loop.var] = copy.var
            if loop is self.loop:
                self.loops_again.append(copy)
            if inner is not None:
                inner.add_op(copy)
            outermost, inner = outermost or copy, copy.body.block
        assert outermost is not None
        assert inner is not None
        again = block.clone(mapping)
        assert isinstance(again, BlockOp)
        again.properties["block_name"] = type(block.block_name)(
            fresh_name(f"{block.label}_again", self.labels)
        )
        inner.add_op(again)
        yield outermost
