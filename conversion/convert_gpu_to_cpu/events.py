"""Barriers of some threads, mbarriers and asynchronous copies, as calls of the emulator.

::

    nvvm.barrier id = %i number_of_threads = %n

    func.call @kc_emu_named(%events, %thread, %i, %n, %site, %waits)
    func.call @kc_suspend()

The events that threads wait for are in the memory of the block at ``%events``. The emulator resumes
a thread when its event has occurred.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import MemRefType, UnrealizedConversionCastOp, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from kc.conversion.convert_gpu_to_cpu import SUSPEND
from kc.conversion.convert_gpu_to_cpu.kernel import INDEX, Emitter
from kc.conversion.convert_gpu_to_cpu.thread import Thread, ThreadPattern
from kc.dialects import llvm, nvvm
from kc.dialects.arith import CmpiOp
from kc.dialects.nvgpu import MAX_RANK, TensorMapDescriptorType
from kc.dialects.nvvm.mbarriers import TransactionOp
from kc.transforms.gpu._thread_segments import spins

# The operations on an mbarrier, in the order of ``emulator.c``.
_INIT, _INVALIDATE, _ARRIVE, _DROP, _EXPECT, _COMPLETE = range(6)
THREADS_REPEAT, BLOCKS_REPEAT = 1 << 14, 1 << 22
"""The maximum repetitions of a loop that waits for memory to change, before it counts as a
deadlock: if its block runs alone, and if other blocks run at the same time.
"""
COPIED = "copied"
"""The name of the access of an asynchronous copy."""


class EventEmitter(Emitter):
    """Emits calls of the emulator's functions for one thread."""

    def __init__(self, thread: Thread, rewriter: PatternRewriter, op: Operation) -> None:
        super().__init__(rewriter, op)
        self.thread = thread

    def event(self, name: str, arguments: Sequence[SSAValue]) -> None:
        """Call a function whose first arguments are the block and the thread."""
        numbers = self.thread.numbers
        self.call(name, [numbers["events"], numbers["thread"], *arguments])

    def result_of(self, name: str, arguments: Sequence[SSAValue], output: Attribute) -> SSAValue:
        """The result of such a call."""
        numbers = self.thread.numbers
        operands = [numbers["events"], numbers["thread"], *arguments]
        return self.call(name, operands, [output]).results[0]

    def wait(self) -> None:
        """Suspend the thread; the preceding call has recorded the event that it waits for."""
        self.call(SUSPEND, [])

    def address(self, pointer: SSAValue) -> SSAValue:
        """A pointer as a number."""
        word = self.emit(llvm.PtrToIntOp(pointer, i64))
        return self.emit(arith.IndexCastOp(word, INDEX))

    def site(self, what: str, pointer: SSAValue | None = None) -> SSAValue:
        """The number of this access site. A pointer identifies the buffer in reports."""
        module = self.thread.module
        if pointer is None:
            return self.number(module.site(self.op, what), i32)
        buffer, thread = _buffer(pointer), self.thread
        memory = "" if buffer is None else thread.memory(thread.root(buffer))
        name = "memory" if buffer is None else thread.buffer_name(buffer)
        return self.number(module.site(self.op, what, name, memory), i32)


def _buffer(pointer: SSAValue) -> SSAValue | None:
    """The memref from which a pointer was computed; None if unknown."""
    while isinstance(op := pointer.owner, Operation):
        if isinstance(op, memref.ExtractAlignedPointerAsIndexOp):
            return op.source
        if isinstance(op, func.CallOp) and op.callee.string_value() == MAPA:
            pointer = op.operands[2]
            continue
        is_step = isinstance(op, arith.IndexCastOp | arith.AddiOp) or op.name in _STEPS
        if not is_step:
            return None
        pointer = op.operands[0]
    return None


MAPA = "kc_emu_mapa"
_STEPS = ("llvm.inttoptr", "llvm.ptrtoint", "llvm.getelementptr", "llvm.addrspacecast")


class ConvertNamedBarrier(ThreadPattern):
    """``nvvm.barrier id = %i number_of_threads = %n``, and ``nvvm.barrier.arrive``, which does not
    wait.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.BarrierOp | nvvm.BarrierArriveOp, rewriter: PatternRewriter, /
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        zero = e.number(0, i32)
        waits = isinstance(op, nvvm.BarrierOp)
        arguments = [op.barrier_id or zero, op.number_of_threads or zero, e.site("barrier")]
        e.event("kc_emu_named", [*arguments, e.number(int(waits), i32)])
        if waits:
            e.wait()
        rewriter.erase(op)


class ConvertSpin(ThreadPattern):
    """Let the other threads continue before each repetition of a loop that waits for memory to
    change.

    ::

        scf.while : () -> () { ... } do {
          func.call @kc_emu_spin(%events, %thread, %most, %site)
          func.call @kc_suspend()
          ...
        }
        func.call @kc_emu_spun(%events, %thread)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.WhileOp, rewriter: PatternRewriter, /) -> None:
        first, following = op.after_region.block.first_op, op.next_op
        if not spins(op) or first is None or following is None:
            return
        thread = self.thread
        memories = [
            thread.memory(thread.root(operand))
            for inner in op.walk()
            for operand in inner.operands
            if isinstance(operand.type, MemRefType)
        ]
        is_of_blocks = "global" in memories and not thread.module.check
        e = EventEmitter(thread, rewriter, first)
        most = e.number(BLOCKS_REPEAT if is_of_blocks else THREADS_REPEAT, i32)
        e.event("kc_emu_spin", [most, e.number(thread.module.site(op, "loop"), i32)])
        e.wait()
        EventEmitter(thread, rewriter, following).event("kc_emu_spun", [])


class ConvertSyncWarp(ThreadPattern):
    """``nvvm.bar.warp.sync %mask : i32``: wait for the lanes of the mask."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.SyncWarpOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        e.event("kc_emu_lanes", [op.mask, e.site("barrier of lanes")])
        e.wait()
        rewriter.erase(op)


class ConvertMBarrier(ThreadPattern):
    """``%state = nvvm.mbarrier.arrive %p, %n : !llvm.ptr<3> -> i64``, and the other counting
    ops.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.MBarrierInitOp
        | nvvm.MBarrierInvalOp
        | nvvm.MBarrierArriveOp
        | nvvm.MBarrierArriveDropOp
        | nvvm.MBarrierArriveNocompleteOp
        | nvvm.MBarrierArriveDropNocompleteOp
        | nvvm.MBarrierArriveExpectTxOp
        | nvvm.MBarrierArriveDropExpectTxOp
        | nvvm.MBarrierExpectTxOp
        | nvvm.MBarrierCompleteTxOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        address, site = e.address(op.addr), e.site("mbarrier", op.addr)

        def change(what: int, count: SSAValue | None) -> SSAValue:
            count = e.number(1, i32) if count is None else count
            arguments = [e.number(what, i32), address, count, site]
            return e.result_of("kc_emu_mbarrier", arguments, i64)

        drops = _DROP if "arrive_drop" in op.name else _ARRIVE
        match op:
            case nvvm.MBarrierInitOp():
                before = change(_INIT, op.count)
            case nvvm.MBarrierInvalOp():
                before = change(_INVALIDATE, None)
            case nvvm.MBarrierArriveExpectTxOp() | nvvm.MBarrierArriveDropExpectTxOp():
                change(_EXPECT, op.txcount)
                before = change(drops, None)
            case TransactionOp():
                is_more = isinstance(op, nvvm.MBarrierExpectTxOp)
                before = change(_EXPECT if is_more else _COMPLETE, op.txcount)
            case _:
                before = change(drops, op.count)
        rewriter.replace(op, [], [before] if op.results else [])


class ConvertPhase(ThreadPattern):
    """``%done = nvvm.mbarrier.try_wait %p, %parity : !llvm.ptr<3>, i32 -> i1``, and similar waits.

    The thread resumes when the phase is complete, or with the result false if no thread can
    proceed.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.MBarrierTryWaitOp | nvvm.MBarrierTestWaitOp | nvvm.MBarrierTryWaitParityOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        phase = op.phase if isinstance(op, nvvm.MBarrierTryWaitParityOp) else op.state_or_phase
        is_state = phase.type == i64
        word = phase if is_state else e.emit(arith.ExtUIOp(phase, i64))
        flags = [e.number(int(is_state), i32), e.number(len(op.results), i32)]
        site = e.site("mbarrier", op.addr)
        e.event("kc_emu_phase", [e.address(op.addr), word, *flags, site])
        e.wait()
        if not op.results:
            rewriter.erase(op)
            return
        answer = e.result_of("kc_emu_is_complete", [], i32)
        rewriter.replace(op, CmpiOp(answer, e.number(0, i32), "ne"))


class ConvertCopy(ThreadPattern):
    """``nvvm.cp.async.shared.global %to, %from, 16, cache = cg``: the copy is done at the wait for
    it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.CpAsyncOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        size = e.number(op.size.value.data, i32)
        sites = [e.site(COPIED, op.dst), e.site("read", op.src)]
        addresses = [e.address(op.dst), e.address(op.src)]
        e.event("kc_emu_copy", [*addresses, size, op.cp_size or size, *sites])
        rewriter.erase(op)


class ConvertCopyGroup(ThreadPattern):
    """``nvvm.cp.async.commit.group`` and ``nvvm.cp.async.wait.group 1``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.CpAsyncCommitGroupOp | nvvm.CpAsyncWaitGroupOp, rewriter: PatternRewriter, /
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        if isinstance(op, nvvm.CpAsyncCommitGroupOp):
            e.event("kc_emu_commit", [])
        else:
            e.event("kc_emu_copies_done", [e.number(op.n.value.data, i32)])
        rewriter.erase(op)


class ConvertCopyArrival(ThreadPattern):
    """``nvvm.cp.async.mbarrier.arrive %p : !llvm.ptr<3>``: arrive when the thread's copies are
    done.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: nvvm.CpAsyncMBarrierArriveOp, rewriter: PatternRewriter, /
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        adds = e.number(int(not op.noinc.value.data), i32)
        e.event("kc_emu_copies_arrive", [e.address(op.addr), adds, e.site("mbarrier", op.addr)])
        rewriter.erase(op)


class ConvertBulkCopy(ThreadPattern):
    """``nvvm.cp.async.bulk.shared.cluster.global %to, %from, %mbarrier, %bytes``, and back.

    An mbarrier counts the bytes of copies to shared memory; copies to global memory belong to a
    group of their thread. Both are done at the wait for them.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkGlobalToSharedClusterOp | nvvm.CpAsyncBulkSharedCTAToGlobalOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        addresses = [e.address(op.dst_mem), e.address(op.src_mem), op.size]
        sites = [e.site(COPIED, op.dst_mem), e.site("read", op.src_mem)]
        if isinstance(op, nvvm.CpAsyncBulkGlobalToSharedClusterOp):
            mbarrier, site = e.address(op.mbar), e.site("mbarrier", op.mbar)
        else:
            mbarrier, site = e.number(0), e.number(0, i32)
        e.event("kc_emu_bulk", [*addresses, mbarrier, *sites, site])
        rewriter.erase(op)


class ConvertBoxCopy(ThreadPattern):
    """``nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %mbarrier, box[%x, %y]``, and
    the inverse copy.

    The map identifies its array. Counting and completion are those of other bulk copies.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp
        | nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        zero = e.number(0, i32)
        array = op.tma_descriptor.name_hint or "a tensor"
        if isinstance(op, nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp):
            shared, mbarrier = e.address(op.dst_mem), e.address(op.mbar)
            sites = [e.site(COPIED, op.dst_mem), self._of_array(op, "read", array, e)]
            sites.append(e.site("mbarrier", op.mbar))
        else:
            shared, mbarrier = e.address(op.src_mem), e.number(0)
            sites = [self._of_array(op, COPIED, array, e), e.site("read", op.src_mem), zero]
        place = [*op.coordinates, *[zero] * (MAX_RANK - len(op.coordinates))]
        map_ = e.address(op.tma_descriptor)
        mask = getattr(op, "multicast_mask", None)
        blocks = zero if mask is None else e.emit(arith.ExtUIOp(mask, i32))
        e.event("kc_emu_box", [shared, map_, mbarrier, *place, blocks, *sites])
        rewriter.erase(op)

    def _of_array(self, op: Operation, what: str, array: str, e: EventEmitter) -> SSAValue:
        """The number of this access site, for the array of the map."""
        return e.number(self.thread.module.site(op, what, array, "global"), i32)


class ReadMap(ThreadPattern):
    """``builtin.unrealized_conversion_cast %map``: the kernel receives the address of the map."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /
    ) -> None:
        if len(op.inputs) == 1 and isinstance(op.inputs[0].type, TensorMapDescriptorType):
            rewriter.replace(op, [], [op.inputs[0]])


class ConvertBulkGroup(ThreadPattern):
    """``nvvm.cp.async.bulk.commit.group`` and ``nvvm.cp.async.bulk.wait_group 1 {read}``"""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkCommitGroupOp | nvvm.CpAsyncBulkWaitGroupOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        if isinstance(op, nvvm.CpAsyncBulkCommitGroupOp):
            e.event("kc_emu_bulk_commit", [])
        else:
            reads = e.number(int(op.read is not None), i32)
            e.event("kc_emu_bulk_done", [e.number(op.group.value.data, i32), reads])
        rewriter.erase(op)


class ConvertClusterBarrier(ThreadPattern):
    """``nvvm.cluster.arrive`` and ``nvvm.cluster.wait``: for all threads of a cluster."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.ClusterArriveOp | nvvm.ClusterArriveRelaxedOp | nvvm.ClusterWaitOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        if isinstance(op, nvvm.ClusterWaitOp):
            e.event("kc_emu_cluster", [e.site("barrier of the cluster")])
            e.wait()
        else:
            orders = int(isinstance(op, nvvm.ClusterArriveOp))
            e.event("kc_emu_arrive", [e.number(orders, i32)])
        rewriter.erase(op)


class ConvertMapa(ThreadPattern):
    """``%there = nvvm.mapa %here, %rank``: the same address in another block of the cluster."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: nvvm.MapaOp, rewriter: PatternRewriter, /) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        operands = [e.address(op.a), op.b, e.site("mapped", op.a)]
        there = e.emit(arith.IndexCastOp(e.result_of(MAPA, operands, INDEX), i64))
        rewriter.replace(op, llvm.IntToPtrOp(there, op.res.type))


class ConvertFence(ThreadPattern):
    """``nvvm.fence.proxy`` makes writes of threads visible to bulk copies and products of four
    warps; ``nvvm.fence.mbarrier.init`` makes mbarriers visible to copies;
    ``nvvm.wgmma.fence.aligned`` lets products use registers that threads have written.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.FenceProxyOp | nvvm.FenceMbarrierInitOp | nvvm.WgmmaFenceAlignedOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        e = EventEmitter(self.thread, rewriter, op)
        if isinstance(op, nvvm.FenceMbarrierInitOp):
            e.event("kc_emu_fence_mbarriers", [])
        elif isinstance(op, nvvm.WgmmaFenceAlignedOp):
            e.event("kc_emu_fence_registers", [])
        elif op.kind.data.startswith("async"):
            e.event("kc_emu_fence", [])
        rewriter.erase(op)


class EraseHint(ThreadPattern):
    """Remove an operation that the emulator ignores."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self,
        op: nvvm.CpAsyncBulkPrefetchOp
        | nvvm.CpAsyncBulkTensorPrefetchOp
        | nvvm.PrefetchOp
        | nvvm.NanosleepOp,
        rewriter: PatternRewriter,
        /,
    ) -> None:
        rewriter.erase(op)


EVENT_PATTERNS: tuple[type[ThreadPattern], ...] = (
    ConvertSpin,
    ConvertNamedBarrier,
    ConvertSyncWarp,
    ConvertMBarrier,
    ConvertPhase,
    ConvertCopy,
    ConvertCopyGroup,
    ConvertCopyArrival,
    ConvertBulkCopy,
    ConvertBoxCopy,
    ReadMap,
    ConvertBulkGroup,
    ConvertClusterBarrier,
    ConvertMapa,
    ConvertFence,
    EraseHint,
)
