"""The ``affine`` dialect: xDSL's, with additional ops and with MLIR's text."""

from __future__ import annotations

from xdsl.dialects.affine import Affine
from xdsl.ir import Dialect, Operation

from kc.dialects.affine_accesses import (
    ApplyOp,
    DelinearizeIndexOp,
    LinearizeIndexOp,
    LoadOp,
    MaxOp,
    MinOp,
    PrefetchOp,
    StoreOp,
    VectorLoadOp,
    VectorStoreOp,
)
from kc.dialects.affine_if import IfOp
from kc.dialects.affine_parallel import ParallelOp

_CLASSES: dict[str, type[Operation]] = {
    op.name: op
    for op in (
        ApplyOp,
        IfOp,
        LoadOp,
        MinOp,
        ParallelOp,
        StoreOp,
        VectorLoadOp,
        VectorStoreOp,
    )
}

AFFINE = Dialect(
    "affine",
    [
        *(_CLASSES.get(op.name, op) for op in Affine.operations),
        MaxOp,
        PrefetchOp,
        DelinearizeIndexOp,
        LinearizeIndexOp,
    ],
    list(Affine.attributes),
)
"""xDSL's dialect with the ops of this module."""

__all__ = [
    "AFFINE",
    "ApplyOp",
    "DelinearizeIndexOp",
    "IfOp",
    "LinearizeIndexOp",
    "LoadOp",
    "MaxOp",
    "MinOp",
    "ParallelOp",
    "PrefetchOp",
    "StoreOp",
    "VectorLoadOp",
    "VectorStoreOp",
]
