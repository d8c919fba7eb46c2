"""LLVM's code as files: objects, LLVM IR and bitcode are written, read back and called."""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from kc.backends import Part
from kc.backends.files import Files, loops_text, record_of
from kc.backends.libraries import check_machine_of, module_of, permit_tiles_of, read_file
from kc.runtime import callbacks
from kc.runtime.checksums import check_block, check_comment, damaged, with_block, with_comment
from kc.runtime.metadata import OBJECT, SYMBOL, ModuleRecord, merged, read_records, with_checksum
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.support.c_names import machine_symbol
from kc.support.diagnostics import KCError
from kc.support.packed_signature import PackedSignature
from kc.support.target import Target

POOL = "kc_parallel_for"
EMULATOR = "@kc_emu_"
WAITS = "@kc_emu_new_block"
"""A symbol in the code of kernels whose threads wait for other threads."""
CHECKS_LAUNCHES = "@kc_emu_fits"
"""A symbol in code whose launches check their sizes."""


@dataclass(frozen=True)
class NativeCode:
    """The result of a build by LLVM, for files. ``text`` is its LLVM IR."""

    text: str
    signatures: tuple[Signature, ...]
    entry: str
    target: Target
    machine: Any
    opt_level: int
    tir: Source
    packed: tuple[PackedSignature, ...] = ()
    tables: Mapping[str, Any] = field(default_factory=dict)
    """Arrays of the elements of external globals, by their names."""
    parts: Mapping[str, Part] = field(default_factory=dict)
    """The code of functions that ``text`` only declares, by their names."""

    @cached_property
    def whole(self) -> str:
        """``text`` with its parts linked in."""
        return linked_text(self.text, self.parts) if self.parts else self.text

    def record(self) -> ModuleRecord:
        """The record of the module in its files."""
        return record_of(self.signatures, self.entry, self.target, self.machine, self.packed)

    def files(self) -> Files:
        """The formats in which the module can be saved."""
        return {
            "o": lambda: with_checksum(self._compiled.object(), OBJECT),
            "s": lambda: self._compiled.asm(),
            "ll": lambda: with_comment(self._standalone[0], ";"),
            "bc": lambda: with_block(self._standalone[1]),
            "mlir": lambda: loops_text(self.tir, self.target, self.entry),
        }

    @cached_property
    def _standalone(self) -> tuple[str, bytes]:
        return standalone_ir(self.whole, self.record(), (), self.tables)

    @cached_property
    def _compiled(self) -> Any:
        """The code including everything that a C program lacks."""
        from kc.codegen.elf import is_elf, undefined_symbols
        from kc.codegen.float_conversions import NAMES

        code = self.compile(self._standalone[0])
        data = code.object()
        needed = set(undefined_symbols(data)).intersection(NAMES) if is_elf(data) else ()
        if needed:
            text, _ = standalone_ir(self.whole, self.record(), sorted(needed), self.tables)
            code = self.compile(text)
        return code

    def compile(self, text: str) -> Any:
        """Compile the module's LLVM IR as position-independent code, with the options of the
        module.
        """
        from kc.codegen.native import compile_ir

        machine = self.machine
        return compile_ir(
            text,
            triple=machine.triple,
            cpu=machine.cpu,
            features=machine.features,
            opt_level=self.opt_level,
            relocation="pic",
            abi=machine.abi,
        )


def linked_text(text: str, parts: Mapping[str, Part]) -> str:
    """LLVM IR with the code of the functions that it declares, which become private to it."""
    with parsed(text) as (module, parse):
        for name, part in parts.items():
            # A part defines its own symbol and symbols with this prefix.
            module.link_in(parse(part.text.replace(f"@{part.symbol}", f"@{name}")))
        for name in parts:
            module.get_function(name).linkage = "internal"
        module.verify()
        return str(module)


def standalone_ir(
    text: str,
    record: ModuleRecord,
    conversions: Sequence[str],
    tables: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[str, bytes]:
    """LLVM IR that depends only on the C library, as text and as bitcode.

    Functions get their names in C. The thread pool (if used), the record, the ``conversions`` of
    floats by name, and the ``tables`` of external globals are linked in.
    """
    from kc.codegen.float_conversions import conversions_ir
    from kc.support.gpu_emulator import emulator_ir
    from kc.support.parallel_pool import pool_ir

    record_text = "".join(f"\\{byte:02X}" for byte in record.encode())
    parts = [
        f'@{SYMBOL} = internal constant [{len(record.encode())} x i8] c"{record_text}"\n'
        f"@llvm.used = appending global [1 x ptr] [ptr @{SYMBOL}], "
        'section "llvm.metadata"\n'
    ]
    if f"@{POOL}" in text:
        parts.append(pool_ir(record.triple))
    if EMULATOR in text:
        parts.append(emulator_ir(record.triple))
    if tables:
        parts.append("".join(_definition(name, table) for name, table in tables.items()))
    with parsed(text) as (module, parse):
        for signature, symbol in zip(record.functions, record.symbols, strict=True):
            own = machine_symbol(signature.name)
            # Other definitions with the same name are private to the module.
            for definition in (*module.functions, *module.global_variables):
                if definition.name == symbol != own:
                    definition.name = f"{symbol}.private"
            module.get_function(own).name = symbol
        for part in parts:
            # The linker consumes the linked module.
            module.link_in(parse(_for_triple(part, record.triple)))
        for name in tables:
            module.get_global_variable(name).linkage = "internal"
        if conversions:
            helpers = parse(_for_triple(conversions_ir(), record.triple))
            for name in conversions:
                function = helpers.get_function(name)
                # Hidden: another library may define them with arguments in other registers.
                function.linkage = "weak_odr"
                function.visibility = "hidden"
            module.link_in(helpers)
        module.verify()
        return str(module), module.as_bitcode()


def _definition(name: str, table: Any) -> str:
    """A global constant of an array's bytes, in LLVM's text."""
    data = table.tobytes()
    return (
        f"@{name} = constant [{len(data)} x i8] "
        f'c"{"".join(map(_ESCAPES.__getitem__, data))}", align 64\n'
    )


_ESCAPES = [f"\\{byte:02X}" for byte in range(256)]


def _for_triple(text: str, triple: str) -> str:
    return text if "target triple" in text else f'target triple = "{triple}"\n{text}'


@contextlib.contextmanager
def parsed(source: str | bytes) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    """Yield a module parsed from LLVM IR or bitcode, and a function that parses more modules in the
    same context.
    """
    from kc.codegen.native_target import llvm_binding

    llvm = llvm_binding()
    with contextlib.ExitStack() as stack:
        context = llvm.create_context()
        stack.callback(context.close)

        def parse(text: str) -> Any:
            module = llvm.parse_assembly(text, context)
            stack.callback(module.close)
            return module

        if isinstance(source, str):
            module = parse(source)
        else:
            module = llvm.parse_bitcode(source, context)
            stack.callback(module.close)
        yield module, parse


# Reading -----------------------------------------------------------------------------------

_KEPT: list[Any] = []
"""Loaded objects that contain the thread pool. They stay loaded until the process ends, because the
pool's workers may run their code.
"""


def load_object_file(path: str, data: bytes | None = None) -> Module:
    """Load the object file ``path``; ``data`` replaces its content."""
    from kc.codegen.native import load_object
    from kc.runtime.parallel import ensure_pool

    data = read_file(path) if data is None else data
    records = read_records(data, path)
    check_machine_of(records)
    permit_tiles_of(data)
    symbols = [symbol for symbol, _ in merged(records).values()]
    packed = callbacks.addresses([hook for record in records for hook in record.packed])
    try:
        engine = load_object(data, symbols, packed)
    except (struct.error, ValueError, IndexError) as error:
        raise damaged(path, f"it is not an object: {error}") from None
    if POOL.encode() in data:
        ensure_pool()  # ends the workers at exit, whichever code started them
        _KEPT.append(engine)
    around = callbacks.calling if packed else None
    return module_of(records, engine.address, engine, {"o": lambda: data}, around=around)


def load_ir(path: str) -> Module:
    """Compile LLVM IR, text or bitcode, for the machine that its record names."""
    from kc.codegen.native import compile_ir
    from kc.codegen.native_target import text_of_bitcode

    data = read_file(path)
    is_bitcode = data.startswith(b"BC\xc0\xde")
    is_checked = check_block(data, path) if is_bitcode else check_comment(data, path)
    try:
        source = data if is_bitcode else data.decode()
        if is_bitcode and not is_checked:
            # Another tool wrote it, or it is truncated; LLVM aborts on much invalid input.
            source = text_of_bitcode(data)
        with parsed(source) as (module, _):
            text = str(module)
            constants = [
                str(variable) for variable in module.global_variables if variable.name == SYMBOL
            ]
    except KCError:
        raise
    except (RuntimeError, UnicodeDecodeError) as error:
        raise damaged(path, " ".join(str(error).split())) from None
    records = read_records(_constant(constants[0]) if constants else b"", path)
    check_machine_of(records)
    first = records[0]
    code = compile_ir(
        text,
        triple=first.triple,
        cpu=first.cpu,
        features=first.features,
        relocation="pic",
    )
    return load_object_file(path, with_checksum(code.object(), OBJECT))


def _constant(text: str) -> bytes:
    """The bytes of a constant of the form ``@x = ... c"..."``."""
    quoted = text[text.index('c"') + 2 : text.rindex('"')].encode("latin-1")
    escape = rb"\\(\\|[0-9A-Fa-f]{2})"
    return re.sub(
        escape,
        lambda matched: b"\\" if matched[1] == b"\\" else bytes.fromhex(matched[1].decode()),
        quoted,
    )
