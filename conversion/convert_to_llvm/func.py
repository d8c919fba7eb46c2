"""Functions, calls and returns, under the machine-level calling convention of kc.

A memref is passed as a pointer followed by its dynamic sizes, an i1 as an i8. Several results
are returned as a struct.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

from xdsl.dialects.builtin import IntegerAttr, MemRefType, SymbolRefAttr, i1, i8, i64
from xdsl.dialects.func import CallOp, FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.cfg import place_blocks
from kc.conversion.convert_to_llvm.function import FunctionLowering, LlvmPattern
from kc.conversion.convert_to_llvm.long_functions import separate_loops
from kc.conversion.convert_to_llvm.signatures import Signature
from kc.conversion.convert_to_llvm.types import abi_types
from kc.conversion.convert_to_llvm.values import MemRef, Origin
from kc.dialects import llvm
from kc.support.diagnostics import CodegenError

_NE = IntegerAttr(1, i64)


def lower_body(s: FunctionLowering, func: FuncOp, signature: Signature) -> Region:
    """Translate the body of ``func`` with the parameters of ``signature``."""
    s.separate_loops = separate_loops(func)
    return s.run(_body(s, func, signature))


def _body(s: FunctionLowering, func: FuncOp, signature: Signature) -> Generator[Block, None, None]:
    define_arguments(s, func.args, signature)
    yield from place_blocks(s, func.body)


def define_arguments(s: FunctionLowering, args: Sequence[SSAValue], signature: Signature) -> None:
    """Define the arguments of a function by parameters of its translation."""
    for parameter in signature.parameters:
        s.entry.insert_arg(parameter.type, len(s.entry.args))
    position = 0
    for old in args:
        count = len(abi_types(old.type))
        parts = s.entry.args[position : position + count]
        if isinstance(old.type, MemRefType):
            origin = signature.parameters[position].origin
            assert origin is not None
            s.define_memref(old, parts, origin)
        else:
            parts[0].name_hint = old.name_hint
            s.define(old, _from_abi(s, old, parts[0]))
        position += count


def _from_abi(s: FunctionLowering, old: SSAValue, new: SSAValue) -> SSAValue:
    """The value of ``old`` from its representation as an argument."""
    if old.type == i1:
        return s.emit(llvm.ICmpOp, [new, s.int_constant(0, i8)], i1, {"predicate": _NE})
    return new


def _to_abi(s: FunctionLowering, old: SSAValue, into: Origin) -> list[SSAValue]:
    """The inverse of :func:`_from_abi`. ``into`` is the origin of a memref at the destination."""
    if old.type == i1:
        return [s.emit(llvm.ZExtOp, [s.value(old)], i8)]
    lowered = s.lowered(old)
    if isinstance(lowered, MemRef):
        lowered.origin.flows_to.append(into)
    return s.flatten(old)


class LowerCall(LlvmPattern):
    """A call by the machine's convention: memrefs as pointers and sizes, an i1 as a byte.

    ::

        func.call @f(%A) : (memref<?xf32>) -> ()

    becomes ::

        llvm.call @f(%A, %A_0) : (!llvm.ptr, i64) -> ()
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        callee = op.properties["callee"]
        assert isinstance(callee, SymbolRefAttr)
        name = callee.string_value()
        signature = s.module.signatures.get(name)
        if signature is None:
            raise CodegenError(
                "KC4306",
                f"convert-to-llvm: func.call of @{name}, which is not a func.func of the module",
            )
        operands: list[SSAValue] = []
        handover: list[tuple[Origin, Origin]] = []
        for old in op.operands:
            formal = signature.parameters[len(operands)].origin or Origin()
            if isinstance(old.type, MemRefType):
                handover.append((s.memref(old).origin, formal))
            passed = _to_abi(s, old, formal)
            operands += passed[:1] if signature.pointers else passed
        s.module.handovers.append(handover)
        results = signature.results
        returned = None if not results else signature.type.output
        call = s.insert(llvm.CallOp(name, *operands, return_type=returned))
        if len(results) == 1:
            flat = [call.results[0]]
        else:
            flat = [
                s.insert(llvm.ExtractValueOp((i,), call.results[0])).results[0]
                for i in range(len(results))
            ]
        position = 0
        for old in op.results:
            count = len(abi_types(old.type))
            if isinstance(old.type, MemRefType):
                s.define_memref(old, flat[position : position + count], Origin(merged=True))
            else:
                s.define(old, _from_abi(s, old, flat[position]))
            position += count


class LowerReturn(LlvmPattern):
    """Return several results as a struct.

    ::

        func.return %a, %b : f32, f32    ->    llvm.return %s : !llvm.struct<(f32, f32)>
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReturnOp, rewriter: PatternRewriter, /) -> None:
        return_values(self.conversion, op.operands)


def return_values(s: FunctionLowering, values: Sequence[SSAValue]) -> None:
    """End a function with these results."""
    flat: list[SSAValue] = []
    for old in values:
        # The called function may use the memref in any way.
        flat += _to_abi(s, old, Origin(written=True, escaped=True))
    if len(flat) > 1:
        returned = s.emit(llvm.PoisonOp, [], llvm.LLVMStructType("", [v.type for v in flat]))
        for i, value in enumerate(flat):
            returned = s.insert(llvm.InsertValueOp((i,), returned, value)).results[0]
        flat = [returned]
    s.insert(llvm.ReturnOp(*flat))


PATTERNS: tuple[type[RewritePattern], ...] = (
    LowerCall,
    LowerReturn,
)
