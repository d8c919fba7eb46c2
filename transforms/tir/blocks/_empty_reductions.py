"""Empty reductions: a reduction block over no element yields its initial value.

The loops of such a block run no iteration, so an initialisation inside them would be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import Pure

from kc.analysis import loop_tree
from kc.analysis.accesses.instances import Space
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import captured_values
from kc.analysis.loop_tree import memory_scope, reduce_extents
from kc.dialects.affine_assembly import at_least_zero
from kc.dialects.tir import BlockOp, ForOp, IfOp, IterType, StoreOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.transforms.affine_rewrite import compact
from kc.transforms.known_values import can_rebuild, rebuild_captured


def is_empty(block: BlockOp) -> bool:
    """True if the reduction of ``block`` is empty, whatever the sizes."""
    return 0 in reduce_extents(block)


def may_not_begin(block: BlockOp, loop: ForOp) -> bool:
    """True if ``loop`` may run no iteration although the reduction of ``block`` is not empty."""
    if loop.dynamic_extent is None:
        return loop.static_extent == 0 and not is_empty(block)
    sizes = [size for size in reduce_extents(block) if not isinstance(size, int)]
    index = IndexValues()
    for size in sizes:
        index.dimension(size, (1, None))
    low, _ = index.bounds(index.expr(loop.dynamic_extent))
    if low is not None and low > 0:
        return False
    if any(loop_tree.defined_inside(size, loop) for size in sizes):
        return True  # not known where the loop begins
    space = Space()
    place = space.place(loop)
    something = [space.size(size, place) >= 1 for size in sizes]
    never = space.size(loop.dynamic_extent, place) <= 0
    return space.find([place], [never, *something]) is not None


def origins(values: Iterable[SSAValue]) -> set[SSAValue]:
    """The leaves of the computations of ``values``: block arguments, and results without
    operands."""
    roots: set[SSAValue] = set()
    seen: set[SSAValue] = set()
    pending = list(values)
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        operands = () if isinstance(value.owner, Block) else value.owner.operands
        pending.extend(operands)
        if not operands:
            roots.add(value)
    return roots


def fill_instead(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Replace an empty reduction by loops that store its initial value."""
    place, fill = _fill(block, fresh_name)
    for op in fill:
        Rewriter.insert_op(op, InsertPoint.before(place))
        rebuild_captured(op, {})
    Rewriter.erase_op(block)


def fill_if_empty(block: BlockOp, fresh_name: Callable[[str], str]) -> None:
    """Store the initial value before the loops, under a guard that the reduction is empty."""
    index = IndexValues()
    for extent in reduce_extents(block):
        if isinstance(extent, int):
            continue
        low, _ = index.bounds(index.expr(extent))
        if low is not None and low > 0:
            continue  # as i + 1 of a loop i
        nothing = at_least_zero(AffineExpr.dimension(0) * -1)
        place, fill = _fill(block, fresh_name, extent)
        guard = IfOp(AffineSet(1, 0, (nothing,)), [extent], Region(Block(fill)))
        guard.location = block.location
        Rewriter.insert_op(guard, InsertPoint.before(place))
        rebuild_captured(guard, {})


def _outermost(block: BlockOp) -> Operation:
    """The outermost loop around ``block`` before which all values that its init uses are
    computable; ``block`` itself if no loop qualifies.
    """
    used = captured_values(block.init.block)
    loops = [
        loop
        for loop in loop_tree.loops_around(block)
        if all(can_rebuild(value, loop) for value in used)
    ]
    return loops[0] if loops else block


def _fill(
    block: BlockOp, fresh_name: Callable[[str], str], extent: SSAValue | None = None
) -> tuple[Operation, list[Operation]]:
    """The ops that store the initial value, and their insertion point, at which ``extent`` is
    available.

    They initialise the elements that the block would store, since other elements of the buffer
    belong to other code. If no loops iterate over these elements alone, as when they are fused with
    reduction loops, the ops initialise the whole buffer. Thread-private memory is initialised where
    the reduction begins, since it does not exist before.
    """
    place = _start(block) if extent is None else _start(block, extent)
    if place is not None:
        try:
            return place, _fill_at(block, place, fresh_name)
        except CodegenError:
            if IterType.OPAQUE in block.types:
                raise  # an ordered reduction is not filled all at once
            if extent is not None and not can_rebuild(extent, _outermost(block)):
                raise  # the extent differs between elements
        if _is_of_threads(block) and _is_in_kernel(place):
            return place, [_fill_nest(block, fresh_name)]
    elif IterType.OPAQUE in block.types:
        raise _not_counted(block)
    return _outermost(block), [_fill_nest(block, fresh_name)]


def _is_of_threads(block: BlockOp) -> bool:
    """True if the init stores to memory that does not exist outside of a kernel."""
    stores = [op for op in block.init.walk() if isinstance(op, StoreOp)]
    return any(memory_scope(store.buffer) != "global" for store in stores)


def _is_in_kernel(place: Operation) -> bool:
    return any(loop.axis is not None for loop in loop_tree.all_loops_around(place))


def _start(block: BlockOp, *needed: SSAValue) -> Operation | None:
    """The outermost loop of the reduction before which the values that its init uses, its extents
    and ``needed`` are computable; None if no loop qualifies.
    """
    used = [*captured_values(block.init.block), *block.dynamic_extents, *needed]
    carried = False
    for loop in loop_tree.loops_around(block):
        carried = carried or IterType.REDUCE in loop_tree.iter_types(loop, block)
        if carried and all(can_rebuild(value, loop) for value in used):
            return loop
    return None


def _fill_nest(block: BlockOp, fresh_name: Callable[[str], str]) -> Operation:
    """Loops over the elements of ``block`` around a block that runs its init."""
    iters = [block.iters[n] for n in _of_elements(block)]
    loops = [ForOp(name.removeprefix("v_"), extent) for _, name, extent in iters]
    inner: Operation = BlockOp(
        fresh_name(f"{block.label}_init"),
        iters,
        AffineMap.identity(len(loops)),
        [loop.var for loop in loops],
        _init_of(block),
    )
    inner.location = block.location
    for loop in reversed(loops):
        loop.location = block.location
        loop.body.block.add_op(inner)
        inner = loop
    return inner


def _of_elements(block: BlockOp) -> list[int]:
    """The positions of the variables that select an element: all but the reduce variables."""
    return [n for n, kind in enumerate(block.types) if kind is not IterType.REDUCE]


def _init_of(block: BlockOp) -> Region:
    """A copy of the init of ``block`` over the variables of its elements."""
    elements = _of_elements(block)
    init = block.init.clone()
    for n in reversed(range(len(block.types))):
        if n not in elements:
            init.block.erase_arg(init.block.args[n])
    return init


def _not_counted(block: BlockOp) -> CodegenError:
    return CodegenError(
        "KC4213",
        f"lower-init-block: the elements of {block.label} have no loops of their own",
        location=location_of(block),
        why="the extent of its reduction differs from element to element; an element whose "
        "reduction has the extent 0 is the initial value",
        hints=["do not fuse loops over elements with loops of this reduction"],
    )


class _Place:
    """The values that are available to code before ``place``, an op around ``block``.

    Values defined inside ``place`` are recomputed in copies of the loops over elements.
    """

    def __init__(self, block: BlockOp, place: Operation) -> None:
        self.place = place
        around = loop_tree.loops_around(block)
        inside = [loop for loop in around if loop_tree.is_inside(loop, place)]
        self.counted = [
            loop for loop in inside if IterType.REDUCE not in loop_tree.iter_types(loop, block)
        ]
        self.variables = {loop.var for loop in self.counted}
        self.answers: dict[SSAValue, bool] = {}

    def knows(self, value: SSAValue) -> bool:
        """True if ``value`` depends only on the element and on values defined before the place."""
        if value not in self.answers:
            self.answers[value] = (
                value in self.variables
                or not loop_tree.defined_inside(value, self.place)
                or not isinstance(value.owner, Block)
                and not value.owner.regions
                and value.owner.has_trait(Pure)
                and all(map(self.knows, value.owner.operands))
            )
        return self.answers[value]

    def loops(self, used: Sequence[SSAValue]) -> list[ForOp] | None:
        """The loops on which ``used`` depend; None if a value is not available."""
        if not all(map(self.knows, used)):
            return None
        needed = origins(used)
        for loop in reversed(self.counted):
            if loop.var in needed and loop.dynamic_extent is not None:
                if not self.knows(loop.dynamic_extent):
                    return None
                needed |= origins([loop.dynamic_extent])
        return [loop for loop in self.counted if loop.var in needed]

    def nest(
        self,
        loops: Sequence[ForOp],
        used: Sequence[SSAValue],
        body: Callable[[dict[SSAValue, SSAValue]], Operation],
    ) -> list[Operation]:
        """Copies of ``loops`` around ``body(values)``, where ``values`` maps each of ``used`` to
        its copy."""
        values: dict[SSAValue, SSAValue] = {}
        ops: list[Operation] = []
        outermost = ops

        def computed(value: SSAValue) -> SSAValue:
            """The copy of ``value``, appended to ``ops`` behind the copies of its operands."""
            if value not in values and loop_tree.defined_inside(value, self.place):
                owner = value.owner
                assert isinstance(owner, Operation)
                for operand in owner.operands:
                    computed(operand)
                ops.append(owner.clone(values))
            return values.get(value, value)

        around: list[tuple[ForOp, list[Operation]]] = []
        for loop in loops:
            extent = loop.extent_value
            copy = ForOp(loop.label, extent if isinstance(extent, int) else computed(extent))
            copy.location = loop.location
            values[loop.var] = copy.var
            ops.append(copy)
            ops = []
            around.append((copy, ops))
        for value in used:
            computed(value)
        ops.append(body(values))
        for copy, inner in around:
            copy.body.block.add_ops(inner)
        return outermost


def _guards(block: BlockOp, place: _Place) -> list[tuple[IfOp, bool]]:
    """The conditions around ``block`` that are computable at ``place``, innermost first.

    Each comes with True if the block is in the branch where the condition holds.
    """
    guards: list[tuple[IfOp, bool]] = []
    op: Operation = block
    while op is not place.place:
        parent = op.parent_op()
        assert parent is not None
        if isinstance(parent, IfOp) and all(map(place.knows, parent.operands_of_set)):
            guards.append((parent, op.parent_region() is parent.then))
        op = parent
    return guards


def _fill_at(block: BlockOp, at: Operation, fresh_name: Callable[[str], str]) -> list[Operation]:
    """The ops that initialise the elements that ``at``, an op around ``block``, computes.

    Raises CodegenError KC4213 if no loops iterate over the elements alone.
    """
    place = _Place(block, at)
    elements = _of_elements(block)
    exprs = [block.binding_exprs[n] for n in elements]
    bindings, operands = compact(
        AffineMap(len(block.binding_operands), 0, tuple(exprs)), block.binding_operands
    )
    constraints = [
        constraint
        for constraint in block.predicate.data.constraints
        if all(place.knows(block.predicate_operands[dim]) for dim in constraint.lhs.used_dims())
    ]
    predicate, about = compact(
        AffineSet(len(block.predicate_operands), 0, tuple(constraints)), block.predicate_operands
    )
    guards = _guards(block, place)
    used = [
        *operands,
        *about,
        *(operand for guard, _ in guards for operand in guard.operands_of_set),
    ]
    loops = place.loops(used)
    if loops is None:
        raise _not_counted(block)

    def body(values: dict[SSAValue, SSAValue]) -> Operation:
        fill: Operation = BlockOp(
            fresh_name(f"{block.label}_init"),
            [block.iters[n] for n in elements],
            bindings,
            [values.get(operand, operand) for operand in operands],
            _init_of(block),
            predicate=predicate,
            predicate_operands=[values.get(operand, operand) for operand in about],
        )
        fill.location = block.location
        for guard, holds in guards:
            then, empty = Region(Block([fill])), Region(Block())
            fill = IfOp(
                guard.condition.data,
                [values.get(operand, operand) for operand in guard.operands_of_set],
                *((then,) if holds else (empty, then)),
            )
            fill.location = guard.location
        return fill

    return place.nest(loops, used, body)
