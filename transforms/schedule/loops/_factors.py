"""Lists of extents for split and loop_partition; one extent may be open."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

from xdsl.ir import SSAValue

from kc.dialects.tir import ForOp, symbol_names
from kc.support.diagnostics import ScheduleError, suggest
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import fits_around
from kc.transforms.schedule.base import CALL_SITE, Site

LIMIT = 2**63 - 1

Factor = int | SSAValue | str | None
"""A constant, an index value, the name of a symbolic size, or None for the open factor."""


class Factors(tuple[Factor, ...]):
    """Extents from the outermost (or first) loop on, in text ``?,32``."""

    expected: ClassVar[str] = "a list of numbers, of which one may be None"
    python: ClassVar[str] = "Sequence[int | ExprRV | str | None]"

    @classmethod
    def of(cls, value: Any) -> Factors:
        """The factors of a Python sequence or of a text."""
        if isinstance(value, str):
            return cls.from_option(value)
        return cls(map(_factor, value))

    @classmethod
    def from_option(cls, text: str) -> Factors:
        """Parse ``?,32`` or ``4,n``."""
        parsed: list[Factor] = []
        for word in text.strip("[]").split(","):
            word = word.strip()
            if word in ("?", "None"):
                parsed.append(None)
            else:
                parsed.append(int(word) if word.lstrip("+-").isdigit() else word)
        return cls(parsed)

    def __str__(self) -> str:
        return ",".join(
            "?"
            if factor is None
            else factor.name_hint or "value"
            if isinstance(factor, SSAValue)
            else str(factor)
            for factor in self
        )


def _factor(value: Any) -> Factor:
    """A Python value as a factor; integers of any type (constants, numpy scalars) are accepted.

    Raises TypeError for other values.
    """
    if isinstance(value, str | SSAValue | None):
        return value
    try:
        if not isinstance(value, bool):
            return operator.index(value)
    except TypeError:
        pass
    raise TypeError(f"{value!r} is not a factor")


def require_index_numbers(site: Site, loop: ForOp, most: int) -> None:
    """Refuse (KC3499) constants up to ``most`` in the expression that replaces a loop's variable,
    if the constants of an index would exceed 64 bits.
    """
    if not fits_around(loop.var, most):
        raise site.refuse(
            "KC3499",
            f"indices of loop {loop.label} would have constants of more than 64 bits",
            at=loop,
            why=f"its variable becomes an expression with constants up to {most}, which the "
            "constants in the indices multiply",
        )


def require_symbol(site: Site, name: str, loop: ForOp) -> None:
    """Refuse (KC3023) a name that is not a symbolic size of the function."""
    symbols = symbol_names(site.function)
    if name not in symbols:
        raise ScheduleError(
            "KC3023",
            f"{site.primitive}: '{name}' is neither a number nor a symbolic size of "
            f"@{site.function.sym_name.data}",
            location=CALL_SITE.get() or location_of(loop),
            hints=suggest(name, symbols, "the symbolic sizes are") or ["use a number or ?"],
        )
