"""PTX for NVIDIA GPUs, by LLVM's NVPTX backend.

LLVM ends the process on an intrinsic that the GPU lacks, and on functions that a C library has and
a GPU does not. So it is looked at first what the code calls: what is known to be there is compiled
in this process, anything else in one of its own.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp

from kc.codegen import llvm_worker
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.llvm_ir.nvvm import NVVM_WRITERS
from kc.codegen.native_target import last_words, llvm_binding
from kc.dialects.gpu import GPUModuleOp
from kc.support.diagnostics import CodegenError
from kc.support.nvidia import Architecture, architecture_of
from kc.support.registry import context, get_pass
from kc.support.target import Target

TRIPLE = "nvptx64-nvidia-cuda"

_KNOWN = re.compile(
    r"llvm\.(nvvm\.((ex2|lg2|sin|cos|rsqrt|tanh)\.approx\.f(32)?|read\.ptx\.sreg\.(tid|ntid|ctaid|nctaid|laneid|warpid|smid|warpsize|clock"
    r"|globaltimer)\S*|barrier\.cta\.sync\.aligned\.(all|count)|bar\.warp\.sync|shfl\.sync\.\S+"
    r"|vote\.\S+|match\.\S+|membar\.\S+)"
    r"|(fma|fmuladd|fabs|sqrt|floor|ceil|trunc|rint|roundeven|minnum|maxnum|minimum|maximum"
    r"|minimumnum|maximumnum|copysign|is\.fpclass)\.\S+"
    r"|(smax|smin|umax|umin|abs|ctpop|ctlz|cttz|bswap|bitreverse|fshl|fshr"
    r"|[us](add|sub)\.sat|[us](add|sub|mul)\.with\.overflow)\.\S+"
    r"|fpto[su]i\.sat\.\S+|vector\.reduce\.\S+|masked\.(load|store)\.\S+"
    r"|mem(cpy|set|move)\.\S+|assume|lifetime\.\S+|expect\.\S+)"
)
"""The intrinsics that every GPU has code for."""


def ptx_of(module: ModuleOp, target: Target, *, debug_info: bool = False) -> str:
    """PTX of the kernels of a module whose kernels are in the dialects llvm and nvvm.

    With ``debug_info`` it says where its instructions come from (``.loc``).

    Raises what the others raise. A module without kernels makes PTX without an entry.
    """
    arch = architecture_of(target)
    code = [op for op in module.ops if isinstance(op, GPUModuleOp)]
    device = ModuleOp([])
    for home in code:
        for op in home.body.block.ops:
            clone = op.clone()
            for old, new in zip(op.walk(), clone.walk(), strict=True):
                new.location = old.location
            device.body.block.add_op(clone)
    get_pass("convert-nvvm-to-llvm").apply(context(), device)
    return compile_ptx(emit_device_ir(device, arch, debug_info=debug_info), arch)


def emit_device_ir(module: ModuleOp, arch: Architecture, *, debug_info: bool = False) -> str:
    """A module of kernels, in the dialects llvm and nvvm, as LLVM IR text.

    With ``debug_info`` the PTX says where its instructions come from (``.loc``).

    Raises CodegenError KC4101 to KC4105 for what LLVM IR cannot express.
    """
    return emit_llvm_ir(
        module,
        triple=TRIPLE,
        cpu=arch.name,
        features=arch.features,
        writers=NVVM_WRITERS,
        debug_info=debug_info,
    )


def compile_ptx(text: str, arch: Architecture, opt_level: int = 3) -> str:
    """PTX for LLVM IR text.

    Raises CodegenError KC4106 for IR that LLVM refuses, and KC4361 for what it has no code for on
    the GPU.
    """
    called = set(re.findall(r"@(llvm\.[\w.]+)\(", text))
    unknown = sorted(name for name in called if not _KNOWN.fullmatch(name))
    if not unknown and " asm " not in text:
        return _compile(text, arch, opt_level)
    request = {"ptx": text, "cpu": arch.name, "features": arch.features, "opt_level": opt_level}
    done = subprocess.run(
        [sys.executable, str(Path(llvm_worker.__file__))],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise CodegenError(
            "KC4361",
            f"LLVM has no code for this on {arch.name}",
            facts=[f"what it may be: {', '.join(unknown)}"] if unknown else (),
            why=last_words(done.stderr) or "it ended without a word",
        )
    answer = json.loads(done.stdout)
    if "refused" in answer:
        raise _refused(answer["refused"])
    return answer["asm"]


def _compile(text: str, arch: Architecture, opt_level: int) -> str:
    llvm = llvm_binding()
    try:
        return llvm_worker.ptx(llvm, text, arch.name, arch.features, opt_level)
    except RuntimeError as reason:
        raise _refused(str(reason)) from None


def _refused(reason: str) -> CodegenError:
    lines = [line.rstrip() for line in reason.splitlines() if line.strip()]
    return CodegenError("KC4106", "LLVM refuses the IR", facts=lines[:6])
