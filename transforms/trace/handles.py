"""The variables of a schedule: handles on loops and blocks, and sampled numbers.

A handle refers to a loop or block in its schedule and in copies of the schedule: each copy resolves
the handles of the original in its own module.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Protocol

from kc.dialects.tir import BlockOp, ForOp
from kc.support.public_names import PublicNames


class Table(Protocol):
    """The interface of a session for handles."""

    @property
    def table(self) -> dict[Any, Any]:
        """The loop, block or number of each handle."""
        ...

    @property
    def gone(self) -> dict[Any, str]:
        """For each invalid handle, the reason why its loop or block does not exist."""
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
        """The name at the time when the handle was created."""
        self.session = session
        """The schedule that created the handle; None for a handle in a trace that was read from
        text.
        """

    @property
    def name(self) -> str:
        """The name in the IR; the last name of a loop or block that no longer exists."""
        op = self.session.table.get(self) if self.session is not None else None
        return op.label if isinstance(op, ForOp | BlockOp) else self.label

    @property
    def gone(self) -> str | None:
        """The reason why the loop or block no longer exists; None if it exists."""
        return self.session.gone.get(self) if self.session is not None else None

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__()} - self._INTERNAL)

    def __repr__(self) -> str:
        gone = ", gone" if self.gone is not None else ""
        return f"{type(self).__name__}({self.name}{gone})"


class LoopRV(Handle):
    """A handle on a loop. If the loop no longer exists, the handle has the reason."""

    __slots__ = ()

    kind = "loop"

    @property
    def op(self) -> ForOp:
        """The loop, in the schedule that created the handle."""
        assert self.session is not None
        return self.session.loop(self)


class BlockRV(Handle):
    """A handle on a block. If the block no longer exists, the handle has the reason."""

    __slots__ = ()

    kind = "block"

    @property
    def op(self) -> BlockOp:
        """The block, in the schedule that created the handle."""
        assert self.session is not None
        return self.session.block(self)


class ExprRV(int):
    """A sampled number: an int that a trace records as the result of its sampling."""

    kind = "param"

    def __repr__(self) -> str:
        return int.__repr__(self)


Variable = Handle | ExprRV
"""A result or an operand of an instruction."""
