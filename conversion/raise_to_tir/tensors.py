"""The assignment of tensors to buffers: destination-passing style, one buffer for a chain of
updates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import tensor
from xdsl.dialects.builtin import MemRefType, TensorType
from xdsl.ir import Block, Operation, OpResult, SSAValue

from kc.conversion._te_blocks import copy_nest
from kc.conversion.raise_to_tir.structured import STRUCTURED, structure_of

if TYPE_CHECKING:
    from kc.conversion.raise_to_tir.function import FunctionRaiser
    from kc.conversion.raise_to_tir.nests import Extent


@dataclass(frozen=True)
class Empty:
    """A tensor of which only the shape is defined."""

    sizes: Sequence[Extent]


@dataclass(frozen=True)
class Splat:
    """A tensor whose elements all equal ``scalar``; it gets a buffer only on demand."""

    sizes: Sequence[Extent]
    scalar: SSAValue


@dataclass(frozen=True)
class Held:
    """A tensor in a buffer."""

    buffer: SSAValue


class Tensors:
    """The tensors of one function."""

    def __init__(self, raiser: FunctionRaiser) -> None:
        self.raiser = raiser
        self.values: dict[SSAValue, Empty | Splat | Held] = {}
        self.inputs: set[SSAValue] = set()
        """Buffers of the caller, which must not be written."""
        self.shared: dict[SSAValue, SSAValue] = {}
        """For each shared tensor in a body of ``scf.forall``, the buffer that is written."""
        self._planned: dict[SSAValue, SSAValue] = {}
        self._order = {op: n for n, op in enumerate(raiser.source.walk())}

    def plan(self, value: SSAValue, arg: SSAValue) -> None:
        """Plan to compute ``value``, and the tensor that it updates, in the buffer ``arg``."""
        while isinstance(value, OpResult) and value not in self._planned:
            if arg in self._planned.values() and not self._is_start(value, arg):
                return
            self._planned[value] = arg
            owner = value.owner
            if isinstance(owner, STRUCTURED):
                before = structure_of(owner).outputs[value.index]
            elif isinstance(owner, tensor.InsertSliceOp | tensor.InsertOp):
                before = owner.dest
            else:
                return
            if sum(1 for _ in before.uses) != 1:
                return
            value = before

    def _is_start(self, value: SSAValue, arg: SSAValue) -> bool:
        """True if ``value`` is the initial tensor of a value planned for ``arg``."""
        return any(
            self._planned.get(result) is arg
            for use in value.uses
            for result in use.operation.results
        )

    def sizes(self, value: SSAValue) -> list[Extent]:
        """The sizes of a tensor, or of a memref."""
        held = self.values.get(value)
        if isinstance(held, Empty | Splat):
            return list(held.sizes)
        buffer = held.buffer if held is not None else self.raiser.value(value)
        return self.raiser.sizes_of(buffer)

    def operand(self, value: SSAValue, source: Operation) -> SSAValue:
        """The operand of an op that reads ``value``: its buffer, or the scalar of all elements."""
        held = self.values.get(value)
        if held is None:
            return self.raiser.value(value)
        if isinstance(held, Splat):
            return held.scalar
        return self.buffer(value, source)

    def buffer(self, value: SSAValue, source: Operation) -> SSAValue:
        """The buffer of a tensor; allocated if missing."""
        held = self.values[value]
        if isinstance(held, Held):
            return held.buffer
        assert isinstance(value.type, TensorType)
        name = value.name_hint or ("fill" if isinstance(held, Splat) else "empty")
        buffer = self.raiser.alloc(name, value.type, held.sizes, source)
        if isinstance(held, Splat):
            self.raiser.fill(held.scalar, buffer, held.sizes, f"{name}_fill", source)
        self.values[value] = Held(buffer)
        return buffer

    def result(self, result: SSAValue, sizes: Sequence[Extent], source: Operation) -> SSAValue:
        """An uninitialised buffer for a result."""
        buffer = self._planned.get(result)
        if buffer is None:
            assert isinstance(result.type, TensorType)
            name = result.name_hint or source.name.rpartition(".")[2]
            buffer = self.raiser.alloc(name, result.type, sizes, source)
        self.raiser.buffer_sizes[buffer] = list(sizes)
        self.values[result] = Held(buffer)
        return buffer

    def destination(
        self, before: SSAValue, result: SSAValue, source: Operation, keeps: bool
    ) -> SSAValue:
        """The buffer of a result that updates the tensor ``before``. With ``keeps``, it starts as a
        copy of that tensor.
        """
        sizes = self.sizes(before)
        held = self.values[before]
        if not keeps or isinstance(held, Empty):
            return self.result(result, sizes, source)
        if isinstance(held, Held) and self._is_last_use(before, held.buffer, source):
            planned = self._planned.get(result)
            if planned is None or planned is held.buffer:
                self.values[result] = held
                return held.buffer
        buffer = self.result(result, sizes, source)
        assert isinstance(buffer.type, MemRefType)
        raiser = self.raiser
        if isinstance(held, Splat):
            raiser.fill(held.scalar, buffer, sizes, "fill", source)
        else:
            assert isinstance(held, Held)
            raiser.emit(copy_nest(held.buffer, buffer, raiser.label("copy"), sizes), source)
        return buffer

    def forget_buffer(self, buffer: SSAValue) -> None:
        """Forget the tensors in ``buffer``: they have no further uses."""
        for alias in [alias for alias, held in self.values.items() if held == Held(buffer)]:
            del self.values[alias]

    def forget_inside(self, op: Operation) -> None:
        """Forget the tensors of a body, which are not used after its loop."""
        for value in [value for value in self.values if _is_inside(value, op)]:
            del self.values[value]

    def _is_last_use(self, before: SSAValue, buffer: SSAValue, source: Operation) -> bool:
        """True if nothing reads the contents of ``buffer`` after ``source``, or beside its
        update.
        """
        if buffer in self.inputs:
            return False
        # A cast is the same buffer under another name.
        same = {alias for alias, held in self.values.items() if held == Held(buffer)}
        if sum(1 for operand in source.operands if operand in same) != 1:
            return False
        if any(_home(alias) is not source.parent for alias in same):
            return False  # the next iteration needs it again
        now = self._order[source]
        return all(self._order[use.operation] <= now for alias in same for use in alias.uses)


def _home(value: SSAValue) -> Block | None:
    """The block that defines ``value``."""
    return value.owner if isinstance(value.owner, Block) else value.owner.parent


def _is_inside(value: SSAValue, op: Operation) -> bool:
    """True if ``value`` is defined in a region of ``op``."""
    block = _home(value)
    while block is not None:
        parent = block.parent_op()
        if parent is op:
            return True
        block = parent.parent if parent is not None else None
    return False
