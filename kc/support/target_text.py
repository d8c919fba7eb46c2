"""The text of targets: ``kind [-key value | -key=value | --key=value | -flag]...``.

Spaces separate; single quotes keep a value with spaces together: ``--host='llvm -mcpu=znver4'``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kc.support.diagnostics import TargetError
from kc.support.options import caret

_TOKEN = re.compile(r"(?:[^\s']|'[^']*')+")


def tokens(text: str) -> tuple[str, list[tuple[str, str | bool]]]:
    """The kind, and the attributes in order. A flag without a value is True."""
    words: list[tuple[str, int]] = []
    position = 0
    while position < len(text):
        if text[position].isspace():
            position += 1
            continue
        token = _TOKEN.match(text, position)
        if token is None:
            raise _error("this ' is not closed", text, position)
        words.append((token.group(), position))
        position = token.end()
    if not words or words[0][0].startswith("-"):
        raise _error("a target starts with its kind, as in 'llvm -mcpu=znver4'", text, 0)
    attributes: list[tuple[str, str | bool]] = []
    rest = iter(words[1:])
    upcoming = next(rest, None)
    while upcoming is not None:
        word, start = upcoming
        upcoming = next(rest, None)
        key, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or word.startswith("---") or not key:
            raise _error("expected an attribute, as in -mcpu=znver4", text, start)
        if not equals and upcoming is not None and not upcoming[0].startswith("-"):
            equals, value = "=", upcoming[0]
            upcoming = next(rest, None)
        attributes.append((key, value.replace("'", "") if equals else True))
    return words[0][0], attributes


def render(kind: str, keys: Sequence[str], attrs: Mapping[str, object], host: str | None) -> str:
    """The text that :func:`tokens` reads."""
    words = [kind]
    if keys:
        words.append(f"-keys={','.join(keys)}")
    for key, value in attrs.items():
        if isinstance(value, bool):
            text = "1" if value else "0"
        elif isinstance(value, tuple):
            text = ",".join(value)
        else:
            text = str(value)
        words.append(f"-{key}=" + (f"'{text}'" if " " in text else text))
    if host is not None:
        words.append(f"--host='{host}'" if " " in host else f"--host={host}")
    return " ".join(words)


def _error(message: str, text: str, position: int) -> TargetError:
    return TargetError("KC6003", f"target: {message}", facts=caret(text, position) if text else ())
