"""Arrays by name as bytes: the format of TVM's ``save_param_dict``, which runs nothing when read.

All numbers are little-endian::

    u64 0xF7E58D4F05049CB7, u64 0
    u64 count, for each name: u64 length, its bytes
    u64 count, for each array:
        u64 0xDD5E40F096B4A13F, u64 0
        i32 kind of device, i32 its number (the CPU: 1, 0)
        i32 rank, u8 kind of dtype, u8 its bits, u16 lanes, i64 sizes
        i64 bytes, the elements
"""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kc.runtime.array import NDArray, array
from kc.runtime.device import CPU, Device
from kc.runtime.native import numpy_dtype
from kc.runtime.signature import DTYPES
from kc.support.diagnostics import CallError

_LIST, _ARRAY = 0xF7E58D4F05049CB7, 0xDD5E40F096B4A13F
_CODES = {(dtype.code, 8 * dtype.size): dtype.name for dtype in DTYPES.values()} | {
    (6, 8): "bool",
    (1, 1): "bool",  # as TVM writes it
}
MOST_DIMENSIONS = 64


def save_param_dict(params: Mapping[str, Any]) -> bytes:
    """Arrays (numpy's, kc.nd's, or anything with DLPack) by name as bytes.

    Raises the errors of :func:`kc.nd.array` for what is no array.
    """
    parts = [struct.pack("<QQQ", _LIST, 0, len(params))]
    for name in params:
        data = name.encode()
        parts += [struct.pack("<Q", len(data)), data]
    parts.append(struct.pack("<Q", len(params)))
    for value in params.values():
        tensor = value if isinstance(value, NDArray) else array(value)
        dtype, elements = DTYPES[tensor.dtype], tensor.numpy()
        head = struct.pack(
            "<QQiiiBBH", _ARRAY, 0, CPU, 0, elements.ndim, dtype.code, 8 * dtype.size, 1
        )
        data = elements.tobytes()
        parts += [head, struct.pack(f"<{elements.ndim}qq", *elements.shape, len(data)), data]
    return b"".join(parts)


def load_param_dict(data: bytes | bytearray | memoryview) -> dict[str, NDArray]:
    """The arrays by name in the bytes of :func:`save_param_dict`, of kc or of TVM.

    Raises CallError KC5143 for other bytes.
    """
    reader = _Reader(bytes(data))
    reader.expect(_LIST, "no list of arrays begins here")
    names = [reader.take(reader.number()) for _ in range(reader.count(8))]
    count = reader.count(32)
    if count != len(names):
        raise _damaged(f"there are {len(names)} names and {count} arrays")
    arrays = [reader.array() for _ in range(count)]
    try:
        return {name.decode(): each for name, each in zip(names, arrays, strict=True)}
    except UnicodeDecodeError:
        raise _damaged("a name is not text") from None


def save_param_dict_to_file(params: Mapping[str, Any], path: str | os.PathLike[str]) -> None:
    """Write the bytes of :func:`save_param_dict` to a file."""
    from kc.support.files import write_output

    write_output(os.fspath(path), save_param_dict(params))


def load_param_dict_from_file(path: str | os.PathLike[str]) -> dict[str, NDArray]:
    """The arrays in a file of :func:`save_param_dict_to_file`. Raises CallError KC5143."""
    return load_param_dict(Path(path).read_bytes())


class _Reader:
    """Reads numbers and bytes in order. Raises CallError KC5143 where they end too early."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def take(self, count: int) -> bytes:
        end = self.position + count
        if end > len(self.data):
            raise _damaged(f"there are {len(self.data)} bytes, and {end} are needed")
        part = self.data[self.position : end]
        self.position = end
        return part

    def unpack(self, form: str) -> tuple[Any, ...]:
        return struct.unpack(f"<{form}", self.take(struct.calcsize(f"<{form}")))

    def number(self) -> int:
        return self.unpack("Q")[0]

    def count(self, least: int) -> int:
        """The number of parts that follow, each of at least ``least`` bytes."""
        count = self.number()
        if count * least > len(self.data) - self.position:
            raise _damaged(f"{count} parts cannot follow in {len(self.data)} bytes")
        return count

    def expect(self, magic: int, why: str) -> None:
        if self.unpack("QQ")[0] != magic:
            raise _damaged(why)

    def array(self) -> NDArray:
        import numpy as np

        self.expect(_ARRAY, "no array begins here")
        _, _, rank, code, bits, lanes = self.unpack("iiiBBH")
        dtype = _CODES.get((code, bits))
        if not 0 <= rank <= MOST_DIMENSIONS or dtype is None or lanes != 1:
            raise _damaged(f"an array of {rank} dimensions and elements {code}, {bits}, {lanes}")
        *shape, size = self.unpack(f"{rank}qq")
        element = DTYPES[dtype]
        if any(dim < 0 for dim in shape) or math.prod(shape) * element.size != size:
            raise _damaged(f"an array of shape {shape} of {dtype} has {size} bytes")
        kind = numpy_dtype(dtype) or np.dtype(f"uint{8 * element.size}")
        elements = np.frombuffer(self.take(size), kind).reshape(shape).copy()
        return NDArray(elements, Device(CPU), dtype)


def _damaged(why: str) -> CallError:
    return CallError(
        "KC5143",
        "the bytes of parameters are damaged",
        why=why,
        hints=["kc.runtime.save_param_dict(params) makes them"],
    )
