"""Loops of one iteration: their variables are 0."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.rewriter import InsertPoint

from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ForOp
from kc.transforms.affine_rewrite import replace_with_expr


def without_unit_variables(loops: Iterable[ForOp]) -> None:
    """Put 0 for the variables of those of ``loops`` that have one iteration."""
    for loop in loops:
        if loop.static_extent == 1:
            replace_with_expr(loop.var, ZERO, [], InsertPoint.at_start(loop.body.block))
