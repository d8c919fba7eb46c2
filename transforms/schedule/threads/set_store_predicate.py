"""set_store_predicate: only some of the threads with the same values store the values.

Before, ``set-store-predicate block=C condition="threadIdx.x == 0"``::

    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v_i in 16 = %i) do { %C[%v_i] = %x }

After::

    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v_i in 16 = %i) where (%t == 0) do { %C[%v_i] = %x }

The condition is a conjunction (``and``) of affine comparisons of thread axes and of loops around
the block. If a reduction combines the values of threads, or if the block is outside the loops of an
axis of its kernel, a store happens once; the annotation ``store_predicate`` of the block specifies
the storing thread for the lowering.

*Legal when*

1. KC3420: it is a condition on loops around the block and axes of its kernel.
2. KC3421: a value that a thread no longer stores is stored by another thread, at the same time, to
   the same memory. Virtual threads do not count, since a CPU runs them one after another.

TVM: ``set_store_predicate``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space, Supply
from kc.analysis.accesses.regions import buffers_written
from kc.analysis.affine.terms import Term
from kc.analysis.loop_tree import all_loops_around, memory_scope
from kc.dialects.affine_assembly import ZERO, at_least_zero
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.dialects.tir.threads import (
    BLOCK_AXES,
    THREAD_AXES,
    VIRTUAL_AXES,
    is_in_lockstep,
    is_shared,
)
from kc.support.diagnostics import suggest
from kc.transforms.affine_rewrite import set_block_spaces
from kc.transforms.schedule._blocks import captured
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site
from kc.transforms.schedule.placing._placing import old_values

_NAME = re.compile(r"(?:blockIdx|threadIdx|vthread)\.[xyz]|[A-Za-z_]\w*")
_COMPARISON = re.compile(r"==|<=|>=|<|>")
_WORDS = ("floordiv", "ceildiv", "mod")


@dataclass(frozen=True)
class Comparison:
    """A comparison: a constraint over ``names``, and its text."""

    constraint: AffineConstraintExpr
    names: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Plan:
    """The new conditions of the predicate, over the variables of loops, and the annotation."""

    block: BlockOp
    guards: Sequence[tuple[AffineConstraintExpr, Sequence[SSAValue]]]
    note: str


@dataclass(frozen=True)
class SetStorePredicate(Primitive):
    """Restrict the stores of a block to the threads for which a condition holds."""

    name: ClassVar[str] = "set-store-predicate"

    block: BlockRef = field(metadata={"help": "the block that stores"})
    condition: str = field(
        metadata={"help": "a condition on thread axes and loops around it, as in threadIdx.x == 0"}
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        around = {loop.label: loop for loop in all_loops_around(block)}
        around |= {loop.axis: loop for loop in around.values() if loop.axis is not None}
        once = _axes_done_once(block)
        guards: list[tuple[AffineConstraintExpr, list[ForOp]]] = []
        notes: list[Comparison] = []
        for comparison in self._comparisons(site, block, [*around, *once]):
            if comparison.names and all(name in once for name in comparison.names):
                notes.append(comparison)
            elif outside := [name for name in comparison.names if name not in around]:
                why = f"block {block.label} is in no loop of {outside[0]}, and stores once along it"
                hints = [f"compare {outside[0]} with a number, as in {outside[0]} == 0"]
                raise self._no_condition(site, block, why, hints)
            else:
                guards.append((comparison.constraint, [around[name] for name in comparison.names]))
        if notes:
            self._require_some_thread(site, block, notes, once)
        if guards:
            self._require_stored(site, block, guards)
        vars_ = [(constraint, [loop.var for loop in loops]) for constraint, loops in guards]
        return Plan(block, vars_, " and ".join(note.text for note in notes))

    def _comparisons(
        self, site: Site, block: BlockOp, axis_names: list[str]
    ) -> Iterator[Comparison]:
        example = [f"{name} == 0" for name in axis_names if name in THREAD_AXES][:1]
        for part in re.split(r"\band\b|&&", self.condition):
            names = tuple(dict.fromkeys(name for name in _NAME.findall(part) if name not in _WORDS))
            unknown = [name for name in names if name not in axis_names]
            if unknown:
                why = f"there is no loop {unknown[0]} around block {block.label}"
                if unknown[0] in THREAD_AXES:
                    why = f"there is no {unknown[0]} in the kernel of block {block.label}"
                hints = suggest(unknown[0], axis_names, "there are")
                raise self._no_condition(site, block, why, hints)
            sides = _COMPARISON.split(part)
            sign = _COMPARISON.search(part)
            if sign is None or len(sides) != 2:
                why = f"'{part.strip()}' is not a single comparison"
                raise self._no_condition(site, block, why, example)
            try:
                lhs, rhs = (_affine(side, names) for side in sides)
            except ValueError as error:
                raise self._no_condition(site, block, str(error), example) from None
            yield Comparison(_constraint(lhs, sign[0], rhs), names, part.strip())

    def _no_condition(self, site: Site, block: BlockOp, why: str, hints: list[str]) -> Exception:
        return site.refuse(
            "KC3420",
            f"'{self.condition}' is not a condition of block {block.label}",
            at=block,
            why=why,
            hints=hints,
        )

    def _require_some_thread(
        self, site: Site, block: BlockOp, notes: list[Comparison], once: dict[str, ForOp]
    ) -> None:
        """Refuse (KC3421) a condition that no thread meets."""
        space = Space()
        axes = dict.fromkeys(name for note in notes for name in note.names)
        thread = space.place(site.function.body.block.first_op or block)
        numbers: dict[str, Term] = {}
        for name in axes:
            dim = numbers[name] = space.dim(thread)
            end = space.size(once[name].extent_value, thread)
            thread.constraints.append(dim.within(end))
            if once[name].static_extent is None:
                space.facts.append(end >= 1)
        for note in notes:
            for value, name in zip(_stand_ins(once, note.names), note.names, strict=True):
                thread.values[value] = numbers[name]
            condition = AffineSet(len(note.names), 0, (note.constraint,))
            thread.constraints.append(
                space.condition(condition, _stand_ins(once, note.names), thread)
            )
        if space.find([thread], []) is None:
            raise site.refuse(
                "KC3421",
                f"with '{self.condition}' block {block.label} stores nothing",
                at=block,
                why="no thread meets the condition",
            )

    def _require_stored(
        self,
        site: Site,
        block: BlockOp,
        guards: list[tuple[AffineConstraintExpr, list[ForOp]]],
    ) -> None:
        """Refuse (KC3421) unless another thread runs each instance that the condition
        leaves out.
        """
        waiting = [
            loop
            for loop in all_loops_around(block)
            if _waits(loop)
            and all(is_shared(memory_scope(buffer), loop.axis) for buffer in buffers_written(block))
        ]
        varying = set().union(*(loop_tree.derived_values(loop.var) for loop in waiting))
        differs = next((value for value in captured(block) if value in varying), None)
        space = Space()
        before = space.instance(block)
        shared = {loop: dim for loop, dim in before.loops.items() if loop not in waiting}
        after = space.instance(block, before.loops if differs is not None else shared)
        holds = [
            space.condition(
                AffineSet(len(loops), 0, (constraint,)), [loop.var for loop in loops], after
            )
            for constraint, loops in guards
        ]
        witness = space.uncovered(
            before, old_values(before, block), [Supply(after, old_values(after, block), holds)]
        )
        if witness is None:
            return
        at = ", ".join(
            f"{name}={value}" for name, value in zip(block.names, witness.element, strict=False)
        )
        raise site.refuse(
            "KC3421",
            f"with '{self.condition}' block {block.label} "
            + ("may not" if witness.undecided else "does not")
            + " store all of its present elements",
            at=block,
            why=witness.undecided or f"no thread would do its work for {at}{before.at(witness)}",
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        """Conditions for the first thread of each axis."""
        for block in loop_tree.blocks(site.function):
            around = [loop.axis for loop in all_loops_around(block) if _waits(loop)]
            for axis in dict.fromkeys([*around, *_axes_done_once(block)]):
                if axis is None:
                    continue
                yield cls(BlockRef(block), f"{axis} == 0")

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block = plan.block
        if plan.note:
            old = block.annotations.data if block.annotations is not None else {}
            block.annotations = DictionaryAttr({**old, "store_predicate": StringAttr(plan.note)})
        constraints = list(block.predicate.data.constraints)
        operands = list(block.predicate_operands)
        for constraint, values in plan.guards:
            dims = [AffineExpr.dimension(len(operands) + n) for n in range(len(values))]
            lhs = constraint.lhs.replace_dims_and_symbols(dims, [])
            constraints.append(AffineConstraintExpr(constraint.kind, lhs, ZERO))
            operands += values
        if plan.guards:
            predicate = AffineSet(len(operands), 0, tuple(constraints))
            set_block_spaces(block, predicate=(predicate, operands))
        return Rewritten()


def _affine(text: str, names: tuple[str, ...]) -> AffineExpr:
    """One side of a comparison. Raises ValueError if it is not affine."""
    numbers = {name: f"n{n}" for n, name in enumerate(names)}
    body = _NAME.sub(lambda match: numbers.get(match[0], match[0]), text)
    results = IndexMap.from_option(f"({', '.join(numbers.values())})->({body})").results
    if len(results) != 1:
        raise ValueError(f"'{text.strip()}' is not one side of a comparison")
    return results[0]


def _constraint(lhs: AffineExpr, sign: str, rhs: AffineExpr) -> AffineConstraintExpr:
    if sign == "==":
        return AffineConstraintExpr(AffineConstraintKind.eq, lhs - rhs, ZERO)
    if sign[0] == "<":
        lhs, rhs = rhs, lhs
    return at_least_zero(lhs - rhs if len(sign) == 2 else lhs - rhs - 1)


def _waits(loop: ForOp) -> bool:
    """True if the iterations of ``loop`` are threads that wait for each other on every target."""
    return is_in_lockstep(loop.axis) and loop.axis not in VIRTUAL_AXES


def _axes_done_once(block: BlockOp) -> dict[str, ForOp]:
    """The axes of the kernel along which the block stores once, each with a loop."""
    threads = [loop for loop in all_loops_around(block) if loop.axis is not None]
    if not threads:
        return {}
    axes: dict[str, ForOp] = {}
    for loop in loop_tree.loops(threads[0]):
        axis = loop.axis
        if axis is None or axis in BLOCK_AXES:
            continue
        mine = [loop for loop in threads if loop.axis == axis]
        if not mine or any(IterType.REDUCE in loop_tree.iter_types(loop, block) for loop in mine):
            axes.setdefault(axis, loop)
    return axes


def _stand_ins(once: dict[str, ForOp], names: tuple[str, ...]) -> list[SSAValue]:
    return [once[name].var for name in names]
