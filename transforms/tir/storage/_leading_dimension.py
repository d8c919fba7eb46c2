"""Buffers with a new leading dimension, which holds several copies of the original buffer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from kc.analysis.gpu.shared_memory import SWIZZLE
from kc.dialects.tir import AllocOp, LoadOp, StoreOp, ViewOp
from kc.transforms.affine_rewrite import compact
from kc.transforms.tir.storage.swizzle_storage import shifted as shifted_swizzle

Access = LoadOp | StoreOp | ViewOp


def copies_of(old: AllocOp, count: int, scope: Attribute | None = None) -> AllocOp:
    """An allocation of ``count`` copies of a buffer, by default in its scope. It is not in a
    block.
    """
    type_ = old.buffer.type
    assert isinstance(type_, MemRefType)
    space = type_.memory_space if scope is None else scope
    new = AllocOp(
        old.label,
        MemRefType(type_.element_type, [count, *type_.get_shape()], memory_space=space),
        list(old.dynamic_sizes),
    )
    new.attributes.update(_shifted(old.attributes))
    new.location = old.location
    return new


def select_copy(op: Access, copy: AffineExpr, operands: Sequence[SSAValue]) -> None:
    """Make ``op`` access copy number ``copy``, an expression over ``operands``."""
    own = list(op.operands_of_map)
    numbers = [AffineExpr.dimension(len(own) + n) for n in range(len(operands))]
    shifted = copy.replace_dims_and_symbols(numbers, [])
    space = AffineMap(len(own) + len(operands), 0, (shifted, *op.indices.data.results))
    map_, used = compact(space, [*own, *operands])
    fixed = 2 if isinstance(op, StoreOp) else 1
    op.operands = [*list(op.operands)[:fixed], *used]
    op.properties["indices"] = AffineMapAttr(map_)
    if isinstance(op, ViewOp):
        op.dims = DenseArrayBase.from_list(i64, [position + 1 for position in op.positions])


def _shifted(attributes: Mapping[str, Attribute]) -> Iterable[tuple[str, Attribute]]:
    """The attributes of a buffer, adjusted to a new leading dimension."""
    for key, value in attributes.items():
        if key == "tir.storage_align" and isinstance(value, ArrayAttr):
            shifted = [
                list(entry.get_values()) for entry in value if isinstance(entry, DenseArrayBase)
            ]
            yield (
                key,
                ArrayAttr(
                    [DenseArrayBase.from_list(i64, [entry[0] + 1, *entry[1:]]) for entry in shifted]
                ),
            )
        elif key == "tir.axis_separators" and isinstance(value, DenseArrayBase):
            yield (
                key,
                DenseArrayBase.from_list(i64, [separator + 1 for separator in value.get_values()]),
            )
        elif key == SWIZZLE:
            yield key, shifted_swizzle(value)
        else:
            yield key, value
