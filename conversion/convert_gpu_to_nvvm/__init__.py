"""convert-gpu-to-nvvm: the kernels of gpu modules in the llvm and nvvm dialects, for NVIDIA GPUs.

Before::

    gpu.module @m {
      gpu.func @k(%A: memref<64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
          kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
        %t = gpu.thread_id x
        %0 = memref.load %A[%t] : memref<64xf32>
        memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
        gpu.barrier
        ...

After::

    gpu.module @m {
      llvm.mlir.global internal @k_S() {addr_space = 3 : i32} : !llvm.array<64 x f32>
      llvm.func @k(%A: !llvm.ptr {...}) attributes {nvvm.kernel, ...} {
        %S = llvm.mlir.addressof @k_S : !llvm.ptr<3>
        %0 = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
        %t = llvm.sext %0 : i32 to i64
        ...
        nvvm.barrier0
        ...

Functions have the calling convention of the CPU (``convert-to-llvm``): a memref is passed as a
pointer and its dynamic sizes. Static shared memory is a global of address space 3; dynamic shared
memory is an external one. Memory of a thread is on its stack, which LLVM promotes to registers. The
host code is not changed.

=======================  ==========================================================================
:mod:`.function`         functions, their memory, what a launch says of them
:mod:`.ids`              the numbers of threads and blocks
:mod:`.approximations`   functions that the GPU has instructions for
:mod:`.libdevice`        those that NVIDIA's library for its GPUs has
:mod:`.collectives`      barriers, shuffles, and what a warp does together
=======================  ==========================================================================

``kc.conversion.convert_to_llvm`` handles scalars, control flow and memory.

Raises CodegenError, with the module unchanged: what ``convert-to-llvm`` raises; KC4360 for what the
GPU of the target lacks; KC4362 for what only a host has.

MLIR: ``convert-gpu-to-nvvm``.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

if __name__ != "kc.conversion.convert_gpu_to_nvvm":  # see kc.conversion
    raise ImportError("import this package as 'kc.conversion.convert_gpu_to_nvvm'")


@dataclass(frozen=True)
class ConvertGpuToNvvmPass(ModulePass):
    """Translate the functions of gpu modules for an NVIDIA GPU."""

    name = "convert-gpu-to-nvvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from kc.conversion.convert_gpu_to_nvvm.module import lower_gpu_modules

        del ctx
        lower_gpu_modules(op)
