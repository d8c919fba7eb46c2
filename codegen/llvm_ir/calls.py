"""Calls, inline assembly and intrinsics of the llvm dialect as LLVM IR instructions.

Importing this module completes the table of writers: take :data:`WRITERS` from here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr
from xdsl.dialects.llvm import InlineAsmOp, StackRestoreOp, StackSaveOp, TailCallKind
from xdsl.ir import Attribute, SSAValue

from kc.codegen.llvm_ir.attributes import function_attributes, parameter_text
from kc.codegen.llvm_ir.function import FunctionWriter
from kc.codegen.llvm_ir.module import error
from kc.codegen.llvm_ir.ops import WRITERS, fast_math, writes
from kc.codegen.llvm_ir.types import Inexpressible, constant_text, mangled, quoted, symbol
from kc.dialects import llvm
from kc.dialects.llvm import FuncOp, LLVMFunctionType, LLVMVoidType
from kc.dialects.llvm.base import split_bundles
from kc.dialects.llvm.intrinsics import IntrinsicOp
from kc.dialects.llvm.symbols import CALLING_CONVENTIONS

__all__ = ["WRITERS"]

_ASM_INTEL = 1


def _attrs(attrs: ArrayAttr[DictionaryAttr] | None, index: int) -> Mapping[str, Attribute]:
    return attrs.data[index].data if attrs is not None and index < len(attrs.data) else {}


def _arguments(
    w: FunctionWriter, values: Sequence[SSAValue], attrs: ArrayAttr[DictionaryAttr] | None
) -> list[str]:
    """``ptr align 16 %0`` for each argument."""
    types = w.state.types
    return [
        f"{w.text(value.type)}{parameter_text(_attrs(attrs, i), types)} {w.value(value)}"
        for i, value in enumerate(values)
    ]


def _bundles(w: FunctionWriter, op: llvm.CallOp | llvm.CallIntrinsicOp | llvm.AssumeOp) -> str:
    bundles = split_bundles(op.op_bundle_operands, op.op_bundle_sizes, op.op_bundle_tags)
    if not bundles:
        return ""
    parts = ", ".join(
        f"{quoted(tag.encode())}({', '.join(map(w.typed, values))})" for tag, values in bundles
    )
    return f" [ {parts} ]"


def _signature(w: FunctionWriter, ty: LLVMFunctionType) -> str:
    """The type before the callee: that of the result, or the whole function type if it is
    variadic.
    """
    return w.text(ty if ty.is_variadic else ty.output)


@writes(llvm.CallOp)
def _call(w: FunctionWriter, op: llvm.CallOp) -> str:
    output = LLVMVoidType() if op.returned is None else op.returned.type
    ty = LLVMFunctionType([value.type for value in op.arguments], output)
    if op.callee is not None:
        name = op.callee.string_value()
        function = w.state.lookup(op, name)
        if not isinstance(function, FuncOp):
            raise error(op, "KC4104", f"@{name} is a global variable, not a function")
        _check_call(op, function, ty)
        ty, callee = function.function_type, symbol(name)
    else:
        ty, callee = op.var_callee_type or ty, w.value(op.args[0])
    kind = "" if op.TailCallKind.data == TailCallKind.NONE else f"{op.TailCallKind.data.value} "
    flags = "" if op.returned is None else fast_math(op, op.returned)
    convention = CALLING_CONVENTIONS[op.CConv.convention.data]
    result = parameter_text(_attrs(op.res_attrs, 0), w.state.types).strip()
    before = "".join(f"{part} " for part in (convention, result) if part)
    arguments = ", ".join(_arguments(w, op.arguments, op.arg_attrs))
    group = w.state.groups.group(function_attributes(op))
    return (
        f"{kind}call {flags}{before}{_signature(w, ty)} {callee}({arguments})"
        f"{group}{_bundles(w, op)}"
    )


def _check_call(op: llvm.CallOp, function: FuncOp, called: LLVMFunctionType) -> None:
    """Check the types of a call. LLVM IR has no such check: a mismatch is undefined behaviour."""
    name, declared = function.sym_name.data, function.function_type
    inputs, argument_types = declared.inputs.data, called.inputs.data
    same = (
        argument_types[: len(inputs)] == inputs
        if declared.is_variadic
        else argument_types == inputs
    )
    if not same or declared.output != called.output:
        raise error(
            op,
            "KC4104",
            f"@{name} is called with types it does not have",
            facts=[f"declared: {declared}", f"called:   {called}"],
        )
    if op.CConv != function.CConv:
        conventions = (convention.convention.data for convention in (function.CConv, op.CConv))
        raise error(
            op,
            "KC4104",
            f"@{name} is called with a convention it does not have",
            facts=["declared: {}, called: {}".format(*conventions)],
        )


@writes(llvm.CallIntrinsicOp)
def _call_intrinsic(w: FunctionWriter, op: llvm.CallIntrinsicOp) -> str:
    if op.res_attrs is not None:
        raise Inexpressible("KC4103", "attributes of the result of an intrinsic")
    flags = "" if op.results_ is None else fast_math(op, op.results_)
    texts = _arguments(w, op.args, op.arg_attrs)
    text = w.call_intrinsic(op.intrin.data, op.results_, op.args, texts, flags=flags)
    return text + _bundles(w, op)


@writes(InlineAsmOp)
def inline_asm(w: FunctionWriter, op: InlineAsmOp) -> str:
    """A call of inline assembly."""
    kind = "" if op.tail_call_kind.data == TailCallKind.NONE else f"{op.tail_call_kind.data.value} "
    flags = "sideeffect " if op.has_side_effects is not None else ""
    flags += "alignstack " if op.is_align_stack is not None else ""
    if op.asm_dialect is not None and op.asm_dialect.value.data == _ASM_INTEL:
        flags += "inteldialect "
    text, constraints = (quoted(s.data.encode()) for s in (op.asm_string, op.constraints))
    output = LLVMVoidType() if op.res is None else op.res.type
    arguments = ", ".join(map(w.typed, op.operands_))
    return f"{kind}call {w.text(output)} asm {flags}{text}, {constraints}({arguments})"


@writes(StackSaveOp, StackRestoreOp)
def _stack(w: FunctionWriter, op: StackSaveOp | StackRestoreOp) -> str:
    pointer = (*op.operands, *op.results)[0]
    name = f"{op.name.replace('.intr', '')}.{mangled(pointer.type)}"
    return w.call_intrinsic(name, op.results[0] if op.results else None, op.operands)


def intrinsic_name(op: IntrinsicOp) -> str:
    """The mangled name of the intrinsic an op calls."""
    types = [op.results[0].type if i < 0 else op.operands[i].type for i in op.OVERLOADS]
    return ".".join([op.name.replace("llvm.intr.", "llvm."), *map(mangled, types)])


def _intrinsic(w: FunctionWriter, op: IntrinsicOp) -> str:
    attrs = op.properties.get("arg_attrs")
    texts = _arguments(w, op.operands, attrs if isinstance(attrs, ArrayAttr) else None)
    types = [value.type for value in op.operands]
    for position, name in op.IMMEDIATES:
        value = op.properties[name]
        assert isinstance(value, IntegerAttr)
        types.insert(position, value.type)
        number = constant_text(value, value.type, w.state.types)
        texts.insert(position, f"{w.text(value.type)} {number}")
    result = op.results[0] if op.results else None
    flags = "" if result is None else fast_math(op, result)
    return w.call_intrinsic(intrinsic_name(op), result, op.operands, texts, types, flags)


writes(*(op for op in llvm.LLVM.operations if IntrinsicOp in op.__mro__))(_intrinsic)


@writes(llvm.AssumeOp)
def _assume(w: FunctionWriter, op: llvm.AssumeOp) -> str:
    return w.call_intrinsic("llvm.assume", None, [op.cond]) + _bundles(w, op)


def _aligned(w: FunctionWriter, value: SSAValue, alignment: IntegerAttr) -> str:
    return f"{w.text(value.type)} align {alignment.value.data} {w.value(value)}"


@writes(llvm.MaskedLoadOp, llvm.MaskedGatherOp)
def _masked_load(w: FunctionWriter, op: llvm.MaskedLoadOp | llvm.MaskedGatherOp) -> str:
    address, mask = op.operands[:2]
    result = op.res.type
    rest = "poison" if op.pass_thru is None else w.value(op.pass_thru)
    text = w.call_intrinsic(
        f"{op.name.replace('.intr', '')}.{mangled(result)}.{mangled(address.type)}",
        op.res,
        (),
        [_aligned(w, address, op.alignment), w.typed(mask), f"{w.text(result)} {rest}"],
        [address.type, mask.type, result],
    )
    if "nontemporal" in op.properties:
        text += f", !nontemporal {w.state.metadata.node('i32 1')}"
    return text


@writes(llvm.MaskedStoreOp, llvm.MaskedScatterOp)
def _masked_store(w: FunctionWriter, op: llvm.MaskedStoreOp | llvm.MaskedScatterOp) -> str:
    value, address, mask = op.operands
    return w.call_intrinsic(
        f"{op.name.replace('.intr', '')}.{mangled(value.type)}.{mangled(address.type)}",
        None,
        op.operands,
        [w.typed(value), _aligned(w, address, op.alignment), w.typed(mask)],
    )
