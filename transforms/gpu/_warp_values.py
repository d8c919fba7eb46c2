"""Operations on the values of the lanes of a warp, composed of shuffles."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    IndexType,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from kc.dialects import gpu
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.gpu import AllReduceOperation, Dimension, GPUFuncOp, ShuffleMode
from kc.transforms.gpu._lanes import WARP_SIZE

Combiner = Callable[["Emitter", SSAValue, SSAValue], SSAValue]

_INDEX = IndexType()
_FLOATS: dict[str, type[Operation]] = {
    "add": arith.AddfOp,
    "mul": arith.MulfOp,
    "minnumf": arith.MinnumfOp,
    "maxnumf": arith.MaxnumfOp,
    "minimumf": arith.MinimumfOp,
    "maximumf": arith.MaximumfOp,
}
_INTEGERS: dict[str, type[Operation]] = {
    "add": arith.AddiOp,
    "mul": arith.MuliOp,
    "minui": arith.MinUIOp,
    "minsi": arith.MinSIOp,
    "maxui": arith.MaxUIOp,
    "maxsi": arith.MaxSIOp,
    "and": arith.AndIOp,
    "or": arith.OrIOp,
    "xor": arith.XOrIOp,
}


class Emitter:
    """Inserts operations before an operation, or at the end of a block, with a location."""

    def __init__(self, rewriter: PatternRewriter, op: Operation, block: Block | None = None):
        self.rewriter = rewriter
        self.op = op
        self.block = block

    def inside(self, block: Block) -> Emitter:
        """An emitter that appends to ``block``, which is not yet in a region."""
        return Emitter(self.rewriter, self.op, block)

    def add(self, op: Operation) -> Operation:
        """Insert an operation."""
        for inner in op.walk():
            inner.location = self.op.location
        if self.block is None:
            self.rewriter.insert(op, InsertPoint.before(self.op))
        else:
            self.block.add_op(op)
        return op

    def emit(self, op: Operation) -> SSAValue:
        """Insert an operation; return its first result."""
        return self.add(op).results[0]

    def number(self, value: int, type_: IndexType | IntegerType = _INDEX) -> SSAValue:
        """The constant ``value`` as a new operation."""
        return self.emit(arith.ConstantOp(IntegerAttr(value, type_)))

    def shuffle(self, mode: ShuffleMode, value: SSAValue, offset: SSAValue | int) -> SSAValue:
        """The value of another lane of the warp."""
        if isinstance(offset, int):
            offset = self.number(offset, i32)
        return self.emit(gpu.ShuffleOp(mode, value, offset, self.number(WARP_SIZE, i32)))

    def fold(
        self,
        start: SSAValue | int,
        end: SSAValue | int,
        first: SSAValue,
        step: Callable[[Emitter, SSAValue, SSAValue], SSAValue],
    ) -> SSAValue:
        """The result of ``step`` applied to ``first`` and, in turn, each number from ``start`` to
        ``end``."""
        lower, upper = (self.number(n) if isinstance(n, int) else n for n in (start, end))
        body = Block(arg_types=[_INDEX, first.type])
        inner = self.inside(body)
        inner.add(scf.YieldOp(step(inner, *body.args)))
        return self.emit(scf.ForOp(lower, upper, self.number(1), [first], Region(body)))


def combiner(kind: AllReduceOperation, type_: Attribute) -> Combiner:
    """The function that combines two values of a type."""
    element = type_.element_type if isinstance(type_, VectorType) else type_
    table = _FLOATS if isinstance(element, AnyFloat) else _INTEGERS
    operation = table[kind.value]
    return lambda e, left, right: e.emit(operation(left, right))  # pyright: ignore


def combiner_of_region(region: Region) -> Combiner:
    """The function that combines two values by the operations of a region of one block."""
    (block,) = region.blocks

    def combine(e: Emitter, left: SSAValue, right: SSAValue) -> SSAValue:
        values: dict[SSAValue, SSAValue] = {block.args[0]: left, block.args[1]: right}
        for op in block.ops:
            if isinstance(op, gpu.YieldOp):
                return values.get(op.values[0], op.values[0])
            e.add(op.clone(values))
        raise AssertionError("the region has no terminator")

    return combine


def kernel_around(op: Operation) -> GPUFuncOp | None:
    """The device function that contains an operation; None if the operation is outside of one."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, GPUFuncOp):
        parent = parent.parent_op()
    return parent


def known_threads(function: GPUFuncOp) -> int | None:
    """The number of threads in a block of a kernel; None if the number is unknown."""
    if function.known_block_size is None:
        return None
    x, y, z = function.known_block_size.get_values()
    return x * y * z


def has_whole_warps(function: GPUFuncOp) -> bool:
    """True if all warps are known to have 32 lanes."""
    threads = known_threads(function)
    return threads is not None and threads % WARP_SIZE == 0


def lane_count(e: Emitter) -> SSAValue:
    """The number of lanes in the warp of a thread. The last warp of a block may have fewer
    than 32.
    """
    sizes = [e.emit(gpu.BlockDimOp(axis)) for axis in (Dimension.X, Dimension.Y, Dimension.Z)]
    threads = e.emit(arith.MuliOp(e.emit(arith.MuliOp(sizes[0], sizes[1])), sizes[2]))
    size = e.number(WARP_SIZE)
    before = e.emit(arith.MuliOp(e.emit(gpu.SubgroupIdOp()), size))
    return e.emit(arith.MinUIOp(e.emit(arith.SubiOp(threads, before)), size))


def reduce_lanes(
    e: Emitter, function: GPUFuncOp, value: SSAValue, combine: Combiner, size: int, stride: int
) -> SSAValue:
    """Combine the values of ``size`` lanes that are ``stride`` apart. Each of these lanes gets the
    result.

    Lanes exchange values at distances that are powers of two. If a warp may have missing lanes, no
    lane takes the value of a missing lane, and finally all lanes take the result of the first lane,
    which is complete.
    """
    whole = has_whole_warps(function)
    lane = None if whole else e.emit(gpu.LaneIdOp())
    lanes = None if whole else lane_count(e)
    distance = stride
    while distance < size * stride:
        theirs = e.shuffle(ShuffleMode.XOR, value, distance)
        both = combine(e, value, theirs)
        if lane is not None and lanes is not None:
            partner = e.emit(arith.XOrIOp(lane, e.number(distance)))
            there = e.emit(CmpiOp(partner, lanes, "ult"))
            both = e.emit(SelectOp(there, both, value))
        value = both
        distance *= 2
    if lane is None:
        return value
    place = e.emit(arith.RemUIOp(e.emit(arith.DivUIOp(lane, e.number(stride))), e.number(size)))
    first = e.emit(arith.SubiOp(lane, e.emit(arith.MuliOp(place, e.number(stride)))))
    return e.shuffle(ShuffleMode.IDX, value, e.emit(arith.IndexCastOp(first, i32)))


def fold_lanes(
    e: Emitter,
    value: SSAValue,
    first: SSAValue,
    step: Callable[[Emitter, SSAValue, SSAValue, SSAValue], SSAValue],
) -> SSAValue:
    """Fold the values of all lanes in order by ``step(e, so_far, value, lane)``."""
    lanes = lane_count(e)

    def take(inner: Emitter, lane: SSAValue, so_far: SSAValue) -> SSAValue:
        number = inner.emit(arith.IndexCastOp(lane, i32))
        theirs = inner.shuffle(ShuffleMode.IDX, value, number)
        there = inner.emit(CmpiOp(lane, lanes, "ult"))
        return inner.emit(SelectOp(there, step(inner, so_far, theirs, number), so_far))

    return e.fold(0, WARP_SIZE, first, take)
