"""The coverage of TVM's public names, with the reasons for the missing ones: a page of the docs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from kc.support.absent_names import DATA

HARDWARE = "hardware"
"""The reason that is excluded from the count: the name needs hardware other than kc's targets."""


@dataclass(frozen=True)
class Namespace:
    """The names of a TVM namespace, and the reasons (by key) for the missing names."""

    name: str
    names: tuple[str, ...]
    missing: dict[str, str]

    @property
    def counted(self) -> int:
        """The number of names that need no other hardware."""
        return len(self.names) - list(self.missing.values()).count(HARDWARE)

    @property
    def present(self) -> int:
        """The number of names that kc has."""
        return len(self.names) - len(self.missing)


def namespaces() -> tuple[list[Namespace], dict[str, str]]:
    """All namespaces, and the reasons in words. Raises KeyError for a name without a reason."""
    data = tomllib.loads(DATA.read_text(encoding="utf-8"))
    reason_of = {
        name: key for key, entry in data["reasons"].items() for name in entry["names"].split()
    }
    listed: list[Namespace] = []
    for space, entry in data["names"].items():
        names, place = tuple(entry["names"].split()), _place(space)
        missing = {name: reason_of[name] for name in names if not _is_there(place, name, reason_of)}
        listed.append(Namespace(space, names, missing))
    return listed, {key: entry["why"] for key, entry in data["reasons"].items()}


def _is_there(place: Any, name: str, reason_of: Mapping[str, str]) -> bool:
    """True if ``place`` has an equivalent of TVM's name.

    A submodule becomes an attribute of its package on import. A submodule counts as TVM's name
    unless a reason is listed for that name.
    """
    if isinstance(getattr(place, name, None), ModuleType) and name in reason_of:
        return False
    return hasattr(place, name)


def _place(space: str) -> Any:
    """The module or class that has the names."""
    module, _, last = f"kc.{space}".rpartition(".")
    if last[0].isupper():
        return getattr(import_module(module), last)
    return import_module(f"kc.{space}")


def page() -> Iterator[str]:
    """The lines of the page."""
    listed, reasons = namespaces()
    present = sum(space.present for space in listed)
    counted = sum(space.counted for space in listed)
    yield "TVM 0.9's public names, namespace by namespace, of `kc/support/tvm_names.toml`. Of"
    share = f"{present / counted:.0%}"
    yield f"{counted} names that need no other hardware {present} are there, {share}."
    yield from ("", "| namespace | names | there | share |", "|---|---|---|---|")
    for space in listed:
        share = space.present / space.counted
        yield f"| `{space.name}` | {space.counted} | {space.present} | {share:.0%} |"
    yield ""
    for space in listed:
        if not space.missing:
            continue
        yield from (f"## `{space.name}`", "", "| not there | reason |", "|---|---|")
        for key, why in reasons.items():
            names = [name for name, reason in space.missing.items() if reason == key]
            if names:
                yield f"| {', '.join(f'`{name}`' for name in names)} | {why} |"
        yield ""
