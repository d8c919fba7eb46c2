"""convert-tir-to-gpu: convert kernels to launches, and their allocations to shared and private
memory.

Before::

    tir.for %b in 4 thread "blockIdx.x" {
      tir.for %t in 64 thread "threadIdx.x" {
        %S = tir.alloc "S" : memref<64xf32, "shared">
        %C = tir.alloc "C" : memref<4xf32, "local">
        ...
      }
    }

After::

    gpu.launch blocks(%b, %by, %bz) in (%gx = %c4, %gy = %c1, %gz = %c1)
               threads(%t, %ty, %tz) in (%sx = %c64, %sy = %c1, %sz = %c1)
               workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
               private(%C : memref<4xf32, #gpu.address_space<private>>) {
      ...
      gpu.terminator
    }

The loops around the kernel and all computations outside of it are host code. Memory that a kernel
uses and the host allocates is device memory (``gpu.alloc``). A condition guards a launch whose grid
may be empty. The body of a kernel stays ``tir``, for ``convert-tir-to-scf``.

Buffers of the scope ``shared`` are static shared memory; buffers of ``shared.dyn`` are parts of one
dynamic allocation. Buffers of ``shared`` also become dynamic if they exceed the 48 KiB that a
kernel may have statically, or if their size is known only at the launch. The host computes their
offsets and the number of bytes. Static buffers that share memory
(``merge-shared-memory-allocations``) are parts of one array of bytes.

Requires: a single nest of thread loops around each kernel (``unify-thread-binding``), no virtual
threads (``inject-virtual-thread``) and no blocks. *Legal when*, for a target that is a GPU

1. KC4225: nothing outside of a kernel reads or writes an array, which is in device memory.
2. KC4226: memory of a thread has a constant size, and memory of a block one that is known where the
   kernel is launched. Neither is an argument, nor allocated outside of the kernel.

Functions without thread loops are not changed unless the target is a GPU.

TVM: ``SplitHostDevice``. MLIR: ``convert-affine-for-to-gpu``, ``convert-parallel-loops-to-gpu``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    i8,
    i32,
    i64,
)
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr, AffineSet
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter
from xdsl.traits import SymbolOpInterface

from kc.analysis import loop_tree
from kc.analysis.accesses.dependence import base_buffer
from kc.analysis.affine.index_values import IndexValues
from kc.analysis.captures import makers_inside
from kc.analysis.gpu.shared_memory import (
    ALIGNMENT,
    OFFSET,
    aligned,
    alignment_of,
    buffer_bytes,
    bytes_of,
    rounded,
)
from kc.analysis.loop_tree import memory_scope, touches_memory
from kc.dialects import gpu
from kc.dialects.gpu import AddressSpace, AddressSpaceAttr
from kc.dialects.gpu.attrs import ALIGN
from kc.dialects.tir import DYNAMIC, INDEX, AllocOp, ForKind, ForKindAttr, ForOp, IfOp
from kc.dialects.tir import CallOp as TirCallOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.fresh_names import fresh_name
from kc.support.locations import location_of
from kc.support.target import target_of
from kc.transforms.gpu.binding.unify_thread_binding import kernel_roots, launch_loops
from kc.transforms.gpu.sync.merge_shared_memory_allocations import STATIC_SHARED_BYTES
from kc.transforms.gpu.tensor_copies._clusters import CLUSTER_DIM

KERNELS = "kernels"
"""The ``gpu.module`` that the kernels of a module are in."""

BOUNDS = {"nvvm.minctasm": 32, "nvvm.maxnreg": 255}
"""The annotations and pragmas of thread loops that set launch bounds, with their maximum: the
minimum number of blocks per multiprocessor, and the maximum number of registers per thread.
"""

SHARED = ("shared", "shared.dyn")

_SPACES = {
    "shared": AddressSpaceAttr(AddressSpace.WORKGROUP),
    "shared.dyn": AddressSpaceAttr(AddressSpace.WORKGROUP),
    "local": AddressSpaceAttr(AddressSpace.PRIVATE),
}


@dataclass(frozen=True)
class ConvertTirToGpuPass(ModulePass):
    """Convert thread loops to kernel launches."""

    name = "convert-tir-to-gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        is_gpu = "gpu" in target_of(op).keys
        plans = [_Function(function) for function in loop_tree.functions(op)]
        called = {
            inner.callee.root_reference.data
            for inner in op.walk()
            if isinstance(inner, CallOp | TirCallOp)
        }
        for plan in plans:
            plan.check(is_gpu=is_gpu and plan.function.sym_name.data not in called)
        taken = {name.data for inner in op.ops if (name := _symbol(inner)) is not None}
        home = fresh_name(KERNELS, taken)
        for plan in plans:
            plan.convert(home)
        if any(plan.launches for plan in plans):
            _convert_called(op)


@dataclass
class _Launch:
    """A kernel that becomes a launch."""

    root: ForOp
    chain: list[ForOp] = field(default_factory=list)
    allocs: list[AllocOp] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chain = launch_loops(self.root)
        self.allocs = [op for op in self.chain[-1].walk() if isinstance(op, AllocOp)]

    def makers(self, alloc: AllocOp) -> list[Operation] | None:
        """The operations in the kernel that compute the sizes of an allocation; None if they depend
        on values that are unknown at the launch.
        """
        makers: list[Operation] = []
        for size in alloc.dynamic_sizes:
            inside = makers_inside(size, self.root)
            if inside is None:
                return None
            makers += inside
        return list(dict.fromkeys(makers))

    @property
    def clusters(self) -> dict[str, Attribute]:
        """The number of blocks of a cluster along each axis, from the annotations; empty without
        clusters.
        """
        sizes = {
            loop.axis: value.value.data
            for loop in self.chain
            if loop.annotations is not None
            and isinstance(value := loop.annotations.data.get(CLUSTER_DIM), IntegerAttr)
        }
        if math.prod(sizes.values()) == 1:
            return {}
        dims = [sizes.get(axis, 1) for axis in BLOCK_AXES]
        return {"nvvm.cluster_dim": DenseArrayBase.from_list(i32, dims)}

    @property
    def bounds(self) -> dict[str, Attribute]:
        """The launch bounds from the annotations of the loops: :data:`BOUNDS`."""
        return {
            key.removeprefix("pragma_"): value
            for loop in self.chain
            if loop.annotations is not None
            for key, value in loop.annotations.data.items()
            if key.removeprefix("pragma_") in BOUNDS
        }

    def check(self) -> None:
        """Refuse memory of unknown size and warp memory (KC4226), and invalid launch bounds
        (KC4367).
        """
        for key, value in self.bounds.items():
            number = value.value.data if isinstance(value, IntegerAttr) else None
            if number is None or not 1 <= number <= BOUNDS[key]:
                raise CodegenError(
                    "KC4367",
                    f"convert-tir-to-gpu: {key} of loop {self.root.label} is {value}",
                    location=location_of(self.root),
                    why=f"it must be a number from 1 to {BOUNDS[key]}",
                    hints=[f'sch.annotate(loop, "{key}", 2)'],
                )
        for alloc in self.allocs:
            if memory_scope(alloc.buffer) == "warp":
                raise CodegenError(
                    "KC4226",
                    f"convert-tir-to-gpu: {alloc.label} is memory of a warp",
                    location=location_of(alloc),
                    why="a GPU has memory of blocks and of threads",
                    hints=["run --lower-warp-memory before"],
                )
            if any(use.operation.name.startswith("tir.mbarrier") for use in alloc.buffer.uses):
                raise CodegenError(
                    "KC4226",
                    f"convert-tir-to-gpu: {alloc.label} is a ring of mbarriers",
                    location=location_of(alloc),
                    why="waits at mbarriers must be lowered before their memory",
                    hints=["run --lower-tensor-copies before"],
                )
            is_shared = memory_scope(alloc.buffer) in SHARED
            if alloc.dynamic_sizes and not is_shared:
                raise CodegenError(
                    "KC4226",
                    f"convert-tir-to-gpu: the size of {alloc.label} is not constant",
                    location=location_of(alloc),
                    why="it is local memory of a thread, whose size must be constant",
                    hints=["split the loops by constant factors, and compute it at the outer one"],
                )
            if is_shared and self.makers(alloc) is None:
                raise CodegenError(
                    "KC4226",
                    f"convert-tir-to-gpu: the size of {alloc.label} is unknown at the launch of "
                    "the kernel",
                    location=location_of(alloc),
                    why="it is shared memory of a block, whose size the host computes before the "
                    "launch",
                    hints=["split the loops by constant factors, and compute it at the outer one"],
                )


class _Function:
    """A function with kernels."""

    def __init__(self, function: FuncOp) -> None:
        self.function = function
        self.launches = [_Launch(root) for root in kernel_roots(function)]

    def check(self, *, is_gpu: bool) -> None:
        """Refuse code that cannot be split into host code and launches."""
        for launch in self.launches:
            launch.check()
            self._require_own_memory(launch)
        if self.launches:
            self._require_global_arguments()
        if is_gpu:
            roots = {launch.root for launch in self.launches}
            for op in self.function.walk():
                if op.name.startswith("gpu."):
                    continue  # a launch, or an operation on device memory
                around = list(loop_tree.path_to(op))
                if any(isinstance(outer, gpu.LaunchOp) for outer in around):
                    continue
                if touches_memory(op) and _touches_arrays(op) and roots.isdisjoint(around):
                    raise _not_bound(op)

    def _require_own_memory(self, launch: _Launch) -> None:
        """Refuse (KC4226) shared or private memory that a kernel uses but does not allocate."""
        for op in launch.root.walk():
            for operand in op.operands:
                buffer = base_buffer(operand)
                alloc = buffer.owner if buffer is not None else None
                if (
                    isinstance(alloc, AllocOp)
                    and memory_scope(alloc.buffer) != "global"
                    and not loop_tree.is_inside(alloc, launch.root)
                ):
                    raise CodegenError(
                        "KC4226",
                        f"convert-tir-to-gpu: {alloc.label} is {memory_scope(alloc.buffer)} memory "
                        "outside of a kernel",
                        location=location_of(alloc),
                        why="such memory begins and ends with a kernel",
                        hints=["run --unify-thread-binding before"],
                    )

    def _require_global_arguments(self) -> None:
        """Refuse (KC4226) an argument in memory whose lifetime is that of a kernel."""
        for arg in self.function.args:
            space = arg.type.memory_space if isinstance(arg.type, MemRefType) else None
            if isinstance(space, StringAttr) and space.data != "global":
                raise CodegenError(
                    "KC4226",
                    f"convert-tir-to-gpu: argument {loop_tree.buffer_name(arg)} of "
                    f"{self.function.sym_name.data} is {space.data} memory",
                    location=location_of(self.function),
                    why="such memory begins and ends with a kernel, and no caller has it",
                    hints=["pass global memory, and copy it in the kernel (cache_read)"],
                )

    def convert(self, home: str) -> None:
        """Replace the kernels, and the memory that they share with the host code."""
        if not self.launches:
            return
        used = {
            base_buffer(operand)
            for launch in self.launches
            for op in launch.root.walk()
            for operand in op.operands
            if isinstance(operand.type, MemRefType)
        }
        for launch in self.launches:
            for loop in loop_tree.all_loops_around(launch.root):
                if loop.axis is None:
                    loop.kind = ForKindAttr(ForKind.SERIAL)
            _convert_launch(launch, home, f"{self.function.sym_name.data}_kernel")
        for alloc in [op for op in self.function.walk() if isinstance(op, AllocOp)]:
            if alloc.buffer in used:
                _to_device(alloc)


def _symbol(op: Operation) -> StringAttr | None:
    trait = op.get_trait(SymbolOpInterface)
    return None if trait is None else trait.get_sym_attr_name(op)


def _touches_arrays(op: Operation) -> bool:
    return any(isinstance(operand.type, MemRefType) for operand in op.operands)


def _not_bound(op: Operation) -> CodegenError:
    """The refusal of an access to device memory by host code."""
    loops = loop_tree.all_loops_around(op)
    buffer = next(operand for operand in op.operands if isinstance(operand.type, MemRefType))
    name = loop_tree.buffer_name(buffer)
    if loops:
        where = f"loop {loops[-1].label} runs on the host"
        hints = [f'bind {loops[0].label} to "blockIdx.x", or a part of it to "threadIdx.x"']
        tree = [loop_tree.describe_loop(loop) for loop in loops]
    else:
        where, tree = "it is outside of all loops", []
        hints = [
            'sch.bind(sch.add_unit_loop(sch.get_block("root")), "threadIdx.x"): one thread does it',
            "kc.auto_schedule chooses threads for the whole function",
        ]
    return CodegenError(
        "KC4225",
        f"convert-tir-to-gpu: {name} is used outside of a kernel: did you forget to bind a loop?",
        location=location_of(op),
        facts=[f"the loops around it: {', '.join(tree)}"] if tree else [],
        why=f"the arrays of a function for a GPU are in its memory, and {where}",
        hints=hints,
    )


# Launches -------------------------------------------------------------------------------------


def _convert_launch(launch: _Launch, home: str, name: str) -> None:
    root, chain = launch.root, launch.chain
    before: list[Operation] = []

    def constant(number: int) -> SSAValue:
        op = arith.ConstantOp.from_int_and_width(number, INDEX)
        before.append(op)
        return op.result

    unit: SSAValue = constant(1)
    by_axis = {loop.axis: loop for loop in chain}
    sizes: list[SSAValue] = []
    for axis in (*BLOCK_AXES, *LANE_AXES):
        loop = by_axis.get(axis)
        if loop is None:
            sizes.append(unit)
        else:
            size = loop.extent_value
            sizes.append(constant(size) if isinstance(size, int) else size)
    static, merged, dynamic, symbolic = _placed(launch.allocs)
    static_offsets, static_bytes = _offsets(merged)
    offsets, total = _offsets(dynamic)
    bytes_: SSAValue | None = None
    places: list[tuple[SSAValue, list[SSAValue]]] = []
    if symbolic:
        places, end = _symbolic_places(launch, symbolic, total, before)
        op = arith.IndexCastOp(end, i32)
        before.append(op)
        bytes_ = op.result
    elif dynamic:
        op = arith.ConstantOp(IntegerAttr(total, i32))
        before.append(op)
        bytes_ = op.result
    shared = [alloc for alloc in static if memory_scope(alloc.buffer) == "shared"]
    private = [alloc for alloc in static if alloc not in shared]
    call = gpu.LaunchOp(
        sizes[:3],
        sizes[3:],
        dynamic_shared_memory_size=bytes_,
        workgroup=[
            *(_device_type(alloc.buffer.type) for alloc in shared),
            *([MemRefType(i8, [static_bytes], memory_space=_SPACES["shared"])] if merged else ()),
        ],
        private=[_device_type(alloc.buffer.type) for alloc in private],
    )
    call.attributes.update(launch.clusters)
    for key, value in launch.bounds.items():
        assert isinstance(value, IntegerAttr)
        call.attributes[key] = IntegerAttr(value.value.data, i32)
    own = [alignment_of(alloc.buffer) for alloc in shared]
    alignments = [*own, *([_alignment(merged)] if merged else ())]
    if max(alignments, default=0) > ALIGNMENT:
        call.alignments = alignments
    call.module = SymbolRefAttr(home)
    call.function = SymbolRefAttr(name)
    for op in (*before, call):
        op.location = root.location
    body = call.body.blocks[0]
    _name_numbers(call)
    for n, axis in enumerate((*BLOCK_AXES, *LANE_AXES)):
        loop = by_axis.get(axis)
        if loop is not None:
            body.args[n].name_hint = loop.var.name_hint
            loop.var.replace_all_uses_with(body.args[n])
    for alloc, memory in zip(shared, call.workgroup_memory, strict=False):
        _replace_alloc(alloc, memory)
    for alloc, memory in zip(private, call.private_memory, strict=True):
        _replace_alloc(alloc, memory)
    ops = list(chain[-1].body.block.ops)
    for op in ops:
        op.detach()
    if merged:
        memory = call.workgroup_memory[-1]
        memory.name_hint = "_".join(alloc.label for alloc in merged)
        _add_parts(merged, static_offsets, memory, body)
    if dynamic or symbolic:
        whole = gpu.DynamicSharedMemoryOp()
        if dynamic and (alignment := _alignment(dynamic)) > ALIGNMENT:
            whole.attributes[ALIGN] = IntegerAttr(alignment, i64)
        whole.location = (*dynamic, *symbolic)[0].location
        body.add_op(whole)
        _add_parts(dynamic, offsets, whole.result, body)
        for alloc, (start, extents) in zip(symbolic, places, strict=True):
            _add_part(alloc, start, extents, whole.result, body)
    parts = {*merged, *dynamic, *symbolic}
    body.add_ops([op for op in ops if op not in parts])
    for alloc in (*merged, *dynamic, *symbolic):
        if alloc.parent is not None:
            alloc.detach()
        alloc.erase(safe_erase=False)
    end = gpu.TerminatorOp()
    end.location = root.location
    body.add_op(end)
    for op in body.walk():
        for result in op.results:
            if _names_a_scope(result.type):
                Rewriter.replace_value_with_new_type(result, _device_type(result.type))
    _place(call, before, chain)


def _place(call: gpu.LaunchOp, before: Sequence[Operation], chain: Sequence[ForOp]) -> None:
    """Replace loops by a launch, under a condition if they may be empty."""
    root = chain[0]
    dynamic = [loop.dynamic_extent for loop in chain if loop.dynamic_extent is not None]
    extents = [extent for extent in dict.fromkeys(dynamic) if not _is_positive(extent)]
    if any(loop.static_extent == 0 for loop in chain):
        Rewriter.replace_op(root, [], [])
        return
    if not extents:
        Rewriter.replace_op(root, [*before, call], [])
        return
    constraints = tuple(
        AffineConstraintExpr(
            AffineConstraintKind.ge, AffineExpr.dimension(n) - 1, AffineExpr.constant(0)
        )
        for n in range(len(extents))
    )
    guard = IfOp(AffineSet(len(extents), 0, constraints), extents, Region(Block([call])))
    guard.location = root.location
    Rewriter.replace_op(root, [*before, guard], [])


def _is_positive(extent: SSAValue) -> bool:
    """True if the computation of an extent shows that it is at least 1."""
    index = IndexValues()
    low, _ = index.bounds(index.expr(extent))
    return low is not None and low >= 1


def _name_numbers(call: gpu.LaunchOp) -> None:
    names = ("b", "t", "grid_", "block_")
    for first, prefix in zip((0, 3, 6, 9), names, strict=True):
        for argument, letter in zip(call.numbers(first), "xyz", strict=True):
            argument.name_hint = f"{prefix}{letter}"


def _convert_called(module: ModuleOp) -> None:
    """Give the functions that kernels call the types of memory in a kernel."""
    by_name = {op.sym_name.data: op for op in module.ops if isinstance(op, FuncOp)}
    pending: list[Operation] = [op for op in module.walk() if isinstance(op, gpu.LaunchOp)]
    called: dict[FuncOp, None] = {}
    while pending:
        for call in pending.pop().walk():
            if isinstance(call, CallOp | TirCallOp):
                function = by_name.get(call.callee.root_reference.data)
                if function is not None and function not in called:
                    called[function] = None
                    pending.append(function)
    for function in called:
        values = [arg for block in function.body.blocks for arg in block.args]
        values += [result for op in function.body.walk() for result in op.results]
        for value in values:
            if _names_a_scope(value.type):
                Rewriter.replace_value_with_new_type(value, _device_type(value.type))
        inputs, outputs = (
            [_device_type(type_) if _names_a_scope(type_) else type_ for type_ in types]
            for types in (function.function_type.inputs, function.function_type.outputs)
        )
        function.function_type = FunctionType.from_lists(inputs, outputs)


def _names_a_scope(type_: Attribute) -> bool:
    return isinstance(type_, MemRefType) and isinstance(type_.memory_space, StringAttr)


# Memory ---------------------------------------------------------------------------------------


def _placed(
    allocs: Sequence[AllocOp],
) -> tuple[list[AllocOp], list[AllocOp], list[AllocOp], list[AllocOp]]:
    """The allocations of a kernel in four groups: separate arrays, parts of static shared memory,
    parts of dynamic shared memory, and parts of the latter whose size is known only at the launch.
    """
    symbolic = [alloc for alloc in allocs if alloc.dynamic_sizes]
    allocs = [alloc for alloc in allocs if not alloc.dynamic_sizes]
    shared = [alloc for alloc in allocs if memory_scope(alloc.buffer) == "shared"]
    is_large = sum(buffer_bytes(alloc.buffer) for alloc in shared) > STATIC_SHARED_BYTES
    merged: list[AllocOp] = []
    dynamic: list[AllocOp] = []
    for alloc in allocs:
        if memory_scope(alloc.buffer) == "shared.dyn" or (is_large and alloc in shared):
            dynamic.append(alloc)
        elif alloc in shared and OFFSET in alloc.attributes:
            merged.append(alloc)
    own = [op for op in allocs if op not in merged and op not in dynamic]
    return own, merged, dynamic, symbolic


def _symbolic_places(
    launch: _Launch, allocs: Sequence[AllocOp], offset: int, before: list[Operation]
) -> tuple[list[tuple[SSAValue, list[SSAValue]]], SSAValue]:
    """The offset of each allocation, from ``offset`` on, with its sizes, and the end offset.

    The operations that the host computes them by are appended to ``before``. A total that exceeds
    32 bits is clamped to the largest 32-bit number, which exceeds the memory of any GPU.
    """

    def emit(op: Operation) -> SSAValue:
        before.append(op)
        return op.results[0]

    def constant(number: int) -> SSAValue:
        return emit(arith.ConstantOp.from_int_and_width(number, INDEX))

    most, none = constant(2**31 - ALIGNMENT), constant(0)
    unit, up = constant(ALIGNMENT), constant(ALIGNMENT - 1)
    end = constant(offset)
    places: list[tuple[SSAValue, list[SSAValue]]] = []
    on_host: dict[SSAValue, SSAValue] = {}
    """Values that the kernel computes, with the host's values for them."""
    for alloc in allocs:
        for maker in launch.makers(alloc) or ():
            if maker.results[0] not in on_host:
                emit(maker.clone(on_host))
        type_ = alloc.buffer.type
        assert isinstance(type_, MemRefType)
        rest = MemRefType(type_.element_type, [n for n in type_.get_shape() if n != DYNAMIC])
        extents = [on_host.get(size, size) for size in alloc.dynamic_sizes]
        count = constant(bytes_of(rest))
        for extent in extents:
            size = emit(arith.MaxSIOp(emit(arith.MinSIOp(extent, most)), none))
            count = emit(arith.MinSIOp(emit(arith.MuliOp(count, size)), most))
        places.append((end, extents))
        full = emit(arith.AddiOp(end, count))
        units = emit(arith.DivUIOp(emit(arith.AddiOp(full, up)), unit))
        end = emit(arith.MinSIOp(emit(arith.MuliOp(units, unit)), most))
    return places, end


def _offsets(allocs: Sequence[AllocOp]) -> tuple[list[int], int]:
    """The offset of each part of a block's memory, and the total size in bytes.

    The offsets are those of ``merge-shared-memory-allocations``, or consecutive ones.
    """
    declared = [alloc.attributes.get(OFFSET) for alloc in allocs]
    offsets: list[int] = []
    end = 0
    for alloc, offset in zip(allocs, declared, strict=True):
        fixed_offset = offset.value.data if isinstance(offset, IntegerAttr) else None
        start = aligned(end, alloc.buffer) if fixed_offset is None else fixed_offset
        offsets.append(start)
        end = max(end, start + rounded(buffer_bytes(alloc.buffer)))
    return offsets, end


def _alignment(allocs: Sequence[AllocOp]) -> int:
    """The alignment in bytes of memory that consists of these parts."""
    return max(alignment_of(alloc.buffer) for alloc in allocs)


def _device_type(type_: Attribute) -> MemRefType:
    """The type of memory in a kernel. Scopes that are not shared memory are private."""
    assert isinstance(type_, MemRefType)
    space = type_.memory_space
    if isinstance(space, StringAttr):
        space = None if space.data == "global" else _SPACES.get(space.data, _SPACES["local"])
    element = type_.element_type
    return MemRefType(element, type_.shape, type_.layout, space)  # pyright: ignore


def _replace_alloc(alloc: AllocOp, memory: SSAValue) -> None:
    memory.name_hint = alloc.buffer.name_hint or alloc.label
    alloc.buffer.replace_all_uses_with(memory)
    alloc.detach()
    alloc.erase()


def _add_parts(
    allocs: Sequence[AllocOp], offsets: Sequence[int], whole: SSAValue, body: Block
) -> None:
    """Define the parts of an array of bytes of a block, at the start of a kernel."""
    for alloc, offset in zip(allocs, offsets, strict=True):
        start = arith.ConstantOp.from_int_and_width(offset, INDEX)
        start.location = alloc.location
        body.add_op(start)
        _add_part(alloc, start.result, [], whole, body)


def _add_part(
    alloc: AllocOp, start: SSAValue, extents: Sequence[SSAValue], whole: SSAValue, body: Block
) -> None:
    part = memref.ViewOp.build(
        operands=[whole, start, extents],
        result_types=[_device_type(alloc.buffer.type)],
    )
    part.location = alloc.location
    body.add_op(part)
    part.results[0].name_hint = alloc.label
    alloc.buffer.replace_all_uses_with(part.results[0])


def _to_device(alloc: AllocOp) -> None:
    """Replace host memory by device memory, up to the end of its block."""
    type_ = _device_type(alloc.buffer.type)
    new = gpu.AllocOp(type_, alloc.dynamic_sizes)
    free = gpu.DeallocOp(new.memref)
    block = alloc.parent
    assert block is not None
    new.location = free.location = alloc.location
    new.memref.name_hint = alloc.buffer.name_hint
    end = block.last_op
    Rewriter.replace_op(alloc, [new], [new.memref])
    assert end is not None
    if end.name == "func.return":
        block.insert_op_before(free, end)
    else:
        block.add_op(free)
