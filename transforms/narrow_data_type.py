"""narrow-data-type: small integers and indices are computed with fewer bits.

Before::

    scf.for %i = %c0 to %c420 step %c1 {
      %q = arith.divui %i, %c7 : index
      %x = memref.load %A[%q] : memref<60xf32>

After, with 32 bits::

    scf.for %i = %0 to %1 step %2 : i32 {
      %q = arith.divui %i, %3 : i32
      %4 = arith.index_cast %q : i32 to index
      %x = memref.load %A[%4] : memref<60xf32>

An operation is narrowed if its operands and its result provably fit in ``bits`` bits, signed
(:mod:`kc.analysis.affine.integer_ranges`); a loop is narrowed if its bounds and all values of its
variable, including the value after the last iteration, fit. Results are cast back for other
operations. A quotient of 64 bits takes about twice as long as one of 32 bits on CPUs, and a product
of 64 bits takes four instructions on GPUs, whose registers have 32 bits. CPUs that add an index to
an address need 64 bits, so that no pipeline runs this pass by default.

Sizes and arguments that are unknown before the call may have any number of bits, and the operations
that depend on them stay unchanged. ``force-narrow-index-to-int32`` refuses such operations instead.

TVM: ``NarrowDataType``. MLIR: ``arith-int-range-narrowing``.

Requires: loops of scf and operations of arith (after ``convert-tir-to-scf``); other operations stay
unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from kc.analysis.affine.integer_ranges import IntegerRanges, Range, fits, width
from kc.dialects.arith import ExtSIOp, IndexCastOp, TruncIOp
from kc.dialects.gpu import GPUFuncOp
from kc.support.diagnostics import InputError

NARROWED = frozenset(
    kind.name
    for kind in (
        *(arith.AddiOp, arith.SubiOp, arith.MuliOp, arith.AndIOp, arith.OrIOp, arith.XOrIOp),
        *(arith.DivSIOp, arith.RemSIOp, arith.FloorDivSIOp, arith.CeilDivSIOp),
        *(arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp),
        *(arith.MinSIOp, arith.MaxSIOp, arith.MinUIOp, arith.MaxUIOp, arith.SelectOp, arith.CmpiOp),
    )
)
"""The operations with the same result in fewer bits, provided that the operands and the result
fit.
"""

_UNSIGNED = frozenset(
    kind.name
    for kind in (arith.DivUIOp, arith.RemUIOp, arith.CeilDivUIOp, arith.MinUIOp, arith.MaxUIOp)
)
"""The operations whose operands must not be negative, because a negative number of fewer bits is
another unsigned number.
"""


@dataclass(frozen=True)
class NarrowDataTypePass(ModulePass):
    """Compute integers and indices with fewer bits if they provably fit."""

    name = "narrow-data-type"

    bits: int = field(default=32, metadata={"help": "the bits to narrow to: 8, 16 or 32"})

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if self.bits not in (8, 16, 32):
            raise InputError(
                "KC0002",
                f"{self.name}: bits is {self.bits}",
                hints=["bits is 8, 16 or 32"],
            )
        for function in op.walk():
            if isinstance(function, func.FuncOp | GPUFuncOp):
                narrow(function, self.bits)


def narrow(function: Operation, bits: int) -> None:
    """Narrow the operations of a function whose values provably fit in ``bits`` bits."""
    ranges = IntegerRanges()
    _Narrowing(ranges, bits).run(function)


def counted(loop: scf.ForOp, ranges: IntegerRanges) -> Range:
    """The least and the greatest value of a loop's variable, including the value after the last
    iteration.
    """
    return ranges[loop.lb][0], ranges[loop.ub][1] + ranges[loop.step][1] - 1


class _Narrowing:
    """The narrowing of one function. Operations are visited in order, so that operands precede
    their users.
    """

    def __init__(self, ranges: IntegerRanges, bits: int) -> None:
        self._ranges = ranges
        self._type = IntegerType(bits)
        self._bits = bits
        self._narrow: dict[SSAValue, SSAValue] = {}
        """The narrow value for each wide value."""
        self._casts: list[Operation] = []
        self._bounds: list[SSAValue] = []
        """The bounds of loops before narrowing."""

    def run(self, function: Operation) -> None:
        replaced: list[Operation] = []
        for op in list(function.walk()):
            if isinstance(op, scf.ForOp):
                self._narrow_loop(op)
            elif isinstance(op, arith.IndexCastOp | arith.ExtSIOp | arith.TruncIOp):
                self._see_through(op)
            elif op.name in NARROWED and self._is_narrow(op):
                self._narrow_op(op)
                replaced.append(op)
        unused: list[SSAValue] = []
        for op in reversed(replaced):
            unused += op.operands
            op.detach()
            op.erase()
        unused += [result for op in reversed(self._casts) for result in op.results]
        unused += self._bounds
        for value in unused:
            if isinstance(value, OpResult):
                _erase_unused(value.op)

    def _is_wide(self, value: SSAValue) -> bool:
        bits = width(value.type)
        return bits is not None and bits > self._bits

    def _fits(self, value: SSAValue) -> bool:
        return fits(self._ranges[value], self._bits)

    def _is_narrow(self, op: Operation) -> bool:
        """True if the operation can be replaced by one on narrow values."""
        wide = [value for value in (*op.operands, *op.results) if width(value.type) != 1]
        if not wide or not all(self._is_wide(value) and self._fits(value) for value in wide):
            return False
        if op.name in _UNSIGNED:
            return all(self._ranges[value][0] >= 0 for value in op.operands)
        return True

    def _narrowed(self, value: SSAValue) -> SSAValue:
        """The narrow value of an operand; the operand itself if it is a condition."""
        if not self._is_wide(value):
            return value
        narrow = self._narrow.get(value)
        if narrow is None:
            owner = value.owner
            new: Operation
            if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
                new = arith.ConstantOp(IntegerAttr(owner.value.value.data, self._type))
            else:
                new = self._cast(value, self._type)
            place = (
                InsertPoint.at_start(owner)
                if isinstance(owner, Block)
                else InsertPoint.after(owner)
            )
            self._insert(new, place, owner if isinstance(owner, Operation) else None)
            narrow = self._narrow[value] = new.results[0]
        return narrow

    def _cast(self, value: SSAValue, type_: IntegerType | IndexType) -> Operation:
        if isinstance(value.type, IndexType) or isinstance(type_, IndexType):
            return IndexCastOp(value, type_)
        return (ExtSIOp if type_.width.data > self._bits else TruncIOp)(value, type_)

    def _insert(self, new: Operation, place: InsertPoint, like: Operation | None) -> None:
        if like is not None:
            new.location = like.location
        Rewriter.insert_op(new, place)
        self._casts.append(new)

    def _widened(self, value: SSAValue, wide: SSAValue, place: InsertPoint) -> SSAValue:
        """A cast of the narrow ``value`` to the type of ``wide``, which the cast replaces."""
        assert isinstance(wide.type, IntegerType | IndexType)
        cast = self._cast(value, wide.type)
        self._insert(cast, place, None)
        result = cast.results[0]
        self._narrow[result] = value
        self._ranges.set(result, self._ranges[wide])
        return result

    def _see_through(self, cast: arith.IndexCastOp | arith.ExtSIOp | arith.TruncIOp) -> None:
        """Replace a cast between a wide and a narrow type by the narrow value."""
        source, result = cast.operands[0], cast.results[0]
        if not self._is_wide(result) and result.type != self._type:
            return
        if source.type != self._type and not (self._is_wide(source) and self._fits(source)):
            return
        narrow = self._narrowed(source)
        if self._is_wide(result):
            self._narrow[result] = narrow
        else:
            result.replace_all_uses_with(narrow)
        self._casts.append(cast)

    def _narrow_op(self, op: Operation) -> None:
        result = op.results[0]
        new = type(op).create(
            operands=[self._narrowed(value) for value in op.operands],
            result_types=[self._type if self._is_wide(result) else result.type],
            properties=dict(op.properties),
        )
        new.location = op.location
        new.results[0].name_hint = result.name_hint
        Rewriter.insert_op(new, InsertPoint.before(op))
        if new.results[0].type == result.type:  # a condition
            result.replace_all_uses_with(new.results[0])
            return
        self._ranges.set(new.results[0], self._ranges[result])
        result.replace_all_uses_with(self._widened(new.results[0], result, InsertPoint.after(new)))

    def _narrow_loop(self, loop: scf.ForOp) -> None:
        variable = loop.body.block.args[0]
        parts = (loop.lb, loop.ub, loop.step)
        if not (
            self._is_wide(variable)
            and all(self._fits(value) for value in parts)
            and self._ranges[loop.step][0] > 0
            and fits(counted(loop, self._ranges), self._bits)
        ):
            return
        range_ = self._ranges[variable]
        self._bounds += parts
        for number, value in enumerate(parts):
            loop.operands[number] = self._narrowed(value)
        block = loop.body.block
        narrow = block.insert_arg(self._type, 0)
        narrow.name_hint = variable.name_hint
        self._ranges.set(narrow, range_)
        self._ranges.set(variable, range_)
        variable.replace_all_uses_with(self._widened(narrow, variable, InsertPoint.at_start(block)))
        block.erase_arg(variable)


def _erase_unused(op: Operation) -> None:
    """Erase an operation without effects and without users, and the operands that become unused."""
    if op.parent is None or any(result.uses for result in op.results):
        return
    if not is_side_effect_free(op):
        return
    operands = list(op.operands)
    op.detach()
    op.erase()
    for operand in operands:
        if isinstance(operand, OpResult):
            _erase_unused(operand.op)
