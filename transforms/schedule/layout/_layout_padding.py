"""What is in the padding of a layout: the option for it, and the blocks that write it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint

from kc.analysis.affine_relations import Conditions, hull
from kc.analysis.index_values import IndexValues, substitute
from kc.analysis.loop_tree import buffer_name
from kc.analysis.regions import stores_to
from kc.analysis.simplify_affine import simplify_constraints
from kc.dialects.affine_assembly import ZERO
from kc.dialects.tir import ApplyOp, BlockOp, StoreOp
from kc.transforms.schedule._buffers import fresh_name
from kc.transforms.schedule._copies import child_at
from kc.transforms.schedule._index_map import IndexMap
from kc.transforms.schedule._nests import Nest, new_body, new_loops, spatial_iters, wrap
from kc.transforms.schedule._shapes import Shape, realize_size
from kc.transforms.schedule._sizes import size_value, sizes_of
from kc.transforms.schedule.base import Site


@dataclass(frozen=True)
class PadValue:
    """What padding holds: a number, or a function of the new index, ``(i, j)->(i + j)``."""

    value: int | float | IndexMap

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The value that an option's text makes."""
        if text in ("true", "false"):
            return cls(int(text == "true"))
        for convert in (int, float):
            try:
                return cls(convert(text))
            except ValueError:
                continue
        return cls(IndexMap.from_option(text))

    @classmethod
    def of(cls, value: Any) -> Self:
        """The value that a Python value stands for."""
        if isinstance(value, PadValue):
            return cls(value.value)
        if isinstance(value, int | float):
            return cls(value if isinstance(value, float) else int(value))
        return cls.from_option(value) if isinstance(value, str) else cls(IndexMap.of(value))

    def __str__(self) -> str:
        return str(self.value)

    def problem(self, element: Attribute, rank: int) -> str | None:
        """Why elements of this type, in a buffer of this rank, cannot have the value."""
        value = self.value
        if isinstance(value, IndexMap):
            if len(value.results) != 1 or len(value.names) != rank:
                return f"a function of the new index takes {rank} to one value"
            fits = isinstance(element, IndexType | AnyFloat) or (
                isinstance(element, IntegerType) and element.width.data > 1
            )
            return None if fits else f"elements are {element}"
        if isinstance(element, AnyFloat):
            return None if _rounds(value, element) else f"elements are {element}: it is too large"
        if isinstance(value, float):
            return f"elements are {element}"
        bits = element.width.data if isinstance(element, IntegerType) else 64
        low, high = -(1 << (bits - 1)), (1 << bits) - 1
        return None if low <= value <= high else f"elements are {element}: {low} to {high}"

    def build(self, element: Attribute, indices: Sequence[SSAValue]) -> list[Operation]:
        """Ops whose last result is the value at ``indices``."""
        value = self.value
        if isinstance(value, IndexMap):
            made: list[Operation] = [ApplyOp(value.results[0], list(indices))]
            if isinstance(element, IntegerType):
                made.append(arith.IndexCastOp(made[-1].results[0], element))
            elif isinstance(element, AnyFloat):
                made.append(arith.IndexCastOp(made[-1].results[0], i64))
                made.append(arith.SIToFPOp(made[-1].results[0], element))
            return made
        if isinstance(element, AnyFloat):
            return [arith.ConstantOp(FloatAttr(float(value), element))]
        assert isinstance(value, int)
        assert isinstance(element, IntegerType | IndexType)
        return [arith.ConstantOp(IntegerAttr(value, element))]


def _rounds(value: int | float, element: AnyFloat) -> bool:
    """Whether ``value`` is a number of the type ``element`` when it is rounded."""
    try:
        rounded = FloatAttr(float(value), element).value.data
    except OverflowError:
        return False
    # Narrow formats round what is too large to infinity, or to NaN.
    if math.isfinite(value) and not math.isfinite(rounded):
        return False
    return True


def fill_padding(
    site: Site,
    buffer: SSAValue,
    shape: Shape,
    pieces: Sequence[Conditions],
    pad: PadValue,
    like: BlockOp,
) -> list[BlockOp]:
    """Write ``pad`` to the padding: a block a piece, behind all that writes the buffer."""
    home = buffer.owner if isinstance(buffer.owner, Block) else buffer.owner.parent
    assert home is not None
    last = [child_at(home, one) for one in stores_to(buffer)]
    after = next(op for op in reversed(list(home.ops)) if op in last)
    sizes = [size_value(site, one, like) for one in sizes_of(site, buffer)]
    parameters = _parameter_values(site, shape, after, like)
    made: list[BlockOp] = []
    for piece in pieces:
        nest = _fill(site, after, buffer, shape, piece, pad, sizes, parameters, like)
        if nest is not None:
            home.insert_op_after(nest.top, after)
            after = nest.top
            made.append(nest.block)
    return made


def _parameter_values(
    site: Site, shape: Shape, before: Operation, like: Operation
) -> list[SSAValue]:
    found: list[SSAValue] = []
    for n in range(len(shape.parameters)):
        value = realize_size(site, AffineExpr.dimension(n), shape, InsertPoint.before(before), like)
        assert isinstance(value, SSAValue)
        found.append(value)
    return found


def _fill(
    site: Site,
    anchor: Operation,
    buffer: SSAValue,
    shape: Shape,
    piece: Conditions,
    pad: PadValue,
    sizes: Sequence[int | SSAValue],
    parameters: Sequence[SSAValue],
    like: BlockOp,
) -> Nest | None:
    """A nest that writes one piece of the padding; None if the piece is empty."""
    index = IndexValues()
    ranges = hull(piece, shape.sizes, len(shape.parameters))
    lengths = [
        size if found is None else found[1] - found[0] + 1
        for size, found in zip(sizes, ranges, strict=True)
    ]
    loops = new_loops(site, lengths, anchor)
    bindings = [
        index.expr(loop.var) + (0 if found is None else found[0])
        for loop, found in zip(loops, ranges, strict=True)
    ]
    values = dict(enumerate([*bindings, *(index.expr(one) for one in parameters)]))
    conditions = simplify_constraints(
        [type(one)(one.kind, substitute(one.lhs, values), ZERO) for one in piece], index.ranges
    )
    if conditions is None:
        return None
    rank = len(sizes)
    body = new_body(rank)
    assert isinstance(buffer.type, MemRefType)
    ops = pad.build(buffer.type.element_type, body.args)
    ops.append(StoreOp(ops[-1].results[0], buffer, AffineMap.identity(rank), body.args))
    body.add_ops(ops)
    block = BlockOp(
        fresh_name(site, f"{buffer_name(buffer)}_pad"),
        spatial_iters(sizes),
        *index.to_map(bindings),
        Region(body),
        None,
        *index.to_set(conditions),
    )
    return wrap(loops, block, like)
