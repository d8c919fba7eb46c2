"""The same functions lowered by MLIR compute the same."""

from __future__ import annotations

import ctypes
import subprocess

import numpy as np
import optional_tools
import pytest
from llvm_jit import SCALARS, call, function_type, jit, parse
from xdsl.dialects.builtin import MemRefType

MLIR_OPT = optional_tools.find("mlir-opt")
MLIR_TRANSLATE = optional_tools.find("mlir-translate")

pytestmark = pytest.mark.skipif(
    MLIR_OPT is None or MLIR_TRANSLATE is None, reason="no mlir-opt and mlir-translate"
)

PIPELINE = [
    "--convert-scf-to-cf",
    "--expand-strided-metadata",
    "--arith-expand",
    "--convert-vector-to-llvm",
    "--finalize-memref-to-llvm",
    "--convert-to-llvm",
    "--reconcile-unrealized-casts",
]


def reference(text: str, *args: np.ndarray | float) -> None:
    """Call the function ``f`` of ``text`` as MLIR compiles it, on memref descriptors."""
    ir = text
    for command in ([MLIR_OPT, *PIPELINE], [MLIR_TRANSLATE, "--mlir-to-llvmir"]):
        done = subprocess.run(command, input=ir, capture_output=True, text=True)  # pyright: ignore
        assert done.returncode == 0, done.stderr
        ir = done.stdout
    values = []
    for arg, ty in zip(args, function_type(parse(text), "f").inputs, strict=True):
        if isinstance(ty, MemRefType):
            assert isinstance(arg, np.ndarray)
            strides = [stride // arg.itemsize for stride in arg.strides]
            values += [ctypes.c_void_p(arg.ctypes.data)] * 2
            values += [ctypes.c_int64(n) for n in (0, *arg.shape, *strides)]
        else:
            values.append(SCALARS[str(ty)](arg))
    engine = jit(ir)
    address = engine.get_function_address("f")
    ctypes.CFUNCTYPE(None, *(type(value) for value in values))(address)(*values)


C = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
"""

MATMUL = f"""
func.func @f(%A: memref<?x?xf32>, %B: memref<?x16xf32>, %C: memref<?x16xf32>) {{ {C}
  %c16 = arith.constant 16 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %k = memref.dim %A, %c1 : memref<?x?xf32>
  %zero = arith.constant dense<0.0> : vector<8xf32>
  %t = memref.alloc(%m) : memref<?x16xf32>
  "scf.parallel"(%c0, %c0, %m, %c16, %c1, %c8)
      <{{operandSegmentSizes = array<i32: 2, 2, 2, 0>}}> ({{
  ^bb0(%i: index, %j: index):
    %r = scf.for %q = %c0 to %k step %c1 iter_args(%s = %zero) -> (vector<8xf32>) {{
      %a = memref.load %A[%i, %q] : memref<?x?xf32>
      %v = vector.broadcast %a : f32 to vector<8xf32>
      %b = vector.load %B[%q, %j] : memref<?x16xf32>, vector<8xf32>
      %n = vector.fma %v, %b, %s : vector<8xf32>
      scf.yield %n : vector<8xf32>
    }}
    vector.store %r, %t[%i, %j] : memref<?x16xf32>, vector<8xf32>
    scf.reduce
  }}) : (index, index, index, index, index, index) -> ()
  "memref.copy"(%t, %C) : (memref<?x16xf32>, memref<?x16xf32>) -> ()
  memref.dealloc %t : memref<?x16xf32>
  func.return
}}"""


def test_matmul():
    random = np.random.default_rng(1)
    a, b = random.random((7, 9), np.float32), random.random((9, 16), np.float32)
    ours, theirs = np.zeros((2, 7, 16), np.float32)
    call(MATMUL, a, b, ours)
    reference(MATMUL, a, b, theirs)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_allclose(ours, a @ b, rtol=1e-5)


INTEGERS = f"""
func.func @f(%a: memref<?xi32>, %b: memref<?xi32>, %out: memref<?x8xi32>, %n: index) {{ {C}
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  scf.for %i = %c0 to %n step %c1 {{
    %x = memref.load %a[%i] : memref<?xi32>
    %y = memref.load %b[%i] : memref<?xi32>
    %0 = arith.floordivsi %x, %y : i32
    %1 = arith.ceildivsi %x, %y : i32
    %2 = arith.ceildivui %x, %y : i32
    %p = arith.cmpi ult, %x, %y : i32
    %3 = scf.if %p -> (i32) {{
      %m = arith.maxsi %x, %y : i32
      scf.yield %m : i32
    }} else {{
      %m = arith.minui %x, %y : i32
      scf.yield %m : i32
    }}
    %f = arith.sitofp %x : i32 to f64
    %s = math.absf %f : f64
    %4 = arith.fptosi %s : f64 to i32
    %j = arith.index_cast %x : i32 to index
    %5 = arith.index_cast %j : index to i32
    memref.store %0, %out[%i, %c0] : memref<?x8xi32>
    memref.store %1, %out[%i, %c1] : memref<?x8xi32>
    memref.store %2, %out[%i, %c2] : memref<?x8xi32>
    memref.store %3, %out[%i, %c3] : memref<?x8xi32>
    memref.store %4, %out[%i, %c4] : memref<?x8xi32>
    memref.store %5, %out[%i, %c5] : memref<?x8xi32>
  }}
  func.return
}}"""


def test_integers():
    values = np.array([1, 2, 3, 7, -1, -2, -7, 100, -100, 2**31 - 1, -(2**31) + 1], np.int32)
    a, b = (grid.ravel().copy() for grid in np.meshgrid(values, values))
    ours, theirs = np.zeros((2, len(a), 8), np.int32)
    call(INTEGERS, a, b, ours, len(a))
    reference(INTEGERS, a, b, theirs, len(a))
    np.testing.assert_array_equal(ours, theirs)


STATE = f"""
func.func @f(%a: memref<?xf64>, %n: index) {{ {C}
  %t = memref.alloca() : memref<4xf64>
  %v = vector.load %a[%c0] : memref<?xf64>, vector<4xf64>
  vector.store %v, %t[%c0] : memref<4xf64>, vector<4xf64>
  %end, %last = scf.while (%i = %c0, %w = %v) : (index, vector<4xf64>) -> (index, vector<4xf64>) {{
    %go = arith.cmpi slt, %i, %n : index
    scf.condition(%go) %i, %w : index, vector<4xf64>
  }} do {{
  ^bb0(%i: index, %w: vector<4xf64>):
    %r = vector.shuffle %w, %w [3, 4, 1, 6] : vector<4xf64>, vector<4xf64>
    %q = arith.remui %i, %c4 : index
    %x = memref.load %t[%q] : memref<4xf64>
    %s = vector.insert %x, %r [1] : f64 into vector<4xf64>
    %e = vector.extract %s[2] : f64 from vector<4xf64>
    %y = arith.addf %x, %e : f64
    memref.store %y, %t[%q] : memref<4xf64>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %s : index, vector<4xf64>
  }}
  %sum = vector.reduction <add>, %last : vector<4xf64> into f64
  %f = arith.index_cast %end : index to i64
  %g = arith.sitofp %f : i64 to f64
  %h = arith.mulf %sum, %g : f64
  %u = vector.load %t[%c0] : memref<4xf64>, vector<4xf64>
  %z = vector.broadcast %h : f64 to vector<4xf64>
  %o = arith.addf %u, %z : vector<4xf64>
  vector.store %o, %a[%c0] : memref<?xf64>, vector<4xf64>
  func.return
}}"""


def test_loop_with_state():
    ours = np.array([0.5, 1.25, -3.0, 7.0])
    theirs = ours.copy()
    call(STATE, ours, 11)
    reference(STATE, theirs, 11)
    np.testing.assert_array_equal(ours, theirs)
    assert not np.array_equal(ours, [0.5, 1.25, -3.0, 7.0])
