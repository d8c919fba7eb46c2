"""Docstrings as Markdown: literal blocks become fenced ones, ``x`` becomes `x`."""

from __future__ import annotations

import re

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"``(.+?)``", re.DOTALL)


def markdown(docstring: str) -> str:
    """The docstring (without its common indentation) as Markdown."""
    lines: list[str] = []
    literal = False  # in a block that a line ending in `::` opened
    opened = False
    for line in docstring.split("\n"):
        indented = line.startswith("    ")
        if literal and line.strip() and not indented:
            literal = False
            if opened:
                _close(lines)
                opened = False
        if literal and line.strip() and not opened:
            lines.append("```")
            opened = True
        if literal:
            lines.append(line.removeprefix("    "))
            continue
        if line.endswith("::"):
            literal = True
            line = line[:-1] if line.strip() != "::" else ""
        lines.append(_inline(line))
    if opened:
        _close(lines)
    return "\n".join(lines).strip()


def _close(lines: list[str]) -> None:
    while lines and not lines[-1]:
        lines.pop()
    lines += ["```", ""]


def _inline(line: str) -> str:
    return _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", line))
