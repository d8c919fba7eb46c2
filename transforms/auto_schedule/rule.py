"""The base class of rules: a rule looks at one block, and schedules it or leaves it to the next
rules.
"""

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
    """True if the rule sees blocks in program order, before all rules that do not: it prepares the
    program. The other rules see blocks from the last to the first, until one takes them.
    """

    prepares: ClassVar[bool] = False
    """True if the rule sees the function, by its name, once after the rules that see blocks in
    program order, and before the rules that see them from the last to the first.
    """

    leftover: ClassVar[bool] = False
    """True if the rule sees, after all other rules, the outermost loops that no rule has scheduled,
    instead of blocks.
    """

    whole: ClassVar[bool] = False
    """True if the rule sees the function, by its name, once after the rules for blocks, and before
    the rules for leftover loops.
    """

    single: ClassVar[bool] = False
    """True if the rule calls at most one primitive, so that a refusal leaves nothing to undo."""

    @abstractmethod
    def apply(self, draft: Draft, block: str) -> bool:
        """Schedule the block (of a ``leftover`` rule: the loop, of one that ``prepares`` or is for
        the ``whole``: the function) of this name; whether that was done.

        What it schedules beside the block it adds to ``draft.settled``. A primitive that is refused
        may raise: what the rule did before is undone, and the next rule is asked.
        """
