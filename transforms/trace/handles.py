"""The variables of a schedule: handles on loops and blocks, and numbers that were sampled.

A handle is a name for a loop or block in every schedule that knows it: a copy of a schedule
understands the handles of the original, each on its own copy of the module.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol

from kc.dialects.tir import BlockOp, ForOp
from kc.support.public_names import PublicNames


class Table(Protocol):
    """The session, as handles see it."""

    @property
    def table(self) -> dict[Any, Any]:
        """The loop, block or number of each handle."""
        ...

    @property
    def gone(self) -> dict[Any, str]:
        """A text for each handle whose op is gone."""
        ...

    def loop(self, handle: Any) -> ForOp:
        """The loop of a handle."""
        ...

    def block(self, handle: Any) -> BlockOp:
        """The block of a handle."""
        ...


class Mark(Enum):
    """A place of computation that is not a loop."""

    ROOT = "where it is"
    INLINE = "inline"


class Handle(metaclass=PublicNames):
    """The common part of loop and block handles; see :class:`LoopRV` and :class:`BlockRV`."""

    __slots__ = ("label", "session")
    _INTERNAL = frozenset(("session",))

    kind = "handle"

    def __init__(self, label: str | None = None, session: Table | None = None) -> None:
        self.label = label if label is not None else self.kind
        """Its name when the handle was made."""
        self.session = session
        """The schedule that gave it; none for a handle in a trace that was read from text."""

    @property
    def name(self) -> str:
        """The name in the IR; the last name of a loop or block that is gone."""
        op = self.session.table.get(self) if self.session is not None else None
        return op.label if isinstance(op, ForOp | BlockOp) else self.label

    @property
    def gone(self) -> str | None:
        """A text about its removal, if it is gone."""
        return self.session.gone.get(self) if self.session is not None else None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._INTERNAL)

    def __repr__(self) -> str:
        gone = ", gone" if self.gone is not None else ""
        return f"{type(self).__name__}({self.name}{gone})"


class LoopRV(Handle):
    """A handle on a loop; after the loop is gone it says what became of it."""

    __slots__ = ()

    kind = "loop"

    @property
    def op(self) -> ForOp:
        """The loop, in the schedule that gave the handle."""
        assert self.session is not None
        return self.session.loop(self)


class BlockRV(Handle):
    """A handle on a block; after the block is gone it says what became of it."""

    __slots__ = ()

    kind = "block"

    @property
    def op(self) -> BlockOp:
        """The block, in the schedule that gave the handle."""
        assert self.session is not None
        return self.session.block(self)


class ExprRV(int):
    """A number that was sampled: an int, which a trace remembers as that choice."""

    kind = "param"

    def __repr__(self) -> str:
        return int.__repr__(self)


Variable = Handle | ExprRV
"""A result or an operand of an instruction."""
