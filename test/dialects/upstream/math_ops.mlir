// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%a: f32, %v: vector<4xf16>, %t: tensor<?xf64>) {
  %0 = math.isnan %a : f32
  %1 = math.isinf %v : vector<4xf16>
  %2 = math.isfinite %t {fastmath = #arith.fastmath<contract>} : tensor<?xf64>
  %3 = math.isnormal %a {kept = 1 : i32} : f32
  %4 = math.erfc %v fastmath<contract> : vector<4xf16>
  %5, %6 = math.sincos %a fastmath<contract> : f32
  return
}

// CHECK: %{{.*}} = math.isnan %a : f32
// CHECK: %{{.*}} = math.isinf %v : vector<4xf16>
// CHECK: %{{.*}} = math.isfinite %t {fastmath = #arith.fastmath<contract>} : tensor<?xf64>
// CHECK: %{{.*}} = math.isnormal %a {kept = 1 : i32} : f32
// CHECK: %{{.*}} = math.erfc %v fastmath<contract> : vector<4xf16>
// CHECK: %{{.*}}, %{{.*}} = math.sincos %a fastmath<contract> : f32
