"""The meaning of expressions: types, operators, equality, axes, names; run by the interpreter."""

from typing import Any

import numpy as np
import pytest

import kc
from kc import te
from kc.analysis.interpreter import run
from kc.error import KCError
from kc.expr.constructors import Expr
from kc.expr.dtypes import DTYPES


def values(tensor: te.Tensor, *given: tuple[te.Tensor, Any]) -> np.ndarray:
    """The elements of a tensor of constant shape, for the given inputs."""
    shape = [extent for extent in tensor.shape if isinstance(extent, int)]
    out = np.empty(shape, tensor.dtype)
    mod = kc.lower(te.create_schedule(tensor.op), [*(input_ for input_, _ in given), tensor])
    run(mod.op, "main", [*(np.asarray(array, input_.dtype) for input_, array in given), out])
    return out


def element(build: Any, dtype: str, *operands: Any) -> Any:
    """``build`` of scalars of ``dtype``."""
    tensors = [te.placeholder((), dtype, f"x{n}") for n in range(len(operands))]
    scalar = te.compute((), lambda: build(*(x() for x in tensors)), name="C")
    return values(scalar, *zip(tensors, operands, strict=True))[()]


# Types -----------------------------------------------------------------------------------------

X: dict[str, Any] = {dtype: te.placeholder((4,), dtype, f"x_{dtype}") for dtype in DTYPES}
LOOSE: Any = te
"""For calls that a type checker refuses."""


@pytest.mark.parametrize(
    ("a", "b", "common"),
    [
        ("int8", "int32", "int32"),
        ("uint8", "uint64", "uint64"),
        ("float16", "float64", "float64"),
        ("float16", "int64", "float16"),
        ("float32", "bool", "float32"),
        ("bool", "uint8", "uint8"),
        ("int16", "int16", "int16"),
    ],
)
def test_two_types_have_a_common_one(a: str, b: str, common: str):
    assert (X[a][0] * X[b][0]).dtype == common
    assert (X[b][0] * X[a][0]).dtype == common
    assert (X[a][0] < X[b][0]).dtype == "bool"


@pytest.mark.parametrize(
    ("dtype", "number", "common"),
    [
        ("int8", 3, "int8"),
        ("uint8", 255, "uint8"),
        ("float16", 3, "float16"),
        ("float64", 0.1, "float64"),
        ("int8", 0.5, "float32"),
        ("int8", True, "int8"),
        ("int8", np.int64(3), "int8"),
        ("float16", np.float64(0.5), "float16"),
        ("float64", np.array(2.0), "float64"),
    ],
)
def test_numbers_take_the_type_of_the_other_operand(dtype: str, number: Any, common: str):
    for expr in (X[dtype][0] + number, number + X[dtype][0]):
        assert isinstance(expr, Expr)
        assert expr.dtype == common


@pytest.mark.parametrize(
    ("build", "code", "message"),
    [
        (lambda: te.const(200, "int8"), "KC2003", "the constant 200 is not a value of int8"),
        (lambda: te.const(-1, "uint64"), "KC2003", "the constant -1 is not a value of uint64"),
        (lambda: te.const(2, "bool"), "KC2003", "the constant 2 is not a value of bool"),
        (lambda: te.const(0.5, "int8"), "KC2003", "the constant 0.5 is not a value of int8"),
        (
            lambda: te.const(float("inf"), "int64"),
            "KC2003",
            "the constant inf is not a value of int64",
        ),
        (
            lambda: te.const(70000.0, "float16"),
            "KC2003",
            "the constant 70000.0 is not a value of float16",
        ),
        (lambda: te.const(1e39), "KC2003", "the constant 1e+39 is not a value of float32"),
        (lambda: LOOSE.const("1"), "KC2004", "str is not a scalar expression"),
        (lambda: LOOSE.const(None, "int32"), "KC2004", "NoneType is not a scalar expression"),
        (
            lambda: X["int8"][0] + np.array([1, 2]),
            "KC2004",
            "ndarray is not a scalar expression",
        ),
        (
            lambda: np.array([1, 2]) + X["int8"][0],
            "KC2004",
            "ndarray is not a scalar expression",
        ),
        (lambda: X["int8"][0] + X["int8"], "KC2010", "x_int8 is a tensor, not a scalar"),
        (lambda: list(X["int8"]), "KC2004", "the elements of x_int8 cannot be listed while "),
        (lambda: X["int8"][0:2], "KC2173", "x_int8 is indexed with a slice"),
        (
            lambda: te.sum(X["int8"][0], axis=[]),
            "KC2008",
            "te.sum: there is no axis to reduce over",
        ),
        (lambda: twice("k"), "KC2008", "te.max: an axis is listed twice"),
        (lambda: te.var("n\u0303"), "KC2013", "the name 'n\u0303' is not an identifier"),
        (
            lambda: te.compute((4,), lambda ι: X["int8"][ι], name="C"),
            "KC2013",
            "the name 'ι' is not an identifier",
        ),
        (lambda: LOOSE.compute((4,), 5, name="C"), "KC2015", "compute C is given int 5 for its "),
        (
            lambda: te.reduce_axis((4, 2), name="k"),
            "KC2012",
            "reduction axis k has the dimension -2",
        ),
        (lambda: te.reduce_axis((0.5, 2)), "KC2014", "reduction axis rv starts at 0.5"),
    ],
)
def test_refused(build: Any, code: str, message: str):
    with pytest.raises(te.TEError) as caught:
        build()
    assert caught.value.code == code
    assert caught.value.message.startswith(message)
    assert caught.value.location is not None
    assert caught.value.location.file == __file__


def twice(name: str) -> Expr:
    axis = te.reduce_axis((0, 4), name=name)
    return te.max(X["int8"][axis], axis=[axis, axis])


# Values ----------------------------------------------------------------------------------------


def test_negation_keeps_the_sign_of_zero():
    assert np.signbit(element(lambda x: -x, "float32", 0.0))
    assert not np.signbit(element(lambda x: -x, "float32", -0.0))
    assert element(lambda x: -x, "int8", -128) == -128
    assert element(lambda x: -x, "uint8", 1) == 255


def test_inversion_and_python_on_the_left():
    assert element(lambda x: ~x, "int8", 5) == -6
    assert element(lambda x: ~x, "uint16", 5) == 65530
    assert not element(lambda x: ~x, "bool", True)
    assert element(lambda x: True & x, "bool", True)
    assert not element(lambda x: True ^ x, "bool", True)
    assert element(lambda x: 6 | x, "int32", 1) == 7
    assert element(lambda x: 10 - x, "int32", 1) == 9
    assert element(lambda x: np.int32(10) // x, "int32", 3) == 3
    assert element(lambda x: 1.0 / x, "float64", 8.0) == 0.125


def test_constants_are_rounded_to_their_type():
    rounded = element(lambda: te.const(0.1, "float32").astype("float64"), "float64")
    assert rounded == np.float64(np.float32(0.1))
    assert element(lambda: te.const(1e-8, "float16"), "float16") == 0.0


@pytest.mark.parametrize("op", ["floordiv", "floormod"])
def test_division_of_every_byte(op: str):
    """As numpy: by zero it gives zero, and the lowest value by -1 wraps."""
    every = np.arange(-128, 128).astype(np.int8)
    divisors = np.array([-128, -7, -2, -1, 0, 1, 3, 100, 127], np.int8)
    a = te.placeholder((256,), "int8", "A")
    b = te.placeholder((9,), "int8", "B")
    quotients = te.compute((256, 9), lambda i, j: getattr(te, op)(a[i], b[j]), name="C")
    divide = {"floordiv": np.floor_divide, "floormod": np.remainder}[op]
    with np.errstate(all="ignore"):
        expected = divide(every[:, None], divisors)
    np.testing.assert_array_equal(values(quotients, (a, every), (b, divisors)), expected)


# Equality --------------------------------------------------------------------------------------


def test_equality_is_of_values():
    a = te.placeholder((6,), "int32", "A")
    b = te.placeholder((6,), "int32", "B")
    x, y = np.array([0, 1, 2, 3, 4, 5]), np.array([0, 2, 2, 0, 4, 0])
    cases = [
        (lambda i: a[i] == b[i], x == y),
        (lambda i: a[i] != b[i], x != y),
        (lambda i: 3 == a[i], x == 3),
        (lambda i: a[i] == np.int32(3), x == 3),
        (lambda i: (a[i] == b[i]) & (a[i] != 2), (x == y) & (x != 2)),
        (lambda i: ~(a[i] == b[i]), x != y),
        (lambda i: te.Select(a[i] == i, 1, 0) == 1, x == np.arange(6)),
        (lambda i: (a[i] == b[i]) == (b[i] == 0), (x == y) == (y == 0)),
    ]
    for body, expected in cases:
        compared = te.compute((6,), body, name="C")
        assert compared.dtype == "bool"
        np.testing.assert_array_equal(values(compared, (a, x), (b, y)), expected)


def test_equality_of_other_types_is_refused_when_it_is_used():
    mixed = X["int8"][0] == X["uint8"][0]
    with pytest.raises(te.TEError, match="KC2005"):
        te.Select(mixed, 1, 0)


def test_axes_are_found_in_lists():
    c = te.compute((2, 3), lambda i, j: i + j, name="C")
    i, j = c.op.axis
    assert i in [i, j]
    assert j not in [i]
    assert [i, j].index(j) == 1
    assert i != None  # noqa: E711 - the operator is what is tested
    assert {i: 1, j: 2}[j] == 2
    with pytest.raises(te.TEError, match="KC2002"):
        bool(i == 0)


# Axes and indices ------------------------------------------------------------------------------


def lowered(tensor: te.Tensor, *inputs: Any) -> str:
    return str(kc.lower(te.create_schedule(tensor.op), [*inputs, tensor]))


def test_a_reduction_axis_runs_from_start_to_stop():
    a = te.placeholder((9,), "int32", "A")
    k = te.reduce_axis((2, 5), name="k")
    total = te.compute((), lambda: te.sum(a[k], axis=k), name="C")
    assert k.dom == (2, 5)
    assert values(total, (a, np.arange(9))) == 2 + 3 + 4
    n = te.var("n")
    b = te.placeholder((n,), "int32", "B")
    r = te.reduce_axis((1, n), name="r")
    tail = te.compute((), lambda: te.sum(b[r], axis=r), name="T")
    text = lowered(tail, b)
    assert "%r in %0" in text
    assert "tir.apply (%n - 1)" in text


def test_axes_beyond_32_bits_are_64_bits_wide():
    large = 2**31 + 1
    c = te.compute((large, 2**31), lambda i, j: i + j, name="C")
    assert [axis.dtype for axis in c.op.axis] == ["int64", "int32"]
    assert c.dtype == "int64"
    assert te.reduce_axis((2**31, 2**31 + 2)).dtype == "int64"


def test_indices_of_mixed_widths_stay_affine():
    n = te.var("n", "int64")
    a = te.placeholder((n,), name="A")
    back = te.compute((n,), lambda i: a[n - 1 - i], name="C")
    text = lowered(back, a)
    assert "tir.load %A[%n - %v_i - 1]" in text or "tir.load %A[%v_i * -1 + %n - 1]" in text
    assert "index_cast" not in text


def test_indices_that_are_data():
    a = te.placeholder((5,), "float32", "A")
    at = te.placeholder((3,), "uint8", "at")
    gathered = te.compute((3,), lambda i: a[at[i] * 2], name="C")
    x = np.arange(5.0)
    np.testing.assert_array_equal(values(gathered, (a, x), (at, [2, 0, 1])), [4.0, 0.0, 2.0])


def test_shared_subexpressions_are_computed_once():
    a = te.placeholder((2,), "int32", "A")

    def power(i: Expr) -> Expr:
        x = a[i]
        for _ in range(64):  # as a tree this has 2^64 leaves
            x = x + x
        return x + a[0]

    powers = te.compute((2,), power, name="C")
    assert lowered(powers, a).count("arith.addi") == 65
    np.testing.assert_array_equal(values(powers, (a, [3, 4])), [3, 3])


def test_long_chains_do_not_exhaust_the_stack():
    a = te.placeholder((1,), "int32", "A")

    def chain(i: Expr) -> Expr:
        x = a[i]
        for n in range(5000):
            x = x + n
        return x

    chained = te.compute((1,), chain, name="C")
    assert values(chained, (a, [1]))[0] == 1 + 5000 * 4999 // 2


# Names -----------------------------------------------------------------------------------------


def test_computes_of_one_name_get_names_of_their_own():
    a = te.placeholder((4,), "int32", "T")
    b = te.compute((4,), lambda i: a[i] + 1, name="T")
    c = te.compute((4,), lambda i: b[i] * 2, name="T")
    s = te.create_schedule(c.op)
    s[b].split(b.op.axis[0], factor=2)
    s[c].unroll(c.op.axis[0])
    text = str(kc.lower(s, [a, c]))
    assert 'tir.block "T_1"' in text
    assert 'tir.block "T_2"' in text
    sch = kc.tir.Schedule(kc.lower(te.create_schedule(c.op), [a, c]))
    exec(s.to_tir_script(), {"sch": sch})
    assert str(sch.mod) == text
    np.testing.assert_array_equal(values(c, (a, [1, 2, 3, 4])), [4, 6, 8, 10])


def test_sizes_are_listed_in_the_order_of_the_arguments():
    names = [f"s{n}" for n in range(30)]
    sizes = [te.var(name) for name in names]
    c = te.compute((2,), lambda i: i, name="C")
    mod = kc.lower(te.create_schedule(c.op), [*sizes, c])
    listed = ", ".join(f'"{name}"' for name in names)
    assert f"kc.symbols = [{listed}]" in str(mod)


def test_a_reduction_axis_named_like_a_spatial_one():
    a = te.placeholder((3, 4), "int32", "A")
    i = te.reduce_axis((0, 4), name="i")
    row_sums = te.compute((3,), lambda i_: te.sum(a[i_, i], axis=i), name="C", varargs_names=None)
    assert [axis.name for axis in row_sums.op.axis] == ["i_"]
    clash = te.reduce_axis((0, 4), name="j")
    renamed = te.compute((3,), lambda j: te.sum(a[j, clash], axis=clash), name="D")
    assert [axis.name for axis in (*renamed.op.axis, *renamed.op.reduce_axis)] == ["j", "j_1"]
    x = np.arange(12).reshape(3, 4)
    np.testing.assert_array_equal(values(renamed, (a, x)), x.sum(1))


# Shapes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", range(9))
@pytest.mark.parametrize("extent", [0, 1, 2])
def test_ranks_and_extents(rank: int, extent: int):
    shape = tuple(extent if n == rank - 1 else 1 + n % 2 for n in range(rank))
    a = te.placeholder(shape, "int16", "A")
    tripled = te.compute(shape, lambda *axes: a(*axes) * 3, name="C")
    x = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    np.testing.assert_array_equal(values(tripled, (a, x)), x * 3)


def test_errors_stay_errors():
    assert issubclass(te.TEError, KCError)


# What is not computed --------------------------------------------------------------------------


def loops_of(*tensors: te.Tensor) -> str:
    """The loops of unscheduled tensors, the last of which is computed."""
    return str(kc.lower(te.create_schedule(tensors[-1].op), list(tensors)))


@pytest.mark.parametrize("dtype", ["int32", "uint32"])
def test_only_shifts_that_may_be_too_far_are_guarded(dtype: str) -> None:
    x = te.placeholder((40,), dtype, "x")

    def shifted(distance: Any) -> te.Tensor:
        return te.compute((40,), lambda i: x[i] << distance(i), name="C")

    inside = shifted(lambda i: (31 - i % 32).astype(dtype))
    assert "arith.minui" not in loops_of(x, inside)
    assert "arith.minui" in loops_of(x, shifted(lambda i: i.astype(dtype)))
    ones, distances = np.ones(40, dtype), 31 - np.arange(40) % 32
    np.testing.assert_array_equal(values(inside, (x, ones)), ones << distances.astype(dtype))


@pytest.mark.parametrize(
    "distance",
    [
        lambda: te.const(15.8, "float32") * te.const(2.0, "float32") + te.const(1.0, "float32"),
        lambda: te.const(float("inf"), "float32"),
        lambda: te.const(float("nan"), "float32"),
        lambda: te.const(200, "int32").astype("int8"),
    ],
    ids=["32.6", "inf", "nan", "-56"],
)
def test_shifts_by_floats_and_by_numbers_that_wrap_are_guarded(distance: Any) -> None:
    x = te.placeholder((40,), "int32", "x")
    shifted = te.compute((40,), lambda i: x[i] << distance().astype("int32"), name="C")
    assert "arith.minui" in loops_of(x, shifted)


def test_equal_scalars_are_computed_once() -> None:
    x, at = te.placeholder((8,), "float32", "x"), te.placeholder((8,), "int32", "at")
    twice = te.compute((8,), lambda i: x[te.min(at[i], 7)] * x[te.min(at[i], 7)], name="C")
    text = loops_of(x, at, twice)
    assert [text.count(name) for name in ("arith.minsi", "arith.index_cast")] == [1, 1]
    assert text.count("tir.load %x") == 1


def test_constants_that_compare_equal_stay_apart() -> None:
    x = te.placeholder((2,), "float32", "x")
    zeros = te.compute((2,), lambda i: te.if_then_else(x[i] > 0, -0.0, 0.0) * x[i], name="C")
    signs = np.signbit(values(zeros, (x, np.array([1, 0], np.float32))))
    np.testing.assert_array_equal(signs, [True, False])


def test_an_index_with_and_without_sign_is_not_the_same() -> None:
    x, at = te.placeholder((300,), "int32", "x"), te.placeholder((1,), "uint8", "at")
    signed = te.compute(
        (1,), lambda i: x[at[i]] * 1000 + x[at[i].astype("int8").astype("int32") + 128], name="C"
    )
    given = values(signed, (x, np.arange(300)), (at, np.array([200])))
    np.testing.assert_array_equal(given, [200 * 1000 + (200 - 256) + 128])
