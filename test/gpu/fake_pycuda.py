"""`pycuda.driver` as far as kc uses it, with the signatures of its documentation (2026.1), on the
fake driver. pycuda itself is built with CUDA's toolkit, which needs more than the tests have."""

from __future__ import annotations

import builtins
import ctypes
import struct
from typing import Any

_library: Any = None


def use(library: Any) -> None:
    """Stand on this library."""
    global _library
    _library = library


class Error(Exception):
    pass


class MemoryError(Error, builtins.MemoryError):  # noqa: A001
    pass


class LogicError(Error):
    pass


class LaunchError(Error):
    pass


def _call(name: str, *arguments: Any) -> None:
    result = getattr(_library, name)(*arguments)
    if result:
        text = ctypes.c_char_p()
        _library.cuGetErrorString(result, ctypes.byref(text))
        said = f"{name.removesuffix('_v2')} failed: {(text.value or b'').decode()}"
        kinds = {2: MemoryError, 701: LaunchError}
        raise kinds.get(result, LogicError)(said)


def _get(kind: Any, name: str, *arguments: Any) -> Any:
    value = kind()
    _call(name, ctypes.byref(value), *arguments)
    return value.value


class _Enum(int):
    pass


class device_attribute:  # noqa: N801
    # Boost.Python's enumerations have the numbers that the build knew.
    values = {n: _Enum(n) for n in (1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 75, 76, 97)}


class function_attribute:  # noqa: N801
    MAX_THREADS_PER_BLOCK = _Enum(0)
    SHARED_SIZE_BYTES = _Enum(1)
    LOCAL_SIZE_BYTES = _Enum(3)
    NUM_REGS = _Enum(4)
    MAX_DYNAMIC_SHARED_SIZE_BYTES = _Enum(8)


class event_flags:  # noqa: N801
    DEFAULT = 0
    DISABLE_TIMING = 2


def init(flags: int = 0) -> None:
    _call("cuInit", flags)


def get_driver_version() -> int:
    return _get(ctypes.c_int, "cuDriverGetVersion")


class Device:
    def __init__(self, number: int) -> None:
        self.number = _get(ctypes.c_int, "cuDeviceGet", number)

    @staticmethod
    def count() -> int:
        return _get(ctypes.c_int, "cuDeviceGetCount")

    def name(self) -> str:
        text = ctypes.create_string_buffer(256)
        _call("cuDeviceGetName", text, 256, self.number)
        return text.value.decode()

    def total_memory(self) -> int:
        return _get(ctypes.c_size_t, "cuDeviceTotalMem_v2", self.number)

    def get_attribute(self, attribute: _Enum) -> int:
        assert isinstance(attribute, _Enum)
        return _get(ctypes.c_int, "cuDeviceGetAttribute", int(attribute), self.number)

    def retain_primary_context(self) -> Context:
        return Context(_get(ctypes.c_void_p, "cuDevicePrimaryCtxRetain", self.number))


class Context:
    def __init__(self, handle: int) -> None:
        self.handle = ctypes.c_void_p(handle)

    def push(self) -> None:
        _call("cuCtxPushCurrent_v2", self.handle)

    @staticmethod
    def pop() -> None:
        _get(ctypes.c_void_p, "cuCtxPopCurrent_v2")

    @staticmethod
    def synchronize() -> None:
        _call("cuCtxSynchronize")


def module_from_buffer(buffer: Any, options: Any = (), message_handler: Any = None) -> Module:
    assert list(options) == []
    info, error = (ctypes.create_string_buffer(32768) for _ in range(2))
    keys = (ctypes.c_int * 4)(3, 4, 5, 6)
    values = (ctypes.c_void_p * 4)(ctypes.addressof(info), 32768, ctypes.addressof(error), 32768)
    module = ctypes.c_void_p()
    result = _library.cuModuleLoadDataEx(ctypes.byref(module), bytes(buffer), 4, keys, values)
    if message_handler is not None:
        said = [log.raw[: values[n] or 0].decode() for log, n in ((info, 1), (error, 3))]
        message_handler(result == 0, *said)
    if result:
        raise LogicError(
            f"cuModuleLoadDataEx failed: a PTX JIT compilation failed - {error.value!r}"
        )
    return Module(module)


class Module:
    def __init__(self, handle: Any) -> None:
        self.handle = handle

    def get_function(self, name: str) -> Function:
        return Function(_get(ctypes.c_void_p, "cuModuleGetFunction", self.handle, name.encode()))


class Function:
    def __init__(self, handle: int) -> None:
        self.handle = ctypes.c_void_p(handle)
        self.arg_format = ""

    def get_attribute(self, attribute: _Enum) -> int:
        return _get(ctypes.c_int, "cuFuncGetAttribute", int(attribute), self.handle)

    def set_attribute(self, attribute: _Enum, value: int) -> None:
        _call("cuFuncSetAttribute", self.handle, int(attribute), value)

    def prepare(self, arg_types: Any, texrefs: Any = None) -> Function:
        self.arg_format = "".join(arg_types)
        return self

    def prepared_async_call(
        self, grid: Any, block: Any, stream: Stream | None, *args: Any, shared_size: int = 0
    ) -> None:
        assert isinstance(block, tuple)
        data = struct.pack(self.arg_format, *args)
        memory = ctypes.create_string_buffer(data, max(len(data), 1))
        size = ctypes.c_size_t(len(data))
        packed = (ctypes.c_void_p * 5)(1, ctypes.addressof(memory), 2, ctypes.addressof(size), None)
        sizes = *grid, *block, shared_size
        _call("cuLaunchKernel", self.handle, *sizes, _stream(stream), None, packed)


class DeviceAllocation:
    def __init__(self, address: int) -> None:
        self.address = address

    def __int__(self) -> int:
        return self.address

    def free(self) -> None:
        _call("cuMemFree_v2", ctypes.c_uint64(self.address))


def mem_alloc(bytes: int) -> DeviceAllocation:  # noqa: A002
    return DeviceAllocation(_get(ctypes.c_uint64, "cuMemAlloc_v2", ctypes.c_size_t(bytes)))


def _stream(stream: Stream | None) -> Any:
    return None if stream is None else ctypes.c_void_p(stream.handle)


def _copy(target: int, source: int, size: int, stream: Stream | None) -> None:
    to, source_address = ctypes.c_uint64(target), ctypes.c_uint64(source)
    _call("cuMemcpyAsync", to, source_address, ctypes.c_size_t(size), _stream(stream))


def memcpy_htod_async(dest: int, src: Any, stream: Stream | None = None) -> None:
    _copy(dest, ctypes.addressof(src), memoryview(src).nbytes, stream)


def memcpy_dtoh_async(dest: Any, src: int, stream: Stream | None = None) -> None:
    _copy(ctypes.addressof(dest), src, memoryview(dest).nbytes, stream)


def memcpy_dtod_async(dest: int, src: int, size: int, stream: Stream | None = None) -> None:
    _copy(dest, src, size, stream)


def _memset(width: int) -> Any:
    def fill(dest: int, data: int, size: int, stream: Stream | None = None) -> None:
        count = ctypes.c_size_t(size)
        _call(f"cuMemsetD{width}Async", ctypes.c_uint64(dest), data, count, _stream(stream))

    return fill


memset_d8_async, memset_d16_async, memset_d32_async = (_memset(width) for width in (8, 16, 32))


def memset_d2d32_async(
    dest: int, pitch: int, data: int, width: int, height: int, stream: Stream | None = None
) -> None:
    sizes = ctypes.c_size_t(width), ctypes.c_size_t(height)
    place = ctypes.c_uint64(dest), ctypes.c_size_t(pitch)
    _call("cuMemsetD2D32Async", *place, ctypes.c_uint(data), *sizes, _stream(stream))


class Stream:
    def __init__(self, flags: int = 0) -> None:
        self.handle: int = _get(ctypes.c_void_p, "cuStreamCreate", flags)

    def synchronize(self) -> None:
        _call("cuStreamSynchronize", ctypes.c_void_p(self.handle))

    def wait_for_event(self, event: Event) -> None:
        _call("cuStreamWaitEvent", ctypes.c_void_p(self.handle), event.handle, 0)


class Event:
    def __init__(self, flags: int = 0) -> None:
        self.handle = ctypes.c_void_p(_get(ctypes.c_void_p, "cuEventCreate", flags))

    def record(self, stream: Stream | None = None) -> Event:
        _call("cuEventRecord", self.handle, _stream(stream))
        return self

    def synchronize(self) -> Event:
        _call("cuEventSynchronize", self.handle)
        return self

    def query(self) -> bool:
        return _library.cuEventQuery(self.handle) == 0

    def time_since(self, event: Event) -> float:
        return _get(ctypes.c_float, "cuEventElapsedTime", event.handle, self.handle)
