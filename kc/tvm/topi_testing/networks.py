"""Functions of networks by their definition, in numpy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def softmax_python(a_np: Any, axis: int = -1) -> Any:
    """The shares of exp along an axis."""
    power = np.exp(a_np - np.max(a_np, axis, keepdims=True, initial=-np.inf))
    return power / power.sum(axis, keepdims=True)


def log_softmax_python(a_np: Any, axis: int = -1) -> Any:
    """The logarithm of softmax."""
    moved = a_np - np.max(a_np, axis, keepdims=True, initial=-np.inf)
    return moved - np.log(np.exp(moved).sum(axis, keepdims=True))


def dense(a_np: Any, w_np: Any, b_np: Any = None) -> Any:
    """``a @ w.T + b``."""
    return a_np @ w_np.T + (0 if b_np is None else b_np)


def batch_matmul(
    x: Any, y: Any, out_dtype: Any = None, trans_x: bool = False, trans_y: bool = True
) -> Any:
    """Batched matrix products; the second operand is transposed unless ``trans_y`` is false."""
    left = x.transpose(0, 2, 1) if trans_x else x
    right = y.transpose(0, 2, 1) if trans_y else y
    if out_dtype:
        left, right = left.astype(out_dtype), right.astype(out_dtype)
    return left @ right


def lrn_python(a_np: Any, size: int, axis: int, bias: float, alpha: float, beta: float) -> Any:
    """Local response normalization."""
    squares = np.moveaxis(a_np * a_np, axis, -1)
    total = np.zeros_like(squares)
    length = squares.shape[-1]
    for c in range(length):
        low, high = max(0, c - (size - 1) // 2), min(length, c + size // 2 + 1)
        total[..., c] = squares[..., low:high].sum(-1)
    return a_np / (bias + alpha / size * np.moveaxis(total, -1, axis)) ** beta


def l2_normalize_python(a_np: Any, eps: float, axis: Any = None) -> Any:
    """Over the length of vectors."""
    return a_np / np.sqrt(np.maximum((a_np * a_np).sum(axis, keepdims=True), eps))


def layer_norm_python(
    a_np: Any, gamma: Any, beta: Any, axis: Any = -1, epsilon: float = 1e-5
) -> Any:
    """Normalized over some axes."""
    axes = axis if isinstance(axis, tuple) else (axis,)
    value = (a_np - a_np.mean(axes, keepdims=True)) / np.sqrt(
        a_np.var(axes, keepdims=True) + epsilon
    )
    shape = [size if n in [a % a_np.ndim for a in axes] else 1 for n, size in enumerate(a_np.shape)]
    value = value if gamma is None else value * gamma.reshape(shape)
    return value if beta is None else value + beta.reshape(shape)


def rms_norm_python(data: Any, weight: Any, axis: Any, epsilon: float = 1e-5) -> Any:
    """The data divided by the root of its mean square over ``axis``, times ``weight`` along these
    axes.
    """
    axes = axis if isinstance(axis, tuple) else (axis,)
    shape = [size if n in [a % data.ndim for a in axes] else 1 for n, size in enumerate(data.shape)]
    root = np.sqrt((data * data).mean(axes, keepdims=True) + epsilon)
    return data / root * weight.reshape(shape)


def attention_python(
    q: Any, k: Any, v: Any, bias: Any, qk_scale: float, causal: str,
    window_size: int | None = None, layout: str = "BSNH",
) -> Any:  # fmt: skip
    """Attention of queries over keys and values, all (batch, sequence, heads, elements); BNSH has
    the heads in front of the sequence.

    Neighbouring heads of the queries share a head of the keys. ``bias`` (batch, heads, queries,
    keys), or None, is added to the scores. ``causal`` masks the keys after a query; positions count
    from the first ("TopLeft") or from the last of both ("BottomRight"), and "none" masks nothing.
    With "TopLeft", ``window_size`` also masks the keys that many positions or more before the
    query.
    """
    if layout == "BSNH":
        q, k, v = (part.transpose(0, 2, 1, 3) for part in (q, k, v))
    shared = q.shape[1] // k.shape[1]
    k, v = (np.repeat(part, shared, 1) for part in (k, v))
    scores = q @ k.transpose(0, 1, 3, 2) * qk_scale
    if bias is not None:
        scores = scores + bias
    if causal != "none":
        rows, columns = scores.shape[-2:]
        apart = np.arange(columns) - np.arange(rows)[:, None]
        visible = apart <= (columns - rows if causal == "BottomRight" else 0)
        if window_size is not None:
            visible &= apart > -window_size
        scores = np.where(visible, scores, -np.inf)
    result = softmax_python(scores, -1) @ v
    return result.transpose(0, 2, 1, 3) if layout == "BSNH" else result


def instance_norm_python(data: Any, gamma: Any, beta: Any, axis: Any, epsilon: float = 1e-5) -> Any:
    """Normalized over some axes; gamma and beta have an element for each channel (axis 1)."""
    mean, spread = data.mean(axis, keepdims=True), data.var(axis, keepdims=True)
    shape = (1, -1, *[1] * (data.ndim - 2))
    value = (data - mean) / np.sqrt(spread + epsilon)
    return value * gamma.reshape(shape) + beta.reshape(shape)


def batch_norm(
    x: Any, gamma: Any, beta: Any, moving_mean: Any, moving_var: Any, axis: int = 1,
    epsilon: float = 1e-5, center: bool = True, scale: bool = True,
) -> list[Any]:  # fmt: skip
    """[x normalized by the moving statistics along ``axis``, these statistics]."""
    shape = [-1 if n == axis % x.ndim else 1 for n in range(x.ndim)]
    value = (x - moving_mean.reshape(shape)) / np.sqrt(moving_var.reshape(shape) + epsilon)
    value = value * gamma.reshape(shape) if scale else value
    value = value + beta.reshape(shape) if center else value
    return [value, moving_mean, moving_var]


def group_norm_python(
    a_np: Any, gamma: Any, beta: Any, num_groups: int, epsilon: float = 1e-5
) -> Any:
    """Groups of channels (axis 1), each normalized by itself."""
    parts = a_np.reshape(a_np.shape[0], num_groups, math.prod(a_np.shape[1:]) // num_groups)
    mean, spread = parts.mean(-1, keepdims=True), parts.var(-1, keepdims=True)
    value = ((parts - mean) / np.sqrt(spread + epsilon)).reshape(a_np.shape)
    shape = (1, -1, *[1] * (a_np.ndim - 2))
    value = value if gamma is None else value * gamma.reshape(shape)
    return value if beta is None else value + beta.reshape(shape)


def nll_loss(
    predictions: Any, targets: Any, weights: Any, reduction: str, ignore_index: int
) -> Any:
    """The negative log likelihood."""
    losses, total = np.zeros(targets.shape, predictions.dtype), 0.0
    for place in np.ndindex(*targets.shape):
        target = int(targets[place])
        if target != ignore_index:
            losses[place] = -predictions[(place[0], target, *place[1:])] * weights[target]
            total += weights[target]
    if reduction == "none":
        return losses
    with np.errstate(invalid="ignore"):
        return losses.sum() / (np.float64(total) if reduction == "mean" else 1.0)


def erf_python(a_np: Any) -> Any:
    """The error function."""
    return np.vectorize(math.erf, otypes=[np.float64])(a_np)


def space_to_batch_nd_python(
    data: Any, block_shape: Any, pad_before: Any, pad_after: Any, pad_value: float = 0
) -> Any:
    """Pad, split each dimension, move the places in blocks in front."""
    count = len(block_shape)
    around = [(0, 0), *zip(pad_before, pad_after, strict=True)]
    around += [(0, 0)] * (data.ndim - 1 - count)
    data = np.pad(data, around, constant_values=pad_value)
    shape = [data.shape[0]]
    for size, block in zip(data.shape[1:], block_shape, strict=False):
        shape += [size // block, block]
    rest = data.shape[1 + count :]
    parts = data.reshape(*shape, *rest)
    order = [2 * n + 2 for n in range(count)] + [0] + [2 * n + 1 for n in range(count)]
    order += [2 * count + 1 + n for n in range(len(rest))]
    moved = parts.transpose(order)
    return moved.reshape(math.prod(moved.shape[: count + 1]), *moved.shape[count + 1 :])


def batch_to_space_nd_python(data: Any, block_shape: Any, crop_begin: Any, crop_end: Any) -> Any:
    """The inverse."""
    count = len(block_shape)
    batch = data.shape[0] // int(np.prod(block_shape))
    parts = data.reshape(*block_shape, batch, *data.shape[1:])
    order = [count]
    for n in range(count):
        order += [count + 1 + n, n]
    order += list(range(2 * count + 1, parts.ndim))
    moved = parts.transpose(order)
    sizes = [size * block for size, block in zip(data.shape[1:], block_shape, strict=False)]
    whole = moved.reshape(batch, *sizes, *data.shape[1 + count :])
    cut = [slice(None)]
    for size, begin, end in zip(sizes, crop_begin, crop_end, strict=True):
        cut.append(slice(begin, size - end))
    return whole[tuple(cut)]


def depth_to_space_python(data: Any, block_size: int, mode: str = "DCR") -> Any:
    """Channels into blocks, channels first."""
    n, c, h, w = data.shape
    b = block_size
    if mode == "DCR":
        moved = data.reshape(n, b, b, c // (b * b), h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        moved = data.reshape(n, c // (b * b), b, b, h, w).transpose(0, 1, 4, 2, 5, 3)
    return moved.reshape(n, c // (b * b), h * b, w * b)


def space_to_depth_python(data: Any, block_size: int) -> Any:
    """Blocks into channels, channels first."""
    n, c, h, w = data.shape
    b = block_size
    moved = data.reshape(n, c, h // b, b, w // b, b).transpose(0, 3, 5, 1, 2, 4)
    return moved.reshape(n, c * b * b, h // b, w // b)
