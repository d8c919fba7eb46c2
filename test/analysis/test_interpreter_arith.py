"""The interpreter's scalar semantics, against numpy's and against exact arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from interpreter_support import DTYPES, call, compute, pairs

from kc.analysis.interpreter import ExecutionError, PoisonError

ALL8 = np.arange(-128, 128)
SOME8 = np.concatenate([np.arange(-5, 6), np.arange(-128, -124), np.arange(124, 128), ALL8[::17]])
A8, B8 = pairs(SOME8, SOME8)


def trunc_div(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.abs(a) // np.abs(b) * np.sign(a) * np.sign(b)


# The definitions of LangRef's divisions, on wide integers.
DIVISIONS: dict[str, tuple[bool, Callable[[Any, Any], Any]]] = {
    "divsi": (True, trunc_div),
    "remsi": (True, lambda a, b: a - b * trunc_div(a, b)),
    "floordivsi": (True, lambda a, b: np.floor(a / b).astype(int)),
    "ceildivsi": (True, lambda a, b: np.ceil(a / b).astype(int)),
    "divui": (False, lambda a, b: a // b),
    "remui": (False, lambda a, b: a - b * (a // b)),
    "ceildivui": (False, lambda a, b: np.ceil(a / b).astype(int)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DIVISIONS)
def test_divisions_of_i8(name: str):
    signed, define = DIVISIONS[name]
    a, b = pairs(ALL8, ALL8)
    defined = b != 0
    if signed:
        defined &= ~((a == -128) & (b == -1))
    a, b = a[defined], b[defined]
    result = compute(f"arith.{name} %0, %1 : i8", [("i8", a), ("i8", b)], "i8")
    exact = define(a, b) if signed else define(a & 255, b & 255)
    np.testing.assert_array_equal(result, exact.astype(np.int8))


@pytest.mark.parametrize("name", DIVISIONS)
def test_undefined_divisions(name: str):
    signed, _ = DIVISIONS[name]
    text = f"""
func.func @f(%a: i8, %b: i8) -> i8 {{
  %r = arith.{name} %a, %b : i8
  func.return %r : i8
}}"""
    with pytest.raises(ExecutionError) as raised:
        call(text, 3, 0)
    assert str(raised.value) == f"arith.{name}: division of 3 by zero\n  --> k.mlir:3:3"
    if signed:
        with pytest.raises(ExecutionError, match=r"the quotient -128 / -1 overflows i8"):
            call(text, -128, -1)


MODULAR = {
    "addi": operator.add,
    "subi": operator.sub,
    "muli": operator.mul,
    "andi": operator.and_,
    "ori": operator.or_,
    "xori": operator.xor,
    "minsi": np.minimum,
    "maxsi": np.maximum,
}


@pytest.mark.parametrize("name", MODULAR)
def test_modular_ops_of_i8(name: str):
    result = compute(f"arith.{name} %0, %1 : i8", [("i8", A8), ("i8", B8)], "i8")
    expected = MODULAR[name](A8.astype(np.int8), B8.astype(np.int8))
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize(("name", "function"), [("minui", np.minimum), ("maxui", np.maximum)])
def test_unsigned_order_of_i8(name: str, function: Any):
    result = compute(f"arith.{name} %0, %1 : i8", [("i8", A8), ("i8", B8)], "i8")
    expected = function(A8.astype(np.uint8), B8.astype(np.uint8)).view(np.int8)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("width", [16, 32, 64])
@pytest.mark.parametrize("name", ["addi", "subi", "muli"])
def test_wrapping_of_wide_integers(name: str, width: int):
    ends = [0, 1, -1, 2, 3, (1 << (width - 1)) - 1, -(1 << (width - 1)), 0x5A5A, -12345]
    a, b = pairs(ends, ends)
    type_ = f"i{width}"
    result = compute(f"arith.{name} %0, %1 : {type_}", [(type_, a), (type_, b)], type_)
    for x, y, r in zip(a.tolist(), b.tolist(), result.tolist(), strict=True):
        exact = MODULAR[name](x, y)
        assert (exact - r) % (1 << width) == 0
        assert -(1 << (width - 1)) <= r < 1 << (width - 1)


def test_index_has_64_bits():
    a = [2**63 - 1, -(2**63)]
    result = compute("arith.addi %0, %1 : index", [("index", a), ("index", [1, -1])], "index")
    assert result.tolist() == [-(2**63), 2**63 - 1]


def test_one_bit_integers():
    a, b = pairs([False, True], [False, True])
    operands = [("i1", a), ("i1", b)]

    def result(op: str) -> list[bool]:
        return compute(f"arith.{op} %0, %1 : i1", operands, "i1").tolist()

    assert result("addi") == (a ^ b).tolist()
    assert result("subi") == (a ^ b).tolist()
    assert result("muli") == (a & b).tolist()
    assert result("ori") == (a | b).tolist()
    # A true i1 is -1 when read as signed.
    assert result("maxsi") == (a & b).tolist()
    assert result("maxui") == (a | b).tolist()
    assert result("cmpi slt,") == (a & ~b).tolist()
    assert result("cmpi ult,") == (~a & b).tolist()


@pytest.mark.parametrize("name", ["shli", "shrsi", "shrui"])
def test_shifts_of_i8(name: str):
    a, b = pairs(ALL8, np.arange(8))
    result = compute(f"arith.{name} %0, %1 : i8", [("i8", a), ("i8", b)], "i8")
    expected = {
        "shli": a * 2**b,
        "shrsi": np.floor(a / 2.0**b).astype(int),
        "shrui": (a & 255) // 2**b,
    }[name]
    np.testing.assert_array_equal(result, expected.astype(np.int8))


def test_a_shift_by_the_width_is_poison():
    text = """
func.func @f(%a: i8, %b: i8) -> i8 {
  %r = arith.shli %a, %b : i8
  %s = arith.addi %r, %a : i8
  func.return %s : i8
}"""
    assert call(text, 1, 7) == (-127,)
    for amount in (8, -1):
        with pytest.raises(PoisonError) as raised:
            call(text, 1, amount)
        assert (
            str(raised.value) == f"arith.shli: a shift of i8 by {amount & 255}: "
            "the result is poison, and it is used\n  --> k.mlir:3:3"
        )


PREDICATES = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@pytest.mark.parametrize(
    "name", ["eq", "ne", *(s + p for s in "su" for p in ("lt", "le", "gt", "ge"))]
)
def test_integer_comparisons(name: str):
    result = compute(f"arith.cmpi {name}, %0, %1 : i8", [("i8", A8), ("i8", B8)], "i1")
    a, b = (A8 & 255, B8 & 255) if name[0] == "u" else (A8, B8)
    np.testing.assert_array_equal(result, PREDICATES[name[-2:]](a, b))


@pytest.mark.slow
@pytest.mark.parametrize("flag", ["nsw", "nuw"])
@pytest.mark.parametrize("name", ["addi", "subi", "muli", "shli"])
def test_overflow_flags(name: str, flag: str):
    text = f"""
    func.func @f(%a: i8, %b: i8) -> i8 {{
      %r = arith.{name} %a, %b overflow<{flag}> : i8
      func.return %r : i8
    }}"""
    exact_of = {**MODULAR, "shli": lambda a, b: a << b}[name]
    values = [0, 1, 2, 7, 63, 64, 100, 127, -1, -2, -64, -65, -128]
    for a in values:
        for b in [0, 1, 2, 6, 7] if name == "shli" else values:
            if flag == "nsw":
                exact = exact_of(a, b)
                defined = -128 <= exact <= 127
            else:
                exact = exact_of(a & 255, b & 255)
                defined = 0 <= exact <= 255
            if defined:
                assert call(text, a, b) == ((exact + 128) % 256 - 128,)
            else:
                with pytest.raises(PoisonError, match=f"overflow i8 in spite of {flag}"):
                    call(text, a, b)


def test_extended_arithmetic():
    operands = [("i8", A8), ("i8", B8)]

    def both(op: str, high: str) -> tuple[np.ndarray, np.ndarray]:
        first, second = np.empty_like(A8, np.int8), np.empty_like(A8, DTYPES[high])
        n = len(A8)
        text = f"""
        func.func @f(%a: memref<{n}xi8>, %b: memref<{n}xi8>, %l: memref<{n}xi8>,
                     %h: memref<{n}x{high}>) {{
          tir.for %i in {n} {{
            %0 = tir.load %a[%i] : memref<{n}xi8>
            %1 = tir.load %b[%i] : memref<{n}xi8>
            %x, %y = {op}
            tir.store %x, %l[%i] : memref<{n}xi8>
            tir.store %y, %h[%i] : memref<{n}x{high}>
          }}
          func.return
        }}"""
        call(text, A8.astype(np.int8), B8.astype(np.int8), first, second)
        return first, second

    unsigned_a, unsigned_b = (operand.astype(np.uint16) & 255 for operand in (A8, B8))
    low, high = both("arith.mului_extended %0, %1 : i8", "i8")
    product = unsigned_a * unsigned_b
    np.testing.assert_array_equal(low.view(np.uint8), product & 255)
    np.testing.assert_array_equal(high.view(np.uint8), product >> 8)
    low, high = both("arith.mulsi_extended %0, %1 : i8", "i8")
    np.testing.assert_array_equal(low.view(np.uint8), (A8 * B8) & 255)
    np.testing.assert_array_equal(high, (A8 * B8) >> 8)
    low, carry = both("arith.addui_extended %0, %1 : i8, i1", "i1")
    np.testing.assert_array_equal(low, compute("arith.addi %0, %1 : i8", operands, "i8"))
    np.testing.assert_array_equal(carry, unsigned_a + unsigned_b > 255)


def test_changes_of_width():
    a8, a16 = ALL8, np.arange(-(2**15), 2**15, 7)
    result = compute("arith.extsi %0 : i8 to i32", [("i8", a8)], "i32")
    np.testing.assert_array_equal(result, a8)
    result = compute("arith.extui %0 : i8 to i32", [("i8", a8)], "i32")
    np.testing.assert_array_equal(result, a8 & 255)
    result = compute("arith.trunci %0 : i16 to i8", [("i16", a16)], "i8")
    np.testing.assert_array_equal(result, a16.astype(np.int8))
    result = compute("arith.trunci %0 : i16 to i1", [("i16", a16)], "i1")
    np.testing.assert_array_equal(result, a16 % 2 == 1)
    result = compute("arith.extui %0 : i1 to i8", [("i1", [False, True])], "i8")
    assert result.tolist() == [0, 1]
    result = compute("arith.extsi %0 : i1 to i8", [("i1", [False, True])], "i8")
    assert result.tolist() == [0, -1]
    result = compute("arith.index_cast %0 : i8 to index", [("i8", a8)], "index")
    np.testing.assert_array_equal(result, a8)
    wide = [2**40 + 5, -1, 2**31]
    result = compute("arith.index_cast %0 : index to i32", [("index", wide)], "i32")
    assert result.tolist() == [5, -1, -(2**31)]


# Floats -------------------------------------------------------------------------------------

SPECIAL = {
    name: np.array(
        [0, -0.0, 1, -1, 1.5, -3, np.inf, -np.inf, np.nan, 1 / 3, info.max, info.tiny]
        + [info.smallest_subnormal, -info.smallest_subnormal, info.eps, 1 + info.eps],
        info.dtype,
    )
    for name in ("f16", "f32", "f64")
    for info in [np.finfo(DTYPES[name])]
}


def assert_same(result: np.ndarray, expected: np.ndarray) -> None:
    """Equal, with signs of zeros; any NaN is like any other."""
    np.testing.assert_array_equal(result, expected)
    number = ~np.isnan(expected)
    np.testing.assert_array_equal(np.signbit(result)[number], np.signbit(expected)[number])


@pytest.mark.parametrize("type_", SPECIAL)
@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("addf", operator.add),
        ("subf", operator.sub),
        ("mulf", operator.mul),
        ("divf", operator.truediv),
    ],
)
def test_float_arithmetic_of_special_values(name: str, function: Any, type_: str):
    a, b = pairs(SPECIAL[type_], SPECIAL[type_])
    result = compute(f"arith.{name} %0, %1 : {type_}", [(type_, a), (type_, b)], type_)
    with np.errstate(all="ignore"):
        expected = function(a, b)
    assert_same(result, expected)


def nearest(rounded: Any, exact: Fraction) -> bool:
    """True if no float of the type of ``rounded`` is nearer to ``exact``; ties go to even."""
    if np.isinf(rounded):
        info = np.finfo(type(rounded))
        ulp = Fraction(float(info.max)) - Fraction(float(np.nextafter(info.max, type(rounded)(0))))
        return abs(exact) >= Fraction(float(info.max)) + ulp / 2 and (exact > 0) == (rounded > 0)
    error = abs(Fraction(float(rounded)) - exact)
    bits = f"i{rounded.dtype.itemsize}"
    for direction in (-np.inf, np.inf):
        with np.errstate(over="ignore"):
            neighbour = np.nextafter(rounded, type(rounded)(direction))
        if np.isinf(neighbour):
            continue
        distance = abs(Fraction(float(neighbour)) - exact)
        if distance < error or (distance == error and rounded.view(bits) & 1):
            return False
    return True


FLOAT_STRATEGY = {
    "f16": st.floats(width=16, allow_nan=False, allow_infinity=False),
    "f32": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "f64": st.floats(width=64, allow_nan=False, allow_infinity=False),
}


@pytest.mark.slow
@pytest.mark.hypothesis
@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
@given(data=st.data())
def test_each_op_rounds_once_to_its_type(type_: str, data: st.DataObject):
    a, b, c = (data.draw(FLOAT_STRATEGY[type_]) for _ in range(3))
    x, y, z = Fraction(a), Fraction(b), Fraction(c)
    operands = [(type_, [a]), (type_, [b])]
    for name, exact in (("addf", x + y), ("subf", x - y), ("mulf", x * y)):
        (result,) = compute(f"arith.{name} %0, %1 : {type_}", operands, type_)
        assert nearest(result, exact)
    if b:
        (result,) = compute(f"arith.divf %0, %1 : {type_}", operands, type_)
        assert nearest(result, x / y)
    (result,) = compute(f"math.fma %0, %1, %2 : {type_}", [*operands, (type_, [c])], type_)
    assert nearest(result, x * y + z)


def test_fma_of_special_values():
    values = SPECIAL["f32"]
    a, b = pairs(values, values)
    for c in values:
        result = compute(
            "math.fma %0, %1, %2 : f32",
            [("f32", a), ("f32", b), ("f32", np.full_like(a, c))],
            "f32",
        )
        with np.errstate(all="ignore"):
            wide = a.astype(np.float64) * b + np.float64(c)
        # Double precision holds products of f32 exactly: NaN, infinities and zeros come out right.
        special = ~np.isfinite(wide) | (wide == 0)
        assert_same(result[special], wide[special].astype(np.float32))
    # A double product that overflows is not infinite here.
    big = np.finfo(np.float64).max
    operands = [("f64", [big, big]), ("f64", [2.0, 2.0]), ("f64", [-np.inf, -big])]
    result = compute("math.fma %0, %1, %2 : f64", operands, "f64")
    assert result.tolist() == [-np.inf, big]


def test_minima_and_maxima_of_floats():
    nan, inf = np.nan, np.inf
    a, b = pairs([0.0, -0.0, 1.0, -2.0, inf, -inf, nan], [0.0, -0.0, 1.0, -2.0, inf, -inf, nan])
    operands = [("f32", a), ("f32", b)]

    def lower(x: float, y: float) -> float:
        return min((x, math.copysign(1, x)), (y, math.copysign(1, y)))[0]

    def upper(x: float, y: float) -> float:
        return max((x, math.copysign(1, x)), (y, math.copysign(1, y)))[0]

    for name, choose, propagates in (
        ("minimumf", lower, True),
        ("maximumf", upper, True),
        ("minnumf", lower, False),
        ("maxnumf", upper, False),
    ):
        expected = []
        for x, y in zip(a, b, strict=True):
            if np.isnan(x) or np.isnan(y):
                expected.append(nan if propagates else y if np.isnan(x) else x)
            else:
                expected.append(choose(x, y))
        result = compute(f"arith.{name} %0, %1 : f32", operands, "f32")
        assert_same(result, np.array(expected, np.float32))


@pytest.mark.parametrize("name", ["oeq", "ogt", "oge", "olt", "ole", "one", "ord", "false"])
def test_ordered_comparisons_and_their_unordered_complements(name: str):
    a, b = pairs(SPECIAL["f32"], SPECIAL["f32"])
    operands = [("f32", a), ("f32", b)]
    ordered = ~(np.isnan(a) | np.isnan(b))
    compare = PREDICATES.get(name[-2:], lambda x, y: np.full(x.shape, name == "ord"))
    result = compute(f"arith.cmpf {name}, %0, %1 : f32", operands, "i1")
    np.testing.assert_array_equal(result, ordered & compare(a, b))
    # Of each ordered predicate, the unordered one that is true in all other cases.
    complement = {"oeq": "une", "ogt": "ule", "oge": "ult", "olt": "uge", "ole": "ugt"}
    unordered = {**complement, "one": "ueq", "ord": "uno", "false": "true"}[name]
    rest = compute(f"arith.cmpf {unordered}, %0, %1 : f32", operands, "i1")
    np.testing.assert_array_equal(rest, ~result)


def test_negation_changes_the_sign_of_everything():
    result = compute("arith.negf %0 : f32", [("f32", SPECIAL["f32"])], "f32")
    np.testing.assert_array_equal(np.signbit(result), ~np.signbit(SPECIAL["f32"]))
    np.testing.assert_array_equal(np.abs(result), np.abs(SPECIAL["f32"]))


def test_integers_to_floats_round_once():
    # Rounding these to double first, and then to float, gives the wrong neighbour.
    hard = [2**60 + 2**36 + 1, -(2**60 + 2**36 + 1), 2**62 + 3 * 2**38 - 1, 2**24 + 1, 2**53 + 1]
    for type_ in ("f16", "f32", "f64"):
        result = compute(f"arith.sitofp %0 : i64 to {type_}", [("i64", hard)], type_)
        assert all(nearest(r, Fraction(n)) for r, n in zip(result, hard, strict=True))
    a = ALL8
    result = compute("arith.uitofp %0 : i8 to f32", [("i8", a)], "f32")
    np.testing.assert_array_equal(result, a & 255)
    result = compute("arith.uitofp %0 : i64 to f32", [("i64", [-1, -(2**39) - 1])], "f32")
    assert result.tolist() == [2.0**64, 2.0**64 - 2.0**40]
    assert compute("arith.sitofp %0 : i1 to f32", [("i1", [True])], "f32").tolist() == [-1.0]
    assert compute("arith.uitofp %0 : i1 to f32", [("i1", [True])], "f32").tolist() == [1.0]


def test_floats_to_integers():
    values = np.array([0.5, -0.5, 1.99, -1.99, 127.9, -128.9, -0.0], np.float32)
    result = compute("arith.fptosi %0 : f32 to i8", [("f32", values)], "i8")
    assert result.tolist() == [0, 0, 1, -1, 127, -128, 0]
    values = np.array([-0.9, 255.9, 128], np.float32)
    result = compute("arith.fptoui %0 : f32 to i8", [("f32", values)], "i8")
    assert result.view(np.uint8).tolist() == [0, 255, 128]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("fptosi", v) for v in (128.0, -129.0, math.inf, -math.inf, math.nan, 1e30)),
        *(("fptoui", v) for v in (256.0, -1.0, math.inf, math.nan)),
    ],
)
def test_floats_that_do_not_fit(name: str, value: float):
    text = f"""
func.func @f(%a: f32) -> i8 {{
  %r = arith.{name} %a : f32 to i8
  func.return %r : i8
}}"""
    with pytest.raises(PoisonError) as raised:
        call(text, value)
    assert str(raised.value) == (
        f"arith.{name}: {np.float32(value)} does not fit in i8: the result is poison, "
        "and it is used\n  --> k.mlir:3:3"
    )


def test_changes_of_precision():
    halves = np.arange(0, 2**16, 5, dtype=np.uint16).view(np.float16)
    wide = compute("arith.extf %0 : f16 to f32", [("f16", halves)], "f32")
    assert_same(wide, halves.astype(np.float32))
    back = compute("arith.truncf %0 : f32 to f16", [("f32", wide)], "f16")
    assert_same(back, halves)
    rng = np.random.default_rng(1)
    doubles = rng.standard_normal(500) * 10.0 ** rng.integers(-9, 5, 500)
    for type_ in ("f16", "f32"):
        result = compute(f"arith.truncf %0 : f64 to {type_}", [("f64", doubles)], type_)
        assert all(nearest(r, Fraction(d)) for r, d in zip(result, doubles, strict=True))


def test_bits():
    bits = [0, 0x3F800000, -(2**31), 0x7F800001]
    result = compute("arith.bitcast %0 : i32 to f32", [("i32", bits)], "f32")
    assert result[:3].tolist() == [0.0, 1.0, 0.0]
    assert np.signbit(result[2])
    assert np.isnan(result[3])
    result = compute("arith.bitcast %0 : f64 to i64", [("f64", [1.0, -2.0])], "i64")
    assert result.view(np.uint64).tolist() == [0x3FF0000000000000, 0xC000000000000000]


def test_constants():
    text = """
    func.func @f() -> (i8, i8, i1, index, f16, f32, f64) {
      %a = arith.constant -128 : i8
      %b = arith.constant 255 : i8
      %c = arith.constant true
      %d = arith.constant -7 : index
      %e = arith.constant 0.1 : f16
      %g = arith.constant 0.1 : f32
      %h = arith.constant 0.1 : f64
      func.return %a, %b, %c, %d, %e, %g, %h : i8, i8, i1, index, f16, f32, f64
    }"""
    results = call(text)
    assert results == (-128, -1, True, -7, np.float16(0.1), np.float32(0.1), 0.1)
    assert [type(result) for result in results[4:]] == [np.float16, np.float32, np.float64]


def test_poison_that_is_not_chosen_does_no_harm():
    text = """
    func.func @f(%x: f32, %limit: f32) -> i8 {
      %small = arith.cmpf olt, %x, %limit : f32
      %i = arith.fptosi %x : f32 to i8
      %most = arith.constant 127 : i8
      %r = arith.select %small, %i, %most : i8
      func.return %r : i8
    }"""
    assert call(text, 1000.0, 127.0) == (127,)
    assert call(text, 5.5, 127.0) == (5,)
    with pytest.raises(PoisonError, match=r"arith.fptosi: 1000.0 does not fit in i8"):
        call(text, 1000.0, 2000.0)


@pytest.mark.parametrize(
    ("use", "where"),
    [
        ("scf.if %b {\n }", "condition"),
        ("tir.for %l in %p {\n }", "extent"),
        ("tir.store %x, %A[%p] : memref<4xf32>", "index"),
        ("%y = tir.load %A[%p * 2] : memref<4xf32>", "affine index"),
        ("tir.if (%p < 3) {\n %d = tir.apply (0)\n }", "affine condition"),
        ("%c = arith.select %b, %x, %x : f32\ntir.store %c, %A[0] : memref<4xf32>", "selection"),
        ("tir.store %f, %A[0] : memref<4xf32>", "stored float"),
        ("memref.store %p, %I[%zero] : memref<4xindex>", "stored index"),
        ("memref.store %b, %B[%zero] : memref<4xi1>", "stored i1"),
        ("%e = tir.apply (%p + 1)\ntir.store %x, %A[%e] : memref<4xf32>", "applied map"),
    ],
)
def test_uses_of_poison(use: str, where: str):
    text = f"""
    func.func @f(%x: f32, %A: memref<4xf32>, %I: memref<4xindex>, %B: memref<4xi1>) {{
      %zero = arith.constant 0 : index
      %p = ub.poison : index
      %b = arith.cmpi eq, %p, %zero : index
      %i = arith.index_cast %p : index to i32
      %f = arith.sitofp %i : i32 to f32
      %unused = tir.apply (%p * 2)
      {use}
      func.return
    }}"""
    memory = np.zeros(4, np.float32), np.zeros(4, np.int64), np.zeros(4, np.bool_)
    with pytest.raises(PoisonError) as raised:
        call(text, 1.0, *memory)
    message = "ub.poison: it is declared so: the result is poison, and it is used"
    assert str(raised.value).startswith(message), where


def test_poison_passes_through_pure_ops():
    text = """
    func.func @f(%use: i1) -> (i8, f32) {
      %p = ub.poison : f32
      %i = ub.poison : i8
      %one = arith.constant 1.0 : f32
      %ten = arith.constant 10 : i8
      %a = arith.addf %one, %p : f32
      %b = math.fma %one, %one, %a : f32
      %c = math.exp %b : f32
      %low, %high = arith.mulsi_extended %i, %ten : i8
      %x = arith.select %use, %high, %ten : i8
      %y = arith.select %use, %c, %one : f32
      func.return %x, %y : i8, f32
    }"""
    assert call(text, False) == (10, 1.0)
    with pytest.raises(PoisonError):
        call(text, True)


# Functions ----------------------------------------------------------------------------------

POSITIVE = np.array([0.1, 0.5, 1, 2, 10, 1e3], np.float64)
UNIT = np.array([-1, -0.9, -1e-3, 0, 0.5, 1], np.float64)
ANY = np.array([-20, -3.5, -1, -1e-4, 0, 0.3, 1, 2.5, 15], np.float64)
ABOVE_ONE = np.array([1, 1.5, 20], np.float64)

FUNCTIONS: dict[str, tuple[np.ndarray, Callable[[float], float]]] = {
    "acos": (UNIT, math.acos),
    "acosh": (ABOVE_ONE, math.acosh),
    "asin": (UNIT, math.asin),
    "asinh": (ANY, math.asinh),
    "atan": (ANY, math.atan),
    "atanh": (UNIT[1:-1], math.atanh),
    "cbrt": (ANY, math.cbrt),
    "cos": (ANY, math.cos),
    "cosh": (ANY[1:-1], math.cosh),
    "erf": (ANY, math.erf),
    "exp": (ANY[1:-1], math.exp),
    "exp2": (ANY[1:-1], math.exp2),
    "expm1": (ANY[1:-1], math.expm1),
    "log": (POSITIVE, math.log),
    "log10": (POSITIVE, math.log10),
    "log1p": (POSITIVE, math.log1p),
    "log2": (POSITIVE, math.log2),
    "rsqrt": (POSITIVE, lambda x: 1 / math.sqrt(x)),
    "sin": (ANY, math.sin),
    "sinh": (ANY[1:-1], math.sinh),
    "sqrt": (POSITIVE, math.sqrt),
    "tan": (ANY, math.tan),
    "tanh": (ANY, math.tanh),
}


@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_one_float(name: str, type_: str):
    points, function = FUNCTIONS[name]
    points = points.astype(DTYPES[type_])
    result = compute(f"math.{name} %0 : {type_}", [(type_, points)], type_)
    expected = np.array([function(float(x)) for x in points])
    # f16 and f32 are rounded from double; two libraries may differ by an ulp of double.
    eps = float(np.finfo(DTYPES[type_]).eps)
    np.testing.assert_allclose(result, expected, rtol=eps * (4 if type_ == "f64" else 0.51))


def test_functions_outside_of_their_domains():
    outside = {"log": [-1.0], "sqrt": [-1.0], "acos": [2.0], "sin": [np.inf], "exp": [np.nan]}
    for name, points in outside.items():
        result = compute(f"math.{name} %0 : f32", [("f32", points)], "f32")
        assert np.isnan(result).all(), name
    result = compute("math.exp %0 : f32", [("f32", [1000.0, -1000.0, -np.inf])], "f32")
    assert result.tolist() == [np.inf, 0.0, 0.0]
    assert compute("math.log %0 : f32", [("f32", [0.0])], "f32").tolist() == [-np.inf]


@pytest.mark.parametrize("type_", ["f16", "f32", "f64"])
def test_rounding_functions(type_: str):
    below = np.nextafter(DTYPES[type_](0.5), DTYPES[type_](0))
    points = [0.5, -0.5, 1.5, 2.5, -2.5, 0.2, -0.2, 3, np.inf, -np.inf, 0, -0.0, below, -below]
    operands = [(type_, points)]
    expected = {
        "floor": [0, -1, 1, 2, -3, 0, -1, 3, np.inf, -np.inf, 0, -0.0, 0, -1],
        "ceil": [1, -0.0, 2, 3, -2, 1, -0.0, 3, np.inf, -np.inf, 0, -0.0, 1, -0.0],
        "trunc": [0, -0.0, 1, 2, -2, 0, -0.0, 3, np.inf, -np.inf, 0, -0.0, 0, -0.0],
        "round": [1, -1, 2, 3, -3, 0, -0.0, 3, np.inf, -np.inf, 0, -0.0, 0, -0.0],
        "roundeven": [0, -0.0, 2, 2, -2, 0, -0.0, 3, np.inf, -np.inf, 0, -0.0, 0, -0.0],
    }
    for name, values in expected.items():
        result = compute(f"math.{name} %0 : {type_}", operands, type_)
        assert_same(result, np.array(values, DTYPES[type_]))
        assert np.isnan(compute(f"math.{name} %0 : {type_}", [(type_, [np.nan])], type_)).all()


def test_functions_of_two_floats():
    a, b = np.array([2.0, 0.5, -1.0, 9.0]), np.array([3.0, -2.0, 3.0, 0.5])
    operands = [("f32", a), ("f32", b)]
    assert compute("math.powf %0, %1 : f32", operands, "f32").tolist() == [8.0, 4.0, -1.0, 3.0]
    result = compute("math.copysign %0, %1 : f32", operands, "f32")
    assert result.tolist() == [2.0, -0.5, 1.0, 9.0]
    result = compute("math.atan2 %0, %1 : f64", [("f64", a), ("f64", b)], "f64")
    expected = [math.atan2(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_allclose(result, expected, rtol=1e-15)
    result = compute("math.absf %0 : f32", [("f32", [-0.0, -2.0, 3.0])], "f32")
    assert_same(result, np.array([0.0, 2.0, 3.0], np.float32))
    operands = [("f32", [2.0, -2.0, 4.0]), ("i32", [10, 3, -2])]
    result = compute("math.fpowi %0, %1 : f32, i32", operands, "f32")
    assert result.tolist() == [1024.0, -8.0, 0.0625]


def test_functions_of_integers():
    a = ALL8
    binary = [format(int(n) & 255, "08b") for n in a]
    operands = [("i8", a)]
    result = compute("math.ctlz %0 : i8", operands, "i8")
    assert result.tolist() == [len(digits) - len(digits.lstrip("0")) for digits in binary]
    result = compute("math.cttz %0 : i8", operands, "i8")
    assert result.tolist() == [len(digits) - len(digits.rstrip("0")) for digits in binary]
    result = compute("math.ctpop %0 : i8", operands, "i8")
    assert result.tolist() == [digits.count("1") for digits in binary]
    result = compute("math.absi %0 : i8", operands, "i8")
    np.testing.assert_array_equal(result, np.abs(a).astype(np.int8))
    operands = [("i8", [3, -2, 2, 1, -1, -1, 5, 0]), ("i8", [4, 3, 9, -5, -5, -4, -1, 0])]
    result = compute("math.ipowi %0, %1 : i8", operands, "i8")
    assert result.tolist() == [81, -8, 0, 1, -1, 1, 0, 1]
    with pytest.raises(ExecutionError, match=r"math.ipowi: zero to the power -1"):
        compute("math.ipowi %0, %1 : i8", [("i8", [0]), ("i8", [-1])], "i8")


def test_elements_of_a_vector_of_poison_are_not_stored():
    text = """func.func @f(%a: memref<4x5xf32>, %b: memref<5xf32>) {
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  %v = vector.transfer_read %a[%c0, %c0], %z : memref<4x5xf32>, vector<4x5xf32>
  %p = vector.extract %v[-1] : vector<5xf32> from vector<4x5xf32>
  vector.transfer_write %p, %b[%c0] : vector<5xf32>, memref<5xf32>
  func.return
}"""
    with pytest.raises(PoisonError) as raised:
        call(text, np.ones((4, 5), np.float32), np.zeros(5, np.float32))
    assert str(raised.value) == (
        "vector.extract: position [-1] is out of bounds of a vector of [4, 5]: the result is "
        "poison, and it is used\n  --> k.mlir:5:3"
    )
