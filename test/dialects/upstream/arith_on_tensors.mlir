// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: tensor<4xi8>, %c: tensor<4xi1>, %x: f32, %i: i32) {
  %0 = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
  %1 = arith.sitofp %0 : tensor<4xi32> to tensor<4xf32>
  %2 = arith.select %c, %1, %1 : tensor<4xi1>, tensor<4xf32>
  %3 = arith.cmpi slt, %a, %a : tensor<4xi8>
  %4 = arith.index_castui %i : i32 to index
  %5 = arith.index_castui %a : tensor<4xi8> to tensor<4xindex>
  %6 = arith.truncf %x fastmath<fast> : f32 to bf16
  %7 = arith.extf %6 fastmath<contract> : bf16 to f32
  %8 = arith.truncf %x to_nearest_even : f32 to bf16
  %9 = arith.truncf %x to_nearest_even fastmath<nnan> : f32 to f16
  %10 = arith.trunci %i overflow<nsw> : i32 to i8
  %11 = arith.scaling_extf %6, %x fastmath<nnan> : bf16, f32 to f32
  %12 = arith.scaling_truncf %x, %9 to_nearest_even fastmath<contract> : f32, f16 to f8E5M2
  return
}

// CHECK: func.func @f(%a: tensor<4xi8>, %c: tensor<4xi1>, %x: f32, %i: i32) {
// CHECK: %{{.*}} = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
// CHECK: %{{.*}} = arith.sitofp %0 : tensor<4xi32> to tensor<4xf32>
// CHECK: %{{.*}} = arith.select %c, %1, %1 : tensor<4xi1>, tensor<4xf32>
// CHECK: %{{.*}} = arith.cmpi slt, %a, %a : tensor<4xi8>
// CHECK: %{{.*}} = arith.index_castui %i : i32 to index
// CHECK: %{{.*}} = arith.index_castui %a : tensor<4xi8> to tensor<4xindex>
// CHECK: %{{.*}} = arith.truncf %x fastmath<fast> : f32 to bf16
// CHECK: %{{.*}} = arith.extf %6 fastmath<contract> : bf16 to f32
// CHECK: %{{.*}} = arith.truncf %x to_nearest_even : f32 to bf16
// CHECK: %{{.*}} = arith.truncf %x to_nearest_even fastmath<nnan> : f32 to f16
// CHECK: %{{.*}} = arith.trunci %i overflow<nsw> : i32 to i8
// CHECK: %{{.*}} = arith.scaling_extf %6, %x fastmath<nnan> : bf16, f32 to f32
// CHECK: %{{.*}} = arith.scaling_truncf %x, %9 to_nearest_even fastmath<contract> : f32, f16 to f8E5M2
