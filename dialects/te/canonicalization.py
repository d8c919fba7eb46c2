"""Canonicalization of ``te`` operations."""

from __future__ import annotations

from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait


class Canonicalized(HasCanonicalizationPatternsTrait):
    """The canonicalization patterns of ``te``, each typed with its operation."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from kc.transforms.canonicalization_patterns.te import PATTERNS

        return PATTERNS
