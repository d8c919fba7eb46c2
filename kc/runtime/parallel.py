"""The thread pool of compiled parallel loops, loaded into this process.

The pool is native code (``kc/support/pool/pool.c``), compiled at its first use. Its state is shared
with the exported libraries loaded in the same process.
"""

from __future__ import annotations

import atexit
import ctypes
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kc.support.diagnostics import CallError
from kc.support.environment import read
from kc.support.forks import fork_lock
from kc.support.parallel_pool import MAX_CPUS, MAX_THREADS, SYMBOLS, pool_ir

_VARIABLE = "KC_NUM_THREADS"


@dataclass(frozen=True)
class _Pool:
    symbols: dict[str, int]
    num_threads: Any  # () -> int
    configure: Any  # (int, int array or None) -> int
    code: Any  # the engine that owns the memory of the code


_lock = fork_lock()
_pool: _Pool | None = None


def ensure_pool() -> dict[str, int]:
    """The addresses of the pool's functions, by name; compiles them at the first call.

    Generated code that calls ``kc_parallel_for`` is linked against these functions. No thread
    starts before the first parallel loop. Raises :class:`CallError` KC5001 for an invalid
    ``KC_NUM_THREADS``.
    """
    return dict(_load().symbols)


def num_threads() -> int:
    """The number of threads of a parallel loop, including the calling one.

    In order: the argument of :func:`set_num_threads`; ``KC_NUM_THREADS``; the number of CPUs in the
    calling thread's affinity mask, at most the CPU quota of the process rounded up. It is
    determined at the first loop or the first call of this function, and again after a fork.
    """
    return _load().num_threads()


def set_num_threads(count: int | None, cpus: Sequence[int] | None = None) -> None:
    """Make parallel loops run on ``count`` threads; None: back to the default, read anew.

    ``cpus`` names one CPU for each thread. The calling thread is not pinned: it is expected on the
    first, and when it is found on another thread's, that thread gets the one it came from.

    Raises :class:`CallError`: KC5002 for arguments out of range, KC5003 while a loop is running.
    """
    if count is not None and not (_is_int(count) and 1 <= count <= MAX_THREADS):
        raise CallError(
            "KC5002",
            f"set_num_threads: {count!r} is not a number of threads",
            hints=[f"a whole number from 1 to {MAX_THREADS}, or None for the default"],
        )
    array = None
    if cpus is not None:
        wrong = [
            f"{cpu!r} is not the number of a CPU"
            for cpu in cpus
            if not (_is_int(cpu) and 0 <= cpu < MAX_CPUS)
        ]
        if wrong or len(cpus) != count:
            raise CallError(
                "KC5002",
                f"set_num_threads: cpus does not name {count} CPUs",
                facts=wrong[:3] or [f"it has {len(cpus)} entries"],
                hints=[f"one number from 0 to {MAX_CPUS - 1} for each of `count` threads"],
            )
        array = (ctypes.c_int32 * len(cpus))(*cpus)
    if _load().configure(count or 0, array):
        raise CallError(
            "KC5003",
            "set_num_threads: a parallel loop is running",
            why="the number of threads cannot change during a loop, nor from inside one",
            hints=["call set_num_threads when no compiled function runs"],
        )


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _load() -> _Pool:
    global _pool
    if _pool is None:
        with _lock:
            if _pool is None:
                _check_variable()
                _pool = _compile()
    return _pool


def _check_variable() -> None:
    """Refuse values that the native code would only report and ignore."""
    text = read(_VARIABLE)
    if text and not (re.fullmatch("[0-9]{1,9}", text) and 1 <= int(text) <= MAX_THREADS):
        raise CallError(
            "KC5001",
            f"{_VARIABLE}={text!r} is not a number of threads",
            hints=[
                f"set {_VARIABLE} to a whole number from 1 to {MAX_THREADS}",
                f"unset {_VARIABLE}: as many threads as this process has CPUs",
            ],
        )


def _compile() -> _Pool:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    triple = llvm.get_process_triple()
    target = llvm.Target.from_triple(triple)
    # Unoptimized code takes a third of the time to compile and is as fast: atomics dominate.
    machine = target.create_target_machine(cpu=llvm.get_host_cpu_name(), opt=0, jit=True)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(pool_ir(triple)), machine)
    engine.finalize_object()
    symbols = {name: engine.get_function_address(name) for name in SYMBOLS}
    count = ctypes.CFUNCTYPE(ctypes.c_int32)(symbols["kc_pool_num_threads"])
    configure = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_int32))(
        symbols["kc_pool_configure"]
    )
    shutdown = ctypes.CFUNCTYPE(ctypes.c_int32)(symbols["kc_pool_shutdown"])
    # llvmlite, imported before, ceases to free code in a handler that runs after this one: workers
    # that a loop in another thread keeps busy at exit do not lose theirs.
    atexit.register(shutdown)
    return _Pool(symbols, count, configure, engine)
