"""Rewrites of linalg ops for transform scripts: generalization, interchange, and fusion into
loops.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from xdsl.dialects import linalg
from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    IntegerAttr,
)
from xdsl.dialects.linalg.attrs import IteratorType, IteratorTypeAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis.loop_tree import preorder
from kc.conversion.raise_to_tir.structured import Structure
from kc.conversion.transform_interpreter import tiling
from kc.conversion.transform_interpreter.tiling import Builder, Number, Tile
from kc.dialects import scf
from kc.dialects.linalg import GenericOp
from kc.dialects.tensor import ExtractSliceOp
from kc.dialects.transform.assembly import mixed
from kc.support.diagnostics import ScheduleError
from kc.support.locations import location_of


def refused(step: Operation, message: str, why: str = "", hints: Sequence[str] = ()) -> NoReturn:
    """Refuse a step that cannot be applied to its ops (KC3724)."""
    raise ScheduleError(
        "KC3724", f"{step.name}: {message}", location=location_of(step), why=why, hints=list(hints)
    )


def generalized(target: Structure) -> Operation:
    """Replace a linalg op by an equivalent ``linalg.generic``."""
    op = target.op
    if isinstance(op, linalg.ops.GenericOp):
        return op
    owner = target.body.parent_op()
    body = target.body if owner is None else target.body.clone()
    kinds = [
        IteratorType.REDUCTION if is_reduced else IteratorType.PARALLEL
        for is_reduced in target.is_reduced
    ]
    return _in_place_of(
        op,
        GenericOp(
            list(target.inputs),
            list(target.outputs),
            body,
            ArrayAttr([AffineMapAttr(space) for space in target.maps]),
            ArrayAttr([IteratorTypeAttr(kind) for kind in kinds]),
            [value.type for value in op.results],
        ),
    )


def interchanged(target: Structure, order: Sequence[int]) -> Operation:
    """A ``linalg.generic`` whose n-th loop is the loop ``order[n]`` of the original."""
    op = target.op
    assert isinstance(op, linalg.ops.GenericOp)
    places = [AffineExpr.dimension(order.index(loop)) for loop in range(target.rank)]
    maps = [
        AffineMap(
            target.rank,
            0,
            tuple(expr.replace_dims_and_symbols(places, []) for expr in space.results),
        )
        for space in target.maps
    ]
    body = op.body.clone()
    for index in body.walk():
        if isinstance(index, linalg.ops.IndexOp) and index.parent_block() is body.block:
            position = order.index(index.dim.value.data)
            index.properties["dim"] = IntegerAttr(position, 64)
    new = GenericOp(
        list(target.inputs),
        list(target.outputs),
        body,
        ArrayAttr([AffineMapAttr(space) for space in maps]),
        ArrayAttr([op.iterator_types.data[loop] for loop in order]),
        [value.type for value in op.results],
    )
    return _in_place_of(op, new)


def _in_place_of(op: Operation, new: Operation) -> Operation:
    new.attributes.update(op.attributes)
    Builder(InsertPoint.before(op), op).add(new)
    for old, result in zip(op.results, new.results, strict=True):
        result.name_hint = old.name_hint
        old.replace_all_uses_with(result)
    op.detach()
    op.erase()
    return new


def fuse_into(step: Operation, producer: Structure, loop: Operation) -> list[Operation]:
    """Compute in ``loop`` the part of a producer that it reads: the part that its first slice
    takes, or the whole if the loop uses the whole. The producer is erased if it has no other uses.
    """
    op = producer.op
    if loop.is_ancestor(op):
        refused(step, f"{op.name} is in {loop.name} already")
    shared: dict[SSAValue, int] = {result: n for n, result in enumerate(op.results)}
    if isinstance(loop, scf.ForallOp):
        # Each iteration reads shared tensors as they were before the loop.
        arguments = loop.body.block.args[loop.rank :]
        for argument, value in zip(arguments, loop.outputs, strict=True):
            if value in op.results:
                shared[argument] = op.results.index(value)
    for user in preorder(loop):
        if not isinstance(user, ExtractSliceOp) or user.source not in shared:
            continue
        new = _fused(step, producer, user, shared[user.source])
        _drop_unused(op)
        return [new]
    for user in preorder(loop):
        if user is loop or not any(operand in op.results for operand in user.operands):
            continue
        copy = op.clone()
        Builder(InsertPoint.before(user), op).add(copy)
        for old, result in zip(op.results, copy.results, strict=True):
            old.replace_uses_with_if(result, lambda use, user=user: use.operation is user)
        _drop_unused(op)
        return [copy]
    refused(
        step,
        f"{loop.name} reads nothing of {op.name}",
        "neither slices of its results nor these as a whole are used in the loop",
        ["kc's --compute-at places the loops of a block in those of another"],
    )


def _drop_unused(op: Operation) -> None:
    if not any(result.first_use for result in op.results):
        op.detach()
        op.erase()


def _fused(step: Operation, producer: Structure, user: ExtractSliceOp, n: int) -> Operation:
    space = producer.maps[len(producer.inputs) + n]
    loops = [expr.position for expr in space.results if isinstance(expr, AffineDimExpr)]
    if len(set(loops)) != len(space.results):
        refused(step, f"a slice of the result of {producer.op.name} is not a tile: {space}")
    if any(stride != 1 for stride in user.static_strides.iter_values()) or len(
        user.result.type.get_shape()
    ) != len(loops):
        refused(step, "the loop reads a slice with gaps, or of fewer dimensions")
    tiling.require_slices(producer, [loop in loops for loop in range(producer.rank)])
    builder = Builder(InsertPoint.before(user), producer.op)
    offsets: list[Number] = [0] * producer.rank
    sizes: list[Number] = list(tiling.extents(producer, builder))
    columns = (
        mixed(user.offsets, [int(offset) for offset in user.static_offsets.iter_values()]),
        mixed(user.sizes, [int(size) for size in user.static_sizes.iter_values()]),
    )
    for loop, offset, size in zip(loops, *columns, strict=True):
        offsets[loop], sizes[loop] = offset, size
    whole = tuple(loop not in loops for loop in range(producer.rank))
    tile = Tile(tuple(offsets), tuple(sizes), whole)
    new, _ = tiling.tiled_op(producer, producer.outputs, tile, builder)
    user.result.replace_all_uses_with(new.results[n])
    user.detach()
    user.erase()
    return new
