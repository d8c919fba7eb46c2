"""Own rules of operations: what flows to an operand is a tensor that the operation's maker gives.

A rule takes the place of the derivation where that gives slow code (elements that tensors of
indices name) or cannot be (statements). It is asked when a gradient flows to a tensor of the shape
of the result; Jacobians are derived. Operands without a rule are derived too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from kc.expr.tensor import Tensor

Rule = Callable[[Tensor], Tensor | None]
"""From what flows to a result to what flows to an operand, of the operand's shape and type; None
where it is better derived."""


def with_rules(result: Tensor, rules: Mapping[Tensor, Rule | None]) -> Tensor:
    """``result``, whose operation has ``rules`` for some of the tensors that it reads.

    None instead of a rule: nothing flows to that tensor, since the other rules have all of it. What
    a step of a recurrence computes is such a tensor, if the rules are of the operands of the steps.
    """
    result.op.gradient_rules[result.value_index] = dict(rules)
    return result


def rules_of(tensor: Tensor) -> Mapping[Tensor, Rule | None]:
    """The rules of the operation that makes a tensor, by operand."""
    return tensor.op.gradient_rules.get(tensor.value_index, {})
