"""Views of memrefs: accesses through them become accesses of the underlying buffer.

``memref.subview``, ``cast``, ``transpose``, ``expand_shape``, ``collapse_shape`` and
``reinterpret_cast`` of a buffer are maps from their indices to those of the buffer. Nothing is
copied, and no view remains. An op that takes a whole memref, such as a call, does not take a view:
KC4552.
"""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.driver import ConversionPattern
from kc.conversion.raise_to_tir.function import FunctionRaiser
from kc.conversion.raise_to_tir.nests import Extent
from kc.conversion.raise_to_tir.tensor_ops import groups_of, kept_dimensions, slice_of
from kc.dialects import tir
from kc.dialects.memref_views import TransposeOp
from kc.support.diagnostics import CodegenError
from kc.support.locations import location_of


def _refused(op: Operation, why: str) -> CodegenError:
    return CodegenError(
        "KC4552",
        f"raise-to-tir: {op.name} is not a view that maps its indices to those of its buffer",
        location=location_of(op),
        why=why,
        hints=["copy it into a buffer of its own (memref.alloc, memref.copy)"],
    )


class RaiseSubview(ConversionPattern[FunctionRaiser]):
    """``memref.subview``: ``offset + stride * index`` along each dimension.

    Requires constant strides above 0 (KC4550, KC4552), and that the view lies in its buffer
    (KC4556, or the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.SubviewOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        sizes, exprs, outer = slice_of(raiser, op, op.source)
        assert isinstance(op.result.type, MemRefType)
        if any(int(stride) < 1 for stride in op.static_strides.iter_values()):
            raise _refused(op, "a stride is not a number above 0")
        kept_dims = kept_dimensions(op.result.type.get_shape(), op)
        dims: list[AffineExpr] = [
            AffineDimExpr(kept_dims.index(n)) if n in kept_dims else AffineExpr.constant(0)
            for n in range(len(sizes))
        ]
        dims += [AffineDimExpr(len(kept_dims) + n) for n in range(len(outer))]
        space = [expr.replace_dims_and_symbols(dims, ()) for expr in exprs]
        raiser.view(op.result, op.source, space, outer, [sizes[n] for n in kept_dims])


class RaiseMemrefCast(ConversionPattern[FunctionRaiser]):
    """``memref.cast``: the same buffer, with more or fewer known sizes.

    Requires a known rank (KC4552), and the sizes of its type (KC4556, or the call checks them).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CastOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        source, result = op.source.type, op.dest.type
        if not isinstance(source, MemRefType) or not isinstance(result, MemRefType):
            raise _refused(op, "a memref without a rank has no indices")
        sizes = raiser.sizes_of(raiser.value(op.source))
        raiser.requirements.typed(op.dest, sizes, op)
        space = [AffineDimExpr(n) for n in range(len(sizes))]
        raiser.view(op.dest, op.source, space, [], sizes)


class RaiseAssumeAlignment(ConversionPattern[FunctionRaiser]):
    """``memref.assume_alignment``: the buffer. (The generated code does not rely on the alignment.)

    Requires nothing.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.AssumeAlignmentOp, rewriter: PatternRewriter, /) -> None:
        self.conversion.values[op.result] = self.conversion.value(op.memref)


class RaiseTranspose(ConversionPattern[FunctionRaiser]):
    """``memref.transpose``: the indices in another order.

    Requires nothing: the op's own verifier requires a permutation.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        order = [expr.position for expr in op.permutation.data.results]  # pyright: ignore
        sizes = raiser.sizes_of(raiser.value(op.in_))
        space = [AffineDimExpr(order.index(n)) for n in range(len(order))]
        raiser.view(op.result, op.in_, space, [], [sizes[n] for n in order])


class RaiseExpandMemref(ConversionPattern[FunctionRaiser]):
    """``memref.expand_shape``: the element (i, j) of a group is at ``i * n + j``.

    Requires constant inner sizes (KC4552), and as many elements in each group as before (KC4556, or
    the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.ExpandShapeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        rest = iter(op.output_shape)
        sizes: list[Extent] = [
            raiser.extent(next(rest)) if size == tir.DYNAMIC else size
            for size in (int(n) for n in op.static_output_shape.iter_values())
        ]
        raiser.requirements.natural(sizes, op)
        raiser.requirements.typed(op.result, sizes, op)
        whole = raiser.sizes_of(raiser.value(op.src))
        space: list[AffineExpr] = []
        for group, coarse in zip(groups_of(op.reassociation), whole, strict=False):
            raiser.requirements.product(coarse, [sizes[n] for n in group], op)
            at: AffineExpr = AffineDimExpr(group[0])
            for n in group[1:]:
                at = at * _known(sizes[n], op) + AffineDimExpr(n)
            space.append(at)
        raiser.view(op.result, op.src, space, [], sizes)


class RaiseCollapseMemref(ConversionPattern[FunctionRaiser]):
    """``memref.collapse_shape``: element f of a group is at ``(f floordiv n, f mod n)``.

    Requires constant inner sizes: KC4552.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.CollapseShapeOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        fine = raiser.sizes_of(raiser.value(op.src))
        groups = groups_of(op.reassociation)
        sizes: list[Extent] = []
        space: list[AffineExpr] = [AffineExpr.constant(0)] * len(fine)
        for number, group in enumerate(groups):
            size: Extent = 1
            rest: AffineExpr = AffineDimExpr(number)
            for n in group:
                size = raiser.product(size, fine[n], op)
            for n in reversed(group[1:]):
                extent = _known(fine[n], op)
                space[n], rest = rest % extent, rest // extent
            space[group[0]] = rest
            sizes.append(size)
        raiser.requirements.typed(op.result, sizes, op)
        raiser.view(op.result, op.src, space, [], sizes)


class RaiseReinterpretCast(ConversionPattern[FunctionRaiser]):
    """``memref.reinterpret_cast`` of a buffer with constant inner sizes.

    Requires that the buffer is not a view, that strides are constant and not 0 (KC4552), and that
    all elements are in the buffer (KC4556, or the call checks it).
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: memref.ReinterpretCastOp, rewriter: PatternRewriter, /) -> None:
        raiser = self.conversion
        buffer = raiser.value(op.source)
        if buffer in raiser.views:
            raise _refused(op, "its operand is another view, whose offset and strides it ignores")
        columns: list[list[Extent]] = []
        for static, dynamic in (
            (op.static_offsets, op.offsets),
            (op.static_sizes, op.sizes),
            (op.static_strides, op.strides),
        ):
            rest = iter(dynamic)
            columns.append(
                [
                    raiser.extent(next(rest)) if number == tir.DYNAMIC else int(number)
                    for number in static.iter_values()
                ]
            )
        (offset,), sizes, strides = columns
        fine = raiser.sizes_of(buffer)
        linear: AffineExpr = AffineExpr.constant(0)
        last, least = raiser.requirements.expr(offset, op), raiser.requirements.expr(offset, op)
        counts = [raiser.requirements.expr(size, op) for size in sizes]
        for n, stride in enumerate(strides):
            step = _known(stride, op)
            if step == 0:
                raise _refused(op, "a stride of 0 gives one element several indices")
            linear = linear + AffineDimExpr(n) * step
            count = counts[n]
            end = None if count is None else (count - 1) * step
            if step > 0:
                last = None if last is None or end is None else last + end
            else:
                least = None if least is None or end is None else least + end
        outer: list[SSAValue] = []
        if isinstance(offset, int):
            linear = linear + offset
        else:
            outer.append(offset)
            linear = linear + AffineDimExpr(len(sizes))
        whole: Extent = 1
        for size in fine:
            whole = raiser.product(whole, size, op)
        what, facts = (
            "takes elements of its memory",
            [count for count in counts if count is not None],
        )
        if least is not None:
            raiser.requirements.at_least(least, 0, op, what, facts)
        if last is not None:
            raiser.requirements.at_least(whole, last + 1, op, what, facts)
        raiser.requirements.natural(sizes, op)
        space: list[AffineExpr] = []
        for size in reversed(fine[1:]):
            extent = _known(size, op)
            space.insert(0, linear % extent)
            linear = linear // extent
        if fine:
            space.insert(0, linear)
        raiser.view(op.result, op.source, space, outer, sizes)


def _known(size: Extent, op: Operation) -> int:
    if not isinstance(size, int):
        raise _refused(op, "a size or stride in it is not a number, and indices are affine")
    return size


PATTERNS: tuple[type[RewritePattern], ...] = (
    RaiseSubview,
    RaiseMemrefCast,
    RaiseAssumeAlignment,
    RaiseTranspose,
    RaiseExpandMemref,
    RaiseCollapseMemref,
    RaiseReinterpretCast,
)
