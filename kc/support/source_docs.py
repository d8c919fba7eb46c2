"""What the source says of a class, read without importing it: ``--help`` must not import xDSL."""

from __future__ import annotations

import ast
import functools
import importlib.util
from dataclasses import dataclass


@dataclass(frozen=True)
class ClassDoc:
    """A pass or primitive by its source.

    ``summary`` is the first line of the docstring, ``options`` the names of its fields (those
    without a default first marked by ``required``), ``bare`` the first paragraph of what its
    method ``defaults`` says, for primitives whose flag works without options.
    """

    summary: str = ""
    options: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    bare: str = ""


def class_doc(path: str) -> ClassDoc | None:
    """What is said of ``"module:Class"``; None when there is no such source."""
    module, _, name = path.partition(":")
    found = _find(module, name)
    if found is None:
        return None
    owner, node = found
    summary = (ast.get_docstring(node) or "").split("\n")[0]
    options: dict[str, bool] = {}
    bare = _collect(owner, node, options)
    names = [field.replace("_", "-") for field in options]
    required = [field.replace("_", "-") for field, needed in options.items() if needed]
    return ClassDoc(summary, tuple(names), tuple(required), bare)


def _collect(module: str, node: ast.ClassDef, options: dict[str, bool]) -> str:
    """Add the fields of a class, those of its bases first; what its ``defaults`` says."""
    bare = ""
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id not in ("Primitive", "ModulePass", "ABC"):
            found = _find(module, base.id)
            if found is not None:
                bare = _collect(*found, options) or bare
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if "ClassVar" not in ast.unparse(item.annotation):
                options[item.target.id] = not _has_default(item.value)
        elif isinstance(item, ast.FunctionDef) and item.name == "defaults":
            bare = " ".join((ast.get_docstring(item) or "").split("\n\n")[0].split())
    return bare


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "field":
        return any(one.arg in ("default", "default_factory") for one in value.keywords)
    return value is not None


def _find(module: str, name: str) -> tuple[str, ast.ClassDef] | None:
    """The class ``name`` as seen from ``module``, followed through ``from x import name``."""
    for node in _source(module):
        if isinstance(node, ast.ClassDef) and node.name == name:
            return module, node
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _find(node.module, alias.name)
    return None


@functools.cache
def _source(module: str) -> tuple[ast.stmt, ...]:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return ()
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ()
    with open(spec.origin, "rb") as stream:
        return tuple(ast.parse(stream.read()).body)
