"""The dataflow of a block, its post-dominators, and the partition of it that ``fuse-ops`` makes.

After ``IndexedForwardGraph``, ``DominatorTree`` and ``GraphPartitioner`` of Relay's FuseOps (TVM
0.9), whose decisions these are. Fusing towards post-dominators is an idea of Chen et al. (2018).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from xdsl.dialects.builtin import TensorType, TupleType
from xdsl.ir import Block, Operation, SSAValue

from kc.dialects.graph.declaration import OperatorOp, Pattern
from kc.dialects.graph.types import TensorSpec, spec_of
from kc.dialects.graph.values import ConstantOp, LetOp, TupleGetItemOp, TupleOp

INLINED_CONSTANTS = ("int32", "int64", "float32", "float64", "bool")
"""The dtypes of scalar constants that become a part of the group that uses them."""
STOP = "annotation.stop_fusion"


@dataclass(eq=False)
class Node:
    """A computation: an operation, or the tuple that an operator of several operands takes."""

    index: int
    op: Operation | None
    """None for the tuple of an operator that takes one."""
    pattern: Pattern
    consumers: list[tuple[Node, Pattern]] = field(default_factory=list)
    """The nodes that use the value, each with the pattern of the edge."""
    is_used_outside: bool = False
    """True if the value has a use that is no computation of the block."""
    parent: Node | None = None
    """The post-dominator."""
    depth: int = 1
    edge_pattern: Pattern = Pattern.OPAQUE
    """The largest pattern on the ways to the post-dominator."""


@dataclass(eq=False)
class Group:
    """Nodes that become one function: a tree of groups with the root at the top."""

    root: Node
    pattern: Pattern
    anchor: Node | None = None
    count: int = 1
    parent: Group | None = None

    def top(self) -> Group:
        """The group that this one is a part of."""
        group = self
        while group.parent is not None:
            group = group.parent
        return group


def is_scalar_constant(op: Operation | None) -> bool:
    """True for a constant that stands in the groups that use it."""
    if not isinstance(op, ConstantOp) or op.is_elided:
        return False
    spec = spec_of(op.result.type)
    return isinstance(spec, TensorSpec) and spec.rank == 0 and spec.dtype in INLINED_CONSTANTS


def nodes_of(block: Block) -> list[Node]:
    """The computations of a block in the post order of a walk from its results."""
    order = _post_order(block)
    nodes: list[Node] = []
    by_op: dict[Operation, Node] = {}

    def node(op: Operation | None, pattern: Pattern) -> Node:
        computation = Node(len(nodes), op, pattern)
        nodes.append(computation)
        return computation

    read_whole = set(fields_read_whole(block))
    for op in order:
        if op in read_whole:
            continue
        if isinstance(op, OperatorOp) and op.OPERATOR.takes_tuple and _tuple_operand(op) is None:
            gathered = node(None, Pattern.TUPLE)
            _connect(op.operands, gathered, Pattern.INJECTIVE, by_op)
            own = by_op[op] = node(op, op.OPERATOR.pattern)
            gathered.consumers.append((own, own.pattern))
            continue
        by_op[op] = own = node(op, _pattern(op))
        if isinstance(op, OperatorOp) and op.OPERATOR.takes_tuple:
            source = _tuple_operand(op)
            assert source is not None
            _connect([source], own, own.pattern, by_op)
        elif isinstance(op, OperatorOp):
            for operand in op.operands:
                _connect([operand], own, _edge(op, operand), by_op)
        elif isinstance(op, TupleOp):
            for value in op.fields:
                if isinstance(value.type, TensorType):
                    _connect([value], own, Pattern.INJECTIVE, by_op)
                else:
                    _use_outside([value], by_op)
        elif isinstance(op, TupleGetItemOp):
            if own.pattern == Pattern.INJECTIVE:
                _connect([op.tuple], own, Pattern.INJECTIVE, by_op)
            else:
                _use_outside([op.tuple], by_op)
        else:
            _use_outside(op.operands, by_op)
    for op in block.ops:
        if op not in by_op and op not in read_whole:
            _use_outside(op.operands, by_op)
        for inner in op.walk():
            if inner is not op:
                _use_outside(inner.operands, by_op)
    return nodes


def fields_read_whole(block: Block) -> Iterator[TupleGetItemOp]:
    """The fields of tuples that an operator of a tuple reads, all of a tuple and in order.

    In Relay such an operator has the tuple as its operand.
    """
    for op in block.ops:
        if (
            isinstance(op, OperatorOp)
            and op.OPERATOR.takes_tuple
            and _tuple_operand(op) is not None
        ):
            for operand in op.operands:
                assert isinstance(operand.owner, TupleGetItemOp)
                yield operand.owner


def _pattern(op: Operation) -> Pattern:
    match op:
        case OperatorOp():
            return Pattern.OPAQUE if op.OPERATOR.name == STOP else op.OPERATOR.pattern
        case TupleOp():
            return Pattern.TUPLE
        case TupleGetItemOp():
            type_ = op.tuple.type
            fields = type_.types if isinstance(type_, TupleType) else ()
            are_tensors = all(isinstance(part, TensorType) for part in fields)
            return Pattern.INJECTIVE if are_tensors else Pattern.OPAQUE
        case ConstantOp():
            return Pattern.ELEMWISE if is_scalar_constant(op) else Pattern.OPAQUE
        case _:
            return Pattern.OPAQUE


def _edge(op: OperatorOp, operand: SSAValue) -> Pattern:
    """The pattern of the edge into an operator: elementwise if a broadcast keeps the shape."""
    pattern = op.OPERATOR.pattern
    own, result = spec_of(operand.type), spec_of(op.result.type)
    if (
        pattern == Pattern.BROADCAST
        and isinstance(own, TensorSpec)
        and isinstance(result, TensorSpec)
        and own.shape == result.shape
    ):
        return Pattern.ELEMWISE
    return pattern


def _tuple_operand(op: OperatorOp) -> SSAValue | None:
    """The tuple whose fields, all and in order, are the operands; None if there is none."""
    source: SSAValue | None = None
    for index, operand in enumerate(op.operands):
        getter = operand.owner
        if not isinstance(getter, TupleGetItemOp) or getter.index.value.data != index:
            return None
        if len(list(operand.uses)) != 1 or (source is not None and getter.tuple is not source):
            return None
        source = getter.tuple
    if source is None or not isinstance(source.type, TupleType):
        return None
    return source if len(source.type.types) == len(op.operands) else None


def _connect(
    values: Iterable[SSAValue],
    consumer: Node,
    pattern: Pattern,
    by_op: dict[Operation, Node],
) -> None:
    for value in values:
        producer = by_op.get(value.owner) if isinstance(value.owner, Operation) else None
        if producer is not None:
            producer.consumers.append((consumer, pattern))


def _use_outside(values: Iterable[SSAValue], by_op: dict[Operation, Node]) -> None:
    for value in values:
        producer = by_op.get(value.owner) if isinstance(value.owner, Operation) else None
        if producer is not None:
            producer.is_used_outside = True


def _post_order(block: Block) -> list[Operation]:
    """The operations of a block, operands first, in the order of a walk from the terminator.

    Those that no result needs follow, in their order.
    """
    done: set[Operation] = set()
    order: list[Operation] = []
    last = block.last_op

    def visit(root: Operation) -> None:
        stack: list[tuple[Operation, bool]] = [(root, False)]
        while stack:
            op, is_left = stack.pop()
            if is_left:
                order.append(op)
                continue
            if op in done:
                continue
            done.add(op)
            stack.append((op, True))
            needed = [*op.operands]
            for inner in op.walk():
                if inner is not op:
                    needed.extend(inner.operands)
            for value in reversed(needed):
                owner = value.owner
                if isinstance(owner, Operation) and owner.parent is block and owner not in done:
                    stack.append((owner, False))

    if last is not None:
        visit(last)
        order.pop()  # the terminator
    for op in block.ops:
        if op is not last:
            visit(op)
    return [op for op in order if op is not last]


def set_post_dominators(nodes: list[Node]) -> None:
    """Find the post-dominator of each node: where all ways from it meet."""
    for node in reversed(nodes):
        if node.is_used_outside or not node.consumers:
            node.parent, node.depth, node.edge_pattern = None, 1, Pattern.OPAQUE
            continue
        pattern = Pattern.ELEMWISE
        parent: Node | None = None
        for position, (consumer, edge) in enumerate(node.consumers):
            pattern = max(pattern, edge)
            if position == 0:
                parent = consumer
            else:
                parent, pattern = _common(parent, consumer, pattern)
        node.parent, node.edge_pattern = parent, pattern
        node.depth = 1 if parent is None else parent.depth + 1


def _common(left: Node | None, right: Node | None, pattern: Pattern) -> tuple[Node | None, Pattern]:
    while left is not right:
        if left is None or right is None:
            return None, pattern
        if left.depth < right.depth:
            pattern, right = max(pattern, right.edge_pattern), right.parent
        elif left.depth > right.depth:
            pattern, left = max(pattern, left.edge_pattern), left.parent
        else:
            pattern = max(pattern, left.edge_pattern, right.edge_pattern)
            left, right = left.parent, right.parent
    return left, pattern


class Partition:
    """The groups of the nodes of a block."""

    def __init__(self, nodes: list[Node], max_depth: int) -> None:
        self.nodes = nodes
        self.max_depth = max_depth
        self.groups = [
            Group(
                node, node.pattern, node if node.pattern == Pattern.OUT_ELEMWISE_FUSABLE else None
            )
            for node in nodes
        ]
        self.borders: dict[Node, str] = {}
        """Why a node was not fused with its post-dominator."""
        self.joined: dict[Group, list[str]] = {}
        """Why groups were joined, by the group that they are now."""

    def fuse(self) -> None:
        """Fuse nodes towards their post-dominators, in the three phases of Relay."""
        for phase in range(3):
            for node in self.nodes:
                self.visit(node, phase)

    def visit(self, node: Node, phase: int) -> None:
        group = self.groups[node.index]
        parent = node.parent
        if group.pattern == Pattern.OPAQUE:
            self.borders[node] = "it is opaque: nothing is fused with it"
            return
        if parent is None:
            self.borders[node] = (
                "its value is a result of the block, or an operation other than an operator uses it"
                if node.is_used_outside
                else "the ways from it do not meet again"
            )
            return
        if self.count_with(node, parent) > self.max_depth:
            self.borders[node] = f"the group would have more than {self.max_depth} operators"
            return
        target = self.groups[parent.index]
        if phase == 2:
            if group.pattern > Pattern.INJECTIVE:
                return
            top = target.top()
            if (
                top.pattern != Pattern.TUPLE
                and target.pattern == Pattern.TUPLE
                and top.pattern <= Pattern.INJECTIVE
            ):
                self.try_to_fuse(node, parent, _is_injective)
            return
        if group.top() is target.top():
            return
        if target.pattern == Pattern.TUPLE:
            self.borders[node] = "it is a field of a tuple, which does not become a kernel"
            return
        if group.pattern == Pattern.OUT_ELEMWISE_FUSABLE:
            if phase == 0 and node.edge_pattern == Pattern.ELEMWISE:
                self.try_to_fuse(node, parent, _is_broadcast)
            elif phase == 0:
                self.borders[node] = (
                    f"its consumers on the way to {title(parent)} are not elementwise "
                    f"({node.edge_pattern.name.lower()})"
                )
        elif group.pattern <= Pattern.BROADCAST:
            if node.edge_pattern <= Pattern.INJECTIVE or node.edge_pattern == Pattern.COMM_REDUCE:
                self.try_to_fuse(node, parent, _ends_group)
            else:
                self.borders[node] = (
                    f"{title(parent)} reads it as a whole ({node.edge_pattern.name.lower()})"
                )
        elif group.pattern in (Pattern.INJECTIVE, Pattern.TUPLE):
            if phase == 1:
                self.try_to_fuse(node, parent, _is_injective)
        else:
            self.borders[node] = "it is a reduction: nothing is fused after it"

    def try_to_fuse(
        self, node: Node, sink: Node, condition: Callable[[Pattern, bool], bool]
    ) -> None:
        refused = self.refused_on_way(node, sink, condition)
        if refused is not None:
            pattern = self.groups[refused.index].top().pattern
            self.borders[node] = (
                f"{title(refused)} on the way to {title(sink)} belongs to a group that is "
                f"{pattern.name.lower()}"
            )
            return
        self.borders.pop(node, None)
        target = self.groups[sink.index]
        for each in self.on_ways(node, sink):
            _merge(self.groups[each.index], target)

    def refused_on_way(
        self, node: Node, sink: Node, condition: Callable[[Pattern, bool], bool]
    ) -> Node | None:
        """The first node after ``node`` up to ``sink`` whose group refuses; None if none does."""
        seen: set[Node] = set()
        stack = [consumer for consumer, _ in reversed(node.consumers)]
        while stack:
            each = stack.pop()
            if each in seen:
                continue
            seen.add(each)
            if not condition(self.groups[each.index].top().pattern, each is sink):
                return each
            if each is not sink:
                stack.extend(consumer for consumer, _ in reversed(each.consumers))
        return None

    def on_ways(self, node: Node, sink: Node) -> list[Node]:
        """The node and those on the ways from it to ``sink``, without that."""
        seen: dict[Node, None] = {}
        stack = [node]
        while stack:
            each = stack.pop()
            if each is sink or each in seen:
                continue
            seen[each] = None
            stack.extend(consumer for consumer, _ in each.consumers)
        return list(seen)

    def count_with(self, node: Node, sink: Node) -> int:
        """The number of nodes of the group of ``sink`` with those on the ways to it."""
        own = sum(self.groups[each.index].count for each in self.on_ways(node, sink))
        return own + self.groups[sink.index].top().count

    def join(self, groups: Iterable[Group], into: Group, why: str) -> None:
        """Make groups a part of the group ``into``, whose root stays that of the whole."""
        reasons = [*self.joined.pop(into, ()), why]
        for group in groups:
            self.borders.pop(group.root, None)
            reasons += self.joined.pop(group, ())
            _merge(group, into)
        self.joined[into] = reasons

    def members(self) -> dict[Group, list[Node]]:
        """The nodes of each group in their order, by the group's top."""
        members: dict[Group, list[Node]] = {}
        for node, group in zip(self.nodes, self.groups, strict=True):
            members.setdefault(group.top(), []).append(node)
        return members


def _is_broadcast(pattern: Pattern, is_sink: bool) -> bool:
    del is_sink
    return pattern <= Pattern.BROADCAST


def _is_injective(pattern: Pattern, is_sink: bool) -> bool:
    del is_sink
    return pattern <= Pattern.INJECTIVE


def _ends_group(pattern: Pattern, is_sink: bool) -> bool:
    if not is_sink:
        return pattern <= Pattern.INJECTIVE
    return pattern <= Pattern.OUT_ELEMWISE_FUSABLE


def _merge(child: Group, parent: Group) -> None:
    child, parent = child.top(), parent.top()
    if child is parent:
        return
    parent.count += child.count
    child.parent = parent
    if child.anchor is not None:
        parent.anchor = child.anchor
        parent.pattern = max(child.pattern, parent.pattern)


def title(node: Node) -> str:
    """The name of a node in a report."""
    match node.op:
        case None:
            return "a tuple"
        case OperatorOp():
            return node.op.OPERATOR.name
        case LetOp():
            return f"let {node.op.variable.data}"
        case _:
            return node.op.name.removeprefix("graph.")
