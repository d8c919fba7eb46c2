"""Lesson 13: scheduling and compiling loops and linalg of other MLIR tools.

kc reads the text that torch-mlir, IREE or mlir-opt print. It raises functions of ``linalg``,
``affine`` and ``tensor`` to loops around blocks; docs/raising.md lists the supported ops.
"""

import numpy as np

import kc
from kc.error import KCError

# A layer as torch-mlir prints it: the batch is dynamic, the weights are a constant.
LAYER = """
#row = affine_map<(d0, d1) -> (d0, d1)>
#bias = affine_map<(d0, d1) -> (d1)>
func.func @layer(%x: tensor<?x8xf32>, %w: tensor<8x16xf32>) -> tensor<?x16xf32> {
  %b = arith.constant dense<0.5> : tensor<16xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%n) : tensor<?x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x16xf32>) -> tensor<?x16xf32>
  %p = linalg.matmul ins(%x, %w : tensor<?x8xf32>, tensor<8x16xf32>)
                     outs(%f : tensor<?x16xf32>) -> tensor<?x16xf32>
  %y = linalg.generic {indexing_maps = [#row, #bias, #row],
                       iterator_types = ["parallel", "parallel"]}
      ins(%p, %b : tensor<?x16xf32>, tensor<16xf32>) outs(%e : tensor<?x16xf32>) {
  ^bb0(%a: f32, %c: f32, %out: f32):
    %s = arith.addf %a, %c : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}
"""
module = kc.IRModule.parse(LAYER, "layer.mlir")
x, w = np.random.randn(5, 8).astype(np.float32), np.random.randn(8, 16).astype(np.float32)
expected = np.maximum(x @ w + 0.5, 0)

# Built unchanged. The result is an argument, which a call may omit.
layer = kc.build(module)
print(layer["layer"].signature)
np.testing.assert_allclose(layer(x, w), expected, rtol=1e-4, atol=1e-5)

# The raised loops, and a schedule for them.
sch = kc.tir.Schedule(module)
print(sch.mod)
i, j = sch.get_loops("y")
sch.compute_at("p", i)
sch.parallel(i)
sch.vectorize(j)
*_, p_j, p_k = sch.get_loops("p")
sch.reorder(p_k, p_j)
sch.vectorize(p_j)
sch.show()
np.testing.assert_allclose(kc.build(sch)(x, w), expected, rtol=1e-4, atol=1e-5)

# Loops of affine and scf become blocks as well, and reductions are recognised.
ROWS = """
func.func @rows(%A: memref<6x8xf32>, %S: memref<6xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 6 {
    affine.store %zero, %S[%i] : memref<6xf32>
    affine.for %k = 0 to 8 {
      %s = affine.load %S[%i] : memref<6xf32>
      %a = affine.load %A[%i, %k] : memref<6x8xf32>
      %t = arith.addf %s, %a : f32
      affine.store %t, %S[%i] : memref<6xf32>
    }
  }
  return
}
"""
sch = kc.tir.Schedule(kc.IRModule.parse(ROWS))
print(sch.mod)
a, s = np.random.rand(6, 8).astype(np.float32), np.empty(6, np.float32)
kc.build(sch)(a, s)
np.testing.assert_allclose(s, a.sum(1), rtol=1e-5)

# An op without a counterpart is refused, in terms of the module.
RESHAPED = """
func.func @f(%a: tensor<8xf32>, %sizes: tensor<2xindex>) -> tensor<?x?xf32> {
  %r = tensor.reshape %a(%sizes) : (tensor<8xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}
"""
try:
    kc.build(kc.IRModule.parse(RESHAPED, "reshaped.mlir"))
except KCError as error:
    print(error)
