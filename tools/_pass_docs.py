"""The documentation of passes and primitives, from their classes: prose, and options one by one."""

from __future__ import annotations

import dataclasses
import inspect
import sys
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kc.support.option_types import help_of, placeholder
from kc.support.registry import Entry


@dataclass(frozen=True)
class OptionDoc:
    """The documentation of an option. ``value`` is the placeholder of its value, ``also`` are its
    alternative names.
    """

    name: str
    value: str
    default: str
    """The value without the option: "required", or "" if there is none."""
    meaning: str
    also: tuple[str, ...] = ()


@dataclass(frozen=True)
class PassDoc:
    """A pass or primitive. ``bare`` is the effect of its flag without options, "" if it needs
    some.
    """

    text: str
    bare: str
    options: tuple[OptionDoc, ...]

    @staticmethod
    def of(entry: Entry) -> PassDoc:
        """The documentation of an entry, which is imported for it."""
        cls = entry.load()
        if entry.origin == "xdsl":
            return PassDoc(entry.summary or inspect.getdoc(cls) or "", "", tuple(_options(cls)))
        module = inspect.getdoc(sys.modules[cls.__module__])
        own = inspect.getdoc(cls) or ""
        text = f"{own}\n\n{module}" if module and _has_module_of_its_own(entry) else own
        bare = ""
        defaults = getattr(cls, "defaults", None)
        if defaults is not None and "defaults" in vars(cls):
            bare = inspect.getdoc(defaults) or ""
        return PassDoc(text, bare, tuple(_options(cls)))


def _has_module_of_its_own(entry: Entry) -> bool:
    """True if each member of the family has a module, whose docstring describes it."""
    return entry.family in ("schedule", "tir", "conversion")


def _options(cls: Any) -> Iterator[OptionDoc]:
    hints = typing.get_type_hints(cls)
    for field in dataclasses.fields(cls):
        if field.init:
            yield OptionDoc(
                field.name.replace("_", "-"),
                placeholder(hints[field.name]),
                _default(field),
                help_of(field),
                tuple(field.metadata.get("also", {})),
            )


def _default(field: dataclasses.Field[Any]) -> str:
    if "implied" in field.metadata:
        return f"{field.metadata['implied']}"
    if field.default is dataclasses.MISSING:
        return "" if field.default_factory is not dataclasses.MISSING else "required"
    if field.default is None or str(field.default) in ("", "()"):
        return ""
    if isinstance(field.default, bool):
        return "true" if field.default else "false"
    return f"{field.default}"
