"""Canonicalization of ``tir`` operations: patterns, and constants for folded results."""

from __future__ import annotations

from xdsl.dialect_interfaces.constant_materialization import ConstantMaterializationInterface
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait


class Canonicalized(HasCanonicalizationPatternsTrait):
    """The canonicalization patterns of ``tir``, each typed with its operation."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from kc.transforms.canonicalization_patterns.tir import PATTERNS

        return PATTERNS


class ConstantIndices(ConstantMaterializationInterface):
    """The constants that ``tir`` folds to are indices."""

    def materialize_constant(self, value: Attribute, type: Attribute) -> Operation | None:
        if isinstance(value, IntegerAttr) and isinstance(type, IndexType):
            return arith.ConstantOp(value)
        return None
