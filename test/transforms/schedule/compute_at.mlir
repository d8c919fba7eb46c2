// B is computed in loops of C: as much as an iteration needs, with a predicate where the box leaves
// the domain, the init of a reduction with it, and the buffer private to the iteration.
// RUN: kc-opt %s --compute-at="func=rows block=B loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --split="func=rows block=C loop=i factors=?,4" --compute-at="func=rows block=B loop=i_o" \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --compute-at="func=rows block=B loop=j preserve-unit-loops" \
// RUN:   | FileCheck %s --check-prefix=POINT
// RUN: kc-opt %s --compute-at="func=sums block=S loop=i" --compute-at="func=sums block=T loop=i index=-2" \
// RUN:   | FileCheck %s --check-prefix=SUM
// RUN: kc-opt %s --compute-at="func=sizes block=B loop=j" | FileCheck %s --check-prefix=SIZE

te.func @rows(%A: tensor<16x8xf32>) -> tensor<14x8xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i, %j] : tensor<16x8xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 14, %j = 8] {
    %x = te.read %B[%i, %j] : tensor<16x8xf32>
    %y = te.read %B[%i + 2, %j] : tensor<16x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<14x8xf32>
  te.return %C : tensor<14x8xf32>
}

te.func @sums(%A: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  %T = te.compute "T" [%i = 4] reduce max [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  %C = te.compute "C" [%i = 4, %j = 8] {
    %x = te.read %S[%i] : tensor<4xf32>
    %y = te.read %T[%i] : tensor<4xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

te.func @sizes(%A: tensor<?x8xf32> {kc.shape = affine_map<()[n] -> (n, 8)>})
    -> tensor<8x?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = %n, %j = 8] {
    %a = te.read %A[%i, %j] : tensor<?x8xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<?x8xf32>
  %C = te.compute "C" [%i = 8, %j = %n] reduce sum [%k = 8] {
    %x = te.read %B[%j, %k] : tensor<?x8xf32>
    te.yield %x : f32
  } : tensor<8x?xf32>
  te.return %C : tensor<8x?xf32>
}

// ROWS:      func.func @rows(
// ROWS-NEXT:   tir.for %i in 14 {
// ROWS-NEXT:     %B = tir.alloc "B" : memref<16x8xf32>
// ROWS-NEXT:     tir.for %i_1 in 3 {
// ROWS-NEXT:       tir.for %j_1 in 8 {
// ROWS-NEXT:         tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 8 = %j_1) do {
// ROWS-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:           %b = arith.addf %a, %a : f32
// ROWS-NEXT:           tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         }
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:     tir.for %j in 8 {
// ROWS-NEXT:       tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 8 = %j) do {
// ROWS-NEXT:         %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %c = arith.mulf %x, %y : f32
// ROWS-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   func.return
// ROWS-NEXT: }

// TILE:      func.func @rows(
// TILE-NEXT:   tir.for %i_o in 4 {
// TILE-NEXT:     %B = tir.alloc "B" : memref<16x8xf32>
// TILE-NEXT:     tir.for %i in 6 {
// TILE-NEXT:       tir.for %j_1 in 8 {
// TILE-NEXT:         tir.block "B" (spatial %v_i in 16 = %i_o * 4 + %i, spatial %v_j in 8 = %j_1) where (%i_o * 4 + %i < 16) do {
// TILE-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %b = arith.addf %a, %a : f32
// TILE-NEXT:           tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:     tir.for %i_i in 4 {
// TILE-NEXT:       tir.for %j in 8 {
// TILE-NEXT:         tir.block "C" (spatial %v_i in 14 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) where (%i_o * 4 + %i_i < 14) do {
// TILE-NEXT:           %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %c = arith.mulf %x, %y : f32
// TILE-NEXT:           tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:   }
// TILE-NEXT:   func.return
// TILE-NEXT: }

// POINT:      func.func @rows(
// POINT-NEXT:   tir.for %i in 14 {
// POINT-NEXT:     tir.for %j in 8 {
// POINT-NEXT:       %B = tir.alloc "B" : memref<16x8xf32>
// POINT-NEXT:       tir.for %i_1 in 3 {
// POINT-NEXT:         tir.for %j_1 in 1 {
// POINT-NEXT:           tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 8 = %j) do {
// POINT-NEXT:             %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// POINT-NEXT:             %b = arith.addf %a, %a : f32
// POINT-NEXT:             tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// POINT-NEXT:           }
// POINT-NEXT:         }
// POINT-NEXT:       }
// POINT-NEXT:       tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 8 = %j) do {
// POINT-NEXT:         %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// POINT-NEXT:         %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// POINT-NEXT:         %c = arith.mulf %x, %y : f32
// POINT-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// POINT-NEXT:       }
// POINT-NEXT:     }
// POINT-NEXT:   }
// POINT-NEXT:   func.return
// POINT-NEXT: }

// SUM:      func.func @sums(
// SUM-NEXT:   tir.for %i in 4 {
// SUM-NEXT:     %T = tir.alloc "T" : memref<4xf32>
// SUM-NEXT:     tir.for %k_1 in 8 {
// SUM-NEXT:       tir.block "T" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k_1) init {
// SUM-NEXT:         %0 = arith.constant 0xff800000 : f32
// SUM-NEXT:         tir.store %0, %T[%v_i] : memref<4xf32>
// SUM-NEXT:       } do {
// SUM-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// SUM-NEXT:         %1 = tir.load %T[%v_i] : memref<4xf32>
// SUM-NEXT:         %2 = arith.maximumf %1, %a : f32
// SUM-NEXT:         tir.store %2, %T[%v_i] : memref<4xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:     %S = tir.alloc "S" : memref<4xf32>
// SUM-NEXT:     tir.for %k in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// SUM-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %0, %S[%v_i] : memref<4xf32>
// SUM-NEXT:       } do {
// SUM-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// SUM-NEXT:         %1 = tir.load %S[%v_i] : memref<4xf32>
// SUM-NEXT:         %2 = arith.addf %1, %a : f32
// SUM-NEXT:         tir.store %2, %S[%v_i] : memref<4xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:     tir.for %j in 8 {
// SUM-NEXT:       tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
// SUM-NEXT:         %x = tir.load %S[%v_i] : memref<4xf32>
// SUM-NEXT:         %y = tir.load %T[%v_i] : memref<4xf32>
// SUM-NEXT:         %c = arith.mulf %x, %y : f32
// SUM-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<4x8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }

// SIZE:      func.func @sizes(
// SIZE-NEXT:   %n = tir.symbol "n"
// SIZE-NEXT:   tir.for %i in 8 {
// SIZE-NEXT:     tir.for %j in %n {
// SIZE-NEXT:       %B = tir.alloc "B" (%n) : memref<?x8xf32>
// SIZE-NEXT:       tir.for %j_1 in 8 {
// SIZE-NEXT:         tir.block "B" (spatial %v_i in %n = %j, spatial %v_j in 8 = %j_1) do {
// SIZE-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<?x8xf32>
// SIZE-NEXT:           %b = arith.addf %a, %a : f32
// SIZE-NEXT:           tir.store %b, %B[%v_i, %v_j] : memref<?x8xf32>
// SIZE-NEXT:         }
// SIZE-NEXT:       }
// SIZE-NEXT:       tir.for %k in 8 {
// SIZE-NEXT:         tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in %n = %j, reduce %v_k in 8 = %k) init {
// SIZE-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// SIZE-NEXT:           tir.store %0, %C[%v_i, %v_j] : memref<8x?xf32>
// SIZE-NEXT:         } do {
// SIZE-NEXT:           %x = tir.load %B[%v_j, %v_k] : memref<?x8xf32>
// SIZE-NEXT:           %1 = tir.load %C[%v_i, %v_j] : memref<8x?xf32>
// SIZE-NEXT:           %2 = arith.addf %1, %x : f32
// SIZE-NEXT:           tir.store %2, %C[%v_i, %v_j] : memref<8x?xf32>
// SIZE-NEXT:         }
// SIZE-NEXT:       }
// SIZE-NEXT:     }
// SIZE-NEXT:   }
// SIZE-NEXT:   func.return
// SIZE-NEXT: }

// RUN: kc-opt %s --compute-at="func=two_consumers block=B loop=i" | FileCheck %s --check-prefix=FIRST
// RUN: not kc-opt %s --compute-at="func=two_consumers block=B loop=i index=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BETWEEN

// Before the first of its consumers in the loop.
// FIRST-LABEL: func.func @two_consumers
// FIRST:       tir.for %i in 8 {
// FIRST-NEXT:    %B = tir.alloc "B"
// FIRST-NEXT:    tir.block "B"
// FIRST:         tir.block "C"
// FIRST:         tir.block "D"
// FIRST-NOT:     tir.block "B"

// BETWEEN: error[KC3215]: compute_at: index 1 in loop i
// BETWEEN: block C    <-- child 0, the first consumer
// BETWEEN: why: the block must come before its first consumer: 0 to 0, -1 or -2
// BETWEEN-NEXT: try: index=-1
// BETWEEN-NEXT: try: index=0
func.func @two_consumers(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v in 8 = %b) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %B[%v] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %x = tir.load %B[%v] : memref<8xf32>
      tir.store %x, %C[%v] : memref<8xf32>
    }
    tir.block "D" (spatial %v in 8 = %i) do {
      %x = tir.load %B[%v] : memref<8xf32>
      tir.store %x, %D[%v] : memref<8xf32>
    }
  }
  func.return
}

// What P reads is in memory that each thread has of its own, and no thread block alone writes it.
// RUN: kc-opt %s --compute-at="func=own_memory block=P loop=q" | FileCheck %s --check-prefix=OWN
func.func @own_memory(%A: memref<4xf32>, %C: memref<4x8xf32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<1xf32, "local">
    %P = tir.alloc "P" : memref<1xf32, "local">
    %D = tir.alloc "D" : memref<1xf32, "local">
    tir.block "S" (spatial %v in 1 = 0) do {
      %a = tir.load %A[%t] : memref<4xf32>
      tir.store %a, %S[%v] : memref<1xf32, "local">
    }
    tir.block "P" (spatial %v in 1 = 0) do {
      %s = tir.load %S[%v] : memref<1xf32, "local">
      %p = arith.addf %s, %s : f32
      tir.store %p, %P[%v] : memref<1xf32, "local">
    }
    tir.for %q in 2 {
      tir.block "D" (opaque %v in 2 = %q) do {
        %p = tir.load %P[0] : memref<1xf32, "local">
        tir.store %p, %D[0] : memref<1xf32, "local">
      }
    }
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "C" (spatial %v in 4 = %t, spatial %w in 8 = %p) do {
        %d = tir.load %D[0] : memref<1xf32, "local">
        tir.store %d, %C[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}
// OWN-LABEL: func.func @own_memory(
// OWN:           tir.block "S" (spatial %v in 1 = 0) do {
// OWN:           tir.for %q in 2 {
// OWN-NEXT:        %P = tir.alloc "P" : memref<1xf32, "local">
// OWN-NEXT:        tir.block "P" (spatial %v in 1 = 0) do {
// OWN:             tir.block "D" (opaque %v in 2 = %q) do {
// OWN:           tir.for %p in 8 thread "blockIdx.x" {

// RUN: kc-opt %s --compute-at="func=layout block=P loop=o" | FileCheck %s --check-prefix=LAYOUT

// P writes a layout of two digits: 32 values of q are needed. Its vectorized loop stays one.
// LAYOUT-LABEL: func.func @layout(
// LAYOUT-NEXT:    tir.for %o in 2 {
// LAYOUT-NEXT:      %P = tir.alloc "P" : memref<2x32x8xf32>
// LAYOUT-NEXT:      tir.for %q in 32 unrolled {
// LAYOUT-NEXT:        tir.for %y in 8 vectorized {
// LAYOUT-NEXT:          tir.block "P" (spatial %v_q in 64 = %o * 32 + %q, spatial %v_y in 8 = %y) do {
func.func @layout(%A: memref<64x8xf32>, %C: memref<2x32x8xf32>) {
  %P = tir.alloc "P" : memref<2x32x8xf32>
  tir.for %q in 64 unrolled {
    tir.for %y in 8 vectorized {
      tir.block "P" (spatial %v_q in 64 = %q, spatial %v_y in 8 = %y) do {
        %a = tir.load %A[%v_q, %v_y] : memref<64x8xf32>
        tir.store %a, %P[%v_q floordiv 32, %v_q mod 32, %v_y] : memref<2x32x8xf32>
      }
    }
  }
  tir.for %o in 2 {
    tir.for %r in 32 {
      tir.for %t in 8 {
        tir.block "C" (spatial %v_o in 2 = %o, spatial %v_r in 32 = %r, spatial %v_t in 8 = %t) do {
          %p = tir.load %P[%v_o, %v_r, %v_t] : memref<2x32x8xf32>
          tir.store %p, %C[%v_o, %v_r, %v_t] : memref<2x32x8xf32>
        }
      }
    }
  }
  func.return
}
