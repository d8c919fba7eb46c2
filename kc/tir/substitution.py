"""Copies of statements with replaced expressions or statements."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

from kc.expr.constructors import BufferAccess, Expr, as_expr, cast
from kc.expr.rewrite import Substitution
from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.tir.declared_regions import DeclaredRegion
from kc.tir.stmt import Iter, Stmt


def substitute(node: Any, vmap: Mapping[Any, Any]) -> Any:
    """A copy of a statement or expression with the values of ``vmap`` for variables, converted to
    the variables' types. Raises as :func:`visited`."""
    if not vmap:
        return node
    values = {key: cast(as_expr(value), key.dtype) for key, value in vmap.items()}
    return Rewriter(Substitution(values), {})(visited(node))


def visited(node: Any) -> Any:
    """The statement, expression or operations that ``node`` wraps. Raises KC2102 for other
    objects.
    """
    # the ``op`` of a region is its only operation
    is_ir = isinstance(node, Operation | Block | Region)
    function = node if is_ir else getattr(node, "op", node)
    if isinstance(function, ModuleOp | Operation | Block | Region):
        return function
    if isinstance(node, Stmt | Expr):
        return node
    raise refused(f"stmt_functor: {type(node).__name__} is neither a statement nor an expression")


def refused(message: str, hints: Sequence[str] = ("func.body, ib.get()",)) -> TEError:
    """KC2102 at the call."""
    return TEError("KC2102", message, location=caller_location(), hints=hints)


class Rewriter:
    """Copies of statements with rewritten expressions; shared parts stay shared."""

    preorder: Callable[[Any], Any] | None = None
    postorder: Callable[[Any], Any] | None = None
    enabled: Sequence[Any] | None = None

    def __init__(self, expressions: Substitution, statements: dict[int, Any]) -> None:
        self._expressions = expressions
        self._known = statements

    def __call__(self, part: Any) -> Any:
        """``part``, a statement, an expression or parts of them, rewritten. An unchanged part is
        returned without a copy.
        """
        if isinstance(part, Expr):
            return self._expressions(part)
        if isinstance(part, Stmt):
            return self._statement(part)
        if isinstance(part, BufferAccess) or not dataclasses.is_dataclass(part):
            if not isinstance(part, list | tuple):
                return part
            rewritten = [self(inner) for inner in part]
            if all(a is b for a, b in zip(rewritten, part, strict=True)):
                return part
            return type(part)(rewritten)
        return self._fields(part) if isinstance(part, Iter | DeclaredRegion) else part

    def _statement(self, statement: Stmt) -> Any:
        entry = self._known.get(id(statement))
        if entry is not None:
            return entry[1]
        is_enabled = self.enabled is None or any(
            isinstance(statement, node_class) for node_class in self.enabled
        )
        result = self.preorder(statement) if self.preorder and is_enabled else None
        if result is None:
            result = self._fields(statement)
            if self.postorder and is_enabled:
                again = self.postorder(result)
                result = result if again is None else again
        self._known[id(statement)] = (statement, result)
        return result

    def _fields(self, node: Any) -> Any:
        changes = {}
        for field in dataclasses.fields(node):
            if field.name in ("location", "axis", "name", "annotations", "attributes"):
                continue
            old = getattr(node, field.name)
            new = self(old)
            if new is not old:
                changes[field.name] = new
        return dataclasses.replace(node, **changes) if changes else node
