// RUN: kc-opt %s --force-narrow-index-to-int32 | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK:         scf.for %i = {{%.*}} to {{%.*}} step {{%.*}} : i32 {
// CHECK-NEXT:      %twice = arith.muli %i, {{%.*}} : i32
// CHECK-NEXT:      [[TWICE:%.*]] = arith.index_cast %twice : i32 to index
// CHECK-NEXT:      memref.store %z, %A{{\[}}[[TWICE]]] : memref<128xf32>
func.func @rows(%A: memref<128xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %twice = arith.muli %i, %c2 : index
    memref.store %z, %A[%twice] : memref<128xf32>
  }
  func.return
}
