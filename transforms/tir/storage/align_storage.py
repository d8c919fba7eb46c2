"""align-storage: buffers get the strides that storage_align requested.

Before::

    %B = tir.alloc "B" {tir.storage_align = [array<i64: 0, 32, 1>]} : memref<16x32xf32>
    ... tir.load %B[%i, %j] : memref<16x32xf32>

After::

    %B = tir.alloc "B" : memref<16x33xf32>
    ... tir.load %B[%i, %j] : memref<16x33xf32>

The stride of an axis is the product of the inner sizes. So the next dimension grows by the smallest
number that makes the stride ``factor * n + offset``; a size that is known only at the call grows to
the next multiple. If a step of that dimension spans several elements, and is larger than the
padding needed, all inner dimensions are merged into one first. The last axis gets a new dimension::

    memref<4x3x8xf32>, axis 0, factor 16 offset 1    becomes    memref<4x33xf32>  [%i, %j * 8 + %k]
    memref<8xf32>, axis 0, factor 4                  becomes    memref<8x4xf32>   [%i, 0]

Axes are aligned from the last to the first. A request that cannot be satisfied is ignored with
warning KC4209, as results do not depend on it: inner sizes that are known only at the call and
cannot be merged, vectors along an axis that is spread, users other than loads and stores, more
elements than a buffer may have. Axis separators are dropped when dimensions are merged.

Requires nothing, but is meant to run when buffers have their final shape
(``compact-buffer-allocation``) and before ``vectorize-loop``.

TVM: a part of ``StorageFlatten`` and ``CompactBufferAllocation``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    MemRefType,
    ModuleOp,
    NoneAttr,
    VectorType,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import DYNAMIC, AllocOp, ApplyOp, LoadOp, StoreOp, ViewOp
from kc.dialects.tir.views import strides_of
from kc.support.diagnostics import warn
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact
from kc.transforms.schedule.layout._layouts import LIMIT

KEY = "tir.storage_align"
Access = LoadOp | StoreOp


@dataclass(frozen=True)
class AlignStoragePass(ModulePass):
    """Give buffers the strides that storage_align requested."""

    name = "align-storage"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a buffer has an alignment request."""
        return bool(loop_tree.marked_buffers(module, KEY))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for alloc in loop_tree.marked_buffers(op, KEY):
            _Layout(alloc).apply()


class _Layout:
    """The dimensions of a buffer during the alignment of its axes."""

    def __init__(self, alloc: AllocOp) -> None:
        self.alloc = alloc
        type_ = alloc.buffer.type
        assert isinstance(type_, MemRefType)
        self.type = type_
        dynamic = iter(alloc.dynamic_sizes)
        self.sizes: list[int | SSAValue] = [
            next(dynamic) if size == DYNAMIC else size for size in type_.get_shape()
        ]
        # Each new index, over the old indices.
        self.index: list[AffineExpr] = [AffineExpr.dimension(n) for n in range(len(self.sizes))]

    def apply(self) -> None:
        requests = self.alloc.attributes.pop(KEY)
        assert isinstance(requests, ArrayAttr)
        entries = [entry.get_values() for entry in requests if isinstance(entry, DenseArrayBase)]
        for axis, factor, offset in sorted(entries, reverse=True):
            why = self._unserved() or self._try(int(axis), int(factor), int(offset))
            if why is not None:
                warn(
                    "KC4209",
                    f"align-storage: the request for axis {axis} of {self.alloc.label} is ignored",
                    location=location_of(self.alloc),
                    why=why,
                )
        self._rewrite()

    def _accesses(self) -> list[Access]:
        uses = [use.operation for use in self.alloc.buffer.uses]
        return [user for user in uses if isinstance(user, LoadOp | StoreOp)]

    def _unserved(self) -> str | None:
        if not isinstance(self.type.layout, NoneAttr):
            return "it has a layout of its own"
        for use in self.alloc.buffer.uses:
            op = use.operation
            if isinstance(op, ViewOp) and _may_spread(op):
                continue
            if not isinstance(op, LoadOp | StoreOp) or (
                isinstance(op, StoreOp) and op.value is self.alloc.buffer
            ):
                return f"{op.name} uses the whole buffer"
        return None

    def _has_views(self) -> bool:
        return any(isinstance(use.operation, ViewOp) for use in self.alloc.buffer.uses)

    def _try(self, axis: int, factor: int, offset: int) -> str | None:
        """Align an axis unless the buffer becomes too large. Return the reason if the axis is not
        aligned.
        """
        sizes, index = list(self.sizes), list(self.index)
        why = self._serve(axis, factor, offset)
        if math.prod(size for size in self.sizes if isinstance(size, int)) > LIMIT:
            self.sizes, self.index = sizes, index
            why = f"the buffer would have more than {LIMIT} elements"
        return why

    def _serve(self, axis: int, factor: int, offset: int) -> str | None:
        """Make ``axis`` have a stride of ``factor * n + offset``. Return the reason if this is
        impossible.
        """
        if axis == len(self.sizes) - 1:
            return self._spread(factor, offset)
        inner = self.sizes[axis + 2 :]
        if any(not isinstance(size, int) for size in inner):
            return "the inner sizes are known only at the call"
        unit = math.prod(size for size in inner if isinstance(size, int))
        if not unit:
            return None  # there are no elements
        size = self.sizes[axis + 1]
        if isinstance(size, int):
            missing = (offset - size * unit) % factor
            if missing and missing % unit:
                if self._has_views():
                    return (
                        f"tir.view needs the {unit} elements of one step of the next dimension to "
                        "be contiguous"
                    )
                self._merge(axis + 1)
                self.sizes[axis + 1] = size * unit + missing
            elif missing:
                self.sizes[axis + 1] = size + missing // unit
            return None
        common = math.gcd(unit, factor)
        if offset % common:
            return (
                f"one step of the next dimension spans {unit} elements, and its size is known only "
                "at the call"
            )
        period = factor // common
        remainder = offset // common * pow(unit // common, -1, period) % period
        size_expr = AffineExpr.dimension(0)
        grown = ApplyOp(size_expr + ((size_expr * -1 + remainder) % period), [size])
        grown.location = self.alloc.location
        grown.result.name_hint = f"{self.alloc.label}_size"
        home = self.alloc.parent
        assert home is not None
        home.insert_op_before(grown, self.alloc)
        self.sizes[axis + 1] = grown.result
        return None

    def _spread(self, factor: int, offset: int) -> str | None:
        """Spread the elements along the last axis."""
        distance = (offset - 1) % factor + 1
        if distance == 1:
            return None
        if self._has_views():
            return "tir.view needs neighbours along it to be contiguous"
        for op in self._accesses():
            value = op.result if isinstance(op, LoadOp) else op.value
            if isinstance(value.type, VectorType):
                return "vectors are accessed along it"
        self.sizes.append(distance)
        self.index.append(ZERO)
        return None

    def _merge(self, first: int) -> None:
        """Merge the dimensions from ``first`` on, which have constant sizes."""
        expr = self.index[first]
        for inner, size in zip(self.index[first + 1 :], self.sizes[first + 1 :], strict=True):
            assert isinstance(size, int)
            expr = expr * size + inner
        self.index[first:] = [expr]
        self.sizes[first:] = [0]  # the caller sets it

    def _rewrite(self) -> None:
        alloc = self.alloc
        shape = [size if isinstance(size, int) else DYNAMIC for size in self.sizes]
        type_ = MemRefType(self.type.element_type, shape, self.type.layout, self.type.memory_space)
        new = AllocOp(
            alloc.label, type_, [size for size in self.sizes if not isinstance(size, int)]
        )
        new.attributes.update(alloc.attributes)
        new.location = alloc.location
        if len(shape) != self.type.get_num_dims():
            new.attributes.pop("tir.axis_separators", None)
            for op in self._accesses():
                _reindex(op, self.index)
        home = alloc.parent
        assert home is not None
        home.insert_op_before(new, alloc)
        alloc.buffer.replace_all_uses_with(new.buffer)
        alloc.detach()
        alloc.erase()


def _may_spread(view: ViewOp) -> bool:
    """True if a view accepts any stride between its rows."""
    type_ = view.result.type
    assert isinstance(type_, MemRefType)
    strides = strides_of(type_)
    return strides[:-1] == [None] * (len(strides) - 1)


def _reindex(op: Access, index: Sequence[AffineExpr]) -> None:
    old = op.indices.data
    exprs = tuple(expr.replace_dims_and_symbols(old.results, []) for expr in index)
    map_, operands = compact(AffineMap(old.num_dims, 0, exprs), op.operands_of_map)
    fixed = len(op.operands) - len(op.operands_of_map)
    op.operands = [*list(op.operands)[:fixed], *operands]
    op.indices = AffineMapAttr(map_)
