"""The uses of matches: a yes or no, functions, or the expressions that a callback returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kc.support.diagnostics import GraphError
from kc.support.locations import caller_location
from kc.tvm.relay.dataflow_pattern.groups import PARTITIONED, Group, Grouper
from kc.tvm.relay.dataflow_pattern.indexed_graph import graph_of_expression
from kc.tvm.relay.dataflow_pattern.matching import Matcher, NodeMap
from kc.tvm.relay.dataflow_pattern.patterns import DFPattern, as_pattern
from kc.tvm.relay.expr import Call, Expr, Function, as_expr
from kc.tvm.relay.expression_types import annotate_types
from kc.tvm.relay.structural_equality import difference_of
from kc.tvm.relay.to_graph import order_of
from kc.tvm.relay.visitors import ExprMutator

MOST_ROUNDS = 100
"""The rounds of rewriting after which callbacks count as undoing each other."""
MOST_GROWTH = 20
"""The largest growth of an expression by rewriting, as a factor; small ones may grow more."""


class DFPatternCallback:
    """A pattern, ``self.pattern``, and what becomes of its matches. A subclass sets the pattern in
    ``__init__``, and overrides :meth:`callback`.

    With ``require_type`` expressions know their types when the callback runs; with
    ``rewrite_once`` what the callback returns is not searched for matches again.
    """

    def __init__(self, require_type: bool = False, rewrite_once: bool = False) -> None:
        self.pattern: DFPattern | None = None
        self.require_type = require_type
        self.rewrite_once = rewrite_once

    def rewrite(self, expr: Expr) -> Expr:
        """The expression with all matches rewritten: see :func:`rewrite`."""
        return rewrite(self, expr)

    def callback(self, pre: Expr, post: Expr, node_map: NodeMap) -> Expr:
        """The expression that replaces a match.

        ``pre`` is the expression before this round, ``post`` the one whose parts are rewritten,
        and ``node_map`` has the rewritten expressions of each pattern. Returning ``post`` keeps it.
        """
        raise NotImplementedError(f"{type(self).__name__}.callback")


def match(pattern: DFPattern, expr: Expr) -> bool:
    """True if the expression as a whole matches the pattern."""
    expr = as_expr(expr)
    return Matcher(graph_of_expression(expr)).match(as_pattern(pattern), expr)


def rewrite(
    callbacks: DFPatternCallback | Sequence[DFPatternCallback], expr: Expr, mod: Any = None
) -> Expr:
    """The expression with all matches of the callbacks' patterns rewritten, until none changes it.

    ``mod`` has the functions that are called by name. Raises GraphError: KC2490 for a callback
    without a pattern, or one that returns no expression, KC2491 if the expression still changes
    after 100 rounds, or has become 20 times as large.
    """
    several = [callbacks] if isinstance(callbacks, DFPatternCallback) else list(callbacks)
    for each in several:
        if not isinstance(getattr(each, "pattern", None), DFPattern):
            raise GraphError(
                "KC2490",
                f"{type(each).__name__} has no pattern",
                location=caller_location(),
                hints=["self.pattern = is_op('nn.relu')(wildcard()) in its __init__"],
            )
    after = as_expr(expr)
    most = MOST_GROWTH * (100 + len(order_of(after)))
    for _ in range(MOST_ROUNDS):
        before = after
        if len(order_of(after)) > most:
            break
        for each in several:
            assert each.pattern is not None
            if each.require_type:
                annotate_types(after, mod)
            groups = Grouper(each.pattern, after, mod).groups
            if groups:
                order = order_of(after)[::-1]
                after = _Rewriter(groups, each).visit_in_order(order)
        is_done = after is before or difference_of(before, after, map_free_vars=True) is None
        if is_done or all(each.rewrite_once for each in several):
            return after
    names = ", ".join(type(each).__name__ for each in several)
    raise GraphError(
        "KC2491",
        f"the rewriting by {names} does not end",
        location=caller_location(),
        why=f"what a callback returns is searched for matches again; after {MOST_ROUNDS} rounds, "
        f"or when the expression is {MOST_GROWTH} times as large, the rewriting is stopped",
        hints=["super().__init__(rewrite_once=True) rewrites each match once"],
    )


def partition(
    pattern: DFPattern,
    expr: Expr,
    attrs: Mapping[str, Any] | None = None,
    check: Callable[[Expr], bool] = lambda expr: True,
) -> Expr:
    """The expression with a function, which is called, in place of each match.

    The function has the attribute ``PartitionedFromPattern``, the names of the operators in it, and
    ``attrs``. A match for which ``check`` of its root is false, and one that has parts which others
    need, stay as they are.
    """
    expr = as_expr(expr)
    groups = Grouper(as_pattern(pattern), expr).groups
    if not groups:
        return expr
    return _Partitioner(groups, dict(attrs or {}), check).visit_in_order(order_of(expr)[::-1])


class _Rewriter(ExprMutator):
    """Replaces the roots of groups by what a callback returns."""

    def __init__(self, groups: Mapping[int, Group], callback: DFPatternCallback) -> None:
        super().__init__()
        self.groups = groups
        self.callback = callback

    def _visited(self, expr: Expr) -> Any:
        post = super()._visited(expr)
        group = self.groups.get(id(expr))
        if group is None:
            return post
        node_map = {
            pattern: [self._after(each, expr, post) for each in exprs]
            for pattern, exprs in group.node_map.items()
        }
        result = self.callback.callback(expr, post, node_map)
        if result is None:
            raise GraphError(
                "KC2490",
                f"{type(self.callback).__name__}.callback returns nothing",
                location=caller_location(),
                why="it returns what stands for the match, `post` to keep it",
            )
        result = as_expr(result)
        self._results[id(expr)] = (expr, result)
        return result

    def _after(self, expr: Expr, root: Expr, post: Expr) -> Expr:
        """An expression of the match as it is now."""
        if expr is root:
            return post
        record = self._results.get(id(expr))
        return expr if record is None else record[1]


class _Partitioner(ExprMutator):
    """Replaces the roots of groups by calls of their functions."""

    def __init__(
        self, groups: Mapping[int, Group], attrs: dict[str, Any], check: Callable[[Expr], bool]
    ) -> None:
        super().__init__()
        self.groups = groups
        self.attrs = attrs
        self.check = check

    def _visited(self, expr: Expr) -> Any:
        post = super()._visited(expr)
        group = self.groups.get(id(expr))
        if group is None or group.function is None or not self.check(expr):
            return post
        function: Function = group.function.with_attr({PARTITIONED: group.name, **self.attrs})
        call = Call(function, [self.visit(arg) for arg in group.args])
        call.span = expr.span
        self._results[id(expr)] = (expr, call)
        return call
