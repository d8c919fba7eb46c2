"""``tvm.relay.expr_functor``: :mod:`kc.tvm.relay.visitors`, by TVM's path."""

from kc.tvm.relay.visitors import ExprFunctor, ExprMutator, ExprVisitor

__all__ = ["ExprFunctor", "ExprMutator", "ExprVisitor"]
