// RUN: kc-opt %s --parallel="block=C loop=j" | FileCheck %s
// RUN: kc-opt %s --parallel | FileCheck %s --check-prefix=BARE
// RUN: kc-opt %s --parallel --parallel 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: kc-opt %s --parallel="func=rows loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --parallel="func=shifted loop=i" | FileCheck %s --check-prefix=SHIFTED

// CHECK:       tir.for %i in 16 {
// CHECK-NEXT:    tir.for %j in 12 parallel {
// CHECK-NEXT:      tir.for %k in 8 {

// BARE-LABEL:  func.func @sum
// BARE:        tir.for %i in 16 parallel {
// BARE-NEXT:     tir.for %j in 12 {

// AGAIN:       remark[KC3007]: parallel changed nothing
func.func @sum(%A: memref<16x12x8xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_j, %v_k] : memref<16x12x8xf32>
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %a : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

// Each iteration has a buffer of its own, and shifts its own row.
// ROWS-LABEL:  func.func @rows
// ROWS:        tir.for %i in 16 parallel {
// ROWS-NEXT:     %row = tir.alloc "row" : memref<8xf32>
func.func @rows(%A: memref<16x9xf32>) {
  tir.for %i in 16 {
    %row = tir.alloc "row" : memref<8xf32>
    tir.for %j in 8 {
      %a = tir.load %A[%i, %j] : memref<16x9xf32>
      tir.store %a, %row[%j] : memref<8xf32>
    }
    tir.for %l in 8 {
      %b = tir.load %row[%l] : memref<8xf32>
      tir.store %b, %A[%i, %l + 1] : memref<16x9xf32>
    }
  }
  func.return
}

// What is computed in each iteration from values of outside is the same in all of them.
// SHIFTED-LABEL: func.func @shifted
// SHIFTED:       tir.for %i in 8 parallel {
// SHIFTED-NEXT:    %s = arith.index_cast %p : i32 to index
func.func @shifted(%P: memref<1xi32>, %A: memref<16x3xf32>) {
  %p = tir.load %P[0] : memref<1xi32>
  tir.for %i in 8 {
    %s = arith.index_cast %p : i32 to index
    %q = arith.remsi %s, %s : index
    %x = arith.constant 1.0 : f32
    tir.store %x, %A[%i + %s, %q] : memref<16x3xf32>
    // The same value, computed again.
    %t = arith.index_cast %p : i32 to index
    %y = tir.load %A[%i + %t, 0] : memref<16x3xf32>
    tir.store %y, %A[%i + %t, 1] : memref<16x3xf32>
  }
  func.return
}
