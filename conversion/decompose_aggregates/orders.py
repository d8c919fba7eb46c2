"""Sorting, and the k best elements, as loops that compare and exchange."""

from __future__ import annotations

from xdsl.dialects import arith, memref, tensor
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.decompose_aggregates.loops import (
    index,
    input_buffer,
    load,
    loop,
    loops,
    payload,
    rewrite,
    size,
    store,
    when,
)
from kc.dialects.arith import CmpiOp, SelectOp
from kc.dialects.tm_tensor import SortOp, TopkOp, element_of, shape_of


class DecomposeSort(RewritePattern):
    """``tm_tensor.sort`` -> as many passes as there are elements, each exchanging neighbours that
    are out of order. The order of equal elements is kept.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SortOp, rewriter: PatternRewriter, /) -> None:
        axis, first = op.dimension.value.data, op.outputs[0]
        outer = [n for n in range(len(shape_of(first))) if n != axis]

        def body(buffers: list[SSAValue]) -> None:
            count = size(first, axis)
            pairs = arith.SubiOp(count, index(1)).result

            def exchange(at: list[SSAValue]) -> None:
                here = list(at[:-2])
                here.insert(axis, at[-1])
                after = list(here)
                after[axis] = arith.AddiOp(at[-1], index(1)).result
                held = [(load(buffer, here), load(buffer, after)) for buffer in buffers]
                ordered = payload(op, *(value for pair in held for value in pair))
                for buffer, (left, right) in zip(buffers, held, strict=True):
                    store(SelectOp(ordered, left, right).result, buffer, here)
                    store(SelectOp(ordered, right, left).result, buffer, after)

            loops([*(size(first, n) for n in outer), count, pairs], exchange)

        rewrite(op, rewriter, body, op.outputs)


class DecomposeTopk(RewritePattern):
    """``tm_tensor.topk`` -> insert each element into the list of the best ones, exchanging it with
    worse ones. Among equal elements, the lower index is better.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TopkOp, rewriter: PatternRewriter, /) -> None:
        axis, source = op.dimension.value.data, op.inputs[0]
        number = element_of(op.outputs[1])
        assert isinstance(number, IntegerType)
        outer = [n for n in range(len(shape_of(source))) if n != axis]

        def body(buffers: list[SSAValue]) -> None:
            best, places = buffers
            sources = [input_buffer(value) for value in op.inputs]
            counts = [size(source, n) for n in outer]
            count, output_count = size(source, axis), size(op.outputs[0], axis)
            if isinstance(op.outputs[1].owner, tensor.EmptyOp):
                # The initial contents are unknown; any element has a lower index.
                highest = (1 << (number.width.data - 1)) - 1
                last = arith.ConstantOp(IntegerAttr(highest, number)).result

                def clear(at: list[SSAValue]) -> None:
                    here = list(at[:-1])
                    here.insert(axis, at[-1])
                    store(last, places, here)

                loops([*counts, output_count], clear)

            def element(at: list[SSAValue]) -> None:
                rest, i = at[:-1], at[-1]
                place = [*rest]
                place.insert(axis, i)
                value = load(sources[0], place)
                if len(sources) == 2:
                    own = load(sources[1], place)
                else:
                    own = arith.IndexCastOp(i, number).result
                descend(rest, value, own)

            def descend(rest: list[SSAValue], value: SSAValue, own: SSAValue) -> None:
                # The element being inserted is in memory, as the inner loop carries it.
                carried = [
                    memref.AllocaOp.get(kind.type, shape=[1]).memref for kind in (value, own)
                ]
                store(value, carried[0], [index(0)])
                store(own, carried[1], [index(0)])

                def compare(k: SSAValue) -> None:
                    at = [*rest]
                    at.insert(axis, k)
                    new, new_place = (load(buffer, [index(0)]) for buffer in carried)
                    old, old_place = load(best, at), load(places, at)
                    better, worse = payload(op, new, old), payload(op, old, new)
                    lower = CmpiOp(new_place, old_place, "slt").result
                    true = arith.ConstantOp(IntegerAttr(1, 1)).result
                    equal = arith.XOrIOp(arith.OrIOp(better, worse).result, true).result
                    taken = arith.OrIOp(better, arith.AndIOp(equal, lower).result).result

                    def exchange() -> None:
                        store(new, best, at)
                        store(new_place, places, at)
                        store(old, carried[0], [index(0)])
                        store(old_place, carried[1], [index(0)])

                    when(taken, exchange)

                loop(output_count, compare)

            loops([*counts, count], element)

        rewrite(op, rewriter, body, op.outputs)


PATTERNS: tuple[type[RewritePattern], ...] = (DecomposeSort, DecomposeTopk)
