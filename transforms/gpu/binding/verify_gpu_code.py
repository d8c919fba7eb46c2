"""verify-gpu-code: check the resource limits and the memory accesses of kernels.

The pass changes nothing. It uses the buffer sizes after ``compact-buffer-allocation``, which it
runs on a copy, so that the resources of a schedule are known before code is generated. Intermediate
steps of a schedule may violate these rules. At the end of the schedule, a thread must read only
values in memory that it shares with the thread that wrote them.

*Legal when*

1. KC3403: all loops of an axis in a kernel have the same extent.
2. KC3408: a thread reads only values that it has written itself, or that a thread has written with
   which it shares the memory: shared memory within a block of threads, warp memory among the
   threads of threadIdx.x in a warp. Blocks do not read elements that other blocks write.
3. KC3409, KC3417: no two blocks write one element of global memory, except for values that do not
   depend on the block.
4. KC3416: memory of threads is used within one launch of one kernel.
5. KC3418: no thread reads an element that another thread has written in a divergent branch.
6. KC3440: the shared buffers of a kernel fit the shared memory that a block may have.
7. KC3441: the sizes of shared buffers are constants, or known at the launch.
8. KC3442: a block has no more threads than the GPU allows.
9. KC3444: an axis has no more threads or blocks than the GPU allows.
10. KC3443: the numbers of blocks and threads are known at the launch.

Rules 8 and 9 also apply to constant sizes of ``gpu.launch`` and ``gpu.launch_func``, and rule 6 to
the workgroup memory of a kernel in the dialect gpu. That memory is static, for which the limit of
CUDA is lower. An error that such a kernel makes for any contents of its arrays is a warning (KC6301
to KC6305; ``verify-gpu-kernels`` refuses it). Kernels of schedules have no such errors.

The limits are those of the target, or of CUDA for a target without limits. Shared buffers with
disjoint live ranges share memory (:mod:`kc.analysis.gpu.shared_memory`). TVM: ``VerifyGPUCode``,
which gives no reason.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, SSAValue
from xdsl.passes import ModulePass

from kc.analysis import loop_tree
from kc.analysis.accesses.regions import BoundIndexValues, box, loads_of, stores_to
from kc.analysis.captures import makers_inside
from kc.analysis.gpu.kernel_launches import constant_of
from kc.analysis.gpu.shared_memory import STATIC_SHARED_BYTES, arrange, buffer_bytes, rounded
from kc.analysis.loop_tree import all_loops_around, buffer_name, memory_scope
from kc.analysis.module_copy import copy_module
from kc.dialects import te
from kc.dialects.gpu import GPUFuncOp, LaunchFuncOp, LaunchOp
from kc.dialects.tir import DYNAMIC, AllocOp, ForOp, LoadOp, StoreOp
from kc.dialects.tir.threads import BLOCK_AXES, LANE_AXES
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.pass_context import pipeline_options
from kc.support.registry import pass_class
from kc.support.target import Target, target_of
from kc.transforms.gpu.verify_gpu_kernels import warn_of_kernels
from kc.transforms.schedule.base import Site
from kc.transforms.schedule.threads._foreign_values import require_kernels
from kc.transforms.tir.storage.compact_buffer_allocation import compacted_type

SHARED = ("shared", "shared.dyn")


@dataclass(frozen=True)
class VerifyGpuCodePass(ModulePass):
    """Check the resource limits of kernels, and accesses of threads to memory of other threads."""

    name = "verify-gpu-code"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = gpu_target(target_of(op))
        if any(isinstance(function, te.FuncOp) for function in op.ops):
            op = copy_module(op)
            pass_class("convert-te-to-tir")().apply(ctx, op)
        for function in loop_tree.functions(op):
            require_kernels(Site(function, target, primitive=self.name))
        kernels = _kernels_of(op)
        compacted: Sequence[_Kernel] | None = None
        for n, kernel in enumerate(kernels):
            _check_threads(*kernel, target)
            if _fits(kernel.loop, target):
                continue
            if compacted is None:
                copy = copy_module(op)
                pass_class("compact-buffer-allocation")().apply(ctx, copy)
                compacted = _kernels_of(copy)
            _check_shared(*compacted[n], target)
        for inner in op.walk():
            if isinstance(inner, LaunchOp | LaunchFuncOp):
                _check_sizes(inner, target)
            if isinstance(inner, LaunchOp | GPUFuncOp):
                _check_static_shared(inner, target)
        if not pipeline_options().watched:  # the checked run reports the fault itself
            _warn_of_given(ctx, op)


class _Kernel(NamedTuple):
    function: func.FuncOp
    loop: ForOp
    """The outermost loop of the kernel's threads."""


def gpu_target(target: Target) -> Target:
    """The target whose limits apply: CUDA for a target without limits."""
    return target if "max_threads_per_block" in target.limits else Target("cuda")


def _kernels_of(module: ModuleOp) -> list[_Kernel]:
    return [
        _Kernel(function, loop)
        for function in loop_tree.functions(module)
        for loop in loop_tree.loops(function)
        if loop.axis is not None and all(outer.axis is None for outer in all_loops_around(loop))
    ]


def _check_threads(function: func.FuncOp, kernel: ForOp, target: Target) -> None:
    extents: dict[str, int] = {}
    for loop in loop_tree.loops(kernel):
        if loop.axis in LANE_AXES and loop.static_extent is not None:
            extents.setdefault(loop.axis, loop.static_extent)
    count, limit = math.prod(extents.values()), target.limits["max_threads_per_block"]
    if count > limit:
        raise CodegenError(
            "KC3442",
            f"verify-gpu-code: {count} threads in one block of @{function.sym_name.data}, "
            f"{target.model_name} allows {limit}",
            location=location_of(kernel),
            facts=[f"{axis}: {extent}" for axis, extent in extents.items()],
            why=f"the product of threadIdx.{{x,y,z}} must be <= {limit} on this target",
        )
    for axes, key, what in (
        (LANE_AXES, "max_block_dims", "threads"),
        (BLOCK_AXES, "max_grid_dims", "blocks"),
    ):
        for axis, most in zip(axes, target.limits[key], strict=True):
            loop = next((loop for loop in loop_tree.loops(kernel) if loop.axis == axis), None)
            extent = None if loop is None else loop.static_extent
            if loop is not None and extent is not None and extent > most:
                raise CodegenError(
                    "KC3444",
                    f"verify-gpu-code: {extent} {what} along {axis} in @{function.sym_name.data}, "
                    f"{target.model_name} allows {most}",
                    location=location_of(loop),
                    why=f"the extent of {axis} must be <= {most} on this target",
                    hints=[f"split {loop.label}, and bind a part of it to another axis"],
                )


def _check_sizes(launch: LaunchOp | LaunchFuncOp, target: Target) -> None:
    """Check the constant sizes of a launch in the dialect gpu."""
    name = _name(launch)
    operands = (*launch.grid, *launch.block)
    sizes = dict(zip((*BLOCK_AXES, *LANE_AXES), map(constant_of, operands), strict=True))
    threads = {axis: size for axis in LANE_AXES if (size := sizes[axis]) is not None}
    count, limit = math.prod(threads.values()), target.limits["max_threads_per_block"]
    if count > limit:
        raise CodegenError(
            "KC3442",
            f"verify-gpu-code: {count} threads in one block of {name}, {target.model_name} allows "
            f"{limit}",
            location=location_of(launch),
            facts=[f"{axis}: {size}" for axis, size in threads.items() if size != 1],
            why=f"the product of threadIdx.{{x,y,z}} must be <= {limit} on this target",
        )
    for axes, key, what, least in (
        (LANE_AXES, "max_block_dims", "threads", 1),
        (BLOCK_AXES, "max_grid_dims", "blocks", 0),
    ):
        for axis, most in zip(axes, target.limits[key], strict=True):
            size = sizes[axis]
            if size is not None and not least <= size <= most:
                raise CodegenError(
                    "KC3444",
                    f"verify-gpu-code: {size} {what} along {axis} in {name}, {target.model_name} "
                    f"allows {least} to {most}",
                    location=location_of(launch),
                    why=f"the size of {axis} must be >= {least} and <= {most} on this target",
                )


def _warn_of_given(ctx: Context, module: ModuleOp) -> None:
    """Warn of certain errors in kernels of the dialect gpu."""
    kernels = [op for op in module.walk() if isinstance(op, LaunchOp | GPUFuncOp)]
    if any(isinstance(op, LaunchOp) for op in kernels):
        module = copy_module(module)
        for name in ("gpu-launch-sink-index-computations", "gpu-kernel-outlining"):
            pass_class(name)().apply(ctx, module)
    if kernels:
        warn_of_kernels(module, VerifyGpuCodePass.name)


def _check_static_shared(kernel: LaunchOp | GPUFuncOp, target: Target) -> None:
    """Check the workgroup memory of a kernel in the dialect gpu."""
    sizes = {buffer: buffer_bytes(buffer) for buffer in kernel.workgroup_memory}
    total = sum(map(rounded, sizes.values()))
    limit, who = target.limits["max_shared_memory_per_block"], target.model_name
    if target.kind in ("cuda", "cuda-emu") and limit > STATIC_SHARED_BYTES:
        limit, who = STATIC_SHARED_BYTES, "CUDA"
    if total <= limit:
        return
    width = max(len(buffer_name(buffer)) for buffer in sizes)
    raise CodegenError(
        "KC3440",
        f"verify-gpu-code: a block of {_name(kernel)} uses {_kib(total)} of static shared memory, "
        f"{who} allows {_kib(limit)}",
        location=location_of(kernel),
        facts=[
            f"{buffer_name(buffer):<{width}}  {_kib(size):>10}  {_shape(buffer)}"
            for buffer, size in sizes.items()
        ],
        why="each buffer in workgroup(...) occupies its own memory while the kernel runs",
        hints=[
            "use parts of gpu.dynamic_shared_memory, whose size is an operand of the launch: "
            "dynamic_shared_memory_size"
        ],
    )


def _name(op: LaunchOp | LaunchFuncOp | GPUFuncOp) -> str:
    if isinstance(op, LaunchFuncOp):
        return f"@{op.kernel_names[1]}"
    return f"@{op.sym_name.data}" if isinstance(op, GPUFuncOp) else "a launch"


def _shared_buffers(kernel: ForOp) -> dict[SSAValue, None]:
    accesses = [op for op in loop_tree.preorder(kernel) if isinstance(op, LoadOp | StoreOp)]
    return dict.fromkeys(op.buffer for op in accesses if memory_scope(op.buffer) in SHARED)


def _fits(kernel: ForOp, target: Target) -> bool:
    """True if the shared buffers fit even if all of them are live at the same time."""
    index = BoundIndexValues()
    total = 0
    for buffer in _shared_buffers(kernel):
        if not isinstance(buffer.owner, AllocOp):
            return False
        type_ = compacted_type(buffer.owner, index)
        if DYNAMIC in type_.get_shape():
            return False
        total += math.prod(type_.get_shape()) * _element_bytes(type_)
    return total <= target.limits["max_shared_memory_per_block"]


def _check_shared(function: func.FuncOp, kernel: ForOp, target: Target) -> None:
    buffers = _shared_buffers(kernel)
    for buffer in buffers:
        _require_known_size(buffer, kernel)
    constant = [buffer for buffer in buffers if not _is_dynamic(buffer)]
    require_shared_memory(function, kernel, constant, kernel.body.block, target)


def require_shared_memory(
    function: func.FuncOp,
    kernel: ForOp,
    buffers: Sequence[SSAValue],
    body: Block,
    target: Target,
) -> None:
    """Refuse (KC3440) more shared memory than a block of the target can have.

    ``body`` is the code of the threads of ``kernel``, and contains the accesses of ``buffers``.
    """
    limit = target.limits["max_shared_memory_per_block"]
    sizes = {buffer: buffer_bytes(buffer) for buffer in buffers}
    total = sum(sizes.values())
    if total <= limit:
        return
    _, total = arrange(buffers, body)
    if total <= limit:
        return
    table = sorted(sizes.items(), key=lambda entry: -entry[1])
    width = max(len(buffer_name(buffer)) for buffer in sizes)
    facts = [
        f"{buffer_name(buffer):<{width}}  {_kib(size):>10}  {_shape(buffer)}"
        for buffer, size in table
    ]
    raise CodegenError(
        "KC3440",
        f"verify-gpu-code: a block of @{function.sym_name.data} uses {_kib(total)} of shared "
        f"memory, {target.model_name} allows {_kib(limit)}",
        location=location_of(
            table[0][0].owner if isinstance(table[0][0].owner, AllocOp) else kernel
        ),
        facts=facts,
        why="the shared buffers of a block that are alive at the same time occupy disjoint memory",
        hints=_hints(table, total, limit),
    )


def _hints(table: Sequence[tuple[SSAValue, int]], total: int, limit: int) -> list[str]:
    """Hints: inner loops at which the largest buffers would be smaller, or smaller tiles."""
    hints: list[str] = []
    for buffer, size in table[:2]:
        rest = total - size
        best: tuple[int, ForOp] | None = None
        for loop in _inner_loops(buffer):
            there = _box_size(buffer, loop)
            if there < size and (best is None or (best[0] + rest > limit and there < best[0])):
                best = there, loop
        if best is not None:
            hints.append(
                f"compute_at {buffer_name(buffer)} at {best[1].label}: {_kib(best[0])} instead of "
                f"{_kib(size)}"
            )
    return hints or ["make the tile of a block smaller by splitting its loops by smaller factors"]


def _inner_loops(buffer: SSAValue) -> list[ForOp]:
    """The serial loops around all loads of a buffer that contain none of its stores."""
    loads = loads_of(buffer)
    if not loads:
        return []
    shared = [
        loop
        for loop in all_loops_around(loads[0])
        if all(loop_tree.is_inside(load, loop) for load in loads)
        and not any(loop_tree.is_inside(store, loop) for store in stores_to(buffer))
    ]
    return [loop for loop in shared if loop.axis is None]


def _box_size(buffer: SSAValue, loop: ForOp) -> int:
    part = box(loads_of(buffer), loop.body.block, BoundIndexValues(), memory_scope(buffer)) or []
    assert isinstance(buffer.type, MemRefType)
    sizes = [
        interval.size if interval.size is not None else whole
        for interval, whole in zip(part, buffer.type.get_shape(), strict=True)
    ]
    return math.prod(sizes) * _element_bytes(buffer.type)


def _is_dynamic(buffer: SSAValue) -> bool:
    assert isinstance(buffer.type, MemRefType)
    return DYNAMIC in buffer.type.get_shape()


def _require_known_size(buffer: SSAValue, kernel: ForOp) -> None:
    if not _is_dynamic(buffer):
        return
    alloc = buffer.owner if isinstance(buffer.owner, AllocOp) else None
    if alloc is None or any(makers_inside(size, kernel) is None for size in alloc.dynamic_sizes):
        raise CodegenError(
            "KC3441",
            f"verify-gpu-code: the size of the shared buffer {buffer_name(buffer)} is not known "
            "where the kernel is launched",
            location=location_of(kernel if alloc is None else alloc),
            facts=[f"{buffer_name(buffer)}: {_shape(buffer)}"],
            why="a launch states how much shared memory each block has, the same for all blocks",
            hints=["split the loops by constant factors, and use compute_at at the outer loop"],
        )


def _element_bytes(type_: MemRefType) -> int:
    return max(1, getattr(type_.element_type, "bitwidth", 64) // 8)


def _shape(buffer: SSAValue) -> str:
    assert isinstance(buffer.type, MemRefType)
    sizes = ["?" if size == DYNAMIC else str(size) for size in buffer.type.get_shape()]
    return "x".join([*sizes, str(buffer.type.element_type)])


def _kib(size: int) -> str:
    return f"{size / 1024:.4g} KiB" if size >= 1024 else f"{size} B"
