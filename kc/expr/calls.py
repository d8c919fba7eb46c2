"""Calls of C functions, Python functions and LLVM intrinsics from expressions and statements.

The names, arguments and meanings are those of ``tvm.tir``. kc does not see the called code, so a
call declares the buffers that it takes, and which of them it reads or writes.
"""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, Protocol, runtime_checkable

from kc.expr import intrinsics
from kc.expr.access_pointers import access_of
from kc.expr.constructors import (
    BufferAccess,
    Const,
    Element,
    Expr,
    ExternCall,
    as_expr,
    binary,
    if_then_else,
    intrinsic,
)
from kc.expr.dtypes import bits, check_dtype, is_float, lanes, scalar
from kc.expr.op_attributes import attribute_of, is_known
from kc.expr.tensor import Tensor
from kc.expr.vectors import vectorcombine, vectorhigh, vectorlow
from kc.support.c_names import is_identifier
from kc.support.diagnostics import TEError, counted, suggest
from kc.support.global_functions import get_global_func, register_func
from kc.support.locations import caller_location


def call_extern(dtype: str, func_name: str, *args: Any) -> ExternCall:
    """Call the C function ``func_name``, which returns a ``dtype`` ("void": no value).

    Scalars are passed by value, buffers as pointers to their first elements. The process must have
    the function when the kernel is built: from the C library, or from a library that
    ``ctypes.CDLL(path, ctypes.RTLD_GLOBAL)`` loaded; in a saved object it is a symbol to link. The
    function may access no memory of the program except its buffer arguments. Raises TEError KC2150
    to KC2155.
    """
    return _call("call_extern", func_name, args, dtype)


def call_pure_extern(dtype: str, func_name: str, *args: Any) -> ExternCall:
    """:func:`call_extern` of a pure function: its result depends only on its scalar arguments.

    The number of calls at run time may differ from the program's, and calls may run in vector
    lanes.
    """
    call = _call("call_pure_extern", func_name, args, dtype, pure=True)
    for arg in call.args:
        if isinstance(arg, BufferAccess):
            raise TEError(
                "KC2152",
                f"call_pure_extern: an argument of {func_name} is the buffer {arg.buffer.name}",
                location=call.location,
                why="a pure function depends only on its arguments, not on memory",
                hints=[f'tir.call_extern("{dtype}", "{func_name}", ...)'],
            )
    if call.dtype == "void":
        raise TEError(
            "KC2152",
            f"call_pure_extern: {func_name} has no result",
            location=call.location,
            why="a pure function is called for its result",
            hints=[f'tir.call_extern("void", "{func_name}", ...)'],
        )
    return call


def call_packed(func_name: str, *args: Any, dtype: str = "int32") -> ExternCall:
    """Call the Python function that ``kc.register_func`` registered as ``func_name``.

    The name is looked up at the call. The function receives buffers as ``kc.nd`` arrays that share
    their memory, scalars as numbers, and strings. Its return value is the result, 0 for None. An
    exception ends the call of the kernel (CallError KC5250). Raises TEError KC2150 to KC2155.
    """
    return _call("call_packed", func_name, args, dtype, kind="packed")


def call_cpacked(func_name: str, *args: Any, dtype: str = "int32") -> ExternCall:
    """The same as :func:`call_packed`. In TVM it calls C functions through another interface."""
    return _call("call_cpacked", func_name, args, dtype, kind="packed")


DEFAULT_TRACE = "tvm.default_trace_action"


def trace(args: Any, trace_action: str = DEFAULT_TRACE) -> ExternCall:
    """The last of ``args``, which the kernel passes to the Python function ``trace_action``.

    The function receives all of ``args``: scalars, buffers and strings. Its return value replaces
    the last argument unless it is None. The default function prints a list of them. Raises TEError
    KC2156::

        C = te.compute((n,), lambda i: te.trace([i, A[i], A[i] + B[i]]))
    """
    if not isinstance(args, list | tuple) or not args:
        raise TEError(
            "KC2156",
            "trace: the list of values is empty"
            if isinstance(args, list | tuple)
            else f"trace: {type(args).__name__} is not a list of values",
            location=caller_location(),
            why="the last value of the list is the result, and the trace shows all of them",
            hints=["te.trace([i, A[i]])"],
        )
    if trace_action == DEFAULT_TRACE and get_global_func(DEFAULT_TRACE, True) is None:
        register_func(DEFAULT_TRACE, _print_values)
    call = _call("trace", trace_action, tuple(args), "void", kind="trace")
    value = call.args[-1]
    if not isinstance(value, Expr):
        raise TEError(
            "KC2156",
            f"trace: the last value is {args[-1]!r}",
            location=call.location,
            why="the last value is the result, so it must be a scalar",
            hints=["te.trace([buffer, A[i]])"],
        )
    call.dtype = value.dtype
    return call


def _print_values(*values: Any) -> None:
    print(list(values))


def call_llvm_intrin(
    dtype: str, name: str, n_signature: int | Const | None = None, *args: Any
) -> ExternCall:
    """Call the LLVM intrinsic ``name``, as "llvm.fma", which returns a ``dtype``.

    In TVM, ``n_signature`` counts the arguments whose types are part of the intrinsic's name. Here,
    if it is not 0, a name of two words gets the suffix of the result type, ``llvm.fma.f32``; a
    longer name is complete. In statements the arguments and the result may be vectors. Raises
    TEError KC2150 to KC2155.
    """
    return _llvm("call_llvm_intrin", dtype, name, n_signature, args)


def call_llvm_pure_intrin(
    dtype: str, name: str, n_signature: int | Const | None = None, *args: Any
) -> ExternCall:
    """:func:`call_llvm_intrin` of an intrinsic without side effects, as all intrinsics of scalars
    are.
    """
    return _llvm("call_llvm_pure_intrin", dtype, name, n_signature, args)


def call_intrin(dtype: str, func_name: str, *args: Any) -> Expr:
    """Call an intrinsic by TVM's name, as "tir.exp" or "tir.if_then_else".

    Raises TEError KC2151 for an unknown name.
    """
    location = caller_location()
    given_name = getattr(func_name, "name", func_name)  # the name of an operator (tvm.ir.Op)
    short = given_name.removeprefix("tir.") if isinstance(given_name, str) else ""
    intrinsics = _known()
    typed = _TYPED.get(short)
    if typed is not None:
        _check_count(short, typed, (dtype, *args), count=len(args))
        return typed(dtype, *args)
    if short not in intrinsics and is_known(given_name):
        result_dtype = check_dtype(dtype, vectors=True)
        pure = attribute_of(given_name, "TCallEffectKind") in (None, *PURE_EFFECTS)
        values = tuple(map(as_expr, args))
        return ExternCall(given_name, values, result_dtype, location, "c", pure)
    if short not in intrinsics:
        raise TEError(
            "KC2151",
            f"call_intrin: unknown intrinsic '{func_name}'",
            location=location,
            hints=[
                *suggest(short, sorted({*intrinsics, *_TYPED}), "the intrinsics are"),
                f'tir.call_extern("{dtype}", "{short}", ...) calls a C function',
            ],
        )
    _check_count(short, intrinsics[short], args, count=len(args))
    result = as_expr(intrinsics[short](*args))
    return result if result.dtype == check_dtype(dtype) else result.astype(dtype)


PURE_EFFECTS = (0, 1)
"""The values of ``TCallEffectKind`` for calls without side effects."""


def _known() -> dict[str, Any]:
    """The functions that create calls of intrinsics, by name."""
    return {
        **{name: getattr(intrinsics, name) for name in intrinsics.__all__},
        **{name: intrinsic(name) for name in _UNARY},
        **{name: partial(binary, op) for name, op in _BINARY.items()},
        "if_then_else": if_then_else,
    }


def intrinsic_names() -> list[str]:
    """The names of all intrinsics, without "tir."."""
    return sorted({*_known(), *_TYPED})


def _check_count(name: str, function: Any, args: tuple[Any, ...], *, count: int) -> None:
    """Refuse (KC2220) a wrong number of arguments of an intrinsic."""
    signature = inspect.signature(function)
    try:
        signature.bind(*args)
    except TypeError:
        expected = len(signature.parameters) - (len(args) - count)
        raise TEError(
            "KC2220",
            f"call_intrin: {name} is given {counted(count, 'argument')}",
            location=caller_location(),
            why=f"it takes {counted(expected, 'argument')}",
        ) from None


_TYPED = {
    "reinterpret": intrinsics.reinterpret,
    "vectorcombine": vectorcombine,
    "vectorhigh": vectorhigh,
    "vectorlow": vectorlow,
}
"""The functions whose first argument is the result type."""

_UNARY = (
    "exp",
    "exp2",
    "expm1",
    "log",
    "log2",
    "log10",
    "log1p",
    "sqrt",
    "rsqrt",
    "sin",
    "cos",
    "tan",
)
_UNARY = (*_UNARY, "tanh", "erf", "floor", "ceil", "trunc", "round", "sigmoid")
_BINARY = {
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "floordiv": "floordiv",
    "floormod": "floormod",
    "truncdiv": "truncdiv",
    "truncmod": "truncmod",
}


def _call(
    what: str, name: Any, args: tuple[Any, ...], dtype: Any, kind: str = "c", *, pure: bool = False
) -> ExternCall:
    location = caller_location()
    of_c = kind == "c"
    good = isinstance(name, str) and (is_identifier(name) if of_c else bool(name))
    if not good:
        raise TEError(
            "KC2150",
            f"{what}: {name!r} is not the name of a function",
            location=location,
            why="the name must be a symbol of C"
            if of_c
            else "the name must be registered by kc.register_func",
            hints=[f'tir.{what}("int32", "abs", x)'] if of_c else [f'tir.{what}("my.function", x)'],
        )
    result_dtype = "void" if dtype in ("void", "handle", "", None) else check_dtype(dtype)
    operands = tuple(_argument(what, name, n, arg, kind) for n, arg in enumerate(args))
    return ExternCall(name, operands, result_dtype, location, kind, pure)


@runtime_checkable
class _PartMemory(Protocol):
    """The memory of a part of a buffer (:class:`kc.tvm.buffer_views.PartMemory`)."""

    def array(self, mode: str) -> BufferAccess: ...
    def pointer(self, mode: str) -> BufferAccess: ...
    def pointer_to(self, access: BufferAccess) -> BufferAccess: ...


def _argument(what: str, name: str, n: int, arg: Any, kind: str) -> Expr | BufferAccess | str:
    location = caller_location()
    of_c = kind == "c"
    if isinstance(arg, str) and not of_c:
        return arg
    if isinstance(arg, BufferAccess):
        if arg.starts and kind != "c":
            raise TEError(
                "KC2154",
                f"{what}: argument {n} of {name} is {arg.buffer.name} from another element than "
                "the first on",
                location=location,
                why="a Python function can receive only whole buffers, as arrays",
                hints=["pass the offset as an argument of the function"],
            )
        if isinstance(arg.buffer, _PartMemory):
            return arg.buffer.pointer_to(arg) if of_c else arg.buffer.array(arg.mode)
        return arg
    if isinstance(arg, Tensor) and hasattr(arg, "access_ptr"):
        memory = getattr(arg, "data", arg)  # a part of another buffer has its own data
        mode = "read" if getattr(arg, "is_input", False) else "update"
        if isinstance(memory, _PartMemory):
            return memory.pointer(mode) if of_c else memory.array(mode)
        return BufferAccess(memory, mode)
    if isinstance(arg, Tensor) and arg.ndim:
        raise TEError(
            "KC2153",
            f"{what}: argument {n} of {name} is the tensor {arg.name}",
            location=location,
            why="a tensor has memory only inside te.extern",
            hints=[
                f"pass an element: {arg.name}[{', '.join('ijklmnop'[: arg.ndim])}]",
                f"te.extern(shape, [{arg.name}], lambda ins, outs: tir.{what}(..., ins[0]))",
            ],
        )
    if isinstance(arg, str):
        raise TEError(
            "KC2153",
            f"{what}: argument {n} of {name} is the text {arg!r}",
            location=location,
            why="a C function can receive only numbers and buffers",
            hints=[f'tir.call_packed("{name}", ...) passes text to a Python function'],
        )
    value = as_expr(arg)
    if lanes(value.dtype) > 1:
        raise TEError(
            "KC2218",
            f"{what}: argument {n} of {name} is a vector, {value.dtype}",
            location=location,
            why="C and Python functions can receive only scalars and buffers",
            hints=["store it to a buffer, and pass that", "tir.call_llvm_intrin takes vectors"],
        )
    return value


def _llvm(what: str, dtype: str, name: Any, n_signature: Any, args: tuple[Any, ...]) -> ExternCall:
    location = caller_location()
    if not isinstance(name, str) or not name.startswith("llvm."):
        raise TEError(
            "KC2150",
            f"{what}: {name!r} is not an intrinsic of LLVM",
            location=location,
            why='their names start with "llvm."',
            hints=[f'tir.{what}("float32", "llvm.fma", 3, a, b, c)'],
        )
    if isinstance(n_signature, Const):
        n_signature = int(n_signature.value)
    if isinstance(n_signature, int) and not 0 <= n_signature <= len(args):
        raise TEError(
            "KC2155",
            f"{what}: {counted(n_signature, 'argument')} of {name} should determine its types, "
            f"{len(args)} given",
            location=location,
            why="the number of the type-determining arguments must precede the arguments",
            hints=[f'tir.{what}("{dtype}", "{name}", {len(args)}, ...)'],
        )
    result_dtype = "void" if dtype in ("void", "", None) else check_dtype(dtype, vectors=True)
    operands = tuple(as_expr(arg) for arg in args)
    if name.count(".") == 1 and n_signature != 0 and (operands or result_dtype != "void"):
        typed = result_dtype if result_dtype != "void" else operands[0].dtype
        letter = "bf" if scalar(typed) == "bfloat16" else "f" if is_float(typed) else "i"
        vector = f"v{lanes(typed)}" if lanes(typed) > 1 else ""
        name = f"{name}.{vector}{letter}{bits(typed)}"
    return ExternCall(name, operands, result_dtype, location, "llvm", True)


def address_of(element: Any) -> BufferAccess:
    """The address of an element of a buffer, as an argument of a C function, which may read and
    write the buffer; an input of ``te.extern`` is only read. Raises KC2154 for anything else."""
    if isinstance(element, Element) and hasattr(element.tensor, "access_ptr"):
        first = all(isinstance(index, Const) and index.value == 0 for index in element.indices)
        mask = "r" if getattr(element.tensor, "is_input", False) else "rw"
        return access_of(element.tensor, mask, 1, 0 if first else element.indices)
    raise TEError(
        "KC2154",
        f"address_of: {element!r} is not an element of a buffer",
        location=caller_location(),
        why="only elements of buffers have addresses: of tir.decl_buffer and te.extern",
        hints=["tir.address_of(A[i, j])"],
    )
