"""Lower a module to the llvm dialect, compile it with llvmlite and call it on numpy arrays."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
from xdsl.context import Context
from xdsl.dialects import builtin, cf, func, math, memref, scf, vector
from xdsl.dialects.builtin import DYNAMIC_INDEX, FunctionType, MemRefType, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.printer import Printer

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.conversion.convert_to_llvm import ConvertToLlvmPass
from kc.dialects.arith import ARITH
from kc.dialects.llvm import LLVM
from kc.dialects.te import TE
from kc.dialects.tir import TIR
from kc.support.locations import LocationParser

SCALARS = {
    "i1": ctypes.c_uint8,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "index": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
}


@cache
def dialects() -> Context:
    context = Context(allow_unregistered=True)
    for dialect in (
        *(builtin.Builtin, func.Func, ARITH, memref.MemRef, math.Math),
        *(scf.Scf, cf.Cf, vector.Vector, LLVM, TE, TIR),
    ):
        context.load_dialect(dialect)
    return context


def parse(text: str, verify: bool = True) -> ModuleOp:
    module = LocationParser(dialects(), text, "in.mlir").parse_module()
    if verify:
        module.verify()
    return module


def lower(text: str, **options: str) -> ModuleOp:
    return lowered(parse(text), **options)


def lowered(module: ModuleOp, **options: str) -> ModuleOp:
    ConvertToLlvmPass(**options).apply(Context(), module)
    module.verify()
    return module


def to_text(module: ModuleOp) -> str:
    stream = io.StringIO()
    Printer(stream).print_op(module)
    return stream.getvalue()


BODY = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)
launches: list[int] = []
"""The number of iterations of each parallel loop that was run (-1 if it asked for a grain)."""


@ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
def parallel_for(body, context, n, grain):
    """Runs the chunks one after the other, last one first: any order must do."""
    launches.append(n if grain == 0 else -1)
    task = BODY(body)
    for begin in reversed(range(0, n, 3)):
        task(begin, min(begin + 3, n), context)


def jit(ir: str) -> Any:
    """Machine code of LLVM IR, for this CPU: an llvmlite execution engine."""
    import llvmlite.binding as binding

    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine(
        cpu=binding.get_host_cpu_name(), features=binding.get_host_cpu_features().flatten(), opt=3
    )
    binding.add_symbol("kc_parallel_for", ctypes.cast(parallel_for, ctypes.c_void_p).value or 0)
    parsed = binding.parse_assembly(ir)
    parsed.verify()
    tuning = binding.create_pipeline_tuning_options(speed_level=2)
    builder = binding.create_pass_builder(machine, tuning)
    builder.getModulePassManager().run(parsed, builder)
    engine = binding.create_mcjit_compiler(parsed, machine)
    engine.finalize_object()
    return engine


def function_type(module: ModuleOp, name: str) -> FunctionType:
    """The type of a func.func before it is lowered."""
    for op in module.body.block.ops:
        if isinstance(op, FuncOp) and op.sym_name.data == name:
            return op.function_type
    raise KeyError(name)


def call(text: str, *args: np.ndarray | float, name: str = "f") -> None:
    """Compile ``text`` and call its function ``name``, which changes the arrays in place."""
    call_all(text, {name: args})


def call_all(text: str, calls: Mapping[str, Sequence[np.ndarray | float]]) -> None:
    """Compile ``text`` once and call functions of it, which change the arrays in place."""
    module = parse(text)
    values = {
        name: [
            value
            for arg, ty in zip(args, function_type(module, name).inputs, strict=True)
            for value in as_c(arg, ty)
        ]
        for name, args in calls.items()
    }
    engine = jit(emit_llvm_ir(lowered(module)))
    for name, given in values.items():
        address = engine.get_function_address(name)
        ctypes.CFUNCTYPE(None, *(type(value) for value in given))(address)(*given)


def as_c(arg: np.ndarray | float, ty: Attribute) -> list[Any]:
    """An argument under kc's calling convention: a pointer and the dynamic sizes, or a scalar."""
    if isinstance(ty, MemRefType):
        assert isinstance(arg, np.ndarray)
        assert arg.flags.c_contiguous
        sizes = [
            ctypes.c_int64(actual)
            for actual, size in zip(arg.shape, ty.get_shape(), strict=True)
            if size == DYNAMIC_INDEX
        ]
        return [ctypes.c_void_p(arg.ctypes.data), *sizes]
    return [SCALARS[str(ty)](arg)]
