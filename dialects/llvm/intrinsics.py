"""Bases of the llvm dialect's intrinsics, ``llvm.intr.*``.

Each class declares the call of the LLVM intrinsic of the same name: the types in its mangled name,
and the properties that are immediate arguments.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar, TypeVar

from xdsl.dialects.builtin import (
    AnyFloatConstr,
    BoolAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
)
from xdsl.dialects.llvm import FastMathAttr
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.llvm.arith import NO_FAST_MATH, as_fast_math
from kc.dialects.llvm.base import parse_attr_dict, parse_values, print_attr_dict
from kc.dialects.llvm.types import LLVMStructType, element_type, same_shape

FLOATS = AnyFloatConstr | VectorType.constr(AnyFloatConstr)
INTEGERS = SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint)


class IntrinsicOp(IRDLOperation, ABC):
    """A call of the LLVM intrinsic with the same name."""

    OVERLOADS: ClassVar[tuple[int, ...]] = (-1,)
    """Operands whose types are in the mangled name, in order; -1 is the result."""
    IMMEDIATES: ClassVar[tuple[tuple[int, str], ...]] = ()
    """(position among the arguments, property) of each immediate argument, in order."""


Shape = TypeVar("Shape", bound=IntrinsicOp)


def intrinsic(shape: type[Shape], class_name: str, name: str, about: str = "") -> type[Shape]:
    """The op ``llvm.intr.NAME`` with the operands and results of ``shape``. ``about`` is its
    docstring.
    """
    fields = {"name": f"llvm.intr.{name}", "__doc__": about, "__module__": shape.__module__}
    op: Any = type(class_name, (shape,), fields)
    return irdl_op_definition(op)


class CallStyleOp(IntrinsicOp, ABC):
    """An intrinsic written ``llvm.intr.exp(%x) {..} : (f32) -> f32``."""

    @classmethod
    def parse(cls, parser: Parser) -> CallStyleOp:
        position = parser.pos
        operands = parse_values(parser, parser.Delimiter.PAREN)
        properties, attributes = parse_attr_dict(cls, parser)
        parser.parse_punctuation(":")
        signature = parser.parse_function_type()
        return cls.create(
            operands=parser.resolve_operands(operands, signature.inputs.data, position),
            result_types=signature.outputs.data,
            properties=properties,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.operands, printer.print_ssa_value)
        print_attr_dict(printer, self)
        printer.print_string(" : ")
        printer.print_operation_type(self)


class FastMathOp(IntrinsicOp, ABC):
    """An intrinsic of floats whose arithmetic may be relaxed."""

    fastmathFlags = prop_def(FastMathAttr, default_value=NO_FAST_MATH)

    traits = traits_def(Pure())

    def _build(
        self,
        operands: Sequence[SSAValue | Operation],
        result_type: Attribute,
        fast_math: FastMathAttr | FastMathFlag | None,
    ) -> None:
        super().__init__(
            operands=operands,
            result_types=[result_type],
            properties={"fastmathFlags": as_fast_math(fast_math)},
        )


class UnaryFloatOp(CallStyleOp, FastMathOp, ABC):
    T: ClassVar = VarConstraint("T", FLOATS)

    arg = operand_def(T)
    res = result_def(T)

    def __init__(
        self, arg: SSAValue | Operation, fast_math: FastMathAttr | FastMathFlag | None = None
    ):
        self._build([arg], SSAValue.get(arg).type, fast_math)


class BinaryFloatOp(CallStyleOp, FastMathOp, ABC):
    T: ClassVar = VarConstraint("T", FLOATS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)

    def __init__(
        self,
        lhs: SSAValue | Operation,
        rhs: SSAValue | Operation,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        self._build([lhs, rhs], SSAValue.get(lhs).type, fast_math)


class TernaryFloatOp(CallStyleOp, FastMathOp, ABC):
    T: ClassVar = VarConstraint("T", FLOATS)

    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)

    def __init__(
        self,
        a: SSAValue | Operation,
        b: SSAValue | Operation,
        c: SSAValue | Operation,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        self._build([a, b, c], SSAValue.get(a).type, fast_math)


class FloatIntOp(CallStyleOp, FastMathOp, ABC):
    """A float and an integer of any width."""

    OVERLOADS: ClassVar = (-1, 1)
    T: ClassVar = VarConstraint("T", FLOATS)

    val = operand_def(T)
    power = operand_def(INTEGERS)
    res = result_def(T)

    def __init__(
        self,
        val: SSAValue | Operation,
        power: SSAValue | Operation,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        self._build([val, power], SSAValue.get(val).type, fast_math)


class RoundToIntOp(CallStyleOp, ABC):
    """A float rounded to an integer."""

    OVERLOADS: ClassVar = (-1, 0)

    val = operand_def(FLOATS)
    res = result_def(INTEGERS)

    traits = traits_def(Pure())

    def __init__(self, val: SSAValue | Operation, result_type: Attribute):
        super().__init__(operands=[val], result_types=[result_type])


class UnaryIntOp(CallStyleOp, ABC):
    T: ClassVar = VarConstraint("T", INTEGERS)

    arg = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[SSAValue.get(arg).type])


class BinaryIntOp(CallStyleOp, ABC):
    T: ClassVar = VarConstraint("T", INTEGERS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        super().__init__(operands=[lhs, rhs], result_types=[SSAValue.get(lhs).type])


class TernaryIntOp(CallStyleOp, ABC):
    T: ClassVar = VarConstraint("T", INTEGERS)

    a = operand_def(T)
    b = operand_def(T)
    c = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, a: SSAValue | Operation, b: SSAValue | Operation, c: SSAValue | Operation):
        super().__init__(operands=[a, b, c], result_types=[SSAValue.get(a).type])


class IntFlagOp(IntrinsicOp, ABC):
    """``"llvm.intr.ctlz"(%x) <{is_zero_poison = true}> : (i32) -> i32``."""

    T: ClassVar = VarConstraint("T", INTEGERS)

    arg = operand_def(T)
    res = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation, poison: bool = False):
        flag = self.IMMEDIATES[0][1]
        super().__init__(
            operands=[arg],
            result_types=[SSAValue.get(arg).type],
            properties={flag: BoolAttr.from_bool(poison)},
        )


class OverflowOp(IntrinsicOp, ABC):
    """Arithmetic that returns a struct of the wrapped value and an overflow flag."""

    OVERLOADS: ClassVar = (0,)
    T: ClassVar = VarConstraint("T", INTEGERS)

    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(LLVMStructType)

    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue | Operation, rhs: SSAValue | Operation):
        ty = SSAValue.get(lhs).type
        super().__init__(
            operands=[lhs, rhs],
            result_types=[LLVMStructType.from_type_list([ty, same_shape(ty, i1)])],
        )

    def verify_(self) -> None:
        ty = self.lhs.type
        if self.res.type != LLVMStructType.from_type_list([ty, same_shape(ty, i1)]):
            raise VerifyException(f"{self.name}: wrong result type {self.res.type}")


class ReduceOp(IntrinsicOp, ABC):
    """``"llvm.intr.vector.reduce.add"(%v) : (vector<8xi32>) -> i32``."""

    OVERLOADS: ClassVar = (0,)

    arg = operand_def(VectorType.constr(SignlessIntegerConstraint))
    res = result_def()

    traits = traits_def(Pure())

    def __init__(self, arg: SSAValue | Operation):
        super().__init__(operands=[arg], result_types=[element_type(SSAValue.get(arg).type)])

    def verify_(self) -> None:
        if self.res.type != element_type(self.arg.type):
            raise VerifyException(f"{self.name}: cannot reduce {self.arg.type} to {self.res.type}")


class ReduceFloatOp(CallStyleOp, FastMathOp, ABC):
    """``llvm.intr.vector.reduce.fmax(%v) : (vector<8xf32>) -> f32``."""

    OVERLOADS: ClassVar = (0,)

    arg = operand_def(VectorType.constr(AnyFloatConstr))
    res = result_def()

    def __init__(
        self, arg: SSAValue | Operation, fast_math: FastMathAttr | FastMathFlag | None = None
    ):
        self._build([arg], element_type(SSAValue.get(arg).type), fast_math)

    def verify_(self) -> None:
        if self.res.type != element_type(self.arg.type):
            raise VerifyException(f"{self.name}: cannot reduce {self.arg.type} to {self.res.type}")


class ReduceFromOp(FastMathOp, ABC):
    """``"llvm.intr.vector.reduce.fadd"(%start, %v) <{..}> : (f32, vector<8xf32>) -> f32``.

    The lanes are combined in order, unless the fast-math flags have ``reassoc``.
    """

    OVERLOADS: ClassVar = (1,)
    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    start_value = operand_def(T)
    vector = operand_def(VectorType.constr(T))
    res = result_def(T)

    def __init__(
        self,
        start_value: SSAValue | Operation,
        vector: SSAValue | Operation,
        fast_math: FastMathAttr | FastMathFlag | None = None,
    ):
        self._build([start_value, vector], SSAValue.get(start_value).type, fast_math)
