"""The text of ``kc-opt --help`` and the lists of passes and dialects. xDSL is imported only if
needed.
"""

from __future__ import annotations

import contextlib
import os
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kc.areas import FAMILIES
from kc.support import registry
from kc.support.class_docs import class_doc
from kc.support.environment import read
from kc.support.registry import Entry
from kc.tools._command_line import Flag
from kc.tools._tool import STATUS_HELP

_WIDEST = 100
_NARROWEST = 40
_COLUMN = 33
_CODE_LINE = re.compile(r"^    ", re.MULTILINE)
_ITEM = re.compile(r"\n(?=\d+\. )")


def width() -> int:
    """The number of columns: the width of the terminal, at most 100; 100 without a terminal.

    If the output goes to a pager, standard error is still the terminal.
    """
    columns = read("COLUMNS")
    for stream in (sys.stdout, sys.stderr):
        if not columns.isdigit() and stream is not None and stream.isatty():
            with contextlib.suppress(OSError, ValueError):
                columns = str(os.get_terminal_size(stream.fileno()).columns)
    wide = int(columns) if columns.isdigit() and int(columns) > 0 else _WIDEST
    return max(_NARROWEST, min(wide, _WIDEST))


def flag_lines(flags: Sequence[Flag]) -> Iterator[str]:
    """A line for each flag of a group."""
    for group in dict.fromkeys(flag.group for flag in flags):
        yield ""
        yield from _filled(f"{group}:")
        for flag in flags:
            if flag.group != group:
                continue
            yield from _columns(flag.shown, flag.help)


def pass_lines() -> Iterator[str]:
    """A line for each pass, by family, then the effects of the flags of primitives without
    options.
    """
    bare: list[tuple[str, str]] = []
    entries = registry.current().passes
    for family, title in FAMILIES.items():
        members = [entry for entry in entries.values() if entry.family == family]
        if not members:
            continue
        yield ""
        yield from _filled(f"{title}:")
        for entry in members:
            summary, options, default = describe(entry)
            shown = f"{summary.rstrip('.')}." if summary else ""
            if options:
                shown += f" [{' '.join(options)}]"
            yield from _columns(f"--{entry.name}", shown.strip())
            if default:
                bare.append((entry.name, default))
    if bare:
        yield ""
        yield "A schedule flag without options:"
        for name, default in bare:
            yield from _columns(f"--{name}", default)


def describe(entry: Entry) -> tuple[str, tuple[str, ...], str]:
    """The summary, the names of options (optional ones with ``?``), and the effect of the bare
    flag.
    """
    if entry.summary:
        return entry.summary, (), ""
    doc = class_doc(entry.path)
    if doc is None:
        return "", (), ""
    options = tuple(option if option in doc.required else f"{option}?" for option in doc.options)
    if entry.family == "schedule" and "block" not in doc.options:
        options = ("block?", *options)
    if doc.unsafe:
        options = (*options, "unsafe?")
    return doc.summary, options, doc.bare


def _columns(left: str, right: str, column: int = _COLUMN) -> Iterator[str]:
    columns = width()
    if columns < 2 * column:
        column = columns // 4
    wrapped = textwrap.wrap(right, columns - column, break_on_hyphens=False) or [""]
    if len(left) + 4 > column:
        yield f"  {left}"
    else:
        yield f"  {left:<{column - 2}}{wrapped.pop(0)}".rstrip()
    for line in wrapped:
        yield " " * column + line


def _filled(text: str) -> list[str]:
    """A paragraph or list, filled to the width of the terminal; code stays as it is."""
    lines = text.split("\n")
    if max(map(len, lines)) <= width() or _CODE_LINE.search(text):
        return lines
    return [
        line
        for item in _ITEM.split(text)
        for line in textwrap.wrap(item, width(), break_on_hyphens=False)
    ]


def help_text(usage: str, about: str, flags: Sequence[Flag], *, passes: bool = False) -> str:
    """The whole text of ``--help``."""
    lines = [*_filled(f"usage: {usage}"), "", *_filled(about), *flag_lines(flags)]
    if passes:
        lines += pass_lines()
    return "\n".join([*lines, "", *_filled(STATUS_HELP), ""])


def pass_page(name: str) -> str:
    """The page of a pass: ``--help=PASS``, ``kc docs PASS``. KC0003 if there is no such pass."""
    from kc.tools._docs_text import plain
    from kc.tools._pass_docs import PassDoc

    entry = registry.find_pass(name)
    if not entry.path:  # one of xDSL's that kc only passes on
        entry = replace(entry, path=_path_of(registry.pass_class(name)))
    doc = PassDoc.of(entry)
    lines = [f"--{entry.name}: {FAMILIES.get(entry.family, entry.family)}", ""]
    for paragraph in plain(doc.text).split("\n\n"):
        lines += [*_filled(paragraph), ""]
    if doc.bare:
        lines += [*_filled(f"Without options: {plain(doc.bare)}"), ""]
    if doc.options:
        lines.append("Options:")
    for option in doc.options:
        about = plain(option.meaning) + (f" (also {', '.join(option.also)})" if option.also else "")
        if option.default == "required":
            about += " (required)"
        elif option.default:
            about += f" (default: {option.default})"
        lines += _columns(f"{option.name}={option.value}", about.strip())
    return "\n".join(lines).rstrip() + "\n"


def _path_of(cls: type) -> str:
    return f"{cls.__module__}:{cls.__name__}"


def dialect_names() -> str:
    """``--show-dialects``, in the layout of mlir-opt."""
    names = sorted(registry.context().registered_dialect_names)
    return f"Available Dialects: {', '.join(names)}\n"


def pass_list() -> str:
    """The text of ``--list-passes``: a line for each pass."""
    return "".join(f"{name}\n" for name in sorted(registry.all_pass_names()))
