"""Custom assembly for affine expressions over SSA values: ``[%i * 32 + %ii, %k floordiv 4]``.

Index expressions are affine maps whose dimensions are the op's operands; conditions are affine
sets in the normal form ``expr >= 0`` or ``expr == 0``. Both print with the operands in place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import StringIO
from typing import cast

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
    AffineSet,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from kc.support.affine_parser import BoundedAffineParser

ZERO = AffineExpr.constant(0)


class AffineOperandsParser:
    """Parses affine expressions over SSA names, numbering the operands as they first appear."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._affine = BoundedAffineParser(parser._parser_state)
        self._position: dict[tuple[str, int], int] = {}
        self._names: list[UnresolvedOperand] = []

    def _operand(self) -> AffineExpr | None:
        operand = self._parser.parse_optional_unresolved_operand()
        if operand is None:
            return None
        key = (operand.span.text, operand.index)
        if key not in self._position:
            self._position[key] = len(self._names)
            self._names.append(operand)
        return AffineExpr.dimension(self._position[key])

    def expr(self) -> AffineExpr:
        """One affine expression."""
        return self._affine._parse_affine_expr(self._operand)

    def constraint(self) -> AffineConstraintExpr:
        """``a < b``, ``a <= b``, ``a > b``, ``a >= b`` or ``a == b``, in normal form."""
        parser = self._parser
        lhs = self.expr()
        if parser.parse_optional_punctuation("="):
            parser.parse_punctuation("=", " in a condition (==)")
            return AffineConstraintExpr(AffineConstraintKind.eq, lhs - self.expr(), ZERO)
        less = parser.parse_optional_punctuation("<") is not None
        if not less:
            parser.parse_punctuation(">", " in a condition (one of <, <=, >, >=, ==)")
        strict = parser.parse_optional_punctuation("=") is None
        rhs = self.expr()
        return at_least_zero((rhs - lhs if less else lhs - rhs) - int(strict))

    def exprs(self, delimiter: Parser.Delimiter = Parser.Delimiter.SQUARE) -> list[AffineExpr]:
        """A delimited list of expressions."""
        return self._parser.parse_comma_separated_list(delimiter, self.expr)

    def constraints(self) -> list[AffineConstraintExpr]:
        """A parenthesised list of conditions."""
        return self._parser.parse_comma_separated_list(Parser.Delimiter.PAREN, self.constraint)

    def operands(self) -> list[SSAValue]:
        """The operands seen so far; dimension ``n`` of every expression is operand ``n``."""
        index = IndexType()
        return [cast(SSAValue, self._parser.resolve_operand(name, index)) for name in self._names]

    def map_of(self, exprs: Sequence[AffineExpr]) -> AffineMap:
        """The expressions as one map over all operands."""
        return AffineMap(len(self._names), 0, tuple(exprs))

    def set_of(self, constraints: Sequence[AffineConstraintExpr]) -> AffineSet:
        """The conditions as one set over all operands."""
        return AffineSet(len(self._names), 0, tuple(constraints))


def at_least_zero(expr: AffineExpr) -> AffineConstraintExpr:
    """The condition ``expr >= 0``."""
    return AffineConstraintExpr(AffineConstraintKind.ge, expr, ZERO)


def linear_terms(expr: AffineExpr) -> tuple[dict[AffineExpr, int], int]:
    """``expr`` as atoms (dimensions, divisions, remainders) with coefficients, and a constant."""
    terms: dict[AffineExpr, int] = {}
    constant = 0
    work = [(expr, 1)]
    # The types are compared as such: isinstance is slow on xDSL's expressions, which have an ABC.
    while work:
        part, factor = work.pop()
        if type(part) is AffineConstantExpr:
            constant += factor * part.value
            continue
        if type(part) is AffineBinaryOpExpr:
            lhs, rhs = part.lhs, part.rhs
            if part.kind is AffineBinaryOpKind.Add:
                work += [(rhs, factor), (lhs, factor)]
                continue
            if part.kind is AffineBinaryOpKind.Mul:
                if type(rhs) is AffineConstantExpr:
                    work.append((lhs, factor * rhs.value))
                    continue
                if type(lhs) is AffineConstantExpr:
                    work.append((rhs, factor * lhs.value))
                    continue
        terms[part] = terms.get(part, 0) + factor
    return {atom: factor for atom, factor in terms.items() if factor}, constant


def from_terms(terms: Mapping[AffineExpr, int], constant: int) -> AffineExpr:
    """The inverse of :func:`linear_terms`."""
    result: AffineExpr | None = None
    for atom, factor in terms.items():
        # Written out for speed: nothing folds in a sum of dimensions and constants.
        if factor == 1:
            term = atom
        elif type(atom) is AffineDimExpr:
            term = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, atom, AffineConstantExpr(factor))
        else:
            term = atom * factor
        if result is None:
            result = term
        elif type(atom) is AffineDimExpr:
            result = AffineBinaryOpExpr(AffineBinaryOpKind.Add, result, term)
        else:
            result = result + term
    if result is None:
        return AffineExpr.constant(constant)
    return result + constant if constant else result


_TOKEN = {
    AffineBinaryOpKind.Mod: "mod",
    AffineBinaryOpKind.FloorDiv: "floordiv",
    AffineBinaryOpKind.CeilDiv: "ceildiv",
}


def affine_text(expr: AffineExpr, name: Callable[[int], str]) -> str:
    """``expr`` in MLIR's syntax; ``name(n)`` is the text of dimension ``n``."""

    def atom(part: AffineExpr) -> str:
        if isinstance(part, AffineDimExpr):
            return name(part.position)
        if isinstance(part, AffineBinaryOpExpr) and part.kind in _TOKEN:
            return f"{operand(part.lhs)} {_TOKEN[part.kind]} {operand(part.rhs)}"
        return f"({affine_text(part, name)})"

    def operand(part: AffineExpr) -> str:
        text = affine_text(part, name)
        simple = isinstance(part, AffineDimExpr) or (
            isinstance(part, AffineConstantExpr) and part.value >= 0
        )
        return text if simple else f"({text})"

    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Mul:
        if not isinstance(expr.rhs, AffineConstantExpr):
            return f"{operand(expr.lhs)} * {operand(expr.rhs)}"
    terms, constant = linear_terms(expr)
    text = ""
    for part, factor in terms.items():
        word = atom(part)
        if abs(factor) != 1:
            if not isinstance(part, AffineDimExpr) and not word.startswith("("):
                word = f"({word})"
            word = f"{word} * {abs(factor) if text else factor}"
        elif factor < 0 and not text:
            word = f"{word} * -1"
        text += f" + {word}" if text and factor > 0 else f" - {word}" if text else word
    if not text:
        return str(constant)
    if constant:
        text += f" + {constant}" if constant > 0 else f" - {-constant}"
    return text


def condition_text(constraint: AffineConstraintExpr, name: Callable[[int], str]) -> str:
    """A condition in conventional notation: the smaller side on the left of ``<``."""
    expr = constraint.lhs - constraint.rhs
    if constraint.kind is AffineConstraintKind.le:
        expr = expr * -1
    terms, constant = linear_terms(expr)
    small = {atom: -factor for atom, factor in terms.items() if factor < 0}
    large = {atom: factor for atom, factor in terms.items() if factor > 0}
    if constraint.kind is AffineConstraintKind.eq:
        lhs, rhs = from_terms(large, 0), from_terms(small, -constant)
        return f"{affine_text(lhs, name)} == {affine_text(rhs, name)}"
    if not small:
        return f"{affine_text(from_terms(large, 0), name)} >= {-constant}"
    rhs = from_terms(large, constant + 1)
    return f"{affine_text(from_terms(small, 0), name)} < {affine_text(rhs, name)}"


def print_exprs(
    printer: Printer, exprs: Sequence[AffineExpr], operands: Sequence[SSAValue]
) -> None:
    """Print ``e0, e1`` with operand names."""
    name = operand_namer(printer, operands)
    printer.print_string(", ".join(affine_text(expr, name) for expr in exprs))


def print_conditions(printer: Printer, affine_set: AffineSet, operands: Sequence[SSAValue]) -> None:
    """Print ``(c0, c1)`` with operand names."""
    name = operand_namer(printer, operands)
    text = ", ".join(condition_text(constraint, name) for constraint in affine_set.constraints)
    printer.print_string(f"({text})")


def operand_namer(printer: Printer, operands: Sequence[SSAValue]) -> Callable[[int], str]:
    """The printed name (``%i``) of operand ``n``."""

    def name(position: int) -> str:
        stream, printer.stream = printer.stream, StringIO()
        try:
            return f"%{printer.print_ssa_value(operands[position])}"
        finally:
            printer.stream = stream

    return name
