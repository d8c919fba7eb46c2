"""The matcher: whether a pattern describes an expression, and which part of it which part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kc.tvm.nodes.node_objects import Type
from kc.tvm.relay.dataflow_pattern.indexed_graph import IndexedGraph, Node, is_same
from kc.tvm.relay.dataflow_pattern.patterns import (
    AltPattern,
    AttrPattern,
    CallPattern,
    ConstantPattern,
    DataTypePattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    IfPattern,
    LetPattern,
    ShapePattern,
    TupleGetItemPattern,
    TuplePattern,
    TypePattern,
    VarPattern,
    WildcardPattern,
    is_call_of,
    operator_of,
)
from kc.tvm.relay.expr import Call, Constant, Expr, Function, If, Let, Op, Tuple, TupleGetItem, Var
from kc.tvm.relay.expression_types import annotate_types
from kc.tvm.relay.operator_functions import plain
from kc.tvm.relay.structural_equality import difference_of
from kc.tvm.relay.types import TensorType

NodeMap = dict[DFPattern, list[Expr]]
"""The expressions that each pattern has matched: several for the path of a dominator alone."""

_COMMUTATIVE = ("add", "multiply")


class Matcher:
    """Matches patterns against the parts of an expression, whose graph it holds."""

    def __init__(self, graph: IndexedGraph[Expr], module: Any = None) -> None:
        self.graph = graph
        self.module = module
        self.memo: NodeMap = {}
        self._matched: list[DFPattern] = []
        self._is_memoizing = True
        self._has_types = False

    def match(self, pattern: DFPattern, expr: Expr) -> bool:
        """True if the expression matches; ``memo`` then has what each pattern has matched."""
        self.memo = {}
        self._matched = []
        self._is_memoizing = True
        return self.matches(pattern, expr)

    def matches(self, pattern: DFPattern, expr: Expr) -> bool:
        """Match a part of the pattern; what has matched before must be this expression again."""
        if self._is_memoizing and self.memo.get(pattern):
            return is_same(self.memo[pattern][0], expr)
        watermark = len(self._matched)
        has_matched = self._matches(pattern, expr)
        if has_matched:
            self.memo.setdefault(pattern, []).append(expr)
            self._matched.append(pattern)
        else:
            self._forget(watermark)
        return has_matched

    def _forget(self, watermark: int) -> None:
        """Forget what has matched since the list of matched patterns was that long."""
        for pattern in self._matched[watermark:]:
            self.memo.pop(pattern, None)
        del self._matched[watermark:]

    def _all(self, patterns: Sequence[DFPattern], exprs: Sequence[Expr]) -> bool:
        return len(patterns) == len(exprs) and all(
            self.matches(pattern, expr) for pattern, expr in zip(patterns, exprs, strict=True)
        )

    def _matches(self, pattern: DFPattern, expr: Expr) -> bool:
        match pattern:
            case WildcardPattern():
                return pattern.pattern is None or self.matches(pattern.pattern, expr)
            case ExprPattern():
                return is_same(pattern.expr, expr) or difference_of(pattern.expr, expr) is None
            case VarPattern():
                return isinstance(expr, Var) and pattern.name in ("", expr.name_hint)
            case ConstantPattern():
                return isinstance(expr, Constant)
            case AltPattern():
                return self.matches(pattern.left, expr) or self.matches(pattern.right, expr)
            case CallPattern():
                return isinstance(expr, Call) and self._matches_call(pattern, expr)
            case DominatorPattern():
                return self._matches_dominator(pattern, expr)
            case _:
                return self._matches_parts(pattern, expr)

    def _matches_parts(self, pattern: DFPattern, expr: Expr) -> bool:
        match pattern, expr:
            case FunctionPattern(), Function():
                if pattern.params is not None and not self._all(pattern.params, expr.params):
                    return False
                return self.matches(pattern.body, expr.body)
            case TuplePattern(), Tuple():
                return pattern.fields is None or self._all(pattern.fields, expr.fields)
            case TupleGetItemPattern(), TupleGetItem():
                is_field = pattern.index in (-1, expr.index)
                return is_field and self.matches(pattern.tuple, expr.tuple_value)
            case IfPattern(), If():
                return self._all(pattern.parts, (expr.cond, expr.true_branch, expr.false_branch))
            case LetPattern(), Let():
                return self._all(pattern.parts, (expr.var, expr.value, expr.body))
            case AttrPattern(), _:
                return self.matches(pattern.pattern, expr) and all(
                    _has_attribute(expr, name, value) for name, value in pattern.attrs.items()
                )
            case TypePattern(), _:
                return self._type(expr) == pattern.type and self.matches(pattern.pattern, expr)
            case DataTypePattern(), _:
                type_ = self._type(expr)
                is_it = isinstance(type_, TensorType) and type_.dtype == pattern.dtype
                return is_it and self.matches(pattern.pattern, expr)
            case ShapePattern(), _:
                type_ = self._type(expr)
                is_it = isinstance(type_, TensorType) and type_.shape == pattern.shape
                return is_it and self.matches(pattern.pattern, expr)
            case _:
                return False

    def _type(self, expr: Expr) -> Type | None:
        """The type of an expression; the types of the whole graph are found at once."""
        if isinstance(expr, Op):
            return None
        if expr._checked_type is None and not self._has_types:
            self._has_types = True
            annotate_types(self.graph.nodes[-1].part, self.module)
        return expr._checked_type

    def _matches_call(self, pattern: CallPattern, call: Call) -> bool:
        watermark = len(self._matched)
        if not self.matches(pattern.op, call.op):
            self._forget(watermark)
            return any(self._attempt(form, call) for form in _regrouped(pattern, call))
        if pattern.args is None:
            return True
        if self._attempt_args(pattern.args, call):
            return True
        return operator_of(pattern) in _COMMUTATIVE and self._attempt_args(pattern.args[::-1], call)

    def _attempt(self, pattern: DFPattern, expr: Expr) -> bool:
        watermark = len(self._matched)
        if self.matches(pattern, expr):
            return True
        self._forget(watermark)
        return False

    def _attempt_args(self, args: Sequence[DFPattern], call: Call) -> bool:
        watermark = len(self._matched)
        if self._all(args, call.args):
            return True
        self._forget(watermark)
        return False

    def _matches_dominator(self, pattern: DominatorPattern, expr: Expr) -> bool:
        if not self.matches(pattern.child, expr):
            return False
        is_path = self._matches_path(pattern, expr)
        self._is_memoizing = True
        return is_path and self._dominates_parent(pattern, expr)

    def _matches_path(self, pattern: DominatorPattern, expr: Expr) -> bool:
        """True if all ways up from an expression are matches of the path, until the parent."""

        def sources(at: Expr) -> Iterator[Expr]:
            operator = at.op if isinstance(at, Call) else None
            return (node.part for node in self.graph.node(at).inputs if node.part is not operator)

        walked = {id(expr)}
        stack = [sources(expr)]
        while stack:
            source = next(stack[-1], None)
            if source is None:
                stack.pop()
                continue
            self._is_memoizing = True
            if self.matches(pattern.parent, source):
                stack.pop()
                continue
            self._is_memoizing = False
            if id(source) in walked:
                continue
            if not self.matches(pattern.path, source):
                return False
            walked.add(id(source))
            stack.append(sources(source))
        return True

    def _dominates_parent(self, pattern: DominatorPattern, expr: Expr) -> bool:
        """True if a match of the parent is below the expression in the tree of dominators."""
        stack: list[Node[Expr]] = [self.graph.node(expr)]
        while stack:
            for node in stack.pop().dominated:
                if self.matches(pattern.parent, node.part):
                    return True
                stack.append(node)
        return False


def _regrouped(pattern: CallPattern, call: Call) -> Iterator[DFPattern]:
    """Other forms of a product with a quotient: ``(a * b) / c`` is ``b * (a / c)`` as well."""
    operator, args = operator_of(pattern), pattern.args
    if args is None or len(args) != 2 or len(call.args) != 2:
        return
    if operator == "divide" and is_call_of(call, "multiply"):
        product = args[0]
        if (
            isinstance(product, CallPattern)
            and operator_of(product) == "multiply"
            and product.args is not None
            and any(is_call_of(arg, "divide") for arg in call.args)
        ):
            for index in range(2):
                quotient = CallPattern(pattern.op, (product.args[index], args[1]))
                yield CallPattern(product.op, (product.args[1 - index], quotient))
    if operator == "multiply" and is_call_of(call, "divide"):
        for index in range(2):
            quotient = args[index]
            if (
                isinstance(quotient, CallPattern)
                and operator_of(quotient) == "divide"
                and quotient.args is not None
                and any(is_call_of(arg, "multiply") for arg in call.args)
            ):
                product = CallPattern(pattern.op, (quotient.args[0], args[1 - index]))
                yield CallPattern(quotient.op, (product, quotient.args[1]))


def _has_attribute(expr: Expr, name: str, value: Any) -> bool:
    """True if an expression has an attribute of a value."""
    match expr:
        case Op():
            own = expr.get_attr(name)
            return own is not None and bool(own == value)
        case Call():
            own = getattr(expr.attrs, name, None)
            return own is not None and plain(own) == plain(value)
        case Function():
            own = expr.attrs.get(name)
            if isinstance(own, Expr) and isinstance(value, Expr):
                return difference_of(own, value) is None
            return own is not None and plain(own) == plain(value)
        case _:
            return False
