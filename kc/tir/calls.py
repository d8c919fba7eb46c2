"""Calls as statements, for ``te.extern`` and ``tir.ir_builder``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kc.expr.calls import call_packed
from kc.expr.constructors import BufferAccess, Expr, ExternCall, children
from kc.support.diagnostics import Location, TEError
from kc.support.global_functions import ASSERTION_FAILED
from kc.tir.stmt import If, Stmt

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(eq=False)
class Evaluate(Stmt):
    """A call for its side effect; its result is dropped."""

    call: ExternCall

    @property
    def value(self) -> ExternCall:
        """The call, by TVM's name."""
        return self.call

    def emit(self, emitter: Emitter) -> None:
        call = self.call
        emitter.check(*children(call))
        for arg in call.args:
            if isinstance(arg, BufferAccess) and arg.buffer not in emitter.values:
                raise TEError(
                    "KC2100",
                    f"buffer {arg.buffer.name} has no memory here",
                    location=call.location,
                    why="a buffer must be a parameter of the function, or be allocated before its "
                    "use, in the enclosing statements",
                    hints=[f"add {arg.buffer.name} to the parameters"],
                )
        # the result of a Python function is ignored, hence its type is not checked
        if call.kind != "c":
            call = replace(call, dtype="void")
        emitter.body().effect(call)


def as_statement(value: Any, location: Location | None) -> Stmt | None:
    """``value``, a statement or a call for its side effect, as a statement. None for other
    values.
    """
    if isinstance(value, ExternCall):
        return Evaluate(location or value.location, value)
    return value if isinstance(value, Stmt) else None


def assertion(condition: Expr, message: str, location: Location | None) -> If:
    """A check of a condition at run time: if it is false, the call of the kernel raises CallError
    KC5250, whose cause is an AssertionError.
    """
    failure = call_packed(ASSERTION_FAILED, message)
    return If(location, ~condition, [Evaluate(location, failure)], [])
