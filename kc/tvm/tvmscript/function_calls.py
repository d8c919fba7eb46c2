"""Calls between functions in TVMScript: the statements of the function take the place of the call.

::

    @I.ir_module
    class Module:
        @T.prim_func
        def main(A: T.Buffer((8, 16), "float32")):
            for i in range(8):
                Module.double(T.address_of(A[i, 0]))

        @T.prim_func(private=True)
        def double(row: T.handle):
            R = T.match_buffer(row, (16,), "float32")
            for j in range(16):
                R[j] = R[j] * 2.0

A function of a class that names the class is read when the whole class is there, so that functions
may stand in any order; one that calls itself is refused (KC2117).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kc.expr.buffers import Buffer
from kc.expr.constructors import BufferAccess, Var, as_expr, cast
from kc.expr.indices import same_dim
from kc.support.diagnostics import Location, TEError, suggest
from kc.support.locations import caller_location
from kc.tir.script.expressions import is_symbolic
from kc.tir.script.source import Source
from kc.tvm.buffer_views import in_memory_of

if TYPE_CHECKING:
    from kc.tvm.tvmscript.reader import TvmStatements


@dataclass(frozen=True)
class FunctionOfModule:
    """A function of a class, as the other functions of the class call it."""

    __kc_script__: Source


class FunctionsOfModule:
    """The value of a class's name within its functions."""

    def __init__(self, name: str, functions: Mapping[str, FunctionOfModule]) -> None:
        self.__dict__.update(functions)
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        function_names = [key for key in vars(self) if not key.startswith("_")]
        raise TEError(
            "KC2111",
            f"the module {self.__name__} has no function {name}",
            location=caller_location(),
            hints=suggest(name, function_names, "its functions are"),
        )


def functions_of_module(name: str, sources: Mapping[str, Source]) -> FunctionsOfModule:
    """The value of a class's name within its functions, which call each other through it."""
    functions = FunctionsOfModule(name, {})
    for function, source in sources.items():
        setattr(functions, function, FunctionOfModule(replace(source, module=functions)))
    return functions


@dataclass(frozen=True)
class UnreadFunction:
    """A function whose reading is deferred until its class is complete."""

    source: Source


def returns_value(source: Source) -> bool:
    """True if a function ends with ``T.ret(x)``: other functions call it, and it is no kernel."""
    waiting: list[ast.AST] = [source.tree]
    while waiting:
        statement = waiting.pop()
        if isinstance(statement, ast.Expr | ast.Return):
            if any(_is_ret(part) for part in ast.walk(statement)):
                return True
            continue
        for statements in ("body", "orelse", "finalbody", "handlers"):
            waiting += getattr(statement, statements, ())
    return False


def _is_ret(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "ret"
    )


def class_around(function: Any) -> str:
    """The class in whose body a Python function stands; else nothing."""
    *_, around, _ = ("", "", *function.__qualname__.split("."))
    return "" if around == "<locals>" else around


def names_in(function: Any, name: str) -> bool:
    """True if a Python function uses ``name`` of the enclosing scope."""
    return name in (*function.__code__.co_names, *function.__code__.co_freevars)


def arguments(reader: TvmStatements, node: ast.Call) -> list[Any]:
    """The arguments of a call; ``A.data`` of a part of a buffer is the part."""
    return [reader.expressions.eval(_memory(reader, arg)) for arg in node.args]


def _memory(reader: TvmStatements, node: ast.expr) -> ast.expr:
    """``A`` for ``A.data``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        if isinstance(reader.expressions.eval(node.value), Buffer):
            return node.value
    return node


def take_arguments(
    inner: TvmStatements, values: Sequence[Any], named: Mapping[str, Any], at: Location
) -> None:
    """Bind the parameters of the function that ``inner`` reads to the arguments of a call."""
    from kc.tvm.tvmscript.words import Handle

    tree, name = inner.source.tree, inner.source.name
    nodes = {node.arg: node for node in tree.args.args}
    argument_of = {**dict(zip(nodes, values, strict=False)), **named}
    if len(values) + len(named) != len(nodes) or set(argument_of) != set(nodes):
        raise TEError(
            "KC2116",
            f"{name} takes {len(nodes)} arguments, but the call has {len(values) + len(named)}",
            location=at,
            why=f"its parameters are {', '.join(nodes)}" if nodes else "it has no parameters",
        )
    for parameter, node in nodes.items():
        declared, value = inner.parameter(parameter, node), argument_of[parameter]
        if isinstance(declared, Var):
            if not is_symbolic(value) and not isinstance(value, int | float):
                raise _mismatch(name, parameter, f"the scalar {declared.dtype}", value, at)
            scalar = as_expr(value, declared.dtype) if not is_symbolic(value) else as_expr(value)
            if scalar.dtype != declared.dtype:
                scalar = cast(scalar, declared.dtype)
            inner.scope.names[parameter] = inner.assignments.let_value(scalar, parameter, at)
            continue
        if not isinstance(value, Buffer | BufferAccess):
            raise _mismatch(name, parameter, "a buffer", value, at)
        if isinstance(declared, Handle):
            declared.argument = value
            inner.scope.names[parameter] = declared
        else:
            inner.scope.names[parameter] = seen_as(inner, value, declared, at)


def seen_as(
    inner: TvmStatements, argument: Buffer | BufferAccess, declared: Buffer, at: Location
) -> Buffer:
    """The argument of a call, as the buffer that the function declares.

    Sizes that the declaration names are bound to the argument's sizes.
    """
    starts: Sequence[Any] = ()
    data = argument
    if isinstance(data, BufferAccess):
        starts, data = data.starts, data.buffer
    assert isinstance(data, Buffer)
    if not starts and len(declared.shape) == len(data.shape):
        for dim, size in zip(declared.shape, data.shape, strict=True):
            if isinstance(dim, Var):
                inner.words.bind(dim, size)
        pairs = zip(declared.shape, data.shape, strict=True)
        alike = all(isinstance(dim, Var) or same_dim(dim, size) for dim, size in pairs)
        if alike and declared.dtype == data.dtype and declared.scope() == data.scope():
            return data
    if declared.scope() != data.scope():
        raise TEError(
            "KC2129",
            f"{inner.source.name}: {declared.name} is {declared.scope()} memory, and is given "
            f"{data.name} in {data.scope()} memory",
            location=at,
            why="the parameter and the argument must be in the same memory",
        )
    return in_memory_of(data, declared, starts)


def _mismatch(name: str, parameter: str, parameter_kind: str, value: Any, at: Location) -> TEError:
    return TEError(
        "KC2116",
        f"{name}: the parameter {parameter} is {parameter_kind}, and is given "
        f"{type(value).__name__}",
        location=at,
        hints=["A.data or T.address_of(A[i, j]) for a buffer, a number for a scalar"],
    )
