"""Winograd's transforms of a convolution: each is one product of a tile with two matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    Float80Type,
    Float128Type,
    TensorType,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.tosa_to_linalg.emitter import Emitter, dims, plus, tensor_type, times
from kc.dialects.linalg.winograd import (
    SIZES,
    WinogradFilterTransformOp,
    WinogradInputTransformOp,
    WinogradOp,
    WinogradOutputTransformOp,
)
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of

Matrix = Sequence[Sequence[Fraction]]


def _matrix(rows: str, divisor: int = 1) -> Matrix:
    return [[Fraction(number) / divisor for number in row.split()] for row in rows.split(",")]


G = {
    "F_2_3": _matrix("-2 0 0, 1 -1 1, 1 1 1, 0 0 2", 2),
    "F_4_3": _matrix("12 0 0, -4 4 -4, -4 -4 -4, 1 -2 4, 1 2 4, 0 0 12", 12),
    "F_2_5": _matrix(
        "60 0 0 0 0, 10 -10 10 -10 10, -10 -10 -10 -10 -10, -16 8 -4 2 -1, 1 2 4 8 16, 0 0 0 0 60",
        60,
    ),
}
"""The matrix of filters."""

BT = {
    "F_2_3": _matrix("-1 0 1 0, 0 -1 1 0, 0 1 1 0, 0 -1 0 1"),
    "F_4_3": _matrix(
        "4 0 -5 0 1 0, 0 4 -4 -1 1 0, 0 -4 -4 1 1 0, 0 4 -2 -4 2 0, 0 -4 -2 4 2 0, 0 4 0 -5 0 1", 16
    ),
    "F_2_5": _matrix(
        "2 3 -4 -3 2 0, 0 2 1 -5 2 0, 0 -2 -5 -1 2 0, 0 4 -2 -4 2 0, 0 -2 -4 2 4 0, 0 2 3 -4 -3 2",
        16,
    ),
}
"""The matrix of inputs."""

AT = {
    "F_2_3": _matrix("1 1 1 0, 0 -1 1 1"),
    "F_4_3": _matrix("1 2 2 1 1 0, 0 -2 2 -2 2 0, 0 2 2 4 4 0, 0 -2 2 -8 8 4", 8),
    "F_2_5": _matrix("1 2 2 4 2 0, 0 -2 2 -2 4 1", 2),
}
"""The matrix of outputs, whose result is multiplied by :data:`FACTORS`."""

FACTORS = {"F_2_3": 1, "F_4_3": 32, "F_2_5": 16}
"""The factor of the outputs for each transformed dimension, because upstream keeps the elements of
all matrices small.
"""


def _constant(emitter: Emitter, matrix: Matrix | None, element: AnyFloat) -> SSAValue:
    """A matrix as a tensor; 1 for a dimension that is not transformed."""
    rows = matrix if matrix is not None else [[Fraction(1)]]
    type_ = TensorType(element, [len(rows), len(rows[0])])
    values = [float(number) for row in rows for number in row]
    return emitter.insert(arith.ConstantOp(DenseIntOrFPElementsAttr.from_list(type_, values)))


def _product(
    op: WinogradOp,
    emitter: Emitter,
    matrices: Mapping[str, Matrix],
    read: Sequence[AffineExpr],
    shape: Sequence[int],
    kept_axes: tuple[int, int],
    summed: tuple[int, int],
) -> SSAValue:
    """The sum of left[i, a] right[j, b] source[...] over a and b. ``kept_axes`` are the loops of
    i and j, ``summed`` are the loops of a and b.
    """
    element = tensor_type(op.source).get_element_type()
    assert isinstance(element, AnyFloat)
    if isinstance(element, Float80Type | Float128Type):
        raise CodegenError(
            "KC4550",
            f"raise-to-tir: {op.name} of {element} has no counterpart in tir",
            location=location_of(op),
            why="its matrices would be constants of more bits than a constant has",
            hints=["compute in f64"],
        )
    factors = [
        _constant(emitter, matrices[op.algorithm] if is_transformed else None, element)
        for is_transformed in op.is_transformed
    ]
    pairs = zip(factors, kept_axes, summed, strict=True)
    return emitter.generic(
        [(op.source, list(read)), *((factor, dims(i, a)) for factor, i, a in pairs)],
        element,
        dims(*range(len(shape))),
        lambda x, left, right, total: plus(total, times(times(left, x), right)),
        shape=shape,
        loops=len(shape) + 2,
        start=0.0,
    )[0]


class DecomposeWinogradFilter(RewritePattern):
    """``linalg.winograd_filter_transform`` -> G f Gt."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: WinogradFilterTransformOp, rewriter: PatternRewriter, /
    ) -> None:
        emitter = Emitter(op, rewriter)
        i, j, channel, filter_, a, b = dims(*range(6))
        del i, j
        shape = tensor_type(op.result).get_shape()
        emitter.replace(_product(op, emitter, G, [filter_, a, b, channel], shape, (0, 1), (4, 5)))


class DecomposeWinogradInput(RewritePattern):
    """``linalg.winograd_input_transform`` -> Bt d B of each tile."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WinogradInputTransformOp, rewriter: PatternRewriter, /) -> None:
        emitter = Emitter(op, rewriter)
        m, _ = SIZES[op.algorithm]
        *_, y, x, image, channel, a, b = dims(*range(8))
        steps = [m if is_transformed else 1 for is_transformed in op.is_transformed]
        read = [image, y * steps[0] + a, x * steps[1] + b, channel]
        shape = tensor_type(op.result).get_shape()
        emitter.replace(_product(op, emitter, BT, read, shape, (0, 1), (6, 7)))


class DecomposeWinogradOutput(RewritePattern):
    """``linalg.winograd_output_transform`` -> At y A of each tile, side by side."""

    @op_type_rewrite_pattern
    def match_and_rewrite(
        self, op: WinogradOutputTransformOp, rewriter: PatternRewriter, /
    ) -> None:
        emitter = Emitter(op, rewriter)
        m, _ = SIZES[op.algorithm]
        image, y, i, x, j, filter_, a, b = dims(*range(8))
        del i, j
        factor = FACTORS[op.algorithm]
        scaled = {op.algorithm: [[n * factor for n in row] for row in AT[op.algorithm]]}
        *_, rows, columns, images, filters = tensor_type(op.source).get_shape()
        inner = [m if is_transformed else 1 for is_transformed in op.is_transformed]
        shape = [images, rows, inner[0], columns, inner[1], filters]
        read = [a, b, y, x, image, filter_]
        tiles = _product(op, emitter, scaled, read, shape, (2, 4), (6, 7))
        result = tensor_type(op.result).get_shape()
        emitter.replace(emitter.reassociated(tiles, [[0], [1, 2], [3, 4], [5]], result))


PATTERNS: tuple[type[RewritePattern], ...] = (
    DecomposeWinogradFilter,
    DecomposeWinogradInput,
    DecomposeWinogradOutput,
)
