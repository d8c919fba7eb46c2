"""rows: stages that share their outer loops are computed together, a row after the other."""

from __future__ import annotations

from kc.transforms.auto_schedule.draft import Draft
from kc.transforms.auto_schedule.rule import Rule


class Rows(Rule):
    """Compute producers in the loops of their consumer."""

    name = "rows"

    def apply(self, draft: Draft, block: str) -> bool:
        return False
