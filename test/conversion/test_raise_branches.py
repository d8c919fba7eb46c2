"""Branches that are raised to conditions and loops compute what Python does."""

import numpy as np
import pytest

import kc
from kc.analysis.interpreter import run

TEXT = """
func.func @powers(%A: tensor<3xf32>, %n: index, %m: index) -> (tensor<3xf32>, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  cf.br ^outer(%c0, %A, %c0 : index, tensor<3xf32>, index)
^outer(%i: index, %t: tensor<3xf32>, %steps: index):
  %more = arith.cmpi slt, %i, %n : index
  cf.cond_br %more, ^inner(%c0, %t : index, tensor<3xf32>), ^exit
^inner(%j: index, %u: tensor<3xf32>):
  %j1 = arith.addi %j, %c1 : index
  %odd = arith.remui %j, %c2 : index
  %is_odd = arith.cmpi eq, %odd, %c1 : index
  cf.cond_br %is_odd, ^double, ^add
^double:
  %d = arith.addf %u, %u : tensor<3xf32>
  cf.br ^next(%d : tensor<3xf32>)
^add:
  %a = arith.addf %u, %A : tensor<3xf32>
  cf.br ^next(%a : tensor<3xf32>)
^next(%v: tensor<3xf32>):
  %again = arith.cmpi sge, %j1, %m : index
  cf.cond_br %again, ^after, ^inner(%j1, %v : index, tensor<3xf32>)
^after:
  %i1 = arith.addi %i, %c1 : index
  %s1 = arith.addi %steps, %j1 : index
  cf.br ^outer(%i1, %v, %s1 : index, tensor<3xf32>, index)
^exit:
  %none = arith.cmpi eq, %steps, %c0 : index
  cf.cond_br %none, ^zero, ^whole
^zero:
  return %A, %c0 : tensor<3xf32>, index
^whole:
  return %t, %steps : tensor<3xf32>, index
}
"""


def powers(a, n, m):
    t, steps = a.copy(), 0
    for _ in range(n):
        j = 0
        while True:
            t = t + t if j % 2 else t + a
            j += 1
            if j >= m:
                break
        steps += j
    return t, steps


@pytest.fixture(scope="module")
def code():
    parsed = kc.IRModule.parse(TEXT)
    return kc.build(parsed), kc.tir.Schedule(parsed).mod


@pytest.mark.parametrize(("n", "m"), [(0, 0), (1, 0), (2, 3), (3, 1)])
def test_loops_in_loops_with_two_returns(n, m, code):
    built, raised = code
    assert " cf." not in str(raised)
    a = np.array([1, -2, 3], "f4")
    wanted, steps = powers(a, n, m)
    t, count = built(a, n, m)
    np.testing.assert_array_equal(t, wanted)
    assert int(count) == steps
    out, count = np.zeros(3, "f4"), np.zeros((), "i8")
    run(raised.op, "powers", [a, n, m, out, count])
    np.testing.assert_array_equal(out, wanted)
    assert int(count) == steps
