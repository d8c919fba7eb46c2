"""``tensor.gather`` and ``tensor.scatter``: slices at coordinates from a tensor."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, IndexType, TensorType
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.conversion.decompose_aggregates.loops import (
    index,
    input_buffer,
    load,
    loops,
    rewrite,
    size,
    store,
)
from kc.dialects.tensor import GatherOp, GenerateOp, ScatterOp


def _sliced(dims: Sequence[int], rank: int, slice_rank: int) -> list[int | None]:
    """For each dimension of a tensor, the dimension of its slice; None for dimensions indexed by
    coordinates.

    The slice may have the latter dimensions with size 1, or lack them.
    """
    if slice_rank == rank:
        return [None if n in dims else n for n in range(rank)]
    rest = iter(range(rank - len(dims)))
    return [None if n in dims else next(rest) for n in range(rank)]


def _place(
    sliced: Sequence[int | None], coordinates: Sequence[SSAValue], inside: Sequence[SSAValue]
) -> list[SSAValue]:
    """The index of the element ``inside`` a slice, in the whole tensor."""
    rest = iter(coordinates)
    return [next(rest) if n is None else inside[n] for n in sliced]


def _as_index(value: SSAValue) -> SSAValue:
    if isinstance(value.type, IndexType):
        return value
    return arith.IndexCastOp(value, IndexType()).result


class DecomposeGather(RewritePattern):
    """``tensor.gather`` -> ``tensor.generate`` of elements at coordinates."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: GatherOp, rewriter: PatternRewriter, /) -> None:
        source, indices, result = (value.type for value in (op.source, op.indices, op.result))
        assert isinstance(source, TensorType)
        assert isinstance(indices, TensorType)
        assert isinstance(result, TensorType)
        batch = indices.get_num_dims() - 1
        sliced = _sliced(op.dims, source.get_num_dims(), result.get_num_dims() - batch)
        before, body = Block(), Block(arg_types=[IndexType()] * result.get_num_dims())
        with ImplicitBuilder(before):
            sizes: list[SSAValue] = []
            for n, extent in enumerate(result.get_shape()):
                if extent == DYNAMIC_INDEX and n < batch:
                    sizes.append(size(op.indices, n))
                elif extent == DYNAMIC_INDEX:
                    sizes.append(size(op.source, sliced.index(n - batch)))
        with ImplicitBuilder(body):
            coordinates = [
                _as_index(
                    tensor.ExtractOp(
                        op.indices, [*body.args[:batch], index(n)], indices.get_element_type()
                    ).result
                )
                for n in range(len(op.dims))
            ]
            at = _place(sliced, coordinates, body.args[batch:])
            element = tensor.ExtractOp(op.source, at, source.get_element_type()).result
            tensor.YieldOp(element)
        ops = list(before.ops)
        for new in ops:
            new.detach()
        rewriter.insert(ops, InsertPoint.before(op))
        rewriter.replace(
            op,
            GenerateOp.build(operands=[sizes], regions=[Region(body)], result_types=[result]),
        )


class DecomposeTensorScatter(RewritePattern):
    """``tensor.scatter`` -> loops that store into a copy of the tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterOp, rewriter: PatternRewriter, /) -> None:
        slices, indices, whole = (value.type for value in (op.source, op.indices, op.dest))
        assert isinstance(slices, TensorType)
        assert isinstance(indices, TensorType)
        assert isinstance(whole, TensorType)
        batch = indices.get_num_dims() - 1
        sliced = _sliced(op.dims, whole.get_num_dims(), slices.get_num_dims() - batch)

        def body(buffers: list[SSAValue]) -> None:
            (target,) = buffers
            new, listed = input_buffer(op.source), input_buffer(op.indices)

            def element(at: list[SSAValue]) -> None:
                coordinates = [
                    _as_index(load(listed, [*at[:batch], index(n)])) for n in range(len(op.dims))
                ]
                store(load(new, at), target, _place(sliced, coordinates, at[batch:]))

            loops([size(op.source, n) for n in range(slices.get_num_dims())], element)

        rewrite(op, rewriter, body, [op.dest])


PATTERNS: tuple[type[RewritePattern], ...] = (DecomposeGather, DecomposeTensorScatter)
