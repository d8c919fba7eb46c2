"""Ops of the llvm dialect, compiled and run, compute what they mean."""

import math
import struct

import numpy as np
import pytest
from llvm_support import compile_module, function, functions

# What ops compute.

I32 = [0, 1, -1, 2, -7, 100, 2**31 - 1, -(2**31)]


def wrap(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def unsigned(value: int) -> int:
    return value % 2**32


def trunc_div(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INT_OPS = {
    "llvm.add %a, %b : i32": lambda a, b: wrap(a + b),
    "llvm.sub %a, %b : i32": lambda a, b: wrap(a - b),
    "llvm.mul %a, %b : i32": lambda a, b: wrap(a * b),
    "llvm.udiv %a, %b : i32": lambda a, b: wrap(unsigned(a) // unsigned(b)),
    "llvm.sdiv %a, %b : i32": lambda a, b: trunc_div(a, b),
    "llvm.urem %a, %b : i32": lambda a, b: wrap(unsigned(a) % unsigned(b)),
    "llvm.srem %a, %b : i32": lambda a, b: a - b * trunc_div(a, b),
    "llvm.and %a, %b : i32": lambda a, b: a & b,
    "llvm.or %a, %b : i32": lambda a, b: a | b,
    "llvm.xor %a, %b : i32": lambda a, b: a ^ b,
    "llvm.intr.smax(%a, %b) : (i32, i32) -> i32": max,
    "llvm.intr.smin(%a, %b) : (i32, i32) -> i32": min,
    "llvm.intr.umax(%a, %b) : (i32, i32) -> i32": lambda a, b: max(a, b, key=unsigned),
    "llvm.intr.umin(%a, %b) : (i32, i32) -> i32": lambda a, b: min(a, b, key=unsigned),
    "llvm.intr.sadd.sat(%a, %b) : (i32, i32) -> i32": lambda a, b: max(
        min(a + b, 2**31 - 1), -(2**31)
    ),
    "llvm.intr.usub.sat(%a, %b) : (i32, i32) -> i32": lambda a, b: wrap(
        max(unsigned(a) - unsigned(b), 0)
    ),
    "llvm.intr.fshl(%a, %b, %b) : (i32, i32, i32) -> i32": lambda a, b: wrap(
        (unsigned(a) << 32 | unsigned(b)) << (b % 32) >> 32
    ),
}


@pytest.mark.parametrize("op", INT_OPS)
def test_integer_op(op: str):
    (run,) = functions(
        f"llvm.func @f(%a: i32, %b: i32) -> i32 {{\n  %r = {op}\n  llvm.return %r : i32\n}}",
        f="i32(i32, i32)",
    )
    divides = "div" in op or "rem" in op
    for a in I32:
        for b in I32:
            if divides and (b == 0 or (a, b) == (-(2**31), -1)):
                continue
            assert run(a, b) == INT_OPS[op](a, b), (a, b)


SHIFTS = {
    "llvm.shl %a, %b : i32": lambda a, b: wrap(a << b),
    "llvm.lshr %a, %b : i32": lambda a, b: wrap(unsigned(a) >> b),
    "llvm.ashr %a, %b : i32": lambda a, b: a >> b,
}


@pytest.mark.parametrize("op", SHIFTS)
def test_shift(op: str):
    (run,) = functions(
        f"llvm.func @f(%a: i32, %b: i32) -> i32 {{\n  %r = {op}\n  llvm.return %r : i32\n}}",
        f="i32(i32, i32)",
    )
    for a in I32:
        for b in (0, 1, 5, 31):
            assert run(a, b) == SHIFTS[op](a, b)


BITS = {
    "llvm.intr.ctpop(%a) : (i32) -> i32": lambda a: unsigned(a).bit_count(),
    '"llvm.intr.ctlz"(%a) <{is_zero_poison = false}> : (i32) -> i32': lambda a: (
        32 - unsigned(a).bit_length()
    ),
    '"llvm.intr.cttz"(%a) <{is_zero_poison = false}> : (i32) -> i32': lambda a: (
        (a & -a).bit_length() - 1 if a else 32
    ),
    '"llvm.intr.abs"(%a) <{is_int_min_poison = false}> : (i32) -> i32': lambda a: wrap(abs(a)),
    "llvm.intr.bswap(%a) : (i32) -> i32": lambda a: struct.unpack(">i", struct.pack("<i", a))[0],
    "llvm.intr.bitreverse(%a) : (i32) -> i32": lambda a: wrap(int(f"{unsigned(a):032b}"[::-1], 2)),
}


@pytest.mark.parametrize("op", BITS)
def test_bit_op(op: str):
    (run,) = functions(
        f"llvm.func @f(%a: i32) -> i32 {{\n  %r = {op}\n  llvm.return %r : i32\n}}", f="i32(i32)"
    )
    for a in I32:
        assert run(a) == BITS[op](a)


def test_icmp_predicates():
    expected = {
        "eq": lambda a, b: a == b,
        "ne": lambda a, b: a != b,
        "slt": lambda a, b: a < b,
        "sle": lambda a, b: a <= b,
        "sgt": lambda a, b: a > b,
        "sge": lambda a, b: a >= b,
        "ult": lambda a, b: unsigned(a) < unsigned(b),
        "ule": lambda a, b: unsigned(a) <= unsigned(b),
        "ugt": lambda a, b: unsigned(a) > unsigned(b),
        "uge": lambda a, b: unsigned(a) >= unsigned(b),
    }
    text = "\n".join(
        f"llvm.func @{name}(%a: i32, %b: i32) -> i1 {{\n"
        f'  %r = llvm.icmp "{name}" %a, %b : i32\n  llvm.return %r : i1\n}}'
        for name in expected
    )
    module = compile_module(text)
    for name, meaning in expected.items():
        run = function(module, name, "i1(i32, i32)")
        for a in I32:
            for b in I32:
                assert run(a, b) == meaning(a, b), (name, a, b)


def test_fcmp_predicates():
    ordered = {
        "eq": lambda a, b: a == b,
        "gt": lambda a, b: a > b,
        "ge": lambda a, b: a >= b,
        "lt": lambda a, b: a < b,
        "le": lambda a, b: a <= b,
        "ne": lambda a, b: a < b or a > b,
    }
    expected = {f"o{name}": meaning for name, meaning in ordered.items()}
    expected |= {
        f"u{name}": lambda a, b, meaning=meaning: a != a or b != b or meaning(a, b)
        for name, meaning in ordered.items()
    }
    expected |= {
        "ord": lambda a, b: a == a and b == b,
        "uno": lambda a, b: a != a or b != b,
        "_true": lambda a, b: True,
        "_false": lambda a, b: False,
    }
    text = "\n".join(
        f"llvm.func @{name}(%a: f64, %b: f64) -> i1 {{\n"
        f'  %r = llvm.fcmp "{name}" %a, %b : f64\n  llvm.return %r : i1\n}}'
        for name in expected
    )
    module = compile_module(text)
    values = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan]
    for name, meaning in expected.items():
        run = function(module, name, "i1(f64, f64)")
        for a in values:
            for b in values:
                assert run(a, b) == meaning(a, b), (name, a, b)


def apply(
    op: str, source: np.ndarray, target: np.dtype | type, types: tuple[str, str]
) -> np.ndarray:
    """``op`` (on %x, giving %r) of each element, by a loop over memory."""
    (run,) = functions(
        f"""
        llvm.func @f(%a: !llvm.ptr, %b: !llvm.ptr, %n: i64) {{
          %zero = llvm.mlir.constant(0 : i64) : i64
          %one = llvm.mlir.constant(1 : i64) : i64
          llvm.br ^loop(%zero : i64)
        ^loop(%i: i64):
          %p = llvm.getelementptr inbounds %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {types[0]}
          %q = llvm.getelementptr inbounds %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, {types[1]}
          %x = llvm.load %p : !llvm.ptr -> {types[0]}
          %r = {op}
          llvm.store %r, %q : {types[1]}, !llvm.ptr
          %j = llvm.add %i, %one overflow<nsw, nuw> : i64
          %c = llvm.icmp "slt" %j, %n : i64
          llvm.cond_br %c, ^loop(%j : i64), ^exit
        ^exit:
          llvm.return
        }}
        """,
        f="void(ptr, ptr, i64)",
    )
    result = np.zeros(len(source), target)
    run(source.ctypes.data, result.ctypes.data, len(source))
    return result


FLOATS = np.array([0.3, -0.7, 1.5, 2.5, -2.5, 0.5, 3.99, 100.25, 1e-3, -1e4], np.float32)
UNIT = np.linspace(-0.95, 0.95, 11, dtype=np.float32)
UNARY = {
    "exp": (np.exp, UNIT),
    "exp2": (np.exp2, FLOATS[:7]),
    "exp10": (lambda x: 10**x, UNIT),
    "log": (np.log, abs(FLOATS)),
    "log2": (np.log2, abs(FLOATS)),
    "log10": (np.log10, abs(FLOATS)),
    "sqrt": (np.sqrt, abs(FLOATS)),
    "sin": (np.sin, UNIT),
    "cos": (np.cos, UNIT),
    "tan": (np.tan, UNIT),
    "asin": (np.arcsin, UNIT),
    "acos": (np.arccos, UNIT),
    "atan": (np.arctan, FLOATS),
    "sinh": (np.sinh, UNIT),
    "cosh": (np.cosh, UNIT),
    "tanh": (np.tanh, UNIT),
    "fabs": (np.abs, FLOATS),
    "floor": (np.floor, FLOATS),
    "ceil": (np.ceil, FLOATS),
    "trunc": (np.trunc, FLOATS),
    "round": (lambda x: np.copysign(np.floor(abs(x) + 0.5), x), FLOATS),
    "roundeven": (np.round, FLOATS),
    "rint": (np.rint, FLOATS),
    "nearbyint": (np.rint, FLOATS),
}


@pytest.mark.parametrize("name", UNARY)
def test_float_function(name: str):
    reference, values = UNARY[name]
    result = apply(f"llvm.intr.{name}(%x) : (f32) -> f32", values, np.float32, ("f32", "f32"))
    np.testing.assert_allclose(result, reference(values.astype(np.float64)), rtol=3e-6)


CASTS = [
    ("llvm.fptosi %x : f32 to i32", FLOATS, np.int32, ("f32", "i32")),
    ("llvm.fptoui %x : f32 to i16", abs(FLOATS), np.uint16, ("f32", "i16")),
    ("llvm.sitofp %x : i32 to f32", np.array(I32, np.int32), np.float32, ("i32", "f32")),
    (
        "llvm.uitofp %x : i32 to f64",
        np.array(I32, np.int32).view(np.uint32),
        np.float64,
        ("i32", "f64"),
    ),
    ("llvm.sext %x : i8 to i64", np.arange(-128, 128).astype(np.int8), np.int64, ("i8", "i64")),
    ("llvm.zext %x : i8 to i64", np.arange(256).astype(np.uint8), np.int64, ("i8", "i64")),
    ("llvm.trunc %x : i32 to i8", np.array(I32, np.int32), np.int8, ("i32", "i8")),
    ("llvm.fpext %x : f32 to f64", FLOATS, np.float64, ("f32", "f64")),
    ("llvm.fptrunc %x : f64 to f32", FLOATS / np.float64(3), np.float32, ("f64", "f32")),
    ("llvm.fptrunc %x : f32 to f16", FLOATS / np.float32(3), np.float16, ("f32", "f16")),
    ("llvm.fpext %x : f16 to f32", FLOATS.astype(np.float16), np.float32, ("f16", "f32")),
]


@pytest.mark.parametrize(("op", "source", "target", "types"), CASTS, ids=[c[0] for c in CASTS])
def test_cast(op: str, source: np.ndarray, target: type, types: tuple[str, str]):
    result = apply(op, source, target, types)
    np.testing.assert_array_equal(result, source.astype(target))


def test_bitcast():
    source = np.array([1.0, -0.0, 3.5], np.float32)
    result = apply("llvm.bitcast %x : f32 to i32", source, np.int32, ("f32", "i32"))
    np.testing.assert_array_equal(result, source.view(np.int32))


BINARY = {
    "llvm.fadd %a, %b : f64": lambda a, b: a + b,
    "llvm.fsub %a, %b : f64": lambda a, b: a - b,
    "llvm.fmul %a, %b : f64": lambda a, b: a * b,
    "llvm.fdiv %a, %b : f64": lambda a, b: a / b,
    "llvm.frem %a, %b : f64": math.fmod,
    "llvm.intr.pow(%a, %b) : (f64, f64) -> f64": lambda a, b: abs(a) ** b,
    "llvm.intr.atan2(%a, %b) : (f64, f64) -> f64": math.atan2,
    "llvm.intr.copysign(%a, %b) : (f64, f64) -> f64": math.copysign,
    "llvm.intr.maxnum(%a, %b) : (f64, f64) -> f64": max,
    "llvm.intr.minimum(%a, %b) : (f64, f64) -> f64": min,
    "llvm.intr.fma(%a, %b, %a) : (f64, f64, f64) -> f64": lambda a, b: a * b + a,
    "llvm.intr.fmuladd(%b, %b, %a) : (f64, f64, f64) -> f64": lambda a, b: b * b + a,
}


@pytest.mark.parametrize("op", BINARY)
def test_float_op(op: str):
    (run,) = functions(
        f"llvm.func @f(%a: f64, %b: f64) -> f64 {{\n  %r = {op}\n  llvm.return %r : f64\n}}",
        f="f64(f64, f64)",
    )
    for a in (1.5, 7.25, 0.125):
        for b in (2.0, -0.5, 3.75):
            assert run(a, b) == pytest.approx(BINARY[op](a, b), rel=1e-14)


def test_minima_and_nan():
    maxnum, maximum = functions(
        """
        llvm.func @maxnum(%a: f64, %b: f64) -> f64 {
          %r = llvm.intr.maxnum(%a, %b) : (f64, f64) -> f64
          llvm.return %r : f64
        }
        llvm.func @maximum(%a: f64, %b: f64) -> f64 {
          %r = llvm.intr.maximum(%a, %b) : (f64, f64) -> f64
          llvm.return %r : f64
        }
        """,
        maxnum="f64(f64, f64)",
        maximum="f64(f64, f64)",
    )
    assert maxnum(1.0, math.nan) == 1.0
    assert math.isnan(maximum(1.0, math.nan))
    assert math.copysign(1.0, maximum(-0.0, 0.0)) == 1.0


def test_small_floats_round_to_nearest_even():
    values = np.array([1.0, 1.00390625, 1.01171875, -3.1415927, 65504.0, 1e-7], np.float32)
    bits = apply("llvm.fptrunc %x : f32 to bf16", values, np.uint16, ("f32", "bf16"))
    wide = values.view(np.uint32).astype(np.uint64)
    expected = (wide + 0x7FFF + (wide >> 16 & 1)) >> 16
    np.testing.assert_array_equal(bits, expected)


def test_half_arithmetic():
    values = np.array([0.1, 2.5, -7.0], np.float16)
    result = apply("llvm.fmul %x, %x : f16", values, np.float16, ("f16", "f16"))
    np.testing.assert_array_equal(result, values * values)
