"""The families of random programs: where a case of the fuzz tests comes from.

A family draws a program with its arguments and its results, which are not kc's own: numpy or plain
Python computed them. What is done with it is the same for all (:mod:`cases`): random calls of
schedule primitives, then the interpreter, native code at each level, C, and saved code.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import numpy as np

import kc
from kc import tir


class Drawn(Protocol):
    """A program with its arguments and results.

    It may also have an ``opening`` and ``favourites``, as :class:`Fixed` has.
    """

    @property
    def module(self) -> kc.IRModule:
        """The program, with one public function; it is not changed."""
        ...

    @property
    def symbols(self) -> Mapping[str, int]:
        """The values of its symbolic sizes, by name."""
        ...

    @property
    def source(self) -> str:
        """The source of the program, for finding the cause of a failure; may be empty."""
        ...

    def arrays(self) -> list[Any]:
        """Fresh arguments: arrays, and numbers; outputs are full of garbage."""
        ...

    def check(self, arrays: Sequence[Any]) -> None:
        """Raise AssertionError unless ``arrays``, after the call, are what they should be."""
        ...


@dataclass
class Fixed:
    """A program whose arguments and results are given as arrays: a :class:`Drawn`.

    ``expected`` are the arguments after the call, by their numbers; those that are not there stay
    as they were. Integers are compared exactly, floats within the ``errors`` of that argument, if
    it has some, or else within ``tolerance``, relative and absolute.
    """

    module: kc.IRModule
    given: Sequence[Any]
    expected: Mapping[int, np.ndarray]
    symbols: Mapping[str, int] = field(default_factory=dict)
    tolerance: float = 0.0
    source: str = ""
    opening: Sequence[str] = ()
    """The opening of the schedule: calls as text, and primitives if they have a choice."""
    favourites: Sequence[str] = ()
    """Primitives that this program is for."""
    errors: Mapping[int, np.ndarray] = field(default_factory=dict)
    """The most that elements may be off, where ``expected`` is in float64."""
    options: str = ""
    """Of the targets that it is built for, where the results depend on them."""
    signed: bool = False
    """True if the sign of zeros matters."""

    def arrays(self) -> list[Any]:
        """Copies of what was given."""
        return [array.copy() if isinstance(array, np.ndarray) else array for array in self.given]

    def check(self, arrays: Sequence[Any]) -> None:
        """Compare with ``expected``."""
        for n, (before, after) in enumerate(zip(self.given, arrays, strict=True)):
            if not isinstance(before, np.ndarray):
                continue
            wanted = self.expected.get(n, before)
            assert after.shape == wanted.shape, f"argument {n}: shape {after.shape}"
            if n in self.errors:
                right = np.abs(after.astype(np.float64) - wanted) <= self.errors[n]
            elif self.tolerance and np.issubdtype(wanted.dtype, np.floating) and n in self.expected:
                right = np.isclose(
                    after, wanted, rtol=self.tolerance, atol=self.tolerance, equal_nan=True
                )
            else:
                with np.errstate(all="ignore"):
                    right = (after == wanted) | ((after != after) & (wanted != wanted))
                if self.signed and wanted.dtype.kind not in "iub":
                    right &= (np.signbit(after) == np.signbit(wanted)) | (after != 0)
            assert right.all(), (
                f"argument {n}: {after[~right][:4]} is not {wanted[~right][:4]}, "
                f"at {np.argwhere(~right)[:4].tolist()}"
            )


@dataclass(frozen=True)
class Family:
    """A kind of program.

    ``module`` is the module of the tests that has ``draw(random, keep)``: a program, of its first
    ``keep`` parts where it is made of parts.
    """

    name: str
    share: int
    """Of so many cases together as the shares of all families."""
    favourites: tuple[str, ...] = ()
    """Primitives that these programs are for: they are drawn more often."""
    threads: float = 0.0
    """The probability that loops are bound to threads."""
    scheduled: bool = True
    calls: int = 20
    """So many calls of primitives at most: fewer where drawing the program is most of the test."""
    own_calls: bool = False
    """True if the module also draws the calls, by ``calls(random, sch, count)``."""
    own_run: bool = False
    """True if the module has no programs with results, but runs its draws by ``run(random, keep,
    native, outcome)``.
    """

    def draw(self, random: Random, keep: int | None) -> Drawn:
        """A program of the family."""
        draw: Callable[[Random, int | None], Drawn] = importlib.import_module(self.name).draw
        return draw(random, keep)

    def run(self, random: Random, keep: int | None, native: bool, outcome: Any) -> None:
        """Draw and run a case, where the module does both."""
        importlib.import_module(self.name).run(random, keep, native, outcome)

    def own(self, random: Random, sch: tir.Schedule) -> Iterator[str]:
        """The calls that the module draws, each when the one before has been made."""
        return importlib.import_module(self.name).calls(random, sch, self.calls)


FAMILIES = {
    family.name: family
    for family in (
        Family("programs", 40, threads=0.2),
        Family("bindings", 20, ("decompose-reduction", "rfactor", "loop-partition", "merge")),
        Family("scans", 8, ("split", "reorder", "compute-at", "vectorize", "cache-write"), calls=8),
        Family("ragged", 6, ("split", "reorder", "compute-at", "rfactor", "cache-write"), calls=6),
        Family("shapes", 32, threads=0.1),
        Family("intrinsics", 8),
        Family("kernels", 10, own_calls=True),
        Family("gradients", 8, ("compute-inline", "reverse-compute-inline"), calls=8),
        Family("scripts", 8, calls=8),
        Family("networks", 20, threads=0.1, calls=12),
        Family("operators", 10, threads=0.1, calls=12),
        Family("values", 15, threads=0.1, calls=8),
        Family("raised", 10),
        Family(
            "affine_nests",
            8,
            (
                *("skew", "reverse", "shift", "distribute", "fuse-loops", "unroll-and-jam"),
                *("privatize", "reorder", "tile"),
            ),
            calls=8,
        ),
        Family("texts", 10, own_run=True),
        Family("passes", 12, own_run=True),
        Family("hostile", 4, own_run=True),
        Family("graph", 12, own_run=True),
    )
}


def family_of(case: int) -> str:
    """The family of a case."""
    names = list(FAMILIES)
    return Random(f"family {case}").choices(names, [FAMILIES[name].share for name in names])[0]
