"""No driver: a device whose memory is the host's, and whose kernels the CPU runs.

What is queued is done at once. Its limits are those of an ``sm_90``.
"""

from __future__ import annotations

import ctypes
import os
import time
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from kc.runtime.emulator import ensure_emulator
from kc.runtime.gpu import gpu
from kc.runtime.gpu.driver import EMULATOR, CodeImage, DriverError
from kc.runtime.gpu.gpu import driver_callback
from kc.support.diagnostics import CallError
from kc.support.forks import fork_lock

_ALIGNMENT = 256  # CUDA's alignment of allocations
_ATTRIBUTES = {
    gpu.MAX_THREADS: 1024,
    **dict(zip(gpu.MAX_BLOCK, (1024, 1024, 64), strict=True)),
    **dict(zip(gpu.MAX_GRID, (2**31 - 1, 65535, 65535), strict=True)),
    gpu.SHARED_PER_BLOCK: 48 * 1024,
    gpu.SHARED_OPT_IN: 227 * 1024,
    gpu.WARP_SIZE: 32,
    **dict(zip(gpu.CAPABILITY, (9, 0), strict=True)),
    gpu.MEMORY_POOLS: 1,
    gpu.CLOCK_KHZ: 0,
}
_SIZES = {"ptr": 8, "i1": 1, "i8": 1, "i16": 2, "half": 2, "bfloat": 2, "i32": 4, "float": 4}
MAP = "[128 x i8]"
"""The type of a tensor map, which kernels are passed by value."""
_INVALID_VALUE = 1
_FIRST_REFUSAL = 1 << 20
"""Error numbers from here on are no CUDA errors: each represents a refusal of the emulator."""
_NUMBERS = 7  # of the grid and of a block, and the shared memory


def open_driver() -> EmulatedDriver:
    """The emulator, which always exists."""
    return EmulatedDriver()


class _Function:
    """A kernel: its code, and the types of its parameters."""

    def __init__(self, code: Any, types: tuple[str, ...]) -> None:
        self.code = code
        self.types = types

    def run(self, sizes: tuple[int, ...], parameters: Any) -> None:
        """Run all blocks. ``parameters`` are the addresses of the parameters."""
        words = (ctypes.c_uint64 * (len(self.types) + _NUMBERS))()
        for n, kind in enumerate(self.types):
            if kind == MAP:
                words[n] = parameters[n]
                continue
            place = ctypes.addressof(words) + 8 * n
            ctypes.memmove(place, parameters[n], _SIZES.get(kind, 8))
        words[len(self.types) :] = list(sizes)
        self.code.call_with_slots(words)


class EmulatedDriver:
    """The emulator, as a driver with one device."""

    name = EMULATOR

    def __init__(self) -> None:
        self._memory: dict[int, Any] = {}
        self._modules: list[Mapping[str, _Function]] = []
        self._functions: list[_Function] = []
        self._events: dict[int, float] = {}
        self._refusals: dict[int, CallError] = {}
        self._lock = fork_lock()
        self._next = 1

    def version(self) -> int:
        return 12000

    def explain(self, function: str, number: int) -> DriverError:
        """The driver error for a number. Raises CallError KC6308 if it represents a deadlock in the
        emulator.
        """
        if number in self._refusals:
            raise self._refusals.pop(number)
        return DriverError(function, number, f"error {number}")

    def device_count(self) -> int:
        return 1

    def device_name(self, device: int) -> str:
        return "the emulator, on this CPU"

    def device_memory(self, device: int) -> int:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")

    def attribute(self, device: int, attribute: int) -> int:
        if attribute == gpu.MULTIPROCESSORS:
            return os.cpu_count() or 1
        return _ATTRIBUTES[attribute]

    def context(self, device: int) -> int:
        return 1

    def push(self, context: int) -> None:
        pass

    def pop(self) -> None:
        pass

    def synchronize(self) -> None:
        pass

    # Code

    def load(self, code: CodeImage) -> tuple[int, str]:
        functions = {
            name: _Function(kernel, tuple(code.parameters(name)))
            for name, kernel in code.emulated().items()
        }
        with self._lock:
            self._modules.append(functions)
            return len(self._modules), ""

    def function(self, module: int, name: str) -> int:
        with self._lock:
            self._functions.append(self._modules[module - 1][name])
            return len(self._functions)

    def function_attribute(self, function: int, attribute: int) -> int:
        return 1024 if attribute == 0 else 0

    def allow_shared(self, function: int, size: int) -> None:
        pass

    # Memory

    def allocate(self, size: int, stream: int | None) -> int:
        try:
            memory = (ctypes.c_uint8 * (size + _ALIGNMENT))()
        except MemoryError:
            raise DriverError("allocate", gpu.OUT_OF_MEMORY, "out of memory") from None
        address = -(-ctypes.addressof(memory) // _ALIGNMENT) * _ALIGNMENT
        self._memory[address] = memory
        return address

    def free(self, address: int, stream: int | None) -> None:
        if self._memory.pop(address, None) is None:
            raise DriverError("free", _INVALID_VALUE, "an address that was not allocated")

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        ctypes.memmove(target, source, size)

    copy_in = copy_out = copy

    # Streams and events

    def _handle(self) -> int:
        with self._lock:
            self._next += 1
            return self._next

    def create_stream(self) -> int:
        return self._handle()

    def destroy_stream(self, stream: int) -> None:
        pass

    def synchronize_stream(self, stream: int) -> None:
        pass

    def create_event(self, *, timing: bool) -> int:
        event = self._handle()
        self._events[event] = 0.0
        return event

    def destroy_event(self, event: int) -> None:
        del self._events[event]

    def record(self, event: int, stream: int) -> None:
        self._events[event] = time.perf_counter()

    def wait(self, stream: int, event: int) -> None:
        pass

    def is_over(self, event: int) -> bool:
        return True

    def synchronize_event(self, event: int) -> None:
        pass

    def milliseconds(self, begin: int, end: int) -> float:
        return 1000 * (self._events[end] - self._events[begin])

    # Launches

    def run(self, function: int, sizes: tuple[int, ...], parameters: Any) -> None:
        """Run a kernel: sizes of the grid, of a block, and bytes of dynamic shared memory.

        Raises DriverError, which :meth:`explain` explains.
        """
        try:
            self._functions[function - 1].run(sizes, parameters)
        except CallError as error:
            with self._lock:
                number = _FIRST_REFUSAL + self._next
                self._next += 1
                self._refusals[number] = error
            raise DriverError("launch", number, error.code) from None

    def entry_points(self) -> Mapping[str, int]:
        points = {
            name: ctypes.cast(function, ctypes.c_void_p).value or 0
            for name, function in self._callbacks.items()
        }
        return {**points, "encode": ensure_emulator()["kc_emu_encode"]}

    @cached_property
    def _callbacks(self) -> Mapping[str, Any]:
        address, size, pointer = ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p
        unsigned = ctypes.c_uint

        def launch(function: int, *arguments: Any) -> None:
            *sizes, _, parameters, _ = arguments
            self.run(function, tuple(sizes), parameters)

        def allocate(place: Any, count: int, stream: int | None) -> None:
            place[0] = self.allocate(count, stream)

        def fill(to: int, value: int, width: int, count: int) -> None:
            data = value.to_bytes(width, "little") * count
            ctypes.memmove(to, data, len(data))

        def fill_rows(to: int, pitch: int, value: int, width: int, rows: int, _: Any) -> None:
            for row in range(rows):
                fill(to + row * pitch, value, 4, width)

        return {
            "push": driver_callback(lambda _: None, pointer),
            "pop": driver_callback(lambda _: None, ctypes.POINTER(pointer)),
            "launch": driver_callback(
                launch, pointer, *[unsigned] * 7, pointer, ctypes.POINTER(pointer), pointer
            ),
            "alloc": driver_callback(allocate, ctypes.POINTER(address), size, pointer),
            "free": driver_callback(self.free, address, pointer),
            "copy": driver_callback(self.copy, address, address, size, pointer),
            "set8": driver_callback(
                lambda to, value, count, _: fill(to, value, 1, count),
                *(address, ctypes.c_ubyte, size, pointer),
            ),
            "set16": driver_callback(
                lambda to, value, count, _: fill(to, value, 2, count),
                *(address, ctypes.c_ushort, size, pointer),
            ),
            "set32": driver_callback(
                lambda to, value, count, _: fill(to, value, 4, count),
                *(address, unsigned, size, pointer),
            ),
            "set_rows": driver_callback(fill_rows, address, size, unsigned, size, size, pointer),
            "wait": driver_callback(lambda _: None, pointer),
        }
