"""Sparse matrices, and lists of places."""

from kc.topi.sparse.places import sparse_fill_empty_rows, sparse_reshape
from kc.topi.sparse.products import (
    csrmm,
    csrmv,
    dense,
    sparse_add,
    sparse_dense,
    sparse_transpose,
)

__all__ = [
    "csrmm", "csrmv", "dense", "sparse_add", "sparse_dense", "sparse_fill_empty_rows",
    "sparse_reshape", "sparse_transpose",
]  # fmt: skip
