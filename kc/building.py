"""Builds: from scheduled loops to a module that can be called, for each kind of target."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc import compile_cache
from kc.artefacts import CSource, NativeCode, call_jit
from kc.conversion.pipelines import LowerToCPass, LowerToLlvmPass
from kc.instrument import run_passes
from kc.runtime.function import CompiledFunction, DeferredFunction
from kc.runtime.module import Module, Source
from kc.runtime.signature import Signature
from kc.signatures import signatures_of
from kc.support.diagnostics import CodegenError, Diagnostic, diagnostic_handler, remark, warn
from kc.support.ir_text import print_module
from kc.support.locations import location_of
from kc.support.module_copy import copy_module
from kc.support.target import Target
from kc.tools._pipeline import Instrument, Stage
from kc.transform import PassContext

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
    loops: ModuleOp, target: Target, callback: Callback
) -> tuple[str, dict[str, Source]]:
    """LLVM IR text, and the sources on the way."""
    from kc.codegen.llvm_ir import emit_llvm_ir

    work = copy_module(loops)
    sources: dict[str, Source] = {}
    snapshots = _Snapshots(work, {"convert-to-llvm": "mlir"}, callback, sources)
    with target:  # passes ask target_of(module)
        run_passes(work, LowerToLlvmPass().stages(), [snapshots])
    sources["llvm"] = _printing(work)
    return emit_llvm_ir(work, triple=target.triple), sources


def build_native(stages: Stages, target: Target, name: str, callback: Callback) -> Module:
    """Machine code of this process, by LLVM."""
    from kc.codegen.native import compile_ir, load_object, make_machine
    from kc.codegen.native_target import check_runs_here
    from kc.runtime.parallel import ensure_pool

    loops = stages[-1][1]
    signatures = signatures_of(loops)
    context = PassContext.current()
    sources: dict[str, Source] = {stage: _printing(module) for stage, module in stages}
    cpu, features = _machine(target)
    # The text does not matter: it is asked for its triple, which is given.
    machine = make_machine("", target.triple, cpu, features)
    check_runs_here(machine)

    def compiled(text: str) -> Any:
        return compile_ir(
            text,
            triple=machine.triple,
            cpu=machine.cpu,
            features=machine.features,
            opt_level=context.llvm_level,
            relocation="pic",
        )

    key = None
    if callback is None and not context.instruments:
        key = compile_cache.key_of(loops, signatures, target, machine, context.identity())
    entry = compile_cache.read(key) if key is not None else None
    if entry is None:
        said: list[Diagnostic] = []
        text, made = _noting(said, lambda: _lower_to_llvm(loops, target, callback))
        code = compiled(text)
        exports, data = code.exports(), code.object()
        # What came with a warning is compiled again, so that the warning comes again.
        if key is not None and not said:
            compile_cache.write(key, compile_cache.Entry(text, exports, data))
        sources |= made
    else:
        text, exports, data = entry.text, entry.exports, entry.object
        kept = copy_module(loops)

        def again(kind: str) -> Callable[[], str]:
            return lambda: _text(_lower_to_llvm(kept, target, None)[1][kind])

        sources |= {kind: again(kind) for kind in ("mlir", "llvm")}
    sources["ll"] = text
    sources["asm"] = lambda: compiled(text).asm()
    pool = ensure_pool() if "@kc_parallel_for" in text else {}
    engine = load_object(data, exports, pool)
    functions = {
        one.name: CompiledFunction(one, engine.address(one.name), call_jit, engine)
        for one in signatures
    }
    main = name if name in functions else signatures[0].name
    native = NativeCode(
        text, tuple(signatures), main, target, machine, context.llvm_level, sources["tir"]
    )
    return Module(functions, main, sources, engine, artefacts=native.files(), record=native.record)


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
    """CPU and features for LLVM; None where the host's own are meant."""
    if target == Target.host_cpu():
        return None, None
    return target.cpu or None, ",".join(target.mattr) or None


def build_c(stages: Stages, target: Target, name: str, callback: Callback) -> Module:
    """C source, which is compiled when a function of it is first called."""
    from kc.codegen.c_source import emit_c

    loops = stages[-1][1]
    signatures = signatures_of(loops)
    _check_scalars(signatures, loops)
    sources: dict[str, Source] = {stage: _printing(module) for stage, module in stages}
    work = copy_module(loops)
    work.attributes["kc.target"] = StringAttr(str(target))
    snapshots = _Snapshots(work, {}, callback, sources)
    run_passes(work, LowerToCPass().stages(), [snapshots])
    sources["mlir"] = _printing(copy_module(work))
    sources["c"] = text = emit_c(work)
    names = [one.name for one in signatures]
    entry = name if name in names else names[0]
    source = CSource(text, tuple(signatures), entry, target, sources["tir"])

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
