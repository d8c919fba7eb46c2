"""Reductions over threads that there may be none of: the results are initial values then."""

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run as interpret
from kc.support import registry
from kc.support.diagnostics import CodegenError
from kc.transforms.gpu.binding.lower_cross_thread_reduction import LowerCrossThreadReductionPass

ONE = """
func.func @f(%A: memref<3x?xi32> {kc.shape = affine_map<()[n] -> (3, n)>},
             %C: memref<3xi32> {kc.role = "out"})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 3 thread "blockIdx.x" {
    tir.for %k in %n thread "threadIdx.x" {
      tir.block "C" (spatial %v_i in 3 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 5 : i32
        tir.store %zero, %C[%v_i] : memref<3xi32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<3x?xi32>
        %c = tir.load %C[%v_i] : memref<3xi32>
        %sum = arith.addi %c, %a : i32
        tir.store %sum, %C[%v_i] : memref<3xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("size", [0, 1, 7])
def test_a_sum_over_no_threads(size: int):
    a = np.arange(3 * size, dtype="int32").reshape(3, size)
    result = np.full(3, -1, "int32")
    kc.build(kc.IRModule.parse(ONE), target="cuda-emu")(a, result)
    np.testing.assert_array_equal(result, a.sum(axis=1) + 5)


FUSED = """
func.func @f(%A: memref<?x?xi64> {kc.shape = affine_map<()[m, n] -> (m, n)>},
             %C: memref<i64> {kc.role = "out"}) attributes {kc.symbols = ["m", "n"]} {
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  %count = arith.muli %m, %n : index
  tir.for %k in %count thread "threadIdx.x" {
    %r, %c = tir.delinearize %k by [%m, %n]
    tir.block "C" (reduce %v_r in %m = %r, reduce %v_c in %n = %c) init {
      %zero = arith.constant 5 : i64
      tir.store %zero, %C[] : memref<i64>
    } do {
      %a = tir.load %A[%v_r, %v_c] : memref<?x?xi64>
      %old = tir.load %C[] : memref<i64>
      %sum = arith.addi %old, %a : i64
      tir.store %sum, %C[] : memref<i64>
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(2, 3), (0, 3), (3, 0), (0, 0)])
def test_the_only_thread_of_a_fused_loop_divides_by_no_size_of_0(shape: tuple[int, int]):
    a = np.arange(np.prod(shape), dtype="int64").reshape(shape)
    result = np.full((), -1, "int64")
    module = kc.IRModule.parse(FUSED)
    LowerCrossThreadReductionPass().apply(registry.context(), module.op)
    interpret(module.op, "f", [a, result])
    assert result == a.sum() + 5
    result[...] = -1
    kc.build(kc.IRModule.parse(FUSED), target="cuda-emu")(a, result)
    assert result == a.sum() + 5


ROWS = """
func.func @f(%A: memref<3x?x?xi32> {kc.shape = affine_map<()[m, n] -> (3, m, n)>},
             %C: memref<3xi32> {kc.role = "out"})
    attributes {kc.symbols = ["m", "n"]} {
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  tir.for %i in 3 thread "blockIdx.x" {
    tir.for %r in %m {
      tir.for %k in %n thread "threadIdx.x" {
        tir.block "C" (spatial %v_i in 3 = %i,
                       reduce %v_r in %m = %r, reduce %v_k in %n = %k) init {
          %zero = arith.constant 5 : i32
          tir.store %zero, %C[%v_i] : memref<3xi32>
        } do {
          %a = tir.load %A[%v_i, %v_r, %v_k] : memref<3x?x?xi32>
          %c = tir.load %C[%v_i] : memref<3xi32>
          %sum = arith.addi %c, %a : i32
          tir.store %sum, %C[%v_i] : memref<3xi32>
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(0, 0), (0, 4), (4, 0), (1, 7), (3, 1)])
def test_loops_before_and_behind_a_serial_one_have_as_many_threads(shape: tuple[int, int]):
    a = np.arange(3 * shape[0] * shape[1], dtype="int32").reshape(3, *shape)
    result = np.full(3, -1, "int32")
    kc.build(kc.IRModule.parse(ROWS), target="cuda-emu")(a, result)
    np.testing.assert_array_equal(result, a.sum(axis=(1, 2)) + 5)


PARTS = """
func.func @f(%A: memref<?x?xi32> {kc.shape = affine_map<()[m, n] -> (m, n)>},
             %C: memref<?xi32> {kc.shape = affine_map<()[m, n] -> (m)>, kc.role = "out"})
    attributes {kc.symbols = ["m", "n"]} {
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  %three = arith.constant 3 : index
  %rows = tir.apply (%m ceildiv 3)
  %parts = tir.apply (%n ceildiv 4)
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %i in %rows {
      tir.for %r in 4 {
        tir.for %o in 3 thread "threadIdx.y" {
          tir.for %k in %parts thread "threadIdx.x" {
            %row = tir.linearize [%o, %i] by [%three, %rows]
            %term = tir.apply (%k * 4 + %r)
            tir.block "C" (spatial %v_i in %m = %row, reduce %v_k in %n = %term)
                where (%row < %m, %term < %n) init {
              %zero = arith.constant 5 : i32
              tir.store %zero, %C[%v_i] : memref<?xi32>
            } do {
              %a = tir.load %A[%v_i, %v_k] : memref<?x?xi32>
              %c = tir.load %C[%v_i] : memref<?xi32>
              %sum = arith.addi %c, %a : i32
              tir.store %sum, %C[%v_i] : memref<?xi32>
            }
          }
        }
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("shape", [(1, 1), (4, 0), (7, 9), (9, 4)])
def test_the_place_of_results_is_computed_in_the_loops_of_the_terms(shape: tuple[int, int]):
    a = np.arange(shape[0] * shape[1], dtype="int32").reshape(shape)
    result = np.full(shape[0], -1, "int32")
    kc.build(kc.IRModule.parse(PARTS), target="cuda-emu")(a, result)
    np.testing.assert_array_equal(result, a.sum(axis=1) + 5)


def test_a_place_that_is_read_in_the_loops_of_the_terms():
    text = """
func.func @f(%A: memref<4x4xi32>, %I: memref<4xindex>, %C: memref<4xi32> {kc.role = "out"}) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %r in 2 {
      tir.for %k in 2 thread "threadIdx.x" {
        %row = tir.load %I[%b] : memref<4xindex>
        tir.block "C" (spatial %v_i in 4 = %row, reduce %v_k in 4 = %r * 2 + %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : memref<4xi32>
        } do {
          %a = tir.load %A[%v_i, %v_k] : memref<4x4xi32>
          %c = tir.load %C[%v_i] : memref<4xi32>
          %sum = arith.addi %c, %a : i32
          tir.store %sum, %C[%v_i] : memref<4xi32>
        }
      }
    }
  }
  func.return
}
"""
    module = kc.IRModule.parse(text)
    before = str(module)
    with pytest.raises(CodegenError) as caught:
        LowerCrossThreadReductionPass().apply(registry.context(), module.op)
    assert str(caught.value) == (
        "error[KC4227]: lower-cross-thread-reduction: the threads of k cannot combine their values "
        "of C\n"
        "  --> <string>:7:9\n"
        "  why: row is computed in loop r, and the results depend on it\n"
        "  try: compute it outside of loop r"
    )
    assert str(module) == before


THREE = """
func.func @f(%A: memref<3x?xi32> {kc.shape = affine_map<()[n] -> (3, n)>},
             %S: memref<3xi32> {kc.role = "out"}, %M: memref<3xi32> {kc.role = "out"},
             %D: memref<3x?xi32> {kc.shape = affine_map<()[n] -> (3, n)>, kc.role = "out"})
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 3 thread "blockIdx.x" {
    tir.for %k in %n thread "threadIdx.x" {
      tir.block "S" (spatial %v_i in 3 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 0 : i32
        tir.store %zero, %S[%v_i] : memref<3xi32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<3x?xi32>
        %s = tir.load %S[%v_i] : memref<3xi32>
        %sum = arith.addi %s, %a : i32
        tir.store %sum, %S[%v_i] : memref<3xi32>
      }
    }
    tir.for %r in %n thread "threadIdx.x" {
      tir.block "M" (spatial %v_i in 3 = %i, reduce %v_r in %n = %r) init {
        %least = arith.constant -100 : i32
        tir.store %least, %M[%v_i] : memref<3xi32>
      } do {
        %a = tir.load %A[%v_i, %v_r] : memref<3x?xi32>
        %s = tir.load %S[%v_i] : memref<3xi32>
        %both = arith.addi %a, %s : i32
        %m = tir.load %M[%v_i] : memref<3xi32>
        %most = arith.maxsi %m, %both : i32
        tir.store %most, %M[%v_i] : memref<3xi32>
      }
    }
    tir.for %j in %n thread "threadIdx.x" {
      tir.block "D" (spatial %v_i in 3 = %i, spatial %v_j in %n = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<3x?xi32>
        %s = tir.load %S[%v_i] : memref<3xi32>
        %m = tir.load %M[%v_i] : memref<3xi32>
        %p = arith.muli %a, %s : i32
        %d = arith.addi %p, %m : i32
        tir.store %d, %D[%v_i, %v_j] : memref<3x?xi32>
      }
    }
  }
  func.return
}
"""


@pytest.mark.parametrize("size", [0, 1, 7])
def test_two_reductions_and_what_uses_them(size: int):
    """The kernel's other loops over the same threads do nothing where there is none."""
    a = np.random.default_rng(size).integers(-9, 9, (3, size)).astype("int32")
    sums, most, result = np.full(3, -1, "int32"), np.full(3, -1, "int32"), np.empty_like(a)
    kc.build(kc.IRModule.parse(THREE), target="cuda-emu")(a, sums, most, result)
    np.testing.assert_array_equal(sums, a.sum(axis=1))
    np.testing.assert_array_equal(most, (a + sums[:, None]).max(axis=1, initial=-100))
    np.testing.assert_array_equal(result, a * sums[:, None] + most[:, None])


@pytest.mark.parametrize("axis", ["vthread", "vthread.y", "threadIdx.y"])
@pytest.mark.parametrize("rows", [1, 3])
def test_virtual_threads_in_the_loops_of_the_terms_have_a_partial_result_each(axis: str, rows: int):
    """They share the memory of one thread: partial results of their own are elements of it."""
    text = f"""
func.func @f(%A: memref<{4 * rows}x6xi32>, %C: memref<{4 * rows}xi32> {{kc.role = "out"}}) {{
  tir.for %b in 2 thread "blockIdx.x" {{
    tir.for %r in 3 {{
      tir.for %v in 2 thread "{axis}" {{
        tir.for %i in {rows} {{
          tir.for %k in 2 thread "threadIdx.x" {{
            tir.block "C" (spatial %v_i in {4 * rows} = (%b * 2 + %v) * {rows} + %i,
                           reduce %v_k in 6 = %r * 2 + %k) init {{
              %least = arith.constant -100 : i32
              tir.store %least, %C[%v_i] : memref<{4 * rows}xi32>
            }} do {{
              %a = tir.load %A[%v_i, %v_k] : memref<{4 * rows}x6xi32>
              %c = tir.load %C[%v_i] : memref<{4 * rows}xi32>
              %most = arith.maxsi %c, %a : i32
              tir.store %most, %C[%v_i] : memref<{4 * rows}xi32>
            }}
          }}
        }}
      }}
    }}
  }}
  func.return
}}
"""
    a = np.random.default_rng(0).integers(-99, 99, (4 * rows, 6)).astype("int32")
    result = np.full(4 * rows, -1, "int32")
    kc.build(kc.IRModule.parse(text), target="cuda-emu")(a, result)
    np.testing.assert_array_equal(result, a.max(axis=1))


START = """
func.func @f(%A: memref<4x8xi32>, %B: memref<4xi32>, %C: memref<4xi32> {kc.role = "out"}) {
  tir.for %i in 2 thread "blockIdx.x" {
    tir.for %r in 2 {
      BEFORE
      tir.for %j in 2 {
        tir.for %k in 4 thread "threadIdx.x" {
          tir.block "C" (spatial %v_i in 4 = %i * 2 + %j, reduce %v_k in 8 = %r * 4 + %k) init {
            START
            tir.store %b, %C[%v_i] : memref<4xi32>
          } do {
            %a = tir.load %A[%v_i, %v_k] : memref<4x8xi32>
            %c = tir.load %C[%v_i] : memref<4xi32>
            %sum = arith.addi %c, %a : i32
            tir.store %sum, %C[%v_i] : memref<4xi32>
          }
        }
      }
      AFTER
    }
  }
  func.return
}
"""
OF_B = "%b = tir.load %B[%v_i] : memref<4xi32>"
OF_J = "%b = arith.index_cast %j : index to i32"
OF_APPLY = "%b = arith.index_cast %twice : index to i32"
OF_T = '%b = tir.load %T[0] : memref<1xi32, "shared">'
APPLY = "%twice = tir.apply (%i * 2)"
ALLOC = """
      %T = tir.alloc "T" : memref<1xi32, "shared">
      tir.block "T" () do {
        %seven = arith.constant 7 : i32
        tir.store %seven, %T[0] : memref<1xi32, "shared">
      }"""
COUNT = """
      tir.block "B" (spatial %v_i in 4 = %i * 2) do {
        %b = tir.load %B[%v_i] : memref<4xi32>
        %more = arith.addi %b, %b : i32
        tir.store %more, %B[%v_i] : memref<4xi32>
      }"""


def started(start: str, before: str, after: str) -> kc.IRModule:
    text = START.replace("START", start).replace("BEFORE", before).replace("AFTER", after)
    return kc.IRModule.parse(text)


@pytest.mark.parametrize(
    ("start", "before", "expected"),
    [
        (OF_B, "", [5, 6, 7, 8]),
        (OF_J, "", [0, 1, 0, 1]),
        (OF_APPLY, APPLY, [0, 0, 2, 2]),
    ],
)
def test_an_init_that_uses_what_is_around_it(start: str, before: str, expected: list[int]):
    a = np.arange(32, dtype="int32").reshape(4, 8)
    b, c = np.arange(5, 9, dtype="int32"), np.zeros(4, "int32")
    kc.build(started(start, before, ""), target="cuda-emu")(a, b, c)
    np.testing.assert_array_equal(c, a.sum(axis=1) + expected)


@pytest.mark.parametrize(
    ("start", "before", "after", "why"),
    [
        (OF_B, "", COUNT, "its init reads B, which is written before the reduction is complete"),
        (OF_T, ALLOC, "", "its init reads T, which is written before the reduction is complete"),
    ],
)
def test_an_init_that_would_be_too_late(start: str, before: str, after: str, why: str):
    module = started(start, before, after)
    text = str(module)
    with pytest.raises(CodegenError) as caught:
        LowerCrossThreadReductionPass().apply(registry.context(), module.op)
    head, place, *rest = str(caught.value).splitlines()
    assert head == (
        "error[KC4227]: lower-cross-thread-reduction: the threads of k cannot combine their values "
        "of C"
    )
    assert place.startswith("  --> <string>:")
    assert rest == [f"  why: {why}"]
    assert str(module) == text
