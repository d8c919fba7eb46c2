"""``relay.ScopeBuilder``: a chain of ``let`` bindings, written statement by statement.

::

    sb = relay.ScopeBuilder()
    v = sb.let("v", relay.exp(x))
    with sb.if_scope(c):
        sb.ret(v)
    with sb.else_scope():
        sb.ret(relay.add(v, v))
    f = relay.Function([x, c], sb.get())
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.nodes.node_objects import Type
from kc.tvm.relay.expr import Expr, If, Let, Var, as_expr


class ScopeBuilder:
    """Builds an expression of bindings, choices, and the value at the end."""

    def __init__(self) -> None:
        self._bindings: list[list[tuple[Var, Expr]]] = [[]]
        self._values: list[Expr | None] = [None]

    def let(self, var: Var | tuple[str, Type] | str, value: Any) -> Var:
        """Bind a value to a variable, or to a new one of a name, and of a type; the variable."""
        if isinstance(var, tuple):
            variable = Var(*var)
        elif isinstance(var, Var):
            variable = var
        elif isinstance(var, str):
            variable = Var(var)
        else:
            raise GraphError(
                "KC2403",
                f"ScopeBuilder.let: the variable is a {type(var).__name__}",
                location=caller_location(),
                why="it is a name, a name and a type, or a relay.Var",
            )
        self._bindings[-1].append((variable, as_expr(value)))
        return variable

    def ret(self, value: Any) -> None:
        """The value of the scope. Raises GraphError KC2492 if it has one."""
        if self._values[-1] is not None:
            raise _misuse("the scope has two values", "ret is called once in a scope")
        self._values[-1] = as_expr(value)

    @contextmanager
    def if_scope(self, cond: Any) -> Iterator[None]:
        """The scope of what is computed if a condition holds; ``else_scope`` follows."""
        self._enter()
        yield
        chosen = self._leave()
        self.ret(_Pending(as_expr(cond), chosen))

    @contextmanager
    def else_scope(self) -> Iterator[None]:
        """The scope of what is computed otherwise. Raises GraphError KC2492 without an if."""
        pending = self._values[-1]
        if not isinstance(pending, _Pending):
            raise _misuse("an else_scope has no if_scope", "it follows one")
        self._enter()
        yield
        rest = self._leave()
        self._values[-1] = If(pending.cond, pending.chosen, rest)

    def type_of(self, expr: Any) -> Type | None:
        """The type of an expression, where it is known: that of a variable, a function's result."""
        if isinstance(expr, Var):
            return expr.type_annotation
        result_type = getattr(expr, "ret_type", None)
        return expr._checked_type if result_type is None else result_type

    def get(self) -> Expr:
        """The expression. Raises GraphError KC2492 if a scope is open or has no value."""
        if len(self._bindings) != 1:
            raise _misuse("a scope is open", "get is called after all scopes have ended")
        bindings, value = self._bindings[0], self._values[0]
        return _bound(bindings, value)

    def _enter(self) -> None:
        self._bindings.append([])
        self._values.append(None)

    def _leave(self) -> Expr:
        return _bound(self._bindings.pop(), self._values.pop())


class _Pending(Expr):
    """A choice whose other branch follows."""

    __slots__ = ("chosen", "cond")

    def __init__(self, cond: Expr, chosen: Expr) -> None:
        super().__init__()
        self.cond = cond
        self.chosen = chosen


def _bound(bindings: list[tuple[Var, Expr]], value: Expr | None) -> Expr:
    if value is None or isinstance(value, _Pending):
        what = "a scope has no value" if value is None else "an if_scope has no else_scope"
        raise _misuse(what, "each scope ends with ret, or with an if_scope and an else_scope")
    for variable, bound in reversed(bindings):
        value = Let(variable, bound, value)
    return value


def _misuse(what: str, why: str) -> GraphError:
    return GraphError("KC2492", f"ScopeBuilder: {what}", location=caller_location(), why=why)
