// RUN: kc-opt %s --lower-init-block --split-input-file | FileCheck %s

// The init goes before the outermost loop that carries a reduce variable; of the loops inside that
// one, those that carry spatial variables are copied.

// CHECK-LABEL: func.func @matmul
// CHECK:         tir.for %i in 8 parallel {
// CHECK-NEXT:      tir.for %j_o_init in 3 {
// CHECK-NEXT:        tir.for %j_i_init in 8 vectorized {
// CHECK-NEXT:          tir.block "C_init" (spatial %v_i in 8 = %i, spatial %v_j in 20 = %j_o_init * 8 + %j_i_init) where (%j_o_init * 8 + %j_i_init < 20) do {
// CHECK-NEXT:            %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:            tir.store %zero, %C[%v_i, %v_j] : memref<8x20xf32>
// CHECK:           tir.for %k_o in 3 {
// CHECK-NEXT:        tir.for %j_o in 3 {
// CHECK-NEXT:          tir.for %k_i in 4 unrolled {
// CHECK-NEXT:            tir.for %j_i in 8 vectorized {
// CHECK-NEXT:              tir.block "C" ({{.*}}) where (%j_o * 8 + %j_i < 20, %k_o * 4 + %k_i < 10) do {
// CHECK-NOT:     init
func.func @matmul(%A: memref<8x10xf32>, %B: memref<10x20xf32>, %C: memref<8x20xf32>) {
  tir.for %i in 8 parallel {
    tir.for %k_o in 3 {
      tir.for %j_o in 3 {
        tir.for %k_i in 4 unrolled {
          tir.for %j_i in 8 vectorized {
            tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 20 = %j_o * 8 + %j_i, reduce %v_k in 10 = %k_o * 4 + %k_i) where (%j_o * 8 + %j_i < 20, %k_o * 4 + %k_i < 10) init {
              %zero = arith.constant 0.0 : f32
              tir.store %zero, %C[%v_i, %v_j] : memref<8x20xf32>
            } do {
              %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
              %b = tir.load %B[%v_k, %v_j] : memref<10x20xf32>
              %c = tir.load %C[%v_i, %v_j] : memref<8x20xf32>
              %p = arith.mulf %a, %b : f32
              %s = arith.addf %c, %p : f32
              tir.store %s, %C[%v_i, %v_j] : memref<8x20xf32>
            }
          }
        }
      }
    }
  }
  func.return
}

// -----

// A loop that carries both kinds of variables is copied, with a condition.

// CHECK-LABEL: func.func @fused
// CHECK:         tir.for %f_init in 80 {
// CHECK-NEXT:      tir.block "S_init" (spatial %v_i in 8 = %f_init floordiv 10) where (%f_init mod 10 == 0) do {
// CHECK:         tir.for %f in 80 {
// CHECK-NEXT:      tir.block "S" (spatial %v_i in 8 = %f floordiv 10, reduce %v_k in 10 = %f mod 10) do {
func.func @fused(%A: memref<8x10xf32>, %S: memref<8xf32>) {
  tir.for %f in 80 {
    tir.block "S" (spatial %v_i in 8 = %f floordiv 10, reduce %v_k in 10 = %f mod 10) init {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %S[%v_i] : memref<8xf32>
    } do {
      %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
      %c = tir.load %S[%v_i] : memref<8xf32>
      %s = arith.addf %c, %a : f32
      tir.store %s, %S[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// -----

// Another block uses the buffer between the init and the loop: the init stays, guarded.

// CHECK-LABEL: func.func @stays
// CHECK:         tir.for %k in 10 {
// CHECK:           tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 10 = %k) do {
// CHECK-NEXT:        tir.if (%v_k == 0) {
// CHECK-NEXT:          %zero = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          tir.store %zero, %S[%v_i] : memref<8xf32>
// CHECK-NEXT:        }
// CHECK-NEXT:        %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
func.func @stays(%A: memref<8x10xf32>, %S: memref<8xf32>, %T: memref<10x8xf32>) {
  tir.for %k in 10 {
    tir.for %i in 8 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 10 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
        %c = tir.load %S[%v_i] : memref<8xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %S[%v_i] : memref<8xf32>
      }
      tir.block "T" (spatial %v_i in 8 = %i, spatial %v_k in 10 = %k) do {
        %c = tir.load %S[%v_i] : memref<8xf32>
        tir.store %c, %T[%v_k, %v_i] : memref<10x8xf32>
      }
    }
  }
  func.return
}

// -----

// Nothing is initialised where there is nothing: not even element 0.

// CHECK-LABEL: func.func @empty
// CHECK-NOT:     "S_init"
// CHECK:         tir.for %f in 0 {
func.func @empty(%A: memref<4xf32>, %S: memref<0xf32>) {
  tir.for %f in 0 {
    tir.block "S" (spatial %v_i in 0 = %f, reduce %v_k in 1 = %f) init {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %S[%v_i] : memref<0xf32>
    } do {
      %a = tir.load %A[%v_k] : memref<4xf32>
      %c = tir.load %S[%v_i] : memref<0xf32>
      %s = arith.addf %c, %a : f32
      tir.store %s, %S[%v_i] : memref<0xf32>
    }
  }
  func.return
}

// -----

// A condition that no iteration meets: nothing runs, so nothing is initialised.

// CHECK-LABEL: func.func @never
// CHECK-NOT:     "S_init"
// CHECK:         tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 10 = %k) where (%k < 0) do {
func.func @never(%A: memref<8x10xf32>, %S: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 10 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 10 = %k) where (%k + 1 <= 0) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
        %c = tir.load %S[%v_i] : memref<8xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %S[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}
