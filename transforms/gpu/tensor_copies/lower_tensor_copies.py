"""lower-tensor-copies: lower copies of boxes to the copy unit of a GPU (TMA), and their mbarriers.

Before::

    tir.for %t in 128 thread "threadIdx.x" {
      tir.mbarrier_init %full : memref<3xi64, "shared">
      ...
      tir.mbarrier_expect %full[%k mod 3], 8192 : memref<3xi64, "shared">
      tir.load_box %a, %s, %b : ...
      tir.mbarrier_wait %full[%k mod 3] phase [%k floordiv 3] : memref<3xi64, "shared">

After::

    %map = nvgpu.tma.create.descriptor %A box[%c64, %c64] : ... -> <tensor = memref<64x64xf16, ...>,
        swizzle = swizzle_128b, ...>
    tir.for %t in 128 thread "threadIdx.x" {
      tir.if (31 - %t >= 0) { scf.if %elected { nvvm.mbarrier.init %p, %arrivals ... } }
      gpu.barrier
      ...
      tir.if (31 - %t >= 0) {
        scf.if %elected {
          nvvm.mbarrier.arrive.expect_tx %p, %bytes ...
          nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %place, %p, box[%column, %row] ...
        }
      }
      nvvm.mbarrier.try_wait.parity %p, %parity, %time ...

The host makes a map of each array whose boxes are copied. The map describes the layout of the boxes
in shared memory, which follows from the shape and the swizzle of the buffer there, as products of
four warps read it. Consecutive operations of one thread are in one branch, taken by the lane of the
first warp that ``elect.sync`` chooses: this tells the assembler that a single thread runs it. A
producer (``specialize-warps``) does all its work in one such branch; a barrier of the consumers
contains the number of its threads (``nvvm.barrier``). Neighbouring operations are lowered together,
and the host's part depends on all copies of a kernel, so this is not a rewrite pattern.

Requires: one nest of loops of threads around each kernel (``unify-thread-binding``), and buffers
whose swizzles are not applied yet (``swizzle-storage``). *Legal when*

1. KC4250: a map can express the boxes, in global and in shared memory, and they are the same for
   all threads.
2. KC4252: the annotated blocks can form clusters (:mod:`._clusters`).

TVM: ``cp.async.bulk`` of bytes alone; CUTLASS and Triton also make maps.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.context import Context
from xdsl.dialects import memref, scf
from xdsl.dialects.arith import AddiOp, ConstantOp, IndexCastOp, ShLIOp
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    UnrankedMemRefType,
    UnrealizedConversionCastOp,
    i16,
    i32,
    i64,
)
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import (
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineExpr,
    AffineSet,
)
from xdsl.passes import ModulePass
from xdsl.traits import is_side_effect_free

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.gpu.shared_memory import BEGINS_AT, SWIZZLED_ALIGNMENT, alignment_of
from kc.analysis.gpu.vector_alignment import divisor
from kc.analysis.loop_tree import buffer_name, memory_scope
from kc.dialects import nvvm
from kc.dialects.gpu import BarrierOp
from kc.dialects.llvm import AddrSpaceCastOp, IntToPtrOp
from kc.dialects.memref_views import ExtractAlignedPointerAsIndexOp
from kc.dialects.nvgpu import (
    MAX_RANK,
    WORKGROUP,
    TensorMapDescriptorType,
    TmaCreateDescriptorOp,
)
from kc.dialects.nvvm.base import CLUSTER_POINTER, FALSE, GENERIC_POINTER, SHARED_POINTER
from kc.dialects.nvvm.enums import TMALoadModeAttr, TMAStoreModeAttr
from kc.dialects.tir import (
    INDEX,
    AllocOp,
    ApplyOp,
    ForOp,
    IfOp,
    LoadBoxOp,
    LoadOp,
    MBarrierArriveOp,
    MBarrierExpectOp,
    MBarrierInitOp,
    MBarrierWaitOp,
    StoreBoxOp,
    ViewOp,
)
from kc.dialects.tir.threads import LANE_AXES
from kc.dialects.tir.views import strides_of
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.gpu.binding.unify_thread_binding import axes_of, kernel_roots, launch_loops
from kc.transforms.gpu.sync.specialize_warps import PRODUCER, ROLE, is_of_producer, role_of
from kc.transforms.gpu.sync.thread_sync import ROW
from kc.transforms.gpu.tensor_copies._box_stores import stored_again, waits_for
from kc.transforms.gpu.tensor_copies._clusters import Cluster, Peers, cluster_of
from kc.transforms.tir.storage.swizzle_storage import swizzle_of

WARP = 32
UNIT = 16
"""The alignment in bytes of addresses, strides and rows of boxes (CUDA driver API,
``cuTensorMapEncodeTiled``)."""
BOX_ALIGNMENT = 128
"""The alignment in bytes of a box in shared memory (PTX ISA, "Tensors")."""
ROWS = 8
"""The rows after which the pattern of a swizzle repeats."""
SPANS = (32, 64, 128)
"""The row lengths in bytes for which a swizzle exists."""
TRY_NANOSECONDS = 1_000_000
"""The time in nanoseconds for which a wait sleeps before it checks again."""

CONSUMERS = 1
"""The number of the barrier of the computing threads; the barrier of all threads has number 0."""

_ONE_THREAD = (LoadBoxOp, StoreBoxOp, MBarrierExpectOp)


@dataclass
class _Box:
    """A copy, and its map."""

    op: LoadBoxOp | StoreBoxOp
    array: ViewOp
    """The part of the array that the map describes."""
    tile: ViewOp
    """The part of shared memory."""
    slot: ViewOp | None
    """The mbarrier that counts the copy; None for a store."""
    map: TensorMapDescriptorType
    peers: Peers | None = None
    """The blocks that receive the box. Each of them copies a part of the box's rows to all."""

    def part(self, first: int) -> AffineExpr:
        """The first row of the part that a block copies. The variables of the loops of the cluster
        are dimensions from ``first`` on."""
        rows = self.map.tensor.get_shape()[self.array.positions[-2]]
        assert self.peers is not None
        loops = range(first, first + len(self.peers.cluster.sizes))
        variables = [AffineExpr.dimension(n) for n in loops]
        return self.peers.number.replace_dims_and_symbols(variables, []) * rows


@dataclass
class _Kernel:
    """A kernel with mbarriers."""

    root: ForOp
    cluster: Cluster | None = None
    boxes: list[_Box] = field(default_factory=list)
    maps: dict[tuple[SSAValue, TensorMapDescriptorType], SSAValue] = field(default_factory=dict)

    def apart(self) -> list[dict[ForOp, int]]:
        """The offsets, along the axes of the cluster, from a block to the blocks to which it
        multicasts boxes, starting with the block itself. The blocks that send boxes to it have the
        opposite offsets.
        """
        apart: list[dict[ForOp, int]] = [{}]
        for box in self.boxes:
            for at in box.peers.apart() if box.peers else ():
                far = {loop: count for loop, count in at.items() if count}
                if far not in apart:
                    apart.append(far)
        return apart


@dataclass(frozen=True)
class LowerTensorCopiesPass(ModulePass):
    """Lower copies of boxes and mbarriers to instructions, and create the maps on the host."""

    name = "lower-tensor-copies"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        kernels: list[_Kernel] = []
        target = target_of(op)
        for function in loop_tree.functions(op):
            for root in kernel_roots(function):
                kernel = _Kernel(root, cluster_of(root, target))
                kernel.boxes = [
                    _box(inner, kernel)
                    for inner in root.walk()
                    if isinstance(inner, LoadBoxOp | StoreBoxOp)
                ]
                kernels.append(kernel)
        for kernel in kernels:
            if kernel.boxes:
                _lower(kernel)


# Checks ---------------------------------------------------------------------------------------


def _box(op: LoadBoxOp | StoreBoxOp, kernel: _Kernel) -> _Box:
    """The map of a copy. Raises CodegenError KC4250 if no map can express it."""
    root = kernel.root
    source, target = op.source.owner, op.target.owner
    slot = op.mbarrier.owner if isinstance(op, LoadBoxOp) else None
    if isinstance(op, StoreBoxOp):
        source, target = target, source
    assert isinstance(source, ViewOp)
    assert isinstance(target, ViewOp)
    assert slot is None or isinstance(slot, ViewOp)
    why = _of_threads((source, target)) or _not_in_global(source, root, op)
    if why is not None:
        word = "tma_load" if isinstance(op, LoadBoxOp) else "tma_store"
        raise _no_box(op, source.buffer, why, [f"copy by vectorized loops instead of {word}"])
    swizzle, why = _swizzle(target)
    if why is not None:
        raise _no_box(op, target.buffer, why, _swizzle_hints(target))
    type_ = source.buffer.type
    assert isinstance(type_, MemRefType)
    shape = [1] * type_.get_num_dims()
    tile = source.result.type
    assert isinstance(tile, MemRefType)
    for position, size in zip(source.positions, tile.get_shape(), strict=True):
        shape[position] = size
    peers = None if slot is None else _peers(op, (source, target, slot), kernel)
    if peers is not None:
        shape[source.positions[-2]] //= peers.size
    tensor = MemRefType(type_.element_type, shape, memory_space=WORKGROUP)
    return _Box(op, source, target, slot, TensorMapDescriptorType.of(tensor, swizzle), peers)


def _peers(op: Operation, views: Sequence[ViewOp], kernel: _Kernel) -> Peers | None:
    """The blocks of a cluster that each copy a part of a box to all of them. The producers of all
    blocks must execute the copy in the same step, and the parts must be aligned like boxes. None if
    no group of blocks qualifies.
    """
    if kernel.cluster is None or not is_of_producer(op):
        return None
    tile = views[1].result.type
    assert isinstance(tile, MemRefType)
    *_, rows, columns = tile.get_shape()
    if rows % ROWS:
        return None
    peers = kernel.cluster.peers(op, views, kernel.root, pieces=rows // ROWS)
    if peers is None or rows // peers.size * columns * _element_bytes(tile) % BOX_ALIGNMENT:
        return None
    return peers


def _no_box(
    op: LoadBoxOp | StoreBoxOp, buffer: SSAValue, why: str, hints: Sequence[str]
) -> CodegenError:
    tile = op.source.type
    assert isinstance(tile, MemRefType)
    shape = " x ".join(map(str, tile.get_shape()))
    return CodegenError(
        "KC4250",
        f"lower-tensor-copies: boxes of {shape} of {buffer_name(buffer)} cannot be copied as a "
        "whole",
        location=location_of(op),
        why=why,
        hints=hints,
    )


def _of_threads(views: Sequence[ViewOp]) -> str | None:
    axes = {
        axis
        for view in views
        for value in view.operands_of_map
        for axis in axes_of(value)
        if axis in LANE_AXES
    }
    if axes:
        return f"the box depends on {sorted(axes)[0]}, but one thread copies it for the whole block"
    return None


def _not_in_global(view: ViewOp, root: ForOp, copy: LoadBoxOp | StoreBoxOp) -> str | None:
    """The reason why no map can express the array of a copy in global memory; None if a map can."""
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    name, size = buffer_name(view.buffer), _element_bytes(type_)
    rank = type_.get_num_dims()
    if memory_scope(view.buffer) != "global":
        return (
            f'{name} is in "{memory_scope(view.buffer)}" memory, but a tensor map describes a '
            "global "
            "array"
        )
    if rank > MAX_RANK:
        return f"{name} has {rank} dimensions, a tensor map has at most {MAX_RANK}"
    *outer, last = strides_of(type_)
    if last != 1 or view.positions[-1] != rank - 1:
        return f"neighbours in a row of the box are not adjacent in {name}"
    for dim, stride in enumerate(outer):
        if stride is None:
            return (
                f"the stride of dimension {dim} of {name} is known only at the call, but must be a "
                f"multiple of {UNIT} bytes"
            )
        if stride * size % UNIT:
            return (
                f"the stride of dimension {dim} of {name} is {stride * size} bytes, not a multiple "
                f"of {UNIT}"
            )
    base = base_buffer(view.buffer)
    is_load = isinstance(copy, LoadBoxOp)
    harmless = (LoadOp, LoadBoxOp) if is_load else (StoreBoxOp,)
    for op in root.walk():
        if not isinstance(op, (*harmless, ViewOp, memref.DimOp)) and any(
            base_buffer(operand) is base
            for operand in op.operands
            if isinstance(operand.type, MemRefType)
        ):
            if is_load:
                return f"the kernel also writes {name}, and not through the copy unit that reads it"
            return f"the kernel also uses {name}, and not through the copy unit that writes it"
    return None


def _swizzle(view: ViewOp) -> tuple[str, str | None]:
    """The swizzle of the boxes of a buffer in shared memory, as the word of a map, and the reason
    why no map can address its elements; None if a map can.
    """
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    tile = view.result.type
    assert isinstance(tile, MemRefType)
    name, size = buffer_name(view.buffer), _element_bytes(type_)
    row = tile.get_shape()[-1] * size
    strides = strides_of(type_)
    down, across = view.positions[-2:]
    apart = strides[down]
    if strides[across] != 1 or apart is None or apart * size != row:
        rows = "an unknown number of" if apart is None else str(apart * size)
        return "", (
            f"the rows of a box are {row} bytes apart, but the rows of {name} are {rows} bytes "
            "apart"
        )
    swizzle = swizzle_of(view.buffer)
    if swizzle is None:
        word, unit = "none", BOX_ALIGNMENT
    elif row not in SPANS:
        return "", f"rows of a box have {row} bytes, but a swizzle needs 32, 64 or 128"
    else:
        word, unit = f"swizzle_{row}b", max(ROWS * row, BOX_ALIGNMENT)
        linear = np.arange(swizzle.places.size).reshape(swizzle.places.shape) * size
        if (linear ^ (linear >> 3 & row - UNIT) != swizzle.places * size).any():
            return "", f"{swizzle.text} is not the swizzle of rows of {row} bytes"
    index = IndexValues()
    for dim, (expr, stride) in enumerate(zip(view.indices.data.results, strides, strict=True)):
        steps = divisor(index.compose(expr, view.operands_of_map)) * (stride or 0) * size
        if steps % unit:
            return "", (
                f"boxes begin at multiples of {steps} bytes along dimension {dim} of {name}, but "
                f"boxes with rows of {row} bytes must begin at multiples of {unit}"
            )
    return word, None


def _swizzle_hints(view: ViewOp) -> list[str]:
    """Hints with a swizzle that a map can express."""
    type_ = view.buffer.type
    assert isinstance(type_, MemRefType)
    size = _element_bytes(type_)
    tile = view.result.type
    assert isinstance(tile, MemRefType)
    row = tile.get_shape()[-1] * size
    if strides_of(type_)[view.positions[-2]] != tile.get_shape()[-1]:
        return [f"swizzle {buffer_name(view.buffer)} instead of using storage_align"]
    if row not in SPANS:
        return [f"make a row 32, 64 or 128 bytes long: up to {128 // size} elements"]
    each, pieces, repeat = UNIT // size, row // UNIT, 128 // row
    *names, i, j = [f"i{n}" for n in range(type_.get_num_dims())]
    rows = f"{i} // {repeat}" if repeat > 1 else i
    places = [*names, i, f"({j} // {each} ^ {rows} % {pieces}) * {each} + {j} % {each}"]
    return [
        f"transform_layout of {buffer_name(view.buffer)} by lambda {', '.join([*names, i, j])}: "
        f"[{', '.join(places)}]"
    ]


def _element_bytes(type_: MemRefType) -> int:
    element = type_.element_type
    assert isinstance(element, FixedBitwidthType)
    return element.bitwidth // 8


# Rewriting ------------------------------------------------------------------------------------


def _lower(kernel: _Kernel) -> None:
    root = kernel.root
    for box in kernel.boxes:
        alloc = box.tile.buffer.owner
        assert isinstance(alloc, AllocOp)
        least = BOX_ALIGNMENT if box.map.span == 0 else SWIZZLED_ALIGNMENT
        least = max(least, alignment_of(box.tile.buffer))
        alloc.attributes[BEGINS_AT] = IntegerAttr(least, i64)
        key = box.array.buffer, box.map
        if key not in kernel.maps:
            kernel.maps[key] = _make_map(root, *key)
    arrivals = {op.ring for op in root.walk() if isinstance(op, MBarrierArriveOp)}
    for op in list(root.walk()):
        if isinstance(op, MBarrierExpectOp):
            _go_past_barrier(op)
    by_op: dict[Operation, _Box] = {box.op: box for box in kernel.boxes}
    arrives = stored_again([box.op for box in kernel.boxes if isinstance(box.op, StoreBoxOp)])
    body = launch_loops(root)[-1].body.block
    for branch in [op for op in body.ops if ROLE in op.attributes]:
        assert isinstance(branch, IfOp)
        if branch.attributes[ROLE] == StringAttr(PRODUCER):
            ops = [op for op in branch.then.block.ops if not isinstance(op, nvvm.SetMaxRegisterOp)]
            for op in ops:
                op.detach()
            branch.then.block.add_op(one_thread(ops, root, LANE_AXES[:1]))
    _count_barriers(root)
    for block in list(_blocks(body)):
        for run in list(_runs(block)):
            guard = _guard(run, root, arrives=arrives)
            tiles = {
                base
                for op in guard.walk()
                if isinstance(op, StoreBoxOp) and (base := base_buffer(op.source)) is not None
            }
            for place in waits_for(guard, tiles, root) if tiles and not arrives else ():
                wait: Operation = nvvm.CpAsyncBulkWaitGroupOp(0, read=True)
                wait.location = run[0].location
                place(one_thread([wait], root))
    apart = kernel.apart()
    blocks = len(apart)
    for op in list(root.walk()):
        if isinstance(op, MBarrierInitOp):
            is_empty = op.ring in arrivals
            _lower_init(op, root, op.count * (blocks if is_empty else 1), is_of_cluster=blocks > 1)
        elif isinstance(op, MBarrierExpectOp):
            emit = _Emitter(op)
            (slot,) = op.indices.data.results
            place = emit.pointer(op.ring, slot * 8, op.operands_of_map)
            emit.add(nvvm.MBarrierArriveExpectTxOp(place, emit.i32(op.bytes.value.data)))
            op.detach()
            op.erase()
        elif isinstance(op, MBarrierWaitOp):
            _lower_wait(op)
        elif isinstance(op, MBarrierArriveOp):
            _lower_arrive(op, kernel, apart)
        elif isinstance(op, LoadBoxOp | StoreBoxOp):
            _lower_box(by_op[op], kernel)
    if blocks > 1:  # the shared memory of a block must live until all arrivals of other blocks
        for end in (nvvm.ClusterArriveOp(), nvvm.ClusterWaitOp()):
            end.location = root.location
            body.add_op(end)


def _go_past_barrier(op: MBarrierExpectOp) -> None:
    """Move the announcement of the expected bytes after the barrier that precedes the copies."""
    after = op.next_op
    while after is not None and is_side_effect_free(after):
        after = after.next_op
    if isinstance(after, BarrierOp):
        home = op.parent
        assert home is not None
        op.detach()
        home.insert_op_after(op, after)


def _blocks(block: Block) -> Iterator[Block]:
    """``block`` and the blocks inside it, without code of a single thread."""
    yield block
    for op in block.ops:
        if not _is_of_one_thread(op):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _blocks(inner)


def _is_of_one_thread(op: Operation) -> bool:
    """True if ``op`` only contains work that one thread does for all threads."""
    if isinstance(op, _ONE_THREAD):
        return True
    if op.attributes.get(ROLE) == StringAttr(PRODUCER):
        return True  # the producer is already a single thread
    if not isinstance(op, ForOp) or op.axis is not None:
        return False
    inner = list(op.body.block.ops)
    return any(map(_is_of_one_thread, inner)) and all(
        _is_of_one_thread(statement) or is_side_effect_free(statement) for statement in inner
    )


def _runs(block: Block) -> Iterator[list[Operation]]:
    """Consecutive operations of one thread, with no operation in between that has an effect."""
    run: list[Operation] = []
    for op in block.ops:
        if _is_of_one_thread(op) and ROLE not in op.attributes:
            run.append(op)
        elif run and not is_side_effect_free(op):
            yield run
            run = []
    if run:
        yield run


def _guard(run: list[Operation], root: ForOp, *, arrives: bool) -> IfOp:
    """Put operations into the branch of one thread of the block.

    The stores of the branch are committed as a group; with ``arrives``, the thread waits until they
    have arrived.
    """
    first = run[0]
    home = first.parent
    assert home is not None
    between = []
    op: Operation | None = first
    while op is not run[-1] and op is not None:
        if op not in run:
            between.append(op)
        op = op.next_op
    for pure in between:
        pure.detach()
        home.insert_op_before(pure, first)
    marker = run[-1].next_op
    for op in run:
        op.detach()
    group: list[Operation] = []
    if any(isinstance(inner, StoreBoxOp) for op in run for inner in op.walk()):
        group.append(nvvm.CpAsyncBulkCommitGroupOp())
        group += [nvvm.CpAsyncBulkWaitGroupOp(0)] if arrives else []
    for op in group:
        op.location = run[-1].location
    guard = one_thread([*run, *group], root)
    if marker is None:
        home.add_op(guard)
    else:
        home.insert_op_before(guard, marker)
    return guard


def one_thread(ops: Sequence[Operation], root: ForOp, axes: Sequence[str] = LANE_AXES) -> IfOp:
    """``ops`` in the branch of one thread of a block, the first along ``axes``.

    If there are whole warps along x, the first warp elects the thread.
    """
    lanes = {loop.axis: loop for loop in launch_loops(root) if loop.axis in axes}
    x = lanes.get(LANE_AXES[0])
    extent = None if x is None else x.static_extent
    is_whole = extent is not None and extent % WARP == 0
    operands: list[SSAValue] = []
    conditions: list[AffineConstraintExpr] = []
    for axis, loop in lanes.items():
        number = AffineExpr.dimension(len(operands))
        operands.append(loop.var)
        most = WARP - 1 if axis == LANE_AXES[0] and is_whole else 0
        conditions.append(
            AffineConstraintExpr(
                AffineConstraintKind.ge,
                AffineExpr.constant(most) - number,
                AffineExpr.constant(0),
            )
        )
    body = list(ops)
    if is_whole:
        elect = nvvm.ElectSyncOp()
        branch = scf.IfOp(elect.pred, [], [*body, scf.YieldOp()])
        for op in (elect, branch):
            op.location = ops[0].location
        body = [elect, branch]
    guard = IfOp(AffineSet(len(operands), 0, tuple(conditions)), operands, Region(Block(body)))
    guard.location = ops[0].location
    return guard


class _Emitter:
    """Inserts operations before an operation, with its location."""

    def __init__(self, op: Operation) -> None:
        self.op = op
        self.index = IndexValues()

    def add(self, new: Operation) -> Operation:
        home = self.op.parent
        assert home is not None
        new.location = self.op.location
        home.insert_op_before(new, self.op)
        return new

    def emit(self, new: Operation) -> SSAValue:
        return self.add(new).results[0]

    def i32(self, number: int) -> SSAValue:
        return self.emit(ConstantOp(IntegerAttr(number, i32)))

    def apply(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
        """The value of an expression over indices."""
        map_, values = self.index.to_map([self.index.compose(expr, operands)])
        return self.emit(ApplyOp(map_.results[0], values))

    def pointer(self, buffer: SSAValue, expr: AffineExpr, operands: Sequence[SSAValue]) -> SSAValue:
        """A pointer to byte ``expr`` of a buffer in shared memory."""
        begin = self.emit(
            ExtractAlignedPointerAsIndexOp.build(operands=[buffer], result_types=[INDEX])
        )
        place = self.emit(AddiOp(begin, self.apply(expr, operands)))
        address = self.emit(IndexCastOp(place, i64))
        return self.emit(IntToPtrOp(address, SHARED_POINTER))


def _make_map(root: ForOp, buffer: SSAValue, type_: TensorMapDescriptorType) -> SSAValue:
    """Create a map on the host, before the kernel."""
    emit = _Emitter(root)
    source = buffer.type
    assert isinstance(source, MemRefType)
    whole = UnrankedMemRefType.from_type(source.element_type, source.memory_space)
    cast = emit.emit(memref.CastOp.get(buffer, whole))
    sizes = [
        emit.emit(ConstantOp.from_int_and_width(size, INDEX)) for size in type_.tensor.get_shape()
    ]
    map_ = emit.emit(TmaCreateDescriptorOp(cast, sizes, type_))
    map_.name_hint = buffer.name_hint
    return map_


def _lower_init(op: MBarrierInitOp, root: ForOp, count: int, *, is_of_cluster: bool) -> None:
    """Initialize each mbarrier of a ring with its number of arrivals, and make the initialization
    visible to all threads and the copy unit.
    """
    type_ = op.ring.type
    assert isinstance(type_, MemRefType)
    place = Block()
    marker = nvvm.FenceMbarrierInitOp()
    marker.location = op.location
    place.add_op(marker)
    emit = _Emitter(marker)
    for slot in range(type_.get_shape()[0]):
        pointer = emit.pointer(op.ring, AffineExpr.constant(8 * slot), [])
        emit.add(nvvm.MBarrierInitOp(pointer, emit.i32(count)))
    ops = list(place.ops)
    for inner in ops:
        inner.detach()
    home = op.parent
    assert home is not None
    after = op.next_op
    while isinstance(after, AllocOp):
        after = after.next_op
    home.insert_op_before(one_thread(ops, root), op)
    if not isinstance(after, MBarrierInitOp):
        waits: list[Operation] = [BarrierOp()]
        if is_of_cluster:
            waits = [nvvm.ClusterArriveOp(), nvvm.ClusterWaitOp()]
        for wait in waits:
            wait.location = op.location
        home.insert_ops_before(waits, op)
    op.detach()
    op.erase()


def _lower_wait(op: MBarrierWaitOp) -> None:
    emit = _Emitter(op)
    slot, phase = op.indices.data.results
    place = emit.pointer(op.ring, slot * 8, op.operands_of_map)
    parity = emit.emit(IndexCastOp(emit.apply(phase % 2, op.operands_of_map), i32))
    emit.add(nvvm.MBarrierTryWaitParityOp(place, parity, emit.i32(TRY_NANOSECONDS)))
    op.detach()
    op.erase()


def _lower_arrive(op: MBarrierArriveOp, kernel: _Kernel, apart: Sequence[dict[ForOp, int]]) -> None:
    """Make one lane of a warp arrive after all its lanes have finished, in all blocks that
    multicast boxes to this block.

    The memory order is limited to the block: no thread of another block reads data that this block
    wrote, and a release for the whole cluster would wait for all memory in each step.
    """
    emit = _Emitter(op)
    emit.add(nvvm.SyncWarpOp(emit.i32(-1)))
    elected = emit.emit(nvvm.ElectSyncOp())
    branch = scf.IfOp(elected, [], [scf.YieldOp()])
    emit.add(branch)
    (slot,) = op.indices.data.results
    last = branch.true_region.block.last_op
    assert last is not None
    last.location = op.location
    inside = _Emitter(last)
    place = inside.pointer(op.ring, slot * 8, op.operands_of_map)
    cluster = kernel.cluster
    if len(apart) == 1 or cluster is None:
        inside.add(nvvm.MBarrierArriveOp(place))
    elif len(apart) == cluster.size:
        for rank in range(cluster.size):
            there = inside.emit(nvvm.MapaOp(place, inside.i32(rank)))
            inside.add(nvvm.MBarrierArriveOp(there))
    else:
        variables = [loop.var for loop in cluster.sizes]
        for far in apart:
            rank = inside.apply(cluster.rank(far, cluster.sizes), variables)
            there = inside.emit(nvvm.MapaOp(place, inside.emit(IndexCastOp(rank, i32))))
            inside.add(nvvm.MBarrierArriveOp(there))
    op.detach()
    op.erase()


def _count_barriers(root: ForOp) -> None:
    """Make the barriers of computing threads wait for these threads only (the last row is the
    producer), and the barriers of a row for the threads of the row.
    """
    loops = {loop.axis: loop for loop in launch_loops(root)}
    x, y = (loops.get(axis) for axis in LANE_AXES[:2])
    for op in [op for op in root.walk() if isinstance(op, BarrierOp)]:
        if ROW not in op.attributes and (role_of(op) is None or is_of_producer(op)):
            continue
        assert x is not None
        assert x.static_extent is not None
        assert y is not None
        assert y.static_extent is not None
        emit = _Emitter(op)
        if ROW in op.attributes:
            row = emit.apply(AffineExpr.dimension(0) + (CONSUMERS + 1), [y.var])
            number, rows = emit.emit(IndexCastOp(row, i32)), 1
        else:
            number, rows = emit.i32(CONSUMERS), y.static_extent - 1
        emit.add(nvvm.BarrierOp(number, emit.i32(x.static_extent * rows)))
        op.detach()
        op.erase()


def _lower_box(box: _Box, kernel: _Kernel) -> None:
    op, array, tile, slot = box.op, box.array, box.tile, box.slot
    emit = _Emitter(op)
    type_ = tile.buffer.type
    assert isinstance(type_, MemRefType)
    size = _element_bytes(type_)
    offset = AffineExpr.constant(0)
    strides = [(stride or 0) * size for stride in strides_of(type_)]
    for expr, stride in zip(tile.indices.data.results, strides, strict=True):
        offset = offset + expr * stride
    places = list(array.indices.data.results)
    operands = [list(view.operands_of_map) for view in (tile, array)]
    mask: list[SSAValue] = []
    if box.peers is not None:
        variables = [loop.var for loop in box.peers.cluster.sizes]
        offset = offset + box.part(len(operands[0])) * strides[tile.positions[-2]]
        places[array.positions[-2]] += box.part(len(operands[1]))
        operands = [[*values, *variables] for values in operands]
        bits = emit.emit(ConstantOp(IntegerAttr(box.peers.mask, i16)))
        if box.peers.size < box.peers.cluster.size:
            first = emit.emit(IndexCastOp(emit.apply(box.peers.first, variables), i16))
            bits = emit.emit(ShLIOp(bits, first))
        mask.append(bits)
    place = emit.pointer(tile.buffer, offset, operands[0])
    map_ = kernel.maps[array.buffer, box.map]
    of_map = emit.emit(UnrealizedConversionCastOp.get([map_], [GENERIC_POINTER]))
    of_map.name_hint = map_.name_hint
    coordinates = [
        emit.emit(IndexCastOp(emit.apply(expr, operands[1]), i32)) for expr in reversed(places)
    ]
    if slot is None:
        emit.add(
            nvvm.CpAsyncBulkTensorSharedCTAToGlobalOp.build(
                operands=[of_map, place, coordinates, [], []],
                properties={"mode": TMAStoreModeAttr("tile")},
            )
        )
    else:
        (number,) = slot.indices.data.results
        mbarrier = emit.pointer(slot.buffer, number * 8, slot.operands_of_map)
        to = emit.emit(AddrSpaceCastOp(place, CLUSTER_POINTER))
        emit.add(
            nvvm.CpAsyncBulkTensorGlobalToSharedClusterOp.build(
                operands=[to, of_map, coordinates, mbarrier, [], mask, [], []],
                properties={"mode": TMALoadModeAttr("tile"), "isCTAOnly": FALSE},
            )
        )
    op.detach()
    op.erase()
    for view in (array, tile, slot):
        if view is not None and not view.result.uses:
            view.detach()
            view.erase()
