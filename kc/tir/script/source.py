"""The source of a Python function: its syntax tree, and the source locations of its parts."""

from __future__ import annotations

import ast
import builtins
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kc.support.diagnostics import Location, TEError
from kc.support.locations import caller_location, caller_names


@dataclass(frozen=True)
class Source:
    """A function as text; ``line`` is the line of the file on which the text starts."""

    function: Callable[..., Any]
    tree: ast.FunctionDef
    file: str
    line: int
    around: Mapping[str, Any]
    """The names of the enclosing function. The names in annotations are not part of the closure."""
    module: Any = None
    """The value of the name of the class around the function, if the class is a module."""

    @property
    def name(self) -> str:
        """The function's name."""
        return self.tree.name

    def at(self, node: ast.AST) -> Location:
        """The place of a part of the function."""
        line = getattr(node, "lineno", 1) - 1 + self.line
        return Location(self.file, line, getattr(node, "col_offset", 0) + 1)

    def check_attribute(self, value: Any, name: str, at: Location) -> None:
        """Refuse forbidden attributes. The base class forbids none."""
        del value, name, at

    def captured(self, name: str) -> tuple[bool, Any]:
        """(True, value) if the function captures ``name``, else (False, None)."""
        if self.module is not None and name == self.module.__name__:
            return True, self.module
        code = self.function.__code__
        if name in code.co_freevars:
            cell = (self.function.__closure__ or ())[code.co_freevars.index(name)]
            try:
                return True, cell.cell_contents
            except ValueError:  # the variable is not assigned yet
                return False, None
        names = self.function.__globals__
        if name in names:
            return True, names[name]
        if name in self.around:
            return True, self.around[name]
        return False, None

    def visible(self) -> list[str]:
        """The names that are visible around the function."""
        return [*self.function.__code__.co_freevars, *self.function.__globals__]


def is_builtin(value: Any) -> bool:
    """True if ``value`` is a Python built-in."""
    name = getattr(value, "__name__", None)
    return isinstance(name, str) and getattr(builtins, name, None) is value


def source_of(function: Any) -> Source:
    """The source of a Python function. Raises KC2122 if it has none."""
    location = caller_location()
    code = getattr(function, "__code__", None)
    if code is None:
        raise TEError(
            "KC2122",
            f"kc.script of {type(function).__name__}",
            location=location,
            why="it compiles the source of a Python function",
            hints=["@kc.script above a def"],
        )
    try:
        lines, first = inspect.getsourcelines(function)
        text = "".join(lines)
        if lines[0][:1].isspace():
            # Lines keep their indentation, which text in quotes may have less of.
            outer = ast.parse(f"if True:\n{text}").body[0]
            assert isinstance(outer, ast.If)
            tree, first = outer.body[0], first - 1
        else:
            tree = ast.parse(text).body[0]
    except (OSError, SyntaxError, IndexError) as error:
        tree, first = None, 0
        why = str(error)
    else:
        why = "a lambda has no statements"
    if not isinstance(tree, ast.FunctionDef):
        raise TEError(
            "KC2122",
            f"kc.script: {function.__name__} has no source",
            location=location,
            why=why,
            hints=["write it with def in a file"],
        )
    return Source(function, tree, code.co_filename, first, caller_names())
