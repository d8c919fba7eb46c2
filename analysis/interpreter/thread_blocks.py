"""Precomputed facts about a block for threads: variables, reductions over threads, written
buffers.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from xdsl.ir import Operation, SSAValue

from kc.analysis.interpreter.affine_code import map_function, set_function
from kc.analysis.interpreter.errors import DomainError
from kc.analysis.interpreter.te import extents_from
from kc.analysis.loop_tree import iter_types, loops, loops_around
from kc.dialects import tir
from kc.dialects.tir import IterType


class BlockEntry:
    """Evaluates the bindings and the predicate of a block for a thread."""

    def __init__(self, op: tir.BlockOp) -> None:
        self.op = op
        self.first = len(op.dynamic_extents)
        self.second = self.first + len(op.binding_operands)
        self.bindings, self.holds = map_function(op.bindings.data), set_function(op.predicate.data)
        self.complete = extents_from(op.extents)
        self.reduced = [n for n, kind in enumerate(op.types) if kind is IterType.REDUCE]
        self.reduced_by: set[Hashable] = {
            loop if loop.axis == "vthread" else loop.axis
            for loop in loops_around(op)
            if loop.axis is not None and IterType.REDUCE in iter_types(loop, op)
        }
        self.shared_by: set[Hashable] = {
            loop if loop.axis == "vthread" else loop.axis
            for loop in loops(op)
            if loop.axis is not None
        }
        """The axes of the loops in the block."""
        self.written = list(
            dict.fromkeys(
                store.buffer
                for store in op.walk()
                if isinstance(store, tir.StoreOp) and not _is_local(store.buffer, op)
            )
        )

    def variables(self, args: Sequence[int]) -> tuple[int, ...] | None:
        """The values of the block's variables; None if the predicate is false."""
        if not self.holds(*args[self.second :]):
            return None
        values = self.bindings(*args[self.first : self.second])
        for n, extent in enumerate(self.complete(args[: self.first])):
            if not 0 <= values[n] < extent:
                raise DomainError(self.op, self.op.label, self.op.names[n], values[n], extent)
        return values

    def is_first(self, values: Sequence[int]) -> bool:
        """True if all reduce variables are 0."""
        return all(values[n] == 0 for n in self.reduced)


def _is_local(buffer: SSAValue, block: tir.BlockOp) -> bool:
    op: Operation | None = buffer.owner if isinstance(buffer.owner, Operation) else None
    while op is not None and op is not block:
        op = op.parent_op()
    return op is block
