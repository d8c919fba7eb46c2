"""``tir.call_extern``: calls of C functions of this process and of Python functions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from xdsl.dialects.builtin import MemRefType, StringAttr
from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Attribute

from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import UninterpretableError
from kc.analysis.interpreter.values import Poison, float_type, int_width, is_float, wrapper
from kc.dialects.tir.calls import TRACED, CallExternOp
from kc.support.global_functions import as_argument, get_global_func
from kc.support.process_symbols import C_SCALARS, find_symbol


@register_impls
class ForeignFunctions(InterpreterFunctions):
    """External calls have the same effects as in a kernel, in program order."""

    @prepared(CallExternOp)
    def call_extern(self, interpreter: KernelInterpreter, op: CallExternOp) -> Run:
        call = _packed(op) if op.is_packed else _of_c(op)
        dtypes, _ = op.dtypes
        give = _result(op, op.values[0].type) if op.values else None
        operands = zip(op.arguments, dtypes, strict=True)
        takes = [_argument(op, operand.type, dtype) for operand, dtype in operands]

        def run(*args: Any) -> Any:
            returned = call([take(arg) for take, arg in zip(takes, args, strict=True)])
            return None if give is None else give(returned)

        return run


def _argument(op: CallExternOp, type_: Attribute, dtype: str) -> Callable[[Any], Any]:
    if isinstance(type_, MemRefType):
        unsigned = dtype if dtype.startswith("uint") else None

        def memory(buffer: Any) -> Any:
            data = buffer.array(op)
            return data if unsigned is None else data.view(unsigned)

        return memory

    def number(value: Any) -> Any:
        if isinstance(value, Poison):
            value.__index__()  # raises: the function would see anything
        if isinstance(value, np.floating):
            return float(value)
        return value & ((1 << int_width(op, type_)) - 1) if dtype.startswith("uint") else value

    return number


def _result(op: CallExternOp, type_: Attribute) -> Callable[[Any], Any]:
    """The function that converts the result of a call to a value; None from a Python function
    becomes 0.
    """
    if is_float(type_):
        kind = float_type(op, type_)
        return lambda value: kind(0 if value is None else value)
    wrap = wrapper(int_width(op, type_))
    return lambda value: wrap(0 if value is None else int(value))


def _packed(op: CallExternOp) -> Callable[[list[Any]], Any]:
    name, texts = op.label, list(op.texts)

    def call(args: list[Any]) -> Any:
        function = get_global_func(name)
        assert function is not None
        rest = iter(args)
        arguments = [
            text.data if isinstance(text, StringAttr) else as_argument(next(rest)) for text in texts
        ]
        returned = function(*arguments)
        return args[-1] if returned is None and TRACED in op.attributes else returned

    return call


def _of_c(op: CallExternOp) -> Callable[[list[Any]], Any]:
    address = find_symbol(op.label)
    if address is None:
        raise UninterpretableError(op, f"this process has no C function {op.label}")
    dtypes, result = op.dtypes
    types: list[Any] = []
    passed = op.passed
    for n, _ in passed:
        is_buffer = isinstance(op.arguments[n].type, MemRefType)
        types.append(ctypes.c_void_p if is_buffer else _c_type(op, dtypes[n]))
    kind = None if result is None else _c_type(op, result)
    function = ctypes.CFUNCTYPE(kind, *types)(address)

    def call(args: list[Any]) -> Any:
        return function(
            *(_pointer(op, args[n], [int(args[start]) for start in starts]) for n, starts in passed)
        )

    return call


def _c_type(op: CallExternOp, dtype: str) -> Any:
    c_type = C_SCALARS.get(dtype)
    if c_type is None:
        raise UninterpretableError(op, f"{dtype} scalars are not passed to C functions")
    return c_type


def _pointer(op: CallExternOp, value: Any, starts: Sequence[int]) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    return value.ctypes.data + sum(n * step for n, step in zip(starts, value.strides, strict=False))
