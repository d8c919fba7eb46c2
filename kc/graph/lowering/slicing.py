"""The computations of :mod:`kc.dialects.graph.operators.slicing`."""

from __future__ import annotations

from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.slicing import (
    AsStrided,
    Diagonal,
    Eye,
    MatrixSetDiag,
    ReverseSequence,
    SequenceMask,
    Span,
    StridedSet,
    StridedSlice,
    Trilu,
    spans_of,
)
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.graph.lowering import dims, lowering, result_dims, spec_of_tensor
from kc.te.computes import compute


def _is_whole(size: Any, span: Span) -> bool:
    return span[0] == 0 and span[1] == 1 and span[2] == size


def _bounds(span: Span) -> tuple[int, int | None]:
    """The begin and the end of a slice of known places, for topi."""
    first, step, count = span
    assert isinstance(first, int)
    assert isinstance(count, int)
    end = first + step * count
    return first, end if end >= 0 else None


@lowering("strided_slice", takes_result=True)
def strided_slice(op: StridedSlice, data: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's function; along a dimension with a name, a tensor of the places."""
    spec = spec_of_tensor(data)
    spans = {n: s for n, s in op.spans(spec).items() if not _is_whole(spec.shape[n], s)}
    if all(isinstance(spec.shape[n], int) for n in spans):
        bounds = [_bounds(span) for span in spans.values()]
        return topi.strided_slice(
            data,
            [begin for begin, _ in bounds],
            [end for _, end in bounds],
            [span[1] for span in spans.values()],
            list(spans),
        )
    shape = result_dims(op, result)
    firsts = {n: dims([span[0]], "a slice")[0] for n, span in spans.items()}

    def body(*at: Any) -> Any:
        return data(*(
            at[n] if n not in spans else firsts[n] + at[n] * spans[n][1] for n in range(data.ndim)
        ))  # fmt: skip

    return compute(shape, body, "T_strided_slice", tag=INJECTIVE)


@lowering("strided_set")
def strided_set(op: StridedSet, data: Tensor, v: Tensor) -> Tensor:
    """Lower to topi's function."""
    spec = spec_of_tensor(data)
    spans = spans_of(spec, op.begin, op.end, op.strides)
    if not all(isinstance(spec.shape[n], int) for n in spans):
        dims([None], "the part that strided_set replaces")
    bounds = [_bounds(span) for span in spans.values()]
    begin, end = [begin for begin, _ in bounds], [end for _, end in bounds]
    return topi.strided_set(data, v, begin, end, [span[1] for span in spans.values()])


@lowering("slice_like", rows=["strided_slice"], takes_result=True)
def slice_like(op: Operator, data: Tensor, shape_like: Tensor, *, result: Spec) -> Tensor:
    """Lower to topi's strided_slice, from 0 to the sizes of the result."""
    shape = result_dims(op, result)
    if all(isinstance(size, int) for size in (*shape, *data.shape)):
        return topi.strided_slice(data, [0] * len(shape), shape)
    return compute(shape, lambda *at: data(*at), "T_slice_like", tag=INJECTIVE)


@lowering("sequence_mask")
def sequence_mask(op: SequenceMask, data: Tensor, valid_length: Tensor) -> Tensor:
    """Lower to topi's function."""
    value = op.mask_value if "float" in data.dtype else int(op.mask_value)
    return topi.sequence_mask(data, valid_length, value, op.axis)


@lowering("reverse_sequence")
def reverse_sequence(op: ReverseSequence, data: Tensor, seq_lengths: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.reverse_sequence(data, seq_lengths, op.seq_axis, op.batch_axis)


@lowering("matrix_set_diag")
def matrix_set_diag(op: MatrixSetDiag, data: Tensor, diagonal: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.matrix_set_diag(data, diagonal, op.k, op.align)


@lowering("trilu")
def trilu(op: Trilu, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.trilu(data, op.k, op.upper)


@lowering("eye", takes_result=True)
def eye(op: Eye, *, result: Spec) -> Tensor:
    """Lower to topi's function."""
    assert isinstance(result, TensorSpec)
    rows, columns = dims(result.shape, op.name)
    return topi.eye(rows, columns, op.k, op.dtype)


@lowering("diagonal")
def diagonal(op: Diagonal, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.diagonal(data, op.offset, op.axis1, op.axis2)


@lowering("as_strided")
def as_strided(op: AsStrided, data: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.as_strided(data, op.shape, op.strides, op.offset)
