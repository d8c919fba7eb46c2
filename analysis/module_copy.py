"""A copy of a module that keeps the locations of its operations, and what was verified of them."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from kc.analysis.verify_changes import note_copy


def copy_module(module: ModuleOp) -> ModuleOp:
    """A copy of ``module``, location for location."""
    copy = _copy(module, {})
    if copy is not None:
        assert isinstance(copy, ModuleOp)
        return copy
    copy = module.clone()
    for old, new in zip(module.walk(), copy.walk(), strict=True):
        new.location = old.location
        note_copy(old, new)
    return copy


def _copy(op: Operation, values: dict[SSAValue, SSAValue]) -> Operation | None:
    """A copy of ``op``, made in one pass, where each value is defined before it is used; None where
    there is control flow, which may be in any order.

    ``Operation.clone`` goes through the operations of a region once more for each region around.
    """
    copy = op.clone_without_regions(values)
    for region, new_region in zip(op.regions, copy.regions, strict=True):
        block = region.first_block
        if block is None:
            continue
        if block is not region.last_block:
            return None
        new_block = Block(arg_types=[arg.type for arg in block.args])
        for arg, new_arg in zip(block.args, new_block.args, strict=True):
            new_arg.name_hint, new_arg.location = arg.name_hint, arg.location
            values[arg] = new_arg
        for inner in block.ops:
            new_inner = _copy(inner, values)
            if new_inner is None:
                return None
            new_block.add_op(new_inner)
        new_region.add_block(new_block)
    note_copy(op, copy)
    return copy
