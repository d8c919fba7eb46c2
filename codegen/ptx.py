"""PTX for NVIDIA GPUs, compiled by LLVM's NVPTX backend.

LLVM aborts the process on intrinsics that the GPU lacks, and on functions of the C library. The
called functions are therefore examined first: code that calls only known functions is compiled in
this process, other code in a separate process. The separate process links code that calls functions
of NVIDIA's libdevice with that library (:mod:`kc.support.libdevice`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from xdsl.dialects.builtin import ModuleOp

from kc.analysis.loop_tree import preorder
from kc.analysis.module_copy import copy_operation
from kc.codegen import llvm_worker
from kc.codegen.llvm_ir import emit_llvm_ir
from kc.codegen.llvm_ir.nvvm import NVVM_WRITERS
from kc.codegen.native_target import last_words, llvm_binding
from kc.conversion.convert_nvvm_to_llvm import needs_conversion
from kc.dialects import llvm
from kc.dialects.gpu import GPUModuleOp
from kc.support.diagnostics import CodegenError, suggest
from kc.support.libdevice import PREFIX, find_libdevice, places
from kc.support.locations import location_of
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
"""The intrinsics for which every GPU has code."""
_ODD_NAME = re.compile(r'@(?:"|[\w.$]*-)')
"""Names that PTX cannot write, on which LLVM aborts. ``legalize-symbols`` leaves none."""


def ptx_of(module: ModuleOp, target: Target, *, debug_info: bool = False) -> str:
    """The PTX of a module whose kernels are in the dialects llvm and nvvm.

    With ``debug_info`` the PTX contains source lines (``.loc``). Raises the errors of
    :func:`emit_device_ir` and :func:`compile_ptx`. A module without kernels gives PTX without an
    entry.
    """
    arch = architecture_of(target)
    code = [op for op in module.ops if isinstance(op, GPUModuleOp)]
    if len(code) == 1 and not needs_conversion(code[0]):
        device = code[0]
    else:
        ops = [op for home in code for op in home.body.block.ops]
        device = ModuleOp([copy_operation(op) for op in ops])
        get_pass("convert-nvvm-to-llvm").apply(context(), device)
    called = _called_library_functions(device)
    text = emit_device_ir(device, arch, debug_info=debug_info)
    if not called:
        return compile_ptx(text, arch)
    return _compile_with_libdevice(text, arch, called)


def _called_library_functions(module: ModuleOp | GPUModuleOp) -> dict[str, llvm.CallOp]:
    """The functions of libdevice that kernels call, each with its first call."""
    called: dict[str, llvm.CallOp] = {}
    functions = [op for op in module.body.block.ops if isinstance(op, llvm.FuncOp)]
    own = {function.sym_name.data for function in functions if function.body.blocks}
    for op in preorder(module):
        if isinstance(op, llvm.CallOp) and op.callee is not None:
            name = op.callee.string_value()
            if name.startswith(PREFIX) and name not in own:
                called.setdefault(name, op)
    return called


def emit_device_ir(
    module: ModuleOp | GPUModuleOp, arch: Architecture, *, debug_info: bool = False
) -> str:
    """The LLVM IR text of a module of kernels in the dialects llvm and nvvm.

    With ``debug_info`` the PTX contains source lines (``.loc``). Raises CodegenError KC4101 to
    KC4105 for constructs that LLVM IR cannot express.
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
    """The PTX for LLVM IR text.

    Raises CodegenError KC4106 for IR that LLVM refuses, and KC4361 for code that it cannot generate
    for the GPU.
    """
    called = set(re.findall(r"@(llvm\.[\w.]+)\(", text))
    unknown = sorted(name for name in called if not _KNOWN.fullmatch(name))
    if not unknown and " asm " not in text and not _ODD_NAME.search(text):
        return _compile(text, arch, opt_level)
    return _ask_worker(text, arch, opt_level, unknown)["asm"]


def _ask_worker(
    text: str,
    arch: Architecture,
    opt_level: int,
    unknown: Sequence[str],
    library: Path | None = None,
) -> dict[str, Any]:
    """The answer of a separate process, in which LLVM may abort, as ``unknown`` functions are
    called.
    """
    request = {
        "ptx": text,
        "cpu": arch.name,
        "features": arch.features,
        "opt_level": opt_level,
        "library": None if library is None else str(library),
    }
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
            f"LLVM cannot generate code for this on {arch.name}",
            facts=[
                *([f"possible causes: {', '.join(unknown)}"] if unknown else ()),
                *([f"it is linked with {library}"] if library is not None else ()),
            ],
            why=last_words(done.stderr) or "it ended without a message",
        )
    answer = json.loads(done.stdout)
    if "refused" in answer:
        raise _refused(answer["refused"])
    return answer


def _compile_with_libdevice(
    text: str, arch: Architecture, called: Mapping[str, llvm.CallOp]
) -> str:
    """The PTX for LLVM IR text that calls functions of libdevice.

    Raises CodegenError KC4368 without libdevice, and KC4369 for a function that it lacks.
    """
    library = find_libdevice()
    if library is None:
        name, call = next(iter(called.items()))
        raise CodegenError(
            "KC4368",
            f"{name} is a function of NVIDIA's libdevice, which was not found",
            location=location_of(call),
            why="it comes with CUDA's toolkit, and in wheels",
            facts=[f"looked for {place}" for place in places()],
            hints=[
                "pip install nvidia-nvvm",
                "CUDA_HOME=... with the directory of CUDA's toolkit",
                "without -libs=libdevice functions are computed by arithmetic of kc's own",
            ],
        )
    answer = _ask_worker(text, arch, 3, [], library)
    if "function" in answer:
        name, there = answer["function"], answer["there"]
        functions = [name for name in answer["names"] if name.startswith(PREFIX)]
        is_missing = there is None
        twins = [twin for twin in (f"{name}f", name.removesuffix("f")) if twin != name]
        raise CodegenError(
            "KC4369",
            f"libdevice has no function {name}"
            if is_missing
            else f"{name} is called as {answer['wanted']}, and libdevice's is {there}",
            location=location_of(called[name]),
            facts=[f"libdevice is {library}"],
            hints=suggest(name, functions)
            if is_missing
            else [
                *(f"call {twin}" for twin in twins if twin in functions),
                "convert the arguments: x.astype(...)",
            ],
        )
    return answer["asm"]


def _compile(text: str, arch: Architecture, opt_level: int) -> str:
    try:
        return llvm_worker.ptx(llvm_binding(), text, arch.name, arch.features, opt_level)
    except RuntimeError as reason:
        raise _refused(str(reason)) from None


def _refused(reason: str) -> CodegenError:
    lines = [line.rstrip() for line in reason.splitlines() if line.strip()]
    return CodegenError("KC4106", "LLVM refuses the IR", facts=lines[:6])
