"""convert-gpu-to-cpu: kernels and their launches as functions that a CPU runs.

Before::

    gpu.launch_func @kernels::@k blocks in (%n, %c1, %c1) threads in (%c64, %c1, %c1)
        args(%A : memref<?xf32>)
    gpu.module @kernels {
      gpu.func @k(%A: memref<?xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>)
          kernel {
        %t = gpu.thread_id x
        ...
        gpu.barrier
        ...

After::

    func.call @kernels_k_launch(%n, %c1, %c1, %c64, %c1, %c1, %c0, %A)
    func.func private @kernels_k_launch(%grid_x: index, ...) {
      scf.parallel (%block) = (%c0) to (%blocks) step (%c1) {
        %S = memref.alloc() : memref<64xf32>
        ... for each thread: %thread = func.call @kernels_k_thread(%A, %S, ...) -> !llvm.ptr
        func.call @kc_emu_run(%threads, %states, %count, %step)
        ...
    func.func private @kernels_k_thread(%A: memref<?xf32>, %S: memref<64xf32>, ..., %tid_x: index,
        ..., %number: index, %states: memref<?xi32>, ...) -> !llvm.ptr attributes {kc.coroutine} {
      ...
      memref.store %site, %states[%number]
      func.call @kc_suspend()
      ...

A block is an iteration of a parallel loop, and a thread is a call. If threads wait for each other,
each thread is a coroutine (``make-coroutines``). It suspends at the wait and records the kind of
wait in its word of ``states``; ``kc_emu_run`` (``emulator.c``) resumes the threads that may
continue. A shuffle suspends twice: a lane stores its value in ``lanes``, waits until all lanes have
arrived, and reads the value of another lane. Each block has its own memory. Device memory is host
memory, and the result is compiled for the host.

With ``check``, blocks run one after the other, and each access first calls ``kc_emu_access``, which
records the access. An access outside of its buffer is skipped. The attribute ``kc.emulator.sites``
of the module lists the source locations.

=======================  ==========================================================================
:mod:`.kernel`           a kernel, and what is asked of its threads
:mod:`.thread`           the function that each thread runs
:mod:`.thread_patterns`  numbers of threads, barriers, shuffles
:mod:`.checks`           accesses that are watched
:mod:`.launches`         the function that runs all blocks
:mod:`.host`             launches and memory of the device
=======================  ==========================================================================

Requires: kernels are outlined (``gpu-kernel-outlining``), and no ``tir`` is left in them.

Raises CodegenError, with the module unchanged: KC4302 for what kernels do that is not emulated,
KC4364 for more arrays than are watched.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.support.pass_context import pipeline_options

if __name__ != "kc.conversion.convert_gpu_to_cpu":  # see kc.conversion
    raise ImportError("import this package as 'kc.conversion.convert_gpu_to_cpu'")

COROUTINE = "kc.coroutine"
"""The attribute of a function that suspends at its calls of :data:`SUSPEND`."""
SUSPEND = "kc_suspend"
SITES = "kc.emulator.sites"
"""The attribute of the module that lists the source locations of findings."""


@dataclass(frozen=True)
class ConvertGpuToCpuPass(ModulePass):
    """Convert kernels and launches to functions for a CPU.

    ``check``: check the accesses and barriers of kernels at run time.
    """

    name = "convert-gpu-to-cpu"

    check: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from kc.conversion.convert_gpu_to_cpu.lowering import lower_to_cpu

        lower_to_cpu(ctx, op, self.check or pipeline_options().watched)
