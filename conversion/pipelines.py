"""Named pipelines: lists of passes that a pass of the same name runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.support import registry
from kc.support.pass_context import PipelineOptions, pipeline_options
from kc.support.target import Target

Order = tuple[str | int, ...]
"""A pipeline: names of passes, with the numbers of lowering phases between them."""

# The names of passes in order, with options in braces. A number marks the position where the passes
# of a lowering phase are inserted: phase 0 before all passes, 1 after the blocks are lowered, 2
# after loop transformations, 3 before code generation.
TO_LLVM: Order = (
    0,
    "convert-te-to-tir",
    "choose-vector-form",
    "lift-constant-blocks",
    "evaluate-prepared",
    "plan-software-pipeline",
    "lower-init-block",
    "lower-lane-reduction",
    "compact-buffer-allocation",
    "lower-blocks",
    1,
    "partition-loops",
    "inject-software-pipeline",
    "inject-double-buffer",
    "align-storage",
    "apply-strides",
    "lower-tiles",
    "swizzle-storage",
    "inject-copy-intrin",
    "fill-slack",
    "poison-memory",  # on request
    "storage-rewrite",
    "merge-dimensions",
    "vectorize-loop",
    "nontemporal-stores",
    "hoist-if-then-else",
    2,
    "convert-tir-to-scf",
    "expand-math",
    "legalize-narrow-floats",
    "take-workspace",
    3,
    "instrument-bound-checkers",  # on request
    "legalize-symbols",
    "convert-to-llvm",
    "permit-tiles",
    "reuse-workspace",  # for marked functions, or for all on request
)
# Lowers to kernels and host code in the standard dialects and gpu; all GPUs share these passes.
TO_GPU: Order = (
    0,
    "convert-te-to-tir",
    "choose-vector-form",
    "plan-software-pipeline",
    "verify-gpu-code",
    "lower-cross-thread-reduction",
    "lower-init-block",
    "lower-lane-reduction",
    "compact-buffer-allocation",
    "lower-blocks",
    1,
    "inject-software-pipeline",
    "plan-tensor-copies",
    "inject-double-buffer",
    "align-storage",
    "apply-strides",
    "unify-thread-binding",
    "inject-virtual-thread",
    "lower-warp-memory",
    "lower-thread-allreduce",
    "specialize-warps",
    "merge-shared-memory-allocations",
    "thread-sync",
    "lower-fragments",
    "defer-wgmma-waits",
    "lower-tensor-copies",
    "swizzle-storage",
    "unroll-loop",  # for pragmas
    "vectorize-loop",
    2,
    "convert-tir-to-gpu",
    "convert-tir-to-scf",
    "gpu-launch-sink-index-computations",
    "gpu-kernel-outlining",
    "gpu-inline-calls",
    "gpu-expand-collectives",
    "gpu-approximate-math",
    "expand-math",
    "legalize-narrow-floats",
    3,
    "legalize-symbols",
)
# Continues to PTX.
TO_NVVM: Order = (*TO_GPU, "convert-gpu-to-nvvm")
# Continues to source in CUDA C++, which has the functions of the C library, and copies
# synchronously.
_SYNCHRONOUS = {"inject-software-pipeline": "inject-software-pipeline{asynchronous=false}"}
TO_CUDA_SOURCE: Order = tuple(
    _SYNCHRONOUS.get(name, name) if isinstance(name, str) else name
    for name in TO_GPU
    if name != "expand-math"
)
# Continues to the code of AMD's GPUs.
TO_AMDGPU: Order = (*TO_GPU, "convert-gpu-to-llvm-amdgpu")
# Continues to code for a CPU, which legalizes narrow floats after the serialization of threads.
TO_EMULATOR: Order = (
    *TO_GPU[: TO_GPU.index("legalize-narrow-floats")],
    3,
    "convert-nvvm-to-gpu",
    "gpu-serialize-threads",
    "convert-gpu-to-cpu",
    "legalize-narrow-floats",
    "legalize-symbols",
    "convert-to-llvm",
    "make-coroutines",
)
_ON_REQUEST = frozenset({"instrument-bound-checkers", "poison-memory"})
# The passes on request that the C target supports.
_ON_REQUEST_IN_C = frozenset({"poison-memory"})
# Skipped with bound checks, because these passes hide accesses out of bounds.
_WITHOUT_CHECKS = frozenset({"storage-rewrite", "merge-dimensions"})
# Loops stay loops: the C compiler makes vectors and threads, and its library has the functions.
_IN_C = {"vectorize-loop": "skip-vectorize", "take-workspace": "take-workspace{stack=16384}"}
TO_C: Order = tuple(
    _IN_C.get(name, name) if isinstance(name, str) else name
    for name in TO_LLVM
    if name not in _ON_REQUEST - _ON_REQUEST_IN_C
    and name
    not in (
        "lower-lane-reduction",
        "nontemporal-stores",
        "expand-math",
        "legalize-symbols",  # the printer names functions as C can
        "convert-to-llvm",
        "permit-tiles",
        "reuse-workspace",
    )
)

# Options of a pass within a pipeline.
_OPTIONS = {
    "partition-loops": "only-hinted",
    "hoist-if-then-else": "max-copied-operations=300",
    "unroll-loop": "explicit-unroll=false",  # LLVM unrolls, except for pragmas
}

OPTIONAL = {
    "lift-constant-blocks": None,
    "compact-buffer-allocation": None,
    "partition-loops": None,
    "plan-software-pipeline": None,
    "inject-software-pipeline": None,
    "inject-double-buffer": None,
    "align-storage": None,
    "inject-copy-intrin": None,
    "fill-slack": None,
    "storage-rewrite": None,
    "merge-dimensions": None,
    "nontemporal-stores": None,
    "expand-math": None,
    "hoist-if-then-else": None,
    "unroll-loop": None,
    "vectorize-loop": "skip-vectorize",
    "gpu-serialize-threads": None,
}
"""The passes that a pipeline may omit, with their replacements."""

NEEDED = frozenset(name for name in (*TO_LLVM, *TO_NVVM, *TO_EMULATOR) if isinstance(name, str)) - {
    *OPTIONAL,
    *_ON_REQUEST,
}
"""The passes that lowering requires: without them it fails, or a kernel lacks its barriers."""


def lower_to_llvm_passes() -> list[str]:
    """The names of the passes that lower any module of kc to the llvm dialect, in order.

    Each pass ignores operations that do not concern it, so the list serves a module of any stage.
    It includes passes that plugins and the pass context attach to a phase of lowering.
    """
    return [stage.name for stage in LowerToLlvmPass().stages()]


def lower_to_c_passes() -> list[str]:
    """The passes that lower any module of kc to the input of the C target, in order."""
    return [stage.name for stage in LowerToCPass().stages()]


def planned_passes(order: Order, kind: str) -> list[ModulePass]:
    """The passes of a pipeline for a target of this kind, as configured by the pass context.

    Raises InputError KC0003 for the name of an unknown pass.
    """
    return [planned for entry in order for planned in _passes_at(entry, kind)]


def _passes_at(entry: str | int, kind: str) -> Iterator[ModulePass]:
    options = pipeline_options()
    for planned in hooked_passes(entry, kind) if isinstance(entry, int) else (entry,):
        plain, _, planned_options = planned.removesuffix("}").partition("{")
        name = options.replaced.get(plain, plain)
        if name is None or name in _left_out(options):
            continue
        pass_options = (planned_options if name == plain else "") or _OPTIONS.get(name, "")
        if name == "reuse-workspace" and not options.reuse_workspace:
            pass_options = "marked"
        if name == entry:
            yield _pass_of(registry.current(), name, pass_options)
        else:  # a plugin's pass may keep state
            yield registry.get_pass(name, pass_options)
    if isinstance(entry, int):
        yield from options.added.get(entry, ())


@lru_cache(maxsize=256)
def _pass_of(registered: registry.Registry, name: str, options: str) -> ModulePass:
    """A shared instance of a pass of kc, which has no state."""
    del registered
    return registry.get_pass(name, options)


def _left_out(options: PipelineOptions) -> frozenset[str]:
    is_requested = {
        "instrument-bound-checkers": options.bound_checks,
        "poison-memory": options.poison_memory,
    }
    left_out = frozenset(name for name in _ON_REQUEST if not is_requested[name])
    return left_out | _WITHOUT_CHECKS if options.bound_checks else left_out


def hooked_passes(phase: int, kind: str) -> list[str]:
    """The passes that plugins attach to a phase of lowering for targets of this kind."""
    return [hook.name for hook in registry.current().hooks[phase] if kind in hook.kinds]


def _kind(default: str) -> str:
    target = Target.current()
    return default if target is None else target.kind


@dataclass(frozen=True)
class LowerToLlvmPass(ModulePass):
    """Lower te, tir and everything below them to the llvm dialect.

    ::

        te.func @f(%A: tensor<8xf32>) -> tensor<8xf32> { ... }

    becomes ::

        llvm.func @f(%A: !llvm.ptr {...}, %B: !llvm.ptr {...}) { ... }

    Runs its passes one after the other (:func:`lower_to_llvm_passes`), with their requirements and
    errors. Functions of linalg, affine and tensor are raised to tir first (``raise-to-tir``), which
    is shown as a separate stage.
    """

    name = "lower-to-llvm"

    def stages(self) -> list[ModulePass]:
        """The passes, so a driver can check and print the module between them."""
        return planned_passes(TO_LLVM, _kind("llvm"))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)


@dataclass(frozen=True)
class LowerToCPass(ModulePass):
    """Lower te and tir to loops, branches and scalars, which the C target prints.

    Loops stay loops (:func:`lower_to_c_passes`): vectorization and threads are left to the C
    compiler.
    """

    name = "lower-to-c"

    def stages(self) -> list[ModulePass]:
        """The passes, so a driver can check and print the module between them."""
        return planned_passes(TO_C, _kind("c"))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)


@dataclass(frozen=True)
class LowerToGpuPass(ModulePass):
    """Lower te and tir to kernels in the dialect gpu, and host code that launches them.

    ::

        tir.for %b in 4 thread "blockIdx.x" { tir.for %t in 64 thread "threadIdx.x" { ... } }

    becomes ::

        gpu.launch_func @kernels::@f_kernel blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        gpu.module @kernels { gpu.func @f_kernel(...) kernel { ... } }

    All GPUs share this form, and source code for GPUs is printed from it. With ``keep_math``,
    functions of a C library stay operations of the dialect math, even if the target lacks them. The
    target is that of the module, else the current target, else ``cuda``. Runs its passes one after
    the other (:data:`TO_GPU`), with their errors.
    """

    name = "lower-to-gpu"

    keep_math: bool = False

    def stages(self) -> list[ModulePass]:
        """The passes, so a driver can check and print the module between them."""
        return planned_passes(TO_CUDA_SOURCE if self.keep_math else TO_GPU, _kind("cuda"))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)


@dataclass(frozen=True)
class LowerToNvvmPass(ModulePass):
    """Lower te and tir to kernels in the dialects llvm and nvvm, and host code that launches them.

    ::

        tir.for %b in 4 thread "blockIdx.x" { tir.for %t in 64 thread "threadIdx.x" { ... } }

    becomes ::

        gpu.launch_func @kernels::@f_kernel blocks in (%c4, %c1, %c1) threads in (%c64, %c1, %c1)
        gpu.module @kernels { llvm.func @f_kernel(...) attributes {nvvm.kernel, ...} { ... } }

    The target is an NVIDIA GPU: that of the module, else the current target, else ``cuda``. Runs
    its passes one after the other (:data:`TO_NVVM`), with their errors.
    """

    name = "lower-to-nvvm"

    def stages(self) -> list[ModulePass]:
        """The passes, so a driver can check and print the module between them."""
        return planned_passes(TO_NVVM, _kind("cuda"))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for stage in self.stages():
            stage.apply(ctx, op)
