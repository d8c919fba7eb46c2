"""Runs LLVM in a process of its own, where it may abort.

LLVM ends the process on what it takes for impossible: a CPU without 64-bit mode for a 64-bit
triple, an intrinsic the CPU lacks, inline assembly that does not assemble. This file is run as a
script: a request comes as JSON on standard input, the answer goes to standard output, and what LLVM
prints goes to standard error. It imports llvmlite alone, so that it starts fast.
"""

import base64
import json
import sys
from typing import Any

PROBE = "define float @probe(float %x) {\n  %y = fadd float %x, %x\n  ret float %y\n}\n"


def main() -> None:
    request: dict[str, Any] = json.load(sys.stdin)
    import llvmlite.binding as llvm

    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()  # for inline assembly
    target = llvm.Target.from_triple(request["triple"])
    machine = target.create_target_machine(
        cpu=request["cpu"],
        features=request["features"],
        opt=min(request["opt_level"], 3),
        reloc=request["relocation"],
        codemodel=request["code_model"],
        abiname=request["abi"],
    )
    try:
        module = llvm.parse_assembly(request["text"] or PROBE)
        module.triple = request["triple"]
        module.data_layout = str(machine.target_data)
        module.verify()
    except RuntimeError as reason:
        json.dump({"refused": str(reason)}, sys.stdout)
        return
    optimize(llvm, module, machine, request["opt_level"])
    answer = {
        "ir": str(module),
        "asm": machine.emit_assembly(module.clone()),
        "object": base64.b64encode(machine.emit_object(module.clone())).decode(),
    }
    json.dump(answer, sys.stdout)


def optimize(llvm: Any, module: Any, machine: Any, level: int) -> None:
    """Run LLVM's default pipeline; loops and straight-line code are vectorised from level 2."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization = options.slp_vectorization = level >= 2
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


if __name__ == "__main__":
    main()
