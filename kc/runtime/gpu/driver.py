"""The interface of a driver, and the choice between drivers.

``KC_CUDA`` selects ``bindings`` (the package cuda-bindings), ``ctypes`` (the library of the
driver),
``pycuda``, or ``emu``, the emulator without a driver. Without ``KC_CUDA``, all but the emulator are
tried in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol

from kc.support import environment
from kc.support.diagnostics import DeviceError, suggest
from kc.support.forks import fork_lock

VARIABLE = "KC_CUDA"
EMULATOR = "emu"


class DriverError(Exception):
    """An error of the driver: its number (``CUresult``), name and text; for code, also the log."""

    def __init__(
        self, function: str, number: int, name: str, text: str = "", *, log: str = ""
    ) -> None:
        super().__init__(f"{function}: {name}")
        self.function = function
        self.number = number
        self.name = name
        self.text = text
        self.log = log

    def __str__(self) -> str:
        call_text = f"{self.function}: {self.name}"
        return f"{call_text} ({self.text})" if self.text else call_text


class MissingDriverError(Exception):
    """No driver of a kind is available; the text says what is missing, ``hint`` how to get it."""

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


class CodeImage(Protocol):
    """Code for a device, in all forms that a driver may require."""

    ptx: str

    def emulated(self) -> Mapping[str, Any]:
        """The kernels as functions that a CPU runs, by name."""
        ...

    def parameters(self, kernel: str) -> Sequence[str]:
        """The LLVM types of the parameters of a kernel."""
        ...


class Driver(Protocol):
    """The CUDA driver API, as far as kc needs it; handles and addresses are numbers.

    Functions but the first ones need the context of a device on top of the stack of the thread
    (``push``). ``stream`` is a handle, 0 the default stream. Raises :class:`DriverError`.
    """

    name: str

    def version(self) -> int:
        """The newest supported CUDA version, as 12040 for 12.4."""
        ...

    def explain(self, function: str, number: int) -> DriverError:
        """The error for a code that a function of :meth:`entry_points` returned."""
        ...

    def device_count(self) -> int: ...

    def device_name(self, device: int) -> str: ...

    def device_memory(self, device: int) -> int:
        """The memory of a device, in bytes."""
        ...

    def attribute(self, device: int, attribute: int) -> int:
        """A ``CUdevice_attribute``, by its number."""
        ...

    def context(self, device: int) -> int:
        """The primary context, which libraries in this process share; kept until the end."""
        ...

    def push(self, context: int) -> None: ...

    def pop(self) -> None: ...

    def synchronize(self) -> None:
        """Wait for all work queued on the device."""
        ...

    def load(self, code: CodeImage) -> tuple[int, str]:
        """Load a module. Returns it and the messages of the PTX compiler."""
        ...

    def function(self, module: int, name: str) -> int: ...

    def function_attribute(self, function: int, attribute: int) -> int:
        """A ``CUfunction_attribute``, by its number."""
        ...

    def allow_shared(self, function: int, size: int) -> None:
        """Allow launches with ``size`` bytes of dynamic shared memory."""
        ...

    def allocate(self, size: int, stream: int | None) -> int:
        """Allocate memory; with a stream, for work queued there from now on."""
        ...

    def free(self, address: int, stream: int | None) -> None: ...

    def copy(self, target: int, source: int, size: int, stream: int) -> None:
        """Queue a copy of bytes between addresses of devices."""
        ...

    def copy_in(self, target: int, host: int, size: int, stream: int) -> None:
        """Queue a copy of bytes from the host."""
        ...

    def copy_out(self, host: int, source: int, size: int, stream: int) -> None:
        """Queue a copy of bytes to the host."""
        ...

    def create_stream(self) -> int: ...

    def destroy_stream(self, stream: int) -> None: ...

    def synchronize_stream(self, stream: int) -> None: ...

    def create_event(self, *, timing: bool) -> int: ...

    def destroy_event(self, event: int) -> None: ...

    def record(self, event: int, stream: int) -> None: ...

    def wait(self, stream: int, event: int) -> None:
        """Order work queued in the stream from now on after the event."""
        ...

    def is_over(self, event: int) -> bool: ...

    def synchronize_event(self, event: int) -> None: ...

    def milliseconds(self, begin: int, end: int) -> float:
        """The time between two events."""
        ...

    def entry_points(self) -> Mapping[str, int]:
        """The C functions in the table of ``launcher.c``, by name; ``alloc`` and ``free`` are those
        of streams.

        ``encode`` makes tensor maps; 0 if the driver has no such function.
        """
        ...


@dataclass(frozen=True)
class _Kind:
    """An access path to a driver: the module with its ``open_driver``, and its name."""

    module: str
    function: str
    title: str


KINDS = {
    "bindings": _Kind("kc.runtime.gpu.libcuda", "open_by_bindings", "cuda-bindings"),
    "ctypes": _Kind("kc.runtime.gpu.libcuda", "open_by_ctypes", "the driver's library"),
    "pycuda": _Kind("kc.runtime.gpu.with_pycuda", "open_driver", "pycuda"),
    EMULATOR: _Kind("kc.runtime.gpu.emulated", "open_driver", "the emulator"),
}
"""The values of ``KC_CUDA``."""


@dataclass(frozen=True)
class Search:
    """The result of a search for a driver: the driver, or the reason why each kind is missing, with
    hints.
    """

    driver: Driver | None
    tried: tuple[str, ...]
    hints: tuple[str, ...]


_lock = fork_lock()
_searches: dict[str, Search] = {}


def search() -> Search:
    """Search for a driver with a device, according to ``KC_CUDA``. The result is cached.

    Raises DeviceError KC6030 for an invalid value of ``KC_CUDA``.
    """
    requested = environment.read(VARIABLE)
    with _lock:
        if requested not in _searches:
            _searches[requested] = _search(requested)
        return _searches[requested]


def forget() -> None:
    """Look for drivers again when one is next needed; arrays and modules keep theirs."""
    with _lock:
        _searches.clear()


def _search(requested: str) -> Search:
    if requested and requested not in KINDS:
        raise DeviceError(
            "KC6030",
            f"{VARIABLE}={requested} does not name a driver",
            hints=suggest(requested, KINDS, "its values"),
        )
    tried: list[str] = []
    hints: list[str] = []
    for name in [requested] if requested else [kind for kind in KINDS if kind != EMULATOR]:
        kind = KINDS[name]
        open_driver: Callable[[], Driver] = getattr(import_module(kind.module), kind.function)
        try:
            driver = open_driver()
            if driver.device_count():
                return Search(driver, (), ())
            tried.append(f"{kind.title}: CUDA {version_text(driver.version())}, and no device")
        except MissingDriverError as error:
            tried.append(f"{kind.title}: {error}")
            if error.hint and error.hint not in hints and (requested or name != "pycuda"):
                hints.append(error.hint)
        except DriverError as error:
            tried.append(f"{kind.title}: {error}")
    return Search(None, tuple(tried), tuple(hints))


def version_text(version: int) -> str:
    """The text of a CUDA version, such as ``12.4``."""
    return f"{version // 1000}.{version % 1000 // 10}"


def require_driver(what: str) -> Driver:
    """The driver. Raises DeviceError KC6021 if there is none; ``what`` needs it."""
    seen = search()
    if seen.driver is None:
        raise DeviceError(
            "KC6021",
            f"{what}, but none is usable here",
            facts=seen.tried,
            hints=[
                f'{VARIABLE}={EMULATOR} in the environment, or target="cuda-emu", runs the same '
                "kernels on this CPU",
                *seen.hints,
            ],
        )
    return seen.driver
