"""Functions of C and of Python that code calls: how they are declared, and which they are."""

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

from kc.dialects.tir.calls import CallExternOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of
from kc.support.packed_signature import PackedSignature

POINTERS = "kc.pointers"
"""The attribute of a declared function that gets pointers alone for its buffers, as C's do."""


def callee_of(op: CallExternOp) -> str:
    """The symbol that a call becomes a call of."""
    return op.signature.symbol if op.is_packed else op.label


def declare_callee(
    function: func.FuncOp, op: CallExternOp, name: str, arguments: Sequence[SSAValue]
) -> SymbolRefAttr:
    """The symbol of the function ``name``, which is declared in the module if it is not yet."""
    wanted = FunctionType.from_lists(
        [one.type for one in arguments], [one.type for one in op.values]
    )
    module = function.parent_op()
    assert isinstance(module, ModuleOp)
    for one in module.body.ops:
        if isinstance(one, func.FuncOp) and one.sym_name.data == name:
            _require_same(op, one, wanted)
            return SymbolRefAttr(name)
    made = func.FuncOp.external(name, list(wanted.inputs), list(wanted.outputs))
    made.location = op.location
    if op.is_packed:
        made.attributes["kc.packed"] = StringAttr(op.label)
    else:
        made.attributes[POINTERS] = UnitAttr()
    module.body.block.add_op(made)
    return SymbolRefAttr(name)


def _require_same(op: CallExternOp, known: func.FuncOp, wanted: FunctionType) -> None:
    """Refuse a second function of one name (KC4351)."""
    if not known.is_declaration or (POINTERS in known.attributes) == op.is_packed:
        raise CodegenError(
            "KC4351",
            f"convert-tir-to-scf: {op.label} is called as a function of C, and is one of the "
            "module",
            location=location_of(op),
            why="a symbol is one function",
            hints=["give the function of the module another name"],
        )
    # C's functions get pointers, whatever the shapes of the buffers are.
    if _passed(known.function_type) != _passed(wanted):
        raise CodegenError(
            "KC4351",
            f"convert-tir-to-scf: {op.label} is called with ({_text(wanted)}) and with "
            f"({_text(known.function_type)})",
            location=location_of(op),
            why="a function of C has one type",
            facts=[f"the other call is at {location_of(known)}"],
            hints=["convert the arguments to one type: x.astype(...)"],
        )


def _passed(type_: FunctionType) -> list[str]:
    pointers = ["pointer" if isinstance(one, MemRefType) else str(one) for one in type_.inputs]
    return [*pointers, "to", *map(str, type_.outputs)]


def _text(type_: FunctionType) -> str:
    return ", ".join(map(str, type_.inputs))


def packed_calls(module: Operation) -> list[PackedSignature]:
    """The calls of functions of Python in a module, one for each symbol."""
    calls = [one for one in module.walk() if isinstance(one, CallExternOp) and one.is_packed]
    return list({one.signature.symbol: one.signature for one in reversed(calls)}.values())[::-1]


def c_calls(module: Operation) -> list[CallExternOp]:
    """The calls of functions of C in a module, the first of each name."""
    calls = [one for one in module.walk() if isinstance(one, CallExternOp) and not one.is_packed]
    return list({one.label: one for one in reversed(calls)}.values())[::-1]
