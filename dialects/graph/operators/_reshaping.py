"""The shapes that Relay's codes of ``reshape`` stand for."""

from __future__ import annotations

from collections.abc import Sequence

from kc.dialects.graph.declaration import RelationError
from kc.dialects.graph.sizes import MaybeSize, SizeExpr, product_of


def reshaped(
    shape: Sequence[MaybeSize], newshape: Sequence[MaybeSize], allowzero: bool = False
) -> tuple[MaybeSize, ...]:
    """The shape that ``newshape`` stands for, of a tensor of ``shape``.

    A size in it is that size. 0 is the size at the same place of the tensor (with ``allowzero``
    the size 0), -1 is computed from the rest, -2 stands for all remaining sizes, -3 is the product
    of the next two, and -4 splits the next size into the two that follow, one of which may be -1.

    Raises RelationError for codes that do not fit, or another number of elements.
    """
    return _Reshape(shape, newshape, allowzero).result()


class _Reshape:
    """One reading of the codes, from left to right."""

    def __init__(
        self, shape: Sequence[MaybeSize], codes: Sequence[MaybeSize], allowzero: bool
    ) -> None:
        self.shape, self.codes, self.allowzero = tuple(shape), tuple(codes), allowzero
        self.source = 0
        """The next size of the tensor."""
        self.sizes: list[MaybeSize] = []
        self.inferred: int | None = None
        """The place of the size that is computed."""
        self.copied: set[int] = set()
        self.copies: set[int] = set()
        """The sizes of the tensor that the result has too, and their places there."""

    def refuse(self, why: str) -> RelationError:
        written = ", ".join("?" if size is None else str(size) for size in self.codes)
        own = ", ".join("?" if size is None else str(size) for size in self.shape)
        return RelationError(f"data of the shape ({own}) to newshape ({written}): {why}")

    def taken(self) -> MaybeSize:
        """The next size of the tensor."""
        if self.source >= len(self.shape):
            raise self.refuse(f"data has no dimension {self.source}")
        self.source += 1
        return self.shape[self.source - 1]

    def copy(self) -> None:
        self.copied.add(self.source)
        self.copies.add(len(self.sizes))
        self.sizes.append(self.taken())

    def infer_here(self) -> None:
        if self.inferred is not None:
            raise self.refuse("there is more than one -1")
        self.inferred = len(self.sizes)
        self.sizes.append(1)

    def result(self) -> tuple[MaybeSize, ...]:
        codes = iter(self.codes)
        for code in codes:
            match code:
                case 0 if not self.allowzero:
                    self.copy()
                case -1:
                    self.infer_here()
                    self.source += 1
                case -2:
                    while self.source < len(self.shape):
                        self.copy()
                case -3:
                    self.sizes.append(product_of((self.taken(), self.taken())))
                case -4:
                    parts = next(codes, -2), next(codes, -2)
                    self.sizes += self.split(self.taken(), *parts)
                case int() if code < 0:
                    raise self.refuse(f"{code} is neither a size nor a code")
                case _:
                    self.sizes.append(code)
                    self.source += 1
        self.fill()
        return tuple(self.sizes)

    def split(self, size: MaybeSize, first: MaybeSize, second: MaybeSize) -> list[MaybeSize]:
        """The two sizes into which -4 splits a size."""
        for part in (first, second):
            if isinstance(part, int) and part < -1:
                raise self.refuse("-4 is followed by two sizes, one of which may be -1")
        if first == -1 and second == -1:
            raise self.refuse("-4 is followed by -1 twice")
        if first == -1:
            return [self.quotient(size, second), second]
        if second == -1:
            return [first, self.quotient(size, first)]
        product = product_of((first, second))
        if isinstance(product, int) and isinstance(size, int) and product != size:
            raise self.refuse(f"{first} * {second} is not {size}")
        return [first, second]

    def fill(self) -> None:
        """Compute the size of -1, or compare the numbers of elements."""
        own = product_of(s for n, s in enumerate(self.shape) if n not in self.copied)
        rest = product_of(s for n, s in enumerate(self.sizes) if n not in self.copies)
        if self.inferred is not None:
            if product_of(self.sizes) == 0:
                raise self.refuse("the size of -1 may be any one beside a size of 0")
            self.sizes[self.inferred] = self.quotient(own, rest)
            return
        numbers = product_of(self.shape), product_of(self.sizes)
        same = own == rest or numbers[0] == numbers[1]
        if not same and all(isinstance(number, int) for number in numbers):
            raise self.refuse(f"it has {numbers[0]} elements, the result {numbers[1]}")

    def quotient(self, size: MaybeSize, divisor: MaybeSize) -> MaybeSize:
        """``size / divisor``: None if it is not known."""
        if size is None or divisor is None:
            return None
        if isinstance(divisor, int):
            if divisor == 0:
                raise self.refuse("the size of -1 may be any one beside a size of 0")
            if isinstance(size, int) and size % divisor:
                raise self.refuse(f"{size} elements are not divided by {divisor}")
            return size // divisor
        if not isinstance(size, SizeExpr):
            return 0 if size == 0 else None
        try:
            return size // divisor
        except ValueError:
            return None
