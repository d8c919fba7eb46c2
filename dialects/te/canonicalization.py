"""How operations of ``te`` become simpler."""

from __future__ import annotations

from xdsl.pattern_rewriter import RewritePattern
from xdsl.traits import HasCanonicalizationPatternsTrait


class Canonicalized(HasCanonicalizationPatternsTrait):
    """The patterns of ``te``; each is typed with the operations that it is for."""

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        from kc.transforms.canonicalization_patterns.te import PATTERNS

        return PATTERNS
