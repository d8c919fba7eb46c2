"""``tir.stmt_functor``: visiting and rewriting statements and expressions, by TVM's names.

Statements are those of :mod:`kc.tir.stmt`, expressions those of :mod:`kc.expr.nodes`. In a function
of loops, the operations are visited.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.ir import Block, Operation, Region

from kc.expr.buffers import Buffer
from kc.expr.constructors import BufferAccess, Element, Expr, ExternCall, children
from kc.expr.rewrite import Substitution
from kc.tir.stmt import Iter, Stmt
from kc.tir.substitution import Rewriter, refused, substitute, visited
from kc.tvm.buffer_views import DerivedBuffer

__all__ = ["ir_transform", "post_order_visit", "pre_order_visit", "substitute"]


def post_order_visit(stmt: Any, fvisit: Callable[[Any], Any]) -> None:
    """Call ``fvisit`` with each statement and expression in ``stmt``, parts before the whole.

    What stands in several places is visited once. Raises KC2102 for anything but a statement, an
    expression, or operations.
    """
    seen: set[int] = set()
    # A node, and whether its parts were visited: chains of operators may be long.
    stack = [(visited(stmt), False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            fvisit(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((part, False) for part in reversed(_parts(node)))


def pre_order_visit(stmt: Any, fvisit: Callable[[Any], Any]) -> None:
    """Call ``fvisit`` with each statement and expression in preorder. The parts of a node are
    visited only if ``fvisit`` returns true for the node. Raises as :func:`post_order_visit`.
    """
    seen: set[int] = set()
    stack = [visited(stmt)]
    while stack:
        node = stack.pop()
        if id(node) not in seen:
            seen.add(id(node))
            if fvisit(node):
                stack.extend(reversed(_parts(node)))


def replace_buffers(statement: Stmt, parts: Mapping[Buffer, DerivedBuffer]) -> Stmt:
    """A copy of a statement in which accesses to the buffers in ``parts`` are accesses to their
    bases. Raises KC2102 for a call that takes such a buffer, which has no memory of its own.
    """
    return Rewriter(_ElementsOfParts(parts), {})(statement)


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
                raise refused(
                    f"{access.buffer.name}, a part of another buffer, is an argument of a call",
                    ("TVMScript's T.match_buffer",),
                )
        return copy


def ir_transform(
    stmt: Any,
    preorder: Callable[[Any], Any] | None,
    postorder: Callable[[Any], Any] | None,
    only_enable: Sequence[str] | None = None,
) -> Any:
    """A copy of a statement, rewritten by two functions.

    ``preorder`` is called first; if it returns None, the parts are rewritten and ``postorder`` is
    called, which may return None too. ``only_enable`` restricts the calls to classes such as
    "tir.For". Raises KC2102 for a name that is no class of statements, and for an operation: passes
    rewrite operations (:mod:`kc.transform`).
    """
    from kc.tvm.nodes import statement_classes

    enabled: list[Any] | None = None
    if only_enable is not None:
        names = [name.removeprefix("tir.") for name in only_enable]
        unknown = [name for name in names if name not in statement_classes.__all__]
        if unknown:
            raise refused(f"ir_transform: '{unknown[0]}' is not a class of statements", ())
        enabled = [getattr(statement_classes, name) for name in names]
    root = visited(stmt)
    if not isinstance(root, Stmt):
        raise refused(
            f"ir_transform: {type(stmt).__name__} is not a statement",
            ("kc.transform.module_pass makes a pass of a function of a module",),
        )
    rewriter = Rewriter(Substitution(), {})
    rewriter.preorder, rewriter.postorder, rewriter.enabled = preorder, postorder, enabled
    return rewriter(root)


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
    # The variable of a loop is not one of its parts.
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


def __dir__() -> list[str]:
    return __all__
