"""Families of rows for ``benchmarks/cpu.py``: given rows, and randomly drawn rows.

A family has some rows of typical programs, and a function that draws log-uniform sizes, which are
rarely multiples of a power of two. The sizes of a row depend only on the seed, the family and the
index of the row: each process draws the same rows, and families can be measured separately.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cpu_programs import (
    INTEGERS,
    LAYOUTS,
    POINTWISE,
    REDUCTIONS,
    STENCILS,
    Maker,
    attention,
    batched,
    conv,
    conv_transposed,
    gemm,
    index,
    integers,
    layout,
    norm,
    pointwise,
    pool,
    reduction,
    scan,
    short_name,
    softmax,
    sort,
    stencil,
    symbolic,
)
from cpu_rows import Goal

PERMITTED = 6e8
"""The maximum operations of a drawn row: some milliseconds of one core."""
ELEMENTS = 3e6
"""The maximum elements of an array of a drawn row."""


class Draw:
    """Random sizes of one row."""

    def __init__(self, seed: int, family: str, number: int, largest: int = 1 << 30) -> None:
        self.random = random.Random(f"{seed} {family} {number}")
        self.largest = largest

    def size(self, low: int, high: int) -> int:
        """A log-uniform whole number from ``low`` to ``high``, at most ``largest``."""
        low, high = min(low, self.largest), min(high, self.largest)
        drawn = math.exp(self.random.uniform(math.log(low), math.log(high + 1)))
        return min(int(drawn), high)

    def sizes(self, *ranges: tuple[int, int], limit: float = ELEMENTS) -> list[int]:
        """Sizes whose product is at most ``limit``."""
        while True:
            sizes = [self.size(*bounds) for bounds in ranges]
            if math.prod(sizes) <= limit:
                return sizes

    def choice(self, *choices: Any) -> Any:
        """A random element."""
        return self.random.choice(choices)


@dataclass
class Family:
    """Rows of a kind, with their target ratios to the best peer on one thread."""

    rows: dict[str, Maker]
    draw: Callable[[Draw], tuple[str, Maker]]
    mean: float = 1.0
    """The target of the geometric mean."""
    least: float = 0.7
    """The target of each row."""


def random_rows(
    families: Sequence[str], seed: int, count: int, largest: int = 1 << 30
) -> dict[str, Goal]:
    """``count`` rows of each family, by their names."""
    rows: dict[str, Goal] = {}
    for family in families:
        for number in range(count):
            name, make = FAMILIES[family].draw(Draw(seed, family, number, largest))
            rows[f"{family} {name}"] = Goal(make, 0.5, 0.5, family=family)
    return rows


def given_rows() -> dict[str, Goal]:
    """The rows of all families, by their names."""
    return {
        f"{family} {name}": Goal(make, it.mean, it.mean, family=family)
        for family, it in FAMILIES.items()
        for name, make in it.rows.items()
    }


# What is drawn


def _draw_gemm(d: Draw) -> tuple[str, Maker]:
    m, k, n = d.sizes((1, 4000), (8, 4000), (1, 4000), limit=PERMITTED / 2)
    turned = d.choice(False, False, True)
    return f"{m}x{k}x{n}{' turned' if turned else ''}", gemm(m, k, n, turned=turned)


def _draw_types(d: Draw) -> tuple[str, Maker]:
    types = d.choice(*TYPES)
    limit = PERMITTED / (1 if "8" in types else 2)
    m, k, n = d.sizes((2, 2500), (8, 2500), (8, 2500), limit=limit)
    if types == "int8":  # torch takes more than 16 rows, and multiples of 8 alone
        m, k, n = m + 17, 8 * ((k + 7) // 8), 8 * ((n + 7) // 8)
    name = "*".join(short_name(it) for it in types.split("*"))
    return f"{name} {m}x{k}x{n}", gemm(m, k, n, types)


TYPES = ("float64", "float16", "bfloat16", "bfloat16", "uint8*int8", "int8", "uint8*uint8")


def _draw_batched(d: Draw) -> tuple[str, Maker]:
    b, m, k, n = d.sizes((2, 400), (2, 300), (4, 300), (2, 300), limit=PERMITTED / 2)
    turned = d.choice(False, True)
    return f"{b} of {m}x{k}x{n}{' turned' if turned else ''}", batched(b, m, k, n, turned=turned)


def _draw_conv(
    layout: str, grouped: bool = False, depthwise: bool = False
) -> Callable[[Draw], tuple[str, Maker]]:
    def draw(d: Draw) -> tuple[str, Maker]:
        while True:
            taps = d.choice(1, 1, 2, 3, 3, 3, 5, 7) if not depthwise else d.choice(3, 3, 5, 7)
            step, spread = d.choice(1, 1, 2), d.choice(1, 1, 1, 2) if taps > 1 else 1
            pad = d.choice(0, (taps - 1) * spread // 2)
            n, h, w = d.size(1, 4), d.size(7, 160), d.size(7, 160)
            if depthwise:
                groups = ci = co = d.size(3, 500)
            else:
                groups = d.choice(2, 3, 4, 8) if grouped else 1
                ci, co = groups * d.size(1, 400), groups * d.size(1, 400)
            reach = (taps - 1) * spread + 1
            work = 2.0 * n * co * h * w * taps**2 * (ci / groups) / step**2
            small = n * max(ci, co) * h * w <= ELEMENTS
            if h + 2 * pad >= reach and w + 2 * pad >= reach and work <= PERMITTED and small:
                break
        name = f"{n}x{ci}x{h}x{w} to {co} {taps}x{taps} s{step} p{pad}"
        name += f" d{spread}" if spread > 1 else ""
        name += f" g{groups}" if grouped else ""
        return name, conv(n, ci, (h, w), co, (taps, taps), step, pad, spread, groups, layout)

    return draw


def _draw_grouped(d: Draw) -> tuple[str, Maker]:
    layout = d.choice("NCHW", "NHWC")
    name, make = _draw_conv(layout, grouped=True)(d)
    return f"{layout.lower()} {name}", make


def _draw_depthwise(d: Draw) -> tuple[str, Maker]:
    layout = d.choice("NCHW", "NHWC")
    name, make = _draw_conv(layout, depthwise=True)(d)
    return f"{layout.lower()} {name}", make


def _draw_transposed(d: Draw) -> tuple[str, Maker]:
    while True:
        taps, step = d.choice(2, 3, 4), d.choice(1, 2)
        pad = d.choice(0, 1) if taps > 2 else 0
        n, ci, hw, co = d.size(1, 3), d.size(2, 200), d.size(4, 60), d.size(2, 200)
        if 2.0 * n * ci * hw**2 * co * taps**2 <= PERMITTED / 2:
            break
    name = f"{n}x{ci}x{hw}^2 to {co} {taps}x{taps} s{step} p{pad}"
    return name, conv_transposed(n, ci, hw, co, taps, step, pad)


def _draw_pool(d: Draw) -> tuple[str, Maker]:
    layout, kind = d.choice("NCHW", "NHWC"), d.choice("max", "avg")
    taps = d.choice(0, 2, 3, 3, 5)
    n, c, h, w = d.sizes((1, 8), (3, 500), (7, 160), (7, 160))
    step = d.choice(1, 2, max(taps, 1)) if taps else 1
    pad = d.choice(0, taps // 2)
    if min(h, w) + 2 * pad < taps:
        h, w = h + taps, w + taps
    what = f"{taps}x{taps} s{step} p{pad}" if taps else "global"
    name = f"{kind} {layout.lower()} {n}x{c}x{h}x{w} {what}"
    return name, pool(kind, n, c, (h, w), taps, step, pad, layout)


def _draw_norm(d: Draw) -> tuple[str, Maker]:
    kind = d.choice("layer", "rms", "batch", "instance", "group")
    if kind in ("layer", "rms"):
        shape = d.sizes((1, 4000), (8, 8000))
        return f"{kind} {shape[0]}x{shape[1]}", norm(kind, shape)
    groups = d.choice(2, 4, 8)
    n, c, h, w = d.sizes((1, 8), (1, 60), (4, 100), (4, 100), limit=ELEMENTS / groups)
    shape = [n, groups * c, h, w]
    name = "x".join(str(size) for size in shape)
    return f"{kind} {name}" + (f" g{groups}" if kind == "group" else ""), norm(kind, shape, groups)


def _draw_softmax(d: Draw) -> tuple[str, Maker]:
    rows, columns = d.sizes((1, 40_000), (3, 60_000))
    axis, logarithm = d.choice(1, 1, 1, 0), d.choice(False, False, True)
    name = f"{'log ' if logarithm else ''}{rows}x{columns}{' of columns' if axis == 0 else ''}"
    return name, softmax((rows, columns), axis, logarithm)


def _draw_attention(d: Draw) -> tuple[str, Maker]:
    mask, shared = d.choice("", "causal", "padded"), d.choice(1, 1, 2, 4)
    while True:
        b, h, rows = d.size(1, 8), shared * d.size(1, 12), d.size(1, 1500)
        keys = rows if mask == "causal" else d.choice(rows, d.size(2, 1500))
        depth = d.size(16, 160)
        if 4.0 * b * h * rows * keys * depth <= PERMITTED and b * h * rows * keys <= 4 * ELEMENTS:
            break
    name = f"{mask + ' ' if mask else ''}{b}x{h}x{rows}x{depth} of {keys} keys"
    name += f", {shared} heads share" if shared > 1 else ""
    return name, attention((b, h), rows, keys, depth, mask, shared)


def _shape(d: Draw) -> list[int]:
    rank = d.choice(1, 2, 2, 3)
    high = {1: 3_000_000, 2: 5000, 3: 300}[rank]
    return d.sizes(*[({1: 1000, 2: 2, 3: 2}[rank], high)] * rank)


def _times(shape: Sequence[int]) -> str:
    return "x".join(str(size) for size in shape)


def _draw_pointwise(d: Draw) -> tuple[str, Maker]:
    name, dtype, shape = d.choice(*POINTWISE), d.choice(*["float32"] * 4, "float64"), _shape(d)
    return f"{name} {short_name(dtype)} {_times(shape)}", pointwise(name, shape, dtype)


def _draw_integers(d: Draw) -> tuple[str, Maker]:
    name, shape = d.choice(*INTEGERS), _shape(d)
    return f"{name} {_times(shape)}", integers(name, shape)


def _draw_scan(d: Draw) -> tuple[str, Maker]:
    kind, dtype = d.choice("cumsum", "cumsum", "cumprod"), d.choice("float32", "float64")
    shape, axis = d.sizes((1, 5000), (2, 20_000)), d.choice(0, 1)
    name = f"{kind} {short_name(dtype)} {_times(shape)}{' of columns' if axis == 0 else ''}"
    return name, scan(kind, shape, axis, dtype)


def _draw_sort(d: Draw) -> tuple[str, Maker]:
    kind, dtype = d.choice("sort", "argsort", "topk"), d.choice("float32", "int32")
    rows, columns = d.sizes((1, 3000), (3, 30_000), limit=3e5)
    k = d.size(1, 50)
    name = f"{kind}{k if kind == 'topk' else ''} {short_name(dtype)} {rows}x{columns}"
    return name, sort(kind, rows, columns, dtype, k)


def _draw_index(d: Draw) -> tuple[str, Maker]:
    kind = d.choice("take", "gather", "scatter_add", "histogram", "one_hot")
    while True:
        rows, columns, count = d.size(3, 30_000), d.size(2, 1000), d.size(2, 30_000)
        size = {"gather": rows * count, "histogram": count}.get(kind, count * columns)
        if size <= ELEMENTS and rows * columns <= ELEMENTS:
            break
    return f"{kind} {rows}x{columns}, {count}", index(kind, rows, columns, count)


def _draw_layout(d: Draw) -> tuple[str, Maker]:
    kind = d.choice("transpose", "transpose", *LAYOUTS)
    if kind == "blocks":
        n, c, h, w = d.sizes((1, 4), (1, 30), (4, 100), (4, 100), limit=ELEMENTS / 8)
        return f"blocks {n}x{8 * c}x{h}x{w}", layout(kind, (n, 8 * c, h, w))
    rank = d.choice(2, 3, 4)
    high = {2: 4000, 3: 300, 4: 80}[rank]
    shape = d.sizes(*[(4, high)] * rank)
    order = list(range(rank))
    while kind == "transpose" and order == sorted(order):
        d.random.shuffle(order)
    by = f" by {order}".replace(" ", "") if kind == "transpose" else ""
    return f"{kind} {_times(shape)} {by}".strip(), layout(kind, shape, order)


def _draw_reduction(d: Draw) -> tuple[str, Maker]:
    kind, rank = d.choice(*REDUCTIONS), d.choice(1, 2, 2, 3)
    high = {1: 3_000_000, 2: 6000, 3: 400}[rank]
    shape = d.sizes(*[(3, high)] * rank)
    axes = sorted(d.random.sample(range(rank), 1 if kind == "argmax" else d.choice(1, rank)))
    name = f"{kind} {_times(shape)} along {','.join(str(axis) for axis in axes)}"
    return name, reduction(kind, shape, axes)


def _draw_stencil(d: Draw) -> tuple[str, Maker]:
    kind = d.choice(*STENCILS)
    shape = d.sizes(*([(8, 200)] * 3 if kind == "seven" else [(8, 4000)] * 2))
    shape = [max(size, 4) for size in shape]
    return f"{kind} {_times(shape)}", stencil(kind, shape)


def _draw_symbolic(d: Draw) -> tuple[str, Maker]:
    kind = d.choice("softmax", "add", "sum", "total", "transpose", "gemm", "attention")
    high = 1000 if kind in ("gemm", "attention") else 4000
    rows, columns = d.sizes((2, high), (2, high), limit=ELEMENTS / 4)
    depth = d.size(16, 130)
    return f"{kind} {rows}x{columns}" + (
        f" of {depth}" if kind in ("gemm", "attention") else ""
    ), symbolic(kind, rows, columns, depth)


def _square(n: int, ci: int, hw: int, co: int, taps: int, step: int = 1, **more: Any) -> Maker:
    """A convolution of square images, with the usual padding of networks."""
    spread = more.get("spread", 1)
    pad = (taps - 1) * spread // 2
    return conv(n, ci, (hw, hw), co, (taps, taps), step, pad, **more)


def _draw_bytes(d: Draw) -> tuple[str, Maker]:
    types = d.choice("uint8*int8", "uint8*uint8")
    while True:
        taps, step = d.choice(1, 3, 3, 5), d.choice(1, 2)
        n, ci, hw, co = d.size(1, 4), d.size(3, 400), d.size(7, 100), d.size(3, 400)
        if 2.0 * n * ci * hw**2 * co * taps**2 / step**2 <= PERMITTED:
            break
    name = "*".join(short_name(it) for it in types.split("*"))
    return f"{name} {n}x{ci}x{hw}^2 to {co} {taps}x{taps} s{step}", _square(
        n, ci, hw, co, taps, step, types=types
    )


FAMILIES: dict[str, Family] = {
    "gemm": Family(
        {
            "384x384x384": gemm(384, 384, 384),
            "96x512x2048": gemm(96, 512, 2048),
            "300x3000x60": gemm(300, 3000, 60),
            "3000x40x3000": gemm(3000, 40, 3000),
            "48x192x3136": gemm(48, 192, 3136),
            "7x1024x1024": gemm(7, 1024, 1024),
            "4x2048x1000 turned": gemm(4, 2048, 1000, turned=True),
            "1x768x3072": gemm(1, 768, 3072),
            "197x768x768": gemm(197, 768, 768),
            "257x129x513 turned": gemm(257, 129, 513, turned=True),
            "2000x64x5": gemm(2000, 64, 5),
            "33x33x33": gemm(33, 33, 33),
        },
        _draw_gemm,
        1.02,
        0.85,
    ),
    "types": Family(
        {
            "f64 400x500x300": gemm(400, 500, 300, "float64"),
            "f16 256x512x384": gemm(256, 512, 384, "float16"),
            "bf16 384x768x768": gemm(384, 768, 768, "bfloat16"),
            "bf16 197x333x555": gemm(197, 333, 555, "bfloat16"),
            "u8*i8 384x768x768": gemm(384, 768, 768, "uint8*int8"),
            "i8*i8 256x768x1024": gemm(256, 768, 1024, "int8"),
            "u8*u8 250x500x750": gemm(250, 500, 750, "uint8*uint8"),
            "u8*i8 101x777x333": gemm(101, 777, 333, "uint8*int8"),
        },
        _draw_types,
        0.9,
    ),
    "batched": Family(
        {
            "96 of 64x64x64": batched(96, 64, 64, 64),
            "24 of 197x64x197 turned": batched(24, 197, 64, 197, turned=True),
            "500 of 10x20x30": batched(500, 10, 20, 30),
            "12 of 128x128x64": batched(12, 128, 128, 64),
            "2000 of 4x4x4": batched(2000, 4, 4, 4),
            "16 of 128x64x128 bf16": batched(16, 128, 64, 128, "bfloat16"),
        },
        _draw_batched,
        1.02,
        0.85,
    ),
    "conv": Family(
        {
            "resnet stem": conv(1, 3, (224, 224), 64, (7, 7), 2, 3),
            "resnet 64x56^2 1x1 to 256": _square(1, 64, 56, 256, 1),
            "resnet 128x28^2 3x3": _square(1, 128, 28, 128, 3),
            "resnet 256x56^2 1x1 s2 to 512": _square(1, 256, 56, 512, 1, 2),
            "resnet 512x7^2 3x3": _square(1, 512, 7, 512, 3),
            "vgg 64x112^2 3x3 to 128": _square(1, 64, 112, 128, 3),
            "inception 48x35^2 5x5 to 64": _square(1, 48, 35, 64, 5),
            "inception 768x17^2 1x7 to 192": conv(1, 768, (17, 17), 192, (1, 7), 1, 0),
            "mobilenet stem": _square(1, 3, 224, 32, 3, 2),
            "mobilenet 96x56^2 1x1 to 24": _square(1, 96, 56, 24, 1),
            "densenet 32x28^2 3x3 to 12": _square(2, 32, 28, 12, 3),
            "dilated 64x40^2 3x3": _square(1, 64, 40, 64, 3, spread=2),
        },
        _draw_conv("NCHW"),
        1.02,
        0.85,
    ),
    "conv_nhwc": Family(
        {
            "resnet 64x56^2 3x3": _square(1, 64, 56, 64, 3, layout="NHWC"),
            "resnet 256x14^2 3x3": _square(1, 256, 14, 256, 3, layout="NHWC"),
            "resnet 512x28^2 1x1 s2 to 256": _square(1, 512, 28, 256, 1, 2, layout="NHWC"),
            "mobilenet 32x112^2 1x1 to 16": _square(1, 32, 112, 16, 1, layout="NHWC"),
            "mobilenet 160x14^2 1x1 to 960": _square(1, 160, 14, 960, 1, layout="NHWC"),
            "efficientnet stem": _square(1, 3, 224, 32, 3, 2, layout="NHWC"),
            "unet 48x64^2 3x3 to 36": _square(1, 48, 64, 36, 3, layout="NHWC"),
            "tiny 11x30^2 3x3 to 13": _square(2, 11, 30, 13, 3, layout="NHWC"),
        },
        _draw_conv("NHWC"),
        1.02,
        0.85,
    ),
    "conv_int8": Family(
        {
            "u8*i8 64x56^2 3x3": _square(1, 64, 56, 64, 3, types="uint8*int8"),
            "u8*i8 256x14^2 1x1 to 512": _square(1, 256, 14, 512, 1, types="uint8*int8"),
            "u8*u8 32x28^2 3x3 to 48": _square(1, 32, 28, 48, 3, types="uint8*uint8"),
            "u8*u8 512x7^2 3x3": _square(1, 512, 7, 512, 3, types="uint8*uint8"),
            "u8*u8 64x56^2 1x1 to 256": _square(1, 64, 56, 256, 1, types="uint8*uint8"),
            "u8*u8 resnet stem": conv(1, 3, (224, 224), 64, (7, 7), 2, 3, types="uint8*uint8"),
            "u8*u8 mobilenet stem": _square(1, 3, 224, 32, 3, 2, types="uint8*uint8"),
            "u8*u8 30x20^2 3x3 to 13": _square(1, 30, 20, 13, 3, types="uint8*uint8"),
            "u8*u8 256x14^2 3x3 g8": _square(1, 256, 14, 256, 3, groups=8, types="uint8*uint8"),
            "u8*u8 144x56^2 3x3 g144": _square(1, 144, 56, 144, 3, groups=144, types="uint8*uint8"),
        },
        _draw_bytes,
        0.9,
    ),
    "grouped": Family(
        {
            "resnext 128x56^2 3x3 g32": _square(1, 128, 56, 128, 3, groups=32),
            "256x14^2 3x3 g8": _square(1, 256, 14, 256, 3, groups=8),
            "shufflenet 240x28^2 1x1 g3": _square(1, 240, 28, 240, 1, groups=3),
            "nhwc 96x28^2 3x3 g4": _square(1, 96, 28, 96, 3, groups=4, layout="NHWC"),
        },
        _draw_grouped,
        1.02,
        0.85,
    ),
    "depthwise": Family(
        {
            "144x56^2 3x3": _square(1, 144, 56, 144, 3, groups=144),
            "96x112^2 3x3 s2": _square(1, 96, 112, 96, 3, 2, groups=96),
            "240x28^2 5x5": _square(1, 240, 28, 240, 5, groups=240),
            "672x14^2 5x5 s2": _square(1, 672, 14, 672, 5, 2, groups=672),
            "convnext 96x56^2 7x7": _square(1, 96, 56, 96, 7, groups=96),
            "nhwc 192x28^2 3x3": _square(1, 192, 28, 192, 3, groups=192, layout="NHWC"),
            "nhwc 120x28^2 5x5": _square(1, 120, 28, 120, 5, groups=120, layout="NHWC"),
            "nhwc 34x50^2 3x3 s2": _square(2, 34, 50, 34, 3, 2, groups=34, layout="NHWC"),
        },
        _draw_depthwise,
    ),
    "transposed": Family(
        {
            "64x28^2 to 32 4x4 s2": conv_transposed(1, 64, 28, 32, 4, 2, 1),
            "128x16^2 to 64 2x2 s2": conv_transposed(1, 128, 16, 64, 2, 2, 0),
            "33x20^2 to 21 3x3 s1": conv_transposed(1, 33, 20, 21, 3, 1, 1),
        },
        _draw_transposed,
    ),
    "pool": Family(
        {
            "max 64x112^2 3x3 s2": pool("max", 1, 64, (112, 112), 3, 2, 1),
            "max 128x56^2 2x2 s2": pool("max", 1, 128, (56, 56), 2, 2),
            "max 256x13^2 5x5 s1": pool("max", 1, 256, (13, 13), 5, 1, 2),
            "avg 192x35^2 3x3 s1": pool("avg", 1, 192, (35, 35), 3, 1, 1),
            "avg 100x30^2 2x2 s2": pool("avg", 2, 100, (30, 30), 2, 2),
            "max nhwc 64x56^2 3x3 s2": pool("max", 1, 64, (56, 56), 3, 2, 1, "NHWC"),
            "avg nhwc 96x28^2 3x3 s1": pool("avg", 1, 96, (28, 28), 3, 1, 1, "NHWC"),
            "global avg 2048x7^2": pool("avg", 4, 2048, (7, 7), 0, 1),
            "global avg nhwc 1280x7^2": pool("avg", 4, 1280, (7, 7), 0, 1, 0, "NHWC"),
            "global max 300x20^2": pool("max", 2, 300, (20, 20), 0, 1),
        },
        _draw_pool,
        1.0,
        0.6,
    ),
    "norm": Family(
        {
            "layer 197x768": norm("layer", (197, 768)),
            "layer 4096x96": norm("layer", (4096, 96)),
            "rms 512x2048": norm("rms", (512, 2048)),
            "batch 8x64x28x28": norm("batch", (8, 64, 28, 28)),
            "instance 2x32x64x64": norm("instance", (2, 32, 64, 64)),
            "group 4x128x16x16 g32": norm("group", (4, 128, 16, 16), 32),
        },
        _draw_norm,
        1.4,
        1.0,
    ),
    "softmax": Family(
        {
            "20000x10": softmax((20_000, 10)),
            "5000x47": softmax((5000, 47)),
            "1000x197": softmax((1000, 197)),
            "256x1000": softmax((256, 1000)),
            "64x5003": softmax((64, 5003)),
            "8x50000": softmax((8, 50_000)),
            "log 32x30522": softmax((32, 30_522), logarithm=True),
            "4x21x40x40 of channels": softmax((4, 21, 40, 40), 1),
        },
        _draw_softmax,
        1.1,
        0.8,
    ),
    "attention": Family(
        {
            "1x12x197x64": attention((1, 12), 197, 197, 64),
            "8x8x64x32": attention((8, 8), 64, 64, 32),
            "1x4x1024x64": attention((1, 4), 1024, 1024, 64),
            "causal 1x8x512x64": attention((1, 8), 512, 512, 64, "causal"),
            "causal 1x2x1500x80": attention((1, 2), 1500, 1500, 80, "causal"),
            "padded 8x8x128x64": attention((8, 8), 128, 128, 64, "padded"),
            "padded 4x4x300x48": attention((4, 4), 300, 300, 48, "padded"),
            "shared 1x16x256x64": attention((1, 16), 256, 256, 64, "causal", 4),
            "decode 4x16x1x64 of 900": attention((4, 16), 1, 900, 64),
            "cross 2x8x100x64 of 77": attention((2, 8), 100, 77, 64),
        },
        _draw_attention,
        1.2,
        0.8,
    ),
    "pointwise": Family(
        {f"{name} 700x1111": pointwise(name, (700, 1111)) for name in POINTWISE}
        | {
            "exp f64 500x999": pointwise("exp", (500, 999), "float64"),
            "exp 1000": pointwise("exp", (1000,)),
            "relu(x+y) 50x3": pointwise("relu(x+y)", (50, 3)),
            "x*y+z f16 1000x500": pointwise("x*y+z", (1000, 500), "float16"),
        },
        _draw_pointwise,
        1.1,
        0.85,
    ),
    "integer": Family(
        {f"{name} 600x1001": integers(name, (600, 1001)) for name in INTEGERS},
        _draw_integers,
    ),
    "scan": Family(
        {
            "cumsum 700x1300": scan("cumsum", (700, 1300), 1),
            "cumsum 700x1300 of columns": scan("cumsum", (700, 1300), 0),
            "cumsum 1x1000000": scan("cumsum", (1, 1_000_000), 1),
            "cumsum f64 300x900": scan("cumsum", (300, 900), 1, "float64"),
            "cumprod 500x777": scan("cumprod", (500, 777), 1),
            "cumsum i32 900x333": scan("cumsum", (900, 333), 1, "int32"),
        },
        _draw_scan,
        1.0,
        0.6,
    ),
    "sort": Family(
        {
            "sort 2000x30": sort("sort", 2000, 30),
            "sort 300x500": sort("sort", 300, 500),
            "sort 1x100000": sort("sort", 1, 100_000),
            "sort i32 40x3000": sort("sort", 40, 3000, "int32"),
            "argsort 1000x60": sort("argsort", 1000, 60),
            "argsort 10x10000": sort("argsort", 10, 10_000),
            "topk 64x1000": sort("topk", 64, 1000, k=5),
        },
        _draw_sort,
        1.0,
        0.6,
    ),
    "index": Family(
        {
            "take 30522x64, 2000": index("take", 30_522, 64, 2000),
            "take 5000x3, 30000": index("take", 5000, 3, 30_000),
            "gather 500x700, 300": index("gather", 500, 700, 300),
            "scatter_add 800x100, 900": index("scatter_add", 800, 100, 900),
            "histogram 256, 500000": index("histogram", 1, 256, 500_000),
            "one_hot 1000, 2000": index("one_hot", 1, 1000, 2000),
        },
        _draw_index,
        1.0,
        0.6,
    ),
    "layout": Family(
        {
            "transpose 900x1500": layout("transpose", (900, 1500), (1, 0)),
            "transpose 8x197x12x64 by 0213": layout("transpose", (8, 197, 12, 64), (0, 2, 1, 3)),
            "transpose 100x60x70 by 210": layout("transpose", (100, 60, 70), (2, 1, 0)),
            "transpose 3x400x500 by 120": layout("transpose", (3, 400, 500), (1, 2, 0)),
            "blocks 2x64x56x56": layout("blocks", (2, 64, 56, 56)),
        }
        | {f"{kind} 3x500x701": layout(kind, (3, 500, 701)) for kind in LAYOUTS[1:-1]},
        _draw_layout,
        1.0,
        0.6,
    ),
    "reduction": Family(
        {
            "sum 1000x1500 all": reduction("sum", (1000, 1500), (0, 1)),
            "sum 300x70x50 of the middle": reduction("sum", (300, 70, 50), (1,)),
            "max 20000x11": reduction("max", (20_000, 11), (1,)),
            "mean 64x3x5000": reduction("mean", (64, 3, 5000), (0, 2)),
            "prod 300x999": reduction("prod", (300, 999), (1,)),
            "variance 700x900": reduction("variance", (700, 900), (1,)),
            "logsumexp 400x1300": reduction("logsumexp", (400, 1300), (1,)),
            "argmax 20x50000": reduction("argmax", (20, 50_000), (1,)),
            "argmax 700x900 of columns": reduction("argmax", (700, 900), (0,)),
            "sum f64 900x900": reduction("sum", (900, 900), (1,), "float64"),
        },
        _draw_reduction,
    ),
    "stencil": Family(
        {
            "jacobi 1000x1300": stencil("jacobi", (1000, 1300)),
            "blur 1000x1300": stencil("blur", (1000, 1300)),
            "blur 2100x2900": stencil("blur", (2100, 2900)),
            "gradient 720x1280": stencil("gradient", (720, 1280)),
            "seven 90x100x110": stencil("seven", (90, 100, 110)),
        },
        _draw_stencil,
    ),
    "symbolic": Family(
        {
            "softmax 1000x700": symbolic("softmax", 1000, 700),
            "add 1000x900": symbolic("add", 1000, 900),
            "sum 900x1100": symbolic("sum", 900, 1100),
            "total 1000x1000": symbolic("total", 1000, 1000),
            "transpose 1000x1100": symbolic("transpose", 1000, 1100),
            "gemm 300x500 of 200": symbolic("gemm", 300, 500, 200),
            "attention 500x500 of 64": symbolic("attention", 500, 500, 64),
        },
        _draw_symbolic,
    ),
}
