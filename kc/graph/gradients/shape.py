"""The gradients of operators that move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xdsl.ir import SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.graph.gradients import Emitter, Gradients, gradient, spec


@gradient("reshape", "reshape_like", "contrib_reverse_reshape", "squeeze", "expand_dims")
def reshape(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head in the shape of the operand."""
    return [at.shaped(head, op.inputs[0]), *([None] * (len(op.inputs) - 1))]


@gradient("transpose")
def transpose(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head with its axes put back."""
    operator: Any = op.operator
    rank = spec(op.inputs[0]).rank
    axes = [axis % rank for axis in operator.axes] if operator.axes else list(range(rank))[::-1]
    back = tuple(axes.index(axis) for axis in range(rank))
    return [at("transpose", head, axes=back)]


@gradient("reverse")
def reverse(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head, reversed back."""
    operator: Any = op.operator
    return [at("reverse", head, axis=operator.axis)]


@gradient("layout_transform")
def layout_transform(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The head in the layout of the operand; not where a block was filled up."""
    operator: Any = op.operator
    back = at(
        "layout_transform",
        head,
        src_layout=operator.dst_layout,
        dst_layout=operator.src_layout,
    )
    return [back] if spec(back).shape == spec(op.inputs[0]).shape else NotImplemented


@gradient("concatenate")
def concatenate(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The slice of the head that each operand became."""
    operator: Any = op.operator
    axis = operator.axis % spec(head).rank
    sizes = [spec(value).shape[axis] for value in op.inputs]
    if not all(isinstance(size, int) for size in sizes):
        return NotImplemented
    parts: list[SSAValue] = []
    start = 0
    for size in sizes:
        assert isinstance(size, int)
        parts.append(at("strided_slice", head, begin=(start,), end=(start + size,), axes=(axis,)))
        start += size
    return parts


@gradient("stack")
def stack(at: Emitter, op: OperatorOp, head: SSAValue) -> Gradients:
    """The slice of the head that each operand became."""
    operator: Any = op.operator
    axis = operator.axis % spec(head).rank
    parts: list[SSAValue] = []
    for n, value in enumerate(op.inputs):
        part = at("strided_slice", head, begin=(n,), end=(n + 1,), axes=(axis,))
        parts.append(at.shaped(part, value))
    return parts


@gradient("split")
def split(at: Emitter, op: OperatorOp, heads: Sequence[SSAValue | None]) -> Gradients:
    """The heads of the parts as one tensor; zeros for parts that are not used."""
    operator: Any = op.operator
    specs = spec_of(op.result.type)
    assert isinstance(specs, tuple)
    if not all(isinstance(each, TensorSpec) and each.is_static for each in specs):
        return NotImplemented
    parts = [
        at("zeros", shape=each.shape, dtype=each.dtype) if head is None else head
        for head, each in zip(heads, specs, strict=True)
        if isinstance(each, TensorSpec)
    ]
    return [at("concatenate", *parts, axis=operator.axis)]
