"""The patterns for all operations that can be lowered."""

from __future__ import annotations

from xdsl.pattern_rewriter import RewritePattern

from kc.conversion.convert_to_llvm import (
    arith,
    cfg,
    func,
    long_functions,
    math,
    memref,
    parallel,
    scf,
    vector,
)

PATTERNS: tuple[type[RewritePattern], ...] = tuple(
    pattern
    for dialect in (long_functions, arith, memref, vector, scf, math, cfg, func, parallel)
    for pattern in dialect.PATTERNS
)
