"""Rewrite patterns, indexed by the class of the operation that they match.

A pattern is xDSL's :class:`~xdsl.pattern_rewriter.RewritePattern`, whose ``match_and_rewrite`` has
the decorator ``op_type_rewrite_pattern``. The class of operation is read from the annotation of the
pattern, so a set of patterns need not try each pattern on each operation.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from types import UnionType
from typing import Union, get_args, get_origin

from xdsl.ir import Operation
from xdsl.pattern_rewriter import RewritePattern


@cache
def roots(pattern: type[RewritePattern]) -> tuple[type[Operation], ...]:
    """The classes of operations that a class of patterns matches; ``Operation`` if the pattern has
    no annotation.
    """
    matcher = pattern.match_and_rewrite
    closure = matcher.__closure__ or ()
    cells = dict(zip(matcher.__code__.co_freevars, closure, strict=True))
    if "expected_type" not in cells:
        return (Operation,)
    expected = cells["expected_type"].cell_contents
    return get_args(expected) if get_origin(expected) in (Union, UnionType) else (expected,)


@cache
def matching(
    patterns: tuple[type[RewritePattern], ...], op: type[Operation]
) -> tuple[type[RewritePattern], ...]:
    """The ``patterns`` that match operations of a class, in their order."""
    return tuple(pattern for pattern in patterns if issubclass(op, roots(pattern)))


class PatternSet:
    """Patterns in the order in which they are tried, indexed by the class of an operation."""

    def __init__(self, patterns: Iterable[RewritePattern]) -> None:
        self._patterns = {type(pattern): pattern for pattern in patterns}
        self._classes = tuple(self._patterns)
        self._of: dict[type[Operation], tuple[RewritePattern, ...]] = {}

    def of(self, op: Operation) -> tuple[RewritePattern, ...]:
        """The patterns that may match ``op``."""
        patterns = self._of.get(type(op))
        if patterns is None:
            classes = matching(self._classes, type(op))
            patterns = self._of[type(op)] = tuple(self._patterns[cls] for cls in classes)
        return patterns
