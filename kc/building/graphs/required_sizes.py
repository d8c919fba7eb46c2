"""The conditions of kernels on sizes, as conditions of the function that calls them.

Two names that an operator takes as equal, as in ``graph.add`` of ``tensor<?xf32, n>`` and
``tensor<?xf32, m>``, are a condition ``m - n == 0`` of its kernel (``kc.requires``). The kernel is
called by code that checks nothing, so the condition is one of the whole function, in its names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, StringAttr
from xdsl.dialects.func import FuncOp as KernelOp
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from kc.dialects.graph.functions import FuncOp
from kc.dialects.graph.sizes import (
    MaybeSize,
    Quotient,
    Size,
    SizeExpr,
    ceil_div,
    dimension,
    size_of_text,
    substitute,
)
from kc.dialects.graph.types import TensorSpec
from kc.dialects.size_requirements import SizeRequirement, requirements_of
from kc.graph.signature import argument_leaves


@dataclass(frozen=True)
class RequiredSize:
    """``size == 0`` or ``size >= 0``, unless one of some sizes is 0."""

    relation: str
    size: Size
    unless_empty: tuple[Size, ...]
    why: str

    def as_texts(self) -> tuple[str, ...]:
        """The fields as texts."""
        return self.relation, str(self.size), self.why, *map(str, self.unless_empty)

    @classmethod
    def of_texts(cls, texts: Sequence[str]) -> RequiredSize:
        """The inverse of :meth:`as_texts`."""
        relation, size, why, *unless = texts
        return cls(relation, size_of_text(size), tuple(map(size_of_text, unless)), why)

    def substituted(self, values: Mapping[str, Size]) -> RequiredSize:
        """The condition with other sizes for its names."""
        sizes = [substitute(size, values) for size in (self.size, *self.unless_empty)]
        size, *unless = (size for size in sizes if size is not None)
        return RequiredSize(self.relation, size, tuple(unless), self.why)

    @property
    def always_holds(self) -> bool:
        """True if the condition holds whatever the sizes are."""
        if not isinstance(self.size, int):
            return False
        return self.size == 0 if self.relation == "==" else self.size >= 0

    @property
    def names(self) -> frozenset[str]:
        """The names of the sizes in it."""
        sizes = (self.size, *self.unless_empty)
        return frozenset().union(*(size.names for size in sizes if isinstance(size, SizeExpr)))

    def requirement(self, symbols: Sequence[str]) -> SizeRequirement:
        """The condition for a function that has these symbols."""
        products: list[tuple[AffineExpr, ...]] = []
        size = _affine(self.size, symbols, products)
        unless = tuple(
            AffineConstantExpr(size) if isinstance(size, int) else _affine(size, symbols, products)
            for size in self.unless_empty
        )
        condition = AffineConstraintExpr(
            AffineConstraintKind(self.relation), size, AffineConstantExpr(0)
        )
        return SizeRequirement(condition, tuple(products), unless, self.why)


def required_sizes(kernel: KernelOp, specs: Sequence[TensorSpec]) -> Iterator[RequiredSize]:
    """The conditions of a kernel, in the names of its group, except those that always hold.

    ``specs`` are the types of its arguments in the group.
    """
    values = _symbol_values(kernel, specs)
    for requirement in requirements_of(kernel):
        dims: list[Size] = []
        for factors in requirement.factors:
            product: Size = 1
            for factor in factors:
                product = product * _size(factor, values, ())
            dims.append(product)
        condition = requirement.condition
        left, right = (_size(side, values, dims) for side in (condition.lhs, condition.rhs))
        if condition.kind is AffineConstraintKind.le:
            left, right = right, left
        relation = "==" if condition.kind is AffineConstraintKind.eq else ">="
        unless = tuple(_size(expr, values, dims) for expr in requirement.unless_empty)
        required = RequiredSize(relation, left - right, unless, requirement.why)
        if not required.always_holds:
            yield required


def names_of_caller(group: FuncOp, specs: Sequence[TensorSpec]) -> dict[str, Size]:
    """The sizes of a caller for the names of a group whose arguments have these types."""
    values: dict[str, Size] = {}
    for (_, own), spec in zip(argument_leaves(group), specs, strict=True):
        for size, actual in zip(own.shape, spec.shape, strict=True):
            name = _name_alone(size)
            if name is not None and actual is not None:
                values.setdefault(name, actual)
    return values


def _name_alone(size: MaybeSize) -> str | None:
    """The name that a size is; None for a number or a sum."""
    if not isinstance(size, SizeExpr) or len(size.names) != 1:
        return None
    (name,) = size.names
    return name if size == dimension(name) else None


def _symbol_values(kernel: KernelOp, specs: Sequence[TensorSpec]) -> list[Size | None]:
    """The sizes that the symbols of a kernel are: by their names, or as a dimension of an argument
    that is a symbol alone."""
    symbols = kernel.attributes.get("kc.symbols")
    listed_names = symbols if isinstance(symbols, ArrayAttr) else ()
    names = [name.data for name in listed_names if isinstance(name, StringAttr)]
    sizes = [size for spec in specs for size in spec.shape if isinstance(size, SizeExpr)]
    declared = {name for size in sizes for name in size.names}
    values: list[Size | None] = [dimension(name) if name in declared else None for name in names]
    listed = kernel.arg_attrs.data if kernel.arg_attrs is not None else ()
    for attrs, spec in zip(listed, specs, strict=False):
        shape = attrs.data.get("kc.shape")
        if not isinstance(shape, AffineMapAttr):
            continue
        for size, expr in zip(spec.shape, shape.data.results, strict=True):
            if isinstance(expr, AffineSymExpr) and size is not None:
                values[expr.position] = size
    return values


def _size(expr: AffineExpr, values: Sequence[Size | None], dims: Sequence[Size]) -> Size:
    """An affine expression as a size."""
    match expr:
        case AffineConstantExpr():
            return expr.value
        case AffineSymExpr():
            value = values[expr.position]
            assert value is not None, "a symbol of a kernel that no dimension is"
            return value
        case AffineDimExpr():
            return dims[expr.position]
        case AffineBinaryOpExpr():
            left, right = _size(expr.lhs, values, dims), _size(expr.rhs, values, dims)
            match expr.kind:
                case AffineBinaryOpKind.Add:
                    return left + right
                case AffineBinaryOpKind.Mul:
                    return left * right
                case _:
                    assert isinstance(right, int)
            if expr.kind is AffineBinaryOpKind.Mod:
                return left % right
            if expr.kind is AffineBinaryOpKind.FloorDiv:
                return left // right
            return ceil_div(left, right)
        case _:
            raise AssertionError(f"{expr} is no affine expression")


def _affine(
    size: Size, symbols: Sequence[str], products: list[tuple[AffineExpr, ...]]
) -> AffineExpr:
    """A size in the symbols of a function; products of sizes are appended to ``products``."""
    if isinstance(size, int):
        return AffineConstantExpr(size)
    total: AffineExpr = AffineConstantExpr(0)
    for factors, coefficient in size.terms:
        parts = tuple(_factor(factor, symbols, products) for factor in factors)
        if not parts:
            total = total + coefficient
            continue
        if len(parts) == 1:
            product = parts[0]
        else:
            products.append(parts)
            product = AffineDimExpr(len(products) - 1)
        total = total + product * coefficient
    return total


def _factor(
    factor: str | Quotient, symbols: Sequence[str], products: list[tuple[AffineExpr, ...]]
) -> AffineExpr:
    if isinstance(factor, str):
        return AffineSymExpr(symbols.index(factor))
    dividend = _affine(factor.dividend, symbols, products)
    return dividend % factor.divisor if factor.is_remainder else dividend // factor.divisor
