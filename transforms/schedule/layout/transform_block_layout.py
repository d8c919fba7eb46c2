"""transform_block_layout: a block and its loops iterate over the results of an index map.

Before, ``transform-block-layout block=B index-map=(i, j)->(i * 8 + j)``::

    tir.for %i in 16 {
      tir.for %j in 8 {
        tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
          %a = tir.load %A[%v_i, %v_j]

After::

    tir.for %ax0 in 128 {
      tir.block "B" (spatial %v_ax0 in 128 = %ax0) do {
        %a = tir.load %A[%v_ax0 floordiv 8, %v_ax0 mod 8]

The map takes the variables of the block, in their order. Each result is a new variable, with a new
loop around the block, in this order; buffers do not change (``transform_layout`` changes buffers).
A predicate is transformed with them.

*Legal when*

1. KC3501: the map takes as many indices as the block has variables.
2. KC3520, KC3010, KC3011: each variable is bound to a separate loop with the same extent; these are
   the innermost loops around the block, contain nothing else, and are serial and not annotated.
3. KC3503, KC3521: the map is one-to-one from the variables to a box that starts at 0.
4. KC3522: each result depends on variables of one type only, which is its type: spatial, reduce or
   opaque.
5. KC3523: no dependence is reversed by the new order.

TVM: ``transform_block_layout``. Halide: ``split``, ``fuse`` and ``reorder`` of ``Var``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, StringAttr, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import retime_conflict
from kc.analysis.accesses.simple_nest import simple_nest
from kc.analysis.affine.affine_relations import Box, collision, extent, inverse, missed, outside
from kc.analysis.affine.index_values import substitute
from kc.analysis.trust import Undecided
from kc.dialects.tir import DYNAMIC, INDEX, BlockOp, ForOp, IterType, IterTypeAttr, LoadOp, StoreOp
from kc.transforms.affine_rewrite import replace_with_expr, set_block_spaces
from kc.transforms.schedule._blocks import own_loops
from kc.transforms.schedule._index_map import IndexMap, depends_on
from kc.transforms.schedule._sizes import Shape, realize_size, shape_from
from kc.transforms.schedule.base import BlockRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.layout._layouts import (
    point_text,
    require_rank,
    simplify_access,
)


@dataclass(frozen=True)
class Plan:
    """The loop of each variable; the new variables; and the old variables in terms of the new
    ones.
    """

    block: BlockOp
    loops: list[ForOp]
    sizes: Shape
    types: list[IterType]
    inverse: list[AffineExpr]
    """The inverse for each variable, over the new variables."""


@dataclass(frozen=True)
class TransformBlockLayout(Primitive):
    """Iterate a block and its loops over the results of an index map."""

    name: ClassVar[str] = "transform-block-layout"
    verb = "became part of"

    block: BlockRef = field(metadata={"help": "the block"})
    index_map: IndexMap = field(
        metadata={
            "help": "the new variables in terms of the old: (i, j)->(i * 8 + j)",
            "also": {"map": "*"},
        }
    )

    def check(self, site: Site) -> Plan:
        block = site.resolve_block(self.block)
        map_ = self.index_map
        count = len(block.types)
        require_rank(
            site,
            block,
            map_,
            count,
            f"block {block.label} has the variables {', '.join(block.names) or '(none)'}",
        )
        by_variable = self._loops(site, block)
        types = self._types(site, block)
        old = shape_from(site, block.extents)
        sizes = self._box(site, block, old)
        back = self._inverse(site, block, old, types)
        self._require_order(site, block, by_variable, types)
        return Plan(block, by_variable, sizes, types, back)

    def _loops(self, site: Site, block: BlockOp) -> list[ForOp]:
        """The loop of each variable."""
        count = len(block.types)
        nest = own_loops(block)
        inner = nest[len(nest) - count :] if 0 < count <= len(nest) else []
        variables: dict[SSAValue, ForOp] = {loop.var: loop for loop in inner}
        loops: list[ForOp] = []
        why = None if count else f"block {block.label} has no variables"
        for name, expr, size in zip(block.names, block.binding_exprs, block.extents, strict=True):
            is_dim = isinstance(expr, AffineDimExpr)
            value = block.binding_operands[expr.position] if is_dim else None
            loop = variables.get(value) if value is not None else None
            if loop is None or loop in loops:
                why = f"{name} is not bound to a separate loop among the {count} around the block"
            elif loop.extent_value != size and loop.extent_value is not size:
                why = f"{name} and its loop {loop.label} have different extents"
            elif not isinstance(size, int) and loop_tree.defined_inside(size, inner[0]):
                why = f"the extent of {name} is computed inside {inner[0].label}"
            else:
                loops.append(loop)
                continue
            break
        if why is not None:
            raise site.refuse(
                "KC3520",
                f"block {block.label} does not have a separate loop for each variable",
                at=block,
                why=why,
                hints=["transform_block_layout before split, fuse and compute_at"] if count else [],
            )
        for loop in loops:
            require_serial(site, loop)
        return loops

    def _types(self, site: Site, block: BlockOp) -> list[IterType]:
        new_types: list[IterType] = []
        for n, expr in enumerate(self.index_map.results):
            types = {block.types[dim] for dim in depends_on(expr)}
            if len(types) > 1:
                dims = sorted(depends_on(expr))
                used = [f"{block.names[k]} ({block.types[k].value})" for k in dims]
                raise site.refuse(
                    "KC3522",
                    f"result {n} of {self.index_map} mixes types of variables",
                    at=block,
                    why=f"it depends on {', '.join(used)}: an instance could neither run in any "
                    "order nor be an update",
                    hints=["fuse spatial variables with spatial ones, reduce with reduce"],
                )
            new_types.append(types.pop() if types else IterType.SPATIAL)
        if block.has_init and IterType.REDUCE not in new_types:
            raise site.refuse(
                "KC3522",
                f"no result of {self.index_map} is a reduce variable",
                at=block,
                why=f"block {block.label} initialises where its reduce variables are 0",
                hints=["keep a reduce variable of extent 1"],
            )
        return new_types

    def _box(self, site: Site, block: BlockOp, old: Shape) -> Shape:
        """The extents of the new variables."""
        map_ = self.index_map
        sizes = Shape(tuple(extent(expr, old.box) for expr in map_.results), old.parameters)
        left = outside(map_.results, old.box, sizes.sizes)
        if left is not None:
            raise site.refuse(
                "KC3503",
                f"{map_} maps block {block.label} to iterations outside any loop",
                at=block,
                why=left.reason
                if isinstance(left, Undecided)
                else f"{point_text(left[0])}{old.at(left[1])} would be "
                f"{point_text([expr.eval(left[0], ()) for expr in map_.results])}",
                hints=["add an offset that makes the smallest index 0"],
            )
        clash = collision(map_.results, old.box)
        if clash is not None:
            raise self._not_bijective(
                site,
                block,
                clash.reason
                if isinstance(clash, Undecided)
                else f"iterations {point_text(clash.first)} and {point_text(clash.second)}"
                f"{old.at(clash.parameters)} would both be {point_text(clash.place)}",
            )
        hole = missed(map_.results, old.box, sizes.sizes)
        if hole is not None:
            raise self._not_bijective(
                site,
                block,
                hole.reason
                if isinstance(hole, Undecided)
                else "no iteration of the block would be mapped to "
                f"{point_text(hole[0])}{old.at(hole[1])}",
            )
        return sizes

    def _not_bijective(self, site: Site, block: BlockOp, why: str) -> Exception:
        return site.refuse(
            "KC3521",
            f"{self.index_map} is not one-to-one on block {block.label}",
            at=block,
            why=why,
            hints=["use factors that divide the extents", "split the loops, which handles tails"],
        )

    def _inverse(
        self, site: Site, block: BlockOp, old: Shape, types: Sequence[IterType]
    ) -> list[AffineExpr]:
        """The old variables, each over the new variables of its type."""
        map_ = self.index_map
        inverted: list[AffineExpr] = [AffineExpr.constant(0)] * len(block.types)
        for type_ in dict.fromkeys(block.types):
            dims = [n for n, kind in enumerate(block.types) if kind is type_]
            results = [n for n, kind in enumerate(types) if kind is type_]
            inner = {dim: AffineExpr.dimension(k) for k, dim in enumerate(dims)}
            exprs = [substitute(map_.results[n], inner) for n in results]
            box = Box(tuple(old.sizes[n] for n in dims), len(old.parameters))
            back = inverse(exprs, box)
            outer = {k: AffineExpr.dimension(n) for k, n in enumerate(results)}
            if back is None or any(
                max(depends_on(expr), default=-1) >= len(results) for expr in back
            ):
                raise self._not_bijective(site, block, "its inverse is not a single affine map")
            for dim, expr in zip(dims, back, strict=True):
                inverted[dim] = substitute(expr, outer)
        return inverted

    def _require_order(
        self, site: Site, block: BlockOp, loops: Sequence[ForOp], types: Sequence[IterType]
    ) -> None:
        chain = _outermost_first(loops)
        position = {n: AffineExpr.dimension(chain.index(loop)) for n, loop in enumerate(loops)}
        times = [substitute(expr, position) for expr in self.index_map.results]
        conflict = retime_conflict(chain, times)
        if conflict is not None:
            raise site.refuse(
                "KC3523",
                f"the order of {self.index_map} "
                + ("cannot be proven to keep" if conflict.undecided else "changes")
                + " the result",
                at=block,
                why=conflict.explain(),
            )
        start = [expr.eval([0] * len(loops), ()) for expr in self.index_map.results]
        moved = [start[n] for n, kind in enumerate(types) if kind is IterType.REDUCE]
        if block.has_init and any(moved) and simple_nest(chain[0]) is None:
            raise site.refuse(
                "KC3523",
                f"the order of {self.index_map} moves the start of the reduction",
                at=block,
                why=f"where its reduce variables are 0, block {block.label} initialises, and "
                "something other than its updates may see that",
            )

    @classmethod
    def indices(cls, site: Site, options: Mapping[str, Any]) -> int:
        return len(site.resolve_block(options["block"]).types)

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for block in loop_tree.blocks(site.function):
            dims = [AffineExpr.dimension(n) for n in range(len(block.types))]
            names = tuple(block.names)
            if len(dims) > 1:
                yield cls(BlockRef(block), IndexMap(names, tuple(reversed(dims))))
            for n, size in enumerate(block.extents):
                if isinstance(size, int) and size > 2 and size % 2 == 0:
                    parts = (*dims[:n], dims[n] // 2, dims[n] % 2, *dims[n + 1 :])
                    yield cls(BlockRef(block), IndexMap(names, parts))
                if n and isinstance(size, int) and block.types[n] is block.types[n - 1]:
                    fused = dims[n - 1] * size + dims[n]
                    yield cls(
                        BlockRef(block), IndexMap(names, (*dims[: n - 1], fused, *dims[n + 1 :]))
                    )

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        block, old = plan.block, _outermost_first(plan.loops)
        top = old[0]
        point = InsertPoint.before(top)
        sizes = [realize_size(site, size, plan.sizes, point, block) for size in plan.sizes.sizes]
        labels = site.fresh_names([f"ax{n}" for n in range(len(sizes))], top, old)
        loops = [ForOp(label, size) for label, size in zip(labels, sizes, strict=True)]
        # The contents of the old loops (the block and index arithmetic) move into the innermost
        # loop.
        inside = [op for loop in old for op in loop.body.block.ops if op not in old]
        for op in inside:
            op.detach()
        for loop in loops:
            loop.location = top.location
        for outer, nested in zip(loops, loops[1:], strict=False):
            outer.body.block.add_op(nested)
        home = top.parent
        assert home is not None
        if loops:
            loops[-1].body.block.add_ops(inside)
            home.insert_op_before(loops[0], top)
        else:
            home.insert_ops_before(inside, top)
        variables = [loop.var for loop in loops]
        for loop, expr in zip(plan.loops, plan.inverse, strict=True):
            replace_with_expr(loop.var, expr, variables, InsertPoint.before(inside[0]))
        _set_variables(plan, [f"v_{label}" for label in labels], sizes, variables)
        top.detach()
        top.erase()
        return Rewritten(tuple(loops), {loop: tuple(loops) for loop in old})


def _outermost_first(loops: Sequence[ForOp]) -> list[ForOp]:
    return sorted(loops, key=lambda loop: len(loop_tree.loops_around(loop)))


def _set_variables(
    plan: Plan, names: Sequence[str], sizes: Sequence[int | SSAValue], values: Sequence[SSAValue]
) -> None:
    """Set the new variables of the block, bound to ``values``."""
    block = plan.block
    for region in block.regions:
        for body in region.blocks:
            old = list(body.args)
            new = [body.insert_arg(INDEX, len(body.args)) for _ in names]
            for arg, name in zip(new, names, strict=True):
                arg.name_hint = name
            for arg, expr in zip(old, plan.inverse, strict=True):
                replace_with_expr(arg, expr, new, InsertPoint.at_start(body))
                body.erase_arg(arg)
    block.properties["iter_types"] = ArrayAttr([IterTypeAttr(kind) for kind in plan.types])
    block.properties["iter_names"] = ArrayAttr([StringAttr(name) for name in names])
    block.properties["static_extents"] = DenseArrayBase.from_list(
        i64, [size if isinstance(size, int) else DYNAMIC for size in sizes]
    )
    set_block_spaces(
        block,
        bindings=(AffineMap.identity(len(values)), values),
        extents=[size for size in sizes if not isinstance(size, int)],
    )
    for op in block.walk():
        if isinstance(op, LoadOp | StoreOp):
            simplify_access(op)
