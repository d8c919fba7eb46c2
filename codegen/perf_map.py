"""Tells perf what the machine code in this process is: ``/tmp/perf-PID.map``.

With ``KC_PERF=1`` in the environment, each function that is loaded is written there as
``kc::main``; where the code has debug information, and with ``KC_PERF=1`` builds make it, each part
of a function has the line it comes from: ``kc::main matmul.py:12``. ``perf record`` and ``perf
report`` need nothing else. (Linux, tools/perf/Documentation/jit-interface.txt.)
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from kc.codegen.elf import ElfObject
from kc.codegen.line_table import LineRange, line_ranges
from kc.support.environment import is_on

VARIABLE = "KC_PERF"


class Entry(NamedTuple):
    """``size`` bytes of code at ``address``."""

    address: int
    size: int
    name: str


def wanted() -> bool:
    """Whether loaded code is to be told of."""
    return is_on(VARIABLE)


def entries(elf: ElfObject, address: Callable[[str], int | None]) -> list[Entry]:
    """What is in an object that is loaded; ``address`` tells where an exported name of it is.

    Sections without such a name are left out: where they are is not known.
    """
    lines: dict[int, list[LineRange]] = {}
    for one in line_ranges(elf):
        lines.setdefault(one.section, []).append(one)
    bases: dict[int, int] = {}
    functions = [one for one in elf.symbols if one.is_function]
    for one in functions:
        if one.section not in bases and (at := address(one.name)) is not None:
            bases[one.section] = at - one.value
    found: list[Entry] = []
    for one in functions:
        base = bases.get(one.section)
        if base is not None and one.size:
            for start, end, place in _parts(one.value, one.value + one.size, lines, one.section):
                name = f"kc::{one.name}"
                found.append(Entry(base + start, end - start, f"{name} {place}" if place else name))
    return sorted(found)


def _parts(
    start: int, end: int, lines: dict[int, list[LineRange]], section: int
) -> Iterator[tuple[int, int, str]]:
    """The parts of a function, each from another line than its neighbours.

    Code that comes from no line counts as from the one before it.
    """
    at, place = start, ""
    for one in lines.get(section, ()):
        if one.line and one.start < end and one.end > start:
            here = f"{Path(one.file).name}:{one.line}"
            if place and here != place:
                yield at, one.start, place
                at = one.start
            place = here
    yield at, end, place


def write(found: list[Entry]) -> None:
    """Add entries to the map of this process."""
    text = "".join(f"{one.address:x} {one.size:x} {one.name}\n" for one in found)
    with open(f"/tmp/perf-{os.getpid()}.map", "a", encoding="utf-8") as stream:
        stream.write(text)
