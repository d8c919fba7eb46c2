"""Classes that walk and rewrite expressions, by the names of ``tvm.relay.expr_functor``.

A subclass overrides ``visit_call`` and the like. Each expression is visited once; all its uses
get this result::

    class ReluToExp(relay.ExprMutator):
        def visit_call(self, call):
            call = super().visit_call(call)
            return relay.exp(*call.args) if call.op == relay.op.get("nn.relu") else call
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kc.support.deep import run_deep
from kc.support.diagnostics import GraphError
from kc.tvm.relay.adt import Clause, Constructor, Match
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
from kc.tvm.relay.to_graph import order_of

_METHODS: dict[type[Expr], str] = {
    Function: "visit_function",
    Call: "visit_call",
    Let: "visit_let",
    Var: "visit_var",
    GlobalVar: "visit_global_var",
    If: "visit_if",
    Tuple: "visit_tuple",
    TupleGetItem: "visit_tuple_getitem",
    Constant: "visit_constant",
    Op: "visit_op",
    RefCreate: "visit_ref_create",
    RefRead: "visit_ref_read",
    RefWrite: "visit_ref_write",
    Match: "visit_match",
    Constructor: "visit_constructor",
}


class ExprFunctor:
    """A function of expressions, by a method for each class of them."""

    def __init__(self) -> None:
        self._results: dict[int, tuple[Expr, Any]] = {}
        """The expression and its result, by the identity of the expression."""
        self._is_deep = False

    def visit(self, expr: Expr) -> Any:
        """The result for an expression. Raises GraphError KC2403 for anything else."""
        if id(expr) in self._results:
            return self._results[id(expr)][1]
        if self._is_deep:
            return self._visited(expr)
        self._is_deep = True
        try:
            return run_deep(lambda: self._visited(expr), 10 * len(order_of(expr)))
        finally:
            self._is_deep = False

    def visit_in_order(self, order: Sequence[Expr]) -> Any:
        """The result for the last of expressions that are visited in order, each after its parts.
        The recursion stays shallow, so that long chains take time in proportion to their length.
        """
        self._is_deep = True
        try:
            for part in order:
                self.visit(part)
            return self.visit(order[-1])
        finally:
            self._is_deep = False

    def _visited(self, expr: Expr) -> Any:
        method = _METHODS.get(type(expr))
        if method is None:
            raise GraphError("KC2403", f"{type(expr).__name__} is not an expression of Relay")
        result = getattr(self, method)(expr)
        self._results[id(expr)] = (expr, result)
        return result


class ExprVisitor(ExprFunctor):
    """Visits an expression and its parts; the methods return nothing."""

    def visit_function(self, fn: Function) -> Any:
        """Visit the parameters and the body."""
        for param in fn.params:
            self.visit(param)
        self.visit(fn.body)

    def visit_call(self, call: Call) -> Any:
        """Visit the callee and the arguments."""
        self.visit(call.op)
        for arg in call.args:
            self.visit(arg)

    def visit_let(self, let: Let) -> Any:
        """Visit the variable, the value and the body."""
        self.visit(let.var)
        self.visit(let.value)
        self.visit(let.body)

    def visit_if(self, i: If) -> Any:
        """Visit the condition and both branches."""
        self.visit(i.cond)
        self.visit(i.true_branch)
        self.visit(i.false_branch)

    def visit_tuple(self, tup: Tuple) -> Any:
        """Visit the fields."""
        for field in tup.fields:
            self.visit(field)

    def visit_tuple_getitem(self, t: TupleGetItem) -> Any:
        """Visit the tuple."""
        self.visit(t.tuple_value)

    def visit_ref_create(self, r: RefCreate) -> Any:
        """Visit the first value."""
        self.visit(r.value)

    def visit_ref_read(self, r: RefRead) -> Any:
        """Visit the reference."""
        self.visit(r.ref)

    def visit_ref_write(self, r: RefWrite) -> Any:
        """Visit the reference and the value."""
        self.visit(r.ref)
        self.visit(r.value)

    def visit_var(self, var: Var) -> Any:
        """A variable has no parts."""

    def visit_global_var(self, gvar: GlobalVar) -> Any:
        """A reference to a function has no parts."""

    def visit_constant(self, const: Constant) -> Any:
        """A constant has no parts."""

    def visit_op(self, op: Op) -> Any:
        """An operator has no parts."""

    def visit_match(self, m: Match) -> Any:
        """Visit the value and the clauses."""
        self.visit(m.data)
        for clause in m.clauses:
            self.visit(clause.rhs)

    def visit_constructor(self, con: Constructor) -> Any:
        """A constructor has no parts."""


class ExprMutator(ExprFunctor):
    """Rewrites an expression; the methods return the expressions to use instead."""

    def visit_function(self, fn: Function) -> Expr:
        """The function with its parameters and its body rewritten."""
        params, body = [self.visit(param) for param in fn.params], self.visit(fn.body)
        if body is fn.body and _are_same(params, fn.params):
            return fn
        # The type of the result may be another one now.
        return Function(params, body, None, fn.type_params, fn.attrs, fn.span)

    def visit_call(self, call: Call) -> Expr:
        """The call with its callee and its arguments rewritten."""
        op, args = self.visit(call.op), [self.visit(arg) for arg in call.args]
        if op is call.op and _are_same(args, call.args):
            return call
        return Call(op, args, call.attrs, call.type_args, call.span)

    def visit_let(self, let: Let) -> Expr:
        """The binding with its parts rewritten."""
        var, value, body = self.visit(let.var), self.visit(let.value), self.visit(let.body)
        if _are_same((var, value, body), (let.var, let.value, let.body)):
            return let
        return Let(var, value, body, let.span)

    def visit_if(self, i: If) -> Expr:
        """The choice with its condition and its branches rewritten."""
        before = (i.cond, i.true_branch, i.false_branch)
        cond, true_branch, false_branch = (self.visit(part) for part in before)
        if _are_same((cond, true_branch, false_branch), before):
            return i
        return If(cond, true_branch, false_branch, i.span)

    def visit_tuple(self, tup: Tuple) -> Expr:
        """The tuple with its fields rewritten."""
        fields = [self.visit(field) for field in tup.fields]
        return tup if _are_same(fields, tup.fields) else Tuple(fields, tup.span)

    def visit_tuple_getitem(self, t: TupleGetItem) -> Expr:
        """The field of the rewritten tuple."""
        value = self.visit(t.tuple_value)
        return t if value is t.tuple_value else TupleGetItem(value, t.index, t.span)

    def visit_ref_create(self, r: RefCreate) -> Expr:
        """The reference with its first value rewritten."""
        value = self.visit(r.value)
        return r if value is r.value else RefCreate(value)

    def visit_ref_read(self, r: RefRead) -> Expr:
        """The value of the rewritten reference."""
        ref = self.visit(r.ref)
        return r if ref is r.ref else RefRead(ref)

    def visit_ref_write(self, r: RefWrite) -> Expr:
        """The assignment with its parts rewritten."""
        ref, value = self.visit(r.ref), self.visit(r.value)
        return r if ref is r.ref and value is r.value else RefWrite(ref, value)

    def visit_var(self, var: Var) -> Expr:
        """The variable."""
        return var

    def visit_global_var(self, gvar: GlobalVar) -> Expr:
        """The reference to a function."""
        return gvar

    def visit_constant(self, const: Constant) -> Expr:
        """The constant."""
        return const

    def visit_op(self, op: Op) -> Expr:
        """The operator."""
        return op

    def visit_match(self, m: Match) -> Expr:
        """The match with its value and the expressions of its clauses rewritten."""
        data, parts = self.visit(m.data), [self.visit(clause.rhs) for clause in m.clauses]
        if data is m.data and _are_same(parts, [clause.rhs for clause in m.clauses]):
            return m
        clauses = [Clause(old.lhs, new) for old, new in zip(m.clauses, parts, strict=True)]
        return Match(data, clauses, m.complete)

    def visit_constructor(self, con: Constructor) -> Expr:
        """The constructor."""
        return con


def _are_same(after: Any, before: Any) -> bool:
    return all(a is b for a, b in zip(after, before, strict=True))
