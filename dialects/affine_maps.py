"""Affine expressions over SSA values in MLIR's text: ``[%i + symbol(%n), %j floordiv 4]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import AffineMapAttr, IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSymExpr,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from kc.support.affine_parser import SemiAffineParser

_PRECEDENCE = {AffineBinaryOpKind.Add: 10}
_MULTIPLICATIVE = 20


class ValueMapParser:
    """Parses expressions over SSA values: ``%i`` is a dimension, ``symbol(%n)`` a symbol.

    If a value is written in both ways, its first form counts for all uses, as in MLIR, until
    :meth:`begin_bound`.
    """

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._affine = SemiAffineParser(parser._parser_state)
        self._dims: dict[tuple[str, int], UnresolvedOperand] = {}
        self._symbols: dict[tuple[str, int], UnresolvedOperand] = {}
        self._first: dict[tuple[str, int], dict[tuple[str, int], UnresolvedOperand]] = {}
        """For each value, its first form: dimension or symbol."""

    def begin_bound(self) -> None:
        """Begin the bound of another loop, in which values may be written in the other form."""
        self._first.clear()

    def expr(self) -> AffineExpr:
        """One expression."""
        return self._affine._parse_affine_expr(self._value)

    def exprs(self, delimiter: Parser.Delimiter = Parser.Delimiter.SQUARE) -> list[AffineExpr]:
        """A delimited list of expressions."""
        return self._parser.parse_comma_separated_list(delimiter, self.expr)

    def map_of(self, exprs: Sequence[AffineExpr]) -> AffineMapAttr:
        """The expressions as one map over all values so far."""
        return AffineMapAttr(AffineMap(len(self._dims), len(self._symbols), tuple(exprs)))

    def operands(self) -> list[SSAValue]:
        """The values so far: dimensions first, then symbols."""
        names = [*self._dims.values(), *self._symbols.values()]
        index = IndexType()
        return [cast(SSAValue, self._parser.resolve_operand(name, index)) for name in names]

    def _value(self) -> AffineExpr | None:
        parser = self._parser
        if parser.parse_optional_keyword("symbol") is not None:
            with parser.in_parens():
                operand = parser.parse_unresolved_operand()
            values = self._symbols
        else:
            operand = parser.parse_optional_unresolved_operand()
            if operand is None:
                return None
            values = self._dims
        key = (operand.span.text, operand.index)
        values = self._first.setdefault(key, values)
        values.setdefault(key, operand)
        position = list(values).index(key)
        is_symbol = values is self._symbols
        return AffineExpr.symbol(position) if is_symbol else AffineExpr.dimension(position)


def parse_applied_map(parser: Parser) -> tuple[AffineMapAttr, list[SSAValue]]:
    """``affine_map<...>(%i, %j)[%n]``: a map and its operands."""
    at, space = parser.pos, parser.parse_attribute()
    if not isinstance(space, AffineMapAttr):
        parser.raise_error("expected an affine map", at)
    return space, parse_dims_and_symbols(
        parser, at, space.data.num_dims, space.data.num_symbols, "map"
    )


def parse_dims_and_symbols(
    parser: Parser, at: int, num_dims: int, num_symbols: int, what: str
) -> list[SSAValue]:
    """``(%i, %j)[%n]``, with as many values as a map or set has dimensions and symbols."""
    dims, symbols = (
        parser.parse_optional_comma_separated_list(
            delimiter, lambda: parser.parse_operand(IndexType())
        )
        or []
        for delimiter in (Parser.Delimiter.PAREN, Parser.Delimiter.SQUARE)
    )
    if (len(dims), len(symbols)) != (num_dims, num_symbols):
        parser.raise_error(
            f"expected {num_dims} dimensions and {num_symbols} symbols for the {what}, not "
            f"{len(dims)} and {len(symbols)}",
            at,
        )
    return [*dims, *symbols]


def print_applied_map(printer: Printer, space: AffineMapAttr, operands: Sequence[SSAValue]) -> None:
    """The inverse of :func:`parse_applied_map`."""
    printer.print_attribute(space)
    print_dims_and_symbols(printer, space.data.num_dims, operands)


def print_dims_and_symbols(printer: Printer, num_dims: int, operands: Sequence[SSAValue]) -> None:
    """The inverse of :func:`parse_dims_and_symbols`."""
    with printer.in_parens():
        printer.print_list(operands[:num_dims], printer.print_ssa_value)
    if operands[num_dims:]:
        with printer.in_square_brackets():
            printer.print_list(operands[num_dims:], printer.print_ssa_value)


def print_value_exprs(
    printer: Printer, exprs: Sequence[AffineExpr], num_dims: int, operands: Sequence[SSAValue]
) -> None:
    """``%i + symbol(%n), %j``; operands are the dimensions, then the symbols."""
    printer.print_list(exprs, lambda expr: _print_expr(printer, expr, num_dims, operands, 0))


def _print_expr(
    printer: Printer,
    expr: AffineExpr,
    num_dims: int,
    operands: Sequence[SSAValue],
    around: int,
) -> None:
    """Print an expression, in parentheses if the operator around it binds more strongly."""
    if isinstance(expr, AffineDimExpr):
        printer.print_ssa_value(operands[expr.position])
        return
    if isinstance(expr, AffineSymExpr):
        printer.print_string("symbol(")
        printer.print_ssa_value(operands[num_dims + expr.position])
        printer.print_string(")")
        return
    if not isinstance(expr, AffineBinaryOpExpr):
        printer.print_string(str(expr))
        return
    own = _PRECEDENCE.get(expr.kind, _MULTIPLICATIVE)
    if own < around:
        printer.print_string("(")
    _print_expr(printer, expr.lhs, num_dims, operands, own)
    if expr.kind is AffineBinaryOpKind.Add and (less := _negative(expr.rhs)) is not None:
        printer.print_string(" - ")
        _print_expr(printer, less, num_dims, operands, own + 1)
        if own < around:
            printer.print_string(")")
        return
    printer.print_string(f" {expr.kind.get_token()} ")
    right = own if expr.kind is AffineBinaryOpKind.Add else own + 1
    _print_expr(printer, expr.rhs, num_dims, operands, right)
    if own < around:
        printer.print_string(")")


def _negative(expr: AffineExpr) -> AffineExpr | None:
    """``-expr`` if ``expr`` has a negative factor."""
    if isinstance(expr, AffineConstantExpr):
        return AffineExpr.constant(-expr.value) if expr.value < 0 else None
    if (
        isinstance(expr, AffineBinaryOpExpr)
        and expr.kind is AffineBinaryOpKind.Mul
        and isinstance(expr.rhs, AffineConstantExpr)
        and expr.rhs.value < 0
    ):
        return expr.lhs * -expr.rhs.value
    return None


def replace_operands(
    expr: AffineExpr, dims: Sequence[AffineExpr], symbols: Sequence[AffineExpr]
) -> AffineExpr:
    """``expr`` over other operands. A semi-affine expression stays semi-affine unless the symbol is
    a number.
    """
    if not isinstance(expr, AffineBinaryOpExpr) or expr.is_pure_affine():
        return expr.replace_dims_and_symbols(dims, symbols)
    lhs, rhs = (replace_operands(side, dims, symbols) for side in (expr.lhs, expr.rhs))
    numbers = [isinstance(side, AffineConstantExpr) for side in (lhs, rhs)]
    if numbers[1] or expr.kind is AffineBinaryOpKind.Add:
        return AffineExpr.binary(expr.kind, lhs, rhs)
    if numbers[0] and expr.kind is AffineBinaryOpKind.Mul:
        return AffineExpr.binary(expr.kind, rhs, lhs)
    return AffineBinaryOpExpr(expr.kind, lhs, rhs)
