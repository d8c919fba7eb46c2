"""Functions, memory, vectors and control flow, lowered to the llvm dialect and run."""

from __future__ import annotations

import numpy as np
import pytest
from llvm_jit import call, lower, to_text

RANDOM = np.random.default_rng(7)
C = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c8 = arith.constant 8 : index
"""


def f32(*shape: int) -> np.ndarray:
    return RANDOM.random(shape, np.float32)


# Memory


@pytest.mark.parametrize(
    "ty",
    ["3x4x5xf32", "?x4x5xf32", "?x?x5xf32", "?x?x?xf32", "3x?x5xf32", "3x4x?xf32", "3x?x?xf32"],
)
def test_addresses_of_every_kind_of_shape(ty: str):
    a, out = f32(3, 4, 5), np.zeros((3, 4, 5), np.float32)
    call(
        f"""
        func.func @f(%a: memref<{ty}>, %out: memref<{ty}>) {{ {C}
          %n0 = memref.dim %a, %c0 : memref<{ty}>
          %n1 = memref.dim %a, %c1 : memref<{ty}>
          %n2 = memref.dim %a, %c2 : memref<{ty}>
          scf.for %i = %c0 to %n0 step %c1 {{
            scf.for %j = %c0 to %n1 step %c1 {{
              scf.for %k = %c0 to %n2 step %c1 {{
                %x = memref.load %a[%i, %j, %k] : memref<{ty}>
                %r = arith.subi %n2, %k : index
                %l = arith.subi %r, %c1 : index
                memref.store %x, %out[%i, %j, %l] : memref<{ty}>
              }}
            }}
          }}
          func.return
        }}""",
        *(a, out),
    )
    np.testing.assert_array_equal(out, a[:, :, ::-1])


def test_constant_indices_and_scalars_in_memory():
    a, s = f32(4, 8), np.array(2.5, np.float32)
    expected = a.copy()
    expected[2, 3] = s
    expected[0, 0] = a[1, 0]
    call(
        f"""
        func.func @f(%a: memref<4x8xf32>, %s: memref<f32>) {{ {C}
          %x = memref.load %s[] : memref<f32>
          memref.store %x, %a[%c2, %c3] : memref<4x8xf32>
          %y = memref.load %a[%c1, %c0] : memref<4x8xf32>
          memref.store %y, %a[%c0, %c0] : memref<4x8xf32>
          memref.store %y, %s[] : memref<f32>
          func.return
        }}""",
        *(a, s),
    )
    np.testing.assert_array_equal(a, expected)
    assert s == a[1, 0]


def test_index_beyond_32_bits_is_not_truncated():
    text = to_text(
        lower("""
        func.func @f(%a: memref<?xi8>) {
          %far = arith.constant 4294967296 : index
          %x = memref.load %a[%far] : memref<?xi8>
          memref.store %x, %a[%far] : memref<?xi8>
          func.return
        }""")
    )
    assert "llvm.mlir.constant(4294967296 : i64) : i64" in text
    assert "[0]" not in text


@pytest.mark.parametrize("n", [0, 1, 37])
def test_dynamic_allocation(n: int):
    a, out = f32(n, 3), np.zeros((n, 3), np.float32)
    call(
        f"""
        func.func @f(%a: memref<?x3xf32>, %out: memref<?x3xf32>, %n: index) {{ {C}
          %t = memref.alloc(%n) : memref<?x3xf32>
          "memref.copy"(%a, %t) : (memref<?x3xf32>, memref<?x3xf32>) -> ()
          scf.for %i = %c0 to %n step %c1 {{
            scf.for %j = %c0 to %c3 step %c1 {{
              %x = memref.load %t[%i, %j] : memref<?x3xf32>
              %y = arith.addf %x, %x : f32
              memref.store %y, %out[%i, %j] : memref<?x3xf32>
            }}
          }}
          memref.dealloc %t : memref<?x3xf32>
          func.return
        }}""",
        *(a, out, n),
    )
    np.testing.assert_array_equal(out, a + a)


def test_allocations_are_aligned_to_a_cache_line():
    text = to_text(
        lower("""
        func.func @f(%n: index) {
          %a = memref.alloc() : memref<5xi8>
          %b = memref.alloc(%n) {alignment = 256} : memref<?xf64>
          %c = memref.alloca() : memref<2x3xf32>
          memref.dealloc %a : memref<5xi8>
          memref.dealloc %b : memref<?xf64>
          func.return
        }""")
    )
    assert "llvm.mlir.constant(64 : i64)" in text  # 5 bytes, padded to the alignment
    assert "llvm.mlir.constant(-256 : i64)" in text
    assert "!llvm.array<6 x f32> {alignment = 64 : i64}" in text
    assert text.count("llvm.func @aligned_alloc") == text.count("llvm.func @free") == 1


def test_alloca_in_a_loop_is_one_slot_in_the_entry_block():
    text = f"""
    func.func @f(%a: memref<8xf32>) {{ {C}
      scf.for %i = %c0 to %c8 step %c1 {{
        %t = memref.alloca() : memref<4xf32>
        %x = memref.load %a[%i] : memref<8xf32>
        memref.store %x, %t[%c3] : memref<4xf32>
        %y = memref.load %t[%c3] : memref<4xf32>
        %z = arith.mulf %y, %y : f32
        memref.store %z, %a[%i] : memref<8xf32>
      }}
      func.return
    }}"""
    lowered = to_text(lower(text))
    assert lowered.index("llvm.alloca") < lowered.index("^bb1")
    a = f32(8)
    expected = a * a
    call(text, a)
    np.testing.assert_array_equal(a, expected)


def test_allocas_that_live_together_stay_apart():
    """A buffer of this iteration and one of the last: no single slot can be both."""
    a = f32(8)
    expected = np.concatenate([[0], a[:-1]]).astype(np.float32)
    call(
        f"""
        func.func @f(%a: memref<8xf32>) {{ {C}
          %zero = arith.constant 0.0 : f32
          %first = memref.alloca() : memref<1xf32>
          memref.store %zero, %first[%c0] : memref<1xf32>
          %last = scf.for %i = %c0 to %c8 step %c1 iter_args(%old = %first) -> (memref<1xf32>) {{
            %new = memref.alloca() : memref<1xf32>
            %x = memref.load %a[%i] : memref<8xf32>
            memref.store %x, %new[%c0] : memref<1xf32>
            %y = memref.load %old[%c0] : memref<1xf32>
            memref.store %y, %a[%i] : memref<8xf32>
            scf.yield %new : memref<1xf32>
          }}
          func.return
        }}""",
        a,
    )
    np.testing.assert_array_equal(a, expected)


def test_swapped_buffers():
    a, b = f32(4), np.zeros(4, np.float32)
    expected = a + 5
    call(
        f"""
        func.func @f(%a: memref<4xf32>, %b: memref<4xf32>) {{ {C}
          %one = arith.constant 1.0 : f32
          %c4 = arith.constant 4 : index
          %c5 = arith.constant 5 : index
          %da = "memref.cast"(%a) : (memref<4xf32>) -> memref<?xf32>
          %db = "memref.cast"(%b) : (memref<4xf32>) -> memref<?xf32>
          %p, %q = scf.for %t = %c0 to %c5 step %c1 iter_args(%from = %da, %to = %db)
              -> (memref<?xf32>, memref<?xf32>) {{
            %n = memref.dim %from, %c0 : memref<?xf32>
            scf.for %i = %c0 to %n step %c1 {{
              %x = memref.load %from[%i] : memref<?xf32>
              %y = arith.addf %x, %one : f32
              memref.store %y, %to[%i] : memref<?xf32>
            }}
            scf.yield %to, %from : memref<?xf32>, memref<?xf32>
          }}
          func.return
        }}""",
        *(a, b),
    )
    np.testing.assert_allclose(b, expected, rtol=1e-6)


def test_selected_memref():
    for flag in (0, 1):
        a, b, out = f32(4), f32(4), np.zeros(4, np.float32)
        call(
            f"""
            func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %out: memref<4xf32>, %f: i1) {{ {C}
              %s = arith.select %f, %a, %b : memref<4xf32>
              %t = scf.if %f -> (memref<4xf32>) {{
                scf.yield %b : memref<4xf32>
              }} else {{
                scf.yield %a : memref<4xf32>
              }}
              %x = memref.load %s[%c1] : memref<4xf32>
              %y = memref.load %t[%c2] : memref<4xf32>
              memref.store %x, %out[%c1] : memref<4xf32>
              memref.store %y, %out[%c2] : memref<4xf32>
              func.return
            }}""",
            *(a, b, out, flag),
        )
        assert out[1] == (a if flag else b)[1]
        assert out[2] == (b if flag else a)[2]


def test_booleans_are_bytes_in_memory():
    a = np.array([True, False, False, True, True, False, True, False])
    out = np.zeros(8, np.bool_)
    call(
        f"""
        func.func @f(%a: memref<8xi1>, %out: memref<8xi1>, %flip: i1) {{ {C}
          %v = vector.load %a[%c0] : memref<8xi1>, vector<8xi1>
          vector.store %v, %out[%c0] : memref<8xi1>, vector<8xi1>
          %x = memref.load %a[%c3] : memref<8xi1>
          %y = arith.xori %x, %flip : i1
          memref.store %y, %out[%c3] : memref<8xi1>
          func.return
        }}""",
        *(a, out, 1),
    )
    expected = a.copy()
    expected[3] ^= True
    np.testing.assert_array_equal(out, expected)
    assert set(out.view(np.uint8)) <= {0, 1}


def test_constant_table():
    out = np.zeros((2, 3), np.int32)
    call(
        f"""
        "memref.global"() <{{
          sym_name = "t", sym_visibility = "private", type = memref<2x3xi32>, constant,
          initial_value = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
        }}> : () -> ()
        func.func @f(%out: memref<2x3xi32>) {{ {C}
          %t = memref.get_global @t : memref<2x3xi32>
          "memref.copy"(%t, %out) : (memref<2x3xi32>, memref<2x3xi32>) -> ()
          func.return
        }}""",
        out,
    )
    np.testing.assert_array_equal(out, [[1, 2, 3], [4, 5, 6]])


# Vectors


def test_vector_operations():
    a, out = f32(16), np.zeros((8, 8), np.float32)
    index = 5
    call(
        f"""
        func.func @f(%a: memref<16xf32>, %out: memref<8x8xf32>, %i: index) {{ {C}
          %c4 = arith.constant 4 : index
          %c5 = arith.constant 5 : index
          %c6 = arith.constant 6 : index
          %two = arith.constant dense<2.0> : vector<8xf32>
          %half = arith.constant 0.5 : f32
          %v = vector.load %a[%c0] : memref<16xf32>, vector<8xf32>
          %w = vector.load %a[%c3] : memref<16xf32>, vector<8xf32>
          %short = vector.load %a[%c8] : memref<16xf32>, vector<4xf32>
          %x = memref.load %a[%i] : memref<16xf32>
          %bx = vector.broadcast %x : f32 to vector<8xf32>
          %bh = vector.broadcast %half : f32 to vector<8xf32>
          %same = vector.broadcast %v : vector<8xf32> to vector<8xf32>
          %fma = vector.fma %v, %two, %bx : vector<8xf32>
          %prod = arith.mulf %same, %bh : vector<8xf32>
          %e = vector.extract %v[3] : f32 from vector<8xf32>
          %d = vector.extract %v[%i] : f32 from vector<8xf32>
          %i0 = vector.insert %e, %w [6] : f32 into vector<8xf32>
          %i1 = vector.insert %d, %i0 [%i] : f32 into vector<8xf32>
          %s = vector.shuffle %v, %w [0, 8, 7, 15, 3, 3, 9, 1] : vector<8xf32>, vector<8xf32>
          %m = vector.shuffle %short, %v [0, 4, 3, 11, 1, 5, 2, 6] : vector<4xf32>, vector<8xf32>
          %n = vector.shuffle %v, %short [0, 8, 7, 11, 1, 9, 2, 10] : vector<8xf32>, vector<4xf32>
          %b = vector.bitcast %v : vector<8xf32> to vector<8xi32>
          %back = vector.bitcast %b : vector<8xi32> to vector<8xf32>
          vector.store %fma, %out[%c0, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %prod, %out[%c1, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %i1, %out[%c2, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %s, %out[%c3, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %m, %out[%c4, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %n, %out[%c5, %c0] : memref<8x8xf32>, vector<8xf32>
          vector.store %back, %out[%c6, %c0] : memref<8x8xf32>, vector<8xf32>
          func.return
        }}""",
        *(a, out, index),
    )
    v, w, short = a[:8], a[3:11], a[8:12]
    inserted = w.copy()
    inserted[6], inserted[index] = v[3], v[index]
    np.testing.assert_allclose(out[0], v * 2 + a[index], rtol=1e-6)
    np.testing.assert_array_equal(out[1], v / 2)
    np.testing.assert_array_equal(out[2], inserted)
    np.testing.assert_array_equal(out[3], np.r_[v, w][[0, 8, 7, 15, 3, 3, 9, 1]])
    np.testing.assert_array_equal(out[4], np.r_[short, v][[0, 4, 3, 11, 1, 5, 2, 6]])
    np.testing.assert_array_equal(out[5], np.r_[v, short][[0, 8, 7, 11, 1, 9, 2, 10]])
    np.testing.assert_array_equal(out[6], v)


REDUCTIONS = {
    ("add", "i32"): np.sum,
    ("mul", "i32"): np.prod,
    ("and", "i32"): np.bitwise_and.reduce,
    ("or", "i32"): np.bitwise_or.reduce,
    ("xor", "i32"): np.bitwise_xor.reduce,
    ("minsi", "i32"): np.min,
    ("maxsi", "i32"): np.max,
    ("minui", "i32"): lambda x: x.view(np.uint32).min().view(np.int32),
    ("maxui", "i32"): lambda x: x.view(np.uint32).max().view(np.int32),
    ("add", "f32"): np.sum,
    ("mul", "f32"): np.prod,
    ("minnumf", "f32"): np.min,
    ("maxnumf", "f32"): np.max,
    ("minimumf", "f32"): np.min,
    ("maximumf", "f32"): np.max,
}


@pytest.mark.parametrize("flags", ["", " fastmath<reassoc>"])
@pytest.mark.parametrize(("kind", "ty"), REDUCTIONS)
def test_reduction(kind: str, ty: str, flags: str):
    if ty == "f32":
        a = RANDOM.uniform(-3, 3, 9).astype(np.float32)
    else:
        a = RANDOM.integers(-5, 5, 9, np.int32)
    out = np.zeros(2, a.dtype)
    call(
        f"""
        func.func @f(%a: memref<9x{ty}>, %out: memref<2x{ty}>) {{ {C}
          %v = vector.load %a[%c0] : memref<9x{ty}>, vector<8x{ty}>
          %acc = memref.load %a[%c8] : memref<9x{ty}>
          %x = vector.reduction <{kind}>, %v{flags} : vector<8x{ty}> into {ty}
          %y = vector.reduction <{kind}>, %v, %acc{flags} : vector<8x{ty}> into {ty}
          memref.store %x, %out[%c0] : memref<2x{ty}>
          memref.store %y, %out[%c1] : memref<2x{ty}>
          func.return
        }}""",
        *(a, out),
    )
    reduce = REDUCTIONS[kind, ty]
    np.testing.assert_allclose(out, [reduce(a[:8]), reduce(a)], rtol=1e-5)


def test_masked_memory():
    """Lanes beyond the mask are not touched: the arrays end there."""
    n = 5
    a, out = f32(n), f32(n)
    call(
        f"""
        func.func @f(%a: memref<?xf32>, %out: memref<?xf32>, %n: index) {{ {C}
          %pad = arith.constant dense<7.0> : vector<8xf32>
          %m = vector.create_mask %n : vector<8xi1>
          %v = vector.maskedload %a[%c0], %m, %pad
              : memref<?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
          %last = vector.extract %v[7] : f32 from vector<8xf32>
          %w = vector.broadcast %last : f32 to vector<8xf32>
          %s = arith.addf %v, %w : vector<8xf32>
          vector.maskedstore %out[%c0], %m, %s : memref<?xf32>, vector<8xi1>, vector<8xf32>
          func.return
        }}""",
        *(a, out, n),
    )
    np.testing.assert_array_equal(out, a + 7)


def test_constant_vectors_of_every_kind():
    out = np.zeros((3, 4), np.int64)
    flags = np.zeros(4, np.bool_)
    call(
        f"""
        func.func @f(%out: memref<3x4xi64>, %flags: memref<4xi1>, %i: index) {{ {C}
          %steps = arith.constant dense<[0, 1, 2, 3]> : vector<4xindex>
          %splat = arith.constant dense<-5> : vector<4xindex>
          %bits = arith.constant dense<[true, false, true, true]> : vector<4xi1>
          %base = vector.broadcast %i : index to vector<4xindex>
          %lanes = arith.addi %base, %steps : vector<4xindex>
          %a = arith.index_cast %lanes : vector<4xindex> to vector<4xi64>
          %b = arith.index_cast %splat : vector<4xindex> to vector<4xi64>
          %c = arith.select %bits, %a, %b : vector<4xi1>, vector<4xi64>
          vector.store %a, %out[%c0, %c0] : memref<3x4xi64>, vector<4xi64>
          vector.store %b, %out[%c1, %c0] : memref<3x4xi64>, vector<4xi64>
          vector.store %c, %out[%c2, %c0] : memref<3x4xi64>, vector<4xi64>
          vector.store %bits, %flags[%c0] : memref<4xi1>, vector<4xi1>
          func.return
        }}""",
        *(out, flags, 10),
    )
    assert out.tolist() == [[10, 11, 12, 13], [-5] * 4, [10, -5, 12, 13]]
    assert flags.tolist() == [True, False, True, True]


# Control flow


def test_loops_and_conditionals_with_results():
    """Collatz steps below a bound: scf.while around scf.if, in scf.for with two values."""
    out, best = np.zeros(20, np.int64), np.zeros(2, np.int64)
    call(
        f"""
        func.func @f(%out: memref<20xi64>, %best: memref<2xi64>) {{ {C}
          %c20 = arith.constant 20 : index
          %zero = arith.constant 0 : i64
          %one = arith.constant 1 : i64
          %two = arith.constant 2 : i64
          %three = arith.constant 3 : i64
          %most, %at = scf.for %i = %c0 to %c20 step %c1 iter_args(%m = %zero, %a = %zero)
              -> (i64, i64) {{
            %i64 = arith.index_cast %i : index to i64
            %start = arith.addi %i64, %one : i64
            %end, %steps = scf.while (%x = %start, %k = %zero) : (i64, i64) -> (i64, i64) {{
              %go = arith.cmpi ne, %x, %one : i64
              scf.condition(%go) %x, %k : i64, i64
            }} do {{
            ^bb0(%x: i64, %k: i64):
              %odd = arith.remui %x, %two : i64
              %is = arith.cmpi eq, %odd, %one : i64
              %next = scf.if %is -> (i64) {{
                %t = arith.muli %x, %three : i64
                %u = arith.addi %t, %one : i64
                scf.yield %u : i64
              }} else {{
                %h = arith.divui %x, %two : i64
                scf.yield %h : i64
              }}
              %k1 = arith.addi %k, %one : i64
              scf.yield %next, %k1 : i64, i64
            }}
            memref.store %steps, %out[%i] : memref<20xi64>
            %more = arith.cmpi sgt, %steps, %m : i64
            %m1, %a1 = scf.if %more -> (i64, i64) {{
              scf.yield %steps, %start : i64, i64
            }} else {{
              scf.yield %m, %a : i64, i64
            }}
            scf.yield %m1, %a1 : i64, i64
          }}
          memref.store %most, %best[%c0] : memref<2xi64>
          memref.store %at, %best[%c1] : memref<2xi64>
          func.return
        }}""",
        *(out, best),
    )

    def steps(x: int) -> int:
        count = 0
        while x != 1:
            x, count = (3 * x + 1 if x % 2 else x // 2), count + 1
        return count

    expected = [steps(x + 1) for x in range(20)]
    assert out.tolist() == expected
    assert best.tolist() == [max(expected), 1 + int(np.argmax(expected))]


@pytest.mark.parametrize(
    ("lower_bound", "upper", "step"), [(0, 10, 1), (3, 20, 4), (5, 5, 1), (7, 2, 3), (-6, 9, 5)]
)
def test_loop_bounds(lower_bound: int, upper: int, step: int):
    out = np.zeros(2, np.int64)
    call(
        f"""
        func.func @f(%out: memref<2xi64>, %l: index, %u: index, %s: index) {{ {C}
          %zero = arith.constant 0 : i64
          %one = arith.constant 1 : i64
          %n, %sum = scf.for %i = %l to %u step %s iter_args(%a = %zero, %b = %zero)
              -> (i64, i64) {{
            %x = arith.index_cast %i : index to i64
            %a1 = arith.addi %a, %one : i64
            %b1 = arith.addi %b, %x : i64
            scf.yield %a1, %b1 : i64, i64
          }}
          memref.store %n, %out[%c0] : memref<2xi64>
          memref.store %sum, %out[%c1] : memref<2xi64>
          func.return
        }}""",
        *(out, lower_bound, upper, step),
    )
    visited = range(lower_bound, upper, step)
    assert out.tolist() == [len(visited), sum(visited)]


def test_narrow_loop_up_to_its_limit():
    """The last step of an i8 loop may wrap: nothing may be concluded from it not to."""
    out = np.zeros(1, np.int64)
    text = f"""
    func.func @f(%out: memref<1xi64>, %u: i8) {{ {C}
      %l = arith.constant 100 : i8
      %s = arith.constant 1 : i8
      %zero = arith.constant 0 : i64
      %one = arith.constant 1 : i64
      %n = scf.for %i = %l to %u step %s iter_args(%a = %zero) -> (i64) : i8 {{
        %a1 = arith.addi %a, %one : i64
        scf.yield %a1 : i64
      }}
      memref.store %n, %out[%c0] : memref<1xi64>
      func.return
    }}"""
    call(text, out, 127)
    assert out[0] == 27
    wide = text.replace("%s = arith.constant 1", "%s = arith.constant 5")
    assert "overflow<nsw> : i8" in to_text(lower(text))
    assert "overflow<nsw> : i8" not in to_text(lower(wide))


def test_blocks_in_any_order():
    """A value is defined in a block that stands after the block that uses it."""
    out = np.zeros(3, np.int64)
    text = """
    func.func @f(%out: memref<3xi64>, %n: i64, %i: index) {
      %zero = arith.constant 0 : i64
      cf.br ^head(%zero, %zero : i64, i64)
    ^exit:
      memref.store %t, %out[%i] : memref<3xi64>
      func.return
    ^dead:
      cf.br ^exit
    ^body:
      %one = arith.constant 1 : i64
      %k1 = arith.addi %k, %one : i64
      %s1 = arith.addi %s, %k1 : i64
      cf.br ^head(%k1, %s1 : i64, i64)
    ^head(%k: i64, %s: i64):
      %go = arith.cmpi slt, %k, %n : i64
      %t = arith.addi %s, %n : i64
      cf.cond_br %go, ^body, ^exit
    }"""
    call(text, out, 10, 1)
    assert out.tolist() == [0, 65, 0]


def test_branch_with_arguments_to_one_block_twice():
    for flag, expected in ((1, 3.0), (0, 4.0)):
        out = np.zeros(1, np.float32)
        call(
            f"""
            func.func @f(%out: memref<1xf32>, %f: i1) {{ {C}
              %a = arith.constant 3.0 : f32
              %b = arith.constant 4.0 : f32
              cf.cond_br %f, ^join(%a : f32), ^join(%b : f32)
            ^join(%x: f32):
              memref.store %x, %out[%c0] : memref<1xf32>
              func.return
            }}""",
            *(out, flag),
        )
        assert out[0] == expected


def test_execute_region_with_blocks():
    for n, expected in ((3, 1), (30, 2)):
        out = np.zeros(2, np.int64)
        call(
            f"""
            func.func @f(%out: memref<2xi64>, %n: i64) {{ {C}
              %ten = arith.constant 10 : i64
              scf.for %i = %c0 to %c2 step %c1 {{
                %r = scf.execute_region -> (i64) {{
                  %one = arith.constant 1 : i64
                  %small = arith.cmpi slt, %n, %ten : i64
                  cf.cond_br %small, ^a, ^b
                ^a:
                  scf.yield %one : i64
                ^b:
                  %t = arith.addi %one, %one : i64
                  scf.yield %t : i64
                }}
                memref.store %r, %out[%i] : memref<2xi64>
              }}
              func.return
            }}""",
            *(out, n),
        )
        assert out.tolist() == [expected, expected]


# Functions


def test_calls_pass_memrefs_booleans_and_results():
    a, out = f32(3, 4), np.zeros((3, 4), np.float32)
    flags = np.zeros(2, np.bool_)
    call(
        f"""
        func.func private @row(%a: memref<?x4xf32>, %i: index, %neg: i1)
            -> (f32, i1, memref<?x4xf32>) {{ {C}
          %x = memref.load %a[%i, %c1] : memref<?x4xf32>
          %m = arith.negf %x : f32
          %y = arith.select %neg, %m, %x : f32
          %n = memref.dim %a, %c0 : memref<?x4xf32>
          %last = arith.subi %n, %c1 : index
          %is = arith.cmpi eq, %i, %last : index
          func.return %y, %is, %a : f32, i1, memref<?x4xf32>
        }}
        func.func private @flip(%f: i1) -> i1 {{
          %true = arith.constant true
          %r = arith.xori %f, %true : i1
          func.return %r : i1
        }}
        func.func @f(%a: memref<3x4xf32>, %out: memref<3x4xf32>, %flags: memref<2xi1>) {{ {C}
          %true = arith.constant true
          %d = "memref.cast"(%a) : (memref<3x4xf32>) -> memref<?x4xf32>
          %x, %is, %again = func.call @row(%d, %c2, %true)
              : (memref<?x4xf32>, index, i1) -> (f32, i1, memref<?x4xf32>)
          %flipped = func.call @flip(%is) : (i1) -> i1
          %y = memref.load %again[%c1, %c3] : memref<?x4xf32>
          memref.store %x, %out[%c0, %c0] : memref<3x4xf32>
          memref.store %y, %out[%c0, %c1] : memref<3x4xf32>
          memref.store %is, %flags[%c0] : memref<2xi1>
          memref.store %flipped, %flags[%c1] : memref<2xi1>
          func.return
        }}""",
        *(a, out, flags),
    )
    assert out[0, :2].tolist() == [-a[2, 1], a[1, 3]]
    assert flags.tolist() == [True, False]


def test_module_and_function_attributes_are_kept():
    text = to_text(
        lower(
            """
            module attributes {kc.x = 1 : i64} {
              func.func @f(%a: memref<?x?xf32> {kc.name = "A"}, %n: index {kc.symbol = "n"})
                  attributes {kc.symbols = ["n"]} {
                func.return
              }
            }""",
            target_triple="x86_64-unknown-linux-gnu",
            data_layout="e-m:e",
        )
    )
    assert 'kc.x = 1 : i64, llvm.data_layout = "e-m:e"' in text
    assert 'llvm.target_triple = "x86_64-unknown-linux-gnu"' in text
    assert '%a: !llvm.ptr {kc.name = "A", llvm.align = 4 : i64' in text
    assert '%n: i64 {kc.symbol = "n"}' in text
    assert 'kc.symbols = ["n"]' in text


def test_locations_are_kept():
    module = lower("""
    func.func @f(%a: memref<4xf32>, %i: index) {
      %x = memref.load %a[%i] : memref<4xf32>
      memref.store %x, %a[%i] : memref<4xf32>
      func.return
    }""")
    lines = {op.name: str(op.location) for op in module.walk()}
    assert '"in.mlir":3' in lines["llvm.load"]
    assert '"in.mlir":4' in lines["llvm.store"]
    assert '"in.mlir":2' in lines["llvm.func"]


def test_llvm_dialect_is_left_alone():
    source = lower("func.func @f(%a: memref<4xf32>) { func.return }")
    text = to_text(source)
    assert to_text(lower(text)) == text


def test_llvm_operations_inside_a_function():
    out = np.zeros(2, np.int32)
    call(
        f"""
        func.func @f(%out: memref<2xi32>, %x: i32) {{ {C}
          %y = "llvm.intr.bitreverse"(%x) : (i32) -> i32
          %z = arith.addi %y, %x : i32
          memref.store %z, %out[%c1] : memref<2xi32>
          func.return
        }}""",
        *(out, 1),
    )
    assert out.tolist() == [0, 1 - 2**31]
