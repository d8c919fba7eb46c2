"""Conditions on sizes under which the launches of a function stay within the limits of a GPU."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.gpu.shared_memory import ALIGNMENT, arrange, bytes_of
from kc.analysis.loop_tree import all_loops_around, memory_scope
from kc.dialects.size_requirements import SizeRequirement
from kc.dialects.tir import DYNAMIC, AllocOp, ForOp, SymbolOp, symbol_names
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES

Extent = int | AffineExpr
"""A number of threads or blocks: a constant, or an expression over the symbols of the function."""


def launch_requirements(
    function: func.FuncOp, limits: Mapping[str, Any], name: str
) -> list[SizeRequirement]:
    """The conditions on symbolic sizes that follow from the limits of the target ``name``.

    They bound each dimension of the grid and of a block, and the number of threads of a block.
    Extents that do not depend on sizes alone have no condition; a launch with a larger extent
    fails.
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
                    why = f"{name} allows at most {limit} {what} along {axis}"
                    requirements.append(_at_most(extent, (), limit, why))
        lanes = [extents[axis] for axis in LANE_AXES if axis in extents]
        factors = tuple(extent for extent in lanes if isinstance(extent, AffineExpr))
        static_lanes = math.prod(extent for extent in lanes if isinstance(extent, int))
        limit = limits["max_threads_per_block"]
        if factors and (len(factors) > 1 or static_lanes > 1):
            why = f"{name} allows at most {limit} threads in a block"
            count = AffineExpr.dimension(0) * static_lanes
            requirements.append(_at_most(count, factors, limit, why))
    return list(dict.fromkeys(requirements))


def shared_requirements(
    function: func.FuncOp, limits: Mapping[str, Any], name: str
) -> list[SizeRequirement]:
    """The condition on symbolic sizes that follows from the limit of shared memory.

    Buffers count with their final sizes (``compact-buffer-allocation``). A buffer size that depends
    on more than the sizes of the function counts as 0; the launch fails if the size is too large.
    """
    requirements: list[SizeRequirement] = []
    index = IndexValues()
    symbols = _symbols(function)
    limit = limits["max_shared_memory_per_block"]
    for kernel in _kernels(function):
        allocs = shared_allocs(kernel)
        symbolic = [alloc for alloc in allocs if has_symbolic_size(alloc)]
        if not symbolic:
            continue
        constant = [alloc.buffer for alloc in allocs if alloc not in symbolic]
        total = AffineExpr.constant(arrange(constant, kernel.body.block)[1])
        products: list[tuple[AffineExpr, ...]] = []
        for alloc in symbolic:
            type_ = alloc.buffer.type
            assert isinstance(type_, MemRefType)
            extents = [_over_symbols(size, index, symbols) for size in alloc.dynamic_sizes]
            factors = tuple(extent for extent in extents if extent is not None)
            if len(factors) < len(extents):
                continue
            rest = MemRefType(type_.element_type, [n for n in type_.get_shape() if n != DYNAMIC])
            count = AffineExpr.dimension(len(products)) * bytes_of(rest)
            total += (count + (ALIGNMENT - 1)) // ALIGNMENT * ALIGNMENT
            products.append(factors)
        condition = AffineConstraintExpr(
            AffineConstraintKind.ge, AffineExpr.constant(limit) - total, AffineExpr.constant(0)
        )
        why = f"{name} allows at most {limit} bytes of shared memory in a block"
        requirements.append(SizeRequirement(condition, tuple(products), (), why))
    return list(dict.fromkeys(requirements))


def shared_allocs(op: Operation) -> list[AllocOp]:
    """The allocations in shared memory."""
    return [
        inner
        for inner in op.walk()
        if isinstance(inner, AllocOp) and memory_scope(inner.buffer).startswith("shared")
    ]


def has_symbolic_size(alloc: AllocOp) -> bool:
    """True if the size of a buffer is unknown before the call."""
    return bool(alloc.dynamic_sizes)


def _over_symbols(
    value: SSAValue, index: IndexValues, symbols: Mapping[SSAValue, AffineExpr]
) -> AffineExpr | None:
    """A value as an expression over the symbols of the function; None if the value depends on more
    than symbols.
    """
    expr = index.expr(value)
    roots = index.roots
    values = [symbols.get(root) if root is not None else None for root in roots]
    if any(values[n] is None for n in range(len(roots)) if _uses(expr, n)):
        return None
    dims = [AffineExpr.constant(0) if value is None else value for value in values]
    return expr.replace_dims_and_symbols(dims, [])


def _at_most(
    count: AffineExpr, factors: tuple[AffineExpr, ...], limit: int, why: str
) -> SizeRequirement:
    condition = AffineConstraintExpr(
        AffineConstraintKind.ge, AffineExpr.constant(limit) - count, AffineExpr.constant(0)
    )
    return SizeRequirement(condition, (factors,) if factors else (), (), why)


def _symbols(function: func.FuncOp) -> dict[SSAValue, AffineExpr]:
    """The values of the function that are symbolic sizes, as symbols."""
    names = symbol_names(function)
    numbers = {name: AffineExpr.symbol(n) for n, name in enumerate(names)}
    values: dict[SSAValue, AffineExpr] = {}
    if function.arg_attrs is not None:
        for value, attrs in zip(function.args, function.arg_attrs.data, strict=True):
            symbol = attrs.data.get("kc.symbol")
            if isinstance(symbol, StringAttr) and symbol.data in numbers:
                values[value] = numbers[symbol.data]
    for op in function.walk():
        if isinstance(op, SymbolOp) and op.symbol.data in numbers:
            values[op.result] = numbers[op.symbol.data]
    return values


def _kernels(function: func.FuncOp) -> Iterator[ForOp]:
    """The outermost thread loops, each of which becomes a kernel."""
    for loop in loop_tree.loops(function):
        if loop.axis is not None and not any(
            outer.axis is not None for outer in all_loops_around(loop)
        ):
            yield loop


def _extents(
    kernel: ForOp, index: IndexValues, symbols: Mapping[SSAValue, AffineExpr]
) -> dict[str, Extent]:
    """The extent of each axis, if it is constant or depends on symbolic sizes alone."""
    extents: dict[str, Extent] = {}
    for loop in loop_tree.loops(kernel):
        axis, extent = loop.axis, loop.extent_value
        if axis is None or axis in extents:
            continue
        if isinstance(extent, int):
            extents[axis] = extent
            continue
        over_symbols = _over_symbols(extent, index, symbols)
        if over_symbols is not None:
            extents[axis] = over_symbols
    return extents


def _uses(expr: AffineExpr, dimension: int) -> bool:
    return AffineExpr.dimension(dimension) in set(expr.dfs())
