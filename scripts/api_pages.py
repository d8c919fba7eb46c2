"""Pages of the API: the names that ``dir`` shows of each public module, with signatures and
docstrings.

Sums, functions such as ``te.exp`` and the methods of ``tir.Schedule`` are created when they are
imported or first used. A source parser (the default of mkdocstrings) does not see them. griffe
inspects them as names inside functions, which mkdocstrings cannot show. ``dir`` omits names that
only other parts of kc use.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from kc.tools._docs_text import markdown
from kc.tvm.nodes.node_class import NodeClass

MODULES = (
    *("kc", "te", "te.schedule", "te.hybrid", "tir", "tir.ir_builder", "tir.stmt_functor", "topi"),
    *("script", "nd", "ir", "target", "gpu", "transform", "instrument", "error", "driver"),
    *("testing", "runtime"),
)
_ARGUMENT = re.compile(r"^(\w+): (?=\S)")
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    for name in MODULES:
        module = import_module(_path(name))
        lines = [f"# {_path(name)}", "", *_doc(module)]
        for public in public_names(module):
            lines += _entry(name, public, getattr(module, public))
        yield f"api/{name}.md", "\n".join(lines)


def modules() -> list[ModuleType]:
    """The public modules: each has a page."""
    return [import_module(_path(name)) for name in MODULES]


def _path(name: str) -> str:
    return name if name == "kc" else f"kc.{name}"


def public_names(of: Any) -> list[str]:
    """The names in ``dir`` of a module or of an object, without names that begin with ``_``."""
    return [name for name in dir(of) if not name.startswith("_")]


def _entry(module: str, name: str, value: Any) -> list[str]:
    if isinstance(value, ModuleType):
        inner = name if module == "kc" else f"{module}.{name}"
        if value.__name__ != f"kc.{inner}" or inner not in MODULES:
            return []
        return [f"## {inner}", "", f"The module [kc.{inner}]({inner}.md).", ""]
    head = [f"## {module}.{name}", ""]
    if inspect.isclass(value):
        return [*head, *_call(name, value), *_doc(value), *_members(value)]
    if callable(value):
        return [*head, *_call(name, value), *_doc(value)]
    return [*head, f"A constant of type `{type(value).__name__}`.", ""]


def _members(cls: type) -> Iterator[str]:
    """The methods and attributes of a class, including those of its bases that are not public."""
    documented = dict(_attributes(cls))
    for name in members(cls):
        value = inspect.getattr_static(cls, name, None)
        if name in documented or isinstance(value, property) or value is None:
            text = documented.get(name) or inspect.getdoc(value) or ""
            if value is None and not text:
                continue
            yield from [f"### {cls.__name__}.{name}", "", markdown(text), ""]
            continue
        method = getattr(cls, name, None)
        if callable(method) and not inspect.isclass(method):
            yield from [f"### {cls.__name__}.{name}", "", *_call(name, method), *_doc(method)]


def members(cls: type) -> list[str]:
    """The names that ``dir`` shows of an object of a class, except those of its public bases."""
    try:
        sample: Any = cls if isinstance(cls, NodeClass) else object.__new__(cls)
    except TypeError:
        sample = cls
    own = dict(_attributes(cls))
    for name in own:
        # An attribute of objects: there for dir to leave it out or to show it.
        if hasattr(sample, "__dict__") and sample is not cls:
            sample.__dict__.setdefault(name, None)
    names = public_names(sample)
    hidden = {it for base in cls.__mro__[1:] if _is_elsewhere(base) for it in dir(base)}
    return [name for name in names if name not in hidden or name in vars(cls)]


def _is_elsewhere(base: type) -> bool:
    """True if a base class has a page, or does not belong to kc."""
    return base.__module__.partition(".")[0] != "kc" or base in public_classes()


@cache
def public_classes() -> frozenset[type]:
    """The classes that the pages describe."""
    values = [getattr(module, name) for module in modules() for name in public_names(module)]
    return frozenset(value for value in values if inspect.isclass(value))


def _attributes(cls: type) -> Iterator[tuple[str, str]]:
    """The attributes of a class and of its objects that have a docstring after them."""
    for base in reversed([it for it in cls.__mro__ if it is cls or not _is_elsewhere(it)]):
        tree = _definitions(base.__module__).get(base.__name__)
        if tree is None:
            continue
        bodies = [tree.body]
        bodies += [it.body for it in tree.body if isinstance(it, ast.FunctionDef)]
        for body in bodies:
            for statement, after in zip(body, body[1:], strict=False):
                match statement, after:
                    case (
                        ast.AnnAssign(target=target) | ast.Assign(targets=[target]),
                        ast.Expr(value=ast.Constant(value=str(text))),
                    ):
                        name = ast.unparse(target).removeprefix("self.")
                        if name.isidentifier() and not name.startswith("_"):
                            yield name, inspect.cleandoc(text)


@cache
def _definitions(module: str) -> dict[str, ast.ClassDef]:
    """The classes that a module of kc defines, by name."""
    if not module.startswith("kc."):
        return {}
    tree = ast.parse(inspect.getsource(sys.modules[module]))
    return {it.name: it for it in tree.body if isinstance(it, ast.ClassDef)}


def _call(name: str, value: Any) -> list[str]:
    """The signature of a function or a constructor, as code."""
    called: Any = value
    if isinstance(value, NodeClass):
        called = inspect.getattr_static(value, "make").__get__(None, value)
    try:
        signature = inspect.signature(called)
    except (TypeError, ValueError):
        return []
    shown = [it for it in signature.parameters.values() if it.name != "self"]
    plain = signature.replace(
        parameters=[it.replace(annotation=inspect.Parameter.empty) for it in shown],
        return_annotation=inspect.Signature.empty,
    )
    return ["```python", f"{name}{_ADDRESS.sub('', str(plain))}", "```", ""]


def _doc(value: Any) -> list[str]:
    """The docstring. A paragraph that explains one argument per line becomes a list."""
    paragraphs = markdown(inspect.getdoc(value) or "").split("\n\n")
    for n, paragraph in enumerate(paragraphs):
        lines = paragraph.split("\n")
        if n and all(_ARGUMENT.match(line) for line in lines):
            paragraphs[n] = "\n".join(_ARGUMENT.sub(r"- `\1`: ", line) for line in lines)
    return ["\n\n".join(paragraphs), ""]
