"""``kc.lower`` and ``kc.build``: from a schedule or a module to IR, and to functions to call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    AffineMapAttr,
    DictionaryAttr,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    StringAttr,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineSymExpr,
)

from kc.analysis import loop_tree
from kc.dialects.tir import DYNAMIC, symbol_names
from kc.support.diagnostics import CodegenError, TEError
from kc.support.ir_text import print_module
from kc.support.locations import caller_location, location_of
from kc.support.registry import context, get_pass
from kc.support.target import Target
from kc.te.lowering import lower_schedule
from kc.te.schedule import Schedule, create_schedule
from kc.te.tensor import Operation, Tensor
from kc.tir.module import IRModule

Instrument = Callable[[str, ModuleOp], None]
"""Called after each stage of a build with its name and the module."""


def lower(
    inp: Any,
    args: Sequence[Any] | None = None,
    name: str = "main",
    simple_mode: bool = False,
    *,
    target: Target | str | None = None,
) -> IRModule:
    """The scheduled loops (``tir``) of a schedule, tensors, or module.

    ``inp`` is a TE schedule with its ``args``, a ``kc.tir.Schedule``, or a module with ``te`` or
    ``tir`` functions. ``simple_mode`` is accepted as in TVM; the result is always at the level
    that people schedule and read. Raises TEError and ScheduleError.
    """
    del simple_mode
    chosen = _target(target) if target is not None else Target.current() or Target.generic()
    return IRModule(_stages(inp, args, name, chosen)[-1][1])


def _target(target: Target | str | None) -> Target:
    if target is None:
        return Target.current() or Target.host_cpu()
    return target if isinstance(target, Target) else Target(target)


def _stages(
    inp: Any, args: Sequence[Any] | None, name: str, target: Target
) -> list[tuple[str, ModuleOp]]:
    """The modules on the way to ``tir``: (stage, module), the last one is the scheduled loops."""
    if isinstance(inp, Tensor | Operation):
        inp = create_schedule(inp)
    if isinstance(inp, Schedule):
        if args is None:
            raise TEError(
                "KC2020",
                "a schedule is lowered without its arguments",
                location=caller_location(),
                why="their order is the order of the function's arguments",
                hints=["kc.build(s, [A, B, C])"],
            )
        lowered = lower_schedule(inp, args, name, target)
        return [("te", lowered.te), ("tir", lowered.tir)]
    module = getattr(inp, "module", None) or getattr(inp, "op", inp)
    if not isinstance(module, ModuleOp):
        raise TEError(
            "KC2027",
            f"{type(inp).__name__} cannot be lowered",
            location=caller_location(),
            hints=["a te schedule, a kc.tir.Schedule, a kc.IRModule"],
        )
    copy = module.clone()
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        new.location = old.location
    get_pass("convert-te-to-tir").apply(context(), copy)
    return [("tir", copy)]


@dataclass
class _Artefacts:
    """What a build leaves behind to look at."""

    texts: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, module: ModuleOp) -> None:
        """Keep ``module`` as it is now; it is printed when it is asked for."""
        copy = module.clone()
        self.texts[kind] = lambda: print_module(copy)


def build(
    inp: Any,
    args: Sequence[Any] | None = None,
    target: Target | str | None = None,
    name: str = "main",
    *,
    instrument: Instrument | None = None,
) -> Any:
    """Compile to machine code: a :class:`kc.runtime.Module`, ready to be called.

    ``inp`` and ``args`` are as for :func:`lower`; ``target`` defaults to the host CPU. The caller
    passes numpy arrays (or kc.nd arrays, or anything with DLPack) in the order of ``args``; outputs
    are written in place. ``get_source("tir"|"mlir"|"llvm"|"ll"|"asm")`` shows the stages.
    """
    from kc.codegen.llvm_ir import emit_llvm_ir
    from kc.codegen.native import compile_ir, jit
    from kc.conversion.pipelines import lower_to_llvm_passes
    from kc.runtime.function import CompiledFunction
    from kc.runtime.module import Module
    from kc.runtime.parallel import ensure_pool

    chosen = _target(target)
    stages = _stages(inp, args, name, chosen)
    artefacts = _Artefacts()
    for stage, module in stages:
        artefacts.add(stage, module)
        if instrument is not None:
            instrument(stage, module)
    work = stages[-1][1].clone()
    for old, new in zip(stages[-1][1].walk(), work.walk(), strict=True):
        new.location = old.location
    signatures = _signatures(work)
    ctx = context()
    with chosen:  # passes ask target_of(module)
        for one in lower_to_llvm_passes():
            if one == "convert-to-llvm":
                artefacts.add("mlir", work)
            get_pass(one).apply(ctx, work)
            if instrument is not None:
                instrument(one, work)
    artefacts.add("llvm", work)
    cpu, features = _machine(chosen)
    text = emit_llvm_ir(work, triple=chosen.triple)
    artefacts.texts["ll"] = text
    artefacts.texts["asm"] = lambda: compile_ir(
        text, triple=chosen.triple, cpu=cpu, features=features
    ).asm()
    pool = ensure_pool() if "@kc_parallel_for" in text else {}
    engine = jit(text, pool, cpu=cpu, features=features)
    functions = {
        one.name: CompiledFunction(one, engine.address(one.name), _wrapper_jit, engine)
        for one in signatures
    }
    entry = name if name in functions else signatures[0].name
    return Module(functions, entry, artefacts.texts, engine)


def _machine(target: Target) -> tuple[str | None, str | None]:
    """CPU and features for LLVM; None where the host's own are meant."""
    if target == Target.host_cpu():
        return None, None
    return target.cpu or None, ",".join(target.mattr) or None


def _wrapper_jit(text: str, symbols: dict[str, int]) -> Any:
    """Compiles the code of calls: short, and not worth optimising."""
    from kc.codegen.native import jit

    return jit(text, symbols, opt_level=0)


def _signatures(module: ModuleOp) -> list[Any]:
    found = [
        signature_of(one)
        for one in loop_tree.functions(module)
        if one.sym_visibility is None or one.sym_visibility.data != "private"
    ]
    if not found:
        raise CodegenError(
            "KC4003",
            "the module has no function to compile",
            location=location_of(module),
            why="a kernel is a public func.func or te.func with a body",
        )
    return found


def signature_of(function: func.FuncOp) -> Any:
    """What the function takes, as the runtime checks it."""
    from kc.runtime.signature import ArgSpec, Signature, symbols_of

    if function.function_type.outputs.data:
        raise CodegenError(
            "KC4004",
            f"@{function.sym_name.data} returns a value",
            location=location_of(function),
            why="a kernel writes its results into arguments",
        )
    symbols = symbol_names(function)
    attrs = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attrs += [DictionaryAttr({})] * (len(function.args) - len(attrs))
    specs = []
    for n, (arg, given) in enumerate(zip(function.args, attrs, strict=True)):
        name = _text(given.data.get("kc.name")) or arg.name_hint or f"arg{n}"
        dtype = _text(given.data.get("kc.dtype")) or _dtype(arg.type, function)
        if isinstance(arg.type, MemRefType):
            specs.append(
                ArgSpec(
                    name,
                    "array",
                    dtype,
                    _shape(arg.type, given.data.get("kc.shape"), symbols, name),
                    _text(given.data.get("kc.role")) or ("inout" if _is_written(arg) else "in"),  # pyright: ignore
                )
            )
        else:
            specs.append(ArgSpec(name, "scalar", dtype, symbol=_text(given.data.get("kc.symbol"))))
    used = [name for one in specs for dim in one.shape for name in symbols_of(dim)]
    used += [one.symbol for one in specs if one.symbol is not None]
    return Signature(function.sym_name.data, tuple(specs), tuple(dict.fromkeys(used)))


def _text(attr: Attribute | None) -> str | None:
    return attr.data if isinstance(attr, StringAttr) else None


def _dtype(type_: Attribute, function: func.FuncOp) -> str:
    element = type_.element_type if isinstance(type_, MemRefType) else type_
    if isinstance(element, IndexType):
        return "int64"
    if isinstance(element, IntegerType):
        if element.width.data in (8, 16, 32, 64):
            return f"int{element.width.data}"
        if element.width.data == 1:
            return "bool"
    width = getattr(element, "bitwidth", None)
    if str(element) in ("f16", "f32", "f64"):
        return f"float{width}"
    raise CodegenError(
        "KC4005",
        f"@{function.sym_name.data} has an argument of type {type_}",
        location=location_of(function),
        why="elements are f16, f32, f64, i1, i8, i16, i32, i64 or index",
    )


def _is_written(buffer: SSAValue) -> bool:
    """Whether any op but a load uses ``buffer``."""
    return any(
        use.operation.name not in ("memref.load", "tir.load", "vector.load", "memref.dim")
        for use in buffer.uses
    )


def _shape(
    type_: MemRefType, given: Attribute | None, symbols: Sequence[str], name: str
) -> tuple[Any, ...]:
    if isinstance(given, AffineMapAttr):
        return tuple(_dim(one, symbols) for one in given.data.results)
    return tuple(
        f"{name}_{n}" if size == DYNAMIC else size for n, size in enumerate(type_.get_shape())
    )


def _dim(expr: AffineExpr, symbols: Sequence[str]) -> Any:
    from kc.runtime.signature import AffineDim

    if isinstance(expr, AffineConstantExpr):
        return expr.value
    if isinstance(expr, AffineSymExpr):
        return symbols[expr.position]
    assert isinstance(expr, AffineBinaryOpExpr)
    make = {
        AffineBinaryOpKind.Add: AffineDim.add,
        AffineBinaryOpKind.Mul: AffineDim.mul,
        AffineBinaryOpKind.FloorDiv: AffineDim.floordiv,
        AffineBinaryOpKind.CeilDiv: AffineDim.ceildiv,
        AffineBinaryOpKind.Mod: AffineDim.mod,
    }[expr.kind]
    return make(_dim(expr.lhs, symbols), _dim(expr.rhs, symbols))
