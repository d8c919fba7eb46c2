"""The combination of two tuples as a statement of TVMScript: ``T.combine``, ``tir.combine``.

TVM has it only as a reducer in reductions across threads; a block of a schedule has it written out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Block, Region

from kc.analysis.reductions.combiner_laws import require_laws, vouch_for
from kc.dialects import tir
from kc.expr.constructors import Const, Expr
from kc.expr.scalar_ops import constant_attr, element_type
from kc.te.body import Body
from kc.tir.stmt import Stmt, Value

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(eq=False)
class CombineStmt(Stmt):
    """``results``, which are ``lhs`` and ``rhs`` combined: ``bodies`` over ``params``, the last of
    which are for ``captured``."""

    name: str
    lhs: Sequence[Expr]
    rhs: Sequence[Expr]
    captured: Sequence[Expr]
    params: Sequence[Value]
    bodies: Sequence[Expr]
    identity: Sequence[Expr]
    results: Sequence[Value]
    unsafe: bool = False

    def emit(self, emitter: Emitter) -> None:
        emitter.check(*self.lhs, *self.rhs, *self.captured)
        body = emitter.body()
        lhs, rhs, captured = (
            [body.value(expr) for expr in group] for group in (self.lhs, self.rhs, self.captured)
        )
        block = Block(arg_types=[element_type(param.dtype) for param in self.params])
        inner = Body(block, emitter.axes, emitter.values, frozenset())
        inner.memo.update(zip(self.params, block.args, strict=True))
        block.add_op(tir.YieldOp(*[inner.value(expr) for expr in self.bodies]))
        identity = [
            constant_attr(expr.value, expr.dtype)
            for expr in self.identity
            if isinstance(expr, Const)
        ]
        op = tir.CombineOp(self.name, lhs, rhs, Region(block), ArrayAttr(identity), captured)
        emitter.add(op, self.location)
        if self.unsafe:
            vouch_for(op, self.name)
        require_laws(op)
        for value, result in zip(self.results, op.combined, strict=True):
            result.name_hint = value.name
            emitter.lets[value] = result
