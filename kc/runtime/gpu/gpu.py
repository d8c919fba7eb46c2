"""A device: its primary context, its current stream, its memory, and objects kept for queued work.

Queued work runs later. Memory of kc's arrays is freed in the order of the stream, after all other
streams known to kc. External memory is kept until an event after the last call that uses it.
"""

from __future__ import annotations

import contextlib
import ctypes
import operator
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from kc.runtime.gpu.driver import Driver, DriverError, require_driver
from kc.support.diagnostics import DeviceError
from kc.support.forks import fork_lock

# CUdevice_attribute.
MAX_THREADS = 1
MAX_BLOCK = (2, 3, 4)
MAX_GRID = (5, 6, 7)
SHARED_PER_BLOCK = 8
WARP_SIZE = 10
CLOCK_KHZ = 13
MULTIPROCESSORS = 16
CAPABILITY = (75, 76)
SHARED_OPT_IN = 97
MEMORY_POOLS = 115

OUT_OF_MEMORY = 2
NOT_INITIALIZED = 3
DEINITIALIZED = 4
_STICKY = {700, 702, 710, 714, 715, 716, 717, 718, 719}
"""Errors of a kernel that make the context unusable."""

LEGACY_STREAM = 0


class Table(ctypes.Structure):
    """The data of a device and of a module's kernels for ``launcher.c``."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in ("push", "pop", "launch", "alloc", "free", "copy")),
        *((name, ctypes.c_void_p) for name in ("set8", "set16", "set32", "set_rows", "wait")),
        ("encode", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in ("context", "stream", "limits", "kernels")),
    )


class Gpu:
    """A device by its number in the driver; made by :func:`gpu_of`."""

    def __init__(self, driver: Driver, number: int) -> None:
        self.driver = driver
        self.number = number
        self.context = driver.context(number)
        self._stream = ctypes.c_uint64(LEGACY_STREAM)
        self._used = {LEGACY_STREAM}
        """Streams that something of kc may be queued in."""
        self._created: set[int] = set()
        """Those of :meth:`create_stream` that have not ended."""
        self._pending: deque[tuple[int, Any]] = deque()
        self._events: list[int] = []
        self._lock = fork_lock()
        self._callbacks: list[Any] = []
        self.limits = (ctypes.c_int64 * 7)(
            *(self.attribute(which) for which in (*MAX_GRID, *MAX_BLOCK, MAX_THREADS))
        )
        self.has_pools = bool(self.attribute(MEMORY_POOLS))

    def __repr__(self) -> str:
        return f"cuda({self.number})"

    # Facts about the device

    def attribute(self, which: int) -> int:
        """A ``CUdevice_attribute``."""
        return self.driver.attribute(self.number, which)

    @cached_property
    def capability(self) -> int:
        """The compute capability as in ``sm_90``."""
        major, minor = (self.attribute(which) for which in CAPABILITY)
        return 10 * major + minor

    # Calls of the driver

    @contextlib.contextmanager
    def active(self, doing: str) -> Iterator[None]:
        """The context for driver calls. An error of the driver becomes DeviceError KC6031."""
        try:
            self.driver.push(self.context)
            try:
                yield
            finally:
                self.driver.pop()
        except DriverError as error:
            raise self.failure(doing, error) from None

    def failure(self, doing: str, error: DriverError, facts: tuple[str, ...] = ()) -> DeviceError:
        """The message for an error of the driver."""
        hints: list[str] = []
        why = error.text or None
        if error.number == OUT_OF_MEMORY:
            total = self.driver.device_memory(self.number)
            facts = (*facts, f"the device has {total / 2**20:,.0f} MiB, of which some is in use")
            hints.append("free arrays (del x), or take the memory that another library caches back")
        elif error.number in _STICKY:
            hints.append(
                "kc.gpu.check(module, ...) with the same arguments finds the access: it runs the "
                "kernel on this CPU"
            )
            why = f"{error.text or error.name}: a kernel that ran before did it, and the context "
            why += "is of no use from then on"
        elif error.number == NOT_INITIALIZED:
            hints.append("a child of fork cannot use the GPU of its parent: start it by spawn")
        cause = f"{error.function}: {error.name}" if error.function else error.name
        return DeviceError(
            "KC6031", f"{doing} on {self}: {cause}", facts=facts, why=why, hints=hints
        )

    # Streams

    @property
    def stream(self) -> int:
        """The current stream, in which kernels, copies and allocations are queued."""
        return self._stream.value

    @stream.setter
    def stream(self, stream: int) -> None:
        stream = self._handle(stream)
        with self._lock:
            if stream not in self._used:
                # Memory allocated before is available to the new stream, too.
                self.order(self.stream, stream)
                self._used.add(stream)
            self._stream.value = stream

    def _handle(self, stream: Any) -> int:
        """The handle of a stream. Raises DeviceError KC6206 for an invalid one."""
        try:
            handle = operator.index(stream)
        except TypeError:
            handle = -1
        if not 0 <= handle < 1 << 64 or isinstance(stream, bool):
            raise DeviceError(
                "KC6206",
                f"{self}: {stream!r} is not a stream",
                why="a stream is a number: what create_raw_stream returns, 0 for the default "
                "stream, or the handle of another library's",
                hints=["torch.cuda.current_stream().cuda_stream is such a handle"],
            )
        return handle

    def create_stream(self) -> int:
        with self.active("a new stream"):
            stream = self.driver.create_stream()
        with self._lock:
            self._created.add(stream)
        return stream

    def destroy_stream(self, stream: int) -> None:
        """Wait for a stream, and destroy it; if it is the current one, the default stream becomes
        current.

        Raises DeviceError KC6206 for a stream that :meth:`create_stream` did not create, or that
        was destroyed.
        """
        stream = self._handle(stream)
        with self._lock:
            if stream not in self._created:
                raise DeviceError(
                    "KC6206",
                    f"{self}: stream {stream} cannot be freed",
                    why="it is not from create_raw_stream, or was already freed",
                    hints=[
                        "a stream of another library is freed there"
                        if stream
                        else "leave it out: 0 is the default stream, which is not freed"
                    ],
                )
            self._created.discard(stream)
            if self.stream == stream:
                self._stream.value = LEGACY_STREAM
            self._used.discard(stream)
        with self.active("the end of a stream"):
            self.driver.synchronize_stream(stream)
            self.driver.destroy_stream(stream)

    def synchronize(self, stream: int | None = None) -> None:
        """Wait for all queued work, or for that of one stream."""
        stream = None if stream is None else self._handle(stream)
        with self.active("waiting"):
            if stream is None:
                self.driver.synchronize()
            else:
                self.driver.synchronize_stream(stream)
        self.release()

    def order(self, first: int, then: int) -> None:
        """Order work queued in ``then`` from now on after the work in ``first``."""
        first, then = self._handle(first), self._handle(then)
        if first == then:
            return
        with self.active("an event"):
            self._order(first, then)

    def _order(self, first: int, then: int) -> None:
        event = self._event()
        try:
            self.driver.record(event, first)
            self.driver.wait(then, event)
        finally:
            self._events.append(event)  # a wait refers to the event's last record

    def _event(self) -> int:
        with self._lock:
            return self._events.pop() if self._events else self.driver.create_event(timing=False)

    # Memory

    def allocate(self, size: int) -> int:
        """Allocate memory for work queued from now on, in any stream known to kc; 0 for no bytes.

        Raises DeviceError KC6031.
        """
        if size == 0:
            return 0
        self.release()
        with self.active(f"{size:,} bytes of memory"), self._lock:
            if not self.has_pools:
                return self.driver.allocate(size, None)
            current = self.stream
            address = self.driver.allocate(size, current)
            for stream in self._used - {current}:
                self._order(current, stream)
            return address

    def free(self, address: int, *, shared: bool) -> None:
        """Free memory after all queued work.

        ``shared``: the address was passed to other code, which may have queued work in its own
        streams.
        """
        if not address:
            return
        with contextlib.suppress(DriverError):  # the process, or the context, is at its end
            self.driver.push(self.context)
            try:
                if shared or not self.has_pools:
                    self.driver.synchronize()
                with self._lock:
                    current = self.stream
                    for stream in self._used - {current}:
                        self._order(stream, current)
                self.driver.free(address, current if self.has_pools else None)
            finally:
                self.driver.pop()

    def copy(self, target: int, source: int, size: int) -> None:
        """Copy bytes on the device in the order of the stream."""
        self._copy(self.driver.copy, target, source, size, wait=False)

    def copy_in(self, target: int, host: int, size: int) -> None:
        """Copy bytes from the host in stream order, and wait."""
        self._copy(self.driver.copy_in, target, host, size, wait=True)

    def copy_out(self, host: int, source: int, size: int) -> None:
        """Copy bytes to the host in stream order, and wait."""
        self._copy(self.driver.copy_out, host, source, size, wait=True)

    def _copy(
        self, copies: Callable[..., None], target: int, source: int, size: int, *, wait: bool
    ) -> None:
        if size == 0:
            return
        with self.active(f"a copy of {size:,} bytes"):
            copies(target, source, size, self.stream)
            if wait:
                self.driver.synchronize_stream(self.stream)

    # Objects kept for queued work

    def keep(self, owners: Any) -> None:
        """Keep owners of memory until the work now in the stream is done."""
        with self.active("an event"):
            event = self._event()
            self.driver.record(event, self.stream)
        with self._lock:
            self._pending.append((event, owners))

    def release(self) -> None:
        """Release owners whose work is done."""
        with self._lock:
            if not self._pending:
                return
            done: list[Any] = []
            with self.active("an event"):
                while self._pending and self.driver.is_over(self._pending[0][0]):
                    event, owners = self._pending.popleft()
                    self._events.append(event)
                    done.append(owners)
        del done

    # Launches

    def table(self, kernels: Any) -> Table:
        """The table of a module; ``kernels`` is the array with the data of its kernels."""
        points = dict(self.driver.entry_points())
        if not self.has_pools:
            points |= self._without_pools
        return Table(
            **points,
            context=self.context,
            stream=ctypes.addressof(self._stream),
            limits=ctypes.addressof(self.limits),
            kernels=ctypes.addressof(kernels),
        )

    @cached_property
    def _without_pools(self) -> Mapping[str, int]:
        """Allocation for devices that have none by streams."""

        def allocate(place: Any, size: int, stream: int | None) -> None:
            del stream
            place[0] = self.driver.allocate(size, None)

        def free(address: int, stream: int | None) -> None:
            self.driver.synchronize_stream(stream or 0)
            self.driver.free(address, None)

        types = ctypes.POINTER(ctypes.c_uint64), ctypes.c_size_t, ctypes.c_void_p
        functions = {
            "alloc": driver_callback(allocate, *types),
            "free": driver_callback(free, ctypes.c_uint64, ctypes.c_void_p),
        }
        self._callbacks += functions.values()
        return {
            name: ctypes.cast(function, ctypes.c_void_p).value or 0
            for name, function in functions.items()
        }


def driver_callback(function: Callable[..., None], *types: Any) -> Any:
    """A C function in the driver's convention: returns 0, or the error number that ``function``
    raised.
    """

    def call(*arguments: Any) -> int:
        try:
            function(*arguments)
        except DriverError as error:
            return error.number or -1
        return 0

    return ctypes.CFUNCTYPE(ctypes.c_int, *types)(call)


_lock = fork_lock()
_gpus: dict[tuple[int, int], Gpu] = {}


def gpu_of(number: int, what: str) -> Gpu:
    """The device with a number.

    Raises DeviceError KC6021 without a driver (``what`` needs one), KC6201 if it has no such
    device.
    """
    driver = require_driver(what)
    with _lock:
        gpu = _gpus.get((id(driver), number))
        if gpu is None:
            count = driver.device_count()
            if not 0 <= number < count:
                raise DeviceError(
                    "KC6201",
                    f"there is no device cuda({number})",
                    facts=[f"found: {devices_text(count)}"],
                    hints=["kc.cuda(0)"],
                )
            gpu = _gpus[id(driver), number] = Gpu(driver, number)  # which keeps the driver
        return gpu


def devices_text(count: int) -> str:
    """The existing devices, as text."""
    return "cuda(0)" if count == 1 else f"cuda(0) to cuda({count - 1})"
