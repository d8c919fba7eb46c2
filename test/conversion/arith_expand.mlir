// RUN: kc-opt %s --arith-expand | FileCheck %s

// CHECK-LABEL: func.func @widened
// CHECK-NEXT:    [[NUMBER:%.+]] = arith.bitcast %s : f32 to i32
// CHECK-NEXT:    [[EXPONENT:%.+]] = arith.constant 2139095040 : i32
// CHECK-NEXT:    [[BITS:%.+]] = arith.andi [[NUMBER]], [[EXPONENT]] : i32
// CHECK-NEXT:    [[IS_SPECIAL:%.+]] = arith.cmpi eq, [[BITS]], [[EXPONENT]] : i32
// CHECK-NEXT:    [[NAN:%.+]] = arith.constant -1 : i32
// CHECK-NEXT:    [[CHOSEN:%.+]] = arith.select [[IS_SPECIAL]], [[NAN]], [[BITS]] : i32
// CHECK-NEXT:    [[SCALE:%.+]] = arith.bitcast [[CHOSEN]] : i32 to f32
// CHECK-NEXT:    [[WIDE:%.+]] = arith.extf %a : f8E5M2 to f32
// CHECK-NEXT:    %{{.+}} = arith.mulf [[WIDE]], [[SCALE]] : f32
func.func @widened(%a: f8E5M2, %s: f32) -> f32 {
  %r = arith.scaling_extf %a, %s : f8E5M2, f32 to f32
  return %r : f32
}

// CHECK-LABEL: func.func @narrowed
// CHECK-NEXT:    %{{.+}} = arith.extf %s fastmath<nnan> : vector<4xbf16> to vector<4xf32>
// CHECK:         [[SCALE:%.+]] = arith.bitcast %{{.+}} : vector<4xi32> to vector<4xf32>
// CHECK-NEXT:    [[QUOTIENT:%.+]] = arith.divf %a, [[SCALE]] fastmath<nnan> : vector<4xf32>
// CHECK-NEXT:    %{{.+}} = arith.truncf [[QUOTIENT]] to_nearest_even fastmath<nnan> : vector<4xf32> to vector<4xf16>
func.func @narrowed(%a: vector<4xf32>, %s: vector<4xbf16>) -> vector<4xf16> {
  %r = arith.scaling_truncf %a, %s to_nearest_even fastmath<nnan> : vector<4xf32>, vector<4xbf16> to vector<4xf16>
  return %r : vector<4xf16>
}

// No value of this type is computed with.
// CHECK-LABEL: func.func @of_exponents
// CHECK-NEXT:    %r = arith.scaling_extf %a, %s : f4E2M1FN, f8E8M0FNU to bf16
func.func @of_exponents(%a: f4E2M1FN, %s: f8E8M0FNU) -> bf16 {
  %r = arith.scaling_extf %a, %s : f4E2M1FN, f8E8M0FNU to bf16
  return %r : bf16
}
