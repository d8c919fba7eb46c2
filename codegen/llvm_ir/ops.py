"""Single ops of the llvm dialect as LLVM IR instructions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.dialects.llvm import FastMathAttr, InsertElementOp, ShuffleVectorOp
from xdsl.ir import Operation, SSAValue

from kc.codegen.llvm_ir.function import FunctionWriter, OpWriter
from kc.codegen.llvm_ir.types import address_space, integer_text, quoted
from kc.dialects import llvm
from kc.dialects.llvm import LLVM_FLOATS, LLVMArrayType, LLVMStructType, element_type
from kc.dialects.llvm.casts import CastOp
from kc.dialects.llvm.memory import AccessOp, ordering_keyword

WRITERS: dict[type[Operation], OpWriter] = {}


def writes(*ops: type[Operation]) -> Callable[[Callable[[FunctionWriter, Any], str]], OpWriter]:
    """Register the writer of some ops."""

    def register(writer: Callable[[FunctionWriter, Any], str]) -> OpWriter:
        for op in ops:
            WRITERS[op] = writer
        return writer

    return register


def fast_math(op: Operation, result: SSAValue) -> str:
    """``nnan contract `` with a space after each flag; nothing where LLVM allows no flags."""
    flags = op.properties.get("fastmathFlags")
    if not isinstance(flags, FastMathAttr) or not flags.data or not _is_float(result.type):
        return ""
    if len(flags.data) == len(flags.enum_type):
        return "fast "
    return "".join(f"{flag.value} " for flag in flags.enum_type if flag in flags.data)


def _is_float(ty: Any) -> bool:
    """True if an instruction of this type may have fast-math flags."""
    while isinstance(ty, LLVMArrayType):
        ty = ty.type
    if isinstance(ty, LLVMStructType):
        fields = [element_type(field) for field in ty.types]
        return bool(fields) and all(isinstance(field, LLVM_FLOATS) for field in fields)
    return isinstance(element_type(ty), LLVM_FLOATS)


def opcode(op: Operation) -> str:
    """The instruction an op is named after."""
    return op.name.removeprefix("llvm.")


def overflow_flags(op: Operation) -> str:
    flags = op.properties.get("overflowFlags")
    bits = flags.value.data if isinstance(flags, IntegerAttr) else 0
    return ("nuw " if bits & 2 else "") + ("nsw " if bits & 1 else "")


@writes(
    llvm.AddOp, llvm.SubOp, llvm.MulOp, llvm.ShlOp, llvm.UDivOp, llvm.SDivOp, llvm.URemOp,
    llvm.SRemOp, llvm.AndOp, llvm.OrOp, llvm.XOrOp, llvm.LShrOp, llvm.AShrOp,
)  # fmt: skip
def _int_binary(w: FunctionWriter, op: Operation) -> str:
    flags = overflow_flags(op)
    flags += "exact " if "isExact" in op.properties else ""
    flags += "disjoint " if "isDisjoint" in op.properties else ""
    lhs, rhs = op.operands
    return f"{opcode(op)} {flags}{w.typed(lhs)}, {w.value(rhs)}"


@writes(llvm.FAddOp, llvm.FSubOp, llvm.FMulOp, llvm.FDivOp, llvm.FRemOp)
def _float_binary(w: FunctionWriter, op: Operation) -> str:
    lhs, rhs = op.operands
    return f"{opcode(op)} {fast_math(op, lhs)}{w.typed(lhs)}, {w.value(rhs)}"


@writes(llvm.FNegOp)
def _fneg(w: FunctionWriter, op: llvm.FNegOp) -> str:
    return f"fneg {fast_math(op, op.arg)}{w.typed(op.arg)}"


@writes(
    llvm.TruncOp, llvm.ZExtOp, llvm.SExtOp, llvm.SIToFPOp, llvm.UIToFPOp, llvm.FPToSIOp,
    llvm.FPToUIOp, llvm.FPExtOp, llvm.FPTruncOp, llvm.BitcastOp, llvm.IntToPtrOp, llvm.PtrToIntOp,
    llvm.AddrSpaceCastOp,
)  # fmt: skip
def _cast(w: FunctionWriter, op: CastOp) -> str:
    flags = overflow_flags(op) + ("nneg " if "nonNeg" in op.properties else "")
    return f"{opcode(op)} {flags}{w.typed(op.arg)} to {w.text(op.res.type)}"


@writes(llvm.ICmpOp)
def _icmp(w: FunctionWriter, op: llvm.ICmpOp) -> str:
    predicate = op.PREDICATES.from_int(op.predicate.value.data)
    return f"icmp {predicate} {w.typed(op.lhs)}, {w.value(op.rhs)}"


@writes(llvm.FCmpOp)
def _fcmp(w: FunctionWriter, op: llvm.FCmpOp) -> str:
    predicate = op.PREDICATES.from_int(op.predicate.value.data).lstrip("_")
    return f"fcmp {fast_math(op, op.lhs)}{predicate} {w.typed(op.lhs)}, {w.value(op.rhs)}"


@writes(llvm.SelectOp)
def _select(w: FunctionWriter, op: llvm.SelectOp) -> str:
    operands = ", ".join(map(w.typed, op.operands))
    return f"select {fast_math(op, op.res)}{operands}"


@writes(llvm.FreezeOp)
def _freeze(w: FunctionWriter, op: llvm.FreezeOp) -> str:
    return f"freeze {w.typed(op.val)}"


@writes(llvm.ExtractElementOp, InsertElementOp)
def _element(w: FunctionWriter, op: Operation) -> str:
    return f"{opcode(op)} {', '.join(map(w.typed, op.operands))}"


@writes(ShuffleVectorOp)
def _shuffle(w: FunctionWriter, op: ShuffleVectorOp) -> str:
    mask = [int(lane) for lane in op.mask.iter_values()]
    lanes = ", ".join("i32 poison" if lane < 0 else f"i32 {lane}" for lane in mask)
    shown = f"<{lanes}>" if any(mask) else "zeroinitializer"
    return f"shufflevector {w.typed(op.v1)}, {w.typed(op.v2)}, <{len(mask)} x i32> {shown}"


@writes(llvm.ExtractValueOp)
def _extract_value(w: FunctionWriter, op: llvm.ExtractValueOp) -> str:
    position = "".join(f", {index}" for index in op.position.iter_values())
    return f"extractvalue {w.typed(op.container)}{position}"


@writes(llvm.InsertValueOp)
def _insert_value(w: FunctionWriter, op: llvm.InsertValueOp) -> str:
    position = "".join(f", {index}" for index in op.position.iter_values())
    return f"insertvalue {w.typed(op.container)}, {w.typed(op.value)}{position}"


@writes(llvm.AllocaOp)
def _alloca(w: FunctionWriter, op: llvm.AllocaOp) -> str:
    size = w.value(op.size)
    text = f"alloca {w.text(op.elem_type)}"
    if size != "1":
        text += f", {w.typed(op.size)}"
    text += alignment(op)
    space = address_space(op.res.type)
    return f"{text}, addrspace({space})" if space else text


@writes(llvm.GEPOp)
def _gep(w: FunctionWriter, op: llvm.GEPOp) -> str:
    flags = f"{op.flags.replace('|', ' ')} " if op.flags else ""
    values = iter(op.ssa_indices)
    indices = [
        w.typed(next(values)) if index == llvm.GEP_USE_SSA_VAL else f"i32 {index}"
        for index in op.rawConstantIndices.iter_values()
    ]
    parts = ", ".join([w.text(op.elem_type), w.typed(op.ptr), *indices])
    return f"getelementptr {flags}{parts}"


def alignment(op: Operation) -> str:
    """``, align 64``, if the op has one."""
    value = op.properties.get("alignment")
    return f", align {value.value.data}" if isinstance(value, IntegerAttr) else ""


def _metadata(w: FunctionWriter, op: AccessOp) -> str:
    metadata, text = w.state.metadata, ""
    if "nontemporal" in op.properties:
        text += f", !nontemporal {metadata.node('i32 1')}"
    if "invariant" in op.properties:
        text += f", !invariant.load {metadata.node()}"
    if "invariantGroup" in op.properties:
        text += f", !invariant.group {metadata.node()}"
    if op.alias_scopes is not None:
        text += f", !alias.scope {metadata.alias_scopes(op.alias_scopes)}"
    if op.noalias_scopes is not None:
        text += f", !noalias {metadata.alias_scopes(op.noalias_scopes)}"
    if op.access_groups is not None:
        text += f", !llvm.access.group {metadata.access_groups(op.access_groups)}"
    return text


def _scope(op: AccessOp | llvm.FenceOp) -> str:
    return f" syncscope({quoted(op.syncscope.data.encode())})" if op.syncscope is not None else ""


def _access(op: llvm.LoadOp | llvm.StoreOp) -> tuple[str, str]:
    """The texts before the type of an access, and after the pointer."""
    volatile = "volatile " if op.volatile_ is not None else ""
    if not op.ordering.value.data:
        return volatile, alignment(op)
    return f"atomic {volatile}", f"{_scope(op)} {ordering_keyword(op.ordering)}{alignment(op)}"


@writes(llvm.LoadOp)
def _load(w: FunctionWriter, op: llvm.LoadOp) -> str:
    before, after = _access(op)
    ty = w.text(op.dereferenced_value.type)
    return f"load {before}{ty}, {w.typed(op.ptr)}{after}{_metadata(w, op)}"


@writes(llvm.StoreOp)
def _store(w: FunctionWriter, op: llvm.StoreOp) -> str:
    before, after = _access(op)
    return f"store {before}{w.typed(op.value)}, {w.typed(op.ptr)}{after}{_metadata(w, op)}"


@writes(llvm.AtomicRMWOp)
def _atomicrmw(w: FunctionWriter, op: llvm.AtomicRMWOp) -> str:
    volatile = "volatile " if op.volatile_ is not None else ""
    return (
        f"atomicrmw {volatile}{op.operation.lstrip('_')} {w.typed(op.ptr)}, {w.typed(op.val)}"
        f"{_scope(op)} {ordering_keyword(op.ordering)}{alignment(op)}{_metadata(w, op)}"
    )


@writes(llvm.CmpXchgOp)
def _cmpxchg(w: FunctionWriter, op: llvm.CmpXchgOp) -> str:
    weak = "weak " if op.weak is not None else ""
    volatile = "volatile " if op.volatile_ is not None else ""
    orderings = f"{ordering_keyword(op.success_ordering)} {ordering_keyword(op.failure_ordering)}"
    return (
        f"cmpxchg {weak}{volatile}{', '.join(map(w.typed, op.operands))}"
        f"{_scope(op)} {orderings}{alignment(op)}{_metadata(w, op)}"
    )


@writes(llvm.FenceOp)
def _fence(w: FunctionWriter, op: llvm.FenceOp) -> str:
    return f"fence{_scope(op)} {ordering_keyword(op.ordering)}"


@writes(llvm.BrOp)
def _br(w: FunctionWriter, op: llvm.BrOp) -> str:
    return f"br label {w.targets(op)[0]}{_loop(w, op)}"


@writes(llvm.CondBrOp)
def _cond_br(w: FunctionWriter, op: llvm.CondBrOp) -> str:
    then, otherwise = w.targets(op)
    return f"br {w.typed(op.cond)}, label {then}, label {otherwise}{_weights(w, op)}{_loop(w, op)}"


@writes(llvm.SwitchOp)
def _switch(w: FunctionWriter, op: llvm.SwitchOp) -> str:
    default, *targets = w.targets(op)
    ty = op.value.type
    assert isinstance(ty, IntegerType)
    cases = "".join(
        f"\n    {w.text(ty)} {integer_text(case, ty.width.data)}, label {target}"
        for case, target in zip(op.cases(), targets, strict=True)
    )
    return f"switch {w.typed(op.value)}, label {default} [{cases}\n  ]{_weights(w, op)}"


def _weights(w: FunctionWriter, op: llvm.CondBrOp | llvm.SwitchOp) -> str:
    if op.branch_weights is None:
        return ""
    return f", !prof {w.state.metadata.branch_weights(list(op.branch_weights.iter_values()))}"


def _loop(w: FunctionWriter, op: llvm.BrOp | llvm.CondBrOp) -> str:
    if op.loop_annotation is None:
        return ""
    return f", !llvm.loop {w.state.metadata.loop(op.loop_annotation)}"


@writes(llvm.ReturnOp)
def _return(w: FunctionWriter, op: llvm.ReturnOp) -> str:
    return "ret void" if op.arg is None else f"ret {w.typed(op.arg)}"


@writes(llvm.UnreachableOp)
def _unreachable(w: FunctionWriter, op: llvm.UnreachableOp) -> str:
    return "unreachable"
