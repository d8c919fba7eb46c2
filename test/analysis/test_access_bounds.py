"""analysis.access_bounds: accesses of loop nests that leave their buffers."""

import pytest

import kc
from kc.analysis.accesses.access_bounds import out_of_bounds
from kc.analysis.loop_tree import functions
from kc.dialects.tir import StoreOp


def found_in(body: str):
    text = f"""
    func.func @f(%A: memref<8xf32>, %M: memref<4x?xf32>, %P: memref<8xi32>, %x: f32, %n: index) {{
      {body}
      func.return
    }}"""
    (function,) = functions(kc.IRModule.parse(text).op)
    return out_of_bounds(function)


OUTSIDE = {
    "tir.for %i in 9 { tir.store %x, %A[%i] : memref<8xf32> }": (0, 8, {"i": 8}, 8),
    "tir.for %i in 8 { tir.store %x, %A[%i - 1] : memref<8xf32> }": (0, 8, {"i": 0}, -1),
    "tir.for %i in 3 { tir.for %j in 3 { tir.store %x, %A[%i * 4 + %j] : memref<8xf32> } }": (
        0,
        8,
        {"i": 2, "j": 0},
        8,
    ),
    "tir.for %i in 10 { tir.if (%i < 9) { tir.store %x, %A[%i] : memref<8xf32> } }": (
        0,
        8,
        {"i": 8},
        8,
    ),
    "tir.store %x, %A[8] : memref<8xf32>": (0, 8, {}, 8),
    "%z = arith.constant 0 : index tir.store %x, %M[4, %z] : memref<4x?xf32>": (0, 4, {}, 4),
    "%v = tir.load %A[0] : memref<8xf32>, vector<4xf32> "
    "tir.for %i in 6 { tir.store %v, %A[%i] : memref<8xf32>, vector<4xf32> }": (
        0,
        8,
        {"i": 5},
        8,
    ),
    "tir.for %i in 10 { %n9 = arith.constant 9 : index %c = arith.cmpi slt, %i, %n9 : index "
    "scf.if %c { tir.store %x, %A[%i] : memref<8xf32> } }": (0, 8, {"i": 8}, 8),
    "tir.for %i in 9 { tir.for %j in 9 { tir.if (%i < 4, %j < 6) { "
    "tir.store %x, %A[%i + %j] : memref<8xf32> } } }": (0, 8, {"i": 3, "j": 5}, 8),
    'tir.for %i in 9 { tir.block "A" (spatial %v in 9 = %i) do '
    "{ tir.store %x, %A[%v] : memref<8xf32> } }": (0, 8, {"i": 8}, 8),
}


@pytest.mark.parametrize("body", OUTSIDE)
def test_outside(body):
    outside = found_in(body)
    assert outside is not None
    assert (outside.dimension, outside.size, outside.point, outside.index) == OUTSIDE[body]
    assert isinstance(outside.access, StoreOp)


INSIDE_OR_NOT_JUDGED = [
    "tir.for %i in 8 { tir.store %x, %A[%i] : memref<8xf32> }",
    "tir.for %i in 10 { tir.if (%i < 8) { tir.store %x, %A[%i] : memref<8xf32> } }",
    "tir.for %i in 8 { tir.if (%i < 1) { } else { tir.store %x, %A[%i - 1] : memref<8xf32> } }",
    "tir.for %i in 0 { tir.store %x, %A[%i + 9] : memref<8xf32> }",
    # The sizes may be right at the call.
    "tir.for %i in %n { tir.store %x, %A[%i] : memref<8xf32> }",
    "tir.for %i in 9 { tir.store %x, %M[0, %i] : memref<4x?xf32> }",
    # An index that is loaded.
    "tir.for %i in 8 { %p = tir.load %P[%i] : memref<8xi32> "
    "%q = arith.index_cast %p : i32 to index "
    "tir.store %x, %A[%q] : memref<8xf32> }",
    'tir.for %i in 10 { tir.block "A" (spatial %v in 8 = %i) where (%i < 8) do '
    "{ tir.store %x, %A[%v] : memref<8xf32> } }",
    # Two conditions together.
    "tir.for %i in 9 { tir.for %j in 9 { tir.if (%i < 4, %j < 5) { "
    "tir.store %x, %A[%i + %j] : memref<8xf32> } } }",
    # A condition that never holds.
    "tir.for %i in 10 { tir.if (%i >= 10) { tir.store %x, %A[%i] : memref<8xf32> } }",
    # Conditions of data.
    "tir.for %i in 9 { %p = tir.load %P[0] : memref<8xi32> %z = arith.constant 0 : i32 "
    "%c = arith.cmpi sgt, %p, %z : i32 scf.if %c { tir.store %x, %A[%i] : memref<8xf32> } }",
    "tir.for %i in 10 { %n8 = arith.constant 8 : index %c = arith.cmpi slt, %i, %n8 : index "
    "scf.if %c { tir.store %x, %A[%i] : memref<8xf32> } }",
    # The last lane is the last element.
    "%v = tir.load %A[0] : memref<8xf32>, vector<4xf32> "
    "tir.for %i in 5 { tir.store %v, %A[%i] : memref<8xf32>, vector<4xf32> }",
]


@pytest.mark.parametrize("body", INSIDE_OR_NOT_JUDGED)
def test_inside_or_not_judged(body):
    assert found_in(body) is None
