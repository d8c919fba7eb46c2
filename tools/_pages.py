"""``kc docs`` and ``kc explain``: the documentation on a terminal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path

import kc
from kc.support import registry
from kc.support.diagnostics import InputError, suggest
from kc.support.explain import explain as explanation
from kc.support.explain import explanations

_CODE = re.compile(r"KC\d{4}", re.IGNORECASE)


def folder() -> Path:
    """The directory of the pages: in the installed package, or in the source checkout."""
    installed = Path(kc.__file__).parent / "docs"
    return installed if installed.is_dir() else Path(kc.__file__).parent.parent / "docs"


def explain(argv: Sequence[str]) -> str:
    """The explanation of the diagnostic ``argv[0]``; KC0005 if there is none."""
    if len(argv) != 1:
        raise InputError("KC0002", "explain takes a code", hints=["kc explain KC3040"])
    return explanation(argv[0])


def docs(argv: Sequence[str]) -> str:
    """The page of a document, pass, operation, dialect or diagnostic; without a name, a list of
    them.
    """
    if len(argv) > 1:
        raise InputError("KC0002", f"docs takes one name, not {len(argv)}: {' '.join(argv)}")
    if not argv:
        return _contents()
    name = argv[0].lstrip("-")
    if _CODE.fullmatch(name):
        return explanation(name)
    pages = _pages()
    if name.removesuffix(".md") in pages:
        return pages[name.removesuffix(".md")].read_text(encoding="utf-8")
    if name.replace("_", "-") in registry.current().passes or registry.is_pass(name):
        from kc.tools._help import pass_page

        return pass_page(name)
    if (text := operation_page(name)) is not None:
        return text
    names = [*pages, *registry.all_pass_names(), *_operation_names(), *explanations()]
    raise InputError(
        "KC0003",
        f"there is no page, pass, operation or diagnostic '{name}'",
        hints=[*suggest(name, names), "kc docs lists the pages"],
    )


def _pages() -> dict[str, Path]:
    paths = sorted([*folder().glob("*.md"), *folder().glob("generated/*.md")])
    return {path.stem: path for path in paths}


def _contents() -> str:
    lines = ["Pages (kc docs NAME):"]
    for name, path in _pages().items():
        title = path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")
        lines.append(f"  {name:<16}{title}")
    lines += ["", "NAME is also a pass (split), an operation (tir.for) or a code (KC3040)."]
    return "\n".join([*lines, ""])


def _operation_names() -> list[str]:
    return [
        operation.name
        for entry in registry.current().dialects.values()
        for operation in entry.load().operations
    ]


def operation_page(name: str) -> str | None:
    """The documentation of an operation or dialect of kc or of a plugin."""
    import sys

    from kc.tools._docs_text import plain

    entry = registry.current().dialects.get(name.partition(".")[0])
    if entry is None:
        return None
    dialect = entry.load()
    if name == entry.name:
        module = sys.modules[entry.path.partition(":")[0]]
        operations = sorted(operation.name for operation in dialect.operations)
        doc = plain(inspect.getdoc(module) or "")
        return "\n".join([f"{name}: {doc}", "", "Operations:", *map("  {}".format, operations), ""])
    for operation in dialect.operations:
        if operation.name == name:
            return f"{name}\n\n{plain(inspect.getdoc(operation) or '')}\n"
    return None
