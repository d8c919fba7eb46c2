"""Names the machine code in this process for perf: ``/tmp/perf-PID.map``.

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
from kc.support.c_names import name_of_symbol, printable
from kc.support.environment import is_on

VARIABLE = "KC_PERF"


class Entry(NamedTuple):
    """``size`` bytes of code at ``address``."""

    address: int
    size: int
    name: str


def is_enabled() -> bool:
    """True if perf is to be told of loaded code."""
    return is_on(VARIABLE)


def entries(elf: ElfObject, address: Callable[[str], int | None]) -> list[Entry]:
    """The functions of a loaded object; ``address`` gives the address of an exported name.

    Sections without an exported name are omitted, as their address is unknown.
    """
    lines: dict[int, list[LineRange]] = {}
    for range_ in line_ranges(elf):
        lines.setdefault(range_.section, []).append(range_)
    bases: dict[int, int] = {}
    functions = [symbol for symbol in elf.symbols if symbol.is_function]
    for function in functions:
        if function.section not in bases and (at := address(function.name)) is not None:
            bases[function.section] = at - function.value
    parts: list[Entry] = []
    for function in functions:
        base = bases.get(function.section)
        if base is not None and function.size:
            for start, end, place in _parts(
                function.value, function.value + function.size, lines, function.section
            ):
                name = f"kc::{printable(name_of_symbol(function.name))}"
                parts.append(Entry(base + start, end - start, f"{name} {place}" if place else name))
    return sorted(parts)


def _parts(
    start: int, end: int, lines: dict[int, list[LineRange]], section: int
) -> Iterator[tuple[int, int, str]]:
    """The parts of a function with different lines.

    Code without a line counts as belonging to the line before it.
    """
    at, place = start, ""
    for range_ in lines.get(section, ()):
        if range_.line and range_.start < end and range_.end > start:
            here = f"{printable(Path(range_.file).name)}:{range_.line}"
            if place and here != place:
                yield at, range_.start, place
                at = range_.start
            place = here
    yield at, end, place


def write(added: list[Entry]) -> None:
    """Add entries to the map of this process."""
    text = "".join(f"{entry.address:x} {entry.size:x} {entry.name}\n" for entry in added)
    with open(f"/tmp/perf-{os.getpid()}.map", "a", encoding="utf-8") as stream:
        stream.write(text)
