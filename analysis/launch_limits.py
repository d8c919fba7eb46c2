"""What the sizes of a function must be so that its launches are within the limits of a GPU."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.index_values import IndexValues
from kc.analysis.loop_tree import all_loops_around
from kc.dialects.size_requirements import SizeRequirement
from kc.dialects.tir import ForOp, SymbolOp, symbol_names
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES

Extent = int | AffineExpr
"""A number of threads or blocks: known, or over the symbols of the function."""


def launch_requirements(
    function: func.FuncOp, limits: Mapping[str, Any], name: str
) -> list[SizeRequirement]:
    """The conditions on symbolic sizes that the limits of the target ``name`` make.

    For each kernel they say that a dimension of the grid and of a block is not too large, and all
    threads of a block are not too many. Extents that are not computed from sizes alone have none:
    what launches the kernel finds out.
    """
    requirements: list[SizeRequirement] = []
    index = IndexValues()
    symbols = _symbols(function)
    for kernel in _kernels(function):
        extents = _extents(kernel, index, symbols)
        for axes, key, what in (
            (BLOCK_AXES, "max_grid_dims", "blocks"),
            (LANE_AXES, "max_block_dims", "threads"),
        ):
            for axis, limit in zip(axes, limits[key], strict=True):
                extent = extents.get(axis)
                if isinstance(extent, AffineExpr):
                    why = f"there are so many {what} along {axis}, and {name} allows {limit}"
                    requirements.append(_at_most(extent, (), limit, why))
        lanes = [extents[axis] for axis in LANE_AXES if axis in extents]
        factors = tuple(extent for extent in lanes if isinstance(extent, AffineExpr))
        known = math.prod(extent for extent in lanes if isinstance(extent, int))
        limit = limits["max_threads_per_block"]
        if factors and (len(factors) > 1 or known > 1):
            why = f"a block has so many threads, and {name} allows {limit}"
            count = AffineExpr.dimension(0) * known
            requirements.append(_at_most(count, factors, limit, why))
    return list(dict.fromkeys(requirements))


def _at_most(
    count: AffineExpr, factors: tuple[AffineExpr, ...], limit: int, why: str
) -> SizeRequirement:
    condition = AffineConstraintExpr(
        AffineConstraintKind.ge, AffineExpr.constant(limit) - count, AffineExpr.constant(0)
    )
    return SizeRequirement(condition, (factors,) if factors else (), (), why)


def _symbols(function: func.FuncOp) -> dict[SSAValue, AffineExpr]:
    """The values of the function that are symbolic sizes."""
    names = symbol_names(function)
    numbers = {name: AffineExpr.symbol(n) for n, name in enumerate(names)}
    values: dict[SSAValue, AffineExpr] = {}
    if function.arg_attrs is not None:
        for value, attrs in zip(function.body.block.args, function.arg_attrs.data, strict=True):
            symbol = attrs.data.get("kc.symbol")
            if isinstance(symbol, StringAttr) and symbol.data in numbers:
                values[value] = numbers[symbol.data]
    for op in function.walk():
        if isinstance(op, SymbolOp) and op.symbol.data in numbers:
            values[op.result] = numbers[op.symbol.data]
    return values


def _kernels(function: func.FuncOp) -> Iterator[ForOp]:
    """The outermost loops of threads."""
    for loop in loop_tree.loops(function):
        if loop.axis is not None and not any(
            outer.axis is not None for outer in all_loops_around(loop)
        ):
            yield loop


def _extents(
    kernel: ForOp, index: IndexValues, symbols: Mapping[SSAValue, AffineExpr]
) -> dict[str, Extent]:
    """The extents of the axes, as far as they are known or made of symbolic sizes."""
    extents: dict[str, Extent] = {}
    for loop in loop_tree.loops(kernel):
        axis, extent = loop.axis, loop.extent_value
        if axis is None or axis in extents:
            continue
        if isinstance(extent, int):
            extents[axis] = extent
            continue
        expr = index.expr(extent)
        roots = index.roots
        used = {n for n in range(len(roots)) if _uses(expr, n)}
        values = [symbols.get(root) if root is not None else None for root in roots]
        if all(values[n] is not None for n in used):
            given = [AffineExpr.constant(0) if value is None else value for value in values]
            extents[axis] = expr.replace_dims_and_symbols(given, [])
    return extents


def _uses(expr: AffineExpr, dimension: int) -> bool:
    return AffineExpr.dimension(dimension) in set(expr.dfs())
