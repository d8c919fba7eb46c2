"""The largest value of an index expression in one iteration of a loop, as operations before the
loop.

Loops inside the place take all of their values, loops outside a single value. A sum is largest if
its terms are, a quotient if its dividend is, a minimum or maximum if its operands are. The extent
of a loop that depends on other loops is treated in the same way. Bounds are first described
(:class:`BoundsAt`), and built as operations after the checks (:class:`Builder`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from kc.analysis.reductions.masked_terms import Parameter, TermReader, is_parameter
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import INDEX, ApplyOp, ExtremeKind, ForOp, LoadOp
from kc.transforms.affine_rewrite import compact
from kc.transforms.known_values import is_available


@dataclass(frozen=True)
class Sum:
    """The value of ``expr`` over operands that are values or further descriptions."""

    expr: AffineExpr
    operands: tuple[Value, ...] = ()


@dataclass(frozen=True)
class Extreme:
    """The minimum or the maximum of several parts."""

    kind: ExtremeKind
    parts: tuple[Value, ...]


@dataclass(frozen=True)
class Element:
    """A recomputation of ``value``: a load at ``indices``, or a cast of ``operand``."""

    value: SSAValue
    indices: tuple[Sum, ...]
    operand: Element | None


Value = Sum | Extreme | Element | SSAValue


def total(expr: AffineExpr, operands: Sequence[Value]) -> Sum:
    """The description of ``expr`` over ``operands``. Operands that are sums are expanded, so that
    equal sums are identical.
    """
    dims: list[AffineExpr] = []
    flat: list[Value] = []
    for operand in operands:
        inner = operand if isinstance(operand, Sum) else Sum(AffineExpr.dimension(0), (operand,))
        shifted = [AffineExpr.dimension(len(flat) + n) for n in range(len(inner.operands))]
        dims.append(inner.expr.replace_dims_and_symbols(shifted, ()))
        flat += inner.operands
    whole = AffineMap(len(flat), 0, (expr.replace_dims_and_symbols(dims, ()),))
    space, distinct = compact(whole, cast("list[SSAValue]", flat))  # by equality, whatever it is
    return Sum(space.results[0], tuple(distinct))


def constant(number: int) -> Sum:
    """The description of the constant ``number``."""
    return Sum(AffineExpr.constant(number))


def combined(kind: ExtremeKind, parts: Sequence[Value]) -> Value:
    """The minimum or the maximum of the nonempty ``parts``."""
    parts = tuple(dict.fromkeys(parts))
    return parts[0] if len(parts) == 1 else Extreme(kind, parts)


class BoundsAt:
    """The upper and lower bounds of values at ``place``."""

    def __init__(self, reader: TermReader, place: Operation) -> None:
        self._reader, self._index, self._place = reader, reader.index, place

    def most(self, expr: AffineExpr, *, least: bool = False) -> Value | None:
        """The upper bound of ``expr`` (over the roots of the index), or with ``least`` its lower
        bound; None if the bound is unknown.
        """
        terms, number = linear_terms(self._index.simplify(expr))
        expr, operands = AffineExpr.constant(number), list[Value]()
        for atom, factor in terms.items():
            part = self._atom(atom, (factor < 0) != least)
            if part is None:
                return None
            expr = expr + AffineExpr.dimension(len(operands)) * factor
            operands.append(part)
        return total(expr, operands)

    def only(self, expr: AffineExpr) -> Sum | None:
        """The description of ``expr`` if it has a single value at the place; None otherwise."""
        for dim in expr.used_dims():
            root = self._index.roots[dim]
            if root is None or not is_available(root, self._place):
                return None
        space, operands = self._index.to_map([expr])
        return Sum(space.results[0], tuple(operands))

    def _atom(self, atom: AffineExpr, least: bool) -> Value | None:
        same = self.only(atom)
        if same is not None:
            return same
        if isinstance(atom, AffineDimExpr):
            root = self._index.roots[atom.position]
            if root is None:
                parameter = self._reader.parameters.get(atom.position)
                return None if parameter is None else self._element(parameter, parameter.value)
            return self._root(root, least)
        if isinstance(atom, AffineBinaryOpExpr) and isinstance(atom.rhs, AffineConstantExpr):
            divisor = atom.rhs.value
            if atom.kind is AffineBinaryOpKind.FloorDiv and divisor > 0:
                inner = self.most(atom.lhs, least=least)
                dividend = AffineExpr.dimension(0)
                return None if inner is None else total(dividend // divisor, (inner,))
            if atom.kind is AffineBinaryOpKind.Mod and divisor > 0:
                return constant(0 if least else divisor - 1)
        return None

    def _root(self, root: SSAValue, least: bool) -> Value | None:
        owner = root.owner
        if isinstance(owner, Block):
            loop = owner.parent_op()
            if not isinstance(loop, ForOp):
                return None
            if least:
                return constant(0)
            if loop.static_extent is not None:
                return constant(loop.static_extent - 1)
            extent = self.most(self._index.expr(loop.extent_value))  # pyright: ignore
            return None if extent is None else total(AffineExpr.dimension(0) - 1, (extent,))
        if is_parameter(root):
            return self._element(Parameter(root, ()), root)
        if isinstance(owner, ApplyOp) and owner.extreme is not None:
            exprs = [self._index.compose(expr, owner.operands) for expr in owner.map.data.results]
            parts = [self.most(expr, least=least) for expr in exprs]
            bounds = [part for part in parts if part is not None]
            if len(bounds) < len(parts):
                return None
            return owner.combined(bounds, lambda kind, *pair: combined(kind, pair))
        return None

    def _element(self, parameter: Parameter, value: SSAValue) -> Element | None:
        op = value.owner
        if isinstance(op, LoadOp):
            exprs = self._reader.place(op, dict(parameter.variables))
            indices = [self.only(expr) for expr in exprs]
            if None in indices or not self._is_inside(op, exprs):
                return None
            return Element(value, tuple(index for index in indices if index is not None), None)
        assert isinstance(op, Operation)
        operand = self._element(parameter, op.operands[0])
        return None if operand is None else Element(value, (), operand)

    def _is_inside(self, load: LoadOp, exprs: Sequence[AffineExpr]) -> bool:
        """True if the element also exists where no iteration of the inner loops reads it."""
        for expr, size in zip(exprs, load.buffer.type.get_shape(), strict=True):  # pyright: ignore
            if size < 0 and isinstance(expr, AffineDimExpr):
                continue  # the index of a loop with that extent
            low, high = self._index.bounds(expr)
            if low is None or low < 0 or high is None or high >= size:
                return False
        return True


class Builder:
    """The construction of descriptions as operations before ``place``."""

    def __init__(self, place: Operation) -> None:
        self._place = place
        self._known: dict[Value, SSAValue] = {}

    def value(self, value: Value) -> SSAValue:
        """The value of a description."""
        if isinstance(value, SSAValue):
            return value
        result = self._known.get(value)
        if result is None:
            result = self._known[value] = self._build(value)
        return result

    def _build(self, value: Sum | Extreme | Element) -> SSAValue:
        if isinstance(value, Element):
            result = self._element(value)
            is_index = result.type == INDEX
            return result if is_index else self._insert(arith.IndexCastOp(result, INDEX))
        groups, operands = self._groups(value)
        exprs = [expr for group in groups for expr in group]
        space, operands = compact(AffineMap(len(operands), 0, tuple(exprs)), operands)
        if isinstance(value, Sum):
            (expr,) = space.results
            if isinstance(expr, AffineConstantExpr):
                return self._insert(arith.ConstantOp(IntegerAttr(expr.value, INDEX)))
            if isinstance(expr, AffineDimExpr):
                return operands[expr.position]
            return self._insert(ApplyOp(expr, operands))
        rest = iter(space.results)
        compacted = [[next(rest) for _ in group] for group in groups]
        return self._insert(ApplyOp.of_groups(value.kind, compacted, operands))

    def _groups(self, value: Sum | Extreme) -> tuple[list[list[AffineExpr]], list[SSAValue]]:
        """The expressions of a sum, or of an extreme of sums and of opposite extremes of sums."""
        operands: list[SSAValue] = []
        if isinstance(value, Sum):
            return [[self._expr(value, operands)]], operands
        groups: list[list[AffineExpr]] = []
        for part in _parts(value, value.kind):
            is_nested = isinstance(part, Extreme)
            inner = list(_parts(part, part.kind)) if is_nested else [part]
            groups.append([self._expr(expr, operands) for expr in inner])
        return groups, operands

    def _expr(self, value: Value, operands: list[SSAValue]) -> AffineExpr:
        """The expression of a description over ``operands``, to which the description's operands
        are appended.
        """
        if isinstance(value, Sum):
            dims = [self._expr(operand, operands) for operand in value.operands]
            return value.expr.replace_dims_and_symbols(dims, ())
        operands.append(self.value(value))
        return AffineExpr.dimension(len(operands) - 1)

    def _element(self, element: Element) -> SSAValue:
        op = element.value.owner
        assert isinstance(op, Operation)
        if element.operand is None:
            assert isinstance(op, LoadOp)
            indices = [self.value(index) for index in element.indices]
            return self._insert(LoadOp(op.buffer, AffineMap.identity(len(indices)), indices))
        operand = self._element(element.operand)
        return self._insert(op.clone({op.operands[0]: operand}))

    def _insert(self, op: Operation) -> SSAValue:
        home = self._place.parent
        assert home is not None
        op.location = self._place.location
        home.insert_op_before(op, self._place)
        return op.results[0]


def _parts(value: Extreme, kind: ExtremeKind) -> Iterator[Value]:
    """The parts of an extreme; nested extremes of the same kind are flattened."""
    for part in value.parts:
        if isinstance(part, Extreme) and part.kind == kind:
            yield from _parts(part, kind)
        else:
            yield part
