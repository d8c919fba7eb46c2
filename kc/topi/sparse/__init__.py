"""Sparse matrices."""

from kc.topi.sparse.products import (
    csrmm,
    csrmv,
    dense,
    sparse_add,
    sparse_dense,
    sparse_transpose,
)

__all__ = [
    "csrmm", "csrmv", "dense", "sparse_add", "sparse_dense", "sparse_transpose",
]  # fmt: skip
