"""Memory that a function must not deallocate or write.

``memref.dealloc`` of memory that the function does not own, or too early, corrupts the heap of the
process, often long after the call. Constants are in read-only memory. The check finds what the text
proves: memory owned by the caller, the module or the stack, and a use or another dealloc that
certainly follows. A view counts as the memory that it views.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from xdsl.dialects import func, memref, scf
from xdsl.ir import Block, Operation, SSAValue, Use
from xdsl.traits import SymbolTable

from kc.analysis.loop_tree import path_to, preorder

_VIEWS = frozenset(
    f"memref.{name}"
    for name in (
        "cast",
        "collapse_shape",
        "expand_shape",
        "memory_space_cast",
        "reinterpret_cast",
        "subview",
        "transpose",
        "view",
    )
)
_OWNED_ELSEWHERE = {
    "memref.get_global": "it is a global of the module",
    "memref.alloca": "it is on the stack, and is freed when the function returns",
}


class WrongDeallocation(NamedTuple):
    """An invalid dealloc, and the rule that it violates."""

    dealloc: memref.DeallocOp
    memory: SSAValue
    """The memory that is deallocated."""
    why: str
    use: Operation | None = None
    """The later use, if the use is the reason."""


def wrong_deallocation(function: func.FuncOp) -> WrongDeallocation | None:
    """The first certainly invalid dealloc of a function; None if no dealloc is certainly
    invalid.
    """
    for op in preorder(function):
        if isinstance(op, memref.DeallocOp) and (wrong := _judge(op)) is not None:
            return wrong
    return None


def written_constant(function: func.FuncOp) -> tuple[Operation, str] | None:
    """The first operation that writes a constant of the module, and the name of the constant."""
    module = function.parent_op()
    if module is None:
        return None
    for op in preorder(function):
        if not isinstance(op, memref.GetGlobalOp):
            continue
        symbol = SymbolTable.lookup_symbol(module, op.name_)
        if not isinstance(symbol, memref.GlobalOp) or symbol.constant is None:
            continue
        for use in _uses(op.memref):
            if _WRITTEN.get(use.operation.name) == use.index:
                return use.operation, op.name_.string_value()
    return None


_WRITTEN = {
    "memref.atomic_rmw": 1,
    "memref.copy": 1,
    "memref.generic_atomic_rmw": 0,
    "memref.store": 1,
    "tir.store": 1,
    "vector.store": 1,
}
"""The index of the operand that each operation writes. Operations of linalg and affine have been
raised to other dialects before this check.
"""


def _judge(dealloc: memref.DeallocOp) -> WrongDeallocation | None:
    memory = _memory(dealloc.memref)
    owner = memory.owner
    if isinstance(owner, Block):
        if isinstance(owner.parent_op(), func.FuncOp) and owner is _entry(owner):
            return WrongDeallocation(
                dealloc, memory, "it belongs to the caller, which continues to use it"
            )
        return None
    if (why := _OWNED_ELSEWHERE.get(owner.name)) is not None:
        return WrongDeallocation(dealloc, memory, why)
    if not isinstance(owner, memref.AllocOp):
        return None
    for around in path_to(dealloc):
        if isinstance(around, scf.ForOp | scf.WhileOp | scf.ParallelOp) and not around.is_ancestor(
            owner
        ):
            why = "it is allocated once, but each iteration of the loop would free it"
            return WrongDeallocation(dealloc, memory, why)
    for use in _uses(memory):
        op = use.operation
        if op is not dealloc and _follows(op, dealloc):
            return WrongDeallocation(dealloc, memory, f"{op.name} uses it afterwards", op)
    return None


def _entry(block: Block) -> Block | None:
    region = block.parent
    return None if region is None else region.first_block


def _memory(value: SSAValue) -> SSAValue:
    """The memory at the root of a chain of views."""
    while not isinstance(owner := value.owner, Block) and owner.name in _VIEWS:
        value = owner.operands[0]
    return value


def _uses(memory: SSAValue) -> Iterator[Use]:
    """All uses of ``memory``, directly or through views."""
    values = [memory]
    while values:
        for use in values.pop().uses:
            yield use
            if use.operation.name in _VIEWS and use.index == 0:
                values += use.operation.results


def _follows(use: Operation, before: Operation) -> bool:
    """True if ``use`` follows ``before`` in its block, or is inside an op that follows
    ``before``.
    """
    block = before.parent
    assert block is not None
    inside = block.find_ancestor_op_in_block(use)
    return inside is not None and inside is not before and before.is_before_in_block(inside)
