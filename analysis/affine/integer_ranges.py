"""Ranges of integers and indices, by interval arithmetic on the operations that compute them.

Every value has a range, at worst the range of its type. An operation whose result may leave its
type wraps, so its range is again the range of the type; an index has 64 bits. The range of a result
holds where the operation is executed and defined.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from xdsl.dialects import arith, memref, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, OpResult, SSAValue

from kc.dialects.arith import IndexCastUIOp
from kc.dialects.gpu.ids import DimensionOp
from kc.dialects.tir import DYNAMIC

Range = tuple[int, int]
"""The smallest and the largest number, both inclusive."""

INDEX_BITS = 64


def width(type_: Attribute) -> int | None:
    """The width in bits of an integer or an index; None for other types."""
    if isinstance(type_, IndexType):
        return INDEX_BITS
    return type_.width.data if isinstance(type_, IntegerType) else None


def signed(bits: int) -> Range:
    """The range of signed integers of ``bits`` bits."""
    return -(1 << (bits - 1)), (1 << (bits - 1)) - 1


def fits(range_: Range, bits: int) -> bool:
    """True if every number of the range fits a signed integer of ``bits`` bits."""
    low, high = signed(bits)
    return low <= range_[0] and range_[1] <= high


class IntegerRanges:
    """The ranges of the values of one function as signed numbers, each computed once."""

    def __init__(self) -> None:
        self._ranges: dict[SSAValue, Range] = {}

    def __getitem__(self, value: SSAValue) -> Range:
        """The range of an integer or an index."""
        cached = self._ranges.get(value)
        if cached is None:
            bits = width(value.type)
            assert bits is not None, "only integers and indices have ranges"
            whole = signed(bits)
            self._ranges[value] = whole  # for a value that depends on itself
            computed = self._of(value)
            cached = whole
            if computed is not None and fits(computed, bits):
                cached = computed
            self._ranges[value] = cached
        return cached

    def set(self, value: SSAValue, range_: Range) -> None:
        """Set the range of ``value``."""
        self._ranges[value] = range_

    def _of(self, value: SSAValue) -> Range | None:
        if isinstance(value, BlockArgument):
            return self._argument(value.owner, value.index)
        assert isinstance(value, OpResult)
        op = value.op
        if isinstance(op, arith.ConstantOp):
            return _constant(op)
        if isinstance(op, scf.IfOp):
            return self._yielded(op, value.index)
        if isinstance(op, DimensionOp) and op.upper_bound is not None:
            return 0, op.upper_bound.value.data - 1
        if isinstance(op, memref.DimOp):
            return self._size(op)
        rule = _RULES.get(op.name)
        if rule is None or any(width(operand.type) is None for operand in op.operands):
            return None
        return rule(op, [self[operand] for operand in op.operands])

    def _argument(self, block: Block, number: int) -> Range | None:
        loop = block.parent_op()
        if isinstance(loop, scf.ForOp) and number == 0:
            return self._counted(loop.lb, loop.ub, loop.step)
        if isinstance(loop, scf.ParallelOp) and number < len(loop.lowerBound):
            bounds = (loop.lowerBound, loop.upperBound, loop.step)
            return self._counted(*(values[number] for values in bounds))
        return None

    def _counted(self, start: SSAValue, stop: SSAValue, step: SSAValue) -> Range | None:
        """The range of a loop variable; None if the step may not be positive. The variable of an
        empty loop has no value.
        """
        if self[step][0] <= 0:
            return None
        low = self[start][0]
        return low, max(low, self[stop][1] - 1)

    def _yielded(self, op: scf.IfOp, number: int) -> Range | None:
        ranges: list[Range] = []
        for region in (op.true_region, op.false_region):
            end = region.blocks[0].last_op if region.blocks else None
            if not isinstance(end, scf.YieldOp):
                return None
            ranges.append(self[end.operands[number]])
        return _union(*ranges)

    def _size(self, op: memref.DimOp) -> Range:
        type_ = op.source.type
        low, high = self[op.index]
        if isinstance(type_, MemRefType) and 0 <= low == high < type_.get_num_dims():
            size = type_.get_shape()[low]
            if size != DYNAMIC:
                return size, size
        return 0, signed(INDEX_BITS)[1]


def _constant(op: arith.ConstantOp) -> Range | None:
    if not isinstance(op.value, IntegerAttr):
        return None
    number = op.value.value.data
    return number, number


def _union(*ranges: Range) -> Range:
    lows, highs = zip(*ranges, strict=True)
    return min(lows), max(highs)


def _corners(combine: Callable[[int, int], int], a: Range, b: Range) -> Range:
    """The range of a function that is monotone in each operand."""
    corners = [combine(x, y) for x, y in product(a, b)]
    return min(corners), max(corners)


def _is_natural(*ranges: Range) -> bool:
    return all(low >= 0 for low, _ in ranges)


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _quotient(divide: Callable[[int, int], int]) -> Callable[[list[Range]], Range | None]:
    def rule(operands: list[Range]) -> Range | None:
        dividend, divisor = operands
        if divisor[0] <= 0 <= divisor[1]:
            return None
        return _corners(divide, dividend, divisor)

    return rule


def _of_naturals(
    rule: Callable[[list[Range]], Range | None],
) -> Callable[[list[Range]], Range | None]:
    """A rule for an operation on unsigned numbers, which equals the signed operation if no operand
    is negative.
    """
    return lambda operands: rule(operands) if _is_natural(*operands) else None


def _remainder(operands: list[Range]) -> Range | None:
    """The range of the remainder of a division that rounds towards zero: it has the sign of the
    dividend.
    """
    (low, high), divisor = operands
    if divisor[0] <= 0 <= divisor[1]:
        return None
    most = max(abs(divisor[0]), abs(divisor[1])) - 1
    return (max(low, -most) if low < 0 else 0), (min(high, most) if high > 0 else 0)


def _unsigned_remainder(operands: list[Range]) -> Range | None:
    (low, high), divisor = operands
    if divisor[0] <= 0:
        return None
    most = divisor[1] - 1
    return 0, min(most, high) if low >= 0 else most


def _shifted(combine: Callable[[int, int], int]) -> Callable[[list[Range]], Range | None]:
    def rule(operands: list[Range]) -> Range | None:
        value, distance = operands
        if not 0 <= distance[0] <= distance[1] < INDEX_BITS:
            return None
        return _corners(combine, value, distance)

    return rule


def _and(operands: list[Range]) -> Range | None:
    highs = [high for low, high in operands if low >= 0]
    return (0, min(highs)) if highs else None


def _extreme(choose: Callable[[int, int], int]) -> Callable[[list[Range]], Range]:
    return lambda operands: (
        choose(operands[0][0], operands[1][0]),
        choose(operands[0][1], operands[1][1]),
    )


def _same(operands: list[Range]) -> Range:
    return operands[0]


def _zero_extended(op: Operation, operands: list[Range]) -> Range:
    bits = width(op.operands[0].type)
    assert bits is not None
    return operands[0] if operands[0][0] >= 0 else (0, (1 << bits) - 1)


_OF_RANGES: dict[type[Operation], Callable[[list[Range]], Range | None]] = {
    arith.AddiOp: lambda r: (r[0][0] + r[1][0], r[0][1] + r[1][1]),
    arith.SubiOp: lambda r: (r[0][0] - r[1][1], r[0][1] - r[1][0]),
    arith.MuliOp: lambda r: _corners(lambda a, b: a * b, *r),
    arith.DivSIOp: _quotient(_towards_zero),
    arith.FloorDivSIOp: _quotient(lambda a, b: a // b),
    arith.CeilDivSIOp: _quotient(lambda a, b: -(-a // b)),
    arith.RemSIOp: _remainder,
    arith.DivUIOp: _of_naturals(_quotient(_towards_zero)),
    arith.CeilDivUIOp: _of_naturals(_quotient(lambda a, b: -(-a // b))),
    arith.RemUIOp: _unsigned_remainder,
    arith.MinSIOp: _extreme(min),
    arith.MaxSIOp: _extreme(max),
    arith.MinUIOp: _of_naturals(_extreme(min)),
    arith.MaxUIOp: _of_naturals(_extreme(max)),
    arith.AndIOp: _and,
    arith.ShLIOp: _shifted(lambda a, b: a << b),
    arith.ShRSIOp: _shifted(lambda a, b: a >> b),
    arith.ShRUIOp: _of_naturals(_shifted(lambda a, b: a >> b)),
    arith.SelectOp: lambda r: _union(r[1], r[2]),
    arith.IndexCastOp: _same,
    arith.ExtSIOp: _same,
    arith.TruncIOp: _same,
}

Rule = Callable[[Operation, list[Range]], Range | None]


def _rule(of_ranges: Callable[[list[Range]], Range | None]) -> Rule:
    return lambda op, operands: of_ranges(operands)


_RULES: dict[str, Rule] = {
    **{kind.name: _rule(of_ranges) for kind, of_ranges in _OF_RANGES.items()},
    arith.ExtUIOp.name: _zero_extended,
    IndexCastUIOp.name: _zero_extended,
}
"""Rules by the name of the operation, as kc's classes extend those of xDSL."""
