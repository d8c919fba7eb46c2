"""Translation of formats of ``gpu.printf`` to C's ``printf``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, IndexType, IntegerType
from xdsl.ir import Attribute

_CONVERSION = re.compile(r"%(?:%|([-+ #0]*)(\d*)((?:\.\d+)?)(hh|h|ll|l|z|j|t)?([a-zA-Z]))")
_SIGNED, _UNSIGNED, _FLOAT = "dic", "ouxX", "fFeEgGaA"


@dataclass(frozen=True)
class Format:
    """A format for 64-bit values; for each value, True if it is signed, False if not, None for a
    float.
    """

    text: str
    signs: tuple[bool | None, ...]


def format_of(text: str, types: Sequence[Attribute]) -> Format | str:
    """The format for C's printf on this machine, or the reason why there is none."""
    signs: list[bool | None] = []
    letters: list[str] = []

    def widened(match: re.Match[str]) -> str:
        flags, width, precision, _, letter = match.groups()
        if letter is None:
            return match[0]
        letters.append(letter)
        signs.append(None if letter in _FLOAT else letter in _SIGNED)
        length = "ll" if letter not in _FLOAT + "c" else ""
        return f"%{flags}{width}{precision}{length}{letter}"

    rewritten = _CONVERSION.sub(widened, text)
    for letter in letters:
        if letter not in _SIGNED + _UNSIGNED + _FLOAT:
            return f"the conversion %{letter} is of no number"
    if len(letters) != len(types):
        return f"the format expects {len(letters)} values, not {len(types)}"
    for n, (letter, type_) in enumerate(zip(letters, types, strict=True), 1):
        is_float = isinstance(type_, AnyFloat)
        if is_float != (letter in _FLOAT) or not isinstance(
            type_, AnyFloat | IntegerType | IndexType
        ):
            return f"value {n} is of type {type_}, and %{letter} is of another"
    return Format(rewritten, tuple(signs))
