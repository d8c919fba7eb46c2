"""Factors of channels, and the operators that they move through or into.

Shared by ``backward-fold-scale-axis`` and ``forward-fold-scale-axis``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from xdsl.ir import Operation, SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.operators.convolution import Convolution
from kc.dialects.graph.operators.dense import Dense, Matmul
from kc.dialects.graph.operators.padding import Pad
from kc.dialects.graph.operators.pooling import Pooling
from kc.dialects.graph.types import TensorSpec
from kc.dialects.graph.values import ConstantOp
from kc.transforms.graph._building import Builder
from kc.transforms.graph._rewriting import is_operator, operator_of, tensor_of

DTYPES = ("float32", "float64", "bfloat16")
"""The types of elements that factors move among. Products of small weights and small factors leave
the range of float16."""
LEAST, MOST = 2.0**-60, 2.0**60
"""Constant factors that are nearer to 0, or larger, stay where they are."""
_RESHAPES = ("reshape", "expand_dims", "squeeze")


@dataclass(frozen=True)
class Scale:
    """Factors of the places along an axis of a tensor, or one of all elements."""

    operator: str
    """"multiply" or "divide"."""
    factors: SSAValue
    axis: int | None
    """None for one factor of all elements."""
    dtype: str
    is_positive: bool
    """True if all factors are known to be greater than 0."""
    has_no_zero: bool
    """True if all factors are known, and none is 0."""
    elements: int | None
    """The number of elements of the tensor; None if it is not known."""

    @property
    def inverse(self) -> str:
        """The operator that undoes it."""
        return "divide" if self.operator == "multiply" else "multiply"

    def along(self, axis: int | None) -> Scale:
        """The same factors along another axis."""
        return replace(self, axis=axis)


def scales_of(op: OperatorOp) -> Iterator[tuple[SSAValue, Scale]]:
    """The ways to read an operator as a tensor times factors: the tensor, and these."""
    if not is_operator(op, "multiply", "divide"):
        return
    left, right = op.inputs
    orders = ((left, right), (right, left)) if is_operator(op, "multiply") else ((left, right),)
    for value, factors in orders:
        spec, own = tensor_of(value), tensor_of(factors)
        if spec is None or own is None or value.type != op.result.type:
            continue
        if spec.dtype not in DTYPES or own.rank > spec.rank:
            continue
        places = [spec.rank - own.rank + n for n, size in enumerate(own.shape) if size != 1]
        if len(places) > 1:
            continue
        array = _elements(factors)
        is_known = array is not None
        if is_known and not _is_moderate(array):
            continue
        yield (
            value,
            Scale(
                op.OPERATOR.name,
                factors,
                places[0] if places else None,
                spec.dtype,
                is_known and bool((array > 0).all()),
                is_known and bool((array != 0).all()),
                _count(spec),
            ),
        )


def _elements(value: SSAValue) -> Any:
    """The elements of a constant as float64, also behind reshapes; None if they are not known."""
    import numpy as np

    inner = operator_of(value, *_RESHAPES)
    while inner is not None:
        value = inner.inputs[0]
        inner = operator_of(value, *_RESHAPES)
    op = value.owner
    if not isinstance(op, ConstantOp) or op.is_elided:
        return None
    return op.array.astype(np.float64)


def _is_moderate(array: Any) -> bool:
    size = abs(array)
    return bool(((size == 0) | ((size >= LEAST) & (size <= MOST))).all())


def _count(spec: TensorSpec) -> int | None:
    count = 1
    for size in spec.shape:
        if not isinstance(size, int):
            return None
        count *= size
    return count


def is_known(value: SSAValue) -> bool:
    """True if a value is computed of constants alone, so that ``fold-constant`` evaluates it."""
    op = value.owner
    if isinstance(op, ConstantOp):
        return True
    return (
        isinstance(op, OperatorOp)
        and op.OPERATOR.is_pure
        and bool(op.inputs)
        and all(map(is_known, op.inputs))
    )


@dataclass(frozen=True)
class Linear:
    """A convolution or a product of matrices: linear in its data and in its weight."""

    data_axis: int
    """The axis of the data that is summed over."""
    result_axis: int
    """The axis of the result that the weight's outputs become."""
    summed: Axes
    """The axes of the weight that ``data_axis`` is."""
    outputs: Axes
    """The axes of the weight that ``result_axis`` is."""


@dataclass(frozen=True)
class Axes:
    """The places of a weight's axes that one axis of another tensor is, the outer one first."""

    places: tuple[int, ...]
    sizes: tuple[int, ...] = ()
    """Their sizes, if there are two."""
    split: tuple[int, int] | None = None
    """(place, groups): the axis of the weight that is (groups, rest); the places are those of the
    weight that is reshaped so."""


def linear(op: OperatorOp) -> Linear | None:
    """The axes of a linear operator; None for another operator, and for one in blocks."""
    data = tensor_of(op.inputs[0]) if len(op.inputs) == 2 else None
    weight = tensor_of(op.inputs[1]) if len(op.inputs) == 2 else None
    result = tensor_of(op.result)
    if data is None or weight is None or result is None:
        return None
    operator = op.operator
    match operator:
        case Dense():
            return Linear(data.rank - 1, result.rank - 1, Axes((1,)), Axes((0,)))
        case Matmul():
            summed, outputs = (1, 0) if operator.transpose_b else (0, 1)
            behind = 2 if operator.transpose_a else 1
            return Linear(data.rank - behind, result.rank - 1, Axes((summed,)), Axes((outputs,)))
        case Convolution():
            return _convolution(operator, data, weight)
        case _:
            return None


def _convolution(op: Convolution, data: TensorSpec, weight: TensorSpec) -> Linear | None:
    layouts = (op.data_axes, op.weight_axes, op.result_axes)
    if any(layout.is_blocked for layout in layouts):
        return None
    channels, results = op.data_axes.position("C"), op.result_axes.position("C")
    outer, inner = op.weight_axes.position("O"), op.weight_axes.position("I")
    outputs, inputs = weight.shape[outer], weight.shape[inner]
    whole = Linear(channels, results, Axes((inner,)), Axes((outer,)))
    if op.groups == 1:
        return whole
    if not isinstance(outputs, int) or not isinstance(inputs, int):
        return None
    if op.is_transposed:
        return replace(whole, outputs=_grouped(op.groups, inner, outer, outputs))
    if op.is_depthwise(data, weight) and outer > 0 and outputs == op.groups:
        return Linear(channels, results, Axes((outer,)), Axes((outer, inner), (outputs, inputs)))
    return replace(whole, summed=_grouped(op.groups, outer, inner, inputs))


def _grouped(groups: int, split: int, place: int, size: int) -> Axes:
    """The axes of groups, which are the outer part of the axis ``split``, and of ``place``."""
    return Axes((split, place + (place > split)), (groups, size), (split, groups))


def is_worthwhile(weight: SSAValue, scale: Scale) -> bool:
    """True if it costs nothing when the graph runs to scale a weight, or less than the tensor."""
    if is_known(weight) and is_known(scale.factors):
        return True
    spec = tensor_of(weight)
    count = None if spec is None else _count(spec)
    return count is not None and scale.elements is not None and count <= scale.elements


def scale_weight(
    weight: SSAValue, scale: Scale, operator: str, axes: Axes, build: Builder
) -> SSAValue:
    """The weight with its elements along some axes times, or by, the factors."""
    spec = tensor_of(weight)
    assert spec is not None
    if scale.axis is None:
        return build(operator, weight, _number_of(scale, build))
    if len(axes.places) == 1:
        return build(operator, weight, _along(scale, axes.places[0], spec.rank, build))
    shape = list(spec.shape)
    if axes.split is not None:
        place, groups = axes.split
        size = shape[place]
        assert isinstance(size, int)
        shape[place : place + 1] = [groups, size // groups]
    first, second = axes.places
    pair = build("reshape", scale.factors, newshape=axes.sizes)
    if first > second:
        pair = build("transpose", pair, axes=(1, 0))
    ones = [1] * len(shape)
    ones[first], ones[second] = axes.sizes
    pair = build("reshape", pair, newshape=tuple(ones))
    if axes.split is None:
        return build(operator, weight, pair)
    parts = build("reshape", weight, newshape=tuple(shape))
    return build("reshape", build(operator, parts, pair), newshape=spec.shape)


def _along(scale: Scale, axis: int, rank: int, build: Builder) -> SSAValue:
    """The factors as a tensor that broadcasts to ``rank`` dimensions along one of them."""
    spec = tensor_of(scale.factors)
    assert spec is not None
    if [n + rank - spec.rank for n, size in enumerate(spec.shape) if size != 1] == [axis]:
        return scale.factors
    vector = scale.factors
    if spec.rank != 1:
        vector = build("reshape", vector, newshape=(-1,))
    return build.along(vector, axis, rank)


def _number_of(scale: Scale, build: Builder) -> SSAValue:
    """The one factor as a tensor without dimensions."""
    spec = tensor_of(scale.factors)
    assert spec is not None
    return build("reshape", scale.factors, newshape=()) if spec.rank else scale.factors


def scale_addend(
    addend: SSAValue, scale: Scale, operator: str, rank: int, build: Builder
) -> SSAValue:
    """An operand of an addition to a tensor of ``rank``, multiplied or divided by the factors."""
    if scale.axis is None:
        return build(operator, addend, _number_of(scale, build))
    spec = tensor_of(addend)
    assert spec is not None
    if spec.rank < rank - scale.axis:  # it does not reach the axis
        ones = (1,) * (rank - scale.axis - spec.rank)
        addend = build("reshape", addend, newshape=(*ones, *spec.shape))
    return build(operator, addend, _along(scale, scale.axis, rank, build))


def is_addend(addend: SSAValue, scale: Scale, rank: int) -> bool:
    """True if it costs no more than before to scale what is added to a tensor."""
    spec = tensor_of(addend)
    if spec is None or spec.dtype != scale.dtype or None in spec.shape:
        return False
    if is_known(addend) and is_known(scale.factors):
        return True
    places = [rank - spec.rank + n for n, size in enumerate(spec.shape) if size != 1]
    if scale.axis is None:
        return len(places) <= 1
    return all(place == scale.axis for place in places)


def passed_axis(op: OperatorOp, axis: int | None, *, from_result: bool) -> tuple[int | None] | None:
    """The axis of the other side of an operator that factors move through, in a tuple; None for an
    operator that they do not. ``axis`` is that of the operand, or of the result."""
    operator = op.operator
    match operator:
        case Pooling():
            if operator.out_layout not in ("", operator.layout):
                return None
            layout = operator.axes_of(operator.layout, "layout")
            if layout.is_blocked or axis not in (None, layout.position("C")):
                return None
            return (axis,)
        case Pad():
            is_zero = len(op.inputs) == 1 or _is_zero(op.inputs[1])
            if operator.pad_mode == "constant" and not is_zero:
                return None
            return (axis,) if axis is None or not any(operator.pad_width[axis]) else None
        case _:
            pass
    match op.OPERATOR.name:
        case "nn.relu" | "nn.leaky_relu" | "nn.prelu":
            return (axis,)
        case "transpose":
            spec = tensor_of(op.result)
            if axis is None or spec is None:
                return (axis,)
            order = op.operator.attributes().get("axes") or range(spec.rank)[::-1]
            order = [place % spec.rank for place in order]
            return (order[axis] if from_result else order.index(axis),)
        case _:
            return None


def needs_positive(op: OperatorOp) -> bool:
    """True if only factors greater than 0 move through an operator."""
    operator = op.operator
    if isinstance(operator, Pooling):
        return operator.kind == "max"
    return is_operator(op, "nn.relu", "nn.leaky_relu", "nn.prelu")


def _is_zero(value: SSAValue) -> bool:
    array = _elements(value)
    return array is not None and bool((array == 0).all())


def is_before(op: Operation, behind: Operation) -> bool:
    """True if an operation stands before another one of the same block."""
    following = op.next_op
    while following is not None and following is not behind:
        following = following.next_op
    return following is behind
