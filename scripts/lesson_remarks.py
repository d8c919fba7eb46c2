"""The comments and docstrings in the programs of lessons, and the translation of them."""

from __future__ import annotations

import ast
import io
import re
import textwrap
import tokenize
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

WIDTH = 100
_FOR_LINTERS = re.compile(r"# (?:ruff|pyright|type|noqa)\b")
_RULE = re.compile(r" -{5,}$")
_PIECE = re.compile(r"[!-~]+ ?|.", re.DOTALL)
_NEVER_FIRST = "，。；：、）？！”"


@dataclass(frozen=True)
class Remark:
    """A comment (of one line or several below each other) or a docstring.

    In ``text``, single spaces replace line ends. The remark extends from character ``column`` of
    line ``first`` to the end of line ``last``, both counted from 0. ``ruled``: the comment ends
    with a line of dashes. ``head`` is the text before it in a line: ``# `` or quotes.
    """

    text: str
    first: int
    last: int
    column: int
    head: str
    ruled: bool = False


def remarks(program: str) -> list[Remark]:
    """The remarks in a program, in order."""
    return sorted([*_comments(program), *_docstrings(program)], key=lambda each: each.first)


def translate(program: str, meaning: Mapping[str, str]) -> str:
    """A program with translated remarks. Raises KeyError if a remark has no translation."""
    lines = program.split("\n")
    for remark in reversed(remarks(program)):
        text = meaning[remark.text]
        before = lines[remark.first][: remark.column]
        lines[remark.first : remark.last + 1] = _written(remark, text, before)
    return "\n".join(lines)


def _comments(program: str) -> Iterator[Remark]:
    lines = program.split("\n")
    block: list[tokenize.TokenInfo] = []

    def remark() -> Remark:
        texts = [_RULE.sub("", token.string.removeprefix("#").strip()) for token in block]
        ruled = _RULE.search(block[0].string) is not None
        line, column = block[0].start
        return Remark(" ".join(texts), line - 1, block[-1].start[0] - 1, column, "# ", ruled)

    for token in tokenize.generate_tokens(io.StringIO(program).readline):
        if token.type != tokenize.COMMENT or _FOR_LINTERS.match(token.string):
            continue
        line, column = token.start
        alone = not lines[line - 1][:column].strip()
        if block and not (alone and block[-1].start == (line - 1, column)):
            yield remark()
            block = []
        block.append(token)
    if block:
        yield remark()


def _docstrings(program: str) -> Iterator[Remark]:
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            where = node.body[0]
            assert where.end_lineno is not None
            text = " ".join((ast.get_docstring(node) or "").split())
            yield Remark(text, where.lineno - 1, where.end_lineno - 1, where.col_offset, '"""')


def _written(remark: Remark, text: str, before: str) -> list[str]:
    if before.strip():  # behind code, where it stays
        return [f"{before}# {text}"]
    if remark.head == "# ":
        rule = " " + "-" * (WIDTH - len(before) - _columns(text) - 3) if remark.ruled else ""
        return [f"{before}# {line}{rule}" for line in _wrapped(text, WIDTH - len(before) - 2)]
    paragraphs = [_wrapped(part, WIDTH - len(before) - 3) for part in text.split("\n\n")]
    lines = "\n\n".join("\n".join(part) for part in paragraphs)
    end = "\n" if "\n" in lines else ""
    return textwrap.indent(f'"""{lines}{end}"""', before).split("\n")


def _wrapped(text: str, width: int) -> list[str]:
    """Lines with at most ``width`` columns, which break between any two characters except inside a
    word.
    """
    lines = [""]
    for piece in _PIECE.findall(text):
        full = _columns(lines[-1]) + _columns(piece.rstrip()) > width
        if full and piece not in _NEVER_FIRST:
            lines.append("")
        lines[-1] += piece
    return [line.strip() for line in lines]


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
