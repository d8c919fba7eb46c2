"""The rewrite of rfactor: a block of partial results, and their reduction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, MemRefType, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import captured_values
from kc.analysis.reductions.reductions import Reduction, reduction_of
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import (
    DYNAMIC,
    INDEX,
    AllocOp,
    BlockOp,
    ForOp,
    IterType,
    IterTypeAttr,
    LoadOp,
    StoreOp,
)
from kc.support.fresh_names import free_name
from kc.transforms.affine_rewrite import compact, replace_with_expr, set_block_spaces
from kc.transforms.known_values import rebuild
from kc.transforms.schedule._blocks import Definition
from kc.transforms.schedule._combiners import neutral_of, steps_on
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import Site

Iter = tuple[IterType, str, int | SSAValue]


@dataclass(frozen=True)
class Factoring:
    """The plan for a reduction over ``loop`` and the loops in ``rest``."""

    loop: ForOp
    definition: Definition
    chain: list[ForOp]
    """The loops that contain only the block, outermost first."""
    rest: list[ForOp]
    index: IndexValues
    axis: int
    """The dimension of the new buffer for ``loop``."""
    predicate: list[AffineConstraintExpr]
    """The predicate of the final reduction, over the roots of ``index``."""
    block_name: str
    buffer_names: tuple[str, ...]
    """The names of the new buffers, in the order of the stores."""


def build_partial(site: Site, plan: Factoring) -> BlockOp:
    """Rewrite the reduction according to the plan; return the block of the partial results.

    The old block becomes the final reduction, so that references to it stay valid.
    """
    block, top = plan.definition.block, plan.chain[0]
    home, parent = top.parent, block.parent
    assert home is not None
    assert parent is not None
    loops_around = [loop for loop in plan.chain if loop is plan.loop or _is_final(plan, loop)]
    _compute_before(top, plan)
    allocs = [_alloc(site, plan, n) for n in range(len(plan.buffer_names))]
    buffers = [alloc.buffer for alloc in allocs]
    partial = _Partial(plan, buffers)
    final = _final_body(plan, buffers)
    iters = block.iters
    bindings = [plan.index.compose(expr, block.binding_operands) for expr in block.binding_exprs]
    parent.insert_op_before(partial.build(iters, bindings), block)
    block.detach()
    loops = _copy_loops(site, loops_around, top)
    _become_final(plan, final, iters, bindings, {old.var: loops[old].var for old in loops_around})
    inner: Operation = block
    for loop in reversed(loops_around):
        loops[loop].body.block.add_op(inner)
        inner = loops[loop]
    home.insert_ops_before(allocs, top)
    home.insert_op_after(inner, top)
    return partial.block


def _compute_before(top: ForOp, plan: Factoring) -> None:
    """Move values that the second nest also needs (sizes, and inputs of the init) before
    ``top``.
    """
    block = plan.definition.block
    copies: dict[SSAValue, SSAValue] = {}
    for value in captured_values(block.init.block):
        rebuild(value, top, copies)
    for op in block.init.walk():
        op.operands = [copies.get(operand, operand) for operand in op.operands]
    for loop in plan.chain:
        loop.operands = [rebuild(operand, top, copies) for operand in loop.operands]
    sizes = [rebuild(extent, top, copies) for extent in block.dynamic_extents]
    set_block_spaces(block, extents=sizes)


def _is_final(plan: Factoring, loop: ForOp) -> bool:
    """True if the final reduction also runs over ``loop``, because it does not belong to the
    partial results.
    """
    is_unit = loop.static_extent == 1
    return loop not in plan.rest and not (
        is_unit and loop_tree.iter_types(loop, plan.definition.block) == {IterType.REDUCE}
    )


def _alloc(site: Site, plan: Factoring, n: int) -> AllocOp:
    buffer = plan.definition.stores[n].buffer
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    sizes = [size_value(site, size, plan.definition.block) for size in sizes_of(site, buffer)]
    sizes.insert(plan.axis, plan.loop.extent_value)
    shape = [size if isinstance(size, int) else DYNAMIC for size in sizes]
    dynamic = [size for size in sizes if not isinstance(size, int)]
    partial_type = MemRefType(type_.element_type, shape, memory_space=type_.memory_space)
    alloc = AllocOp(plan.buffer_names[n], partial_type, dynamic)
    alloc.location = plan.definition.block.location
    return alloc


def _copy_loops(site: Site, loops: Sequence[ForOp], top: ForOp) -> dict[ForOp, ForOp]:
    """Empty copies of ``loops`` beside ``top``, with their kinds."""
    names = [loop.label for loop in loops]
    around = loop_tree.loops_around(top)
    if around:
        names = site.fresh_names(names, around[-1], [])
    copies: dict[ForOp, ForOp] = {}
    for name, loop in zip(names, loops, strict=True):
        copies[loop] = ForOp(name, loop.extent_value, kind=loop.kind.data, axis=loop.axis)
        copies[loop].location = loop.location
    return copies


def _widened(
    plan: Factoring, indices: AffineMap, operands: Sequence[SSAValue], part: SSAValue
) -> tuple[AffineMap, list[SSAValue]]:
    """The index in the new buffer that corresponds to an index in the old buffer, for the partial
    result ``part``.
    """
    results = list(indices.results)
    results.insert(plan.axis, AffineExpr.dimension(len(operands)))
    return compact(AffineMap(len(operands) + 1, 0, tuple(results)), [*operands, part])


def _spatial(iters: Sequence[Iter]) -> list[int]:
    return [n for n, (kind, _, _) in enumerate(iters) if kind is IterType.SPATIAL]


def _new_name(name_hint: str, iters: Sequence[Iter]) -> str:
    taken = {name for _, name, _ in iters}
    return free_name(name_hint, taken)


def _move(source: Block, target: Block) -> None:
    for op in list(source.ops):
        op.detach()
        target.add_op(op)


def _block_of(names: Sequence[str]) -> Block:
    block = Block(arg_types=[INDEX] * len(names))
    for arg, name in zip(block.args, names, strict=True):
        arg.name_hint = name
    return block


class _Partial:
    """The block of the partial results, in the loops of the old block."""

    def __init__(self, plan: Factoring, buffers: Sequence[SSAValue]) -> None:
        self.plan = plan
        self.buffers = buffers
        self.reduction = _reduction(plan)
        self.is_reduction = bool(plan.rest) or self.reduction.guard is not None

    def build(self, iters: Sequence[Iter], bindings: Sequence[AffineExpr]) -> BlockOp:
        """The block of the partial results. The body of the old block moves into it."""
        plan, block = self.plan, self.plan.definition.block
        spatial = _spatial(iters)
        counted = [plan.loop, *plan.rest]
        spatial_iters = [iters[n] for n in spatial]
        first, *rest = [
            (kind, _new_name(f"v_{loop.label}", spatial_iters), loop.extent_value)
            for loop, kind in zip(
                counted, [IterType.SPATIAL, *[IterType.REDUCE] * len(plan.rest)], strict=True
            )
        ]
        new_iters: list[Iter] = [first, *spatial_iters, *rest]
        # without terms that a condition leaves out, a reduction of one term is a copy
        if self.is_reduction and not rest:
            new_iters.append((IterType.REDUCE, _new_name("v_one", new_iters), 1))
        args = _block_of([name for _, name, _ in new_iters])
        old = block.body.detach_block(0)
        _move(old, args)
        for n, arg in zip(spatial, args.args[1:], strict=False):
            old.args[n].replace_all_uses_with(arg)
        variables = [plan.loop.var, *(loop.var for loop in plan.rest)]
        counters = [args.args[0], *args.args[1 + len(spatial) : 1 + len(spatial) + len(rest)]]
        twin: dict[SSAValue, SSAValue] = {}
        twin.update(zip(variables, counters, strict=True))
        for n, (kind, _, _) in enumerate(iters):
            if kind is IterType.REDUCE:
                map_, operands = plan.index.to_map([bindings[n]])
                operands = [twin.get(operand, operand) for operand in operands]
                replace_with_expr(
                    old.args[n], map_.results[0], operands, InsertPoint.at_start(args)
                )
        init = self._redirect(args)
        exprs = [bindings[n] for n in spatial]
        whole, *parts = [plan.index.expr(loop.var) for loop in counted]
        self.block = BlockOp(
            plan.block_name,
            new_iters,
            *plan.index.to_map(
                [
                    whole,
                    *exprs,
                    *parts,
                    *[ZERO] * (len(new_iters) - len(spatial_iters) - len(counted)),
                ]
            ),
            Region(args),
            init,
            block.predicate.data,
            list(block.predicate_operands),
            block.annotations.data if block.annotations is not None else None,
        )
        self.block.location = block.location
        return self.block

    def _redirect(self, body: Block) -> Region | None:
        """Redirect the updates in ``body`` to the new buffers; return the init if the block is a
        reduction.
        """
        part = body.args[0]
        init = _block_of([argument.name_hint or "" for argument in body.args])
        twin: dict[SSAValue, SSAValue] = {}
        twin.update(zip(body.args, init.args, strict=True))
        for update, buffer in zip(self.reduction.updates, self.buffers, strict=True):
            old_load, old_store = update.load, update.store
            home = old_store.parent
            assert home is not None
            indices, operands = _widened(
                self.plan, old_store.indices.data, old_store.operands_of_map, part
            )
            value = update.term
            if self.is_reduction:
                load = LoadOp(buffer, indices, operands)
                load.result.name_hint = old_load.result.name_hint
                load.location = old_load.location
                home.insert_op_before(load, old_load)
                old_load.result.replace_all_uses_with(load.result)
                value = old_store.value
                start = arith.ConstantOp(neutral_of(update))  # pyright: ignore
                at = [twin.get(operand, operand) for operand in operands]
                init.add_ops([start, StoreOp(start.result, buffer, indices, at)])
            store = StoreOp(value, buffer, indices, operands)
            store.location = old_store.location
            home.insert_op_before(store, old_store)
            home.erase_op(old_store)
        for op in (*self.reduction.steps, *(update.load for update in self.reduction.updates)):
            if not any(result.first_use is not None for result in op.results):
                op.detach()
                op.erase()
        for op in init.ops:
            op.location = self.plan.definition.block.location
        return Region(init) if self.is_reduction else None


def _reduction(plan: Factoring) -> Reduction:
    reduction = reduction_of(plan.definition.block)
    assert reduction is not None, "check saw to it"
    return reduction


def _final_body(plan: Factoring, buffers: Sequence[SSAValue]) -> tuple[Block, Block]:
    """The body and the init of the reduction of the partial results in ``buffers``."""
    block, reduction = plan.definition.block, _reduction(plan)
    spatial = _spatial(block.iters)
    part_name = _new_name(f"v_{plan.loop.label}", [block.iters[n] for n in spatial])
    names = [part_name, *(block.names[n] for n in spatial)]
    body, init = _block_of(names), _block_of(names)
    old_args = block.body.block.args
    twin: dict[SSAValue, SSAValue] = {
        old_args[n]: arg for n, arg in zip(spatial, body.args[1:], strict=True)
    }
    old: list[LoadOp] = []
    new: list[LoadOp] = []
    for update, buffer in zip(reduction.updates, buffers, strict=True):
        store = update.store
        at = [twin.get(operand, operand) for operand in store.operands_of_map]
        old.append(LoadOp(store.buffer, store.indices.data, at))
        new.append(LoadOp(buffer, *_widened(plan, store.indices.data, at, body.args[0])))
        old[-1].result.name_hint = update.load.result.name_hint
        new[-1].result.name_hint = "part"
    steps, totals = steps_on(
        reduction, [load.result for load in old], [load.result for load in new], twin
    )
    body.add_ops([*old, *new, *steps])
    for update, load, total in zip(reduction.updates, old, totals, strict=True):
        store = update.store
        body.add_op(StoreOp(total, store.buffer, store.indices.data, load.operands_of_map))
    for op in body.ops:
        op.location = reduction.steps[0].location
    old_init = block.init.detach_block(0)
    _move(old_init, init)
    for n, arg in zip(spatial, init.args[1:], strict=True):
        old_init.args[n].replace_all_uses_with(arg)
    return body, init


def _become_final(
    plan: Factoring,
    regions: tuple[Block, Block],
    iters: Sequence[Iter],
    bindings: Sequence[AffineExpr],
    loops: Mapping[SSAValue, SSAValue],
) -> None:
    """Turn the old block into the final reduction, in the loops to which ``loops`` maps
    variables.
    """
    block, index = plan.definition.block, plan.index
    body, init = regions
    spatial = _spatial(iters)
    kinds = [IterType.REDUCE, *[IterType.SPATIAL] * len(spatial)]
    extents = [plan.loop.extent_value, *(iters[n][2] for n in spatial)]
    block.body.add_block(body)
    block.init.add_block(init)
    block.properties["iter_types"] = ArrayAttr([IterTypeAttr(kind) for kind in kinds])
    block.properties["iter_names"] = ArrayAttr(
        [StringAttr(arg.name_hint or "v") for arg in body.args]
    )
    block.properties["static_extents"] = DenseArrayBase.from_list(
        i64, [extent if isinstance(extent, int) else DYNAMIC for extent in extents]
    )
    map_, operands = index.to_map([index.expr(plan.loop.var), *(bindings[n] for n in spatial)])
    set_, conditions = index.to_set(plan.predicate)
    set_block_spaces(
        block,
        (map_, [loops.get(operand, operand) for operand in operands]),
        (set_, [loops.get(operand, operand) for operand in conditions]),
        [extent for extent in extents if not isinstance(extent, int)],
    )
