"""The GPU resources of a module's kernels, found by compiling them."""

from __future__ import annotations

from dataclasses import replace

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, ModuleOp

from kc.analysis.gpu.kernel_accesses import KernelVerdicts, verdicts_of
from kc.analysis.gpu.kernel_launches import shapes_of
from kc.analysis.gpu.ptx_resources import KernelResources, fits_registers, resources
from kc.analysis.loop_tree import preorder
from kc.codegen.ptx import ptx_of
from kc.conversion.pipelines import TO_NVVM, planned_passes
from kc.dialects import llvm
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp, LaunchFuncOp
from kc.support.diagnostics import warn
from kc.support.locations import location_of
from kc.support.registry import context
from kc.support.target import Target


def kernel_costs(module: ModuleOp, target: Target) -> list[KernelResources]:
    """The resources of the kernels of a module of loops on the GPU of ``target``. The module is
    consumed.

    Warns (KC4366) of kernels that spill registers. Raises KCError for code that is not yet a
    kernel, or is unsupported.
    """
    if target.kind != "cuda":
        target = Target({**target.export(), "kind": "cuda"})
    verdicts: dict[str, KernelVerdicts] = {}
    shapes = shapes_of(module)
    with target:
        for planned in planned_passes(TO_NVVM, "cuda"):
            planned.apply(context(), module)
            if planned.name == "gpu-kernel-outlining":
                kernels = [op for op in module.walk() if isinstance(op, GPUFuncOp)]
                verdicts = {kernel.sym_name.data: verdicts_of(kernel, shapes) for kernel in kernels}
    text = ptx_of(module, target)
    warn_of_memory(module, text, target)
    costs = _resources(module, text, target)
    return [replace(cost, verdicts=verdicts.get(cost.name)) for cost in costs]


def _resources(module: ModuleOp, text: str, target: Target) -> list[KernelResources]:
    """The resources from PTX, plus the dynamic memory from launches in the host code."""
    dynamic = dynamic_shared(module)
    return [
        replace(kernel, dynamic=dynamic.get(kernel.name, 0))
        for kernel in resources(text, target.limits["registers_per_block"])
    ]


def dynamic_shared(module: ModuleOp) -> dict[str, int]:
    """The bytes of dynamic shared memory of each kernel: the maximum over its launches with a
    constant size. A kernel without such a launch is omitted.
    """
    sizes: dict[str, int] = {}
    for op in preorder(module):
        if (
            isinstance(op, LaunchFuncOp)
            and (size := op.dynamic_shared_memory_size) is not None
            and isinstance(size.owner, arith.ConstantOp)
            and isinstance(size.owner.value, IntegerAttr)
        ):
            name = op.kernel_names[1]
            sizes[name] = max(sizes.get(name, 0), size.owner.value.value.data)
    return sizes


def warn_of_memory(module: ModuleOp, text: str, target: Target) -> None:
    """Warn (KC4366) of kernels that spill registers."""
    if fits_registers(text, target.limits["registers_per_block"]):
        return
    kernels = {
        op.sym_name.data: op  # pyright: ignore[reportAttributeAccessIssue]
        for home in module.ops
        if isinstance(home, GPUModuleOp)
        for op in home.body.block.ops
        if "nvvm.kernel" in op.attributes
    }
    for kernel in _resources(module, text, target):
        source = kernels[kernel.name]
        # Functions of libdevice have arrays of their own, for arguments that are rare.
        has_arrays = kernel.local and any(isinstance(op, llvm.AllocaOp) for op in source.walk())
        if not has_arrays and not kernel.spilled:
            continue
        facts: list[str] = []
        hints: list[str] = []
        if has_arrays:
            facts.append(f"arrays with indices that are computed: {kernel.local} bytes of a thread")
            hints.append("unroll the loops over them, or make their tile smaller")
        if kernel.spilled:
            facts.append(_too_few_registers(kernel))
            hints.append("a smaller tile for each thread, or fewer threads in a block")
        warn(
            "KC4366",
            f"kernel {kernel.name} keeps values in local memory instead of registers",
            location=location_of(source),
            facts=facts,
            why="local memory is a part of global memory, hundreds of times slower than registers",
            hints=hints,
        )


def _too_few_registers(kernel: KernelResources) -> str:
    most_text = f"it has {kernel.most} where a block has {kernel.threads} threads"
    if kernel.spilled_bytes is None:
        return f"registers: about {kernel.registers} of a thread, and {most_text}"
    return (
        f"registers: {kernel.spilled_bytes} bytes of a thread have none (by ptxas), and {most_text}"
    )
