"""swizzle-storage: the elements of a buffer are permuted in memory by its swizzle.

Before::

    %S = tir.alloc "S" {tir.swizzle = "(i, j)->(i, (j floordiv 8 xor i mod 8) * 8 + j mod 8)"}
        : memref<64x64xf16, "shared">
    ... tir.load %S[%i, %j] : memref<64x64xf16, "shared">

After::

    %S = tir.alloc "S" : memref<64x64xf16, "shared">
    ... tir.load %S[%i, ((%j floordiv 8 + %i) mod 2) * 8 + ... + %j mod 8] : memref<...>

A swizzle permutes the elements of a buffer without changing its shape. Without a swizzle, eight
rows of 128 bytes that ``ldmatrix`` reads at one column are in the same banks. They are in different
banks if each row has its pieces of 16 bytes in a different order. ``transform_layout`` records such
a map as an attribute of the buffer, so that tiles stay tiles for ``tensorize``, and analyses see
the indices of the program. (``lower-fragments`` itself applies the swizzle to elements that lanes
load by address.)

Requires: the buffer has its final shape, of constant size (``compact-buffer-allocation``); runs
before ``vectorize-loop``. *Legal when*

1. KC4245: the swizzle is a permutation of the elements of that shape.
2. KC4246: no use requires that elements be contiguous which the swizzle separates: views that are
   passed on, vectors.

TVM: ``InjectPermutedLayout``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp, NoneAttr, StringAttr
from xdsl.dialects.memref import ExtractAlignedPointerAsIndexOp, ExtractStridedMetaDataOp
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues, substitute
from kc.analysis.gpu.shared_memory import SWIZZLE
from kc.dialects.tir import DYNAMIC, AllocOp, LoadOp, PrefetchOp, StoreOp
from kc.support.diagnostics import CodegenError, counted
from kc.support.locations import Location, location_of
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.layout._layouts import point_text, set_indices

LARGEST = 2**22
"""The most elements of a buffer with a swizzle, as the permutation is checked for each element."""

_ADDRESSES = (ExtractAlignedPointerAsIndexOp, ExtractStridedMetaDataOp)


@dataclass(frozen=True)
class SwizzleStoragePass(ModulePass):
    """Apply the swizzles of buffers to their accesses."""

    name = "swizzle-storage"

    def is_needed(self, module: ModuleOp) -> bool:
        """True if a buffer has a swizzle."""
        return bool(loop_tree.marked_buffers(module, SWIZZLE))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        allocs = [
            (alloc, swizzle)
            for alloc in loop_tree.marked_buffers(op, SWIZZLE)
            if (swizzle := swizzle_of(alloc.buffer)) is not None
        ]
        for alloc, swizzle in allocs:
            _require_single_elements(alloc, swizzle)
        for alloc, swizzle in allocs:
            _apply(alloc, swizzle)
            del alloc.attributes[SWIZZLE]


@dataclass(frozen=True)
class Swizzle:
    """The permutation of the elements of a buffer."""

    text: str
    map: AffineMap
    together: int
    """The number of elements of a row that stay contiguous, from each multiple of this number
    on.
    """
    places: np.ndarray
    """The new position of each element, counted in elements."""


def swizzle_of(buffer: SSAValue) -> Swizzle | None:
    """The swizzle of a buffer; None without a swizzle. Raises CodegenError KC4245 if it is not a
    permutation.
    """
    alloc = buffer.owner
    note = alloc.attributes.get(SWIZZLE) if isinstance(alloc, AllocOp) else None
    if note is None:
        return None
    assert isinstance(alloc, AllocOp)
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    shape = type_.get_shape()
    why = None
    if not isinstance(note, StringAttr):
        raise _no_exchange(alloc, str(note), "it is not the text of an index map")
    map_ = IndexMap.of(note)
    if len(map_.names) != len(shape) or len(map_.results) != len(shape):
        why = f"it maps {counted(len(map_.names), 'index', 'indices')} to {len(map_.results)}"
    elif DYNAMIC in shape:
        why = "its size is known only at the call"
    elif not isinstance(type_.layout, NoneAttr):
        why = "it has a layout of its own"
    elif math.prod(shape) > LARGEST:
        why = f"it has more than {LARGEST} elements"
    if why is not None:
        raise _no_exchange(alloc, str(map_), why)
    places = _places(alloc, map_)
    return Swizzle(str(map_), map_.map, _together(places, shape), places)


def shifted(note: Attribute, count: int = 1) -> Attribute:
    """The attribute of a buffer's swizzle after ``count`` new leading dimensions."""
    map_ = IndexMap.of(note)
    assert count == 1
    name = next(f"copy{n or ''}" for n in range(99) if f"copy{n or ''}" not in map_.names)
    whole = AffineMap.identity(len(map_.names) + 1).results
    moved = (expr.replace_dims_and_symbols(whole[1:], []) for expr in map_.results)
    return IndexMap((name, *map_.names), (whole[0], *moved)).attr()


def _places(alloc: AllocOp, map_: IndexMap) -> np.ndarray:
    """The new position of each element, counted in elements. Raises CodegenError KC4245."""
    shape = alloc.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    indices = list(np.indices(shape, dtype=np.int64))
    at = [np.broadcast_to(expr.eval(indices, []), shape) for expr in map_.results]

    def point(where: np.ndarray) -> tuple[str, str]:
        element = tuple(int(n) for n in np.argwhere(where)[0])
        return point_text(element), point_text([int(result[element]) for result in at])

    for n, (result, size) in enumerate(zip(at, shape, strict=True)):
        beyond = (result < 0) | (result >= size)
        if beyond.any():
            element, place = point(beyond)
            raise _no_exchange(
                alloc,
                str(map_),
                f"element {element} would be at {place}, and dimension {n} has {size} elements",
            )
    places = np.ravel_multi_index(at, shape) if shape else np.zeros((), np.int64)
    _, first, counts = np.unique(places, return_index=True, return_counts=True)
    if (counts > 1).any():
        where = places == places.flat[first[counts > 1][0]]
        elements = [point_text([int(n) for n in index]) for index in np.argwhere(where)[:2]]
        raise _no_exchange(
            alloc,
            str(map_),
            f"elements {' and '.join(elements)} would both be at {point(where)[1]}",
        )
    return places


def _together(places: np.ndarray, shape: tuple[int, ...]) -> int:
    together = 1
    while shape and shape[-1] % (2 * together) == 0 and places.size:
        pieces = places.reshape(-1, 2 * together)
        steps = pieces - pieces[:, :1]
        if (pieces[:, 0] % (2 * together)).any() or (steps != np.arange(2 * together)).any():
            break
        together *= 2
    return together


def _no_exchange(alloc: AllocOp, swizzle: str, why: str) -> CodegenError:
    shape = " x ".join(
        "?" if size == DYNAMIC else str(size)
        for size in alloc.buffer.type.get_shape()  # pyright: ignore[reportAttributeAccessIssue]
    )
    return CodegenError(
        "KC4245",
        f"swizzle-storage: {swizzle} does not permute the {shape} elements of {alloc.label}",
        location=location_of(alloc),
        why=why,
        hints=["swizzle groups of elements of a row, each a power of two and as large as one copy"],
    )


def separates(alloc: AllocOp, what: str, swizzle: Swizzle, at: Location | None) -> CodegenError:
    """The refusal (KC4246) of a use that requires contiguous elements where the swizzle separates
    them.
    """
    return CodegenError(
        "KC4246",
        f"swizzle-storage: {what} needs contiguous elements of {alloc.label}, which a swizzle "
        "separates",
        location=location_of(alloc) if at is None else at,
        why=f"{swizzle.text} keeps {swizzle.together} elements of a row contiguous"
        if swizzle.together > 1
        else f"{swizzle.text} keeps no two elements of a row contiguous",
        hints=[
            "use intrinsics that load rows of 16 bytes: mma_load_m16n8k16_f16_a_shared",
            f"use storage_align of {alloc.label} in place of the swizzle",
        ],
    )


def _require_single_elements(alloc: AllocOp, swizzle: Swizzle) -> None:
    """Refuse (KC4246) an operation that uses more than one element of a buffer."""
    type_ = alloc.buffer.type
    assert isinstance(type_, MemRefType)
    for use in alloc.buffer.uses:
        op = use.operation
        if isinstance(op, _ADDRESSES):
            continue
        value = (
            op.result if isinstance(op, LoadOp) else op.value if isinstance(op, StoreOp) else None
        )
        if isinstance(op, PrefetchOp) or (value is not None and value.type == type_.element_type):
            continue
        what = "a vector" if isinstance(op, LoadOp | StoreOp) else op.name
        raise separates(alloc, what, swizzle, location_of(op))


def _apply(alloc: AllocOp, swizzle: Swizzle) -> None:
    index = IndexValues()
    for use in list(alloc.buffer.uses):
        op = use.operation
        if isinstance(op, LoadOp | StoreOp | PrefetchOp):
            old = [index.compose(expr, op.operands_of_map) for expr in op.indices.data.results]
            values = dict(enumerate(old))
            new = [index.simplify(substitute(expr, values)) for expr in swizzle.map.results]
            set_indices(op, new, index)
