"""Affine expressions as text of TVMScript."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineExpr,
)

from kc.dialects.affine_assembly import linear_terms
from kc.tvm.tvmscript.literals import Code


def affine_text(expr: AffineExpr, root: object) -> Code:
    """An affine expression; ``root(n, nested)`` is the text of dimension n."""
    name = root  # a function from a position and the flag "is an operand" to a name

    def atom(part: AffineExpr, nested: bool) -> str:
        if isinstance(part, AffineBinaryOpExpr):
            left, right = of(part.lhs), of(part.rhs)
            sign = {AffineBinaryOpKind.FloorDiv: "//", AffineBinaryOpKind.Mod: "%"}.get(part.kind)
            if part.kind is AffineBinaryOpKind.CeilDiv:
                left = of(part.lhs + part.rhs - 1)
                sign = "//"
            text = f"{left.operand} {sign or '*'} {right.operand}"
            return f"({text})" if nested else text
        return name(part.position, nested)  # pyright: ignore

    def of(whole: AffineExpr) -> Code:
        terms, constant = linear_terms(whole)
        nonzero = [(part, factor) for part, factor in terms.items() if factor]
        if not nonzero:
            return Code(_index(constant), "int32", atomic=constant >= 0, constant=True)
        # Positive terms come first: a - b, not -b + a.
        nonzero.sort(key=lambda term: term[1] < 0)
        alone = len(nonzero) == 1 and not constant
        text = ""
        for part, factor in nonzero:
            size = abs(factor)
            if size == 1:
                word = atom(part, not (alone and factor == 1))
            else:
                word = f"{atom(part, True)} * {_index(size)}"
            if not text:
                text = word if factor > 0 else f"{atom(part, True)} * {_index(factor)}"
            else:
                text = f"{text} {'+' if factor > 0 else '-'} {word}"
        if constant:
            text = f"{text} {'+' if constant > 0 else '-'} {_index(abs(constant))}"
        simple = alone and nonzero[0][1] == 1 and not isinstance(nonzero[0][0], AffineBinaryOpExpr)
        return Code(text, "int32", atomic=simple)

    return of(expr)


def text_over(expr: AffineExpr, names: Sequence[str]) -> str:
    """An expression over dimensions with ``names``."""
    return affine_text(expr, lambda n, _: names[n]).text


def _index(value: int) -> str:
    return str(value) if -(2**31) <= value < 2**31 else f"T.int64({value})"
