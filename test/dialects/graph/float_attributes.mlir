// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// Numbers are written without a type, in the fewest digits; those that have no digits as bits.
// CHECK: graph.clip(%x) <a_min = -0.01, a_max = 1.0e-05>
// CHECK: graph.clip(%0) <a_min = -2.5, a_max = 0x7ff0000000000000 : f64>
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.clip(%x) <a_min = -0.01, a_max = 0.00001> : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.clip(%0) <a_min = -2.5, a_max = 0x7ff0000000000000 : f64> : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
