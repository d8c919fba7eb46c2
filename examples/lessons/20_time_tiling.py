"""Lesson 20: time tiling of stencils, with skew, shift and tile.

A stencil recomputes each point of a grid from its neighbours, step after step. In the written order
every step traverses the whole grid, and the cache loses it before the next step begins. Tiles of
several steps need points that a step has not reached yet, unless the loops are skewed: then a tile
leans back in time. kc decides exactly what is legal.
"""

import numpy as np

import kc
from kc.error import KCError

STEPS, SIZE = 8, 30

# Seidel: points are computed in place, each from neighbours of this step and the previous one.
SEIDEL = f"""
func.func @seidel(%A: memref<{SIZE}x{SIZE}xf64>) {{
  %fifth = arith.constant 0.2 : f64
  affine.for %t = 0 to {STEPS} {{
    affine.for %i = 1 to {SIZE - 1} {{
      affine.for %j = 1 to {SIZE - 1} {{
        %n = affine.load %A[%i - 1, %j + 1] : memref<{SIZE}x{SIZE}xf64>
        %w = affine.load %A[%i, %j - 1] : memref<{SIZE}x{SIZE}xf64>
        %c = affine.load %A[%i, %j] : memref<{SIZE}x{SIZE}xf64>
        %e = affine.load %A[%i, %j + 1] : memref<{SIZE}x{SIZE}xf64>
        %s = affine.load %A[%i + 1, %j - 1] : memref<{SIZE}x{SIZE}xf64>
        %0 = arith.addf %n, %w : f64
        %1 = arith.addf %0, %c : f64
        %2 = arith.addf %1, %e : f64
        %3 = arith.addf %2, %s : f64
        %4 = arith.mulf %3, %fifth : f64
        affine.store %4, %A[%i, %j] : memref<{SIZE}x{SIZE}xf64>
      }}
    }}
  }}
  return
}}
"""
module = kc.IRModule.parse(SEIDEL, "seidel.mlir")


def seidel(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    for _ in range(STEPS):
        for i in range(1, SIZE - 1):
            for j in range(1, SIZE - 1):
                a[i, j] = (
                    a[i - 1, j + 1] + a[i, j - 1] + a[i, j] + a[i, j + 1] + a[i + 1, j - 1]
                ) * 0.2
    return a


# Initially no two loops can be tiled: the refusal names two points that would be exchanged.
sch = kc.tir.Schedule(module)
t, i, j = sch.get_loops("A")
try:
    sch.tile(t, i, 4, 8)
except KCError as error:
    print(error)

# Print the dependences as distances, and the smallest skews that leave none of them negative;
# `kc-opt seidel.mlir --legal-directions` prints the same.
kc.transform.Sequential(["legal-directions"])(module)

# j is skewed by i and by t, and i by t; the innermost loop comes first.
j = sch.skew(i, j)
j = sch.skew(t, j)
i = sch.skew(t, i)

# Now any order and any tiles are legal: 4 steps of 8 x 8 points, leaning.
(t_o, t_i), (i_o, i_i), (j_o, j_i) = (
    sch.split(loop, [None, factor]) for loop, factor in ((t, 4), (i, 8), (j, 8))
)
sch.reorder(t_o, i_o, j_o, t_i, i_i, j_i)
sch.show()

a = np.random.rand(SIZE, SIZE)
expected = seidel(a)
kc.build(sch)(a)
np.testing.assert_array_equal(a, expected)  # the same additions in the same order for each point

# Heat: each step writes a grid of its own, which `t mod 2` chooses among two.
HEAT = f"""
func.func @heat(%A: memref<2x{SIZE}x{SIZE}xf64>) {{
  %eighth = arith.constant 0.125 : f64
  %half = arith.constant 0.5 : f64
  affine.for %t = 0 to {STEPS} {{
    affine.for %i = 1 to {SIZE - 1} {{
      affine.for %j = 1 to {SIZE - 1} {{
        %n = affine.load %A[%t mod 2, %i - 1, %j] : memref<2x{SIZE}x{SIZE}xf64>
        %w = affine.load %A[%t mod 2, %i, %j - 1] : memref<2x{SIZE}x{SIZE}xf64>
        %c = affine.load %A[%t mod 2, %i, %j] : memref<2x{SIZE}x{SIZE}xf64>
        %e = affine.load %A[%t mod 2, %i, %j + 1] : memref<2x{SIZE}x{SIZE}xf64>
        %s = affine.load %A[%t mod 2, %i + 1, %j] : memref<2x{SIZE}x{SIZE}xf64>
        %0 = arith.addf %n, %s : f64
        %1 = arith.addf %w, %e : f64
        %2 = arith.addf %0, %1 : f64
        %3 = arith.mulf %2, %eighth : f64
        %4 = arith.mulf %c, %half : f64
        %5 = arith.addf %3, %4 : f64
        affine.store %5, %A[(%t + 1) mod 2, %i, %j] : memref<2x{SIZE}x{SIZE}xf64>
      }}
    }}
  }}
  return
}}
"""


def heat(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    for t in range(STEPS):
        old, new = a[t % 2], a[(t + 1) % 2]
        around = (old[:-2, 1:-1] + old[2:, 1:-1]) + (old[1:-1, :-2] + old[1:-1, 2:])
        new[1:-1, 1:-1] = around * 0.125 + old[1:-1, 1:-1] * 0.5
    return a


sch = kc.tir.Schedule(kc.IRModule.parse(HEAT, "heat.mlir"))
t, i, j = sch.get_loops("A")
j = sch.skew(t, j)
i = sch.skew(t, i)
(t_o, t_i), (i_o, i_i), (j_o, j_i) = (
    sch.split(loop, [None, factor]) for loop, factor in ((t, 4), (i, 8), (j, 8))
)
sch.reorder(t_o, i_o, j_o, t_i, i_i, j_i)
a = np.random.rand(2, SIZE, SIZE)
expected = heat(a)
kc.build(sch)(a)
np.testing.assert_array_equal(a, expected)

# Jacobi: each step has two nests, and the second copies back the result of the first.
LENGTH = 100
JACOBI = f"""
func.func @jacobi(%A: memref<{LENGTH}xf64>, %B: memref<{LENGTH}xf64>) {{
  %quarter = arith.constant 0.25 : f64
  affine.for %t = 0 to {STEPS} {{
    affine.for %i = 1 to {LENGTH - 1} {{
      %w = affine.load %A[%i - 1] : memref<{LENGTH}xf64>
      %c = affine.load %A[%i] : memref<{LENGTH}xf64>
      %e = affine.load %A[%i + 1] : memref<{LENGTH}xf64>
      %0 = arith.addf %w, %c : f64
      %1 = arith.addf %0, %e : f64
      %2 = arith.mulf %1, %quarter : f64
      affine.store %2, %B[%i] : memref<{LENGTH}xf64>
    }}
    affine.for %k = 1 to {LENGTH - 1} {{
      %b = affine.load %B[%k] : memref<{LENGTH}xf64>
      affine.store %b, %A[%k] : memref<{LENGTH}xf64>
    }}
  }}
  return
}}
"""


def jacobi(a: np.ndarray) -> np.ndarray:
    a = a.copy()
    for _ in range(STEPS):
        a[1:-1] = ((a[:-2] + a[1:-1]) + a[2:]) * 0.25
    return a


# fuse_loops fuses the two loops. A[k] may be written after B[k + 1] has read it, so the copy comes
# one iteration later: a `shift` by the smallest legal number, and a `merge`.
sch = kc.tir.Schedule(kc.IRModule.parse(JACOBI, "jacobi.mlir"))
t, i = sch.get_loops("B")
k = sch.get_loops("A")[1]
x = sch.fuse_loops(i, k)
# B[i] of the next step needs A[i + 1], which is written two iterations later: skewed by 2.
x = sch.skew(t, x, 2)
sch.tile(t, x, 4, 16)
print(sch.mod)
a, b = np.random.rand(LENGTH), np.zeros(LENGTH)
expected = jacobi(a)
kc.build(sch)(a, b)
np.testing.assert_array_equal(a, expected)
