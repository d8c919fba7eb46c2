"""convert-tir-to-scf: loops, guards and accesses become ``scf``, ``memref``, ``vector``, ``arith``.

Before::

    tir.for %i in 16 parallel {
      tir.if (%i * 4 < 50) {
        %a = tir.load %A[%i * 4] : memref<50xf32>
        ...

After::

    scf.parallel (%i) = (%c0) to (%c16) step (%c1) {
      %0 = arith.muli %i, %c4 : index
      %1 = arith.cmpi slt, %0, %c50 : index
      scf.if %1 {
        %a = memref.load %A[%0] : memref<50xf32>
        ...

A parallel loop inside a parallel loop becomes ``scf.for``. An unrolled loop is an ``scf.for`` with
the discardable attribute ``llvm.loop_annotation``, which upstream's and kc's lowering attach to the
branch. Symbols become ``memref.dim`` of an argument with that size. Buffers of i1 become buffers of
i8 that hold 0 or 1 (MLIR packs vectors of i1 into bits; numpy stores bytes). A vector of elements
that are not adjacent in memory is loaded and stored element by element. Small buffers of constant
size are ``memref.alloca`` at the start of the function or parallel body. Other buffers are
``memref.alloc`` in the outermost block in which their sizes are known, with a ``memref.dealloc`` at
its end. ``fastmath<contract>`` is set on float additions and multiplications without flags, and the
target's ``-fast-math`` flags on all float operations (``-contract=0``: none). The operands of a
comparison marked ``kc.exact`` get neither.

Requires: no block (``lower-blocks``) and no vectorized loop (``vectorize-loop``) remains. Legal
set: no op of ``tir`` remains.

:mod:`.function` contains the state that patterns share, :mod:`.refusals` the checks before any
change. The patterns are in :mod:`.indices`, :mod:`.memory`, :mod:`.calls` and :mod:`.control_flow`.
"""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.passes import ModulePass

from kc.analysis.loop_tree import functions, preorder
from kc.conversion.convert_tir_to_scf import calls, control_flow, indices, memory
from kc.conversion.convert_tir_to_scf.function import STACK_BYTES, TARGET, TirToScf, memory_type
from kc.conversion.convert_tir_to_scf.refusals import require_lowered, uses_tir
from kc.conversion.driver import own_and_added, require_legal, require_patterns
from kc.dialects import tir
from kc.support.target import target_of

__all__ = ["STACK_BYTES", "ConvertTirToScfPass"]

PATTERNS = (*indices.PATTERNS, *memory.PATTERNS, *calls.PATTERNS, *control_flow.PATTERNS)


@dataclass(frozen=True)
class ConvertTirToScfPass(ModulePass):
    """Turn loops, guards and accesses into the standard dialects.

    Raises CodegenError, with the module unchanged: KC4201, KC4202, KC4204, KC4206, KC4207, KC4214
    for constructs that earlier passes remove or a CPU lacks, KC4216 for an operation without a
    pattern.
    """

    name = "convert-tir-to-scf"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        todo = [function for function in functions(op) if uses_tir(function)]
        if not todo:
            return
        declarations = _declarations_with_bools(op)
        todo += _callers_with_bools(op, [*todo, *declarations])
        patterns = own_and_added(TARGET, PATTERNS)
        for function in todo:
            require_lowered(function)
            # parts of other operations, which their patterns convert
            parts = (tir.CombineOp, tir.YieldOp, tir.ConditionOp)
            ops = (inner for inner in preorder(function) if type(inner) not in parts)
            require_patterns(TARGET, patterns, ops)
        for declaration in declarations:
            _convert_declaration(declaration)
        flags = target_of(op).fast_math
        for function in todo:
            TirToScf(function, flags, patterns).run()
            require_legal(TARGET, preorder(function))


def _declarations_with_bools(module: ModuleOp) -> list[FuncOp]:
    """The functions from elsewhere that take buffers of bools, which are bytes there too."""
    return [
        op
        for op in module.body.ops
        if isinstance(op, FuncOp)
        and op.is_declaration
        and any(memory_type(type_) != type_ for type_ in op.function_type.inputs)
    ]


def _convert_declaration(function: FuncOp) -> None:
    inputs = [memory_type(type_) for type_ in function.function_type.inputs]
    function.function_type = FunctionType.from_lists(inputs, list(function.function_type.outputs))


def _callers_with_bools(module: ModuleOp, converted: list[FuncOp]) -> list[FuncOp]:
    """The functions without tir that pass buffers of bools to functions that are converted, where
    these become bytes."""
    names = {
        function.sym_name.data
        for function in converted
        if any(memory_type(type_) != type_ for type_ in function.function_type.inputs)
    }
    return [
        function
        for function in functions(module)
        if function not in converted
        and any(
            isinstance(op, CallOp) and op.callee.string_value() in names for op in function.walk()
        )
    ]
