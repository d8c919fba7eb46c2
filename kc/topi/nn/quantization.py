"""Numbers in few bits: quantized with a scale per tensor, per axis or per block, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kc.expr import functions as scalar
from kc.expr.constructors import Expr, as_expr, const, select
from kc.expr.constructors import cast as convert
from kc.expr.intrinsics import isnan
from kc.expr.tags import BROADCAST
from kc.expr.tensor import Tensor, shape_text
from kc.te.computes import compute
from kc.topi.arguments import (
    agree,
    axis_of,
    index_tensor,
    is_size,
    over_up,
    same_shape,
    tensor,
    whole,
    word,
)
from kc.topi.elementwise import FLOAT, wide_type
from kc.topi.table import ANY, WORDS, check_tensor, operator, refuse

_RANGES = {
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
}
"""The types that numbers are quantized to, with their limits."""


def _places(
    data: Tensor, scale: Tensor, axis: int, block_size: int
) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    """The index of an element's scale: of the tensor, of a position along an axis, or of a
    block.
    """
    block = whole(block_size, "block_size")
    if block < 0:
        raise refuse(
            "KC2306", f"block_size is {block}", "it must be at least 1, or 0 for no blocks"
        )
    if block:
        along = axis_of(axis, data.ndim)
        expected = [over_up(n, block) if d == along else n for d, n in enumerate(data.shape)]
        if scale.ndim != data.ndim or not all(map(agree, scale.shape, expected)):
            raise refuse(
                "KC2303",
                f"{data.name} of the shape {shape_text(data.shape)} and {scale.name} of the shape "
                f"{shape_text(scale.shape)}",
                f"for blocks of {block} along axis {along}, {scale.name} has the shape "
                f"{shape_text(expected)}",
            )
        return lambda at: (*at[:along], at[along] // block, *at[along + 1 :])
    if scale.ndim == 0:
        return lambda _: ()
    if scale.ndim == 1 and is_size(scale.shape[0], 1):
        return lambda _: (0,)
    along = axis_of(axis, data.ndim)
    if scale.ndim != 1 or not agree(scale.shape[0], data.shape[along]):
        raise refuse(
            "KC2303",
            f"{data.name} of the shape {shape_text(data.shape)} and {scale.name} of the shape "
            f"{shape_text(scale.shape)}",
            "the scale must have no dimension, 1 element, or one for each of the "
            f"{data.shape[along]} places "
            f"along axis {along}",
            "block_size=... for a scale of each block",
        )
    return lambda at: (at[along],)


@operator(
    BROADCAST, FLOAT, 'nn.quantize(T(3, 4), T(3), T(3, dtype="int8"), 0)', onnx="QuantizeLinear",
    torch="quantize_per_channel", formula="saturate(round(data / scale) + zero_point)",
    gradient="zero",
)  # fmt: skip
def quantize(
    data: Tensor, scale: Tensor, zero_point: Tensor | None = None, axis: int = -1,
    block_size: int = 0, out_dtype: str = "int8",
) -> Tensor:  # fmt: skip
    """Numbers divided by their scale, rounded (halves to even), plus the zero point, clamped to the
    type.

    ``scale`` has no dimension or one element (for the tensor), one dimension (for ``axis``), or,
    with ``block_size``, the shape of the data with that axis in blocks. ``zero_point`` has the same
    shape, and the result's type or int32. NaN gives the zero point. Raises KC2301 for types, KC2303
    for shapes, KC2304 for an axis, KC2306 for a size of blocks, KC2312 for an unsupported type of
    the result.
    """
    word(out_dtype, [*_RANGES], "out_dtype")
    check_tensor(scale, "scale", (data.dtype,))
    where = _places(data, scale, axis, block_size)
    if zero_point is not None:
        check_tensor(zero_point, "zero_point", (out_dtype, "int32"))
        same_shape(scale, zero_point, "each scale has its zero point")
    low, high = _RANGES[out_dtype]
    # float64 represents all integers of 32 bits, float32 those of 16 bits.
    wide = "float64" if data.dtype == "float64" or out_dtype == "int32" else "float32"

    def body(*at: Any) -> Expr:
        place = where(at)
        ratio = scalar.round(convert(data(*at), wide) / convert(scale(*place), wide))
        ratio = select(isnan(ratio), const(0, wide), ratio)
        if zero_point is not None:
            ratio = ratio + convert(zero_point(*place), wide)
        clamped = scalar.max(scalar.min(ratio, const(high, wide)), const(low, wide))
        return convert(clamped, out_dtype)

    return compute(data.shape, body, "T_quantize", tag=BROADCAST)


@operator(
    BROADCAST, tuple(_RANGES), 'nn.dequantize(T(3, 4, dtype="int8"), T(3), None, 0)',
    onnx="DequantizeLinear", torch="dequantize", formula="(data - zero_point) * scale",
)  # fmt: skip
def dequantize(
    data: Tensor, scale: Tensor, zero_point: Tensor | None = None, axis: int = -1,
    block_size: int = 0,
) -> Tensor:  # fmt: skip
    """The numbers of the integers of :func:`quantize`, in the type of ``scale``.

    Shapes and errors are those of :func:`quantize`; the zero point has the type of the data or
    int32. The difference is exact.
    """
    check_tensor(scale, "scale", FLOAT)
    where = _places(data, scale, axis, block_size)
    if zero_point is not None:
        check_tensor(zero_point, "zero_point", tuple({data.dtype: 0, "int32": 0}))
        same_shape(scale, zero_point, "each scale has its zero point")
    # The product is made in float32, for an exact difference of 32 bits in float64.
    exact = "int64" if "int32" in (data.dtype, zero_point.dtype if zero_point else "") else "int32"
    wide = "float64" if exact == "int64" or scale.dtype == "float64" else "float32"

    def body(*at: Any) -> Expr:
        place = where(at)
        value = convert(data(*at), exact)
        if zero_point is not None:
            value = value - convert(zero_point(*place), exact)
        return convert(convert(value, wide) * convert(scale(*place), wide), scale.dtype)

    return compute(data.shape, body, "T_dequantize", tag=BROADCAST)


CODES = ("disable", "int8", "uint8", "int32")
"""The types of simulated quantization, numbered from 0."""


def _simulated(
    data: Tensor, kind: Any, scale: Any, zero_point: Any, axis: int, name: str,
    formula: Callable[[str, Expr, Expr, Expr], Expr],
) -> Tensor:  # fmt: skip
    if isinstance(kind, Tensor):
        index_tensor(kind, "the type", 0)
    else:
        word(kind, CODES, "the type")
    if data.ndim == 0:
        raise refuse("KC2302", f"{data.name} has 0 dimensions", "it must have 1 or more")
    along = axis_of(axis, data.ndim)
    parts = {}
    for what, part in (("the scale", scale), ("the zero point", zero_point)):
        if isinstance(part, Tensor):
            tensor(part, what, None, ANY)
            if part.ndim > 1 or (
                part.ndim
                and not is_size(part.shape[0], 1)
                and not agree(part.shape[0], data.shape[along])
            ):
                raise refuse(
                    "KC2303",
                    f"{data.name} of the shape {shape_text(data.shape)} and {what} {part.name} of "
                    f"the shape {shape_text(part.shape)}",
                    f"it must have 1 element, or one for each index along axis {along}",
                )
        elif part is None and kind != "disable":
            raise refuse("KC2300", f"{what} is None", "it must be a tensor or a number")
        parts[what] = part

    wide = wide_type(data.dtype)

    def element(what: str, at: tuple[Any, ...]) -> Expr:
        part = parts[what]
        if not isinstance(part, Tensor):
            return convert(as_expr(1.0 if part is None else part), wide)
        place = () if not part.ndim else (0 if is_size(part.shape[0], 1) else at[along],)
        return convert(part(*place), wide)

    def body(*at: Any) -> Expr:
        if kind == "disable":
            return data(*at)
        value = convert(data(*at), wide)
        step, zero = element("the scale", at), element("the zero point", at)
        if not isinstance(kind, Tensor):
            return convert(formula(kind, value, step, zero), data.dtype)
        result = value
        for code, dtype in enumerate(CODES[1:], 1):
            result = select(kind().equal(code), formula(dtype, value, step, zero), result)
        return convert(result, data.dtype)

    return compute(data.shape, body, name, tag=BROADCAST)


@operator(BROADCAST, WORDS,
          'nn.simulated_quantize(T(3, 4), "int8", T(4), T(4, dtype="int32"))',
          gradient="te")  # fmt: skip
def simulated_quantize(
    data: Tensor, out_dtype: Any, output_scale: Any = None, output_zero_point: Any = None,
    axis: int = -1,
) -> Tensor:  # fmt: skip
    """The values of :func:`quantize` in the type of the data; computed in float32 or wider.

    ``out_dtype`` is "disable" (the data), "int8", "uint8" or "int32", or a tensor without
    dimensions with its number, from 0. Scale and zero point are numbers, or tensors for all
    elements or for each position along the axis. Raises KC2303, KC2304, KC2309 and KC2312 for
    invalid arguments.
    """

    def formula(dtype: str, value: Expr, step: Expr, zero: Expr) -> Expr:
        low, high = (const(limit, value.dtype) for limit in _RANGES[dtype])
        ratio = scalar.round(value / step)
        ratio = select(isnan(ratio), const(0, value.dtype), ratio)
        return scalar.max(scalar.min(ratio + zero, high), low)

    return _simulated(
        data, out_dtype, output_scale, output_zero_point, axis, "simulated_quantize", formula
    )


@operator(BROADCAST, WORDS,
          'nn.simulated_dequantize(T(3, 4), "int8", T(4), T(4, dtype="int32"))')  # fmt: skip
def simulated_dequantize(
    data: Tensor, in_dtype: Any, input_scale: Any = None, input_zero_point: Any = None,
    axis: int = -1,
) -> Tensor:  # fmt: skip
    """``(data - zero point) * scale``, with the arguments of :func:`simulated_quantize`."""

    def formula(dtype: str, value: Expr, step: Expr, zero: Expr) -> Expr:
        return (value - zero) * step

    return _simulated(
        data, in_dtype, input_scale, input_zero_point, axis, "simulated_dequantize", formula
    )
