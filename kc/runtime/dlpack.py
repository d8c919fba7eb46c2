"""Reader of ``__dlpack__`` capsules: the address and layout of memory.

Only the description is read. The capsule is kept without being consumed: as long as it lives, its
producer keeps the memory, and its own destructor frees it.
"""

from __future__ import annotations

import ctypes
import struct
from functools import cache
from typing import Any, NamedTuple

MAX_VERSION = (1, 0)

READ_ONLY = 1
_IS_COPIED = 2

# DLTensor: data, device type and id, rank, dtype (code, bits, lanes), shape, strides, byte_offset.
_TENSOR = "PiiiBBHPPQ"
# DLManagedTensor starts with its tensor. DLManagedTensorVersioned starts with the version
# (major, minor), context, deleter and flags.
_PLAIN = struct.Struct(_TENSOR)
VERSIONED = struct.Struct(f"IIPPQ{_TENSOR}")
PLAIN_WITH_DELETER = struct.Struct(f"{_TENSOR}PP")
"""The whole of a DLManagedTensor: the tensor, its manager's context, and its deleter."""


class DLPackView(NamedTuple):
    """A tensor as described by its producer. ``strides`` count elements; None means dense.

    ``readonly`` is None if the producer uses the protocol before 1.0, which does not express it.
    """

    address: int
    device_type: int
    device_id: int
    code: int
    bits: int
    lanes: int
    shape: tuple[int, ...]
    strides: tuple[int, ...] | None
    readonly: bool | None
    copied: bool
    capsule: Any


def export(obj: Any, stream: int | None = None) -> Any:
    """A DLPack capsule of ``obj`` without a copy, for any version of the protocol.

    ``stream`` is the stream of the consumer on a device. Raises the producer's own errors, and
    BufferError for a torch tensor whose elements are the negatives of the memory.
    """
    if (is_neg := getattr(obj, "is_neg", None)) is not None and is_neg():
        # torch keeps z.conj().imag so, and exports the memory without a word.
        raise BufferError("its negative bit is set: its elements are those in memory, negated")
    queue = {} if stream is None else {"stream": stream}
    for options in ({"max_version": MAX_VERSION, "copy": False}, {"max_version": MAX_VERSION}):
        try:
            return obj.__dlpack__(**options, **queue)
        except TypeError:
            # The producer knows an earlier protocol, without these arguments; a TypeError with
            # another cause comes again below.
            continue
    return obj.__dlpack__(**queue)


@cache
def _capsule_functions() -> tuple[Any, Any]:
    def function(name: str, result: Any) -> Any:
        prototype = ctypes.PYFUNCTYPE(result, ctypes.py_object, ctypes.c_char_p)
        return prototype((name, ctypes.pythonapi))

    return (
        function("PyCapsule_IsValid", ctypes.c_int),
        function("PyCapsule_GetPointer", ctypes.c_void_p),
    )


def read(capsule: Any) -> DLPackView:
    """The tensor that a fresh capsule describes. Raises ValueError for other objects, newer
    versions, and tensors without memory, such as torch's fake tensors.
    """
    is_valid, get_pointer = _capsule_functions()
    readonly, copied = None, False
    if is_valid(capsule, b"dltensor_versioned"):
        memory = ctypes.string_at(get_pointer(capsule, b"dltensor_versioned"), VERSIONED.size)
        major, minor, _, _, flags, *tensor = VERSIONED.unpack(memory)
        if major > MAX_VERSION[0]:
            raise ValueError(f"DLPack {major}.{minor}, at most {MAX_VERSION[0]}.x is known")
        readonly, copied = bool(flags & READ_ONLY), bool(flags & _IS_COPIED)
    elif is_valid(capsule, b"dltensor"):
        memory = ctypes.string_at(get_pointer(capsule, b"dltensor"), _PLAIN.size)
        tensor = _PLAIN.unpack(memory)
    else:
        raise ValueError("__dlpack__() gave no fresh DLPack capsule")
    data, device_type, device_id, rank, code, bits, lanes, shape, strides, offset = tensor
    if not data and all(_extents(shape, rank)):
        raise ValueError("it has a shape, and no memory: its elements are nowhere")
    return DLPackView(
        data + offset,
        device_type,
        device_id,
        code,
        bits,
        lanes,
        _extents(shape, rank),
        _extents(strides, rank) if strides else None,
        readonly,
        copied,
        capsule,
    )


def _extents(address: int, rank: int) -> tuple[int, ...]:
    return struct.unpack(f"{rank}q", ctypes.string_at(address, 8 * rank)) if rank else ()


def with_code(capsule: Any, code: int) -> Any:
    """A fresh capsule whose elements are reinterpreted as another type of their width, by its
    DLPack code.
    """
    is_valid, get_pointer = _capsule_functions()
    versioned = is_valid(capsule, b"dltensor_versioned")
    name, form = (b"dltensor_versioned", VERSIONED) if versioned else (b"dltensor", _PLAIN)
    tensor = get_pointer(capsule, name) + form.size - _PLAIN.size
    # After the data pointer, the device's two numbers and the rank.
    ctypes.c_uint8.from_address(tensor + struct.calcsize("Piii")).value = code
    return capsule
