"""Layouts of buffers: the legality of an index map, and its application."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    AffineMapAttr,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
)
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.affine.affine_relations import Collision, collision, extent, outside
from kc.analysis.affine.index_values import IndexValues, substitute
from kc.analysis.loop_tree import buffer_name
from kc.analysis.trust import Undecided
from kc.dialects.affine_assembly import affine_text
from kc.dialects.tir import (
    DYNAMIC,
    INDEX,
    AllocOp,
    BlockOp,
    LoadOp,
    PrefetchOp,
    StoreOp,
    symbol_names,
)
from kc.support.one_function import taken_out
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule._sizes import (
    DimensionSize,
    Shape,
    realize_size,
    shape_of,
    size_value,
    sizes_of,
)
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.layout._buffer_notes import buffer_attribute, set_argument_attribute

LIMIT = 2**48
"""The most elements of a buffer: the limit of 64-bit addresses for the widest type, and more than
any machine has.
"""

# Legality of a map --------------------------------------------------------------------------


@dataclass(frozen=True)
class Layout:
    """A legal layout of a buffer, with its new shape."""

    buffer: SSAValue
    map: IndexMap
    old: Shape
    new: Shape
    assumed: bool
    """True if the user asserted that the map is injective."""


def require_layout(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    map_: IndexMap,
    assume_injective: bool = False,
) -> Layout:
    """The layout of ``buffer`` by ``map_``. Refuses KC3501, KC3502 and KC3503."""
    name = buffer_name(buffer)
    old = shape_of(site, buffer)
    rank = len(old.sizes)
    require_rank(site, block, map_, rank, f"{name} has {_count(rank, 'dimension')}")
    sizes = tuple(extent(expr, old.box) for expr in map_.results)
    new = Shape(sizes, old.parameters)
    left = outside(map_.results, old.box, sizes)
    if left is not None:
        raise site.refuse(
            "KC3503",
            f"{map_} maps {name} to indices outside any buffer",
            at=block,
            why=left.reason
            if isinstance(left, Undecided)
            else f"element {point_text(left[0])}{old.at(left[1])} would be at "
            f"{point_text([expr.eval(left[0], ()) for expr in map_.results])}",
            hints=["add an offset that makes the smallest index 0"],
        )
    static_sizes = [size.value for size in sizes if isinstance(size, AffineConstantExpr)]
    if math.prod(static_sizes) > LIMIT:
        raise site.refuse(
            "KC3503",
            f"{map_} gives {name} the shape {_sizes_text(new)}",
            at=block,
            why=f"a buffer has at most {LIMIT} elements",
        )
    clash = collision(map_.results, old.box)
    if isinstance(clash, Collision) or (clash is not None and not assume_injective):
        raise site.refuse(
            "KC3502",
            f"{map_} "
            + ("is" if isinstance(clash, Collision) else "may be")
            + f" not injective on {name}",
            at=block,
            why=f"elements {point_text(clash.first)} and {point_text(clash.second)}"
            f"{old.at(clash.parameters)} would both be at {point_text(clash.place)}"
            if isinstance(clash, Collision)
            else clash.reason,
            hints=[]
            if isinstance(clash, Collision)
            else ["use assume_injective_transform if it is injective"],
        )
    return Layout(buffer, map_, old, new, clash is not None)


def require_rank(site: Site, block: BlockOp, map_: IndexMap, rank: int, why: str) -> None:
    """Refuse (KC3501) a map whose number of indices is not ``rank``."""
    if len(map_.names) == rank:
        return
    names = ", ".join("ijklmn"[n : n + 1] or f"i{n}" for n in range(rank))
    raise site.refuse(
        "KC3501",
        f"{map_} takes {_count(len(map_.names), 'index', 'indices')}",
        at=block,
        why=why,
        hints=[f"index_map=({names})->(...)"],
    )


def require_movable(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    why: str = "neighbours along the last dimension may be elsewhere in the new layout",
) -> None:
    """Refuse (KC3504) vector accesses, and a buffer with a memory layout.

    ``why`` is the reason for vectors.
    """
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    name = buffer_name(buffer)
    if not isinstance(type_.layout, NoneAttr):
        raise site.refuse(
            "KC3504",
            f"{name} of block {block.label} has a layout in memory",
            at=block,
            why=f"its type is {type_}",
        )
    for use in buffer.uses:
        op = use.operation
        if isinstance(op, memref.DimOp) and IndexValues().constant(op.index) is None:
            raise site.refuse(
                "KC3504",
                f"the size of an unknown dimension of {name} is queried",
                at=op,
                mark={op: "here"},
                why="the dimensions change",
            )
        value = (
            op.result if isinstance(op, LoadOp) else op.value if isinstance(op, StoreOp) else None
        )
        if value is not None and value.type != type_.element_type:
            raise site.refuse(
                "KC3504",
                f"{name} of block {block.label} is accessed by vectors",
                at=op,
                mark={op: f"a {value.type}"},
                why=why,
                hints=[f"{site.primitive} before vectorize-loop"],
            )


def _count(count: int, singular: str, plural: str | None = None) -> str:
    return f"{count} {singular if count == 1 else plural or singular + 's'}"


def point_text(values: Sequence[int]) -> str:
    """The text of an index: ``[3, 0]``."""
    return f"[{', '.join(map(str, values))}]"


# Arguments ------------------------------------------------------------------------------------


def require_argument_layout(site: Site, block: BlockOp, layout: Layout) -> None:
    """Refuse a new shape of an argument that callers could not provide.

    KC4341: the argument has declared strides. KC3507: no argument would determine a symbolic size.
    KC3508: the module calls the function. KC3510: a queried size is determined only by the
    argument.
    """
    buffer, function = layout.buffer, site.function
    if not isinstance(buffer, BlockArgument):
        return
    name = buffer_name(buffer)
    if buffer_attribute(function, buffer, "strides") is not None:
        raise site.refuse(
            "KC4341",
            f"{name} has declared strides",
            at=block,
            why="they belong to its current dimensions, not to the new ones",
            hints=[f"use cache_read or cache_write, and change the layout of the copy of {name}"],
        )
    module = function.parent_op()
    roots = [*([module] if isinstance(module, ModuleOp) else []), *taken_out()]
    for op in (op for root in roots for op in root.walk()):
        if isinstance(op, func.CallOp) and op.callee.root_reference == function.sym_name:
            raise site.refuse(
                "KC3508",
                f"{name} is an argument of @{function.sym_name.data}, which is called",
                at=op,
                mark={op: f"passes {name} with its present shape"},
                why="the shape of the argument would change, but not that of the value passed",
            )
    for n, parameter in enumerate(layout.old.parameters):
        if isinstance(parameter, DimensionSize) and _asks_for_size(buffer):
            raise site.refuse(
                "KC3510",
                f"dimension {parameter.dimension} of {name} has no name",
                at=block,
                why="its size is queried, and could not be computed from the new shape",
                hints=["give the argument a kc.shape of symbolic sizes"],
            )
        if not isinstance(parameter, str) or AffineExpr.dimension(n) in layout.new.sizes:
            continue
        if not _is_told(site, parameter, besides=buffer):
            raise site.refuse(
                "KC3507",
                f"no argument would determine {parameter}",
                at=block,
                why=f"{parameter} is known from the shape of {name}, which would be "
                f"{_sizes_text(layout.new)}",
                hints=[f"let another argument have the size {parameter}, or be {parameter}"],
            )


def _asks_for_size(buffer: SSAValue) -> bool:
    return any(isinstance(use.operation, memref.DimOp) for use in buffer.uses)


def _sizes_text(shape: Shape) -> str:
    names = shape.names()
    return " x ".join(affine_text(size, lambda n: names[n]) for size in shape.sizes)


def _is_told(site: Site, symbol: str, besides: BlockArgument) -> bool:
    """True if an argument other than ``besides`` determines ``symbol``: its value or one of its
    sizes.
    """
    position = symbol_names(site.function).index(symbol)
    attrs = site.function.arg_attrs
    for n, attributes in enumerate(attrs.data if attrs is not None else ()):
        if n == besides.index:
            continue
        shape = attributes.data.get("kc.shape")
        if isinstance(shape, AffineMapAttr) and AffineExpr.symbol(position) in shape.data.results:
            return True
        own = attributes.data.get("kc.symbol")
        if own is not None and own.data == symbol:  # pyright: ignore[reportAttributeAccessIssue]
            return True
    return False


# Application --------------------------------------------------------------------------------


def apply_layout(site: Site, layout: Layout, like: Operation) -> SSAValue:
    """Give the buffer its new shape, and redirect all accesses."""
    buffer = layout.buffer
    _settle_sizes(site, buffer, like)
    for use in list(buffer.uses):
        op = use.operation
        if isinstance(op, LoadOp | StoreOp | PrefetchOp):
            _redirect(op, layout.map)
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    shape = [
        size.value if isinstance(size, AffineConstantExpr) else DYNAMIC for size in layout.new.sizes
    ]
    new_type = MemRefType(type_.element_type, shape, type_.layout, type_.memory_space)
    if isinstance(buffer, BlockArgument):
        Rewriter.replace_value_with_new_type(buffer, new_type)
        arg = site.function.body.block.args[buffer.index]
        _change_signature(site, arg, layout)
        return arg
    alloc = buffer.owner
    assert isinstance(alloc, AllocOp)
    point = InsertPoint.before(alloc)
    sizes = [realize_size(site, size, layout.new, point, like) for size in layout.new.sizes]
    new = AllocOp(alloc.label, new_type, [size for size in sizes if not isinstance(size, int)])
    new.attributes.update(alloc.attributes)
    new.location = alloc.location
    Rewriter.replace_op(alloc, new)
    return new.buffer


def _redirect(op: LoadOp | StoreOp | PrefetchOp, map_: IndexMap) -> None:
    index = IndexValues()
    old = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
    values = dict(enumerate(old))
    set_indices(op, [index.simplify(substitute(expr, values)) for expr in map_.results], index)


def simplify_access(op: LoadOp | StoreOp) -> None:
    """Simplify the indices of an access."""
    index = IndexValues()
    old = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
    set_indices(op, old, index)


def set_indices(
    op: LoadOp | StoreOp | PrefetchOp, exprs: Sequence[AffineExpr], index: IndexValues
) -> None:
    """Set the index of an access to ``exprs`` (over the roots of ``index``)."""
    indices, operands = index.to_map(exprs)
    fixed = len(op.operands) - len(op.operands_of_map)
    op.operands = [*list(op.operands)[:fixed], *operands]
    op.indices = AffineMapAttr(indices)


def _settle_sizes(site: Site, buffer: SSAValue, like: Operation) -> None:
    """Replace ``memref.dim`` of ``buffer`` by its current sizes."""
    dims = [use.operation for use in buffer.uses if isinstance(use.operation, memref.DimOp)]
    if not dims:
        return
    sizes = sizes_of(site, buffer)
    for op in dims:
        position = IndexValues().constant(op.index)
        assert position is not None, "checked before"
        value = size_value(site, sizes[position], like)
        if isinstance(value, SSAValue):
            Rewriter.replace_op(op, [], [value])
        else:
            Rewriter.replace_op(op, arith.ConstantOp(IntegerAttr(value, INDEX)))


def _change_signature(site: Site, arg: BlockArgument, layout: Layout) -> None:
    """Update the function's type and the symbolic shape of the argument."""
    function = site.function
    types = [argument.type for argument in function.body.block.args]
    function.function_type = FunctionType.from_lists(types, list(function.function_type.outputs))
    symbols = symbol_names(function)
    parameters = layout.new.parameters
    attrs = function.arg_attrs.data[arg.index].data if function.arg_attrs is not None else {}
    if "kc.shape" not in attrs:
        return
    values = {
        n: AffineExpr.symbol(symbols.index(parameter))
        for n, parameter in enumerate(parameters)
        if isinstance(parameter, str)
    }
    exprs = tuple(substitute(size, values) for size in layout.new.sizes)
    shape = AffineMapAttr(AffineMap(0, len(symbols), exprs))
    set_argument_attribute(function, arg, "kc.shape", shape)
