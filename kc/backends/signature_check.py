"""Check that lowered functions match their signatures. A mismatch is a bug of kc, reported at the
build, as a call would read arguments that nobody passed.

Signatures are derived from the scheduled loops, and passes change functions after that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    FixedBitwidthType,
    IndexType,
    IntegerType,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StridedLayoutAttr,
)
from xdsl.ir import Attribute

from kc.analysis.loop_tree import functions
from kc.dialects.llvm import FuncOp, LLVMPointerType, LLVMVoidType
from kc.runtime.signature import DTYPES, Signature
from kc.support.c_names import machine_symbol
from kc.support.diagnostics import InternalError

_SIZES = {dtype.llvm: dtype.size for dtype in DTYPES.values()}
_POINTER = "ptr"


def check_signatures(
    signatures: Sequence[Signature], module: ModuleOp, *, checked: bool = False
) -> None:
    """Compare the functions of a lowered module with their signatures: the number of parameters,
    which of them are addresses, the sizes of the others in order, and that nothing is returned.
    ``checked``: there is a further parameter, the address of the bound checks' report.

    Raises InternalError for the first difference.
    """
    lowered = {
        function.sym_name.data: function
        for function in (*functions(module), *_llvm_functions(module))
    }
    for signature in signatures:
        # A called function of the C library may have the same name.
        symbol = machine_symbol(signature.name)
        function = lowered.get(symbol) or lowered.get(signature.name)
        if function is None:
            raise InternalError(f"@{signature.name} is not in the module after it was lowered")
        expected = [_size(type_) for type_ in signature.machine_types]
        taken, returned = _interface(function)
        if checked and len(taken) == len(expected) + 1:
            expected.append(_POINTER)
        if taken != expected or returned:
            raise InternalError(
                f"@{signature.name} is lowered to a function that takes ({', '.join(taken)}) and "
                f"returns {returned or 'nothing'}, but a call of {signature} passes "
                f"({', '.join(expected)})"
            )


def _llvm_functions(module: ModuleOp) -> Iterator[FuncOp]:
    return (op for op in module.body.ops if isinstance(op, FuncOp))


def _size(llvm: str) -> str:
    return _POINTER if llvm == _POINTER else f"{8 * _SIZES[llvm]} bits"


def _interface(function: FuncOp | func.FuncOp) -> tuple[list[str], str]:
    """The parameters of a lowered function, in the form of :func:`_size`, and its results."""
    if isinstance(function, FuncOp):
        returned = function.function_type.output
        return [_scalar(arg) for arg in function.function_type.inputs], (
            "" if isinstance(returned, LLVMVoidType) else str(returned)
        )
    type_ = function.function_type
    taken: list[str] = []
    for arg in type_.inputs:
        if not isinstance(arg, MemRefType):
            taken.append(_scalar(arg))
            continue
        layout = arg.layout
        strides = layout.strides.data if isinstance(layout, StridedLayoutAttr) else ()
        words = sum(size == DYNAMIC_INDEX for size in arg.get_shape())
        words += sum(isinstance(stride, NoneAttr) for stride in strides)
        taken += [_POINTER, *["64 bits"] * words]
    return taken, ", ".join(map(str, type_.outputs))


def _scalar(type_: Attribute) -> str:
    if isinstance(type_, LLVMPointerType):
        return _POINTER
    if isinstance(type_, IndexType):
        return "64 bits"
    if isinstance(type_, IntegerType):
        return f"{max(type_.width.data, 8)} bits"
    return f"{type_.bitwidth} bits" if isinstance(type_, FixedBitwidthType) else str(type_)
