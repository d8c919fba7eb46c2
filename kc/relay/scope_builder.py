"""``tvm.relay.scope_builder``: :mod:`kc.tvm.relay.scope_builder`, by TVM's path."""

from kc.tvm.relay.scope_builder import ScopeBuilder

__all__ = ["ScopeBuilder"]
