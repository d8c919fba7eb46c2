"""The neutral elements of the combiners of reductions."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, FloatAttr, IndexType, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation

_FLOAT: dict[type[Operation], float] = {
    arith.AddfOp: 0.0,
    arith.MulfOp: 1.0,
    arith.MaximumfOp: -math.inf,
    arith.MinimumfOp: math.inf,
}


def neutral_element(combiner: type[Operation], element: Attribute) -> IntegerAttr | FloatAttr:
    """The ``e`` with ``combiner(e, x) == x`` for each ``x`` of type ``element``."""
    if isinstance(element, AnyFloat):
        return FloatAttr(_FLOAT[combiner], element)
    assert isinstance(element, IntegerType | IndexType)
    width = element.width.data if isinstance(element, IntegerType) else 64
    top = 1 << (width - 1)
    value = {
        arith.AddiOp: 0,
        arith.MuliOp: 1,
        arith.MaxSIOp: -top,
        arith.MinSIOp: top - 1,
        arith.MaxUIOp: 0,
        arith.MinUIOp: -1,
    }[combiner]
    return IntegerAttr(value, element)
