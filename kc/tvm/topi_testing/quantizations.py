"""Numbers in few bits, and recurrences, by their definition."""

from __future__ import annotations

from typing import Any

import numpy as np


def _spread(part: Any, data: Any, axis: int, block_size: int) -> Any:
    """A scale or zero point for each element."""
    part = np.asarray(part)
    if part.size == 1:
        return part.reshape(())
    if block_size:
        return np.repeat(part, block_size, axis).take(range(data.shape[axis]), axis)
    shape = [1] * data.ndim
    shape[axis] = -1
    return part.reshape(shape)


def quantize_python(
    data: Any, scale: Any, zero_point: Any = 0, axis: int = -1, block_size: int = 0,
    out_dtype: str = "int8",
) -> Any:  # fmt: skip
    """Rounded to the nearest step, halves to even, within the type."""
    steps = np.round(data / _spread(scale, data, axis, block_size))
    limits = np.iinfo(out_dtype)
    zero = _spread(np.asarray(zero_point).astype("float64"), data, axis, block_size)
    return np.clip(steps + zero, limits.min, limits.max).astype(out_dtype)


def dequantize_python(
    data: Any, scale: Any, zero_point: Any = 0, axis: int = -1, block_size: int = 0
) -> Any:
    """The steps beyond the zero point, times their size."""
    zero = _spread(np.asarray(zero_point).astype("int64"), data, axis, block_size)
    return (data.astype("int64") - zero) * _spread(scale, data, axis, block_size)


def lstm_python(
    Xs: Any, Wi: Any, Wh: Any, Bi: Any = None, Bh: Any = None, h_init: Any = None,
    c_init: Any = None, proj: Any = None, p_i: Any = None, p_f: Any = None, p_o: Any = None,
    f_act: str = "sigmoid", g_act: str = "tanh", h_act: str = "tanh", reverse: bool = False,
    weight_layout: str = "IFGO",
) -> list[Any]:  # fmt: skip
    """(hidden states, cells) of a long short-term memory, step by step."""
    functions = {"sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh,
                 "relu": lambda x: np.maximum(x, 0)}  # fmt: skip
    f, g, h = functions[f_act], functions[g_act], functions[h_act]
    size, batch = Wh.shape[0] // 4, Xs.shape[1]
    hidden = np.zeros((batch, Wh.shape[1])) if h_init is None else h_init
    cell = np.zeros((batch, size)) if c_init is None else c_init
    hiddens, cells = [], []
    for x in Xs[::-1] if reverse else Xs:
        total = x @ Wi.T + hidden @ Wh.T
        total = total + (0 if Bi is None else Bi) + (0 if Bh is None else Bh)
        gates = {c: total[:, n * size : (n + 1) * size] for n, c in enumerate(weight_layout)}
        i = f(gates["I"] + (0 if p_i is None else p_i * cell))
        forget = f(gates["F"] + (0 if p_f is None else p_f * cell))
        cell = forget * cell + i * g(gates["G"])
        hidden = f(gates["O"] + (0 if p_o is None else p_o * cell)) * h(cell)
        hidden = hidden if proj is None else hidden @ proj.T
        hiddens.append(hidden)
        cells.append(cell)
    turn = -1 if reverse else 1
    return [np.stack(hiddens)[::turn], np.stack(cells)[::turn]]
