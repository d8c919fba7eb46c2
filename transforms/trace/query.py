"""Steps that inspect the program or make a choice, without changing the program."""

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
    """The choice of a sampling. If this value is passed to the step, the step makes the same
    choice.
    """


class Query(ABC):
    """A step that does not change the program: a frozen dataclass, as primitives are."""

    name: ClassVar[str]
    gives: ClassVar[Literal["nothing", "loop", "loops", "block", "blocks", "param", "params"]] = (
        "nothing"
    )
    count: ClassVar[int | str | None] = None
    """The number of results, the name of the field that determines this number, or None if it is
    unknown before the step runs.
    """
    pure: ClassVar[bool] = True
    """True if the step may be dropped when its results are unused."""

    @abstractmethod
    def answer(self, session: Any) -> Answer:
        """The results, in a :class:`~kc.transforms.trace.session.Session`."""
