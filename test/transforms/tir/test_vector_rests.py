"""Remainders of whole vectors: under masks, overlapping, or in narrower vectors."""

from __future__ import annotations

import numpy as np
import pytest
from guarded_arrays import ENDS, guarded
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import check_all_stages, lower, lowered, outputs, parse
from property_tests import examples

import kc
from kc import te
from kc.dialects.tir import ForOp
from kc.transforms.tir.vectorize.vectorize_loop import VectorizeLoopPass

BODIES = {
    "copy": """%a = tir.load %A[{i}] : memref<?x{t}>
      tir.store %a, %B[{i}] : memref<?x{t}>""",
    "update": """%a = tir.load %A[{i}] : memref<?x{t}>
      %b = tir.load %B[{i}] : memref<?x{t}>
      %c = arith.addi %a, %b : {t}
      tir.store %c, %B[{i}] : memref<?x{t}>""",
    "sum": """tir.for %k in 3 {{
        %a = tir.load %A[{i}] : memref<?x{t}>
        %b = tir.load %B[{i}] : memref<?x{t}>
        %c = arith.addi %a, %b : {t}
        tir.store %c, %B[{i}] : memref<?x{t}>
      }}""",
    "shift": """%a = tir.load %B[{i} + 1] : memref<?x{t}>
      tir.store %a, %B[{i}] : memref<?x{t}>""",
    "number": """%x = tir.apply ({i})
      %a = arith.index_cast %x : index to {t}
      tir.store %a, %B[{i}] : memref<?x{t}>""",
}
LOOPS = {
    "constant": "tir.for %j in {n} vectorized {{ {body} }}",
    "symbolic": "tir.for %j in %n vectorized {{ {body} }}",
    "guarded": """tir.for %o in 4 {{
      tir.for %l in {w} vectorized {{
        %j = tir.apply (%o * {w} + %l)
        tir.if (%j < %n) {{ {body} }}
      }}
    }}""",
}


def program(loop: str, body: str, type_: str, n: int, w: int) -> str:
    code = LOOPS[loop].format(n=n, w=w, body=BODIES[body].format(i="%j", t=type_))
    args = f"%A: memref<?x{type_}>, %B: memref<?x{type_}>, %n: index"
    return f"func.func @f({args}) {{\n{code}\nfunc.return\n}}"


def expected(body: str, a: np.ndarray, b: np.ndarray, n: int) -> np.ndarray:
    n = max(0, n)
    result = b.copy()
    if body == "copy":
        result[:n] = a[:n]
    elif body == "shift":
        result[:n] = b[1 : n + 1]
    elif body == "number":
        result[:n] = np.arange(n)
    else:
        result[:n] += a[:n] * (3 if body == "sum" else 1)
    return result


@examples(40)
@given(
    st.sampled_from(sorted(LOOPS)),
    st.sampled_from(sorted(BODIES)),
    st.sampled_from(["i8", "i16", "i32", "i64"]),
    st.integers(0, 40),
    st.sampled_from([8, 16, 32]),
    st.sampled_from([64, 128, 256, 512]),
)
def test_any_rest(loop, body, type_, n, w, bits):
    """The interpreter refuses accesses outside of arrays, which have not an element too many."""
    if loop == "guarded":
        n = min(n, 4 * w)
    text = program(loop, body, type_, n, w)
    dtype = np.dtype(f"int{type_[1:]}")
    rng = np.random.default_rng(n)
    a = rng.integers(-9, 9, n).astype(dtype)
    b = rng.integers(-9, 9, n + (1 if body == "shift" else 0)).astype(dtype)
    _, got = outputs(parse(text), [a, b, n])
    np.testing.assert_array_equal(got, expected(body, a, b, n))
    check_all_stages(text, [a, b, n], bits)


def test_a_negative_extent_is_no_iteration():
    text = program("symbolic", "copy", "i32", 0, 8)
    a, b = np.arange(8, dtype=np.int32), np.zeros(8, np.int32)
    for n in (-1, -8, -13):
        _, got = outputs(parse(lowered(text, VectorizeLoopPass(256))), [a, b, n])
        np.testing.assert_array_equal(got, b)


def test_a_loop_that_stays_leaves_no_uses_behind():
    text = """func.func @f(%A: memref<?xi32>, %n: index) {
      tir.for %j in %n vectorized {
        %t = tir.alloc "t" : memref<1xi32>
        %a = tir.load %A[%j] : memref<?xi32>
        tir.store %a, %t[0] : memref<1xi32>
      }
      func.return
    }"""
    module = parse(text)
    (warning,) = lower(module, [VectorizeLoopPass(256)])
    assert (warning.code, warning.why) == ("KC4211", "each iteration has its own buffer t")
    (loop,) = (op for op in module.walk() if isinstance(op, ForOp))
    assert loop.dynamic_extent is not None
    assert [use.operation for use in loop.dynamic_extent.uses] == [loop]


@pytest.mark.parametrize(
    ("loop", "body", "type_", "bits", "present", "absent"),
    [
        # One vector under a mask, also where it is the only one.
        (
            "constant",
            "copy",
            "i32",
            256,
            ["true, false]> : vector<8xi1>", "maskedstore"],
            ["%j in"],
        ),
        ("symbolic", "copy", "i32", 256, ["maskedload", "maskedstore"], ["tir.for %j in"]),
        ("symbolic", "copy", "i8", 512, ["maskedload", "vector<64xi8>"], ["tir.for %j in"]),
        ("guarded", "copy", "i32", 256, ["maskedload", "maskedstore"], ["_lane"]),
        # x86 has masks for bytes in 512 bits alone: the last whole vector again.
        ("constant", "copy", "i8", 128, ["%A[15]", "vector<16xi8>"], ["mask", "%j in"]),
        ("symbolic", "copy", "i8", 256, ["- 32] : memref<?xi8>, vector<32xi8>"], ["mask"]),
        # A loop that loads what it stores does nothing twice: vectors of half the lanes, ...
        ("symbolic", "shift", "i16", 128, ["vector<4xi16>", "vector<2xi16>"], ["mask", "- 8]"]),
        ("constant", "update", "i8", 128, ["vector<8xi8>", "vector<4xi8>"], ["mask", "%B[15]"]),
        # ... and what stores under a mask does not soon load again.
        ("symbolic", "sum", "i32", 256, ["vector<4xi32>", "vector<2xi32>"], ["mask"]),
        ("guarded", "copy", "i8", 128, ["vector<8xi8>", "vector<4xi8>", "%l_lane in"], ["mask"]),
    ],
)
def test_the_way_that_is_chosen(loop, body, type_, bits, present, absent):
    got = lowered(program(loop, body, type_, 31, 32), VectorizeLoopPass(bits))
    for snippet in present:
        assert snippet in got
    for snippet in absent:
        assert snippet not in got
    assert "vectorized" not in got


def chain(dtype: str, symbolic: bool) -> list[te.Tensor]:
    n = te.var("n") if symbolic else 31
    A = te.placeholder((n,), dtype, name="A")
    B = te.compute((n,), lambda i: A[i] * A[i] + A[i], name="B")
    return [A, B]


@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_native_code_stays_inside_of_arrays(dtype):
    """A symbolic size in vectors of 16, with nothing behind the arrays, and nothing in front."""
    args = chain(dtype, True)
    schedule = te.create_schedule(args[-1].op)
    stage = schedule[args[-1]]
    _, inner = stage.split(stage.op.axis[0], factor=16)
    stage.vectorize(inner)
    for target in ("llvm", "llvm -vector-width=128"):
        f = kc.build(schedule, args, target=target)
        for n in (1, 5, 15, 16, 17, 31, 47):
            for at in ENDS:
                a = guarded(np.random.default_rng(n).integers(-5, 5, n).astype(dtype), at)
                b = guarded(np.zeros(n, dtype), at)
                f(a, b)
                np.testing.assert_array_equal(b, a * a + a)


@pytest.mark.parametrize(
    ("cpu", "instructions"),
    [("znver3", ["vmaskmovps"]), ("x86-64-v4", ["{%k1}"])],
)
def test_masks_are_instructions(cpu, instructions):
    """31 floats: whole vectors and one under a mask, in which no lane is alone."""
    args = chain("float32", False)
    schedule = te.create_schedule(args[-1].op)
    stage = schedule[args[-1]]
    stage.vectorize(stage.op.axis[0])
    asm = kc.build(schedule, args, target=f"llvm -mcpu={cpu}").get_source("asm")
    for instruction in instructions:
        assert instruction in asm
    assert "mulss" not in asm
    assert "addss" not in asm


def test_code_for_conditions_in_conditions_is_bounded():
    """Each condition is met by vectors of several widths, which multiplied without an end."""
    depth = 6
    body = "%a = tir.load %A[%j] : memref<64xi8>\ntir.store %a, %B[%j] : memref<64xi8>"
    for number in range(depth):
        body = (
            f"tir.if (%j < %m{number}) {{\n%c{number} = tir.load %A[%j] : memref<64xi8>\n"
            f"tir.store %c{number}, %B[%j] : memref<64xi8>\n{body}\n}}"
        )
    sizes = "".join(f", %m{number}: index" for number in range(depth))
    module = parse(
        f"func.func @f(%A: memref<64xi8>, %B: memref<64xi8>, %n: index{sizes}) {{\n"
        f"tir.for %j in %n vectorized {{\n{body}\n}}\nfunc.return\n}}"
    )
    values = [60 - 3 * number for number in range(depth)]
    A = np.arange(64, dtype=np.int8)
    lower(module, [VectorizeLoopPass(256)])
    assert sum(1 for _ in module.walk()) < 5_000
    _, B, *_ = outputs(module, [A, np.zeros(64, np.int8), 61, *values])
    np.testing.assert_array_equal(B, np.where(np.arange(64) < min(values), A, 0))
