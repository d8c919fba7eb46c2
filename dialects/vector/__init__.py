"""The ``vector`` dialect with the ops that xDSL lacks, on vectors of several dimensions.

The text of each op is what ``mlir-opt`` 22 prints.
"""

from __future__ import annotations

from xdsl.dialects.vector import Vector
from xdsl.ir import Dialect

from kc.dialects.vector.elements import (
    DeinterleaveOp,
    FromElementsOp,
    InterleaveOp,
    PrintOp,
    PunctuationAttr,
    StepOp,
    ToElementsOp,
)
from kc.dialects.vector.masks import MaskOp, YieldOp
from kc.dialects.vector.memory import (
    CompressStoreOp,
    ExpandLoadOp,
    GatherOp,
    ScatterOp,
    TypeCastOp,
)
from kc.dialects.vector.reductions import (
    ContractionOp,
    IteratorTypeAttr,
    MultiReductionOp,
    OuterProductOp,
    ScanOp,
)
from kc.dialects.vector.scalable import (
    ScalableExtractOp,
    ScalableInsertOp,
    VectorScaleOp,
    is_scalable,
)
from kc.dialects.vector.shapes import (
    ConstantMaskOp,
    ExtractStridedSliceOp,
    InsertStridedSliceOp,
    ShapeCastOp,
    TransposeOp,
)
from kc.dialects.vector.sizes import element_of, shape_of

VECTOR = Dialect(
    "vector",
    [
        *(op for op in Vector.operations if op.name != PrintOp.name),
        CompressStoreOp,
        ConstantMaskOp,
        ContractionOp,
        DeinterleaveOp,
        ExpandLoadOp,
        TypeCastOp,
        ExtractStridedSliceOp,
        FromElementsOp,
        GatherOp,
        InsertStridedSliceOp,
        InterleaveOp,
        MaskOp,
        MultiReductionOp,
        OuterProductOp,
        PrintOp,
        ScalableExtractOp,
        ScalableInsertOp,
        ScanOp,
        ScatterOp,
        ShapeCastOp,
        StepOp,
        ToElementsOp,
        TransposeOp,
        VectorScaleOp,
        YieldOp,
    ],
    [*Vector.attributes, IteratorTypeAttr, PunctuationAttr],
)
"""xDSL's dialect with the ops of this package."""

__all__ = [
    "CompressStoreOp",
    "ConstantMaskOp",
    "ContractionOp",
    "DeinterleaveOp",
    "ExpandLoadOp",
    "TypeCastOp",
    "ExtractStridedSliceOp",
    "FromElementsOp",
    "GatherOp",
    "InsertStridedSliceOp",
    "InterleaveOp",
    "IteratorTypeAttr",
    "MaskOp",
    "MultiReductionOp",
    "OuterProductOp",
    "PrintOp",
    "ScalableExtractOp",
    "ScalableInsertOp",
    "ScanOp",
    "ScatterOp",
    "ShapeCastOp",
    "StepOp",
    "ToElementsOp",
    "TransposeOp",
    "VECTOR",
    "VectorScaleOp",
    "YieldOp",
    "element_of",
    "is_scalable",
    "shape_of",
]
