"""Each rule on the programs that it is for: structure, and results against numpy."""

from __future__ import annotations

import functools
import itertools
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from property_tests import sliced

import kc
from kc import te, tir, topi
from kc.analysis.interpreter import run
from kc.dialects.tir import AllocOp, ForOp
from kc.target import Target
from kc.transforms.auto_schedule.contraction import best_tile, contraction_behind
from kc.transforms.auto_schedule.machine import Machine
from kc.transforms.auto_schedule.nests import Nest

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks" / "peers"))
import cpu_rows  # noqa: E402

AVX2 = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -num-cores=1")
AVX512 = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -num-cores=1")
NEON = Target("llvm -mtriple=aarch64-unknown-linux-gnu -mcpu=cortex-a76 -num-cores=1")

# The rows of benchmarks/cpu.py at sizes that tests can afford; no tile divides them.
SMALL: dict[str, Callable[[], cpu_rows.Row]] = {
    "product": cpu_rows.product(50, 39, 71),
    "flat product": cpu_rows.product(3, 200, 130),
    "product of one row": cpu_rows.product(1, 70, 300),
    "batched": cpu_rows.product(9, 11, 21, batch=5),
    "relu": cpu_rows.product(33, 20, 70, act="relu"),
    "gelu": cpu_rows.product(33, 20, 70, act="gelu"),
    "softmax": cpu_rows.softmax(20, 90),
    "log_softmax": cpu_rows.softmax(20, 90, logarithm=True),
    "layernorm": cpu_rows.layernorm(20, 90),
    "attention": cpu_rows.attention(40, 12),
    "exp": cpu_rows.pointwise("exp", (11, 37)),
    "tanh": cpu_rows.pointwise("tanh", (11, 37)),
    "transpose": cpu_rows.copy_like("transpose", (45, 70)),
    "add": cpu_rows.copy_like("add", (5000,)),
    "cast": cpu_rows.copy_like("cast", (9, 100)),
    "broadcast": cpu_rows.copy_like("broadcast", (9, 100)),
    "convolution": cpu_rows.convolution(2, 5, 11, 19, 3, 1),
    "strided": cpu_rows.convolution(1, 3, 25, 10, 7, 3, 2),
    "1x1": cpu_rows.convolution(1, 20, 9, 33, 1, 0),
    "depthwise": cpu_rows.convolution(1, 6, 19, 6, 3, 1, depthwise=True),
    "sum of rows": cpu_rows.reduction("sum", 13, 100, 1),
    "sum of columns": cpu_rows.reduction("sum", 101, 43, 0),
    "max of rows": cpu_rows.reduction("max", 13, 100, 1),
    "mean of columns": cpu_rows.reduction("mean", 101, 43, 0),
    "max of shares of columns": cpu_rows.reduction("max", 2048, 40, 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SMALL)
def test_results(name: str):
    row = SMALL[name]()
    assert row.numpy is not None
    output = np.full(row.shape, np.nan, row.dtype)
    kc.build(row.tensors())(*row.arrays, output)
    np.testing.assert_allclose(output, row.numpy(), rtol=2e-4, atol=2e-4)


def with_caches(target: Target, l1: int, l2: int, l3: int) -> Target:
    """The target with caches of so many bytes."""
    return Target({**target.export(), "l1-cache": l1, "l2-cache": l2, "l3-cache": l3})


SCORES_IN_MEMORY = with_caches(AVX512, 1 << 15, 1 << 19, 1 << 23)


def outermost(schedule: tir.Schedule, block: str) -> object:
    """The outermost loop around a block."""
    return schedule.get(schedule.get_loops(block)[0])


def test_an_attention_goes_some_rows_at_a_time():
    schedule = kc.auto_schedule(cpu_rows.attention(4096, 128)().tensors(), SCORES_IN_MEMORY)
    assert {name: kinds(schedule, name) for name in ("S", "top", "power", "total", "Y", "O")} == {
        "S": ["256 serial", "128 serial", "2 serial", "128 serial", "8 unrolled", "32 vectorized"],
        "top": ["256 serial", "16 serial", "4096 vectorized"],
        "power": ["256 serial", "16 serial", "4096 vectorized"],
        "total": ["256 serial", "16 serial", "4096 vectorized"],
        "Y": ["256 serial", "4 serial", "2 serial", "4096 serial", "8 unrolled", "32 vectorized"],
        "O": ["256 serial", "16 serial", "128 vectorized"],
    }
    blocks = ("S", "top", "power", "total", "Y", "O")
    assert len({outermost(schedule, name) for name in blocks}) == 1
    # Keys and values are packed once, before all rows.
    assert kinds(schedule, "K_global_o") == ["128 serial", "8 serial", "2 serial"]
    assert kinds(schedule, "V_global") == ["4096 serial", "4 serial", "32 vectorized"]


def test_heads_of_an_attention_share_keys():
    """Blocks of rows of each head; what the heads share is packed once."""
    q, kv = te.placeholder((1, 8, 2048, 64), name="Q"), (1, 2, 2048, 64)
    k, v = te.placeholder(kv, name="K"), te.placeholder(kv, name="V")
    schedule = kc.auto_schedule([q, k, v, topi.nn.attention(q, k, v)], SCORES_IN_MEMORY)
    around = ["1 serial", "8 serial", "64 serial"]
    assert kinds(schedule, "attention_scores")[:3] == around
    assert kinds(schedule, "T_softmax_exp") == [*around, "32 serial", "2048 vectorized"]
    assert kinds(schedule, "V_global")[:3] == ["1 serial", "2 serial", "2048 serial"]


def scores_given() -> list[te.Tensor]:
    """An attention whose weights are a result, too."""
    tensors = cpu_rows.attention(4096, 128)().tensors()
    (values,) = (it for it in tensors[-1].op.input_tensors if it.name == "Y")
    return [*tensors, values.op.input_tensors[0]]


def of_type(dtype: str, rows: int = 4096, keys: int = 4096, width: int = 128) -> list[te.Tensor]:
    """A product of a product."""
    a, b = te.placeholder((rows, width), dtype, "A"), te.placeholder((keys, width), dtype, "B")
    c = te.placeholder((width, keys), dtype, "C")
    return [a, b, c, topi.nn.dense(topi.nn.relu(topi.nn.dense(a, b)), c)]


@pytest.mark.parametrize(
    ("tensors", "is_cut"),
    [
        (lambda: of_type("float32"), True),
        (lambda: of_type("float64", width=32), True),
        (lambda: of_type("float16"), False),
        (lambda: of_type("float32", rows=512, keys=64), False),
        (lambda: of_type("float32", width=1024), False),
        (lambda: of_type("float32", rows=128), False),
        (lambda: of_type("float32", rows=2 * 47 * 47, keys=512, width=17), False),
        (lambda: of_type("float32", keys=72), False),
        (scores_given, False),
    ],
    ids=[
        *("f32", "f64", "f16", "in caches", "weights in memory", "few rows", "low tiles"),
        *("part of a tile", "scores given"),
    ],
)
def test_products_that_are_cut_into_blocks_of_rows(
    tensors: Callable[[], list[te.Tensor]], is_cut: bool
):
    schedule = kc.auto_schedule(tensors(), SCORES_IN_MEMORY)
    places = {outermost(schedule, block) for block in ROWS_OF if has_block(schedule, block)}
    assert (len(places) == 1) is is_cut


ROWS_OF = ("T_dense", "T_dense_1", "S", "Y")


def has_block(schedule: tir.Schedule, name: str) -> bool:
    return f'tir.block "{name}"' in str(schedule.mod)


@pytest.mark.parametrize(
    ("dtype", "heads", "cores"),
    [
        ("float32", (1, 1), 4),
        ("float32", (4, 2), 1),
        ("float64", (4, 2), 4),
        *(
            pytest.param(*rest, marks=pytest.mark.sweep)
            for rest in [
                ("float32", (1, 1), 1),
                ("float32", (4, 2), 4),
                ("float64", (1, 1), 1),
                ("float64", (1, 1), 4),
                ("float64", (4, 2), 1),
            ]
        ),
    ],
)
def test_results_of_blocks_of_rows(
    dtype: str, heads: tuple[int, int], cores: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("kc.transforms.auto_schedule.machine.Machine.parallel_work", 0)
    # Sizes are small, and the last tiles are parts of one.
    monkeypatch.setattr("kc.transforms.auto_schedule.row_blocks.SAVED", 0)
    monkeypatch.setattr("kc.transforms.auto_schedule.row_blocks.SLOWER", 100)
    small = with_caches(Target.host_cpu(), 1 << 9, 1 << 11, 1 << 16)
    target = Target({**small.export(), "num-cores": cores})
    random = np.random.default_rng(0)
    q = random.standard_normal((2, heads[0], 48, 20)).astype(dtype)
    k = random.standard_normal((2, heads[1], 70, 20)).astype(dtype)
    v = random.standard_normal((2, heads[1], 70, 33)).astype(dtype)
    tensors = [
        te.placeholder(it.shape, dtype, name) for it, name in zip((q, k, v), "QKV", strict=True)
    ]
    tensors.append(topi.nn.attention(*tensors, is_causal=True))
    schedule = kc.auto_schedule(tensors, target)
    places = {outermost(schedule, name) for name in ("attention_scores", "attention")}
    assert len(places) == 1
    result = kc.build(schedule, target=target)(q, k, v)
    each = heads[0] // heads[1]
    scores = q @ np.repeat(k, each, axis=1).swapaxes(-1, -2) / np.sqrt(20)
    scores = np.where(np.tri(48, 70, 70 - 48, dtype=bool), scores, -np.inf)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    expected = power / power.sum(-1, keepdims=True) @ np.repeat(v, each, axis=1)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("axis", [0, 1])
def test_places_of_maxima(axis: int):
    row = cpu_rows.reduction("argmax", 31, 90, axis)()
    places = np.empty(row.shape, row.dtype)
    kc.build(row.tensors())(*row.arrays, places, np.empty(row.shape, "float32"))
    assert (places == row.arrays[0].argmax(axis)).all()


def product(m: int, k: int, n: int) -> list[te.Tensor]:
    A, B = te.placeholder((m, k), name="A"), te.placeholder((k, n), name="B")
    r = te.reduce_axis((0, k), name="k")
    return [A, B, te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")]


def nest_of(tensors: list[te.Tensor], block: str) -> Nest:
    schedule = tir.Schedule(te.create_prim_func(tensors))
    return Nest(schedule.get(schedule.get_block(block)))  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("target", [AVX2, AVX512, NEON], ids=["avx2", "avx512", "neon"])
@pytest.mark.parametrize("sizes", [(512, 512, 512), (1000, 999, 1001), (32, 1024, 4096)])
def test_tiles_fit_in_the_registers(target: Target, sizes: tuple[int, int, int]):
    """Sums, a row of one operand and an element of the other; sums enough to hide the latency."""
    machine = Machine.of(target)
    tile = best_tile(nest_of(product(*sizes), "C"), machine)
    assert tile is not None
    assert (tile.rows.label, tile.columns.label) == ("i", "j")
    vectors = tile.width // machine.lanes(32)
    assert tile.height * vectors + vectors + 1 <= machine.registers
    assert tile.height * vectors >= machine.fma_latency * machine.fma_per_cycle
    assert tile.pads == (sizes[2] % tile.width != 0)


@pytest.mark.parametrize(
    ("sizes", "loops"),
    [
        ((2, 12, 64), ["3 serial", "4 serial", "2 unrolled", "4 unrolled"]),
        ((8, 12, 64), ["6 serial", "4 serial", "8 unrolled", "2 unrolled"]),
        ((8, 13, 70), ["7 serial", "5 serial", "8 unrolled", "2 unrolled"]),
        # The columns are the few rows.
        ((12, 4, 64), ["3 serial", "4 serial", "4 unrolled", "4 unrolled"]),
    ],
)
def test_few_rows_are_multiplied_in_lanes_of_the_sums(
    sizes: tuple[int, int, int], loops: list[str]
):
    schedule = kc.auto_schedule(dense(*sizes), AVX512)
    assert kinds(schedule, "C") == [*loops, "16 vectorized"]


def test_few_rows_in_parallel_and_before_an_activation():
    """Cores have columns each, and what finishes the sums does not change their loops."""
    for cores, first in ((1, "256 serial"), (4, "256 parallel")):
        A, W, C = dense(4, 1024, 256)
        target = Target({**AVX512.export(), "num-cores": cores})
        schedule = kc.auto_schedule([A, W, topi.nn.relu(C)], target)
        expected = [first, "16 serial", "4 unrolled", "4 unrolled", "16 vectorized"]
        assert kinds(schedule, "C") == expected


def test_few_rows_of_narrow_numbers_are_tiles():
    """The rule is for numbers of 32 and 64 bits."""
    script = kc.auto_schedule(dense(4, 40, 128, dtype="float16"), AVX512).trace.as_python()
    assert "sch.split(loop=k, factors=[None, 32])" not in script


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 40, 64),  # nothing is used twice
        (9, 40, 64),
        (4, 40, 31),  # less than two vectors of terms
    ],
)
def test_what_is_no_product_of_few_rows(sizes: tuple[int, int, int]):
    script = kc.auto_schedule(dense(*sizes), AVX512).trace.as_python()
    assert "sch.split(loop=k, factors=[None, 16])" not in script


@pytest.mark.parametrize(
    ("target", "dtype", "sizes", "batch"),
    sliced(
        itertools.product(
            [AVX2, AVX512, Target.host_cpu()],
            ["float32", "float64", "int32"],
            [(2, 10, 64), (8, 7, 70), (12, 4, 64), (6, 33, 100)],
            [None, 3],
        ),
        3,
    ),
)
def test_results_of_few_rows(
    target: Target, dtype: str, sizes: tuple[int, int, int], batch: int | None
):
    rows, columns, depth = sizes
    around = () if batch is None else (batch,)
    tensors = dense(*sizes, dtype=dtype, batch=batch)
    tensors.append(topi.nn.relu(tensors[-1]))
    random = np.random.default_rng(0)
    a = random.integers(-9, 9, (*around, rows, depth)).astype(dtype)
    w = random.integers(-9, 9, (*around, columns, depth)).astype(dtype)
    c, d = (np.empty((*around, rows, columns), dtype) for _ in range(2))
    kc.build(tensors, target=target)(a, w, c, d)
    np.testing.assert_array_equal(c, a @ w.swapaxes(-1, -2))
    np.testing.assert_array_equal(d, np.maximum(c, 0))


@pytest.mark.parametrize(
    ("tensors", "shapes", "loops"),
    [
        (lambda: product(37, 100, 3), [(37, 100), (100, 3)], ["10 serial", "7 serial"]),
        (lambda: product(40, 507, 2), [(40, 507), (507, 2)], ["10 serial", "32 serial"]),
        (lambda: channels_last(70, 3), [(2, 6, 9, 70), (3, 3, 70, 3)], None),
    ],
    ids=["a part of a tile", "whole tiles", "convolution"],
)
@pytest.mark.parametrize("target", [AVX2, AVX512], ids=["avx2", "avx512"])
def test_few_columns_are_turned(
    tensors: Callable[[], list[te.Tensor]],
    shapes: list[tuple[int, ...]],
    loops: list[str] | None,
    target: Target,
):
    """A product with a few columns and many terms has these in lanes, not columns and nothing."""
    schedule = kc.auto_schedule(tensors(), target)
    name = tensors()[-1].op.name
    lanes = Machine.of(target).lanes(32)
    assert kinds(schedule, name)[-1] == f"{lanes} vectorized"
    assert "pad_einsum" not in schedule.trace.as_python()
    if loops is not None and target is AVX512:
        assert kinds(schedule, name)[:2] == loops
    a, b = (np.random.default_rng(1).integers(-9, 9, it).astype("float32") for it in shapes)
    if a.ndim == 2:
        expected = a @ b
    else:
        windows = np.lib.stride_tricks.sliding_window_view(a, b.shape[:2], (1, 2))
        expected = np.einsum("nyxcrs,rscf->nyxf", windows, b)
    np.testing.assert_array_equal(kc.build(tensors(), target=target)(a, b), expected)


def channels_last(channels: int, results: int) -> list[te.Tensor]:
    """A convolution of contiguous channels, with windows of 3 x 3."""
    X = te.placeholder((2, 6, 9, channels), name="X")
    W = te.placeholder((3, 3, channels, results), name="W")
    return [X, W, topi.nn.conv2d_nhwc(X, W, 1, 0, 1)]


def test_few_columns_before_an_activation():
    """The block that finishes the sums has loops of its own."""
    A, B, C = product(40, 100, 3)
    schedule = kc.auto_schedule([A, B, topi.nn.relu(C)], AVX512)
    assert kinds(schedule, "C")[-1] == "16 vectorized"
    a, b = (np.random.default_rng(1).integers(-9, 9, it) for it in ((40, 100), (100, 3)))
    result = kc.build([A, B, topi.nn.relu(C)])(a.astype("float32"), b.astype("float32"))
    np.testing.assert_array_equal(result, np.maximum(a @ b, 0))


def test_few_rows_and_a_number_of_columns_that_a_call_says():
    """Whole tiles have no conditions."""
    n, k = te.var("n"), te.reduce_axis((0, 40), name="k")
    A, W = te.placeholder((4, 40), name="A"), te.placeholder((n, 40), name="W")
    C = te.compute((4, n), lambda i, j: te.sum(A[i, k] * W[j, k], axis=k), name="C")
    schedule = kc.auto_schedule([A, W, C], AVX512)
    loops = [schedule.get(loop) for loop in schedule.get_loops("C")]
    assert loops[0].annotations is not None  # pyright: ignore[reportAttributeAccessIssue]
    assert "loop_partition_hint" in str(loops[0].annotations)  # pyright: ignore
    function = kc.build([A, W, C])
    for count in (0, 1, 3, 4, 7, 130):
        a, w = (np.random.default_rng(0).integers(-9, 9, (m, 40)) for m in (4, count))
        result = function(a.astype("float32"), w.astype("float32"))
        np.testing.assert_array_equal(result, a @ w.T)


def dense(
    rows: int, columns: int, depth: int, dtype: str = "float32", batch: int | None = None
) -> list[te.Tensor]:
    around = () if batch is None else (batch,)
    A = te.placeholder((*around, rows, depth), dtype, "A")
    W = te.placeholder((*around, columns, depth), dtype, "W")
    k = te.reduce_axis((0, depth), name="k")
    if batch is None:
        C = te.compute((rows, columns), lambda i, j: te.sum(A[i, k] * W[j, k], axis=k), name="C")
    else:
        C = te.compute(
            (batch, rows, columns),
            lambda b, i, j: te.sum(A[b, i, k] * W[b, j, k], axis=k),
            name="C",
        )
    return [A, W, C]


def test_what_is_no_contraction():
    """A sum has one operand, and a product of a row nothing to use twice."""
    machine = Machine.of(AVX2)
    X = te.placeholder((64, 64), name="X")
    r = te.reduce_axis((0, 64), name="r")
    total = te.compute((64,), lambda i: te.sum(X[i, r], axis=r), name="S")
    assert best_tile(nest_of([X, total], "S"), machine) is None
    assert best_tile(nest_of(product(1, 64, 64), "C"), machine) is None


def test_what_a_product_behind_is():
    """It is read once, element by element: not where some loop of the reader reads it again."""
    tensors = product(8, 8, 8)
    C = tensors[-1]
    for body, behind in (
        (lambda i, j: C[i, j] + 1, True),
        (lambda i, j: C[j, i] + 1, True),
        (lambda i, j: C[j, 0] + 1, False),
        (lambda i, j: C[0, j] + 1, False),
    ):
        D = te.compute((8, 8), body, name="D")
        block = contraction_behind(nest_of([*tensors[:-1], D], "D"))
        assert (block is not None) == behind
        assert block is None or block.label == "C"


def kinds(schedule: tir.Schedule, block: str) -> list[str]:
    """The loops around a block: extents, and what becomes of them."""
    loops = [schedule.get(loop) for loop in schedule.get_loops(block)]
    return [f"{loop.static_extent} {loop.kind.data}" for loop in loops]


def narrow_product(rows: int, columns: int) -> list[te.Tensor]:
    A, B = te.placeholder((rows, 30), name="A"), te.placeholder((30, columns), name="B")
    return [A, B, topi.matmul(A, B)]


def narrow_convolution(channels: int, kernel: int, stride: int) -> list[te.Tensor]:
    X = te.placeholder((2, 12, 11, 9), name="X")
    W = te.placeholder((kernel, kernel, 9, channels), name="W")
    return [X, W, topi.nn.conv2d_nhwc(X, W, stride, kernel // 2, 1)]


@pytest.mark.parametrize(("target", "lanes"), [(AVX2, 8), (AVX512, 16)], ids=["avx2", "avx512"])
@pytest.mark.parametrize(
    "tensors",
    [
        *(pytest.param(narrow_product(50, n), id=f"product {n}") for n in (2, 5, 11)),
        pytest.param(narrow_convolution(2, 3, 1), id="3x3 to 2"),
        pytest.param(narrow_convolution(7, 5, 2), id="5x5 to 7"),
        pytest.param(narrow_convolution(4, 1, 1), id="1x1 to 4"),
        pytest.param(narrow_convolution(22, 3, 2), id="3x3 to 22"),
    ],
)
def test_columns_that_fill_no_vector_are_padded(
    target: Target, lanes: int, tensors: list[te.Tensor]
):
    schedule = kc.auto_schedule(tensors, target)
    extent, kind = kinds(schedule, tensors[-1].op.name)[-1].split()
    assert (int(extent) % lanes, kind) == (0, "vectorized")
    random = np.random.default_rng(0)
    x, w = (random.integers(-9, 9, [int(n) for n in A.shape]) for A in tensors[:-1])
    if x.ndim == 2:
        expected = x @ w
    else:
        pad, stride = len(w) // 2, 12 // int(tensors[-1].shape[1])
        padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, w.shape[:2], (1, 2))
        expected = np.einsum("nyxcrs,rscf->nyxf", windows[:, ::stride, ::stride], w)
    if target is AVX512:
        result = kc.build(tensors)(x.astype("float32"), w.astype("float32"))
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(("target", "lanes"), [(AVX2, 8), (AVX512, 16)], ids=["avx2", "avx512"])
@pytest.mark.parametrize("size", [7, 14, 28])
@pytest.mark.parametrize("kernel", [1, 3])
def test_sums_are_whole_vectors(target: Target, lanes: int, size: int, kernel: int):
    """Rows of another length are padded, or other loops are the columns: sums in parts of vectors
    do not stay in registers."""
    side = size + kernel - 1
    X = te.placeholder((1, 32, side, side), name="X")
    W = te.placeholder((64, 32, kernel, kernel), name="W")
    c, p, q = te.reduce_axis((0, 32)), te.reduce_axis((0, kernel)), te.reduce_axis((0, kernel))
    Y = te.compute(
        (1, 64, size, size),
        lambda n, o, y, x: te.sum(X[n, c, y + p, x + q] * W[o, c, p, q], axis=[c, p, q]),
        name="Y",
    )
    schedule = kc.auto_schedule([X, W, Y], target)
    vectors = [int(it.split()[0]) for it in kinds(schedule, "Y") if it.endswith(" vectorized")]
    assert vectors
    assert all(extent % lanes == 0 for extent in vectors)


@pytest.mark.parametrize(("target", "lanes"), [(AVX2, 8), (AVX512, 16)], ids=["avx2", "avx512"])
@pytest.mark.parametrize("width", [13, 29])
def test_rows_of_an_image_end_in_a_vector_with_a_mask(target: Target, lanes: int, width: int):
    """The remainder of whole vectors is computed in one vector, in registers: the columns are those
    of the image, whose rows are contiguous in the results, rather than channels.
    """
    shapes = ((1, 3, 12, width + 2), (36, 3, 3, 3))
    X, W = (te.placeholder(it, name=name) for it, name in zip(shapes, "XW", strict=True))
    tensors = [X, W, topi.nn.conv2d_nchw(X, W, 1, 0, 1)]
    schedule = kc.auto_schedule(tensors, target)
    assert "pad_einsum" not in schedule.trace.as_python()
    assert kinds(schedule, "conv2d_nchw")[-1] == f"{lanes} vectorized"
    x, w = (np.random.default_rng(1).integers(-9, 9, it).astype("float32") for it in shapes)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (2, 3))
    expected = np.einsum("ncyxrs,ocrs->noyx", windows, w)
    np.testing.assert_array_equal(kc.build(tensors, target=target)(x, w), expected)


def test_a_small_operand_is_packed_once():
    """Outside of all loops, in the order in which tiles read it."""
    schedule = kc.auto_schedule(product(4096, 32, 64), AVX2)
    assert 'tir.alloc "B_global" : memref<4x32x16xf32>' in str(schedule.mod)
    assert kinds(schedule, "C")[-2:] == ["6 unrolled", "16 vectorized"]
    assert kinds(schedule, "B_global") == ["32 serial", "4 serial", "16 vectorized"]


@pytest.mark.parametrize("shape", [(64, 16), (16, 64)], ids=["k, j", "j, k"])
def test_columns_that_share_elements(shape: tuple[int, int]):
    """A quotient of the columns is no column: nothing is packed by it."""
    is_turned = shape[0] == 16
    a, b = te.placeholder((64, 64), name="A"), te.placeholder(shape, name="B")
    r = te.reduce_axis((0, 64), name="k")

    def shared(j: Any) -> Any:
        return b[j // 4, r] if is_turned else b[r, j // 4]

    c = te.compute((64, 64), lambda i, j: te.sum(a[i, r] * shared(j), axis=r), name="C")
    schedule = kc.auto_schedule([a, b, c])
    random = np.random.default_rng(0)
    x, y = (random.standard_normal(it, np.float32) for it in ((64, 64), shape))
    columns = np.repeat(y.T if is_turned else y, 4, axis=1)
    np.testing.assert_allclose(kc.build(schedule)(x, y), x @ columns, rtol=1e-3, atol=1e-3)


def test_what_lies_apart_is_packed_in_registers():
    """A vector of it would be loaded element by element: 16 rows of three elements are."""
    X = te.placeholder((1, 16, 16, 16), name="X")
    W = te.placeholder((64, 16, 3, 3), name="W")
    c, p, q = te.reduce_axis((0, 16)), te.reduce_axis((0, 3)), te.reduce_axis((0, 3))
    Y = te.compute(
        (1, 64, 14, 14),
        lambda n, o, y, x: te.sum(X[n, c, y + p, x + q] * W[o, c, p, q], axis=[c, p, q]),
        name="Y",
    )
    schedule = kc.auto_schedule([X, W, Y], AVX512)
    assert kinds(schedule, "W_global_o") == ["2 serial", "16 serial", "3 serial", "2 serial"]
    assert "transpose_f32_16x3" in schedule.trace.as_python()


def test_panels_that_do_not_fit_in_l1_are_packed_side_by_side():
    host = Target.host_cpu().export()
    caches = {"l1-cache": 1024, "l2-cache": 65536, "num-cores": 1, "vector-width": 256}
    schedule = kc.auto_schedule(product(20, 64, 512), Target({**host, **caches}))
    assert kinds(schedule, "B_global") == ["8 serial", "64 serial", "64 vectorized"]
    assert kinds(schedule, "C")[:2] == ["8 serial", "4 serial"]
    a, b = cpu_rows.floats(20, 64), cpu_rows.floats(64, 512)
    np.testing.assert_allclose(kc.build(schedule)(a, b), a @ b, rtol=1e-3, atol=1e-3)


def test_cheap_stages_are_inlined_and_costly_ones_are_not():
    X = te.placeholder((40, 40), name="X")
    cheap = te.compute((40, 40), lambda i, j: X[i, j] + te.const(1.0), name="cheap")
    costly = te.compute((40, 40), lambda i, j: te.exp(cheap[i, j]), name="costly")
    both = te.compute((40, 39), lambda i, j: costly[i, j] + costly[i, j + 1], name="both")
    schedule = kc.auto_schedule([X, both], AVX2)
    text = str(schedule.mod)
    assert '"cheap"' not in text
    assert '"costly"' in text


def test_parallel_where_there_is_work():
    target = Target("llvm -mcpu=x86-64-v3 -num-cores=4")

    def text(size: int) -> str:
        X = te.placeholder((size,), name="X")
        Y = te.compute((size,), lambda i: X[i] + te.const(1.0), name="Y")
        return str(kc.auto_schedule([X, Y], target).mod)

    assert "parallel" not in text(4096)
    assert "parallel" in text(1 << 22)


def test_products_with_a_triangle_leave_out_its_zeros():
    A, B = (te.placeholder((96, 96), name=name) for name in "AB")
    k = te.reduce_axis((0, 96), name="k")

    def product(i: Any, j: Any) -> Any:
        return te.sum(te.if_then_else(k <= i, A[i, k], 0.0) * B[k, j], axis=k)

    tensors = [A, B, te.compute((96, 96), product, name="C")]
    schedule = kc.auto_schedule(tensors, AVX512)
    assert schedule.trace.as_python().count("skip_masked") == 1
    random = np.random.default_rng(0)
    a, b = random.standard_normal((2, 96, 96)).astype("f4")
    call = kc.build(tensors)
    np.testing.assert_allclose(call(a, b), np.tril(a) @ b, rtol=1e-4, atol=1e-4)
    # Zero times infinity is NaN.
    b[95, 3] = np.inf
    assert (np.isnan(call(a, b)).sum(0) == np.where(np.arange(96) == 3, 95, 0)).all()


def softmax(x: np.ndarray) -> np.ndarray:
    power = np.exp(x - x.max(-1, keepdims=True))
    return power / power.sum(-1, keepdims=True)


def normalized(x: np.ndarray) -> np.ndarray:
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


@pytest.mark.parametrize("symbolic", [False, True])
@pytest.mark.parametrize(
    ("shape", "compute", "expected", "blocks"),
    [
        ((1000, 10), topi.nn.softmax, softmax, "T_softmax_maxelem T_softmax_exp T_softmax_norm"),
        ((3, 100, 16), topi.nn.softmax, softmax, "T_softmax_expsum"),
        ((100, 15), lambda x: topi.nn.layer_norm(x, None, None, [1]), normalized, ""),
    ],
)
def test_short_rows_share_vectors(
    shape: tuple[int, ...],
    compute: Callable[[te.Tensor], te.Tensor],
    expected: Callable[[np.ndarray], np.ndarray],
    blocks: str,
    symbolic: bool,
):
    sizes = (*shape[:-2], te.var("n") if symbolic else shape[-2], shape[-1])
    X = te.placeholder(sizes, name="X")
    schedule = kc.auto_schedule([X, compute(X)], AVX512)
    for name in blocks.split():
        assert kinds(schedule, name)[-2:] == [f"{shape[-1]} unrolled", "16 vectorized"]
    assert "16 vectorized" in str(schedule.mod)
    x = np.random.default_rng(0).standard_normal(shape, "f4")
    x[..., 0, :], x[..., 1, 0] = -np.inf, np.nan
    with np.errstate(all="ignore"):
        result = expected(x.astype("f8"))
    np.testing.assert_allclose(kc.build([X, compute(X)])(x), result, rtol=1e-4, atol=1e-5)


def test_rows_of_one_element_have_no_loop_of_columns():
    X = te.placeholder((20, 1), name="X")
    schedule = kc.auto_schedule([X, topi.nn.softmax(X)], AVX2)
    assert kinds(schedule, "T_softmax_maxelem")[-1] == "8 vectorized"
    x = np.random.default_rng(0).standard_normal((20, 1), "f4")
    np.testing.assert_array_equal(kc.build(schedule)(x), np.ones((20, 1), "f4"))


def test_rows_of_two_vectors_have_vectors_of_their_own():
    X = te.placeholder((1000, 32), name="X")
    schedule = kc.auto_schedule([X, topi.nn.softmax(X)], AVX512)
    assert kinds(schedule, "T_softmax_exp") == ["1000 serial", "32 vectorized"]


def test_products_are_parallel_where_that_saves_time():
    target = Target({**AVX512.export(), "num-cores": 2})

    def text(size: int) -> str:
        A, B = (te.placeholder((size, size), name=name) for name in "AB")
        return str(kc.auto_schedule([A, B, topi.matmul(A, B)], target).mod)

    assert "parallel" not in text(33)  # some thousand cycles
    assert "parallel" in text(128)


@pytest.mark.parametrize(("batch", "loops"), [(8, ["8 parallel"]), (1, ["1 serial", "n parallel"])])
def test_batched_products_of_unknown_sizes_have_tiles_in_parallel(batch: int, loops: list[str]):
    """The loop that is parallel stays one of its own."""
    target = Target({**AVX512.export(), "num-cores": 2})
    n, m = te.var("n"), te.var("m")
    A = te.placeholder((batch, n, 64), name="A")
    B = te.placeholder((batch, m, 64), name="B")
    tensors = [A, B, topi.nn.batch_matmul(A, B)]
    schedule = kc.auto_schedule(tensors, target)
    chosen = [schedule.get(loop) for loop in schedule.get_loops("T_batch_matmul")]
    assert [loop.kind.data.value for loop in chosen[: len(loops)]] == [
        part.split()[1] for part in loops
    ]
    assert [loop.kind.data.value for loop in chosen[-2:]] == ["unrolled", "vectorized"]
    random = np.random.default_rng(0)
    a, b = (random.standard_normal((batch, size, 64)).astype("f4") for size in (37, 70))
    np.testing.assert_allclose(kc.build(schedule)(a, b), a @ b.swapaxes(1, 2), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("size", [1 << 20, 1234567])
def test_a_sum_of_everything_has_a_part_for_each_core(size: int):
    """A few shares for each, of whole vectors; the terms that are left come last."""
    target = Target({**AVX512.export(), "num-cores": 4})
    A = te.placeholder((size,), name="A")
    for reduce, expected in ((topi.sum, np.sum), (topi.max, np.max)):
        schedule = kc.auto_schedule([A, reduce(A)], target)
        name = f"A_{reduce.__name__}"
        each, rest = divmod(size, 16 * 512)
        assert kinds(schedule, f"{name}_rf") == [
            "16 parallel", f"{each} serial", "512 vectorized"
        ]  # fmt: skip
        if rest:
            assert kinds(schedule, f"{name}_1") == [f"{rest} vectorized"]
        terms = np.random.default_rng(0).integers(-9, 9, size).astype("float32")
        assert kc.build(schedule)(terms) == expected(terms)
    small = kc.auto_schedule([A := te.placeholder((1 << 14,), name="A"), topi.sum(A)], target)
    assert "parallel" not in str(small.mod)


def test_few_sums_of_many_rows_are_parallel_in_the_rows():
    """Each core reads whole rows; parts of rows are read where there are cores for all sums, or no
    equal shares of the rows."""
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -num-cores=4")

    def loops(rows: int, columns: int) -> list[str]:
        tensors = cpu_rows.reduction("sum", rows, columns, 0)().tensors()
        schedule = kc.auto_schedule(tensors, target)
        return kinds(schedule, "R_rf" if "R_rf" in str(schedule.mod) else "R")

    assert loops(512, 1024) == [
        "4 parallel", "16 serial", "32 serial", "8 unrolled", "32 vectorized",
    ]  # fmt: skip
    assert loops(514, 1024) == [
        "4 parallel", "65 serial", "8 serial", "8 unrolled", "32 vectorized",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("shape", "axis", "loops"),
    [
        # The two axes of the rows are one.
        ((8, 33, 64, 32), 1, ["8 serial", "5 serial", "32 serial", "8 unrolled", "64 vectorized"]),
        # Terms of two axes, of which the inner ones are written out.
        ((32, 8, 32, 32), (0, 1), ["32 serial", "16 serial", "8 unrolled", "64 vectorized"]),
        # A few terms.
        ((2, 3, 64, 32), 1, ["2 serial", "8 serial", "3 unrolled", "256 vectorized"]),
    ],
)
def test_short_rows_of_terms_that_lie_pages_apart(
    shape: tuple[int, ...], axis: int | tuple[int, int], loops: list[str]
):
    A = te.placeholder(shape, name="A")
    tensors = [A, topi.sum(A, axis)]
    assert kinds(kc.auto_schedule(tensors, AVX512), "A_sum") == loops
    terms = np.random.default_rng(0).integers(-9, 9, shape).astype("float32")
    np.testing.assert_array_equal(kc.build(tensors)(terms), terms.sum(axis))


@pytest.mark.parametrize(("cores", "sizes", "cache", "loop", "strip"), [
    # Pages are read by columns: several lines of each at a time,
    (1, (1024, 64), 1 << 19, "i", 32), (1, (768, 64), 1 << 19, "i", 24),
    (4, (256, 64), 1 << 17, "i", 4), (1, (256, 64), 1 << 17, "i", None),
    (1, (16, 64), 1 << 13, "i", None),
    # or written by rows, where the arrays fit in the cache, and where stores bypass it.
    (1, (64, 1024), 1 << 20, "j", 16), (1, (64, 1024), 1 << 17, "j", 16),
    (4, (64, 256), 1 << 18, "j", 4), (1, (64, 256), 1 << 18, "j", None),
])  # fmt: skip
def test_tiles_of_a_transpose_go_in_strips(
    cores: int, sizes: tuple[int, int], cache: int, loop: str, strip: int | None
):
    flags = {"mtriple": "x86_64-unknown-linux-gnu", "mcpu": "x86-64-v4", "num-cores": cores}
    target = Target({"kind": "llvm", **flags, "l3-cache": cache})
    given = te.placeholder(sizes[::-1], name="A")
    turned = te.compute(sizes, lambda i, j: given[j, i], name="B")
    text = str(kc.auto_schedule([given, turned], target).trace.as_python())
    splits = re.findall(r"split\(loop=(\w)_o, factors=\[None, (\d+)\]\)", text)
    assert splits == ([(loop, str(strip))] if strip else [])


@pytest.mark.parametrize(
    ("target", "size", "tiles"),
    [
        (AVX512, 56, ["4 unrolled", "56 vectorized"]),
        (AVX512, 75, ["8 unrolled", "48 vectorized"]),
        (AVX2, 56, ["4 unrolled", "16 vectorized"]),
        (NEON, 56, ["8 unrolled", "12 vectorized"]),
    ],
)
def test_channels_of_a_group_are_summed_together(target: Target, size: int, tiles: list[str]):
    """They read the same elements; the model counts what each choice of a tile loads."""
    data, weight = te.placeholder((1, 48, size), name="D"), te.placeholder((24, 16, 3), name="W")
    out = topi.nn.group_conv1d_ncw(data, weight, 1, 1, 1, 3)
    assert kinds(kc.auto_schedule([data, weight, out], target), "group_conv1d_ncw")[-2:] == tiles


@pytest.mark.parametrize("shape", [(1, 48, 75), ("n", 48, "w"), (2, 48, 9)])
def test_results_of_groups(shape: tuple[int | str, ...]):
    names = {name: te.var(name) for name in ("n", "w")}
    data = te.placeholder([names.get(size, size) for size in shape], name="D")  # pyright: ignore
    weight = te.placeholder((24, 16, 3), name="W")
    out = topi.nn.group_conv1d_ncw(data, weight, 1, 1, 1, 3)
    given = np.random.default_rng(0).standard_normal((2, 48, 9)).astype("float32")
    if "n" not in shape:
        given = np.resize(given, shape)  # pyright: ignore
    taps = np.random.default_rng(1).standard_normal((24, 16, 3)).astype("float32")
    padded = np.pad(given, ((0, 0), (0, 0), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 3, 2)
    parts = zip(np.split(windows, 3, 1), np.split(taps, 3), strict=True)
    expected = np.concatenate([np.einsum("ncwk,ock->now", *part) for part in parts], 1)
    np.testing.assert_allclose(
        kc.build([data, weight, out])(given, taps), expected, rtol=1e-4, atol=1e-4
    )


def test_columns_of_a_softmax_go_some_vectors_at_a_time():
    X = te.placeholder((300, 640), name="X")
    r, q = (te.reduce_axis((0, 300), name=name) for name in "rq")
    top = te.compute((640,), lambda j: te.max(X[r, j], axis=r), name="top")
    power = te.compute((300, 640), lambda i, j: te.exp(X[i, j] - top[j]), name="power")
    total = te.compute((640,), lambda j: te.sum(power[q, j], axis=q), name="total")
    O = te.compute((300, 640), lambda i, j: power[i, j] / total[j], name="O")  # noqa: E741
    schedule = kc.auto_schedule([X, O], AVX2)
    assert kinds(schedule, "O")[0] == kinds(schedule, "power")[0] == "40 serial"
    assert kinds(schedule, "O")[-1] == "16 vectorized"
    x = np.random.default_rng(0).standard_normal((300, 640), dtype="float32")
    power = np.exp(x - x.max(0))
    np.testing.assert_allclose(kc.build(schedule)(x), power / power.sum(0), rtol=1e-4)


BF16 = Target("llvm -mcpu=cooperlake -num-cores=2")


def product_of_halves(
    type_: str = "bfloat16", sizes: tuple[int, int, int] = (36, 66, 64), *, adds: bool = False
) -> list[Any]:
    """C = A B (+ C), of 16-bit floats with sums of float32."""
    m, k, n = sizes
    A, B = te.placeholder((m, k), type_, name="A"), te.placeholder((k, n), type_, name="B")
    r = te.reduce_axis((0, k), name="k")
    left = te.compute((m, k), lambda i, j: A[i, j] + te.const(1, type_), name="S") if adds else A
    C = te.compute(
        (m, n),
        lambda i, j: te.sum(left[i, r].astype("float32") * B[r, j].astype("float32"), axis=r),
        name="C",
    )
    return [A, B, C]


def test_products_of_bf16_have_a_version_for_dot_products():
    schedule = kc.auto_schedule(product_of_halves(), BF16)
    script = schedule.trace.as_python()
    assert "sch.version_loops(block=C, exponent=-110, of_products=True)" in script
    assert 'tensor_intrin="avx512_bf16_dot_16x2"' in script
    # Each version is scheduled; what looks at the operands is, too.
    assert kinds(schedule, "C_1")[-2:] == ["6 unrolled", "64 vectorized"]
    assert kinds(schedule, "A_least") == ["2376 vectorized"]


@pytest.mark.parametrize(
    ("cpu", "pays"),
    [
        ("cooperlake", True),
        ("znver4", True),
        ("znver5", True),
        ("sapphirerapids -mattr=-amx-tile", False),  # half of what multiply-adds of f32 do
        ("emeraldrapids -mattr=-amx-tile", False),
        ("graniterapids -mattr=-amx-tile", False),
        ("icelake-server -mattr=+avx512bf16", False),  # nobody knows
        ("znver5 -mattr=-avx512bf16", False),
        ("znver5 -vector-width=256", False),
    ],
)
def test_rates_decide_whether_bf16_has_dot_products(cpu: str, pays: bool):
    """``vdpbf16ps`` has two products for each of ``vfmadd``, in a half to four times the time."""
    target = Target(f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu}")
    script = kc.auto_schedule(product_of_halves(), target).trace.as_python()
    assert ("avx512_bf16_dot_16x2" in script) == pays == ("version_loops" in script)


@pytest.mark.parametrize(
    ("cpu", "sizes", "intrinsic", "exponent"),
    [
        ("cortex-a510", (33, 34, 37), "neon_bfdot_4x2", 0),
        ("cortex-a510", (33, 34, 37), "neon_bfdot_4x2", -133),
        ("neoverse-n2", (36, 40, 39), "neon_bfmmla_square", 0),
        ("neoverse-n1", (33, 34, 37), None, 0),
    ],
)
def test_bf16_on_aarch64(
    cpu: str, sizes: tuple[int, int, int], intrinsic: str | None, exponent: int
):
    """``bfdot`` has twice as many products as ``fmla`` of f32, ``bfmmla`` four times as many."""
    target = Target(f"llvm -mtriple=aarch64-unknown-linux-gnu -mcpu={cpu}")
    schedule = kc.auto_schedule(product_of_halves(sizes=sizes), target)
    script = schedule.trace.as_python()
    assert ("version_loops" in script) == (intrinsic is not None)
    if intrinsic is None:
        return
    assert f'tensor_intrin="{intrinsic}"' in script
    # Sums of small integers are exact in either version, subnormal ones as well.
    m, k, n = sizes
    numbers = np.random.default_rng(0)
    a, b = (numbers.integers(-8, 8, size) for size in ((m, k), (k, n)))
    scaled = (a * 2.0**exponent).astype(ml_dtypes.bfloat16)
    result = np.zeros((m, n), "float32")
    run(schedule.module, "main", [scaled, b.astype(ml_dtypes.bfloat16), result])
    np.testing.assert_array_equal(result, (a @ b * 2.0**exponent).astype("float32"))


@pytest.mark.parametrize("batch", [0, 2])
def test_both_versions_pack_what_they_read(batch: int):
    """The second one is scheduled first, and packs for itself alone."""
    lead = (batch,) if batch else ()
    A, B = (te.placeholder((*lead, 64, 64), "bfloat16", name=name) for name in "AB")
    function = topi.nn.batch_matmul if batch else topi.nn.dense
    script = kc.auto_schedule([A, B, function(A, B, out_dtype="float32")], BF16).trace.as_python()
    assert 'tensor_intrin="avx512_bf16_dot_16x2"' in script


@pytest.mark.parametrize(
    ("target", "tensors"),
    [
        (AVX512, product_of_halves()),
        (BF16, product_of_halves("float16")),
        (BF16, product_of_halves(sizes=(8, 64, 16))),  # looking at the operands would not pay
    ],
)
def test_products_without_a_version(target: Target, tensors: list[Any]):
    script = kc.auto_schedule(tensors, target).trace.as_python()
    assert "tensorize" not in script
    assert "version_loops" not in script


def test_what_one_block_wrote_is_looked_at():
    tensors = product_of_halves(sizes=(256, 512, 64), adds=True)
    schedule = kc.auto_schedule(tensors, BF16)
    script = schedule.trace.as_python()
    assert "sch.version_loops(block=C, exponent=-110, of_products=True)" in script
    assert "avx512_bf16_dot_16x2" in script
    assert 'block "S_least"' in str(schedule.mod)


def test_products_from_which_on_a_version_pays():
    """From 16 multiplications for each element on that is looked at: 32 * 32 = 16 * (32 + 32)."""
    for rows, pays in ((32, True), (31, False)):
        script = kc.auto_schedule(product_of_halves(sizes=(rows, 64, 32)), BF16).trace.as_python()
        assert ("version_loops" in script) == pays


@functools.cache
def built_product_of_halves(sizes: tuple[int, int, int]) -> Any:
    return kc.build(product_of_halves(sizes=sizes))


@pytest.mark.skipif(
    not Target.host_cpu().has_feature("avx512bf16"), reason="this CPU has no vdpbf16ps"
)
@pytest.mark.parametrize("exponent", [0, -55, -56, -100, -126, -133])
@pytest.mark.parametrize("sizes", [(36, 66, 64), (45, 63, 70)], ids=["whole", "padded"])
def test_products_of_small_bf16(sizes: tuple[int, int, int], exponent: int):
    """Subnormal operands count, and so do products and sums that are: float64 rounds them once."""
    m, k, n = sizes
    numbers = np.random.default_rng(-exponent)
    bf16 = ml_dtypes.bfloat16
    a, b = (numbers.integers(-127, 128, size).astype("float64") for size in ((m, k), (k, n)))
    a, b = (a * 2.0**exponent).astype(bf16), (b * 2.0 ** max(exponent, -60)).astype(bf16)
    a[3], b[:, 5] = 0, -0.0
    function = built_product_of_halves(sizes)
    assert "vdpbf16ps" in function.get_source("asm")
    result = np.empty((m, n), "float32")
    function(a, b, result)
    exact = a.astype("float64") @ b.astype("float64")
    terms = np.abs(a.astype("float64")) @ np.abs(b.astype("float64"))
    assert (np.abs(result - exact) <= terms * 66 * 2.0**-24 + 66 * 2.0**-150).all()


def test_unknown_sizes():
    """The same tiles; columns are padded, and rows that fill no tile are apart."""
    n, m, p = (te.size_var(name) for name in "nmp")
    A, B = te.placeholder((n, m), name="A"), te.placeholder((m, p), name="B")
    r = te.reduce_axis((0, m), name="k")
    C = te.compute((n, p), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), name="C")
    schedule = kc.auto_schedule([A, B, C], AVX2)
    assert kinds(schedule, "C")[-2:] == ["6 unrolled", "16 vectorized"]
    function = kc.build(schedule)
    numbers = np.random.default_rng(0)
    for sizes in ((1, 1, 1), (6, 8, 16), (13, 5, 33), (40, 70, 3)):
        a, b = (numbers.standard_normal(shape, dtype="float32") for shape in (sizes[:2], sizes[1:]))
        np.testing.assert_allclose(function(a, b), a @ b, rtol=1e-3, atol=1e-4)


def test_a_block_that_no_rule_knows_stays():
    """One that calls a function."""
    X = te.placeholder((8,), name="X")
    Y = te.extern(
        (8,),
        [X],
        lambda ins, outs: tir.call_packed("test_rules.halve", ins[0], outs[0]),
        name="Y",
        dtype="float32",
    )
    schedule = kc.auto_schedule([X, Y], AVX2)
    assert len(schedule.trace.simplified()) == 0
    assert str(schedule.mod) == str(kc.tir.Schedule(te.create_prim_func([X, Y])).mod)


def in_panels(rows: int, depth: int, columns: int, width: int) -> list[te.Tensor]:
    """A product whose second matrix lies in panels of ``width`` columns."""
    A = te.placeholder((rows, depth), name="A")
    B = te.placeholder((columns // width, depth, width), name="B")
    k = te.reduce_axis((0, depth), name="k")
    body = lambda i, j: te.sum(A[i, k] * B[j // width, k, j % width], axis=k)  # noqa: E731
    return [A, B, te.compute((rows, columns), body, name="C")]


@pytest.mark.parametrize(("columns", "outer"), [
    # The second matrix is larger than L2: each panel is read once, by all tiles of rows.
    (4096, ["ax1 128", "ax0_o 4"]), (256, ["ax0_o 4", "ax1 8"]),
])  # fmt: skip
def test_panels_are_tiles(columns: int, outer: list[str]):
    """A matrix in panels of whole vectors is packed already."""
    flags = {"mtriple": "x86_64-unknown-linux-gnu", "mcpu": "x86-64-v4", "num-cores": 1}
    target = Target({"kind": "llvm", **flags, "l2-cache": 1 << 18})
    rows = 32
    tensors = in_panels(rows, 64, columns, 32)
    module = kc.lower(tensors, target=target)
    assert "A_global" not in str(module)
    assert "B_global" not in str(module)
    loops = [op for op in module.op.walk() if isinstance(op, ForOp)]
    inner = ["ax0_i_init 8", "ax2_init 32", "ax3 64", "ax0_i 8", "ax2 32"]
    assert [f"{loop.label} {loop.static_extent}" for loop in loops][:7] == [*outer, *inner]
    draw = np.random.default_rng(0).standard_normal
    a, b = draw((rows, 64), np.float32), draw((columns // 32, 64, 32), np.float32)
    c = np.zeros((rows, columns), np.float32)
    kc.build(module)(a, b, c)
    expected = a @ b.transpose(1, 0, 2).reshape(64, columns)
    np.testing.assert_allclose(c, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("rows", [16, 24, 48])
def test_a_panel_that_is_read_in_its_order_costs_no_lines(rows: int):
    """It is larger than L1, and each term lies in another line."""
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -num-cores=1")
    text = str(kc.auto_schedule(in_panels(rows, 1024, 4096, 32), target).trace.as_python())
    assert "cache_read" not in text
    assert "sch.vectorize(loop=ax2)" in text


@pytest.mark.parametrize(("columns", "width"), [(96, 24), (60, 4), (32, 32)])
def test_panels_of_parts_of_vectors_stay(columns: int, width: int):
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v4 -num-cores=1")
    text = str(kc.auto_schedule(in_panels(8, 16, columns, width), target).trace.as_python())
    assert "transform_block_layout(block=C" not in text


def test_sums_of_a_number_without_dimensions():
    A, B = te.placeholder((8,), name="A"), te.placeholder((), name="B")
    k = te.reduce_axis((0, 8), name="k")
    total = te.compute((), lambda: te.sum(A[k] * B(), axis=k), name="total")
    a, result = np.arange(8, dtype=np.float32), np.zeros((), np.float32)
    kc.build([A, B, total])(a, np.array(3, np.float32), result)
    assert result == 84


def depthwise(columns: int, channels: int, taps: int) -> list[te.Tensor]:
    """A depthwise convolution of rows, whose channels lie side by side."""
    X = te.placeholder((columns + taps - 1, channels), name="X")
    W = te.placeholder((taps, channels), name="W")
    q = te.reduce_axis((0, taps), name="q")
    body = lambda v, c: te.sum(X[v + q, c] * W[q, c], axis=q)  # noqa: E731
    return [X, W, te.compute((columns, channels), body, name="Y")]


def test_two_channels_of_many_terms_have_these_in_lanes():
    """A group of two channels is a product, if what it sums is contiguous and two vectors long."""
    shapes = ((1, 5, 6, 90), (3, 3, 45, 4))
    X, W = (te.placeholder(it, name=name) for it, name in zip(shapes, "XW", strict=True))
    tensors = [X, W, topi.nn.group_conv2d_nhwc(X, W, 1, 0, 1, 2)]
    schedule = kc.auto_schedule(tensors, AVX512)
    assert kinds(schedule, "group_conv2d_nhwc")[-3:] == [
        "2 unrolled",
        "4 unrolled",
        "16 vectorized",
    ]
    x, w = (np.random.default_rng(1).integers(-9, 9, it).astype("float32") for it in shapes)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), (1, 2))
    parts = [
        np.einsum(
            "nyxcrs,rscf->nyxf", windows[:, :, :, 45 * g : 45 * g + 45], w[..., 2 * g : 2 * g + 2]
        )
        for g in range(2)
    ]
    np.testing.assert_array_equal(kc.build(tensors)(x, w), np.concatenate(parts, -1))


@pytest.mark.parametrize(("channels", "groups", "is_product"), [
    (48, 3, True), (30, 2, True), (9, 3, False),
])  # fmt: skip
def test_groups_of_channels_are_products(channels: int, groups: int, is_product: bool):
    """Each group of a grouped convolution is tiled by itself, unless it is small."""
    each = channels // groups
    shapes = ((1, 6, 7, channels), (1, 1, each, channels))
    X, W = (te.placeholder(it, name=name) for it, name in zip(shapes, "XW", strict=True))
    tensors = [X, W, topi.nn.group_conv2d_nhwc(X, W, 1, 0, 1, groups)]
    schedule = kc.auto_schedule(tensors, AVX512)
    assert ("transform_block_layout" in schedule.trace.as_python()) is is_product
    x, w = (np.random.default_rng(1).integers(-9, 9, it).astype("float32") for it in shapes)
    parts = [
        x[..., g * each : (g + 1) * each] @ w[0, 0, :, g * each : (g + 1) * each]
        for g in range(groups)
    ]
    np.testing.assert_array_equal(kc.build(tensors)(x, w), np.concatenate(parts, -1))


@pytest.mark.parametrize(("target", "channels", "taps", "order"), [
    (AVX512, 256, 9, ["v_o 7", "c_o 16", "q 9", "v_i 8", "c_i 16"]),
    (AVX512, 240, 9, ["v_o 7", "c_o 15", "q 9", "v_i 8", "c_i 16"]),
    (AVX2, 256, 9, ["v_o 14", "c_o 32", "q 9", "v_i 4", "c_i 8"]),
    (AVX2, 256, 15, ["v_o 14", "c_o 32", "q 15", "v_i 4", "c_i 8"]),
])  # fmt: skip
def test_columns_of_a_depthwise_convolution_share_weights(
    target: Target, channels: int, taps: int, order: list[str]
):
    """A vector of weights is loaded once for a few columns, whose sums stay in registers."""
    tensors = depthwise(56, channels, taps)
    module = kc.lower(tensors, target=target)
    loops = [op for op in module.op.walk() if isinstance(op, ForOp)]
    names = [f"{loop.label} {loop.static_extent}" for loop in loops]
    assert [name for name in names if name[0] in "vcq" and "init" not in name][
        : len(order)
    ] == order
    shapes = (56 + taps - 1, channels), (taps, channels)
    x, w = map(np.random.default_rng(0).standard_normal, shapes)
    x, w = x.astype("float32"), w.astype("float32")
    y = np.zeros((56, channels), np.float32)
    kc.build(module)(x, w, y)
    expected = sum(x[q : q + 56] * w[q] for q in range(taps))
    np.testing.assert_allclose(y, expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(("target", "axis", "dtype", "together"), [
    (AVX512, 1, "float32", 4), (AVX512, 0, "float32", 32), (AVX2, 0, "float32", 16),
    (NEON, 0, "float32", 8),
    # 128 would be two vectors, and many operations.
    (AVX512, 0, "int8", 32),
])  # fmt: skip
def test_running_sums_go_side_by_side(target: Target, axis: int, dtype: str, together: int):
    X = te.placeholder((64, 64), dtype, name="X")
    # (Of cumsum, columns are in vectors already: topi does not know this function of scalars.)
    sums = topi.scanop(X, lambda a, b: a + b, 0, "sums", axis)
    module = kc.lower([X, sums], target=target)
    (together_loop,) = [op for op in module.op.walk() if isinstance(op, ForOp) and "o" in op.label]
    assert together_loop.static_extent == 64 // together
    assert sum(isinstance(op, AllocOp) for op in together_loop.walk()) == together


def statements(size: int, call: str | None = None) -> list[te.Tensor]:
    """The sums of each row up to each place, as statements."""
    X = te.placeholder((size, size), name="X")

    def body(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        x, result = ib.buffer_ptr(ins[0]), ib.buffer_ptr(outs[0])
        with ib.for_range(0, size, name="i") as i:
            total = ib.allocate("float32", (1,), name="total", scope="local")
            total[0] = tir.const(0.0, "float32")
            with ib.for_range(0, size, name="k") as k:
                total[0] = total[0] + x[i, k]
                result[i, k] = total[0]
                if call:
                    ib.emit(tir.call_extern("int32", call, tir.const(1, "int32")))
        return ib.get()

    return [X, te.extern((size, size), [X], body, name="sums", dtype="float32")]


def test_running_sums_of_many_rows_are_parallel():
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -num-cores=4")
    assert "tir.for %i_o in 256 parallel" in str(kc.lower(statements(1024), target=target))
    assert "parallel" not in str(kc.lower(statements(64), target=target))


def test_calls_of_c_stay_in_their_order():
    target = Target("llvm -mtriple=x86_64-unknown-linux-gnu -mcpu=x86-64-v3 -num-cores=4")
    text = str(kc.lower(statements(1024, "putchar"), target=target))
    assert "tir.for %i in 1024 {" in text
    assert text.count("putchar") == 1


def test_columns_that_are_repeated_are_vectors_of_their_own():
    """A vector does not go on from the end of the row that is repeated to its beginning."""
    X = te.placeholder((6, 37), name="X")
    schedule = kc.auto_schedule([X, topi.tile(X, (1, 3))], AVX512)
    assert kinds(schedule, "T_tile") == ["6 serial", "3 serial", "37 vectorized"]
    x = np.arange(6 * 37, dtype="float32").reshape(6, 37)
    np.testing.assert_array_equal(kc.build(schedule, target=Target.host_cpu())(x), np.tile(x, 3))


def test_rows_of_unknown_length_are_reduced_a_few_vectors_at_a_time():
    """The remainder of a row is at most a few vectors, because most rows may be short."""
    n, m = te.var("n"), te.var("m")
    X = te.placeholder((n, m), name="X")
    target = Target.host_cpu()
    schedule = kc.auto_schedule([X, topi.sum(X, (0, 1))], AVX512)
    assert kinds(schedule, "X_sum")[-1] == "64 vectorized"
    total = kc.build([X, topi.sum(X, (0, 1))], target=target)
    for shape in ((7, 5), (3, 64), (2, 131), (1, 1), (5, 39)):
        x = np.arange(np.prod(shape), dtype="float32").reshape(shape)
        np.testing.assert_array_equal(total(x), x.sum())


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("shape", [(2048, 1024), (301, 7, 640), (1_500_007,)])
def test_cores_share_the_terms_of_one_result(shape: tuple[int, ...], keepdims: bool):
    """However many loops the terms are in, and where the result has dimensions of one element."""
    X = te.placeholder(shape, name="X")
    total = topi.sum(X, tuple(range(len(shape))), keepdims)
    schedule = kc.auto_schedule([X, total], Target("llvm -mcpu=x86-64-v4 -num-cores=4"))
    assert kinds(schedule, "X_sum_rf")[0] == "16 parallel"
    assert kinds(schedule, "X_sum_rf")[-1].endswith("vectorized")
    x = np.random.default_rng(0).integers(-9, 9, shape).astype("float32")
    got = kc.build(schedule, target=Target.host_cpu())(x)
    np.testing.assert_array_equal(got, x.sum(keepdims=keepdims))


def test_copies_that_are_transposed_with_their_ends_run_in_parallel():
    X = te.placeholder((100, 60, 70), name="X")
    target = Target("llvm -mcpu=x86-64-v4 -num-cores=2")
    schedule = kc.auto_schedule([X, topi.transpose(X, (2, 1, 0))], target)
    for part in ("T_transpose_o", "T_transpose_2_o", "T_transpose_1_o", "T_transpose_1_1_o"):
        assert kinds(schedule, part)[0] == "60 parallel"


def test_tiles_of_an_unknown_number_of_columns_are_narrow():
    """Half of a tile sticks out of the columns, on average."""
    n, m = te.var("n"), te.var("m")
    A, B = te.placeholder((n, 38), name="A"), te.placeholder((38, m), name="B")
    k = te.reduce_axis((0, 38), name="k")
    C = te.compute((n, m), lambda i, j: te.sum(A[i, k] * B[k, j], axis=k), name="C")
    assert kinds(kc.auto_schedule([A, B, C], AVX512), "C")[-1] == "32 vectorized"


@pytest.mark.parametrize(("length", "in_lanes"), [(7, False), (8, True), (23, True)])
def test_short_rows_are_reduced_in_lanes(length: int, in_lanes: bool):
    X = te.placeholder((40, length), name="X")
    schedule = kc.auto_schedule([X, topi.sum(X, 1)], AVX512)
    assert (f"{length} vectorized" in kinds(schedule, "X_sum")) is in_lanes


def test_norms_by_mean_and_variance_go_through_a_row_once() -> None:
    """What is one number a row stays in the loop over rows, also where its axis is kept."""
    x = te.placeholder((64, 256), name="x")
    mean = topi.divide(topi.sum(x, 1, keepdims=True), 256.0)
    centred = topi.subtract(x, mean)
    variance = topi.divide(topi.sum(topi.multiply(centred, centred), 1, keepdims=True), 256.0)
    y = topi.divide(centred, topi.sqrt(topi.add(variance, 1e-5)))
    text = str(kc.auto_schedule([x, y], Target("llvm -mcpu=znver4 -num-cores=1")).mod)
    assert text.count("\n    tir.for ") == 1
    array = np.random.default_rng(1).standard_normal((64, 256)).astype("float32")
    wide = array.astype("float64")
    expected = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(kc.build([x, y])(array), expected, rtol=1e-5, atol=1e-5)
