"""choose-vector-form: keep the one of two forms of a program that suits the target.

Before::

    %0 = tir.call_extern packed "kc.takes_vectors"() : () -> i32
    %1 = arith.cmpi eq, %0, %c1 : i32
    ...
    tir.if (%3 == 1) { A } else { B }

After, for a target that supports vectors as values in loops and has vector registers (a CPU,
through LLVM): ``A``; for other targets: ``B``. Default schedules make this choice before they look
at the loops, and so does every other scheduler of a module with a known target, so that the trace
of a default schedule can be replayed.
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
"""The least width in bits of vector registers from which vector statements are faster."""
_EQUAL = 0
"""The predicate of arith.cmpi."""


@dataclass(frozen=True)
class ChooseVectorFormPass(ModulePass):
    """Keep the form of statements that suits the target: on vectors, or on scalars."""

    name = "choose-vector-form"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        choose_vector_form(op, target_of(op))


def choose_vector_form(module: ModuleOp, target: Target) -> None:
    """Replace the queries whether the target supports vectors by their answer, in place."""
    takes_vectors = target.kind.takes_vectors and target.vector_bits >= LEAST_BITS
    for question in _questions(module):
        for branch in _decided(question, int(takes_vectors)):
            DecideIf().match_and_rewrite(branch, PatternRewriter(branch))


def choose_known_vector_form(module: ModuleOp) -> None:
    """Like :func:`choose_vector_form` for the target of the module. A module without a known target
    retains both forms.
    """
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
    """Replace ``op``, and values computed from it, by constants. Returns the branches whose
    conditions are thereby constant.
    """
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
    """The value of a comparison of constants, or of a conversion of a constant; None for other
    ops.
    """
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
