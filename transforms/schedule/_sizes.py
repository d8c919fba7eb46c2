"""The sizes of buffers as values: constants, operands of an alloc, or functions of the symbols."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.dialects.tir import DYNAMIC, INDEX, AllocOp, ApplyOp, SymbolOp, symbol_names
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class SymbolicSize:
    """A size that no value of the function stands for yet: ``expr`` over its symbols."""

    expr: AffineExpr
    symbols: tuple[str, ...]

    def known(self, site: Site) -> SSAValue | None:
        """The value of the size, if it is a symbol that the function names already."""
        if isinstance(self.expr, AffineSymExpr):
            for op in site.function.body.block.ops:
                if isinstance(op, SymbolOp) and op.symbol.data == self.symbols[self.expr.position]:
                    return op.result
        return None


@dataclass(frozen=True)
class DimensionSize:
    """A size that only the buffer itself tells."""

    buffer: SSAValue
    dimension: int


Size = int | SSAValue | SymbolicSize | DimensionSize


def sizes_of(site: Site, buffer: SSAValue) -> list[Size]:
    """The sizes of the dimensions of ``buffer``."""
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    owner = buffer.owner
    dynamic = iter(owner.dynamic_sizes if isinstance(owner, AllocOp) else ())
    shape = _declared_shape(site.function, buffer)
    symbols = tuple(symbol_names(site.function))
    found: list[Size] = []
    for n, size in enumerate(type_.get_shape()):
        if size != DYNAMIC:
            found.append(size)
        elif isinstance(owner, AllocOp):
            found.append(next(dynamic))
        elif shape is not None:
            found.append(SymbolicSize(shape[n], symbols))
        else:
            found.append(DimensionSize(buffer, n))
    known = [one.known(site) if isinstance(one, SymbolicSize) else None for one in found]
    return [one if value is None else value for one, value in zip(found, known, strict=True)]


def _declared_shape(function: FuncOp, buffer: SSAValue) -> tuple[AffineExpr, ...] | None:
    if not isinstance(buffer, BlockArgument) or function.arg_attrs is None:
        return None
    if buffer.block is not function.body.block:
        return None
    shape = function.arg_attrs.data[buffer.index].data.get("kc.shape")
    return shape.data.results if isinstance(shape, AffineMapAttr) else None


def size_value(site: Site, size: Size, like: Operation) -> int | SSAValue:
    """``size`` as an extent; what it needs is computed at the start of the function."""
    if isinstance(size, int | SSAValue):
        return size
    if isinstance(size, SymbolicSize):
        used = [one.position for one in size.expr.dfs() if isinstance(one, AffineSymExpr)]
        used = list(dict.fromkeys(used))
        values = [symbol_value(site, size.symbols[n]) for n in used]
        if isinstance(size.expr, AffineSymExpr):
            return values[0]
        dims = [
            AffineExpr.dimension(used.index(n) if n in used else 0)
            for n in range(len(size.symbols))
        ]
        apply = ApplyOp(size.expr.replace_dims_and_symbols([], dims), values)
        apply.location = like.location
        entry = site.function.body.block
        first = next(op for op in entry.ops if not isinstance(op, SymbolOp))
        Rewriter.insert_op(apply, InsertPoint.before(first))
        return apply.result
    index = arith.ConstantOp(IntegerAttr(size.dimension, INDEX))
    dim = memref.DimOp.from_source_and_index(size.buffer, index.result)
    index.location = dim.location = like.location
    block = size.buffer.owner
    point = InsertPoint.at_start(block) if isinstance(block, Block) else InsertPoint.after(block)
    Rewriter.insert_op([index, dim], point)
    return dim.result


def symbol_value(site: Site, name: str) -> SSAValue:
    """The value of the symbolic size ``name``, defined at the start of the function."""
    entry = site.function.body.block
    for op in entry.ops:
        if isinstance(op, SymbolOp) and op.symbol.data == name:
            op.detach()  # it must dominate every loop
            Rewriter.insert_op(op, InsertPoint.at_start(entry))
            return op.result
    op = SymbolOp(name)
    op.location = site.function.location
    Rewriter.insert_op(op, InsertPoint.at_start(entry))
    return op.result
