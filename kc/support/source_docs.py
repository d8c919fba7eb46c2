"""The documentation of classes, read without importing them, because ``--help`` must not import
xDSL.

Parsing a whole module would take as long as importing it, so only the head of the class is parsed:
its docstring and its fields, up to the first method.
"""

from __future__ import annotations

import ast
import functools
import importlib.util
import inspect
import re
from pathlib import Path

from kc.support.class_docs import ClassDoc, first_sentence

_FIRST_METHOD = re.compile(r"^    (?:@|(?:async )?def )", re.MULTILINE)
_DEFAULTS = re.compile(
    r'^    def defaults\([^\n]*\) -> [^\n]*:\n\s+(""".*?""")', re.MULTILINE | re.DOTALL
)
_TOP_LEVEL = re.compile(r"^[^\s)]", re.MULTILINE)
_IMPORT = re.compile(r"^from (kc[\w.]*|\w[\w.]*) import (\([^)]*\)|[^\n]*)", re.MULTILINE)
_FRAMEWORK = ("Primitive", "ModulePass", "ABC")


def read_class_doc(path: str) -> ClassDoc | None:
    """The documentation of ``"module:Class"``; None if there is no such source."""
    module, _, name = path.partition(":")
    located = _find(module, name)
    if located is None:
        return None
    owner, text = located
    options: dict[str, bool] = {}
    bare = _collect(owner, text, options)
    names = [field.replace("_", "-") for field in options]
    required = [field.replace("_", "-") for field, needed in options.items() if needed]
    summary = first_sentence(ast.get_docstring(_head(text)) or "")
    unsafe = re.search(r"^    undecidable = True$", text, re.MULTILINE) is not None
    return ClassDoc(summary, tuple(names), tuple(required), bare, unsafe)


def _collect(module: str, text: str, options: dict[str, bool]) -> str:
    """Collect the fields of a class, those of its bases first, and the docstring of its
    ``defaults``.
    """
    node = _head(text)
    bare = ""
    for base in reversed(node.bases):
        if isinstance(base, ast.Name) and base.id not in _FRAMEWORK:
            located = _find(module, base.id)
            if located is not None:
                bare = _collect(*located, options) or bare
    for item in node.body:
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            if "ClassVar" not in ast.unparse(item.annotation):
                options[item.target.id] = not _has_default(item.value)
    defaults = _DEFAULTS.search(text)
    if defaults is not None:
        docstring = inspect.cleandoc(ast.literal_eval(defaults[1]))
        bare = " ".join(docstring.split("\n\n")[0].split())
    return bare


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "field":
        if any(keyword.arg in ("default", "default_factory") for keyword in value.keywords):
            return True
        metadata = next(
            (keyword.value for keyword in value.keywords if keyword.arg == "metadata"), None
        )
        return isinstance(metadata, ast.Dict) and any(
            isinstance(key, ast.Constant) and key.value == "implied" for key in metadata.keys
        )
    return value is not None


def _head(text: str) -> ast.ClassDef:
    """A class without its methods."""
    method = _FIRST_METHOD.search(text)
    head = text[: method.start()] if method is not None else text
    (node,) = ast.parse(head + "\n    pass\n").body
    assert isinstance(node, ast.ClassDef)
    return node


def _find(module: str, name: str) -> tuple[str, str] | None:
    """The text of the class ``name`` as seen from ``module``, followed through imports."""
    source = _source(module)
    # Found without a pattern of its own: to compile one takes longer than to search.
    start = max(source.find(f"\nclass {name}{after}") for after in ":(") + 1
    if start:
        end = _TOP_LEVEL.search(source, start + 1)
        return module, source[start : end.start() if end is not None else None]
    for statement in _IMPORT.finditer(source):
        for alias in statement[2].strip("()").split(","):
            original, _, local = alias.strip().partition(" as ")
            if (local or original) == name:
                return _find(statement[1], original)
    return None


@functools.cache
def _source(module: str) -> str:
    try:
        spec = importlib.util.find_spec(module)
    except (ImportError, ValueError):
        return ""
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return ""
    return Path(spec.origin).read_text(encoding="utf-8")
