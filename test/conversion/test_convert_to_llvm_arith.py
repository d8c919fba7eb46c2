"""arith and math, lowered and run: every operation on edge cases, scalar and vector."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from llvm_jit import call

INTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
DTYPES = {**INTS, **FLOATS, "i1": np.bool_}
LANES = 8


def elementwise(op: str, operands: list[tuple[str, np.ndarray]], result: str) -> np.ndarray:
    """``op`` on arrays, by scalars and by vectors alike.

    In its text T is the type of the last operand, R of the result, C that of a condition.
    """
    length = len(operands[0][1])
    count = -(-length // LANES) * LANES
    padded = [np.resize(values, count).astype(DTYPES[ty]) for ty, values in operands]
    outs = []
    for vector in (False, True):

        def typed(ty: str, vector: bool = vector) -> str:
            return f"vector<{LANES}x{ty}>" if vector else ty

        load = "vector.load" if vector else "memref.load"
        store = "vector.store" if vector else "memref.store"
        tail = ", " + typed("{}") if vector else ""
        condition = f"{typed('i1')}," if vector else ""
        args = [f"%m{i}: memref<{count}x{ty}>" for i, (ty, _) in enumerate(operands)]
        loads = [
            f"%{i} = {load} %m{i}[%i] : memref<{count}x{ty}>{tail.format(ty)}"
            for i, (ty, _) in enumerate(operands)
        ]
        code = op.replace("T", typed(operands[-1][0])).replace("R", typed(result))
        code = code.replace("C", condition)
        text = f"""
        func.func @f({", ".join(args)}, %out: memref<{count}x{result}>) {{
          %c0 = arith.constant 0 : index
          %step = arith.constant {LANES if vector else 1} : index
          %count = arith.constant {count} : index
          scf.for %i = %c0 to %count step %step {{
            {" ".join(loads)}
            %r = {code}
            {store} %r, %out[%i] : memref<{count}x{result}>{tail.format(result)}
          }}
          func.return
        }}"""
        outs.append(np.zeros(count, DTYPES[result]))
        call(text, *padded, outs[-1])
    np.testing.assert_array_equal(outs[0], outs[1])
    return outs[0][:length]


def wrap(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def edges(ty: str) -> tuple[np.ndarray, np.ndarray]:
    """All pairs of interesting integers."""
    info = np.iinfo(INTS[ty])
    values = [0, 1, 2, 3, 7, 8, 100, -1, -2, -7, -8, -100, info.max, info.max - 1, info.min]
    values += [info.min + 1]
    a, b = np.meshgrid(values, values)
    return a.ravel().astype(INTS[ty]), b.ravel().astype(INTS[ty])


def unsigned(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


INTEGER: dict[str, Callable[[int, int, int], int | None]] = {
    "addi": lambda a, b, bits: a + b,
    "subi": lambda a, b, bits: a - b,
    "muli": lambda a, b, bits: a * b,
    "andi": lambda a, b, bits: a & b,
    "ori": lambda a, b, bits: a | b,
    "xori": lambda a, b, bits: a ^ b,
    "shli": lambda a, b, bits: a << b if 0 <= b < bits else None,
    "shrsi": lambda a, b, bits: a >> b if 0 <= b < bits else None,
    "shrui": lambda a, b, bits: unsigned(a, bits) >> b if 0 <= b < bits else None,
    "minsi": lambda a, b, bits: min(a, b),
    "maxsi": lambda a, b, bits: max(a, b),
    "minui": lambda a, b, bits: min(unsigned(a, bits), unsigned(b, bits)),
    "maxui": lambda a, b, bits: max(unsigned(a, bits), unsigned(b, bits)),
    "divui": lambda a, b, bits: unsigned(a, bits) // unsigned(b, bits) if b else None,
    "remui": lambda a, b, bits: unsigned(a, bits) % unsigned(b, bits) if b else None,
    "ceildivui": lambda a, b, bits: -(-unsigned(a, bits) // unsigned(b, bits)) if b else None,
    "divsi": lambda a, b, bits: signed(a, b, bits, lambda: int(math.trunc(exact(a, b)))),
    "remsi": lambda a, b, bits: signed(a, b, bits, lambda: a - b * int(math.trunc(exact(a, b)))),
    "floordivsi": lambda a, b, bits: signed(a, b, bits, lambda: a // b),
    "ceildivsi": lambda a, b, bits: signed(a, b, bits, lambda: -(-a // b)),
}


def exact(a: int, b: int):
    from fractions import Fraction

    return Fraction(a, b)


def signed(a: int, b: int, bits: int, compute: Callable[[], int]) -> int | None:
    """None where a signed division is undefined."""
    return None if b == 0 or (b == -1 and a == -(1 << (bits - 1))) else compute()


@pytest.mark.parametrize("ty", INTS)
@pytest.mark.parametrize("op", INTEGER)
def test_integer_arithmetic(op: str, ty: str):
    a, b = edges(ty)
    bits = a.dtype.itemsize * 8
    expected = [INTEGER[op](int(x), int(y), bits) for x, y in zip(a, b, strict=True)]
    defined = np.array([value is not None for value in expected])
    actual = elementwise(f"arith.{op} %0, %1 : T", [(ty, a[defined]), (ty, b[defined])], ty)
    wrapped = [wrap(value, bits) for value in expected if value is not None]
    np.testing.assert_array_equal(actual, np.array(wrapped, INTS[ty]))


@pytest.mark.parametrize("divisor", [1, 2, 64, 96, 127, -128, -4])
def test_floor_division_by_a_constant(divisor: int):
    a = np.arange(-128, 128, dtype=np.int8)
    if divisor == -128:
        a = a[1:]
    out = np.zeros_like(a)
    text = f"""
    func.func @f(%a: memref<{len(a)}xi8>, %out: memref<{len(a)}xi8>) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant {len(a)} : index
      %d = arith.constant {divisor} : i8
      scf.for %i = %c0 to %n step %c1 {{
        %x = memref.load %a[%i] : memref<{len(a)}xi8>
        %q = arith.floordivsi %x, %d : i8
        memref.store %q, %out[%i] : memref<{len(a)}xi8>
      }}
      func.return
    }}"""
    call(text, a, out)
    np.testing.assert_array_equal(out, [int(x) // divisor for x in a])


def test_extended_arithmetic():
    a, b = edges("i32")
    n = len(a)
    outs = [np.zeros(n, np.int32) for _ in range(5)] + [np.zeros(n, np.bool_)]
    memrefs = ", ".join(f"%m{i}: memref<{n}xi32>" for i in range(7))
    call(
        f"""
        func.func @f({memrefs}, %carry: memref<{n}xi1>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant {n} : index
          scf.for %i = %c0 to %n step %c1 {{
            %a = memref.load %m0[%i] : memref<{n}xi32>
            %b = memref.load %m1[%i] : memref<{n}xi32>
            %ul, %uh = arith.mului_extended %a, %b : i32
            %sl, %sh = arith.mulsi_extended %a, %b : i32
            %sum, %c = arith.addui_extended %a, %b : i32, i1
            memref.store %ul, %m2[%i] : memref<{n}xi32>
            memref.store %uh, %m3[%i] : memref<{n}xi32>
            memref.store %sl, %m4[%i] : memref<{n}xi32>
            memref.store %sh, %m5[%i] : memref<{n}xi32>
            memref.store %sum, %m6[%i] : memref<{n}xi32>
            memref.store %c, %carry[%i] : memref<{n}xi1>
          }}
          func.return
        }}""",
        *(a, b, *outs),
    )
    for i, (x, y) in enumerate(zip(a.tolist(), b.tolist(), strict=True)):
        ux, uy = unsigned(x, 32), unsigned(y, 32)
        wide = [ux * uy, (ux * uy) >> 32, x * y, (x * y) >> 32, x + y]
        assert [int(out[i]) for out in outs[:5]] == [wrap(value, 32) for value in wide]
        assert bool(outs[5][i]) == (ux + uy >= 1 << 32)


PREDICATES = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "slt": lambda a, b: a < b,
    "sle": lambda a, b: a <= b,
    "sgt": lambda a, b: a > b,
    "sge": lambda a, b: a >= b,
}


@pytest.mark.parametrize("ty", ["i8", "index"])
@pytest.mark.parametrize("predicate", PREDICATES)
def test_integer_comparison(predicate: str, ty: str):
    a, b = edges(ty)
    op = f"arith.cmpi {predicate}, %0, %1 : T"
    np.testing.assert_array_equal(
        elementwise(op, [(ty, a), (ty, b)], "i1"), PREDICATES[predicate](a, b)
    )
    if predicate[0] == "s":
        kind = f"u{a.dtype.itemsize}"
        op = f"arith.cmpi u{predicate[1:]}, %0, %1 : T"
        expected = PREDICATES[predicate](a.view(kind), b.view(kind))
        np.testing.assert_array_equal(elementwise(op, [(ty, a), (ty, b)], "i1"), expected)


SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, -2.5, 0.3, 1e-3, 100.25, math.inf, -math.inf, math.nan]


def float_edges(ty: str) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(np.array(SPECIAL, FLOATS[ty]), np.array(SPECIAL, FLOATS[ty]))
    return a.ravel(), b.ravel()


@pytest.mark.parametrize("predicate", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_float_comparison(predicate: str):
    a, b = float_edges("f32")
    unordered = np.isnan(a) | np.isnan(b)
    with np.errstate(invalid="ignore"):
        relation = PREDICATES[predicate if predicate in ("eq", "ne") else "s" + predicate](a, b)
    for prefix, expected in (("o", relation & ~unordered), ("u", relation | unordered)):
        op = f"arith.cmpf {prefix}{predicate}, %0, %1 : T"
        actual = elementwise(op, [("f32", a), ("f32", b)], "i1")
        np.testing.assert_array_equal(actual, expected)


def test_ordering_comparisons():
    a, b = float_edges("f64")
    unordered = np.isnan(a) | np.isnan(b)
    for predicate, expected in {
        "ord": ~unordered,
        "uno": unordered,
        "true": np.ones_like(unordered),
        "false": np.zeros_like(unordered),
    }.items():
        op = f"arith.cmpf {predicate}, %0, %1 : T"
        actual = elementwise(op, [("f64", a), ("f64", b)], "i1")
        np.testing.assert_array_equal(actual, expected)


def signed_zero_order(a: np.ndarray, b: np.ndarray, pick: Callable) -> np.ndarray:
    """The maximum or minimum with NaN winning and -0 < +0."""
    result = [pick((x, y), key=lambda v: (v, not np.signbit(v))) for x, y in zip(a, b, strict=True)]
    return np.where(np.isnan(a) | np.isnan(b), np.nan, result).astype(a.dtype)


FLOAT: dict[str, Callable] = {
    "addf": np.add,
    "subf": np.subtract,
    "mulf": np.multiply,
    "divf": np.divide,
    "maximumf": lambda a, b: signed_zero_order(a, b, max),
    "minimumf": lambda a, b: signed_zero_order(a, b, min),
    "maxnumf": np.fmax,
    "minnumf": np.fmin,
}


@pytest.mark.parametrize("ty", FLOATS)
@pytest.mark.parametrize("op", FLOAT)
def test_float_arithmetic(op: str, ty: str):
    a, b = float_edges(ty)
    with np.errstate(all="ignore"):
        expected = FLOAT[op](a, b)
    actual = elementwise(f"arith.{op} %0, %1 : T", [(ty, a), (ty, b)], ty)
    np.testing.assert_array_equal(actual, expected)
    if op in ("maximumf", "minimumf"):
        number = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(actual[number]), np.signbit(expected[number]))


@pytest.mark.parametrize("ty", FLOATS)
def test_negation(ty: str):
    a, _ = float_edges(ty)
    actual = elementwise("arith.negf %0 : T", [(ty, a)], ty)
    np.testing.assert_array_equal(actual, -a)
    np.testing.assert_array_equal(np.signbit(actual[a == 0]), ~np.signbit(a[a == 0]))


CASTS = [
    *[("extsi", a, b) for a, b in (("i8", "i16"), ("i8", "i64"), ("i32", "i64"))],
    *[("trunci", a, b) for a, b in (("i16", "i8"), ("i64", "i32"))],
    *[("index_cast", a, b) for a, b in (("i32", "index"), ("index", "i8"), ("i64", "index"))],
    *[("sitofp", a, b) for a, b in (("i8", "f16"), ("i32", "f32"), ("i64", "f64"))],
    *[("extf", a, b) for a, b in (("f16", "f32"), ("f32", "f64"))],
    *[("truncf", a, b) for a, b in (("f64", "f32"), ("f32", "f16"))],
]


@pytest.mark.parametrize(("op", "source", "target"), CASTS)
def test_cast(op: str, source: str, target: str):
    a = edges(source)[0] if source in INTS else float_edges(source)[0]
    with np.errstate(over="ignore"):
        expected = a.astype(DTYPES[target])
    actual = elementwise(f"arith.{op} %0 : T to R", [(source, a)], target)
    np.testing.assert_array_equal(actual, expected)


@pytest.mark.parametrize(("source", "target"), [("i8", "i32"), ("i8", "f32"), ("i32", "f64")])
def test_unsigned_cast(source: str, target: str):
    a, _ = edges(source)
    op = "uitofp" if target in FLOATS else "extui"
    actual = elementwise(f"arith.{op} %0 : T to R", [(source, a)], target)
    np.testing.assert_array_equal(actual, a.view(f"u{a.dtype.itemsize}").astype(DTYPES[target]))


@pytest.mark.parametrize(("source", "target"), [("f32", "i32"), ("f64", "i64"), ("f16", "i8")])
def test_float_to_integer(source: str, target: str):
    a = np.array([0.0, 0.9, -0.9, 1.5, -1.5, 100.7, -100.7, 127.0], FLOATS[source])
    actual = elementwise("arith.fptosi %0 : T to R", [(source, a)], target)
    np.testing.assert_array_equal(actual, np.trunc(a).astype(INTS[target]))
    positive = np.abs(a)
    actual = elementwise("arith.fptoui %0 : T to R", [(source, positive)], target)
    np.testing.assert_array_equal(actual, np.trunc(positive).astype(INTS[target]))


def test_boolean_casts():
    a = np.array([True, False, True, True, False])
    for op, ty, expected in (
        ("extui", "i32", [1, 0, 1, 1, 0]),
        ("extsi", "i32", [-1, 0, -1, -1, 0]),
        ("uitofp", "f32", [1, 0, 1, 1, 0]),
    ):
        actual = elementwise(f"arith.{op} %0 : T to R", [("i1", a)], ty)
        np.testing.assert_array_equal(actual, expected)
    odd = np.array([0, 1, 2, 3, -1], np.int8)
    actual = elementwise("arith.trunci %0 : T to R", [("i8", odd)], "i1")
    np.testing.assert_array_equal(actual, (odd & 1).astype(bool))


def test_bitcast():
    a, _ = float_edges("f32")
    actual = elementwise("arith.bitcast %0 : T to R", [("f32", a)], "i32")
    np.testing.assert_array_equal(actual, a.view(np.int32))


def test_select():
    a, b = edges("i16")
    condition = a > b
    actual = elementwise(
        "arith.select %0, %1, %2 : C T", [("i1", condition), ("i16", a), ("i16", b)], "i16"
    )
    np.testing.assert_array_equal(actual, np.maximum(a, b))


X = np.concatenate([np.linspace(-8, 8, 35), [0.0, 1e-3, -1e-3]])
UNIT = np.linspace(-0.95, 0.95, 21)
POSITIVE = np.concatenate([np.geomspace(1e-3, 1e3, 24), [1.0]])
ERF = np.vectorize(math.erf)
UNARY: dict[str, tuple[np.ndarray, Callable]] = {
    "absf": (X, np.abs),
    "ceil": (X, np.ceil),
    "floor": (X, np.floor),
    "trunc": (X, np.trunc),
    "roundeven": (np.arange(-4, 4, 0.25), np.round),
    "round": (np.arange(-4, 4, 0.25), lambda x: np.copysign(np.floor(np.abs(x) + 0.5), x)),
    "sqrt": (POSITIVE, np.sqrt),
    "rsqrt": (POSITIVE, lambda x: 1 / np.sqrt(x)),
    "exp": (X, np.exp),
    "exp2": (X, np.exp2),
    "expm1": (X, np.expm1),
    "log": (POSITIVE, np.log),
    "log2": (POSITIVE, np.log2),
    "log10": (POSITIVE, np.log10),
    "log1p": (POSITIVE, np.log1p),
    "sin": (X, np.sin),
    "cos": (X, np.cos),
    "tan": (X / 6, np.tan),
    "asin": (UNIT, np.arcsin),
    "acos": (UNIT, np.arccos),
    "atan": (X, np.arctan),
    "sinh": (X, np.sinh),
    "cosh": (X, np.cosh),
    "tanh": (X, np.tanh),
    "asinh": (X, np.arcsinh),
    "acosh": (1 + POSITIVE, np.arccosh),
    "atanh": (UNIT, np.arctanh),
    "erf": (X / 3, ERF),
    "cbrt": (X, np.cbrt),
}
TOLERANCE = {"f16": 2e-3, "f32": 1e-6, "f64": 1e-14}


@pytest.mark.parametrize("ty", FLOATS)
@pytest.mark.parametrize("op", UNARY)
def test_math_unary(op: str, ty: str):
    values, function = UNARY[op]
    x = values.astype(FLOATS[ty])
    # The function of the rounded argument, rounded once.
    expected = function(x.astype(np.float64)).astype(FLOATS[ty])
    actual = elementwise(f"math.{op} %0 : T", [(ty, x)], ty)
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE[ty], atol=TOLERANCE[ty] / 10)


@pytest.mark.parametrize("ty", FLOATS)
def test_math_binary(ty: str):
    x = np.resize(POSITIVE, 64).astype(FLOATS[ty])
    y = np.linspace(-1.5, 1.5, 64).astype(FLOATS[ty])
    for op, function in (
        ("powf", np.power),
        ("atan2", np.arctan2),
        ("copysign", np.copysign),
    ):
        expected = function(x.astype(np.float64), y.astype(np.float64)).astype(FLOATS[ty])
        actual = elementwise(f"math.{op} %0, %1 : T", [(ty, x), (ty, y)], ty)
        np.testing.assert_allclose(actual, expected, rtol=4 * TOLERANCE[ty])


@pytest.mark.parametrize("ty", ["f32", "f64"])
def test_fma_rounds_once(ty: str):
    eps = np.finfo(FLOATS[ty]).eps
    a = np.array([1 + eps, 1 - eps, 3.0], FLOATS[ty])
    c = np.array([-1, -1, 0.25], FLOATS[ty])
    from fractions import Fraction

    expected = [
        float(Fraction(float(x)) * Fraction(float(x)) + Fraction(float(z)))
        for x, z in zip(a, c, strict=True)
    ]
    actual = elementwise("math.fma %0, %1, %2 : T", [(ty, a), (ty, a), (ty, c)], ty)
    np.testing.assert_array_equal(actual, np.array(expected, FLOATS[ty]))


@pytest.mark.parametrize("ty", ["i8", "i32", "i64"])
def test_math_integer(ty: str):
    a = np.unique(edges(ty)[0])
    bits = a.dtype.itemsize * 8
    words = [format(unsigned(int(x), bits), f"0{bits}b") for x in a]
    for op, expected in (
        ("absi", [wrap(abs(int(x)), bits) for x in a]),
        ("ctpop", [word.count("1") for word in words]),
        ("ctlz", [bits - len(word.lstrip("0")) for word in words]),
        ("cttz", [bits - len(word.rstrip("0")) for word in words]),
    ):
        actual = elementwise(f"math.{op} %0 : T", [(ty, a)], ty)
        np.testing.assert_array_equal(actual, np.array(expected, INTS[ty]), err_msg=op)


@pytest.mark.parametrize(("ty", "power"), [("f32", "i32"), ("f32", "i8"), ("f64", "i64")])
def test_integer_power(ty: str, power: str):
    n = 6
    x = np.array([1.5, -2.0, 0.5, 3.0, -1.0, 2.0], FLOATS[ty])
    y = np.array([2, 3, -2, 0, 7, -1], INTS[power])
    out = np.zeros(n, FLOATS[ty])
    call(
        f"""
        func.func @f(%x: memref<{n}x{ty}>, %y: memref<{n}x{power}>, %out: memref<{n}x{ty}>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant {n} : index
          scf.for %i = %c0 to %n step %c1 {{
            %a = memref.load %x[%i] : memref<{n}x{ty}>
            %b = memref.load %y[%i] : memref<{n}x{power}>
            %r = math.fpowi %a, %b : {ty}, {power}
            memref.store %r, %out[%i] : memref<{n}x{ty}>
          }}
          func.return
        }}""",
        *(x, y, out),
    )
    np.testing.assert_allclose(out, x ** y.astype(FLOATS[ty]), rtol=1e-6)
