"""Numbers in index arithmetic that it does not take: xDSL reads them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    TensorType,
)
from xdsl.ir import Attribute, Operation
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)

LEAST, GREATEST = -(2**63), 2**63 - 1
SUSPICIOUS = re.compile(r"\d{19}|0x[0-9A-Fa-f]{16}|\b(?:mod|floordiv|ceildiv)\s*(?:[^\s1-9]|0)")
"""What a text has in it if :func:`wrong_number` may find something."""

_DIVISIONS = {
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.CeilDiv: "ceildiv",
}


def wrong_number(op: Operation) -> tuple[str, str] | None:
    """What is wrong with the first number in the attributes and types of ``op`` that is no 64-bit
    index or no divisor, and why."""
    attributes = (
        *op.properties.values(),
        *op.attributes.values(),
        *(one.type for one in op.results),
        *(arg.type for region in op.regions for block in region.blocks for arg in block.args),
    )
    for attr in attributes:
        for part in _parts(attr):
            if isinstance(part, int) and not LEAST <= part <= GREATEST:
                why = f"indices are in the range [{LEAST}, {GREATEST}]"
                return f"integer value {part} is out of range for an index", why
            if isinstance(part, AffineBinaryOpExpr) and part.kind in _DIVISIONS:
                if isinstance(part.rhs, AffineConstantExpr) and part.rhs.value <= 0:
                    why = f"{', '.join(_DIVISIONS.values())} are defined for positive divisors"
                    name = _DIVISIONS[part.kind]
                    return f"the divisor {part.rhs.value} of {name} is not positive", why
    return None


def _parts(attr: Attribute) -> Iterator[int | AffineExpr]:
    """The numbers and the compound expressions in ``attr``."""
    if isinstance(attr, IntegerAttr):
        if isinstance(attr.type, IndexType):
            yield attr.value.data
    elif isinstance(attr, AffineMapAttr):
        for expr in attr.data.results:
            yield from _of_expr(expr)
    elif isinstance(attr, AffineSetAttr):
        for one in attr.data.constraints:
            yield from _of_expr(one.lhs)
            yield from _of_expr(one.rhs)
    elif isinstance(attr, MemRefType | TensorType):
        yield from (size for size in attr.get_shape() if size >= 0)
    elif isinstance(attr, FunctionType):
        for one in (*attr.inputs.data, *attr.outputs.data):
            yield from _parts(one)
    elif isinstance(attr, ArrayAttr):
        for one in attr.data:
            yield from _parts(one)
    elif isinstance(attr, DictionaryAttr):
        for one in attr.data.values():
            yield from _parts(one)


def _of_expr(expr: AffineExpr) -> Iterator[int | AffineExpr]:
    if isinstance(expr, AffineConstantExpr):
        yield expr.value
    elif isinstance(expr, AffineBinaryOpExpr):
        yield expr
        yield from _of_expr(expr.lhs)
        yield from _of_expr(expr.rhs)
