"""The computations of :mod:`kc.dialects.graph.operators.sparse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import topi
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.operators.sparse import SparseDense
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.tags import INJECTIVE
from kc.expr.tensor import Tensor
from kc.graph.lowering import Bounded, dims, lowering
from kc.te.computes import compute


@lowering("nn.sparse_dense", rows=["sparse.sparse_dense"])
def sparse_dense(
    op: SparseDense, dense_mat: Tensor, data: Tensor, indices: Tensor, indptr: Tensor
) -> Tensor:
    """Lower to topi's function."""
    return topi.sparse.sparse_dense(dense_mat, data, indices, indptr, op.sparse_lhs)


@lowering("nn.sparse_add", rows=["sparse.sparse_add"])
def sparse_add(op: Operator, dense_mat: Tensor, *matrix: Tensor) -> Tensor:
    """Lower to topi's function."""
    return topi.sparse.sparse_add(dense_mat, *matrix)


@lowering("nn.sparse_transpose", rows=["sparse.sparse_transpose"])
def sparse_transpose(op: Operator, *matrix: Tensor) -> Sequence[Tensor]:
    """Lower to topi's function."""
    return topi.sparse.sparse_transpose(*matrix)


@lowering(
    "sparse_fill_empty_rows", rows=["sparse.sparse_fill_empty_rows", "strided_slice"],
    takes_result=True,
)  # fmt: skip
def sparse_fill_empty_rows(
    op: Operator, indices: Tensor, values: Tensor, dense_shape: Tensor, default: Tensor, *,
    result: Spec,
) -> Sequence[Tensor | Bounded]:  # fmt: skip
    """Lower to topi's function, whose count says how many rows are valid."""
    assert isinstance(result, tuple)
    places_type, _, flags_type = result
    assert isinstance(places_type, TensorSpec)
    assert isinstance(flags_type, TensorSpec)
    (rows,) = dims(flags_type.shape, "the flags of sparse_fill_empty_rows")
    sizes = [rows, *[1] * (int(dense_shape.shape[0]) - 1)]
    places, elements, flags, count = topi.sparse.sparse_fill_empty_rows(
        indices, values, sizes, default
    )
    size = places_type.shape[0]
    if isinstance(size, int):
        return (
            topi.strided_slice(places, (0,), (size,)),
            topi.strided_slice(elements, (0,), (size,)),
            flags,
        )
    return Bounded(places, count), Bounded(elements, count), flags


@lowering("sparse_reshape", rows=[])
def sparse_reshape(
    op: Operator, indices: Tensor, prev_shape: Tensor, new_shape: Tensor
) -> Sequence[Tensor]:
    """The definition: a place is a number, row-major, in both shapes."""
    old, new = (range(int(shape.shape[0])) for shape in (prev_shape, new_shape))

    def wide(value: Any) -> Expr:
        return convert(as_expr(value), "int64")

    def product(factors: Any) -> Expr:
        result: Expr = const(1, "int64")
        for factor in factors:
            result = result * factor
        return result

    def size_at(n: Any) -> Expr:
        """The size of a dimension; that of -1 is what the others leave."""
        size = wide(new_shape(n))
        declared_elements = product(
            select(wide(new_shape(m)) < 0, const(1, "int64"), wide(new_shape(m))) for m in new
        )
        total = product(wide(prev_shape(m)) for m in old)
        return select(size < 0, total // scalar.max(declared_elements, const(1, "int64")), size)

    sizes = compute(
        new_shape.shape, lambda n: convert(size_at(n), new_shape.dtype), "sparse_shape",
        tag=INJECTIVE,
    )  # fmt: skip

    def place(k: Any, column: Any) -> Expr:
        flat: Expr = const(0, "int64")
        for n in old:
            flat = flat * wide(prev_shape(n)) + wide(indices(k, n))
        value: Expr = const(0, "int64")
        for n in reversed(new):
            size = scalar.max(wide(sizes(n)), const(1, "int64"))
            value = select(column.equal(n), flat % size, value)
            flat = flat // size
        return convert(value, indices.dtype)

    places = compute((indices.shape[0], len(new)), place, "sparse_reshape", tag=INJECTIVE)
    return places, sizes
