"""Simple nests: one block whose instances own their elements, recognized without isl.

A nest is *simple* if it is a chain of loops around one block, each loop drives variables of one
type of the block (a fused loop by its digits), the bindings enumerate each variable's values once
(mixed radix), and the block accesses the buffers that it writes only at its own spatial variables.
Two instances then touch the same element only if they agree in all spatial variables. Other nests
are left to isl.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from kc.analysis.loop_tree import has_work, touches_memory
from kc.dialects.affine_assembly import linear_terms
from kc.dialects.tir import BlockOp, ForOp, IterType, LoadOp, StoreOp
from kc.dialects.tir.views import ViewOp


@dataclass(frozen=True)
class SimpleNest:
    """A simple nest, with the type of the variables that each loop drives."""

    block: BlockOp
    drives: dict[ForOp, IterType]


def simple_nest(root: ForOp) -> SimpleNest | None:
    """The simple nest that starts at ``root``; None if the nest is not simple."""
    loops: list[ForOp] = []
    op: Operation = root
    while isinstance(op, ForOp):
        loops.append(op)
        inside = [child for child in op.body.block.ops if has_work(child)]
        if len(inside) != 1:
            return None
        op = inside[0]
    if not isinstance(op, BlockOp) or IterType.OPAQUE in op.types:
        return None
    drives = _drives(op, loops)
    return SimpleNest(op, drives) if drives is not None and _owns_elements(op) else None


@dataclass(frozen=True)
class _Digit:
    """The digit ``(loop floordiv divisor) mod modulus``; by default the loop variable itself."""

    loop: ForOp
    divisor: int = 1
    modulus: int | None = None

    @property
    def extent(self) -> int | None:
        """The number of values of the digit; None if the number is symbolic."""
        whole = self.loop.static_extent
        if whole is None:
            return self.modulus
        values = -(-whole // self.divisor)
        return values if self.modulus is None else min(self.modulus, values)


def _drives(block: BlockOp, loops: Sequence[ForOp]) -> dict[ForOp, IterType] | None:
    by_var: dict[SSAValue, ForOp] = {loop.var: loop for loop in loops}
    digits: dict[ForOp, list[_Digit]] = {loop: [] for loop in loops}
    kinds: dict[ForOp, IterType] = {}
    for expr, kind in zip(block.binding_exprs, block.types, strict=True):
        terms, constant = linear_terms(expr)
        own: list[tuple[int, _Digit]] = []
        for atom, factor in terms.items():
            dim, divisor, modulus = _digit(atom)
            if dim is None or factor < 1:
                return None
            value = block.binding_operands[dim.position]
            loop = by_var.get(value)
            if loop is None:
                if not _is_loop_variable(value):
                    return None
                continue  # a loop outside: the same in all instances
            if kinds.setdefault(loop, kind) is not kind:
                return None
            digit = _Digit(loop, divisor, modulus)
            digits[loop].append(digit)
            own.append((factor, digit))
        if constant or not _counts_once(own):
            return None
    return kinds if all(_are_whole(loop, parts) for loop, parts in digits.items()) else None


def _digit(expr: AffineExpr) -> tuple[AffineDimExpr | None, int, int | None]:
    """The dimension, divisor and modulus of a digit; the dimension is None if ``expr`` is no
    digit.
    """
    divisor, modulus = 1, None
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Mod:
        if not isinstance(expr.rhs, AffineConstantExpr):
            return None, 1, None
        expr, modulus = expr.lhs, expr.rhs.value
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.FloorDiv:
        if not isinstance(expr.rhs, AffineConstantExpr):
            return None, 1, None
        expr, divisor = expr.lhs, expr.rhs.value
    return (expr if isinstance(expr, AffineDimExpr) else None), divisor, modulus


def _are_whole(loop: ForOp, digits: Sequence[_Digit]) -> bool:
    """True if the digits partition the loop variable: together they determine the variable, without
    overlap.
    """
    reach = 1
    for digit in sorted(digits, key=lambda part: (part.divisor, part.modulus == 1)):
        if digit.extent == 1 and len(digits) > 1:
            continue  # a constant digit
        if digit.divisor != reach:
            return False
        if digit.modulus is None:
            reach = 0  # the unbounded rest: no digit can follow
        else:
            reach *= digit.modulus
    return bool(digits) and (
        reach == 0 or (loop.static_extent is not None and reach >= loop.static_extent)
    )


def _is_loop_variable(value: SSAValue) -> bool:
    return isinstance(value.owner, Block) and isinstance(value.owner.parent_op(), ForOp)


def _counts_once(terms: list[tuple[int, _Digit]]) -> bool:
    """True if different digits give different sums of factor * digit."""
    reach = 0
    for n, (factor, digit) in enumerate(sorted(terms, key=lambda term: term[0])):
        if factor <= reach:
            return False
        extent = digit.extent
        if extent is None:
            return n == len(terms) - 1
        reach += factor * max(extent - 1, 0)
    return True


def _owns_elements(block: BlockOp) -> bool:
    regions = [block.body, *([block.init] if block.has_init else [])]
    ops = [op for region in regions for op in region.walk()]
    if any(touches_memory(op) and not isinstance(op, LoadOp | StoreOp) for op in ops):
        return False
    accesses = [op for op in ops if isinstance(op, LoadOp | StoreOp)]
    if any(_is_wide(op) for op in accesses):
        return False
    written = {op.buffer for op in accesses if isinstance(op, StoreOp)}
    spatial = {n for n, kind in enumerate(block.types) if kind is IterType.SPATIAL}
    places = set()
    for op in accesses:
        if op.buffer in written:
            place = _place(op, block)
            if place is None or set(place) != spatial or len(place) != len(spatial):
                return False
            places.add((op.buffer, place))
    return len(places) == len(written)


def _is_wide(op: LoadOp | StoreOp) -> bool:
    """True if ``op`` accesses several elements, or a view."""
    value = op.result if isinstance(op, LoadOp) else op.value
    return isinstance(value.type, VectorType) or isinstance(op.buffer.owner, ViewOp)


def _place(op: LoadOp | StoreOp, block: BlockOp) -> tuple[int, ...] | None:
    """The block variables that are the indices of an access; None if an index is not a block
    variable.
    """
    place: list[int] = []
    for expr in op.indices.data.results:
        value = _operand(expr, op)
        args = (*block.body.block.args, *(block.init.block.args if block.has_init else ()))
        if value is None or value not in args:
            return None
        place.append(args.index(value) % len(block.types))  # pyright: ignore[reportArgumentType]
    return tuple(place)


def _operand(expr: AffineExpr, op: LoadOp | StoreOp) -> SSAValue | None:
    return op.operands_of_map[expr.position] if isinstance(expr, AffineDimExpr) else None
