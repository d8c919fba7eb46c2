"""``relay.loops``: loops as functions that call themselves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kc.tvm.relay.expr import Expr, Function, Let, Tuple, Var
from kc.tvm.relay.scope_builder import ScopeBuilder


def while_loop(
    cond: Callable[..., Any], loop_vars: Sequence[Var], loop_bodies: Callable[..., Any]
) -> Expr:
    """The function that repeats ``loop_bodies`` while ``cond`` holds, of the first values of
    ``loop_vars``; its result is the tuple of the last.

    ``cond`` and ``loop_bodies`` are Python functions of the variables, ``loop_bodies`` of all new
    values in a list.
    """
    again = Var("while_loop")
    builder = ScopeBuilder()
    with builder.if_scope(cond(*loop_vars)):
        bodies = loop_bodies(*loop_vars)
        values = bodies if isinstance(bodies, list | tuple) else [bodies]
        builder.ret(again(*values))
    with builder.else_scope():
        builder.ret(Tuple(list(loop_vars)))
    return Let(again, Function(list(loop_vars), builder.get()), again)
