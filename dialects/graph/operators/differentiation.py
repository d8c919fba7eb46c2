"""The gradient of another operator, for operators that have no rule of their own."""

from __future__ import annotations

from typing import Any

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    all_operators,
    operator,
)
from kc.dialects.graph.types import Spec, TensorSpec
from kc.support.declarations import slots


@operator
class Vjp(Operator):
    """The product of heads with the derivative of another operator: its gradient.

    The first ``count`` operands are those of the operator, the rest are heads: for each number in
    ``heads`` the gradient that comes to this part of the operator's result. The result is a tuple
    with the gradient of each operand in ``wrt``.
    """

    name = "vjp"
    inputs = ("*operands",)
    pattern = Pattern.OPAQUE

    operator: str
    options: tuple[Any, ...] = ()
    """The attributes of the operator: (name, value) each."""
    count: int = 1
    heads: tuple[int, ...] = (0,)
    wrt: tuple[int, ...] = (0,)

    @property
    def differentiated(self) -> Operator:
        """The operator that is differentiated. Raises RelationError if there is none such."""
        declaration = all_operators().get(self.operator)
        if declaration is None:
            raise RelationError(f"there is no operator {self.operator}")
        try:
            values = dict(self.options)
        except (TypeError, ValueError):
            raise RelationError("options are pairs of a name and a value") from None
        unknown = values.keys() - {slot.name for slot in slots(declaration)}
        if unknown:
            raise RelationError(f"{self.operator} has no attribute {min(map(str, unknown))}")
        try:
            return declaration(**values)
        except TypeError as error:
            raise RelationError(f"{self.operator}: {error}") from error

    def value(self, operands: tuple[TensorSpec, ...]) -> tuple[TensorSpec, ...]:
        """The parts of the operator's result. Raises RelationError."""
        own = self.differentiated
        inputs = operands[: self.count]
        absent = sum(1 for name in own.inputs if not name.startswith("*")) - len(inputs)
        return leaves(own.infer(*inputs, *([None] * absent)))

    def infer(self, *operands: TensorSpec) -> Spec:
        if not 0 <= self.count <= len(operands) or len(operands) != self.count + len(self.heads):
            raise RelationError(
                f"{len(operands)} operands for {self.count} of {self.operator} and "
                f"{len(self.heads)} heads"
            )
        results = self.value(operands)
        for position, head in zip(self.heads, operands[self.count :], strict=True):
            if not 0 <= position < len(results) or not _agree(results[position], head):
                expected = results[position] if 0 <= position < len(results) else "none"
                raise RelationError(f"head {position} is {head}, the result is {expected}")
        if any(not 0 <= position < self.count for position in self.wrt):
            raise RelationError(f"wrt is {self.wrt} of {self.count} operands")
        specs = [operands[position] for position in self.wrt]
        return tuple(TensorSpec(spec.shape, spec.dtype) for spec in specs)


def _agree(result: TensorSpec, head: TensorSpec) -> bool:
    return (
        result.dtype == head.dtype
        and result.rank == head.rank
        and all(
            not isinstance(a, int) or not isinstance(b, int) or a == b
            for a, b in zip(result.shape, head.shape, strict=True)
        )
    )


def leaves(spec: Spec) -> tuple[TensorSpec, ...]:
    """The tensors of a result, in order."""
    if isinstance(spec, TensorSpec):
        return (spec,)
    return tuple(leaf for part in spec for leaf in leaves(part))
