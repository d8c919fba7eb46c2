"""Builds: from scheduled loops to a module that can be called, for each kind of target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc import compile_cache
from kc.analysis.module_copy import copy_module
from kc.artefacts import CSource, Files, NativeCode, call_jit
from kc.conversion._access_bounds import require_accesses_inside
from kc.conversion._foreign_calls import c_calls, packed_calls
from kc.conversion.pipelines import LowerToCPass, LowerToLlvmPass
from kc.instrument import run_passes
from kc.runtime import callbacks
from kc.runtime.bound_checks import BoundChecks
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.metadata import ModuleRecord
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.signatures import bound_checks_of, signatures_of
from kc.support.diagnostics import (
    CallError,
    CodegenError,
    Diagnostic,
    TargetError,
    diagnostic_handler,
    remark,
    warn,
)
from kc.support.ir_text import print_module
from kc.support.locations import caller_location, location_of
from kc.support.pass_context import pipeline_options, step_watcher, using_options
from kc.support.process_symbols import find_symbol
from kc.support.target import Target
from kc.tools._pipeline import Instrument, Stage
from kc.transform import PassContext

BOUND_CHECKS_PASS = "instrument-bound-checkers"

Stages = Sequence[tuple[str, ModuleOp]]
Callback = Callable[[str, ModuleOp], None] | None


@dataclass
class _Snapshots(Instrument):
    """Keeps copies of the module from before some stages, and tells a function of each stage."""

    module: ModuleOp
    wanted: dict[str, str]
    callback: Callback
    sources: dict[str, Source]

    def before(self, stage: Stage, text: Callable[[], str]) -> None:
        kind = self.wanted.get(stage.name)
        if kind is not None:
            self.sources[kind] = _printing(copy_module(self.module))

    def after(self, stage: Stage, text: Callable[[], str]) -> None:
        if self.callback is not None:
            self.callback(stage.name, self.module)


def _printing(module: ModuleOp) -> Callable[[], str]:
    return lambda: print_module(module)


def _lower_to_llvm(
    loops: ModuleOp, target: Target, callback: Callback, *, checked: bool = False
) -> tuple[str, dict[str, Source]]:
    """LLVM IR text, and the sources on the way; ``checked``: with bound checks."""
    from kc.codegen.llvm_ir import emit_llvm_ir

    work = copy_module(loops)
    sources: dict[str, Source] = {}
    snapshots = _Snapshots(work, {"convert-to-llvm": "mlir"}, callback, sources)
    options = replace(pipeline_options(), bound_checks=checked)
    require_accesses_inside(loops)
    with target, using_options(options):  # passes ask target_of(module)
        run_passes(work, LowerToLlvmPass().stages(), [snapshots])
    sources["llvm"] = _printing(work)
    debug_info = PassContext.current().debug_info
    return emit_llvm_ir(work, triple=target.triple, debug_info=debug_info), sources


def build_native(stages: Stages, target: Target, name: str, callback: Callback) -> Module:
    """Machine code by LLVM: of this process, or for files only where it cannot run here."""
    from kc.codegen.native import make_machine
    from kc.codegen.native_target import check_runs_here

    loops = stages[-1][1]
    signatures = signatures_of(loops)
    level = target.attrs.get("opt-level", PassContext.current().llvm_level)
    assert isinstance(level, int)
    sources: dict[str, Source] = {stage: _printing(module) for stage, module in stages}
    cpu, features = _machine(target)
    # The text does not matter: it is asked for its triple, which is given.
    machine = make_machine("", target.triple, cpu, features, abi=target.abi)
    main = next((one.name for one in signatures if one.name == name), signatures[0].name)
    packed = tuple(packed_calls(loops))

    def code(text: str) -> NativeCode:
        tir = sources["tir"]
        return NativeCode(text, tuple(signatures), main, target, machine, level, tir, packed)

    try:
        check_runs_here(machine)
    except TargetError as error:
        if error.code != "KC6105":
            raise
        _warn_unchecked(target)
        text, made = _lower_to_llvm(loops, target, callback)
        native = code(text)
        sources |= {**made, "ll": text, "asm": lambda: native.compile(text).asm()}
        functions = {one.name: _elsewhere(one, error) for one in signatures}
        return Module(functions, main, sources, artefacts=native.files(), record=native.record)
    callbacks.check_known(packed)
    _check_c_functions(loops)
    if PassContext.current().bound_checks:
        return _checked(code, loops, target, callback, sources)
    key = None
    watched = callback is not None or step_watcher() is not None
    if not watched and not PassContext.current().instruments:
        passes = PassContext.current().identity()
        key = compile_cache.key_of(loops, signatures, target, machine, passes)
    entry = compile_cache.read(key) if key is not None else None
    if entry is None:
        said: list[Diagnostic] = []
        text, made = _noting(said, lambda: _lower_to_llvm(loops, target, callback))
        compiled = code(text).compile(text)
        entry = compile_cache.Entry(text, compiled.exports(), compiled.object())
        # What came with a warning is compiled again, so that the warning comes again.
        if key is not None and not said:
            compile_cache.write(key, entry)
        sources |= made
    else:
        kept = copy_module(loops)

        def again(kind: str) -> Callable[[], str]:
            return lambda: _text(_lower_to_llvm(kept, target, None)[1][kind])

        sources |= {kind: again(kind) for kind in ("mlir", "llvm")}
    native = code(entry.text)
    sources |= {"ll": entry.text, "asm": lambda: native.compile(native.text).asm()}
    return _loaded(native, entry, sources)


def _checked(
    code: Callable[[str], NativeCode],
    loops: ModuleOp,
    target: Target,
    callback: Callback,
    sources: dict[str, Source],
) -> Module:
    """A module whose kernels check their accesses: for this process alone, and not cached."""
    found: list[BoundChecks] = []

    def note(stage: str, module: ModuleOp) -> None:
        if stage == BOUND_CHECKS_PASS:
            found.append(bound_checks_of(module))
        if callback is not None:
            callback(stage, module)

    text, made = _lower_to_llvm(loops, target, note, checked=True)
    native = code(text)
    compiled = native.compile(text)
    sources |= {**made, "ll": text, "asm": lambda: native.compile(text).asm()}
    entry = compile_cache.Entry(text, compiled.exports(), compiled.object())
    if not found:  # the pass is disabled, or an instrument has it left out
        return _loaded(native, entry, sources)

    def refuse() -> Any:
        raise CallError(
            "KC5271",
            "a module with bound checks cannot be saved",
            why="its kernels report to the call in this process that started them",
            hints=["build it without tir.instrument_bound_checkers and KC_BOUND_CHECKS"],
        )

    files = dict.fromkeys(native.files(), refuse)
    return _loaded(native, entry, sources, found[-1], files, refuse)


def _check_c_functions(loops: ModuleOp) -> None:
    """Refuse calls of functions of C that this process does not have (KC4352)."""
    for op in c_calls(loops):
        if find_symbol(op.label) is None:
            raise CodegenError(
                "KC4352",
                f"there is no function {op.label} of C in this process",
                location=location_of(op),
                why="a kernel is linked with what the process has when it is built",
                hints=[
                    "load its library before: ctypes.CDLL(path, ctypes.RTLD_GLOBAL)",
                    'tir.call_packed("name", ...) calls a function of Python',
                ],
            )


def _warn_unchecked(target: Target) -> None:
    if PassContext.current().bound_checks:
        warn(
            "KC5272",
            f"the kernels have no bound checks: the target is {target}",
            location=caller_location(),
            why="only kernels that LLVM compiles for this machine have them",
        )


def _loaded(
    native: NativeCode,
    entry: compile_cache.Entry,
    sources: dict[str, Source],
    checks: BoundChecks | None = None,
    files: Files | None = None,
    record: Callable[[], ModuleRecord] | None = None,
) -> Module:
    from kc.codegen.native import load_object
    from kc.runtime.parallel import ensure_pool

    pool = ensure_pool() if "@kc_parallel_for" in entry.text else {}
    packed = callbacks.addresses(native.packed)
    engine = load_object(entry.object, entry.exports, {**pool, **packed})
    functions = {
        one.name: CompiledFunction(
            one, engine.address(one.name), call_jit, engine, checks, calls_back=bool(packed)
        )
        for one in native.signatures
    }
    return Module(
        functions,
        native.entry,
        sources,
        engine,
        artefacts=native.files() if files is None else files,
        record=record or native.record,
    )


def _elsewhere(signature: Signature, error: TargetError) -> DeferredFunction:
    """A function that is compiled for another machine: calling it is refused."""

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


def _noting(said: list[Diagnostic], work: Callable[[], Any]) -> Any:
    """The result of ``work``; what it says to the user is noted, and said afterwards."""
    try:
        with diagnostic_handler(said.append):
            return work()
    finally:
        for one in said:
            say = warn if one.kind == "warning" else remark
            details = {"location": one.location, "facts": one.facts, "hints": one.hints}
            say(one.code, one.message, why=one.why, **details)


def _machine(target: Target) -> tuple[str | None, str | None]:
    """CPU and features for LLVM; None where the host's own are meant.

    Raises TargetError KC6010 for a target that is no CPU.
    """
    if target == Target.host_cpu():
        return None, None
    made = target.llvm
    return made.cpu or None, made.features or None


def build_c(stages: Stages, target: Target, name: str, callback: Callback) -> Module:
    """C source, which is compiled when a function of it is first called."""
    from kc.codegen.c_source import emit_c

    loops = stages[-1][1]
    signatures = signatures_of(loops)
    _check_scalars(signatures, loops)
    _warn_unchecked(target)
    sources: dict[str, Source] = {stage: _printing(module) for stage, module in stages}
    work = copy_module(loops)
    work.attributes["kc.target"] = StringAttr(str(target))
    require_accesses_inside(work)
    snapshots = _Snapshots(work, {}, callback, sources)
    run_passes(work, LowerToCPass().stages(), [snapshots])
    sources["mlir"] = _printing(copy_module(work))
    sources["c"] = text = emit_c(work)
    names = [one.name for one in signatures]
    entry = name if name in names else names[0]
    packed = tuple(packed_calls(loops))
    source = CSource(text, tuple(signatures), entry, target, sources["tir"], packed)

    def deferred(signature: Signature) -> DeferredFunction:
        return DeferredFunction(signature, lambda: source.loaded(signature.name))

    functions = {one.name: deferred(one) for one in signatures}
    return Module(functions, entry, sources, artefacts=source.files(), record=source.record)


def _check_scalars(signatures: Sequence[Signature], module: ModuleOp) -> None:
    for one in signatures:
        for spec in one.args:
            if not spec.is_array and spec.dtype in ("float16", "bfloat16"):
                raise CodegenError(
                    "KC4511",
                    f"c: @{one.name} takes the {spec.dtype} scalar '{spec.name}'",
                    location=location_of(module),
                    why="C99 has no such type to pass it in",
                    hints=["pass a float32, or an array of one element"],
                )
