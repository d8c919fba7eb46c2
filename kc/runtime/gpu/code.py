"""PTX on a device, and the errors of launches."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from kc.runtime.gpu.driver import EMULATOR, DriverError, version_text
from kc.runtime.gpu.gpu import SHARED_OPT_IN, SHARED_PER_BLOCK, Gpu, Table
from kc.support.diagnostics import DeviceError, Location
from kc.support.forks import fork_lock

# CUfunction_attribute.
_MAX_THREADS = 0
_SHARED_BYTES = 1
_LOCAL_BYTES = 3
_REGISTERS = 4

_NEEDS_ASKING = 48 * 1024
"""The number of bytes of shared memory that a kernel can use without opt-in (CUDA C++ Programming
Guide).
"""

# The newest PTX that a driver reads, by its CUDA (PTX ISA, release notes); later ones read all.
_PTX_OF_CUDA = (
    *((11000 + 10 * minor, 70 + minor) for minor in range(9)),
    *((12000, 80), (12010, 81), (12020, 82), (12030, 83), (12040, 84), (12050, 85), (12060, 85)),
    *((12070, 86), (12080, 87), (12090, 88), (13000, 90), (13010, 91)),
)

RECORD_WORDS = 16
_DRIVER, _LIMIT, _UNALIGNED = 1, 2, 3
_FUNCTIONS = ("the launch of {kernel}", "memory for a result in between", "giving memory back")
_FUNCTIONS += ("a copy", "a fill", "waiting", "a tensor map")
_LIMITS = ("gridDim.x", "gridDim.y", "gridDim.z", "blockDim.x", "blockDim.y", "blockDim.z")
_THREADS, _SHARED = 6, 7


class KernelEntry(ctypes.Structure):
    """The data of a kernel for ``launcher.c``."""

    _fields_ = (
        ("function", ctypes.c_void_p),
        ("most_threads", ctypes.c_int64),
        ("most_shared", ctypes.c_int64),
    )


@dataclass(frozen=True)
class KernelResources:
    """The resources of a kernel from the driver's compiler: registers and local bytes of a thread
    (spills and arrays that are not in registers), and static shared bytes of a block.
    """

    name: str
    registers: int
    local_bytes: int
    shared_bytes: int
    most_threads: int


class DeviceCode:
    """The PTX of a module, with the data and functions that a call needs.

    ``arch`` is the architecture, such as ``sm_90``, with the suffix ``a`` if the code runs on that
    architecture alone. ``kernels`` maps the names of kernels, in the order of their numbers, to the
    types of their parameters as LLVM writes them. ``host`` returns the host code: functions by
    name, and the JIT compiler for the code of calls. ``emulated`` returns the kernels as functions
    of the CPU. ``located`` returns the PTX with the source lines of the program.
    """

    def __init__(
        self,
        ptx: str,
        arch: str,
        kernels: Mapping[str, Sequence[str]],
        host: Callable[[], Any],
        emulated: Callable[[], Mapping[str, Any]],
        located: Callable[[], str],
    ) -> None:
        self.ptx = ptx
        self.located = located
        self.arch = arch
        self.kernels = kernels
        self._host = host
        self._emulated = emulated
        self._loaded: dict[Gpu, LoadedCode] = {}
        self._lock = fork_lock()

    @cached_property
    def host(self) -> Any:
        """The host code, compiled at the first call."""
        return self._host()

    def emulated(self) -> Mapping[str, Any]:
        """The kernels as functions that a CPU runs, by name."""
        return self._emulated()

    def parameters(self, kernel: str) -> Sequence[str]:
        """The types of the parameters of a kernel."""
        return self.kernels[kernel]

    def on(self, gpu: Gpu) -> LoadedCode:
        """The code on a device; loaded once. Raises DeviceError KC6032 to KC6034."""
        with self._lock:
            if gpu not in self._loaded:
                self._loaded[gpu] = LoadedCode(self, gpu)
            return self._loaded[gpu]


class LoadedCode:
    """A module on a device; ``info_log`` is the output of the PTX compiler."""

    def __init__(self, code: DeviceCode, gpu: Gpu) -> None:
        self.gpu = gpu
        self.names = list(code.kernels)
        _require_fit(code, gpu)
        driver = gpu.driver
        opt_in = max(gpu.attribute(SHARED_OPT_IN), gpu.attribute(SHARED_PER_BLOCK))
        self.kernels = (KernelEntry * max(len(self.names), 1))()
        self.resources: list[KernelResources] = []
        dynamic = ".extern .shared" in code.ptx
        with gpu.active("loading code"):
            try:
                module, self.info_log = driver.load(code)
            except DriverError as error:
                raise _refused(code, gpu, error) from None
            for entry, name in zip(self.kernels, self.names, strict=False):
                function = driver.function(module, name)
                registers, local, shared, most = (
                    driver.function_attribute(function, which)
                    for which in (_REGISTERS, _LOCAL_BYTES, _SHARED_BYTES, _MAX_THREADS)
                )
                self.resources.append(KernelResources(name, registers, local, shared, most))
                entry.function, entry.most_threads = function, most
                entry.most_shared = max(opt_in - shared, 0)
                if dynamic and entry.most_shared + shared > _NEEDS_ASKING:
                    driver.allow_shared(function, entry.most_shared)
        self.table: Table = gpu.table(self.kernels)

    @property
    def address(self) -> int:
        """The address of the table that calls receive."""
        return ctypes.addressof(self.table)

    def new_record(self) -> ctypes.Array[ctypes.c_int64]:
        """A record for one call."""
        record = (ctypes.c_int64 * RECORD_WORDS)()
        record[0] = self.address
        return record

    def raise_recorded(self, name: str, record: Sequence[int]) -> None:
        """Raise DeviceError KC6035 to KC6037 for the recorded error of a call of ``name``; do
        nothing without one.
        """
        _, status, what, kernel, value, limit, *sizes = record
        if not status:
            return
        grid, block, shared = tuple(sizes[:3]), tuple(sizes[3:6]), sizes[6]
        launched = f"grid {grid}, block {block}, {shared:,} bytes of dynamic shared memory"
        label = self.names[kernel] if kernel >= 0 else ""
        if status == _LIMIT:
            raise self._outside(name, label, what, value, limit, launched)
        if status == _UNALIGNED:
            raise _unaligned(name, what, value, limit)
        doing = _FUNCTIONS[what].format(kernel=label)
        facts = (f"in the call of {name}", *((f"launched: {launched}",) if what == 0 else ()))
        if what == 1:
            facts = (*facts, f"asked for: {limit:,} bytes")
        driver = self.gpu.driver
        error = driver.explain("", value)
        failure = self.gpu.failure(doing, error, facts)
        failure.code = "KC6036"
        raise failure

    def _outside(
        self, name: str, kernel: str, what: int, value: int, limit: int, launched: str
    ) -> DeviceError:
        facts = [f"launched: {launched}"]
        if what == _SHARED:
            excess = f"{value:,} bytes of dynamic shared memory, and {limit:,} are left for it"
            hints = ["smaller tiles, or an element type of fewer bits"]
        elif what == _THREADS:
            resources = next(each for each in self.resources if each.name == kernel)
            excess = f"blocks of {value:,} threads, and at most {limit:,} are possible"
            facts.append(f"the kernel takes {resources.registers} registers in each thread")
            hints = ["a smaller factor of the loop that is bound to threadIdx"]
        else:
            excess = f"{_LIMITS[what]} = {value:,}, and it is 1 to {limit:,}"
            hints = []
            if what in (1, 2) and value > limit:
                hints = ["bind the long loop to blockIdx.x, or fuse it with that one"]
        return DeviceError(
            "KC6035",
            f"{name}: {kernel} on {self.gpu} has {excess}",
            facts=facts,
            why="the sizes of a launch are computed from the sizes of the arguments",
            hints=hints,
        )


def _unaligned(name: str, dimension: int, value: int, unit: int) -> DeviceError:
    """The error for an array with an address or a stride that no tensor map allows."""
    if dimension:
        array_text = f"an array whose rows are {value:,} bytes apart"
        hints = [f"an array whose rows are multiples of {unit} bytes"]
    else:
        array_text = f"an array that begins {value} bytes past a multiple of {unit}"
        hints = ["a copy of the array: memory that a device allocates begins at multiples of 256"]
    return DeviceError(
        "KC6037",
        f"{name}: the kernel copies boxes of {array_text}",
        why=f"the copy unit of the device has addresses and strides that are multiples of {unit} "
        "bytes",
        hints=hints,
    )


def _require_fit(code: DeviceCode, gpu: Gpu) -> None:
    """Refuse code that is too new for the driver (KC6033) or the device (KC6034)."""
    if gpu.driver.name == EMULATOR:
        return
    version = re.search(r"^\.version (\d+)\.(\d+)", code.ptx, re.M)
    cuda = gpu.driver.version()
    versions = [ptx for of_cuda, ptx in _PTX_OF_CUDA if of_cuda <= cuda]
    if version is not None and cuda < _PTX_OF_CUDA[-1][0]:
        version_of_code = 10 * int(version[1]) + int(version[2])
        newest = max(versions, default=0)
        if version_of_code > newest:
            oldest = next((of_cuda for of_cuda, ptx in _PTX_OF_CUDA if ptx >= version_of_code), 0)
            raise DeviceError(
                "KC6033",
                f"the code is PTX {version_of_code // 10}.{version_of_code % 10}, and the driver "
                f"reads up to {newest // 10}.{newest % 10}",
                facts=[f"the driver serves CUDA {version_text(cuda)}"],
                why=f"this PTX came with CUDA {version_text(oldest)}" if oldest else None,
                hints=["a newer driver", "an older architecture: -arch=sm_75 is PTX 8.0"],
            )
    number, specific = re.fullmatch(r"sm_(\d+)([af]?)", code.arch).groups()  # pyright: ignore
    version_of_code = int(number)
    if version_of_code > gpu.capability or (specific == "a" and version_of_code != gpu.capability):
        raise DeviceError(
            "KC6034",
            f"the code is for {code.arch}, and {gpu} is an sm_{gpu.capability}",
            facts=[f"{gpu}: {gpu.driver.device_name(gpu.number)}"],
            why="PTX runs on its architecture and on later ones"
            + (f"; with an {specific}, on that one alone" if specific else ""),
            hints=[f'target="cuda -arch=sm_{gpu.capability}"'],
        )


def _refused(code: DeviceCode, gpu: Gpu, error: DriverError) -> DeviceError:
    """The message for PTX that the driver's compiler refuses, with its lines."""
    lines = code.ptx.splitlines()
    facts: list[str] = []
    location: Location | None = None
    for log_line in error.log.splitlines():
        match = re.match(r"ptxas .*?, line (\d+); (?:error\s*: )?(.*)", log_line)
        if match is None:
            if log_line.strip("\0 ") and len(facts) < 4:
                facts.append(log_line.strip("\0 "))
            continue
        number = int(match[1])
        facts.append(f"PTX line {number}: {match[2].strip()}")
        if 0 < number <= len(lines):
            facts.append(f"  {lines[number - 1].strip()}")
            location = location or _source_of(lines, number) or _source_of(*_located(code, number))
    return DeviceError(
        "KC6032",
        f"{gpu} refuses the code: {error.name}",
        location=location,
        facts=facts or [error.text],
        why=f"its driver serves CUDA {version_text(gpu.driver.version())} and compiles PTX when it "
        "is loaded",
        hints=["module.imported_modules[0].get_source() is the PTX"],
    )


def _located(code: DeviceCode, number: int) -> tuple[Sequence[str], int]:
    """The PTX with source lines, and the number of the line that corresponds to a line of the
    original PTX; 0 if that is uncertain.
    """
    lines = code.located().splitlines()
    numbers = [n for n, line in enumerate(lines, 1) if _instruction(line)]
    before = [text for line in code.ptx.splitlines()[:number] if (text := _instruction(line))]
    same = [_instruction(lines[n - 1]) for n in numbers[: len(before)]]
    return lines, numbers[len(before) - 1] if before and same == before else 0


def _instruction(line: str) -> str:
    """A line of PTX without debug information; empty if the line holds only debug information."""
    text = line.partition("//")[0].strip()
    is_place = text.startswith((".loc", ".file", ".section", ".target")) or text.endswith(":")
    return "" if is_place else text


def _source_of(lines: Sequence[str], number: int) -> Location | None:
    """The source location of a line of PTX: that of the ``.loc`` before it."""
    files = {
        int(match[1]): match[2]
        for line in lines
        if (match := re.match(r'\s*\.file\s+(\d+)\s+"([^"]*)"', line))
    }
    for line in reversed(lines[:number]):  # there are no lines before line 0
        match = re.match(r"\s*\.loc\s+(\d+)\s+(\d+)\s+(\d+)", line)
        if match is not None and int(match[1]) in files and int(match[2]):
            return Location(files[int(match[1])], int(match[2]), int(match[3]))
        if ".entry" in line:
            return None
    return None
