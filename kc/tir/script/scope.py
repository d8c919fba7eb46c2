"""The names of a script: their values and their scopes."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from kc.expr.buffers import Buffer
from kc.support.diagnostics import Location, TEError, nearest, suggest
from kc.tir.script.functions import FUNCTIONS
from kc.tir.script.names import WORDS
from kc.tir.script.source import Source

_INSTEAD = {
    "enumerate": "for i in range(n)",
    "zip": "for i in range(n)",
    "print": "a kernel has no output but its buffers",
}


@dataclass(frozen=True, eq=False)
class Local:
    """A scalar with several assignments: a buffer of one element."""

    buffer: Buffer


@dataclass
class Scope:
    """The names that statements define; the names of ``outer`` are visible too."""

    what: str
    """A description of the statements, in words."""
    outer: Scope | None = None
    names: dict[str, Any] = field(default_factory=dict)
    left: dict[str, tuple[str, Location]] = field(default_factory=dict)
    """The names of ended scopes, each with a description of its scope."""

    def find(self, name: str) -> tuple[bool, Any]:
        """(True, value) if ``name`` is defined, else (False, None)."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True, scope.names[name]
            scope = scope.outer
        return False, None

    def gone(self, name: str) -> tuple[str, Location] | None:
        """The description of the ended statements in which ``name`` was defined. None if it was not
        defined there.
        """
        scope: Scope | None = self
        while scope is not None:
            if name in scope.left:
                return scope.left[name]
            scope = scope.outer
        return None

    def close(self, at: Location) -> None:
        """End the scope of the statements."""
        if self.outer is not None:
            self.outer.left.update(self.left)
            self.outer.left.update({name: (self.what, at) for name in self.names})


def assigned(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """The names that statements assign to, once for each assignment."""
    for statement in statements:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def lookup(source: Source, scope: Scope, name: str, at: Location) -> Any:
    """The value of ``name``: in the script, in the enclosing Python scopes, or as a word of
    scripts.

    Raises KC2112 for a name whose scope has ended, KC2111 for an unknown name.
    """
    is_known, value = scope.find(name)
    if is_known:
        return value
    gone = scope.gone(name)
    if gone is not None:
        raise TEError(
            "KC2112",
            f"{name} is defined in {gone[0]} only",
            location=at,
            why="a name is visible to the end of the block of statements that defines it; "
            "whether they "
            "are executed is known only when the kernel runs",
            hints=[f"give {name} a value before, and assign to it there"],
        )
    is_known, value = source.captured(name)
    if is_known:
        return value
    if name in WORDS:
        return WORDS[name]
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    if name == "range":
        return range
    if hasattr(builtins, name):
        raise TEError(
            "KC2110",
            f"kc.script does not have Python's {name}",
            location=at,
            hints=[_INSTEAD.get(name, "a kernel computes numbers")],
        )
    names: list[str] = []
    here: Scope | None = scope
    while here is not None:
        names += here.names
        here = here.outer
    visible = [
        known_name for known_name in source.visible() if known_name != name
    ]  # the variable may have no value yet
    close = suggest(name, nearest(name, [*names, *visible, *WORDS, *FUNCTIONS]))
    raise TEError(
        "KC2111",
        f"the name {name} is undefined here",
        location=at,
        why="a script can use its own names, those of the enclosing scopes, and the words of "
        "scripts",
        hints=close or suggest(name, names, "its own names are"),
    )
