// RUN: kc-opt %s --math-to-arith | FileCheck %s

func.func @f(%a: f32, %v: vector<4xf16>) -> (i1, i1, vector<4xi1>, i1, f32, f32) {
  %n = math.isnan %a : f32
  %i = math.isinf %a : f32
  %m = math.isnormal %v : vector<4xf16>
  %f = math.isfinite %a : f32
  %s, %c = math.sincos %a : f32
  return %n, %i, %m, %f, %s, %c : i1, i1, vector<4xi1>, i1, f32, f32
}

// CHECK-LABEL: func.func @f
// CHECK: %n = arith.cmpf uno, %a, %a : f32
// CHECK: [[X:%.*]] = math.absf %a : f32
// CHECK: [[INF:%.*]] = arith.constant 0x7f800000 : f32
// CHECK: %{{.*}} = arith.cmpf oeq, [[X]], [[INF]] : f32
// CHECK: [[V:%.*]] = math.absf %v : vector<4xf16>
// CHECK: [[LARGEST:%.*]] = arith.constant dense<0x7c00> : vector<4xf16>
// CHECK: [[FINITE:%.*]] = arith.cmpf olt, [[V]], [[LARGEST]] : vector<4xf16>
// CHECK: [[LEAST:%.*]] = arith.constant dense<6.103520e-05> : vector<4xf16>
// CHECK: [[LARGE:%.*]] = arith.cmpf oge, [[V]], [[LEAST]] : vector<4xf16>
// CHECK: %{{.*}} = arith.andi [[FINITE]], [[LARGE]] : vector<4xi1>
// CHECK: %{{.*}} = arith.cmpf olt, %{{.*}}, %{{.*}} : f32
// CHECK: %s = math.sin %a : f32
// CHECK: %c = math.cos %a : f32
