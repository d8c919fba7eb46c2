"""Global variables of the llvm dialect as LLVM IR text, with constant initialisers."""

from __future__ import annotations

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import SSAValue

from kc.codegen.llvm_ir.function import CONSTANTS, constant_value
from kc.codegen.llvm_ir.module import ModuleState, error
from kc.codegen.llvm_ir.types import bytes_of_elements, constant_text, quoted, symbol
from kc.dialects.llvm import (
    AddrSpaceCastOp,
    BitcastOp,
    GEPOp,
    GlobalOp,
    IntToPtrOp,
    PtrToIntOp,
    ReturnOp,
)
from kc.dialects.llvm.symbols import UNNAMED_ADDRESSES, VISIBILITIES


def global_text(state: ModuleState, op: GlobalOp) -> str:
    """``@g = internal constant [4 x float] [...], align 64``."""
    linkage = op.linkage.linkage.data
    alignment = op.alignment.value.data if op.alignment is not None else None
    data = _bytes_of(state, op)
    if data is None:
        ty, initializer = state.text(op.global_type), _initializer(state, op)
    else:
        # LLVM parses a string much faster than as many numbers.
        ty, initializer = f"[{len(data)} x i8]", 'c"\\' + data.hex("\\") + '"'
        alignment = alignment or _ALIGNMENT_OF_BYTES
    visibility = VISIBILITIES[op.visibility_.value.data]
    space = op.addr_space.value.data
    words = (
        f"{symbol(op.sym_name.data)} =",
        # Without an initialiser, the linkage marks the global as a declaration.
        "" if linkage == "external" and initializer is not None else linkage,
        "dso_local" if op.dso_local is not None else "",
        "" if visibility == "default" else visibility,
        "thread_local" if op.thread_local_ is not None else "",
        UNNAMED_ADDRESSES[op.unnamed_addr.value.data],
        f"addrspace({space})" if space else "",
        "constant" if op.constant is not None else "global",
        ty,
        initializer or "",
    )
    text = " ".join(word for word in words if word)
    if op.section is not None:
        text += f", section {quoted(op.section.data.encode())}"
    if alignment is not None:
        text += f", align {alignment}"
    return text


_BYTES_AS_STRING = 4096
"""The size in bytes from which the elements of a constant are written as a string of bytes."""
_ALIGNMENT_OF_BYTES = 16
"""LLVM's alignment of large arrays, in bytes."""


def _bytes_of(state: ModuleState, op: GlobalOp) -> bytes | None:
    """The bytes of a large constant array of numbers, if their order is that of the target's
    memory; else None.
    """
    value = op.value
    if not state.is_little_endian or not isinstance(value, DenseIntOrFPElementsAttr):
        return None
    data = value.data.data
    if len(data) < _BYTES_AS_STRING or not any(data):
        return None
    return bytes_of_elements(value, op.global_type)


def _initializer(state: ModuleState, op: GlobalOp) -> str | None:
    if op.value is not None:
        return constant_text(op.value, op.global_type, state.types)
    if op.initializer.first_block is None:
        return None if op.linkage.linkage.data in ("external", "extern_weak") else "undef"
    values: dict[SSAValue, str] = {}

    def typed(value: SSAValue) -> str:
        return f"{state.text(value.type)} {values[value]}"

    for constant in op.initializer.first_block.ops:
        match constant:
            case _ if isinstance(constant, CONSTANTS):
                values[constant.results[0]] = constant_value(state, constant)
            case GEPOp() if not constant.ssa_indices:
                flags = f" {constant.flags.replace('|', ' ')}" if constant.flags else ""
                indices = [f"i32 {index}" for index in constant.rawConstantIndices.iter_values()]
                parts = ", ".join([state.text(constant.elem_type), typed(constant.ptr), *indices])
                values[constant.result] = f"getelementptr{flags} ({parts})"
            case AddrSpaceCastOp() | BitcastOp() | IntToPtrOp() | PtrToIntOp():
                cast = constant.name.removeprefix("llvm.")
                values[constant.res] = (
                    f"{cast} ({typed(constant.arg)} to {state.text(constant.res.type)})"
                )
            case ReturnOp(arg=SSAValue() as result):
                return values[result]
            case _:
                raise error(
                    constant,
                    "KC4105",
                    f"is not a constant, as the initialiser of @{op.sym_name.data} must be",
                )
    raise error(op, "KC4105", f"the initialiser of @{op.sym_name.data} returns nothing")
