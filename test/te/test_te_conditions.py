"""Conditions on indices: te.all, te.any, te.if_then_else and what is proven of them."""

# Wrong arguments are what is tested.
# pyright: reportArgumentType=false

import numpy as np
import pytest

import kc
from kc import te, tir
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.expr.lazy_select import is_lazy


def padded(size, pad=1):
    """A with ``pad`` zeros around, its tensors."""
    a = te.placeholder((size, size), name="A")
    b = te.compute(
        (size + 2 * pad, size + 2 * pad),
        lambda y, x: te.if_then_else(
            te.all(y >= pad, y < size + pad, x >= pad, x - pad < size),
            a[y - pad, x - pad],
            te.const(0, "float32"),
        ),
        name="B",
    )
    return a, b


def check(schedule, a, b, size, pad=1):
    array = np.random.default_rng(size).random((size, size), np.float32)
    expected = np.pad(array, pad)
    mod = kc.lower(schedule, [a, b])
    for call in (lambda *args: run(mod.op, "main", list(args)), kc.build(schedule, [a, b])):
        out = np.full((size + 2 * pad,) * 2, 7, np.float32)
        call(array, out)
        np.testing.assert_array_equal(out, expected)
    return mod


def test_padding():
    a, b = padded(5)
    mod = check(te.create_schedule(b.op), a, b, 5)
    assert "scf.if" in str(mod)
    # The conditions are on indices: every analysis understands them.
    assert "arith.cmpi slt, %v_y, %" in str(mod)
    assert "arith.index_cast" not in str(mod)


@pytest.mark.parametrize("size", [0, 1, 4])
def test_padding_of_a_size_known_at_the_call(size):
    n = te.var("n")
    a, b = padded(n)
    array = np.random.default_rng(0).random((size, size), np.float32)
    out = np.full((size + 2, size + 2), 7, np.float32)
    kc.build(te.create_schedule(b.op), [a, b])(array, out)
    np.testing.assert_array_equal(out, np.pad(array, 1))


@pytest.mark.parametrize("size", [6, "n"])
def test_padding_is_decomposed(size):
    a, b = padded(te.var("n") if size == "n" else size)
    sch = tir.Schedule(kc.lower(te.create_schedule(b.op), [a, b]))
    sch.decompose_padding("B", sch.get_loops("B")[0])
    assert "scf.if" not in str(sch.mod)
    array = np.random.default_rng(0).random((6, 6), np.float32)
    out = np.full((8, 8), 7, np.float32)
    kc.build(sch.mod)(array, out)
    np.testing.assert_array_equal(out, np.pad(array, 1))


def test_scheduled_padding():
    a, b = padded(13, 2)
    s = te.create_schedule(b.op)
    outer, inner = s[b].split(b.op.axis[0], factor=4)
    s[b].parallel(outer)
    s[b].unroll(inner)
    check(s, a, b, 13, 2)


def test_the_branch_not_taken_is_not_evaluated():
    a = te.placeholder((4,), name="A")
    b = te.compute((8,), lambda i: te.if_then_else(i < 4, a[i], a[i - 4] * 2), name="B")
    array = np.arange(4, dtype=np.float32)
    out = np.empty(8, np.float32)
    kc.build(te.create_schedule(b.op), [a, b])(array, out)
    np.testing.assert_array_equal(out, [*array, *(array * 2)])


def test_nested_branches_and_shared_values():
    a = te.placeholder((4,), "int32", name="A")
    index = te.compute((4,), lambda i: a[i] + 1, name="I")
    b = te.compute(
        (4,),
        lambda i: te.if_then_else(
            index[i] > 2, te.if_then_else(i >= 1, a[i - 1], index[i]), index[i] * 10
        ),
        name="B",
    )
    array = np.array([5, 0, 7, 1], np.int32)
    out = np.empty(4, np.int32)
    kc.build(te.create_schedule(b.op), [a, b])(array, out)
    np.testing.assert_array_equal(out, [6, 10, 0, 20])


def test_all_and_any():
    a = te.placeholder((8, 8), name="A")
    b = te.compute(
        (8, 8),
        lambda i, j: te.Select(te.any(te.all(i < j, j > 4), i + j == 3, a[i, j] > 0.9), 1, 0),
        name="B",
    )
    array = np.random.default_rng(1).random((8, 8), np.float32)
    out = np.empty((8, 8), np.int32)
    kc.build(te.create_schedule(b.op), [a, b])(array, out)
    i, j = np.indices((8, 8))
    np.testing.assert_array_equal(out, ((i < j) & (j > 4)) | (i + j == 3) | (array > 0.9))


A = te.placeholder((4,), name="A")
REFUSED = [
    (
        lambda: te.compute((8,), lambda i: te.if_then_else(i < 5, A[i], 0.0), name="B"),
        "error[KC2030]: B reads outside A: index 4 of dimension 0, which has the size 4",
    ),
    (
        lambda: te.compute((8,), lambda i: te.if_then_else(i < 4, 0.0, A[i - 3]), name="B"),
        "error[KC2030]: B reads outside A: index 4 of dimension 0, which has the size 4",
    ),
    (
        lambda: te.compute((8,), lambda i: te.if_then_else(i, A[i], 0.0), name="B"),
        "error[KC2006]: the condition of if_then_else has type int32",
    ),
    (lambda: te.all(), "error[KC2061]: te.all needs at least one condition"),
    (lambda: te.any(1), "error[KC2006]: the condition of any has type int32"),
]


@pytest.mark.parametrize(("make", "title"), REFUSED)
def test_refusals(make, title):
    def lowered():
        tensor = make()
        return kc.lower(te.create_schedule(tensor.op), [A, tensor])

    with pytest.raises(KCError) as caught:
        lowered()
    assert str(caught.value).splitlines()[0] == title


@pytest.mark.parametrize("vectorized", [False, True])
def test_a_select_that_guards_its_reads_is_lazy(vectorized):
    """Excluded elements are not read: far outside, a read would end the process."""
    a = te.placeholder((10,), name="A")
    index = te.placeholder((10,), "int32", name="I")
    n = te.var("n")
    sized = te.placeholder((n,), name="S")
    zero = te.const(-1, "float32")
    inside = np.array([-1, 0, 10**8, -(10**8), 3, 2, 2**31 - 1, 5, -(2**31), 9], np.int32)
    array = np.arange(1, 11, dtype=np.float32)
    padded_array = np.pad(array, 2, constant_values=-1)
    cases = [
        (
            [a, index],
            te.compute(
                (10,),
                lambda i: te.Select(te.all(index[i] >= 0, index[i] < 10), a[index[i]], zero),
            ),
            [array, inside],
            [array[i] if 0 <= i < 10 else -1 for i in inside],
        ),
        (
            [a],
            te.compute((14,), lambda i: te.Select(te.all(i >= 2, i < 12), a[i - 2], zero)),
            [array],
            padded_array,
        ),
        (
            [sized],
            te.compute(
                (n + 4,), lambda i: te.Select(te.any(i < 2, i >= n + 2), zero, sized[i - 2])
            ),
            [array],
            padded_array,
        ),
    ]
    for inputs, result, arrays, expected in cases:
        schedule = te.create_schedule(result.op)
        if vectorized:
            schedule[result].vectorize(schedule[result].split(result.op.axis[0], 4)[1])
        args = [*inputs, result]
        np.testing.assert_array_equal(kc.build(schedule, args)(*arrays), expected)
        out = np.zeros(len(expected), np.float32)
        run(kc.lower(schedule, args).op, "main", [*arrays, out])
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("rows", ["int8", "int8 product", "float32"])
def test_a_select_whose_index_may_wrap_or_round_computes_one_value(rows):
    a = te.placeholder((256,), "int32", name="A")
    as_row = {
        "int8": lambda i: i.astype("int8"),  # -56 for 200
        # -112 // 64 for 12
        "int8 product": lambda i: (i % 64).astype("int8") * (i % 64).astype("int8") // 64,
        "float32": lambda i: (te.const(0.75) * te.const(400.0)).astype("int32") + i,  # 300 + i
    }[rows]
    result = te.compute((256,), lambda i: te.Select(i < 0, a[as_row(i)], te.const(7, "int32")))
    text = str(kc.lower(te.create_schedule(result.op), [a, result]))
    chosen = text.split("scf.if")[1].split("} else {")[0]
    assert text.count("tir.load %A") == chosen.count("tir.load %A") == 1, text
    array = np.arange(256, dtype=np.int32)
    np.testing.assert_array_equal(kc.build([a, result])(array), np.full(256, 7))


AT, COLUMN = (te.compute((10,), lambda i: i).op.axis[0] for _ in range(2))
TEN, NINE = te.placeholder((10,), name="TEN"), te.placeholder((9,), name="NINE")
SIZED = te.placeholder((te.var("n"),), name="SIZED")


@pytest.mark.parametrize(
    ("value", "is_outside"),
    [
        (lambda: TEN[AT], False),
        (lambda: TEN[9 - AT], False),
        (lambda: NINE[AT], True),
        (lambda: TEN[AT + 1], True),
        (lambda: TEN[AT - 1], True),
        (lambda: TEN[AT * 2 - AT * 2], True),  # 0 to 0, of which the bounds are not known
        (lambda: NINE[AT // 2 + 4], False),
        (lambda: NINE[AT // 2 + 5], True),
        (lambda: NINE[AT % 9], False),
        (lambda: TEN[AT % 11], True),
        (lambda: SIZED[AT], True),
        (lambda: te.if_then_else(AT < 9, NINE[AT], 0.0), False),
        (lambda: te.if_then_else(AT < 10, NINE[AT], 0.0), True),
        (lambda: te.if_then_else(AT >= 9, 0.0, NINE[AT]), False),
        (lambda: te.if_then_else(AT >= 9, NINE[AT], 0.0), True),
        (lambda: te.if_then_else(te.all(AT >= 1, AT < 5), TEN[AT - 1], 0.0), False),
        (lambda: te.if_then_else(te.any(AT < 1, AT > 5), 0.0, TEN[AT - 1]), False),
        (lambda: te.if_then_else(te.any(AT >= 1, AT < 5), TEN[AT - 1], 0.0), True),
        (lambda: te.if_then_else(te.all(AT < 1, AT > 5), 0.0, TEN[AT - 1]), True),
        (lambda: te.if_then_else(NINE[AT] > 0.0, 1.0, 0.0), True),
        (lambda: te.if_then_else(AT < 9, TEN[AT + 1] + NINE[AT], 0.0), False),
        (lambda: te.if_then_else(AT < 9, TEN[AT + 1], 0.0) + NINE[AT], True),
        (lambda: te.if_then_else(AT < 9, te.if_then_else(AT > 0, NINE[AT - 1], 0.0), 0.0), False),
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_select_computes_one_value_where_the_other_may_read_outside(value, is_outside, place):
    values = [value(), te.const(0.0)]
    choice = te.Select(COLUMN < 3, values[place], values[1 - place])
    assert is_lazy(choice) is is_outside


def test_a_select_whose_reads_are_inside_computes_both_values():
    n = te.var("n")
    sized = te.placeholder((n,), name="S")
    a = te.placeholder((4, 9), name="A")
    for inputs, result in (
        ([sized], te.compute((n,), lambda i: te.Select(sized[i] > 3, sized[i], 0.0))),
        ([a], te.compute((4, 4), lambda i, j: te.Select(i < j, a[3 - i, j * 2 + 1], a[i, j % 3]))),
        ([a], te.compute((8, 9), lambda i, j: te.Select(i < j, a[i // 2, j], 0.0))),
    ):
        text = str(kc.lower(te.create_schedule(result.op), [*inputs, result]))
        assert "arith.select" in text
        assert "scf.if" not in text


def test_a_choice_inside_of_a_select_guards_its_own_reads():
    a = te.placeholder((4,), name="A")
    b = te.compute(
        (8,),
        lambda i: te.Select(i % 2 > 0, te.Select(i < 4, a[i], te.const(5, "float32")), 2.0),
        name="B",
    )
    text = str(kc.lower(te.create_schedule(b.op), [a, b]))
    assert text.count("scf.if") == 1
    array = np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(
        kc.build(te.create_schedule(b.op), [a, b])(array), [2, 1, 2, 3, 2, 5, 2, 5]
    )


def test_a_choice_inside_of_a_select_may_rely_on_its_condition():
    """The operands of the inner choice are also read if the outer condition does not hold."""
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    k = te.placeholder((8,), name="K")
    b = te.compute(
        (8,),
        lambda i: te.Select(
            te.all(i >= 1, i <= n), te.if_then_else(k[i] > 0, a[i - 1], te.const(5.0)), 2.0
        ),
        name="B",
    )
    text = str(kc.lower(te.create_schedule(b.op), [a, k, b]))
    assert text.count("scf.if") == 2
    assert "arith.select" not in text
    array, signs = np.arange(1, 4, dtype=np.float32), np.array([1, -1] * 4, np.float32)
    expected = np.array([2, 5, 2, 5, 2, 2, 2, 2], np.float32)
    np.testing.assert_array_equal(
        kc.build(te.create_schedule(b.op), [a, k, b])(array, signs), expected
    )
    out = np.zeros(8, np.float32)
    run(kc.lower(te.create_schedule(b.op), [a, k, b]).op, "main", [array, signs, out])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(("last", "is_lazy"), [(0, False), (1, True)])
def test_guards_inside_of_a_select_are_compared_with_symbolic_sizes(last, is_lazy):
    n = te.var("n")
    a = te.placeholder((n,), name="A")
    b = te.compute(
        (n + 4,),
        lambda i: te.Select(
            i % 2 > 0, te.if_then_else(te.any(i < 1, i > n + last), te.const(5.0), a[i - 1]), 2.0
        ),
    )
    text = str(kc.lower(te.create_schedule(b.op), [a, b]))
    assert ("arith.select" not in text) == is_lazy
    assert text.count("scf.if") == 1 + is_lazy


@pytest.mark.parametrize(("last", "is_lazy"), [(9, False), (10, True)])
def test_guards_inside_of_a_select_along_a_symbolic_axis(last, is_lazy):
    n = te.var("n")
    a = te.placeholder((10,), name="A")
    b = te.compute(
        (n,),
        lambda i: te.Select(i % 2 > 0, te.if_then_else(i <= last, a[i], te.const(5.0)), 2.0),
    )
    text = str(kc.lower(te.create_schedule(b.op), [a, b]))
    assert text.count("scf.if") == 1 + is_lazy


def test_a_select_of_a_script_is_lazy():
    @kc.script
    def pad(A: kc.Buffer((10,)), B: kc.Buffer((14,))):  # pyright: ignore[reportInvalidTypeForm]
        for i in range(14):
            B[i] = te.Select(te.all(i >= 2, i < 12), A[i - 2], 0.0)

    array, out = np.arange(10, dtype=np.float32), np.ones(14, np.float32)
    kc.build(pad)(array, out)
    np.testing.assert_array_equal(out, np.pad(array, 2))
