"""Index maps: the position of each element in a layout, ``(i, j)->(i floordiv 4, j, i mod 4)``.

A map is text in MLIR's syntax (or Python's: ``//``, ``%``, ``lambda i, j: [...]``), an
``affine_map`` attribute, or a Python function of indices::

    IndexMap.of("(i, j)->(i floordiv 4, j, i mod 4)")
    IndexMap.of(lambda i, j: [i // 4, j, i % 4])
    IndexMap.of(lambda i, j: [i, AXIS_SEPARATOR, j])  # separates the axes of physical memory

    IndexMap.of("(i, j)->(i, j xor i mod 8)")  # in Python: j ^ i % 8

Results are affine: sums of indices times constants, quotients (rounded down) by positive constants,
and remainders of such divisions. ``xor`` is affine, too, if one operand has a few bits that do not
depend on sizes: bit ``n`` of a result is ``(a floordiv 2**n + b floordiv 2**n) mod 2``. All
analyses of affine maps therefore apply to it, such as injectivity and the unreached positions.
Malformed text is a ValueError; a function with an invalid result is a :class:`ScheduleError`
(KC3500).
"""

from __future__ import annotations

import inspect
import keyword
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, NamedTuple, Protocol, Self

from xdsl.dialects.builtin import AffineMapAttr, StringAttr
from xdsl.ir import Attribute
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineExpr,
    AffineMap,
)

from kc.analysis.affine.affine_relations import Box, inverse
from kc.analysis.affine.simplify_affine import Bounds, bounds, simplify
from kc.analysis.affine.terms import Term, dim, term_of
from kc.analysis.gpu.vector_alignment import divisor
from kc.dialects.affine_assembly import affine_text, from_terms, linear_terms
from kc.support.diagnostics import ScheduleError
from kc.support.locations import caller_location
from kc.transforms.schedule.base import CALL_SITE


class _Separator:
    """The separator between axes of physical memory in the results of an index map."""

    def __repr__(self) -> str:
        return "axis_separator"


AXIS_SEPARATOR = _Separator()


@dataclass(frozen=True)
class IndexMap:
    """The map with ``results`` over dimensions with ``names``, and axis separators at
    ``separators``.

    Separator ``n`` precedes result ``n``.
    """

    AXIS_SEPARATOR: ClassVar[_Separator] = AXIS_SEPARATOR
    python: ClassVar[str] = "IndexFunction | IndexMap | str"

    names: tuple[str, ...]
    results: tuple[AffineExpr, ...]
    separators: tuple[int, ...] = ()

    @classmethod
    def from_option(cls, text: str) -> Self:
        """The map in the text of an option. Raises ValueError."""
        return _Reader(text).read(cls)

    @classmethod
    def of(cls, value: Any) -> Self:
        """The map for a Python value, an attribute or a text. Raises ScheduleError KC3500."""
        if isinstance(value, IndexMap):
            return cls(value.names, value.results, value.separators)
        if isinstance(value, AffineMapAttr | AffineMap):
            map_ = value.data if isinstance(value, AffineMapAttr) else value
            if map_.num_symbols:
                raise _unusable(f"{map_} has symbols", "an index map has only dimensions")
            results = [_checked(expr) for expr in map_.results]
            return cls(tuple(f"d{n}" for n in range(map_.num_dims)), tuple(results))
        if isinstance(value, StringAttr | str):
            text = value.data if isinstance(value, StringAttr) else value
            try:
                return cls.from_option(text)
            except ValueError as error:
                raise _unusable(f"'{text}' is not an index map", str(error)) from error
        if callable(value):
            return cls.from_func(value)
        raise _unusable(
            f"{type(value).__name__} is not an index map",
            "it must be a function of indices, or text",
        )

    @classmethod
    def from_func(
        cls, function: IndexFunction, ndim: int | None = None, *, index_dtype: str = "int32"
    ) -> Self:
        """The map that ``function`` computes; ``ndim`` is required for a function of ``*indices``.

        Parameters after ``*indices`` are the last indices: ``lambda *i, n: [*i, n // 4, n % 4]``.
        ``index_dtype`` is TVM's type of the indices. It has no effect: kc's indices have 64 bits.
        Raises ScheduleError KC3500.
        """
        if index_dtype not in ("int32", "int64"):
            raise _unusable(
                f"index_dtype is {index_dtype!r}", "indices are integers", 'index_dtype="int64"'
            )
        if not callable(function):
            raise _unusable(
                f"{_shown(function)} is not an index map", "it must be a function of indices"
            )
        names, last = _parameters(function, ndim)
        indices = [Index(AffineExpr.dimension(n)) for n in range(len(names))]
        first = len(names) - len(last)
        returned = function(*indices[:first], **dict(zip(last, indices[first:], strict=True)))
        if isinstance(returned, Index | int):
            returned = [returned]
        if not isinstance(returned, Iterable):
            raise _unusable(
                f"the index map returns {_shown(returned)}", "it must return a list of indices"
            )
        results: list[AffineExpr] = []
        separators: list[int] = []
        for item in returned:
            if item is AXIS_SEPARATOR:
                separators.append(len(results))
                continue
            expr = _expr_of(item)
            if expr is None:
                raise _unusable(f"the index map returns {_shown(item)}", _AFFINE)
            results.append(_checked(expr))
        return cls(names, tuple(results), tuple(separators))

    @classmethod
    def from_func_with_separators(
        cls, mapping_function: IndexFunction, ndim: int | None = None, *, index_dtype: str = "int32"
    ) -> tuple[Self, list[int]]:
        """The map of the function without its separators, and the separators (TVM)."""
        whole = cls.from_func(mapping_function, ndim, index_dtype=index_dtype)
        return cls(whole.names, whole.results), list(whole.separators)

    def attr(self) -> Attribute:
        """The map as an attribute for :meth:`of`: an affine map, or text for separators and
        ``xor``.
        """
        is_text = self.separators or self.is_swizzle
        return StringAttr(str(self)) if is_text else AffineMapAttr(self.map)

    @property
    def map(self) -> AffineMap:
        """The results as an affine map."""
        return AffineMap(len(self.names), 0, self.results)

    def map_indices(self, indices: Sequence[int]) -> list[int]:
        """The new position of the element at ``indices`` (TVM)."""
        return list(self.map.eval(list(indices), []))

    def map_shape(self, shape: Sequence[int]) -> list[int]:
        """The new shape of a buffer of ``shape`` (TVM): the largest values of the results, plus 1.

        Raises ScheduleError KC3500 if ``shape`` does not have one dimension for each index.
        """
        if len(shape) != len(self.names):
            raise _unusable(
                f"{self} of a shape with {len(shape)} dimensions", "it needs an index for each"
            )
        ranges: list[Bounds] = [(0, int(size) - 1) for size in shape]
        highs = [bounds(simplify(expr, ranges), ranges)[1] for expr in self.results]
        return [0 if high is None else high + 1 for high in highs]

    def inverse(self, shape: Sequence[int]) -> IndexMap:
        """The map from the new positions of the elements of a buffer of ``shape`` to their indices
        (TVM).

        Raises ScheduleError KC3500 if the inverse is not a single affine map.
        """
        sizes = tuple(AffineExpr.constant(int(size)) for size in shape)
        back = inverse(self.results, Box(sizes))
        if back is None:
            raise _unusable(f"{self} has no inverse that is an index map", _AFFINE)
        return IndexMap(tuple(f"x{n}" for n in range(len(self.results))), back)

    def is_equivalent_to(self, index_map: IndexMap) -> bool:
        """True if both maps have the same results, regardless of the names of the indices (TVM)."""
        return (self.map, self.separators) == (index_map.map, index_map.separators)

    @property
    def is_swizzle(self) -> bool:
        """True if a result is computed with ``xor``."""
        return any(_xor_in(linear_terms(expr)[0]) is not None for expr in self.results)

    @property
    def is_identity(self) -> bool:
        """True if the map leaves every index at its position."""
        return self.map == AffineMap.identity(len(self.names)) and not self.separators

    def __str__(self) -> str:
        words = [_text(expr, self.names) for expr in self.results]
        for n in reversed(self.separators):
            words.insert(n, repr(AXIS_SEPARATOR))
        return f"({', '.join(self.names)})->({', '.join(words)})"


class _OfAllIndices(Protocol):
    """A function of any number of indices."""

    def __call__(self, *indices: Any) -> Any: ...


_A = Any
IndexFunction = (
    _OfAllIndices
    | Callable[[], Any]
    | Callable[[_A], Any]
    | Callable[[_A, _A], Any]
    | Callable[[_A, _A, _A], Any]
    | Callable[[_A, _A, _A, _A], Any]
    | Callable[[_A, _A, _A, _A, _A], Any]
    | Callable[[_A, _A, _A, _A, _A, _A], Any]
    | Callable[[_A, _A, _A, _A, _A, _A, _A], Any]
    | Callable[[_A, _A, _A, _A, _A, _A, _A, _A], Any]
)
"""A function of indices. Type checkers infer the parameters of a lambda from this type."""

_AFFINE = "results are sums of indices times constants, and quotients and remainders by constants"


class Index:
    """An index as the operand of a Python function: ``+``, ``-``, ``*``, ``//``, ``%``, ``^``.

    (An expression of xDSL is unsuitable: there, ``3 - i`` is ``i - 3``.)
    """

    def __init__(self, expr: AffineExpr) -> None:
        self.expr = expr

    def __add__(self, other: Any) -> Any:
        return _combine(self, other, lambda x, y: x + y)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return _combine(self, other, lambda x, y: x + y * -1)

    def __rsub__(self, other: Any) -> Any:
        return _combine(self, other, lambda x, y: y + x * -1)

    def __mul__(self, other: Any) -> Any:
        return _combine(self, other, _product)

    __rmul__ = __mul__

    def __neg__(self) -> Index:
        return Index(self.expr * -1)

    def __floordiv__(self, other: Any) -> Any:
        return _combine(self, other, _quotient)

    def __mod__(self, other: Any) -> Any:
        return _combine(self, other, _remainder)

    def __xor__(self, other: Any) -> Any:
        return _combine(self, other, xor)

    __rxor__ = __xor__

    def __repr__(self) -> str:
        return affine_text(self.expr, lambda n: f"d{n}")


def _combine(
    index: Index, operand: Any, make: Callable[[AffineExpr, AffineExpr], AffineExpr]
) -> Any:
    expr = _expr_of(operand)
    if expr is None:
        return NotImplemented
    try:
        return Index(make(index.expr, expr))
    except ValueError as error:
        raise _unusable("the index map is not affine", str(error)) from error


def _expr_of(value: Any) -> AffineExpr | None:
    if isinstance(value, Index):
        return value.expr
    if isinstance(value, bool):
        return None
    try:
        return AffineExpr.constant(value.__index__())
    except AttributeError:
        return None


def _product(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    if isinstance(lhs, AffineConstantExpr):
        lhs, rhs = rhs, lhs
    if not isinstance(rhs, AffineConstantExpr):
        raise ValueError("a product of two indices is not affine")
    return lhs * rhs


def _divisor(rhs: AffineExpr) -> int:
    if not isinstance(rhs, AffineConstantExpr):
        raise ValueError("a division by an index is not affine")
    if rhs.value < 1:
        raise ValueError(f"a division by {rhs.value}: divisors must be at least 1")
    return rhs.value


def _quotient(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    return lhs // _divisor(rhs)


def _ceiling(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    by = _divisor(rhs)
    return (lhs + (by - 1)) // by


def _remainder(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    return lhs % _divisor(rhs)


def xor(lhs: AffineExpr, rhs: AffineExpr) -> AffineExpr:
    """The bitwise exclusive or of two indices, as an affine expression of them.

    Raises ValueError unless one of them is provably at least 0 and less than 2**16.
    """
    widths = [_bits(lhs), _bits(rhs)]
    candidates = [width for width in widths if width is not None and width <= _MOST_BITS]
    if not candidates:
        raise ValueError(
            f"an operand of xor has at most {_MOST_BITS} bits, as a remainder does: i % 8"
        )
    width = min(candidates)
    if not width:
        return rhs if widths[0] == 0 else lhs
    for operand, masked in ((lhs, rhs), (rhs, lhs)):
        step = divisor(masked) & -divisor(masked)
        if step > 1:  # its low bits are 0
            terms, constant = linear_terms(masked)
            parts = {term: factor // step for term, factor in terms.items()}
            return xor(operand // step, from_terms(parts, constant // step)) * step + operand % step
    bits = [
        (lhs + rhs) % 2 if n == 0 else ((lhs // 2**n + rhs // 2**n) % 2) * 2**n
        for n in range(width)
    ]
    result = reduce(AffineExpr.__add__, bits)
    for operand, own in ((lhs, widths[0]), (rhs, widths[1])):
        if own is None or own > width:
            result = result + (operand // 2**width) * 2**width
    return result


_MOST_BITS = 16


def _bits(expr: AffineExpr) -> int | None:
    """The width of an expression that is never negative; None if the width is not evident."""
    most = _most(expr)
    return None if most is None else most.bit_length()


def _most(expr: AffineExpr) -> int | None:
    if isinstance(expr, AffineConstantExpr):
        return expr.value if expr.value >= 0 else None
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    if expr.kind is AffineBinaryOpKind.Mod and isinstance(expr.rhs, AffineConstantExpr):
        inner = _most(expr.lhs)
        return expr.rhs.value - 1 if inner is None else min(inner, expr.rhs.value - 1)
    lhs, rhs = _most(expr.lhs), _most(expr.rhs)
    if lhs is None or rhs is None:
        return None
    match expr.kind:
        case AffineBinaryOpKind.Add:
            return lhs + rhs
        case AffineBinaryOpKind.Mul:
            return lhs * rhs
        case AffineBinaryOpKind.FloorDiv:
            return lhs // rhs
        case _:
            return None


class _Xor(NamedTuple):
    """A part of a sum: ``factor`` times the xor of ``operands``, and its terms."""

    operands: tuple[AffineExpr, AffineExpr]
    factor: int
    terms: Mapping[AffineExpr, int]


def _xor_in(terms: Mapping[AffineExpr, int]) -> _Xor | None:
    """A result of :func:`xor` in a sum, identified by its lowest bit; None if the sum contains
    none.
    """
    for term, factor in terms.items():
        if not (
            isinstance(term, AffineBinaryOpExpr)
            and term.kind is AffineBinaryOpKind.Mod
            and term.rhs == AffineExpr.constant(2)
            and isinstance(total := term.lhs, AffineBinaryOpExpr)
            and total.kind is AffineBinaryOpKind.Add
        ):
            continue
        try:
            own, _ = linear_terms(xor(total.lhs, total.rhs))
        except ValueError:
            continue
        if all(terms.get(part) == by * factor for part, by in own.items()):
            return _Xor((total.lhs, total.rhs), factor, own)
    return None


def _text(expr: AffineExpr, names: Sequence[str]) -> str:
    """The text of ``expr``, with ``xor`` where it was used."""
    words = list(names)
    terms, constant = linear_terms(expr)
    while (part := _xor_in(terms)) is not None:
        lhs, rhs = (_text(operand, names) for operand in part.operands)
        words.append(f"({lhs} xor {f'({rhs})' if ' xor ' in rhs else rhs})")
        named = {AffineExpr.dimension(len(words) - 1): part.factor}
        terms = named | {key: value for key, value in terms.items() if key not in part.terms}
    text = affine_text(from_terms(terms, constant), lambda n: words[n])
    return text[1:-1] if text == words[-1] and len(words) > len(names) else text


def _checked(expr: AffineExpr) -> AffineExpr:
    """``expr``. Raises ScheduleError KC3500 if it is not affine or has a constant of more than 64
    bits.
    """

    def refuse() -> Term:
        raise _unusable(f"{expr} is not affine", _AFFINE)

    term_of(expr, lambda n: dim(str(n)), refuse)
    large = _too_large([expr])
    if large is not None:
        raise _unusable(f"{large} is not an index", "indices have 64 bits")
    return expr


def _too_large(exprs: Iterable[AffineExpr]) -> int | None:
    """A constant in ``exprs`` of more than 64 bits; None if all constants fit."""
    parts = (part for expr in exprs for part in expr.dfs())
    values = (constant.value for constant in parts if isinstance(constant, AffineConstantExpr))
    return next((value for value in values if not -(2**63) <= value < 2**63), None)


def _parameters(
    function: Callable[..., Any], ndim: int | None
) -> tuple[tuple[str, ...], list[str]]:
    """The names of all indices in order, and the names of the indices that are passed by
    keyword.
    """
    names: list[str] = []
    last: list[str] = []
    rest: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            raise _unusable(
                f"the index map takes **{parameter.name}", "each index must be a separate parameter"
            )
        if parameter.kind is parameter.VAR_POSITIONAL:
            rest = parameter.name
        elif parameter.kind is parameter.KEYWORD_ONLY:
            last.append(parameter.name)
        else:
            names.append(parameter.name)
    if rest is not None:
        if ndim is None:
            raise _unusable(
                f"the index map takes *{rest}",
                "the number of indices must be known",
                f"IndexMap.from_func(function, ndim=2), or name each: lambda {rest}0, {rest}1: ...",
            )
        count = ndim - len(last)
        taken = {*names, *last}
        for n in range(len(names), count):
            plain = f"{rest}{n}"
            names.append(f"{rest}_{n}" if plain in taken else plain)
    # Replace names that text cannot have: words of its grammar, and names that are not ASCII.
    shown = tuple(
        name if name.isascii() and name not in _RESERVED else f"i{n}"
        for n, name in enumerate((*names, *last))
    )
    return shown, last


def _shown(value: Any) -> str:
    return "nothing" if value is None else f"{type(value).__name__} {value!r}"


def _unusable(
    message: str, why: str, hint: str = "lambda i, j: [i // 4, j, i % 4]"
) -> ScheduleError:
    location = CALL_SITE.get() or caller_location()
    return ScheduleError("KC3500", message, location=location, why=why, hints=[hint])


# Text -----------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"\s*(?:(?P<word>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<sign>->|//|[-+*%^(),\[\]:<>]))"
)
_TERMS = {"+": lambda x, y: x + y, "-": lambda x, y: x + y * -1}
_FACTORS = {
    "*": _product,
    "//": _quotient,
    "floordiv": _quotient,
    "ceildiv": _ceiling,
    "%": _remainder,
    "mod": _remainder,
}
_XOR = ("xor", "^")
_RESERVED = {*_FACTORS, *_XOR, "axis_separator", "AXIS_SEPARATOR"}
_CLOSING = {"(": ")", "[": "]"}
LONGEST = 400
"""The maximum number of tokens of an index map, since functions on expressions are recursive."""


class _Reader:
    """The reader of ``(i, j)->(...)``, ``affine_map<(i, j) -> (...)>`` and ``lambda i, j:
    (...)``.
    """

    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        self.next = 0
        self.names: list[str] = []
        end = len(text.rstrip())
        place = 0
        while place < end:
            match = _TOKEN.match(text, place)
            if match is None:
                raise ValueError(f"unexpected '{text[place:].strip()[:1]}'")
            self.tokens.append(match.group().strip())
            place = match.end()
        if len(self.tokens) > LONGEST:
            raise ValueError(f"it is too long: {len(self.tokens)} words and symbols")

    def peek(self) -> str:
        return self.tokens[self.next] if self.next < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.next += 1
        return token

    def accept(self, token: str) -> bool:
        if self.peek() != token:
            return False
        self.next += 1
        return True

    def expect(self, token: str) -> None:
        if not self.accept(token):
            raise ValueError(f"expected '{token}', got {self.got()}")

    def got(self) -> str:
        return f"'{self.peek()}'" if self.peek() else "the end"

    def read(self, cls: type[Any]) -> Any:
        wrapped = self.accept("affine_map")
        if wrapped:
            self.expect("<")
        if self.accept("lambda"):
            while self.peek() != ":":
                self.name()
                if not self.accept(","):
                    break
            self.expect(":")
        else:
            self.expect("(")
            while self.peek() != ")":
                self.name()
                if not self.accept(","):
                    break
            self.expect(")")
            self.expect("->")
        results: list[AffineExpr] = []
        separators: list[int] = []
        opened = self.take()
        if opened not in _CLOSING:
            raise ValueError(f"expected '(' before the results, got '{opened or 'the end'}'")
        while self.peek() != _CLOSING[opened]:
            if self.peek() in ("axis_separator", "AXIS_SEPARATOR"):
                self.next += 1
                separators.append(len(results))
            else:
                results.append(self.index())
            if not self.accept(","):
                break
        self.expect(_CLOSING[opened])
        if wrapped:
            self.expect(">")
        if self.peek():
            raise ValueError(f"expected the end, got {self.got()}")
        large = _too_large(results)
        if large is not None:
            raise ValueError(f"{large} is not an index of 64 bits")
        return cls(tuple(self.names), tuple(results), tuple(separators))

    def name(self) -> None:
        name = self.take()
        if not name.isidentifier() or keyword.iskeyword(name) or name in _RESERVED:
            raise ValueError(f"expected the name of an index, got '{name or 'the end'}'")
        if name in self.names:
            raise ValueError(f"there are two indices '{name}'")
        self.names.append(name)

    def index(self) -> AffineExpr:
        expr = self.sum()
        while self.peek() in _XOR:
            self.next += 1
            expr = xor(expr, self.sum())
        return expr

    def sum(self) -> AffineExpr:
        expr = self.product()
        while self.peek() in _TERMS:
            expr = _TERMS[self.take()](expr, self.product())
        return expr

    def product(self) -> AffineExpr:
        expr = self.factor()
        while self.peek() in _FACTORS:
            expr = _FACTORS[self.take()](expr, self.factor())
        return expr

    def factor(self) -> AffineExpr:
        if self.accept("-"):
            return self.factor() * -1
        if self.accept("("):
            expr = self.index()
            self.expect(")")
            return expr
        token = self.take()
        if token.isdecimal():
            return AffineExpr.constant(int(token))
        if token in self.names:
            return AffineExpr.dimension(self.names.index(token))
        if token.isidentifier():
            raise ValueError(f"unknown index '{token}'")
        raise ValueError(f"expected an index or a number, got '{token or 'the end'}'")


def depends_on(expr: AffineExpr) -> set[int]:
    """The dimensions in ``expr`` that do not cancel."""
    terms, _ = linear_terms(expr)
    return {n for atom in terms for n in atom.used_dims()}


def text_of(exprs: Sequence[AffineExpr], names: Sequence[str]) -> str:
    """The text of a list of expressions: ``[i floordiv 4, j]``."""
    return f"[{', '.join(affine_text(expr, lambda n: names[n]) for expr in exprs)}]"
