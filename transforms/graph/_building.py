"""New operations before one that a pass replaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from kc.dialects.graph.declaration import call
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, TupleOp, numpy_dtype

NARROW_FLOATS = ("float16", "bfloat16")
"""The types whose normalizations are computed in float32, and rounded once."""


class Builder:
    """Makes operations before ``anchor``, at its location."""

    def __init__(self, anchor: Operation, rewriter: PatternRewriter) -> None:
        self.anchor = anchor
        self.rewriter = rewriter

    def insert(self, operation: Operation) -> SSAValue:
        """Insert an operation; its result."""
        operation.location = self.anchor.location
        self.rewriter.insert(operation, InsertPoint.before(self.anchor))
        return operation.results[0]

    def __call__(self, operator: str, *operands: SSAValue, **attributes: Any) -> SSAValue:
        """The result of an operator. Raises RelationError for operands that do not fit."""
        return self.insert(call(operator, *operands, **attributes))

    def constant(self, value: Any, dtype: str) -> SSAValue:
        """A constant of a number or of an array, with elements of ``dtype``."""
        import numpy as np

        array = np.asarray(value).astype(numpy_dtype(dtype))
        return self.insert(ConstantOp.of(array, dtype))

    def tuple(self, fields: Sequence[SSAValue]) -> SSAValue:
        """A tuple of values."""
        return self.insert(TupleOp(fields))

    def cast(self, value: SSAValue, dtype: str) -> SSAValue:
        """The value with elements of ``dtype``: itself if it has them."""
        return value if tensor_spec(value).dtype == dtype else self("cast", value, dtype=dtype)

    def along(self, vector: SSAValue, axis: int, rank: int) -> SSAValue:
        """A tensor of one dimension as one of ``rank``, all 1 but ``axis``, as far as a broadcast
        needs them."""
        behind = rank - 1 - axis
        return self("expand_dims", vector, axis=1, num_newaxis=behind) if behind else vector


def tensor_spec(value: SSAValue) -> TensorSpec:
    """The type of a value that is a tensor."""
    spec = spec_of(value.type)
    assert isinstance(spec, TensorSpec)
    return spec
