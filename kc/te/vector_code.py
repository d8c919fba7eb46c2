"""The operations of vectors in statements: loads and stores that go over rows, lanes and bits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseArrayBase, VectorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineMap

from kc.dialects import tir
from kc.expr.vectors import Row, rows_of
from kc.support.diagnostics import Location
from kc.support.locations import loc_attr

if TYPE_CHECKING:
    from kc.expr.constructors import VectorLoad
    from kc.te.body import Body


def _place(body: Body, row: Row) -> tuple[SSAValue, AffineMap, list[SSAValue]]:
    """The buffer of a row, and the indices of its first element with their operands."""
    exprs, operands = body.access(row.element)
    return body.values[row.element.tensor], AffineMap(len(operands), 0, tuple(exprs)), operands


def load_rows(body: Body, load: VectorLoad, element: Attribute) -> SSAValue:
    """The vector of the elements from the first one on, loaded row by row."""
    vectors = []
    for row in rows_of(load):
        type_ = VectorType(element, [row.lanes])
        vectors.append(body.add(tir.LoadOp(*_place(body, row), type_), load.location))
    # Neighbours are joined first, so that each step joins vectors of the same size.
    while len(vectors) > 1:
        pairs = [vectors[n : n + 2] for n in range(0, len(vectors), 2)]
        if len(pairs[-1]) == 1:  # a vector without a partner is joined last
            pairs[-2:] = [[*pairs[-2], *pairs[-1]]]
        vectors = [_joined(body, pair, load.location) for pair in pairs]
    return vectors[0]


def _joined(body: Body, parts: Sequence[SSAValue], at: Location | None) -> SSAValue:
    """The concatenated lanes of vectors."""
    whole = parts[0]
    for part in parts[1:]:
        count = _lanes(whole) + _lanes(part)
        whole = made_of_lanes(body, [whole, part], range(count), at)
    return whole


def store_rows(body: Body, target: VectorLoad, value: SSAValue, location: Location | None) -> None:
    """Store ``value`` to the elements of ``target``, row by row."""
    first = 0
    for row in rows_of(target):
        part = value
        if row.lanes < _lanes(value):
            lanes = range(first, first + row.lanes)
            part = made_of_lanes(body, [value], lanes, location)
        first += row.lanes
        store = tir.StoreOp(part, *_place(body, row))
        store.location = loc_attr(location)
        body.block.add_op(store)


def made_of_lanes(
    body: Body, vectors: Sequence[SSAValue], lanes: Sequence[int], at: Location | None
) -> SSAValue:
    """The vector of the ``lanes`` of one or two vectors; a scalar for a single lane."""
    from xdsl.dialects import vector

    first, second = vectors[0], vectors[-1]
    type_ = first.type
    assert isinstance(type_, VectorType)
    if len(lanes) == 1:
        (lane,) = lanes
        if lane >= _lanes(first):
            first, lane = second, lane - _lanes(first)
        return body.add(vector.ExtractOp(first, [lane], type_.element_type), at)
    result = VectorType(type_.element_type, [len(lanes)])
    mask = DenseArrayBase.from_list(i64, list(lanes))
    return body.add(vector.ShuffleOp(first, second, mask, result_type=result), at)


def cast_bits(body: Body, value: SSAValue, type_: Attribute, at: Location | None) -> SSAValue:
    """The bits of a scalar or vector as a value of another type."""
    from xdsl.dialects import vector

    source, target = value.type, type_
    if not isinstance(source, VectorType) and not isinstance(target, VectorType):
        return body.add(arith.BitcastOp(value, target), at)  # pyright: ignore
    if not isinstance(source, VectorType):
        value = body.add(vector.BroadcastOp(value, VectorType(source, [1])), at)
    into = target if isinstance(target, VectorType) else VectorType(target, [1])
    if value.type != into:
        value = body.add(vector.BitcastOp(value, into), at)
    return value if into is target else body.add(vector.ExtractOp(value, [0], target), at)


def _lanes(value: SSAValue) -> int:
    type_ = value.type
    assert isinstance(type_, VectorType)
    return type_.get_shape()[0]
