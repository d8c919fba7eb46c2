"""Ops of the llvm dialect that compute addresses: alloca and getelementptr."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I32,
    I64,
    DenseArrayBase,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i32,
    i64,
)
from xdsl.dialects.llvm import GEP_USE_SSA_VAL, LLVMPointerType
from xdsl.dialects.utils import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import parse_attr_dict, print_attr_dict
from kc.dialects.llvm.types import LLVMArrayType, LLVMStructType, element_type

# MLIR's bits of the no-wrap flags of getelementptr; "inbounds" implies "nusw".
GEP_FLAGS = {"": 0, "nusw": 2, "inbounds": 3, "nuw": 4, "nusw|nuw": 6, "inbounds|nuw": 7}
_GEP_KEYWORDS = {bits: keyword for keyword, bits in GEP_FLAGS.items()}


@irdl_op_definition
class AllocaOp(IRDLOperation):
    """``llvm.alloca %n x f32 {alignment = 64 : i64} : (i64) -> !llvm.ptr``."""

    name = "llvm.alloca"

    size = operand_def(SignlessIntegerConstraint)
    alignment = opt_prop_def(IntegerAttr[I64])
    elem_type = prop_def()
    res = result_def(LLVMPointerType)

    traits = traits_def(MemoryAllocEffect())

    def __init__(
        self,
        size: SSAValue | Operation,
        elem_type: Attribute,
        alignment: int | None = None,
        result_type: LLVMPointerType | None = None,
    ):
        super().__init__(
            operands=[size],
            properties={
                "elem_type": elem_type,
                "alignment": None if alignment is None else IntegerAttr(alignment, i64),
            },
            result_types=[LLVMPointerType() if result_type is None else result_type],
        )

    @classmethod
    def parse(cls, parser: Parser) -> AllocaOp:
        size = parser.parse_unresolved_operand()
        parser.parse_keyword("x")
        elem_type = parser.parse_type()
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands([size], signature.inputs.data, position),
            properties={"elem_type": elem_type, **properties},
            result_types=signature.outputs.data,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.size)
        printer.print_string(" x ")
        printer.print_attribute(self.elem_type)
        print_attr_dict(printer, self, ("elem_type",))
        printer.print_string(" : ")
        printer.print_function_type([self.size.type], [self.res.type])


@irdl_op_definition
class GEPOp(IRDLOperation):
    """``llvm.getelementptr inbounds|nuw %p[%i, 3] : (!llvm.ptr, i64) -> !llvm.ptr, f32``."""

    name = "llvm.getelementptr"

    ptr = operand_def()
    ssa_indices = var_operand_def()
    elem_type = prop_def()
    rawConstantIndices = prop_def(DenseArrayBase.constr(i32))
    noWrapFlags = prop_def(IntegerAttr[I32], default_value=IntegerAttr(0, i32))
    result = result_def()

    traits = traits_def(Pure())

    def __init__(
        self,
        ptr: SSAValue | Operation,
        indices: Sequence[int],
        pointee_type: Attribute,
        ssa_indices: Sequence[SSAValue | Operation] = (),
        result_type: Attribute | None = None,
        inbounds: bool = False,
        nuw: bool = False,
        nusw: bool = False,
    ):
        """``indices`` contains GEP_USE_SSA_VAL in the positions of ``ssa_indices``.

        The result has the type of ``ptr`` unless ``result_type`` is given.
        """
        flags = (3 if inbounds else 0) | (2 if nusw else 0) | (4 if nuw else 0)
        super().__init__(
            operands=[ptr, ssa_indices],
            properties={
                "elem_type": pointee_type,
                "rawConstantIndices": DenseArrayBase.from_list(i32, indices),
                "noWrapFlags": IntegerAttr(flags, i32),
            },
            result_types=[SSAValue.get(ptr).type if result_type is None else result_type],
        )

    @staticmethod
    def from_mixed_indices(
        ptr: SSAValue | Operation,
        indices: Sequence[int | SSAValue | Operation],
        pointee_type: Attribute,
        result_type: Attribute | None = None,
        inbounds: bool = False,
        nuw: bool = False,
        nusw: bool = False,
    ) -> GEPOp:
        """Construct the op from constants and values in one list."""
        constants = [i if isinstance(i, int) else GEP_USE_SSA_VAL for i in indices]
        values = [i for i in indices if not isinstance(i, int)]
        return GEPOp(ptr, constants, pointee_type, values, result_type, inbounds, nuw, nusw)

    @property
    def flags(self) -> str:
        """``inbounds|nuw`` and so on, empty for none."""
        return _GEP_KEYWORDS[self.noWrapFlags.value.data]

    def verify_(self) -> None:
        if self.noWrapFlags.value.data not in _GEP_KEYWORDS:
            raise VerifyException(f"{self.name}: no flags {self.noWrapFlags.value.data}")
        for value in (self.ptr, self.result):
            if not isinstance(element_type(value.type), LLVMPointerType):
                raise VerifyException(f"{self.name}: {value.type} is not a pointer")
        indices = tuple(self.rawConstantIndices.iter_values())
        if indices.count(GEP_USE_SSA_VAL) != len(self.ssa_indices):
            raise VerifyException(f"{self.name}: number of indices and operands differ")
        ty: Attribute = self.elem_type
        for index in indices[1:]:  # the first index does not enter the type
            if isinstance(ty, LLVMArrayType):
                ty = ty.type
            elif isinstance(ty, VectorType):
                ty = ty.element_type
            elif isinstance(ty, LLVMStructType) and 0 <= index < len(ty.types.data):
                ty = ty.types.data[index]
            else:
                shown = "a value" if index == GEP_USE_SSA_VAL else index
                raise VerifyException(f"{self.name}: no member {shown} in {ty}")

    @classmethod
    def parse(cls, parser: Parser) -> GEPOp:
        flags = 0
        while (
            keyword := parser.parse_optional_keyword_in(("inbounds", "nusw", "nuw"))
        ) is not None:
            flags |= GEP_FLAGS[keyword]
            if parser.parse_optional_characters("|") is None:
                break
        ptr = parser.parse_unresolved_operand()
        values, constants = parse_dynamic_index_list_without_types(parser, GEP_USE_SSA_VAL)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        position = parser.pos
        signature = parser.parse_function_type()
        parser.parse_punctuation(",")
        return cls.create(
            operands=parser.resolve_operands([ptr, *values], signature.inputs.data, position),
            properties={
                "elem_type": parser.parse_type(),
                "rawConstantIndices": DenseArrayBase.from_list(i32, constants),
                "noWrapFlags": IntegerAttr(flags, i32),
                **properties,
            },
            result_types=signature.outputs.data,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.flags} " if self.flags else " ")
        printer.print_ssa_value(self.ptr)
        print_dynamic_index_list(
            printer, GEP_USE_SSA_VAL, self.ssa_indices, self.rawConstantIndices.iter_values()
        )
        print_attr_dict(printer, self, ("elem_type", "rawConstantIndices", "noWrapFlags"))
        printer.print_string(" : ")
        printer.print_function_type([value.type for value in self.operands], [self.result.type])
        printer.print_string(", ")
        printer.print_attribute(self.elem_type)
