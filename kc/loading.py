"""Files as modules: libraries, objects, LLVM IR and textual IR are loaded and can be called."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Sequence
from typing import Any

from kc.artefacts import POOL, Files, call_jit, parsed
from kc.runtime import callbacks
from kc.runtime.checksums import check_block, check_comment, damaged
from kc.runtime.function import CompiledFunction
from kc.runtime.metadata import (
    LIBRARY,
    OBJECT,
    SYMBOL,
    ModuleRecord,
    merged,
    read_records,
    with_checksum,
)
from kc.runtime.module import Module
from kc.support.diagnostics import CallError, suggest


def load_module(path: str | os.PathLike[str], fmt: str = "") -> Module:
    """The module in a file that ``Module.save`` or ``Module.export_library`` wrote.

    ``.so`` (or ``.dylib``, ``.dll``), ``.o``, ``.ll`` and ``.bc`` hold compiled code, which is
    called with the same checks as before; ``.mlir`` is compiled, for the target that it names.
    ``fmt`` is the format where the name does not tell.

    Raises CallError KC5140 to KC5144, TargetError KC6105 for code of another machine, InputError
    for a file that cannot be read.
    """
    name = os.fspath(path)
    kind = fmt or os.path.splitext(name)[1].lstrip(".")
    loaders = {
        **dict.fromkeys(("so", "dylib", "dll"), _load_library),
        "o": _load_object,
        "ll": _load_ir,
        "bc": _load_ir,
        "mlir": _load_text,
    }
    if kind not in loaders:
        raise CallError(
            "KC5141",
            f"load_module: {name} has no format that is known",
            hints=suggest(kind, loaders, "formats"),
        )
    return loaders[kind](name)


def _read(path: str) -> bytes:
    from kc.support.files import read_bytes

    return read_bytes(path)


def _check_machine(records: Sequence[ModuleRecord]) -> None:
    from kc.codegen.native_target import Machine, check_runs_here

    for one in records:
        if one.triple:
            check_runs_here(Machine(one.triple, one.cpu, one.features))


def _module(
    records: Sequence[ModuleRecord],
    address: Callable[[str], int],
    owner: Any,
    files: Files,
    *,
    calls_back: bool = False,
) -> Module:
    functions = {
        name: CompiledFunction(signature, address(symbol), call_jit, owner, calls_back=calls_back)
        for name, (symbol, signature) in merged(records).items()
    }
    first = records[0]
    record = first if len(records) == 1 else _joined(records)
    return Module(functions, first.entry, {}, owner, artefacts=files, record=lambda: record)


def _joined(records: Sequence[ModuleRecord]) -> ModuleRecord:
    from dataclasses import replace

    found = merged(records)
    return replace(
        records[0],
        functions=tuple(signature for _, signature in found.values()),
        symbols=tuple(symbol for symbol, _ in found.values()),
        packed=tuple({hook.symbol: hook for one in records for hook in one.packed}.values()),
    )


def _load_library(path: str) -> Module:
    import ctypes

    data = _read(path)
    records = read_records(data, path, LIBRARY)
    _check_machine(records)
    try:
        # The path in full: without a slash, it would be looked up among the system's libraries.
        library = ctypes.CDLL(os.path.realpath(path))
    except OSError as error:
        raise CallError("KC5144", f"{path} cannot be loaded", why=str(error)) from error

    def address(symbol: str) -> int:
        try:
            found = ctypes.cast(getattr(library, symbol), ctypes.c_void_p).value
        except AttributeError:
            found = None
        if not found:
            raise damaged(path, f"it has no function {symbol}")
        return found

    return _module(records, address, library, {"so": lambda: data})


_KEPT: list[Any] = []
"""Loaded objects that have the thread pool, whose workers may run their code until the end."""


def _load_object(path: str, data: bytes | None = None) -> Module:
    from kc.codegen.native import load_object
    from kc.runtime.parallel import ensure_pool

    data = _read(path) if data is None else data
    records = read_records(data, path)
    _check_machine(records)
    symbols = [symbol for symbol, _ in merged(records).values()]
    packed = callbacks.addresses([hook for one in records for hook in one.packed])
    try:
        engine = load_object(data, symbols, packed)
    except (struct.error, ValueError, IndexError) as error:
        raise damaged(path, f"it is no object: {error}") from None
    if POOL.encode() in data:
        ensure_pool()  # ends the workers at exit, whoever started them
        _KEPT.append(engine)
    return _module(records, engine.address, engine, {"o": lambda: data}, calls_back=bool(packed))


def _load_ir(path: str) -> Module:
    """Compile LLVM IR, text or bitcode, for the machine that its record names."""
    from kc.codegen.native import compile_ir
    from kc.codegen.native_target import text_of_bitcode

    data = _read(path)
    is_bitcode = data.startswith(b"BC\xc0\xde")
    is_checked = check_block(data, path) if is_bitcode else check_comment(data, path)
    try:
        source = data if is_bitcode else data.decode()
        if is_bitcode and not is_checked:
            # Another tool wrote it, or it is cut off; on much that is none, LLVM ends the process.
            source = text_of_bitcode(data)
        with parsed(source) as (module, _):
            text = str(module)
            constants = [str(one) for one in module.global_variables if one.name == SYMBOL]
    except (RuntimeError, UnicodeDecodeError) as error:
        raise damaged(path, " ".join(str(error).split())) from None
    records = read_records(_constant(constants[0]) if constants else b"", path)
    _check_machine(records)
    first = records[0]
    made = compile_ir(
        text,
        triple=first.triple,
        cpu=first.cpu,
        features=first.features,
        relocation="pic",
    )
    return _load_object(path, with_checksum(made.object(), OBJECT))


def _constant(text: str) -> bytes:
    """The bytes of a constant of the form ``@x = ... c"..."``."""
    import re

    quoted = text[text.index('c"') + 2 : text.rindex('"')].encode("latin-1")
    escape = rb"\\(\\|[0-9A-Fa-f]{2})"
    return re.sub(
        escape, lambda one: b"\\" if one[1] == b"\\" else bytes.fromhex(one[1].decode()), quoted
    )


def _load_text(path: str) -> Module:
    from kc.driver import build
    from kc.support.files import read_text
    from kc.tir.module import IRModule

    data = _read(path)
    if b"\n" not in data:
        raise damaged(path, "it ends in its first line")
    check_comment(data, path)
    module = IRModule.parse(read_text(path), path)
    target, entry = (
        getattr(module.op.attributes.get(key), "data", None) for key in ("kc.target", "kc.entry")
    )
    return build(module, target=target, name=entry or "main")
