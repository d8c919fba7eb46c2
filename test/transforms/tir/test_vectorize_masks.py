"""Vector code under masks: branches that lanes take differently."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lowering_support import check_all_stages, lower, lowered, outputs, parse, text_of
from property_tests import examples

import kc
from kc import te
from kc.support.diagnostics import diagnostic_handler
from kc.transforms.tir.vectorize.vectorize_loop import VectorizeLoopPass


def vectorized(text: str, bits: int = 256) -> str:
    return lowered(text, VectorizeLoopPass(bits))


def program(body: str, args: str = "%A: memref<8xf32>, %B: memref<8xf32>") -> str:
    return f"func.func @f({args}) {{\n{body}\nfunc.return\n}}"


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).integers(-9, 9, shape).astype(np.float32)


def check(body: str, args: str, *values: np.ndarray, lanes: int = 8) -> str:
    """The vector code of a loop; all stages compute the same, and no warning is given.

    The interpreter refuses accesses outside of buffers, those of inactive lanes too.
    """
    text = program(body, args)
    module = parse(text)
    assert lower(module, [VectorizeLoopPass(256)]) == []
    got = text_of(module)
    assert f"vector<{lanes}x" in got
    assert "vectorized" not in got
    check_all_stages(text, list(values))
    return got


ROW = "%A: memref<8xf32>, %B: memref<8xf32>"


def test_a_lazy_value():
    """A[j - 1] where there is one, else 0: lane 0 must not be loaded."""
    got = check(
        """tir.for %j in 8 vectorized {
          %one = arith.constant 1 : index
          %c = arith.cmpi sge, %j, %one : index
          %x = scf.if %c -> (f32) {
            %a = tir.load %A[%j - 1] : memref<8xf32>
            scf.yield %a : f32
          } else {
            %z = arith.constant 0.0 : f32
            scf.yield %z : f32
          }
          tir.store %x, %B[%j] : memref<8xf32>
        }""",
        ROW,
        floats(8),
        floats(8),
    )
    assert "vector.maskedload %A" in got
    assert "scf.if" not in got
    assert "arith.select" not in got  # the lanes that are not loaded are 0 already


def test_both_branches_load_and_compute():
    got = check(
        """tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<8xf32>
          %z = arith.constant 0.0 : f32
          %c = arith.cmpf olt, %a, %z : f32
          %x, %y = scf.if %c -> (f32, i32) {
            %b = tir.load %B[%j] : memref<8xf32>
            %p = arith.mulf %a, %b : f32
            %i = arith.constant 3 : i32
            scf.yield %p, %i : f32, i32
          } else {
            %b = tir.load %B[7 - %j] : memref<8xf32>
            %q = arith.addf %a, %b : f32
            %i = arith.index_cast %j : index to i32
            scf.yield %q, %i : f32, i32
          }
          %w = arith.sitofp %y : i32 to f32
          %s = arith.addf %x, %w : f32
          tir.store %s, %A[%j] : memref<8xf32>
        }""",
        ROW,
        floats(8),
        floats(8),
    )
    assert got.count("vector.maskedload") == 1
    assert got.count("scf.if") == 8  # the loads of 7 - j
    assert got.count("arith.select") == 2


def test_stores_in_branches():
    got = check(
        """tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<8xf32>
          %z = arith.constant 0.0 : f32
          %c = arith.cmpf olt, %a, %z : f32
          scf.if %c {
            tir.store %z, %B[%j] : memref<8xf32>
          } else {
            tir.store %a, %C[7 - %j] : memref<8xf32>
          }
        }""",
        f"{ROW}, %C: memref<8xf32>",
        floats(8),
        floats(8),
        floats(8),
    )
    assert "vector.maskedstore %B" in got
    assert got.count("scf.if") == 8


def test_the_last_active_lane_stays_in_a_single_element():
    check(
        """tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<8xf32>
          %z = arith.constant 0.0 : f32
          %c = arith.cmpf olt, %a, %z : f32
          scf.if %c {
            tir.store %a, %B[3] : memref<8xf32>
          }
        }""",
        ROW,
        floats(8),
        floats(8),
    )


def test_nested_branches():
    got = check(
        """tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<8xf32>
          %z = arith.constant 0.0 : f32
          %four = arith.constant 4 : index
          %c = arith.cmpf olt, %a, %z : f32
          %d = arith.cmpi slt, %j, %four : index
          scf.if %c {
            %x = scf.if %d -> (f32) {
              %b = tir.load %B[%j + 4] : memref<8xf32>
              scf.yield %b : f32
            } else {
              scf.yield %a : f32
            }
            tir.if (%j >= 2) {
              tir.store %x, %B[%j] : memref<8xf32>
            } else {
              tir.store %z, %A[%j] : memref<8xf32>
            }
          }
        }""",
        ROW,
        floats(8),
        floats(8),
    )
    assert got.count("vector.maskedstore") == 2
    assert "scf.if" not in got
    assert "_lane" not in got


def test_what_lanes_agree_on_stays_a_branch():
    got = check(
        """tir.for %i in 4 {
          tir.for %j in 8 vectorized {
            %one = arith.constant 1 : index
            %three = arith.constant 3 : index
            %c = arith.cmpi slt, %i, %three : index
            %d = arith.cmpi sge, %j, %one : index
            %e = arith.andi %c, %d : i1
            %x = scf.if %e -> (f32) {
              %a = tir.load %A[%i, %j - 1] : memref<3x8xf32>
              scf.yield %a : f32
            } else {
              %z = arith.constant 7.0 : f32
              scf.yield %z : f32
            }
            %y = scf.if %c -> (f32) {
              %a = tir.load %A[%i, 0] : memref<3x8xf32>
              scf.yield %a : f32
            } else {
              %z = arith.constant 5.0 : f32
              scf.yield %z : f32
            }
            %s = arith.addf %x, %y : f32
            tir.store %s, %B[%i, %j] : memref<4x8xf32>
          }
        }""",
        "%A: memref<3x8xf32>, %B: memref<4x8xf32>",
        floats(3, 8),
        floats(4, 8),
    )
    assert "scf.if %c -> (vector<8xf32>)" in got
    assert "scf.if %c -> (f32)" in got


def test_an_element_that_all_lanes_load_is_loaded_if_a_lane_is_active():
    got = check(
        """tir.for %i in 3 {
          tir.for %j in 8 vectorized {
            %a = tir.load %A[%j] : memref<8xf32>
            %n = arith.index_cast %i : index to i32
            %f = arith.sitofp %n : i32 to f32
            %ten = arith.constant 10.0 : f32
            %t = arith.mulf %f, %ten : f32
            %c = arith.cmpf ogt, %a, %t : f32
            %x = scf.if %c -> (f32) {
              %b = tir.load %B[%i] : memref<?xf32>
              %d = tir.load %A[%i] : memref<8xf32>
              %s = arith.addf %b, %d : f32
              scf.yield %s : f32
            } else {
              scf.yield %a : f32
            }
            tir.store %x, %C[%i, %j] : memref<3x8xf32>
          }
        }""",
        "%A: memref<8xf32>, %B: memref<?xf32>, %C: memref<3x8xf32>",
        floats(8),
        floats(1),  # B[1] and B[2] are not there, and no lane asks for them
        floats(3, 8),
    )
    assert "vector.reduction <or>" in got
    assert got.count("scf.if") == 1  # A[i] is there in any case


@pytest.mark.parametrize("op", ["divsi", "remsi", "divui", "remui", "floordivsi", "ceildivsi"])
def test_inactive_lanes_do_not_divide(op):
    body = f"""tir.for %j in 8 vectorized {{
      %a = tir.load %A[%j] : memref<8xi32>
      %z = arith.constant 0 : i32
      %n = tir.load %N[0] : memref<1xi32>
      %c = arith.cmpi ne, %a, %z : i32
      %d = arith.cmpi ne, %n, %z : i32
      %e = arith.andi %c, %d : i1
      %x = scf.if %e -> (i32) {{
        %hundred = arith.constant 100 : i32
        %p = arith.{op} %hundred, %a : i32
        %q = arith.{op} %hundred, %n : i32
        %r = arith.addi %p, %q : i32
        scf.yield %r : i32
      }} else {{
        %b = tir.load %A[%j] : memref<8xi32>
        scf.yield %b : i32
      }}
      tir.store %x, %B[%j] : memref<8xi32>
    }}"""
    args = "%A: memref<8xi32>, %N: memref<1xi32>, %B: memref<8xi32>"
    values = np.array([3, 0, 7, -1, 0, 0, 9, 1], np.int32)
    for n in (0, 7):
        check(body, args, values, np.array([n], np.int32), np.zeros(8, np.int32))


@pytest.mark.parametrize("op", ["divsi", "remui", "floordivsi"])
def test_inactive_lanes_do_not_divide_indices(op):
    """By %j, which is 0 in the first lane, and by %n, which is 0 in the first call."""
    body = f"""tir.for %j in 8 vectorized {{
      %n32 = tir.load %N[0] : memref<1xi32>
      %n = arith.index_cast %n32 : i32 to index
      %zero = arith.constant 0 : index
      %c = arith.cmpi ne, %j, %zero : index
      %d = arith.cmpi ne, %n, %zero : index
      %e = arith.andi %c, %d : i1
      %x = scf.if %e -> (i32) {{
        %hundred = arith.constant 100 : index
        %p = arith.{op} %hundred, %j : index
        %q = arith.{op} %hundred, %n : index
        %r = arith.addi %p, %q : index
        %s = arith.index_cast %r : index to i32
        scf.yield %s : i32
      }} else {{
        %b = tir.load %B[%j] : memref<8xi32>
        scf.yield %b : i32
      }}
      tir.store %x, %B[%j] : memref<8xi32>
    }}"""
    for n in (0, 7):
        check(
            body,
            "%N: memref<1xi32>, %B: memref<8xi32>",
            np.array([n], np.int32),
            np.arange(8, dtype=np.int32),
        )


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64"])
def test_types(dtype):
    """Through native code: B = A shifted by one, with its first element kept."""
    A = te.placeholder((40,), dtype, name="A")
    B = te.compute(
        (40,),
        lambda i: te.if_then_else(te.all(i >= 1, i < 37), A[i - 1], te.const(1, dtype)),
        name="B",
    )
    s = te.create_schedule(B.op)
    s[B].vectorize(B.op.axis[0])
    said = []
    with diagnostic_handler(said.append):
        kernel = kc.build(
            s, [A, B], target="llvm -mcpu=x86-64-v3 -mtriple=x86_64-unknown-linux-gnu"
        )
    assert said == []
    a = np.random.default_rng(1).integers(0, 2 if dtype == "bool" else 99, 40).astype(dtype)
    expected = np.ones(40, dtype)
    expected[1:37] = a[:36]
    np.testing.assert_array_equal(kernel(a), expected)


def test_loops_under_masks():
    got = check(
        """tir.for %i in 3 {
        tir.for %j in 8 vectorized {
          %a = tir.load %A[%j] : memref<8xf32>
          %z = arith.constant 0.0 : f32
          %c = arith.cmpf olt, %a, %z : f32
          scf.if %c {
            tir.for %k in 3 {
              %b = tir.load %M[%k, %j] : memref<3x8xf32>
              %s = arith.addf %b, %a : f32
              tir.store %s, %M[%k, %j] : memref<3x8xf32>
            }
          }
        }
        }""",
        "%A: memref<8xf32>, %M: memref<3x8xf32>",
        floats(8),
        floats(3, 8),
    )
    assert "vector.reduction <or>" in got
    assert "tir.for %k in 3" in got


def test_indices_that_are_loaded_under_masks():
    check(
        """tir.for %j in 8 vectorized {
          %p = tir.load %P[%j] : memref<8xi32>
          %z = arith.constant 0 : i32
          %c = arith.cmpi sge, %p, %z : i32
          %x = scf.if %c -> (f32) {
            %q = arith.index_cast %p : i32 to index
            %a = tir.load %A[%q] : memref<8xf32>
            scf.yield %a : f32
          } else {
            %f = arith.sitofp %p : i32 to f32
            scf.yield %f : f32
          }
          scf.if %c {
            %q = arith.index_cast %p : i32 to index
            tir.store %x, %B[%q] : memref<8xf32>
          }
        }""",
        "%P: memref<8xi32>, %A: memref<8xf32>, %B: memref<8xf32>",
        np.array([3, -1, 4, -2, 5, 5, 2, -100], np.int32),
        floats(8),
        floats(8),
    )


def test_a_branch_that_cannot_be_masked_keeps_the_loop_serial():
    text = program(
        """tir.for %j in 8 vectorized {
          %one = arith.constant 1 : index
          %c = arith.cmpi sge, %j, %one : index
          %x = scf.if %c -> (f32) {
            %q, %r = tir.delinearize %j by [%n, %j]
            %a = tir.load %A[%r] : memref<8xf32>
            scf.yield %a : f32
          } else {
            %z = arith.constant 0.0 : f32
            scf.yield %z : f32
          }
          tir.store %x, %B[%j] : memref<8xf32>
        }""",
        f"{ROW}, %n: index",
    )
    module = parse(text)
    (warning,) = lower(module, [VectorizeLoopPass(256)])
    assert (warning.code, warning.why) == (
        "KC4211",
        "lanes take different branches, which it cannot mask",
    )
    assert "vector<" not in text_of(module)


INDEX = st.sampled_from(["%j", "%j + 1", "%j - 2", "%i + %j", "%j * 2", "5 - %j", "%i"])
CONDITION = st.sampled_from(
    [
        *(
            f"cmpi {predicate}, %j, %bound : index"
            for predicate in ("slt", "sle", "sge", "eq", "ne")
        ),
        "cmpi sgt, %ij, %bound : index",
        "cmpi slt, %i, %bound : index",
        "cmpf olt, %a, %zero : f32",
    ]
)


@st.composite
def branches(draw, store: str, path: str = "", depth: int = 2) -> str:
    """A branch around a guarded load, and what is done with it; names end in ``path``."""
    parts = [
        draw(branches(store, f"{path}_{n}", depth - 1)) if depth and draw(st.booleans()) else ""
        for n in range(2)
    ]
    load, otherwise = draw(INDEX), draw(st.sampled_from(["%a", "%zero"]))
    code = f"""
      %bound = arith.constant {draw(st.integers(-1, 9))} : index
      %p = arith.{draw(CONDITION)}
      %q = arith.{draw(CONDITION)}
      %c = arith.{draw(st.sampled_from(["andi", "ori"]))} %p, %q : i1
      %x = scf.if %c -> (f32) {{
        %load = tir.apply ({load})
        %low = arith.cmpi sge, %load, %origin : index
        %high = arith.cmpi slt, %load, %end : index
        %in = arith.andi %low, %high : i1
        %w = scf.if %in -> (f32) {{
          %u = tir.load %A[{load}] : memref<16xf32>
          scf.yield %u : f32
        }} else {{
          scf.yield %a : f32
        }}
        THEN
        scf.yield %w : f32
      }} else {{
        ELSE
        scf.yield {otherwise} : f32
      }}
      tir.if (%j - {draw(st.integers(0, 3))} >= 0) {{
        tir.store %x, %B[%i, {store}] : memref<3x16xf32>
      }}
    """
    code = re.sub(r"%(bound|p|q|c|x|load|low|high|in|w|u)\b", rf"%\1{path}", code)
    return code.replace("THEN", parts[0]).replace("ELSE", parts[1])


@st.composite
def programs(draw) -> str:
    # Where an iteration stores: no two store to the same place.
    store, extents = draw(
        st.sampled_from([("%j", (6, 8, 12, 16)), ("15 - %j", (8, 13)), ("%j * 2", (7, 8))])
    )
    return program(
        f"""
        %zero = arith.constant 0.0 : f32
        %origin = arith.constant 0 : index
        %end = arith.constant 16 : index
        tir.for %i in 3 {{
          tir.for %j in {draw(st.sampled_from(extents))} vectorized {{
            %ij = tir.apply (%i + %j)
            %a = tir.load %A[%j] : memref<16xf32>
            {draw(branches(store))}
          }}
        }}""",
        "%A: memref<16xf32>, %B: memref<3x16xf32>",
    )


@examples(15)
@given(programs())
def test_random_branches(text):
    args = [floats(16), np.zeros((3, 16), np.float32)]
    check_all_stages(text, args)
    expected = outputs(parse(text), args)[1]
    kernel = kc.build(kc.IRModule.parse(text.replace("@f(", "@main(")))
    out = args[1].copy()
    kernel(args[0], out)
    np.testing.assert_array_equal(out, expected)


GUARDED = """tir.for %j in 32 vectorized {{
          tir.if (%j < %n) {{
            %a = tir.load %A[%j] : memref<?xf32>
            %b = arith.addf %a, %a : f32
            tir.store %b, %B[%j] : memref<?xf32>
          }}{orelse}
        }}"""


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 31, 32])
def test_the_end_of_a_row_is_one_native_vector_where_that_is_enough(count: int):
    """Of a vector of four native ones, the others are left out where their lanes are inactive."""
    args = "%n: index, %A: memref<?xf32>, %B: memref<?xf32>"
    text = program(GUARDED.format(orelse=""), args)
    got = vectorized(text)
    assert re.findall(r"maskedload .*into (\S+)", got) == ["vector<32xf32>", "vector<8xf32>"]
    assert "tir.if (%n >= 9)" in got
    check_all_stages(text, [count, floats(count), floats(count)])


def test_all_lanes_are_computed_where_those_of_no_guard_store():
    """Lanes in which a condition does not hold have something to do, too."""
    orelse = """ else {{
            %z = arith.constant 0.0 : f32
            tir.store %z, %B[%j] : memref<?xf32>
          }}"""
    text = program(
        GUARDED.format(orelse=orelse.format()), "%n: index, %A: memref<?xf32>, %B: memref<?xf32>"
    )
    assert "vector<8xf32>" not in vectorized(text)
    check_all_stages(text, [3, floats(3), floats(32)])
