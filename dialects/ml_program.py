"""The dialect ml_program: its globals, and the accesses that xDSL lacks."""

from __future__ import annotations

from xdsl.dialects import ml_program
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, SymbolRefAttr
from xdsl.ir import Dialect
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from kc.dialects.redefined import redefined


@redefined()
class GlobalOp(ml_program.GlobalOp):
    """``ml_program.global private @n(4 : i64) : i64``; the number has the type of the global."""

    def verify_(self) -> None:
        super().verify_()
        value = self.value
        if isinstance(value, IntegerAttr | FloatAttr) and value.type != self.type:
            raise VerifyException(f"{self.name}: the value is a {value.type}, not a {self.type}")


@irdl_op_definition
class GlobalLoadConstOp(IRDLOperation):
    """``%0 = ml_program.global_load_const @weights : tensor<4xf32>``: loads a constant."""

    name = "ml_program.global_load_const"

    symbol = prop_def(SymbolRefAttr, prop_name="global")
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(Pure())
    assembly_format = "$global attr-dict `:` type($result)"


@irdl_op_definition
class GlobalLoadOp(IRDLOperation):
    """``%0 = ml_program.global_load @seed : tensor<i64>``: loads the value of a global."""

    name = "ml_program.global_load"

    symbol = prop_def(SymbolRefAttr, prop_name="global")
    result = result_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect())
    assembly_format = "$global attr-dict `:` type($result)"


@irdl_op_definition
class GlobalStoreOp(IRDLOperation):
    """``ml_program.global_store @seed = %0 : tensor<i64>``: stores a value to a global."""

    name = "ml_program.global_store"

    symbol = prop_def(SymbolRefAttr, prop_name="global")
    value = operand_def()

    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryWriteEffect())
    assembly_format = "$global `=` $value attr-dict `:` type($value)"


ML_PROGRAM = Dialect(
    "ml_program",
    [GlobalOp, GlobalLoadConstOp, GlobalLoadOp, GlobalStoreOp],
    list(ml_program.MLProgram.attributes),
)
