"""The named convolutions and poolings of linalg, each against the loops that its name describes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import kc

CONVOLUTIONS = """
conv_1d conv_2d conv_3d conv_1d_ncw_fcw conv_1d_nwc_wcf conv_2d_nchw_fchw conv_2d_nchw_fchw_q
conv_2d_ngchw_fgchw conv_2d_ngchw_gfchw conv_2d_ngchw_gfchw_q conv_2d_nhwc_fhwc conv_2d_nhwc_fhwc_q
conv_2d_nhwc_hwcf conv_2d_nhwc_hwcf_q conv_2d_nhwgc_gfhwc conv_2d_nhwgc_gfhwc_q conv_3d_ncdhw_fcdhw
conv_3d_ndhwc_dhwcf conv_3d_ndhwc_dhwcf_q depthwise_conv_1d_ncw_cw depthwise_conv_1d_nwc_wc
depthwise_conv_1d_nwc_wcm depthwise_conv_2d_nchw_chw depthwise_conv_2d_nhwc_hwc
depthwise_conv_2d_nhwc_hwc_q depthwise_conv_2d_nhwc_hwcm depthwise_conv_2d_nhwc_hwcm_q
depthwise_conv_3d_ncdhw_cdhw depthwise_conv_3d_ndhwc_dhwc depthwise_conv_3d_ndhwc_dhwcm
""".split()
POOLINGS = """
pooling_nchw_max pooling_nchw_sum pooling_ncw_max pooling_ncw_sum pooling_ndhwc_max
pooling_ndhwc_min pooling_ndhwc_sum pooling_nhwc_max pooling_nhwc_max_unsigned pooling_nhwc_min
pooling_nhwc_min_unsigned pooling_nhwc_sum pooling_nwc_max pooling_nwc_max_unsigned pooling_nwc_min
pooling_nwc_min_unsigned pooling_nwc_sum
""".split()

SIZES = {"n": 2, "g": 2, "c": 3, "f": 2, "m": 2}
WINDOW = {"d": 2, "h": 3, "w": 2}
RESULT = {"d": 2, "h": 2, "w": 3}
STRIDES, DILATIONS = {"d": 1, "h": 2, "w": 1}, {"d": 2, "h": 1, "w": 2}
COMBINED = {"sum": np.add, "max": np.maximum, "min": np.minimum}


def layouts_of(name: str) -> tuple[str, str, str]:
    """The letters of the dimensions of the input, the kernel (or window) and the result."""
    parts = name.removesuffix("_q").removeprefix("depthwise_").split("_")
    if parts[0] == "pooling":
        given = parts[1]
        return given, "".join(it for it in given if it in WINDOW), given
    if len(parts) == 2:
        given = {"1d": "w", "2d": "hw", "3d": "dhw"}[parts[1]]
        return given, given, given
    given, kernel = parts[2:]
    if name.startswith("depthwise"):
        return given, kernel, given + "m" * ("m" in kernel)
    # The channels of the input are summed; those of the result stand in their place.
    return given, kernel, given.replace("c", "f")


def attributes(rank: int, spatial: str) -> str:
    if not rank:
        return ""
    strides, dilations = (
        f"dense<[{', '.join(str(of[it]) for it in spatial)}]> : tensor<{rank}xi64>"
        for of in (STRIDES, DILATIONS)
    )
    return f" {{dilations = {dilations}, strides = {strides}}}"


def type_of(shape: list[int], element: str) -> str:
    return f"memref<{'x'.join(map(str, [*shape, element]))}>"


@pytest.mark.parametrize("name", [*CONVOLUTIONS, *POOLINGS])
def test_a_window_operation(name: str):
    given, kernel, result = layouts_of(name)
    spatial = "".join(it for it in given if it in WINDOW)
    has_strides = name not in ("conv_1d", "conv_2d", "conv_3d")
    is_pooling, is_quantized = name.startswith("pooling"), name.endswith("_q")
    by = STRIDES if has_strides else dict.fromkeys(WINDOW, 1)
    apart = DILATIONS if has_strides else dict.fromkeys(WINDOW, 1)
    length = {it: (RESULT[it] - 1) * by[it] + (WINDOW[it] - 1) * apart[it] + 1 for it in WINDOW}
    shapes = [
        [{**SIZES, **of}[it] for it in letters]
        for letters, of in ((given, length), (kernel, WINDOW), (result, RESULT))
    ]
    integers = is_quantized or "unsigned" in name
    narrow, wide = ("i8", "i32") if is_quantized else ("i32", "i32") if integers else ("f32", "f32")
    types = [type_of(shapes[0], narrow), type_of(shapes[1], narrow), type_of(shapes[2], wide)]
    zeros = ", %izp, %kzp" if is_quantized else ""
    zero_types = ", i32, i32" if is_quantized else ""
    args = "%izp: i32, %kzp: i32, " if is_quantized else ""
    kc_module = kc.IRModule.parse(f"""
func.func @f({args}%I: {types[0]}, %K: {types[1]}, %O: {types[2]}) {{
  linalg.{name}{attributes(len(spatial) if has_strides else 0, spatial)}
    ins(%I, %K{zeros} : {types[0]}, {types[1]}{zero_types}) outs(%O : {types[2]})
  return
}}""")

    numbers = np.random.default_rng(len(name))
    kind = {"i8": "int8", "i32": "int32", "f32": "float32"}
    a, k = (numbers.integers(-9, 9, shape).astype(kind[narrow]) for shape in shapes[:2])
    out = numbers.integers(-9, 9, shapes[2]).astype(kind[wide])
    expected = out.copy()
    dims = "".join(dict.fromkeys(result + given + kernel))
    loops = {it: range(SIZES[it]) for it in dims if it in SIZES}
    loops |= {it: range(RESULT[it]) for it in spatial}
    loops |= {it.upper(): range(WINDOW[it]) for it in spatial}
    for values in itertools.product(*loops.values()):
        at = dict(zip(loops, values, strict=True))
        at_input = {it: at[it] * by[it] + at[it.upper()] * apart[it] for it in spatial}
        x = a[tuple(at_input.get(it, at.get(it)) for it in given)]
        y = k[tuple(at.get(it.upper(), at.get(it)) for it in kernel)]
        to = tuple(at[it] for it in result)
        if not is_pooling:
            izp, kzp = (3, -2) if is_quantized else (0, 0)
            expected[to] += (int(x) - izp) * (int(y) - kzp)
        elif "unsigned" in name:
            combine = COMBINED[name.split("_")[2]]
            both = np.array([expected[to], x]).view("uint32")
            expected[to] = combine(*both).view("int32")
        else:
            expected[to] = COMBINED[name.split("_")[-1]](expected[to], x)
    kc.build(kc_module)(*([3, -2] if is_quantized else []), a, k, out)
    np.testing.assert_array_equal(out, expected)
