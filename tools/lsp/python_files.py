"""Schedules in Python files: the documentation of methods, completions, and names of TVM.

The file is parsed, not executed, so the objects behind names are unknown. A hover goes by the name
of the method alone, and completion by the usual names of schedules.
"""

from __future__ import annotations

import ast
import re

from kc.support import registry
from kc.support.diagnostics import Diagnostic, Location
from kc.tools.lsp.completion import Item, passes
from kc.tools.lsp.hover import pass_hover
from kc.tvm.migrate import differences

_METHOD = re.compile(r"\.(\w+)")
_SCHEDULE = re.compile(r"\b(?:sch|schedule|s)(?:\[[^\]]*\])?\.(\w*)$")


def hover(line: str, column: int) -> str | None:
    """The documentation of the schedule primitive whose name is at a column."""
    for match in _METHOD.finditer(line):
        name = match[1].replace("_", "-")
        if match.start() <= column <= match.end() and name in registry.current().steps:
            return pass_hover(name)
    return None


def complete(before: str) -> list[Item]:
    """The schedule primitives, after ``sch.``."""
    if _SCHEDULE.search(before) is None:
        return []
    steps = registry.current().steps
    return [
        Item(item.name[2:].replace("-", "_"), "pass", item.detail, item.documentation)
        for item in passes()
        if item.name[2:] in steps
    ]


def problems(text: str) -> list[Diagnostic]:
    """The names of TVM that a program uses and that kc has under other names; empty for other
    programs, and while the text is not valid Python."""
    if "tvm" not in text:
        return []
    try:
        used = list(differences(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return [
        Diagnostic("KC0089", f"{name}: {difference}", location=Location("", line), kind="warning")
        for name, line, difference in used
    ]
