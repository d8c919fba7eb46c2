"""Structural equality of Relay's expressions, for ``kc.ir.structural_equal`` and its hash.

Two expressions are equal if they differ in the names of bound variables alone. What is shared in an
expression must be shared in the same way in the other: ``add(%0, %0)`` is not ``add(exp(%x),
exp(%x))``. A free variable equals itself alone, unless free variables may be mapped one-to-one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from kc.tvm.relay.adt import Constructor, Match, Pattern
from kc.tvm.relay.expr import (
    Call,
    Constant,
    Expr,
    Function,
    GlobalVar,
    If,
    Let,
    Op,
    RefCreate,
    RefRead,
    RefWrite,
    Tuple,
    TupleGetItem,
    Var,
)
from kc.tvm.relay.to_graph import order_of, parts_of

_ANY = re.compile(r"any_\d+")
"""The names of sizes that are not known (:class:`kc.tvm.relay.types.Any`)."""


@dataclass(frozen=True)
class _Anatomy:
    """The kind and attributes of an expression, the variables that it binds, and its parts."""

    facts: tuple[Any, ...]
    bound: tuple[Var, ...]
    parts: tuple[Expr, ...]
    is_shared: bool = True
    """True if it counts whether several uses are of the same object."""


def _anatomy(expr: Expr) -> _Anatomy:
    match expr:
        case Call():
            attributes = expr.attrs.attributes() if hasattr(expr.attrs, "attributes") else {}
            facts = (tuple(sorted(attributes.items())), tuple(expr.type_args or ()))
            return _Anatomy(facts, (), (expr.op, *expr.args))
        case Function():
            facts = (expr.ret_type, expr.type_params, tuple(sorted(expr.attrs.items())))
            return _Anatomy(facts, expr.params, (expr.body,))
        case Let():
            return _Anatomy((), (expr.var,), (expr.value, expr.body))
        case If():
            return _Anatomy((), (), (expr.cond, expr.true_branch, expr.false_branch))
        case Tuple():
            return _Anatomy((), (), expr.fields)
        case TupleGetItem():
            return _Anatomy((expr.index,), (), (expr.tuple_value,))
        case RefCreate():
            return _Anatomy((), (), (expr.value,))
        case RefRead():
            return _Anatomy((), (), (expr.ref,))
        case RefWrite():
            return _Anatomy((), (), (expr.ref, expr.value))
        case Match():
            patterns = [clause.lhs for clause in expr.clauses]
            facts = (expr.complete, tuple(map(_form_of, patterns)))
            bound = tuple(variable for pattern in patterns for variable in pattern.variables())
            return _Anatomy(facts, bound, (expr.data, *(clause.rhs for clause in expr.clauses)))
        case Constructor():
            return _Anatomy((str(expr.belong_to), expr.name_hint), (), (), is_shared=False)
        case Op():
            return _Anatomy((expr.name,), (), (), is_shared=False)
        case GlobalVar():
            return _Anatomy((expr.name_hint,), (), (), is_shared=False)
        case Constant():
            array = expr.data.numpy()
            return _Anatomy((expr.dtype, array.shape, array.tobytes()), (), (), is_shared=False)
        case _:
            return _Anatomy((), (), tuple(part for part, _ in parts_of(expr)))


def _form_of(pattern: Pattern) -> tuple[Any, ...]:
    """The form of a pattern of a match, without its variables."""
    constructor = getattr(pattern, "constructor", None)
    name = "" if constructor is None else f"{constructor.belong_to}.{constructor.name_hint}"
    return (type(pattern).__name__, name, *map(_form_of, getattr(pattern, "patterns", ())))


def difference_of(lhs: Expr, rhs: Expr, map_free_vars: bool = False) -> tuple[Any, Any] | None:
    """The first parts of two expressions that differ; None if the expressions are equal.

    The walk is iterative, so that chains of any length are compared.
    """
    forth: dict[int, Expr] = {}
    back: dict[int, Expr] = {}
    sizes: tuple[dict[str, str], dict[str, str]] = ({}, {})
    pending: list[tuple[Expr, Expr]] = [(lhs, rhs)]

    def paired(a: Expr, b: Expr) -> bool:
        return forth.setdefault(id(a), b) is b and back.setdefault(id(b), a) is a

    while pending:
        a, b = pending.pop()
        if type(a) is not type(b):
            return a, b
        if isinstance(a, Var) and isinstance(b, Var):
            is_known = id(a) in forth or id(b) in back
            if is_known or map_free_vars:
                alike = paired(a, b) and _same_type(a.type_annotation, b.type_annotation, sizes)
            else:
                alike = a is b
            if not alike:
                return a, b
            continue
        if id(a) in forth or id(b) in back:
            if not paired(a, b):
                return a, b
            continue
        own, their = _anatomy(a), _anatomy(b)
        if own.is_shared:
            paired(a, b)
        if len(own.bound) != len(their.bound) or len(own.parts) != len(their.parts):
            return a, b
        for left, right in zip(own.bound, their.bound, strict=True):
            fits = _same_type(left.type_annotation, right.type_annotation, sizes)
            if not fits or not paired(left, right):
                return a, b
        if not _same_facts(own.facts, their.facts, sizes):
            return a, b
        pending.extend(reversed([*zip(own.parts, their.parts, strict=True)]))
    return None


def _same_facts(own: Any, their: Any, sizes: tuple[dict[str, str], dict[str, str]]) -> bool:
    if isinstance(own, tuple) and isinstance(their, tuple):
        return len(own) == len(their) and all(
            _same_facts(a, b, sizes) for a, b in zip(own, their, strict=True)
        )
    if isinstance(own, bytes | int | float | str) and type(own) is type(their):
        return own == their or own != own and their != their  # NaN equals NaN
    return _same_type(own, their, sizes)


def _same_type(own: Any, their: Any, sizes: tuple[dict[str, str], dict[str, str]]) -> bool:
    """True for equal types and attributes, where sizes that are not known may be others."""
    if own == their and not _ANY.search(str(own)):
        return True
    if type(own) is not type(their):
        return False
    left, right = str(own), str(their)
    if _ANY.sub("?", left) != _ANY.sub("?", right) or "any_" not in left:
        return False
    forth, back = sizes
    return all(
        forth.setdefault(a, b) == b and back.setdefault(b, a) == a
        for a, b in zip(_ANY.findall(left), _ANY.findall(right), strict=True)
    )


def hash_of_expression(root: Expr, map_free_vars: bool = False) -> int:
    """A number that is the same for expressions that :func:`difference_of` takes for equal.

    Bound variables count by the order of their bindings; free ones by their identity, or by the
    order of their uses with ``map_free_vars``.
    """
    order = order_of(root)  # what binds a variable stands before its uses
    numbers: dict[int, int] = {}
    for expr in order:
        for variable in _anatomy(expr).bound:
            numbers.setdefault(id(variable), len(numbers))
    hashes: dict[int, int] = {}
    for expr in reversed(order):
        if isinstance(expr, Var):
            if id(expr) not in numbers and map_free_vars:
                numbers[id(expr)] = len(numbers)
            own: Any = numbers.get(id(expr), expr)
            hashes[id(expr)] = hash(("Var", own, _hashable(expr.type_annotation)))
            continue
        anatomy = _anatomy(expr)
        types = tuple(_hashable(variable.type_annotation) for variable in anatomy.bound)
        facts = _hashable(anatomy.facts)
        parts = tuple(
            hashes[id(part)] if id(part) in hashes else hash_of_expression(part, map_free_vars)
            for part in anatomy.parts
        )
        hashes[id(expr)] = hash((type(expr).__name__, types, facts, parts))
    return hashes[id(root)]


def _hashable(value: Any) -> Any:
    """A value as one that can be hashed, in which sizes that are not known have no names."""
    if isinstance(value, tuple):
        return tuple(map(_hashable, value))
    if isinstance(value, bytes | int | str):
        return value
    if isinstance(value, float):
        return value if value == value else "nan"
    return _ANY.sub("?", str(value))
