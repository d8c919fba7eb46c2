"""Convolutions by their definition, in numpy."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np


def _pairs(value: Any, count: int) -> list[int]:
    return [int(value)] * count if isinstance(value, int) else [int(item) for item in value]


def _amounts(padding: Any, spans: list[int]) -> tuple[list[int], list[int]]:
    count = len(spans)
    if padding == "VALID":
        return [0] * count, [0] * count
    if padding == "SAME":
        return [span // 2 for span in spans], [(span - 1) // 2 for span in spans]
    per_side = _pairs(padding, count)
    return per_side[:count], per_side[-count:]


def conv_python(
    data: np.ndarray, weight: np.ndarray, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> np.ndarray:  # fmt: skip
    """(N, C, spatial...) with (O, C / groups, kernel...), of any number of spatial dimensions."""
    count = data.ndim - 2
    steps, apart = _pairs(stride, count), _pairs(dilation, count)
    taps = weight.shape[2:]
    spans = [(size - 1) * gap + 1 for size, gap in zip(taps, apart, strict=True)]
    heads, tails = _amounts(padding, spans)
    around = [(0, 0), (0, 0), *zip(heads, tails, strict=True)]
    source = np.pad(data, around)
    outs = [
        (size - span) // step + 1
        for size, span, step in zip(source.shape[2:], spans, steps, strict=True)
    ]
    each, made_by = data.shape[1] // groups, weight.shape[0] // groups
    result = np.zeros((data.shape[0], weight.shape[0], *outs), np.result_type(data, weight))
    for group in range(groups):
        part = source[:, group * each : (group + 1) * each]
        kernel = weight[group * made_by : (group + 1) * made_by]
        for tap in itertools.product(*map(range, taps)):
            place = tuple(
                slice(at * gap, at * gap + (out - 1) * step + 1, step)
                for at, gap, out, step in zip(tap, apart, outs, steps, strict=True)
            )
            values = part[(slice(None), slice(None), *place)]
            product = np.einsum("nc...,oc->no...", values, kernel[(slice(None), slice(None), *tap)])
            result[:, group * made_by : (group + 1) * made_by] += product
    return result


def conv1d_ncw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any = 1) -> Any:
    """(N, C, W) with (O, C, K)."""
    return conv_python(a_np, w_np, stride, padding, dilation)


def conv1d_nwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any = 1) -> Any:
    """(N, W, C) with (K, C, O)."""
    return group_conv1d_nwc_python(a_np, w_np, stride, padding, dilation, 1)


def group_conv1d_ncw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """(N, C, W) with (O, C / groups, K)."""
    return conv_python(a_np, w_np, stride, padding, dilation, groups)


def group_conv1d_nwc_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, dilation: Any, groups: int
) -> Any:
    """(N, W, C) with (K, C / groups, O)."""
    parts = a_np.transpose(0, 2, 1), w_np.transpose(2, 1, 0)
    return conv_python(*parts, stride, padding, dilation, groups).transpose(0, 2, 1)


def conv2d_nchw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1, dilation: Any = 1
) -> Any:
    """(N, C, H, W) with (O, C / groups, KH, KW)."""
    return conv_python(a_np, w_np, stride, padding, dilation, groups)


def conv2d_nhwc_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1, dilation: Any = 1
) -> Any:
    """(N, H, W, C) with (KH, KW, C / groups, O)."""
    result = conv_python(
        a_np.transpose(0, 3, 1, 2), w_np.transpose(3, 2, 0, 1), stride, padding, dilation, groups
    )
    return result.transpose(0, 2, 3, 1)


def conv2d_hwcn_python(a_np: Any, w_np: Any, stride: Any, padding: Any) -> Any:
    """(H, W, C, N) with (KH, KW, C, O)."""
    result = conv_python(a_np.transpose(3, 2, 0, 1), w_np.transpose(3, 2, 0, 1), stride, padding)
    return result.transpose(2, 3, 1, 0)


def conv3d_ncdhw_python(a_np: Any, w_np: Any, stride: Any, padding: Any, groups: int = 1) -> Any:
    """(N, C, D, H, W) with (O, C / groups, KD, KH, KW)."""
    return conv_python(a_np, w_np, stride, padding, 1, groups)


def conv3d_ndhwc_python(a_np: Any, w_np: Any, stride: Any, padding: Any) -> Any:
    """(N, D, H, W, C) with (KD, KH, KW, C, O)."""
    result = conv_python(
        a_np.transpose(0, 4, 1, 2, 3), w_np.transpose(4, 3, 0, 1, 2), stride, padding
    )
    return result.transpose(0, 2, 3, 4, 1)


def depthwise_conv2d_python_nchw(
    input_np: Any, filter_np: Any, stride: Any, padding: Any, dilation: Any = 1
) -> Any:
    """Depthwise convolution of (N, C, H, W) with (C, M, KH, KW): channel c produces the channels
    c * M to c * M + M - 1.
    """
    channels, many = filter_np.shape[:2]
    kernel = filter_np.reshape(channels * many, 1, *filter_np.shape[2:])
    return conv_python(input_np, kernel, stride, padding, dilation, channels)


def depthwise_conv2d_python_nhwc(
    input_np: Any, filter_np: Any, stride: Any, padding: Any, dilation: Any = 1
) -> Any:
    """(N, H, W, C) with (KH, KW, C, M)."""
    result = depthwise_conv2d_python_nchw(
        input_np.transpose(0, 3, 1, 2), filter_np.transpose(2, 3, 0, 1), stride, padding, dilation
    )
    return result.transpose(0, 2, 3, 1)


def depthwise_conv2d_python_nchwc(input_np: Any, filter_np: Any, stride: Any, padding: Any) -> Any:
    """(N, C / c, H, W, c) with (C / o, M / m, KH, KW, m, o): (N, C * M / o, H, W, o)."""
    batch, chunks, height, width, block = input_np.shape
    _, many_chunks, *taps, many_block, out_block = filter_np.shape
    channels, many = chunks * block, many_chunks * many_block
    data = input_np.transpose(0, 1, 4, 2, 3).reshape(batch, channels, height, width)
    kernel = filter_np.transpose(0, 5, 1, 4, 2, 3).reshape(channels, many, *taps)
    result = depthwise_conv2d_python_nchw(data, kernel, stride, padding)
    sizes = result.shape[2:]
    blocks = result.reshape(batch, channels * many // out_block, out_block, *sizes)
    return blocks.transpose(0, 1, 3, 4, 2)


def conv2d_backward_weight_python(
    dy_np: Any, x_np: Any, kernel_size: Any, stride: Any, padding: Any, layout: str = "NCHW",
    groups: int = 1, channels: int | None = None,
) -> Any:  # fmt: skip
    """The gradient of a weight of shape (O, C / groups, KH, KW), or (O, KH, KW, C / groups) for
    NHWC.

    ``dy_np`` is the gradient of the results, ``x_np`` the data, both in ``layout``.
    """
    if layout == "NHWC":
        parts = dy_np.transpose(0, 3, 1, 2), x_np.transpose(0, 3, 1, 2)
        result = conv2d_backward_weight_python(
            *parts, kernel_size, stride, padding, "NCHW", groups, channels
        )
        return result.transpose(0, 2, 3, 1)
    taps, steps = _pairs(kernel_size, 2), _pairs(stride, 2)
    heads, tails = _amounts(padding, taps)
    source = np.pad(x_np, [(0, 0), (0, 0), *zip(heads, tails, strict=True)])
    results, outs = dy_np.shape[1], dy_np.shape[2:]
    each, made_by = x_np.shape[1] // groups, results // groups
    result = np.zeros((results, each, *taps), np.result_type(dy_np, x_np))
    for o, (row, column) in itertools.product(range(results), itertools.product(*map(range, taps))):
        part = source[:, o // made_by * each : (o // made_by + 1) * each]
        rows = slice(row, row + (outs[0] - 1) * steps[0] + 1, steps[0])
        columns = slice(column, column + (outs[1] - 1) * steps[1] + 1, steps[1])
        values = part[:, :, rows, columns]
        result[o, :, row, column] = np.einsum("nchw,nhw->c", values, dy_np[:, o])
    return result


def conv_transpose_python(
    data: np.ndarray, weight: np.ndarray, stride: Any = 1, padding: Any = 0,
    output_padding: Any = 0, groups: int = 1,
) -> np.ndarray:  # fmt: skip
    """Transposed convolution of (N, C, spatial...) with (C, O / groups, kernel...): the sum of the
    contributions of each input element.
    """
    count = data.ndim - 2
    steps, more = _pairs(stride, count), _pairs(output_padding, count)
    taps = list(weight.shape[2:])
    heads, tails = _amounts(padding, taps)
    sizes = data.shape[2:]
    full = [(size - 1) * step + tap for size, step, tap in zip(sizes, steps, taps, strict=True)]
    full = [size + extra for size, extra in zip(full, more, strict=True)]
    each, made_by = data.shape[1] // groups, weight.shape[1]
    result = np.zeros((data.shape[0], made_by * groups, *full), np.result_type(data, weight))
    for group in range(groups):
        part = data[:, group * each : (group + 1) * each]
        kernel = weight[group * each : (group + 1) * each]
        for tap in itertools.product(*map(range, taps)):
            place = tuple(
                slice(at, at + (size - 1) * step + 1, step)
                for at, size, step in zip(tap, sizes, steps, strict=True)
            )
            product = np.einsum("nc...,co->no...", part, kernel[(slice(None), slice(None), *tap)])
            own = slice(group * made_by, (group + 1) * made_by)
            result[(slice(None), own, *place)] += product
    cut = tuple(
        slice(head, size - tail) for head, tail, size in zip(heads, tails, full, strict=True)
    )
    return result[(slice(None), slice(None), *cut)]


def conv1d_transpose_ncw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any
) -> Any:
    """(N, C, W) with (C, O, K)."""
    return conv_transpose_python(a_np, w_np, stride, padding, output_padding)


def group_conv1d_transpose_ncw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any, groups: int = 1
) -> Any:
    """(N, C, W) with (C, O / groups, K)."""
    return conv_transpose_python(a_np, w_np, stride, padding, output_padding, groups)


def conv2d_transpose_nchw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any, groups: int = 1
) -> Any:
    """(N, C, H, W) with (C, O / groups, KH, KW)."""
    return conv_transpose_python(a_np, w_np, stride, padding, output_padding, groups)


def conv2d_transpose_nhwc_python(
    a_nhwc: Any, weight: Any, weight_format: str, stride: Any, padding: Any,
    output_padding: Any = 0,
) -> Any:  # fmt: skip
    """(N, H, W, C) with a weight whose dimensions ``weight_format`` names, such as HWIO."""
    kernel = weight.transpose([weight_format.index(letter) for letter in "IOHW"])
    moved = a_nhwc.transpose(0, 3, 1, 2)
    result = conv_transpose_python(moved, kernel, stride, padding, output_padding)
    return result.transpose(0, 2, 3, 1)


def conv3d_transpose_ncdhw_python(
    a_np: Any, w_np: Any, stride: Any, padding: Any, output_padding: Any
) -> Any:
    """(N, C, D, H, W) with (C, O, KD, KH, KW)."""
    return conv_transpose_python(a_np, w_np, stride, padding, output_padding)


def dilate_python(input_np: Any, strides: Any, dilation_value: float = 0.0) -> Any:
    """The elements ``strides`` apart."""
    shape = [
        max(0, (size - 1) * step + 1) for size, step in zip(input_np.shape, strides, strict=True)
    ]
    result = np.full(shape, dilation_value, input_np.dtype)
    result[tuple(slice(0, None, step) for step in strides)] = input_np
    return result


def winograd_matrices_python(tile_size: int, kernel_size: int) -> list[Any]:
    """(A, B, G) of F(tile_size, kernel_size), by inverting the evaluation of polynomials.

    The method is independent of the operator's: a product of polynomials is evaluated at the points
    0, 1, -1, 2, -2, 1/2, ... and at infinity, and the inverse of that matrix interpolates. The
    matrices are scaled as the operator's: B has integer polynomials, G has the denominators.
    """
    alpha = tile_size + kernel_size - 1
    points = np.array([0, 1, -1, 2, -2, 1 / 2, -1 / 2, 3, -3, 1 / 3][: alpha - 1])

    def evaluated(count: int) -> Any:
        last = np.zeros((1, count))
        last[0, -1] = 1
        return np.concatenate([points[:, None] ** np.arange(count)[None, :], last])

    scale = np.array([np.prod([p - q for q in points if q != p]) for p in points] + [1.0])
    interpolation = np.linalg.inv(evaluated(alpha)) * scale[None, :]
    return [evaluated(tile_size), interpolation, evaluated(kernel_size) / scale[:, None]]


def winograd_weight_python(kernel: Any, tile_size: int) -> Any:
    """(O, I, K, K) as (alpha, alpha, O, I)."""
    scaled = winograd_matrices_python(tile_size, kernel.shape[-1])[2]
    return np.einsum("iu,jv,ocuv->ijoc", scaled, scaled, kernel)


def correlation_nchw_python(
    data1: Any, data2: Any, kernel_size: int, max_displacement: int, stride1: int, stride2: int,
    padding: int, is_multiply: bool,
) -> Any:  # fmt: skip
    """The correlation of windows of two images, over displacements."""
    amounts = ((0, 0), (0, 0), (padding, padding), (padding, padding))
    first, second = np.pad(data1, amounts), np.pad(data2, amounts)
    radius, border = max_displacement // stride2, kernel_size // 2 + max_displacement
    batch, _, height, width = first.shape
    moves = [n * stride2 for n in range(-radius, radius + 1)]
    rows = range(max_displacement, height - border - kernel_size // 2, stride1)
    columns = range(max_displacement, width - border - kernel_size // 2, stride1)
    result = np.zeros((batch, len(moves) ** 2, len(rows), len(columns)))
    for q, i, j in np.ndindex(*result.shape[1:]):
        down, right = moves[q // len(moves)], moves[q % len(moves)]
        y, x = rows[i], columns[j]
        a = first[:, :, y : y + kernel_size, x : x + kernel_size]
        b = second[:, :, y + down : y + down + kernel_size, x + right : x + right + kernel_size]
        result[:, q, i, j] = (a * b if is_multiply else np.abs(a - b)).mean((1, 2, 3))
    return result


def dilation2d_nchw_python(
    input_np: Any, filter_np: Any, stride: int, padding: int, dilation: int
) -> Any:
    """The largest of an image and a structuring element."""
    data = np.pad(input_np, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    spans = [(size - 1) * dilation + 1 for size in filter_np.shape[1:]]
    outs = [(size - span) // stride + 1 for size, span in zip(data.shape[2:], spans, strict=True)]
    result = np.zeros((*data.shape[:2], *outs))
    for i, j in np.ndindex(*outs):
        y, x = i * stride, j * stride
        part = data[:, :, y : y + spans[0] : dilation, x : x + spans[1] : dilation]
        result[:, :, i, j] = (part + filter_np).max((2, 3))
    return result
