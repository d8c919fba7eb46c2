"""``tir.stmt_functor``: visiting and rewriting statements and expressions, by TVM's names.

Statements are those of :mod:`kc.tir.stmt`, expressions those of :mod:`kc.te.nodes`; of a function
of loops, operations are visited.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, Region

from kc.support.diagnostics import TEError
from kc.support.locations import caller_location
from kc.te.buffers import Buffer
from kc.te.expr import BufferAccess, Element, Expr, ExternCall, as_expr, cast, children
from kc.te.rewrite import Substitution
from kc.tir.buffer_views import DerivedBuffer
from kc.tir.declared_regions import DeclaredRegion
from kc.tir.stmt import Iter, Stmt

__all__ = ["ir_transform", "post_order_visit", "pre_order_visit", "substitute"]


def post_order_visit(stmt: Any, fvisit: Callable[[Any], Any]) -> None:
    """Call ``fvisit`` with each statement and expression in ``stmt``, parts before the whole.

    What stands in several places is visited once. Raises KC2102 for anything but a statement, an
    expression, or operations.
    """
    seen: set[int] = set()
    # A node, and whether its parts were visited: chains of operators may be long.
    stack = [(_root(stmt), False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            fvisit(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(_parts(node)))


def pre_order_visit(stmt: Any, fvisit: Callable[[Any], Any]) -> None:
    """Call ``fvisit`` with each statement and expression, the whole before its parts, which are
    visited only where it returns true. Raises as :func:`post_order_visit`."""
    seen: set[int] = set()
    stack = [_root(stmt)]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if fvisit(node):
                stack.extend(reversed(_parts(node)))


def substitute(node: Any, vmap: Mapping[Any, Any]) -> Any:
    """A copy of a statement or expression with the values of ``vmap`` for variables, converted to
    the variables' types. Raises as :func:`post_order_visit`."""
    if not vmap:
        return node
    values = {key: cast(as_expr(value), key.dtype) for key, value in vmap.items()}
    return _Rewriter(Substitution(values), {})(_root(node))


def replace_buffers(statement: Stmt, parts: Mapping[Buffer, DerivedBuffer]) -> Stmt:
    """A copy of a statement whose elements of buffers are those of the parts that they stand for.

    Raises KC2102 where a call is given such a buffer, which has no memory of its own.
    """
    return _Rewriter(_ElementsOfParts(parts), {})(statement)


class _ElementsOfParts(Substitution):
    def __init__(self, parts: Mapping[Buffer, DerivedBuffer]) -> None:
        super().__init__()
        self._derived = parts

    def _copy(self, expr: Expr) -> Expr:
        copy = super()._copy(expr)
        if isinstance(copy, Element) and copy.tensor in self._derived:
            return self._derived[copy.tensor](*copy.indices)  # pyright: ignore[reportArgumentType]
        for access in copy.args if isinstance(copy, ExternCall) else ():
            if isinstance(access, BufferAccess) and access.buffer in self._derived:
                raise _refuse(
                    f"{access.buffer.name}, a part of another buffer, is given to a call",
                    ("TVMScript's T.match_buffer",),
                )
        return copy


def ir_transform(
    stmt: Any,
    preorder: Callable[[Any], Any] | None,
    postorder: Callable[[Any], Any] | None,
    only_enable: Sequence[str] | None = None,
) -> Any:
    """A copy of a statement in which statements are what two functions return for them.

    ``preorder`` is asked first; where it returns None, the parts are rewritten, and ``postorder``
    is asked, which may return None too. ``only_enable`` names the classes that they are asked
    about, such as "tir.For". Raises KC2102 for a class that is not of statements, and for an
    operation: passes rewrite these (:mod:`kc.transform`).
    """
    from kc.tir import statement_classes

    enabled: list[Any] | None = None
    if only_enable is not None:
        names = [name.removeprefix("tir.") for name in only_enable]
        unknown = [name for name in names if name not in statement_classes.__all__]
        if unknown:
            raise _refuse(f"ir_transform: '{unknown[0]}' is not a class of statements", ())
        enabled = [getattr(statement_classes, name) for name in names]
    root = _root(stmt)
    if not isinstance(root, Stmt):
        raise _refuse(
            f"ir_transform: {type(stmt).__name__} is no statement",
            ("kc.transform.module_pass makes a pass of a function of a module",),
        )
    rewriter = _Rewriter(Substitution(), {})
    rewriter.preorder, rewriter.postorder, rewriter.enabled = preorder, postorder, enabled
    return rewriter(root)


def _root(node: Any) -> Any:
    """What is visited for ``node``. Raises KC2102 where nothing can be."""
    is_ir = isinstance(node, Operation | Block | Region)  # a region's ``op`` is its only one
    function = node if is_ir else getattr(node, "op", node)
    if isinstance(function, ModuleOp | Operation | Block | Region):
        return function
    if isinstance(node, Stmt | Expr):
        return node
    raise _refuse(f"stmt_functor: {type(node).__name__} is neither a statement nor an expression")


def _refuse(message: str, hints: Sequence[str] = ("func.body, ib.get()",)) -> TEError:
    return TEError("KC2102", message, location=caller_location(), hints=hints)


def _parts(node: Any) -> list[Any]:
    """The statements and expressions, or operations, directly in ``node``."""
    if isinstance(node, Operation):
        return [op for region in node.regions for block in region.blocks for op in block.ops]
    if isinstance(node, Region):
        return [op for block in node.blocks for op in block.ops]
    if isinstance(node, Block):
        return list(node.ops)
    if isinstance(node, Expr):
        return list(children(node))
    parts: list[Any] = []
    # The variable of a loop is no part of it.
    pending = [getattr(node, part.name) for part in dataclasses.fields(node) if part.name != "axis"]
    while pending:
        part = pending.pop(0)
        if isinstance(part, Stmt | Expr):
            parts.append(part)
        elif isinstance(part, list | tuple):
            pending[:0] = part
        elif isinstance(part, Iter):
            pending.insert(0, part.binding)
    return parts


class _Rewriter:
    """Copies of statements in which expressions are rewritten; what is shared stays shared."""

    preorder: Callable[[Any], Any] | None = None
    postorder: Callable[[Any], Any] | None = None
    enabled: Sequence[Any] | None = None

    def __init__(self, expressions: Substitution, known: dict[int, Any]) -> None:
        self._expressions = expressions
        self._known = known

    def __call__(self, part: Any) -> Any:
        """``part``, a statement, an expression or parts of them, rewritten; itself where nothing
        changes."""
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
        known = self._known.get(id(statement))
        if known is not None:
            return known[1]
        asked = self.enabled is None or any(
            isinstance(statement, node_class) for node_class in self.enabled
        )
        result = self.preorder(statement) if self.preorder and asked else None
        if result is None:
            result = self._fields(statement)
            if self.postorder and asked:
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


def __dir__() -> list[str]:
    return __all__
