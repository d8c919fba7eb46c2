"""The step of a reduction block, derived from its body rather than from annotations.

A step loads the current partial result, combines it with the next term, and stores the new partial
result to the same element: ``C[i] = C[i] op x`` with a commutative and associative op, likewise for
several buffers, or for all at once with the combiner of a ``tir.combine``. A ``tir.if`` around the
step skips terms.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from kc.analysis.captures import makers_inside
from kc.analysis.loop_tree import touches_memory
from kc.dialects.tir import BlockOp, CombineOp, IfOp, IterType, LoadOp, StoreOp, YieldOp

COMBINERS = (
    arith.AddfOp,
    arith.AddiOp,
    arith.MulfOp,
    arith.MuliOp,
    arith.MaximumfOp,
    arith.MinimumfOp,
    arith.MaxSIOp,
    arith.MinSIOp,
    arith.MaxUIOp,
    arith.MinUIOp,
)
"""Ops that may be the combiner of a reduction block, besides ``tir.combine``."""


@dataclass(frozen=True)
class Update:
    """The update of one buffer in a step."""

    load: LoadOp
    """The load of the partial result."""
    term: SSAValue
    """The term combined with the partial result."""
    step: Operation
    """The combining op; the updates of a ``tir.combine`` share it."""
    store: StoreOp

    @property
    def buffer(self) -> SSAValue:
        """The buffer that is updated."""
        return self.store.buffer


@dataclass(frozen=True)
class Reduction:
    """The step of a reduction block."""

    block: BlockOp
    updates: tuple[Update, ...]
    """The updates, in the order of the stores."""
    guard: IfOp | None
    """The ``tir.if`` around the step, which skips terms."""
    further_loads: tuple[LoadOp, ...]
    """Other loads of the buffers, such as of completed rows of a scan."""

    @property
    def accesses(self) -> set[Operation]:
        """The loads and stores of the updates."""
        return {op for update in self.updates for op in (update.load, update.store)}

    @property
    def steps(self) -> list[Operation]:
        """The combining ops, without duplicates."""
        return list(dict.fromkeys(update.step for update in self.updates))


def reduction_of(block: BlockOp) -> Reduction | None:
    """The step of ``block`` if the block does nothing else, else None.

    Instances of such a block commute: only the step accesses the buffers, and terms and conditions
    do not depend on their contents.
    """
    reduction = updates_of(block)
    return None if reduction is None or reduction.further_loads else reduction


def updates_of(block: BlockOp) -> Reduction | None:
    """The step of ``block`` if all other accesses of its buffers are loads, else None.

    Instances commute unless an instance loads, outside of the step, an element that another
    instance stores.
    """
    if not block.is_reduction:
        return None
    ops = list(block.body.walk())
    if any(touches_memory(op) and not isinstance(op, LoadOp | StoreOp) for op in ops):
        return None
    stores = [op for op in ops if isinstance(op, StoreOp)]
    home = stores[0].parent if stores else None
    if home is None or any(store.parent is not home for store in stores):
        return None
    guard = home.parent_op()
    if guard is block:
        guard = None
    elif not isinstance(guard, IfOp) or guard.parent_op() is not block or guard.orelse.blocks:
        return None
    written = {store.buffer for store in stores}
    loads = [op for op in ops if isinstance(op, LoadOp) and op.buffer in written]
    if len(written) != len(stores):
        return None
    candidates = [_update(block, store, loads) for store in stores]
    updates = tuple(update for update in candidates if update is not None)
    if len(updates) != len(stores):
        return None
    for step in {update.step for update in updates}:
        if isinstance(step, CombineOp):
            stored = {update.store.value for update in updates if update.step is step}
            if stored != set(step.combined):
                return None
    further_loads = tuple(
        load for load in loads if all(load is not update.load for update in updates)
    )
    return Reduction(block, updates, guard, further_loads)


def ops_of_element(step: CombineOp) -> set[Operation]:
    """The operations of a combiner that depend only on its captured values."""
    values: set[SSAValue] = {*step.combiner.block.args[2 * len(step.lhs) :]}
    ops: set[Operation] = set()
    for op in step.combiner.block.ops:
        is_pure = bool(op.operands) and not op.regions and not isinstance(op, YieldOp)
        if is_pure and values.issuperset(op.operands):
            ops.add(op)
        if op in ops or isinstance(op, arith.ConstantOp):
            values.update(op.results)
    return ops


def makers_of_element(value: SSAValue, block: BlockOp) -> list[Operation] | None:
    """The operations in ``block`` that compute ``value``, in order, if it is the same for all terms
    of an element: they depend only on spatial variables and on values from outside the block.
    Otherwise None.
    """
    variables = zip(block.types, block.body.block.args, strict=True)
    spatial = [arg for kind, arg in variables if kind is IterType.SPATIAL]
    return makers_inside(value, block, spatial)


def _update(block: BlockOp, store: StoreOp, loads: list[LoadOp]) -> Update | None:
    """The update that ends with ``store``; its partial result comes from one of ``loads``."""
    step = store.value.owner
    if isinstance(step, CombineOp):
        if any(makers_of_element(value, block) is None for value in step.captured):
            return None
        n = list(step.combined).index(store.value)  # pyright: ignore[reportArgumentType]
        held, term = step.lhs[n], step.rhs[n]
        load = _load_of(store, held, loads)
        return None if load is None else Update(load, term, step, store)
    if not isinstance(step, COMBINERS):
        return None
    if isinstance(step, arith.AddiOp | arith.MuliOp) and step.overflow_flags.data:
        return None  # in another order, partial results might overflow
    for held, term in ((step.lhs, step.rhs), (step.rhs, step.lhs)):
        load = _load_of(store, held, loads)
        if load is not None:
            return Update(load, term, step, store)
    return None


def _load_of(store: StoreOp, held: SSAValue, loads: list[LoadOp]) -> LoadOp | None:
    """The load of ``loads`` that provides ``held`` from the element that ``store`` writes. None if
    no load does, or if ``held`` has other uses.
    """
    for load in loads:
        same_place = load.indices == store.indices and list(load.operands_of_map) == list(
            store.operands_of_map
        )
        if (
            load.result is held
            and load.buffer is store.buffer
            and same_place
            and sum(1 for _ in held.uses) == 1
        ):
            return load
    return None
