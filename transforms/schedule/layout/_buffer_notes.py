"""Notes on buffers: attributes ``tir.x`` of an alloc, or ``kc.x`` of an argument."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, DictionaryAttr, i64
from xdsl.ir import Attribute, BlockArgument, SSAValue

from kc.analysis.loop_tree import buffer_name
from kc.dialects.tir import AllocOp, BlockOp
from kc.transforms.schedule.base import Site

SEPARATORS = "axis_separators"
"""The key of axis separators, with the prefix ``tir.`` at ``tir.alloc`` and ``kc.`` at
arguments.
"""


def buffer_attribute(function: func.FuncOp, buffer: SSAValue, key: str) -> Attribute | None:
    """The attribute ``tir.key`` of an alloc, or ``kc.key`` of an argument."""
    if isinstance(buffer.owner, AllocOp):
        return buffer.owner.attributes.get(f"tir.{key}")
    assert isinstance(buffer, BlockArgument)
    attrs = function.arg_attrs
    return None if attrs is None else attrs.data[buffer.index].data.get(f"kc.{key}")


def set_buffer_attribute(
    function: func.FuncOp, buffer: SSAValue, key: str, value: Attribute | None
) -> None:
    """Set the attribute ``tir.key`` of an alloc, or ``kc.key`` of an argument; None removes it."""
    if isinstance(buffer.owner, AllocOp):
        buffer.owner.attributes.pop(f"tir.{key}", None)
        if value is not None:
            buffer.owner.attributes[f"tir.{key}"] = value
        return
    assert isinstance(buffer, BlockArgument)
    set_argument_attribute(function, buffer, f"kc.{key}", value)


def set_argument_attribute(
    function: func.FuncOp, arg: BlockArgument, key: str, value: Attribute | None
) -> None:
    """Set an attribute of an argument; None removes it."""
    count = len(function.args)
    attrs = list(function.arg_attrs.data) if function.arg_attrs is not None else []
    attrs += [DictionaryAttr({})] * (count - len(attrs))
    changed = {k: v for k, v in attrs[arg.index].data.items() if k != key}
    if value is not None:
        changed[key] = value
    attrs[arg.index] = DictionaryAttr(changed)
    function.arg_attrs = ArrayAttr(attrs)


def separators_attr(separators: Sequence[int]) -> Attribute | None:
    """Axis separators as the attribute of a buffer; None without separators."""
    return DenseArrayBase.from_list(i64, list(separators)) if separators else None


def require_separators(
    site: Site,
    block: BlockOp,
    buffer: SSAValue,
    separators: Sequence[int],
    rank: int,
) -> None:
    """Refuse (KC3515) separators that are not between dimensions, or not in order."""
    in_order = all(
        separator < following
        for separator, following in zip(separators, separators[1:], strict=False)
    )
    if in_order and all(0 < separator < rank for separator in separators):
        return
    raise site.refuse(
        "KC3515",
        f"axis separators {', '.join(map(str, separators))} for {buffer_name(buffer)}",
        at=block,
        why="separators must be in increasing order, without repeats"
        if not in_order
        else f"a separator is between two of its {rank} dimensions: 1 to {rank - 1}"
        if rank > 1
        else f"a buffer of {rank} dimension{'s' * (rank != 1)} cannot have separators",
        hints=[f"axis_separators={n}" for n in range(1, rank)][:3],
    )
