"""Scans and scatters, as loops."""

from __future__ import annotations

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.decompose_aggregates.loops import (
    index,
    input_buffer,
    load,
    loops,
    payload,
    rewrite,
    size,
    store,
    when,
)
from kc.dialects.arith import CmpiOp
from kc.dialects.tm_tensor import ScanOp, ScatterOp, shape_of


class DecomposeScan(RewritePattern):
    """``tm_tensor.scan`` -> loops; the loop over the scanned dimension is sequential."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScanOp, rewriter: PatternRewriter, /) -> None:
        axis, inclusive = op.dimension.value.data, bool(op.inclusive.value.data)
        input_ = op.inputs[0]
        rank = len(shape_of(input_))

        def body(buffers: list[SSAValue]) -> None:
            source, (target, total) = input_buffer(input_), buffers
            counts = [size(input_, n) for n in range(rank)]

            def element(at: list[SSAValue]) -> None:
                rest = [i for n, i in enumerate(at) if n != axis]

                def first() -> None:
                    start = load(source, at) if inclusive else load(total, rest)
                    store(start, target, at)

                def later() -> None:
                    before = list(at)
                    before[axis] = arith.SubiOp(at[axis], index(1)).result
                    value = load(source, at if inclusive else before)
                    combined = payload(op, load(target, before), value)
                    store(combined, target, at)
                    store(combined, total, rest)

                when(CmpiOp(at[axis], index(0), "eq").result, first, later)

            loops(counts, element)

        rewrite(op, rewriter, body, op.outputs)


class DecomposeScatter(RewritePattern):
    """``tm_tensor.scatter`` -> loops over the updates, in order, and over their elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterOp, rewriter: PatternRewriter, /) -> None:
        updates, places = op.inputs
        rank = len(shape_of(op.outputs[0]))
        slice_rank = len(shape_of(updates)) - 1

        def body(buffers: list[SSAValue]) -> None:
            (target,) = buffers
            new, listed = input_buffer(updates), input_buffer(places)
            counts = [size(updates, n) for n in range(slice_rank + 1)]
            bounds = [size(op.outputs[0], dim) for dim in op.indexed]

            def element(at: list[SSAValue]) -> None:
                parts = [index(0)] * (rank - slice_rank) + at[1:]
                inside: SSAValue | None = None
                for n, dim in enumerate(op.indexed):
                    number = load(listed, [at[0], index(n)])
                    if not isinstance(number.type, IndexType):
                        number = arith.IndexCastOp(number, IndexType()).result
                    parts[dim] = arith.AddiOp(parts[dim], number).result
                    # As an unsigned number, a negative index is large.
                    below = CmpiOp(parts[dim], bounds[n], "ult").result
                    inside = below if inside is None else arith.AndIOp(inside, below).result
                assert inside is not None

                def update() -> None:
                    store(payload(op, load(new, at), load(target, parts)), target, parts)

                when(inside, update)

            loops(counts, element)

        rewrite(op, rewriter, body, op.outputs)


PATTERNS: tuple[type[RewritePattern], ...] = (DecomposeScan, DecomposeScatter)
