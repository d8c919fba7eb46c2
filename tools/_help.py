"""``kc-opt --help`` and the lists of what there is; nothing here imports xDSL before it must."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from kc.support import registry
from kc.support.registry import FAMILIES, XDSL_PASSES, Entry
from kc.support.source_docs import class_doc
from kc.tools._command_line import Flag
from kc.tools._tool import STATUS_HELP

_WIDTH = 100
_COLUMN = 33


def flag_lines(flags: Sequence[Flag]) -> Iterator[str]:
    """One line a flag, those of one group together."""
    for group in dict.fromkeys(flag.group for flag in flags):
        yield ""
        yield f"{group}:"
        for flag in flags:
            if flag.group != group:
                continue
            yield from _columns(flag.shown, flag.help)


def pass_lines() -> Iterator[str]:
    """One line a pass by family, then what the bare flags of primitives do."""
    bare: list[tuple[str, str]] = []
    entries = registry.current().passes
    for family, title in FAMILIES.items():
        members = [entry for entry in entries.values() if entry.family == family]
        if not members:
            continue
        yield ""
        yield f"{title}:"
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
    """Summary, names of options (``?`` after those that may be left out), and the bare flag."""
    if entry.name in XDSL_PASSES and entry.origin == "xdsl":
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


def _columns(left: str, right: str) -> Iterator[str]:
    wrapped = textwrap.wrap(right, _WIDTH - _COLUMN, break_on_hyphens=False) or [""]
    if len(left) + 4 > _COLUMN:
        yield f"  {left}"
    else:
        yield f"  {left:<{_COLUMN - 2}}{wrapped.pop(0)}".rstrip()
    for line in wrapped:
        yield " " * _COLUMN + line


def help_text(usage: str, about: str, flags: Sequence[Flag], *, passes: bool = False) -> str:
    """The whole text of ``--help``."""
    lines = [f"usage: {usage}", "", about, *flag_lines(flags)]
    if passes:
        lines += pass_lines()
    return "\n".join([*lines, "", STATUS_HELP, ""])


def dialect_names() -> str:
    """``--show-dialects``, in the layout of mlir-opt."""
    names = sorted(registry.context().registered_dialect_names)
    return f"Available Dialects: {', '.join(names)}\n"


def pass_list() -> str:
    """``--list-passes``: every pass, one a line."""
    return "".join(f"{name}\n" for name in sorted(registry.all_pass_names()))
