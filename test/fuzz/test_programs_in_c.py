"""The C target on random programs: the C compiler has no warning, and the results are numpy's."""

from random import Random

import numpy as np
import pytest
from c_code import CC, run_in_c
from hypothesis import given
from hypothesis import strategies as st
from layouts import Layouts
from programs import draw
from property_tests import examples
from schedules import steps

import kc
from kc import te, tir


@pytest.mark.skipif(not CC, reason="there is no C compiler")
@examples(25)
@given(st.integers(0, 2**32 - 1))
def test_random_programs(seed):
    random = Random(seed)
    program = draw(random)
    sch = tir.Schedule(program.module)
    layouts = Layouts(sch, program.symbols)
    with layouts.watching():
        steps(random, sch, random.randint(0, 6))
    arrays = program.arrays()
    changed = layouts.to_scheduled(arrays)
    run_in_c(sch.mod, changed)
    program.check(layouts.from_scheduled(changed, arrays))


@pytest.mark.skipif(not CC, reason="there is no C compiler")
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "float32", "float64"])
def test_numbers_as_arguments(dtype: str):
    """They come as C passes numbers of their types."""
    A, x = te.placeholder((3,), dtype, "A"), te.var("x", dtype)
    C = te.compute((3,), lambda i: A[i] - x, name="C")
    mod = kc.lower(te.create_schedule(C.op), [A, x, C])
    a, c = np.array([1, 100, 7], dtype), np.zeros(3, dtype)
    run_in_c(mod, [a, 5, c])
    assert (c == a - np.dtype(dtype).type(5)).all()


@pytest.mark.skipif(not CC, reason="there is no C compiler")
def test_an_index_that_binds_less_tightly_than_the_sum_of_indices():
    """Rows of one element: the row, ``i & 1`` in C, is not multiplied."""
    text = """
func.func @f(%A: memref<2x1xi32>, %I: memref<4xindex>, %C: memref<4xi32>) {
  tir.for %i in 4 {
    %j = tir.load %I[%i] : memref<4xindex>
    %a = tir.load %A[%j mod 2, %j - %i] : memref<2x1xi32>
    tir.store %a, %C[%i] : memref<4xi32>
  }
  func.return
}
"""
    c = np.zeros(4, np.int32)
    run_in_c(kc.IRModule.parse(text), [np.array([[5], [7]], np.int32), np.arange(4), c])
    assert c.tolist() == [5, 7, 5, 7]
