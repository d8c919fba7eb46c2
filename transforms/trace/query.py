"""Steps that inspect the program or make a choice, and change nothing."""

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
    """The choice of a step that samples. The step repeats the choice if it is passed in."""


class Query(ABC):
    """A step that changes nothing; a frozen dataclass, as a primitive is."""

    name: ClassVar[str]
    gives: ClassVar[Literal["nothing", "loop", "loops", "block", "blocks", "param", "params"]] = (
        "nothing"
    )
    count: ClassVar[int | str | None] = None
    """The number of results: a number, the name of the field that determines it, or None if it is
    only known after the step has run.
    """
    pure: ClassVar[bool] = True
    """True if the step may be dropped when its results are unused."""

    @abstractmethod
    def answer(self, session: Any) -> Answer:
        """The results, in a :class:`~kc.transforms.trace.session.Session`."""
