"""rfactor: a loop of a reduction becomes spatial: partial results, and a reduction of these.

Before, ``rfactor block=C loop=k_o``::

    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.for %k_i in 8 {
          tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 32 = %k_o * 8 + %k_i)
              init { %C[%v_i] = %x } do { %C[%v_i] += %A[%v_i, %v_k] }

After::

    %C_rf = tir.alloc "C_rf" : memref<4x16xf32>
    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.for %k_i in 8 {
          tir.block "C_rf" (spatial %v_k_o in 4 = %k_o, spatial %v_i in 16 = %i,
                            reduce %v_k_i in 8 = %k_i)
              init { %C_rf[%v_k_o, %v_i] = 0 }
              do { %C_rf[%v_k_o, %v_i] += %A[%v_i, %v_k_o * 8 + %v_k_i] }
    tir.for %i in 16 {
      tir.for %k_o in 4 {
        tir.block "C" (reduce %v_k_o in 4 = %k_o, spatial %v_i in 16 = %i)
            init { %C[%v_i] = %x } do { %C[%v_i] += %C_rf[%v_k_o, %v_i] }

The partial results start from the neutral element of the combiner, so the init may be anything.
``factor-axis`` is the dimension of the new buffer that stands for the loop. The sum of floats is
taken in another order, which a reduction allows by declaration.

*Legal when*

1. KC3010, KC3011: the loop is serial and carries no annotation.
2. KC3330: the loop is around one block, and so are the loops of the block around it.
3. KC3200, KC3331: the block is a reduction with a commutative combiner, and its init.
4. KC3332: the loop drives reduce variables only, and each other one either spatial or reduce ones.
5. KC3333: all reduce loops are among those that hold only the block.
6. KC3334: the init runs exactly where all reduce loops are at 0.
7. KC3335: the factor axis is a dimension of the new buffer.
8. KC3336: a predicate about the reduction leaves the first iterations in.
9. KC3337: sizes and what the init uses are known outside the loops.

TVM, Halide: ``rfactor``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.ir import SSAValue

from kc.analysis import loop_tree
from kc.analysis.index_facts import forced_to_zero
from kc.analysis.index_values import IndexValues, dimensions, substitute
from kc.analysis.instances import Instance, Space
from kc.analysis.loop_tree import buffer_name
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import BlockOp, ForOp, IterType
from kc.transforms.schedule._blocks import Definition, describe, is_available, require_definition
from kc.transforms.schedule._buffers import fresh_name
from kc.transforms.schedule._partial import Factoring, build_partial
from kc.transforms.schedule._sizes import sizes_of
from kc.transforms.schedule.base import (
    LoopRef,
    Primitive,
    Rewritten,
    Site,
    require_serial,
)


@dataclass(frozen=True)
class Rfactor(Primitive):
    """Make a loop of a reduction spatial: partial results, and a reduction of these."""

    name: ClassVar[str] = "rfactor"

    loop: LoopRef = field(metadata={"help": "the loop of the reduction"})
    factor_axis: int = field(
        default=0, metadata={"help": "the dimension of the new buffer for the loop, -1 for the last"}
    )

    def check(self, site: Site) -> Factoring:
        loop = site.resolve_loop(self.loop)
        require_serial(site, "rfactor", loop)
        block, chain = _own_nest(site, loop)
        made = require_definition(site, "rfactor", block)
        if not block.is_reduction:
            raise site.refuse(
                "KC3331",
                f"rfactor: block {block.label} is not a reduction",
                at=block,
                mark={loop: "the loop", block: "the block"},
                why="it has no reduce variable, so there are no partial results",
            )
        nest = _Nest(site, loop, made, chain)
        nest.check()
        rank = len(sizes_of(site, made.buffer))
        if not -rank - 1 <= self.factor_axis <= rank:
            raise site.refuse(
                "KC3335",
                f"rfactor: factor_axis {self.factor_axis} for block {block.label}",
                at=block,
                why=f"{buffer_name(made.buffer)} has {rank} dimensions, the new buffer one more",
                hints=[f"factor-axis={n}" for n in range(rank + 1)],
            )
        return Factoring(
            loop=loop,
            made=made,
            chain=chain,
            reduce_loops=nest.reduce_loops,
            index=nest.index,
            axis=self.factor_axis % (rank + 1),
            block_name=fresh_name(site, f"{block.label}_rf"),
            buffer_name=fresh_name(site, f"{buffer_name(made.buffer)}_rf"),
        )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            for loop in loop_tree.loops_around(block):
                if IterType.REDUCE in loop_tree.iter_types(loop, block):
                    yield cls(LoopRef(loop))

    def rewrite(self, site: Site, plan: Factoring) -> Rewritten:
        return Rewritten(blocks=(build_partial(site, plan),))


def _own_nest(site: Site, loop: ForOp) -> tuple[BlockOp, list[ForOp]]:
    """The one block in ``loop``, and the loops that hold nothing but it, outermost first."""
    inner = loop_tree.only_child(loop)
    while isinstance(inner, ForOp):
        inner = loop_tree.only_child(inner)
    if not isinstance(inner, BlockOp):
        held = [
            describe(one)
            for one in loop_tree.children(loop)
            if loop_tree.has_work(one) and not isinstance(one, ForOp)
        ]
        raise site.refuse(
            "KC3330",
            f"rfactor: loop {loop.label} holds more, or something else, than one block",
            at=loop,
            why=f"it holds {' and '.join(held)}" if held else "partial results are those of a block",
        )
    chain: list[ForOp] = []
    parent = inner.parent_op()
    while isinstance(parent, ForOp) and loop_tree.only_child(parent) is not None:
        chain.append(parent)
        parent = parent.parent_op()
    return inner, chain[::-1]


@dataclass
class _Nest:
    """The nest of a reduction, seen from one of its loops."""

    site: Site
    loop: ForOp
    made: Definition
    chain: list[ForOp]

    def __post_init__(self) -> None:
        block = self.made.block
        self.block = block
        self.index = IndexValues()
        self.exprs = [
            self.index.compose(one, block.binding_operands) for one in block.binding_exprs
        ]
        self.drives: dict[SSAValue, set[IterType]] = {}
        for expr, kind in zip(self.exprs, block.types, strict=True):
            for dim in dimensions(expr):
                value = self.index.roots[dim]
                if value is not None:
                    self.drives.setdefault(value, set()).add(kind)
        around = loop_tree.loops_around(block)
        self.reduce_loops = [
            one for one in around if IterType.REDUCE in self.drives.get(one.var, ())
        ]

    def check(self) -> None:
        """Refuse what is not legal."""
        self._require_known()
        self._require_kinds()
        self._require_init_at_zero()
        self._require_predicate()

    def _refuse(self, code: str, message: str, why: str, *hints: str) -> Exception:
        return self.site.refuse(
            code,
            f"rfactor: {message}",
            at=self.loop,
            mark={self.loop: "the loop", self.block: "the block"},
            why=why,
            hints=hints,
        )

    def _require_known(self) -> None:
        top = self.chain[0]
        used = [one.dynamic_extent for one in self.chain if one.dynamic_extent is not None]
        block = self.block
        used += [
            one
            for region in block.regions
            for body in region.blocks
            for op in body.ops
            for one in (op.operands if region is block.init else [])
            if one.owner is not body and not loop_tree.defined_inside(one, block)
        ]
        used += [
            one for one in self.made.store.operands_of_map if one.owner is not block.body.block
        ]
        roots = [self.index.expr(one) for one in block.predicate_operands]
        seen = dict.fromkeys(dim for expr in (*self.exprs, *roots) for dim in dimensions(expr))
        variables = {one.var for one in self.chain}
        for dim in seen:
            value = self.index.roots[dim]
            if value is not None and value not in variables:
                used.append(value)
        for value in used:
            if not is_available(value, top):
                name = value.name_hint or "a value"
                raise self._refuse(
                    "KC3337",
                    f"{name} is not known outside of the loops of block {block.label}",
                    "the reduction of the partial results has loops of its own, and needs it",
                )

    def _require_kinds(self) -> None:
        label, block = self.loop.label, self.block
        spatial = [
            one.label
            for one in self.chain
            if IterType.SPATIAL in self.drives.get(one.var, ())
        ]
        reduce = [one.label for one in self.reduce_loops]
        for one in self.chain:
            drives = self.drives.get(one.var, set())
            if one is self.loop and drives == {IterType.SPATIAL}:
                raise self._refuse(
                    "KC3332",
                    f"loop {label} is not a loop of the reduction {block.label}",
                    f"it drives spatial variables; {', '.join(reduce)} reduce",
                    *[f"loop={name}" for name in reduce],
                )
            if len(drives) > 1:
                raise self._refuse(
                    "KC3332",
                    f"loop {one.label} drives spatial and reduce variables of {block.label}",
                    "its iterations cannot be told apart into elements and partial results",
                    "rfactor before fuse",
                )
            if not drives and one.static_extent != 1:
                raise self._refuse(
                    "KC3332",
                    f"loop {one.label} drives no variable of {block.label}",
                    "its iterations repeat the same",
                    *([f"loop={name}" for name in reduce] if one is self.loop else []),
                )
        del spatial
        outside = [one for one in self.reduce_loops if one not in self.chain]
        if outside:
            raise self._refuse(
                "KC3333",
                f"{block.label} is reduced over {outside[0].label} too, which holds more than it",
                f"the partial results of one iteration of {outside[0].label} are not all there are",
            )
