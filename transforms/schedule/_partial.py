"""The rewrite of rfactor: a block of partial results, and the reduction of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, MemRefType, StringAttr, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis import loop_tree
from kc.analysis.dependence import reduction_update
from kc.analysis.index_values import IndexValues
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
from kc.transforms.affine_rewrite import compact, replace_with_expr, set_block_spaces
from kc.transforms.schedule._blocks import Definition
from kc.transforms.schedule._combiners import neutral_element
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import Site

Iter = tuple[IterType, str, int | SSAValue]


@dataclass(frozen=True)
class Factoring:
    """What becomes of a reduction over ``loop`` and the loops in ``rest``."""

    loop: ForOp
    made: Definition
    chain: list[ForOp]
    """The loops that hold only the block, outermost first."""
    rest: list[ForOp]
    index: IndexValues
    axis: int
    """The dimension of the new buffer that stands for ``loop``."""
    predicate: list[AffineConstraintExpr]
    """The predicate of the final reduction, over the roots of ``index``."""
    block_name: str
    buffer_name: str


def build_partial(site: Site, plan: Factoring) -> BlockOp:
    """Rewrite as planned; returns the block of the partial results.

    The old block becomes the final reduction, so that what refers to it goes on to.
    """
    block, top = plan.made.block, plan.chain[0]
    home, parent = top.parent, block.parent
    assert home is not None
    assert parent is not None
    kept = [one for one in plan.chain if one is plan.loop or _is_final(plan, one)]
    alloc = _alloc(site, plan)
    partial = _Partial(plan, alloc.buffer)
    final = _final_body(plan, alloc.buffer)
    iters = block.iters
    bindings = [plan.index.compose(one, block.binding_operands) for one in block.binding_exprs]
    parent.insert_op_before(partial.build(iters, bindings), block)
    block.detach()
    loops = _copy_loops(site, kept, top)
    _become_final(plan, final, iters, bindings, {old.var: loops[old].var for old in kept})
    inner: Operation = block
    for one in reversed(kept):
        loops[one].body.block.add_op(inner)
        inner = loops[one]
    home.insert_op_before(alloc, top)
    home.insert_op_after(inner, top)
    return partial.block


def _is_final(plan: Factoring, loop: ForOp) -> bool:
    """Whether the final reduction runs over ``loop`` too: it does unless it is for the parts."""
    is_unit = loop.static_extent == 1
    return loop not in plan.rest and not (
        is_unit and loop_tree.iter_types(loop, plan.made.block) == {IterType.REDUCE}
    )


def _alloc(site: Site, plan: Factoring) -> AllocOp:
    buffer = plan.made.buffer
    type_ = buffer.type
    assert isinstance(type_, MemRefType)
    sizes = [size_value(site, one, plan.made.block) for one in sizes_of(site, buffer)]
    sizes.insert(plan.axis, plan.loop.extent_value)
    shape = [one if isinstance(one, int) else DYNAMIC for one in sizes]
    dynamic = [one for one in sizes if not isinstance(one, int)]
    partial_type = MemRefType(type_.element_type, shape, memory_space=type_.memory_space)
    alloc = AllocOp(plan.buffer_name, partial_type, dynamic)
    alloc.location = plan.made.block.location
    return alloc


def _copy_loops(site: Site, loops: Sequence[ForOp], top: ForOp) -> dict[ForOp, ForOp]:
    """Empty copies of ``loops``, kinds included, to stand beside ``top``."""
    names = [one.label for one in loops]
    around = loop_tree.loops_around(top)
    if around:
        names = site.fresh_names(names, around[-1], [])
    found: dict[ForOp, ForOp] = {}
    for name, one in zip(names, loops, strict=True):
        found[one] = ForOp(name, one.extent_value, kind=one.kind.data)
        found[one].location = one.location
    return found


def _widened(
    plan: Factoring, indices: AffineMap, operands: Sequence[SSAValue], part: SSAValue
) -> tuple[AffineMap, list[SSAValue]]:
    """The place in the new buffer of a place in the old one, for the partial result ``part``."""
    results = list(indices.results)
    results.insert(plan.axis, AffineExpr.dimension(len(operands)))
    return compact(AffineMap(len(operands) + 1, 0, tuple(results)), [*operands, part])


def _spatial(iters: Sequence[Iter]) -> list[int]:
    return [n for n, (kind, _, _) in enumerate(iters) if kind is IterType.SPATIAL]


def _new_name(wanted: str, iters: Sequence[Iter]) -> str:
    taken = {name for _, name, _ in iters}
    chosen, n = wanted, 0
    while chosen in taken:
        n += 1
        chosen = f"{wanted}_{n}"
    return chosen


def _move(source: Block, target: Block) -> None:
    for op in list(source.ops):
        op.detach()
        target.add_op(op)


def _block_of(names: Sequence[str]) -> Block:
    made = Block(arg_types=[INDEX] * len(names))
    for arg, name in zip(made.args, names, strict=True):
        arg.name_hint = name
    return made


def _combiner(made: Definition) -> tuple[Operation, SSAValue, SSAValue]:
    """The combining op of a reduction, the old value, and the new one."""
    combiner = reduction_update(made.block)
    assert combiner is not None, "check saw to it"
    old, new = combiner.operands
    if not (isinstance(old.owner, LoadOp) and old.owner.buffer is made.buffer):
        old, new = new, old
    return combiner, old, new


class _Partial:
    """The block of the partial results, in the loops of the old one."""

    def __init__(self, plan: Factoring, buffer: SSAValue) -> None:
        self.plan = plan
        self.buffer = buffer
        self.update = _combiner(plan.made)

    def build(self, iters: Sequence[Iter], bindings: Sequence[AffineExpr]) -> BlockOp:
        """The block; empties the body of the old one."""
        plan, block = self.plan, self.plan.made.block
        spatial = _spatial(iters)
        counted = [plan.loop, *plan.rest]
        kept = [iters[n] for n in spatial]
        first, *rest = [
            (kind, _new_name(f"v_{one.label}", kept), one.extent_value)
            for one, kind in zip(
                counted, [IterType.SPATIAL, *[IterType.REDUCE] * len(plan.rest)], strict=True
            )
        ]
        new_iters: list[Iter] = [first, *kept, *rest]
        args = _block_of([name for _, name, _ in new_iters])
        old = block.body.detach_block(0)
        _move(old, args)
        for n, arg in zip(spatial, args.args[1:], strict=False):
            old.args[n].replace_all_uses_with(arg)
        variables = [plan.loop.var, *(one.var for one in plan.rest)]
        counters = [args.args[0], *args.args[1 + len(spatial) :]]
        twin: dict[SSAValue, SSAValue] = {}
        twin.update(zip(variables, counters, strict=True))
        for n, (kind, _, _) in enumerate(iters):
            if kind is IterType.REDUCE:
                map_, operands = plan.index.to_map([bindings[n]])
                operands = [twin.get(one, one) for one in operands]
                replace_with_expr(
                    old.args[n], map_.results[0], operands, InsertPoint.at_start(args)
                )
        init = self._redirect(args)
        exprs = [bindings[n] for n in spatial]
        whole, *parts = [plan.index.expr(one.var) for one in counted]
        self.block = BlockOp(
            plan.block_name,
            new_iters,
            *plan.index.to_map([whole, *exprs, *parts]),
            Region(args),
            init,
            block.predicate.data,
            list(block.predicate_operands),
            block.annotations.data if block.annotations is not None else None,
        )
        self.block.location = block.location
        return self.block

    def _redirect(self, body: Block) -> Region | None:
        """Let ``body`` update the new buffer; returns its init, unless there is nothing to add."""
        made = self.plan.made
        combiner, old_value, new_value = self.update
        old_store, old_load = made.store, old_value.owner
        assert isinstance(old_load, LoadOp)
        part = body.args[0]
        indices, operands = _widened(
            self.plan, old_store.indices.data, old_store.operands_of_map, part
        )
        if not self.plan.rest:
            value = new_value
        else:
            load = LoadOp(self.buffer, indices, operands)
            load.result.name_hint = old_value.name_hint
            load.location = old_load.location
            body.insert_op_before(load, old_load)
            old_value.replace_all_uses_with(load.result)
            value = old_store.value
        store = StoreOp(value, self.buffer, indices, operands)
        store.location = old_store.location
        body.insert_op_before(store, old_store)
        body.erase_op(old_store)
        for op in (combiner, old_load):
            if not any(list(result.uses) for result in op.results):
                body.erase_op(op)
        if not self.plan.rest:
            return None
        init = _block_of([one.name_hint or "" for one in body.args])
        assert isinstance(self.buffer.type, MemRefType)
        start = arith.ConstantOp(neutral_element(type(combiner), self.buffer.type.element_type))
        twin: dict[SSAValue, SSAValue] = {}
        twin.update(zip(body.args, init.args, strict=True))
        at = [twin.get(one, one) for one in operands]
        init.add_ops([start, StoreOp(start.result, self.buffer, indices, at)])
        for op in init.ops:
            op.location = made.block.location
        return Region(init)


def _final_body(plan: Factoring, buffer: SSAValue) -> tuple[Block, Block]:
    """The body and the init of the reduction of what is in ``buffer``."""
    made = plan.made
    block, store = made.block, made.store
    spatial = _spatial(block.iters)
    part_name = _new_name(f"v_{plan.loop.label}", [block.iters[n] for n in spatial])
    names = [part_name, *(block.names[n] for n in spatial)]
    body, init = _block_of(names), _block_of(names)
    old_args = block.body.block.args
    twin: dict[SSAValue, SSAValue] = {
        old_args[n]: arg for n, arg in zip(spatial, body.args[1:], strict=True)
    }
    at = [twin.get(one, one) for one in store.operands_of_map]
    combiner, old_value, new_value = _combiner(made)
    old = LoadOp(made.buffer, store.indices.data, at)
    new = LoadOp(buffer, *_widened(plan, store.indices.data, at, body.args[0]))
    old.result.name_hint, new.result.name_hint = old_value.name_hint, "part"
    total = combiner.clone({old_value: old.result, new_value: new.result})
    body.add_ops([old, new, total, StoreOp(total.results[0], made.buffer, store.indices.data, at)])
    for op in body.ops:
        op.location = combiner.location
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
    """Make the old block the final reduction, in the loops that ``loops`` maps variables to."""
    block, index = plan.made.block, plan.index
    body, init = regions
    spatial = _spatial(iters)
    kinds = [IterType.REDUCE, *[IterType.SPATIAL] * len(spatial)]
    extents = [plan.loop.extent_value, *(iters[n][2] for n in spatial)]
    block.body.add_block(body)
    block.init.add_block(init)
    block.properties["iter_types"] = ArrayAttr([IterTypeAttr(one) for one in kinds])
    block.properties["iter_names"] = ArrayAttr(
        [StringAttr(arg.name_hint or "v") for arg in body.args]
    )
    block.properties["static_extents"] = DenseArrayBase.from_list(
        i64, [one if isinstance(one, int) else DYNAMIC for one in extents]
    )
    map_, operands = index.to_map([index.expr(plan.loop.var), *(bindings[n] for n in spatial)])
    set_, conditions = index.to_set(plan.predicate)
    set_block_spaces(
        block,
        (map_, [loops.get(one, one) for one in operands]),
        (set_, [loops.get(one, one) for one in conditions]),
        [one for one in extents if not isinstance(one, int)],
    )
