// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

// CHECK-LABEL: func.func @calls
// CHECK-NEXT:    %c = tir.call_extern pure "cbrtf"(%x) : (f32) -> f32
// CHECK-NEXT:    tir.call_extern "fill"(write %A, read %B, %c) {kc.unsigned = array<i64: 0>} : (memref<8xi8>, memref<?xf32>, f32)
// CHECK-NEXT:    %r = tir.call_extern packed "my.function"("a \22text\22", update %B, %x, "") : (memref<?xf32>, f32) -> i32
// CHECK-NEXT:    tir.call_extern packed "nothing"() : ()
func.func @calls(%A: memref<8xi8>, %B: memref<?xf32>, %x: f32) {
  %c = tir.call_extern pure "cbrtf"(%x) : (f32) -> f32
  tir.call_extern "fill"(write %A, read %B, %c) {kc.unsigned = array<i64: 0>} : (memref<8xi8>, memref<?xf32>, f32)
  %r = tir.call_extern packed "my.function"("a \"text\"", update %B, %x, "") : (memref<?xf32>, f32) -> i32
  tir.call_extern packed "nothing"() : ()
  func.return
}
