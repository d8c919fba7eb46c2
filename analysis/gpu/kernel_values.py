"""Index values and conditions in a kernel, as terms over thread and block numbers.

Unknown values are dimensions whose names begin with ``_``: contents of arrays, and non-affine
values. Numbers that are uniform in a launch, such as the size of an array, are ``n0``, ``n1``, ...,
and ``g0``, ... for the grid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.affine.conditions import integer_value
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.term_reader import TermReader
from kc.analysis.affine.terms import (
    ALWAYS,
    NEVER,
    Condition,
    Term,
    all_of,
    any_of,
    dim,
    extreme,
    number,
)
from kc.dialects import gpu, nvvm
from kc.dialects.gpu import GPUFuncOp

WARP_SIZE = 32
THREAD_AXES, BLOCK_AXES = ("tx", "ty", "tz"), ("bx", "by", "bz")


class KernelValues(TermReader):
    """Reads index values of a kernel.

    Dimensions are named for a thread, its block, the variables of its loops, and unknown values,
    which begin with ``_``. Values in ``uniform`` are the same number in the whole launch.
    """

    def __init__(
        self, grid: Sequence[int | None], block: Sequence[Term | int], loops: Mapping[SSAValue, str]
    ) -> None:
        super().__init__({}, self._unknown, lambda _: self._fresh())
        self.grid, self.loops = grid, loops
        self.block = [number(size) if isinstance(size, int) else size for size in block]
        self.uniform: dict[SSAValue | tuple[SSAValue, int], str] = {}
        self.unknown: list[str] = []
        self.natural: set[SSAValue] = set()
        """Values that are not negative."""

    def integer(self, value: SSAValue) -> Term | None:
        """An index or an integer as a term; None if the value is not affine."""
        if isinstance(value.type, IndexType):
            return self.read(value)
        if not isinstance(value.type, IntegerType):
            return None
        index = IndexValues()
        expr = integer_value(value, index)
        if expr is None:
            return None
        return self.expr(expr, [root for root in index.roots if root is not None])

    def size(self, buffer: SSAValue, axis: int) -> Term:
        """The size of a buffer along an axis."""
        assert isinstance(buffer.type, MemRefType)
        extent = buffer.type.get_shape()[axis]
        if extent != DYNAMIC_INDEX:
            return number(extent)
        if isinstance(buffer.owner, memref.ViewOp):
            before = list(buffer.type.get_shape()[:axis]).count(DYNAMIC_INDEX)
            return self.read(buffer.owner.sizes[before])
        if isinstance(buffer.owner, Block):
            return dim(self.uniform.setdefault((buffer, axis), self._next_size()))
        return self._fresh()

    def computed(self, value: SSAValue) -> Term | None:
        op = value.owner
        if isinstance(op, gpu.ThreadIdOp):
            return dim(THREAD_AXES[_axis(op)])
        if isinstance(op, gpu.BlockIdOp):
            return dim(BLOCK_AXES[_axis(op)])
        if isinstance(op, gpu.BlockDimOp):
            return self.block[_axis(op)]
        if isinstance(op, gpu.GridDimOp):
            factor = self.grid[_axis(op)]
            key = f"g{_axis(op)}"
            return dim(key) if factor is None else number(factor)
        if isinstance(op, gpu.GlobalIdOp):
            axis = _axis(op)
            size = self.block[axis].value
            if size is None:
                return None
            return dim(BLOCK_AXES[axis]) * size + dim(THREAD_AXES[axis])
        if isinstance(op, _LANES):
            return self.linear() % WARP_SIZE
        if isinstance(op, gpu.SubgroupIdOp):
            return self.linear() // WARP_SIZE
        if isinstance(op, gpu.SubgroupSizeOp):
            return number(WARP_SIZE)
        if isinstance(op, gpu.NumSubgroupsOp):
            sizes = [size.value for size in self.block]
            factor = [size for size in sizes if size is not None]
            return number(-(-prod(factor) // WARP_SIZE)) if len(factor) == len(sizes) else None
        if isinstance(op, arith.IndexCastOp) and isinstance(_uncast(op), _LANES):
            return self.linear() % WARP_SIZE
        if isinstance(op, memref.DimOp):
            axis = self.read(op.index).value
            source = SSAValue.get(op.source)
            return None if axis is None else self.size(source, axis)
        if isinstance(op, arith.DivUIOp | arith.RemUIOp | arith.ShRUIOp | arith.ShLIOp):
            return self._unsigned(op)
        if isinstance(op, arith.AndIOp | arith.ShRSIOp) and self.is_natural(op.lhs):
            return self._bits(op)
        if isinstance(op, arith.MinUIOp | arith.MaxUIOp):
            kind = "min" if isinstance(op, arith.MinUIOp) else "max"
            if self.is_natural(op.lhs) and self.is_natural(op.rhs):
                return extreme(kind, self.read(op.lhs), self.read(op.rhs))
            return None
        return super().computed(value)

    def linear(self) -> Term:
        """The row-major number of a thread in its block."""
        x, y, z = (size.value for size in self.block)
        if y == z == 1:
            return dim("tx")
        if x is None or (y is None and z != 1):
            return self._fresh()
        return dim("tx") + dim("ty") * x + (dim("tz") * (x * y) if y is not None else 0)

    def is_natural(self, value: SSAValue) -> bool:
        """True if the operations that compute an index have non-negative results."""
        if value in self.natural:
            return True
        owner = value.owner
        if isinstance(owner, arith.ConstantOp):
            natural = isinstance(owner.value, IntegerAttr) and owner.value.value.data >= 0
        elif isinstance(owner, NUMBERS):
            natural = True
        elif isinstance(owner, _KEEPS):
            natural = all(self.is_natural(operand) for operand in owner.operands)
        else:
            natural = False
        if natural:
            self.natural.add(value)
        return natural

    def _unsigned(
        self, op: arith.DivUIOp | arith.RemUIOp | arith.ShRUIOp | arith.ShLIOp
    ) -> Term | None:
        by = self.read(op.rhs).value if isinstance(op.rhs.type, IndexType) else None
        if by is None or by < 0 or not self.is_natural(op.lhs):
            return None
        lhs = self.read(op.lhs)
        if isinstance(op, arith.ShRUIOp | arith.ShLIOp):
            if by > 30:
                return None
            return lhs // (1 << by) if isinstance(op, arith.ShRUIOp) else lhs * (1 << by)
        if by == 0:
            return None
        return lhs // by if isinstance(op, arith.DivUIOp) else lhs % by

    def _bits(self, op: arith.AndIOp | arith.ShRSIOp) -> Term | None:
        """The low bits of a non-negative value (``and``), or the value shifted right by a constant;
        None for other operands.
        """
        amount = self.read(op.rhs).value if isinstance(op.rhs.type, IndexType) else None
        if amount is None or amount < 0:
            return None
        if isinstance(op, arith.ShRSIOp):
            return self.read(op.lhs) // (1 << amount) if amount <= 30 else None
        return self.read(op.lhs) % (amount + 1) if amount & (amount + 1) == 0 else None

    def _unknown(self, value: SSAValue) -> Term:
        if value in self.loops:
            return dim(self.loops[value])
        if isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), GPUFuncOp):
            return dim(self.uniform.setdefault(value, self._next_size()))
        return self._fresh()

    def _next_size(self) -> str:
        return f"n{len(set(self.uniform.values()))}"

    def _fresh(self) -> Term:
        self.unknown.append(f"_{len(self.unknown)}")
        return dim(self.unknown[-1])

    # Conditions

    def condition(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, value: SSAValue, *, holds: bool = True
    ) -> tuple[Condition, Condition]:
        """The condition under which an i1 may equal ``holds``, and the condition under which it
        certainly does.
        """
        may, must = self._condition(value)
        return (may, must) if holds else (~must, ~may)

    def _condition(self, value: SSAValue) -> tuple[Condition, Condition]:
        op = value.owner
        if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
            outcome = ALWAYS if op.value.value.data else NEVER
            return outcome, outcome
        if isinstance(op, arith.AndIOp | arith.OrIOp):
            (may, must), (also_may, also_must) = map(self._condition, (op.lhs, op.rhs))
            join = all_of if isinstance(op, arith.AndIOp) else any_of
            return join([may, also_may]), join([must, also_must])
        if isinstance(op, arith.XOrIOp):
            for operand, constant in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
                if isinstance(constant.owner, arith.ConstantOp):
                    attr = constant.owner.value
                    flips = isinstance(attr, IntegerAttr) and attr.value.data != 0
                    return self.condition(operand, holds=not flips)
        if isinstance(op, arith.CmpiOp):
            outcome = self._comparison(op)
            if outcome is not None:
                return outcome, outcome
        return ALWAYS, NEVER

    def _comparison(self, op: arith.CmpiOp) -> Condition | None:
        sign = arith.CMPI_COMPARISON_OPERATIONS[op.predicate.value.data]
        if sign.startswith("u") and not (self.is_natural(op.lhs) and self.is_natural(op.rhs)):
            return None
        lhs, rhs = self.integer(op.lhs), self.integer(op.rhs)
        if lhs is None or rhs is None:
            return None
        if any(name.startswith("_") for term in (lhs, rhs) for name in term.names()):
            return None
        match sign.lstrip("us"):
            case "eq":
                return lhs.equals(rhs)
            case "ne":
                return lhs.differs(rhs)
            case "lt":
                return lhs < rhs
            case "le":
                return lhs <= rhs
            case "gt":
                return lhs > rhs
            case _:
                return lhs >= rhs


NUMBERS = (
    gpu.ThreadIdOp,
    gpu.BlockIdOp,
    gpu.BlockDimOp,
    gpu.GridDimOp,
    gpu.GlobalIdOp,
    gpu.LaneIdOp,
    gpu.SubgroupIdOp,
    gpu.SubgroupSizeOp,
    gpu.NumSubgroupsOp,
    nvvm.LaneIdOp,
    memref.DimOp,
)
_KEEPS = (
    arith.AddiOp,
    arith.MuliOp,
    arith.DivUIOp,
    arith.RemUIOp,
    arith.ShRUIOp,
    arith.ShRSIOp,
    arith.ShLIOp,
    arith.AndIOp,
    arith.MinSIOp,
    arith.MinUIOp,
    arith.MaxSIOp,
    arith.MaxUIOp,
    arith.IndexCastOp,
    arith.ExtSIOp,
)


_LANES = (gpu.LaneIdOp, nvvm.LaneIdOp)


def _uncast(op: arith.IndexCastOp) -> Operation | Block:
    """The defining operation behind a chain of index casts."""
    owner = op.input.owner
    return _uncast(owner) if isinstance(owner, arith.IndexCastOp) else owner


def _axis(op: gpu.ThreadIdOp | gpu.BlockIdOp | gpu.BlockDimOp | gpu.GridDimOp | gpu.GlobalIdOp):
    return "xyz".index(op.dimension.data.value)


def is_unknown(term: Term) -> bool:
    return any(name.startswith("_") for name in term.names())
