"""Random numbers by counting, and sparse matrices, in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np


def threefry2x32_python(key: Any, counter: Any) -> Any:
    """The blocks of Threefry-2x32 with 20 rounds, in Python's integers."""
    result = np.zeros(counter.shape, "uint32")
    mask = 2**32 - 1
    keys = [int(key[0]), int(key[1])]
    keys.append(keys[0] ^ keys[1] ^ 0x1BD11BDA)
    rotations = ((13, 15, 26, 6), (17, 29, 16, 24))
    for at in np.ndindex(*counter.shape[:-1]):
        x, y = ((int(counter[at][n]) + keys[n]) & mask for n in range(2))
        for group in range(5):
            for turn in rotations[group % 2]:
                x = (x + y) & mask
                y = (y << turn | y >> 32 - turn) & mask ^ x
            x = (x + keys[(group + 1) % 3]) & mask
            y = (y + keys[(group + 2) % 3] + group + 1) & mask
        result[at] = x, y
    return result


def _counted(gen: Any, blocks: int) -> tuple[Any, Any]:
    """The following generator, and the blocks."""
    start = int(gen[2]) | int(gen[3]) << 32
    counters = [(start + n) % 2**64 for n in range(blocks + 1)]
    pairs = np.array([(c % 2**32, c >> 32) for c in counters], "uint32")
    following = np.concatenate([gen[:2], pairs[-1]])
    return following, threefry2x32_python(gen[:2], pairs[:-1])


def threefry_generate_python(gen: Any, out_shape: Any) -> list[Any]:
    """[the next generator, words]."""
    count = int(np.prod(out_shape, dtype=int))
    following, blocks = _counted(gen, (count + 1) // 2)
    return [following, blocks.reshape(-1)[:count].reshape(out_shape)]


def threefry_split_python(gen: Any) -> list[Any]:
    """Two generators. Their keys are the Threefry blocks of two counters with a set highest bit."""
    start = int(gen[2]) | int(gen[3]) << 32
    counters = [((start + n) % 2**64) | 1 << 63 for n in range(2)]
    pairs = np.array([(c % 2**32, c >> 32) for c in counters], "uint32")
    keys = threefry2x32_python(gen[:2], pairs)
    return [np.concatenate([key, np.zeros(2, "uint32")]) for key in keys]


def _shares(words: Any, dtype: str) -> Any:
    if dtype == "float32":
        return (words[..., 0] >> 8) * 2.0**-24
    long = (words[..., 0].astype("uint64") << np.uint64(32)) | words[..., 1]
    return (long >> np.uint64(11)) * 2.0**-53


def uniform_python(gen: Any, low: Any, high: Any, out_shape: Any, out_dtype: str) -> list[Any]:
    """[the next generator, numbers from low to below high]."""
    width = 1 if out_dtype == "float32" else 2
    following, words = threefry_generate_python(gen, (*out_shape, width))
    return [following, low + (high - low) * _shares(words, out_dtype)]


def normal_python(gen: Any, mean: Any, scale: Any, out_shape: Any, out_dtype: str) -> list[Any]:
    """[the next generator, numbers of the normal distribution], by Box and Muller."""
    width = 1 if out_dtype == "float32" else 2
    following, words = threefry_generate_python(gen, (*out_shape, 2, width))
    u, v = np.moveaxis(_shares(words, out_dtype), -1, 0)
    return [following, mean + scale * np.sqrt(-2 * np.log(1 - u)) * np.cos(2 * np.pi * v)]


def sparse_matrix_python(data: Any, indices: Any, indptr: Any, columns: int) -> Any:
    """The full matrix of rows, or rows of blocks; ``columns`` of elements, or of blocks."""
    blocks = data if data.ndim == 3 else data[:, None, None]
    high, wide = blocks.shape[1:]
    rows = len(indptr) - 1
    result = np.zeros((rows * high, columns * wide), data.dtype)
    bounds = np.clip(indptr.astype("int64"), 0, len(data))
    for row in range(rows):
        for e in range(bounds[row], bounds[row + 1]):
            column = int(indices[e])
            if 0 <= column < columns:
                part = result[row * high : (row + 1) * high, column * wide : (column + 1) * wide]
                part += blocks[e]
    return result
