"""Exchange of device memory without copies: DLPack and the CUDA array interface.

https://dmlc.github.io/dlpack/latest/python_spec.html,
https://nvidia.github.io/numba-cuda/user/cuda_array_interface.html (version 3).
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Sequence
from functools import cache
from typing import Any

from kc.runtime import dlpack
from kc.runtime.device import CPU, CUDA, HOST_MEMORY, device_name
from kc.runtime.emulator import compile_native_text
from kc.runtime.gpu.driver import EMULATOR
from kc.runtime.gpu.gpu import LEGACY_STREAM, Gpu
from kc.runtime.operand import (
    Operand,
    Place,
    Refused,
    described,
    is_dense,
    kind_of,
    library_of,
    shareable,
)
from kc.runtime.signature import DTYPES

_LEGACY, _PER_THREAD = 1, 2
"""The numbers of the default streams in both protocols; 0 is invalid."""
_PER_THREAD_STREAM = 2  # CU_STREAM_PER_THREAD


def interface_stream(stream: int) -> int:
    """The number of a stream in both protocols."""
    return _LEGACY if stream == LEGACY_STREAM else stream


# Arguments --------------------------------------------------------------------------------------


def number_of(value: Any) -> Gpu | int | None:
    """The device of an argument: its :class:`Gpu` for an array of kc, else the number of the
    device. None for an argument that is not on a GPU.
    """
    gpu = getattr(type(value), "gpu", None)
    if isinstance(gpu, Gpu):
        return gpu
    place = _placed(value)
    if place is not None:
        return place[1] if place[0] == CUDA else None
    return 0 if hasattr(value, "__cuda_array_interface__") else None


def _placed(value: Any) -> tuple[int, int] | None:
    """The result of ``__dlpack_device__``; None if it is missing or fails."""
    if not hasattr(value, "__dlpack_device__"):
        return None
    try:
        kind, number = value.__dlpack_device__()
    except Exception:
        # An error is raised again when the array itself is requested.
        return None
    return int(kind), int(number)


class DevicePlace(Place):
    """The place of a kernel and its arrays on a device."""

    device_types = (CUDA,)

    def __init__(self, gpu: Gpu) -> None:
        self.gpu = gpu

    def operand(self, value: Any) -> Operand:
        """The array in ``value``, without a copy. Raises :class:`Refused`."""
        gpu = getattr(type(value), "gpu", None)
        if gpu is self.gpu:
            return _own(value)
        if isinstance(gpu, Gpu):
            why = "a kernel reads and writes the memory of its own device"
            if gpu.driver is not self.gpu.driver:
                why = f"it was made by another driver ({gpu.driver.name})"
            raise elsewhere(f"is on {gpu}", self.gpu, why)
        return shared_operand(value, self.gpu)

    def instead(self, name: str, expression: str, library: str) -> str:
        if library not in ("kc", "torch"):
            is_cupy = "cupy" in library
            return expression.replace("np.", "cupy.") if is_cupy else f"a dense copy of {name}"
        if "torch." in expression or ".contiguous()" in expression or "kc.nd." in expression:
            return expression
        on_host = expression.replace(name, f"{name}.numpy()", 1)
        if expression.startswith("np.") and f"({name})" in expression:
            on_host = expression.replace(f"({name})", f"({name}.numpy())", 1)
        return f"kc.nd.array({on_host}, kc.{self.gpu})"

    def new(self, name: str, dtype: str) -> str:
        return f'kc.nd.empty({name}.shape, "{dtype}", kc.{self.gpu})'

    def empty(self, shape: tuple[int, ...], dtype: str, args: Sequence[Any]) -> tuple[Any, int]:
        """A new array on the device, and its address."""
        del args
        from kc.runtime.gpu.array import empty_on

        array = empty_on(self.gpu, shape, dtype)
        return array, array.address

    def foreign(self, owners: Sequence[Any]) -> list[Any]:
        """The owners of memory that kc does not free itself."""
        return [owner for owner in owners if not isinstance(getattr(type(owner), "gpu", None), Gpu)]


def elsewhere(text: str, gpu: Gpu, why: str) -> Refused:
    """The refusal of an array on another device than the kernel."""
    return Refused(
        "KC5115",
        f"{text}, the kernel runs on {gpu}",
        why=why,
        instead=f"kc.nd.array({{name}}, kc.{gpu})",
    )


def shared_operand(value: Any, gpu: Gpu) -> Operand:
    """An array of another library on the device. Raises :class:`Refused`."""
    import numpy as np

    host = "a GPU reads and writes its own memory"
    if isinstance(value, np.ndarray):
        raise elsewhere("is in host memory", gpu, host)
    if hasattr(value, "__dlpack__") and (place := _placed(value)) is not None:
        if place[0] in HOST_MEMORY:
            raise elsewhere("is in host memory", gpu, host)
        if place != (CUDA, gpu.number):
            why = "a kernel reads and writes the memory of its own device"
            raise elsewhere(f"is on {device_name(*place)}", gpu, why)
        return _by_dlpack(value, gpu)
    if hasattr(value, "__cuda_array_interface__"):
        return _by_interface(value, gpu)
    raise Refused(
        "KC5103",
        f"is {'None' if value is None else kind_of(value)}, expected an array on {gpu}",
        why="a kernel on a GPU takes kc.nd arrays, objects with __dlpack__ and objects with "
        "__cuda_array_interface__",
        instead=None if value is None else f"kc.nd.array({{name}}, kc.{gpu})",
    )


def _own(array: Any) -> Operand:
    inner = array._array
    return Operand(
        address=inner.__array_interface__["data"][0],
        dtype=array.dtype,
        shape=inner.shape,
        strides=inner.strides,
        dense=True,
        byte_order=None,
        read_only="its producer shared it read-only" if array._readonly else None,
        owner=array,
        source=array,
    )


def _by_dlpack(value: Any, gpu: Gpu) -> Operand:
    stream = interface_stream(gpu.stream)
    try:
        view = dlpack.read(dlpack.export(value, stream=stream))
    except Exception as error:
        # Whatever the producer raises is its reason for not sharing.
        raise Refused(
            "KC5116",
            f"cannot be shared: {kind_of(value)}.__dlpack__ failed",
            why=f"{type(error).__name__}: {error}",
            instead=shareable(value, error),
            shares=library_of(value) == "torch",
        ) from error
    return described(view, value)


def _by_interface(value: Any, gpu: Gpu) -> Operand:
    """An array by ``__cuda_array_interface__``."""
    import numpy as np

    try:
        interface = value.__cuda_array_interface__
        dtype = np.dtype(interface["typestr"])
        shape = tuple(int(extent) for extent in interface["shape"])
        address, readonly = interface["data"]
        strides = interface.get("strides")
        masked = interface.get("mask") is not None
        stream = interface.get("stream")
    except Exception as error:
        # Whatever the producer raises is its reason for not sharing.
        raise Refused(
            "KC5116",
            f"cannot be shared: {kind_of(value)}.__cuda_array_interface__ failed",
            why=f"{type(error).__name__}: {error}",
        ) from error
    if masked:
        raise Refused(
            "KC5117",
            "is a masked array",
            why="a kernel would compute with the masked elements as well",
        )
    if stream is not None:
        numbered = {_LEGACY: LEGACY_STREAM, _PER_THREAD: _PER_THREAD_STREAM}
        gpu.order(numbered.get(int(stream), int(stream)), gpu.stream)
    if strides is None:
        steps = [dtype.itemsize]
        for extent in shape[:0:-1]:
            steps.append(steps[-1] * extent)
        strides = tuple(reversed(steps)) if shape else ()
    return Operand(
        address=int(address or 0),
        dtype=dtype.name,
        shape=shape,
        strides=tuple(strides),
        dense=is_dense(shape, tuple(strides), dtype.itemsize),
        byte_order=None if dtype.isnative else "byte-swapped",
        read_only="its producer shared it read-only" if readonly else None,
        owner=value,
        source=value,
    )


# DLPack ------------------------------------------------------------------------------------------

_exported: dict[int, tuple[Any, ...]] = {}
"""The objects behind capsules, by the address of their tensor, until they are released."""

_Deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


@_Deleter
def _delete(tensor: int, pop: Any = _exported.pop) -> None:
    pop(tensor, None)  # bound here, as it outlives the names of this module


_DESTRUCTOR = r"""
@plain = internal constant [9 x i8] c"dltensor\00"
@versioned = internal constant [19 x i8] c"dltensor_versioned\00"

define void @kc_give_back(ptr %capsule) {{
entry:
  %error = alloca [3 x ptr]
  %value = getelementptr ptr, ptr %error, i64 1
  %trace = getelementptr ptr, ptr %error, i64 2
  %is_plain = call i32 {PyCapsule_IsValid}(ptr %capsule, ptr @plain)
  %is_versioned = call i32 {PyCapsule_IsValid}(ptr %capsule, ptr @versioned)
  %either = or i32 %is_plain, %is_versioned
  %is_left = icmp ne i32 %either, 0
  br i1 %is_left, label %left, label %done
left:
  %which = icmp ne i32 %is_plain, 0
  %name = select i1 %which, ptr @plain, ptr @versioned
  call void {PyErr_Fetch}(ptr %error, ptr %value, ptr %trace)
  %tensor = call ptr {PyCapsule_GetPointer}(ptr %capsule, ptr %name)
  call void {delete}(ptr %tensor)
  %type = load ptr, ptr %error
  %object = load ptr, ptr %value
  %traceback = load ptr, ptr %trace
  call void {PyErr_Restore}(ptr %type, ptr %object, ptr %traceback)
  br label %done
done:
  ret void
}}
"""


@cache
def _destructor() -> int:
    """The address of the destructor for capsules that nobody consumed.

    It is no Python function: a consumer that refuses a capsule (numpy, for device memory) drops it
    with its error set, and Python code must not run then. Its code and the deleter are never freed,
    as capsules and consumers may outlive this module at the end of the process.
    """
    names = ("PyCapsule_IsValid", "PyCapsule_GetPointer", "PyErr_Fetch", "PyErr_Restore")
    functions = {name: getattr(ctypes.pythonapi, name) for name in names}
    functions["delete"] = _delete
    addresses = {
        name: f"inttoptr (i64 {ctypes.cast(function, ctypes.c_void_p).value} to ptr)"
        for name, function in functions.items()
    }
    engine = compile_native_text(_DESTRUCTOR.format(**addresses))
    address = engine.get_function_address("kc_give_back")
    engine.detach()
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_delete))
    return address


_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi)
)


def export(array: Any, max_version: tuple[int, int] | None, *, readonly: bool) -> Any:
    """A DLPack capsule of a kc array on a device, which it keeps alive.

    Raises BufferError for a read-only array if the consumer's protocol cannot express that.
    """
    versioned = max_version is not None and max_version[0] >= 1
    if readonly and not versioned:
        raise BufferError("the array is read-only, which DLPack before 1.0 cannot say")
    shape = array.shape
    extents = (ctypes.c_int64 * max(len(shape), 1))(*shape)
    strides = (ctypes.c_int64 * max(len(shape), 1))(
        *(math.prod(shape[n + 1 :]) for n in range(len(shape)))
    )
    dtype = DTYPES[array.dtype]
    tensor = (
        array.address,
        *array.__dlpack_device__(),
        len(shape),
        dtype.code,
        8 * dtype.size,
        1,
        ctypes.addressof(extents),
        ctypes.addressof(strides),
        0,
    )
    deleter = ctypes.cast(_delete, ctypes.c_void_p).value
    if versioned:
        form, name = dlpack.VERSIONED, b"dltensor_versioned"
        memory = form.pack(*dlpack.MAX_VERSION, 0, deleter, dlpack.READ_ONLY * readonly, *tensor)
    else:
        form, name = dlpack.PLAIN_WITH_DELETER, b"dltensor"
        memory = form.pack(*tensor, 0, deleter)
    buffer = ctypes.create_string_buffer(memory, len(memory))
    address = ctypes.addressof(buffer)
    _exported[address] = (array, buffer, extents, strides)
    return _new(address, name, _destructor())


class EmulatedPlace(Place):
    """The place of kernels in the emulator: the CPU, whose memory holds the arrays of the emulated
    device.
    """

    device_types = (CPU, CUDA)

    def operand(self, value: Any) -> Operand:
        """The array in ``value``, without a copy. Raises :class:`Refused`."""
        return _own(value) if _is_emulated(value) else super().operand(value)

    def empty(self, shape: tuple[int, ...], dtype: str, args: Sequence[Any]) -> tuple[Any, int]:
        """A new array in the place of the call's arrays, and its address."""
        for value in args:
            if _is_emulated(value):
                return DevicePlace(type(value).gpu).empty(shape, dtype, args)
        return super().empty(shape, dtype, args)


EMULATED = EmulatedPlace()


def _is_emulated(value: Any) -> bool:
    gpu = getattr(type(value), "gpu", None)
    return isinstance(gpu, Gpu) and gpu.driver.name == EMULATOR
