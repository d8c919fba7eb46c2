"""The reports of kernels with bound checks, and their messages."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kc.support.diagnostics import CallError, Location

HEADER = 2
"""The number of words before the indices in a record: the number of wrong accesses, and the first
of them.
"""


@dataclass(frozen=True)
class Site:
    """A checked access of ``lanes`` adjacent elements along the last of ``rank`` dimensions, or of
    a box with these extents.

    ``access`` is "read", "written" or "in a view".
    """

    function: str
    access: str
    buffer: str
    rank: int
    lanes: int | tuple[int, ...]
    location: Location | None

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of elements accessed in each dimension."""
        lanes = self.lanes
        return lanes if isinstance(lanes, tuple) else (*[1] * (self.rank - 1), lanes)


@dataclass(frozen=True)
class BoundChecks:
    """The checked accesses of a module by their numbers; ``words`` is the size of a record."""

    sites: Mapping[int, Site]
    words: int

    def new_record(self) -> ctypes.Array[ctypes.c_int64]:
        """A record for one call, in which nothing is wrong."""
        return (ctypes.c_int64 * self.words)()

    def raise_reported(self, kernel: str, record: Sequence[int]) -> None:
        """Raise CallError KC5270 for a reported access; do nothing without a report."""
        if not record[0]:
            return
        site = self.sites[record[1]]
        first, sizes = (list(record[at : at + site.rank]) for at in (HEADER, HEADER + site.rank))
        # For a vector, the first lane outside the buffer.
        indices = [
            size if 0 <= start < size < start + count else start
            for start, size, count in zip(first, sizes, site.counts, strict=True)
        ]
        wrong = [n for n, index in enumerate(indices) if not 0 <= index < sizes[n]]
        places = "; ".join(
            f"index {indices[n]} of dimension {n} is outside of [0, {sizes[n]})" for n in wrong
        )
        where = "" if site.function == kernel else f", in {site.function}"
        shape = "x".join(str(count) for count in site.counts[-_rank(site.counts) :])
        span = ""
        if shape != "1":
            span = f", with {shape} elements from {_element(site.buffer, first)} on"
        raise CallError(
            "KC5270",
            f"{kernel}: {_element(site.buffer, indices)}: {places}",
            location=site.location,
            facts=[f"it is {site.access}{where}{span}"],
            why="the kernel has bound checks and stopped; unwritten elements are undefined",
        )


def _rank(counts: Sequence[int]) -> int:
    """The rank of the accessed vector, at least one."""
    return next((len(counts) - n for n, count in enumerate(counts) if count > 1), 1)


def _element(buffer: str, indices: Sequence[int]) -> str:
    return f"{buffer}[{', '.join(map(str, indices))}]"
