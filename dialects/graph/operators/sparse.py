"""Sparse matrices, in compressed rows or rows of blocks, and lists of the places of elements.

A matrix is (data, indices, indptr): the elements of row ``i`` are those from ``indptr[i]`` to below
``indptr[i + 1]``, each in its column of ``indices``. Data of three dimensions are blocks (number,
rows, columns).
"""

from __future__ import annotations

from typing import ClassVar

from kc.dialects.graph.declaration import Operator, Pattern, RelationError, operator
from kc.dialects.graph.operators._relations import (
    INTEGERS,
    NUMBERS,
    require_dtype,
    require_rank,
    require_same,
    same_dtype,
)
from kc.dialects.graph.sizes import MaybeSize, product_of
from kc.dialects.graph.types import Spec, TensorSpec

MATRIX = ("sparse_data", "sparse_indices", "sparse_indptr")


def _rows_of(
    data: TensorSpec, indices: TensorSpec, indptr: TensorSpec, *, has_blocks: bool
) -> tuple[MaybeSize, MaybeSize]:
    """The number of rows of a matrix, and that of the columns of a block. Raises RelationError."""
    require_dtype(data, NUMBERS, "sparse_data")
    if data.rank not in ((1, 3) if has_blocks else (1,)):
        needed = "1 dimension, or 3 of blocks" if has_blocks else "1 dimension"
        raise RelationError(f"sparse_data is {data}, but must have {needed}")
    for spec, name in ((indices, "sparse_indices"), (indptr, "sparse_indptr")):
        require_rank(spec, 1, name)
        require_dtype(spec, INTEGERS, name)
    require_same(data.shape[0], indices.shape[0], "the elements of sparse_data and sparse_indices")
    if indptr.shape[0] == 0:
        raise RelationError(
            f"sparse_indptr is {indptr}, but must have an element for each row, and one more"
        )
    rows = None if indptr.shape[0] is None else indptr.shape[0] - 1
    return (rows, 1) if data.rank == 1 else (product_of((rows, data.shape[1])), data.shape[2])


@operator
class SparseDense(Operator):
    """``dense @ sparse.T``, or ``sparse @ dense.T`` with ``sparse_lhs``.

    The sparse matrix is (``sparse_data``, ``sparse_indices``, ``sparse_indptr``).
    """

    name = "nn.sparse_dense"
    inputs = ("dense_mat", *MATRIX)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    tuple_parameters: ClassVar = {"sparse_mat": MATRIX}

    sparse_lhs: bool = False

    def infer(
        self,
        dense_mat: TensorSpec,
        sparse_data: TensorSpec,
        sparse_indices: TensorSpec,
        sparse_indptr: TensorSpec,
    ) -> TensorSpec:
        require_rank(dense_mat, 2, "dense_mat")
        dtype = same_dtype((dense_mat, sparse_data), ("dense_mat", "sparse_data"))
        rows, wide = _rows_of(sparse_data, sparse_indices, sparse_indptr, has_blocks=True)
        inner = dense_mat.shape[1]
        if isinstance(wide, int) and isinstance(inner, int) and (wide < 1 or inner % wide):
            raise RelationError(
                f"dense_mat is {dense_mat}, whose {inner} columns are not a multiple of "
                f"the {wide} columns of a block"
            )
        lines = dense_mat.shape[0]
        return TensorSpec((rows, lines) if self.sparse_lhs else (lines, rows), dtype)


@operator
class SparseAdd(Operator):
    """The sum of a matrix and one in compressed rows, which has as many rows."""

    name = "nn.sparse_add"
    inputs = ("dense_mat", *MATRIX)
    pattern = Pattern.OPAQUE
    tuple_parameters: ClassVar = {"sparse_mat": MATRIX}

    def infer(
        self,
        dense_mat: TensorSpec,
        sparse_data: TensorSpec,
        sparse_indices: TensorSpec,
        sparse_indptr: TensorSpec,
    ) -> TensorSpec:
        require_rank(dense_mat, 2, "dense_mat")
        same_dtype((dense_mat, sparse_data), ("dense_mat", "sparse_data"))
        rows, _ = _rows_of(sparse_data, sparse_indices, sparse_indptr, has_blocks=False)
        require_same(dense_mat.shape[0], rows, "the rows of dense_mat and of the sparse matrix")
        return dense_mat


@operator
class SparseTranspose(Operator):
    """The transposed square matrix in compressed rows: its data, indices and starts of rows."""

    name = "nn.sparse_transpose"
    inputs = MATRIX
    pattern = Pattern.OPAQUE
    tuple_parameters: ClassVar = {"x": MATRIX}

    def infer(
        self, sparse_data: TensorSpec, sparse_indices: TensorSpec, sparse_indptr: TensorSpec
    ) -> Spec:
        _rows_of(sparse_data, sparse_indices, sparse_indptr, has_blocks=False)
        return sparse_data, sparse_indices, sparse_indptr

    def result_count(self, operands: int) -> int:
        return 3


def _require_places(indices: TensorSpec, shape: TensorSpec, name: str) -> None:
    """Require rows of indices of a shape. Raises RelationError."""
    require_rank(indices, 2, "sparse_indices")
    require_dtype(indices, INTEGERS, "sparse_indices")
    require_rank(shape, 1, name)
    require_dtype(shape, INTEGERS, name)
    require_same(
        indices.shape[1], shape.shape[0], f"the indices of a place and the sizes of {name}"
    )


@operator
class SparseFillEmptyRows(Operator):
    """Elements (K,) at places (K, rank), and ``default_value`` in the first column of empty rows.

    The result is the places, the elements, and for each row whether it was empty. How many places
    and elements there are depends on the indices.
    """

    name = "sparse_fill_empty_rows"
    inputs = ("sparse_indices", "sparse_values", "dense_shape", "default_value")
    pattern = Pattern.OPAQUE
    value_inputs = ("sparse_indices", "dense_shape")

    def infer(
        self,
        sparse_indices: TensorSpec,
        sparse_values: TensorSpec,
        dense_shape: TensorSpec,
        default_value: TensorSpec,
    ) -> Spec:
        _require_places(sparse_indices, dense_shape, "dense_shape")
        require_rank(sparse_values, 1, "sparse_values")
        require_rank(default_value, 0, "default_value")
        dtype = same_dtype((sparse_values, default_value), ("sparse_values", "default_value"))
        require_same(
            sparse_indices.shape[0],
            sparse_values.shape[0],
            "the places of sparse_indices and the elements of sparse_values",
        )
        rows = None if dense_shape.value is None else int(dense_shape.value.reshape(-1)[0])
        if rows is not None and rows < 0:
            raise RelationError(f"dense_shape has {rows} rows, but sizes are at least 0")
        count: MaybeSize = None
        if rows is not None and sparse_indices.value is not None:
            own = [int(row) for row in sparse_indices.value[:, 0] if 0 <= row < rows]
            count = len(own) + rows - len(set(own))
        places = TensorSpec((count, sparse_indices.shape[1]), sparse_indices.dtype)
        return places, TensorSpec((count,), dtype), TensorSpec((rows,), "bool")

    def result_count(self, operands: int) -> int:
        return 3


@operator
class SparseReshape(Operator):
    """The places (K, rank) of elements in ``prev_shape`` as those in ``new_shape``, and that shape.

    One size of ``new_shape`` may be -1, and is then computed.
    """

    name = "sparse_reshape"
    inputs = ("sparse_indices", "prev_shape", "new_shape")
    pattern = Pattern.OPAQUE

    def infer(
        self, sparse_indices: TensorSpec, prev_shape: TensorSpec, new_shape: TensorSpec
    ) -> Spec:
        _require_places(sparse_indices, prev_shape, "prev_shape")
        require_rank(new_shape, 1, "new_shape")
        require_dtype(new_shape, INTEGERS, "new_shape")
        for spec, name in ((prev_shape, "prev_shape"), (new_shape, "new_shape")):
            if not isinstance(spec.shape[0], int) or spec.shape[0] < 1:
                raise RelationError(
                    f"{name} is {spec}, but must have 1 or more sizes, and a number of them"
                )
        places = (sparse_indices.shape[0], new_shape.shape[0])
        return TensorSpec(places, sparse_indices.dtype), new_shape

    def result_count(self, operands: int) -> int:
        return 2
