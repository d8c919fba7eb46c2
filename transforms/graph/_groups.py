"""The groups of ``fuse-ops``: operators of a block become functions that are called.

:mod:`kc.transforms.graph._dataflow` says which operators are a group by Relay's rules; a caller may
join some of these groups (:data:`Join`) before they become functions.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import CallOp, FuncOp, ReturnOp
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp
from kc.transforms.graph._dataflow import (
    STOP,
    Node,
    Partition,
    fields_read_whole,
    is_scalar_constant,
    nodes_of,
    set_post_dominators,
    title,
)

MOST_NAMED = 6
"""The most operators in the name of a group."""


Join = Callable[[Block, Partition], None]
"""Joins groups of the partition of a block, and notes in it why others stay apart."""


def fuse(module: ModuleOp, level: int, max_depth: int, join: Join | None = None) -> None:
    """Gather the operators of all functions that are no groups into groups."""
    names = _Names(module)
    for function in list(functions_to_fuse(module)):
        for block in _blocks(function):
            _clone_scalar_constants(block)
            partition = partition_of(block, level, max_depth)
            if join is not None:
                join(block, partition)
            _make_functions(module, block, partition, names)


def functions_to_fuse(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions that are no groups, and that no other compiler is to compile."""
    for op in module.body.ops:
        if isinstance(op, FuncOp) and not {"primitive", "compiler"} & op.attributes.keys():
            yield op


def partition_of(block: Block, level: int, max_depth: int) -> Partition:
    """The groups of the operations of a block by Relay's rules; single ones at level 0."""
    nodes = nodes_of(block)
    set_post_dominators(nodes)
    partition = Partition(nodes, max_depth)
    if level != 0:
        partition.fuse()
    return partition


def _blocks(function: FuncOp) -> Iterator[Block]:
    """The blocks of a function, inner ones first."""
    for op in list(function.walk(reverse=True)):
        for region in op.regions:
            yield from region.blocks


def _clone_scalar_constants(block: Block) -> None:
    """Give each operator that uses a scalar constant a constant of its own."""
    for op in list(block.ops):
        if not isinstance(op, OperatorOp):
            continue
        for index, operand in enumerate(op.operands):
            constant = operand.owner
            if not isinstance(constant, ConstantOp) or not is_scalar_constant(constant):
                continue
            if constant.parent is block and len(list(operand.uses)) == 1:
                continue
            copied = constant.clone()
            block.insert_op_before(copied, op)
            op.operands[index] = copied.result


class _Names:
    """The names of the module's functions, and the groups that there are."""

    def __init__(self, module: ModuleOp) -> None:
        self.taken = {op.sym_name.data for op in module.body.ops if isinstance(op, FuncOp)}
        self.groups: dict[str, str] = {}

    def fresh(self, base: str) -> str:
        name, number = base, 1
        while name in self.taken:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name


def _make_functions(module: ModuleOp, block: Block, partition: Partition, names: _Names) -> None:
    read_whole = set(fields_read_whole(block))
    for group, nodes in partition.members().items():
        root = group.root.op
        if not any(isinstance(node.op, OperatorOp) for node in nodes):
            continue  # constants, tuples and fields of tuples need no kernel
        if root is None or not isinstance(root, OperatorOp | TupleGetItemOp):
            continue
        if isinstance(root, OperatorOp) and root.OPERATOR.name == STOP:
            root.result.replace_all_uses_with(root.inputs[0])
            root.detach()
            root.erase()
            continue
        _make_function(module, root, nodes, read_whole, names)


def group_of(
    root: Operation, members: Collection[Operation], read_whole: Collection[TupleGetItemOp]
) -> tuple[FuncOp, list[SSAValue], list[Operation]]:
    """A group of copies of operations, of which ``root`` gives the result.

    The function, which is of no module, the values that are its arguments, and the operations that
    it has copies of. ``read_whole`` are the block's :func:`fields_read_whole`.
    """
    inside = set(members)
    inside |= {
        getter
        for getter in read_whole
        if getter.tuple.owner in inside
        and all(use.operation in inside for use in getter.result.uses)
    }
    body = Block()
    parameters: dict[SSAValue, SSAValue] = {}
    copies: dict[Operation, Operation] = {}

    def value_of(value: SSAValue) -> SSAValue:
        owner = value.owner
        if isinstance(owner, Operation) and owner in copies:
            return copies[owner].results[0]
        if value not in parameters:
            argument = body.insert_arg(value.type, len(body.args))
            argument.name_hint = f"p{argument.index}"
            parameters[value] = argument
        return parameters[value]

    for op in _in_order(root, inside):
        operands = [value_of(operand) for operand in op.operands]
        mapping = dict(zip(op.operands, operands, strict=True))
        copied = op.clone(value_mapper=dict(mapping))
        body.add_op(copied)
        copies[op] = copied
    body.add_op(ReturnOp(copies[root].results[0]))
    inputs, output = [argument.type for argument in body.args], root.results[0].type
    function = FuncOp(
        "group",
        FunctionType.from_lists(inputs, [output]),
        Region(body),
        visibility="private",
    )
    function.attributes["primitive"] = UnitAttr()
    function.location = root.location
    return function, list(parameters), list(copies)


def _make_function(
    module: ModuleOp,
    root: Operation,
    nodes: list[Node],
    read_whole: set[TupleGetItemOp],
    names: _Names,
) -> None:
    members = {node.op for node in nodes if node.op is not None}
    function, parameters, copied = group_of(root, members, read_whole)
    key = str(function)
    if key not in names.groups:
        names.groups[key] = names.fresh(_name_of(copied))
        function.sym_name = StringAttr(names.groups[key])
        module.body.block.add_op(function)
    output = root.results[0].type
    call = CallOp(names.groups[key], parameters, output)
    call.location = root.location
    block = root.parent
    assert block is not None
    block.insert_op_before(call, root)
    call.result.name_hint = root.results[0].name_hint
    root.results[0].replace_all_uses_with(call.result)
    _erase(copied)


def _in_order(root: Operation, members: set[Operation]) -> list[Operation]:
    """The members that a root needs, operands first, then the root: Relay's order of arguments."""
    done: set[Operation] = set()
    order: list[Operation] = []
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
        for operand in reversed(op.operands):
            owner = operand.owner
            if isinstance(owner, Operation) and owner in members and owner not in done:
                stack.append((owner, False))
    return order


def _erase(copied: list[Operation]) -> None:
    """Erase the operations that a function has copies of."""
    for op in reversed(copied):
        if not any(list(result.uses) for result in op.results):
            op.detach()
            op.erase()


def _name_of(copied: list[Operation]) -> str:
    words = [op.OPERATOR.name.replace(".", "_") for op in copied if isinstance(op, OperatorOp)]
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"and_{len(words) - MOST_NAMED}_more"]
    return "_".join(["fused", *words])


def described(
    module: ModuleOp, level: int, max_depth: int, join: Join | None = None
) -> Iterator[tuple[str, list[str]]]:
    """The name of each function that has operators, and the lines that tell its groups.

    The module stays as it is.
    """
    copied = module.clone()
    for function in functions_to_fuse(copied):
        lines: list[str] = []
        number = 0
        for block in _blocks(function):
            _clone_scalar_constants(block)
            partition = partition_of(block, level, max_depth)
            if join is not None:
                join(block, partition)
            for group, nodes in partition.members().items():
                operators = [title(node) for node in nodes if isinstance(node.op, OperatorOp)]
                if not operators:
                    continue
                lines.append(f"group {number}: {', '.join(operators)}")
                number += 1
                lines += [f"  joined: {why}" for why in partition.joined.get(group, ())]
                if level == 0:
                    why = "at level 0 each operator is a group"
                else:
                    why = partition.borders.get(group.root, "nothing uses its value")
                lines.append(f"  ends with {title(group.root)}: {why}")
        if lines:
            yield function.sym_name.data, lines
