"""defer-wgmma-waits: the product of an iteration still runs while the next iteration begins.

Before::

    tir.for %k in 64 {
      tir.mbarrier_wait %full[%k mod 3] phase [%k floordiv 3] : memref<3xi64, "shared">
      %c0 = tir.load %C[0, 0, 0] : memref<1x1x64xf32, "local">
      ...
      %d = nvvm.wgmma.mma_async %a, %b, %s, ...
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 0
      %r0 = llvm.extractvalue %d[0] : ...
      tir.store %r0, %C[0, 0, 0] : memref<1x1x64xf32, "local">
      ...
      tir.mbarrier_arrive %empty[%k mod 3] : memref<3xi64, "shared">
    }

After::

    tir.for %k in 64 {
      ...
      nvvm.wgmma.commit.group.sync.aligned
      nvvm.wgmma.wait.group.sync.aligned 1
      ...
      tir.if (%k - 1 >= 0) {
        tir.mbarrier_arrive %empty[(%k - 1) mod 3] : memref<3xi64, "shared">
      }
    }
    nvvm.wgmma.wait.group.sync.aligned 0
    ...
    tir.mbarrier_arrive %empty[0] : memref<3xi64, "shared">

The tensor cores thus receive the next product before they finish the current one. An iteration
waits for the product of the previous iteration, and then releases its tiles. Products that add to
the same registers run one after the other anyway. After the loop, the code waits for the last
product and reads the registers.

The loop changes only under these conditions:

1. The iteration has one group of products, and nothing else in the loop accesses their registers.
2. After the wait, the iteration only releases tiles (``specialize-warps``). Any other operation
   there, such as a barrier, may protect the tiles.
3. Rings have two slots or more: with one slot, the copy of the next iteration would wait for this
   iteration.

If threads copy tiles themselves (``cp.async``), the copies of an iteration precede its product.
They are for a later product, and no barrier separates copies and product, so no thread depends on
the work of another thread there. The product is started first, and the copies run concurrently::

    gpu.barrier                                    gpu.barrier
    tir.for ... { ... {tir.async_copy} }           %d = nvvm.wgmma.mma_async ...
    nvvm.cp.async.commit.group                     nvvm.wgmma.commit.group.sync.aligned
    %d = nvvm.wgmma.mma_async ...                  tir.for ... { ... {tir.async_copy} }
    nvvm.wgmma.commit.group.sync.aligned           nvvm.cp.async.commit.group
    nvvm.wgmma.wait.group.sync.aligned 0           nvvm.wgmma.wait.group.sync.aligned 0

The loop and the code after it change together, so this is no rewrite pattern on one operation.

CUTLASS: ``warpgroup_wait<K>`` in the main loop of its SM90 collectives.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerAttr, MemRefType, ModuleOp
from xdsl.dialects.llvm import UndefOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.passes import ModulePass
from xdsl.traits import IsTerminator, is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.loop_tree import is_inside, memory_scope
from kc.dialects.llvm import ExtractValueOp, InsertValueOp
from kc.dialects.nvvm import (
    CpAsyncCommitGroupOp,
    WgmmaFenceAlignedOp,
    WgmmaGroupSyncAlignedOp,
    WgmmaMmaAsyncOp,
    WgmmaWaitGroupSyncOp,
)
from kc.dialects.tir import AllocOp, ForOp, IfOp, LoadOp, MBarrierArriveOp, StoreOp
from kc.dialects.tir.memory import ASYNC_COPY
from kc.transforms.tir.loops._iterations import guarded, iteration_of


@dataclass(frozen=True)
class DeferWgmmaWaitsPass(ModulePass):
    """Wait for products of four warps one iteration later."""

    name = "defer-wgmma-waits"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        for function in loop_tree.functions(op):
            for loop in loop_tree.loops(function):
                if loop.axis is None and (products := _products(loop)) is not None:
                    products.defer()
            for wait in [
                wait_op for wait_op in function.walk() if isinstance(wait_op, WgmmaWaitGroupSyncOp)
            ]:
                for copy in _copies_before(wait):
                    copy.detach()
                    assert wait.parent is not None
                    wait.parent.insert_op_before(copy, wait)


@dataclass
class _Products:
    """The products of an iteration, the wait for them, and the operations behind the wait."""

    loop: ForOp
    wait: WgmmaWaitGroupSyncOp
    total: SSAValue
    """The structure of the registers of the products."""
    stores: list[StoreOp]
    """The stores to registers that the next iteration reads, in order."""
    arrivals: list[MBarrierArriveOp]

    def defer(self) -> None:
        """Wait for the products one iteration later."""
        loop, home = self.loop, self.loop.parent
        assert home is not None
        self.wait.group = IntegerAttr(1, self.wait.group.type)
        before, last = AffineExpr.dimension(0) - 1, AffineExpr.dimension(0) - 1
        extent = loop.extent_value
        operands = [] if isinstance(extent, int) else [extent]
        if isinstance(extent, int):
            last = AffineExpr.constant(extent - 1)
        earlier = iteration_of(self.arrivals, loop.var, before, [loop.var])
        behind = [
            *self._wait_for_last(),
            *iteration_of(self.arrivals, loop.var, last, operands),
        ]
        if not isinstance(extent, int):
            behind = [guarded(AffineExpr.dimension(0) - 1, [extent], behind)]
        loop.body.block.add_op(guarded(before, [loop.var], earlier))
        home.insert_ops_after(behind, loop)
        for arrival in self.arrivals:
            arrival.detach()
            arrival.erase()

    def _wait_for_last(self) -> list[Operation]:
        """Load the registers, wait, and store their final values."""
        begin = UndefOp(self.total.type)
        ops: list[Operation] = [begin]
        whole = begin.res
        places = [_place(store) for store in self.stores]
        for number, (store, place) in enumerate(zip(self.stores, places, strict=True)):
            load = LoadOp(store.buffer, *place)
            insert = InsertValueOp((number,), whole, load.result)
            ops += [load, insert]
            whole = insert.results[0]
        ops.append(WgmmaWaitGroupSyncOp(0))
        for store, place in zip(self.stores, places, strict=True):
            old = store.value.owner
            assert isinstance(old, ExtractValueOp)
            word = ExtractValueOp(old.position.get_values(), whole, old.res.type)
            ops += [word, StoreOp(word.res, store.buffer, *place)]
        for op in ops:
            op.location = self.wait.location
        return ops


def _products(loop: ForOp) -> _Products | None:
    """The products of each iteration, if the wait may move to the next iteration; else None."""
    ops = list(loop.body.block.ops)
    groups = [op for op in loop.walk() if isinstance(op, WgmmaGroupSyncAlignedOp)]
    waits = [op for op in loop.walk() if isinstance(op, WgmmaWaitGroupSyncOp)]
    if len(groups) != 1 or len(waits) != 1 or loop.static_extent == 0:
        return None
    (wait,) = waits
    if wait not in ops or wait.group.value.data:
        return None
    behind = ops[ops.index(wait) + 1 :]
    arrivals = [op for op in behind if isinstance(op, MBarrierArriveOp)]
    stores = [op for op in behind if isinstance(op, StoreOp)]
    rest = [op for op in behind if not isinstance(op, MBarrierArriveOp | StoreOp)]
    if not arrivals or not all(is_side_effect_free(op) for op in rest):
        return None
    for arrival in arrivals:
        values = [value for value in arrival.operands_of_map if value is not loop.var]
        if _slots(arrival) < 2 or not all(_is_outside(value, loop) for value in values):
            return None
    total = _total(stores)
    if total is None or not all(_is_kept(store, loop, stores) for store in stores):
        return None
    return _Products(loop, wait, total, stores, arrivals)


def _copies_before(wait: WgmmaWaitGroupSyncOp) -> list[Operation]:
    """The copies before the products of a wait that may also run after the products."""
    ops: list[Operation] = []
    op = wait.prev_op
    while op is not None and (_is_of_products(op) or is_side_effect_free(op)):
        op = op.prev_op
    while op is not None and (_is_copy(op) or is_side_effect_free(op)):
        if _is_copy(op):
            ops.append(op)
        op = op.prev_op
    # The commit has to stay with the copies.
    return ops[::-1] if ops and isinstance(ops[0], CpAsyncCommitGroupOp) else []


def _is_of_products(op: Operation) -> bool:
    """True if an operation starts products, or loads their sums from registers."""
    if isinstance(op, LoadOp):
        return memory_scope(op.buffer) == "local"
    return isinstance(op, WgmmaFenceAlignedOp | WgmmaMmaAsyncOp | WgmmaGroupSyncAlignedOp)


def _is_copy(op: Operation) -> bool:
    """True if ``op`` only copies to shared memory asynchronously."""
    if isinstance(op, CpAsyncCommitGroupOp):
        return True
    return isinstance(op, ForOp) and all(map(_is_part_of_copy, op.walk()))


def _is_part_of_copy(op: Operation) -> bool:
    if isinstance(op, LoadOp):
        return memory_scope(op.buffer) == "global"
    if isinstance(op, StoreOp):
        return ASYNC_COPY in op.attributes
    is_control = isinstance(op, ForOp | IfOp | scf.IfOp) or op.has_trait(IsTerminator)
    return is_control or is_side_effect_free(op)


def _slots(arrival: MBarrierArriveOp) -> int:
    type_ = arrival.ring.type
    assert isinstance(type_, MemRefType)
    return type_.get_shape()[0]


def _place(store: StoreOp) -> tuple[AffineMap, list[SSAValue]]:
    """The indices of a store as a map over operands that are not themselves computed from
    indices.
    """
    index = IndexValues()
    exprs = [index.compose(expr, store.operands_of_map) for expr in store.indices.data.results]
    map_, operands = index.to_map(exprs)
    return map_, list(operands)


def _is_outside(value: SSAValue, loop: ForOp) -> bool:
    """True if a value is defined before a loop."""
    home = value.owner.parent if isinstance(value.owner, Operation) else value.owner
    around = home.parent_op() if home is not None else None
    return around is not None and around is not loop and not is_inside(around, loop)


def _total(stores: list[StoreOp]) -> SSAValue | None:
    """The structure of registers of a product that ``stores`` save completely and in order; else
    None.
    """
    values = [store.value.owner for store in stores]
    words = [op for op in values if isinstance(op, ExtractValueOp)]
    containers = list(dict.fromkeys(op.container for op in words))
    if len(words) < len(stores) or len(containers) != 1:
        return None
    (total,) = containers
    positions = [tuple(op.position.get_values()) for op in words]
    used = {use.operation for use in total.uses}
    count = len(getattr(total.type, "types", ()))
    is_whole = positions == [(number,) for number in range(count)] and used == set(words)
    return total if is_whole and isinstance(total.owner, WgmmaMmaAsyncOp) else None


def _is_kept(store: StoreOp, loop: ForOp, stores: list[StoreOp]) -> bool:
    """True if a register is stored where the next iteration's product loads it, and nothing else in
    the loop accesses it.
    """
    buffer = store.buffer
    if not isinstance(buffer.owner, AllocOp) or len(list(store.value.uses)) != 1:
        return False
    if not all(_is_outside(value, loop) for value in _place(store)[1]):
        return False
    for use in buffer.uses:
        op = use.operation
        if not is_inside(op, loop) or op in stores:
            continue
        if not isinstance(op, LoadOp) or op.parent is not loop.body.block:
            return False
        if not all(isinstance(user.operation, InsertValueOp) for user in op.result.uses):
            return False
    return True
