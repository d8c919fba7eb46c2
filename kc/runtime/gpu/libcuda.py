"""The CUDA driver through its C functions.

Their addresses come from the library itself (ctypes), or from NVIDIA's package cuda-bindings, which
knows the location of the library and the versions of its functions.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from typing import Any

from kc.runtime.gpu.driver import CodeImage, DriverError, MissingDriverError

_INT, _UINT, _SIZE, _POINTER = ctypes.c_int, ctypes.c_uint, ctypes.c_size_t, ctypes.c_void_p
_ADDRESS = ctypes.c_uint64
_TEXT = ctypes.c_char_p

LIBRARIES = ("libcuda.so.1", "nvcuda.dll")
"""The driver's library on Linux and on Windows."""

# Function -> its types, the suffix of this version, and the CUDA version that introduced it.
_FUNCTIONS: Mapping[str, tuple[tuple[Any, ...], str, int]] = {
    "cuInit": ((_UINT,), "", 2000),
    "cuDriverGetVersion": ((_POINTER,), "", 2020),
    "cuGetErrorName": ((_INT, _POINTER), "", 6000),
    "cuGetErrorString": ((_INT, _POINTER), "", 6000),
    "cuDeviceGetCount": ((_POINTER,), "", 2000),
    "cuDeviceGet": ((_POINTER, _INT), "", 2000),
    "cuDeviceGetName": ((_TEXT, _INT, _INT), "", 2000),
    "cuDeviceTotalMem": ((_POINTER, _INT), "_v2", 3020),
    "cuDeviceGetAttribute": ((_POINTER, _INT, _INT), "", 2000),
    "cuDevicePrimaryCtxRetain": ((_POINTER, _INT), "", 7000),
    "cuCtxPushCurrent": ((_POINTER,), "_v2", 4000),
    "cuCtxPopCurrent": ((_POINTER,), "_v2", 4000),
    "cuCtxSynchronize": ((), "", 2000),
    "cuModuleLoadDataEx": ((_POINTER, _TEXT, _UINT, _POINTER, _POINTER), "", 2010),
    "cuModuleGetFunction": ((_POINTER, _POINTER, _TEXT), "", 2000),
    "cuFuncGetAttribute": ((_POINTER, _INT, _POINTER), "", 2020),
    "cuFuncSetAttribute": ((_POINTER, _INT, _INT), "", 9000),
    "cuLaunchKernel": ((_POINTER, *[_UINT] * 7, _POINTER, _POINTER, _POINTER), "", 4000),
    "cuMemAlloc": ((_POINTER, _SIZE), "_v2", 3020),
    "cuMemFree": ((_ADDRESS,), "_v2", 3020),
    "cuMemcpyAsync": ((_ADDRESS, _ADDRESS, _SIZE, _POINTER), "", 4000),
    "cuMemsetD8Async": ((_ADDRESS, ctypes.c_ubyte, _SIZE, _POINTER), "", 3020),
    "cuMemsetD16Async": ((_ADDRESS, ctypes.c_ushort, _SIZE, _POINTER), "", 3020),
    "cuMemsetD32Async": ((_ADDRESS, _UINT, _SIZE, _POINTER), "", 3020),
    "cuMemsetD2D32Async": ((_ADDRESS, _SIZE, _UINT, _SIZE, _SIZE, _POINTER), "", 3020),
    "cuStreamCreate": ((_POINTER, _UINT), "", 2000),
    "cuStreamDestroy": ((_POINTER,), "_v2", 4000),
    "cuStreamSynchronize": ((_POINTER,), "", 2000),
    "cuStreamWaitEvent": ((_POINTER, _POINTER, _UINT), "", 3020),
    "cuEventCreate": ((_POINTER, _UINT), "", 2000),
    "cuEventDestroy": ((_POINTER,), "_v2", 4000),
    "cuEventRecord": ((_POINTER, _POINTER), "", 2000),
    "cuEventQuery": ((_POINTER,), "", 2000),
    "cuEventSynchronize": ((_POINTER,), "", 2000),
    "cuEventElapsedTime": ((_POINTER, _POINTER, _POINTER), "", 2000),
}
# Drivers before CUDA 11.2 lack these.
_OF_STREAMS: Mapping[str, tuple[tuple[Any, ...], str, int]] = {
    "cuMemAllocAsync": ((_POINTER, _SIZE, _POINTER), "", 11020),
    "cuMemFreeAsync": ((_ADDRESS, _POINTER), "", 11020),
}

# Drivers before CUDA 12 do not have this.
_OF_MAPS: Mapping[str, tuple[tuple[Any, ...], str, int]] = {
    "cuTensorMapEncodeTiled": (
        (_POINTER, _INT, _UINT, *[_POINTER] * 5, *[_INT] * 4),
        "",
        12000,
    ),
}

_NOT_READY = 600
_NON_BLOCKING = 1  # CU_STREAM_NON_BLOCKING
_NO_TIMING = 2  # CU_EVENT_DISABLE_TIMING
_MOST_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_LOG_BYTES = 16384
# CUjit_option: INFO_LOG_BUFFER and its size, ERROR_LOG_BUFFER and its size, LOG_VERBOSE.
_JIT_OPTIONS = (3, 4, 5, 6, 12)

FindFunction = Callable[[str, str, int], int]
"""The address of a function by its name, the suffix of its version, and the CUDA version that
introduced it; 0 if the driver lacks it.
"""


def open_by_ctypes() -> CudaDriver:
    """The driver, by its library. Raises MissingDriverError."""
    library = next(filter(None, map(_open_library, LIBRARIES)), None)
    if library is None:
        raise MissingDriverError(
            f"{LIBRARIES[0]} is not found", "NVIDIA's driver brings the library libcuda"
        )

    def find(name: str, suffix: str, version: int) -> int:
        del version
        function = getattr(library, name + suffix, None)
        return 0 if function is None else ctypes.cast(function, _POINTER).value or 0

    return CudaDriver("ctypes", find, library)


def _open_library(name: str) -> ctypes.CDLL | None:
    """A library by its name; None if it is missing."""
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def open_by_bindings() -> CudaDriver:
    """The driver found by NVIDIA's package cuda-bindings. Raises MissingDriverError."""
    try:
        from cuda.bindings import driver  # pyright: ignore
    except ImportError as error:
        missing = (getattr(error, "name", None) or "").split(".")[0] == "cuda"
        why = "it is not installed" if missing else f"it cannot be imported: {error}"
        raise MissingDriverError(
            why, "pip install 'kc-compiler[cuda]' brings cuda-bindings"
        ) from None

    def find(name: str, suffix: str, version: int) -> int:
        del suffix
        try:
            error, address, *_ = driver.cuGetProcAddress(name.encode(), version, 0)
        except Exception as reason:
            # The package raises its own errors for a missing library.
            raise MissingDriverError(
                f"it finds no driver: {reason}".split("\n")[0],
                "NVIDIA's driver brings the library libcuda",
            ) from None
        return 0 if int(error) else int(address)

    return CudaDriver("bindings", find, driver)


class CudaDriver:
    """The driver, by the addresses of its C functions."""

    def __init__(self, name: str, find: FindFunction, keep_alive: Any) -> None:
        self.name = name
        self._keep_alive = keep_alive
        self._addresses: dict[str, int] = {}
        self._functions: dict[str, Any] = {}
        missing: list[str] = []
        for function, (types, suffix, version) in {**_FUNCTIONS, **_OF_STREAMS, **_OF_MAPS}.items():
            address = find(function, suffix, version)
            if address:
                self._addresses[function] = address
                self._functions[function] = ctypes.CFUNCTYPE(_INT, *types)(address)
            elif function in _FUNCTIONS:
                missing.append(function)
        if missing:
            raise MissingDriverError(
                f"the driver has no {', '.join(missing[:3])}", "install a newer driver"
            )
        self._call("cuInit", 0)

    # Calls

    def _call(self, function: str, *arguments: Any) -> None:
        result = self._functions[function](*arguments)
        if result:
            raise self._error(function, result)

    def explain(self, function: str, number: int) -> DriverError:
        return self._error(function, number)

    def _error(self, function: str, result: int, log: str = "") -> DriverError:
        words = [self._word(which, result) for which in ("cuGetErrorName", "cuGetErrorString")]
        return DriverError(function, result, words[0] or f"error {result}", words[1], log=log)

    def _word(self, function: str, result: int) -> str:
        text = ctypes.c_char_p()
        if self._functions[function](result, ctypes.byref(text)) or text.value is None:
            return ""
        return text.value.decode()

    def _get(self, kind: Any, function: str, *arguments: Any) -> Any:
        value = kind()
        self._call(function, ctypes.byref(value), *arguments)
        return value.value or 0

    # Devices

    def version(self) -> int:
        return self._get(_INT, "cuDriverGetVersion")

    def device_count(self) -> int:
        return self._get(_INT, "cuDeviceGetCount")

    def _device(self, number: int) -> int:
        return self._get(_INT, "cuDeviceGet", number)

    def device_name(self, device: int) -> str:
        text = ctypes.create_string_buffer(256)
        self._call("cuDeviceGetName", text, len(text), self._device(device))
        return text.value.decode()

    def device_memory(self, device: int) -> int:
        return self._get(_SIZE, "cuDeviceTotalMem", self._device(device))

    def attribute(self, device: int, attribute: int) -> int:
        return self._get(_INT, "cuDeviceGetAttribute", attribute, self._device(device))

    def context(self, device: int) -> int:
        return self._get(_POINTER, "cuDevicePrimaryCtxRetain", self._device(device))

    def push(self, context: int) -> None:
        self._call("cuCtxPushCurrent", context)

    def pop(self) -> None:
        self._get(_POINTER, "cuCtxPopCurrent")

    def synchronize(self) -> None:
        self._call("cuCtxSynchronize")

    # Code

    def load(self, code: CodeImage) -> tuple[int, str]:
        info, error = (ctypes.create_string_buffer(_LOG_BYTES) for _ in range(2))
        options = (_INT * len(_JIT_OPTIONS))(*_JIT_OPTIONS)
        addresses = (ctypes.addressof(info), _LOG_BYTES, ctypes.addressof(error), _LOG_BYTES, 1)
        values = (_POINTER * len(_JIT_OPTIONS))(*addresses)
        module = _POINTER()
        result = self._functions["cuModuleLoadDataEx"](
            ctypes.byref(module), code.ptx.encode(), len(options), options, values
        )
        if result:
            raise self._error("cuModuleLoadDataEx", result, error.value.decode(errors="replace"))
        return module.value or 0, info.value.decode(errors="replace")

    def function(self, module: int, name: str) -> int:
        return self._get(_POINTER, "cuModuleGetFunction", module, name.encode())

    def function_attribute(self, function: int, attribute: int) -> int:
        return self._get(_INT, "cuFuncGetAttribute", attribute, function)

    def allow_shared(self, function: int, size: int) -> None:
        self._call("cuFuncSetAttribute", function, _MOST_SHARED, size)

    # Memory

    def allocate(self, size: int, stream: int | None) -> int:
        if stream is None:
            return self._get(_ADDRESS, "cuMemAlloc", size)
        return self._get(_ADDRESS, "cuMemAllocAsync", size, stream)

    def free(self, address: int, stream: int | None) -> None:
        if stream is None:
            self._call("cuMemFree", address)
        else:
            self._call("cuMemFreeAsync", address, stream)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        self._call("cuMemcpyAsync", target, source, size, stream)

    # An address identifies its device.
    copy_in = copy_out = copy

    # Streams and events

    def create_stream(self) -> int:
        return self._get(_POINTER, "cuStreamCreate", _NON_BLOCKING)

    def destroy_stream(self, stream: int) -> None:
        self._call("cuStreamDestroy", stream)

    def synchronize_stream(self, stream: int) -> None:
        self._call("cuStreamSynchronize", stream)

    def create_event(self, *, timing: bool) -> int:
        return self._get(_POINTER, "cuEventCreate", 0 if timing else _NO_TIMING)

    def destroy_event(self, event: int) -> None:
        self._call("cuEventDestroy", event)

    def record(self, event: int, stream: int) -> None:
        self._call("cuEventRecord", event, stream)

    def wait(self, stream: int, event: int) -> None:
        self._call("cuStreamWaitEvent", stream, event, 0)

    def is_over(self, event: int) -> bool:
        result = self._functions["cuEventQuery"](event)
        if result not in (0, _NOT_READY):
            raise self._error("cuEventQuery", result)
        return result == 0

    def synchronize_event(self, event: int) -> None:
        self._call("cuEventSynchronize", event)

    def milliseconds(self, begin: int, end: int) -> float:
        return self._get(ctypes.c_float, "cuEventElapsedTime", begin, end)

    def entry_points(self) -> Mapping[str, int]:
        return {
            "push": self._addresses["cuCtxPushCurrent"],
            "pop": self._addresses["cuCtxPopCurrent"],
            "launch": self._addresses["cuLaunchKernel"],
            "alloc": self._addresses.get("cuMemAllocAsync", 0),
            "free": self._addresses.get("cuMemFreeAsync", 0),
            "copy": self._addresses["cuMemcpyAsync"],
            "set8": self._addresses["cuMemsetD8Async"],
            "set16": self._addresses["cuMemsetD16Async"],
            "set32": self._addresses["cuMemsetD32Async"],
            "set_rows": self._addresses["cuMemsetD2D32Async"],
            "wait": self._addresses["cuStreamSynchronize"],
            "encode": self._addresses.get("cuTensorMapEncodeTiled", 0),
        }
