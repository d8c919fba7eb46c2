"""Rules of the operators that torch's autograd calls, which exported training steps contain.

Where kc derives the operator's own rule, ``te.gradient`` does so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc import te, topi
from kc.expr.tensor import Tensor
from kc.frontend.torch.numerics import Output
from kc.frontend.torch.rules import OPERATORS, Unsupported, number_of, rank_of, rule


def _adjoints(
    name: str, inputs: Sequence[Tensor], arguments: Sequence[Any], head: Tensor
) -> list[Tensor]:
    """The derivatives of an operator's rule by ``inputs``, times ``head``."""
    kind = Output(tuple(head.shape), head.dtype)
    return te.gradient(OPERATORS[f"aten.{name}.default"](*arguments, node=kind), inputs, head)


@rule("convolution_backward")
def _convolution(
    head: Tensor, x: Tensor, weight: Tensor, sizes: Any, stride: Any, padding: Any, dilation: Any,
    transposed: bool, output_padding: Any, groups: int, mask: Sequence[bool], *, node: Any,
) -> list[Tensor | None]:  # fmt: skip
    operands = [part for part, is_wanted in zip((x, weight), mask, strict=False) if is_wanted]
    arguments = (x, weight, None, stride, padding, dilation, transposed, output_padding, groups)
    results = iter(_adjoints("convolution", operands, arguments, head) if operands else [])
    bias = [n for n in range(rank_of(head)) if n != 1]
    return [
        next(results) if mask[0] else None,
        next(results) if mask[1] else None,
        topi.sum(head, bias, acc_dtype=_wide(head)) if mask[2] else None,
    ]


def _wide(x: Tensor) -> str:
    return "float64" if x.dtype == "float64" else "float32"


@rule("avg_pool2d_backward")
def _avg_pool(head: Tensor, x: Tensor, *arguments: Any, node: Output) -> Tensor:
    return _adjoints("avg_pool2d", [x], (x, *arguments), head)[0]


@rule("_adaptive_avg_pool2d_backward")
def _adaptive_avg_pool(head: Tensor, x: Tensor, *, node: Output) -> Tensor:
    return _adjoints("_adaptive_avg_pool2d", [x], (x, list(head.shape[-2:])), head)[0]


@rule("max_pool2d_with_indices_backward")
def _max_pool(head: Tensor, x: Tensor, *arguments: Any, node: Output) -> Tensor:
    """Added up at the places of the maxima, which count the elements of an image."""
    places, shape = arguments[-1], list(x.shape)
    lead, count = shape[:-2], shape[-2] * shape[-1]
    outs = (*lead, head.shape[-2] * head.shape[-1])
    zeros = topi.full((*lead, count), node.dtype, 0)
    flat = [topi.reshape(part, outs) for part in (places, head)]
    return topi.reshape(topi.scatter_add(zeros, *flat, axis=-1), node.shape)


@rule("embedding_dense_backward")
def _embedding(
    head: Tensor, index: Tensor, count: Any, padding: int, by_frequency: bool, *, node: Output
) -> Tensor:
    if by_frequency:
        raise Unsupported("gradients divided by the frequency of their rows")
    size = node.shape[1]
    total = head.shape[0] if rank_of(index) else 1
    for n in range(1, rank_of(index)):
        total = total * index.shape[n]
    rows, places = topi.reshape(head, (total, size)), topi.reshape(index, (total,))
    if padding >= 0:
        is_counted = topi.not_equal(places, te.const(padding, places.dtype))
        zero = te.const(0.0, rows.dtype)
        rows = topi.where(topi.reshape(is_counted, (total, 1)), rows, zero)
    zeros = topi.full(node.shape, node.dtype, 0)
    return topi.index_put(zeros, [places], rows, [0], True)


def _standardized(
    flow: Tensor, normal: Tensor, factor: Tensor, axes: Sequence[int], count: Any
) -> Tensor:
    """The adjoint of what is standardized over ``axes``, from that of the result ``normal``."""
    size = number_of(count, flow.dtype)
    first = topi.divide(topi.sum(flow, axes, True), size)
    second = topi.divide(topi.sum(topi.multiply(flow, normal), axes, True), size)
    rest = topi.subtract(topi.subtract(flow, first), topi.multiply(normal, second))
    return topi.multiply(rest, factor)


@rule("native_layer_norm_backward")
def _layer_norm(
    head: Tensor, x: Tensor, shape: Sequence[int], mean: Tensor, factor: Tensor,
    weight: Tensor | None, bias: Tensor | None, mask: Sequence[bool], *, node: Any,
) -> list[Tensor | None]:  # fmt: skip
    lead = rank_of(x) - len(shape)
    axes = list(range(lead, rank_of(x)))
    count: Any = 1
    for axis in axes:
        count = count * x.shape[axis]
    normal = topi.multiply(topi.subtract(x, mean), factor)
    flow = head if weight is None else topi.multiply(head, weight)
    rows = list(range(lead))
    return [
        _standardized(flow, normal, factor, axes, count) if mask[0] else None,
        _summed(topi.multiply(head, normal), rows) if mask[1] else None,
        _summed(head, rows) if mask[2] else None,
    ]


def _summed(x: Tensor, axes: Sequence[int]) -> Tensor:
    return topi.sum(x, axes) if axes else topi.identity(x)


@rule("native_group_norm_backward")
def _group_norm(
    head: Tensor, x: Tensor, mean: Tensor, factor: Tensor, weight: Tensor | None, n: Any,
    channels: Any, inner: Any, groups: int, mask: Sequence[bool], *, node: Any,
) -> list[Tensor | None]:  # fmt: skip
    wide = (n, groups, channels // groups, inner)
    mean, factor = (topi.reshape(part, (n, groups, 1, 1)) for part in (mean, factor))
    flow = topi.reshape(head, wide)
    normal = topi.multiply(topi.subtract(topi.reshape(x, wide), mean), factor)
    weighted = flow
    if weight is not None:
        weighted = topi.multiply(flow, topi.reshape(weight, (groups, channels // groups, 1)))
    count = channels // groups * inner
    own = _standardized(weighted, normal, factor, [2, 3], count)
    by_channel = (channels,)
    return [
        topi.reshape(own, x.shape) if mask[0] else None,
        topi.reshape(topi.sum(topi.multiply(flow, normal), [0, 3]), by_channel)
        if mask[1]
        else None,
        topi.reshape(topi.sum(flow, [0, 3]), by_channel) if mask[2] else None,
    ]
