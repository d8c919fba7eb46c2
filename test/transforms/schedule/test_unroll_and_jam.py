"""unroll-and-jam of statements that are no blocks: what a row holds is computed as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run


def running(rows: Any, columns: int) -> list[te.Tensor]:
    """The sums of each row up to each place, and for row i the largest of the first i + 1."""
    X = te.placeholder((rows, columns), name="X")

    def statements(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        x, sums, tops = (ib.buffer_ptr(it) for it in (*ins, *outs))
        with ib.for_range(0, rows, name="i") as i:
            total = ib.allocate("float32", (1,), name="total", scope="local")
            total[0] = tir.const(0.0, "float32")
            with ib.for_range(0, columns, name="k") as k:
                total[0] = total[0] + x[i, k]
                sums[i, k] = total[0]
            tops[i] = sums[i, 0]
            with ib.for_range(0, te.min(i + 1, columns), name="k") as k:
                tops[i] = te.max(tops[i], sums[i, k])
        return ib.get()

    shapes = [(rows, columns), (rows,)]
    return [X, *te.extern(shapes, [X], statements, name="run", dtype=["float32"] * 2)]


@pytest.mark.parametrize("factor", [1, 2, 3, 4, 7])
def test_rows_side_by_side(factor: int):
    for rows in (None, 1, 2, 3, 4, 6, 8):
        sch = kc.tir.Schedule(te.create_prim_func(running(rows or te.var("n"), 5)))
        loops = sch.unroll_and_jam(sch.get_loop("i"), factor)
        is_left = factor > 1 if rows is None else rows % min(factor, rows) != 0
        assert len(loops) == 1 + is_left
        function = kc.build(sch.mod)
        for n in range(10) if rows is None else (rows,):
            x = np.random.default_rng(n).integers(-9, 9, (n, 5)).astype(np.float32)
            expected = np.cumsum(x, 1)
            largest = [max(row[: i + 1]) for i, row in enumerate(expected.tolist())]
            for native in (True, False):
                sums, tops = np.full((n, 5), 7.0, np.float32), np.full(n, 7.0, np.float32)
                if native:
                    function(x, sums, tops)
                else:
                    run(sch.mod.op, "main", [x, sums, tops])
                assert np.array_equal(sums, expected)
                assert tops.tolist() == largest


def test_a_trace_repeats_it():
    func = te.create_prim_func(running(6, 5))
    sch = kc.tir.Schedule(func)
    together, left = sch.unroll_and_jam(sch.get_loop("i"), 4)
    sch.parallel(together)
    again = kc.tir.Schedule(func)
    sch.trace.apply_to_schedule(again, remove_postproc=False)
    assert str(again.mod) == str(sch.mod)
    assert [sch.get(it).label for it in (together, left)] == ["i_o", "i_r"]


def test_pipelines_stay_apart():
    """Stages are those of the statements of one copy."""
    X = te.placeholder((5, 8), name="X", dtype="int32")

    def statements(ins: Any, outs: Any) -> Any:
        ib = tir.ir_builder.create()
        x, twice, first = (ib.buffer_ptr(it) for it in (*ins, *outs))
        with ib.for_range(0, 5, name="i") as i:
            first[i] = x[i, 0]
            with ib.for_range(0, 8, name="k") as k:
                row = ib.allocate("int32", (1,), name="row", scope="local")
                row[0] = x[i, k]
                twice[i, k] = row[0] * 2
        return ib.get()

    Y = te.extern([(5, 8), (5,)], [X], statements, name="run", dtype=["int32"] * 2)
    sch = kc.tir.Schedule(te.create_prim_func([X, *Y]))
    sch.annotate(sch.get_loop("k"), "software_pipeline_stage", [0, 1])
    sch.unroll_and_jam(sch.get_loop("i"), 2)
    x = np.arange(40, dtype=np.int32).reshape(5, 8)
    twice, first = np.zeros((5, 8), np.int32), np.zeros(5, np.int32)
    kc.build(sch.mod)(x, twice, first)
    assert np.array_equal(twice, x * 2)
    assert np.array_equal(first, x[:, 0])
