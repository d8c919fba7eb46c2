"""What compiled modules are as files: objects, LLVM IR, C, textual IR."""

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
from kc.runtime.checksums import with_block, with_comment
from kc.runtime.function import CompiledFunction
from kc.runtime.hooks import require_no_hooks
from kc.runtime.metadata import OBJECT, SYMBOL, ModuleRecord, with_checksum
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.support.diagnostics import CodegenError
from kc.support.packed_signature import PackedSignature
from kc.support.target import Target

Files = Mapping[str, Callable[[], str | bytes]]
"""Extension of a file, without its dot -> what makes its content."""

POOL = "kc_parallel_for"


def call_jit(text: str, symbols: dict[str, int]) -> Any:
    """Compiles the code of calls: short, and not worth optimising."""
    from kc.codegen.native import jit
    from kc.transform import PassContext

    # A debugger that does not know the caller of a kernel shows nothing of what is above.
    return jit(text, symbols, opt_level=0, debugger=PassContext.current().debug_info)


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
    signatures: Sequence[Signature],
    entry: str,
    target: Target,
    machine: Any = None,
    packed: Sequence[PackedSignature] = (),
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
        packed=tuple(packed),
    )


def _tir(source: Source, target: Target, entry: str) -> str:
    """The loops as text that says what to compile them for."""
    from xdsl.dialects.builtin import StringAttr

    from kc.tir.module import IRModule

    module = IRModule.parse(source if isinstance(source, str) else source())
    module.op.attributes["kc.target"] = StringAttr(str(target))
    module.op.attributes["kc.entry"] = StringAttr(entry)
    return with_comment(str(module), "//")


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
    packed: tuple[PackedSignature, ...] = ()

    def record(self) -> ModuleRecord:
        """What the files say of the module."""
        return _record(self.signatures, self.entry, self.target, self.machine, self.packed)

    def files(self) -> Files:
        """The formats it can be saved in."""
        return {
            "o": lambda: with_checksum(self._compiled.object(), OBJECT),
            "s": lambda: self._compiled.asm(),
            "ll": lambda: with_comment(self._standalone[0], ";"),
            "bc": lambda: with_block(self._standalone[1]),
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
            abi=machine.abi,
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
    if f"@{POOL}" in text:
        parts.append(pool_ir(record.triple, library=True))
    with parsed(text) as (module, parse):
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
def parsed(source: str | bytes) -> Iterator[tuple[Any, Callable[[str], Any]]]:
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
    packed: tuple[PackedSignature, ...] = ()

    def record(self) -> ModuleRecord:
        """What the files say of the module; what the compiler makes of it runs where it does."""
        return _record(self.signatures, self.entry, self.target, packed=self.packed)

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
            return with_checksum(made.read_bytes(), OBJECT)

    @cached_property
    def _library(self) -> Module:
        from kc.loading import load_module

        require_no_hooks("calling a kernel of the C target", self.packed)
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
