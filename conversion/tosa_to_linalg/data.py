"""Ops of tosa that move elements: shapes, slices, padding, gathers, resizing."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.builder import ImplicitBuilder
from xdsl.dialects import arith, linalg, scf, tensor
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    IntegerAttr,
    TensorType,
    i32,
)
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.tosa_to_linalg.emitter import (
    INDEX,
    Emitter,
    choose,
    clamped,
    compare,
    dims,
    minus,
    number,
    plus,
    refused,
    resized,
    tensor_type,
    times,
)
from kc.conversion.tosa_to_linalg.windows import axis_of, numbers, sizes_of
from kc.dialects.arith import SIToFPOp
from kc.dialects.tosa import ResizeMode, ResizeModeAttr, TosaOp


def _shape_of(value: SSAValue) -> list[int]:
    return list(tensor_type(value).get_shape())


class ConvertConcat(RewritePattern):
    """``tosa.concat`` -> ``tensor.concat``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.concat":
            return
        emitter = Emitter(op, rewriter)
        concat = tensor.ConcatOp.build(
            operands=[list(op.inputs)],
            result_types=[op.outputs[0].type],
            properties={"dim": IntegerAttr(axis_of(op), 64)},
        )
        emitter.replace(emitter.insert(concat))


class ConvertPad(RewritePattern):
    """``tosa.pad`` -> ``tensor.pad``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.pad":
            return
        emitter = Emitter(op, rewriter)
        value, padding, constant = op.inputs
        widths = emitter.constants(padding, "padding")
        rank = len(_shape_of(value))
        if len(widths) != 2 * rank or min(widths, default=0) < 0:
            raise refused(
                op,
                "its padding must be two numbers that are not negative for each dimension",
                f"it pads {value.type} by {widths}",
            )
        emitter.replace(emitter.padded(value, widths[0::2], widths[1::2], emitter.first(constant)))


class ConvertReshape(RewritePattern):
    """``tosa.reshape``: collapse all dimensions into one, then expand to those of the result."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.reshape":
            return
        emitter = Emitter(op, rewriter)
        value, old, new = op.inputs[0], _shape_of(op.inputs[0]), _shape_of(op.outputs[0])
        if old == new:
            emitter.replace(value)
            return
        groups = _grouped(old, new)
        if groups is None:
            groups = _grouped(new, old)
        if groups is not None:
            emitter.replace(emitter.reassociated(value, groups, new))
            return
        count = prod(old) if min(old, default=0) >= 0 else DYNAMIC_INDEX
        flat = emitter.reassociated(value, [list(range(len(old)))] if old else [], [count])
        sizes = _sizes(emitter, flat, new)
        numbers = [size for size in sizes if isinstance(size, int)]
        if count == DYNAMIC_INDEX and len(numbers) == len(sizes):
            whole = TensorType(tensor_type(value).element_type, [prod(numbers)])
            flat = emitter.insert(tensor.CastOp(flat, whole))
        emitter.replace(emitter.expanded(flat, [list(range(len(new)))] if new else [], sizes))


def _sizes(emitter: Emitter, flat: SSAValue, declared: Sequence[int]) -> list[int | SSAValue]:
    """The result sizes of ``tosa.reshape`` for the elements of ``flat``; ``declared`` are the sizes
    of the result type.
    """
    op = emitter.op
    what = f"it makes {op.operands[0].type} to {op.results[0].type}"
    (count,) = _shape_of(flat)
    sizes_read = (
        emitter.constants(op.operands[1], "shape") if min(declared, default=0) < 0 else declared
    )
    if len(sizes_read) != len(declared):
        raise refused(op, "its shape must have a size for each dimension of its result", what)
    sizes = [own if own >= 0 else size for own, size in zip(declared, sizes_read, strict=True)]
    open_ = [n for n, size in enumerate(sizes) if size < 0]
    rest = prod(size for size in sizes if size >= 0)
    if len(open_) > 1 or (open_ and rest == 0):
        raise refused(op, "at most one size may follow from the others, which are not 0", what)
    if count >= 0 and (count % rest if open_ else count != rest):
        raise refused(op, "it must keep the number of elements", what)
    result: list[int | SSAValue] = list(sizes)
    if open_ and count >= 0:
        result[open_[0]] = count // rest
    elif open_:
        axis = emitter.number(0, INDEX)
        length = emitter.insert(tensor.DimOp(flat, axis))
        result[open_[0]] = emitter.insert(arith.DivUIOp(length, emitter.number(rest, INDEX)))
    return result


def _grouped(fine: list[int], coarse: list[int]) -> list[list[int]] | None:
    """For each dimension of ``coarse``, the group of dimensions of ``fine``; None if these are not
    adjacent.

    An unknown extent, -1, is grouped only with extents of 1.
    """
    if not coarse:
        return [] if all(extent == 1 for extent in fine) else None
    groups: list[list[int]] = []
    n = 0
    for position, extent in enumerate(coarse):
        group: list[int] = []
        while n < len(fine):
            sizes = [fine[k] for k in group]
            if group and _product(sizes) == extent and fine[n] != 1:
                break
            if group and position < len(coarse) - 1 and _product(sizes) == extent:
                break
            group.append(n)
            n += 1
            if -1 in (fine[k] for k in group) and extent != -1:
                return None
            if extent != -1 and _product([fine[k] for k in group]) > max(extent, 1):
                return None
        if not group or _product([fine[k] for k in group]) != extent:
            return None
        groups.append(group)
    return groups if n == len(fine) and len(fine) > len(coarse) else None


def _product(sizes: list[int]) -> int:
    unknown = sizes.count(-1)
    static_product = prod(size for size in sizes if size != -1)
    if unknown:
        return -1 if unknown == 1 and static_product == 1 else -2
    return static_product


class ConvertReverse(RewritePattern):
    """``tosa.reverse``: reverse the elements along an axis."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.reverse":
            return
        emitter = Emitter(op, rewriter)
        (value,), axis = op.inputs, axis_of(op)
        shape = _shape_of(value)
        (extent,) = sizes_of(op, value, [axis], "the extent of its axis")
        every = dims(*range(len(shape)))
        read = [*every]
        read[axis] = AffineExpr.constant(extent - 1) - every[axis]
        element = tensor_type(value).get_element_type()
        emitter.replace(*emitter.generic([(value, read)], element, every, lambda x: x, shape=shape))


class ConvertTranspose(RewritePattern):
    """``tosa.transpose``: axis n of the result is axis ``perms[n]`` of the operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.transpose":
            return
        emitter = Emitter(op, rewriter)
        (value,) = op.inputs
        shape = _shape_of(value)
        perms = numbers(op, "perms", len(shape))
        if sorted(perms) != list(range(len(shape))):
            raise refused(op, "its perms must name each axis once", f"its perms are {perms}")
        read = [AffineExpr.dimension(perms.index(axis)) for axis in range(len(shape))]
        emitter.replace(
            *emitter.generic(
                [(value, read)],
                tensor_type(value).get_element_type(),
                dims(*range(len(shape))),
                lambda x: x,
                shape=[shape[axis] for axis in perms],
            )
        )


class ConvertSlice(RewritePattern):
    """``tosa.slice`` -> ``tensor.extract_slice``."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.slice":
            return
        emitter = Emitter(op, rewriter)
        value = op.inputs[0]
        starts = emitter.constants(op.inputs[1], "start")
        counts = emitter.constants(op.inputs[2], "size")
        shape = _shape_of(value)
        fits = len(starts) == len(counts) == len(shape) and all(
            start >= 0 and count >= 0 and (extent < 0 or start + count <= extent)
            for start, count, extent in zip(starts, counts, shape, strict=True)
        )
        if not fits:
            raise refused(
                op,
                "the slice must lie in its operand",
                f"its operand is {value.type}",
                f"it starts at {starts} and has {counts}",
            )
        taken = tensor.ExtractSliceOp.from_static_parameters(value, starts, counts)
        emitter.replace(emitter.insert(taken))


class ConvertTile(RewritePattern):
    """``tosa.tile``: each axis is repeated, as an axis of repetitions and an axis of elements."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.tile":
            return
        emitter = Emitter(op, rewriter)
        value = op.inputs[0]
        counts, shape = emitter.constants(op.inputs[1], "multiples"), _shape_of(value)
        if len(counts) != len(shape) or min(counts, default=1) < 1:
            raise refused(
                op,
                "it must repeat each axis at least once",
                f"it repeats {value.type} {counts} times",
            )
        if min(shape, default=0) < 0:
            raise refused(op, "its sizes must be known at compile time", f"it repeats {value.type}")
        rank = len(shape)
        element = tensor_type(value).get_element_type()
        (spread,) = emitter.generic(
            [(value, dims(*range(1, 2 * rank, 2)))],
            element,
            dims(*range(2 * rank)),
            lambda x: x,
            shape=[extent for pair in zip(counts, shape, strict=True) for extent in pair],
        )
        groups = [[2 * n, 2 * n + 1] for n in range(rank)]
        whole = [count * extent for count, extent in zip(counts, shape, strict=True)]
        emitter.replace(emitter.reassociated(spread, groups, whole))


class ConvertGather(RewritePattern):
    """``tosa.gather``: rows by index; an index out of bounds is clamped."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.gather":
            return
        emitter = Emitter(op, rewriter)
        values, indices = op.inputs
        (rows,) = sizes_of(op, values, [1], "the number of rows it takes from")
        if not rows:
            raise refused(op, "there must be a row to take", f"it takes from {values.type}")
        element = tensor_type(values).get_element_type()
        n, w, c = dims(0, 1, 2)
        batch, count = _shape_of(indices)
        columns = _shape_of(values)[2]

        def body(index: SSAValue) -> SSAValue:
            row = clamped(resized(index, INDEX), 0, rows - 1)
            first, last = (linalg.ops.IndexOp(axis).results[0] for axis in (0, 2))
            return tensor.ExtractOp(values, [first, row, last], element).result

        if columns < 0:
            raise refused(
                op,
                "the number of columns must be known at compile time",
                f"it takes from {values.type}",
            )
        emitter.replace(
            *emitter.generic(
                [(indices, [n, w])], element, [n, w, c], body, shape=[batch, count, columns]
            )
        )


class ConvertScatter(RewritePattern):
    """``tosa.scatter``: store rows by index, one after the other; an index out of bounds is
    skipped.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.scatter":
            return
        emitter = Emitter(op, rewriter)
        whole, indices, rows = op.inputs
        extents = [
            *sizes_of(op, rows, (0, 1, 2), "the sizes of what it puts"),
            *sizes_of(op, whole, [1], "the number of rows it puts into"),
        ]
        if not extents[3]:
            emitter.replace(whole)
            return
        zero, unit = emitter.number(0, INDEX), emitter.number(1, INDEX)
        ends = [emitter.number(extent, INDEX) for extent in extents[:3]]
        emitter.replace(emitter.insert(_scattered(whole, indices, rows, zero, unit, ends, extents)))


def _scattered(
    whole: SSAValue,
    indices: SSAValue,
    rows: SSAValue,
    zero: SSAValue,
    unit: SSAValue,
    ends: list[SSAValue],
    extents: list[int],
) -> scf.ForOp:
    element = tensor_type(whole).get_element_type()

    def loop(axis: int, at: list[SSAValue], carried: SSAValue) -> scf.ForOp:
        block = Block(arg_types=[INDEX, whole.type])
        place, inner = [*at, block.args[0]], block.args[1]
        with ImplicitBuilder(block):
            if axis < 2:
                result = loop(axis + 1, place, inner).results[0]
            else:
                n, w, c = place
                of = tensor_type(indices).get_element_type()
                row = resized(tensor.ExtractOp(indices, [n, w], of).result, INDEX)
                inside = arith.AndIOp(
                    compare(row, "ge", number(0, INDEX)),
                    compare(row, "lt", number(extents[3], INDEX)),
                ).result
                target = [n, clamped(row, 0, extents[3] - 1), c]
                value = choose(
                    inside,
                    tensor.ExtractOp(rows, [n, w, c], element).result,
                    tensor.ExtractOp(inner, target, element).result,
                )
                result = tensor.InsertOp(value, inner, target).result
            scf.YieldOp(result)
        return scf.ForOp(zero, ends[axis], unit, [carried], Region(block))

    return loop(0, [], whole)


class ConvertResize(RewritePattern):
    """``tosa.resize``: the element nearest to a point, or an interpolation of the four around
    it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.resize":
            return
        emitter = Emitter(op, rewriter)
        value = op.inputs[0]
        scale, offset = (
            emitter.constants(op.inputs[1], "scale"),
            emitter.constants(op.inputs[2], "offset"),
        )
        border = emitter.constants(op.inputs[3], "border")
        if len(scale) != 4 or min(scale) < 1:
            raise refused(
                op, "its scale must be four numbers of at least 1", f"its scale is {scale}"
            )
        extents = sizes_of(op, value, (1, 2), "the extents that it resizes")
        counts = []
        for axis in range(2):
            up, down = scale[2 * axis], scale[2 * axis + 1]
            span = (extents[axis] - 1) * up - offset[axis] + border[axis]
            if span < 0 or span % down:
                raise refused(
                    op,
                    "(extent - 1) * scale_n - offset + border must be a multiple of scale_d",
                    f"axis {axis + 1}: ({extents[axis]} - 1) * {up} - {offset[axis]} + "
                    f"{border[axis]} and {down}",
                )
            counts.append(span // down + 1)
        mode = op.properties["mode"]
        is_linear = isinstance(mode, ResizeModeAttr) and mode.data == ResizeMode.BILINEAR
        element = tensor_type(value).get_element_type()
        result = tensor_type(op.outputs[0]).get_element_type()
        batch, channels = _shape_of(value)[0], _shape_of(value)[3]
        if min(batch, channels) < 0:
            raise refused(op, "its sizes must be known at compile time", f"it resizes {value.type}")

        def around(axis: int) -> tuple[SSAValue, SSAValue, SSAValue]:
            """The indices of the elements before and after a point, and its distance from the
            first.
            """
            up, last = number(scale[2 * axis], INDEX), extents[axis] - 1
            place = plus(
                times(linalg.ops.IndexOp(1 + axis).results[0], number(scale[2 * axis + 1], INDEX)),
                number(offset[axis], INDEX),
            )
            before = arith.FloorDivSIOp(place, up).result
            rest = minus(place, times(before, up))
            after = plus(before, number(1, INDEX))
            return clamped(before, 0, last), clamped(after, 0, last), rest

        def body(*_: SSAValue) -> SSAValue:
            n, c = linalg.ops.IndexOp(0).results[0], linalg.ops.IndexOp(3).results[0]
            (top, bottom, down), (left, right, across) = around(0), around(1)

            def at(y: SSAValue, x: SSAValue) -> SSAValue:
                return tensor.ExtractOp(value, [n, y, x, c], element).result

            if not is_linear:
                near = [
                    choose(
                        compare(plus(rest, rest), "ge", number(scale[2 * axis], INDEX)), far, close
                    )
                    for axis, (close, far, rest) in enumerate(
                        ((top, bottom, down), (left, right, across))
                    )
                ]
                return at(*near)
            weights = []
            for axis, rest in enumerate((down, across)):
                whole = scale[2 * axis]
                if isinstance(result, AnyFloat):
                    part = SIToFPOp(resized(rest, i32), result).result
                    share = arith.DivfOp(part, number(whole, result)).result
                    weights.append((minus(number(1, result), share), share))
                else:
                    share = resized(rest, result)
                    weights.append((minus(number(whole, result), share), share))
            (above, below), (west, east) = weights
            rows = [
                plus(
                    times(resized(at(y, left), result), west),
                    times(resized(at(y, right), result), east),
                )
                for y in (top, bottom)
            ]
            return plus(times(rows[0], above), times(rows[1], below))

        emitter.replace(
            *emitter.generic([], result, dims(0, 1, 2, 3), body, shape=[batch, *counts, channels])
        )


PATTERNS = (
    ConvertConcat,
    ConvertPad,
    ConvertReshape,
    ConvertReverse,
    ConvertTranspose,
    ConvertSlice,
    ConvertTile,
    ConvertGather,
    ConvertScatter,
    ConvertResize,
)
