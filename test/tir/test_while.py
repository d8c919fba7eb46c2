"""Loops as long as a condition holds: read, printed, executed, lowered and scheduled around."""

# pyright: basic, reportGeneralTypeIssues=false, reportInvalidTypeForm=false
# pyright: reportAttributeAccessIssue=false, reportCallIssue=false, reportIndexIssue=false

from collections.abc import Callable

import numpy as np
import pytest
from optional_tools import find
from script_checks import execute

import kc
from kc import te, tir
from kc.error import KCError
from kc.script import tir as T


@T.prim_func
def search(A: T.Buffer((16,), "int32"), B: T.Buffer((8,), "int32"), C: T.Buffer((8,), "int32")):
    for i in T.serial(8):
        with T.block("search"):
            vi = T.axis.S(8, i)
            low = T.alloc_buffer((1,), "int32", scope="local")
            high = T.alloc_buffer((1,), "int32", scope="local")
            low[0] = 0
            high[0] = 16
            while low[0] < high[0]:
                middle = T.floordiv(low[0] + high[0], 2)
                if A[middle] < B[vi]:
                    low[0] = middle + 1
                else:
                    high[0] = middle
            C[vi] = low[0]


def sorted_and_searched() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(0)
    return (
        np.sort(random.integers(0, 60, 16)).astype("int32"),
        random.integers(0, 60, 8).astype("int32"),
    )


def test_a_function_of_tvmscript_is_read_printed_and_executed():
    a, b = sorted_and_searched()
    c = execute(search, a, b, np.zeros(8, "int32"))[2]
    np.testing.assert_array_equal(c, np.searchsorted(a, b))
    text = search.script(style="tvmscript")
    assert "\n            while low[0] < high[0]:\n" in text
    kc.ir.assert_structural_equal(kc.script.from_source(text), search)
    assert "while (((int32*)low[0] < (int32*)high[0])) {" in search.script(style="tvm")


@pytest.mark.skipif(find("clang") is None, reason="needs clang")
def test_it_is_compiled_from_c():
    a, b = sorted_and_searched()
    c = np.zeros(8, "int32")
    kc.build(search, target="c")(a, b, c)
    np.testing.assert_array_equal(c, np.searchsorted(a, b))


def test_loops_around_it_are_scheduled_and_it_is_not():
    a, b = sorted_and_searched()
    for thread in (None, "threadIdx.x"):
        sch = tir.Schedule(search)
        (i,) = sch.get_loops(sch.get_block("search"))
        if thread is None:
            sch.parallel(i)
        else:
            sch.bind(i, thread)
        c = execute(sch.mod, a, b, np.zeros(8, "int32"), native=thread is None)[2]
        np.testing.assert_array_equal(c, np.searchsorted(a, b))
        if thread is None:
            continue
        c[:] = 0
        kc.build(sch.mod, target="cuda-emu")(a, b, c)
        np.testing.assert_array_equal(c, np.searchsorted(a, b))
    sch = tir.Schedule(search)
    with pytest.raises(KCError, match=r"KC3044.*loop i is around the while loop repeat"):
        sch.vectorize(sch.get_loops(sch.get_block("search"))[0])


def collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def test_the_builder_and_the_script_make_the_same_loop():
    def steps_of(ins: object, outs: list[tir.Buffer]) -> object:
        ib = tir.ir_builder.create()
        result = ib.buffer_ptr(outs[0])
        with ib.for_range(0, 30, kind="parallel") as i:
            number = ib.allocate("int32", 1, name="number")
            steps = ib.allocate("int32", 1, name="steps")
            number[0] = i
            steps[0] = 0
            with ib.while_loop(number[0] > 1):
                with ib.if_scope(tir.floormod(number[0], 2) == 0):
                    number[0] = tir.floordiv(number[0], 2)
                with ib.else_scope():
                    number[0] = 3 * number[0] + 1
                steps[0] += 1
            result[i] = steps[0]
        return ib.get()

    expected = [collatz(n) for n in range(30)]
    C = te.extern((30,), [], steps_of, dtype="int32", name="steps")
    got = np.zeros(30, "int32")
    kc.build(te.create_schedule(C.op), [C])(got)
    assert got.tolist() == expected

    @kc.script
    def steps(C: kc.Buffer((30,), "int32")):
        for i in range(30):
            number = i
            count = 0
            while number > 1:
                number = number // 2 if number % 2 == 0 else 3 * number + 1
                count += 1
            C[i] = count

    assert execute(steps, got * 0, native=False)[0].tolist() == expected


def test_what_and_guards_is_not_read_without_it():
    @kc.script
    def find_first(A: kc.Buffer((6,), "int32"), x: te.var("x"), C: kc.Buffer((1,), "int32")):
        C[0] = 0
        while C[0] < 6 and A[C[0]] != x:
            C[0] += 1

    a = np.array([5, 3, 8, 1, 9, 2], "int32")
    for x, place in ((8, 2), (5, 0), (7, 6)):
        # The interpreter refuses A[6].
        (_, _, c) = execute(find_first, a, x, np.zeros(1, "int32"), native=x == 7)
        assert c[0] == place


def test_statements_are_made_by_their_class():
    x = tir.decl_buffer((1,), "int32", name="x")
    halve = tir.BufferStore(x, x[0] // 2, [0])
    f = tir.PrimFunc([x], tir.While(x[0] > 3, halve))
    assert execute(f, np.array([100], "int32"))[0].tolist() == [3]


def test_a_loop_that_never_runs_and_loops_in_loops():
    @kc.script
    def square_root(A: kc.Buffer((5,), "int32"), B: kc.Buffer((5,), "int32")):
        for i in range(5):
            B[i] = 0
            while (B[i] + 1) * (B[i] + 1) <= A[i]:
                B[i] += 1
                rest = 0
                while rest > 0:
                    B[i] = -1

    (_, b) = execute(square_root, np.array([0, 1, 15, 16, 90], "int32"), np.full(5, 9, "int32"))
    assert b.tolist() == [0, 1, 3, 4, 9]


@pytest.mark.parametrize(
    "step",
    [
        lambda sch, w, b: sch.split(w, [2, None]),
        lambda sch, w, b: sch.fuse(w),
        lambda sch, w, b: sch.reorder(w, w),
        lambda sch, w, b: sch.compute_at(b, w),
        lambda sch, w, b: sch.annotate(w, "key", 1),
        lambda sch, w, b: sch.bind(w, "threadIdx.x"),
        lambda sch, w, b: sch.loop_partition(w, [2, None]),
    ],
)
def test_no_primitive_takes_it(step: Callable):
    @T.prim_func
    def f(A: T.Buffer((4,), "int32"), N: T.Buffer((1,), "int32"), C: T.Buffer((4,), "int32")):
        B = T.alloc_buffer((4,), "int32")
        for i in range(4):
            with T.block("B"):
                vi = T.axis.S(4, i)
                B[vi] = A[vi] + 1
        while N[0] > 0:
            for i in range(4):
                with T.block("C"):
                    vi = T.axis.S(4, i)
                    C[vi] = B[vi]
            with T.block("step"):
                N[0] = N[0] - 1

    sch = tir.Schedule(f)
    before = str(sch.mod)
    loop = sch.get_loops(sch.get_block("C"))[0]
    with pytest.raises(KCError, match=r"KC3010.*loop repeat is a while"):
        step(sch, loop, sch.get_block("B"))
    assert str(sch.mod) == before
