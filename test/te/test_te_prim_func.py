"""``te.create_prim_func``: the way from tensors to the eager schedule."""

import numpy as np
import pytest

import kc
from kc import te, tir


def test_its_loops_are_scheduled_and_run():
    n = te.var("n")
    A = te.placeholder((n, 8), name="A")
    k = te.reduce_axis((0, 8), "k")
    B = te.compute((n,), lambda i: te.sum(A[i, k], axis=k), name="B")
    C = te.compute((n,), lambda i: B[i] * 2.0, name="C")
    sch = tir.Schedule(te.create_prim_func([A, B, C]))
    sch.rfactor(sch.get_loops("B")[1], factor_axis=0)
    sch.parallel(sch.get_loops("C")[0])
    a = np.arange(24, dtype=np.float32).reshape(3, 8)
    b, c = np.empty(3, np.float32), np.empty(3, np.float32)
    kc.build(sch.mod)(a, b, c)
    np.testing.assert_array_equal(b, a.sum(1))
    np.testing.assert_array_equal(c, b * 2)


def test_what_is_computed_is_an_output_or_local():
    A = te.placeholder((4,), name="A")
    B = te.compute((4,), lambda i: A[i] + 1.0, name="B")
    C = te.compute((4,), lambda i: B[i] * 2.0, name="C")
    assert list(te.create_prim_func([A, C]).functions) == ["main"]
    assert 'tir.alloc "B"' in str(te.create_prim_func([A, C]))
    assert "tir.alloc" not in str(te.create_prim_func([A, B, C]))
    with pytest.raises(kc.KCError, match="A"):
        te.create_prim_func([C])
