"""Compiled modules as files, and files as modules: objects, libraries, LLVM IR, C, textual IR."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from kc.runtime.c_compiler import link_library, require_compiler, run_compiler
from kc.runtime.function import CompiledFunction
from kc.runtime.metadata import SYMBOL, ModuleRecord, merged, read_records
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.support.diagnostics import CallError, CodegenError, suggest
from kc.support.target import Target

Files = Mapping[str, Callable[[], str | bytes]]
"""Extension of a file, without its dot -> what makes its content."""

_POOL = "kc_parallel_for"


def call_jit(text: str, symbols: dict[str, int]) -> Any:
    """Compiles the code of calls: short, and not worth optimising."""
    from kc.codegen.native import jit

    return jit(text, symbols, opt_level=0)


def _symbols(signatures: Sequence[Signature]) -> tuple[str, ...]:
    """The names that functions have in C. Raises CodegenError KC4510 where two have the same."""
    from kc.codegen.c_source.function import c_name

    found: dict[str, str] = {}
    for one in signatures:
        symbol = c_name(one.name)
        if symbol in found:
            raise CodegenError(
                "KC4510",
                f"@{found[symbol]} and @{one.name} have the same name in C, {symbol}",
                hints=["rename one of them"],
            )
        found[symbol] = one.name
    return tuple(found)


def _record(
    signatures: Sequence[Signature], entry: str, target: Target, machine: Any = None
) -> ModuleRecord:
    from kc import __version__

    return ModuleRecord(
        entry=entry,
        functions=tuple(signatures),
        symbols=_symbols(signatures),
        target=str(target),
        triple=machine.triple if machine is not None else "",
        cpu=machine.cpu if machine is not None else "",
        features=machine.features if machine is not None else "",
        version=__version__,
    )


def _tir(source: Source, target: Target, entry: str) -> str:
    """The loops as text that says what to compile them for."""
    from xdsl.dialects.builtin import StringAttr

    from kc.tir.module import IRModule

    module = IRModule.parse(source if isinstance(source, str) else source())
    module.op.attributes["kc.target"] = StringAttr(str(target))
    module.op.attributes["kc.entry"] = StringAttr(entry)
    return str(module)


@dataclass(frozen=True)
class NativeCode:
    """What a build by LLVM leaves for files. ``text`` is its LLVM IR."""

    text: str
    signatures: tuple[Signature, ...]
    entry: str
    target: Target
    machine: Any
    opt_level: int
    tir: Source

    def record(self) -> ModuleRecord:
        """What the files say of the module."""
        return _record(self.signatures, self.entry, self.target, self.machine)

    def files(self) -> Files:
        """The formats it can be saved in."""
        return {
            "o": lambda: self._compiled.object(),
            "s": lambda: self._compiled.asm(),
            "ll": lambda: self._standalone[0],
            "bc": lambda: self._standalone[1],
            "mlir": lambda: _tir(self.tir, self.target, self.entry),
        }

    @cached_property
    def _standalone(self) -> tuple[str, bytes]:
        return standalone_ir(self.text, self.record(), ())

    @cached_property
    def _compiled(self) -> Any:
        """The code with everything in it that a C program does not have."""
        from kc.codegen.elf import is_elf, undefined_symbols
        from kc.codegen.float_conversions import NAMES

        made = self.compile(self._standalone[0])
        data = made.object()
        needed = set(undefined_symbols(data)).intersection(NAMES) if is_elf(data) else ()
        if needed:
            made = self.compile(standalone_ir(self.text, self.record(), sorted(needed))[0])
        return made

    def compile(self, text: str) -> Any:
        """LLVM IR compiled as the module is, for code that may lie anywhere."""
        from kc.codegen.native import compile_ir

        machine = self.machine
        return compile_ir(
            text,
            triple=machine.triple,
            cpu=machine.cpu,
            features=machine.features,
            opt_level=self.opt_level,
            relocation="pic",
        )


def standalone_ir(text: str, record: ModuleRecord, conversions: Sequence[str]) -> tuple[str, bytes]:
    """LLVM IR that needs the C library alone, as text and as bitcode.

    Functions get their names in C; the thread pool, if it is used, the record, and the
    ``conversions`` of floats by name are linked in.
    """
    from kc.codegen.float_conversions import conversions_ir
    from kc.support.parallel_pool import pool_ir

    record_text = "".join(f"\\{byte:02X}" for byte in record.encode())
    parts = [
        f'@{SYMBOL} = internal constant [{len(record.encode())} x i8] c"{record_text}"\n'
        f"@llvm.used = appending global [1 x ptr] [ptr @{SYMBOL}], "
        'section "llvm.metadata"\n'
    ]
    if f"@{_POOL}" in text:
        parts.append(pool_ir(record.triple, library=True))
    with _parsed(text) as (module, parse):
        for one, symbol in zip(record.functions, record.symbols, strict=True):
            # Anything else that has the name is private to the module.
            for other in (*module.functions, *module.global_variables):
                if other.name == symbol and one.name != symbol:
                    other.name = f"{symbol}.private"
            module.get_function(one.name).name = symbol
        for part in parts:
            # The linker takes what it links in.
            module.link_in(parse(_for_triple(part, record.triple)))
        if conversions:
            helpers = parse(_for_triple(conversions_ir(), record.triple))
            for name in conversions:
                function = helpers.get_function(name)
                # Hidden: another library may have them with arguments in other registers.
                function.linkage = "weak_odr"
                function.visibility = "hidden"
            module.link_in(helpers)
        module.verify()
        return str(module), module.as_bitcode()


def _for_triple(text: str, triple: str) -> str:
    return text if "target triple" in text else f'target triple = "{triple}"\n{text}'


@contextlib.contextmanager
def _parsed(source: str | bytes) -> Iterator[tuple[Any, Callable[[str], Any]]]:
    """A module of LLVM IR or bitcode, and a function that parses more in the same context.

    Both end with the block, the context last: the garbage collector would end them in any order,
    and a module without its context ends the process.
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


@dataclass(frozen=True)
class CSource:
    """What a build for the C target leaves for files. ``text`` is its source."""

    text: str
    signatures: tuple[Signature, ...]
    entry: str
    target: Target
    tir: Source

    def record(self) -> ModuleRecord:
        """What the files say of the module; what the compiler makes of it runs where it does."""
        return _record(self.signatures, self.entry, self.target)

    def files(self) -> Files:
        """The formats it can be saved in."""
        return {
            "c": lambda: self.text,
            "o": self._object,
            "mlir": lambda: _tir(self.tir, self.target, self.entry),
        }

    @property
    def flags(self) -> list[str]:
        """What the compiler is told, for code of this machine."""
        march = self.target.attrs.get("march")
        return ["-std=c99", "-O3", "-fPIC", *([f"-march={march}"] if march else [])]

    def source(self) -> bytes:
        """The source with the record in it."""
        data = self.record().encode()
        bytes_ = ",".join(map(str, data))
        record = f"__attribute__((used)) static const unsigned char {SYMBOL}[] = {{{bytes_}}};\n"
        return f"{self.text}\n{record}".encode()

    def _object(self) -> bytes:
        command = require_compiler("an object of the C target")
        with tempfile.TemporaryDirectory(prefix="kc-") as folder:
            source, made = Path(folder, "kernel.c"), Path(folder, "kernel.o")
            source.write_bytes(self.source())
            run_compiler(
                [*command, *self.flags, "-c", os.fspath(source), "-o", os.fspath(made)],
                "the C target",
            )
            return made.read_bytes()

    @cached_property
    def _library(self) -> Module:
        command = require_compiler("calling a kernel of the C target")
        with tempfile.TemporaryDirectory(prefix="kc-") as folder:
            path = os.fspath(Path(folder, "kernel.so"))
            files = {"kernel.c": self.source()}
            openmp = ["-fopenmp"] if "#pragma omp" in self.text else []
            link_library(path, files, command, [*self.flags, *openmp])
            return load_module(path)

    def loaded(self, name: str) -> CompiledFunction:
        """A function, compiled by the system's C compiler. Raises CallError KC5145, KC5146."""
        function = self._library[name]
        assert isinstance(function, CompiledFunction)
        return function


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
) -> Module:
    functions = {
        name: CompiledFunction(signature, address(symbol), call_jit, owner)
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
    )


def _load_library(path: str) -> Module:
    import ctypes

    data = _read(path)
    records = read_records(data, path)
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
            raise CallError("KC5143", f"{path} is damaged", why=f"it has no function {symbol}")
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
    engine = load_object(data, symbols)
    if _POOL.encode() in data:
        ensure_pool()  # ends the workers at exit, whoever started them
        _KEPT.append(engine)
    return _module(records, engine.address, engine, {"o": lambda: data})


def _load_ir(path: str) -> Module:
    """Compile LLVM IR, text or bitcode, for the machine that its record names."""
    from kc.codegen.native import compile_ir

    data = _read(path)
    try:
        source = data if data.startswith(b"BC\xc0\xde") else data.decode()
        with _parsed(source) as (module, _):
            text = str(module)
            constants = [str(one) for one in module.global_variables if one.name == SYMBOL]
    except (RuntimeError, UnicodeDecodeError) as error:
        raise CallError("KC5143", f"{path} is damaged", why=" ".join(str(error).split())) from None
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
    return _load_object(path, made.object())


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

    module = IRModule.parse(read_text(path), path)
    target, entry = (
        getattr(module.op.attributes.get(key), "data", None) for key in ("kc.target", "kc.entry")
    )
    return build(module, target=target, name=entry or "main")
