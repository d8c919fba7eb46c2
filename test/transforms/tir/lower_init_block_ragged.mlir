// RUN: kc-opt %s --split-input-file --verify-diagnostics --lower-init-block | FileCheck %s

// The extent of the reduction depends on the element. Where the init has to stay in the loops, an
// element without terms gets it where the extent is known.

// CHECK-LABEL: func.func @fused
// CHECK:         tir.for %i in 5 parallel {
// CHECK-NEXT:      %n = tir.load %N[%i] : memref<5xindex>
// CHECK-NEXT:      %m = tir.apply (%n * 2)
// CHECK-NEXT:      tir.if (%n < 1) {
// CHECK-NEXT:        tir.for %l in 3 {
// CHECK-NEXT:          tir.block "S_init" (spatial %v_i in 5 = %i, spatial %v_l in 3 = %l) do {
// CHECK:           tir.for %f in %m {
// CHECK:             tir.if (%v_k == 0, %v_j == 0) {
func.func @fused(%N: memref<5xindex>, %S: memref<5x3xi64>) {
  %c2 = arith.constant 2 : index
  tir.for %i in 5 parallel {
    %n = tir.load %N[%i] : memref<5xindex>
    %m = tir.apply (%n * 2)
    tir.for %f in %m {
      tir.for %l in 3 {
        %j, %k = tir.delinearize %f by [%c2, %n]
        tir.block "S" (spatial %v_i in 5 = %i, spatial %v_l in 3 = %l, reduce %v_k in %n = %k, reduce %v_j in 2 = %j) init {
          %z = arith.constant 0 : i64
          tir.store %z, %S[%v_i, %v_l] : memref<5x3xi64>
        } do {
          %s = tir.load %S[%v_i, %v_l] : memref<5x3xi64>
          %t = arith.addi %s, %s : i64
          tir.store %t, %S[%v_i, %v_l] : memref<5x3xi64>
        }
      }
    }
  }
  func.return
}

// -----

func.func @refused(%N: memref<5xindex>, %S: memref<5x3xi64>) {
  %c3 = arith.constant 3 : index
  tir.for %i in 5 {
    %n = tir.load %N[%i] : memref<5xindex>
    %m = tir.apply (%n * 3)
    tir.for %f in %m {
      %k, %l = tir.delinearize %f by [%n, %c3]
      // expected-error@+1 {{KC4213: lower-init-block: the elements of S have no loops of their own}}
      tir.block "S" (spatial %v_i in 5 = %i, spatial %v_l in 3 = %l, reduce %v_k in %n = %k * 2) init {
        %z = arith.constant 0 : i64
        tir.store %z, %S[%v_i, 0] : memref<5x3xi64>
      } do {
        %s = tir.load %S[%v_i, 0] : memref<5x3xi64>
        tir.store %s, %S[%v_i, 0] : memref<5x3xi64>
      }
    }
  }
  func.return
}

// -----

// The rows of a recurrence have an order: each is filled where it is computed, for the elements that
// are counted there, also those whose number is computed from several loops. All of a row is there
// before the reduction begins, and if it is over nothing.

// CHECK-LABEL: func.func @row
// CHECK:         tir.for %t in 4 {
// CHECK-NEXT:      tir.for %o in 2 {
// CHECK-NEXT:        tir.for %i_init in %size {
// CHECK-NEXT:          %e = tir.linearize [%o, %i_init] by [%c2, %size]
// CHECK-NEXT:          tir.block "S_init" (opaque %v_t in 5 = %t + 1, spatial %v_e in %m = %e) where (%e < %n + 3) do {
// CHECK-NEXT:            %z = arith.constant 7 : i64
// CHECK-NEXT:            tir.store %z, %S[%v_t, %v_e] : memref<5x?xi64>
// CHECK:             tir.for %k in %n {
func.func @row(%n: index, %S: memref<5x?xi64>) {
  %c2 = arith.constant 2 : index
  %m = tir.apply (%n + 3)
  %size = tir.apply ((%n + 4) floordiv 2)
  tir.for %t in 4 {
    tir.for %o in 2 {
      tir.for %k in %n {
        tir.for %i in %size {
          %e = tir.linearize [%o, %i] by [%c2, %size]
          tir.block "S" (opaque %v_t in 5 = %t + 1, spatial %v_e in %m = %e, reduce %v_k in %n = %k) where (%e < %m) init {
            %z = arith.constant 7 : i64
            tir.store %z, %S[%v_t, %v_e] : memref<5x?xi64>
          } do {
            %x = tir.load %S[%v_t - 1, 0] : memref<5x?xi64>
            %s = tir.load %S[%v_t, %v_e] : memref<5x?xi64>
            %y = arith.addi %s, %x : i64
            tir.store %y, %S[%v_t, %v_e] : memref<5x?xi64>
          }
        }
      }
    }
  }
  func.return
}

// -----

func.func @rows_of_other_extents(%N: memref<5xindex>, %S: memref<5x3xi64>) {
  %c3 = arith.constant 3 : index
  tir.for %t in 4 {
    %n = tir.load %N[%t] : memref<5xindex>
    %m = tir.apply (%n * 3)
    tir.for %f in %m {
      %k, %l = tir.delinearize %f by [%n, %c3]
      // expected-error@+1 {{KC4213: lower-init-block: the elements of S have no loops of their own}}
      tir.block "S" (opaque %v_t in 5 = %t + 1, spatial %v_l in 3 = %l, reduce %v_k in %n = %k) init {
        %z = arith.constant 0 : i64
        tir.store %z, %S[%v_t, %v_l] : memref<5x3xi64>
      } do {
        %s = tir.load %S[%v_t - 1, 0] : memref<5x3xi64>
        %y = tir.load %S[%v_t, %v_l] : memref<5x3xi64>
        %x = arith.addi %s, %y : i64
        tir.store %x, %S[%v_t, %v_l] : memref<5x3xi64>
      }
    }
  }
  func.return
}
