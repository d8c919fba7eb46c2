"""Translated values of a function: an llvm value, a constant, or the parts of a memref."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, SSAValue


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant. It becomes an operation at its first use as an operand, once per function."""

    value: Attribute
    type: Attribute


@dataclass(eq=False, slots=True)
class Origin:
    """The memory behind a pointer, and its accesses through this pointer.

    ``flows_to`` holds the origins of the same memory elsewhere: parameters of called functions and
    of outlined bodies, block arguments. Their accesses count for this origin, too.
    """

    noalias: bool = True  # a parameter whose memory does not overlap that of another parameter
    merged: bool = False  # several origins merge in one pointer
    written: bool = False
    launched: bool = False  # other threads use the pointer
    escaped: bool = False  # a called function may return the pointer
    flows_to: list[Origin] = field(default_factory=list)

    @property
    def exclusive(self) -> bool:
        """True if no other origin of the function refers to the same memory."""
        return self.noalias and not (self.merged or self.escaped)


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref: dense row-major memory, or a view.

    ``shape`` has the size of every dimension: an int if it is known (after a cast, more may be
    known than the type states), else an i64. ``strides`` of a view has the stride of every
    dimension, in elements; ``pointer`` is the address of its first element.
    """

    pointer: SSAValue
    shape: tuple[int | SSAValue, ...]
    type: MemRefType
    origin: Origin
    strides: tuple[int | SSAValue, ...] | None = None


Lowered = SSAValue | Constant | MemRef
