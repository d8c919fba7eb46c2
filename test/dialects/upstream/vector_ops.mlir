// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: vector<2x3xf32>, %m: vector<8xi1>, %A: memref<?x?xf32>, %i: index, %at: vector<8xi32>, %p: vector<8xf32>, %b: vector<3xf32>, %c: vector<2xf32>, %x: f32) -> vector<3x2xf32> {
  %t = vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
  %s = vector.shape_cast %t : vector<3x2xf32> to vector<6xf32>
  %k = vector.constant_mask [2, 1] : vector<4x3xi1>
  %e = vector.extract_strided_slice %a {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xf32> to vector<2x2xf32>
  %n = vector.insert_strided_slice %c, %a {offsets = [0, 1], strides = [1]} : vector<2xf32> into vector<2x3xf32>
  %g = vector.gather %A[%i, %i] [%at], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.scatter %A[%i, %i] [%at], %m, %g : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  %xl = vector.expandload %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.compressstore %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
  %cm = memref.alloc() : memref<4xvector<8xf32>>
  %tc = vector.type_cast %cm : memref<4xvector<8xf32>> to memref<vector<4x8xf32>>
  %r = vector.multi_reduction <add>, %a, %c [1] : vector<2x3xf32> to vector<2xf32>
  %ct = vector.contract {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<2x3xf32>, vector<3xf32> into vector<2xf32>
  %o = vector.outerproduct %c, %b, %a {kind = #vector.kind<add>} : vector<2xf32>, vector<3xf32>
  %o2 = vector.outerproduct %c, %b : vector<2xf32>, vector<3xf32>
  %o3 = vector.outerproduct %c, %x : vector<2xf32>, f32
  %st = vector.step : vector<4xindex>
  %fe = vector.from_elements %x, %x : vector<2xf32>
  %te:2 = vector.to_elements %fe : vector<2xf32>
  %il = vector.interleave %c, %c : vector<2xf32> -> vector<4xf32>
  %d1, %d2 = vector.deinterleave %il : vector<4xf32> -> vector<2xf32>
  %mm = vector.mask %m { vector.reduction <add>, %p : vector<8xf32> into f32 } : vector<8xi1> -> f32
  vector.mask %m { vector.transfer_write %p, %A[%i, %i] : vector<8xf32>, memref<?x?xf32> } : vector<8xi1>
  %sc, %sl = vector.scan <add>, %a, %c {inclusive = false, reduction_dim = 1 : i64} : vector<2x3xf32>, vector<2xf32>
  %tr = vector.transfer_read %A[%i, %i], %x, %m {in_bounds = [true], permutation_map = affine_map<(d0, d1) -> (d1)>} : memref<?x?xf32>, vector<8xf32>
  return %t : vector<3x2xf32>
}

// CHECK: %t = vector.transpose %a, [1, 0] : vector<2x3xf32> to vector<3x2xf32>
// CHECK-NEXT: %s = vector.shape_cast %t : vector<3x2xf32> to vector<6xf32>
// CHECK-NEXT: %k = vector.constant_mask [2, 1] : vector<4x3xi1>
// CHECK-NEXT: %e = vector.extract_strided_slice %a {offsets = [0, 1], sizes = [2, 2], strides = [1, 1]} : vector<2x3xf32> to vector<2x2xf32>
// CHECK-NEXT: %n = vector.insert_strided_slice %c, %a {offsets = [0, 1], strides = [1]} : vector<2xf32> into vector<2x3xf32>
// CHECK-NEXT: %g = vector.gather %A[%i, %i] [%at], %m, %p : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK-NEXT: vector.scatter %A[%i, %i] [%at], %m, %g : memref<?x?xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
// CHECK-NEXT: %xl = vector.expandload %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
// CHECK-NEXT: vector.compressstore %A[%i, %i], %m, %p : memref<?x?xf32>, vector<8xi1>, vector<8xf32>
// CHECK-NEXT: %cm = memref.alloc() : memref<4xvector<8xf32>>
// CHECK-NEXT: %tc = vector.type_cast %cm : memref<4xvector<8xf32>> to memref<vector<4x8xf32>>
// CHECK-NEXT: %r = vector.multi_reduction <add>, %a, %c [1] : vector<2x3xf32> to vector<2xf32>
// CHECK-NEXT: %ct = vector.contract {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"], kind = #vector.kind<add>} %a, %b, %c : vector<2x3xf32>, vector<3xf32> into vector<2xf32>
// CHECK-NEXT: %o = vector.outerproduct %c, %b, %a {kind = #vector.kind<add>} : vector<2xf32>, vector<3xf32>
// CHECK-NEXT: %o2 = vector.outerproduct %c, %b : vector<2xf32>, vector<3xf32>
// CHECK-NEXT: %o3 = vector.outerproduct %c, %x : vector<2xf32>, f32
// CHECK-NEXT: %st = vector.step : vector<4xindex>
// CHECK-NEXT: %fe = vector.from_elements %x, %x : vector<2xf32>
// CHECK-NEXT: %te, %te_1 = vector.to_elements %fe : vector<2xf32>
// CHECK-NEXT: %il = vector.interleave %c, %c : vector<2xf32> -> vector<4xf32>
// CHECK-NEXT: %d1, %d2 = vector.deinterleave %il : vector<4xf32> -> vector<2xf32>
// CHECK-NEXT: %mm = vector.mask %m { %0 = vector.reduction <add>, %p : vector<8xf32> into f32 } : vector<8xi1> -> f32
// CHECK-NEXT: vector.mask %m { vector.transfer_write %p, %A[%i, %i] : vector<8xf32>, memref<?x?xf32> } : vector<8xi1>
// CHECK-NEXT: %sc, %sl = vector.scan <add>, %a, %c {inclusive = false, reduction_dim = 1 : i64} : vector<2x3xf32>, vector<2xf32>
// CHECK-NEXT: %tr = vector.transfer_read %A[%i, %i], %x, %m {in_bounds = [true]} : memref<?x?xf32>, vector<8xf32>
