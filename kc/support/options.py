"""Options of passes as text: ``block=C loop=j factors=?,32 unsafe map=[(i,j)->(j,i)]``.

The grammar::

    options  ::= (option (space option)*)?
    option   ::= name | name `=` value
    value    ::= word (`,` word)*
    word     ::= quoted | text in which (), [] and {} balance
    pipeline ::= stage (`,` stage)*
    stage    ::= name (`{` options `}`)? | anchor `(` pipeline `)`

Spaces separate options, commas the words of a value; a word with a space, a comma or ``=`` in it
is in quotes or in brackets. A name alone is a switch. Every error is an :class:`InputError`
that shows the text with a caret.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kc.support.diagnostics import InputError, suggest

_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_PLAIN = re.compile(r"""[^\s,=\[\](){}"']+""")
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_SHOWN = 90

ANCHORS = ("builtin.module", "func.func", "te.func", "llvm.func", "gpu.module", "gpu.func", "any")
"""The ops that a pipeline may be nested under; all passes here work on modules."""


@dataclass(frozen=True)
class Word:
    """A comma-separated part of a value. ``text`` has no quotes, but keeps its brackets."""

    text: str
    quoted: bool = False
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return quote(self.text) if self.quoted or not _is_plain(self.text) else self.text


@dataclass(frozen=True)
class Option:
    """``name=word,word``, or ``name`` alone (``words`` is None). Positions are offsets."""

    name: str
    words: tuple[Word, ...] | None = None
    start: int = field(default=0, compare=False)
    end: int = field(default=0, compare=False)

    @property
    def text(self) -> str:
        """The value as one text, empty for a name alone."""
        return ",".join(word.text for word in self.words or ())

    def __str__(self) -> str:
        if self.words is None:
            return self.name
        return f"{self.name}={','.join(map(str, self.words))}"


@dataclass(frozen=True)
class Options:
    """The options of one pass, in order. ``source`` is the text that positions refer to."""

    items: tuple[Option, ...] = ()
    source: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text: str, what: str = "options") -> Options:
        """Parse options. ``what`` names their owner (a pass) in errors."""
        reader = _Reader(text, what)
        return cls(reader.options(), text)

    def get(self, name: str) -> Option | None:
        """The option of this name; ``-`` and ``_`` are the same."""
        key = name.replace("-", "_")
        return next((option for option in self.items if option.name.replace("-", "_") == key), None)

    def without(self, name: str) -> Options:
        """These options without the option of this name."""
        gone = self.get(name)
        return Options(tuple(option for option in self.items if option is not gone), self.source)

    def __iter__(self) -> Iterator[Option]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __str__(self) -> str:
        return " ".join(map(str, self.items))


@dataclass(frozen=True)
class PassSpec:
    """A pass by name, with its options."""

    name: str
    options: Options = Options()

    def __str__(self) -> str:
        return f"{self.name}{{{self.options}}}" if self.options else self.name


def parse_pipeline(text: str) -> tuple[PassSpec, ...]:
    """The passes of ``builtin.module(split{block=C factors=?,32},vectorize)``, in order.

    Anchors (``func.func(...)``) are parsed and checked, but have no effect: every pass receives the
    module and visits the ops that it handles.
    """
    reader = _Reader(text, "pass pipeline")
    specs = list(reader.pipeline())
    reader.skip_space()
    if not reader.at_end():
        raise reader.error("expected ',' or the end of the pipeline")
    return tuple(specs)


def format_pipeline(specs: Iterable[PassSpec]) -> str:
    """The text that :func:`parse_pipeline` reads."""
    return f"builtin.module({','.join(map(str, specs))})"


def quote(text: str) -> str:
    """``text`` in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def caret(source: str, start: int, end: int | None = None) -> list[str]:
    """Two lines: the text around an offset, and carets under ``source[start:end]``."""
    end = min(len(source), max(start + 1, end if end is not None else 0))
    line_start = source.rfind("\n", 0, start) + 1
    line_end = source.find("\n", start)
    line = source[line_start : line_end if line_end >= 0 else len(source)].replace("\t", " ")
    start, end = start - line_start, end - line_start
    cut = max(0, min(start - _SHOWN // 2, len(line) - _SHOWN))
    prefix = "..." if cut else ""
    shown = prefix + line[cut : cut + _SHOWN] + ("..." if cut + _SHOWN < len(line) else "")
    width = max(1, min(end, len(line), cut + _SHOWN) - start)
    return [shown, " " * (start - cut + len(prefix)) + "^" * width]


def option_error(
    code: str,
    message: str,
    options: Options,
    place: Option | Word | None,
    hints: Iterable[str] = (),
) -> InputError:
    """An error about an option, with the text that contains the option."""
    facts = caret(options.source, place.start, place.end) if place and options.source else ()
    return InputError(code, message, facts=facts, hints=hints)


def _is_plain(text: str) -> bool:
    """True if the grammar reads ``text`` back as one unquoted word."""
    if not text:
        return False
    reader = _Reader(text, "")
    try:
        word = reader.word()
    except InputError:
        return False
    return reader.at_end() and not word.quoted


class _Reader:
    def __init__(self, text: str, what: str) -> None:
        self.text = text
        self.what = what
        self.pos = 0

    def error(
        self, message: str, start: int | None = None, hints: Iterable[str] = ()
    ) -> InputError:
        at = self.pos if start is None else start
        return InputError(
            "KC0010",
            f"{self.what}: {message}",
            facts=caret(self.text, at) if self.text else (),
            hints=hints,
        )

    def at_end(self) -> bool:
        return self.pos >= len(self.text)

    def peek(self) -> str:
        return self.text[self.pos : self.pos + 1]

    def skip_space(self) -> None:
        while self.peek().isspace():
            self.pos += 1

    def name(self, expected: str) -> str:
        matched = _NAME.match(self.text, self.pos)
        if matched is None:
            raise self.error(f"expected {expected}")
        self.pos = matched.end()
        return matched.group()

    def options(self, opened: int | None = None) -> tuple[Option, ...]:
        """Parse options up to the end, or up to the ``}`` that closes the ``{`` at ``opened``. The
        ``}`` is not consumed.
        """
        items: list[Option] = []
        seen: set[str] = set()
        while True:
            self.skip_space()
            if self.at_end() and opened is not None:
                raise self.error("this { is not closed", opened)
            if self.at_end() or (opened is not None and self.peek() == "}"):
                return tuple(items)
            option = self.option()
            key = option.name.replace("-", "_")
            if key in seen:
                raise InputError(
                    "KC0014",
                    f"{self.what}: option '{option.name}' is given twice",
                    facts=caret(self.text, option.start, option.end),
                )
            seen.add(key)
            items.append(option)

    def option(self) -> Option:
        start = self.pos
        name = self.name("the name of an option")
        if self.peek() != "=":
            if self.peek() and not self.peek().isspace() and self.peek() != "}":
                raise self.error("options are separated by spaces")
            return Option(name, None, start, self.pos)
        self.pos += 1
        words = [self.word()]
        while self.peek() == ",":
            self.pos += 1
            words.append(self.word())
            if self.peek() == "=" and not words[-1].quoted:
                raise self.error(
                    "options are separated by spaces, not commas",
                    words[-1].start - 1,
                    ["put a value with ',' or '=' in it in quotes"],
                )
        if self.peek() == "=":
            raise self.error("'=' in a value", None, ["put the value in quotes"])
        if self.peek() and not self.peek().isspace() and self.peek() != "}":
            raise self.error("expected a space before the next option")
        return Option(name, tuple(words), start, self.pos)

    def word(self) -> Word:
        start = self.pos
        if self.peek() in ("'", '"') and self.peek():
            return self.quoted()
        while not self.at_end():
            if self.peek() in _PAIRS:
                self.brackets()
            elif plain := _PLAIN.match(self.text, self.pos):
                self.pos = plain.end()
            else:
                break
        if self.pos == start:
            raise self.error("expected a value")
        return Word(self.text[start : self.pos], False, start, self.pos)

    def quoted(self) -> Word:
        start, mark = self.pos, self.peek()
        self.pos += 1
        text = ""
        while self.peek() != mark:
            if self.peek() == "\\" and self.text[self.pos + 1 : self.pos + 2] in ("\\", mark):
                self.pos += 1
            if self.at_end():
                raise self.error(f"this {mark} is not closed", start)
            text += self.peek()
            self.pos += 1
        self.pos += 1
        return Word(text, True, start, self.pos)

    def brackets(self) -> None:
        """Skip a balanced bracket. Quoted text inside is skipped as a whole."""
        opened: list[tuple[str, int]] = []
        while True:
            if self.at_end():
                raise self.error(f"this {opened[-1][0]} is not closed", opened[-1][1])
            char = self.peek()
            if char in ("'", '"'):
                self.quoted()
                continue
            if char in _PAIRS:
                opened.append((char, self.pos))
            elif char in _PAIRS.values():
                if char != _PAIRS[opened[-1][0]]:
                    raise self.error(f"'{char}' does not close the '{opened[-1][0]}' before it")
                opened.pop()
            self.pos += 1
            if not opened:
                return

    def pipeline(self) -> Iterator[PassSpec]:
        while True:
            yield from self.stage()
            self.skip_space()
            if self.peek() != ",":
                return
            self.pos += 1

    def stage(self) -> Iterator[PassSpec]:
        self.skip_space()
        start = self.pos
        name = self.name("the name of a pass")
        self.skip_space()
        if self.peek() == "(":
            if name not in ANCHORS:
                raise self.error(
                    f"'{name}' is not an op that passes can be nested under",
                    start,
                    suggest(name, ANCHORS, "ops"),
                )
            opened = self.pos
            self.pos += 1
            self.skip_space()
            if self.peek() != ")":
                yield from self.pipeline()
            self.skip_space()
            if self.peek() != ")":
                if self.at_end():
                    raise self.error("this ( is not closed", opened)
                raise self.error("expected ',' or ')'")
            self.pos += 1
            return
        options = Options()
        if self.peek() == "{":
            opened = self.pos
            self.pos += 1
            what, self.what = self.what, name
            options = Options(self.options(opened), self.text)
            self.what = what
            self.pos += 1
        yield PassSpec(name, options)
