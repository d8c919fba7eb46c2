"""Translated values of a function: an llvm value, a constant, or the parts of a memref."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant: made an operation, once a function, where an operand needs it."""

    value: Attribute
    type: Attribute


@dataclass(eq=False, slots=True)
class Origin:
    """The memory that a pointer leads to, and what is done to it through that pointer.

    ``flows_to`` holds the origins that stand for the same memory elsewhere: parameters of called
    functions and of outlined bodies, block arguments. What happens to those happens to this one.
    """

    noalias: bool = True  # of a parameter: no caller passes memory that overlaps another's
    merged: bool = False  # it meets others in one pointer, or is where they meet
    written: bool = False
    launched: bool = False  # other threads read the pointer
    escaped: bool = False  # the pointer may come back, as the result of a call
    flows_to: list[Origin] = field(default_factory=list)

    @property
    def exclusive(self) -> bool:
        """Whether no other origin of the function leads to the same memory."""
        return self.noalias and not (self.merged or self.escaped)


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref: dense row-major memory, or a part of it.

    ``shape`` has the size of every dimension, as an int where it is known (which can be more than
    ``type`` says, after a cast), else as an i64. ``strides`` of a part has the distance of
    neighbours along every dimension, in elements; ``pointer`` is that of its first element.
    """

    pointer: SSAValue
    shape: tuple[int | SSAValue, ...]
    type: MemRefType
    origin: Origin
    strides: tuple[int | SSAValue, ...] | None = None


Lowered = SSAValue | Constant | MemRef
