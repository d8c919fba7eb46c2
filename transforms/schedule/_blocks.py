"""Shared by primitives that move or remove blocks: the elements that a block computes, and the
legal places for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement

from xdsl.dialects import scf
from xdsl.dialects.builtin import VectorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import (
    AffineDimExpr,
)

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.accesses.instances import Instance, Space, Supply, Witness, is_before
from kc.analysis.accesses.regions import (
    WHOLE,
    Interval,
    buffers_read,
    in_order,
    loads_of,
    scope_of,
    stores_to,
    unit_of,
)
from kc.analysis.affine.index_facts import determined
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.affine.terms import Condition, Term, all_of, any_of, equal
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import buffer_name
from kc.analysis.reductions.reductions import COMBINERS, reduction_of
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import (
    AllocOp,
    BlockOp,
    CallOp,
    CombineOp,
    ForOp,
    IfOp,
    IterType,
    LoadOp,
    StoreOp,
    ViewOp,
    YieldOp,
)
from kc.dialects.tir.calls import CallExternOp
from kc.transforms.known_values import can_rebuild
from kc.transforms.schedule._buffers import require_plain_uses
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class Position:
    """The place of a block variable in the index of a store: ``index[dim] == v + offset``."""

    dim: int
    offset: int

    def values(self, region: Sequence[Interval], index: IndexValues) -> Interval:
        """The values of the variable for which the access is in ``region``."""
        part = region[self.dim]
        if part.size is None:
            return WHOLE
        return Interval(index.simplify(part.base - self.offset), part.size)


@dataclass(frozen=True)
class Definition:
    """A block that computes each element of one buffer: ``B[f(v)] = e(v)``, or a reduction, or
    loops that compute a part of a buffer for each ``v``.
    """

    block: BlockOp
    store: StoreOp
    more_stores: tuple[StoreOp, ...] = ()
    """The stores to the other buffers of a block that computes elements of several buffers."""
    inner_stores: tuple[StoreOp, ...] = ()
    """All stores to the buffers, for a block that contains loops."""

    @property
    def stores(self) -> tuple[StoreOp, ...]:
        """All stores, one for each buffer."""
        return self.store, *self.more_stores

    @property
    def buffer(self) -> SSAValue:
        """The defined buffer."""
        return self.store.buffer

    @property
    def buffers(self) -> list[SSAValue]:
        """The defined buffers, in the order of the stores."""
        return [store.buffer for store in self.stores]

    def store_to(self, buffer: SSAValue) -> StoreOp:
        """The store to ``buffer``, one of the defined buffers."""
        return next(store for store in self.stores if store.buffer is buffer)

    def stores_of(self, buffer: SSAValue) -> list[StoreOp]:
        """The stores to the elements of ``buffer``, one of the defined buffers."""
        inner = [store for store in self.inner_stores if store.buffer is buffer]
        return inner or [self.store_to(buffer)]

    @property
    def inputs(self) -> list[SSAValue]:
        """The buffers that the block reads, other than the defined ones."""
        return [buffer for buffer in buffers_read(self.block) if buffer not in self.buffers]

    @cached_property
    def captured(self) -> list[SSAValue]:
        """The result of :func:`captured` for the block; valid until a rewrite."""
        return captured(self.block)

    @property
    def scope(self) -> Operation:
        """The block or function that contains the block."""
        return scope_of(self.block)

    @property
    def loads(self) -> list[LoadOp]:
        """The loads of the buffers outside of the block."""
        loads = [load for buffer in self.buffers for load in loads_of(buffer)]
        return [load for load in loads if not loop_tree.is_inside(load, self.block)]

    @property
    def reads(self) -> list[LoadOp | ViewOp]:
        """The loads of the buffers outside of the block, and the views of the buffers, which calls
        read.
        """
        parts = [
            use.operation
            for buffer in self.buffers
            for use in buffer.uses
            if isinstance(use.operation, ViewOp)
        ]
        return [*self.loads, *parts]

    @property
    def users(self) -> list[Operation]:
        """The readers of the buffers in order: other blocks, or loads outside of blocks."""
        return in_order(self.scope, [self.unit(read) for read in self.reads])

    def unit(self, op: Operation) -> Operation:
        """The block of the scope that contains ``op``."""
        return unit_of(op, self.scope)

    def positions(self) -> list[Position | None]:
        """For each variable of the block, a dimension of the store whose index is that variable
        plus a constant.
        """
        return positions(self.block, self.store)


def positions(block: BlockOp, access: LoadOp | StoreOp) -> list[Position | None]:
    """For each variable of ``block``, a dimension of an access in its body whose index is the
    variable plus a constant; None if no dimension has such an index.
    """
    places: dict[SSAValue, Position] = {}
    index = IndexValues()
    for dim, expr in enumerate(access.indices.data.results):
        terms, constant = linear_terms(index.compose(expr, access.operands_of_map))
        if len(terms) == 1:
            ((atom, factor),) = terms.items()
            if factor == 1 and isinstance(atom, AffineDimExpr):
                value = index.roots[atom.position]
                if value is not None:
                    places.setdefault(value, Position(dim, constant))
    return [places.get(arg) for arg in block.body.block.args]


def require_definition(
    site: Site,
    block: BlockOp,
    *,
    updates: bool = False,
    loops: bool = False,
    nested_reductions: bool = False,
) -> Definition:
    """``block`` as a definition. Refuses (KC3200) a block that is not a definition.

    With ``updates``, a reduction may update several buffers, and skip terms by a ``tir.if``. With
    ``loops``, the block may contain loops and blocks; with ``nested_reductions``, such a block may
    also be a reduction.
    """
    nested = loops and any(isinstance(op, ForOp | BlockOp) for op in block.body.walk())
    why = (
        _no_nested_definition(block, nested_reductions)
        if nested
        else _no_definition(block, updates)
    )
    if isinstance(why, Definition):
        return why
    raise site.refuse(
        "KC3200",
        f"block {block.label} is neither complete nor a reduction",
        at=block,
        why=why,
        hints=[f"use {site.primitive} on a block that computes each element of one buffer"],
    )


_ELEMENTWISE = frozenset((LoadOp, StoreOp, CombineOp))


def _no_definition(block: BlockOp, updates: bool) -> Definition | str:
    for name, kind in zip(block.names, block.types, strict=True):
        if kind is IterType.OPAQUE:
            return f"its variable {name} is opaque, so the order of its values matters"
    reduction = reduction_of(block)
    guard = reduction.guard if reduction is not None and updates else None
    for op in loop_tree.children(block):
        if op is guard or type(op) in _ELEMENTWISE or _is_choice(op):
            continue
        if loop_tree.has_effects(op):
            return f"it contains {op.name}"
    body = block.body.block if guard is None else guard.then.block
    stores = [op for op in body.ops if isinstance(op, StoreOp)]
    if not stores or (len(stores) > 1 and not updates):
        return f"it has {len(stores)} stores, not one"
    if any(isinstance(store.value.type, VectorType) for store in stores):
        return "it stores vectors"
    written = {store.buffer for store in stores}
    names = " and ".join(buffer_name(store.buffer) for store in stores)
    memory = {base_buffer(buffer) for buffer in written}
    for buffer in buffers_read(block):
        if buffer not in written and base_buffer(buffer) in memory:
            return f"it reads {buffer_name(buffer)}, which may share memory with its outputs"
    if not block.is_reduction:
        if len(written) < len(stores):
            return f"it has {len(stores)} stores to {names}"
        if not written.isdisjoint(buffers_read(block)):
            return f"it reads {names}, which it writes"
    elif reduction is None:
        return "it has reduce variables, but is not an update with a commutative combiner"
    elif not block.has_init:
        return f"its initialisation is another block, so {names} has two writers"
    if block.has_init:
        inits = [op for op in block.init.block.ops if isinstance(op, StoreOp)]
        pairs = list(zip(inits, stores, strict=False))
        if len(inits) != len(stores) or not all(_same_place(block, *pair) for pair in pairs):
            return f"its init does not store to the element of {names} that it updates"
        if any(isinstance(op, LoadOp) and op.buffer in written for op in block.init.walk()):
            return f"its init reads {names}"
    for buffer in stores:
        why = _undetermined(block, buffer)
        if why is not None:
            return why
    return Definition(block, stores[0], tuple(stores[1:]))


def _no_nested_definition(block: BlockOp, reductions: bool) -> Definition | str:
    """A block with loops as a definition, or the reason why it is not one.

    Its effects must depend on its variables and inputs alone, and no two values of the variables
    may write the same element.
    """
    for name, kind in zip(block.names, block.types, strict=True):
        if kind is not IterType.SPATIAL and not (reductions and kind is IterType.REDUCE):
            return f"it contains loops, and its variable {name} is {kind.value}, not spatial"
    inits = list(block.init.walk()) if block.has_init else []
    for op in (*block.body.walk(), *inits):
        if isinstance(op, ForOp) and op.axis is not None:
            return f"its loop {op.label} is bound to {op.axis}"
        if isinstance(op, LoadOp | StoreOp | CombineOp | AllocOp | ForOp | BlockOp | IfOp):
            continue
        if isinstance(op, ViewOp) or (loop_tree.has_effects(op) and not _is_choice(op)):
            if not isinstance(op, scf.YieldOp | YieldOp):
                return f"it contains {op.name}"
    stores = [
        op
        for op in block.body.walk()
        if isinstance(op, StoreOp) and not loop_tree.defined_inside(op.buffer, block)
    ]
    if not stores:
        return "it writes only buffers that it allocates"
    written = list(dict.fromkeys(store.buffer for store in stores))
    memory = {base_buffer(buffer) for buffer in written}
    for buffer in buffers_read(block):
        if buffer not in written and base_buffer(buffer) in memory:
            return f"it reads {buffer_name(buffer)}, which may share memory with its outputs"
    if block.is_reduction:
        why = _no_nested_reduction(block, stores)
        stores_of_init = [op for op in inits if isinstance(op, StoreOp)]
    else:
        why = _read_before_written(block, stores)
        stores_of_init = []
    why = why or _shared_element(block, [*stores, *stores_of_init])
    if why is not None:
        return why
    first = [next(store for store in stores if store.buffer is buffer) for buffer in written]
    return Definition(block, first[0], tuple(first[1:]), tuple(stores))


def _no_nested_reduction(block: BlockOp, stores: Sequence[StoreOp]) -> str | None:
    """The reason why ``block``, which has reduce variables and contains loops, is not a reduction;
    None if it is.

    Its instances commute if they only update elements that the init has written, with one combiner
    for each buffer.
    """
    names = " and ".join(dict.fromkeys(buffer_name(store.buffer) for store in stores))
    if not block.has_init:
        return f"its initialisation is another block, so {names} has two writers"
    written = {store.buffer for store in stores}
    inits = [op for op in block.init.walk() if isinstance(op, StoreOp)]
    if any(isinstance(op, LoadOp) and op.buffer in written for op in block.init.walk()):
        return f"its init reads {names}"
    steps = [_accumulation(store) for store in stores]
    if any(step is None for step in steps):
        return f"it contains loops, and uses {names} for more than updates of its elements"
    loads = {load for step in steps if step is not None for load in (step[1],)}
    if any(
        isinstance(op, LoadOp) and op.buffer in written and op not in loads
        for op in block.body.walk()
    ):
        return f"it reads {names}, which it writes"
    combiners: dict[SSAValue, str] = {}
    for store, step in zip(stores, steps, strict=True):
        assert step is not None
        if combiners.setdefault(store.buffer, step[0].name) != step[0].name:
            return f"it updates {buffer_name(store.buffer)} by several operations"
        space = Space()
        read = space.instance(step[1])
        supplies: list[Supply] = []
        for init in inits:
            if init.buffer is store.buffer:
                write = space.instance(init)
                spatial = equal(_spatial_values(read, block), _spatial_values(write, block))
                supplies.append(Supply(write, space.element(init, write), spatial))
        element = space.element(step[1], read)
        if space.uncovered(read, element, supplies, space.in_bounds(step[1], element, read)):
            return f"its init may not write all elements of {names} that it updates"
    return None


def _spatial_values(instance: Instance, block: BlockOp) -> list[Term]:
    """The spatial variables of ``block`` in an instance of its body or of its init."""
    inits = block.init.block.args if block.has_init else block.body.block.args
    return [
        instance.values[arg if arg in instance.values else init]
        for arg, init, kind in zip(block.body.block.args, inits, block.types, strict=True)
        if kind is IterType.SPATIAL
    ]


def _accumulation(store: StoreOp) -> tuple[Operation, LoadOp] | None:
    """The operation of ``C[i] = C[i] op x`` and its load of C, if neither has other uses; else
    None.
    """
    step = store.value.owner
    if not isinstance(step, COMBINERS) or not step.results[0].has_one_use():
        return None
    for operand in step.operands:
        load = operand.owner
        if (
            isinstance(load, LoadOp)
            and load.buffer is store.buffer
            and load.indices == store.indices
            and list(load.operands_of_map) == list(store.operands_of_map)
            and load.result.has_one_use()
            and load.parent is store.parent
        ):
            return step, load
    return None


def _read_before_written(block: BlockOp, stores: Sequence[StoreOp]) -> str | None:
    """The reason why a load of a buffer that ``block`` writes may read an element before the block
    has written it; None if no load may.
    """
    for buffer in dict.fromkeys(store.buffer for store in stores):
        for load in loads_of(buffer):
            if not loop_tree.is_inside(load, block):
                continue
            space = Space()
            read = space.instance(load)
            shared = {loop: read.loops[loop] for loop in loop_tree.all_loops_around(block)}
            supplies: list[Supply] = []
            for store in stores:
                if store.buffer is buffer:
                    write = space.instance(store, shared)
                    element = space.element(store, write)
                    supplies.append(Supply(write, element, [space.before(write, read)]))
            element = space.element(load, read)
            if space.uncovered(read, element, supplies, space.in_bounds(load, element, read)):
                return f"it reads elements of {buffer_name(buffer)} that it may not have written"
    return None


def _shared_element(block: BlockOp, stores: Sequence[StoreOp]) -> str | None:
    """The reason why the block may write an element for two values of its variables; None if it
    does not.
    """
    for first, second in combinations_with_replacement(stores, 2):
        if first.buffer is not second.buffer:
            continue
        space = Space()
        writes = space.instance(first), space.instance(second)
        elements = [
            space.element(store, write)
            for store, write in zip((first, second), writes, strict=True)
        ]
        values = [_spatial_values(write, block) for write in writes]
        apart = any_of([a.differs(b) for a, b in zip(*values, strict=True)])
        same = [*equal(*elements), *space.same_buffer(first.buffer, *writes)]
        if space.find(writes, [*same, apart]) is not None:
            variables = ", ".join(
                name
                for name, kind in zip(block.names, block.types, strict=True)
                if kind is IterType.SPATIAL
            )
            return (
                f"an element of {buffer_name(first.buffer)} may be written for several values of "
                f"its variables {variables}"
            )
    return None


def _is_choice(op: Operation) -> bool:
    """True if ``op`` is a branch that only selects one of two values, without other effects."""
    return (
        isinstance(op, scf.IfOp)
        and bool(op.results)
        and all(
            isinstance(child, LoadOp | scf.YieldOp)
            or _is_choice(child)
            or not loop_tree.has_effects(child)
            for child in loop_tree.children(op)
        )
    )


def _undetermined(block: BlockOp, store: StoreOp) -> str | None:
    """The reason why the written element does not determine a spatial variable; None if it
    determines all.
    """
    index = IndexValues()
    exprs = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
    fixed = determined(exprs, index)
    for arg, kind, extent, label in zip(
        block.body.block.args, block.types, block.extents, block.names, strict=True
    ):
        if kind is IterType.SPATIAL and extent != 1 and arg not in fixed:
            name = buffer_name(store.buffer)
            return f"{label} does not follow from the written element of {name}"
    return None


def _same_place(block: BlockOp, init: StoreOp, store: StoreOp) -> bool:
    if init.buffer is not store.buffer or init.indices != store.indices:
        return False
    twin: dict[SSAValue, SSAValue] = {}
    twin.update(zip(block.init.block.args, block.body.block.args, strict=True))
    operands = [twin.get(operand, operand) for operand in init.operands_of_map]
    return operands == list(store.operands_of_map)


def require_private(site: Site, definition: Definition, *, vectors: bool = False) -> list[AllocOp]:
    """The allocs of the buffers that ``definition`` defines.

    Refuses outputs (KC3202), buffers with uses outside the scope (KC3212), and buffers that other
    blocks write or that operations other than loads use (KC3205). With ``vectors``, vector loads
    and views that only calls and loads read are allowed.
    """
    return [_private(site, definition, buffer, vectors) for buffer in definition.buffers]


def _private(site: Site, definition: Definition, buffer: SSAValue, vectors: bool) -> AllocOp:
    block, name = definition.block, buffer_name(buffer)
    if not isinstance(buffer.owner, AllocOp):
        raise site.refuse(
            "KC3202",
            f"{name} of block {block.label} is an output",
            at=block,
            why="the caller reads all of it after the call",
            hints=[f"cache_write gives block {block.label} its own buffer"],
        )
    for use in buffer.uses:
        user = use.operation
        if not loop_tree.is_inside(user, definition.scope):
            unit = unit_of(user, site.function)
            raise site.refuse(
                "KC3212",
                f"{describe(unit)} uses {name} outside the scope of block {block.label}",
                at=unit,
                why="blocks can only be moved within the block or function that contains them",
            )
        if isinstance(user, LoadOp) and (vectors or not isinstance(user.result.type, VectorType)):
            continue
        if isinstance(user, StoreOp) and loop_tree.is_inside(user, block):
            continue
        if vectors and isinstance(user, ViewOp) and is_only_read(user.result):
            continue
        unit = definition.unit(user)
        what = f"block {unit.label}" if isinstance(unit, BlockOp) else user.name
        raise site.refuse(
            "KC3205",
            f"{name} is also used by {what}",
            at=unit,
            mark={block: "here", unit: f"uses {name}"},
            why=f"block {block.label} must be the only writer of {name}, and only loads "
            + ("" if vectors else "of single elements ")
            + "may read it",
        )
    return buffer.owner


def is_only_read(part: SSAValue) -> bool:
    """True if all uses of a view are loads and calls that only read it."""
    for use in part.uses:
        user = use.operation
        is_read = isinstance(user, CallOp | CallExternOp) and not any(
            writes for value, _, writes in user.accesses if value is part
        )
        if not (is_read or isinstance(user, LoadOp)):
            return False
    return True


def same_scope(site: Site, block: BlockOp, ops: Iterable[Operation]) -> None:
    """Refuse (KC3212) ``ops`` unless all are in the scope of ``block``."""
    for op in ops:
        if scope_of(op) is not scope_of(block):
            raise site.refuse(
                "KC3212",
                f"{describe(op)} is not in the scope of block {block.label}",
                at=op,
                why="blocks can only be moved within the block or function that contains them",
            )


def describe(op: Operation) -> str:
    """``block C``, ``loop i``, or the name of the op."""
    if isinstance(op, BlockOp):
        return f"block {op.label}"
    return f"loop {op.label}" if isinstance(op, ForOp) else op.name


def own_loops(block: BlockOp) -> list[ForOp]:
    """The loops that are empty after the removal of ``block``, outermost first."""
    loops: list[ForOp] = []
    child: Operation = block
    parent = block.parent_op()
    while isinstance(parent, ForOp | IfOp):
        work = [op for op in loop_tree.children(parent) if _is_work(op)]
        if work != [child]:
            break
        if isinstance(parent, ForOp):
            loops.append(parent)
        child, parent = parent, parent.parent_op()
    return loops[::-1]


def _is_work(op: Operation) -> bool:
    """True if ``op`` is more than the computation of a loop extent."""
    return loop_tree.has_work(op) and not loop_tree.is_size(op)


def erase_with_loops(block: BlockOp) -> None:
    """Erase ``block`` (or its remainder), and the loops and guards that are empty afterwards."""
    parent = block.parent_op()
    block.detach()
    block.erase(safe_erase=False)
    erase_empty(parent)


def erase_empty(parent: Operation | None) -> None:
    """Erase ``parent`` and the operations around it while they are empty in the loop tree."""
    while isinstance(parent, ForOp | IfOp):
        if any(_is_work(op) for op in loop_tree.children(parent)):
            return
        above = parent.parent_op()
        parent.detach()
        parent.erase(safe_erase=False)
        parent = above


# Availability of values ---------------------------------------------------------------------


def captured(block: BlockOp) -> list[SSAValue]:
    """The values from outside that the extents, the body and the init of a block use."""
    bodies = [body for region in block.regions for body in region.blocks]
    inner = [value for body in bodies for value in captured_values(body)]
    return list(dict.fromkeys([*block.dynamic_extents, *inner]))


def require_available(
    site: Site,
    block: BlockOp,
    anchor: Operation,
    place: str,
    leave: Sequence[SSAValue] = (),
    uses: Sequence[SSAValue] | None = None,
) -> None:
    """Refuse (KC3208) a value that ``block`` uses and that is not available at ``anchor``.

    Values in ``leave`` are exempt. ``uses`` is the result of :func:`captured`, if already computed.
    """
    for value in captured(block) if uses is None else uses:
        if value in leave or can_rebuild(value, anchor):
            continue
        owner = value.owner
        if isinstance(owner, AllocOp):
            what = f"the buffer {owner.label}, which is"
            hint = [f"move the block that writes {owner.label} out first"]
        else:
            what = f"{value.name_hint or 'a value'}, which is"
            hint = []
        raise site.refuse(
            "KC3208",
            f"block {block.label} cannot be computed {place}",
            at=block,
            why=f"it uses {what} not available there",
            hints=hint,
        )


# Order ----------------------------------------------------------------------------------------


def require_unchanged(
    site: Site,
    definition: Definition,
    space: Space,
    block: Instance,
    first: Instance,
    second: Instance,
    constraints: Sequence[Condition],
    leave: Sequence[SSAValue] = (),
) -> None:
    """Refuse (KC3207) an input that may change between the instances ``first`` and ``second``.

    An input is a buffer that ``block`` (an instance of ``definition.block``) reads, except the
    buffers in ``leave``. No store in between may write it, and both instances must use the same
    memory for it.
    """
    for op in loop_tree.preorder(definition.block):
        if type(op) is not LoadOp or op.buffer in (*definition.buffers, *leave):
            continue
        if loop_tree.defined_inside(op.buffer, definition.block):
            continue
        read = block
        if op.parent_region() is not definition.block.init:
            read = space.inside(block, definition.block, op)
        require_plain_uses(site, definition.block, op.buffer)
        for end in (first, second):
            same = space.same_buffer(op.buffer, block, end) if end is not block else []
            if not same:
                continue
            apart = ~all_of(same)
            witness = space.find([read, first, second], [*constraints, apart])
            if witness is not None:
                name = buffer_name(op.buffer)
                raise site.refuse(
                    "KC3207",
                    f"{name}, which block {definition.block.label} reads, is the memory "
                    "of another iteration at the new place",
                    at=definition.block,
                    mark={definition.block: f"reads {name}"},
                    why=witness.undecided
                    or f"{name} is allocated anew in each surrounding iteration",
                    hints=[f"allocate {name} outside the loop: compute_root of its block"],
                )
        for store in stores_to(op.buffer):
            if loop_tree.is_inside(store, definition.block) or _outside(store, first.op, second.op):
                continue
            write = space.instance(store)
            same = equal(space.element(op, read), space.element(store, write))
            witness = space.find(
                [read, first, second, write],
                [
                    *constraints,
                    *same,
                    *space.same_buffer(op.buffer, block, write),
                    space.may_precede(first, write),
                    space.may_precede(write, second),
                ],
            )
            if witness is None:
                continue
            writer = definition.unit(store)
            name = buffer_name(op.buffer)
            raise site.refuse(
                "KC3207",
                f"{name}, which block {definition.block.label} reads, is written by "
                f"{describe(writer)} in between",
                at=definition.block,
                mark={definition.block: f"reads {name}", writer: f"writes {name}"},
                why=witness.undecided
                or f"{describe(writer)}{write.at(witness)} runs between "
                "the old place and the new one",
            )


def _outside(store: Operation, first: Operation, second: Operation) -> bool:
    """True if ``store`` shares no loop with either operation, and precedes both or follows both."""
    top = _top(store)
    ends = [_top(first), _top(second)]
    if top in ends:
        return False
    return all(is_before(top, end) for end in ends) or all(is_before(end, top) for end in ends)


def _top(op: Operation) -> Operation:
    while (parent := op.parent_op()) is not None and not isinstance(parent, FuncOp):
        op = parent
    return op


def witness_text(space: Space, witness: Witness) -> str:
    """The element and sizes of a witness of :meth:`Space.uncovered`, as ``[3] (for n = 4)``."""
    sizes = ", ".join(f"{name} = {value}" for name, value in space.sizes(witness).items())
    return f"{witness.element}" + (f" (for {sizes})" if sizes else "")
