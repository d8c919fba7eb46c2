"""Copies of a module that keep the locations of operations and the record of their verification."""

from __future__ import annotations

from typing import Any

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue

from kc.analysis.captures import captured_values
from kc.analysis.verify_changes import note_copy
from kc.dialects.direct_access import set_parts


def copy_module(module: ModuleOp) -> ModuleOp:
    """A copy of ``module`` with the same locations."""
    copy = copy_operation(module)
    assert isinstance(copy, ModuleOp)
    return copy


def take_contents(module: ModuleOp, source: ModuleOp) -> None:
    """Replace the operations and attributes of ``module`` by those of ``source``, which becomes
    empty. A pass that works on a copy thus changes the whole module or nothing.
    """
    block = module.body.block
    for old_op in reversed(list(block.ops)):
        old_op.detach()
        old_op.erase(safe_erase=False)
    for new_op in list(source.body.block.ops):
        new_op.detach()
        block.add_op(new_op)
    module.attributes = dict(source.attributes)


def copy_operation(op: Operation, values: dict[SSAValue, SSAValue] | None = None) -> Operation:
    """A copy of ``op`` with its regions. Values from outside are the same, or are replaced
    according to ``values``, to which the copies of the op's results are added.
    """
    copier = _Copier(values)
    copy = copier.copy(op)
    copier.connect()
    return copy


def copy_apart(op: Operation) -> tuple[Operation, dict[SSAValue, BlockArgument]]:
    """A copy of ``op`` that uses no value from outside: arguments of a detached block replace them.
    Also returns the argument for each value.
    """
    values = captured_values(op)
    places = Block(arg_types=[value.type for value in values])
    stand_ins = dict(zip(values, places.args, strict=True))
    copier = _Copier()
    copier.values.update(stand_ins)
    copy = copier.copy(op)
    copier.connect()
    return copy, stand_ins


def copy_region(region: Region) -> Region:
    """A copy of ``region`` that uses the same values from outside."""
    copier, copy = _Copier(), Region()
    copier.fill(copy, region)
    copier.connect()
    return copy


class _Copier:
    """Copies operations in one pass, where ``Operation.clone`` needs a second pass for the
    operands.
    """

    def __init__(self, values: dict[SSAValue, SSAValue] | None = None) -> None:
        self.values = {} if values is None else values
        self.is_alike = values is None
        """True if copies have operands of the same types, so that they count as verified."""
        self.blocks: dict[Block, Block] = {}
        self.early: list[tuple[Operation, Operation]] = []
        """Pairs of an operation and its copy that precede a definition of their operands, as blocks
        may be in any order.
        """

    def copy(self, op: Operation) -> Operation:
        values, blocks = self.values, self.blocks
        copy = op.clone_without_regions(values, blocks) if op.successors else _clone(op, values)
        for region, new_region in zip(op.regions, copy.regions, strict=True):
            self.fill(new_region, region)
        if self.is_alike:
            note_copy(op, copy)
        return copy

    def fill(self, new_region: Region, region: Region) -> None:
        """Fill ``new_region``, which is empty, with copies of the blocks of ``region``."""
        values, blocks = self.values, self.blocks
        first = region.first_block
        if first is None:
            return
        has_branches = first is not region.last_block
        for block in region.blocks:
            new_block = Block(arg_types=[arg.type for arg in block.args])
            for arg, new_arg in zip(block.args, new_block.args, strict=True):
                new_arg.name_hint, new_arg.location = arg.name_hint, arg.location
                values[arg] = new_arg
            if has_branches:
                blocks[block] = new_block
            new_region.add_block(new_block)
        for block, new_block in zip(region.blocks, new_region.blocks, strict=True):
            for inner in block.ops:
                new_block.add_op(self.copy(inner))
                if has_branches and any(value not in values for value in inner.operands):
                    self.early.append((inner, new_block.last_op))  # pyright: ignore

    def connect(self) -> None:
        """Set the operands of operations copied before the values that they use."""
        for op, copy in self.early:
            copy.operands = [self.values.get(value, value) for value in op.operands]
            if self.is_alike:
                note_copy(op, copy)


def _clone(op: Any, values: dict[SSAValue, SSAValue]) -> Any:
    """A copy of an operation without successors, with empty regions."""
    copy = object.__new__(op.__class__)
    operands: list[Any] = [values.get(operand, operand) for operand in op._operands]
    types = [result._type for result in op.results]
    set_parts(copy, operands, types, op.properties, [Region() for _ in op.regions])
    for result, new_result in zip(op.results, copy.results, strict=True):
        new_result._name = result._name
        values[result] = new_result
    copy.attributes, copy.location = op.attributes.copy(), op.location
    return copy
