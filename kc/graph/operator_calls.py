"""Operators of graphs on numpy arrays: each is compiled once for the shapes and types of a call.

What compiles the tensor expressions stands above this layer: the registry has it by the name of the
way (``runners``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal

from kc import te
from kc.dialects.graph.declaration import Operator
from kc.dialects.graph.sizes import Size, SizeExpr, substitute
from kc.dialects.graph.types import Spec, TensorSpec
from kc.expr.tensor import Tensor
from kc.graph.lowering import Bounded, compute
from kc.support import registry
from kc.support.declarations import slots

Way = Literal["compiled", "interpreter"]
"""The way in which operators run: as machine code, or in the interpreter of tensor expressions."""

KEPT = 1024
"""The operators that stay compiled."""


def resolved(operator: Operator, sizes: Mapping[str, Size]) -> Operator:
    """The operator with the sizes in its attributes replaced by their values."""

    def number(value: Any) -> Any:
        if isinstance(value, SizeExpr):
            return substitute(value, sizes)
        return tuple(map(number, value)) if isinstance(value, tuple) else value

    fields = {slot.name: getattr(operator, slot.name) for slot in slots(type(operator))}
    changed = {name: number(value) for name, value in fields.items()}
    return operator if changed == fields else type(operator)(**changed)


def call_operator(
    operator: Operator,
    arrays: Sequence[Any],
    dtypes: Sequence[str],
    way: Way = "compiled",
    declared: Spec | None = None,
) -> list[Any]:
    """The results of an operator, as arrays: one for each tensor of its result.

    ``dtypes`` are those of the operands, as the bits of a type that numpy lacks are numbers to it.

    ``declared`` is the type of the result, for an operator that does not infer it. The elements of
    operands that determine sizes of the result are known here, so that it has the
    shape that they tell.

    Raises KeyError for an operator without a computation, RelationError for arrays that do not fit.
    """
    specs = tuple(
        TensorSpec(array.shape, dtype, array if operator.reads_value(n) else None)
        for n, (array, dtype) in enumerate(zip(arrays, dtypes, strict=True))
    )
    absent = sum(1 for name in operator.inputs if not name.startswith("*")) - len(specs)
    result = operator.infer(*specs, *([None] * absent))
    if result is None:
        result = declared
    assert result is not None
    kernel, positions, counts = _kernel(operator, specs, result, way)
    computed = kernel(*arrays) if kernel is not None else ()
    results = [computed[where] if where >= 0 else arrays[~where] for where in positions]
    for position, where in counts.items():
        results[position] = results[position][: int(computed[where][0])]
    return results


@lru_cache(KEPT)
def _kernel(
    operator: Operator, specs: tuple[TensorSpec, ...], result: Spec, way: Way
) -> tuple[Any, list[int], dict[int, int]]:
    """The compiled operator; for each result its position among what that computes, or ``~n`` for
    operand n; and for each :class:`Bounded` result the position of its count."""
    placeholders = [
        te.placeholder(spec.shape, spec.dtype, name=f"p{n}") for n, spec in enumerate(specs)
    ]
    parts = compute(operator, placeholders, result)
    bounded = [n for n, part in enumerate(parts) if isinstance(part, Bounded)]
    tensors = [part.tensor if isinstance(part, Bounded) else part for part in parts]
    tensors += [part.count for part in parts if isinstance(part, Bounded)]
    outputs, positions = sorted_results(tensors, placeholders)
    counts = dict(zip(bounded, positions[len(parts) :], strict=True))
    positions = positions[: len(parts)]
    if not outputs:
        return None, positions, counts
    kernel = registry.current().runners[way].load()([*placeholders, *outputs])
    return kernel, positions, counts


def sorted_results(
    tensors: Sequence[Tensor], placeholders: Sequence[Tensor]
) -> tuple[list[Tensor], list[int]]:
    """The tensors to compute, each once, and for each of ``tensors`` its position among these, or
    ``~n`` for placeholder n."""
    input_places = {_identity(tensor): ~n for n, tensor in enumerate(placeholders)}
    computed: dict[tuple[int, int], Tensor] = {}
    for tensor in tensors:
        if _identity(tensor) not in input_places:
            computed.setdefault(_identity(tensor), tensor)
    places = input_places | {identity: n for n, identity in enumerate(computed)}
    return [*computed.values()], [places[_identity(tensor)] for tensor in tensors]


def _identity(tensor: Tensor) -> tuple[int, int]:
    """The key of a tensor: equal for the same output of the same operation. (``==`` on tensors
    makes an expression.)
    """
    return id(tensor.op), tensor.value_index
