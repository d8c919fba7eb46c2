"""The intrinsics that transpose squares in registers: what they compute, by how many shuffles."""

from __future__ import annotations

import re

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.target import Target
from kc.support.transpose_names import SIZES, transpose_name

SQUARES = [(element, size) for element, sizes in SIZES.items() for size in sizes]
DTYPES = {"f32": "float32", "f64": "float64"}


def scheduled(element: str, size: int) -> tir.Schedule:
    """A matrix of two by three squares."""
    A = te.placeholder((3 * size, 2 * size), DTYPES[element], name="A")
    B = te.compute((2 * size, 3 * size), lambda i, j: A[j, i], name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    i, j = sch.get_loops("B")
    i_o, i_i = sch.split(i, [None, size])
    j_o, j_i = sch.split(j, [None, size])
    sch.reorder(i_o, j_o, i_i, j_i)
    sch.tensorize(i_i, transpose_name(element, size, size))
    return sch


@pytest.mark.parametrize(("element", "size"), SQUARES)
def test_squares_are_transposed(element: str, size: int):
    a = np.arange(6 * size * size, dtype=DTYPES[element]).reshape(3 * size, 2 * size)
    b = np.zeros_like(a.T)
    run(scheduled(element, size).module, "main", [a, b])
    np.testing.assert_array_equal(b, a.T)


@pytest.mark.parametrize(
    ("target", "shape", "element", "count"),
    [
        ("llvm -mcpu=x86-64-v4", (64, 64), "float32", 64),
        ("llvm -mcpu=x86-64-v4", (64, 64), "float64", 24),
        ("llvm -mcpu=x86-64-v3", (64, 64), "float32", 24),
        ("llvm -mtriple=aarch64-linux-gnu -mcpu=neoverse-n1", (64, 64), "float32", 8),
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
