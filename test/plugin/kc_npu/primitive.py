"""A schedule primitive: its flag, its options and its place in the help come from this class."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import DictionaryAttr, UnitAttr

from kc.analysis import loop_tree
from kc.dialects.tir import ForOp
from kc.transforms.schedule.base import LoopRef, Primitive, Rewritten, Site, require_serial


@dataclass(frozen=True)
class NpuStream(Primitive):
    """Stream the data of a loop through the scratchpad."""

    name: ClassVar[str] = "npu-stream"

    loop: LoopRef = field(metadata={"help": "the loop to stream"})

    def check(self, site: Site) -> ForOp:
        loop = site.resolve_loop(self.loop)
        require_serial(site, loop)
        return loop

    def rewrite(self, site: Site, plan: Any) -> Rewritten:
        plan.annotations = DictionaryAttr({"npu.stream": UnitAttr()})
        return Rewritten((plan,))

    @classmethod
    def defaults(cls, site: Site) -> Iterator[Self]:
        """The outermost loop of every function."""
        for loop in loop_tree.loops(site.function)[:1]:
            yield cls(LoopRef(loop))
