"""What a rule is: it looks at one block, and schedules it or leaves it to the rules behind it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from kc.transforms.auto_schedule.draft import Draft


class Rule(ABC):
    """A part of the knowledge that default schedules are made of.

    It calls primitives, which check and rewrite, and so it has no rewrite patterns of its own.

    Rules of plugins (:attr:`kc.support.plugins.Plugin.rules`) are asked before kc's own.
    """

    name: ClassVar[str]
    """Its name in messages and in the documentation."""
    kinds: ClassVar[tuple[str, ...]] = ("llvm",)
    """The kinds of targets that it is for."""
    downward: ClassVar[bool] = False
    """Whether blocks are shown to it in program order, before all rules that are not: it prepares
    the program. The other rules see blocks from the last to the first, until one takes them."""

    prepares: ClassVar[bool] = False
    """Whether it is shown the function, by its name, once after the rules that see blocks in
    program order, and before those that see them from the last to the first."""

    leftover: ClassVar[bool] = False
    """Whether it is shown, after all other rules, the outermost loops that no rule has scheduled,
    instead of blocks."""

    whole: ClassVar[bool] = False
    """Whether it is shown the function, by its name, once after the rules that see blocks, and
    before those for what these left."""

    single: ClassVar[bool] = False
    """Whether it calls one primitive at most, so that there is nothing to undo where it is
    refused."""

    @abstractmethod
    def apply(self, draft: Draft, block: str) -> bool:
        """Schedule the block (of a ``leftover`` rule: the loop, of one that ``prepares`` or is for
        the ``whole``: the function) of this name; whether that was done.

        What it schedules beside the block it adds to ``draft.settled``. A primitive that is refused
        may raise: what the rule did before is undone, and the next rule is asked.
        """
