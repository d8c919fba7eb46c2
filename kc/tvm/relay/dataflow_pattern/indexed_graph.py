"""An expression, or a pattern, as a graph: the parts in post order, their uses, and dominators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from kc.tvm.relay.dataflow_pattern.patterns import DFPattern
from kc.tvm.relay.expr import Call, Expr, Function, Let, Op
from kc.tvm.relay.to_graph import parts_of

T = TypeVar("T", Expr, DFPattern)


@dataclass(eq=False)
class Node(Generic[T]):
    """A part, with the parts that it uses, and those that use it."""

    part: T
    inputs: list[Node[T]] = field(default_factory=list)
    outputs: list[Node[T]] = field(default_factory=list)
    depth: int = 1
    """The depth in the tree of dominators, 1 for a root."""
    dominator: Node[T] | None = None
    """The first node that all ways from this one to the root have in common."""
    dominated: list[Node[T]] = field(default_factory=list)
    """The nodes whose dominator this is."""

    def dominates(self, node: Node[T]) -> bool:
        """True if all ways from a node to the root lead over this one."""
        at = node.dominator
        while at is not None and at.depth >= self.depth:
            if at is self:
                return True
            at = at.dominator
        return False


class IndexedGraph(Generic[T]):
    """The parts of a root in post order, parts from left to right, each once."""

    def __init__(self, root: T, parts: Callable[[T], Sequence[T]]) -> None:
        self.nodes: list[Node[T]] = []
        self._by_part: dict[int, Node[T]] = {}
        stack: list[tuple[T, Iterator[T]]] = [(root, iter(parts(root)))]
        entered = {id(root)}
        while stack:
            part, rest = stack[-1]
            following = next(rest, None)
            if following is None:
                stack.pop()
                node = Node(part)
                self._by_part[id(part)] = node
                self.nodes.append(node)
            elif id(following) not in entered:
                entered.add(id(following))
                stack.append((following, iter(parts(following))))
        for node in self.nodes:
            for part in parts(node.part):
                source = self._by_part[id(part)]
                node.inputs.append(source)
                source.outputs.append(node)

    def find_dominators(self) -> None:
        """Fill in ``dominator``, ``dominated`` and ``depth`` of the nodes, which make no circle."""
        for node in reversed(self.nodes):
            node.dominator = _common(node.outputs)
            if node.dominator is not None:
                node.depth = node.dominator.depth + 1
                node.dominator.dominated.append(node)

    def __contains__(self, part: T) -> bool:
        return id(part) in self._by_part

    def node(self, part: T) -> Node[T]:
        """The node of a part."""
        return self._by_part[id(part)]


def _common(nodes: Sequence[Node[T]]) -> Node[T] | None:
    """The lowest node of the tree of dominators that is above all of these, or is one of them."""
    result: Node[T] | None = None
    for position, node in enumerate(nodes):
        result = node if position == 0 else _common_of_two(result, node)
    return result


def _common_of_two(left: Node[T] | None, right: Node[T] | None) -> Node[T] | None:
    while left is not right:
        if left is None or right is None:
            return None
        if left.depth < right.depth:
            right = right.dominator
        elif right.depth < left.depth:
            left = left.dominator
        else:
            left, right = left.dominator, right.dominator
    return left


def inputs_of(expr: Expr) -> list[Expr]:
    """The parts of an expression: the variables that it binds as well, and the operator last."""
    if isinstance(expr, Call):
        return [*expr.args, expr.op]
    if isinstance(expr, Function):
        return [*expr.params, expr.body]
    if isinstance(expr, Let):
        return [expr.var, expr.value, expr.body]
    return [part for part, _ in parts_of(expr)]


def graph_of_expression(root: Expr) -> IndexedGraph[Expr]:
    """The graph of an expression. Operators are equal by their names, not by their objects."""
    graph = IndexedGraph(root, inputs_of)
    graph.find_dominators()
    return graph


def graph_of_pattern(root: DFPattern) -> IndexedGraph[DFPattern]:
    """The graph of a pattern, which may contain itself by a redirection."""
    return IndexedGraph(root, lambda pattern: pattern.parts)


def is_same(left: Expr, right: Expr) -> bool:
    """True for one and the same expression; operators are by their names."""
    return left is right or (isinstance(left, Op) and left == right)
