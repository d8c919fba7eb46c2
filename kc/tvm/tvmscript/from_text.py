"""``kc.script.from_source``: TVMScript from text, of which nothing is executed.

The text knows the words of TVMScript, numbers that it defines, and its own functions; it sees
nothing of the program that reads it, and no attributes but those of buffers and numbers.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kc.expr.tensor import Tensor
from kc.support.diagnostics import Location, ParseError, TEError
from kc.support.locations import reading
from kc.support.paused_collection import paused_collection
from kc.support.python_text import valid_python
from kc.tir.module import IRModule
from kc.tir.script import names
from kc.tir.script.expressions import refuse
from kc.tir.script.function import ScriptFunction
from kc.tir.script.limits import limited_steps
from kc.tir.script.source import Source
from kc.tir.script.statements import Statements
from kc.tvm.tvmscript import names as tvmscript_names
from kc.tvm.tvmscript.function_calls import FunctionsOfModule, functions_of_module, returns_value
from kc.tvm.tvmscript.reader import TvmFunction, module_of_new

_MODULES = ("tir", "ir", "script")
"""The modules whose names a text may import, from any package: they mean TVMScript's words."""


class Words:
    """``T`` in a text: the names of TVMScript, and nothing else."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.__dict__.update(names)


_T = Words(tvmscript_names.NAMES)
_I = Words({})


@dataclass(frozen=True)
class TextSource(Source):
    """A function of a text; ``globals`` are the names in scope around the function."""

    globals: dict[str, Any] = field(default_factory=dict)

    def captured(self, name: str) -> tuple[bool, Any]:
        """(True, value) if the text defines ``name`` around the function, else (False, None)."""
        if self.module is not None and name == self.module.__name__:
            return True, self.module
        return (True, self.globals[name]) if name in self.globals else (False, None)

    def visible(self) -> list[str]:
        """The names in scope around the function."""
        return list(self.globals)

    def check_attribute(self, value: Any, name: str, at: Location) -> None:
        """Refuse (KC2110) attributes of anything but words, buffers and text."""
        if isinstance(value, Words):
            if name in vars(value):
                return
            error = tvmscript_names.unknown_word(name)
            raise TEError("KC2111", str(error), location=at)
        is_readable = isinstance(value, Tensor | names.Word | FunctionsOfModule) or hasattr(
            value, "dtype"
        )
        if name.startswith("_") or not is_readable:
            raise refuse(f".{name} of {type(value).__name__}", at, "text is read, not executed")


def from_source(input_source: Any, extra_vars: Mapping[str, Any] | None = None) -> Any:
    """Read TVMScript: a ``tir.PrimFunc`` for a function, an ``IRModule`` for a class or several.

    ``input_source`` is text, which is not executed, or a Python function or class, whose source is
    read. ``extra_vars`` are names that the text may use. The output of ``mod.script(
    style="tvmscript")`` reads back as the same module. Raises ParseError KC2131 for text that is
    not valid Python, TEError KC2132 for text without functions, and the errors of ``T.prim_func``.
    """
    if not isinstance(input_source, str):
        return _of_object(input_source)
    text = textwrap.dedent(input_source)
    file = _remember(text)
    why = "TVMScript is written in the syntax of Python"
    with valid_python(file, "KC2131", "from_source", why):
        tree = ast.parse(text, file)
    try:
        with paused_collection(), limited_steps(tree):
            return _Reader(file, extra_vars or {}).read(tree)
    except RecursionError:
        raise ParseError(
            "KC2131",
            "from_source: the text is nested too deeply",
            location=Location(file, 1, 1),
            why="expressions, loops or tuples have too many levels",
        ) from None


_numbers = itertools.count(1)


def _remember(text: str) -> str:
    """The name of a text in diagnostics, of schedules too, which show its lines later."""
    file = f"<tvmscript {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    return file


def _of_object(value: Any) -> Any:
    if isinstance(value, IRModule):
        return value
    try:
        return from_source(inspect.getsource(value))
    except (OSError, TypeError) as error:
        raise TEError(
            "KC2132",
            f"from_source: {type(value).__name__} has no source",
            why=str(error),
            hints=["text of functions under @T.prim_func"],
        ) from None


class _Reader:
    """Reads the statements around functions."""

    def __init__(self, file: str, extra: Mapping[str, Any]) -> None:
        self.file = file
        self.globals: dict[str, Any] = {"T": _T, "I": _I, **extra}
        self.module: FunctionsOfModule | None = None

    def read(self, tree: ast.Module) -> Any:
        functions: dict[str, IRModule] = {}
        modules: list[IRModule] = []
        for statement in tree.body:
            at = Location(self.file, statement.lineno, statement.col_offset + 1)
            match statement:
                case ast.Import() | ast.ImportFrom():
                    self._import(statement, at)
                case ast.FunctionDef():
                    self._function(statement, functions, at)
                case ast.ClassDef():
                    modules.append(self._class(statement, at))
                case ast.Assign(targets=[ast.Name(id=name)]):
                    self.globals[name] = self._value(statement.value)
                case ast.Expr(value=ast.Constant()):
                    pass
                case _:
                    raise refuse(
                        f"{ast.unparse(statement).splitlines()[0]} around functions",
                        at,
                        "functions, classes of them, imports of T and I, and numbers",
                    )
        if len(modules) == 1 and not functions:
            return modules[0]
        for module in modules:
            functions.update({name: IRModule({name: op}) for name, op in module.functions.items()})
        if len(functions) == 1:
            return next(iter(functions.values()))
        if not functions:
            raise TEError(
                "KC2132",
                "from_source: the text has no function",
                location=Location(self.file, 1, 1),
                hints=["@T.prim_func above a def", "@I.ir_module above a class"],
            )
        return IRModule(functions)

    def _import(self, node: ast.Import | ast.ImportFrom, at: Location) -> None:
        for alias in node.names:
            last = alias.name.split(".")[-1]
            name = alias.asname or alias.name.split(".")[0]
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                continue
            if last in ("tvm", "kc") and isinstance(node, ast.Import):
                script = Words({"tir": _T, "ir": _I, "ir_module": None})
                self.globals[name] = Words({"script": script, "tir": _T})
                continue
            if last not in _MODULES:
                raise refuse(
                    f"import of {alias.name}", at, "from kc.script import tir as T, ir as I"
                )
            self.globals[name] = {"tir": _T, "ir": _I}.get(last, Words({"tir": _T, "ir": _I}))

    def _value(self, node: ast.expr) -> Any:
        empty = ast.FunctionDef("text", _NO_PARAMETERS, [], [], lineno=node.lineno, col_offset=0)
        reader = Statements(self._source(empty))
        return reader.expressions.eval(node)

    def _source(self, node: ast.FunctionDef) -> TextSource:
        return TextSource(None, node, self.file, 1, {}, globals=self.globals)  # pyright: ignore

    def _function(
        self, node: ast.FunctionDef, functions: dict[str, IRModule], at: Location
    ) -> None:
        source = replace(self._source(node), module=self.module)
        decorators = [ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list]
        last = decorators[0].split(".")[-1] if decorators else ""
        if last == "macro":
            self.globals[node.name] = ScriptFunction(source)
            return
        if last != "prim_func":
            raise TEError(
                "KC2132",
                f"from_source: {node.name} is not a @T.prim_func",
                location=at,
                why="text is read, not executed, so a function needs a decorator of TVMScript",
                hints=["@T.prim_func above the def"],
            )
        with reading(None):
            function = TvmFunction(source)
        functions[node.name] = function

    def _class(self, node: ast.ClassDef, at: Location) -> IRModule:
        functions: dict[str, IRModule] = {}
        called = {
            statement.name: self._source(statement)
            for statement in node.body
            if isinstance(statement, ast.FunctionDef)
        }
        self.module = functions_of_module(node.name, called)
        for statement in node.body:
            place = Location(self.file, statement.lineno, statement.col_offset + 1)
            if isinstance(statement, ast.FunctionDef):
                if not returns_value(called[statement.name]):
                    self._function(statement, functions, place)
            elif isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                self.globals[statement.targets[0].id] = self._value(statement.value)
            elif not isinstance(statement, ast.Expr | ast.Pass):
                raise refuse("a statement of this kind in a class", place, "functions")
        self.module = None
        return module_of_new(node.name, functions, at)


_NO_PARAMETERS = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
