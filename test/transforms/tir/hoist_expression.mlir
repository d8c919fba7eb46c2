// RUN: kc-opt %s --hoist-expression --split-input-file | FileCheck %s
// RUN: kc-opt %s --hoist-expression="hoisted-conditionals=1" --split-input-file | FileCheck %s --check-prefix=GUARDS
// RUN: kc-opt %s --hoist-expression="hoisted-conditionals=0 hoisted-let-bindings=2" --split-input-file | FileCheck %s --check-prefix=VALUES

// A choice with a value, and the condition that it needs.

// CHECK-LABEL:  func.func @choice
// CHECK-NEXT:     %c = arith.cmpi slt, %n, %m : index
// CHECK-NEXT:     scf.if %c {
// CHECK-NEXT:       tir.for %i in 64 {
// CHECK-NEXT:         %a = tir.load %A[%i] : memref<64xf32>
// CHECK-NEXT:         tir.store %a, %B[%i] : memref<64xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:     } else {
// CHECK-NEXT:       tir.for %{{.*}} "i" in 64 {
// CHECK-NEXT:         tir.store %zero, %B[%{{.*}}] : memref<64xf32>
// GUARDS-LABEL: func.func @choice
// GUARDS-NEXT:    %c = arith.cmpi slt, %n, %m : index
// GUARDS-NEXT:    tir.for %i in 64 {
// GUARDS-NEXT:      scf.if %c -> (f32) {
// VALUES-LABEL: func.func @choice
// VALUES-NEXT:    %c = arith.cmpi slt, %n, %m : index
// VALUES-NEXT:    tir.for %i in 64 {
func.func @choice(%A: memref<64xf32>, %B: memref<64xf32>, %n: index, %m: index, %zero: f32) {
  tir.for %i in 64 {
    %c = arith.cmpi slt, %n, %m : index
    %v = scf.if %c -> (f32) {
      %a = tir.load %A[%i] : memref<64xf32>
      scf.yield %a : f32
    } else {
      scf.yield %zero : f32
    }
    tir.store %v, %B[%i] : memref<64xf32>
  }
  func.return
}

// -----

// Values, but not a quotient that may end the program.

// VALUES-LABEL: func.func @values
// VALUES-NEXT:    %s = arith.addi %x, %y : i32
// VALUES-NEXT:    tir.for %i in %n {
// VALUES-NEXT:      %q = arith.divsi %s, %y : i32
// VALUES-NEXT:      tir.store %q, %B[%i] : memref<?xi32>
func.func @values(%B: memref<?xi32>, %n: index, %x: i32, %y: i32) {
  tir.for %i in %n {
    %s = arith.addi %x, %y : i32
    %q = arith.divsi %s, %y : i32
    tir.store %q, %B[%i] : memref<?xi32>
  }
  func.return
}
