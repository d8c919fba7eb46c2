"""``fuse-ops``: gather operators into groups that become one kernel each.

Before::

    %0 = graph.nn.dense(%x, %w) : ...
    %1 = graph.nn.bias_add(%0, %b) : ...
    %2 = graph.nn.relu(%1) : ...

After::

    %0 = graph.call @fused_nn_dense_nn_bias_add_nn_relu(%x, %w, %b) : ...

    graph.func private @fused_nn_dense_nn_bias_add_nn_relu(...) -> ... attributes {primitive}

Relay's pass of this name: its groups are those of TVM 0.9, at ``fuse_opt_level`` 1 and 2
(:mod:`kc.transforms.graph._dataflow`). At level 0 each operator is a group. Equal groups are one
function. Scalar constants stand in the groups that use them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import FunctionType, ModuleOp, StringAttr, UnitAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass

from kc.dialects.graph.declaration import OperatorOp
from kc.dialects.graph.functions import CallOp, FuncOp, ReturnOp
from kc.dialects.graph.values import ConstantOp, TupleGetItemOp
from kc.support.diagnostics import remark
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


@dataclass(frozen=True)
class FuseOpsPass(ModulePass):
    """Gather operators into groups that become one kernel each."""

    name = "fuse-ops"
    opt_level: ClassVar[int] = 0

    fuse_opt_level: int = -1
    """0: each operator is a group of its own; otherwise Relay's rules. -1 is 2."""
    max_depth: int = 256
    """The most operators of a group."""
    report: bool = False
    """Tell the groups of each function, and why each ends where it does."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        del ctx
        if self.report:
            for name, lines in _described(op, self.fuse_opt_level, self.max_depth):
                remark("KC2413", f"fuse-ops: the groups of @{name}", facts=lines)
        fuse(op, self.fuse_opt_level, self.max_depth)


def fuse(module: ModuleOp, level: int = -1, max_depth: int = 256) -> None:
    """Gather the operators of all functions that are no groups into groups."""
    names = _Names(module)
    for function in list(functions_to_fuse(module)):
        for block in _blocks(function):
            _clone_scalar_constants(block)
            partition = partition_of(block, level, max_depth)
            _make_functions(module, block, partition, names)


def functions_to_fuse(module: ModuleOp) -> Iterator[FuncOp]:
    """The functions that are no groups, and that no other compiler is to compile."""
    for op in module.body.ops:
        if isinstance(op, FuncOp) and not {"primitive", "compiler"} & op.attributes.keys():
            yield op


def partition_of(block: Block, level: int = -1, max_depth: int = 256) -> Partition:
    """The groups of the operations of a block."""
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
            continue  # constants, tuples, fields of tuples: no kernel
        if root is None or not isinstance(root, OperatorOp | TupleGetItemOp):
            continue
        if isinstance(root, OperatorOp) and root.OPERATOR.name == STOP:
            root.result.replace_all_uses_with(root.inputs[0])
            root.detach()
            root.erase()
            continue
        _make_function(module, root, nodes, read_whole, names)


def _make_function(
    module: ModuleOp,
    root: Operation,
    nodes: list[Node],
    read_whole: set[TupleGetItemOp],
    names: _Names,
) -> None:
    members = {node.op for node in nodes if node.op is not None}
    members |= {
        getter
        for getter in read_whole
        if getter.tuple.owner in members
        and all(use.operation in members for use in getter.result.uses)
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

    for op in _in_order(root, members):
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
    key = str(function)
    if key not in names.groups:
        names.groups[key] = names.fresh(_name_of(copies))
        function.sym_name = StringAttr(names.groups[key])
        module.body.block.add_op(function)
    call = CallOp(names.groups[key], list(parameters), output)
    call.location = root.location
    block = root.parent
    assert block is not None
    block.insert_op_before(call, root)
    call.result.name_hint = root.results[0].name_hint
    root.results[0].replace_all_uses_with(call.result)
    _erase(copies)


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


def _erase(copies: dict[Operation, Operation]) -> None:
    """Erase the operations that a function has copies of."""
    for op in reversed(copies):
        if not any(list(result.uses) for result in op.results):
            op.detach()
            op.erase()


def _name_of(copies: dict[Operation, Operation]) -> str:
    words = [op.OPERATOR.name.replace(".", "_") for op in copies if isinstance(op, OperatorOp)]
    if len(words) > MOST_NAMED:
        words = [*words[:MOST_NAMED], f"and_{len(words) - MOST_NAMED}_more"]
    return "_".join(["fused", *words])


def report(module: ModuleOp, level: int = -1, max_depth: int = 256) -> str:
    """The groups that ``fuse-ops`` would make of a module, and why each ends where it does.

    The module stays as it is.
    """
    lines: list[str] = []
    for name, groups in _described(module, level, max_depth):
        lines += [f"@{name}", *(f"  {line}" for line in groups)]
    return "".join(f"{line}\n" for line in lines)


def _described(module: ModuleOp, level: int, max_depth: int) -> Iterator[tuple[str, list[str]]]:
    """The name of each function that has operators, and the lines that tell its groups."""
    copied = module.clone()
    for function in functions_to_fuse(copied):
        lines: list[str] = []
        number = 0
        for block in _blocks(function):
            _clone_scalar_constants(block)
            partition = partition_of(block, level, max_depth)
            for group, nodes in partition.members().items():
                operators = [title(node) for node in nodes if isinstance(node.op, OperatorOp)]
                if not operators:
                    continue
                lines.append(f"group {number}: {', '.join(operators)}")
                number += 1
                if level == 0:
                    why = "at level 0 each operator is a group"
                else:
                    why = partition.borders.get(group.root, "nothing uses its value")
                lines.append(f"  ends with {title(group.root)}: {why}")
        if lines:
            yield function.sym_name.data, lines
