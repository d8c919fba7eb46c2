"""The sizes of buffers as values: constants, operands of an alloc, or functions of the symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.affine.affine_relations import Box
from kc.analysis.affine.index_values import IndexValues, dimensions, substitute
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import DYNAMIC, INDEX, AllocOp, ApplyOp, SymbolOp, symbol_names
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class SymbolicSize:
    """A size without a value in the function: ``expr`` over its symbols."""

    expr: AffineExpr
    symbols: tuple[str, ...]

    def value_at(self, site: Site) -> SSAValue | None:
        """The value of the size if it is a symbol that the function reads; else None."""
        if isinstance(self.expr, AffineSymExpr):
            for op in site.function.body.block.ops:
                if isinstance(op, SymbolOp) and op.symbol.data == self.symbols[self.expr.position]:
                    return op.result
        return None


@dataclass(frozen=True)
class DimensionSize:
    """A size that is available only from the buffer itself."""

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
    sizes: list[Size] = []
    for n, size in enumerate(type_.get_shape()):
        if size != DYNAMIC:
            sizes.append(size)
        elif isinstance(owner, AllocOp):
            sizes.append(next(dynamic))
        elif shape is not None:
            sizes.append(SymbolicSize(shape[n], symbols))
        else:
            sizes.append(DimensionSize(buffer, n))
    values = [size.value_at(site) if isinstance(size, SymbolicSize) else None for size in sizes]
    return [size if value is None else value for size, value in zip(sizes, values, strict=True)]


def _declared_shape(function: FuncOp, buffer: SSAValue) -> tuple[AffineExpr, ...] | None:
    if not isinstance(buffer, BlockArgument) or function.arg_attrs is None:
        return None
    if buffer.block is not function.body.block:
        return None
    shape = function.arg_attrs.data[buffer.index].data.get("kc.shape")
    return shape.data.results if isinstance(shape, AffineMapAttr) else None


def size_value(site: Site, size: Size, like: Operation) -> int | SSAValue:
    """``size`` as an extent. Operations at the start of the function compute it."""
    if isinstance(size, int | SSAValue):
        return size
    if isinstance(size, SymbolicSize):
        used = [symbol.position for symbol in size.expr.dfs() if isinstance(symbol, AffineSymExpr)]
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


# Shapes ---------------------------------------------------------------------------------------

# The shape of a buffer, over the symbolic sizes of the function and other values, gives the
# :class:`~kc.analysis.affine.affine_relations.Box` of its indices, for exact queries.

Parameter = str | SSAValue | DimensionSize
"""A parameter of a shape: the name of a symbolic size, a value in a size, or a size that only the
buffer provides.
"""


@dataclass(frozen=True)
class Shape:
    """The sizes of the dimensions of a buffer, over ``parameters``."""

    sizes: tuple[AffineExpr, ...]
    parameters: tuple[Parameter, ...]

    @property
    def box(self) -> Box:
        """The set of the indices of the elements."""
        return Box(self.sizes, len(self.parameters))

    def names(self) -> list[str]:
        """The names of the parameters."""
        return [
            parameter
            if isinstance(parameter, str)
            else parameter.name_hint or "size"
            if isinstance(parameter, SSAValue)
            else f"{buffer_name(parameter.buffer)}_{parameter.dimension}"
            for parameter in self.parameters
        ]

    def at(self, values: Sequence[int]) -> str:
        """The text of the parameters at a witness: `` (for n = 3)``; empty without parameters."""
        text = ", ".join(
            f"{name} = {value}" for name, value in zip(self.names(), values, strict=True)
        )
        return f" (for {text})" if text else ""


def shape_of(site: Site, buffer: SSAValue) -> Shape:
    """The shape of ``buffer``."""
    return shape_from(site, sizes_of(site, buffer))


def shape_from(site: Site, sizes: Sequence[Size]) -> Shape:
    """The shape with ``sizes``."""
    index = IndexValues()
    parameters: dict[Parameter, int] = {}

    def parameter(key: Parameter) -> AffineExpr:
        return AffineExpr.dimension(parameters.setdefault(key, len(parameters)))

    def of_value(value: SSAValue) -> AffineExpr:
        expr = index.expr(value)
        roots = {dim: index.roots[dim] for dim in dimensions(expr)}
        # A parameter is at least 0, since a size is; other values in a size may be negative.
        natural = all(index.is_natural(AffineExpr.dimension(dim)) for dim in roots)
        if not isinstance(expr, AffineDimExpr) and not natural:
            return parameter(value)
        values = {}
        for dim, root in roots.items():
            assert root is not None
            owner = root.owner
            values[dim] = parameter(owner.symbol.data if isinstance(owner, SymbolOp) else root)
        return substitute(expr, values)

    exprs: list[AffineExpr] = []
    for size in sizes:
        if isinstance(size, int):
            exprs.append(AffineExpr.constant(size))
        elif isinstance(size, SSAValue):
            exprs.append(of_value(size))
        elif isinstance(size, SymbolicSize):
            used = {
                symbol.position for symbol in size.expr.dfs() if isinstance(symbol, AffineSymExpr)
            }
            symbols = [
                parameter(name) if n in used else ZERO for n, name in enumerate(size.symbols)
            ]
            exprs.append(size.expr.replace_dims_and_symbols([], symbols))
        else:
            exprs.append(parameter(size))
    for n, expr in enumerate(exprs):
        if isinstance(expr, AffineConstantExpr) and expr.value < 0:
            exprs[n] = ZERO  # the value is a loop bound, and that loop has no iterations
    return Shape(tuple(exprs), tuple(parameters))


def realize_size(
    site: Site, size: AffineExpr, shape: Shape, point: InsertPoint, like: Operation
) -> int | SSAValue:
    """A size over the parameters of ``shape`` as an extent, computed at ``point``."""
    if isinstance(size, AffineConstantExpr):
        return size.value
    values: dict[int, SSAValue] = {}
    for n in dimensions(size):
        parameter = shape.parameters[n]
        if isinstance(parameter, DimensionSize):
            extent = size_value(site, parameter, like)
            assert isinstance(extent, SSAValue)
            parameter = extent
        values[n] = symbol_value(site, parameter) if isinstance(parameter, str) else parameter
    if isinstance(size, AffineDimExpr):
        return values[size.position]
    position = {n: AffineExpr.dimension(k) for k, n in enumerate(values)}
    apply = ApplyOp(substitute(size, position), list(values.values()))
    apply.location = like.location
    Rewriter.insert_op(apply, point)
    return apply.result
