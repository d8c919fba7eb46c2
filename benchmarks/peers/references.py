"""The operands of the ten operators, and numpy's results for them."""

from __future__ import annotations

import math

import numpy as np


def arrays() -> dict[str, list[np.ndarray]]:
    """The inputs, the same in each process, and an output array, all aligned to 64 bytes, like the
    arrays of TVM.
    """
    rng = np.random.default_rng(0)

    def empty(*shape: int) -> np.ndarray:
        count = math.prod(shape)
        memory = np.zeros(count + 16, np.float32)
        start = -memory.ctypes.data % 64 // 4
        return memory[start : start + count].reshape(shape)

    def random(*shape: int) -> np.ndarray:
        array = empty(*shape)
        array[...] = rng.standard_normal(shape, dtype=np.float32)
        return array

    return {
        "add": [random(1 << 20), random(1 << 20), empty(1 << 20)],
        "gelu": [random(1024, 1024), empty(1024, 1024)],
        "transpose": [random(1024, 512), empty(512, 1024)],
        "sum_rows": [random(1024, 1024), empty(1024)],
        "softmax": [random(1024, 1024), empty(1024, 1024)],
        "layer_norm": [random(1024, 768), random(768), random(768), empty(1024, 768)],
        "matmul": [random(1024, 1024), random(1024, 1024), empty(1024, 1024)],
        "conv2d": [random(1, 56, 56, 64), random(3, 3, 64, 64), empty(1, 56, 56, 64)],
        "depthwise_conv2d": [random(1, 58, 58, 256), random(3, 3, 256), empty(1, 56, 56, 256)],
        "max_pool2d": [random(1, 112, 112, 64), empty(1, 56, 56, 64)],
    }


def _windows(x: np.ndarray, size: int) -> np.ndarray:
    return np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(1, 2))


def _layer_norm(x: np.ndarray, g: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b


def _softmax(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def expected() -> dict[str, np.ndarray]:
    """The result that each operator should give, in float64."""
    functions = {
        "add": lambda a, b: a + b,
        "gelu": lambda x: 0.5 * x * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3))),
        "transpose": lambda x: x.T,
        "sum_rows": lambda x: x.sum(1),
        "softmax": _softmax,
        "layer_norm": _layer_norm,
        "matmul": lambda a, b: a @ b,
        "conv2d": lambda x, w: np.einsum(
            "nhvrpq,pqrc->nhvc",
            _windows(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0))), 3),
            w,
            optimize=True,
        ),
        "depthwise_conv2d": lambda x, w: np.einsum("nhvcpq,pqc->nhvc", _windows(x, 3), w),
        "max_pool2d": lambda x: x.reshape(1, 56, 2, 56, 2, 64).max((2, 4)),
    }
    return {
        name: functions[name](*(operand.astype(np.float64) for operand in operands[:-1]))
        for name, operands in arrays().items()
    }
