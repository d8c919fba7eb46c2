// Back to a nest of its own before the first consumer, after compute_at and after reverse_compute_at.
// RUN: kc-opt %s --compute-at="func=rows block=B loop=i" --compute-root="func=rows block=B" \
// RUN:   | FileCheck %s --check-prefix=AT
// RUN: kc-opt %s --reverse-compute-at="func=chain block=B loop=j" --compute-root="func=chain block=B" \
// RUN:   | FileCheck %s --check-prefix=REVERSE
// RUN: kc-opt %s --compute-root="func=sums block=S" | FileCheck %s --check-prefix=NOTHING
// RUN: kc-opt %s --compute-at="func=sums block=S loop=j" --compute-root="func=sums block=S" \
// RUN:   | FileCheck %s --check-prefix=SUM

te.func @rows(%A: tensor<?x8xf32> {kc.shape = affine_map<()[n] -> (n, 8)>}) -> tensor<?x7xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%b = %n, %d = 8] {
    %a = te.read %A[%b, %d] : tensor<?x8xf32>
    te.yield %a : f32
  } : tensor<?x8xf32>
  %C = te.compute "C" [%i = %n, %j = 7] {
    %x = te.read %B[%i, %j] : tensor<?x8xf32>
    %y = te.read %B[%i, %j + 1] : tensor<?x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<?x7xf32>
  te.return %C : tensor<?x7xf32>
}

te.func @chain(%A: tensor<8xf32>) -> tensor<8xf32> {
  %A2 = te.compute "A2" [%j = 8] {
    %a = te.read %A[%j] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A2[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%i = 8] {
    %x = te.read %B[%i] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

te.func @sums(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %S = te.compute "S" [%s = 4] reduce sum [%k = 8] {
    %a = te.read %A[%s, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  %C = te.compute "C" [%i = 4, %j = 8] {
    %x = te.read %S[%i] : tensor<4xf32>
    te.yield %x : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

// AT:      func.func @rows(
// AT-NEXT:   %n = tir.symbol "n"
// AT-NEXT:   %B = tir.alloc "B" (%n) : memref<?x8xf32>
// AT-NEXT:   tir.for %b in %n {
// AT-NEXT:     tir.for %d in 8 {
// AT-NEXT:       tir.block "B" (spatial %v_b in %n = %b, spatial %v_d in 8 = %d) do {
// AT-NEXT:         %a = tir.load %A[%v_b, %v_d] : memref<?x8xf32>
// AT-NEXT:         tir.store %a, %B[%v_b, %v_d] : memref<?x8xf32>
// AT-NEXT:       }
// AT-NEXT:     }
// AT-NEXT:   }
// AT-NEXT:   tir.for %i in %n {
// AT-NEXT:     tir.for %j in 7 {
// AT-NEXT:       tir.block "C" (spatial %v_i in %n = %i, spatial %v_j in 7 = %j) do {
// AT-NEXT:         %x = tir.load %B[%v_i, %v_j] : memref<?x8xf32>
// AT-NEXT:         %y = tir.load %B[%v_i, %v_j + 1] : memref<?x8xf32>
// AT-NEXT:         %c = arith.mulf %x, %y : f32
// AT-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<?x7xf32>
// AT-NEXT:       }
// AT-NEXT:     }
// AT-NEXT:   }
// AT-NEXT:   func.return
// AT-NEXT: }

// REVERSE:      func.func @chain(
// REVERSE-NEXT:   %A2 = tir.alloc "A2" : memref<8xf32>
// REVERSE-NEXT:   tir.for %j in 8 {
// REVERSE-NEXT:     tir.block "A2" (spatial %v_j in 8 = %j) do {
// REVERSE-NEXT:       %a = tir.load %A[%v_j] : memref<8xf32>
// REVERSE-NEXT:       tir.store %a, %A2[%v_j] : memref<8xf32>
// REVERSE-NEXT:     }
// REVERSE-NEXT:   }
// REVERSE-NEXT:   %B = tir.alloc "B" : memref<8xf32>
// REVERSE-NEXT:   tir.for %b in 8 {
// REVERSE-NEXT:     tir.block "B" (spatial %v_b in 8 = %b) do {
// REVERSE-NEXT:       %a = tir.load %A2[%v_b] : memref<8xf32>
// REVERSE-NEXT:       tir.store %a, %B[%v_b] : memref<8xf32>
// REVERSE-NEXT:     }
// REVERSE-NEXT:   }
// REVERSE-NEXT:   tir.for %i in 8 {
// REVERSE-NEXT:     tir.block "C" (spatial %v_i in 8 = %i) do {
// REVERSE-NEXT:       %x = tir.load %B[%v_i] : memref<8xf32>
// REVERSE-NEXT:       tir.store %x, %C[%v_i] : memref<8xf32>
// REVERSE-NEXT:     }
// REVERSE-NEXT:   }
// REVERSE-NEXT:   func.return
// REVERSE-NEXT: }

// NOTHING:      func.func @sums(
// NOTHING-NEXT:   %S = tir.alloc "S" : memref<4xf32>
// NOTHING-NEXT:   tir.for %s in 4 {
// NOTHING-NEXT:     tir.for %k in 8 {
// NOTHING-NEXT:       tir.block "S" (spatial %v_s in 4 = %s, reduce %v_k in 8 = %k) init {
// NOTHING-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// NOTHING-NEXT:         tir.store %0, %S[%v_s] : memref<4xf32>
// NOTHING-NEXT:       } do {
// NOTHING-NEXT:         %a = tir.load %A[%v_s, %v_k] : memref<4x8xf32>
// NOTHING-NEXT:         %1 = tir.load %S[%v_s] : memref<4xf32>
// NOTHING-NEXT:         %2 = arith.addf %1, %a : f32
// NOTHING-NEXT:         tir.store %2, %S[%v_s] : memref<4xf32>
// NOTHING-NEXT:       }
// NOTHING-NEXT:     }
// NOTHING-NEXT:   }
// NOTHING-NEXT:   tir.for %i in 4 {
// NOTHING-NEXT:     tir.for %j in 8 {
// NOTHING-NEXT:       tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
// NOTHING-NEXT:         %x = tir.load %S[%v_i] : memref<4xf32>
// NOTHING-NEXT:         tir.store %x, %C[%v_i, %v_j] : memref<4x8xf32>
// NOTHING-NEXT:       }
// NOTHING-NEXT:     }
// NOTHING-NEXT:   }
// NOTHING-NEXT:   func.return
// NOTHING-NEXT: }

// SUM:      func.func @sums(
// SUM-NEXT:   %S = tir.alloc "S" : memref<4xf32>
// SUM-NEXT:   tir.for %s in 4 {
// SUM-NEXT:     tir.for %k in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_s in 4 = %s, reduce %v_k in 8 = %k) init {
// SUM-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %0, %S[%v_s] : memref<4xf32>
// SUM-NEXT:       } do {
// SUM-NEXT:         %a = tir.load %A[%v_s, %v_k] : memref<4x8xf32>
// SUM-NEXT:         %1 = tir.load %S[%v_s] : memref<4xf32>
// SUM-NEXT:         %2 = arith.addf %1, %a : f32
// SUM-NEXT:         tir.store %2, %S[%v_s] : memref<4xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   tir.for %i in 4 {
// SUM-NEXT:     tir.for %j in 8 {
// SUM-NEXT:       tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
// SUM-NEXT:         %x = tir.load %S[%v_i] : memref<4xf32>
// SUM-NEXT:         tir.store %x, %C[%v_i, %v_j] : memref<4x8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }
