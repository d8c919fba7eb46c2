"""blockize: a loop with its contents, or several blocks, become the body of a new block.

Before, ``blockize loop=i_i``::

    tir.for %i_o in 4 {
      tir.for %k_o in 2 {
        tir.for %i_i in 4 {
          tir.for %k_i in 8 {
            tir.block "C" (spatial %v_i in 16 = %i_o * 4 + %i_i,
                           reduce %v_k in 16 = %k_o * 8 + %k_i) init { ... } do { ... }

After::

    tir.for %i_o in 4 {
      tir.for %k_o in 2 {
        tir.block "C_o" (spatial %v_i_o in 4 = %i_o, reduce %v_k_o in 2 = %k_o) init {
          tir.for %i_i_init in 4 {
            tir.block "C_init" (spatial %v_i in 16 = %v_i_o * 4 + %i_i_init) do { ... }
          }
        } do {
          tir.for %i_i in 4 {
            tir.for %k_i in 8 {
              tir.block "C" (spatial %v_i in 16 = %v_i_o * 4 + %i_i,
                             reduce %v_k in 16 = %v_k_o * 8 + %k_i) do { ... }

The new block is scheduled as one unit, or replaced by an instruction (``tensorize``). A variable
that only inner loops drive becomes an outer variable of extent 1, unless ``preserve-unit-iters`` is
false. The init of a reduction that continues outside becomes the init of the new block, for the
whole tile; otherwise it stays. Conditions of the predicate move to the block whose variables they
constrain.

``blocks=B,C`` moves adjacent blocks (with the loops that contain only them) into one block, whose
variables are the outer variables that all of them share.

*Legal when*

1. KC3550: either a loop or blocks are named.
2. KC3551: the loop contains one block, and nothing else; each of several blocks is alone in its
   loops.
3. KC3552: each binding divides into an outer and an inner part.
4. KC3553: each condition of the predicate divides in the same way, and keeps no thread away from a
   loop whose iterations it shares with other threads.
5. KC3554: all other values that are used inside follow from the variables of the new block.
6. KC3555: the init of a divided reduction runs once per element, at the start of its loops.
7. KC3556: several blocks are adjacent.
8. KC3557: several blocks have the same outer variables, and no reduction continues outside.

TVM: ``blockize``. Exo: none; Halide's ``compute_at`` with ``hoist`` comes close.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir.affine import AffineConstraintExpr

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.support.diagnostics import ScheduleError
from kc.support.locations import location_of
from kc.transforms.schedule._blocks import describe
from kc.transforms.schedule._buffers import fresh_name
from kc.transforms.schedule.base import (
    CALL_SITE,
    BlockRef,
    Gives,
    LoopRef,
    Primitive,
    Rewritten,
    Site,
)
from kc.transforms.schedule.tensor._blockized import (
    OuterVariable,
    Part,
    Plan,
    build,
    divide,
    in_order_of,
    keys_of,
    listed,
    neighbours,
    outer_variable,
    part_of,
    plan_init,
    same_variables,
    weaken,
)
from kc.transforms.schedule.tensor._subspace import Subspace


@dataclass(frozen=True)
class Blockize(Primitive):
    """Turn a loop with its contents, or several blocks, into one block."""

    name: ClassVar[str] = "blockize"
    gives: ClassVar[Gives] = "block"

    loop: LoopRef | None = field(
        default=None, metadata={"help": "the loop that becomes a block", "python": "target"}
    )
    blocks: tuple[BlockRef, ...] = field(
        default=(), metadata={"help": "the blocks that become one block", "python": "target"}
    )
    preserve_unit_iters: bool = field(
        default=True,
        metadata={"help": "keep an outer variable of extent 1 for each entirely inner variable"},
    )

    def check(self, site: Site) -> Plan:
        if (self.loop is None) == (not self.blocks):
            raise ScheduleError(
                "KC3550",
                "blockize: name a loop or blocks" + ("" if self.loop is None else ", not both"),
                location=CALL_SITE.get() or location_of(site.function),
                hints=["loop=NAME", "blocks=NAME,NAME"],
            )
        if self.loop is not None:
            loop = site.resolve_loop(self.loop)
            return self._plan_loop(site, loop, _only_block(site, loop))
        return self._plan_blocks(site, [site.resolve_block(ref) for ref in self.blocks])

    def _plan_loop(self, site: Site, loop: ForOp, block: BlockOp) -> Plan:
        index = IndexValues()
        around = loop_tree.loops_around(block)
        space = Subspace(block, around[around.index(loop) :], index)
        divisions = divide(site, space)
        variables: list[OuterVariable] = []
        positions: list[int | None] = []
        for kind, name, extent, division in zip(
            block.types, block.names, block.extents, divisions, strict=True
        ):
            if division.outer is None and not self.preserve_unit_iters:
                positions.append(None)
                continue
            positions.append(len(variables))
            variables.append(outer_variable(kind, name, extent, division))
        part, predicate = part_of(site, space, divisions, positions)
        if block.has_init and any(variable.kind is IterType.REDUCE for variable in variables):
            part.init = plan_init(site, part)
        plan = Plan(
            fresh_name(site, f"{block.label}_o"),
            fresh_name(site, f"{block.label}_init"),
            index,
            variables,
            predicate,
            [part],
        )
        if part.init is not None:
            loop_names = [f"{init_loop.label}_init" for init_loop in part.init.loops]
            plan.init_loops = site.fresh_names(loop_names, loop, [])
        return plan

    def _plan_blocks(self, site: Site, blocks: Sequence[BlockOp]) -> Plan:
        index = IndexValues()
        tops = neighbours(site, blocks)
        variables: list[OuterVariable] = []
        parts: list[Part] = []
        predicate: list[AffineConstraintExpr] | None = None
        for top in tops:
            block = top if isinstance(top, BlockOp) else _only_block(site, top)
            around = loop_tree.loops_around(block)
            inside = around[around.index(top) :] if isinstance(top, ForOp) else []
            space = Subspace(block, inside, index)
            divisions = divide(site, space)
            own: list[OuterVariable] = []
            positions: list[int | None] = []
            for kind, name, extent, division in zip(
                block.types, block.names, block.extents, divisions, strict=True
            ):
                if division.outer is None or not any(
                    space.side(root) == "outer" for root in space.roots(division.outer)
                ):
                    positions.append(None)
                    continue
                if kind is IterType.REDUCE:
                    raise site.refuse(
                        "KC3557",
                        f"the reduction of block {block.label} continues outside the new block",
                        at=block,
                        why=f"its variable {name} is bound to loops around all the blocks, and "
                        "several blocks do not form one reduction",
                    )
                positions.append(len(own))
                own.append(outer_variable(kind, name, extent, division))
            if not parts:
                variables = own
            elif not same_variables(own, variables):
                raise site.refuse(
                    "KC3557",
                    f"blocks {parts[0].space.block.label} and {block.label} have "
                    "different variables outside the new block",
                    at=block,
                    mark={parts[0].space.block: listed(variables), block: listed(own)},
                    why="each variable of the new block must be a variable of every block in it",
                )
            part, conditions = part_of(
                site, space, divisions, in_order_of(positions, own, variables)
            )
            if predicate is not None and keys_of(conditions) != keys_of(predicate):
                raise site.refuse(
                    "KC3557",
                    f"blocks {parts[0].space.block.label} and {block.label} run in "
                    "different iterations of the loops around them",
                    at=block,
                    why="the new block can have only one predicate",
                )
            predicate = conditions
            parts.append(part)
        label = "_".join(part.space.block.label for part in parts)
        weaken(variables, tops[0], index)
        return Plan(fresh_name(site, f"{label}_o"), "", index, variables, predicate or [], parts)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            yield cls(LoopRef(loop))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        return Rewritten(blocks=(build(plan),))


def _only_block(site: Site, loop: ForOp) -> BlockOp:
    """The only block in ``loop``. Refuses (KC3551) a loop with other contents."""
    inner = loop_tree.only_child(loop)
    while isinstance(inner, ForOp):
        inner = loop_tree.only_child(inner)
    if isinstance(inner, BlockOp):
        return inner
    holder = loop
    while isinstance(child := loop_tree.only_child(holder), ForOp):
        holder = child
    held = [describe(op) for op in loop_tree.children(holder) if loop_tree.has_work(op)]
    refs = [BlockRef(block) for block in loop_tree.blocks(holder)]
    raise site.refuse(
        "KC3551",
        f"loop {loop.label} must contain one block, and nothing else",
        at=loop,
        why=f"{holder.label} contains {' and '.join(held) or 'nothing'}",
        hints=[f"blocks={','.join(map(str, refs))}"] if len(refs) > 1 else [],
    )
