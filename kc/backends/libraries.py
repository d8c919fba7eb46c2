"""Shared libraries of compiled functions, and modules from files in memory."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from kc.backends.files import Files, call_jit
from kc.runtime.checksums import damaged
from kc.runtime.function import Around, CompiledFunction
from kc.runtime.metadata import LIBRARY, ModuleRecord, merged, read_records
from kc.runtime.module import Module
from kc.support.diagnostics import CallError
from kc.support.files import read_bytes as read_file
from kc.support.tile_permission import REFUSED

__all__ = ["check_machine_of", "load_library", "module_of", "permit_tiles_of", "read_file"]


def check_machine_of(records: Sequence[ModuleRecord]) -> None:
    """Refuse (TargetError KC6105) code that this machine cannot run."""
    from kc.codegen.native_target import Machine, check_runs_here

    for record in records:
        if record.triple:
            check_runs_here(Machine(record.triple, record.cpu, record.features))


def permit_tiles_of(data: bytes) -> None:
    """Refuse (TargetError KC6105) code with tile registers if this process may not use them."""
    from kc.codegen import native_target

    if REFUSED.encode() in data:
        native_target.permit_tiles()


def module_of(
    records: Sequence[ModuleRecord],
    address: Callable[[str], int],
    owner: Any,
    files: Files,
    *,
    around: Around | None = None,
) -> Module:
    """The module of functions in memory, each at the ``address`` of its symbol."""
    functions = {
        name: CompiledFunction(signature, address(symbol), call_jit, owner, around=around)
        for name, (symbol, signature) in merged(records).items()
    }
    first = records[0]
    record = first if len(records) == 1 else _joined(records)
    return Module(functions, first.entry, {}, owner, artefacts=files, record=lambda: record)


def _joined(records: Sequence[ModuleRecord]) -> ModuleRecord:
    functions = merged(records)
    return replace(
        records[0],
        functions=tuple(signature for _, signature in functions.values()),
        symbols=tuple(symbol for symbol, _ in functions.values()),
        packed=tuple({hook.symbol: hook for record in records for hook in record.packed}.values()),
    )


def load_library(path: str) -> Module:
    """The module in a shared library. Raises CallError KC5140 to KC5144."""
    data = read_file(path)
    records = read_records(data, path, LIBRARY)
    check_machine_of(records)
    permit_tiles_of(data)
    try:
        # The full path: without a slash, the system's libraries would be searched.
        library = ctypes.CDLL(os.path.realpath(path))
    except OSError as error:
        raise CallError("KC5144", f"{path} cannot be loaded", why=str(error)) from error

    def address(symbol: str) -> int:
        try:
            value = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
        except AttributeError:
            value = None
        if not value:
            raise damaged(path, f"it has no function {symbol}")
        return value

    return module_of(records, address, library, {"so": lambda: data})
