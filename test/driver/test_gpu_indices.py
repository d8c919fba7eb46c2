"""Vectors of indices in kernels, as cache_index keeps them."""

from __future__ import annotations

import numpy as np

import kc
from kc import te, tir


def test_a_vector_of_cached_indices():
    A = te.placeholder((9,), "int32", name="A")
    B = te.compute((8,), lambda i: A[i // 2 + i % 2], name="B")
    sch = tir.Schedule(te.create_prim_func([A, B]))
    sch.cache_index("B", "global", 0)
    sch.bind(sch.get_loops("B")[0], "threadIdx.x")
    outer, inner = sch.split(sch.get_loops("index_0")[0], [None, 4])
    sch.bind(outer, "threadIdx.x")
    sch.vectorize(inner)
    built = kc.build(sch.mod, target="cuda-emu")
    a, b = np.arange(9, dtype=np.int32) * 3, np.zeros(8, np.int32)
    built(a, b)
    i = np.arange(8)
    np.testing.assert_array_equal(b, a[i // 2 + i % 2])
