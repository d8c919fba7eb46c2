"""merge-dimensions: dimensions indexed by the digits of one number become a single dimension.

Before::

    %A : memref<40x7x9xf32>
    %a = tir.load %A[%c, %v floordiv 9, %v mod 9] : memref<40x7x9xf32>

After::

    %A : memref<40x63xf32>
    %a = tir.load %A[%c, %v] : memref<40x63xf32>

Fused loops and reshaped arrays have such indices. After the merge no division is left, and
neighbours along ``%v`` are adjacent in a row. They form a vector even if a row of the original
buffer has fewer elements than a vector has lanes. The memory does not change: the type of an
argument changes, but not the array that is passed.

Dimensions of constant sizes are merged if that removes a division from an index. Not changed are
buffers with users other than ``tir.load``, ``tir.store`` and ``tir.prefetch``, buffers with a
layout or attributes, and arguments of functions that the module calls.

Requires nothing, but is meant to run after the passes that move and shrink buffers, and before
vectorization. Pipelines with bound checks omit it, because the checks need the original sizes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    SymbolRefAttr,
)
from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.merged_dimensions import divisions, groups_of, mergeable, number_of
from kc.dialects.tir import AllocOp, LoadOp, PrefetchOp, StoreOp

Access = LoadOp | StoreOp | PrefetchOp

SHAPE = "kc.shape"
"""The attribute of an argument that holds its sizes."""


@dataclass(frozen=True)
class MergeDimensionsPass(ModulePass):
    """Merge dimensions that are indexed by the digits of one number."""

    name = "merge-dimensions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        called = _called(op)
        for function in loop_tree.functions(op):
            index = IndexValues()
            buffers: list[SSAValue] = []
            if function.sym_name.data not in called:
                buffers += function.args
            buffers += [
                op.buffer
                for op in loop_tree.preorder(function)
                if type(op) is AllocOp and not op.attributes
            ]
            for buffer in buffers:
                _merge(function, buffer, index)


def _called(module: ModuleOp) -> set[str]:
    """The symbol names that operations of the module refer to, without definitions."""
    names: set[str] = set()
    for op in loop_tree.preorder(module):
        for attr in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attr, SymbolRefAttr):
                names.add(attr.root_reference.data)
    return names


def _merge(function: func.FuncOp, buffer: SSAValue, index: IndexValues) -> None:
    type_ = buffer.type
    if not isinstance(type_, MemRefType) or type_.get_num_dims() < 2:
        return
    if not isinstance(type_.layout, NoneAttr):
        return
    accesses = [use.operation for use in buffer.uses]
    plain = [op for op in accesses if isinstance(op, Access)]
    if len(plain) < len(accesses):
        return
    shape = type_.get_shape()
    joined: set[int] = set()
    for access in plain:
        exprs = access.indices.data.results
        if any(map(divisions, exprs)):
            places = [index.compose(expr, access.operands_of_map) for expr in exprs]
            joined.update(mergeable(places, shape, index))
    if isinstance(buffer, BlockArgument):
        joined -= _declared(function, buffer.index)
    if not joined:
        return
    groups = list(groups_of(len(shape), joined))
    for access in plain:
        places = [
            index.compose(expr, access.operands_of_map) for expr in access.indices.data.results
        ]
        merged = [index.simplify(number_of(places, shape, group)) for group in groups]
        _set_indices(access, *index.to_map(merged))
    sizes = [math.prod(shape[dim] for dim in group) for group in groups]
    new = MemRefType(type_.element_type, sizes, type_.layout, type_.memory_space)
    Rewriter.replace_value_with_new_type(buffer, new)
    if isinstance(buffer, BlockArgument):
        _declare(function, buffer.index, groups)


def _set_indices(access: Access, map_: AffineMap, operands: Sequence[SSAValue]) -> None:
    fixed = len(access.operands) - len(access.operands_of_map)
    access.operands = [*list(access.operands)[:fixed], *operands]
    access.indices = AffineMapAttr(map_)


def _declare(function: func.FuncOp, number: int, groups: Sequence[Sequence[int]]) -> None:
    """Update the function type and the declared sizes to the new type of the argument."""
    outputs = list(function.function_type.outputs)
    types = [argument.type for argument in function.args]
    function.function_type = FunctionType.from_lists(types, outputs)
    old = _shape_of(function, number)
    if old is None:
        return
    assert function.arg_attrs is not None
    attrs = list(function.arg_attrs.data)
    sizes = tuple(
        old.results[group[0]]
        if len(group) == 1
        else AffineExpr.constant(math.prod(_constant(old.results[dim]) for dim in group))
        for group in groups
    )
    shape: Attribute = AffineMapAttr(AffineMap(old.num_dims, old.num_symbols, sizes))
    attrs[number] = DictionaryAttr({**attrs[number].data, SHAPE: shape})
    function.arg_attrs = ArrayAttr(attrs)


def _shape_of(function: func.FuncOp, number: int) -> AffineMap | None:
    """The declared sizes of an argument; None if it has no declared sizes."""
    attrs = function.arg_attrs
    declared = attrs.data[number].data.get(SHAPE) if attrs is not None else None
    return declared.data if isinstance(declared, AffineMapAttr) else None


def _declared(function: func.FuncOp, number: int) -> set[int]:
    """The dimensions of an argument that cannot be merged with the next one, because the declared
    size of one of the two is not a constant.
    """
    shape = _shape_of(function, number)
    if shape is None:
        return set()
    computed = {
        dim for dim, size in enumerate(shape.results) if not isinstance(size, AffineConstantExpr)
    }
    return computed | {dim - 1 for dim in computed}


def _constant(size: AffineExpr) -> int:
    assert isinstance(size, AffineConstantExpr), "sizes that are merged are numbers"
    return size.value
