"""The check of ``T.reads`` and ``T.writes`` against the accesses of a block.

A block's accesses are computed from its body. The declared regions are checked and then dropped,
except for their order, by which primitives number buffers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from kc.analysis.accesses.regions import (
    READS_ORDER,
    WRITES_ORDER,
    BoundIndexValues,
    Interval,
    box,
    numbered_reads,
    numbered_writes,
)
from kc.dialects.tir import BlockOp, LoadOp, StoreOp
from kc.expr.buffers import Buffer
from kc.expr.constructors import Const, Expr, IterVar
from kc.support.diagnostics import Location, TEError

if TYPE_CHECKING:
    from kc.tir.emit import Emitter


@dataclass(frozen=True, eq=False)
class DeclaredRegion:
    """A declared region that a block reads or writes: one (start, extent) for each dimension."""

    location: Location | None
    buffer: Buffer
    region: Sequence[tuple[Expr, Expr]]


def check_declared(
    block: BlockOp,
    reads: Sequence[DeclaredRegion] | None,
    writes: Sequence[DeclaredRegion] | None,
    emitter: Emitter,
) -> None:
    """Refuse (KC2128) accesses of ``block`` outside of the declared regions. ``emitter`` is
    positioned in the block.

    As in TVM, the reads may omit a buffer that the block updates.
    """
    stores = [op for op in block.walk() if isinstance(op, StoreOp)]
    loads = [op for op in block.walk() if isinstance(op, LoadOp)]
    if reads is not None:
        updated = {op.buffer for op in stores}
        read = [op for op in loads if op.buffer not in updated]
        _check(block, "reads", reads, read, emitter)
    if writes is not None:
        _check(block, "writes", writes, stores, emitter)
    _number(block, READS_ORDER, numbered_reads(block), reads, emitter)
    _number(block, WRITES_ORDER, numbered_writes(block), writes, emitter)


def _number(
    block: BlockOp,
    key: str,
    values: Sequence[SSAValue],
    declared: Sequence[DeclaredRegion] | None,
    emitter: Emitter,
) -> None:
    """Record the order of the declared buffers on the block, if it differs from the default
    order.
    """
    listed = dict.fromkeys(emitter.values.get(region.buffer) for region in declared or ())
    order = [values.index(value) for value in listed if value is not None and value in values]
    if len(order) < len(values) and declared:
        order += [n for n in range(len(values)) if n not in order]
    if order and order != list(range(len(values))):
        block.attributes[key] = DenseArrayBase.from_list(i64, order)


def _check(
    block: BlockOp,
    what: str,
    declared: Sequence[DeclaredRegion],
    accesses: Sequence[LoadOp] | Sequence[StoreOp],
    emitter: Emitter,
) -> None:
    names = {value: buffer.name for buffer, value in emitter.values.items() if _is_buffer(buffer)}
    inside = block.body.block
    for buffer in dict.fromkeys(op.buffer for op in accesses):
        if buffer not in names or _is_allocated_in(buffer, block):
            continue
        regions = [region for region in declared if emitter.values.get(region.buffer) == buffer]
        label, name = block.block_name.data, names[buffer]
        if not regions:
            listed = ", ".join(region.buffer.name for region in declared) or "nothing"
            raise TEError(
                "KC2128",
                f"block {label} {what} {name}, which T.{what} does not declare",
                location=declared[0].location if declared else emitter.location,
                why=f"T.{what} says {listed}",
                hints=[f"add {name}[...] to T.{what}", f"leave T.{what} out: it follows"],
            )
        index = BoundIndexValues(level=inside)
        touched = box([op for op in accesses if op.buffer == buffer], inside, index)
        assert touched is not None
        if len(regions) == 1:
            _compare(regions[0], touched, index, emitter, label, what)


def _is_buffer(value: object) -> bool:
    return isinstance(value, Buffer)


def _is_allocated_in(buffer: SSAValue, block: BlockOp) -> bool:
    return isinstance(buffer.owner, Operation) and block.is_ancestor(buffer.owner)


def _compare(
    declared: DeclaredRegion,
    touched: Sequence[Interval],
    index: BoundIndexValues,
    emitter: Emitter,
    label: str,
    what: str,
) -> None:
    for dim, ((start, extent), interval) in enumerate(zip(declared.region, touched, strict=True)):
        first, count = _known(start, index, emitter), _known(extent, index, emitter)
        if first is None or count is None or interval.size is None:
            continue
        if first == interval.base and count == AffineExpr.constant(interval.size):
            continue  # the access equals the declared region
        before = index.simplify(interval.base - first)
        after = index.simplify(interval.base + interval.size - first - count)
        for difference, side, sign in ((before, "before", -1), (after, "behind", 1)):
            if isinstance(difference, AffineConstantExpr) and difference.value * sign > 0:
                beyond = difference.value * sign
                declared_text = f"T.{what} declares a start of {start} and a size of {extent}"
                text = f"{beyond} element{'s' if beyond > 1 else ''}"
                raise TEError(
                    "KC2128",
                    f"block {label} {what} {declared.buffer.name} {text} {side} the region "
                    f"that T.{what} declares",
                    location=declared.location,
                    why=f"along dimension {dim} {declared_text}",
                    hints=[
                        f"leave T.{what} out: kc derives the regions from the statements of "
                        "the block"
                    ],
                )


def _known(expr: Expr, index: BoundIndexValues, emitter: Emitter) -> AffineExpr | None:
    """An integer over the roots of ``index``. None if computing it needs operations."""
    if isinstance(expr, Const) and isinstance(expr.value, int):
        return AffineExpr.constant(expr.value)
    if isinstance(expr, IterVar) and expr in emitter.axes and not expr.start:
        return index.compose(AffineExpr.dimension(0), [emitter.axes[expr]])
    operands: list[SSAValue] = []
    emitter.check(expr)
    with emitter.inside(Block()):
        affine = emitter.body().affine_of(expr, operands)
    return None if affine is None else index.compose(affine, operands)
