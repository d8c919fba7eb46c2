"""Kernels before conversion: their parts, and the refusal of unsupported ones."""

from __future__ import annotations

import math
from collections.abc import Sequence

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    FixedBitwidthType,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    UnitAttr,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import (
    PatternRewriter,
)
from xdsl.rewriter import InsertPoint

from kc.conversion._gpu_printf import format_of
from kc.conversion.convert_gpu_to_cpu.nvvm_ops import BOXES, NVVM, cluster_dims, problem_of
from kc.conversion.convert_to_llvm.types import element_size
from kc.dialects import gpu, llvm, nvvm
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.dialects.nvgpu import TensorMapDescriptorType
from kc.support.diagnostics import CodegenError
from kc.support.libdevice import PREFIX
from kc.support.locations import location_of
from kc.transforms.gpu._thread_segments import spins
from kc.transforms.gpu.gpu_serialize_threads import SERIAL

DONE, BLOCK, WARP = -1, 1, 2
"""Reasons for which a thread waits (``emulator.c``): the low bits of its state, with the site
above.
"""
IS_WRITE, IS_INSIDE, IS_ATOMIC = 1, 2, 4
"""Properties of an access (``emulator.c``)."""
GLOBAL, SHARED = 0, 1
MAX_BUFFERS = 64

INDEX = IndexType()
POINTER = LLVMPointerType()
OF_A_BLOCK = tuple(f"{what}_{axis}" for what in ("grid", "block", "bid") for axis in "xyz")
"""The index arguments that all threads of a block share."""
OF_A_THREAD = ("tid_x", "tid_y", "tid_z", "thread")


def _granule(memories: Sequence[SSAValue]) -> int:
    """Bytes of the smallest element type with which the memory is accessed."""
    sizes: list[int] = []
    for memory in memories:
        for use in memory.uses:
            op = use.operation
            used = op.results[0] if isinstance(op, memref.ViewOp) else memory
            assert isinstance(used.type, MemRefType)
            sizes.append(element_size(used.type))
    return min(sizes, default=1)


_ON_A_GPU = "--target=cuda runs it on a GPU, and kc-translate --to=ptx compiles it"
"""The advice for an instruction of NVIDIA without a counterpart on CPUs."""


def unsupported(op: Operation, why: str | None = None) -> CodegenError:
    return CodegenError(
        "KC4302",
        f"convert-gpu-to-cpu: {op.name} is not emulated",
        location=location_of(op),
        why=why,
        hints=[_ON_A_GPU] if why is None and op.name.startswith("nvvm.") else [],
    )


GIVEN_ON = "kc.given_on"
"""The attribute of an operation that only passes a register from one product to the next."""


def _is_given_on(op: llvm.ExtractValueOp) -> bool:
    """True if a register is passed on while its product may be pending: the preceding wait leaves
    some groups pending.
    """
    before = op.prev_op
    while before is not None and not isinstance(before, nvvm.WgmmaWaitGroupSyncOp):
        before = before.prev_op
    stores = [use.operation for use in op.res.uses]
    return (
        before is not None
        and before.group.value.data > 0
        and isinstance(op.container.owner, nvvm.WgmmaMmaAsyncOp)
        and all(isinstance(store, memref.StoreOp) and _is_private(store.memref) for store in stores)
    )


def _is_private(buffer: SSAValue) -> bool:
    space = getattr(buffer.type, "memory_space", None)
    return isinstance(space, gpu.AddressSpaceAttr) and space.data == gpu.AddressSpace.PRIVATE


class Kernel:
    """A kernel, with the facilities that its threads need."""

    def __init__(self, home: GPUModuleOp, function: GPUFuncOp) -> None:
        self.function = function
        self.home = home.sym_name.data
        self.name = function.sym_name.data
        self.is_serial = SERIAL in function.attributes
        self.numbers = OF_A_BLOCK if self.is_serial else (*OF_A_BLOCK, *OF_A_THREAD)
        """The index arguments of called functions."""
        self.has_events = any(isinstance(op, NVVM) or spins(op) for op in function.walk())
        """True if threads wait for more than their block and their warp, or exchange matrices."""
        self.cluster = (1, 1, 1) if self.is_serial else cluster_dims(function)
        """The number of blocks of a cluster along each axis, if the blocks interact."""
        self.products: dict[Attribute, str] = {}
        """The register types of the products of warpgroups, and of their sums."""
        for op in function.walk():
            if isinstance(op, nvvm.WgmmaMmaAsyncOp):
                self.products.setdefault(op.inouts.type, op.type_d.data)
            elif isinstance(op, llvm.ExtractValueOp) and _is_given_on(op):
                op.attributes[GIVEN_ON] = UnitAttr()
        self.has_boxes = any(isinstance(op, BOXES) for op in function.walk())
        """True if the kernel copies boxes of tensors."""
        self.alignments = [
            function.alignment_of(n) for n, _ in enumerate(function.workgroup_memory)
        ]
        """The required alignment in bytes of each shared array, if it is stated."""
        self.waits = self.has_events or any(
            isinstance(op, gpu.BarrierOp | gpu.ShuffleOp) for op in function.walk()
        )
        self.prints = any(isinstance(op, gpu.PrintfOp) for op in function.walk())
        self.dynamic = [op for op in function.walk() if isinstance(op, gpu.DynamicSharedMemoryOp)]
        dynamic = [op.result for op in self.dynamic]
        alignments = [op.alignment for op in self.dynamic if op.alignment is not None]
        self.dynamic_alignment = max(alignments, default=None)
        self.granules = [_granule([memory]) for memory in function.workgroup_memory]
        self.granules += [_granule(dynamic)] if dynamic else []
        """Bytes of the smallest element that each memory of a block is used as."""
        self.arguments = [plain(arg.type) for arg in function.arguments]
        self.maps = [
            n
            for n, arg in enumerate(function.arguments)
            if isinstance(arg.type, TensorMapDescriptorType)
        ]
        """The indices of the arguments that are tensor maps."""
        self.shared = [plain(arg.type) for arg in function.workgroup_memory]

    @property
    def ranks(self) -> int:
        """The number of blocks of a cluster."""
        return math.prod(self.cluster)

    def require_supported(self, check: bool) -> None:
        """Refuse unsupported operations."""
        if self.is_serial and check:
            raise unsupported(self.function, "one thread runs its block, and is not watched")
        for op in self.function.body.walk():
            if isinstance(op, gpu.ShuffleOp) and bits_of(op.value.type) > 64:
                raise unsupported(op, "a value that lanes exchange has at most 64 bits")
            if isinstance(op, gpu.PrintfOp):
                problem = format_of(op.format.data, [arg.type for arg in op.args])
                if isinstance(problem, str):
                    raise unsupported(op, problem)
            if (problem := problem_of(op)) is not None:
                raise unsupported(op, problem)
            if isinstance(op, nvvm.WgmmaMmaAsyncOp):
                sums = self.products[op.inouts.type]
                if sums != op.type_d.data:
                    why = f"the same registers hold sums of {sums} in another product of the kernel"
                    raise unsupported(op, why)
            if isinstance(op, func.CallOp) and op.callee.string_value().startswith(PREFIX):
                continue  # the C library has the same function
            if not isinstance(op, (*DEVICE, *NVVM)) and op.name.startswith(
                ("gpu.", "nvgpu.", "nvvm.", "func.")
            ):
                raise unsupported(op)
        arrays = [type_ for type_ in self.arguments if isinstance(type_, MemRefType)]
        count = len(arrays) + len(self.shared) + bool(self.dynamic) + len(self.maps)
        if check and count > MAX_BUFFERS:
            raise CodegenError(
                "KC4364",
                f"convert-gpu-to-cpu: @{self.name} has {count} arrays, and at most {MAX_BUFFERS} "
                "can be watched",
                location=location_of(self.function),
            )


def bits_of(type_: Attribute) -> int:
    if isinstance(type_, IndexType):
        return 64
    element = type_.element_type if isinstance(type_, VectorType) else type_
    assert isinstance(element, FixedBitwidthType)
    width = 1 if element == i1 else element.bitwidth
    return width * (type_.element_count() if isinstance(type_, VectorType) else 1)


def plain(type_: Attribute) -> Attribute:
    """The CPU type of memory in any address space; for a map, a pointer to its bytes."""
    if isinstance(type_, TensorMapDescriptorType):
        return POINTER
    if not isinstance(type_, MemRefType):
        return type_
    return MemRefType(type_.element_type, type_.shape, type_.layout)


class Emitter:
    """Inserts operations before an operation, with its location."""

    def __init__(self, rewriter: PatternRewriter, op: Operation) -> None:
        self.rewriter = rewriter
        self.op = op

    def add(self, op: Operation) -> Operation:
        """Insert an operation."""
        for inner in op.walk():
            inner.location = self.op.location
        self.rewriter.insert(op, InsertPoint.before(self.op))
        return op

    def emit(self, op: Operation) -> SSAValue:
        """The result of a new operation; the first of several."""
        return self.add(op).results[0]

    def number(self, value: int, type_: IndexType | IntegerType = INDEX) -> SSAValue:
        """A constant."""
        return self.emit(arith.ConstantOp(IntegerAttr(value, type_)))

    def call(
        self, name: str, arguments: Sequence[SSAValue], outputs: Sequence[Attribute] = ()
    ) -> Operation:
        """A call of a function."""
        return self.add(func.CallOp(name, arguments, outputs))


DEVICE = (
    gpu.ThreadIdOp,
    gpu.BlockIdOp,
    gpu.BlockDimOp,
    gpu.GridDimOp,
    gpu.GlobalIdOp,
    gpu.LaneIdOp,
    gpu.SubgroupIdOp,
    gpu.NumSubgroupsOp,
    gpu.SubgroupSizeOp,
    gpu.BarrierOp,
    gpu.ShuffleOp,
    gpu.ReturnOp,
    gpu.DynamicSharedMemoryOp,
    gpu.PrintfOp,
)
"""Operations of gpu that a kernel may contain."""
