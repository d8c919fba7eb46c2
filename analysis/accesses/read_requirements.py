"""Conditions on the sizes of a call under which tensor expressions read inside their tensors.

``C[i] = A[i] + B[i]`` over the ``n`` elements of ``A`` reads inside of ``B``, of ``m`` elements, if
``m >= n``. Reads that are inside for all sizes need no condition; most are recognized without isl.
For the remaining reads isl computes the sizes for which an element outside is read, and the
requirement excludes these sizes.

A product of sizes is a separate size to isl; a symbol that the function declares equal to the
product is the same size. An axis times a size, as in ``D[i * m + j]``, is a separate axis with the
range of the product, which suffices if no other condition constrains it.

A read whose execution depends on values of tensors requires nothing. Neither does an index that is
such a value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, IntegerAttr, StringAttr, TensorType
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import (
    AffineConstantExpr,
    AffineConstraintExpr,
    AffineConstraintKind,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from kc.analysis.accesses.bounds import Guard, guard_of, reads_in
from kc.analysis.affine.affine_relations import Conditions, parameters_where
from kc.analysis.affine.simplify_affine import UNBOUNDED, Bounds, bounds, simplify
from kc.analysis.affine.terms import Condition, Term, all_of, condition_of, dim, term_of
from kc.dialects import te, tir
from kc.dialects.affine_assembly import ZERO, affine_text, linear_terms
from kc.dialects.size_requirements import SizeRequirement, requirements_of


def read_requirements(function: te.FuncOp) -> list[SizeRequirement]:
    """The conditions on the symbols of ``function`` under which its reads are inside."""
    return _Reads(function).listed()


@dataclass(frozen=True)
class _Axis:
    """The range ``low <= axis < end``, over the dimensions of a function."""

    name: str
    low: int
    end: AffineExpr | None
    """The exclusive upper bound; None if unknown."""


class _Reads:
    """The reads of one function. Its first dimensions are the sizes: symbols and their products.
    The axes follow.
    """

    def __init__(self, function: te.FuncOp) -> None:
        self.function = function
        listed = function.attributes.get("kc.symbols")
        self.symbols = [
            symbol.data
            for symbol in (listed if isinstance(listed, ArrayAttr) else ())
            if isinstance(symbol, StringAttr)
        ]
        self.shapes = self._shapes()
        sized = {
            expr.position
            for shape in self.shapes.values()
            for expr in shape
            if isinstance(expr, AffineSymExpr)
        }
        self.natural = [n in sized for n in range(len(self.symbols))]
        self.factors: list[tuple[AffineExpr, ...]] = []
        """The factors of each product, over the symbols as dimensions."""
        self.products = self._find_products()
        self.axes: list[_Axis] = []
        self.ranges: list[Bounds] = []
        self.multiples: dict[int, tuple[int, AffineExpr]] = {}
        """The position of the base axis and the size, for each axis that is their product."""
        self.missing: list[tuple[AffineExpr, ...]] = []
        """Products of the extents of axes and sizes, which are numbered before axes."""
        self._required: dict[SizeRequirement, None] = {}

    def listed(self) -> list[SizeRequirement]:
        if not self.symbols:
            return []
        computes = [op for op in self.function.walk() if isinstance(op, te.ComputeOp)]
        for compute in computes:
            self._enter(compute)
            for op in compute.walk():
                if isinstance(op, arith.MuliOp):
                    self._expr(op.result)
        for factors in self.missing:
            self._product(factors)
        for compute in computes:
            self._compute(compute)
        return list(self._required)

    # Sizes and axes --------------------------------------------------------------------------

    def _find_products(self) -> dict[SSAValue, AffineExpr]:
        """The products of sizes that a symbol is declared equal to."""
        self._exprs: dict[SSAValue, AffineExpr | None] = {}
        self.equal: dict[int, AffineExpr] = {}
        self.products = {}
        dims = [AffineExpr.dimension(n) for n in range(len(self.symbols))]
        for requirement in requirements_of(self.function):
            symbol = _symbol_of_equality(requirement.condition)
            if symbol is not None and len(requirement.factors) == 1:
                factors = [
                    expr.replace_dims_and_symbols((), dims) for expr in requirement.factors[0]
                ]
                self.equal[symbol] = self._product(factors)
        for op in self.function.body.block.ops:
            if not isinstance(op, arith.MuliOp):
                continue
            sides = [self._factors(operand) for operand in op.operands]
            lhs, rhs = sides
            if lhs is None or rhs is None:
                continue
            self.products[op.result] = self._product([*lhs, *rhs])
        return self.products

    def _product(self, operands: Sequence[AffineExpr]) -> AffineExpr:
        """The size that is the product of ``factors``, in any order."""
        factors = tuple(sorted(operands, key=str))
        if factors not in self.factors:
            self.factors.append(factors)
            self.natural.append(all(self._is_natural(factor) for factor in factors))
        return AffineExpr.dimension(len(self.symbols) + self.factors.index(factors))

    def _symbol(self, n: int) -> AffineExpr:
        return self.equal.get(n, AffineExpr.dimension(n))

    def _factors(self, value: SSAValue) -> tuple[AffineExpr, ...] | None:
        """The factors of a size over the symbols; None if they are unknown."""
        expr = self._expr(value)
        if expr is None:
            return None
        count = len(self.symbols)
        products = [n for n in expr.used_dims() if n >= count]
        if not products:
            return (expr,)
        is_whole = expr == AffineExpr.dimension(products[0])
        return self.factors[products[0] - count] if is_whole else None

    def _is_natural(self, factor: AffineExpr) -> bool:
        ranges = [(0, None) if natural else UNBOUNDED for natural in self.natural]
        low, _ = bounds(simplify(factor, ranges), ranges)
        return low is not None and low >= 0

    def _over_symbols(self, exprs: Sequence[AffineExpr]) -> tuple[AffineExpr, ...]:
        symbols = [AffineExpr.symbol(n) for n in range(len(self.symbols))]
        return tuple(expr.replace_dims_and_symbols(symbols, ()) for expr in exprs)

    def _shapes(self) -> dict[SSAValue, tuple[AffineExpr, ...]]:
        """The dimensions of arguments, over the symbols."""
        function = self.function
        shapes: dict[SSAValue, tuple[AffineExpr, ...]] = {}
        groups = (
            (function.body.block.args, function.arg_attrs),
            (function.return_op.values, function.res_attrs),
        )
        for values, attrs in groups:
            for value, arg_attrs in zip(
                values, attrs.data if attrs is not None else (), strict=False
            ):
                shape = arg_attrs.data.get("kc.shape")
                if isinstance(shape, AffineMapAttr):
                    shapes[value] = shape.data.results
        return shapes

    def _shape(self, tensor: SSAValue) -> list[AffineExpr | None]:
        """The dimensions of a tensor that a read accesses, over the dimensions of the function."""
        assert isinstance(tensor.type, TensorType)
        owner = tensor.owner
        if isinstance(owner, te.ComputeOp | te.ExternOp | te.ScanOp):
            return [self._size(extent) for extent in te.tensor_extents(tensor)]
        parent = owner.parent_op() if isinstance(owner, Block) else None
        if isinstance(parent, te.ScanOp):
            state = parent.tensors[owner.args.index(tensor) - 1]  # pyright: ignore
            return [self._size(extent) for extent in te.tensor_extents(state)]
        symbols = [self._symbol(n) for n in range(len(self.symbols))]
        shape = self.shapes.get(tensor)
        return [
            AffineExpr.constant(size)
            if size != te.DYNAMIC
            else None
            if shape is None
            else shape[n].replace_dims_and_symbols((), symbols)
            for n, size in enumerate(tensor.type.get_shape())
        ]

    def _size(self, extent: int | SSAValue | None) -> AffineExpr | None:
        if isinstance(extent, int):
            return AffineExpr.constant(extent)
        return None if extent is None else self._expr(extent)

    def _expr(self, value: SSAValue) -> AffineExpr | None:
        """An index as an affine expression over symbols and axes; None if the index is known only
        at run time.
        """
        if value not in self._exprs:
            self._exprs[value] = self._computed(value)
        return self._exprs[value]

    def _computed(self, value: SSAValue) -> AffineExpr | None:
        if value in self.products:
            return self.products[value]
        owner = value.owner
        if isinstance(owner, te.SymbolOp):
            name = owner.symbol.data
            return self._symbol(self.symbols.index(name)) if name in self.symbols else None
        if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
            return AffineExpr.constant(owner.value.value.data)
        if isinstance(owner, tir.ApplyOp):
            return self._applied(owner.expr, owner.operands_of_map) if owner.expr else None
        if isinstance(owner, arith.IndexCastOp):
            return self._expr(owner.input)
        if isinstance(owner, arith.MuliOp):
            sides = [self._expr(operand) for operand in owner.operands]
            return self._multiple(*sides) or self._multiple(*sides[::-1])
        if isinstance(owner, arith.AddiOp | arith.SubiOp):
            lhs, rhs = (self._expr(operand) for operand in owner.operands)
            if lhs is None or rhs is None:
                return None
            return lhs + rhs if isinstance(owner, arith.AddiOp) else lhs - rhs
        if isinstance(value, BlockArgument) and value.block is self.function.body.block:
            attrs = self.function.arg_attrs
            symbol = attrs.data[value.index].data.get("kc.symbol") if attrs is not None else None
            if isinstance(symbol, StringAttr) and symbol.data in self.symbols:
                return self._symbol(self.symbols.index(symbol.data))
        return None

    def _applied(self, expr: AffineExpr, operands: Sequence[SSAValue]) -> AffineExpr | None:
        used = expr.used_dims()
        values = [self._expr(operand) if n in used else ZERO for n, operand in enumerate(operands)]
        dims = [value for value in values if value is not None]
        return expr.replace_dims_and_symbols(dims, ()) if len(dims) == len(values) else None

    def _multiple(self, axis: AffineExpr | None, size: AffineExpr | None) -> AffineExpr | None:
        """The axis that represents the product of an axis that begins at 0 and a size; None for
        other factors.
        """
        count = len(self.natural)
        if not isinstance(axis, AffineDimExpr) or axis.position < count or size is None:
            return None
        base = self.axes[axis.position - count]
        is_size = all(n < len(self.symbols) for n in size.used_dims())
        if not is_size or not self._is_natural(size) or base.low != 0 or base.end is None:
            return None
        if any(n >= len(self.symbols) for n in base.end.used_dims()):
            return None
        for position, multiple in self.multiples.items():
            if multiple == (axis.position, size):
                return AffineExpr.dimension(position)
        factors = tuple(sorted((base.end, size), key=str))
        if factors not in self.factors:
            self.missing.append(factors)
            return None
        whole = self._product(factors)
        position = len(self.ranges)
        self._number(_Axis(f"{base.name}'", 0, whole - size + 1), [])
        self.multiples[position] = (axis.position, size)
        return AffineExpr.dimension(position)

    def _enter(self, compute: te.ComputeOp) -> None:
        """Number the axes of ``compute``, and the time axis of the scan around it."""
        self.axes = []
        self.multiples = {}
        self._exprs = {}
        self.ranges = [(0, None) if natural else UNBOUNDED for natural in self.natural]
        scan = compute.parent_op()
        if isinstance(scan, te.ScanOp):
            axis = _Axis(scan.axis_name.data, scan.start, self._size(scan.extent_value))
            self._number(axis, [scan.time])
        domain = compute.domain.block if compute.has_domain else None
        bounds_of = iter(domain.last_op.operands if domain and domain.last_op else ())
        regions = [
            region for region in compute.regions if region is not compute.combine and region.blocks
        ]
        for n, (name, extent) in enumerate(zip(compute.names, compute.extents, strict=True)):
            end = self._size(next(bounds_of, None) if extent is None else extent)
            args = [region.block.args for region in regions]
            self._number(_Axis(name, 0, end), [group[n] for group in args if n < len(group)])

    def _number(self, axis: _Axis, values: Sequence[SSAValue]) -> None:
        expr = AffineExpr.dimension(len(self.ranges))
        self._exprs.update(dict.fromkeys(values, expr))
        self.axes.append(axis)
        high = axis.end.value - 1 if isinstance(axis.end, AffineConstantExpr) else None
        self.ranges.append((axis.low, high))

    # Reads -----------------------------------------------------------------------------------

    def _compute(self, compute: te.ComputeOp) -> None:
        self._enter(compute)
        for region in compute.regions:
            if region is compute.combine or not region.blocks:
                continue
            guard = guard_of(compute) if region is compute.body else Guard()
            for read, guard_of_read in reads_in(region.block, guard):
                self._read(compute, read, guard_of_read)

    def _read(self, compute: te.ComputeOp, read: te.ReadOp, guard: Guard) -> None:
        shape = self._shape(read.tensor)
        for n, (index, size) in enumerate(zip(read.indices.data.results, shape, strict=True)):
            expr = self._applied(index, list(read.operands_of_map))
            if expr is None or size is None or self._is_static(expr, size):
                continue
            conditions = self._conditions(guard)
            if (
                conditions is not None
                and not self._is_inside(expr, size, conditions)
                and self._has_extremes(expr, conditions)
            ):
                self._require(compute, read, n, expr, size, conditions)

    def _has_extremes(self, expr: AffineExpr, conditions: Sequence[AffineConstraintExpr]) -> bool:
        """True if the products of axes and sizes in ``expr`` reach their extremes independently of
        the other axes, so that bounds at the extremes suffice.
        """
        used = expr.used_dims()
        restricted = {n for part in conditions for n in part.lhs.used_dims()}
        products = [n for n in used | restricted if n in self.multiples]
        if not products:
            return True
        terms, _ = linear_terms(expr)
        bases = [self.multiples[n][0] for n in products]
        return (
            not restricted.intersection((*products, *bases))
            and not used.intersection(bases)
            and len(set(bases)) == len(bases)
            and all(AffineExpr.dimension(n) in terms for n in products)
            and sum(n in atom.used_dims() for atom in terms for n in products) == len(products)
        )

    def _is_static(self, expr: AffineExpr, size: AffineExpr) -> bool:
        """True if no size is involved: :func:`kc.analysis.accesses.bounds.out_of_bounds` decides
        then."""
        first = len(self.natural)
        return isinstance(size, AffineConstantExpr) and all(
            n >= first and isinstance(self.axes[n - first].end, AffineConstantExpr)
            for n in expr.used_dims()
        )

    def _conditions(self, guard: Guard) -> list[AffineConstraintExpr] | None:
        """The conditions under which a read is executed; None if they are known only at run
        time.
        """
        conditions: list[AffineConstraintExpr] = []
        for part, operands in guard.conditions:
            left = self._applied(part.lhs, operands)
            if left is None or not isinstance(part.rhs, AffineConstantExpr):
                return None
            conditions.append(AffineConstraintExpr(part.kind, left, part.rhs))
        return conditions if guard.complete else None

    def _is_inside(
        self, expr: AffineExpr, size: AffineExpr, conditions: Sequence[AffineConstraintExpr]
    ) -> bool:
        """True if ``0 <= expr < size`` follows from the ranges of axes, or from one condition."""
        naturals = [
            part.lhs - part.rhs if part.kind is not AffineConstraintKind.le else part.rhs - part.lhs
            for part in conditions
        ]
        naturals += [
            axis.end - 1 - AffineExpr.dimension(len(self.natural) + n)
            for n, axis in enumerate(self.axes)
            if axis.end is not None
        ]

        def is_natural(value: AffineExpr) -> bool:
            return any(
                low is not None and low >= 0
                for candidate in (ZERO, *naturals)
                for low, _ in [bounds(simplify(value - candidate, self.ranges), self.ranges)]
            )

        return is_natural(expr) and is_natural(size - 1 - expr)

    def _require(
        self,
        compute: te.ComputeOp,
        read: te.ReadOp,
        n: int,
        expr: AffineExpr,
        size: AffineExpr,
        conditions: Sequence[AffineConstraintExpr],
    ) -> None:
        """Require sizes for which ``0 <= expr < size`` wherever ``conditions`` hold."""
        names = [f"d{n}" for n in range(len(self.ranges))]
        count = len(self.natural)

        def term(position: int) -> Term:
            return dim(names[position])

        parts: list[Condition] = []
        for axis, name in zip(self.axes, names[count:], strict=True):
            parts.append(dim(name) >= axis.low)
            if axis.end is not None:
                parts.append(dim(name) < term_of(axis.end, term))
            else:
                return  # the number of reads is known only at run time
        parts += [condition_of(condition, term) for condition in conditions]
        outside = ~term_of(expr, term).within(term_of(size, term))
        naturals = [
            dim(name) >= 0 for name, natural in zip(names, self.natural, strict=False) if natural
        ]
        # In a non-empty domain, a product is at least the contribution of each factor.
        for n in self.multiples:
            end = self.axes[n - count].end
            assert end is not None
            naturals.append(term_of(end - 1, term) >= 0)
        facts = all_of(naturals)
        pieces = parameters_where(
            all_of([facts, *parts, outside]), names[count:], names[:count], facts
        )
        label, tensor = compute.label, read.tensor.name_hint or "a tensor"
        indices = [
            affine_text(e, lambda n: _text(read.operands_of_map[n]))
            for e in read.indices.data.results
        ]
        why = f"{label} reads {tensor}[{', '.join(indices)}]"
        for piece in pieces or ():
            self._required.update(dict.fromkeys(self._none_of(piece, why)))

    def _none_of(self, piece: Conditions, why: str) -> list[SizeRequirement]:
        """The requirement that at least one condition of ``piece`` (over the sizes) fails."""
        sizes = [AffineExpr.symbol(n) for n in range(len(self.symbols))]
        sizes += [AffineExpr.dimension(n) for n in range(len(self.factors))]
        below: list[AffineExpr] = []
        for part in piece:
            expr = part.lhs.replace_dims_and_symbols(sizes, ())
            below.append(expr)
            if part.kind is AffineConstraintKind.eq:
                below.append(expr * -1)
        # At least one of them is at most -1. The relation of most sizes explains the error best.
        first, *rest = sorted(
            below or [ZERO], key=lambda expr: (-len(_products_in(expr)), -len(_symbols_in(expr)))
        )
        condition = AffineConstraintExpr(AffineConstraintKind.ge, first * -1 - 1, ZERO)
        factors = [self._over_symbols(factors) for factors in self.factors]
        if not _products_in(first):
            factors = []
        unless = [size for expr in rest for size in self._unless(expr)]
        return [SizeRequirement(condition, tuple(factors), tuple(unless), why)]

    def _unless(self, expr: AffineExpr) -> tuple[AffineExpr, ...]:
        """Expressions over the symbols that are at most 0 where ``expr`` is negative.

        Empty if no such expressions are found. The requirement then applies everywhere, also where
        no element is read.
        """
        products = _products_in(expr)
        if not products:
            return (expr + 1,)
        (product, *further) = products
        is_extent = simplify(expr + 1 - AffineExpr.dimension(product), ()) == ZERO
        if further or not is_extent or not self.natural[len(self.symbols) + product]:
            return ()
        return self._over_symbols(self.factors[product])


def _text(value: SSAValue) -> str:
    """An operand of an index in the notation of the program."""
    owner = value.owner
    if value.name_hint is not None:
        return value.name_hint
    if isinstance(owner, arith.IndexCastOp):
        return _text(owner.input)
    if isinstance(owner, arith.ConstantOp) and isinstance(owner.value, IntegerAttr):
        return str(owner.value.value.data)
    if isinstance(owner, arith.MuliOp):
        return " * ".join(map(_text, owner.operands))
    if isinstance(owner, arith.AddiOp):
        return f"({' + '.join(map(_text, owner.operands))})"
    return "?"


def _symbols_in(expr: AffineExpr) -> set[int]:
    return {part.position for part in expr.dfs() if isinstance(part, AffineSymExpr)}


def _products_in(expr: AffineExpr) -> set[int]:
    return {part.position for part in expr.dfs() if isinstance(part, AffineDimExpr)}


def _symbol_of_equality(condition: AffineConstraintExpr) -> int | None:
    """The symbol that a condition declares equal to a product; None for other conditions."""
    if condition.kind is not AffineConstraintKind.eq:
        return None
    difference = simplify(condition.lhs - condition.rhs, ())
    symbols = _symbols_in(difference)
    for symbol in symbols:
        for sign in (1, -1):
            expected = (AffineExpr.symbol(symbol) - AffineExpr.dimension(0)) * sign
            if simplify(difference - expected, ()) == ZERO:
                return symbol
    return None
