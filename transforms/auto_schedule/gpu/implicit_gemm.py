"""gpu-implicit-gemm: convolutions by tensor cores, as products of matrices.

For sums of products over several variables, such as those of a convolution whose channels are
contiguous (NHWC, with weights HWIO or OHWI), or its positions (NCHW, with weights OIHW)::

    C[n, y, x, o] += A[n, y + dy, x + dx, i] * W[dy, dx, i, o]
    C[n, o, y, x] += A[n, i, y + dy, x + dx] * W[o, i, dy, dx]

The positions (n, y, x) become the rows of a matrix, and (dy, dx, i) its columns; if positions are
contiguous, the rows of the product are channels instead, and its columns positions. Elements of the
image are gathered as they are copied to shared memory: its matrix is never in global memory. On
sm_90a, four warps together multiply the tiles that threads have copied
(:mod:`kc.transforms.auto_schedule.gpu.warpgroups`); on other GPUs each warp multiplies separately
(:mod:`kc.transforms.auto_schedule.gpu.tensor_cores`). The sums are in registers, from which lanes
store them to their positions in the result, after elementwise operations (a bias, relu, a cast).

If channels are contiguous, the zeros around an image are part of the copies: a thread copies 16
bytes of the image or 16 zero bytes. NVIDIA GPUs from sm_80 on. Source: Chetlur et al., "cuDNN:
Efficient Primitives for Deep Learning", 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.ir.affine import AffineDimExpr

from kc.analysis.accesses.padded_copies import copied_load
from kc.dialects.tir import ForOp, StoreOp
from kc.support.nvidia import architecture_of
from kc.support.target import Target
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import sides_of
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import (
    Tiling,
    gather_of,
    is_multiplied,
    multiply,
    pad,
    product_before,
    size_of,
    tiling_of,
    type_name,
)
from kc.transforms.auto_schedule.gpu.threads import NVIDIA
from kc.transforms.auto_schedule.gpu.warpgroups import (
    WarpgroupTiling,
    multiply_by_warpgroups,
    warpgroup_tiling_of,
)
from kc.transforms.auto_schedule.nests import Access, Nest, is_own, is_untouched, readers
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.trace.handles import BlockRV


class GpuImplicitGemm(GpuRule):
    """Multiply the matrices that represent a convolution, by tensor cores."""

    name = "gpu-implicit-gemm"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        after = product_before(draft, block)
        nest = draft.nest(after or block)
        target = draft.session.target
        if architecture_of(target).number < 80 or not _is_convolution(nest):
            return False
        image, weights = _operands(nest)
        if image is None or weights is None:
            return False
        element, total = type_name(image.buffer.type), type_name(nest.stores[0].buffer.type)
        if element != type_name(weights.buffer.type):
            return False
        if not is_multiplied(("tf32" if element == "f32" else element, total), target):
            return False
        has_last = _has_channels_last(nest, image, weights)
        if not has_last and not _has_channels_first(nest, image, weights):
            return False
        matrices = _Matrices.of(nest, image, weights, has_last=has_last)
        gathers, result = _to_matrices(draft, matrices, block if after else None)
        labels = [draft.session.block(gather).label for gather in gathers]
        if has_last:
            _inline_padding(draft, labels[0])
        for label, gather in zip(labels, gathers, strict=True):
            # With channels last, boxes of the image can be copied without a gather.
            producer = draft.nest(label)
            if has_last and not producer.operations and all(load.affine for load in producer.loads):
                draft.compute_inline(gather)
        product = draft.nest(nest.name)
        if result is not None and product_before(draft, result) != nest.name:
            return False
        tiling, is_whole = _tiling(product, target)
        if tiling is None:
            return False
        if is_whole:
            gathered = [gather_of(draft, operand, labels) for operand in tiling.sides.operands]
            copies = tuple(None if gather is None else gather.name for gather in gathered)
        else:
            padded = pad(draft, product, tiling.sides, tiling.block, result, labels)
            tiling, result = replace(tiling, sides=padded.sides), padded.after
            copies = padded.copies
        if isinstance(tiling, WarpgroupTiling):
            multiply_by_warpgroups(draft, nest.name, tiling, result, copies, by_lanes=True)
        else:
            gathers = [name for name in copies if name is not None]
            multiply(draft, nest.name, tiling, result, gathers)
        draft.settled.update((nest.name, block))
        return True


def _inline_padding(draft: Draft, gather: str) -> None:
    """Inline the zero padding of an image into the copies to shared memory, so that it needs no
    kernel. A thread copies 16 bytes of a position, or 16 zero bytes (``cp.async``).
    """
    (load,) = draft.nest(gather).loads
    if not is_own(load.buffer) or len(readers(load.buffer) or ()) != 1:
        return
    for block in draft.blocks():
        stores = draft.nest(block.label).stores
        if [store.buffer for store in stores] == [load.buffer] and is_untouched(block):
            store = stores[0].op
            assert isinstance(store, StoreOp)
            if copied_load(store.value) is not None:
                draft.compute_inline(draft.block(block.label))
                draft.settled.add(block.label)
            return


def _tiling(product: Nest, target: Target) -> tuple[Tiling | WarpgroupTiling | None, bool]:
    """The tiles of the product, and True if they divide its sizes."""
    has_warpgroups = architecture_of(target).name == "sm_90a"
    for by_warpgroups in (True, False)[not has_warpgroups :]:
        for whole in (True, False):
            for sides in sides_of(product):
                if by_warpgroups:
                    tiling = warpgroup_tiling_of(product, sides, whole=whole, gathered=True)
                else:
                    tiling = tiling_of(product, sides, target, whole=whole)
                if tiling is not None:
                    return tiling, whole
    return None, True


@dataclass(frozen=True)
class _Matrices:
    """The variables of a convolution by their role in a product of matrices."""

    nest: Nest
    image: Access
    weights: Access
    channels: ForOp
    """The channels of the result."""
    positions: tuple[ForOp, ...]
    terms: tuple[ForOp, ...]
    has_last: bool
    """True if channels are contiguous, and positions are the rows of the product."""

    @classmethod
    def of(cls, nest: Nest, image: Access, weights: Access, *, has_last: bool) -> _Matrices:
        """The matrices of a convolution."""
        (channels,) = (loop for loop in nest.spatial if loop in weights.strides)
        positions = tuple(loop for loop in nest.spatial if loop is not channels)
        terms = _terms(nest, image) if has_last else _by_weights(nest, weights)
        return cls(nest, image, weights, channels, positions, tuple(terms), has_last)

    @property
    def sides(self) -> tuple[Sequence[ForOp], Sequence[ForOp]]:
        """The variables of the rows and of the columns of the product."""
        channels = [self.channels]
        return (self.positions, channels) if self.has_last else (channels, self.positions)

    @property
    def of_image(self) -> tuple[Sequence[ForOp], Sequence[ForOp]]:
        """The variables of the rows and of the columns of the image's matrix."""
        positions, terms = self.positions, self.terms
        return (positions, terms) if self.has_last else (terms, positions)

    @property
    def of_weights(self) -> tuple[Sequence[ForOp], Sequence[ForOp]]:
        """The variables of the rows and of the columns of the weights' matrix."""
        channels, terms = [self.channels], self.terms
        is_column = self.weights.stride(terms[-1]) == 1
        return (channels, terms) if is_column else (terms, channels)


def _is_convolution(nest: Nest) -> bool:
    """True if a block is a sum of products over several variables, in loops of constant extents."""
    variables = [
        nest.block.binding_operands[expr.position]
        for expr in nest.block.binding_exprs
        if isinstance(expr, AffineDimExpr)
    ]
    return (
        nest.block.is_reduction
        and is_untouched(nest.block)
        and len(nest.loads) == 2
        and len(nest.stores) == 1
        and len(nest.spatial) + len(nest.reduce) == len(nest.loops)
        and len(nest.spatial) > 1
        and variables == [loop.var for loop in nest.loops]
        and all(loop.static_extent is not None for loop in nest.loops)
        and all(access.regular for access in (*nest.loads, *nest.stores))
    )


def _operands(nest: Nest) -> tuple[Access | None, Access | None]:
    """The operand that depends on the positions, and the operand that depends on the single
    variable of the channels of the result.
    """
    for image, weights in (nest.loads, nest.loads[::-1]):
        columns = [loop for loop in nest.spatial if loop in weights.strides]
        positions = [loop for loop in nest.spatial if loop in image.strides]
        unused = [loop for loop in nest.spatial if loop not in (*columns, *positions)]
        terms = [loop for loop in nest.reduce if loop in image.strides and loop in weights.strides]
        unused += [loop for loop in nest.reduce if loop not in terms]
        if (
            len(columns) == 1
            and not set(columns) & set(positions)
            and all(loop.static_extent == 1 for loop in unused)
        ):
            return image, weights
    return None, None


def _terms(nest: Nest, image: Access) -> list[ForOp]:
    """The reduction variables, with the variable along which the image is contiguous last."""

    def is_contiguous(loop: ForOp) -> bool:
        return image.stride(loop) == 1 and loop.static_extent != 1

    return sorted(nest.reduce, key=is_contiguous)


def _has_channels_last(nest: Nest, image: Access, weights: Access) -> bool:
    """True if pieces of 16 bytes of both operands are contiguous along the last reduced variable,
    or those of the weights along the channels, and if the results are contiguous along the
    channels.
    """
    (columns,) = (loop for loop in nest.spatial if loop in weights.strides)
    *_, channels = _terms(nest, image)
    each = 16 // size_of(image.buffer.type)
    is_aligned = (
        image.stride(channels) == 1
        and (channels.static_extent or 0) % each == 0
        and _are_multiples(image, each, channels)
    )
    is_row = weights.stride(columns) == 1 and _are_multiples(weights, each, columns)
    is_column = weights.stride(channels) == 1 and _are_multiples(weights, each, channels)
    return is_aligned and (is_row or is_column) and nest.stores[0].stride(columns) == 1


def _by_weights(nest: Nest, weights: Access) -> list[ForOp]:
    """The reduction variables in the order of the weights."""
    return sorted(nest.reduce, key=lambda loop: -weights.stride(loop))


def _has_channels_first(nest: Nest, image: Access, weights: Access) -> bool:
    """True if the results are contiguous along a position, the image is contiguous along it or read
    at every other element, and the weights of a channel are a row that begins at a multiple of 16
    bytes.
    """
    (channels,) = (loop for loop in nest.spatial if loop in weights.strides)
    positions = [loop for loop in nest.spatial if loop is not channels]
    each, row = 16 // size_of(image.buffer.type), 1
    for loop in reversed(_by_weights(nest, weights)):
        if loop.static_extent != 1 and weights.stride(loop) != row:
            return False
        row *= loop.static_extent or 0
    nearest = [loop for loop in positions if nest.stores[0].stride(loop) == 1]
    return (
        row % each == 0
        and weights.stride(channels) == row
        and any(image.stride(loop) in (1, 2) for loop in nearest)
    )


def _are_multiples(access: Access, each: int, but: ForOp) -> bool:
    """True if all loops except ``but`` move an access by whole pieces of 16 bytes."""
    return all(stride % each == 0 for loop, stride in access.strides.items() if loop is not but)


def _to_matrices(
    draft: Draft, matrices: _Matrices, after: str | None
) -> tuple[list[BlockRV], str | None]:
    """Rewrite the block as a product of matrices. Returns the blocks that gather the operands, and
    the block that continues with the sums in its loops: ``after``, or the block that scatters them.
    """
    nest, name = matrices.nest, matrices.nest.name
    result = nest.stores[0].buffer
    gathers: list[BlockRV] = []
    for access, matrix in (
        (matrices.image, matrices.of_image),
        (matrices.weights, matrices.of_weights),
    ):
        number = draft.nest(name).read_number(access.buffer)
        gather = draft.reindex(draft.block(name), ("read", number))
        loops = [loop for loop in nest.loops if loop in access.strides]
        map_ = _map(loops, matrix)
        draft.transform_layout(gather, ("write", 0), map_)
        draft.transform_block_layout(gather, map_)
        gathers.append(gather)
        draft.settled.add(draft.session.block(gather).label)
    put_back = draft.reindex(draft.block(name), ("write", 0))
    places = _map(nest.spatial, matrices.sides)
    draft.transform_layout(draft.block(name), ("write", 0), places)
    whole = _map(nest.loops, (*matrices.sides, matrices.terms))
    draft.transform_block_layout(draft.block(name), whole)
    label = draft.session.block(put_back).label
    if is_own(result) and draft.attempt("compute_inline", put_back):
        if after is None:
            return gathers, None
        label = after
    draft.transform_block_layout(draft.block(label), places)
    return gathers, label


def _map(loops: Sequence[ForOp], groups: Sequence[Sequence[ForOp]]) -> IndexMap:
    """The map from the variables of ``loops`` to one number for each group of them."""

    def map_(*index: Any) -> list[Any]:
        by_loop = dict(zip(loops, index, strict=True))
        numbers: list[Any] = []
        for group in groups:
            number: Any = 0
            for loop in (member for member in group if member in by_loop):
                number = number * (loop.static_extent or 0) + by_loop[loop]
            numbers.append(number)
        return numbers

    return IndexMap.from_func(map_, ndim=len(loops))
