"""Dimensions of arguments that are expressions of sizes: ``n * m``, ``n // x``, ``m * 4``.

The call reads the dimension from the array, as a size with its own name, and checks its value:
``C_0 == n * m``. A size that only such a dimension determines, as the ``m`` of
``placeholder((m * 4,))``, is computed from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.ir.affine import AffineConstraintExpr, AffineConstraintKind, AffineExpr

from kc.dialects.affine_assembly import ZERO
from kc.dialects.size_requirements import SizeRequirement
from kc.expr.constructors import Binary, Const, Var
from kc.expr.tensor import Tensor
from kc.support.fresh_names import fresh_name

ToAffine = Callable[[Any, Callable[[Binary], AffineExpr] | None], AffineExpr]
"""A function from a dimension to an affine expression over symbols, and over the values that its
second argument returns for products.
"""


@dataclass(frozen=True)
class Through:
    """A size that a dimension determines: ``dimension == size * factor + offset``."""

    dimension: Var
    factor: int
    offset: int


@dataclass
class OwnDimensions:
    """The dimensions of arguments that get a name of their own."""

    names: dict[tuple[Tensor, int], Var] = field(default_factory=dict)
    determined: dict[Var, Through] = field(default_factory=dict)

    def find(self, tensors: Sequence[Tensor], bound: set[Var], taken: set[str]) -> None:
        """Name the dimensions of ``tensors`` that are not affine functions of sizes, or that alone
        determine a size; ``bound`` are the sizes that are determined elsewhere.
        """
        for tensor in tensors:
            for n, dim in enumerate(tensor.shape):
                size = scaled_size(dim)
                through = size is not None and size[0] not in (*bound, *self.determined)
                if not through and not _is_product(dim):
                    continue
                name = fresh_name(f"{tensor.name}_{n}", taken)
                own = self.names[tensor, n] = Var(name, "int64", tensor.op.location)
                if size is not None and through:
                    self.determined[size[0]] = Through(own, *size[1:])

    def requirements(self, affine: ToAffine) -> list[SizeRequirement]:
        """The requirements on the dimensions; ``affine`` converts an expression over symbols and
        products.
        """
        required: list[SizeRequirement] = []
        for (tensor, n), own in self.names.items():
            why = f"dimension {n} of {tensor.name} is {tensor.shape[n]}"
            through = next((t for t in self.determined.values() if t.dimension is own), None)
            if through is None:
                required += _is_what_it_says(affine(own, None), tensor.shape[n], affine, why)
                continue
            scaled = affine(own, None) - through.offset
            required += [
                _requirement("eq", scaled % through.factor, (), why),
                _requirement("ge", scaled, (), why),
            ]
        return required


def agreement(
    left: Any, right: Any, may_be_one: bool, affine: ToAffine, name: str
) -> list[SizeRequirement]:
    """The requirement that two sizes are equal. With ``may_be_one``, the second size may also be 1.
    Empty for products of sizes.
    """
    if _is_product(left) or _is_product(right):
        return []
    if _is_number(right):
        left, right = right, left
    a, b = affine(left, None), affine(right, None)
    if not may_be_one:
        return [_requirement("eq", b - a, (), f"{name} takes {right} to be {left}")]
    why = f"{name} takes {right} to be {left}, which is the size of its result, or 1"
    return [_requirement("eq", AffineExpr.dimension(0), ((b - a, b - 1),), why)]


def _is_what_it_says(
    size: AffineExpr, dim: Any, affine: ToAffine, why: str
) -> list[SizeRequirement]:
    """The requirement that ``size`` equals the product or quotient ``dim``."""
    factors: list[tuple[AffineExpr, ...]] = []

    def product(part: Binary) -> AffineExpr:
        factors.append(tuple(affine(factor, None) for factor in _factors(part)))
        return AffineExpr.dimension(len(factors) - 1)

    if not _is_quotient(dim):
        whole = affine(dim, product)
        return [_requirement("eq", size - whole, tuple(factors), why)]
    whole, divisor = affine(dim.lhs, product), affine(dim.rhs, None)
    factors.append((size, divisor))
    covered = AffineExpr.dimension(len(factors) - 1)
    return [
        _requirement("ge", divisor - 1, (), why),
        _requirement("ge", whole - covered, tuple(factors), why),
        _requirement("ge", covered + divisor - 1 - whole, tuple(factors), why),
    ]


def _requirement(
    kind: str, expr: AffineExpr, factors: tuple[tuple[AffineExpr, ...], ...], why: str
) -> SizeRequirement:
    relation = AffineConstraintExpr(AffineConstraintKind[kind], expr, ZERO)
    return SizeRequirement(relation, factors, (), why)


def scaled_size(dim: Any) -> tuple[Var, int, int] | None:
    """The size, factor and offset of ``size * factor + offset``; None for anything else."""
    if not isinstance(dim, Binary) or dim.op not in ("add", "mul", "sub"):
        return None
    lhs, rhs = dim.lhs, dim.rhs
    if isinstance(lhs, Const) and dim.op != "sub":
        lhs, rhs = rhs, lhs
    if not isinstance(rhs, Const):
        return None
    inner = (lhs, 1, 0) if isinstance(lhs, Var) else scaled_size(lhs)
    if inner is None:
        return None
    size, factor, offset = inner
    number = int(rhs.value)
    if dim.op == "mul":
        return (size, factor * number, offset * number) if number > 0 else None
    return size, factor, offset + (number if dim.op == "add" else -number)


def _is_number(dim: Any) -> bool:
    return isinstance(dim, int | Const)


def _is_product(dim: Any) -> bool:
    """True if a dimension contains a product or a quotient of sizes."""
    if not isinstance(dim, Binary):
        return False
    if dim.op == "mul" and not (_is_number(dim.lhs) or _is_number(dim.rhs)):
        return True
    return _is_quotient(dim) or _is_product(dim.lhs) or _is_product(dim.rhs)


def _is_quotient(dim: Any) -> bool:
    return isinstance(dim, Binary) and dim.op == "floordiv" and not _is_number(dim.rhs)


def _factors(dim: Any) -> list[Any]:
    if isinstance(dim, Binary) and dim.op == "mul" and _is_product(dim):
        return [*_factors(dim.lhs), *_factors(dim.rhs)]
    return [dim]
