// Assertions of elements go before the op that they are in; where one fails, the function ends.
// RUN: kc-opt %s --raise-to-tir --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @picked
// CHECK:         tir.for %{{.*}} in 4 {
// CHECK-NEXT:      %[[AT:.*]] = tir.load %at[%{{.*}}] : memref<4xi64>
// CHECK-NEXT:      %[[OK:.*]] = arith.cmpi slt, %[[AT]], %{{.*}} : i64
// CHECK:           tir.if (%{{.*}} == 0) {
// CHECK-NEXT:        tir.call_extern packed "kc.assertion_failed"("{{.*}}: index must be smaller than dim size") : ()
// CHECK-NEXT:      }
// CHECK-NEXT:      cf.assert %[[OK]], "index must be smaller than dim size" {leaves}
// CHECK:         tir.block "r" (spatial %{{.*}} in 4 = %{{.*}}) do {
// CHECK-NOT:       cf.assert
func.func @picked(%w: tensor<10xf32>, %at: tensor<4xi64>) -> tensor<4xf32> {
  %c10 = arith.constant 10 : i64
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%at : tensor<4xi64>) outs(%e : tensor<4xf32>) {
  ^bb0(%in: i64, %out: f32):
    %i = arith.index_cast %in : i64 to index
    %small = arith.cmpi slt, %in, %c10 : i64
    cf.assert %small, "index must be smaller than dim size"
    %x = tensor.extract %w[%i] : tensor<10xf32>
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
