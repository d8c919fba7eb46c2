"""The backend for CPUs: machine code by LLVM, in this process or for files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.backends import Backend, Build, Callback, Part, printing, warn_unchecked
from kc.backends.files import Files, call_jit
from kc.backends.imported_code import imported_code, linked_code
from kc.backends.llvm_files import CHECKS_LAUNCHES, EMULATOR, WAITS, NativeCode
from kc.building import compile_cache
from kc.building.signatures import bound_checks_of
from kc.conversion._foreign_calls import c_calls, packed_calls
from kc.conversion.pipelines import TO_LLVM
from kc.dialects.tir.calls import CallExternOp
from kc.runtime import callbacks
from kc.runtime.bound_checks import BoundChecks
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.metadata import ModuleRecord
from kc.runtime.module import Module, Source
from kc.runtime.operand import HOST
from kc.runtime.signature import Signature
from kc.support.c_names import machine_symbol
from kc.support.diagnostics import (
    CallError,
    CodegenError,
    Diagnostic,
    TargetError,
    diagnostic_handler,
    remark,
    warn,
)
from kc.support.libdevice import c_name
from kc.support.locations import location_of
from kc.support.pass_context import (
    pipeline_options,
    step_watcher,
    using_options,
    watching_steps,
)
from kc.support.process_symbols import find_symbol
from kc.support.target import Target
from kc.transform import PassContext

BOUND_CHECKS_PASS = "instrument-bound-checkers"


_SOURCE_BEFORE = {"convert-to-llvm": "mlir"}


def _lower_to_llvm(
    build: Build, *, checked: bool = False, callback: Callback | None = None, keeps: bool = True
) -> tuple[str, dict[str, Source]]:
    """LLVM IR text, and the intermediate sources. ``checked``: with bound checks; ``keeps``:
    including sources that require copies.
    """
    from kc.codegen.llvm_ir import emit_llvm_ir

    kept_stages = _SOURCE_BEFORE if keeps and not build.is_quick else {}
    module, sources = build.lowered(kept_stages, checked=checked, callback=callback)
    if not build.is_quick:
        sources["llvm"] = printing(module)
    debug_info = PassContext.current().debug_info
    return emit_llvm_ir(module, triple=build.target.triple, debug_info=debug_info), sources


def build(build: Build) -> Module:
    """Machine code for this process, or only for files if it cannot run here.

    C functions that this process does not have yet are linked at the first call, after a warning,
    KC4352. Raises TargetError KC6010 for a target that is not a CPU, and the errors of the passes
    and of LLVM.
    """
    from kc.codegen.native_target import check_runs_here

    target = build.target
    level, machine = _level(build), machine_of(target)
    packed = tuple(packed_calls(build.loops))
    imported = imported_code(build.loops)
    imports = linked_code(imported)
    sources = build.sources()
    tir = sources["tir"]
    if build.device is None:
        sources["c"] = _c_source(build)

    def compiled(text: str) -> NativeCode:
        signatures, entry = build.signatures, build.entry
        written = build.device or target
        sections = (build.tables, build.parts)
        return NativeCode(text, signatures, entry, written, machine, level, tir, packed, *sections)

    def code(text: str) -> NativeCode:
        return compiled(imports.link(text))

    try:
        check_runs_here(machine)
    except TargetError as error:
        if error.code != "KC6105":
            raise
        warn_unchecked(target)
        text, lowered = _lower_to_llvm(build)
        native = code(text)
        functions = {signature.name: _elsewhere(signature, error) for signature in build.signatures}
        sources |= {**lowered, **_texts(native)}
        files, record = native.files(), native.record
        return Module(functions, build.entry, sources, artefacts=files, record=record)
    callbacks.check_known(packed)
    is_emulated = build.device is not None and build.device.kind.name == "cuda-emu"
    called = [op for op in c_calls(build.loops) if op.label not in imports.names]
    late: Callable[[], None] | None = None
    if is_emulated or PassContext.current().bound_checks:
        _check_c_functions(called, c_name if is_emulated else str)
    elif any(find_symbol(op.label) is None for op in called):
        late = partial(_check_c_functions, called, str)
        for op in called:
            if find_symbol(op.label) is None:
                warn("KC4352", _no_function(op.label), **_of_no_function(op))
    if PassContext.current().bound_checks:
        return _checked(build, code, sources)
    watched = build.callback is not None or step_watcher() is not None
    watched = watched or bool(PassContext.current().instruments)
    passes = None if watched else PassContext.current().identity()
    key = None
    if not any(code.is_file for code in imported):  # the content of the file is not part of the key
        key = compile_cache.key_of(
            build.loops, build.signatures, build.device or target, machine, passes
        )
    entry = compile_cache.read(key) if key is not None else None
    if passes is not None and not build.is_quick:
        sources |= {kind: _lowered_again(build, kind) for kind in ("mlir", "llvm")}
    if entry is None:
        remarks: list[Diagnostic] = []
        text, lowered = noting(remarks, lambda: _lower_to_llvm(build, keeps=passes is None))
        entry = _entry(code(text))
        # A build with warnings is not cached, so that the next build reports the warnings again.
        if key is not None and not remarks:
            compile_cache.write(key, entry)
        sources |= lowered
    native = compiled(entry.text)
    return _loaded(native, entry, {**sources, **_texts(native)}, late=late)


def _level(build: Build) -> int:
    level = 0 if build.is_quick else PassContext.current().llvm_level
    level = build.target.attrs.get("opt-level", level)
    assert isinstance(level, int)
    return level


def machine_of(target: Target) -> Any:
    """LLVM's description of a target's machine. Raises TargetError KC6010 if it is no CPU."""
    from kc.codegen.native import make_machine

    cpu, features = _machine(target)
    # Only the triple matters, which is explicit.
    return make_machine("", target.triple, cpu, features, abi=target.abi)


def runs_here(target: Target) -> bool:
    """True if code for a target runs in this process."""
    from kc.codegen.native_target import check_runs_here

    try:
        check_runs_here(machine_of(target))
    except TargetError:
        return False
    return True


def part_of(build: Build, symbol: str) -> Part | None:
    """The code of a build that defines ``symbol``, as a part of another one; None for code that
    calls functions of the program, or that comes with warnings.

    Raises the errors of the passes and of LLVM.
    """
    _, loops = build.stages[0]
    if [*packed_calls(loops), *c_calls(loops), *imported_code(loops)]:
        return None
    remarks: list[Diagnostic] = []
    text, sources = noting(remarks, lambda: _lower_to_llvm(build, keeps=False))
    del sources
    if remarks:
        return None
    machine, level = machine_of(build.target), _level(build)
    native = NativeCode(text, build.signatures, build.entry, build.target, machine, level, "")
    entry = _entry(native)
    return Part(symbol, entry.text, entry.exports, entry.object)


def _c_source(build: Build) -> Source:
    """A function that generates C of the loops, by the passes of this context; rarely used."""
    options = pipeline_options()

    def make() -> str:
        from kc.backends.c import source_text

        with using_options(options):
            return source_text(build)

    return make


def _lowered_again(build: Build, kind: str) -> Source:
    """A function that lowers the loops again, by kc's own passes, for a rarely used source."""
    options = pipeline_options()

    def make() -> str:
        with PassContext(), using_options(options), watching_steps(None):
            with diagnostic_handler(lambda _: None):  # reported before
                module, sources = build.lowered(_SOURCE_BEFORE)
        return _text({**sources, "llvm": printing(module)}[kind])

    return make


def _entry(native: NativeCode) -> compile_cache.Entry:
    compiled = native.compile(native.text)
    return compile_cache.Entry(native.text, compiled.exports(), compiled.object())


def _texts(native: NativeCode) -> dict[str, Source]:
    text: Source = (lambda: native.whole) if native.parts else native.text
    return {"ll": text, "asm": lambda: native.compile(native.whole).asm()}


def _checked(
    build: Build, code: Callable[[str], NativeCode], sources: Mapping[str, Source]
) -> Module:
    """A module whose kernels check their accesses: for this process alone, and not cached."""
    checks: list[BoundChecks] = []

    def note(stage: str, module: ModuleOp) -> None:
        if stage == BOUND_CHECKS_PASS:
            checks.append(bound_checks_of(module))
        if build.callback is not None:
            build.callback(stage, module)

    text, lowered = _lower_to_llvm(build, checked=True, callback=note)
    native = code(text)
    entry = _entry(native)
    sources = {**sources, **lowered, **_texts(native)}
    if not checks:  # the pass is disabled, or an instrument skips it
        return _loaded(native, entry, sources)

    def refuse() -> Any:
        raise CallError(
            "KC5271",
            "a module with bound checks cannot be saved",
            why="its kernels write their reports to memory of this process",
            hints=["build it without tir.instrument_bound_checkers and KC_BOUND_CHECKS"],
        )

    files = dict.fromkeys(native.files(), refuse)
    return _loaded(native, entry, sources, checks[-1], files, refuse)


def _check_c_functions(calls: Sequence[CallExternOp], called: Callable[[str], str]) -> None:
    """Refuse calls of C functions that this process lacks (KC4352); ``called`` maps names to
    symbols.
    """
    for op in calls:
        if find_symbol(called(op.label)) is None:
            raise CodegenError("KC4352", _no_function(called(op.label)), **_of_no_function(op))


def _no_function(name: str) -> str:
    return f"this process has no C function {name}"


def _of_no_function(op: CallExternOp) -> dict[str, Any]:
    return {
        "location": location_of(op),
        "why": "a kernel is linked with the symbols that this process has when it is first called; "
        "in a saved object they are to be linked",
        "hints": [
            "load its library first: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)",
            'tir.call_packed("name", ...) calls a Python function',
        ],
    }


def _loaded(
    native: NativeCode,
    entry: compile_cache.Entry,
    sources: Mapping[str, Source],
    checks: BoundChecks | None = None,
    files: Files | None = None,
    record: Callable[[], ModuleRecord] | None = None,
    late: Callable[[], None] | None = None,
) -> Module:
    """The module of machine code. With ``late``, it is linked at the first call, and ``late``
    refuses missing functions.
    """
    from kc.codegen.native import load_object
    from kc.codegen.native_target import TILES, permit_tiles
    from kc.runtime.emulator import ensure_emulator, noticing_failures
    from kc.runtime.parallel import ensure_pool

    parts = native.parts
    texts = [entry.text, *(part.text for part in parts.values())]
    if any(TILES in text for text in texts):
        permit_tiles()
    pool = ensure_pool() if any("@kc_parallel_for" in text for text in texts) else {}
    emulator = ensure_emulator() if EMULATOR in entry.text else {}
    packed = callbacks.addresses(native.packed)
    place = HOST
    around = callbacks.calling if packed else None
    if (WAITS in entry.text or CHECKS_LAUNCHES in entry.text) and not packed:
        around = noticing_failures
    if native.target.kind in ("cuda", "cuda-emu"):  # kernels that the emulator runs
        from kc.runtime.gpu.sharing import EMULATED

        place = EMULATED

    @cache
    def linked() -> Any:
        if late is not None:
            late()
        addresses = {**pool, **emulator, **packed}
        addresses |= {name: table.ctypes.data for name, table in native.tables.items()}
        engines = {
            name: load_object(part.object, part.exports, pool) for name, part in parts.items()
        }
        for name, part in parts.items():
            addresses[name] = engines[name].address(part.symbol)
        engine = load_object(entry.object, entry.exports, addresses)
        engine.keep(engines)
        return engine

    def function(signature: Signature) -> CompiledFunction:
        engine = linked()
        return CompiledFunction(
            signature,
            engine.address(machine_symbol(signature.name)),
            call_jit,
            engine,
            checks,
            around=around,
            place=place,
        )

    functions: dict[str, CompiledFunction | DeferredFunction] = {
        signature.name: function(signature)
        if late is None
        else DeferredFunction(signature, partial(function, signature))
        for signature in native.signatures
    }
    return Module(
        functions,
        native.entry,
        sources,
        linked() if late is None else None,
        artefacts=native.files() if files is None else files,
        record=record or native.record,
    )


def _elsewhere(signature: Signature, error: TargetError) -> DeferredFunction:
    """A function compiled for another machine, whose call is refused."""

    def refuse() -> CompiledFunction:
        raise TargetError(
            error.code,
            error.message,
            why=error.why,
            facts=error.facts,
            hints=[*error.hints, "Module.save and export_library write it for the other machine"],
        )

    return DeferredFunction(signature, refuse)


def _text(source: Source) -> str:
    return source if isinstance(source, str) else source()


def noting(diagnostics: list[Diagnostic], work: Callable[[], Any]) -> Any:
    """Run ``work`` and return its result. Append its diagnostics to ``diagnostics``, and emit them
    afterwards.
    """
    try:
        with diagnostic_handler(diagnostics.append):
            return work()
    finally:
        for diagnostic in diagnostics:
            say = warn if diagnostic.kind == "warning" else remark
            details = {
                "location": diagnostic.location,
                "facts": diagnostic.facts,
                "hints": diagnostic.hints,
            }
            say(diagnostic.code, diagnostic.message, why=diagnostic.why, **details)


def _machine(target: Target) -> tuple[str | None, str | None]:
    """CPU and features for LLVM; None for the host's own.

    Raises TargetError KC6010 for a target that is not a CPU.
    """
    if target == Target.host_cpu():
        return None, None
    llvm = target.llvm
    return llvm.cpu or None, llvm.features or None


LLVM = Backend(TO_LLVM, build)
