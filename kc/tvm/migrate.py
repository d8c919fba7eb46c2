"""``kc migrate FILE.py``: the TVM names that a program uses, and the equivalent of each in kc.

The file is read, not executed. Names of TVM's modules are looked up in kc. The differences come
from the tables of docs/migration.md, which tests compare with kc. Methods are recognized by name
alone, because the type of their object is known only at run time.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from kc.support.diagnostics import InputError, counted
from kc.support.files import read_text
from kc.support.import_hints import hint_of_tvm_name
from kc.support.python_text import valid_python
from kc.tools._pages import folder
from kc.tvm.tvmscript.missing_words import MissingWord

_OBJECTS = ("s", "s[C]", "T", "op", "sch", "ib", "mod", "f", "target", "dev")
"""The placeholders for objects in the tables that list methods."""

_MODULES = ("tvm", "te", "tir")


@dataclass
class Row:
    """The entry of the tables for a name."""

    here: str
    """"the same", "not there", "refused", or the equivalent names in kc."""
    differs: str


@dataclass
class Use:
    """A TVM name that a program uses, and the numbers of its lines."""

    name: str
    lines: list[int] = field(default_factory=list)
    is_method: bool = False


def migrate(argv: Sequence[str]) -> str:
    """The report on the program ``argv[0]``: the names that work, differ, or are missing.

    KC0002: not exactly one file. KC0021: the file is unreadable. KC0087: the file is not valid
    Python.
    """
    if len(argv) != 1 or argv[0].startswith("-"):
        raise InputError("KC0002", "migrate takes a file", hints=["kc migrate program.py"])
    name = argv[0]
    text = read_text(name)
    methods, table = _tables()
    uses = _Uses(methods)
    with valid_python(name, "KC0087", "migrate", "a program for TVM is written in Python"):
        uses.visit(ast.parse(text, name))
    return _report(name, uses, table)


def differences(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """The uses of TVM names that differ or are missing in kc: the name, each of its lines, and the
    difference.
    """
    methods, table = _tables()
    uses = _Uses(methods)
    uses.visit(tree)
    for use in uses.by_name.values():
        kind, what = _verdict(use, _row(use.name, table))
        if kind != "works":
            for line in use.lines:
                yield use.name, line, what if kind == "differs" else f"not in kc; {what}"


def _report(name: str, uses: _Uses, table: dict[str, Row]) -> str:
    groups: dict[str, list[str]] = {"works": [], "differs": [], "missing": []}
    for use in sorted(uses.by_name.values(), key=lambda use: (use.lines[0], use.name)):
        row = _row(use.name, table)
        kind, what = _verdict(use, row)
        shown = f".{use.name.rpartition('.')[2]}" if use.is_method else use.name
        lines = ", ".join(map(str, use.lines[:5])) + (", ..." if len(use.lines) > 5 else "")
        plural = "s" if len(use.lines) > 1 else ""
        head = f"  {shown}  (line{plural} {lines})"
        groups[kind].append(f"{head}: {what}" if what else head)
    titles = {
        "works": "works as it is",
        "differs": "works with a difference",
        "missing": "missing",
    }
    parts = [f"{name}: {counted(len(uses.by_name), 'name')} of TVM"]
    for kind, title in titles.items():
        if groups[kind]:
            parts += [f"{title} ({len(groups[kind])}):", *groups[kind]]
    if uses.by_name:
        parts.append("imports: import kc as tvm; from kc import te, tir; kc.script for tvm.script")
    return "\n".join(parts) + "\n"


def _row(name: str, table: dict[str, Row]) -> Row | None:
    """The entry for a name, or for the missing module that contains it. None if there is no
    entry.
    """
    while name not in table:
        name = name.rpartition(".")[0]
        if not name or (name in table and table[name].here != "not there"):
            return None
    return table[name]


def _verdict(use: Use, row: Row | None) -> tuple[str, str]:
    """The verdict (works, differs, or missing) and its explanation."""
    there = use.is_method or _exists(use.name)
    if not there and use.name.startswith("tvm."):
        hint = hint_of_tvm_name(use.name.split(".")[1])
        if hint is not None:  # a name of TVM before 0.7, or of its graphs
            return ("differs" if hint.startswith("it is ") else "missing"), hint
    if row is not None and row.here not in ("the same", "works"):
        if row.here in ("not there", "refused"):
            return ("differs" if there and row.here == "refused" else "missing"), row.differs
        return "differs", f"{row.here}" + (f"; {row.differs}" if row.differs else "")
    if not there:
        return "missing", row.differs if row is not None else _missing(use.name)
    return ("differs", row.differs) if row is not None and row.differs else ("works", "")


def _missing(name: str) -> str:
    word = _value(name)
    if isinstance(word, MissingWord):
        return "; ".join([word.why, *(f"write {text}" for text in word.instead)])
    return "docs/migration.md has no row for it" if name.startswith(_MODULES) else ""


def _exists(name: str) -> bool:
    """True if kc has an equivalent of TVM's ``name``."""
    value = _value(name)
    return value is not None and not isinstance(value, MissingWord)


def _value(name: str) -> Any:
    """The object of kc that corresponds to TVM's ``name``; None if kc has no such object."""
    holder: Any = import_module("kc")
    for part in name.removeprefix("tvm.").split("."):
        try:
            holder = getattr(holder, part)
        except AttributeError:
            return None
    return holder


def _tables() -> tuple[dict[str, str], dict[str, Row]]:
    """The methods that the tables know, by their names alone, and the rows by TVM's names."""
    text = (folder() / "migration.md").read_text(encoding="utf-8")
    methods: dict[str, str] = {}
    table: dict[str, Row] = {}
    for line in re.findall(r"^\|(.*)\|$", text, re.M):
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)]
        if len(cells) != 3 or cells[0] in ("TVM", "none") or cells[0].startswith("---"):
            continue
        for name in re.findall(r"`([^`]+)`", cells[0]):
            root, _, rest = name.partition(".")
            if rest.isidentifier() and root in _OBJECTS:
                methods.setdefault(rest, name)
            elif root not in _MODULES:
                continue
            table[name] = Row(cells[1], cells[2])
    return methods, table


class _Uses(ast.NodeVisitor):
    """The TVM names that a program uses."""

    def __init__(self, methods: dict[str, str]) -> None:
        self.methods = methods
        self.by_name: dict[str, Use] = {}
        self.modules: dict[str, str] = {}
        """The module behind each imported name: ``tir`` means ``tvm.tir``; modules other than TVM's
        are absent.
        """

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            if alias.name.split(".")[0] == "tvm":
                self.modules[alias.asname or "tvm"] = alias.name if alias.asname else "tvm"
                if alias.name != "tvm":
                    self._use(_short(alias.name), node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module is None or node.module.split(".")[0] != "tvm":
            return
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            self.modules[alias.asname or alias.name] = whole
            if _short(whole) not in ("te", "tir"):
                self._use(_short(whole), node.lineno)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        chain = list(_chain(node))
        root = self.modules.get(chain[0]) if chain else None
        if root is not None:
            self._use(_short(".".join([root, *chain[1:]])), node.lineno)
            return
        self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> None:
        whole = self.modules.get(node.id)
        if whole is not None and whole.count(".") > 1:
            self._use(_short(whole), node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr in self.methods:
            chain = list(_chain(function))
            if not chain or chain[0] not in self.modules:
                self._use(self.methods[function.attr], node.lineno, is_method=True)
        self.generic_visit(node)

    def _use(self, name: str, line: int, *, is_method: bool = False) -> None:
        use = self.by_name.setdefault(name, Use(name, is_method=is_method))
        if line not in use.lines:
            use.lines.append(line)


def _chain(node: ast.expr) -> Iterator[str]:
    """The names of ``a.b.c``; none for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
        yield from reversed(parts)


def _short(name: str) -> str:
    """``te.compute`` for ``tvm.te.compute``: as the tables have it."""
    for module in ("te", "tir"):
        if name == f"tvm.{module}" or name.startswith(f"tvm.{module}."):
            return name.removeprefix("tvm.")
    return name
