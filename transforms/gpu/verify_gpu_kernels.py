"""verify-gpu-kernels: kernels whose threads race, part or leave arrays are refused, without a run.

It changes nothing, and so has no rewrite pattern. Each kernel of a ``gpu.module`` is looked at with
the sizes of its launches, for all blocks, threads and iterations at once
(:mod:`kc.analysis.gpu.kernel_safety`). What is certain to be wrong is refused with both places;
what is neither proven nor disproven passes, and is left to ``kc.gpu.check``, which runs the kernel.
With ``report``, a remark (KC6309) says of each kernel what is proven and what is not.

*Legal when no kernel is certain to have*

1. KC6301: two threads that touch one element, one of which writes, with no barrier in between.
2. KC6302: a barrier or a shuffle that some threads come to and others do not.
3. KC6303: an index outside of its array.
4. KC6304: a vector at an address that is no multiple of what it says.
5. KC6305: an element of shared memory that is read and that no thread has written.

The idea is that of GPUVerify, a prover of kernels in CUDA and OpenCL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from kc.analysis.gpu.kernel_launches import shapes_of
from kc.analysis.gpu.kernel_safety import CODES, WHY, SafetyVerdict, safety_of
from kc.dialects.gpu import GPUFuncOp
from kc.support.diagnostics import CodegenError, remark, warn
from kc.support.locations import location_of

UNDECIDED = "kc-run --target=cuda-emu --check runs it, and decides for the arrays of the call"


@dataclass(frozen=True)
class VerifyGpuKernelsPass(ModulePass):
    """Refuse kernels that are certain to be wrong."""

    name = "verify-gpu-kernels"

    report: bool = False
    """Say of each kernel what is proven too, not only what is not decided."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        shapes = shapes_of(op)
        for kernel in op.walk():
            if isinstance(kernel, GPUFuncOp) and kernel.is_kernel:
                verdicts = safety_of(kernel, shapes=shapes)
                undecided = [verdict for verdict in verdicts if verdict.is_clean is None]
                if self.report or undecided:
                    remark(
                        "KC6309",
                        f"kernel {kernel.sym_name.data}, without running it",
                        location=location_of(kernel),
                        facts=list(map(str, verdicts if self.report else undecided)),
                        hints=[UNDECIDED] if undecided else (),
                    )
                for verdict in verdicts:
                    if verdict.is_clean is False:
                        raise CodegenError(**_message(self.name, kernel, verdict))


def warn_of_kernels(module: ModuleOp, who: str) -> None:
    """Say what is certain to be wrong in the kernels of a module, one warning for each kind."""
    shapes = shapes_of(module)
    for kernel in module.walk():
        if isinstance(kernel, GPUFuncOp) and kernel.is_kernel:
            for verdict in safety_of(kernel, shapes=shapes):
                if verdict.is_clean is False:
                    warn(**_message(who, kernel, verdict))


def _message(who: str, kernel: GPUFuncOp, verdict: SafetyVerdict) -> dict[str, Any]:
    facts = [f"kernel: {kernel.sym_name.data}"]
    if verdict.second is not None:
        text = verdict.second.source_line().strip()
        facts.append(f"the other: {verdict.second}" + (f"  {text}" if text else ""))
    return {
        "code": CODES[verdict.kind],
        "message": f"{who}: {verdict.message}",
        "location": verdict.location,
        "facts": facts,
        "why": WHY[verdict.kind],
    }
