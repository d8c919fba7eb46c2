"""The step of a reduction block, read off its body and not taken on trust.

A step loads what the block's buffers hold, combines it with the next term, and stores the results
to the same places: ``C[i] = C[i] op x`` with a commutative and associative op, the same for
several buffers, or for all at once with the combiner of a ``tir.combine``. A ``tir.if`` around the
step leaves terms out.
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
"""The ops that a reduction block may combine with, beside ``tir.combine``."""


@dataclass(frozen=True)
class Update:
    """The update of one buffer in a step."""

    load: LoadOp
    """The load of what the buffer holds."""
    term: SSAValue
    """The term that this is combined with."""
    step: Operation
    """The combining op; updates of a ``tir.combine`` share it."""
    store: StoreOp

    @property
    def buffer(self) -> SSAValue:
        """The buffer."""
        return self.store.buffer


@dataclass(frozen=True)
class Reduction:
    """The step of a reduction block."""

    block: BlockOp
    updates: tuple[Update, ...]
    """In the order of the stores."""
    guard: IfOp | None
    """The ``tir.if`` around the step, which leaves terms out."""
    further_loads: tuple[LoadOp, ...]
    """Further loads of the buffers: of rows of a scan that are complete, say."""

    @property
    def accesses(self) -> set[Operation]:
        """The loads and stores that the updates are made of."""
        return {op for update in self.updates for op in (update.load, update.store)}

    @property
    def steps(self) -> list[Operation]:
        """The combining ops, once each."""
        return list(dict.fromkeys(update.step for update in self.updates))


def reduction_of(block: BlockOp) -> Reduction | None:
    """The step of ``block`` when that is all it does, else None.

    Its instances then commute: the buffers are used by the step alone, and terms and conditions
    do not depend on what these hold.
    """
    reduction = updates_of(block)
    return None if reduction is None or reduction.further_loads else reduction


def updates_of(block: BlockOp) -> Reduction | None:
    """The step of ``block``, beside which its buffers are loaded only, else None.

    Its instances commute unless one loads in another way what another one stores.
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
    """The operations of a combiner that depend on what it captures alone."""
    known: set[SSAValue] = {*step.combiner.block.args[2 * len(step.lhs) :]}
    ops: set[Operation] = set()
    for op in step.combiner.block.ops:
        is_pure = bool(op.operands) and not op.regions and not isinstance(op, YieldOp)
        if is_pure and known.issuperset(op.operands):
            ops.add(op)
        if op in ops or isinstance(op, arith.ConstantOp):
            known.update(op.results)
    return ops


def makers_of_element(value: SSAValue, block: BlockOp) -> list[Operation] | None:
    """The operations in ``block`` that compute ``value``, in order, if it is the same for all terms
    of an element: from spatial variables of the block, and from what is known before it."""
    variables = zip(block.types, block.body.block.args, strict=True)
    spatial = [arg for kind, arg in variables if kind is IterType.SPATIAL]
    return makers_inside(value, block, spatial)


def _update(block: BlockOp, store: StoreOp, loads: list[LoadOp]) -> Update | None:
    """The update that ends with ``store``; what its buffer holds is one of ``loads``."""
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
        return None  # in another order, other partial results might overflow
    for held, term in ((step.lhs, step.rhs), (step.rhs, step.lhs)):
        load = _load_of(store, held, loads)
        if load is not None:
            return Update(load, term, step, store)
    return None


def _load_of(store: StoreOp, held: SSAValue, loads: list[LoadOp]) -> LoadOp | None:
    """The one of ``loads`` that gives ``held``, of the element that ``store`` stores; it is used by
    nothing else."""
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
