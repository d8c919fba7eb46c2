"""Reserved names of C and of machine code, and replacements for them.

A kernel that is called ``floor`` keeps that name in Python, in IR and in records of files, but not
in code: there LLVM turns the operation ``floor`` into a call of the C library's function of that
name, which would then be the kernel. Two names stand for it in code:

- :func:`c_name`, ``kc_floor``, is what a C program calls: in C source, headers, objects, libraries;
- :func:`machine_symbol`, ``kc.floor``, is the symbol in this process, and of what is private.

Names that begin with ``kc_`` or ``kc.`` are therefore taken, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

PREFIX = "kc_"
"""The prefix that :func:`c_name` adds, and that kc's own functions in C have."""
_SYMBOL = "kc."
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_RESERVED = re.compile(r"_[_A-Z]|kc_")
_CODED = re.compile(r"\$([0-9a-f]+)\$")


@cache
def _lists() -> Mapping[str, frozenset[str]]:
    text = Path(__file__).with_name("c_names.txt").read_text("utf-8")
    lists: dict[str, list[str]] = {}
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("["):
            words = lists[line.strip("[]")] = []
        elif not line.startswith("#"):
            words += line.split()
    return {kind: frozenset(words) for kind, words in lists.items()}


@cache
def c_words() -> frozenset[str]:
    """Names that no C function, argument or variable may have: keywords, macros, and the functions
    that the generated code and its headers call.
    """
    return frozenset().union(*_lists().values())


def keywords() -> frozenset[str]:
    """The keywords of C and C++, and the types of their standard headers."""
    return _lists()["keywords"]


def is_reserved(name: str) -> bool:
    """True if the form of an identifier is reserved: by C (``__x``, ``_X``) or by kc (``kc_x``)."""
    return _RESERVED.match(name) is not None


def c_name(name: str, words: frozenset[str] | None = None) -> str:
    """The name of a function in C: a reserved name gets the prefix ``kc_``, as in ``kc_main``.

    Characters that identifiers lack become underscores. ``words`` are the reserved words of a
    language other than C.
    """
    plain = to_identifier(name)
    is_taken = plain in (c_words() if words is None else words) or is_reserved(plain)
    return f"{PREFIX}{plain}" if is_taken or not is_identifier(plain) else plain


def to_identifier(name: str) -> str:
    """``name`` with an underscore for each character that identifiers of C lack."""
    return re.sub(r"\W", "_", name, flags=re.ASCII)


def two_of_one_name(names: Iterable[str]) -> tuple[str, str] | None:
    """The first two of ``names`` that have the same :func:`c_name`; None if all differ."""
    name_of: dict[str, str] = {}
    for name in names:
        if (first := name_of.setdefault(c_name(name), name)) != name:
            return first, name
    return None


def machine_symbol(name: str) -> str:
    """The symbol in machine code of a function or global of the IR. No library defines this symbol.

    A name stays as it is if it is an identifier that is used by neither the C library, nor a
    compiler's library, nor kc. Different names have different symbols (:func:`name_of_symbol` is
    the inverse). No symbol contains a character that has a meaning for LLVM, an assembler or a
    symbol file.
    """
    is_free = name not in _lists()["functions"] or name == "main"
    if is_free and is_identifier(name) and not is_reserved(name):
        return name
    coded = re.sub(r"[^\w]", lambda match: f"${ord(match[0]):x}$", name, flags=re.ASCII)
    return f"{_SYMBOL}{coded}"


def name_of_symbol(symbol: str) -> str:
    """The name whose :func:`machine_symbol` is ``symbol``; ``symbol`` itself if there is no such
    name.
    """
    if not symbol.startswith(_SYMBOL):
        return symbol
    return _CODED.sub(lambda match: chr(int(match[1], 16)), symbol.removeprefix(_SYMBOL))


def in_comment(text: str) -> str:
    """``text`` for a C comment: on one line, without the delimiters ``/*`` and ``*/``.

    Unprintable characters are escaped (:func:`printable`).
    """
    return printable(text).replace("*/", "* /").replace("/*", "/ *")


def printable(text: str) -> str:
    """``text`` on one line, with Python's escapes for unprintable characters: control characters
    and characters that change the direction of text.
    """
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def is_identifier(name: str) -> bool:
    """True if ``name`` has the form of an identifier of C, reserved or not."""
    return _IDENTIFIER.fullmatch(name) is not None
