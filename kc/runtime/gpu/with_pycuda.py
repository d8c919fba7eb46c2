"""The CUDA driver by pycuda, with numbers for its objects.

pycuda exposes no C functions: launches, and allocations within a call, go through Python.
"""

from __future__ import annotations

import ctypes
import struct
import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from kc.runtime.gpu.driver import CodeImage, DriverError, MissingDriverError
from kc.runtime.gpu.gpu import driver_callback
from kc.support.forks import fork_lock

_FORMATS = {"ptr": "Q", "i1": "?", "i8": "b", "i16": "h", "half": "H", "bfloat": "H", "i32": "i"}
_FORMATS |= {"i64": "q", "float": "f", "double": "d"}
_MOST_SHARED = "MAX_DYNAMIC_SHARED_SIZE_BYTES"
_FUNCTION_ATTRIBUTES = {
    0: "MAX_THREADS_PER_BLOCK",
    1: "SHARED_SIZE_BYTES",
    3: "LOCAL_SIZE_BYTES",
    4: "NUM_REGS",
}
_NO_MEMORY_POOLS = 115
_UNKNOWN = 999
_INVALID_HANDLE = 400
_NUMBERS = {
    "out of memory": 2,
    "an illegal memory access was encountered": 700,
    "misaligned address": 716,
    "unspecified launch failure": 719,
}
"""kc's error numbers by the driver's error names; pycuda has no numbers."""


def open_driver() -> PycudaDriver:
    """The driver. Raises MissingDriverError if pycuda, or a driver, is missing."""
    try:
        from pycuda import driver  # pyright: ignore
    except ImportError as error:
        missing = getattr(error, "name", None) == "pycuda"
        why = "it is not installed" if missing else f"it cannot be imported: {error}"
        raise MissingDriverError(
            why, "pip install 'kc-compiler[pycuda]' builds pycuda with CUDA's toolkit"
        ) from None
    return PycudaDriver(driver)


class _Handles:
    """Objects by numbers; 0 is the default stream, or nothing."""

    def __init__(self) -> None:
        self._objects: dict[int, Any] = {}
        self._lock = fork_lock()
        self._next = 1

    def add(self, value: Any) -> int:
        with self._lock:
            number, self._next = self._next, self._next + 1
            self._objects[number] = value
            return number

    def get(self, number: int) -> Any:
        return self._objects[number]

    def remove(self, number: int) -> Any:
        return self._objects.pop(number)


class PycudaDriver:
    """The driver, by the objects of ``pycuda.driver``."""

    name = "pycuda"

    def __init__(self, driver: Any) -> None:
        self._driver = driver
        self._handles = _Handles()
        self._streams: dict[int, Any] = {}
        """pycuda's streams by their handles: it has no objects for those of others."""
        self._last = threading.local()
        self._memory: dict[int, Any] = {}
        self._formats: dict[int, str] = {}
        self._types: dict[int, CodeImage] = {}
        self._does("init", driver.init)

    def _does(self, name: str, function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        """Call pycuda and convert its errors to :class:`DriverError`."""
        try:
            return function(*arguments, **named)
        except self._driver.Error as error:
            message = str(error)
            number = _NUMBERS.get(message.partition(" failed: ")[2], _UNKNOWN)
            raise self._refusal(name, number, type(error).__name__, message) from None

    def _refusal(self, function: str, number: int, name: str, text: str) -> DriverError:
        """An error whose text is kept for :meth:`explain`, as only its number passes through C."""
        self._last.words = number, name, text
        return DriverError(function, number, name, text)

    def version(self) -> int:
        return self._does("cuDriverGetVersion", self._driver.get_driver_version)

    def explain(self, function: str, number: int) -> DriverError:
        """The text of pycuda's last error in this thread, if it has this number."""
        last, *words = getattr(self._last, "words", (None,))
        return DriverError(function, number, *(words if last == number else [f"error {number}"]))

    # Devices

    def device_count(self) -> int:
        return self._does("cuDeviceGetCount", self._driver.Device.count)

    def _device(self, number: int) -> Any:
        return self._does("cuDeviceGet", self._driver.Device, number)

    def device_name(self, device: int) -> str:
        return self._does("cuDeviceGetName", self._device(device).name)

    def device_memory(self, device: int) -> int:
        return self._does("cuDeviceTotalMem", self._device(device).total_memory)

    def attribute(self, device: int, attribute: int) -> int:
        if attribute == _NO_MEMORY_POOLS:
            return 0  # pycuda's allocation is by no stream
        which = self._driver.device_attribute.values.get(attribute)
        if which is None:
            return 0  # built with an older CUDA
        return self._does("cuDeviceGetAttribute", self._device(device).get_attribute, which)

    def context(self, device: int) -> int:
        return self._handles.add(
            self._does("cuDevicePrimaryCtxRetain", self._device(device).retain_primary_context)
        )

    def push(self, context: int) -> None:
        self._does("cuCtxPushCurrent", self._handles.get(context).push)

    def pop(self) -> None:
        self._does("cuCtxPopCurrent", self._driver.Context.pop)

    def synchronize(self) -> None:
        self._does("cuCtxSynchronize", self._driver.Context.synchronize)

    # Code

    def load(self, code: CodeImage) -> tuple[int, str]:
        logs: list[str] = []

        def note(compiled: bool, info: str, error: str) -> None:
            logs[:] = [info if compiled else error or info]

        try:
            module = self._does(
                "cuModuleLoadDataEx",
                self._driver.module_from_buffer,
                code.ptx.encode() + b"\0",
                message_handler=note,
            )
        except DriverError as error:
            error.log = "".join(logs)
            raise
        number = self._handles.add(module)
        self._types[number] = code
        return number, "".join(logs)

    def function(self, module: int, name: str) -> int:
        function = self._does("cuModuleGetFunction", self._handles.get(module).get_function, name)
        types = self._types[module].parameters(name)
        form = "".join(_FORMATS[kind] for kind in types)
        self._does("the types of a kernel", function.prepare, form)
        number = self._handles.add(function)
        self._formats[number] = form
        return number

    def function_attribute(self, function: int, attribute: int) -> int:
        which = getattr(self._driver.function_attribute, _FUNCTION_ATTRIBUTES[attribute])
        return self._does("cuFuncGetAttribute", self._handles.get(function).get_attribute, which)

    def allow_shared(self, function: int, size: int) -> None:
        which = getattr(self._driver.function_attribute, _MOST_SHARED)
        self._does("cuFuncSetAttribute", self._handles.get(function).set_attribute, which, size)

    # Memory

    def allocate(self, size: int, stream: int | None) -> int:
        memory = self._does("cuMemAlloc", self._driver.mem_alloc, size)
        self._memory[int(memory)] = memory
        return int(memory)

    def free(self, address: int, stream: int | None) -> None:
        self._does("cuMemFree", self._memory.pop(address).free)

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        copies = self._driver.memcpy_dtod_async
        self._does("cuMemcpyDtoDAsync", copies, target, source, size, self._stream(stream))

    def copy_in(self, target: int, host: int, size: int, stream: int) -> None:
        copies, memory = self._driver.memcpy_htod_async, _bytes_at(host, size)
        self._does("cuMemcpyHtoDAsync", copies, target, memory, self._stream(stream))

    def copy_out(self, host: int, source: int, size: int, stream: int) -> None:
        copies, memory = self._driver.memcpy_dtoh_async, _bytes_at(host, size)
        self._does("cuMemcpyDtoHAsync", copies, memory, source, self._stream(stream))

    # Streams and events

    def _stream(self, stream: int) -> Any:
        """The pycuda stream with the handle ``stream``; None for the default stream."""
        if stream and stream not in self._streams:
            raise self._refusal(
                "pycuda",
                _INVALID_HANDLE,
                "CUDA_ERROR_INVALID_HANDLE",
                f"stream {stream} is of another library, and pycuda queues nothing in such streams",
            )
        return self._streams.get(stream)

    def create_stream(self) -> int:
        stream = self._does("cuStreamCreate", self._driver.Stream, 1)
        self._streams[int(stream.handle)] = stream
        return int(stream.handle)

    def destroy_stream(self, stream: int) -> None:
        del self._streams[stream]

    def synchronize_stream(self, stream: int) -> None:
        if stream in self._streams:
            self._does("cuStreamSynchronize", self._stream(stream).synchronize)
        else:
            self.synchronize()

    def create_event(self, *, timing: bool) -> int:
        flags = 0 if timing else self._driver.event_flags.DISABLE_TIMING
        return self._handles.add(self._does("cuEventCreate", self._driver.Event, flags))

    def destroy_event(self, event: int) -> None:
        self._handles.remove(event)

    def record(self, event: int, stream: int) -> None:
        if stream and stream not in self._streams:
            self.synchronize()  # it completes the work of that stream, too
            stream = 0
        self._does("cuEventRecord", self._handles.get(event).record, self._stream(stream))

    def wait(self, stream: int, event: int) -> None:
        if stream in self._streams:
            waits = self._stream(stream).wait_for_event
            self._does("cuStreamWaitEvent", waits, self._handles.get(event))
        else:
            self.synchronize_event(event)  # pycuda has no object for the stream

    def is_over(self, event: int) -> bool:
        return self._does("cuEventQuery", self._handles.get(event).query)

    def synchronize_event(self, event: int) -> None:
        self._does("cuEventSynchronize", self._handles.get(event).synchronize)

    def milliseconds(self, begin: int, end: int) -> float:
        ends = self._handles.get(end)
        return self._does("cuEventElapsedTime", ends.time_since, self._handles.get(begin))

    # Launches

    def entry_points(self) -> Mapping[str, int]:
        return {
            name: ctypes.cast(function, ctypes.c_void_p).value or 0
            for name, function in self._callbacks.items()
        }

    @cached_property
    def _callbacks(self) -> Mapping[str, Any]:
        address, size, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
        unsigned = ctypes.c_uint

        def launch(function: int, *arguments: Any) -> None:
            *sizes, shared, stream, places, _ = arguments
            values = _values(self._formats[function], places)
            self._does(
                "cuLaunchKernel",
                self._handles.get(function).prepared_async_call,
                tuple(sizes[:3]),
                tuple(sizes[3:]),
                self._stream(stream or 0),
                *values,
                shared_size=shared,
            )

        def fill(width: int) -> Callable[..., None]:
            function = getattr(self._driver, f"memset_d{width}_async")

            def run(to: int, value: int, count: int, stream: int | None) -> None:
                name = f"cuMemsetD{width}Async"
                self._does(name, function, to, value, count, self._stream(stream or 0))

            return run

        def fill_rows(
            to: int, pitch: int, value: int, width: int, rows: int, stream: int | None
        ) -> None:
            function = self._driver.memset_d2d32_async
            queue = self._stream(stream or 0)
            self._does("cuMemsetD2D32Async", function, to, pitch, value, width, rows, queue)

        def copy(to: int, source: int, count: int, stream: int | None) -> None:
            self.copy(to, source, count, stream or 0)

        return {
            "push": driver_callback(self.push, pointer),
            "pop": driver_callback(lambda _: self.pop(), ctypes.POINTER(pointer)),
            "launch": driver_callback(
                launch, pointer, *[unsigned] * 7, pointer, ctypes.POINTER(pointer), pointer
            ),
            "copy": driver_callback(copy, address, address, size, pointer),
            "set8": driver_callback(fill(8), address, ctypes.c_ubyte, size, pointer),
            "set16": driver_callback(fill(16), address, ctypes.c_ushort, size, pointer),
            "set32": driver_callback(fill(32), address, unsigned, size, pointer),
            "set_rows": driver_callback(fill_rows, address, size, unsigned, size, size, pointer),
            "wait": driver_callback(lambda stream: self.synchronize_stream(stream or 0), pointer),
        }


def _bytes_at(address: int, size: int) -> Any:
    return (ctypes.c_uint8 * size).from_address(address)


def _values(form: str, places: Any) -> list[Any]:
    """The parameters of a launch, read from these addresses."""
    values: list[Any] = []
    for n, letter in enumerate(form):
        kind = struct.Struct(letter)
        values.append(kind.unpack(ctypes.string_at(places[n], kind.size))[0])
    return values
