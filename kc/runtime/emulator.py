"""The GPU emulator, loaded into this process, and its reports on checked kernels."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kc.support.diagnostics import CallError, Location
from kc.support.forks import fork_lock
from kc.support.gpu_emulator import SYMBOLS, emulator_text

_lock = fork_lock()
_watching = fork_lock()
_engine: Any = None


@dataclass(frozen=True)
class Place:
    """A site in a kernel. ``what`` is "read", "written" or "copied" for an access of a buffer, or
    the operation at which threads wait: "barrier", "shuffle", "mbarrier" and so on.

    ``memory`` is the memory space of the buffer: "global", "shared" or "private".
    """

    what: str
    buffer: str
    location: Location | None
    memory: str = ""


class RawFinding(ctypes.Structure):
    """A finding of ``emulator.c``: numbers of sites, -1 for none."""

    _fields_ = (
        ("kind", ctypes.c_int32),
        ("site", ctypes.c_int32),
        ("other_site", ctypes.c_int32),
        ("other_thread", ctypes.c_int32),
        ("block", ctypes.c_int64),
        ("thread", ctypes.c_int64),
        ("other_block", ctypes.c_int64),
        ("element", ctypes.c_int64),
        ("count", ctypes.c_int64),
        ("came", ctypes.c_int32),
        ("wanted", ctypes.c_int32),
        ("bytes", ctypes.c_int64),
    )


class RawCost(ctypes.Structure):
    """The cost of an access: executions by warps, transactions, the minimum, and conflicts."""

    _fields_ = (
        ("executions", ctypes.c_int64),
        ("transactions", ctypes.c_int64),
        ("least", ctypes.c_int64),
        ("conflicts", ctypes.c_int64),
    )


@dataclass(frozen=True)
class Writer:
    """The last writer of an element: the number of the site, -1 for none."""

    site: int
    block: int
    thread: int


@dataclass(frozen=True)
class Watch:
    """The results of a run: findings, costs of each site, and the number of barriers that blocks
    reached.
    """

    findings: list[RawFinding]
    costs: list[RawCost]
    barriers: int
    writers: list[Writer]


def ensure_emulator() -> dict[str, int]:
    """The addresses of the emulator's functions, by name; compiles them at the first call.

    Generated code that runs kernels is linked against these functions.
    """
    global _engine
    if _engine is None:
        with _lock:
            if _engine is None:
                _engine = compile_native_text(emulator_text())
    return {name: _engine.get_function_address(name) for name in SYMBOLS}


_waiting = fork_lock()
_SIZES = (
    *(f"{what}.{axis}" for what in ("gridDim", "blockDim") for axis in "xyz"),
    "bytes of dynamic shared memory",
    "threads of a block",
)
"""The quantities of a launch that may exceed a limit (``kc_emu_fits``)."""


@contextlib.contextmanager
def noticing_failures(kernel: str) -> Iterator[None]:
    """A context for a call of kernels whose threads wait for some others, or whose launches check
    their sizes; one at a time.

    Raises CallError KC6308 if blocks were ended in a deadlock, and KC6035 if a launch was skipped
    because it exceeds the limits of the target.
    """
    addresses, number = ensure_emulator(), ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int32)
    count = number(addresses["kc_emu_deadlocks"])
    refused = number(addresses["kc_emu_refused"])
    with _waiting:
        count(1)
        try:
            yield
        finally:
            ended = count(0)
            what, value, limit = map(refused, range(3))
    if what:
        raise CallError(
            "KC6035",
            f"{kernel}: a launch has {_SIZES[what - 1]} = {value:,}, must be "
            f"{int(3 < what <= 6)} to {limit:,}",
            why="the sizes of a launch are computed from the sizes of the arguments",
        )
    if ended:
        raise CallError(
            "KC6308",
            f"{kernel}: threads of {ended} block{'s' * (ended > 1)} wait for an event that never "
            "occurs",
            why="a barrier, an mbarrier or a copy that they wait for never completes; a GPU would "
            "hang. The emulator ended the threads: the output of the kernel is undefined",
            hints=["kc.gpu.check reports which threads wait, where, and for what"],
        )


def compile_native_text(text: str) -> Any:
    """Compile LLVM IR of ``kc/support``, without a triple, to an engine with its functions.

    ``make native`` has optimized it before.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.get_process_triple()
    target = llvm.Target.from_triple(triple)
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), opt=1, jit=True)
    module = llvm.parse_assembly(f'target triple = "{triple}"\n\n{text}')
    module.data_layout = str(machine.target_data)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def watch(
    run: Callable[[], object],
    places: Sequence[Place],
    addresses_of: Callable[[], Sequence[int]] = list,
) -> Watch:
    """Call ``run``, which runs kernels with checks that name ``places``; one at a time.

    ``addresses_of`` is called then: the elements whose writers are asked for.
    """
    numbers: dict[Place, int] = {}
    statements = [numbers.setdefault(place, len(numbers)) for place in places]
    array = (ctypes.c_int32 * (len(places) + 1))(*statements)
    addresses = ensure_emulator()

    def function(name: str, result: Any, *arguments: Any) -> Any:
        return ctypes.CFUNCTYPE(result, *arguments)(addresses[name])

    with _watching:
        begin = function("kc_emu_begin", None, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32))
        begin(len(places), array)
        try:
            run()
            count, barriers = ctypes.c_int32(), ctypes.c_int64()
            findings = function(
                "kc_emu_findings", ctypes.POINTER(RawFinding), ctypes.POINTER(ctypes.c_int32)
            )(ctypes.byref(count))
            costs = function(
                "kc_emu_costs", ctypes.POINTER(RawCost), ctypes.POINTER(ctypes.c_int64)
            )(ctypes.byref(barriers))
            writer = function(
                "kc_emu_writer",
                ctypes.c_int32,
                ctypes.c_uint64,
                *[ctypes.POINTER(ctypes.c_int64)] * 2,
            )
            writers: list[Writer] = []
            for address in addresses_of():
                block, thread = ctypes.c_int64(), ctypes.c_int64()
                site = writer(address, ctypes.byref(block), ctypes.byref(thread))
                writers.append(Writer(site, block.value, thread.value))
            return Watch(
                [RawFinding.from_buffer_copy(findings[n]) for n in range(count.value)],
                [RawCost.from_buffer_copy(costs[n]) for n in range(len(places))],
                barriers.value,
                writers,
            )
        finally:
            function("kc_emu_end", None)()
