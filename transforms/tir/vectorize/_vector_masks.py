"""Masks: in a branch that only some lanes take, these lanes are *active* and the others are not.

The ops of such a branch run for all lanes, except that an inactive lane accesses no memory
(``vector.maskedload``, ``vector.maskedstore``, or an ``scf.if`` for each lane) and divides by 1.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i1,
    i64,
)
from xdsl.dialects.vector import (
    BroadcastOp,
    CombiningKindAttr,
    CombiningKindFlag,
    ExtractOp,
    MaskedLoadOp,
    MaskedStoreOp,
    ReductionOp,
    ShuffleOp,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
)

from kc.analysis.affine.simplify_affine import decide, simplify_constraint
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.arith import CmpiOp, SelectOp, vector_class
from kc.dialects.tir import INDEX, AllocOp, ForKind, ForOp, LoadOp, StoreOp
from kc.transforms.tir.vectorize._vector_values import LaneValues, Scope
from kc.transforms.tir.vectorize.fill_slack import WHOLE_ROWS

DIVISIONS = (
    arith.DivSIOp,
    arith.DivUIOp,
    arith.RemSIOp,
    arith.RemUIOp,
    arith.CeilDivSIOp,
    arith.CeilDivUIOp,
    arith.FloorDivSIOp,
)
"""The ops that are undefined for some divisors."""

_ORDER = {2: (1, -1, -1), 3: (1, -1, 0), 4: (-1, 1, -1), 5: (-1, 1, 0)}
"""Predicate of arith.cmpi -> ``a * rhs + b * lhs + c >= 0`` as (a, b, c): slt, sle, sgt, sge."""


class Masks:
    """The active lanes of ``values``, as a mask."""

    def __init__(self, values: LaneValues, element_bits: int) -> None:
        self.values = values
        self.mask: SSAValue | None = None
        """The active lanes, a vector of i1; None if all lanes are active."""
        self.mask_bits = element_bits
        """The width of the integers in which lane numbers are compared: the width of the data's
        elements.
        """

    @contextlib.contextmanager
    def under(self, mask: SSAValue) -> Iterator[None]:
        """A context in which only the currently active lanes that are also in ``mask`` are
        active.
        """
        outer = self.mask
        self.mask = mask if outer is None else self.both(outer, mask)
        try:
            yield
        finally:
            self.mask = outer

    # Masks

    def both(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """The intersection of two masks."""
        return self.values.once(("both", lhs, rhs), lambda: self._binary(arith.AndIOp, lhs, rhs))

    def but(self, mask: SSAValue) -> SSAValue:
        """The complement of a mask."""
        return self.values.once(
            ("but", mask), lambda: self._binary(arith.XOrIOp, mask, self.values.dense(i1, [1]))
        )

    def _binary(self, op_type: type[Operation], lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        new = vector_class(op_type).create(operands=[lhs, rhs], result_types=[lhs.type])
        return self.values.emit(new).results[0]

    def any_lane(self) -> SSAValue:
        """The condition that at least one lane is active."""
        mask = self.mask
        assert mask is not None
        kind = CombiningKindAttr(CombiningKindFlag.OR)

        def make() -> SSAValue:
            op = ReductionOp.build(
                operands=[mask, []], result_types=[i1], properties={"kind": kind}
            )
            return self.values.emit(op).results[0]

        return self.values.once(("any", mask), make)

    def lanes_where(self, conditions: Sequence[AffineConstraintExpr]) -> SSAValue:
        """The mask of the lanes in which all ``conditions`` (over the roots and the lane) hold."""
        first, *rest = map(self._lanes_where, conditions)
        for lanes in rest:
            first = self.both(first, lanes)
        return first

    def _lanes_where(self, condition: AffineConstraintExpr) -> SSAValue:
        expr = condition.lhs
        linear = self.values.linear(expr)
        if (
            condition.kind is AffineConstraintKind.ge
            and linear is not None
            and not linear.assumptions
        ):
            if linear.stride == 1:
                return self._compare_lane(linear.base * -1, "sge", (0, self.values.width))
            if linear.stride == -1:
                return self._compare_lane(linear.base, "sle", (-1, self.values.width - 1))
        predicate = "eq" if condition.kind is AffineConstraintKind.eq else "sge"
        vector = self.values.index_vector(expr)
        return self.values.emit(CmpiOp(vector, self.values.dense(INDEX, [0]), predicate)).results[0]

    def _compare_lane(self, bound: AffineExpr, predicate: str, limits: tuple[int, int]) -> SSAValue:
        """The mask of the lanes whose number compares with ``bound`` by ``predicate``. The bound
        may be clamped to ``limits`` without changing the mask.
        """
        # Lane numbers are compared as integers of the width of the data, so that a register holds
        # equally many.
        integer = IntegerType(max(16, self.mask_bits))
        bound = self.values.index.simplify(bound)

        def make() -> SSAValue:
            low, high = limits
            lanes = range(self.values.width)
            if isinstance(bound, AffineConstantExpr):
                at_least = predicate == "sge"
                return self.values.dense(
                    i1, [n >= bound.value if at_least else n <= bound.value for n in lanes]
                )
            numbers = self.values.dense(integer, lanes)
            lowest, highest = self.values.index.bounds(bound)
            value = self.values.clamped(
                bound,
                None if lowest is not None and lowest >= low else low,
                None if highest is not None and highest <= high else high,
            )
            narrow = self.values.emit(arith.IndexCastOp(value, integer)).results[0]
            splat = self.values.emit(BroadcastOp(narrow, self.values.vector_type(integer))).results[
                0
            ]
            return self.values.emit(CmpiOp(numbers, splat, predicate)).results[0]

        return self.values.once(("lanes", bound, predicate), make)

    def compare_indices(self, op: arith.CmpiOp) -> bool:
        """Define a comparison of affine indices that depends on the lane as a mask, or as a
        constant. False, without a definition, for other comparisons.
        """
        if op.lhs.type != INDEX:
            return False
        lhs, rhs = self.values.expr(op.lhs), self.values.expr(op.rhs)
        order = _ORDER.get(op.predicate.value.data)
        if lhs is None or rhs is None or order is None:
            return False
        right, left, constant = order
        expr = self.values.index.simplify(rhs * right + lhs * left + constant)
        condition = simplify_constraint(at_least_zero(expr), self.values.index.ranges)
        if isinstance(condition, bool):
            value = self.values.emit(arith.ConstantOp(IntegerAttr(int(condition), i1))).results[0]
            self.values.define_scalar(op.result, value)
        elif self.values.has_lane(condition.lhs):
            self.values.define_vector(op.result, self.lanes_where([condition]))
        elif self.values.has_lane(expr):
            number = self.values.apply(condition.lhs)
            zero = self.values.emit(arith.ConstantOp(IntegerAttr(0, INDEX))).results[0]
            value = self.values.emit(CmpiOp(number, zero, "sge")).results[0]
            self.values.define_scalar(op.result, value)
        else:
            return False
        return True

    # What inactive lanes must not do

    def safe_divisor(self, old: SSAValue, *, varying: bool) -> SSAValue:
        """The divisor ``old``, as a vector if ``varying``; 1 in inactive lanes."""
        value = self.values.vector(old) if varying else self.values.scalar(old)
        if self.mask is None or self._is_safe_divisor(old):
            return value
        if varying:
            return self.values.emit(
                SelectOp(self.mask, value, self.values.dense(old.type, [1]))
            ).results[0]
        assert isinstance(old.type, IntegerType | IndexType)
        unit = self.values.emit(arith.ConstantOp(IntegerAttr(1, old.type))).results[0]
        return self.values.emit(SelectOp(self.any_lane(), value, unit)).results[0]

    def _is_safe_divisor(self, old: SSAValue) -> bool:
        expr = self.values.expr(old) if old.type == INDEX else None
        if expr is not None:
            low, _ = self.values.index.bounds(expr)
            return low is not None and low > 0
        value = self.values.constant(old)
        return isinstance(value, IntegerAttr) and value.value.data > 0

    def in_lane(
        self, lane: int, make: Callable[[], SSAValue | None], type_: Attribute | None
    ) -> SSAValue | None:
        """The value of ``type_`` that ``make`` emits for a lane, if the lane is active; else
        zero.
        """
        mask = self.mask
        active = True if mask is None else _is_in(mask, lane)
        if active is True:
            return self._unmasked(make)
        if active is False:
            return None if type_ is None else self._zero(type_)
        assert mask is not None
        active = self.values.once(
            ("lane", mask, lane), lambda: self.values.emit(ExtractOp(mask, [lane], i1)).results[0]
        )
        return self.in_scalar_branch(active, make)

    def in_any_lane(self, make: Callable[[], SSAValue]) -> SSAValue:
        """The value that ``make`` emits for all lanes, if a lane is active; else zero."""
        if self.mask is None:
            return make()
        value = self.in_scalar_branch(self.any_lane(), make)
        assert value is not None
        return value

    def in_scalar_branch(
        self, condition: SSAValue, make: Callable[[], SSAValue | None]
    ) -> SSAValue | None:
        """The value that ``make`` emits, if ``condition`` holds; else zero."""
        then, orelse = Block(), Block()
        self.values.scopes.append(Scope(then))
        value = self._unmasked(make)
        self.values.emit(scf.YieldOp(*(() if value is None else (value,))))
        self.values.scopes.pop()
        if value is None:
            self.values.emit(scf.IfOp(condition, [], Region(then)))
            return None
        self.values.scopes.append(Scope(orelse))
        self.values.emit(scf.YieldOp(self._zero(value.type)))
        self.values.scopes.pop()
        return self.values.emit(
            scf.IfOp(condition, [value.type], Region(then), Region(orelse))
        ).results[0]

    def _unmasked(self, make: Callable[[], SSAValue | None]) -> SSAValue | None:
        mask, self.mask = self.mask, None
        try:
            return make()
        finally:
            self.mask = mask

    def _zero(self, type_: Attribute) -> SSAValue:
        if isinstance(type_, AnyFloat):
            return self.values.emit(arith.ConstantOp(FloatAttr(0.0, type_))).results[0]
        assert isinstance(type_, IntegerType | IndexType)
        return self.values.emit(arith.ConstantOp(IntegerAttr(0, type_))).results[0]

    # Memory

    def can_mask_rows(self, buffer: SSAValue) -> bool:
        """True if rows of ``buffer`` can be accessed under a mask, that is, if its elements are not
        bits.
        """
        assert isinstance(buffer.type, MemRefType)
        element = buffer.type.element_type
        return isinstance(element, AnyFloat | IntegerType) and element != i1

    def masked_row(self, buffer: SSAValue, first: Sequence[AffineExpr]) -> SSAValue:
        """A row that begins at ``first``, loaded for the active lanes. The other lanes are zero, or
        have the elements of the row if these may be read.
        """
        assert self.mask is not None
        assert isinstance(buffer.type, MemRefType)
        element = buffer.type.element_type
        # Inactive lanes also compute, and arithmetic on unwritten floats may be slow (subnormal
        # numbers).
        holds_numbers = not isinstance(element, AnyFloat) or has_whole_rows(buffer)
        if holds_numbers and self.is_own_row(buffer, first):
            return self.whole_row(buffer, first)
        return self._masked_load(buffer, first, self.mask)

    def chosen_row(
        self, buffer: SSAValue, first: Sequence[AffineExpr], lanes: Sequence[int | None]
    ) -> SSAValue:
        """A row that begins at ``first``. Element ``n`` is loaded if lane ``lanes[n]`` is active;
        the other elements are zero.
        """
        assert self.mask is not None
        assert isinstance(buffer.type, MemRefType)
        none = self.values.dense(i1, [0])
        width = self.values.width
        chosen = DenseArrayBase.from_list(i64, [width if lane is None else lane for lane in lanes])
        type_ = self.values.vector_type(i1)
        mask = self.values.emit(ShuffleOp(self.mask, none, chosen, result_type=type_)).results[0]
        return self._masked_load(buffer, first, mask)

    def _masked_load(
        self, buffer: SSAValue, first: Sequence[AffineExpr], mask: SSAValue
    ) -> SSAValue:
        assert isinstance(buffer.type, MemRefType)
        element = buffer.type.element_type
        zero = self.values.dense(element, [0.0 if isinstance(element, AnyFloat) else 0])
        indices = [self.values.apply(expr) for expr in first]
        return self.values.emit(MaskedLoadOp(buffer, indices, mask, zero)).results[0]

    def whole_row(self, buffer: SSAValue, first: Sequence[AffineExpr]) -> SSAValue:
        """A row that begins at ``first``."""
        assert isinstance(buffer.type, MemRefType)
        map_, operands = self.values.index.to_map(first)
        type_ = self.values.vector_type(buffer.type.element_type)
        return self.values.emit(LoadOp(buffer, map_, operands, type_)).results[0]

    def store_masked_row(
        self, value: SSAValue, buffer: SSAValue, first: Sequence[AffineExpr]
    ) -> None:
        """Store the active lanes of a row that begins at ``first``."""
        assert self.mask is not None
        if self.is_own_row(buffer, first):
            old = self.whole_row(buffer, first)
            chosen = self.values.emit(SelectOp(self.mask, value, old)).results[0]
            map_, operands = self.values.index.to_map(first)
            self.values.emit(StoreOp(chosen, buffer, map_, operands))
            return
        indices = [self.values.apply(expr) for expr in first]
        self.values.emit(MaskedStoreOp(buffer, indices, self.mask, value))

    def is_own(self, buffer: SSAValue) -> bool:
        """True if no other thread accesses ``buffer`` while the loop runs, as this thread allocates
        it.
        """
        alloc = buffer.owner
        if not isinstance(alloc, AllocOp):
            return False
        parent = self.values.loop.parent_op()
        home = alloc.parent_op()
        while parent is not None and parent is not home:
            if isinstance(parent, ForOp) and parent.kind.data in (ForKind.PARALLEL, ForKind.THREAD):
                return False
            parent = parent.parent_op()
        return parent is home

    def is_own_row(self, buffer: SSAValue, first: Sequence[AffineExpr]) -> bool:
        """True if all lanes, also inactive ones, may access a row from ``first`` on."""
        last = [*first[:-1], first[-1] + (self.values.width - 1)]
        return (
            self.is_own(buffer) and self.is_inside(buffer, first) and self.is_inside(buffer, last)
        )

    def is_inside(self, buffer: SSAValue, place: Sequence[AffineExpr]) -> bool:
        """True if ``place`` is certainly inside ``buffer``."""
        assert isinstance(buffer.type, MemRefType)
        return all(
            size >= 0
            and decide(at_least_zero(expr), self.values.index.ranges) is True
            and decide(at_least_zero(expr * -1 + size - 1), self.values.index.ranges) is True
            for expr, size in zip(place, buffer.type.get_shape(), strict=True)
        )


def has_whole_rows(buffer: SSAValue) -> bool:
    """True if all memory that a read of a row of ``buffer`` may touch is initialised
    (``fill-slack``).
    """
    return isinstance(buffer.owner, AllocOp) and WHOLE_ROWS in buffer.owner.attributes


def _is_in(mask: SSAValue, lane: int) -> bool | None:
    """True if a lane is in a mask; None if this is known only at run time."""
    owner = mask.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    assert isinstance(owner.value, DenseIntOrFPElementsAttr)
    lanes = owner.value.get_values()
    return bool(lanes[0] if len(lanes) == 1 else lanes[lane])
