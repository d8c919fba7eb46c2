"""Walks over expressions: their parts, their variables, and the type of the whole."""

from __future__ import annotations

from typing import Any

from kc.support.diagnostics import GraphError
from kc.tvm.nodes.node_objects import TupleType
from kc.tvm.relay.adt import Match
from kc.tvm.relay.expr import Expr, Function, Let, Var
from kc.tvm.relay.to_graph import order_of, parts_of


def number_of_fields(expr: Expr) -> int:
    """The number of fields of an expression that is a tuple.

    Raises GraphError KC2400 for an expression that is none, KC2401 where its type is not known.
    """
    type_ = expr._checked_type
    if type_ is None:
        type_ = infer_type_of(expr)
    if not isinstance(type_, TupleType):
        raise GraphError("KC2400", "the expression is no tuple", why=f"it is {type_}")
    return len(type_.fields)


def infer_type_of(expr: Expr) -> Any:
    """The type of an expression, whose free variables have types."""
    from kc.tir.module import IRModule
    from kc.tvm.relay.from_graph import function_of

    function = expr if isinstance(expr, Function) else Function(free_vars(expr), expr)
    module = IRModule({"main": function})
    inferred = function_of(module.functions["main"])
    return inferred.body.checked_type if not isinstance(expr, Function) else inferred.ret_type


def free_vars(expr: Expr) -> list[Var]:
    """The variables that an expression uses and does not bind, in the order of their uses."""
    free: dict[int, Var] = {}
    bound: set[int] = set()
    done: set[int] = set()
    stack: list[Expr] = [expr]
    while stack:
        current = stack.pop()
        if id(current) in done:
            continue
        done.add(id(current))
        if isinstance(current, Let):
            bound.add(id(current.var))
        if isinstance(current, Function):
            bound |= {id(param) for param in current.params}
        if isinstance(current, Match):
            bound |= {id(each) for clause in current.clauses for each in clause.lhs.variables()}
        if isinstance(current, Var):
            free[id(current)] = current
        stack.extend(part for part, _ in reversed(parts_of(current)))
    return [variable for key, variable in free.items() if key not in bound]


def bound_vars(expr: Expr) -> list[Var]:
    """The variables that an expression binds."""
    free = {id(variable) for variable in free_vars(expr)}
    return [variable for variable in all_vars(expr) if id(variable) not in free]


def all_vars(expr: Expr) -> list[Var]:
    """The variables in an expression."""
    variables: dict[int, Var] = {}
    for current in post_order(expr):
        if isinstance(current, Function):
            variables |= {id(param): param for param in current.params}
        elif isinstance(current, Let):
            variables[id(current.var)] = current.var
        elif isinstance(current, Match):
            for clause in current.clauses:
                variables |= {id(each): each for each in clause.lhs.variables()}
        elif isinstance(current, Var):
            variables.setdefault(id(current), current)
    return list(variables.values())


def post_order(expr: Expr) -> list[Expr]:
    """The expressions in an expression, each once, parts first."""
    return order_of(expr)[::-1]


def post_order_visit(expr: Expr, fvisit: Any) -> None:
    """Call a function of each expression in an expression, parts first."""
    for current in post_order(expr):
        fvisit(current)
