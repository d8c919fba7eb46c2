"""Loops from which LLVM's instcombine may remove a store by mistake (docs/upstream.md).

::

    scf.for %i = ... {
      memref.store %zero, %C[%i]
      scf.for %k = ... {
        %first = arith.cmpi eq, %i, %c0
        scf.if %first { ... memref.store %sum, %C[%i] ... }
      }
      llvm.call_intrinsic "llvm.sideeffect"() : () -> ()     // inserted here

If a guard depends on ``%i``, earlier passes may find out that there is a next iteration and branch
from the end of the inner loop directly to its start. The two stores then use a single SSA value as
their address, and instcombine merges them, although the value is a different address in each
iteration. An operation that may access memory between them prevents this. ``llvm.sideeffect`` is
such an operation, and costs no instruction on any machine.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue

_LOOPS = ("scf.for", "scf.while", "scf.parallel")
_BRANCHES = ("scf.if", "scf.condition", "cf.cond_br", "cf.assert")
_ADDRESSES = {
    "memref.store": slice(1, None),
    "vector.store": slice(1, None),
    "vector.maskedstore": slice(0, -2),
    "llvm.store": slice(1, None),
}
"""The operands that determine the address of a store."""


@dataclass(frozen=True)
class _Loop:
    """The contents of a loop. A loop is a bit, and a set of loops an integer."""

    bit: int
    around: int
    guards: set[int] = field(default_factory=set)
    """For each branch in the loop, a bit set of the loops on which its condition depends."""
    addresses: set[int] = field(default_factory=set)
    """For the address of each store, a bit set of the loops on which it depends."""

    def is_guarded_update(self) -> bool:
        """True if the loop stores to an address that is invariant in it but varies in a surrounding
        loop on which a branch also depends.
        """
        deciding = self.around & _union(self.guards)
        return any(address & deciding and not address & self.bit for address in self.addresses)


def guarded_updates(function: Operation) -> frozenset[Operation]:
    """The loops of ``function`` after which an ``llvm.sideeffect`` is needed."""
    loops: dict[Operation, _Loop] = {}
    depends: dict[SSAValue, int] = {}
    pending: deque[tuple[Block, tuple[_Loop, ...]]] = deque()

    def enter(op: Operation, around: tuple[_Loop, ...]) -> None:
        for region in op.regions:
            pending.extend((block, around) for block in region.blocks)

    enter(function, ())
    depends.update(dict.fromkeys(function.regions[0].blocks[0].args, 0))
    while pending:
        block, around = pending.popleft()
        # Results of regions and block arguments may have been selected by any value of a loop.
        unknown = _union(loop.bit for loop in around)
        for op in block.ops:
            operands = [depends.get(operand, unknown) for operand in op.operands]
            result = unknown if op.regions else _union(operands)
            depends.update(dict.fromkeys(op.results, result))
            inside = around
            if op.name in _LOOPS:
                loops[op] = entered = _Loop(1 << len(loops), unknown)
                inside = (*around, entered)
                for induction in _inductions(op):
                    depends[induction] = entered.bit | _union(operands)
                _note(inside, "guards", _union(operands))  # the loop may be empty
            elif op.name in _BRANCHES:
                _note(around, "guards", operands[0])
            elif op.name in _ADDRESSES:
                _note(around, "addresses", _union(operands[_ADDRESSES[op.name]]))
            enter(op, inside)
    return frozenset(op for op, loop in loops.items() if loop.is_guarded_update())


def _inductions(loop: Operation) -> Sequence[SSAValue]:
    """The induction variables of a loop, without its carried values."""
    args = loop.regions[0].blocks[0].args
    return {"scf.for": args[:1], "scf.parallel": args}.get(loop.name, ())


def _note(around: Iterable[_Loop], what: str, dependence: int) -> None:
    for loop in around:
        getattr(loop, what).add(dependence)


def _union(sets: Iterable[int]) -> int:
    union = 0
    for each in sets:
        union |= each
    return union
