"""choose-vector-form: keep the form of a program that suits the target, of two forms.

Before::

    %0 = tir.call_extern packed "kc.takes_vectors"() : () -> i32
    %1 = arith.cmpi eq, %0, %c1 : i32
    ...
    tir.if (%3 == 1) { A } else { B }

After, for a target whose loops may use vectors as values, and which has registers for them (a CPU,
through LLVM): ``A``; for another one: ``B``. Default schedules do the same before they look at the
loops, and so does whatever else schedules a module for a target that is known: the trace of a
default schedule fits again.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr, IntegerType, ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import Rewriter

from kc.dialects.tir import CallExternOp, IfOp
from kc.support.global_functions import TAKES_VECTORS
from kc.support.target import Target, known_target, target_of
from kc.transforms.canonicalization_patterns.tir import DecideIf

LEAST_BITS = 128
"""Bits of the registers from which on statements on vectors are a gain."""
_EQUAL = 0
"""The predicate of arith.cmpi."""


@dataclass(frozen=True)
class ChooseVectorFormPass(ModulePass):
    """Keep the form of statements that is for the target: on vectors, or on scalars."""

    name = "choose-vector-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        choose_vector_form(op, target_of(op))


def choose_vector_form(module: ModuleOp, target: Target) -> None:
    """Answer the questions of a module whether the target takes vectors, in place."""
    takes_vectors = target.kind.takes_vectors and target.vector_bits >= LEAST_BITS
    for question in _questions(module):
        for branch in _decided(question, int(takes_vectors)):
            DecideIf().match_and_rewrite(branch, PatternRewriter(branch))


def choose_known_vector_form(module: ModuleOp) -> None:
    """The same for the target that a module is for, if that is known; else it keeps both forms."""
    target = known_target(module)
    if target is not None:
        choose_vector_form(module, target)


def _questions(module: ModuleOp) -> list[CallExternOp]:
    return [
        op
        for op in module.walk()
        if isinstance(op, CallExternOp) and op.packed and op.label == TAKES_VECTORS
    ]


def _decided(op: Operation, number: int) -> list[IfOp]:
    """Put a constant in the place of ``op``, and constants in that of what is computed of it; the
    branches that are known by that."""
    kind = op.results[0].type
    assert isinstance(kind, IntegerType | IndexType)
    constant = arith.ConstantOp(IntegerAttr(number, kind))
    constant.location = op.location
    Rewriter.replace_op(op, constant)
    branches: list[IfOp] = []
    for user in dict.fromkeys(use.operation for use in constant.result.uses):
        if isinstance(user, IfOp):
            branches.append(user)
        elif (folded := _folded(user)) is not None:
            branches += _decided(user, folded)
    return branches


def _folded(op: Operation) -> int | None:
    """The value of a comparison, or of a conversion of its result, of constants."""
    numbers = [
        owner.value.value.data
        for operand in op.operands
        if isinstance(owner := operand.owner, arith.ConstantOp)
        and isinstance(owner.value, IntegerAttr)
    ]
    if len(numbers) < len(op.operands):
        return None
    if isinstance(op, arith.CmpiOp) and op.predicate.value.data == _EQUAL:
        return int(numbers[0] == numbers[1])
    if isinstance(op, arith.ExtUIOp | arith.IndexCastOp):
        return abs(numbers[0])  # true is -1, as a number of one bit
    return None
