"""Steps that look at the program, or choose something, and change nothing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from xdsl.dialects.func import FuncOp

from kc.dialects.tir import BlockOp, ForOp
from kc.transforms.trace.handles import Mark


@dataclass(frozen=True)
class Answer:
    """The results of a query."""

    results: Sequence[ForOp | BlockOp | FuncOp | Mark | int] = ()
    decision: Any = None
    """What was chosen, for a step that samples: given again, it makes the same choice."""


class Query(ABC):
    """A step that changes nothing; a frozen dataclass, as a primitive is."""

    name: ClassVar[str]
    gives: ClassVar[Literal["nothing", "loop", "loops", "block", "blocks", "param", "params"]] = (
        "nothing"
    )
    count: ClassVar[int | str | None] = None
    """How many results it gives: a number, the field that tells, or None where only running it
    tells."""
    pure: ClassVar[bool] = True
    """Whether it may be left out where its results are not used."""

    @abstractmethod
    def answer(self, session: Any) -> Answer:
        """The results, in a :class:`~kc.transforms.trace.session.Session`."""
