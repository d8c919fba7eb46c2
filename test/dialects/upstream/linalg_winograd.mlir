// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%f: tensor<2x3x3x5xf32>, %x: tensor<?x10x10x5xf32>, %y: tensor<4x1x3x1x2x2xf64>,
             %e0: tensor<6x6x5x2xf32>, %e1: tensor<6x6x2x2x?x5xf32>, %e2: tensor<2x6x1x2xf64>) {
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%e0 : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  %1 = linalg.winograd_input_transform {kept} fmr(F_4_3) ins(%x : tensor<?x10x10x5xf32>) outs(%e1 : tensor<6x6x2x2x?x5xf32>) -> tensor<6x6x2x2x?x5xf32>
  %2 = linalg.winograd_output_transform fmr(F_2_3) ins(%y : tensor<4x1x3x1x2x2xf64>) outs(%e2 : tensor<2x6x1x2xf64>) -> tensor<2x6x1x2xf64>
  return
}

// CHECK: %{{.*}} = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%e0 : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
// CHECK: %{{.*}} = linalg.winograd_input_transform {kept} fmr(F_4_3) ins(%x : tensor<?x10x10x5xf32>) outs(%e1 : tensor<6x6x2x2x?x5xf32>) -> tensor<6x6x2x2x?x5xf32>
// CHECK: %{{.*}} = linalg.winograd_output_transform fmr(F_2_3) ins(%y : tensor<4x1x3x1x2x2xf64>) outs(%e2 : tensor<2x6x1x2xf64>) -> tensor<2x6x1x2xf64>
