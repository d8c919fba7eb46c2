"""Kernels as source in GPU languages: CUDA C++, OpenCL C, Metal.

Kernels are printed like functions of the C target (``kc.codegen.c_source``): integers wrap, and
divisions and shifts are the same. A language adds address spaces, thread and block numbers,
barriers, shuffles, and its vectors.

The parameters of a kernel are its launch arguments: a pointer for each buffer, followed by its
dynamic dimensions as 64-bit integers, and scalars. Dynamic shared memory is the last parameter
(OpenCL C, Metal), or belongs to the launch (CUDA).
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp

from kc.codegen.c_source.expressions import Expressions
from kc.codegen.c_source.helpers import Helpers
from kc.codegen.c_source.tables import define_tables
from kc.codegen.gpu_source.kernel import KernelPrinter
from kc.codegen.gpu_source.languages import Cuda, GpuLanguage, Metal, OpenCl
from kc.dialects.gpu import GPUFuncOp, GPUModuleOp
from kc.support.c_names import c_name
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

if __name__ != "kc.codegen.gpu_source":  # see kc.codegen
    raise ImportError("import this package as 'kc.codegen.gpu_source'")

LANGUAGES: dict[str, type[GpuLanguage]] = {
    language.name: language for language in (Cuda, OpenCl, Metal)
}


def emit_gpu_source(module: ModuleOp, language: str, warp: int) -> str:
    """The source of a module's kernels in a language (:data:`LANGUAGES`).

    ``warp`` is the number of threads of the target that exchange values, 1 if unknown.
    Raises CodegenError KC4362 and KC44xx for constructs that the language lacks.
    """
    chosen = LANGUAGES[language]()
    helpers = Helpers(chosen)
    homes = [op for op in module.ops if isinstance(op, GPUModuleOp)]
    ops = [op for home in homes for op in home.body.block.ops]
    kernels = [op for op in ops if isinstance(op, GPUFuncOp) and op.is_kernel]
    chosen.contracts = all(_may_contract(kernel) for kernel in kernels)
    for op in ops:
        if not isinstance(op, memref.GlobalOp) and op not in kernels:
            raise CodegenError(
                "KC4403",
                f"{language}: {op.name} beside kernels cannot be expressed in {chosen.title}",
                location=location_of(op),
                why="the source has kernels and tables of constants",
            )
    tables = define_tables(ops, Expressions(helpers))
    names = {kernel.sym_name.data: kernel_name(kernel, chosen) for kernel in kernels}
    defined = [
        KernelPrinter(kernel, Expressions(helpers), names, warp).define() for kernel in kernels
    ]
    vectors = [form.definition for form in chosen.vectors.values()]
    return "\n".join([helpers.text(), *vectors, *tables, *defined])


def kernel_name(kernel: GPUFuncOp, language: GpuLanguage) -> str:
    """The name of a kernel in the source, by which a driver finds it."""
    return c_name(kernel.sym_name.data, language.words)


def _may_contract(kernel: GPUFuncOp) -> bool:
    """True if all products and sums of floats may be contracted."""
    for op in kernel.walk():
        if op.name in ("arith.addf", "arith.subf", "arith.mulf"):
            flags = op.properties.get("fastmath")
            words = {flag.value for flag in getattr(flags, "data", ())}
            if "contract" not in words:
                return False
    return True
