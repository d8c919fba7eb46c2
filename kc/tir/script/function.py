"""``kc.script``: a Python function as a kernel, read from its source."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.expr.buffers import Buffer
from kc.expr.constructors import Var
from kc.expr.dtypes import DTYPES
from kc.support.diagnostics import Location, TEError
from kc.support.function_holders import FunctionHolder
from kc.support.locations import reading
from kc.tir.emit import build_function
from kc.tir.module import IRModule
from kc.tir.script.assignments import SCALARS
from kc.tir.script.hybrid import call_with_tensors, is_symbolic_call
from kc.tir.script.runtime import executable
from kc.tir.script.source import Source, source_of
from kc.tir.script.statements import Statements, parameter_names
from kc.tir.stmt import Seq


class ScriptFunction(FunctionHolder):
    """A function that other scripts call; its statements replace the call.

    A call with tensors creates an operation and returns its tensors (:mod:`kc.tvm.hybrid`). A call
    with arrays and numbers runs the function in Python: loops are ranges and memory is numpy's.
    """

    def __init__(self, source: Source) -> None:
        self.__kc_script__ = source
        self.__name__ = source.name
        self.__doc__ = getattr(source.function, "__doc__", None)
        self.__wrapped__ = source.function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if is_symbolic_call([*args, *kwargs.values()]):
            return call_with_tensors(self.__kc_script__, args, kwargs)
        return executable(self.__kc_script__.function)(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<kc.script {self.__name__}>"


class ScriptKernel(IRModule, ScriptFunction):
    """A module of one function from a script. ``kc.lower``, ``kc.build`` and ``kc.tir.Schedule``
    accept it; other scripts can call it.
    """

    def __init__(self, source: Source) -> None:
        ScriptFunction.__init__(self, source)
        self.params = parameters(source)
        at = source.at(source.tree)
        reader = Statements(source)
        reader.take(self.params, {}, at)
        reader.run(source.tree.body)
        function = build_function(self.params, Seq(at, reader.body), source.name, at)
        IRModule.__init__(self, ModuleOp([function]))

    def __copy__(self) -> ScriptKernel:
        again = object.__new__(type(self))
        vars(again).update(vars(self))
        return again

    def __deepcopy__(self, memo: dict[int, Any]) -> ScriptKernel:
        again = copy.copy(self)
        again.op = copy.deepcopy(self.op, memo)
        return again

    def __reduce_ex__(self, protocol: Any) -> Any:
        """The pickled form: the module, an IRModule, without its Python function."""
        return IRModule, (self.op,)


def script(function: Callable[..., Any]) -> Any:
    """Compile a Python function to a kernel, from its source.

    ::

        n = te.var("n")

        @kc.script
        def matmul(A: kc.Buffer((n, 64)), B: kc.Buffer((64, 32)), C: kc.Buffer((n, 32))):
            for i, j, k in grid(n, 32, 64):
                with block("C"):
                    vi, vj, vk = axis.remap("SSR", [i, j, k])
                    with init():
                        C[vi, vj] = 0.0
                    C[vi, vj] += A[vi, vk] * B[vk, vj]

    Parameters are annotated: ``kc.Buffer(shape, dtype)``, or an element type for a scalar. Loops
    are ``range`` (also ``serial``, ``parallel``, ``vectorized``, ``unroll``, ``grid``,
    ``thread_binding``, and ``const_range``, which repeats its statements). ``alloc_buffer``
    allocates memory. Names are numbers and may be reassigned. Numbers, functions and other scripts
    of the enclosing scope may be used. A store outside of all blocks becomes a block named after
    its buffer, if possible. Every operation has the source line of its statement.

    A function without annotations is for calls from other scripts, for calls with tensors, which
    return tensors (:mod:`kc.tvm.hybrid`), or for calls with arrays, which Python executes. Raises
    TEError, with the line and column of code that cannot be compiled; ScheduleError for parallel
    loops whose iterations are not independent.
    """
    source = source_of(function)
    arguments = source.tree.args.args
    annotated = [argument for argument in arguments if argument.annotation is not None]
    if len(annotated) == len(arguments) and arguments:
        return ScriptKernel(source)
    if annotated:
        missing = next(argument for argument in arguments if argument.annotation is None)
        raise TEError(
            "KC2115",
            f"parameter {missing.arg} of {source.name} has no annotation",
            location=source.at(missing),
            why="a kernel needs annotations on all parameters; a function for other scripts to "
            "call "
            "has no annotations",
            hints=[f'{missing.arg}: kc.Buffer((n,), "float32")', f'{missing.arg}: "int32"'],
        )
    parameter_names(source)
    return ScriptFunction(source)


def parameters(source: Source) -> list[Buffer | Var]:
    """The buffers and scalars that the annotations of a function declare."""
    names = parameter_names(source)
    declared: list[Buffer | Var] = []
    for name, node in zip(names, source.tree.args.args, strict=True):
        at = source.at(node)
        with reading(at):
            declared.append(_parameter(source, name, node.annotation, at))
    return declared


def _parameter(source: Source, name: str, node: Any, at: Location) -> Buffer | Var:
    annotation = source.function.__annotations__[name]
    if isinstance(annotation, str) and annotation not in DTYPES:
        annotation = Statements(source).assignments.declared(
            node
        )  # annotations that were not evaluated
    if isinstance(annotation, Buffer):
        return annotation.named(name)
    dtype = SCALARS.get(annotation.__name__) if isinstance(annotation, type) else annotation
    if isinstance(dtype, str) and dtype in DTYPES and dtype != "bool":
        return Var(name, dtype, at)
    if isinstance(annotation, Var):
        return annotation
    raise TEError(
        "KC2115",
        f"parameter {name} of {source.name} is declared as {annotation!r}",
        location=at,
        why="a parameter must be a buffer, or a number of an element type",
        hints=[f'{name}: kc.Buffer((n,), "float32")', f'{name}: "int32"'],
    )
