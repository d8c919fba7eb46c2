"""The shapes of buffers, over the symbolic sizes of the function and other values.

A shape gives the :class:`~kc.analysis.affine_relations.Box` of the indices, for exact questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineDimExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.affine_relations import Box
from kc.analysis.index_values import IndexValues, dimensions, substitute
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ApplyOp, SymbolOp
from kc.transforms.schedule._sizes import (
    DimensionSize,
    Size,
    SymbolicSize,
    size_value,
    sizes_of,
    symbol_value,
)
from kc.transforms.schedule.base import Site

Parameter = str | SSAValue | DimensionSize
"""A symbolic size by name, a value that a size is made of, or a size that nothing else tells."""


@dataclass(frozen=True)
class Shape:
    """The sizes of the dimensions of a buffer, over ``parameters``."""

    sizes: tuple[AffineExpr, ...]
    parameters: tuple[Parameter, ...]

    @property
    def box(self) -> Box:
        """The indices of the elements."""
        return Box(self.sizes, len(self.parameters))

    def names(self) -> list[str]:
        """The parameters in words."""
        return [
            one
            if isinstance(one, str)
            else one.name_hint or "size"
            if isinstance(one, SSAValue)
            else f"{buffer_name(one.buffer)}_{one.dimension}"
            for one in self.parameters
        ]

    def at(self, values: Sequence[int]) -> str:
        """`` (for n = 3)``: the parameters at a witness."""
        known = ", ".join(
            f"{name} = {value}" for name, value in zip(self.names(), values, strict=True)
        )
        return f" (for {known})" if known else ""


def shape_of(site: Site, buffer: SSAValue) -> Shape:
    """The shape of ``buffer``."""
    return shape_from(site, sizes_of(site, buffer))


def shape_from(site: Site, sizes: Sequence[Size]) -> Shape:
    """The shape with these sizes."""
    index = IndexValues()
    parameters: dict[Parameter, int] = {}

    def parameter(key: Parameter) -> AffineExpr:
        return AffineExpr.dimension(parameters.setdefault(key, len(parameters)))

    def of_value(value: SSAValue) -> AffineExpr:
        expr = index.expr(value)
        roots = {dim: index.roots[dim] for dim in dimensions(expr)}
        # A parameter is at least 0, as a size is; what else a size is made of may not be.
        natural = all(index.is_natural(AffineExpr.dimension(dim)) for dim in roots)
        if not isinstance(expr, AffineDimExpr) and not natural:
            return parameter(value)
        values = {}
        for dim, root in roots.items():
            assert root is not None
            owner = root.owner
            values[dim] = parameter(owner.symbol.data if isinstance(owner, SymbolOp) else root)
        return substitute(expr, values)

    found: list[AffineExpr] = []
    for size in sizes:
        if isinstance(size, int):
            found.append(AffineExpr.constant(size))
        elif isinstance(size, SSAValue):
            found.append(of_value(size))
        elif isinstance(size, SymbolicSize):
            used = {one.position for one in size.expr.dfs() if isinstance(one, AffineSymExpr)}
            symbols = [
                parameter(name) if n in used else ZERO for n, name in enumerate(size.symbols)
            ]
            found.append(size.expr.replace_dims_and_symbols([], symbols))
        else:
            found.append(parameter(size))
    return Shape(tuple(found), tuple(parameters))


def realize_size(
    site: Site, size: AffineExpr, shape: Shape, point: InsertPoint, like: Operation
) -> int | SSAValue:
    """A size over the parameters of ``shape`` as an extent; it is computed at ``point``."""
    if isinstance(size, AffineConstantExpr):
        return size.value
    values: dict[int, SSAValue] = {}
    for n in dimensions(size):
        one = shape.parameters[n]
        if isinstance(one, DimensionSize):
            made = size_value(site, one, like)
            assert isinstance(made, SSAValue)
            one = made
        values[n] = symbol_value(site, one) if isinstance(one, str) else one
    if isinstance(size, AffineDimExpr):
        return values[size.position]
    position = {n: AffineExpr.dimension(k) for k, n in enumerate(values)}
    apply = ApplyOp(substitute(size, position), list(values.values()))
    apply.location = like.location
    Rewriter.insert_op(apply, point)
    return apply.result
