"""Intrinsics of the llvm dialect about memory and control: copies, hints, assumptions, traps."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import (
    I8,
    I32,
    ArrayAttr,
    BoolAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    SignlessIntegerConstraint,
    StringAttr,
    i1,
    i32,
)
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    VarConstraint,
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
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.base import (
    NO_SIZES,
    parse_attr_dict,
    parse_op_bundles,
    print_attr_dict,
    print_op_bundles,
    verify_op_bundles,
)
from kc.dialects.llvm.intrinsics import IntrinsicOp, intrinsic


class CopyOp(IntrinsicOp, ABC):
    """``"llvm.intr.memcpy"(%dst, %src, %len) <{isVolatile = false}> : (..) -> ()``.

    ``arg_attrs`` (``llvm.align``) give the alignments of the pointers.
    """

    OVERLOADS: ClassVar = (0, 1, 2)
    IMMEDIATES: ClassVar = ((3, "isVolatile"),)

    dst = operand_def(LLVMPointerType)
    src = operand_def(LLVMPointerType)
    len = operand_def(SignlessIntegerConstraint)
    isVolatile = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        dst: SSAValue | Operation,
        src: SSAValue | Operation,
        len: SSAValue | Operation,
        volatile: bool = False,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            operands=[dst, src, len],
            properties={"isVolatile": BoolAttr.from_bool(volatile), "arg_attrs": arg_attrs},
        )


MemcpyOp = intrinsic(CopyOp, "MemcpyOp", "memcpy")
MemmoveOp = intrinsic(
    CopyOp, "MemmoveOp", "memmove", "A copy whose source and destination may overlap."
)


@irdl_op_definition
class MemsetOp(IntrinsicOp):
    """``"llvm.intr.memset"(%dst, %byte, %len) <{isVolatile = false}> : (..) -> ()``."""

    name = "llvm.intr.memset"
    OVERLOADS: ClassVar = (0, 2)
    IMMEDIATES: ClassVar = ((3, "isVolatile"),)

    dst = operand_def(LLVMPointerType)
    val = operand_def(I8)
    len = operand_def(SignlessIntegerConstraint)
    isVolatile = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))
    arg_attrs = opt_prop_def(ArrayAttr[DictionaryAttr])

    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        dst: SSAValue | Operation,
        val: SSAValue | Operation,
        len: SSAValue | Operation,
        volatile: bool = False,
        arg_attrs: ArrayAttr[DictionaryAttr] | None = None,
    ):
        super().__init__(
            operands=[dst, val, len],
            properties={"isVolatile": BoolAttr.from_bool(volatile), "arg_attrs": arg_attrs},
        )


@irdl_op_definition
class PrefetchOp(IntrinsicOp):
    """``"llvm.intr.prefetch"(%p) <{cache = 1, hint = 3, rw = 0}>``, all i32.

    rw: 0 read, 1 write; hint: locality, 0 (none) to 3 (keep); cache: 0 instructions, 1 data.
    """

    name = "llvm.intr.prefetch"
    OVERLOADS: ClassVar = (0,)
    IMMEDIATES: ClassVar = ((1, "rw"), (2, "hint"), (3, "cache"))

    addr = operand_def(LLVMPointerType)
    rw = prop_def(IntegerAttr[I32])
    hint = prop_def(IntegerAttr[I32])
    cache = prop_def(IntegerAttr[I32])

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(MemoryWriteEffect())

    def __init__(self, addr: SSAValue | Operation, rw: int = 0, hint: int = 3, cache: int = 1):
        super().__init__(
            operands=[addr],
            properties={
                "rw": IntegerAttr(rw, i32),
                "hint": IntegerAttr(hint, i32),
                "cache": IntegerAttr(cache, i32),
            },
        )

    def verify_(self) -> None:
        for flag, limit in ((self.rw, 1), (self.hint, 3), (self.cache, 1)):
            if not 0 <= flag.value.data <= limit:
                raise VerifyException(f"{self.name}: {flag.value.data} is not in 0..{limit}")


@irdl_op_definition
class AssumeOp(IntrinsicOp):
    """``llvm.intr.assume %true ["align"(%p, %c64 : !llvm.ptr, i64)] : i1``."""

    name = "llvm.intr.assume"
    OVERLOADS: ClassVar = ()

    cond = operand_def(i1)
    op_bundle_operands = var_operand_def()
    op_bundle_sizes = prop_def(DenseArrayBase.constr(i32), default_value=NO_SIZES)
    op_bundle_tags = opt_prop_def(ArrayAttr[StringAttr])

    # a pretended effect: the op must not be moved or erased
    traits = traits_def(MemoryWriteEffect())

    def __init__(self, cond: SSAValue | Operation, *bundles: tuple[str, *tuple[SSAValue, ...]]):
        """Each bundle is a tag and its operands: ``("align", pointer, alignment)``."""
        super().__init__(
            operands=[cond, [value for _, *values in bundles for value in values]],
            properties={
                "op_bundle_sizes": DenseArrayBase.from_list(i32, [len(b) - 1 for b in bundles]),
                "op_bundle_tags": ArrayAttr([StringAttr(tag) for tag, *_ in bundles])
                if bundles
                else None,
            },
        )

    def verify_(self) -> None:
        verify_op_bundles(
            self.name, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )

    @classmethod
    def parse(cls, parser: Parser) -> AssumeOp:
        cond = parser.parse_unresolved_operand()
        bundles, sizes, tags = parse_op_bundles(parser)
        parser.parse_punctuation(":")
        cond = parser.resolve_operand(cond, parser.parse_type())
        properties, attributes = parse_attr_dict(cls, parser)
        properties["op_bundle_sizes"] = sizes
        if tags is not None:
            properties["op_bundle_tags"] = tags
        return cls.create(operands=[cond, *bundles], properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.cond)
        print_op_bundles(
            printer, self.op_bundle_operands, self.op_bundle_sizes, self.op_bundle_tags
        )
        printer.print_string(" : ")
        printer.print_attribute(self.cond.type)
        print_attr_dict(printer, self, ("op_bundle_sizes", "op_bundle_tags"))


@irdl_op_definition
class ExpectOp(IntrinsicOp):
    """``llvm.intr.expect %c, %likely : i1``: the first operand, probably the second."""

    name = "llvm.intr.expect"
    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint)

    val = operand_def(T)
    expected = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())
    assembly_format = "$val `,` $expected attr-dict `:` type($val)"

    def __init__(self, val: SSAValue | Operation, expected: SSAValue | Operation):
        super().__init__(operands=[val, expected], result_types=[SSAValue.get(val).type])


class LifetimeOp(IntrinsicOp, ABC):
    """``llvm.intr.lifetime.start %p : !llvm.ptr``; the pointer comes from an alloca."""

    OVERLOADS: ClassVar = (0,)

    ptr = operand_def(LLVMPointerType)

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$ptr attr-dict `:` type($ptr)"

    def __init__(self, ptr: SSAValue | Operation):
        super().__init__(operands=[ptr])


LifetimeStartOp = intrinsic(LifetimeOp, "LifetimeStartOp", "lifetime.start")
LifetimeEndOp = intrinsic(LifetimeOp, "LifetimeEndOp", "lifetime.end")


@irdl_op_definition
class TrapOp(IntrinsicOp):
    """Ends the process."""

    name = "llvm.intr.trap"
    OVERLOADS: ClassVar = ()

    traits = traits_def(MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self) -> None:
        super().__init__()
