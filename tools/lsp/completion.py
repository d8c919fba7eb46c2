"""Completions at a position: operations and their dialects, values, symbols; in comments with
command lines, passes and their options.
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from kc.support import registry
from kc.support.class_docs import class_doc, first_sentence
from kc.tools.lsp.document import Document


@dataclass(frozen=True)
class Item:
    """A completion: a name, its kind, and the text shown beside it."""

    name: str
    kind: str
    """"operation", "value", "symbol", "pass" or "option"."""
    detail: str = ""
    documentation: str = ""


_FLAG = re.compile(r"--([\w-]*)$")
_OPTIONS = re.compile(r"--([\w-]+)=(?:\"[^\"]*|\S*)$")
_OPERATION = re.compile(r"^(?:\s*(?:%[\w$.:#, %-]+=\s*)?)([\w.]*)$")


def complete(document: Document, line: int, column: int) -> list[Item]:
    """The names that may follow the text before a position."""
    before = document.line(line)[:column]
    comment = before.find("//")
    if comment >= 0:
        return _command_line(before[comment:])
    if re.search(r"%[\w$.-]*$", before) and not re.match(r"^\s*%[\w$.-]*$", before):
        return _values(document, document.offset(line, column))
    if re.search(r"@[\w$.-]*$", before):
        return _symbols(document)
    if _OPERATION.match(before):
        return operations()
    return []


def _command_line(before: str) -> list[Item]:
    """Complete passes and options of a command in a comment, such as a ``// RUN:`` line."""
    options = _OPTIONS.search(before)
    if options is not None and registry.is_pass(options[1]):
        return pass_options(options[1])
    return passes() if _FLAG.search(before) else []


@functools.cache
def passes() -> list[Item]:
    """All passes."""
    items: list[Item] = []
    for name in registry.all_pass_names():
        entry = registry.find_pass(name)
        doc = class_doc(entry.path) if entry.origin == "kc" else None
        summary = doc.summary if doc is not None else entry.summary
        items.append(Item(f"--{name}", "pass", entry.family, summary))
    return items


@functools.cache
def pass_options(name: str) -> list[Item]:
    """The options of a pass."""
    doc = class_doc(registry.find_pass(name).path)
    if doc is None:
        return []
    return [
        Item(f"{option}=", "option", "must be given" if option in doc.required else "")
        for option in doc.options
    ]


@functools.cache
def operations() -> list[Item]:
    """The operations of kc's dialects, and the operations of xDSL that kc supports."""
    items: list[Item] = []
    context = registry.context()
    for name in registry.current().dialects:
        dialect: Any = context.get_optional_dialect(name)
        for operation in dialect.operations if dialect is not None else ():
            doc = first_sentence(operation.__doc__ or "")
            items.append(Item(operation.name, "operation", name, doc))
    return items


def _values(document: Document, offset: int) -> list[Item]:
    """The values that are defined above, with their types."""
    part = document.part_at(offset)
    if part is None:
        return []
    line_start = document.offset(document.position(offset)[0], 0)
    items: dict[str, Item] = {}
    for name in part.names:
        if name.is_definition and part.offset + name.start < line_start:
            detail = str(name.value.type) if name.value is not None else ""
            items[name.text] = Item(name.text, "value", detail)
    return list(items.values())


def _symbols(document: Document) -> list[Item]:
    items: list[Item] = []
    for part in document.parts:
        for _, _, op in part.places:
            symbol = getattr(op.get_attr_or_prop("sym_name"), "data", None)
            if symbol is not None:
                items.append(Item(f"@{symbol}", "symbol", op.name))
    return items
