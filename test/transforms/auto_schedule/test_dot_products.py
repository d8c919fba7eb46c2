"""Default schedules of products and convolutions of bytes: which instructions they take, and that
each of them is exact."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import kc
from kc import te, tir, topi
from kc.analysis.interpreter import run
from kc.target import Target


def kinds(schedule: tir.Schedule, block: str) -> list[str]:
    """The loops around a block: extents, and what becomes of them."""
    loops = [schedule.get(loop) for loop in schedule.get_loops(block)]
    return [f"{loop.static_extent} {loop.kind.data}" for loop in loops]


VNNI = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=cascadelake -num-cores=1")
DOTPROD = Target("llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=cortex-a76 -num-cores=1")


def product_of_bytes(
    types: tuple[str, str] = ("uint8", "int8"),
    sizes: tuple[int, int, int] = (8, 8, 32),
    *,
    batch: int = 0,
    transposed: bool = False,
) -> list[te.Tensor]:
    m, k, n = sizes
    lead = (batch,) if batch else ()
    A = te.placeholder((*lead, m, k), types[0], name="A")
    B = te.placeholder((*lead, n, k) if transposed else (*lead, k, n), types[1], name="B")
    r = te.reduce_axis((0, k), name="k")

    def term(*at: te.Expr) -> te.Expr:
        *group, i, j = at
        b = B(*group, j, r) if transposed else B(*group, r, j)
        return te.sum(A(*group, i, r).astype("int32") * b.astype("int32"), axis=r)

    return [A, B, te.compute((*lead, m, n), term, name="C")]


SKYLAKE = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=skylake-avx512 -num-cores=1")
HASWELL = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=haswell -num-cores=1")
I8MM = Target("llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-v2 -num-cores=1")
AVX10 = Target(
    "llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=diamondrapids -mattr=-amx-tile -num-cores=1"
)
SIERRA_FOREST = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=sierraforest -num-cores=1")
N2 = Target("llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=neoverse-n2 -num-cores=1")
BYTES = ("uint8", "int8")


@pytest.mark.parametrize(
    ("target", "types", "intrinsic", "offset"),
    [
        (VNNI, ("uint8", "int8"), "avx512_vnni_dot_16x4", False),
        (VNNI, ("int8", "uint8"), "avx512_vnni_dot_16x4_i8u8", False),
        (VNNI, ("int8", "int8"), "avx512_vnni_dot_16x4", True),
        (VNNI, ("uint8", "uint8"), "avx512_vnni_dot_16x4_i8u8", True),
        (SKYLAKE, ("int8", "int8"), "avx512_madd_dot_16x2_i8i8", False),
        (SKYLAKE, ("uint8", "uint8"), "avx512_madd_dot_16x2_u8u8", False),
        (HASWELL, ("uint8", "int8"), "avx2_madd_dot_8x2_u8i8", False),
        (DOTPROD, ("int8", "int8"), "neon_sdot_4x4", False),
        (DOTPROD, ("uint8", "uint8"), "neon_udot_4x4", False),
        (DOTPROD, ("uint8", "int8"), "neon_sdot_4x4", True),
        (DOTPROD, ("int8", "uint8"), "neon_udot_4x4", True),
        (I8MM, ("uint8", "int8"), "neon_usdot_4x4", False),
        (N2, ("int8", "int8"), "neon_smmla_square", False),
        (N2, ("uint8", "int8"), "neon_usmmla_square", False),
        (N2, ("uint8", "uint8"), "neon_ummla_square", False),
        (N2, ("int8", "uint8"), "neon_ummla_square", True),
        (AVX10, ("int8", "int8"), "avx10_dot_16x4_i8i8", False),
        (AVX10, ("uint8", "uint8"), "avx10_dot_16x4_u8u8", False),
        (SIERRA_FOREST, ("int8", "int8"), "avx_vnni_int8_dot_8x4_i8i8", False),
        (SIERRA_FOREST, ("uint8", "uint8"), "avx_vnni_int8_dot_8x4_u8u8", False),
        (SIERRA_FOREST, ("uint8", "int8"), "avx_vnni_dot_8x4", False),
        (VNNI, ("int16", "int16"), "avx512_vnni_dot_16x2_i16", False),
        (VNNI, ("uint16", "int16"), "avx512_vnni_dot_16x2_i16", True),
        (SIERRA_FOREST, ("int16", "int16"), "avx_vnni_dot_8x2_i16", False),
        (SKYLAKE, ("int16", "int16"), "avx512_madd_dot_16x2_i16", False),
        (HASWELL, ("int16", "int16"), "avx2_madd_dot_8x2_i16", False),
    ],
)
def test_bytes_are_multiplied_by_dot_products(
    target: Target, types: tuple[str, str], intrinsic: str, offset: bool
):
    """Instructions take the operands with certain signs; else one is moved by 128."""
    script = kc.auto_schedule(product_of_bytes(types, (32, 64, 64)), target).trace.as_python()
    assert f'tensor_intrin="{intrinsic}"' in script
    assert ("offset_operand" in script) == offset


def limits(types: tuple[str, str], *shapes: list[int]) -> list[np.ndarray]:
    """The least and the greatest numbers of the types, and numbers in between."""
    numbers = np.random.default_rng(0)
    arrays = []
    for dtype, shape in zip(types, shapes, strict=True):
        info = np.iinfo(dtype)
        array = numbers.integers(info.min, info.max + 1, shape).astype(dtype)
        array.flat[::7], array.flat[1::7] = info.min, info.max
        arrays.append(array)
    return arrays


@pytest.mark.each_row
@pytest.mark.parametrize(
    ("target", "types"),
    list(product((VNNI, SKYLAKE, HASWELL, DOTPROD, I8MM), product(BYTES, BYTES))),
    ids=lambda it: getattr(it, "mcpu", None),
)
@pytest.mark.parametrize("sizes", [(24, 24, 48), (18, 30, 60)])
def test_products_of_bytes_are_exact(
    target: Target, types: tuple[str, str], sizes: tuple[int, int, int]
):
    """In the interpreter, for cores that this one is not. What sticks out is padded."""
    m, k, n = sizes
    schedule = kc.auto_schedule(product_of_bytes(types, sizes), target)
    assert "tensorize" in schedule.trace.as_python()
    a, b = limits(types, [m, k], [k, n])
    a[0], b[:, 0] = np.iinfo(types[0]).min, np.iinfo(types[1]).min
    c = np.zeros((m, n), "int32")
    run(schedule.module, "main", [a, b, c])
    np.testing.assert_array_equal(c, a.astype("int32") @ b.astype("int32"))


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("types", [(a, b) for a in BYTES for b in BYTES])
def test_squares_of_sums_are_exact(types: tuple[str, str], transposed: bool):
    """Two rows by two columns in a register, what sticks out padded; then rows of their own, which
    are transposed where the result has the columns first."""
    m, k, n = 23, 61, 31
    inputs = product_of_bytes(types, (m, k, n))
    A, B, _ = inputs
    r = te.reduce_axis((0, k), name="k")

    def term(i: te.Expr, j: te.Expr) -> te.Expr:
        return te.sum(A(i, r).astype("int32") * B(r, j).astype("int32"), axis=r)

    shape = (n, m) if transposed else (m, n)
    C = te.compute(shape, (lambda j, i: term(i, j)) if transposed else term, name="C")
    schedule = kc.auto_schedule([A, B, C], N2)
    assert "mmla_square" in schedule.trace.as_python()
    a, b = limits(types, [m, k], [k, n])
    c = np.zeros(shape, "int32")
    run(schedule.module, "main", [a, b, c])
    exact = a.astype("int32") @ b.astype("int32")
    np.testing.assert_array_equal(c, exact.T if transposed else exact)


@pytest.mark.parametrize(
    ("types", "instruction"),
    [
        (("int8", "int8"), "smmla"),
        (("uint8", "int8"), "usmmla"),
        (("uint8", "uint8"), "ummla"),
    ],
)
def test_squares_of_sums_stay_in_registers(types: tuple[str, str], instruction: str):
    """Nothing is stored between the instructions of a tile, which has more than one."""
    schedule = kc.auto_schedule(product_of_bytes(types, (32, 64, 64)), N2)
    assembly = kc.build(schedule, target=N2).get_source("asm")
    lines = [line.split()[0] for line in assembly.splitlines() if line.split()]
    own = [n for n, line in enumerate(lines) if line == instruction]
    assert len(own) >= 8
    between = lines[own[0] : own[-1]]
    assert not [line for line in between if line.startswith(("st", "b."))]


@pytest.mark.parametrize("target", [VNNI, HASWELL, SIERRA_FOREST], ids=lambda it: it.mcpu)
@pytest.mark.parametrize("types", [("int16", "int16"), ("uint16", "int16")])
def test_products_of_words_wrap(target: Target, types: tuple[str, str]):
    """Two products of the limits are more than 31 bits: sums are those of integers modulo 2^32."""
    m, k, n = 11, 29, 33
    schedule = kc.auto_schedule(product_of_bytes(types, (m, k, n)), target)
    assert "dot_" in schedule.trace.as_python()
    a, b = limits(types, [m, k], [k, n])
    a[0], b[:, 0] = np.iinfo(types[0]).min or 65535, -(1 << 15)
    c = np.zeros((m, n), "int32")
    run(schedule.module, "main", [a, b, c])
    exact = a.astype("int64") @ b.astype("int64")
    np.testing.assert_array_equal(c, exact.astype("int32"))


@pytest.mark.parametrize("types", [(a, b) for a in BYTES for b in BYTES])
def test_sums_of_bytes_wrap(types: tuple[str, str]):
    """More products of the limits than 32 bits hold: the sum is that of integers modulo 2^32."""
    depth, rows, columns = 140_000, 48, 32
    schedule = kc.auto_schedule(product_of_bytes(types, (rows, depth, columns)), Target.host_cpu())
    if Target.host_cpu().has_feature("avx512vnni"):
        assert ("offset_operand" in schedule.trace.as_python()) == (types[0] == types[1])
    a = np.full((rows, depth), np.iinfo(types[0]).min or 255, types[0])
    b = np.full((depth, columns), np.iinfo(types[1]).min or 255, types[1])
    c = np.zeros((rows, columns), "int32")
    kc.build(schedule)(a, b, c)
    exact = depth * int(a[0, 0]) * int(b[0, 0])
    assert abs(exact) > 2**31
    assert (c == (exact + 2**31) % 2**32 - 2**31).all()


@pytest.mark.parametrize("types", [(a, b) for a in BYTES for b in BYTES])
def test_products_of_bytes_of_unknown_sizes(types: tuple[str, str]):
    m, k, n = (te.size_var(name) for name in "mkn")
    A, B = te.placeholder((m, k), types[0], name="A"), te.placeholder((k, n), types[1], name="B")
    r = te.reduce_axis((0, k), name="r")
    body = lambda i, j: te.sum(A[i, r].astype("int32") * B[r, j].astype("int32"), axis=r)  # noqa: E731
    tensors = [A, B, te.compute((m, n), body, name="C")]
    script = kc.auto_schedule(tensors, VNNI).trace.as_python()
    assert 'tensor_intrin="avx512_vnni_dot_16x4' in script
    function = kc.build(tensors)
    for sizes in ((1, 1, 2), (2, 5, 16), (13, 4, 33), (40, 70, 3)):
        a, b = limits(types, [sizes[0], sizes[1] + 1], [sizes[1] + 1, sizes[2]])
        c = np.zeros((sizes[0], sizes[2]), "int32")
        function(a, b, c)
        np.testing.assert_array_equal(c, a.astype("int32") @ b.astype("int32"))


def test_what_finishes_sums_of_bytes_runs_behind_the_dot_products():
    *inputs, C = product_of_bytes(("int8", "int8"), (32, 64, 64))
    bias = te.placeholder((64,), "int32", name="bias")
    E = te.compute(C.shape, lambda i, j: te.max(C[i, j] + bias[j], te.const(0, "int32")), name="E")
    schedule = kc.auto_schedule([*inputs, bias, E], VNNI)
    script = schedule.trace.as_python()
    assert 'tensor_intrin="avx512_vnni_dot_16x4"' in script
    # In the tile of sums, and with it what is subtracted from these.
    assert "C_result" not in str(schedule.module)
    assert kinds(schedule, "E")[-1] == "32 vectorized"
    a, b = limits(("int8", "int8"), [32, 64], [64, 64])
    shift = np.arange(64, dtype="int32") * 100
    e = np.zeros((32, 64), "int32")
    run(schedule.module, "main", [a, b, shift, e])
    np.testing.assert_array_equal(e, np.maximum(a.astype("int32") @ b.astype("int32") + shift, 0))


@pytest.mark.parametrize("sizes", [(1, 8, 32), (8, 2, 32)])
def test_products_of_bytes_that_are_no_tiles(sizes: tuple[int, int, int]):
    tensors = product_of_bytes(sizes=sizes)
    assert "tensorize" not in kc.auto_schedule(tensors, VNNI).trace.as_python()


@pytest.mark.skipif(
    not Target.host_cpu().has_feature("avx512vnni"), reason="this CPU has no vpdpbusd"
)
@pytest.mark.parametrize(("batch", "transposed"), [(0, False), (3, True)])
@pytest.mark.parametrize("types", [(a, b) for a in BYTES for b in BYTES])
def test_dot_products_of_the_largest_bytes(types: tuple[str, str], batch: int, transposed: bool):
    """Four products of 255 and -128 do not saturate."""
    tensors = product_of_bytes(types, (24, 24, 48), batch=batch, transposed=transposed)
    a, b = limits(types, *([int(size) for size in it.shape] for it in tensors[:2]))
    result = np.empty([int(it) for it in tensors[2].shape], "int32")
    function = kc.build(tensors)
    assert "vpdpbusd" in function.get_source("asm")
    function(a, b, result)
    wide = b.astype("int32").swapaxes(-1, -2) if transposed else b.astype("int32")
    np.testing.assert_array_equal(result, a.astype("int32") @ wide)


def quantized_convolution(
    layout: str,
    types: tuple[str, str],
    channels: tuple[int, int],
    size: int,
    stride: int = 1,
    taps: int = 3,
) -> list[te.Tensor]:
    """A convolution of bytes with a border of zeros, its sums brought back to uint8."""
    inner, outer = channels
    count, edge = (size - 1) // stride + 1, taps // 2
    last = layout == "NHWC"
    shape = (1, size, size, inner) if last else (1, inner, size, size)
    X = te.placeholder(shape, types[0], name="X")
    filters = (taps, taps, inner, outer) if last else (outer, inner, taps, taps)
    F = te.placeholder(filters, types[1], name="F")
    bias, scale = (te.placeholder((outer,), "int32", name=name) for name in ("bias", "scale"))

    def border(n: te.Expr, *at: te.Expr) -> te.Expr:
        y, x = at[:2] if last else at[1:]
        inside = te.all(y >= edge, y < size + edge, x >= edge, x < size + edge)
        place = (n, y - edge, x - edge, at[2]) if last else (n, at[0], y - edge, x - edge)
        return te.if_then_else(inside, X[place], te.const(0, types[0]))

    padded = [extent + 2 * edge if extent == size else extent for extent in shape]
    P = te.compute(padded, border, name="P")
    dy, dx, c = (te.reduce_axis((0, it), name=f"r{n}") for n, it in enumerate((taps, taps, inner)))

    def total(n: te.Expr, *at: te.Expr) -> te.Expr:
        y, x, o = at if last else (at[1], at[2], at[0])
        y, x = y * stride + dy, x * stride + dx
        image = P[n, y, x, c] if last else P[n, c, y, x]
        weight = F[dy, dx, c, o] if last else F[o, c, dy, dx]
        return te.sum(image.astype("int32") * weight.astype("int32"), axis=[dy, dx, c])

    S = te.compute((1, count, count, outer) if last else (1, outer, count, count), total, name="S")

    def requantized(*at: te.Expr) -> te.Expr:
        o = at[3] if last else at[1]
        wide = (S[at] + bias[o]).astype("int64") * scale[o].astype("int64")
        rounded = ((wide + te.const(1 << 30, "int64")) >> te.const(31, "int64")).astype("int32")
        return te.max(te.min(rounded + 10, 255), 0).astype("uint8")

    return [X, F, bias, scale, te.compute(S.shape, requantized, name="R")]


@pytest.mark.each_row
@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
@pytest.mark.parametrize(
    ("types", "channels", "size", "stride", "taps"),
    [
        (("uint8", "int8"), (8, 32), 12, 1, 3),
        (("int8", "int8"), (8, 20), 12, 1, 3),
        (("uint8", "uint8"), (4, 32), 22, 2, 3),
        # Neither rows, nor channels, nor filters are multiples of anything.
        (("uint8", "int8"), (3, 24), 9, 2, 5),
        (("int8", "int8"), (3, 20), 7, 1, 3),
        (("int8", "uint8"), (6, 20), 7, 1, 3),
        (("uint8", "uint8"), (5, 20), 11, 2, 3),
    ],
)
def test_convolutions_of_bytes_with_requantization(
    layout: str,
    types: tuple[str, str],
    channels: tuple[int, int],
    size: int,
    stride: int,
    taps: int,
):
    tensors = quantized_convolution(layout, types, channels, size, stride, taps)
    schedule = kc.auto_schedule(tensors, VNNI)
    script = schedule.trace.as_python()
    assert 'tensor_intrin="avx512_vnni_dot_16x4' in script
    assert "sch.reverse_compute_at(block=R" in script
    last = layout == "NHWC"
    x, f = limits(types, *([int(it) for it in tensor.shape] for tensor in tensors[:2]))
    numbers = np.random.default_rng(1)
    bias = numbers.integers(-1000, 1000, channels[1]).astype("int32")
    scale = numbers.integers(1 << 20, 1 << 22, channels[1]).astype("int32")
    image = np.pad(
        (x if last else x.transpose(0, 2, 3, 1)).astype("int64"),
        ((0, 0), *[(taps // 2, taps // 2)] * 2, (0, 0)),
    )
    weights = (f if last else f.transpose(2, 3, 1, 0)).astype("int64")
    end = size - 1
    sums = sum(
        image[:, y : y + end + 1 : stride, x : x + end + 1 : stride] @ weights[y, x]
        for y in range(taps)
        for x in range(taps)
    )
    expected = np.clip((((sums + bias) * scale + (1 << 30)) >> 31) + 10, 0, 255).astype("uint8")
    result = np.zeros(expected.shape if last else expected.transpose(0, 3, 1, 2).shape, "uint8")
    run(schedule.module, "main", [x, f, bias, scale, result])
    np.testing.assert_array_equal(result if last else result.transpose(0, 2, 3, 1), expected)


@pytest.mark.parametrize(
    ("options", "intrinsic"),
    [
        ("sapphirerapids -mattr=-amx-tile", "avx512_vnni_dot_16x4"),
        ("sapphirerapids -mattr=-amx-tile -vector-width=256", "avx_vnni_dot_8x4"),
        ("znver4", "avx512_vnni_dot_16x4"),
        ("znver5", "avx512_vnni_dot_16x4"),
        ("alderlake", "avx_vnni_dot_8x4"),
        ("haswell", "avx2_madd_dot_8x2_u8i8"),
        ("x86-64-v2", None),
    ],
)
def test_the_fastest_dot_product_is_taken(options: str, intrinsic: str | None):
    target = Target(f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={options}")
    script = kc.auto_schedule(product_of_bytes(sizes=(32, 64, 64)), target).trace.as_python()
    assert ("tensorize" in script) == (intrinsic is not None)
    assert intrinsic is None or f'tensor_intrin="{intrinsic}"' in script


@pytest.mark.parametrize("layout", ["NHWC", "NCHW"])
def test_small_filters_of_bytes(layout: str):
    """A 1x1 convolution, whose positions are one loop, is a product of matrices."""
    last = layout == "NHWC"
    shape, filters = (
        ((1, 12, 12, 32), (1, 1, 32, 64)) if last else ((1, 32, 12, 12), (64, 32, 1, 1))
    )
    X, F = te.placeholder(shape, "uint8", name="X"), te.placeholder(filters, "int8", name="F")
    function = topi.nn.conv2d_nhwc if last else topi.nn.conv2d_nchw
    C = function(X, F, 1, 0, 1, out_dtype="int32")
    schedule = kc.auto_schedule([X, F, C], VNNI)
    assert 'tensor_intrin="avx512_vnni_dot_16x4"' in schedule.trace.as_python()
    x, f = limits(("uint8", "int8"), list(shape), list(filters))
    c = np.zeros([int(size) for size in C.shape], "int32")
    run(schedule.module, "main", [x, f, c])
    wide, weights = x.astype("int32"), f.astype("int32")
    if last:
        expected = wide @ weights[0, 0]
    else:
        expected = np.einsum("nchw,oc->nohw", wide, weights[:, :, 0, 0])
    np.testing.assert_array_equal(c, expected)


def test_what_is_subtracted_of_sums_is_transposed_with_them():
    """The sums of channels become rows of an image in registers, behind the subtraction; what is
    subtracted is summed along whole rows of the filters."""
    shape, filters = (1, 8, 10, 18), (32, 8, 3, 3)
    X, F = te.placeholder(shape, "uint8", name="X"), te.placeholder(filters, "uint8", name="F")
    C = topi.nn.conv2d_nchw(X, F, 1, 0, 1, out_dtype="int32")
    schedule = kc.auto_schedule([X, F, C], VNNI)
    script = schedule.trace.as_python()
    assert "offset_operand" in script
    assert 'tensor_intrin="transpose_i32_' in script
    assert kinds(schedule, "conv2d_nchw_offset") == ["32 serial", "72 vectorized"]
    x, f = limits(("uint8", "uint8"), list(shape), list(filters))
    c = np.zeros([int(size) for size in C.shape], "int32")
    run(schedule.module, "main", [x, f, c])
    windows = np.lib.stride_tricks.sliding_window_view(x.astype("int32"), (3, 3), axis=(2, 3))
    np.testing.assert_array_equal(c, np.einsum("nchwyx,ocyx->nohw", windows, f.astype("int32")))
