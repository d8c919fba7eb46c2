"""TVMScript: the language of TVM 0.9 to 0.18 for functions of loops and blocks.

``from kc.script import tir as T, ir as I`` imports its words. The reader of :func:`kc.script` reads
functions under ``@T.prim_func`` and classes under ``@I.ir_module``, and does not execute them. The
differences from a script: a second assignment to a name rebinds it from there on, buffers may be
parts of other buffers or be declared in their memory, ``T.reads`` and ``T.writes`` are checked
against the accesses of a block, and an ``assert`` of sizes or elements is checked at run time.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Attribute

from kc.expr.buffers import Buffer
from kc.expr.constructors import Var
from kc.expr.dtypes import check_dtype
from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location, reading
from kc.support.paused_collection import paused_collection
from kc.tir.module import IRModule
from kc.tir.prim_func import NAME, PrimFunc
from kc.tir.script.assignments import SCALARS
from kc.tir.script.function import ScriptFunction
from kc.tir.script.names import Word
from kc.tir.script.source import Source, source_of
from kc.tir.script.statements import Statements, parameter_names
from kc.tir.stmt import Seq
from kc.tvm.buffer_views import DerivedBuffer, PartOfBuffer
from kc.tvm.tvmscript.function_calls import (
    UnreadFunction,
    arguments,
    class_around,
    functions_of_module,
    names_in,
    returns_value,
    take_arguments,
)
from kc.tvm.tvmscript.names import BufferType, HandleType, TypeWord, dtype_name
from kc.tvm.tvmscript.words import Handle, TvmWords


class TvmStatements(Statements):
    """Reads the statements of a function in TVMScript."""

    rebinds = True

    def __init__(
        self, source: Source, outer: TvmStatements | None = None, body: list[Any] | None = None
    ) -> None:
        super().__init__(source, outer, body)
        self.words = TvmWords(self)
        self.attributes: dict[str, Any] = {} if outer is None else outer.attributes
        self.pragmas: dict[str, Attribute] = {}

    def inner(self, source: Source) -> Statements:
        """A reader for a macro, or for a called function."""
        return TvmStatements(source, self, self.body)

    def script_arguments(self, node: ast.Call) -> list[Any]:
        """See :class:`kc.tir.script.statements.Statements`."""
        return arguments(self, node)

    def take(self, values: Sequence[Any], named: dict[str, Any], at: Location) -> None:
        """Define the parameters. A function declares their types; a macro does not."""
        if not any(node.annotation for node in self.source.tree.args.args):
            super().take(values, named, at)
            return
        self.attributes = {}
        take_arguments(self, values, named, at)

    def tvmscript_word(self, word: Word, node: ast.Call, name: str, at: Location) -> Any:
        """See :class:`kc.tir.script.statements.Statements`."""
        return self.words.call(word, node, name, at)

    def with_word(self, word: Word, node: ast.With, at: Location) -> bool:
        """Read ``with T.launch_thread(...) as tx:`` and its like."""
        if word.family not in ("tvmscript", "memory"):
            return False
        with self.words.statements_of(node, at):
            self.run(node.body)
        return True

    def is_root(self, node: ast.With, name: Any) -> bool:
        """True for the function's root block: ``with T.block("root"):`` without variables."""
        if name not in ("", "root") or self.open_blocks or self.depth:
            return False
        variables = [
            part
            for statement in node.body
            if isinstance(statement, ast.Assign | ast.Expr)
            for part in ast.walk(statement)
            if isinstance(part, ast.Attribute) and part.attr == "axis"
        ]
        return not variables

    def is_pointer(self, annotation: Any) -> bool:
        """See :class:`kc.tir.script.statements.Statements`."""
        return isinstance(annotation, HandleType) or annotation == "handle"

    def take_pragmas(self) -> Mapping[str, Attribute]:
        """The annotations that ``T.attr`` sets on the next loop; they are consumed."""
        pragmas, self.pragmas = self.pragmas, {}
        return pragmas

    def rebind(self, name: str, value: Any) -> None:
        """Rebind ``name`` to ``value`` in the scope that defines it."""
        scope = self.scope
        while scope is not None:
            if name in scope.names:
                scope.names[name] = value
                return
            scope = scope.outer
        self.scope.names[name] = value

    def derived_from(self, data: Buffer) -> Buffer:
        """The buffer whose memory ``data`` is."""
        while isinstance(data, DerivedBuffer) and not isinstance(data, PartOfBuffer):
            data = data.base
        return data

    # Parameters ----------------------------------------------------------------------------

    def parameter(self, name: str, node: ast.arg) -> Buffer | Var | Handle:
        """The value that the annotation of a parameter declares."""
        at = self.source.at(node)
        with reading(at):
            annotation = self._annotation(name, node)
            if isinstance(annotation, BufferType):
                options = {
                    "shape": annotation.shape,
                    "dtype": annotation.dtype,
                    **annotation.options,
                }
                return self.words.declared(options, name)
            if isinstance(annotation, Buffer):
                return annotation.named(name)
            if isinstance(annotation, HandleType) or getattr(annotation, "name", "") == "handle":
                return Handle(name, at)
            if isinstance(annotation, type):
                annotation = SCALARS.get(annotation.__name__, annotation)
            if isinstance(annotation, TypeWord | str):
                return Var(name, check_dtype(dtype_name(annotation)), at)
        raise TEError(
            "KC2115",
            f"parameter {name} of {self.source.name} is declared as "
            f"{ast.unparse(node.annotation) if node.annotation else 'nothing'}",
            location=at,
            why="a parameter must be a buffer, a pointer for T.match_buffer, or a number",
            hints=[
                f'{name}: T.Buffer((128,), "float32")',
                f"{name}: T.handle",
                f"{name}: T.int32",
            ],
        )

    def _annotation(self, name: str, node: ast.arg) -> Any:
        function = self.source.function
        if function is not None:
            evaluated = function.__annotations__.get(name)
            if evaluated is not None and not isinstance(evaluated, str):
                return evaluated
        if node.annotation is None:
            return None
        annotation: ast.expr = node.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            if annotation.value in SCALARS or "(" not in annotation.value:
                return annotation.value
            annotation = ast.parse(annotation.value, mode="eval").body
            for part in ast.walk(annotation):
                ast.copy_location(part, node)
        if isinstance(annotation, ast.Subscript):
            # T.Buffer[(128,), "float32"]
            word = self.expressions.eval(annotation.value)
            return word[self.expressions.eval(annotation.slice)]
        return self.expressions.eval(annotation)


class TvmFunction(PrimFunc):
    """A function that was written in TVMScript."""

    def __init__(self, source: Source) -> None:
        with paused_collection():
            self._read(source)
        self.__name__ = source.name
        self.__kc_script__ = source

    def _read(self, source: Source) -> None:
        at = source.at(source.tree)
        reader = TvmStatements(source)
        names = parameter_names(source)
        declared = [
            reader.parameter(name, node)
            for name, node in zip(names, source.tree.args.args, strict=True)
        ]
        reader.scope.names.update(zip(names, declared, strict=True))
        statements = reader.body  # T.launch_thread goes on in another list
        reader.run(source.tree.body)
        params = [_resolved(parameter) for parameter in declared]
        name = str(reader.attributes.get("global_symbol", source.name))
        with reading(at):
            super().__init__(params, Seq(at, statements), name, reader.attributes)


def _resolved(parameter: Buffer | Var | Handle) -> Buffer | Var:
    if not isinstance(parameter, Handle):
        return parameter
    if parameter.buffer is None:
        raise TEError(
            "KC2115",
            f"parameter {parameter.name} is a pointer without a declared buffer",
            location=parameter.at,
            why="the function must declare the element type and the shape of the pointer's buffer",
            hints=[f'A = T.match_buffer({parameter.name}, (128,), "float32")'],
        )
    return parameter.buffer


def prim_func(
    function: Callable[..., Any] | None = None, *, private: bool = False, **options: Any
) -> Any:
    """Read a Python function as TVMScript: ``@T.prim_func``, ``@T.prim_func(private=True)``.

    The result is a :class:`kc.tir.PrimFunc`. Raises TEError with the line and column of the error:
    KC2110 to KC2132, and the errors of :class:`kc.tir.PrimFunc`.
    """
    del private, options
    if function is None:
        return prim_func
    source = source_of(function)
    around = class_around(function)
    waits = around and (returns_value(source) or names_in(function, around))
    return UnreadFunction(source) if waits else TvmFunction(source)


def macro(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A function whose statements replace its calls: ``@T.macro``."""
    del options
    return macro if function is None else ScriptFunction(source_of(function))


def ir_module(cls: type | None = None, **options: Any) -> Any:
    """A class of functions as an IRModule: ``@I.ir_module``. Raises KC2132 for one without."""
    del options
    if cls is None:
        return ir_module
    members = {
        name: value
        for name, value in vars(cls).items()
        if isinstance(value, IRModule | UnreadFunction)
    }
    sources: dict[str, Source] = {}
    for name, value in members.items():
        source = getattr(
            value, "source" if isinstance(value, UnreadFunction) else "__kc_script__", None
        )
        if source is not None:
            sources[name] = source
    called = functions_of_module(cls.__name__, sources)
    functions = {
        name: TvmFunction(replace(value.source, module=called))
        if isinstance(value, UnreadFunction)
        else value
        for name, value in members.items()
        if not (isinstance(value, UnreadFunction) and returns_value(value.source))
    }
    named = {_name_of(key, function): function for key, function in functions.items()}
    return module_of(cls.__name__, named, caller_location())


def _name_of(key: str, function: IRModule) -> str:
    """The name of a function that a class has as ``key``."""
    attributes = function.given_attributes if isinstance(function, PrimFunc) else {}
    return str(attributes.get(NAME, key))


def module_of(name: str, functions: Mapping[str, IRModule], at: Location | None) -> IRModule:
    """The module of functions that a class has."""
    if not functions:
        raise TEError(
            "KC2132",
            f"I.ir_module: the class {name} has no functions",
            location=at,
            hints=["@T.prim_func above its functions"],
        )
    return IRModule(functions)


def module_of_new(name: str, functions: Mapping[str, IRModule], at: Location | None) -> IRModule:
    """As :func:`module_of`, of functions that nothing else knows: they are not copied."""
    named = {_name_of(key, function): function for key, function in functions.items()}
    ops = {key: list(function.op.body.ops) for key, function in named.items()}
    if not ops or any(len(own) != 1 for own in ops.values()):
        return module_of(name, named, at)
    for key, (op,) in ops.items():
        op.detach()
        op.properties["sym_name"] = StringAttr(key)
    return IRModule(ModuleOp([op for (op,) in ops.values()]))


def module_attrs(attrs: Mapping[str, Any]) -> None:
    """``I.module_attrs({...})``: TVM's attributes of a module. kc ignores them."""
    del attrs
