"""Structural equality of two expressions, for ``tvm.ir.structural_equal``."""

from __future__ import annotations

import dataclasses
from typing import Any

from kc.expr.nodes import BufferAccess, Const, Expr, IterVar, Var, is_negative_zero
from kc.expr.tensor import Tensor


def equal_expressions(lhs: Expr, rhs: Expr, map_free_vars: bool = False) -> bool:
    """True if two expressions have the same structure and types.

    Two variables are equal if they are the same object; with ``map_free_vars`` the variables of
    ``lhs`` may map one-to-one to the variables of ``rhs``. The traversal is iterative, so that long
    chains of operators do not exhaust the stack.
    """
    forth: dict[Any, Any] = {}
    back: dict[Any, Any] = {}
    seen: set[tuple[int, int]] = set()
    pending: list[tuple[Any, Any]] = [(lhs, rhs)]
    while pending:
        a, b = pending.pop()
        if a is b and not map_free_vars or (id(a), id(b)) in seen:
            continue
        seen.add((id(a), id(b)))
        if isinstance(a, Var | IterVar | Tensor) and isinstance(b, Var | IterVar | Tensor):
            alike = a is b
            if map_free_vars and type(a) is type(b) and a.dtype == b.dtype:
                alike = forth.setdefault(a, b) is b and back.setdefault(b, a) is a
                if isinstance(a, Tensor) and isinstance(b, Tensor):
                    pending.append((a.shape, b.shape))
            if not alike:
                return False
        elif isinstance(a, Const) and isinstance(b, Const):
            same = a.dtype == b.dtype and (a.value == b.value or a.value != a.value != b.value)
            if not same or is_negative_zero(a.value) != is_negative_zero(b.value):
                return False
        elif isinstance(a, tuple) and isinstance(b, tuple):
            if len(a) != len(b):
                return False
            pending += zip(a, b, strict=True)
        elif isinstance(a, Expr | BufferAccess):
            if type(a) is not type(b):
                return False
            for field in dataclasses.fields(a):  # pyright: ignore[reportArgumentType]
                if field.name != "location":
                    pending.append((getattr(a, field.name), getattr(b, field.name)))
        elif type(a) is not type(b) or bool(a != b):
            return False
    return True
