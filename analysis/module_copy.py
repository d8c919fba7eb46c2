"""A copy of a module that keeps the locations of its operations, and what was verified of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.verify_changes import note_copy


def copy_module(module: ModuleOp) -> ModuleOp:
    """A copy of ``module``, location for location."""
    copy = copy_operation(module)
    assert isinstance(copy, ModuleOp)
    return copy


def copy_operation(op: Operation) -> Operation:
    """A copy of ``op`` with all in it, which uses the same values from outside."""
    copier = _Copier()
    copy = copier.copy(op)
    copier.connect()
    return copy


class _Copier:
    """Makes copies in one pass, where ``Operation.clone`` makes one more for the operands."""

    def __init__(self) -> None:
        self.values: dict[SSAValue, SSAValue] = {}
        self.blocks: dict[Block, Block] = {}
        self.early: list[tuple[Operation, Operation]] = []
        """Operations that stand before what they use, as blocks may be in any order, and copies."""

    def copy(self, op: Operation) -> Operation:
        values, blocks = self.values, self.blocks
        copy = op.clone_without_regions(values, blocks)
        for region, new_region in zip(op.regions, copy.regions, strict=True):
            first = region.first_block
            if first is None:
                continue
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
        note_copy(op, copy)
        return copy

    def connect(self) -> None:
        """Give the early ones the copies of what they use."""
        for op, copy in self.early:
            copy.operands = [self.values.get(value, value) for value in op.operands]
            note_copy(op, copy)
