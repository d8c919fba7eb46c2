"""gpu-implicit-gemm: convolutions by tensor cores, as products of matrices.

For sums of products over several variables, such as those of a convolution whose channels are
contiguous (NHWC, with weights HWIO or OHWI)::

    C[n, y, x, o] += A[n, y + dy, x + dx, i] * W[dy, dx, i, o]

The positions (n, y, x) become the rows of a matrix, and (dy, dx, i) its columns. Its elements are
gathered as they are copied to shared memory: the matrix is never in global memory, and the rest is
:mod:`kc.transforms.auto_schedule.gpu.tensor_cores`. The result has rows of positions, too; the
block that puts it where it belongs is computed with what follows, or is a kernel of its own.
NVIDIA GPUs from sm_80 on. Source: Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning",
2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir.affine import AffineDimExpr

from kc.dialects.tir import ForOp
from kc.support.nvidia import architecture_of
from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.contraction import sides_of
from kc.transforms.auto_schedule.gpu.pointwise import GpuPointwise
from kc.transforms.auto_schedule.gpu.rule import GpuRule
from kc.transforms.auto_schedule.gpu.tensor_cores import (
    is_multiplied,
    multiply,
    size_of,
    tiling_of,
    type_name,
)
from kc.transforms.auto_schedule.gpu.threads import NVIDIA
from kc.transforms.auto_schedule.nests import Access, Nest, is_own, is_untouched
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.trace.handles import BlockRV


class GpuImplicitGemm(GpuRule):
    """Multiply the matrices that a convolution is of, by tensor cores."""

    name = "gpu-implicit-gemm"
    kinds = NVIDIA

    def schedule(self, draft: Draft, block: str) -> bool:
        nest = draft.nest(block)
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
        if not _is_contiguous(nest, image, weights):
            return False
        for gather in _to_matrices(draft, nest, image, weights):
            label = draft.session.block(gather).label
            if all(it.regular for it in draft.nest(label).loads):  # as it is copied anyway
                draft.compute_inline(gather)
        product = draft.nest(block)
        tilings = (tiling_of(product, sides, target) for sides in sides_of(product))
        tiling = next((it for it in tilings if it is not None), None)
        if tiling is None:
            return False
        multiply(draft, block, tiling)
        draft.settled.add(block)
        return True


def _is_convolution(nest: Nest) -> bool:
    """Whether a block is a sum of products over several variables, in loops of constant extents."""
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
        and all(it.regular for it in (*nest.loads, *nest.stores))
    )


def _operands(nest: Nest) -> tuple[Access | None, Access | None]:
    """What depends on the positions, and what on the channels of the result: one variable."""
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
    """The variables that are summed over, the one last along which the image is contiguous."""

    def is_contiguous(loop: ForOp) -> bool:
        return image.stride(loop) == 1 and loop.static_extent != 1

    return sorted(nest.reduce, key=is_contiguous)


def _is_contiguous(nest: Nest, image: Access, weights: Access) -> bool:
    """Whether 16 bytes of both operands are neighbours along the last variable that is summed over,
    or of the weights along the channels, and the results are along these."""
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


def _are_multiples(access: Access, each: int, but: ForOp) -> bool:
    """Whether all loops but one move an access by whole pieces of 16 bytes."""
    return all(stride % each == 0 for loop, stride in access.strides.items() if loop is not but)


def _to_matrices(draft: Draft, nest: Nest, image: Access, weights: Access) -> list[BlockRV]:
    """Let the block multiply matrices; gives the blocks that gather the operands."""
    name = nest.name
    (columns,) = (loop for loop in nest.spatial if loop in weights.strides)
    positions = [loop for loop in nest.spatial if loop is not columns]
    terms = _terms(nest, image)
    is_column = weights.stride(terms[-1]) == 1
    groups = (
        (image, (positions, terms)),
        (weights, ([columns], terms) if is_column else (terms, [columns])),
    )
    result = nest.stores[0].buffer
    gathers: list[BlockRV] = []
    for access, matrix in groups:
        number = draft.nest(name).read_number(access.buffer)
        gather = draft.reindex(draft.block(name), ("read", number))
        loops = [loop for loop in nest.loops if loop in access.strides]
        map_ = _map(loops, matrix)
        draft.transform_layout(gather, ("write", 0), map_)
        draft.transform_block_layout(gather, map_)
        gathers.append(gather)
        draft.settled.add(draft.session.block(gather).label)
    put_back = draft.reindex(draft.block(name), ("write", 0))
    draft.transform_layout(
        draft.block(name), ("write", 0), _map(nest.spatial, (positions, [columns]))
    )
    draft.transform_block_layout(draft.block(name), _map(nest.loops, (positions, [columns], terms)))
    if not (is_own(result) and draft.attempt("compute_inline", put_back)):
        label = draft.session.block(put_back).label
        GpuPointwise().schedule(draft, label)
        draft.settled.add(label)
    return gathers


def _map(loops: Sequence[ForOp], groups: Sequence[Sequence[ForOp]]) -> IndexMap:
    """The map from the variables of ``loops`` to one number for each group of them."""

    def map_(*index: Any) -> list[Any]:
        by_loop = dict(zip(loops, index, strict=True))
        numbers: list[Any] = []
        for group in groups:
            number: Any = 0
            for loop in (it for it in group if it in by_loop):
                number = number * (loop.static_extent or 0) + by_loop[loop]
            numbers.append(number)
        return numbers

    return IndexMap.from_func(map_, ndim=len(loops))
