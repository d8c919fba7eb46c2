"""Text whose accesses leave their buffers for sure is refused when it is built, and no other."""

import numpy as np
import pytest

import kc
from kc.error import KCError

HINT = "  try: make the loops shorter, or guard the access with an if"

OUTSIDE = {
    "blocks": (
        """func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 8 = %i) do {
      %0 = tir.load %A[%v + 100000000] : memref<8xf32>
      tir.store %0, %C[%v] : memref<8xf32>
    }
  }
  func.return
}""",
        """error[KC2030]: f reads outside A: index 100000000 of dimension 0, which has the size 8
  --> f.mlir:4:7
  why: this happens at i=0
"""
        + HINT,
    ),
    "loops of scf": (
        """func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c2 {
    %j = arith.addi %i, %c4 : index
    %0 = memref.load %A[%i] : memref<8xf32>
    memref.store %0, %C[%j] : memref<8xf32>
  }
  return
}""",
        """error[KC2030]: f writes outside C: index 8 of dimension 0, which has the size 8
  --> f.mlir:9:5
  why: this happens in iteration 2 of i, counted from 0
"""
        + HINT,
    ),
    "loops of affine": (
        """func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  affine.for %i = 2 to 8 {
    %0 = affine.load %A[%i - 3] : memref<8xf32>
    affine.store %0, %C[%i] : memref<8xf32>
  }
  return
}""",
        """error[KC2030]: f reads outside A: index -1 of dimension 0, which has the size 8
  --> f.mlir:3:5
  why: this happens at i=0
"""
        + HINT,
    ),
    "no loop": (
        """func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  %c8 = arith.constant 8 : index
  %0 = memref.load %A[%c8] : memref<8xf32>
  memref.store %0, %C[%c8] : memref<8xf32>
  return
}""",
        """error[KC2030]: f reads outside A: index 8 of dimension 0, which has the size 8
  --> f.mlir:3:3
  why: this happens whenever it is executed
"""
        + HINT,
    ),
}


@pytest.mark.parametrize("target", ["llvm", "c"])
@pytest.mark.parametrize("kind", OUTSIDE)
def test_outside(kind: str, target: str):
    text, message = OUTSIDE[kind]
    module = kc.IRModule.parse(text, "f.mlir")
    with pytest.raises(KCError) as refusal:
        kc.build(module, target=target)
    assert str(refusal.value) == message


INSIDE = {
    "a condition": """
  scf.for %i = %c0 to %c16 step %c1 {
    %inside = arith.cmpi slt, %i, %c8 : index
    scf.if %inside {
      %a = memref.load %A[%i] : memref<8xf32>
      memref.store %a, %C[%i] : memref<8xf32>
    }
  }""",
    "conditions of which both sides are used": """
  scf.for %i = %c0 to %c16 step %c1 {
    %outside = arith.cmpi sge, %i, %c8 : index
    scf.if %outside {
      %j = arith.subi %i, %c8 : index
      %a = memref.load %A[%j] : memref<8xf32>
      memref.store %a, %C[%j] : memref<8xf32>
    } else {
      memref.store %x, %C[%i] : memref<8xf32>
    }
  }""",
    "a condition of data": """
  scf.for %i = %c0 to %c16 step %c1 {
    %k = arith.minsi %i, %c7 : index
    %last = memref.load %A[%k] : memref<8xf32>
    %large = arith.cmpf ogt, %last, %x : f32
    scf.if %large {
      memref.store %x, %C[%i] : memref<8xf32>
    }
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %A[%i] : memref<8xf32>
    memref.store %a, %C[%i] : memref<8xf32>
  }""",
    "steps": """
  scf.for %i = %c0 to %c8 step %c7 {
    scf.for %j = %i to %c8 step %c1 {
      %a = memref.load %A[%j] : memref<8xf32>
      memref.store %a, %C[%j] : memref<8xf32>
    }
  }""",
    "a loop without iterations": """
  scf.for %i = %c8 to %c8 step %c1 {
    %j = arith.addi %i, %c8 : index
    memref.store %x, %C[%j] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %a = memref.load %A[%i] : memref<8xf32>
    memref.store %a, %C[%i] : memref<8xf32>
  }""",
    "a while": """
  %end = scf.while (%i = %c0) : (index) -> index {
    %more = arith.cmpi slt, %i, %c8 : index
    scf.condition(%more) %i : index
  } do {
  ^bb0(%i: index):
    %a = memref.load %A[%i] : memref<8xf32>
    memref.store %a, %C[%i] : memref<8xf32>
    %next = arith.addi %i, %c1 : index
    scf.yield %next : index
  }""",
}


@pytest.mark.parametrize("kind", INSIDE)
def test_inside(kind: str):
    """All of them copy A to C, whose numbers are not larger than x."""
    constants = "\n".join(f"  %c{n} = arith.constant {n} : index" for n in (0, 1, 7, 8, 16))
    text = f"""
func.func @f(%A: memref<8xf32>, %C: memref<8xf32>, %x: f32) {{
{constants}{INSIDE[kind]}
  return
}}"""
    a, c = np.arange(8, dtype=np.float32), np.zeros(8, np.float32)
    kc.build(kc.IRModule.parse(text))(a, c, 7.0)
    np.testing.assert_array_equal(c, a)
