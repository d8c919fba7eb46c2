"""The formats of kc-translate: functions of a module and a target.

Each lowers the module as far as it needs, unless it is there already.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp, StringAttr

from kc.support import registry
from kc.support.diagnostics import TargetError
from kc.support.options import PassSpec
from kc.support.target import Target
from kc.transforms.pass_runner import Pipeline, make_stages
from kc.transforms.to_tir import to_tir


def llvm_ir(module: ModuleOp, target: Target) -> str:
    """LLVM IR as text."""
    from kc.codegen.llvm_ir import emit_llvm_ir
    from kc.transform import PassContext

    lower(module, target)
    debug_info = PassContext.current().debug_info
    return emit_llvm_ir(module, triple=target.llvm.triple, debug_info=debug_info)


def assembly(module: ModuleOp, target: Target) -> str:
    """Assembly as text."""
    return _compile(module, target).asm()


def object_code(module: ModuleOp, target: Target) -> bytes:
    """A relocatable object file."""
    return _compile(module, target).object()


def c_source(module: ModuleOp, target: Target) -> str:
    """Standalone C99."""
    from kc.codegen.c_source import emit_c
    from kc.conversion._access_bounds import require_accesses_inside

    module.attributes["kc.target"] = StringAttr(str(target))
    to_tir(module, loops=False)
    require_accesses_inside(module)
    Pipeline(make_stages([PassSpec("lower-to-c")])).run(registry.context(), module)
    return emit_c(module)


def ptx(module: ModuleOp, target: Target) -> str:
    """PTX of the kernels, for an NVIDIA GPU. Raises TargetError KC6022 for another target."""
    from kc.codegen.ptx import ptx_of
    from kc.conversion._access_bounds import require_accesses_inside
    from kc.transform import PassContext

    if str(target.kind) != "cuda":
        raise TargetError(
            "KC6022",
            f"PTX for the target {target}",
            why="PTX is the assembly of NVIDIA's GPUs",
            hints=['--target="cuda -arch=sm_80"'],
        )
    module.attributes["kc.target"] = StringAttr(str(target))
    to_tir(module, loops=False)
    require_accesses_inside(module)
    Pipeline(make_stages([PassSpec("lower-to-nvvm")])).run(registry.context(), module)
    return ptx_of(module, target, debug_info=PassContext.current().debug_info)


def _compile(module: ModuleOp, target: Target):  # pyright: ignore[reportUnknownParameterType]
    from kc.codegen.native import compile_ir

    llvm = target.llvm
    text = llvm_ir(module, target)
    return compile_ir(
        text, triple=llvm.triple, cpu=llvm.cpu, features=llvm.features, abi=target.abi
    )


def lower(module: ModuleOp, target: Target) -> None:
    """Bring a module to the llvm dialect, for ``target``."""
    module.attributes["kc.target"] = StringAttr(str(target))
    from kc.conversion._access_bounds import require_accesses_inside

    if all(op.name.startswith("llvm.") for op in module.body.ops):
        return
    to_tir(module, loops=False)
    require_accesses_inside(module)
    Pipeline(make_stages([PassSpec("lower-to-llvm")])).run(registry.context(), module)
