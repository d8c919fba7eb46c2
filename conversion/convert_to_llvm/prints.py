"""``vector.print``: calls of C's ``printf``, in the formats of MLIR's runtime library."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    IndexType,
    IntegerType,
    StringAttr,
    f32,
    f64,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.convert_to_llvm.function import LlvmPattern
from kc.conversion.convert_to_llvm.types import unsupported_type
from kc.conversion.convert_to_llvm.vector_lanes import as_vector, element, lane_count
from kc.dialects import llvm, vector
from kc.dialects.vector import element_of

_POINTER = llvm.LLVMPointerType()
_LANES = 32
"""The maximum number of elements that one call prints."""


class LowerPrint(LlvmPattern):
    """Print a line of text, or a part of it. The output is complete at once: all files are flushed.

    ::

        vector.print %v : vector<2xf32>    ->    llvm.call @printf("( %g, %g )\\n", ...)
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: vector.PrintOp, rewriter: PatternRewriter, /) -> None:
        s = self.conversion
        *texts, last = (text.replace("%", "%%") for text in op.texts)
        values: list[SSAValue] = []
        if op.source is not None:
            type_ = element_of(op.source)
            conversion = _conversion(type_)
            texts = [text + conversion for text in texts]
            vector_ = as_vector(s, s.value(op.source))
            lanes = (element(s, vector_, n) for n in range(lane_count(vector_.type)))
            values = [self._widened(lane, type_) for lane in lanes]
        texts.append(last)
        for first in range(0, len(texts), _LANES):
            self._printf("".join(texts[first : first + _LANES]), values[first : first + _LANES])
        s.module.declare("fflush", [_POINTER], i32)
        s.insert(llvm.CallOp("fflush", s.emit(llvm.ZeroOp, [], _POINTER), return_type=i32))

    def _printf(self, text: str, values: Sequence[SSAValue]) -> None:
        s = self.conversion
        name, data = s.module.fresh_symbol("kc_text"), text + "\0"
        array = llvm.LLVMArrayType(len(data.encode()), i8)
        s.module.add(llvm.GlobalOp(array, name, "internal", constant=True, value=StringAttr(data)))
        s.module.declare("printf", [_POINTER], i32, is_variadic=True)
        address = s.insert(llvm.AddressOfOp(name, _POINTER)).results[0]
        call = llvm.CallOp("printf", address, *values, return_type=i32, variadic_args=len(values))
        call.properties["var_callee_type"] = llvm.LLVMFunctionType([_POINTER], i32, True)
        s.insert(call)

    def _widened(self, value: SSAValue, old: Attribute) -> SSAValue:
        """A number widened to 64 bits, from the old type ``old``; a bool is 0 or 1."""
        if value.type in (i64, f64):
            return value
        if value.type == f32:
            return self.conversion.emit(llvm.FPExtOp, [value], f64)
        return self.conversion.emit(llvm.ZExtOp if old == i1 else llvm.SExtOp, [value], i64)


def _conversion(type_: Attribute) -> str:
    """The ``printf`` conversion of numbers of this type. Raises CodegenError KC4303 for other
    types.
    """
    if type_ in (f32, f64):
        return "%g"
    if isinstance(type_, IndexType):
        return "%llu"
    if isinstance(type_, IntegerType) and type_.width.data <= 64:
        return "%lld"
    raise unsupported_type(type_, "numbers of at most 64 bits are printed")


PATTERNS: tuple[type[RewritePattern], ...] = (LowerPrint,)
