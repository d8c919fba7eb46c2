"""Calls that pass tensors, ``scf.execute_region`` and ``memref.alloca_scope``, as their bodies.

A raised function writes its results to arguments, which its callers allocate; where the caller is
raised, too, the body takes the place of the call instead::

    %r = func.call @relu(%x) : (tensor<4xf32>) -> tensor<4xf32>    ->    %r = arith.maximumf ...

Functions that call themselves are refused (KC4550), and so are calls of declarations. A body is
inlined with the bodies that it calls already in it, which the path of callers is known for, so this
is no rewrite pattern.
"""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.dialects import func, memref, scf
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis.loop_tree import preorder
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

_BODIES = (scf.ExecuteRegionOp, memref.AllocaScopeOp)


def with_bodies_inlined(
    function: func.FuncOp, functions: Mapping[str, func.FuncOp], callers: tuple[str, ...] = ()
) -> func.FuncOp:
    """A copy of ``function`` without such ops; the function itself if it has none."""
    if not any(map(_is_inlined, preorder(function))):
        return function
    copy = function.clone()
    copy.location = function.location
    callers = (*callers, function.sym_name.data)
    for op in [op for op in preorder(copy) if _is_inlined(op)]:
        if isinstance(op, _BODIES):
            _inline(op, op.regions[0].block)
        else:
            assert isinstance(op, func.CallOp)
            callee = _callee(op, functions, callers)
            body = with_bodies_inlined(callee, functions, callers).clone().body
            if len(body.blocks) > 1:
                raise _refused(op, "the function that it calls has branches")
            _inline(op, body.block)
    return copy


def inlined_callees(function: func.FuncOp) -> set[str]:
    """The names of the functions whose bodies take the place of calls in ``function``."""
    return {
        op.callee.string_value()
        for op in preorder(function)
        if isinstance(op, func.CallOp) and _is_inlined(op)
    }


def _is_inlined(op: Operation) -> bool:
    if isinstance(op, _BODIES):
        return len(op.regions[0].blocks) == 1
    return isinstance(op, func.CallOp) and any(
        isinstance(value.type, TensorType) for value in (*op.operands, *op.results)
    )


def _callee(
    op: func.CallOp, functions: Mapping[str, func.FuncOp], callers: tuple[str, ...]
) -> func.FuncOp:
    name = op.callee.string_value()
    if name in callers:
        path = " calls ".join(f"@{caller}" for caller in (*callers[callers.index(name) :], name))
        raise _refused(op, f"it is recursive: {path}")
    callee = functions.get(name)
    if callee is None or not callee.body.blocks:
        raise _refused(op, f"@{name} has no body, and what passes tensors is inlined")
    return callee


def _refused(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4550",
        f"raise-to-tir: {op.name} of tensors has no counterpart in tir",
        location=location_of(op),
        why=why,
        hints=["pass memrefs, which functions read and write"],
    )


def _inline(op: Operation, block: Block) -> None:
    """Put the ops of ``block`` in the place of ``op``, whose results are what the block ends in."""
    Rewriter.inline_block(block, InsertPoint.before(op), op.operands)
    end = op.prev_op
    assert end is not None
    for result, value in zip(op.results, end.operands, strict=True):
        if value.name_hint is None:
            value.name_hint = result.name_hint
        result.replace_all_uses_with(value)
    Rewriter.erase_op(end)
    Rewriter.erase_op(op)
