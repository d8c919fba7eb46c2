"""Groups: the parts of an expression that a match takes, as a function of the values around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kc.tvm.relay.dataflow_pattern.indexed_graph import (
    IndexedGraph,
    graph_of_expression,
    graph_of_pattern,
    inputs_of,
)
from kc.tvm.relay.dataflow_pattern.matching import Matcher, NodeMap
from kc.tvm.relay.dataflow_pattern.patterns import (
    AltPattern,
    CallPattern,
    ConstantPattern,
    DFPattern,
    DominatorPattern,
    ExprPattern,
    FunctionPattern,
    TuplePattern,
)
from kc.tvm.relay.expr import Call, Constant, Expr, Function, Op, Tuple, TupleGetItem, Var
from kc.tvm.relay.visitors import ExprMutator

PARTITIONED = "PartitionedFromPattern"
"""The attribute of a function that was made of a match; the parts of one do not match again."""


@dataclass(eq=False)
class Group:
    """A match whose parts may be taken out of the expression together."""

    root: Expr
    node_map: NodeMap
    args: list[Expr] = field(default_factory=list)
    """The values from outside, in the order of the function's parameters."""
    function: Function | None = None
    name: str = ""


class Grouper:
    """Finds the groups of a pattern in an expression: none overlaps another."""

    def __init__(self, pattern: DFPattern, expr: Expr, module: Any = None) -> None:
        self.pattern = pattern
        self.pattern_graph = graph_of_pattern(pattern)
        self.graph = graph_of_expression(expr)
        self.matcher = Matcher(self.graph, module)
        self.groups: dict[int, Group] = {}
        """The groups by the identity of their roots."""
        self._taken: set[int] = set()
        self._count = 0
        """The number of matches so far, of which some are no groups."""
        self._find()

    def _find(self) -> None:
        partitioned: set[int] = set()
        # From the result up, so that a match is as large as it can be.
        for node in reversed(self.graph.nodes):
            expr = node.part
            if id(expr) in self._taken:
                continue
            if isinstance(expr, Function) and PARTITIONED in expr.attrs:
                inner = graph_of_expression(expr.body)
                partitioned |= {id(expr), *(id(each.part) for each in inner.nodes)}
            if id(expr) not in partitioned and self.matcher.match(self.pattern, expr):
                self._enter(expr)

    def _enter(self, root: Expr) -> None:
        """Make a group of the match of the root, unless its parts are needed outside."""
        group = Group(root, dict(self.matcher.memo))
        inputs = self._inputs(group)
        self._count += 1
        extractor = _Extractor(inputs)
        body = extractor.extract(root)
        members = {key: expr for key, (expr, _) in extractor.results.items()}
        if not self._may_be_taken(root, members):
            return
        group.function = Function(list(inputs.values()), body)
        group.name = extractor.name
        self._taken |= {key for key, expr in members.items() if not isinstance(expr, Op)}
        self.groups[id(root)] = group

    def _may_be_taken(self, root: Expr, members: dict[int, Expr]) -> bool:
        """False if a part is in another group, or is used outside by what may come after the root.

        Operators, functions and constants may be used everywhere. A use outside on the way to the
        root, such as that of the gate in ``x * sigmoid(x)``, leaves a copy of its own.
        """
        at_root = self.graph.node(root)
        for key, expr in members.items():
            if isinstance(expr, Op | Function | Constant) or expr not in self.graph:
                continue
            if key in self._taken:
                return False
            if expr is root:
                continue
            for output in self.graph.node(expr).outputs:
                if id(output.part) not in members and not at_root.dominates(output):
                    return False
        return True

    def _inputs(self, group: Group) -> dict[int, Var]:
        """A variable for each value from outside, by its identity, in the pattern's order."""
        node_map = group.node_map
        inner = self._inner_matches(node_map)
        inputs: dict[int, Var] = {}

        def enter(expr: Expr, pattern: DFPattern) -> None:
            is_whole = isinstance(expr, Op | Function)
            if is_whole or id(expr) in inner or id(expr) in inputs:
                return
            if not self._is_embedded(expr, pattern, node_map):
                name = f"FunctionVar_{self._count}_{len(inputs)}"
                inputs[id(expr)] = Var(name)
                group.args.append(expr)

        for node in self.pattern_graph.nodes:
            pattern = node.part
            for expr in node_map.get(pattern, ()):
                match pattern, expr:
                    case TuplePattern(fields=None), Tuple():
                        exprs: tuple[Expr, ...] = expr.fields
                    case CallPattern(args=None), Call():
                        exprs = expr.args
                    case _:
                        exprs = () if node.inputs else (expr,)
                for each in exprs:
                    enter(each, pattern)
        return inputs

    def _inner_matches(self, node_map: NodeMap) -> set[int]:
        """The expressions that parents and paths of dominators, and parts of functions, matched."""
        inner: set[int] = set()
        for node in self.pattern_graph.nodes:
            match node.part:
                case DominatorPattern() as pattern:
                    for part in (pattern.parent, pattern.path):
                        inner |= {id(expr) for expr in node_map.get(part, ())}
                case FunctionPattern() as pattern:
                    for expr in node_map.get(pattern, ()):
                        if isinstance(expr, Function):
                            body = graph_of_expression(expr.body)
                            inner |= {id(each.part) for each in body.nodes}
                            inner |= {id(param) for param in expr.params}
                case _:
                    pass
        return inner

    def _is_embedded(self, expr: Expr, pattern: DFPattern, node_map: NodeMap) -> bool:
        """True for a constant that the pattern asks for as such: it stays in the function."""
        if not isinstance(expr, Constant):
            return False
        match pattern:
            case ConstantPattern():
                return True
            case ExprPattern():
                return isinstance(pattern.expr, Constant)
            case AltPattern():
                side = pattern.left if pattern.left in node_map else pattern.right
                return self._is_embedded(expr, side, node_map)
            case _:
                return False


class _Extractor(ExprMutator):
    """Copies the parts of a match, with variables for the values from outside."""

    def __init__(self, inputs: dict[int, Var]) -> None:
        super().__init__()
        self.inputs = inputs
        self.name = ""
        """The operators and forms in the match, as the attribute of its function has them."""

    @property
    def results(self) -> dict[int, tuple[Expr, Any]]:
        """The parts of the match by their identity, and their copies."""
        return self._results

    def extract(self, root: Expr) -> Expr:
        """The copy of the match with this root."""
        inner = IndexedGraph(root, lambda expr: () if id(expr) in self.inputs else inputs_of(expr))
        return self.visit_in_order([node.part for node in inner.nodes])

    def visit(self, expr: Expr) -> Any:
        parameter = self.inputs.get(id(expr))
        return parameter if parameter is not None else super().visit(expr)

    def visit_call(self, call: Call) -> Expr:
        copy = super().visit_call(call)
        self.name += f"{call.op.name}_" if isinstance(call.op, Op) else "FunctionCall_"
        return copy

    def visit_tuple(self, tup: Tuple) -> Expr:
        copy = super().visit_tuple(tup)
        self.name += "Tuple_"
        return copy

    def visit_tuple_getitem(self, t: TupleGetItem) -> Expr:
        copy = super().visit_tuple_getitem(t)
        self.name += f"TupleGetItem{t.index}_"
        return copy
