"""Calls as statements: what ``te.extern`` and ``tir.ir_builder`` do with a call for its effect."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kc.support.diagnostics import Location, TEError
from kc.te.expr import BufferAccess, Expr, ExternCall
from kc.tir.stmt import Stmt

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(eq=False)
class Evaluate(Stmt):
    """A call for what it does; what it gives is dropped."""

    call: ExternCall

    def emit(self, emitter: Emitter) -> None:
        call = self.call
        emitter.check(*(arg for arg in call.args if isinstance(arg, Expr)))
        for arg in call.args:
            if isinstance(arg, BufferAccess) and arg.buffer not in emitter.values:
                raise TEError(
                    "KC2100",
                    f"buffer {arg.buffer.name} has no memory here",
                    location=call.location,
                    why="a buffer is a parameter of the function, or it is allocated before it is "
                    "used, in the statements around that",
                    hints=[f"add {arg.buffer.name} to the parameters"],
                )
        if call.kind != "c":  # nobody asks a Python function for a result, so it may give any
            call = replace(call, dtype="void")
        emitter.body().effect(call)


def as_statement(value: Any, location: Location | None) -> Stmt | None:
    """``value``, a statement or a call for its effect, as a statement; None if it is neither."""
    if isinstance(value, ExternCall):
        return Evaluate(location or value.location, value)
    return value if isinstance(value, Stmt) else None
