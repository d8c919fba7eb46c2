"""The base of rules for GPUs: the function must consist of valid kernels after each rule."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.gpu.threads import KINDS
from kc.transforms.auto_schedule.rule import Rule
from kc.transforms.schedule.threads._foreign_values import require_kernels


class GpuRule(Rule):
    """A rule whose schedule is refused if ``verify-gpu-code`` refuses its result."""

    kinds: ClassVar[tuple[str, ...]] = KINDS

    def apply(self, draft: Draft, block: str) -> bool:
        if not self.schedule(draft, block):
            return False
        require_kernels(draft.session.site(draft.function))
        return True

    @abstractmethod
    def schedule(self, draft: Draft, block: str) -> bool:
        """Schedule the block with the name ``block``. Return True if it was scheduled. Same
        contract as :meth:`Rule.apply`.
        """
