"""Non-affine indices as statements of TVMScript.

``x = T.index_op("arith.muli", n, m)`` is an operation of indices, which have 64 bits;
``i, j = T.delinearize(x, n, m)`` and ``x = T.linearize(i, j, n, m)`` are those of ``tir``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue

from kc.dialects import tir
from kc.expr.constructors import Expr, IterVar
from kc.tir.stmt import Stmt

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(eq=False)
class IndexStmt(Stmt):
    """The indices that ``make`` computes from ``operands``; ``results`` names them."""

    make: Callable[[Sequence[SSAValue]], Operation]
    operands: Sequence[Expr]
    results: Sequence[IterVar]

    def emit(self, emitter: Emitter) -> None:
        values = [emitter.extent(operand) for operand in self.operands]
        operands: list[SSAValue] = []
        for value in values:
            if isinstance(value, int):
                constant = arith.ConstantOp.from_int_and_width(value, tir.INDEX)
                value = emitter.add(constant, self.location)
            operands.append(value)
        op = self.make(operands)
        emitter.add(op, self.location)
        for axis, result in zip(self.results, op.results, strict=True):
            result.name_hint = axis.name
            emitter.axes[axis] = result
