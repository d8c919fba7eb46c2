"""scf, memref, vector, arith, math, func and cf to the llvm dialect, for the CPU.

======================  ===========================================================================
:mod:`.module`          the walk over the functions; :mod:`.new_module` collects what they become
:mod:`.function`        the walk over the operations of a function
:mod:`.values`          what values become; :mod:`.types` the same for types
:mod:`.func`            the calling convention; :mod:`.signatures` what it says of a function's type
:mod:`.scf`             structured control flow; :mod:`.cfg` regions with several blocks
:mod:`.parallel`        parallel loops, whose bodies become functions
:mod:`.long_functions`  loops of long functions, which become functions
:mod:`.aliasing`        the attributes of pointers, decided when all functions are translated
:mod:`.refusals`        what is refused
======================  ===========================================================================

:mod:`.arith`, :mod:`.math`, :mod:`.memref` and :mod:`.vector` have the operations of a dialect.
Patterns are found by the class of an operation, so that one that extends xDSL's (a comparison of
vectors, say) is lowered like it.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.passes import ModulePass

if __name__ != "kc.conversion.convert_to_llvm":  # see kc.conversion
    raise ImportError("import this package as 'kc.conversion.convert_to_llvm'")


@dataclass(frozen=True)
class ConvertToLlvmPass(ModulePass):
    """Translate functions over memrefs to the llvm dialect; parallel loops run on the thread pool.

    ::

        func.func @f(%A: memref<?xf32>, %i: index) {
          %a = memref.load %A[%i] : memref<?xf32>
          ...

    becomes ::

        llvm.func @f(%A: !llvm.ptr {llvm.align = 4 : i64, llvm.noalias, ...}, %A_0: i64, %i: i64) {
          %0 = llvm.getelementptr inbounds %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
          %a = llvm.load %0 : !llvm.ptr -> f32
          ...

    Requires functions (func), constant tables (memref.global) and operations of the llvm dialect at
    the top of the module, memrefs without layout or views of them (memref.subview), and vectors of
    one dimension. The result contains only the llvm dialect. ``data_layout`` and ``target_triple``
    are set on the module if they are given.

    Memory of memref.alloc comes from ``aligned_alloc`` and is freed by memref.dealloc. As in any
    kernel without a result, a failed allocation cannot be reported.

    Raises CodegenError, with the module unchanged: KC4301 loops nested too deeply, KC4302 an
    operation or KC4303 a type that is not supported, KC4304 a parallel reduction, KC4305 memory
    that cannot be laid out, KC4306 a call that cannot be linked, KC4216 what a pattern of a plugin
    left in another dialect.
    """

    name = "convert-to-llvm"

    data_layout: str | None = None
    target_triple: str | None = None

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        from kc.conversion.convert_to_llvm.module import lower_module
        from kc.conversion.convert_to_llvm.patterns import PATTERNS
        from kc.conversion.convert_to_llvm.types import TARGET
        from kc.conversion.driver import own_and_added

        lower_module(op, own_and_added(TARGET, PATTERNS))
        if self.data_layout is not None:
            op.attributes["llvm.data_layout"] = StringAttr(self.data_layout)
        if self.target_triple is not None:
            op.attributes["llvm.target_triple"] = StringAttr(self.target_triple)
