"""Declarations and symbols of the C and Python functions that code calls."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    FunctionType,
    MemRefType,
    ModuleOp,
    StringAttr,
    SymbolRefAttr,
    UnitAttr,
)
from xdsl.ir import Operation, SSAValue

from kc.analysis.loop_tree import preorder
from kc.dialects.tir.calls import CallExternOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.packed_signature import PackedSignature

POINTERS = "kc.pointers"
"""The attribute of a declared function whose buffers are passed as pointers only, as for a C
function.
"""

PACKED = "kc.packed"
"""The attribute of a declared Python function with its registered name."""


def callee_of(op: CallExternOp) -> str:
    """The symbol of the function that a call is lowered to a call of."""
    return op.signature.symbol if op.is_packed else op.label


def declare_callee(
    function: func.FuncOp, op: CallExternOp, name: str, arguments: Sequence[SSAValue]
) -> SymbolRefAttr:
    """The symbol of the function ``name``; its declaration is added to the module if missing."""
    required = FunctionType.from_lists(
        [argument.type for argument in arguments], [value.type for value in op.values]
    )
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    for symbol in module.body.ops:
        if isinstance(symbol, func.FuncOp) and symbol.sym_name.data == name:
            _require_same(op, symbol, required)
            return SymbolRefAttr(name)
    declaration = func.FuncOp.external(name, list(required.inputs), list(required.outputs))
    declaration.location = op.location
    if op.is_packed:
        declaration.attributes[PACKED] = StringAttr(op.label)
    else:
        declaration.attributes[POINTERS] = UnitAttr()
    module.body.block.add_op(declaration)
    return SymbolRefAttr(name)


def _require_same(op: CallExternOp, declared: func.FuncOp, required: FunctionType) -> None:
    """Refuse a second function of one name (KC4351)."""
    if not declared.is_declaration or (POINTERS in declared.attributes) == op.is_packed:
        raise CodegenError(
            "KC4351",
            f"convert-tir-to-scf: {op.label} is called as a C function, but is defined in "
            "the module",
            location=location_of(op),
            why="a symbol is one function",
            hints=["give the function of the module another name"],
        )
    # C's functions get pointers, whatever the shapes of the buffers are.
    if _passed(declared.function_type) != _passed(required):
        raise CodegenError(
            "KC4351",
            f"convert-tir-to-scf: {op.label} is called with ({_text(required)}) and with "
            f"({_text(declared.function_type)})",
            location=location_of(op),
            why="a C function has one type",
            facts=[f"the other call is at {location_of(declared)}"],
            hints=["convert the arguments to one type: x.astype(...)"],
        )


def _passed(type_: FunctionType) -> list[str]:
    inputs = ["pointer" if isinstance(ty, MemRefType) else str(ty) for ty in type_.inputs]
    return [*inputs, "to", *map(str, type_.outputs)]


def _text(type_: FunctionType) -> str:
    return ", ".join(map(str, type_.inputs))


def packed_calls(module: Operation) -> list[PackedSignature]:
    """The calls of Python functions in a module, one for each symbol."""
    calls = [call for call in preorder(module) if type(call) is CallExternOp and call.is_packed]
    return list({call.signature.symbol: call.signature for call in reversed(calls)}.values())[::-1]


def c_calls(module: Operation) -> list[CallExternOp]:
    """The calls of C functions in a module, the first of each name."""
    calls = [call for call in preorder(module) if type(call) is CallExternOp and not call.is_packed]
    return list({call.label: call for call in reversed(calls)}.values())[::-1]
