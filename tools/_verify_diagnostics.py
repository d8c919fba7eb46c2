"""``--verify-diagnostics``: the input says which diagnostics it expects, as with mlir-opt.

``// expected-error@+1 {{text}}``: a diagnostic of this kind on the next line, whose code and
title contain the text. The line is ``@+N``, ``@-N``, ``@above``, ``@below`` (as @+1),
``@unknown`` (no line in this file), or without any the line itself; ``expected-error-re`` takes
regular expressions in ``{{}}`` inside the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kc.support.diagnostics import Diagnostic, KCError, Location, ParseError

_KINDS = "error|warning|remark|note"
_MENTION = re.compile(rf"//.*?expected-(?:{_KINDS})\b")
_EXPECTATION = re.compile(
    rf"expected-({_KINDS})(-re)?\s*(@[^\s{{]+)?\s*\{{\{{(.*?)\}}\}}(?=\s*(?:$|expected-|//))"
)
_PLACES = {"": 0, "@above": -1, "@below": 1}


@dataclass
class Expectation:
    """An expected diagnostic. ``line`` is None if it has no line in the file."""

    kind: str
    line: int | None
    pattern: re.Pattern[str]
    text: str
    stated_at: int


def expectations(text: str, file: str, line_offset: int = 0) -> list[Expectation]:
    """The expectations in ``text``. Raises KC0040 for a comment that cannot be read."""
    expected: list[Expectation] = []
    for number, line in enumerate(text.split("\n"), line_offset + 1):
        if (mention := _MENTION.search(line)) is None:
            continue
        here = list(_EXPECTATION.finditer(line, mention.start()))
        for match in here:
            kind, regex, place, message = match.groups()
            expected.append(
                Expectation(
                    kind,
                    _line(place or "", number, file),
                    _pattern(message, bool(regex), number, file),
                    message,
                    number,
                )
            )
        if len(here) != len(re.findall(rf"expected-(?:{_KINDS})\b", line[mention.start() :])):
            raise _unreadable("this is not a well-formed expectation", number, file)
    return expected


def _line(place: str, number: int, file: str) -> int | None:
    if place == "@unknown":
        return None
    if place in _PLACES:
        return number + _PLACES[place]
    if re.fullmatch(r"@[+-]\d+", place):
        return number + int(place[1:])
    raise _unreadable(f"'{place}' is not a place", number, file)


def _pattern(text: str, regex: bool, number: int, file: str) -> re.Pattern[str]:
    if not regex:
        return re.compile(re.escape(text))
    parts = re.split(r"\{\{(.*?)\}\}", text)
    parts[::2] = map(re.escape, parts[::2])
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise _unreadable(f"not a regular expression: {error}", number, file) from error


def _unreadable(message: str, line: int, file: str) -> ParseError:
    return ParseError(
        "KC0040",
        message,
        location=Location(file, line),
        hints=["// expected-error@+1 {{a part of the title}}"],
    )


def check(
    expected: Sequence[Expectation], produced: Sequence[Diagnostic], file: str
) -> list[KCError]:
    """The failures: KC0041 for an unexpected diagnostic, KC0042 for a missing one."""
    waiting = list(expected)
    wrong: list[KCError] = []
    for diagnostic in produced:
        place = diagnostic.location
        line = place.line if place is not None and place.file == file else None
        title = f"{diagnostic.code}: {diagnostic.message}"
        hit = next(
            (
                expectation
                for expectation in waiting
                if expectation.kind == diagnostic.kind
                and expectation.line == line
                and expectation.pattern.search(title)
            ),
            None,
        )
        if hit is not None:
            waiting.remove(hit)
        else:
            wrong.append(
                ParseError(
                    "KC0041", f"unexpected {diagnostic.kind}: {title}", location=diagnostic.location
                )
            )
    for expectation in waiting:
        wrong.append(
            ParseError(
                "KC0042",
                f"expected {expectation.kind} was not produced: {expectation.text}",
                location=Location(file, expectation.stated_at),
            )
        )
    return wrong
