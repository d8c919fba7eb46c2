"""Values by the names that ``tvm.tir`` has for their nodes: constants, sizes, conversions."""

from __future__ import annotations

import math

from kc.te.dtypes import check_dtype
from kc.te.expr import Const, Expr, ExprLike, Var, as_expr, cast, const
from kc.te.tensor import size_var

__all__ = ["Cast", "FloatImm", "IntImm", "SizeVar", "infinity"]


def IntImm(dtype: str, value: int) -> Const:
    """An integer constant: ``const(value, dtype)``. Raises KC2003 for a value that does not fit."""
    return const(int(value), dtype)


def FloatImm(dtype: str, value: float) -> Const:
    """A floating-point constant: ``const(value, dtype)``."""
    return const(float(value), dtype)


def SizeVar(name: str = "size", dtype: str = "int32") -> Var:
    """A size that the caller gives: :func:`kc.te.size_var`."""
    return size_var(name, dtype)


def Cast(dtype: str, value: ExprLike) -> Expr:
    """``value`` converted to ``dtype``: ``value.astype(dtype)``."""
    return cast(as_expr(value), dtype)


def infinity(dtype: str) -> Const:
    """The infinity of a floating-point type. Raises KC2003 for another type."""
    return const(math.inf, check_dtype(dtype))
