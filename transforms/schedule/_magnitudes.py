"""Blocks that reduce the magnitudes of all elements of a buffer of floats, by their bits.

A float without its sign bit compares like the integer with the same bits, so an integer reduction
yields the largest or the least magnitude. Infinity and NaN are larger than all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, IntegerType, MemRefType
from xdsl.ir import Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap

from kc.dialects.tir import BlockOp, IterType, LoadOp, StoreOp
from kc.transforms.schedule._nests import Nest, new_body, new_loops, wrap
from kc.transforms.schedule.base import Site


def reduce_magnitudes(
    site: Site,
    name: str,
    source: SSAValue,
    target: SSAValue,
    extents: Sequence[int | SSAValue],
    like: Operation,
    extreme: Literal["largest", "least"],
) -> Nest:
    """Loops around a block that stores the bits of an extreme magnitude of ``source``.

    ``target`` is a scalar buffer of integers as wide as the elements. The largest magnitude of an
    empty buffer is 0. The least magnitude ignores elements that are 0; if no others exist, the
    result has all bits set except for the sign.
    """
    identity = AffineMap.identity(len(extents))
    extents = extents or [1]  # a reduction has a variable
    rank = len(extents)
    type_ = target.type
    assert isinstance(type_, MemRefType)
    bits = type_.element_type
    assert isinstance(bits, IntegerType)
    magnitude_bits = (1 << (bits.width.data - 1)) - 1
    scalar = AffineMap(0, 0, ())

    first = arith.ConstantOp(IntegerAttr(0 if extreme == "largest" else magnitude_bits, bits))
    init = new_body(rank)
    init.add_ops([first, StoreOp(first.result, target, scalar, [])])

    body = new_body(rank)
    load = LoadOp(source, identity, body.args[: identity.num_dims])
    pattern = arith.BitcastOp(load.result, bits)
    mask = arith.ConstantOp(IntegerAttr(magnitude_bits, bits))
    magnitude = arith.AndIOp(pattern.result, mask.result)
    body.add_ops([load, pattern, mask, magnitude])
    before = LoadOp(target, scalar, [])
    if extreme == "largest":
        combined = arith.MaxSIOp(before.result, magnitude.result)
    else:
        zero = arith.ConstantOp(IntegerAttr(0, bits))
        is_zero = arith.CmpiOp(magnitude.result, zero.result, "eq")
        counted = arith.SelectOp(is_zero.result, mask.result, magnitude.result)
        body.add_ops([zero, is_zero, counted])
        combined = arith.MinSIOp(before.result, counted.result)
    body.add_ops([before, combined, StoreOp(combined.result, target, scalar, [])])
    loops = new_loops(site, extents, like)
    block = BlockOp(
        name,
        [(IterType.REDUCE, f"v{n}", extent) for n, extent in enumerate(extents)],
        AffineMap.identity(rank),
        [loop.var for loop in loops],
        Region(body),
        Region(init),
    )
    return wrap(loops, block, like)
