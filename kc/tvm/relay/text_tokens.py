"""The tokens of Relay's text."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import NoReturn

from kc.support.diagnostics import GraphError, Location

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n]+ | //[^\n]*)
  | (?P<comment>/\*)
  | (?P<version>\#\[\s*version\s*=\s*"[^"\n]*"\s*\])
  | (?P<metadata>\#\[\s*metadata\s*\])
  | (?P<graph>%[0-9]+)
  | (?P<local>%[A-Za-z_][A-Za-z_0-9]*)
  | (?P<global>@[A-Za-z_][A-Za-z_0-9.]*)
  | (?P<projection>\.[0-9]+)
  | (?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?(?:f(?:16|32|64)?|[iu](?:8|16|32|64))?
        (?![A-Za-z_0-9]))
  | (?P<name>[A-Za-z_][A-Za-z_0-9]*(?:\.[A-Za-z_][A-Za-z_0-9]*)*)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<sign>->|=>|==|!=|<=|>=|[()\[\]{},;:=+\-*/<>?])
    """,
    re.VERBOSE | re.ASCII,
)
_COMMENT = re.compile(r"/\*|\*/")


@dataclass(frozen=True)
class Token:
    """A token: its kind (a group of the pattern, or "end"), its text, and its place."""

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end of the text" if self.kind == "end" else f"'{self.text}'"


@dataclass(frozen=True)
class _Place(Location):
    """A place in a text that is in no file."""

    source: str = ""

    def source_line(self) -> str:
        return self.source


class Source:
    """A text with a name, which gives places in it."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self.starts = [0, *(match.end() for match in re.finditer("\n", text))]

    def location(self, start: int) -> Location:
        """The line and column of an offset."""
        line = bisect_right(self.starts, start)
        return self.with_line(Location(self.name, line, start - self.starts[line - 1] + 1))

    def with_line(self, location: Location) -> Location:
        """A place that shows its line of this text also after the text has been read."""
        lines = self.text.split("\n")
        line = lines[location.line - 1] if 0 < location.line <= len(lines) else ""
        return _Place(location.file, location.line, location.column, line)

    def refuse(
        self, code: str, message: str, start: int, why: str | None = None, hint: str | None = None
    ) -> NoReturn:
        """Raise GraphError at an offset."""
        raise GraphError(
            code,
            message,
            location=self.location(start),
            why=why,
            hints=[] if hint is None else [hint],
        )


def tokens_of(source: Source) -> list[Token]:
    """The tokens before the section of metadata, a token of that section (if there is one), and
    the end. Raises GraphError KC2465 for a character that begins no token.
    """
    tokens: list[Token] = []
    text, at = source.text, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            source.refuse("KC2465", f"{text[at]!r} begins no word of Relay's text", at)
        kind = match.lastgroup
        assert kind is not None
        if kind == "comment":
            at = _end_of_comment(source, at)
            continue
        if kind != "space":
            tokens.append(Token(kind, match.group(), at))
        at = match.end()
        if kind == "metadata":
            break
    tokens.append(Token("end", "", len(text.rstrip())))
    return tokens


def _end_of_comment(source: Source, start: int) -> int:
    """The offset after a comment, in which comments may stand."""
    depth = 0
    for match in _COMMENT.finditer(source.text, start):
        depth += 1 if match.group() == "/*" else -1
        if depth == 0:
            return match.end()
    source.refuse("KC2465", "the comment has no end", start, why="*/ ends it")
