"""Inline calls that pass tensors, ``scf.execute_region`` and ``memref.alloca_scope``.

A raised function writes its results to arguments, which its callers allocate. If the caller is
raised as well, the body replaces the call::

    %r = func.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>    ->    %r = arith.maximumf ...

Functions that call themselves are refused (KC4550), and so are calls of declarations, and of
functions with branches.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.rewriter import InsertPoint

from kc.analysis.loop_tree import preorder
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.gpu.gpu_inline_calls import InlineCall

_BODIES = (scf.ExecuteRegionOp, memref.AllocaScopeOp)


class InlineBody(RewritePattern):
    """``scf.execute_region`` and ``memref.alloca_scope`` of one block -> its operations.

    Requires that the body is one block; several stay (``branches``).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: scf.ExecuteRegionOp | memref.AllocaScopeOp, rewriter: PatternRewriter, /
    ) -> None:
        if not _is_inlined(op):
            return
        block = op.regions[0].block
        end = block.last_op
        assert end is not None
        values = list(end.operands)
        rewriter.erase(end)
        rewriter.inline_block(block, InsertPoint.before(op))
        rewriter.replace(op, [], values)


def with_bodies_inlined(function: func.FuncOp, functions: Mapping[str, func.FuncOp]) -> func.FuncOp:
    """A copy of ``function`` without such ops; the function itself if it has none."""
    if not any(map(_is_inlined, preorder(function))):
        return function
    callees: dict[str, func.FuncOp] = {}
    _collect(function, functions, (function.sym_name.data,), callees)
    copy = function.clone()
    copy.location = function.location
    patterns = GreedyRewritePatternApplier([InlineCall(callees), InlineBody()])
    PatternRewriteWalker(patterns).rewrite_region(copy.body)
    return copy


def inlined_callees(function: func.FuncOp) -> set[str]:
    """The names of the functions inlined into ``function``."""
    return {op.callee.string_value() for op in _calls(function)}


def _calls(function: func.FuncOp) -> list[func.CallOp]:
    return [op for op in preorder(function) if isinstance(op, func.CallOp) and _is_inlined(op)]


def _is_inlined(op: Operation) -> bool:
    if isinstance(op, _BODIES):
        return len(op.regions[0].blocks) == 1
    return isinstance(op, func.CallOp) and any(
        isinstance(value.type, TensorType) for value in (*op.operands, *op.results)
    )


def _collect(
    function: func.FuncOp,
    functions: Mapping[str, func.FuncOp],
    callers: tuple[str, ...],
    callees: dict[str, func.FuncOp],
) -> None:
    """Add the callees of ``function`` to ``callees``; refuse those that cannot be inlined."""
    for op in _calls(function):
        name = op.callee.string_value()
        if name in callers:
            path = (*callers[callers.index(name) :], name)
            calls = " calls ".join(f"@{caller}" for caller in path)
            raise _refused(op, f"it is recursive: {calls}")
        if name in callees:
            continue
        callee = functions.get(name)
        if callee is None or not callee.body.blocks:
            raise _refused(op, f"@{name} has no body, but calls that pass tensors must be inlined")
        if len(callee.body.blocks) > 1:
            raise _refused(op, "the function that it calls has branches")
        callees[name] = callee
        _collect(callee, functions, (*callers, name), callees)


def _refused(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4550",
        f"raise-to-tir: {op.name} of tensors has no counterpart in tir",
        location=location_of(op),
        why=why,
        hints=["pass memrefs, which functions read and write"],
    )
