"""Invalid numbers in index arithmetic that xDSL accepts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from xdsl.dialects.builtin import (
    AffineMapAttr,
    AffineSetAttr,
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntAttr,
    IntegerAttr,
    MemRefType,
    StridedLayoutAttr,
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
"""A pattern for texts in which :func:`wrong_number` may find an invalid number."""

_NUMBER = re.compile(r"(?<![\w.%#@$-])-?(?:0x[0-9A-Fa-f]+|[1-9]\d*)(?![\w.])")

_DIVISIONS = {
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.CeilDiv: "ceildiv",
}


def wrong_number(op: Operation, text: str) -> tuple[str, str] | None:
    """The error, with its reason, for the first number in the attributes and types of ``op`` that
    is not a 64-bit index or not a valid divisor. ``text`` is the text of ``op``.
    """
    if any(_is_static_list(*prop) for prop in op.properties.items()):
        head = text.partition("{")[0] if op.regions else text
        for number in _NUMBER.finditer(head):  # xDSL has wrapped them
            if not LEAST <= (value := int(number[0], 0)) <= GREATEST:
                return _out_of_range(value)
    attributes = (
        *op.properties.values(),
        *op.attributes.values(),
        *(result.type for result in op.results),
        *(arg.type for region in op.regions for block in region.blocks for arg in block.args),
    )
    wrong = _wrong_part(attributes)
    if wrong is None and not op.name.startswith("affine."):
        wrong = _semi_affine(attributes)
    return wrong


def _semi_affine(attributes: Iterable[Attribute]) -> tuple[str, str] | None:
    """The error for a map that multiplies or divides by an expression that is not a number."""
    for attr in attributes:
        for part in _parts(attr):
            if isinstance(part, AffineBinaryOpExpr) and not part.is_pure_affine():
                why = "only the ops of affine have maps that multiply or divide by a symbol"
                return f"{part} is not affine", why
    return None


def wrong_number_of_maps(op: Operation) -> tuple[str, str] | None:
    """:func:`wrong_number` for the affine maps and sets of ``op``."""
    maps = [
        attr for attr in op.properties.values() if isinstance(attr, AffineMapAttr | AffineSetAttr)
    ]
    return _wrong_part(maps) if maps else None


def _wrong_part(attributes: Iterable[Attribute]) -> tuple[str, str] | None:
    for attr in attributes:
        for part in _parts(attr):
            if isinstance(part, int) and not LEAST <= part <= GREATEST:
                return _out_of_range(part)
            if isinstance(part, AffineBinaryOpExpr) and part.kind in _DIVISIONS:
                if isinstance(part.rhs, AffineConstantExpr) and part.rhs.value <= 0:
                    why = f"{', '.join(_DIVISIONS.values())} are defined for positive divisors"
                    name = _DIVISIONS[part.kind]
                    return f"the divisor {part.rhs.value} of {name} is not positive", why
    return None


def _is_static_list(name: str, attr: Attribute) -> bool:
    """True if a property is a list of indices some of which may be replaced by operands."""
    return name.startswith("static_") and isinstance(attr, DenseArrayBase)


def _out_of_range(value: int) -> tuple[str, str]:
    why = f"indices are in the range [{LEAST}, {GREATEST}]"
    return f"integer value {value} is out of range for an index", why


def _parts(attr: Attribute) -> Iterator[int | AffineExpr]:
    """The numbers and the compound expressions in ``attr``."""
    if isinstance(attr, IntegerAttr):
        if isinstance(attr.type, IndexType):
            yield attr.value.data
    elif isinstance(attr, AffineMapAttr):
        for expr in attr.data.results:
            yield from _of_expr(expr)
    elif isinstance(attr, AffineSetAttr):
        for constraint in attr.data.constraints:
            yield from _of_expr(constraint.lhs)
            yield from _of_expr(constraint.rhs)
    elif isinstance(attr, MemRefType | TensorType):
        yield from (size for size in attr.get_shape() if size >= 0)
        layout = attr.layout if isinstance(attr, MemRefType) else None
        if isinstance(layout, StridedLayoutAttr):
            numbers = (*layout.strides, layout.offset)
            yield from (number.data for number in numbers if isinstance(number, IntAttr))
    elif isinstance(attr, FunctionType):
        for type_ in (*attr.inputs.data, *attr.outputs.data):
            yield from _parts(type_)
    elif isinstance(attr, ArrayAttr):
        for element in attr.data:
            yield from _parts(element)
    elif isinstance(attr, DictionaryAttr):
        for element in attr.data.values():
            yield from _parts(element)


def _of_expr(expr: AffineExpr) -> Iterator[int | AffineExpr]:
    if isinstance(expr, AffineConstantExpr):
        yield expr.value
    elif isinstance(expr, AffineBinaryOpExpr):
        yield expr
        yield from _of_expr(expr.lhs)
        yield from _of_expr(expr.rhs)
