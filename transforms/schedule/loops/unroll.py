"""unroll: the body of a loop is repeated for each iteration.

Before, ``unroll block=C loop=k_i``::

    tir.for %k_i in 4 { ... }

After::

    tir.for %k_i in 4 unrolled { ... }

The loop stays one operation, which keeps the IR small; code generation tells LLVM to unroll it.

*Legal when*

1. KC3010: the loop is not a ``while``. A loop that is bound to threads loses its binding (KC3401, a
   warning) if the other bound loops of its kernel remain legal.
2. KC3047: its extent is a constant.

The order of iterations does not change, so no dependence forbids it.

TVM, Halide: ``unroll``. Exo: ``unroll_loop``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp
from kc.support.diagnostics import warn
from kc.transforms.schedule.base import (
    CALL_SITE,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.schedule.loops._loop_kinds import set_kind
from kc.transforms.schedule.threads._binding import require_rebinding

SMALL = 16
"""The largest extent that the bare flag unrolls."""

LARGE = 256
"""The number of copies above which LLVM's time grows faster than the code. More copies cause a
warning.
"""


@dataclass(frozen=True)
class Unroll(Primitive):
    """Repeat the body of a loop for each iteration."""

    name: ClassVar[str] = "unroll"
    within_nest: ClassVar[bool] = True

    loop: LoopRef = field(metadata={"help": "the loop to unroll; its extent is a constant"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        if loop.kind.data is ForKind.UNROLLED:
            return loop
        if loop.axis is not None:
            require_rebinding(site, loop, None)
        if loop.static_extent is None:
            raise site.refuse(
                "KC3047",
                f"the extent of {loop.label} is not a constant",
                at=loop,
                why="the number of copies must be known at compile time",
                hints=[f"split {loop.label} by factors=?,4 and unroll {loop.label}_i"],
            )
        return loop

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop))

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The innermost serial loop of every block, if its extent is a small constant."""
        for block in loop_tree.blocks(site.function):
            serial = [
                enclosing
                for enclosing in loop_tree.loops_around(block)
                if enclosing.kind.data in (ForKind.SERIAL, ForKind.UNROLLED)
            ]
            if serial and serial[-1].kind.data is ForKind.SERIAL:
                extent = serial[-1].static_extent
                if extent is not None and extent <= SMALL:
                    yield cls(LoopRef(serial[-1]))

    def rewrite(self, site: Site, plan: ForOp) -> Rewritten:
        extent = plan.static_extent
        if extent is not None and extent > LARGE:
            warn(
                "KC3048",
                f"unroll: {extent} copies of the body of {plan.label}",
                location=CALL_SITE.get(),
                why=f"beyond {LARGE} copies compile time grows faster than the code",
                hints=[f"split {plan.label} and unroll the inner loop"],
            )
        if plan.axis is not None:
            warn(
                "KC3401",
                f"unroll: loop {plan.label} is bound no longer",
                location=CALL_SITE.get(),
                why=f"it was bound to {plan.axis}, now its body is repeated",
            )
        return set_kind(plan, ForKind.UNROLLED)
