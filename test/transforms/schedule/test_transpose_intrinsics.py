"""The intrinsics that transpose in registers: what they compute, by how many shuffles."""

from __future__ import annotations

import re

import ml_dtypes
import numpy as np
import pytest

import kc
from kc import te, tir, topi
from kc.analysis.interpreter import run
from kc.target import Target
from kc.transforms.intrinsics.transpose_names import (
    INTERLEAVED,
    SIZES,
    transpose_intrins,
    transpose_name,
)

SHAPES = [
    (element, rows, columns)
    for element, rows, columns in transpose_intrins().values()
    if element in SIZES
    and (
        (rows == columns and rows in SIZES[element])
        or max(rows, columns) == min(SIZES[element])
        or (rows, columns) in {(2, 7), (7, 2), (6, 8), (8, 6), (14, 16), (16, 14), (11, 5)}
    )
]
DTYPES = {
    "f32": "float32",
    "f64": "float64",
    "i32": "int32",
    "i8": "int8",
    "i16": "int16",
    "bf16": "bfloat16",
    "f16": "float16",
}


def scheduled(element: str, rows: int, size: int) -> tir.Schedule:
    """A matrix of three by two parts."""
    A = te.placeholder((3 * rows, 2 * size), DTYPES[element], name="A")
    B = te.compute((2 * size, 3 * rows), lambda i, j: A[j, i], name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    i, j = sch.get_loops("B")
    i_o, i_i = sch.split(i, [None, size])
    j_o, j_i = sch.split(j, [None, rows])
    sch.reorder(i_o, j_o, i_i, j_i)
    sch.tensorize(i_i, transpose_name(element, rows, size))
    return sch


@pytest.mark.parametrize(("element", "rows", "size"), SHAPES)
def test_parts_are_transposed(element: str, rows: int, size: int):
    a = np.arange(6 * rows * size, dtype=DTYPES[element]).reshape(3 * rows, 2 * size)
    b = np.full((2 * size, 3 * rows), -1, DTYPES[element])
    run(scheduled(element, rows, size).module, "main", [a, b])
    np.testing.assert_array_equal(b, a.T)


def test_a_schedule_offers_the_transposes_of_its_loops():
    """Hundreds are known, and those of other sizes are not even read."""
    A = te.placeholder((12, 10), name="A")
    B = te.compute((10, 12), lambda i, j: A[j, i], name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    assert offered(sch) == {"transpose_f32_12x10"}
    i, j = sch.get_loops("B")
    i_o, i_i = sch.split(i, [None, 5])
    j_o, j_i = sch.split(j, [None, 4])
    sch.reorder(i_o, j_o, i_i, j_i)
    assert offered(sch) == {"transpose_f32_4x5"}
    sch.reorder(j_i, i_i)
    assert offered(sch) == set()  # the loops are in the order of no intrinsic


def offered(sch: tir.Schedule) -> set[str]:
    """The transposes that are legal in a schedule."""
    return set(re.findall(r"transpose_\w+", repr(sch.legal("tensorize"))))


@pytest.mark.parametrize(
    ("element", "rows", "size"),
    [(element, *shape) for element, shapes in INTERLEAVED.items() for shape in shapes],
)
def test_rows_are_interleaved(element: str, rows: int, size: int):
    """Two by three parts of a matrix, each of which is dense behind it."""
    dtype = DTYPES[element]
    A = te.placeholder((2 * rows, 3 * size), dtype, name="A")
    B = te.compute((2, 3, size, rows), lambda p, q, j, i: A[p * rows + i, q * size + j], name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    sch.tensorize(sch.get_loops("B")[2], transpose_name(element, rows, size))
    numbers = np.arange(6 * rows * size) % 120
    a = numbers.astype(ml_dtypes.bfloat16 if element == "bf16" else dtype)
    a = a.reshape(2 * rows, 3 * size)
    b = np.zeros((2, 3, size, rows), a.dtype)
    kc.build(sch.mod)(a, b)
    np.testing.assert_array_equal(b, a.reshape(2, rows, 3, size).transpose(0, 2, 3, 1))


@pytest.mark.parametrize(
    ("shape", "order", "parts"),
    [
        ((37, 3, 21), (1, 2, 0), {"16x16", "5x16", "16x5", "5x5"}),
        ((2, 9, 20), (0, 2, 1), {"9x16", "9x4"}),  # rows shorter than a register
        ((33, 18), (1, 0), {"16x16", "16x2"}),  # one row is left
        ((40, 6), (1, 0), {"16x6", "8x6"}),
    ],
)
def test_the_ends_of_a_copy_are_transposed_in_registers(
    shape: tuple[int, ...], order: tuple[int, ...], parts: set[str]
):
    A = te.placeholder(shape, name="A")
    sch = kc.auto_schedule(
        [A, topi.transpose(A, order)], Target("llvm -mcpu=x86-64-v4 -num-cores=1")
    )
    assert set(re.findall(r"transpose_f32_(\w+)", sch.trace.as_python())) == parts
    a = np.arange(np.prod(shape), dtype="float32").reshape(shape)
    b = np.full([shape[n] for n in order], -1, "float32")
    run(sch.module, "main", [a, b])
    np.testing.assert_array_equal(b, a.transpose(order))


def test_few_rows_that_are_dense_in_the_result_are_left_to_llvm():
    A = te.placeholder((3, 400), name="A")
    sch = kc.auto_schedule([A, topi.transpose(A)], Target("llvm -mcpu=x86-64-v4 -num-cores=1"))
    assert "transpose_f32" not in sch.trace.as_python()


@pytest.mark.parametrize(
    ("target", "shape", "element", "count"),
    [
        ("llvm -mcpu=x86-64-v4", (64, 64), "float32", 64),
        ("llvm -mcpu=x86-64-v4", (64, 64), "float64", 24),
        ("llvm -mcpu=x86-64-v3", (64, 64), "float32", 24),
        # A single strip of tiles: LLVM writes out a loop over two.
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", (32, 32), "float32", 8),
    ],
)
def test_a_chosen_schedule_takes_a_shuffle_of_two_registers_a_step(
    target: str, shape: tuple[int, int], element: str, count: int
):
    A = te.placeholder(shape, element, name="A")
    B = te.compute(shape, lambda i, j: A[j, i], name="B")
    text = kc.build([A, B], target=Target(f"{target} -num-cores=1")).get_source("asm")
    names = r"^\s+(v(?:perm|shuf|unpck|insert)\w+|zip[12]|uzp[12]|trn[12]|ext|mov\s+v\d+\.d\[)"
    assert len(re.findall(names, text, re.MULTILINE)) == count


@pytest.mark.parametrize(
    ("cpu", "channels", "width", "part", "shuffles"),
    # Of two parts of sums; and of the weights, which are packed three columns at a time: at most
    # half of a whole part's 64, and all of a whole part's 24. Wider rows are columns themselves.
    [("x86-64-v4", 32, 7, "7x16", 128 + 32), ("x86-64-v3", 16, 3, "3x8", 48 + 24)],
)
def test_sums_of_a_convolution_are_transposed(
    cpu: str, channels: int, width: int, part: str, shuffles: int
):
    A = te.placeholder((1, 3, 3, width + 2), name="A")
    B = te.placeholder((channels, 3, 3, 3), name="B")
    target = Target(f"llvm -mtriple=x86_64-unknown-linux-gnu -mcpu={cpu} -num-cores=1")
    sch = kc.auto_schedule([A, B, topi.nn.conv2d(A, B, 1, 0, 1)], target)
    assert f"transpose_f32_{part}" in sch.trace.as_python()
    text = kc.build(sch, target=target).get_source("asm")
    assert len(re.findall(r"^\s+v(?:shuf|unpck|perm)\w+", text, re.MULTILINE)) <= shuffles
    random = np.random.default_rng(1)
    shapes = (1, 3, 3, width + 2), (channels, 3, 3, 3)
    a, b = (random.normal(size=shape).astype("float32") for shape in shapes)
    c = np.zeros((1, channels, 1, width), "float32")
    run(sch.module, "main", [a, b, c])
    windows = np.lib.stride_tricks.sliding_window_view(a, (3, 3), (2, 3))
    expected = np.einsum("nchwij,ocij->nohw", windows.astype("float64"), b)
    np.testing.assert_allclose(c, expected, rtol=1e-5, atol=1e-5)
