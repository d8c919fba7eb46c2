"""Affine maps as MLIR prints them, with semi-affine terms and SSA values as symbols."""

from __future__ import annotations

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
)
from xdsl.parser import AffineParser
from xdsl.utils.exceptions import ParseError
from xdsl.utils.mlir_lexer import MLIRToken

_KINDS = {
    "*": AffineBinaryOpKind.Mul,
    "mod": AffineBinaryOpKind.Mod,
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
}


MAX_DEPTH = 190
"""The maximum depth of an affine expression. xDSL prints, compares and maps expressions
recursively, and the interpreter translates them to Python, which allows 200 levels of brackets.
"""


class BoundedAffineParser(AffineParser):
    """xDSL's parser of affine expressions. It refuses expressions deeper than :data:`MAX_DEPTH`."""

    _depths: dict[int, tuple[AffineExpr, int]]
    """The depth of each parsed expression, by the ``id`` of the expression."""

    def _create_binop_expr(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        depths = self.__dict__.setdefault("_depths", {})
        depth = 1 + max(depths.get(id(side), (side, 0))[1] for side in (lhs, rhs))
        if depth > MAX_DEPTH:
            raise ParseError(binop.span, f"an affine expression of more than {MAX_DEPTH} levels")
        result = self._combined(lhs, rhs, binop)
        depths[id(result)] = result, depth
        return result

    def _combined(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        return super()._create_binop_expr(lhs, rhs, binop)


class SemiAffineParser(BoundedAffineParser):
    """xDSL's parser of affine expressions, with products and divisions by symbols.

    ``d0 floordiv s0`` becomes the structured term of its two operands; xDSL refuses it. As in MLIR,
    a divisor that contains a dimension is an error.
    """

    def _combined(self, lhs: AffineExpr, rhs: AffineExpr, binop: MLIRToken) -> AffineExpr:
        kind = _KINDS.get(binop.text)
        if kind is None:
            return super()._combined(lhs, rhs, binop)
        if kind is AffineBinaryOpKind.Mul:
            if isinstance(lhs, AffineConstantExpr) or isinstance(rhs, AffineConstantExpr):
                return lhs * rhs
            if lhs.used_dims() and rhs.used_dims():
                raise ParseError(
                    binop.span, "one operand of a product must be a symbol or a number"
                )
            return AffineBinaryOpExpr(kind, lhs, rhs)
        if isinstance(rhs, AffineConstantExpr):
            if rhs.value == 0 and isinstance(lhs, AffineConstantExpr):
                raise ParseError(binop.span, f"{lhs} {binop.text} 0 is not a number")
            return AffineExpr.binary(kind, lhs, rhs)
        if rhs.used_dims():
            raise ParseError(binop.span, f"{binop.text} needs a symbol or a number as its divisor")
        return AffineBinaryOpExpr(kind, lhs, rhs)
