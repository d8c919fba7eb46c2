"""LLVM IR text to optimised IR, assembly, objects, and functions in this process.

Diagnostics: KC4106 LLVM refuses the IR, KC4107 LLVM failed while compiling it, KC4108 an undefined
function that the code calls; and those of :mod:`kc.codegen.native_target` and
:mod:`kc.codegen.llvm_limits`.
"""

from __future__ import annotations

import base64
import ctypes
import json
import re
import weakref
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from kc.codegen import perf_map
from kc.codegen.elf import ElfObject, is_elf
from kc.codegen.float_conversions import NAMES, conversions_ir
from kc.codegen.llvm_limits import check_limits, without_bytes
from kc.codegen.llvm_worker import optimized, with_bits_of_bfloat
from kc.codegen.native_target import (
    Machine,
    ParsedModule,
    check_machine,
    check_runs_here,
    features_among,
    host_target,
    last_words,
    llvm_binding,
    run_worker,
)
from kc.conversion.reuse_workspace import RELEASE
from kc.support import progress
from kc.support.diagnostics import CodegenError, suggest
from kc.support.forks import fork_lock
from kc.support.process_symbols import find_symbol
from kc.transforms.intrinsics.tile_names import PRODUCTS

__all__ = ["CompiledModule", "JitModule", "Machine", "compile_ir", "host_target", "jit"]

# Text on which LLVM may abort: assembly, vectors and intrinsics the CPU may lack, conversions
# without code.
_RISKY = re.compile(r"\basm\b|<vscale x|itofp .*\bi128\b.* to .*(?:half|bfloat)")
_RISKY_WORDS = ("asm", "<vscale x", "i128")
"""Words that every match of :data:`_RISKY` contains; a text without them is not searched, which
would take longer.
"""
_OF_A_TARGET = re.compile(
    r"@llvm\.(?:aarch64|amdgcn|amx|arm|bpf|hexagon|loongarch|mips|nvvm|ppc|r600|riscv|s390|spv"
    r"|sve|wasm|x86)\.[\w.]*"
)


# Intrinsics that LLVM has code for on every CPU with a feature.
_CODE_BY_FEATURE = {
    "@llvm.x86.avx2.pmadd.ub.sw": "avx2",
    "@llvm.x86.avx2.pmadd.wd": "avx2",
    "@llvm.x86.avx512.pmaddubs.w.512": "avx512bw",
    "@llvm.x86.avx512.pmaddw.d.512": "avx512bw",
    "@llvm.x86.avx512.vpdpbusd.256": "avxvnni",
    "@llvm.x86.avx512.vpdpbusd.512": "avx512vnni",
    "@llvm.x86.avx512.vpdpwssd.256": "avxvnni",
    "@llvm.x86.avx512.vpdpwssd.512": "avx512vnni",
    "@llvm.x86.avx2.vpdpbssd.256": "avxvnniint8",
    "@llvm.x86.avx2.vpdpbuud.256": "avxvnniint8",
    "@llvm.x86.avx10.vpdpbssd.512": "avx10.2",
    "@llvm.x86.avx10.vpdpbuud.512": "avx10.2",
    "@llvm.x86.avx512.mask.getexp.ps.512": "avx512f",
    "@llvm.x86.avx512.mask.scalef.pd.512": "avx512f",
    "@llvm.x86.avx512.mask.scalef.ps.512": "avx512f",
    "@llvm.x86.avx512.mask.getmant.ps.512": "avx512f",
    "@llvm.x86.avx512.mask.range.pd.512": "avx512dq",
    "@llvm.x86.avx512.mask.range.ps.512": "avx512dq",
    "@llvm.x86.avx512.rcp14.pd.512": "avx512f",
    "@llvm.x86.avx512.rcp14.ps.512": "avx512f",
    "@llvm.x86.avx512bf16.dpbf16ps.512": "avx512bf16",
    "@llvm.x86.sse.sfence": "sse",
    **dict.fromkeys(
        (
            "@llvm.x86.ldtilecfg",
            "@llvm.x86.tilerelease",
            "@llvm.x86.tilezero",
            "@llvm.x86.tileloadd64",
            "@llvm.x86.tilestored64",
        ),
        "amx-tile",
    ),
    **{f"@llvm.x86.{instruction}": feature for instruction, feature in PRODUCTS.values()},
}


def _is_risky(text: str, machine: Machine) -> bool:
    """True if LLVM is known to abort on some code of this kind: see ``isolated``."""
    llvm = llvm_binding()
    arch, home = (
        llvm.get_triple_parts(triple).Arch for triple in (machine.triple, host_target()[0])
    )
    if arch != home or (arch != "x86_64" and "bfloat" in text):
        return True
    if any(word in text for word in _RISKY_WORDS) and _RISKY.search(text):
        return True
    needed = {_CODE_BY_FEATURE.get(name) for name in set(_OF_A_TARGET.findall(text))}
    if None in needed or (needed and '"target-' in text):  # a function may have another CPU
        return True
    features = tuple(sorted(feature for feature in needed if feature is not None))
    return bool(features) and features_among(machine, features) != features


class CompiledModule:
    """An optimised module: its text, its assembly, its object. Made by :func:`compile_ir`."""

    def __init__(
        self,
        machine: Machine,
        opt_level: int,
        module: ParsedModule | None = None,
        parts: tuple[str | None, str | None, bytes | None] = (None, None, None),
    ):
        """Wraps an optimised module, or the answer of a worker that optimised one."""
        self.machine = machine
        self._opt_level = opt_level
        self._lock = fork_lock()
        self._module = module
        self._ir, self._asm, self._object = parts

    def optimized_ir(self) -> str:
        """The module as LLVM IR text, after LLVM's optimisations."""
        with self._lock:
            if self._ir is None:
                assert self._module is not None
                self._ir = str(self._module.ref)
            return self._ir

    def asm(self) -> str:
        """The module as assembly text."""
        with self._lock:
            if self._asm is None:
                self._asm = self._emit("emit_assembly")
            return self._asm

    def object(self) -> bytes:
        """The module as the bytes of an object file."""
        with self._lock:
            if self._object is None:
                self._object = self._emit("emit_object")
            return self._object

    def exports(self) -> list[str]:
        """The names of the functions and globals that the module exports."""
        linkage, visibility = llvm_binding().Linkage, llvm_binding().Visibility
        local = (linkage.internal, linkage.private, linkage.available_externally)
        with self._lock:
            module = self._module or _parse(self._ir or "")
            return [
                value.name
                for value in (*module.ref.functions, *module.ref.global_variables)
                if not value.is_declaration
                and value.linkage not in local
                and value.visibility != visibility.hidden
            ]

    def _emit(self, method: str) -> Any:
        assert self._module is not None
        machine = self.machine.create(self._opt_level)
        copy = self._module.ref.clone()  # code generation changes the module
        try:
            return getattr(machine, method)(copy)
        except RuntimeError as reason:
            raise _failed(str(reason)) from None
        finally:
            copy.close()


def _parse(text: str) -> ParsedModule:
    try:
        return ParsedModule(text)
    except RuntimeError as reason:
        raise _refused(str(reason)) from None


def _refused(reason: str) -> CodegenError:
    lines = [line.rstrip() for line in reason.splitlines() if line.strip()]
    why = next((line for line in lines if "error:" in line), lines[-1] if lines else "")
    return CodegenError("KC4106", "LLVM refuses the IR", why=why, facts=lines[:6])


def _failed(reason: str) -> CodegenError:
    return CodegenError("KC4107", "LLVM failed to compile the module", why=last_words(reason))


def compile_ir(
    text: str,
    *,
    triple: str | None = None,
    cpu: str | None = None,
    features: str | None = None,
    opt_level: int = 2,
    relocation: str = "default",
    code_model: str = "default",
    abi: str = "",
    isolated: bool | None = None,
) -> CompiledModule:
    """Optimise LLVM IR text for a target; the host by default.

    ``triple`` defaults to the one the text declares; ``cpu`` and ``features`` to the host's for the
    host's triple, and to LLVM's generic ones for another. ``opt_level`` is 0 to 3; loops are
    vectorised from 2 on, and so is straight-line code in text without vectors. ``relocation``:
    default, static, pic, dynamicnopic; ``code_model``: default, small, kernel, medium, large;
    ``abi`` as in RISC-V's ``lp64d``.

    ``isolated`` compiles in a process of its own, because LLVM aborts on some input. By default
    that is done for other architectures than this one, which lack some operations, and for text
    with inline assembly, with conversions that some CPUs lack, or with intrinsics of one target,
    unless LLVM is known to have code for them on this CPU. Raises TargetError and CodegenError.
    """
    machine = make_machine(text, triple, cpu, features, relocation, code_model, abi)
    check_machine(machine)
    text = with_bits_of_bfloat(text, machine.triple)
    code = without_bytes(text)
    progress.note("code", 0, "LLVM")
    check_limits(code, llvm_binding().get_triple_parts(machine.triple).Arch)
    if _is_risky(code, machine) if isolated is None else isolated:
        done = run_worker(machine, text, opt_level)
        if done.returncode:
            raise _failed(done.stderr)
        answer = json.loads(done.stdout)
        if "refused" in answer:
            raise _refused(answer["refused"])
        parts = answer["ir"], answer["asm"], base64.b64decode(answer["object"])
        return CompiledModule(machine, opt_level, parts=parts)
    target = machine.create(opt_level)

    def parse(rewritten: str | None = None) -> ParsedModule:
        module = _parse(rewritten or text)
        module.ref.triple = machine.triple
        module.ref.data_layout = str(target.target_data)
        try:
            module.ref.verify()
        except RuntimeError as reason:
            raise _refused(str(reason)) from None
        return module

    try:
        module = optimized(
            llvm_binding(), parse, lambda parsed: parsed.ref, target, opt_level, code
        )
    except CodegenError:  # a RuntimeError, too
        raise
    except RuntimeError as reason:
        raise _failed(str(reason)) from None
    return CompiledModule(machine, opt_level, module)


def make_machine(
    text: str,
    triple: str | None,
    cpu: str | None,
    features: str | None,
    relocation: str = "default",
    code_model: str = "default",
    abi: str = "",
) -> Machine:
    """The machine, with defaults for omitted parts."""
    if triple is None:
        declared = re.search(r'^target triple = "(.*)"', text, re.MULTILINE)
        triple = declared.group(1) if declared else ""
    host = host_target()
    triple = triple or host[0]
    if triple == host[0] and cpu is None:
        cpu, features = host[1], host[2] if features is None else features
    return Machine(triple, cpu or "", features or "", relocation, code_model, abi)


class JitModule:
    """Machine code in this process. Addresses are valid as long as this object is alive."""

    def __init__(self, library: Any, names: Sequence[str]):
        self._library = library  # unloads the code when it is collected
        self.names = names
        for name in names:
            if name.endswith(RELEASE):
                release = ctypes.CFUNCTYPE(None)(library[name])
                # It holds the library, which is therefore unloaded afterwards.
                weakref.finalize(self, lambda _library, call: call(), library, release)

    def keep(self, needed: Any) -> None:
        """Keep ``needed``, whose code this code calls, as long as this object is alive."""
        self._needed = needed

    def address(self, name: str) -> int:
        """The address of a function or global the module defines."""
        if name not in self.names:
            raise CodegenError(
                "KC4104", f"the module defines no @{name}", hints=suggest(name, self.names)
            )
        return self._library[name]


class _Linkers:
    """LLVM's in-process linkers, each for several libraries.

    A linker keeps about 9 KB for each library that it linked, even after unloading. It is freed
    with the last of its libraries, so nothing is kept for long without a module.
    """

    LIBRARIES = 32

    def __init__(self, *, jit_link: bool) -> None:
        self._jit_link = jit_link
        self._lock = fork_lock()
        self._linker: Any = None
        self._count = 0

    def link(self, library: Any) -> Any:
        """Load a library; raises llvmlite's RuntimeError."""
        with self._lock:
            if self._count % self.LIBRARIES == 0:
                self._linker = llvm_binding().create_lljit_compiler(
                    use_jit_link=self._jit_link, suppress_errors=True
                )
            self._count += 1
            linker, name = self._linker, f"kc{self._count}"
        return library.link(linker, name)


_LINKERS = _Linkers(jit_link=True)
_DEBUGGED = _Linkers(jit_link=False)
"""The older linker, which announces loaded code through gdb's interface
(``__jit_debug_register_code``); llvmlite does not enable that for JITLink.
"""


def jit(
    text: str,
    symbols: Mapping[str, int] | None = None,
    *,
    cpu: str | None = None,
    features: str | None = None,
    opt_level: int = 2,
    isolated: bool | None = None,
    debugger: bool | None = None,
) -> JitModule:
    """Compile LLVM IR text and load it into this process.

    ``symbols`` gives the addresses of functions and variables that the text declares; others are
    looked up in the process, in the C mathematics library and in the compiler's support library.
    ``debugger`` is as in :func:`load_object`. Safe to call from several threads. Raises TargetError
    for code that this machine cannot run, CodegenError KC4108 for an undefined symbol.
    """
    machine = make_machine(text, None, cpu, features)
    check_runs_here(machine)
    compiled = compile_ir(
        text,
        triple=machine.triple,
        cpu=machine.cpu,
        features=machine.features,
        opt_level=opt_level,
        relocation="pic",
        isolated=isolated,
    )
    return load_object(compiled.object(), compiled.exports(), symbols, debugger=debugger)


def load_object(
    data: bytes,
    exports: Sequence[str],
    symbols: Mapping[str, int] | None = None,
    *,
    debugger: bool | None = None,
) -> JitModule:
    """Link an object for this machine into the process. Returns the addresses of ``exports``.

    ``symbols`` is as in :func:`jit`. With ``debugger``, debuggers are told of the code; by default
    if it has debug information. perf is told if ``KC_PERF`` is set.
    """
    library = llvm_binding().JITLibraryBuilder().add_object_img(data)
    for name in exports:
        library.export_symbol(name)
    addresses = symbols or {}
    elf = ElfObject(data) if is_elf(data) else None
    if elf is not None:
        needed = elf.undefined()
    else:
        needed = list(addresses)
        library.add_current_process()  # for its other symbols
    own = set(needed).intersection(NAMES).difference(addresses)
    if own:
        library.add_object_img(_conversions())
    missing: list[str] = []
    for name in needed:
        if name in own or name == "_GLOBAL_OFFSET_TABLE_":
            continue
        address = addresses.get(name) or find_symbol(name)
        if address:
            library.import_symbol(name, address)
        else:
            missing.append(name)
    if missing:
        raise CodegenError(
            "KC4108",
            f"the code calls {', '.join(missing)}, which this process does not have",
            hints=["give the address in 'symbols'"],
        )
    if debugger is None:
        debugger = elf is not None and elf.section(".debug_line") is not None
    try:
        linked = (_DEBUGGED if debugger else _LINKERS).link(library)
    except RuntimeError as reason:
        raise _failed(str(reason)) from None
    if elf is not None and perf_map.is_enabled():
        exported = set(exports)
        perf_map.write(
            perf_map.entries(elf, lambda name: linked[name] if name in exported else None)
        )
    return JitModule(linked, exports)


@cache
def _conversions() -> bytes:
    return compile_ir(conversions_ir(), triple=host_target()[0], cpu="", relocation="pic").object()
