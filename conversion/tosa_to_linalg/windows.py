"""Ops of tosa that combine many elements: reductions, products, convolutions, pools, transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import pi

from xdsl.dialects import arith, linalg, math, tensor
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    IntegerAttr,
    IntegerType,
    TensorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from kc.conversion.tosa_to_linalg.elementwise import (
    ignores_nan,
    larger,
    scaled,
    smaller,
    zero_point_of,
)
from kc.conversion.tosa_to_linalg.emitter import (
    INDEX,
    Emitter,
    choose,
    clamped,
    compare,
    dims,
    extremes,
    is_float,
    is_nan,
    minus,
    number,
    plus,
    refused,
    resized,
    tensor_type,
    times,
)
from kc.dialects.arith import UIToFPOp
from kc.dialects.tosa import TosaOp

_POINT = [AffineExpr.constant(0)]


def axis_of(op: TosaOp) -> int:
    """The axis of an op, which is checked against its operand."""
    axis = op.properties["axis"]
    rank = len(tensor_type(op.inputs[0]).get_shape())
    if not isinstance(axis, IntegerAttr) or not 0 <= axis.value.data < rank:
        raise refused(op, f"its axis must be from 0 to {rank - 1}", f"its axis is {axis}")
    return axis.value.data


def numbers(op: TosaOp, name: str, count: int) -> list[int]:
    """The ``count`` integers of a property."""
    array = op.properties[name]
    values = [int(n) for n in array.iter_values()] if isinstance(array, DenseArrayBase) else []
    if len(values) != count:
        raise refused(op, f"its {name} must have {count} numbers", f"its {name} is {array}")
    return values


def sizes_of(op: TosaOp, value: SSAValue, axes: Sequence[int], what: str) -> list[int]:
    """The extents of a tensor along ``axes``, which must be static."""
    shape = tensor_type(value).get_shape()
    if any(shape[axis] < 0 for axis in axes):
        raise refused(op, f"{what} must be known at compile time", f"it reads {value.type}")
    return [shape[axis] for axis in axes]


def _accumulator(op: TosaOp) -> Attribute:
    type_ = op.properties.get("acc_type")
    if isinstance(type_, TypeAttribute):
        return type_
    element = tensor_type(op.outputs[0]).get_element_type()
    return element


# Reductions -------------------------------------------------------------------------------------


def _reduction(op: TosaOp, element: Attribute) -> tuple[int | float, Callable[..., SSAValue]]:
    """The initial value of a reduction, and its step."""
    low, high = extremes(element)
    match op.name.removeprefix("tosa.reduce_"):
        case "all":
            return 1, lambda x, acc: arith.AndIOp(acc, x).result
        case "any":
            return 0, lambda x, acc: arith.OrIOp(acc, x).result
        case "sum":
            return 0, lambda x, acc: plus(acc, resized(x, acc.type))
        case "product":
            return 1, lambda x, acc: times(acc, x)
        case "max":
            return low, lambda x, acc: larger(op, acc, x)
        case _:
            return high, lambda x, acc: smaller(op, acc, x)


class ConvertReduction(RewritePattern):
    """``tosa.reduce_*``: along one axis, which remains with extent 1."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if not op.name.startswith("tosa.reduce_"):
            return
        emitter = Emitter(op, rewriter)
        (value,), axis = op.inputs, axis_of(op)
        shape = list(tensor_type(value).get_shape())
        element = tensor_type(value).get_element_type()
        every = dims(*range(len(shape)))
        start, body = _reduction(op, element)
        outer = [*every[:axis], *every[axis + 1 :]]
        rest = [*shape[:axis], *shape[axis + 1 :]]
        # TOSA adds up bf16 in f32, which is within its bounds for f16 too, and rounds once.
        is_wide_sum = op.name == "tosa.reduce_sum" and isinstance(
            element, BFloat16Type | Float16Type
        )
        total = f32 if is_wide_sum else element
        (reduced,) = emitter.generic(
            [(value, every)], total, outer, body, shape=rest, loops=len(shape), start=start
        )
        if is_wide_sum:
            places = dims(*range(len(rest)))
            (reduced,) = emitter.generic(
                [(reduced, places)], element, places, lambda x: resized(x, element), shape=rest
            )
        result = [*shape[:axis], 1, *shape[axis + 1 :]]
        emitter.replace(emitter.reassociated(reduced, _with_unit(len(shape), axis), result))


def _with_unit(rank: int, axis: int) -> list[list[int]]:
    """The grouping of dimensions that adds or removes ``axis``, of extent 1, among ``rank``
    others.
    """
    if rank == 1:
        return []
    groups = [[n] for n in range(rank)]
    neighbour = axis - 1 if axis else 1
    first = min(axis, neighbour)
    return [*groups[:first], [first, first + 1], *groups[first + 2 :]]


class ConvertArgmax(RewritePattern):
    """``tosa.argmax``: the first index of the maximum, or of the first NaN if NaN propagates."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.argmax":
            return
        emitter = Emitter(op, rewriter)
        (value,), axis = op.inputs, axis_of(op)
        shape = list(tensor_type(value).get_shape())
        element = tensor_type(value).get_element_type()
        place = tensor_type(op.outputs[0]).get_element_type()
        every = dims(*range(len(shape)))

        def body(x: SSAValue, best: SSAValue, at: SSAValue) -> list[SSAValue]:
            here = resized(linalg.ops.IndexOp(axis).results[0], place)
            is_better = compare(x, "gt", best)
            if is_float(x) and not ignores_nan(op):
                is_first = arith.AndIOp(is_nan(x), compare(best, "eq", best)).result
                is_better = arith.OrIOp(is_better, is_first).result
            return [choose(is_better, x, best), choose(is_better, here, at)]

        _, places = emitter.generic(
            [(value, every)],
            [element, place],
            [*every[:axis], *every[axis + 1 :]],
            body,
            shape=[*shape[:axis], *shape[axis + 1 :]],
            loops=len(shape),
            start=[extremes(element)[0], 0],
        )
        emitter.replace(places)


# Products and convolutions ----------------------------------------------------------------------


def _points(*zeros: SSAValue) -> list[tuple[SSAValue, list[AffineExpr]]]:
    """The zero points of a product's operands; floats have none."""
    return [
        (zero, _POINT)
        for zero in zeros
        if not isinstance(tensor_type(zero).get_element_type(), AnyFloat)
    ]


def _product(x: SSAValue, y: SSAValue, zeros: Sequence[SSAValue], type_: Attribute) -> SSAValue:
    """A product of two numbers minus their zero points, in a wider type."""
    factors = [
        zero_point_of(factor, zero, type_)
        for factor, zero in zip((x, y), zeros or (x, y), strict=True)
    ]
    return times(*factors)


class ConvertMatmul(RewritePattern):
    """``tosa.matmul``: products of batches of matrices, with zero points."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.matmul":
            return
        emitter = Emitter(op, rewriter)
        a, b, a_zero, b_zero = op.inputs
        n, h, w, c = dims(0, 1, 2, 3)
        element = tensor_type(op.outputs[0]).get_element_type()
        reads_floats = isinstance(tensor_type(a).get_element_type(), AnyFloat)
        total = _wide(element) if reads_floats else element

        def body(x: SSAValue, y: SSAValue, *rest: SSAValue) -> SSAValue:
            *zeros, acc = rest
            return plus(acc, _product(x, y, zeros, total))

        shape = [tensor_type(a).get_shape()[0], tensor_type(a).get_shape()[1]]
        (product,) = emitter.generic(
            [(a, [n, h, c]), (b, [n, c, w]), *_points(a_zero, b_zero)],
            total,
            [n, h, w],
            body,
            shape=[*shape, tensor_type(b).get_shape()[2]],
            loops=4,
            start=0,
        )
        if total != element:
            product = emitter.like(element, product, lambda x: resized(x, element))
        emitter.replace(product)


def _wide(element: Attribute) -> Attribute:
    """The accumulation type of a float type."""
    return f32 if isinstance(element, AnyFloat) and element.bitwidth < 32 else element


class ConvertConvolution(RewritePattern):
    """``tosa.conv2d``, ``conv3d`` and ``depthwise_conv2d``: a sum of products, then the bias."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        name = op.name.removeprefix("tosa.")
        if name not in ("conv2d", "conv3d", "depthwise_conv2d"):
            return
        emitter = Emitter(op, rewriter)
        value, weight, bias, value_zero, weight_zero = op.inputs
        spatial = 3 if name == "conv3d" else 2
        is_depthwise = name == "depthwise_conv2d"
        pad = numbers(op, "pad", 2 * spatial)
        strides, dilations = (numbers(op, key, spatial) for key in ("stride", "dilation"))
        axes = range(1, spatial + 1)
        extents = sizes_of(op, value, axes, "the extents of its windows' axes")
        first = 0 if is_depthwise else 1
        taps = sizes_of(op, weight, range(first, first + spatial), "the extents of its window")
        counts = _windows(op, extents, taps, pad, strides, dilations)
        padding = emitter.first(value_zero)
        if isinstance(padding.type, AnyFloat):
            padding = emitter.number(0, tensor_type(value).get_element_type())
        padded = emitter.padded(value, [0, *pad[0::2], 0], [0, *pad[1::2], 0], padding)
        batch = tensor_type(value).get_shape()[0]
        weights = tensor_type(weight).get_shape()
        position = 1
        places = dims(*range(position, position + spatial))
        outer = [AffineExpr.dimension(0), *places]
        if is_depthwise:
            c, m = dims(spatial + 1, spatial + 2)
            channels, features = [c, m], [weights[spatial], weights[spatial + 1]]
            reduced = spatial + 3
        else:
            channels, features = dims(spatial + 1), [weights[0]]
            reduced = spatial + 2
        offsets = dims(*range(reduced, reduced + spatial))
        at = [
            place * stride + offset * dilation
            for place, stride, offset, dilation in zip(
                places, strides, offsets, dilations, strict=True
            )
        ]
        if is_depthwise:
            read = [outer[0], *at, channels[0]]
            taken = [*offsets, *channels]
            loops = reduced + spatial
        else:
            inner = AffineExpr.dimension(reduced + spatial)
            read = [outer[0], *at, inner]
            taken = [channels[0], *offsets, inner]
            loops = reduced + spatial + 1
        total = _accumulator(op)

        def body(x: SSAValue, w: SSAValue, *rest: SSAValue) -> SSAValue:
            *zeros, acc = rest
            return plus(acc, _product(x, w, zeros, total))

        (summed,) = emitter.generic(
            [(padded, read), (weight, taken), *_points(value_zero, weight_zero)],
            total,
            [*outer, *channels],
            body,
            shape=[batch, *counts, *features],
            loops=loops,
            start=0,
        )
        if is_depthwise:
            groups = [*([n] for n in range(spatial + 1)), [spatial + 1, spatial + 2]]
            flat = -1 if min(features) < 0 else features[0] * features[1]
            summed = emitter.reassociated(summed, groups, [batch, *counts, flat])
        emitter.replace(with_bias(emitter, summed, bias))


def with_bias(emitter: Emitter, summed: SSAValue, bias: SSAValue) -> SSAValue:
    """Add the bias of the last axis to sums, as elements of the result."""
    element = tensor_type(emitter.op.results[0]).get_element_type()
    shape = tensor_type(summed).get_shape()
    every = dims(*range(len(shape)))
    is_one = list(tensor_type(bias).get_shape()) == [1] and shape[-1] != 1
    index = _POINT if is_one else every[-1:]

    def body(total: SSAValue, more: SSAValue) -> SSAValue:
        return resized(plus(total, resized(more, total.type)), element)

    return emitter.generic([(summed, every), (bias, index)], element, every, body, shape=shape)[0]


def _windows(
    op: TosaOp,
    extents: Sequence[int],
    taps: Sequence[int],
    pad: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> list[int]:
    """The number of windows along each axis."""
    if min(*strides, *dilations, *taps) < 1 or min(pad) < 0:
        raise refused(
            op, "its windows, strides and dilations must be at least 1, its padding at least 0"
        )
    counts: list[int] = []
    for n, extent in enumerate(extents):
        span = extent + pad[2 * n] + pad[2 * n + 1] - (taps[n] - 1) * dilations[n] - 1
        if span < 0 or span % strides[n]:
            raise refused(
                op,
                "the last window must end where the padded operand ends",
                f"axis {n + 1} has {extent} elements, and padding of {pad[2 * n : 2 * n + 2]}",
                f"its windows have {taps[n]}, dilated by {dilations[n]}, in steps of {strides[n]}",
            )
        counts.append(span // strides[n] + 1)
    return counts


class ConvertTransposedConvolution(RewritePattern):
    """``tosa.transpose_conv2d``: each element of the result gathers the contributions of the
    windows.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name != "tosa.transpose_conv2d":
            return
        emitter = Emitter(op, rewriter)
        value, weight, bias, value_zero, weight_zero = op.inputs
        pad, strides = numbers(op, "out_pad", 4), numbers(op, "stride", 2)
        if min(strides) < 1:
            raise refused(op, "its strides must be at least 1", f"its strides are {strides}")
        extents = sizes_of(op, value, (1, 2), "the extents of its windows' axes")
        taps = sizes_of(op, weight, (1, 2), "the extents of its window")
        counts = [
            (extent - 1) * stride + before + after + tap
            for extent, stride, before, after, tap in zip(
                extents, strides, pad[0::2], pad[1::2], taps, strict=True
            )
        ]
        if min(counts) < 0:
            raise refused(op, "its negative padding must not exceed the size")
        n, y, x, o, i, j, c = dims(*range(7))
        total = _accumulator(op)
        element = tensor_type(value).get_element_type()

        def body(w: SSAValue, *rest: SSAValue) -> SSAValue:
            *zeros, acc = rest
            inside: SSAValue | None = None
            at: list[SSAValue] = []
            for axis in range(2):
                loop, tap = (linalg.ops.IndexOp(k).results[0] for k in (1 + axis, 4 + axis))
                step, zero = number(strides[axis], INDEX), number(0, INDEX)
                place = minus(minus(loop, number(pad[2 * axis], INDEX)), tap)
                quotient = arith.FloorDivSIOp(place, step).result
                fits = [
                    compare(minus(place, times(quotient, step)), "eq", zero),
                    compare(quotient, "ge", zero),
                    compare(quotient, "lt", number(extents[axis], INDEX)),
                ]
                for condition in fits:
                    inside = condition if inside is None else arith.AndIOp(inside, condition).result
                at.append(clamped(quotient, 0, extents[axis] - 1))
            assert inside is not None
            batch, channel = linalg.ops.IndexOp(0).results[0], linalg.ops.IndexOp(6).results[0]
            taken = tensor.ExtractOp(value, [batch, *at, channel], element).result
            product = _product(taken, w, zeros, total)
            return choose(inside, plus(acc, product), acc)

        weights = tensor_type(weight).get_shape()
        batch = tensor_type(value).get_shape()[0]
        if batch < 0:
            raise refused(op, "its batch size must be known at compile time")
        (summed,) = emitter.generic(
            [(weight, [o, i, j, c]), *_points(value_zero, weight_zero)],
            total,
            [n, y, x, o],
            body,
            shape=[batch, *counts, weights[0]],
            loops=7,
            start=0,
        )
        emitter.replace(with_bias(emitter, summed, bias))


# Pools ------------------------------------------------------------------------------------------


class ConvertPool(RewritePattern):
    """``tosa.max_pool2d`` and ``tosa.avg_pool2d``; averages exclude the padding."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name not in ("tosa.max_pool2d", "tosa.avg_pool2d"):
            return
        emitter = Emitter(op, rewriter)
        value = op.inputs[0]
        element = tensor_type(value).get_element_type()
        taps, strides = numbers(op, "kernel", 2), numbers(op, "stride", 2)
        pad = numbers(op, "pad", 4)
        extents = sizes_of(op, value, (1, 2), "the extents of its windows' axes")
        counts = _windows(op, extents, taps, pad, strides, [1, 1])
        if max(pad[0], pad[1]) >= taps[0] or max(pad[2], pad[3]) >= taps[1]:
            raise refused(op, "its padding must be smaller than its window")
        batch, channels = (tensor_type(value).get_shape()[n] for n in (0, 3))
        n, y, x, c, i, j = dims(*range(6))
        read = [n, y * strides[0] + i, x * strides[1] + j, c]
        # This tensor only defines the extents of the loops over the window.
        window = emitter.empty(TensorType(element, taps), taps)
        is_max = op.name == "tosa.max_pool2d"
        lowest = extremes(element)[0]
        low, high = [0, pad[0], pad[2], 0], [0, pad[1], pad[3], 0]
        shape = [batch, *counts, channels]
        if is_max:
            padded = emitter.padded(value, low, high, emitter.number(lowest, element))
            pooled = emitter.generic(
                [(padded, read), (window, [i, j])],
                element,
                [n, y, x, c],
                lambda v, _, acc: larger(op, acc, v),
                shape=shape,
                loops=6,
                start=lowest,
            )
            emitter.replace(*pooled)
            return
        _, zero_in, zero_out = op.inputs
        total = _accumulator(op)
        padding = emitter.first(zero_in)
        padded = emitter.padded(value, low, high, padding)
        (summed,) = emitter.generic(
            [(padded, read), (window, [i, j]), (zero_in, _POINT)],
            total,
            [n, y, x, c],
            lambda v, _, zero, acc: plus(acc, zero_point_of(v, zero, total)),
            shape=shape,
            loops=6,
            start=0,
        )

        def inside(axis: int) -> SSAValue:
            """The number of elements of a window along an axis that are not padding."""
            loop = linalg.ops.IndexOp(1 + axis).results[0]
            start = minus(times(loop, number(strides[axis], INDEX)), number(pad[2 * axis], INDEX))
            end = plus(start, number(taps[axis], INDEX))
            last = arith.MinSIOp(end, number(extents[axis], INDEX)).result
            return minus(last, arith.MaxSIOp(start, number(0, INDEX)).result)

        def mean(sum_: SSAValue, zero: SSAValue) -> SSAValue:
            count = arith.IndexCastOp(times(inside(0), inside(1)), i32).result
            if isinstance(total, AnyFloat):
                return resized(arith.DivfOp(sum_, UIToFPOp(count, total).result).result, element)
            multiplier, shift = _reciprocal(count)
            average = scaled(resized(sum_, i64), multiplier, shift, is_double=False)
            assert isinstance(element, IntegerType)
            least, most = extremes(element)
            moved = plus(average, resized(zero, i64))
            return resized(clamped(moved, int(least), int(most)), element)

        every = dims(*range(4))
        averages = emitter.generic(
            [(summed, every), (zero_out, _POINT)], element, every, mean, shape=shape
        )
        emitter.replace(*averages)


def _reciprocal(count: SSAValue) -> tuple[SSAValue, SSAValue]:
    """A multiplier and a shift that divide by a count (the specification's reciprocal_scale)."""
    unit = number(1, i32)
    zeros = math.CountLeadingZerosOp(minus(count, unit)).result
    bits = resized(minus(number(32, i32), zeros), i64)
    numerator = arith.ShLIOp(number((1 << 30) + 1, i64), bits).result
    multiplier = arith.DivUIOp(numerator, resized(count, i64)).result
    return multiplier, plus(bits, number(30, i64))


# Fourier transforms -----------------------------------------------------------------------------


class ConvertFourier(RewritePattern):
    """``tosa.rfft2d`` and ``tosa.fft2d``: sums over all elements, by their definition."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TosaOp, rewriter: PatternRewriter, /) -> None:
        if op.name not in ("tosa.rfft2d", "tosa.fft2d"):
            return
        emitter = Emitter(op, rewriter)
        height, width = sizes_of(op, op.inputs[0], (1, 2), "the extents that it transforms")
        inverse = op.properties.get("inverse")
        is_inverse = isinstance(inverse, IntegerAttr) and bool(inverse.value.data)
        element = tensor_type(op.inputs[0]).get_element_type()
        if not isinstance(element, AnyFloat):
            raise refused(op, "it must transform floats", f"it reads {op.inputs[0].type}")
        n, y, x, i, j = dims(*range(5))
        columns = width if op.name == "tosa.fft2d" else width // 2 + 1
        shape = [tensor_type(op.inputs[0]).get_shape()[0], height, columns]
        sign = 1.0 if is_inverse else -1.0

        def turn(place: int, offset: int, extent: int) -> SSAValue:
            product = times(
                linalg.ops.IndexOp(place).results[0], linalg.ops.IndexOp(offset).results[0]
            )
            part = arith.RemUIOp(product, number(extent, INDEX)).result
            whole = UIToFPOp(resized(part, i64), element).result
            return times(whole, number(sign * 2 * pi / extent, element))

        def body(*args: SSAValue) -> list[SSAValue]:
            *values, real, imag = args
            angle = plus(turn(1, 3, height), turn(2, 4, width))
            cos, sin = math.CosOp(angle).result, math.SinOp(angle).result
            a = values[0]
            if len(values) == 1:
                return [plus(real, times(a, cos)), plus(imag, times(a, sin))]
            b = values[1]
            return [
                plus(real, minus(times(a, cos), times(b, sin))),
                plus(imag, plus(times(a, sin), times(b, cos))),
            ]

        transformed = emitter.generic(
            [(value, [n, i, j]) for value in op.inputs],
            [element, element],
            [n, y, x],
            body,
            shape=shape,
            loops=5,
            start=[0.0, 0.0],
        )
        emitter.replace(*transformed)


PATTERNS = (
    ConvertReduction,
    ConvertArgmax,
    ConvertMatmul,
    ConvertConvolution,
    ConvertTransposedConvolution,
    ConvertPool,
    ConvertFourier,
)
