"""Cases of quantized numbers, upsampling and recurrent networks; importing enters them."""

import numpy as np
from topi_cases import case

from kc.topi import testing

HALVES = "of=[-129.5, -128.5, -0.5, 0.5, 1.5, 2.5, 127.5, np.nan, np.inf, -np.inf, 3.25, 300]"


def whole(x):
    return np.nan_to_num(x, nan=0, posinf=1e9, neginf=-1e9)


case("nn.quantize", lambda x, s, z: testing.quantize_python(x, s, z, 0),
     'nn.quantize(T(3, 4), T(3, of=[0.5, 1, 0.25]), T(3, dtype="int8"), 0)')  # fmt: skip
case("nn.quantize", lambda x, s: testing.quantize_python(whole(x), s),
     f"nn.quantize(T(12, {HALVES}), T(of=1.0))")  # fmt: skip
case("nn.quantize", lambda x, s, z: testing.quantize_python(whole(x), s, z, out_dtype="uint8"),
     f'nn.quantize(T(12, {HALVES}), T(1, of=[2.0]), T(1, dtype="uint8", of=[7]), '
     'out_dtype="uint8")')  # fmt: skip
case("nn.quantize", lambda x, s: testing.quantize_python(whole(x), s, out_dtype="int32"),
     f'nn.quantize(T(12, {HALVES}), T(of=1e-7), out_dtype="int32")')  # fmt: skip
case("nn.quantize", lambda x, s: testing.quantize_python(x, s, 0, 1, 3, "int16"),
     'nn.quantize(T(2, 7), T(2, 3, of=[0.5, 1, 2, 0.25, 1, 4]), None, 1, 3, "int16")')  # fmt: skip
case("nn.dequantize", lambda x, s: testing.dequantize_python(x, s, 0, 0))
case("nn.dequantize", lambda x, s, z: testing.dequantize_python(x, s, z),
     'nn.dequantize(T(5, dtype="uint8"), T(), T(dtype="uint8", of=200))')  # fmt: skip
case("nn.dequantize", lambda x, s, z: testing.dequantize_python(x, s, z, 0, 2),
     'nn.dequantize(T(4, 3, dtype="int8"), T(2, 3), T(2, 3, dtype="int8"), 0, 2)')  # fmt: skip
case("nn.dequantize", lambda x, s, z: testing.dequantize_python(x, s, z),
     'nn.dequantize(T(2, dtype="int32", of=[2**31 - 1, -2**31]), T(of=0.5), '
     'T(dtype="int32", of=-2**31))')  # fmt: skip
STEPS = "T(4, of=[0.5, 1, 2, 0.25])"
ZEROS = 'T(4, dtype="int32")'
for dtype in ("int8", "uint8", "int32"):
    case(
        "nn.simulated_quantize",
        lambda x, s, z, d=dtype: testing.quantize_python(x, s, z, out_dtype=d).astype(float),
        f'nn.simulated_quantize(T(3, 4), "{dtype}", {STEPS}, {ZEROS})',
    )
case("nn.simulated_quantize", lambda x: x, 'nn.simulated_quantize(T(3, 4), "disable")')
for code, dtype in enumerate(("disable", "int8", "uint8", "int32")):
    case(
        "nn.simulated_quantize",
        lambda x, k, s, z, d=dtype: (
            x if d == "disable" else testing.quantize_python(x, s, z, out_dtype=d).astype(float)
        ),
        f'nn.simulated_quantize(T(3, 4), T(dtype="int32", of={code}), {STEPS}, {ZEROS})',
    )
case("nn.simulated_dequantize", lambda x, s, z: (x - z) * s)
case("nn.simulated_dequantize", lambda x: (x - 3) * 0.5,
     'nn.simulated_dequantize(T(3, 4), "uint8", 0.5, 3)')  # fmt: skip


def repeated(x, axes, factors):
    for axis, factor in zip(axes, factors, strict=True):
        x = np.repeat(x, factor, axis)
    return x


case("nn.upsampling", lambda x: repeated(x, (2, 3), (2, 2)))
case("nn.upsampling", lambda x: repeated(x, (1, 2), (3, 2)),
     'nn.upsampling(T(1, 3, 4, 2), 3, 2, "NHWC")')  # fmt: skip
case("nn.upsampling3d", lambda x: repeated(x, (2, 3, 4), (2, 2, 2)))


def between(x, size, corners):
    """Linear along the last axis, on corners or at places times the factor."""
    length = x.shape[-1]
    step = (length - 1) / (size - 1) if corners else length / size
    return np.apply_along_axis(
        lambda row: np.interp(np.arange(size) * step, np.arange(length), row), -1, x
    )


for corners in (False, True):
    case(
        "nn.upsampling",
        lambda x, c=corners: between(between(x.swapaxes(2, 3), 6, c).swapaxes(2, 3), 6, c),
        f'nn.upsampling(T(1, 2, 3, 4), 2, 1.5, method="bilinear", align_corners={corners})',
        16,
    )

case("nn.lstm", testing.lstm_python, roundings=16)
case(
    "nn.lstm",
    lambda x, wi, wh, bi, bh, h, c: testing.lstm_python(
        x, wi, wh, bi, bh, h, c, reverse=True, weight_layout="IOFG"
    ),
    "nn.lstm(T(3, 2, 4), T(12, 4), T(12, 3), T(12), T(12), T(2, 3), T(2, 3), reverse=True, "
    'weight_layout="IOFG")',
    16,
)
case(
    "nn.lstm",
    lambda x, wi, wh, p, *peepholes: testing.lstm_python(
        x, wi, wh, None, None, None, None, p, *peepholes, g_act="relu"
    ),
    "nn.lstm(T(2, 2, 3), T(16, 3), T(16, 2), proj=T(2, 4), p_i=T(4), p_f=T(4), p_o=T(4), "
    "g_act=nn.relu)",
    64,
)
