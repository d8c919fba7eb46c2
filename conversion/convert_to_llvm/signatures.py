"""The llvm signatures of functions, under the machine-level calling convention of kc."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute

from kc.conversion._foreign_calls import POINTERS
from kc.conversion.convert_to_llvm.types import abi_types, element_size
from kc.conversion.convert_to_llvm.values import Origin
from kc.dialects import llvm


@dataclass
class Parameter:
    """A parameter of an llvm function; for a memref, with its origin."""

    type: Attribute
    attributes: dict[str, Attribute] = field(default_factory=dict)
    origin: Origin | None = None
    alignment: int = 0  # bytes, of the memory

    def all_attributes(self) -> dict[str, Attribute]:
        """The attributes, including facts about its memory from the translation of all
        functions.
        """
        if self.origin is None:
            return self.attributes
        attributes: dict[str, Attribute] = {"llvm.align": IntegerAttr(self.alignment, i64)}
        if self.origin.noalias:
            attributes["llvm.noalias"] = UnitAttr()
        if not (self.origin.launched or self.origin.escaped):
            attributes["llvm.nocapture"] = UnitAttr()
        if not self.origin.written:
            attributes["llvm.readonly"] = UnitAttr()
        return {**attributes, **self.attributes}


@dataclass
class Signature:
    """The interface of a function for callers: its llvm type, and the memory behind its
    parameters.
    """

    type: llvm.LLVMFunctionType
    parameters: list[Parameter]
    results: list[Attribute]
    pointers: bool = False
    """True if buffers are passed as pointers only."""

    @staticmethod
    def of(
        parameters: list[Parameter], results: Sequence[Attribute] = (), *, pointers: bool = False
    ) -> Signature:
        """The signature with these parameters; several results form a struct."""
        output = None
        if results:
            output = results[0] if len(results) == 1 else llvm.LLVMStructType("", results)
        inputs = [parameter.type for parameter in parameters]
        type_ = llvm.LLVMFunctionType(inputs, output)
        return Signature(type_, parameters, list(results), pointers)


def signature_of(func: FuncOp) -> Signature:
    """The llvm signature of ``func``.

    The attributes of an argument apply to its first parameter, which is the pointer of a memref. A
    function without a body may do anything; a C function receives only pointers.
    """
    arg_attrs = func.arg_attrs.data if func.arg_attrs is not None else ()
    external, pointers = func.is_declaration, POINTERS in func.attributes
    parameters: list[Parameter] = []
    for i, ty in enumerate(func.function_type.inputs):
        first, *sizes = abi_types(ty)
        if pointers:
            sizes = []
        parameter = Parameter(first, dict(arg_attrs[i].data) if arg_attrs else {})
        if isinstance(ty, MemRefType):
            parameter.origin = Origin(noalias=not external, written=external, escaped=external)
            parameter.alignment = element_size(ty)
        parameters += [parameter, *map(Parameter, sizes)]
    return Signature.of(
        parameters,
        [abi_type for ty in func.function_type.outputs for abi_type in abi_types(ty)],
        pointers=pointers,
    )
