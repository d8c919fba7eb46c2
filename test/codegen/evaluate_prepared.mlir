// A function that prepares constants runs, and its results are constants; private ones that nothing
// reads any more are gone.
// RUN: kc-opt %s --evaluate-prepared | FileCheck %s

// CHECK-NOT:   @unread
// CHECK:       memref.global constant @public : memref<2xi16> = dense<3>
// CHECK:       memref.global "private" constant @turned : memref<3x2xi16> = dense<{{\[\[}}2, 5], [3, 6], [4, 7]]> {alignment = 64 : i64}
// CHECK:       memref.global "private" constant @sums : memref<2xi16> = dense<[9, 18]>
// CHECK-NOT:   kc.prepares
// CHECK:       func.func @main
memref.global "private" constant @unread : memref<2x3xi16> = dense<[[1, 2, 3], [4, 5, 6]]>
memref.global constant @public : memref<2xi16> = dense<3>
memref.global "private" @turned : memref<3x2xi16> = uninitialized {alignment = 64 : i64}
memref.global "private" @sums : memref<2xi16> = uninitialized
func.func private @main.prepare(%W: memref<2x3xi16> {kc.global = @unread}, %T: memref<3x2xi16> {kc.global = @turned}, %S: memref<2xi16> {kc.global = @sums}) attributes {kc.prepares} {
  tir.for %i in 3 parallel {
    tir.for %j in 2 {
      tir.block "T" (spatial %v_i in 3 = %i, spatial %v_j in 2 = %j) do {
        %x = tir.load %W[%v_j, %v_i] : memref<2x3xi16>
        %one = arith.constant 1 : i16
        %y = arith.addi %x, %one : i16
        tir.store %y, %T[%v_i, %v_j] : memref<3x2xi16>
      }
    }
  }
  tir.for %j in 2 {
    tir.for %i in 3 {
      tir.block "S" (spatial %v_j in 2 = %j, reduce %v_i in 3 = %i) init {
        %zero = arith.constant 0 : i16
        tir.store %zero, %S[%v_j] : memref<2xi16>
      } do {
        %x = tir.load %T[%v_i, %v_j] : memref<3x2xi16>
        %s = tir.load %S[%v_j] : memref<2xi16>
        %y = arith.addi %x, %s : i16
        tir.store %y, %S[%v_j] : memref<2xi16>
      }
    }
  }
  func.return
}
func.func @main(%A: memref<2xi16>) {
  %T = memref.get_global @turned : memref<3x2xi16>
  %S = memref.get_global @sums : memref<2xi16>
  %x = tir.load %T[0, 0] : memref<3x2xi16>
  %y = tir.load %S[1] : memref<2xi16>
  tir.store %x, %A[0] : memref<2xi16>
  tir.store %y, %A[1] : memref<2xi16>
  func.return
}
