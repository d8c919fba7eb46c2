"""tile: two nested loops are split, and their inner parts move inside both outer parts.

Before, ``tile block=C loops=i,j factors=32,32``::

    tir.for %i in 1024 {
      tir.for %j in 1024 {
        ...

After::

    tir.for %i_o in 32 {
      tir.for %j_o in 32 {
        tir.for %i_i in 32 {
          tir.for %j_i in 32 {
            ...

Statements beside the inner loop move into its tiles, as in ``reorder``.

*Legal when* both splits and the exchange of ``i_i`` and ``j_o`` are legal (see split and reorder);
everything is tried on a copy first, so that a refusal changes nothing. KC3050: two loops and two
factors are named; KC3030: the loops are distinct.

TVM, Halide: ``tile``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from kc.analysis import loop_tree
from kc.dialects.tir import ForKind, ForOp
from kc.support.diagnostics import counted
from kc.support.registry import pass_class
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, on_copy

DEFAULT = 32
"""The side of the tiles of the bare flag: three 32x32 tiles of f32, 4 KiB each, fit L1."""


@dataclass(frozen=True)
class Tile(Primitive):
    """Split two nested loops into tiles."""

    name: ClassVar[str] = "tile"
    verb = "was tiled into"
    gives: ClassVar[Gives] = "loops"
    count = 4

    loops: tuple[LoopRef, ...] = field(
        default=(),
        metadata={"help": "the two loops, outer first", "python": ("x", "y")},
    )
    factors: tuple[int, ...] = field(
        default=(DEFAULT, DEFAULT),
        metadata={"help": "the extents of a tile", "python": ("x_factor", "y_factor")},
    )

    def check(self, site: Site) -> tuple[ForOp, ForOp]:
        loops = [site.resolve_loop(ref) for ref in self.loops]
        if len(loops) != 2 or len(self.factors) != 2:
            raise site.refuse(
                "KC3050",
                f"{counted(len(loops), 'loop')} and {counted(len(self.factors), 'factor')}",
                at=loops[0] if loops else site.function,
                why="a tile has two sides",
                hints=["loops=i,j factors=32,32"],
            )
        if loops[0] is loops[1]:
            raise site.refuse("KC3030", f"loop {loops[0].label} is named twice", at=loops[0])
        on_copy(site, lambda copy, loop: self._run(copy, loop(loops[0]), loop(loops[1])))
        return loops[0], loops[1]

    def _run(self, site: Site, x: ForOp, y: ForOp) -> Rewritten:
        split, reorder = pass_class("split"), pass_class("reorder")
        x_factor, y_factor = self.factors
        xo, xi = split(LoopRef(x), (None, x_factor)).apply(site).loops
        yo, yi = split(LoopRef(y), (None, y_factor)).apply(site).loops
        order = tuple(LoopRef(loop) for loop in (xo, yo, xi, yi))
        xo, yo, xi, yi = reorder(order).apply(site).loops
        return Rewritten((xo, yo, xi, yi), {x: (xo, xi), y: (yo, yi)})

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            child = loop_tree.only_child(loop)
            if isinstance(child, ForOp):
                yield cls((LoopRef(loop), LoopRef(child)))

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The two innermost spatial loops of every block whose extents exceed a tile's."""
        for block in loop_tree.blocks(site.function):
            loops = loop_tree.spatial_loops(block)[-2:]
            large = [
                loop
                for loop in loops
                if loop.kind.data is ForKind.SERIAL
                and (loop.static_extent is None or loop.static_extent > DEFAULT)
            ]
            if len(large) == 2:
                yield cls(tuple(LoopRef(loop) for loop in large))

    def rewrite(self, site: Site, plan: tuple[ForOp, ForOp]) -> Rewritten:
        return self._run(site, *plan)
