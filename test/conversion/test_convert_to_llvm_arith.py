"""arith and math, lowered and run: every operation on edge cases, scalar and vector."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from llvm_jit import call, call_all

INTS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "index": np.int64}
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
DTYPES = {**INTS, **FLOATS, "i1": np.bool_}
LANES = 8


Operation = tuple[str, list[tuple[str, np.ndarray]], str]
"""The text of an operation, its operands with their types, and the type of its result.

In the text T is the type of the last operand, R of the result, C that of a condition.
"""


def elementwise(op: str, operands: list[tuple[str, np.ndarray]], result: str) -> np.ndarray:
    """``op`` on arrays, by scalars and by vectors alike."""
    return elementwise_all([(op, operands, result)])[0]


def elementwise_all(operations: Sequence[Operation]) -> list[np.ndarray]:
    """The results of operations, which are functions of one module."""
    functions: list[str] = []
    calls: dict[str, list[np.ndarray]] = {}
    for n, (op, operands, result) in enumerate(operations):
        count = -(-len(operands[0][1]) // LANES) * LANES
        padded = [np.resize(values, count).astype(DTYPES[ty]) for ty, values in operands]
        for vector in (False, True):
            name = f"{'vector' if vector else 'scalar'}{n}"
            types = [ty for ty, _ in operands]
            functions.append(function(name, op, types, result, count, vector))
            calls[name] = [*padded, np.zeros(count, DTYPES[result])]
    call_all("\n".join(functions), calls)
    results = []
    for n, (op, operands, _) in enumerate(operations):
        scalars, vectors = calls[f"scalar{n}"][-1], calls[f"vector{n}"][-1]
        np.testing.assert_array_equal(scalars, vectors, err_msg=op)
        results.append(scalars[: len(operands[0][1])])
    return results


def function(
    name: str, op: str, types: Sequence[str], result: str, count: int, vector: bool
) -> str:
    """The loop over an operation on arrays of ``count`` elements."""

    def typed(ty: str) -> str:
        return f"vector<{LANES}x{ty}>" if vector else ty

    load = "vector.load" if vector else "memref.load"
    store = "vector.store" if vector else "memref.store"
    tail = ", " + typed("{}") if vector else ""
    condition = f"{typed('i1')}," if vector else ""
    args = [f"%m{i}: memref<{count}x{ty}>" for i, ty in enumerate(types)]
    loads = [
        f"%{i} = {load} %m{i}[%i] : memref<{count}x{ty}>{tail.format(ty)}"
        for i, ty in enumerate(types)
    ]
    code = op.replace("T", typed(types[-1])).replace("R", typed(result)).replace("C", condition)
    return f"""
    func.func @{name}({", ".join(args)}, %out: memref<{count}x{result}>) {{
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


@pytest.mark.parametrize("op", INTEGER)
def test_integer_arithmetic(op: str):
    operations: list[Operation] = []
    wanted: list[np.ndarray] = []
    for ty in INTS:
        a, b = edges(ty)
        bits = a.dtype.itemsize * 8
        expected = [INTEGER[op](int(x), int(y), bits) for x, y in zip(a, b, strict=True)]
        defined = np.array([value is not None for value in expected])
        operations.append((f"arith.{op} %0, %1 : T", [(ty, a[defined]), (ty, b[defined])], ty))
        wrapped = [wrap(value, bits) for value in expected if value is not None]
        wanted.append(np.array(wrapped, INTS[ty]))
    for ty, actual, expected in zip(INTS, elementwise_all(operations), wanted, strict=True):
        np.testing.assert_array_equal(actual, expected, err_msg=ty)


def test_floor_division_by_a_constant():
    a = np.arange(-128, 128, dtype=np.int8)
    calls: dict[str, list[np.ndarray]] = {}
    divisors = [1, 2, 64, 96, 127, -128, -4]
    functions: list[str] = []
    for n, divisor in enumerate(divisors):
        values = a[1:] if divisor == -128 else a
        calls[f"f{n}"] = [values, np.zeros_like(values)]
        functions.append(f"""
        func.func @f{n}(%a: memref<{len(values)}xi8>, %out: memref<{len(values)}xi8>) {{
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %n = arith.constant {len(values)} : index
          %d = arith.constant {divisor} : i8
          scf.for %i = %c0 to %n step %c1 {{
            %x = memref.load %a[%i] : memref<{len(values)}xi8>
            %q = arith.floordivsi %x, %d : i8
            memref.store %q, %out[%i] : memref<{len(values)}xi8>
          }}
          func.return
        }}""")
    call_all("\n".join(functions), calls)
    for divisor, (values, out) in zip(divisors, calls.values(), strict=True):
        np.testing.assert_array_equal(
            out, [int(x) // divisor for x in values], err_msg=f"{divisor}"
        )


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
def test_integer_comparison(ty: str):
    a, b = edges(ty)
    kind = f"u{a.dtype.itemsize}"
    wanted = {name: compare(a, b) for name, compare in PREDICATES.items()}
    for name, compare in PREDICATES.items():
        if name[0] == "s":
            wanted[f"u{name[1:]}"] = compare(a.view(kind), b.view(kind))
    operands = [(ty, a), (ty, b)]
    actual = elementwise_all(
        [(f"arith.cmpi {name}, %0, %1 : T", operands, "i1") for name in wanted]
    )
    for name, result in zip(wanted, actual, strict=True):
        np.testing.assert_array_equal(result, wanted[name], err_msg=name)


SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, 3.5, -2.5, 0.3, 1e-3, 100.25, math.inf, -math.inf, math.nan]


def float_edges(ty: str) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.meshgrid(np.array(SPECIAL, FLOATS[ty]), np.array(SPECIAL, FLOATS[ty]))
    return a.ravel(), b.ravel()


def test_float_comparison():
    a, b = float_edges("f32")
    unordered = np.isnan(a) | np.isnan(b)
    wanted = {
        "ord": ~unordered,
        "uno": unordered,
        "true": np.ones_like(unordered),
        "false": np.zeros_like(unordered),
    }
    for name, compare in PREDICATES.items():
        with np.errstate(invalid="ignore"):
            relation = compare(a, b)
        wanted["o" + name.removeprefix("s")] = relation & ~unordered
        wanted["u" + name.removeprefix("s")] = relation | unordered
    operands = [("f32", a), ("f32", b)]
    operations = [(f"arith.cmpf {name}, %0, %1 : T", operands, "i1") for name in wanted]
    wide = [("f64", values.astype(np.float64)) for _, values in operands]
    operations.append(("arith.cmpf ult, %0, %1 : T", wide, "i1"))
    *results, of_wide = elementwise_all(operations)
    for name, result in zip(wanted, results, strict=True):
        np.testing.assert_array_equal(result, wanted[name], err_msg=name)
    np.testing.assert_array_equal(of_wide, wanted["ult"])


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
def test_float_arithmetic(ty: str):
    a, b = float_edges(ty)
    operands = [(ty, a), (ty, b)]
    actual = elementwise_all([(f"arith.{op} %0, %1 : T", operands, ty) for op in FLOAT])
    for (op, compute), result in zip(FLOAT.items(), actual, strict=True):
        with np.errstate(all="ignore"):
            expected = compute(a, b)
        np.testing.assert_array_equal(result, expected, err_msg=op)
        if op in ("maximumf", "minimumf"):
            number = ~np.isnan(expected)
            np.testing.assert_array_equal(np.signbit(result[number]), np.signbit(expected[number]))


def test_negation():
    values = {ty: float_edges(ty)[0] for ty in FLOATS}
    results = elementwise_all([("arith.negf %0 : T", [(ty, a)], ty) for ty, a in values.items()])
    for a, actual in zip(values.values(), results, strict=True):
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


def test_casts():
    operations: list[Operation] = []
    wanted: list[np.ndarray] = []
    for op, source, target in CASTS:
        a = edges(source)[0] if source in INTS else float_edges(source)[0]
        with np.errstate(over="ignore"):
            wanted.append(a.astype(DTYPES[target]))
        operations.append((f"arith.{op} %0 : T to R", [(source, a)], target))
    for cast, actual, expected in zip(CASTS, elementwise_all(operations), wanted, strict=True):
        np.testing.assert_array_equal(actual, expected, err_msg=str(cast))


def test_unsigned_casts():
    operations: list[Operation] = []
    wanted: list[np.ndarray] = []
    casts = [("i8", "i32"), ("i8", "f32"), ("i32", "f64")]
    for source, target in casts:
        a, _ = edges(source)
        op = "uitofp" if target in FLOATS else "extui"
        operations.append((f"arith.{op} %0 : T to R", [(source, a)], target))
        wanted.append(a.view(f"u{a.dtype.itemsize}").astype(DTYPES[target]))
    for cast, actual, expected in zip(casts, elementwise_all(operations), wanted, strict=True):
        np.testing.assert_array_equal(actual, expected, err_msg=str(cast))


def test_float_to_integer():
    operations: list[Operation] = []
    wanted: list[np.ndarray] = []
    for source, target in [("f32", "i32"), ("f64", "i64"), ("f16", "i8")]:
        a = np.array([0.0, 0.9, -0.9, 1.5, -1.5, 100.7, -100.7, 127.0], FLOATS[source])
        for op, values in (("fptosi", a), ("fptoui", np.abs(a))):
            operations.append((f"arith.{op} %0 : T to R", [(source, values)], target))
            wanted.append(np.trunc(values).astype(INTS[target]))
    for actual, expected in zip(elementwise_all(operations), wanted, strict=True):
        np.testing.assert_array_equal(actual, expected)


def test_boolean_casts():
    a = np.array([True, False, True, True, False])
    odd = np.array([0, 1, 2, 3, -1], np.int8)
    casts = [
        ("extui", "i1", a, "i32", [1, 0, 1, 1, 0]),
        ("extsi", "i1", a, "i32", [-1, 0, -1, -1, 0]),
        ("uitofp", "i1", a, "f32", [1, 0, 1, 1, 0]),
        ("trunci", "i8", odd, "i1", (odd & 1).astype(bool)),
    ]
    results = elementwise_all(
        [
            (f"arith.{op} %0 : T to R", [(source, values)], target)
            for op, source, values, target, _ in casts
        ]
    )
    for actual, (*_, expected) in zip(results, casts, strict=True):
        np.testing.assert_array_equal(actual, expected)


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


@pytest.mark.parametrize("op", UNARY)
def test_math_unary(op: str):
    values, compute = UNARY[op]
    arguments = {ty: values.astype(FLOATS[ty]) for ty in FLOATS}
    results = elementwise_all([(f"math.{op} %0 : T", [(ty, x)], ty) for ty, x in arguments.items()])
    for (ty, x), actual in zip(arguments.items(), results, strict=True):
        # The function of the rounded argument, rounded once.
        expected = compute(x.astype(np.float64)).astype(FLOATS[ty])
        tolerance = TOLERANCE[ty]
        np.testing.assert_allclose(
            actual, expected, rtol=tolerance, atol=tolerance / 10, err_msg=ty
        )


@pytest.mark.parametrize("ty", FLOATS)
def test_math_binary(ty: str):
    x = np.resize(POSITIVE, 64).astype(FLOATS[ty])
    y = np.linspace(-1.5, 1.5, 64).astype(FLOATS[ty])
    functions = {"powf": np.power, "atan2": np.arctan2, "copysign": np.copysign}
    operands = [(ty, x), (ty, y)]
    results = elementwise_all([(f"math.{op} %0, %1 : T", operands, ty) for op in functions])
    for (op, compute), actual in zip(functions.items(), results, strict=True):
        expected = compute(x.astype(np.float64), y.astype(np.float64)).astype(FLOATS[ty])
        np.testing.assert_allclose(actual, expected, rtol=4 * TOLERANCE[ty], err_msg=op)


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
    wanted = {
        "absi": [wrap(abs(int(x)), bits) for x in a],
        "ctpop": [word.count("1") for word in words],
        "ctlz": [bits - len(word.lstrip("0")) for word in words],
        "cttz": [bits - len(word.rstrip("0")) for word in words],
    }
    results = elementwise_all([(f"math.{op} %0 : T", [(ty, a)], ty) for op in wanted])
    for (op, expected), actual in zip(wanted.items(), results, strict=True):
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
