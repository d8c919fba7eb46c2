"""Sums of products in Einstein's notation, and determinants."""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.graph.declaration import (
    Operator,
    Pattern,
    RelationError,
    operator,
)
from kc.dialects.graph.operators._relations import (
    NUMBERS,
    WORDS,
    broadcast_shapes,
    joined,
    require_dtype,
    require_same,
    same_dtype,
)
from kc.dialects.graph.sizes import MaybeSize
from kc.dialects.graph.types import TensorSpec


@operator
class Einsum(Operator):
    """The sum of products that ``equation`` writes, as numpy's: ``"ij,jk->ik"``.

    A letter names a dimension; a dimension that the result lacks is summed over, one that is named
    twice in an operand is its diagonal. Without an arrow the result has the letters that occur
    once, in alphabetical order. An ellipsis stands for all further dimensions, which are broadcast.
    """

    name = "einsum"
    inputs = ("*data",)
    pattern = Pattern.OUT_ELEMWISE_FUSABLE
    takes_tuple = True

    equation: str

    def infer(self, *data: TensorSpec) -> TensorSpec:
        if not data:
            raise RelationError("it takes one tensor or more")
        names = [f"data[{n}]" for n in range(len(data))]
        require_dtype(data[0], NUMBERS, names[0])
        dtype = same_dtype(data, names)
        terms, result = self._terms(len(data))
        sizes: dict[str, MaybeSize] = {}
        broadcast: list[tuple[MaybeSize, ...]] = []
        for term, operand, name in zip(terms, data, names, strict=True):
            head, dots, tail = term.partition("...")
            extra = operand.rank - len(head) - len(tail)
            if extra < 0 or (extra and not dots):
                raise RelationError(
                    f"{name} is {operand}, but {term!r} of the equation {self.equation!r} names "
                    f"{len(head) + len(tail)} dimensions"
                )
            end = operand.rank - len(tail)
            if dots:
                broadcast.append(operand.shape[len(head) : end])
            own = (*operand.shape[: len(head)], *operand.shape[end:])
            for letter, size in zip(head + tail, own, strict=True):
                what = f"the sizes of {letter} in {self.equation!r}"
                sizes[letter] = joined(sizes.get(letter, size), size, what)
        rest = broadcast_shapes(*broadcast) if broadcast else ()
        return TensorSpec(self._result_shape(terms, result, sizes, rest), dtype)

    def _terms(self, count: int) -> tuple[list[str], str | None]:
        """The letters of each operand, and of the result, if there is an arrow."""
        left, arrow, right = self.equation.replace(" ", "").partition("->")
        terms = left.split(",")
        for term in (*terms, right):
            letters = term.replace("...", "", 1)
            if letters and not (letters.isascii() and letters.isalpha()):
                raise RelationError(
                    f"equation is {self.equation!r}, but has letters, an ellipsis for each "
                    "operand, commas and one arrow"
                )
        if len(terms) != count:
            raise RelationError(
                f"equation is {self.equation!r}, for {len(terms)} operands, but there are {count}"
            )
        return terms, right if arrow else None

    def _result_shape(
        self,
        terms: Sequence[str],
        result: str | None,
        sizes: dict[str, MaybeSize],
        rest: tuple[MaybeSize, ...],
    ) -> tuple[MaybeSize, ...]:
        if result is None:
            every = "".join(terms)
            single = sorted(letter for letter in sizes if every.count(letter) == 1)
            return (*rest, *(sizes[letter] for letter in single))
        head, dots, tail = result.partition("...")
        for letter in head + tail:
            if letter not in sizes or result.count(letter) > 1:
                raise RelationError(
                    f"equation is {self.equation!r}, whose result names {letter!r}, which must be "
                    "in an operand, and named once"
                )
        if rest and not dots:
            raise RelationError(
                f"equation is {self.equation!r}, whose result lacks the ellipsis of an operand"
            )
        return (*(sizes[c] for c in head), *rest, *(sizes[c] for c in tail))


@operator
class Det(Operator):
    """The determinants of square matrices; kc's own."""

    name = "det"
    inputs = ("data",)
    pattern = Pattern.OPAQUE

    def infer(self, data: TensorSpec) -> TensorSpec:
        require_dtype(data, WORDS, "data")
        if data.rank < 2:
            raise RelationError(f"data is {data}, but must have 2 dimensions or more")
        require_same(data.shape[-2], data.shape[-1], "the sizes of the matrices")
        return TensorSpec(data.shape[:-2], data.dtype)
