"""The reports of kernels with bound checks, and the messages made of them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kc.support.diagnostics import CallError, Location

HEADER = 2
"""Words of a record before the indices: how many accesses were wrong, and which came first."""


@dataclass(frozen=True)
class Site:
    """A checked access: ``lanes`` elements, next to each other in the last of ``rank`` dimensions.

    ``access`` is "read", "written" or "in a view".
    """

    function: str
    access: str
    buffer: str
    rank: int
    lanes: int
    location: Location | None


@dataclass(frozen=True)
class BoundChecks:
    """The checked accesses of a module by their numbers; ``words`` is the size of a record."""

    sites: Mapping[int, Site]
    words: int

    def new_record(self) -> ctypes.Array[ctypes.c_int64]:
        """A record for one call, in which nothing is wrong."""
        return (ctypes.c_int64 * self.words)()

    def raise_reported(self, kernel: str, record: Sequence[int]) -> None:
        """Raise CallError KC5270 for the access that a call reported; nothing if it did not."""
        if not record[0]:
            return
        site = self.sites[record[1]]
        first, sizes = (list(record[at : at + site.rank]) for at in (HEADER, HEADER + site.rank))
        indices = list(first)
        # Of a vector, the first lane that is outside.
        if 0 <= first[-1] < sizes[-1] < first[-1] + site.lanes:
            indices[-1] = sizes[-1]
        wrong = [n for n, index in enumerate(indices) if not 0 <= index < sizes[n]]
        places = "; ".join(
            f"index {indices[n]} of dimension {n} is outside of [0, {sizes[n]})" for n in wrong
        )
        where = "" if site.function == kernel else f", in {site.function}"
        span = f", with {site.lanes} elements from {_element(site.buffer, first)} on"
        raise CallError(
            "KC5270",
            f"{kernel}: {_element(site.buffer, indices)}: {places}",
            location=site.location,
            facts=[f"it is {site.access}{where}{span if site.lanes > 1 else ''}"],
            why="the kernel has bound checks and stopped; unwritten elements are undefined",
        )


def _element(buffer: str, indices: Sequence[int]) -> str:
    return f"{buffer}[{', '.join(map(str, indices))}]"
