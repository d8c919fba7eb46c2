// Gathers, scatters and Winograd's transforms whose operands do not fit, which mlir-opt refuses too.
// RUN: kc-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @f(%s: tensor<3x1x5xf32>, %t: tensor<4x5xf32>, %k: tensor<3x1xindex>) {
  // expected-error@+1 {{tensor.scatter: without 'unique', coordinates may be equal, and it is not defined what is stored there}}
  %0 = tensor.scatter %s into %t[%k] scatter_dims([0]) : (tensor<3x1x5xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%s: tensor<3x1x6xf32>, %t: tensor<4x5xf32>, %k: tensor<3x1xindex>) {
  // expected-error@+1 {{tensor.scatter: tensor<3x1x6xf32> is not the shape of the slices}}
  %0 = tensor.scatter %s into %t[%k] scatter_dims([0]) unique : (tensor<3x1x6xf32>, tensor<4x5xf32>, tensor<3x1xindex>) -> tensor<4x5xf32>
  return
}

// -----

func.func @f(%f: tensor<2x3x3x5xf32>, %e: tensor<5x6x5x2xf32>) {
  // expected-error@+1 {{linalg.winograd_filter_transform: F_4_3 maps tensor<2x3x3x5xf32> to the sizes 6x6x5x2, not to tensor<5x6x5x2xf32>}}
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>) outs(%e : tensor<5x6x5x2xf32>) -> tensor<5x6x5x2xf32>
  return
}

// -----

func.func @f(%f: tensor<2x4x3x5xf32>, %e: tensor<6x6x5x2xf32>) {
  // expected-error@+1 {{linalg.winograd_filter_transform: F_4_3 has filters of 3 x 3, 3 x 1 or 1 x 3, not tensor<2x4x3x5xf32>}}
  %0 = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x4x3x5xf32>) outs(%e : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
  return
}

// -----

func.func @f(%x: tensor<2x10x10x5xf32>, %e: tensor<6x6x2x3x2x5xf32>) {
  // expected-error@+1 {{linalg.winograd_input_transform: F_4_3 maps tensor<2x10x10x5xf32> to the sizes 6x6x2x2x2x5, not to tensor<6x6x2x3x2x5xf32>}}
  %0 = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<2x10x10x5xf32>) outs(%e : tensor<6x6x2x3x2x5xf32>) -> tensor<6x6x2x3x2x5xf32>
  return
}

// -----

func.func @f(%y: tensor<6x5x2x2x2x2xf32>, %e: tensor<2x8x8x2xf32>) {
  // expected-error@+1 {{linalg.winograd_output_transform: tiles of F_4_3 have 6 elements, not tensor<6x5x2x2x2x2xf32>}}
  %0 = linalg.winograd_output_transform fmr(F_4_3) ins(%y : tensor<6x5x2x2x2x2xf32>) outs(%e : tensor<2x8x8x2xf32>) -> tensor<2x8x8x2xf32>
  return
}

// -----

func.func @f(%A: memref<3x3xf32>, %B: memref<3x3xf32>) {
  // expected-error@+1 {{linalg.transpose: [0, 0] is not a permutation of the dimensions 0 to 1}}
  linalg.transpose ins(%A : memref<3x3xf32>) outs(%B : memref<3x3xf32>) permutation = [0, 0]
  func.return
}

// -----

func.func @f(%A: memref<3x3xf32>, %B: memref<3xf32>) {
  // expected-error@+1 {{linalg.reduce: the dimensions [1, 1] do not increase}}
  linalg.reduce { arith.addf } ins(%A : memref<3x3xf32>) outs(%B : memref<3xf32>) dimensions = [1, 1]
  func.return
}

// -----

func.func @f(%A: memref<3x3xf32>, %B: memref<3xf32>) {
  // expected-error@+1 {{linalg.reduce: [2] are not dimensions of memref<3x3xf32>}}
  linalg.reduce { arith.addf } ins(%A : memref<3x3xf32>) outs(%B : memref<3xf32>) dimensions = [2]
  func.return
}
