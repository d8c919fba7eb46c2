"""The errors that the interpreter raises when a program has no defined result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from kc.support.diagnostics import Location
from kc.support.locations import location_of

if TYPE_CHECKING:
    from kc.analysis.interpreter.values import Buffer


class ExecutionError(InterpretationError):
    """An op that cannot be executed, with its location and the surrounding iterations.

    ``op`` is the op, and ``frames`` lists the surrounding executions, innermost first: ``'k = 3'``,
    ``'block "C" (vi = 0)'``.
    """

    def __init__(self, op: Operation | None, text: str) -> None:
        super().__init__(text)
        self.op = op
        self.text = text
        self.frames: list[str] = []

    @property
    def location(self) -> Location | None:
        """The location of the op in the user's text; None if unknown."""
        return location_of(self.op)

    def within(self, frame: str) -> ExecutionError:
        """Add a level to the surrounding executions. Returns this error."""
        self.frames.append(frame)
        return self

    def __str__(self) -> str:
        name = f"{self.op.name}: " if self.op is not None else ""
        lines = [f"{name}{self.text}"]
        if self.location is not None:
            lines.append(f"  --> {self.location}")
        if self.frames:
            lines.append("  in " + ", ".join(reversed(self.frames)))
        return "\n".join(lines)


class UninterpretableError(ExecutionError):
    """A construct that the interpreter does not support, whatever the input."""


class OutOfBoundsError(ExecutionError):
    """An access outside of a buffer or tensor: ``buffer`` (its name), ``index``, ``shape``.

    ``count`` consecutive elements along the last dimension were accessed.
    """

    def __init__(
        self, op: Operation, buffer: Buffer, index: Sequence[int], vector: Sequence[int] = ()
    ) -> None:
        self.buffer = buffer.name
        self.index = tuple(index)
        self.shape = tuple(buffer.array(op).shape)
        self.vector = tuple(vector)
        what = f"index {index_text(self.index)}"
        if self.vector:
            what = f"a vector of {'x'.join(map(str, self.vector))} elements at " + what
        super().__init__(
            op, f"{what} is out of bounds of {self.buffer}, whose shape is {index_text(self.shape)}"
        )


class DomainError(ExecutionError):
    """A block runs for a value of an iteration variable outside of its domain.

    ``block`` and ``variable`` are names, ``value`` is the result of the binding, and 0 <= value <
    ``extent`` was required.
    """

    def __init__(self, op: Operation, block: str, variable: str, value: int, extent: int) -> None:
        self.block = block
        self.variable = variable
        self.value = value
        self.extent = extent
        super().__init__(
            op,
            f'block "{block}" runs for {variable} = {value}, outside of its domain '
            f"0 <= {variable} < {extent}",
        )


class PoisonError(ExecutionError):
    """Use of a value that MLIR leaves undefined; ``op`` is the op that produced it."""


def index_text(index: Sequence[int]) -> str:
    """Format an index as ``[1, 2]``."""
    return "[" + ", ".join(str(i) for i in index) + "]"
