"""The backend for C: source that a C compiler compiles at the first call of a function."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.analysis.module_copy import copy_module
from kc.backends import Backend, Build, printing, warn_unchecked
from kc.backends.files import Files, loops_text, record_of
from kc.backends.imported_code import imported_code
from kc.backends.libraries import load_library
from kc.conversion._foreign_calls import packed_calls
from kc.conversion.pipelines import TO_C
from kc.runtime.c_compiler import link_library, require_compiler, run_compiler
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.hooks import require_no_hooks
from kc.runtime.metadata import OBJECT, SYMBOL, ModuleRecord, with_checksum
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.packed_signature import PackedSignature
from kc.support.target import Target


@dataclass(frozen=True)
class CSource:
    """The result of a build for the C target, for files. ``text`` is its source."""

    text: str
    signatures: tuple[Signature, ...]
    entry: str
    target: Target
    tir: Source
    packed: tuple[PackedSignature, ...] = ()

    def record(self) -> ModuleRecord:
        """The record of the module in its files; the compiled code runs on the compiler's
        machine.
        """
        return record_of(self.signatures, self.entry, self.target, packed=self.packed)

    def files(self) -> Files:
        """The formats in which the module can be saved."""
        return {
            "c": lambda: self.text,
            "o": self._object,
            "mlir": lambda: loops_text(self.tir, self.target, self.entry),
        }

    @property
    def flags(self) -> list[str]:
        """The flags of the compiler, for code of this machine."""
        march = self.target.attrs.get("march")
        return ["-std=c99", "-O3", "-fPIC", *([f"-march={march}"] if march else [])]

    def source(self) -> bytes:
        """The source including the record."""
        data = self.record().encode()
        bytes_ = ",".join(map(str, data))
        record = f"__attribute__((used)) static const unsigned char {SYMBOL}[] = {{{bytes_}}};\n"
        return f"{self.text}\n{record}".encode()

    def _object(self) -> bytes:
        command = require_compiler("an object of the C target")
        with tempfile.TemporaryDirectory(prefix="kc-") as folder:
            source, object_file = Path(folder, "kernel.c"), Path(folder, "kernel.o")
            source.write_bytes(self.source())
            run_compiler(
                [*command, *self.flags, "-c", os.fspath(source), "-o", os.fspath(object_file)],
                "the C target",
            )
            return with_checksum(object_file.read_bytes(), OBJECT)

    @cached_property
    def _library(self) -> Module:
        require_no_hooks("calling a kernel of the C target", self.packed)
        command = require_compiler("calling a kernel of the C target")
        with tempfile.TemporaryDirectory(prefix="kc-") as folder:
            path = os.fspath(Path(folder, "kernel.so"))
            files = {"kernel.c": self.source()}
            openmp = ["-fopenmp"] if "#pragma omp" in self.text else []
            link_library(path, files, command, [*self.flags, *openmp])
            return load_library(path)

    def loaded(self, name: str) -> CompiledFunction:
        """A function, compiled by the system's C compiler. Raises CallError KC5145, KC5146."""
        function = self._library[name]
        assert isinstance(function, CompiledFunction)
        return function


def build(build: Build) -> Module:
    """C source. Raises CodegenError KC4511."""
    from kc.codegen.c_source import emit_c

    signatures = build.signatures
    _check_scalars(signatures, build.loops)
    warn_unchecked(build.target)
    module, _ = build.lowered()
    module.attributes["kc.target"] = StringAttr(str(build.target))
    sources = build.sources() | {"mlir": printing(copy_module(module))}
    sources["c"] = text = emit_c(module) + _imported(build.loops)
    packed = tuple(packed_calls(build.loops))
    source = CSource(text, signatures, build.entry, build.target, sources["tir"], packed)

    def deferred(signature: Signature) -> DeferredFunction:
        return DeferredFunction(signature, lambda: source.loaded(signature.name))

    functions = {signature.name: deferred(signature) for signature in signatures}
    return Module(functions, build.entry, sources, artefacts=source.files(), record=source.record)


def source_text(build: Build) -> str:
    """C of a build's loops for a CPU, to be read: LLVM compiles the build itself.

    Raises CodegenError KC4355 and KC4511, and the errors of the passes.
    """
    from kc.codegen.c_source import emit_c

    _check_scalars(build.signatures, build.loops)
    module, _ = replace(build, backend=C, callback=None).lowered()
    return emit_c(module) + _imported(build.loops)


def _imported(loops: ModuleOp) -> str:
    """The C that loops bring along (``import_c``). Raises CodegenError KC4355 for LLVM IR."""
    codes = imported_code(loops)
    for code in codes:
        if code.language != "c":
            raise CodegenError(
                "KC4355",
                "import_llvm: the C target accepts only C",
                location=code.location,
                why="the system's C compiler compiles its source",
                hints=["import_c, or a target of LLVM"],
            )
    return "".join(f"\n{code.text}\n" for code in codes)


def _check_scalars(signatures: Sequence[Signature], module: ModuleOp) -> None:
    for signature in signatures:
        for spec in signature.args:
            if not spec.is_array and spec.dtype in ("float16", "bfloat16"):
                raise CodegenError(
                    "KC4511",
                    f"c: @{signature.name} takes the {spec.dtype} scalar '{spec.name}'",
                    location=location_of(module),
                    why="C99 has no parameter type for this scalar",
                    hints=["pass a float32, or an array of one element"],
                )


C = Backend(TO_C, build)
