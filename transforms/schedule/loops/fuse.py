"""fuse: nested loops become one loop over all their iterations, in the same order.

Before, ``fuse block=C loops=i,j``::

    tir.for %i in 16 {
      tir.for %j in 32 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j) do { ... }

After::

    tir.for %i_j_fused in 512 {
      tir.block "C" (spatial %v_i in 16 = %i_j_fused floordiv 32,
                     spatial %v_j in 32 = %i_j_fused mod 32) do { ... }

*Legal when*

1. KC3010, KC3011: the loops are serial and carry no annotation.
2. KC3033: there are at least two loops, named from the outside in, each directly inside the one
   before.
3. KC3032: each loop is the only child of the loop around it. Guards (``tir.if`` without an else)
   between the loops move inside: into the predicates of blocks if the guarded operations are all in
   blocks.
4. KC3034: no extent depends on an outer loop of the nest (the space is a box).
5. KC3036: a reduction loop that may have no iteration is not fused with a loop over elements, since
   the initial value of the reduction would not be stored. In an ordered block (of a scan), no
   reduction loop that may have no iteration is fused with a loop over another variable.

Symbolic extents give a symbolic product; ``tir.delinearize`` then computes the indices.
``preserve-unit-iters=false`` replaces the variable of a fused loop of one iteration by 0.

TVM: ``fuse``. Halide: ``fuse``. Exo: ``mult_loops``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.dialects import tir
from kc.dialects.tir import ForOp
from kc.transforms.affine_rewrite import replace_with_expr
from kc.transforms.schedule.base import Gives, LoopRef, Primitive, Rewritten, Site, require_serial
from kc.transforms.schedule.loops._chain import (
    child_behind_guards,
    extent_depends,
    guards_between,
    require_chain,
    size_point,
    without_unit_variables,
)
from kc.transforms.schedule.loops._guards import (
    conjunction_of,
    guard_body,
    require_counted_elements,
)


@dataclass(frozen=True)
class Plan:
    """The loops, outermost first, and the name of the fused loop."""

    loops: list[ForOp]
    name: str


@dataclass(frozen=True)
class Fuse(Primitive):
    """Fuse nested loops into one."""

    name: ClassVar[str] = "fuse"
    within_nest: ClassVar[bool] = True
    verb = "was fused into"
    gives: ClassVar[Gives] = "loop"
    undecidable = True

    loops: tuple[LoopRef, ...] = field(
        default=(),
        metadata={"help": "the loops to fuse, from the outside in", "python": "*loops"},
    )
    preserve_unit_iters: bool = field(
        default=True, metadata={"help": "keep the variable of a loop of one iteration in bindings"}
    )

    def check(self, site: Site) -> Plan:
        loops = [site.resolve_loop(ref) for ref in self.loops]
        if len(loops) < 2:
            raise site.refuse(
                "KC3033",
                f"{len(loops)} loop to fuse" if loops else "no loops to fuse",
                at=loops[0] if loops else site.function,
                why="fuse needs at least two loops",
                hints=["loops=i,j"],
            )
        for loop in loops:
            require_serial(site, loop)
        chain = require_chain(site, loops, guards=True)
        if chain != loops:
            order = ",".join(loop.label for loop in chain)
            raise site.refuse(
                "KC3033",
                f"loops {', '.join(loop.label for loop in loops)} are not consecutive",
                at=loops[0],
                mark=dict.fromkeys(loops, "named"),
                why="fused loops must be directly nested, and named from the outside in",
                hints=[f"loops={order}"]
                if set(chain) == set(loops)
                else [f"loops={order}, or reorder first"],
            )
        depends = extent_depends(chain)
        if depends is not None:
            outer, inner = depends
            raise site.refuse(
                "KC3034",
                f"the extent of {inner.label} depends on {outer.label}",
                at=inner,
                why="fuse needs a rectangular iteration space",
            )
        self._check_empty(site, loops)
        require_counted_elements(site, loops)
        name = "_".join(loop.label for loop in loops) + "_fused"
        return Plan(loops, site.fresh_names([name], loops[0], loops)[0])

    def _check_empty(self, site: Site, loops: list[ForOp]) -> None:
        """Refuse (KC3036) the fusion of loops over elements with a reduction loop that may have no
        iteration.
        """
        for block in loop_tree.blocks(loops[0]):
            driven = [loop_tree.iter_types(loop, block) for loop in loops]
            if not block.has_init or not any(types - {tir.IterType.REDUCE} for types in driven):
                continue
            for loop, kinds in zip(loops, driven, strict=True):
                if tir.IterType.REDUCE in kinds and not loop.static_extent:
                    raise site.refuse(
                        "KC3036",
                        f"the reduction loop {loop.label} of {block.label} may have no iteration",
                        at=loop,
                        why=f"{block.label} then stores its initial value, but the fused loop "
                        "would have no iteration to store it",
                        hints=["fuse spatial loops and reduction loops separately"],
                    )

    @classmethod
    def candidates(cls, site: Site) -> Iterator[Self]:
        for loop in loop_tree.loops(site.function):
            child = child_behind_guards(loop)
            if isinstance(child, ForOp):
                yield cls((LoopRef(loop), LoopRef(child)))

    def rewrite(self, site: Site, plan: Plan) -> Rewritten:
        loops = plan.loops
        sizes = [loop.extent_value for loop in loops]
        point = InsertPoint.before(size_point(site, loops[0], sizes))
        extent = _product(sizes, point, loops[0])
        innermost = loops[-1]
        guards = guards_between(loops[0], innermost)
        hoist_index_ops(loops, guards)
        body = innermost.detach_region(innermost.body)
        if guards:
            guard_body(body.block, *conjunction_of(guards))
        fused = ForOp(plan.name, extent, body)
        fused.location = loops[0].location
        inner_var = fused.var
        old_vars = [*(loop.var for loop in loops[:-1]), inner_var]
        start = InsertPoint.at_start(body.block)
        if all(isinstance(size, int) for size in sizes[1:]):
            exprs, stride = [], 1
            for n in range(len(loops) - 1, -1, -1):
                size = sizes[n]
                index = AffineExpr.dimension(0)
                # The fused loop of an empty nest runs no iteration, but still drives the same
                # variables.
                if stride > 1:
                    index = index // stride
                if n and isinstance(size, int):
                    index = index % size if size else index
                    stride *= size
                exprs.insert(0, index)
            # The innermost variable becomes the fused one, so its old uses are replaced first.
            for var, expr in reversed(list(zip(old_vars, exprs, strict=True))):
                replace_with_expr(var, expr, [inner_var], start)
        else:
            values = [_value(size, point, loops[0]) for size in sizes]
            split = tir.DelinearizeOp(inner_var, values)
            split.location = loops[0].location
            Rewriter.insert_op(split, start)
            after = InsertPoint.after(split)
            for var, index, loop in zip(old_vars, split.indices, loops, strict=True):
                index.name_hint = loop.label
                replace_with_expr(var, AffineExpr.dimension(0), [index], after)
        inner_var.name_hint = plan.name
        Rewriter.replace_op(loops[0], fused, [])
        if not self.preserve_unit_iters:
            without_unit_variables([fused])
        return Rewritten((fused,), {loop: (fused,) for loop in loops})


def hoist_index_ops(loops: Sequence[ForOp], guards: Sequence[tir.IfOp] = ()) -> None:
    """Move index arithmetic between nested loops, and in the ``guards`` between them, into the
    innermost body.
    """
    target = loops[-1].body.block
    around = [op for op in loop_tree.path_to(loops[-1]) if op in (*loops[:-1], *guards)][::-1]
    moved = [
        op for outer in around for op in loop_tree.children(outer) if not loop_tree.has_work(op)
    ]
    for op in reversed(moved):
        op.detach()
        Rewriter.insert_op(op, InsertPoint.at_start(target))


def _insert(op: Operation, point: InsertPoint, like: Operation) -> SSAValue:
    op.location = like.location
    Rewriter.insert_op(op, point)
    return op.results[0]


def _value(size: int | SSAValue, point: InsertPoint, like: Operation) -> SSAValue:
    if isinstance(size, SSAValue):
        return size
    return _insert(arith.ConstantOp(IntegerAttr(size, tir.INDEX)), point, like)


def _natural(size: SSAValue, point: InsertPoint, like: Operation) -> SSAValue:
    """``size``, or 0 if ``size`` is negative: the product of two negative extents must not be
    positive.
    """
    index = IndexValues()
    if index.is_natural(index.expr(size)):
        return size
    at_least_0 = [[AffineExpr.dimension(0)], [AffineExpr.constant(0)]]
    return _insert(tir.ApplyOp.of_groups("max", at_least_0, [size]), point, like)


def _product(
    sizes: Sequence[int | SSAValue], point: InsertPoint, like: Operation
) -> int | SSAValue:
    factor = math.prod(size for size in sizes if isinstance(size, int))
    symbolic = [size for size in sizes if isinstance(size, SSAValue)]
    if len(symbolic) > 1:
        symbolic = [_natural(size, point, like) for size in symbolic]
    if not symbolic:
        return factor
    product = symbolic[0]
    for size in symbolic[1:]:
        product = _insert(arith.MuliOp(product, size), point, like)
    if factor == 1:
        return product
    return _insert(tir.ApplyOp(AffineExpr.dimension(0) * factor, [product]), point, like)
