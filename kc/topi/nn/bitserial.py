"""Products of numbers of few bits, bit by bit: words of bits are combined, and counted."""

from __future__ import annotations

from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, const
from kc.expr.constructors import cast as convert
from kc.expr.dtypes import INTS, UINTS, check_dtype
from kc.expr.intrinsics import popcount
from kc.expr.tensor import Tensor, reduce_axis, shape_text
from kc.te.computes import compute
from kc.topi.arguments import axis_of, constant, positive, rank, same_size, tensor, whole, word
from kc.topi.nn.convolution import spans_of
from kc.topi.nn.padding import amounts, padded, window
from kc.topi.table import INTEGERS, OF_INTEGERS, operator, refuse

_WORDS = {"uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64}


def _bits(value: Any, what: str) -> int:
    count = whole(value, what)
    if not 1 <= count <= 8:
        raise refuse("KC2317", f"{what} is {count}", "it must be from 1 to 8")
    return count


@operator("bitpack", INTEGERS, 'nn.bitpack(T(2, 32, dtype="uint8"), 2, 1, 1, "uint32")',
          gradient=OF_INTEGERS)  # fmt: skip
def bitpack(
    data: Tensor, bits: int, pack_axis: int, bit_axis: int, pack_type: str,
    name: str = "QuantizeInput",
) -> Tensor:  # fmt: skip
    """The lowest ``bits`` of integers, each in words of ``pack_type`` along ``pack_axis``.

    A new axis ``bit_axis`` holds the bits, the lowest first; the first element of a word is its
    most significant bit. Raises KC2303 for an axis that is not a multiple of the word, KC2304 for
    an axis that does not exist, KC2312 for an invalid word type, KC2317 for bits outside of 1 to 8.
    """
    count, kind = _bits(bits, "bits"), word(pack_type, [*_WORDS], "pack_type")
    along = axis_of(pack_axis, data.ndim, "pack_axis")
    place = axis_of(bit_axis, data.ndim + 1, "bit_axis")
    width, length = _WORDS[kind], constant(data.shape[along], "the axis that is packed")
    if length % width:
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} packed along axis {along}",
            f"the axis has {length} elements, must have a multiple of {width}",
        )
    shape = list(data.shape)
    shape[along] = length // width
    shape.insert(place, count)

    n = reduce_axis((0, width), name="n")

    def body(*at: Any) -> Expr:
        source = [*at[:place], *at[place + 1 :]]
        source[along] = source[along] * width + n
        moved = convert(data(*source), kind) >> convert(as_expr(at[place]), kind)
        bit = moved & const(1, kind)
        return scalar.sum(bit << convert(width - 1 - n, kind), axis=n)

    return compute(shape, body, name, tag="bitpack")


def _term(a: Expr, w: Expr, unipolar: bool, dtype: str) -> Expr:
    both = convert(popcount(a & w), dtype)
    return both - convert(popcount(a & ~w), dtype) if unipolar else both


_MEANING = """Numbers are of 0 to ``2^bits - 1``. ``unipolar``: bits of weights are +1 and -1: a
    weight w of b bits stands for ``2 w - (2^b - 1)``. Sums are made in ``out_dtype``. Raises
    KC2303 for sizes that do not fit, or that words do not divide, KC2317 for bits that are not 1 to
    8."""


@operator(
    "bitserial_dense", INTEGERS,
    'nn.bitserial_dense(T(2, 32, dtype="uint8"), T(3, 32, dtype="uint8"), 2, 1)',
    gradient=OF_INTEGERS,
)  # fmt: skip
def bitserial_dense(
    data: Tensor, weight: Tensor, data_bits: int, weight_bits: int, pack_dtype: str = "uint32",
    out_dtype: str = "int16", unipolar: bool = True,
) -> Tensor:  # fmt: skip
    """The product of (M, K) and (N, K), transposed, of integers of few bits."""
    rank(data, "data", 2)
    tensor(weight, "weight", 2, INTEGERS)
    same_size(data, 1, weight, 1, "the dimension that is summed over is the same in both")
    dtype = word(check_dtype(out_dtype), (*INTS, *UINTS), "out_dtype")
    a = bitpack(data, data_bits, 1, 1, pack_dtype, "packed_data")
    w = bitpack(weight, weight_bits, 1, 1, pack_dtype, "packed_weight")
    k = reduce_axis((0, a.shape[2]), name="k")
    p = reduce_axis((0, a.shape[1]), name="p")
    q = reduce_axis((0, w.shape[1]), name="q")

    def body(i: Any, j: Any) -> Expr:
        term = _term(a(i, p, k), w(j, q, k), unipolar, dtype)
        return scalar.sum(term << convert(as_expr(p + q), dtype), axis=[k, p, q])

    return compute((data.shape[0], weight.shape[0]), body, "bitserial_dense", tag="bitserial_dense")


def _conv(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, activation_bits: int,
    weight_bits: int, pack_dtype: str, out_dtype: str, unipolar: bool, first: bool, name: str,
) -> Tensor:  # fmt: skip
    rank(data, "data", 4)
    tensor(kernel, "the kernel", 4, INTEGERS)
    channel, inner, outer = (1, 1, 0) if first else (3, 2, 3)
    same_size(data, channel, kernel, inner, "data and filter have the same channels")
    dtype = word(check_dtype(out_dtype), (*INTS, *UINTS), "out_dtype")
    steps = positive(stride, 2, "stride")
    space = 2 if first else 1
    taps = kernel.shape[2:] if first else kernel.shape[:2]
    heads, tails = amounts(padding, spans_of(taps, (1, 1)))
    outs = window(data.shape[space : space + 2], taps, steps, (1, 1), heads, tails,
                  lambda a, b: a // b, data)  # fmt: skip
    front, back = [0] * 4, [0] * 4
    front[space : space + 2], back[space : space + 2] = heads, tails
    source = padded(data, front, back, 0, "pad_temp")
    a = bitpack(source, activation_bits, channel, 4, pack_dtype, "packed_data")
    w = bitpack(kernel, weight_bits, inner, 4, pack_dtype, "packed_weight")
    rc = reduce_axis((0, a.shape[channel]), name="rc")
    kh, kw = reduce_axis((0, taps[0]), name="kh"), reduce_axis((0, taps[1]), name="kw")
    p = reduce_axis((0, a.shape[4]), name="p")
    q = reduce_axis((0, w.shape[4]), name="q")

    def element(n: Any, o: Any, i: Any, j: Any) -> Expr:
        y, x = i * steps[0] + kh, j * steps[1] + kw
        value = a(n, rc, y, x, p) if first else a(n, y, x, rc, p)
        weight = w(o, rc, kh, kw, q) if first else w(kh, kw, rc, o, q)
        term = _term(value, weight, unipolar, dtype)
        return scalar.sum(term << convert(as_expr(p + q), dtype), axis=[rc, kh, kw, p, q])

    results = kernel.shape[outer]
    if first:
        return compute((data.shape[0], results, *outs), element, name, tag=name)
    return compute((data.shape[0], *outs, results), lambda n, i, j, o: element(n, o, i, j), name,
                   tag=name)  # fmt: skip


@operator(
    "bitserial_conv2d_nchw", INTEGERS,
    'nn.bitserial_conv2d_nchw(T(1, 32, 4, 4, dtype="uint8"), T(2, 32, 3, 3, dtype="uint8"), 1, 1, '
    "2, 1)",
    gradient=OF_INTEGERS,
)  # fmt: skip
def bitserial_conv2d_nchw(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, activation_bits: int,
    weight_bits: int, pack_dtype: str = "uint32", out_dtype: str = "int16", unipolar: bool = True,
) -> Tensor:  # fmt: skip
    """A convolution of (N, C, H, W) with (O, C, KH, KW) of integers of few bits."""
    return _conv(data, kernel, stride, padding, activation_bits, weight_bits, pack_dtype,
                 out_dtype, unipolar, True, "bitserial_conv2d_nchw")  # fmt: skip


@operator(
    "bitserial_conv2d_nhwc", INTEGERS,
    'nn.bitserial_conv2d_nhwc(T(1, 4, 4, 32, dtype="uint8"), T(3, 3, 32, 2, dtype="uint8"), 1, 1, '
    "2, 1)",
    gradient=OF_INTEGERS,
)  # fmt: skip
def bitserial_conv2d_nhwc(
    data: Tensor, kernel: Tensor, stride: Any, padding: Any, activation_bits: int,
    weight_bits: int, pack_dtype: str = "uint32", out_dtype: str = "int16", unipolar: bool = True,
) -> Tensor:  # fmt: skip
    """A convolution of (N, H, W, C) with (KH, KW, C, O) of integers of few bits."""
    return _conv(data, kernel, stride, padding, activation_bits, weight_bits, pack_dtype,
                 out_dtype, unipolar, False, "bitserial_conv2d_nhwc")  # fmt: skip


for _function in (bitserial_dense, bitserial_conv2d_nchw, bitserial_conv2d_nhwc):
    _function.__doc__ = f"{_function.__doc__}\n\n    {_MEANING}\n    "
