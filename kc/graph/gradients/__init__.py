"""The gradient of each operator of a graph, as operators.

A module for each family has rules::

    @gradient("tanh")
    def tanh(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients: ...

``head`` is the gradient that comes to the result of ``op``, and a rule returns that of each operand
(None for zero). It makes operations by ``at("multiply", head, x)``, of the operands and the result
of ``op``, whose values are there. A rule that does not take a case returns NotImplemented. An
operator without a rule gets the operator ``vjp``, which is computed by ``te.gradient``
(:mod:`kc.te.gradient`).

The modules are loaded when an operator of their family is first differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias, TypeVar

from xdsl.ir import Attribute, Block, Operation, SSAValue

from kc.dialects.graph.declaration import Operator, OperatorOp, call
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp, TupleOp, numpy_dtype
from kc.support import registry

Gradients: TypeAlias = "Sequence[SSAValue | None]"
"""The gradient of each operand of an operator; None for zero."""
Rule: TypeAlias = "Callable[[Emitter, OperatorOp, Any], Gradients]"

RULES: dict[str, Rule] = {}
"""The rules of the families that are loaded, by the name of the operator."""

_F = TypeVar("_F", bound=Callable[..., Any])


def gradient(*names: str) -> Callable[[_F], _F]:
    """Enter a function as the rule of operators. A decorator."""

    def enter(function: _F) -> _F:
        for name in names:
            RULES[name] = function
        return function

    return enter


def rule_of(operator: type[Operator]) -> Rule | None:
    """The rule of an operator; None if it has none, and ``vjp`` serves."""
    if operator.name not in RULES:
        family = registry.current().operator_gradients.get(operator.family)
        if family is not None:
            family.load()
    return RULES.get(operator.name)


class Emitter:
    """Makes operations at the end of a block."""

    def __init__(self, block: Block, location: Attribute | None = None) -> None:
        self.block = block
        self.location = location

    def insert(self, op: Operation) -> SSAValue:
        """Add an operation; its result."""
        if self.location is not None:
            op.location = self.location  # pyright: ignore[reportAttributeAccessIssue]
        self.block.add_op(op)
        return op.results[0]

    def __call__(self, operator: str, /, *operands: SSAValue, **attributes: Any) -> SSAValue:
        """The result of an operator. Raises RelationError for operands that do not fit."""
        return self.insert(call(operator, *operands, **attributes))

    def constant(self, value: Any, dtype: str) -> SSAValue:
        """A constant of a number or of an array, with elements of ``dtype``."""
        import numpy as np

        array = np.asarray(value).astype(numpy_dtype(dtype))
        return self.insert(ConstantOp.of(array, dtype))

    def number(self, value: float, like: SSAValue) -> SSAValue:
        """A number with the dtype of a tensor."""
        return self.constant(value, spec(like).dtype)

    def tuple(self, fields: Sequence[SSAValue]) -> SSAValue:
        """A tuple of values."""
        return self.insert(TupleOp(fields))

    def field(self, value: SSAValue, index: int) -> SSAValue:
        """A field of a tuple, which may be known."""
        if isinstance(value.owner, TupleOp):
            return value.owner.fields[index]
        return self.insert(TupleGetItemOp(value, index))

    def zeros(self, value: SSAValue) -> SSAValue:
        """Zeros like a tensor."""
        return self("zeros_like", value)

    def summed(self, head: SSAValue, value: SSAValue) -> SSAValue:
        """The gradient of a value that was broadcast to the shape of ``head``."""
        own, head_spec = spec(value), spec(head)
        if own.shape == head_spec.shape and None not in own.shape:
            return head
        if own.is_static:
            return self("collapse_sum_to", head, shape=own.shape)
        return self("collapse_sum_like", head, value)

    def shaped(self, head: SSAValue, value: SSAValue) -> SSAValue:
        """The elements of ``head`` in the shape of ``value``, which has as many."""
        own = spec(value)
        if own.is_static:
            return self("reshape", head, newshape=own.shape)
        return self("reshape_like", head, value)


def spec(value: SSAValue) -> TensorSpec:
    """The type of a value that is a tensor."""
    value_spec = spec_of(value.type)
    assert isinstance(value_spec, TensorSpec)
    return value_spec
