// Each statement of a pipelined loop is kept together, so that what lowering adds stays with it.
// RUN: kc-opt %s --plan-software-pipeline | FileCheck %s
// RUN: kc-opt %s --plan-software-pipeline --lower-init-block --compact-buffer-allocation --lower-blocks --inject-software-pipeline | FileCheck %s --check-prefix=INJECTED

// CHECK-LABEL: func.func @f(
// CHECK-NEXT:    tir.for %i in 8 annotations {software_pipeline_stage = [0 : i64, 1 : i64]} {
// CHECK-NEXT:      %B = tir.alloc "B" : memref<8x16xf32>
// CHECK-NEXT:      tir.for %statement in 1 annotations {software_pipeline_statement} {
// CHECK-NEXT:        tir.for %j in 16 {
// CHECK-NEXT:          tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j) do {
// CHECK:           tir.for %{{.*}} in 1 annotations {software_pipeline_statement} {
// CHECK-NEXT:        tir.for %k in 16 {
// CHECK-NEXT:          tir.block "C" (spatial %{{.*}} in 8 = %i, reduce %v_k in 16 = %k) init {

// The initial value is a part of the second statement, in the loop and behind it.
// INJECTED-LABEL: func.func @f(
// INJECTED-NEXT:    %B = tir.alloc "B" : memref<2x1x16xf32>
// INJECTED-NEXT:    tir.for %j in 16 {
// INJECTED:         tir.for %i in 7 {
// INJECTED-NEXT:      tir.for %{{.*}} in 16 {
// INJECTED-NEXT:        %{{.*}} = tir.load %A[%i + 1, %{{.*}}] : memref<8x16xf32>
// INJECTED-NEXT:        tir.store %{{.*}}, %B[(%i + 1) mod 2, 0, %{{.*}}] : memref<2x1x16xf32>
// INJECTED-NEXT:      }
// INJECTED-NEXT:      %zero = arith.constant 0.000000e+00 : f32
// INJECTED-NEXT:      tir.store %zero, %C[%i] : memref<8xf32>
// INJECTED-NEXT:      tir.for %{{.*}} in 16 {
// INJECTED:         %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// INJECTED-NEXT:    tir.store %[[Z]], %C[7] : memref<8xf32>
// INJECTED-NEXT:    tir.for %{{.*}} in 16 {
func.func @f(%A: memref<8x16xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 annotations {software_pipeline_stage = [0, 1]} {
    %B = tir.alloc "B" : memref<8x16xf32>
    tir.for %j in 16 {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 16 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<8x16xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<8x16xf32>
      }
    }
    tir.for %k in 16 {
      tir.block "C" (spatial %v_i in 8 = %i, reduce %v_k in 16 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v_i] : memref<8xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<8xf32>
        %b = tir.load %B[%v_i, %v_k] : memref<8x16xf32>
        %s = arith.addf %c, %b : f32
        tir.store %s, %C[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}
