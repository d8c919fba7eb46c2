"""verify-gpu-kernels: statically refuse kernels with races, divergent barriers or bad accesses.

The pass changes nothing, and so has no rewrite pattern. It examines each kernel of a ``gpu.module``
with the sizes of its launches, for all blocks, threads and iterations at once
(:mod:`kc.analysis.gpu.kernel_safety`). A certain error is refused with both locations. An undecided
case passes, and is left to ``kc.gpu.check``, which runs the kernel. With ``report``, a remark
(KC6309) lists the proven and the undecided properties of each kernel.

*Legal when no kernel is certain to have*

1. KC6301: two threads that access one element, one of them a write, with no barrier in between.
2. KC6302: a barrier or a shuffle that only some threads reach.
3. KC6303: an index outside of its array.
4. KC6304: a vector at an address that is not a multiple of the stated alignment.
5. KC6305: an element of shared memory that is read before any thread has written it.

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

UNDECIDED = "kc-run --target=cuda-emu --check runs it, and checks the arrays of one call"


@dataclass(frozen=True)
class VerifyGpuKernelsPass(ModulePass):
    """Refuse kernels that are certain to have an error."""

    name = "verify-gpu-kernels"

    report: bool = False
    """Report the proven properties of each kernel, in addition to the undecided ones."""

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
                        f"kernel {kernel.sym_name.data}: static checks",
                        location=location_of(kernel),
                        facts=list(map(str, verdicts if self.report else undecided)),
                        hints=[UNDECIDED] if undecided else (),
                    )
                for verdict in verdicts:
                    if verdict.is_clean is False:
                        raise CodegenError(**_message(self.name, kernel, verdict))


def warn_of_kernels(module: ModuleOp, who: str) -> None:
    """Warn of certain errors in the kernels of a module, once for each kind."""
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
