"""Loops that LLVM's instcombine may take a store out of by mistake (docs/upstream.md).

::

    scf.for %i = ... {
      memref.store %zero, %C[%i]
      scf.for %k = ... {
        %first = arith.cmpi eq, %i, %c0
        scf.if %first { ... memref.store %sum, %C[%i] ... }
      }
      llvm.call_intrinsic "llvm.sideeffect"() : () -> ()     // inserted here

A guard that ``%i`` decides lets earlier passes find out that there is a next iteration, and branch
from the end of the inner loop straight to the start of that. Of the two stores to what is one SSA
value, instcombine then makes one, although the value is another address in each iteration. It does
not where anything may access memory on the way, and ``llvm.sideeffect`` is what may and does not:
no machine has an instruction for it.
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
    """For each branch in the loop, the loops on which its condition depends, as bits."""
    addresses: set[int] = field(default_factory=set)
    """For the address of each store, the loops on which it depends, as bits."""

    def is_guarded_update(self) -> bool:
        """True if it stores to an address that is the same in all its iterations but differs
        between iterations of a surrounding loop, on which a branch depends as well.
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
        # What comes out of regions and along branches may have been chosen by anything in a loop.
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
