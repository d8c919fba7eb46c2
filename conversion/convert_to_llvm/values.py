"""What the values of a function become: an llvm value, a constant, or the parts of a memref."""

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

    exclusive: bool = True  # no other origin of the function leads to the same memory
    written: bool = False
    captured: bool = False  # the pointer can be seen by others, during the call or after it
    flows_to: list[Origin] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MemRef:
    """A memref: dense row-major memory.

    ``shape`` has the size of every dimension, as an int where it is known (which can be more than
    ``type`` says, after a cast), else as an i64.
    """

    pointer: SSAValue
    shape: tuple[int | SSAValue, ...]
    type: MemRefType
    origin: Origin


Lowered = SSAValue | Constant | MemRef
