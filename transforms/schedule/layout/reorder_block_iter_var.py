"""reorder_block_iter_var: the iteration variables of a block get another order.

Before, ``reorder-block-iter-var block=C order=1,0``::

    tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 4 = %j) do { ... }

After::

    tir.block "C" (spatial %v_j in 4 = %j, spatial %v_i in 8 = %i) do { ... }

The loops and the work of the block do not change. The order affects the loops that compute_at
creates, and the variables that tensorize matches.

*Legal when*

1. KC3350: the order names the position of each variable exactly once.

TVM: ``reorder_block_iter_var``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, i64
from xdsl.ir.affine import AffineMap

from kc.analysis import loop_tree
from kc.dialects.tir import INDEX, BlockOp
from kc.transforms.affine_rewrite import compact, set_block_spaces
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site


@dataclass(frozen=True)
class ReorderBlockIterVar(Primitive):
    """Reorder the iteration variables of a block."""

    name: ClassVar[str] = "reorder-block-iter-var"

    block: BlockRef = field(metadata={"help": "the block"})
    order: tuple[int, ...] = field(
        metadata={
            "help": "the old positions of the variables, in their new order",
            "python": "new_order",
        }
    )

    def check(self, site: Site) -> BlockOp:
        block = site.resolve_block(self.block)
        count = len(block.types)
        if sorted(self.order) != list(range(count)):
            raise site.refuse(
                "KC3350",
                f"order {','.join(map(str, self.order)) or '(none)'} for block {block.label}",
                at=block,
                why=f"it has {count} variables ({', '.join(block.names)}); each of them must be "
                "given once by its position",
                hints=[f"order={','.join(map(str, reversed(range(count))))}"] if count else [],
            )
        return block

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            count = len(block.types)
            for n in range(count - 1):
                order = list(range(count))
                order[n : n + 2] = n + 1, n
                yield cls(BlockRef(block), tuple(order))

    def rewrite(self, site: Site, plan: BlockOp) -> Rewritten:
        extents, exprs = plan.extents, plan.binding_exprs
        sizes = list(plan.static_extents.iter_values())
        for region in plan.regions:
            for body in region.blocks:
                old = list(body.args)
                for n in self.order:
                    new = body.insert_arg(INDEX, len(body.args))
                    new.name_hint = old[n].name_hint
                    old[n].replace_all_uses_with(new)
                for arg in old:
                    body.erase_arg(arg)
        plan.properties["iter_types"] = ArrayAttr([plan.iter_types.data[n] for n in self.order])
        plan.properties["iter_names"] = ArrayAttr([plan.iter_names.data[n] for n in self.order])
        plan.properties["static_extents"] = DenseArrayBase.from_list(
            i64, [int(sizes[n]) for n in self.order]
        )
        operands = list(plan.binding_operands)
        map_ = AffineMap(len(operands), 0, tuple(exprs[n] for n in self.order))
        dynamic = [extents[n] for n in self.order]
        set_block_spaces(
            plan,
            bindings=compact(map_, operands),
            extents=[extent for extent in dynamic if not isinstance(extent, int)],
        )
        return Rewritten()
