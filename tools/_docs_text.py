"""Docstrings as Markdown (literal blocks become fenced blocks, ``x`` becomes `x`) or plain text."""

from __future__ import annotations

import re
from collections.abc import Iterator

_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_LITERAL = re.compile(r"(?<!`)``(?!`)((?:(?!``|\n\n).)+)``(?!`)", re.DOTALL)
_HEADING = re.compile(r"^\*(\w[^*\n]*)\*$", re.MULTILINE)
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w[^*`\n]*)\*(?![\w*])")


def markdown(docstring: str) -> str:
    """The docstring (without its common indentation) as Markdown."""
    parts: list[str] = []
    for text, block in _with_blocks(docstring):
        parts.append(_inline(text))
        if block is not None:
            code = "\n".join(line.removeprefix("    ") for line in block).strip("\n")
            parts.append(f"\n\n```\n{code}\n```\n\n")
    return re.sub(r"\n{3,}", "\n\n", "".join(parts)).strip()


def plain(docstring: str) -> str:
    """The docstring (without its common indentation) for a terminal: code in single backticks,
    indented blocks as they are, no emphasis."""
    parts: list[str] = []
    for text, block in _with_blocks(docstring):
        parts.append(_EMPHASIS.sub(r"\1", _HEADING.sub(r"\1:", _inline(text))))
        parts += [f"\n{line}" for line in block or ()]
        parts.append("\n")
    return "".join(parts).strip()


def _with_blocks(docstring: str) -> Iterator[tuple[str, list[str] | None]]:
    """Texts, each with the lines of the literal block that follows; None if no block follows."""
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
        text.append(line[:-2].rstrip() + ":" if line.strip() != "::" else "")
        yield "\n".join(text), lines[position:end]
        text = []
        position = end
    yield "\n".join(text), None


def _end_of_block(lines: list[str], start: int) -> int:
    """The end of the indented block that starts at or after ``start``."""
    for position in range(start, len(lines)):
        if lines[position].strip() and not lines[position].startswith("    "):
            return position
    return len(lines)


def _inline(text: str) -> str:
    return _LITERAL.sub(r"`\1`", _ROLE.sub(r"`\1`", text))
