// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%x: tensor<13x7xf32>, %z: f32, %d: tensor<3x2x8x3xf32>, %e: tensor<13x7xf32>) -> tensor<13x7xf32> {
  %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 3] into %d : tensor<13x7xf32> -> tensor<3x2x8x3xf32>
  %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 3] into %e : tensor<3x2x8x3xf32> -> tensor<13x7xf32>
  return %u : tensor<13x7xf32>
}

func.func @dynamic(%x: tensor<?xf32>, %t: index, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%t] into %d : tensor<?xf32> -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// CHECK: %p = linalg.pack %x padding_value(%z : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 3] into %d : tensor<13x7xf32> -> tensor<3x2x8x3xf32>
// CHECK: %u = linalg.unpack %p outer_dims_perm = [1, 0] inner_dims_pos = [0, 1] inner_tiles = [8, 3] into %e : tensor<3x2x8x3xf32> -> tensor<13x7xf32>
// CHECK: %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [%t] into %d : tensor<?xf32> -> tensor<?x?xf32>
