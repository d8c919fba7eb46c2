"""Softmax, and attention: reductions and ops on elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from xdsl.dialects import arith, bufferization, math, memref
from xdsl.dialects.builtin import AnyFloat, MemRefType, i1
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from kc.conversion.tosa_to_linalg.emitter import (
    Emitter,
    choose,
    dims,
    number,
    plus,
    tensor_type,
    times,
)
from kc.dialects.linalg import SoftmaxOp
from kc.dialects.tm_tensor import AttentionOp, element_of
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def as_tensor(emitter: Emitter, value: SSAValue) -> SSAValue:
    """The operand as a tensor; a memref is converted."""
    if not isinstance(value.type, MemRefType):
        return value
    return emitter.insert(bufferization.ToTensorOp(value, restrict=True))


def replace(emitter: Emitter, op: Operation, value: SSAValue, output: SSAValue) -> None:
    """Replace an op with one output by a tensor, or write that into the output."""
    if not isinstance(output.type, MemRefType):
        emitter.replace(value)
        return
    type_ = MemRefType(element_of(value), tensor_type(value).get_shape())
    buffer = emitter.insert(bufferization.ToBufferOp.build(operands=[value], result_types=[type_]))
    emitter.rewriter.insert(memref.CopyOp(buffer, output), InsertPoint.before(op))
    emitter.rewriter.erase(op)


def softmax(emitter: Emitter, source: SSAValue, axis: int) -> SSAValue:
    """``exp(x - m) / sum(exp(x - m))``, where m is the maximum along an axis."""
    element, shape = element_of(source), tensor_type(source).get_shape()
    assert isinstance(element, AnyFloat)
    every = dims(*range(len(shape)))
    outer = [expr for n, expr in enumerate(every) if n != axis]
    sizes = [size for n, size in enumerate(shape) if n != axis]

    def reduced(value: SSAValue, combine: type[Operation], start: float) -> SSAValue:
        return emitter.generic(
            [(value, every)],
            element,
            outer,
            lambda a, total: combine.create(operands=[total, a], result_types=[element]).results[0],
            shape=sizes,
            loops=len(shape),
            start=start,
        )[0]

    def mapped(value: SSAValue, row: SSAValue, body: type[Operation], *, exp: bool) -> SSAValue:
        def apply(a: SSAValue, b: SSAValue) -> SSAValue:
            result = body.create(operands=[a, b], result_types=[element]).results[0]
            return math.ExpOp(result).result if exp else result

        return emitter.generic([(value, every), (row, outer)], element, every, apply, shape=shape)[
            0
        ]

    largest = reduced(source, arith.MaximumfOp, -inf)
    powers = mapped(source, largest, arith.SubfOp, exp=True)
    return mapped(powers, reduced(powers, arith.AddfOp, 0.0), arith.DivfOp, exp=False)


class DecomposeSoftmax(RewritePattern):
    """``linalg.softmax`` -> two reductions, and two ops on elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SoftmaxOp, rewriter: PatternRewriter, /) -> None:
        emitter = Emitter(op, rewriter)
        source = as_tensor(emitter, op.input)
        result = softmax(emitter, source, op.dimension.value.data)
        replace(emitter, op, result, op.output)


class DecomposeAttention(RewritePattern):
    """``tm_tensor.attention`` -> q k^T, scaled and masked, its softmax, and the product with v."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: AttentionOp, rewriter: PatternRewriter, /) -> None:
        emitter = Emitter(op, rewriter)
        query, key, value, *mask = (as_tensor(emitter, operand) for operand in op.inputs)
        element = element_of(query)
        if not isinstance(element, AnyFloat):
            raise CodegenError(
                "KC4553",
                f"raise-to-tir: {op.name} does not define its computation",
                location=location_of(op),
                why=f"softmax does not support elements of type {element}",
            )
        shapes = [list(tensor_type(operand).get_shape()) for operand in (query, key, value)]
        batch = len(shapes[0]) - 2
        outer, (m, n, d) = dims(*range(batch)), dims(batch, batch + 1, batch + 2)
        depth = shapes[0][-1] if shapes[0][-1] >= 0 else shapes[1][-1]
        if depth < 0:
            raise CodegenError(
                "KC4553",
                f"raise-to-tir: {op.name} does not define its computation",
                location=location_of(op),
                why="the size of a head must be constant, because its square root divides the "
                "weights",
            )

        def product(
            a: SSAValue,
            at: Sequence[AffineExpr],
            b: SSAValue,
            to: Sequence[AffineExpr],
            shape: Sequence[int],
        ) -> SSAValue:
            return emitter.generic(
                [(a, [*outer, *at]), (b, [*outer, *to])],
                element,
                [*outer, m, n],
                lambda x, y, total: plus(total, times(x, y)),
                shape=shape,
                loops=batch + 3,
                start=0.0,
            )[0]

        sizes = [*shapes[0][:-1], shapes[1][-2]]
        weights = product(query, [m, d], key, [n, d], sizes)

        def masked(weight: SSAValue, *mask: SSAValue) -> SSAValue:
            scaled = times(weight, number(depth**-0.5, element))
            if not mask:
                return scaled
            if mask[0].type == i1:
                return choose(mask[0], scaled, number(-inf, element))
            return plus(scaled, mask[0])

        every = [*outer, m, n]
        weights = emitter.generic(
            [(weights, every), *((part, every) for part in mask)],
            element,
            every,
            masked,
            shape=sizes,
        )[0]
        weights = softmax(emitter, weights, batch + 1)
        sizes = [*shapes[0][:-1], shapes[2][-1]]
        result = product(weights, [m, d], value, [d, n], sizes)
        replace(emitter, op, result, op.outputs[0])


PATTERNS: tuple[type[RewritePattern], ...] = (DecomposeSoftmax, DecomposeAttention)
