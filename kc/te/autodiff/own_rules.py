"""Gradient rules of an operation's author, which replace the derivation.

A rule returns the adjoint of an operand as a tensor. Rules exist where the derivation gives slow
code (elements that tensors of indices select) or is impossible (statements). A rule is used for an
adjoint of the result's shape; Jacobians are derived, and so are operands without a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kc.expr.tensor import Tensor

Rule = Callable[[Tensor], Tensor | None]
"""A function from the adjoint of a result to the adjoint of an operand, of the operand's shape and
type. None if the derivation is better.
"""


def with_rules(result: Tensor, rules: Mapping[Tensor, Rule | None]) -> Tensor:
    """``result``, with ``rules`` set on its operation for some of the tensors that it reads.

    None instead of a rule marks a tensor with a zero adjoint, because the other rules account for
    all of the gradient: for instance the steps of a recurrence whose rules cover the operands.
    """
    result.op.gradient_rules[result.value_index] = dict(rules)
    return result


def rules_of(tensor: Tensor) -> Mapping[Tensor, Rule | None]:
    """The rules of the operation that produces a tensor, by operand."""
    return tensor.op.gradient_rules.get(tensor.value_index, {})
