"""Views of buffers, and calls that take them: ``tir.view`` and ``tir.call``."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType, SymbolRefAttr
from xdsl.interpreter import InterpreterFunctions, register_impls
from xdsl.ir import Operation

from kc.analysis.interpreter.affine_code import map_function
from kc.analysis.interpreter.engine import KernelInterpreter, Run, prepared
from kc.analysis.interpreter.errors import OutOfBoundsError, UninterpretableError
from kc.analysis.interpreter.values import Buffer
from kc.dialects.tir.views import ZERO_OUTSIDE, CallOp, ViewOp


def called_function(interpreter: KernelInterpreter, op: Operation, name: str) -> func.FuncOp:
    """The function to run for a call of ``name``: itself, or the one that ``kc.description``
    names.
    """
    callee = interpreter.symbol_op(name)
    if isinstance(callee, func.FuncOp) and callee.is_declaration:
        described = callee.attributes.get("kc.description")
        if isinstance(described, SymbolRefAttr):
            callee = interpreter.symbol_op(described.string_value())
    if not isinstance(callee, func.FuncOp) or callee.is_declaration:
        raise UninterpretableError(op, f"@{name} has no body to run")
    return callee


@register_impls
class ViewFunctions(InterpreterFunctions):
    """Views share the memory of their buffer; those that pad with zeros are copies."""

    @prepared(ViewOp)
    def view(self, interpreter: KernelInterpreter, op: ViewOp) -> Run:
        start = map_function(op.indices.data)
        assert isinstance(type_ := op.result.type, MemRefType)
        sizes = dict(zip(op.positions, type_.get_shape(), strict=True))
        goes_beyond = ZERO_OUTSIDE in op.attributes

        def run(buffer: Buffer, *operands: int) -> Buffer:
            data = buffer.array(op)
            first = start(*operands)
            box: list[Any] = []
            for dim, (at, whole) in enumerate(zip(first, data.shape, strict=True)):
                count = sizes.get(dim, 1)
                if goes_beyond and at >= 0:
                    box.append(slice(at, at + count) if dim in sizes else slice(at, at + 1))
                    continue
                if not 0 <= at <= whole - count:
                    counts = [sizes.get(n, 1) for n in range(data.ndim)]
                    raise OutOfBoundsError(op, buffer, first, counts)
                box.append(slice(at, at + count) if dim in sizes else at)
            part = data[(*box, ...)]
            if goes_beyond:
                counts = [sizes.get(dim, 1) for dim in range(data.ndim)]
                missing = [(0, n - have) for n, have in zip(counts, part.shape, strict=True)]
                part = np.pad(part, missing).reshape(type_.get_shape())
            return buffer.view(part)

        return run

    @prepared(CallOp)
    def call(self, interpreter: KernelInterpreter, op: CallOp) -> Run:
        callee = called_function(interpreter, op, op.callee.string_value())

        def run(*args: Any) -> None:
            interpreter.call_op(callee, args)

        return run
