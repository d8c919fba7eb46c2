"""Docstrings as Markdown: literal blocks become fenced ones, ``x`` becomes `x`."""

from __future__ import annotations

import re

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"``((?:(?!``|\n\n).)+)``", re.DOTALL)


def markdown(docstring: str) -> str:
    """The docstring (without its common indentation) as Markdown."""
    parts: list[str] = []
    text: list[str] = []
    lines = docstring.split("\n")
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if not line.endswith("::"):
            text.append(line)
            continue
        end = _end_of_block(lines, position)
        block = "\n".join(
            code_line.removeprefix("    ") for code_line in lines[position:end]
        ).strip("\n")
        text.append(line[:-2].rstrip() + ":" if line.strip() != "::" else "")
        parts += [_inline("\n".join(text)), f"\n\n```\n{block}\n```\n\n"]
        text = []
        position = end
    parts.append(_inline("\n".join(text)))
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def _end_of_block(lines: list[str], start: int) -> int:
    """Where the indented block that starts at or after ``start`` ends."""
    for position in range(start, len(lines)):
        if lines[position].strip() and not lines[position].startswith("    "):
            return position
    return len(lines)


def _inline(text: str) -> str:
    return _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text))
