"""Shared by the tests of LLVM IR and native code: parse llvm dialect text, compile it, call it."""

import ctypes
from collections.abc import Callable, Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import Builtin, ModuleOp

from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.native import JitModule, jit
from kc.dialects.llvm import LLVM
from kc.support.locations import LocationParser

CTYPES = {
    "i1": ctypes.c_bool,
    "i8": ctypes.c_int8,
    "i16": ctypes.c_int16,
    "i32": ctypes.c_int32,
    "i64": ctypes.c_int64,
    "f32": ctypes.c_float,
    "f64": ctypes.c_double,
    "ptr": ctypes.c_void_p,
    "void": None,
}


def parse(text: str, *, verify: bool = True) -> ModuleOp:
    """A module of the llvm dialect."""
    context = Context(allow_unregistered=True)
    context.load_dialect(Builtin)
    context.load_dialect(LLVM)
    module = LocationParser(context, text, "input.mlir").parse_module()
    if verify:
        module.verify()
    return module


def compile_module(text: str, **options) -> JitModule:
    return jit(emit_llvm_ir(parse(text)), **options)


def function(module: JitModule, name: str, signature: str) -> Callable:
    """A callable for ``signature``, such as ``"f32(ptr, i64)"``; it keeps the module alive."""
    result, _, arguments = signature.rstrip(")").partition("(")
    types = [CTYPES[type_.strip()] for type_ in arguments.split(",") if type_.strip()]
    pointer = ctypes.CFUNCTYPE(CTYPES[result], *types)(module.address(name))

    def call(*values):
        assert module is not None
        return pointer(*values)

    return call


def functions(text: str, **signatures: str) -> Sequence[Callable]:
    """Compile a module and give its functions, in the order asked for."""
    module = compile_module(text)
    return [function(module, name, signature) for name, signature in signatures.items()]
