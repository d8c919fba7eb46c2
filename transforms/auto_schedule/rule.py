"""The base class of rules: a rule looks at one block, and schedules it or leaves it to the next
rules.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from kc.transforms.auto_schedule.draft import Draft


class Rule(ABC):
    """A rule of the automatic schedules.

    A rule calls primitives, which check and rewrite the program, and so it has no rewrite patterns
    of its own. Rules of plugins (:attr:`kc.support.plugins.Plugin.rules`) are tried before kc's
    own.
    """

    name: ClassVar[str]
    """The name of the rule in messages and in the documentation."""
    kinds: ClassVar[tuple[str, ...]] = ("llvm",)
    """The kinds of targets to which the rule applies."""
    downward: ClassVar[bool] = False
    """True if the rule prepares the program: it sees blocks in program order, before all other
    rules. The other rules see blocks from the last to the first, until one of them schedules the
    block.
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
        """Schedule a block. For a ``leftover`` rule, the name is that of a loop; for a rule that
        ``prepares`` or is for the ``whole`` program, it is that of the function. Returns True if
        the rule scheduled it.

        The rule adds further blocks that it schedules to ``draft.settled``. A primitive that is
        refused may raise; the changes of the rule are then undone, and the next rule is tried.
        """
