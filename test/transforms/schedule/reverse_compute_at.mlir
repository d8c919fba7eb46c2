// C is computed in loops of B as soon as what it reads is complete.
// RUN: kc-opt %s --reverse-compute-at="func=rows block=C loop=i" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --split="func=rows block=B loop=i factors=?,4" --reverse-compute-at="func=rows block=C loop=i_o" \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --reverse-compute-at="func=same block=C loop=j preserve-unit-loops" --reverse-compute-at="func=same block=D loop=j index=-2" \
// RUN:   | FileCheck %s --check-prefix=POINT
// RUN: kc-opt %s --reverse-compute-at="func=columns block=S loop=k" \
// RUN:   | FileCheck %s --check-prefix=SUM

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

// The buffer of C is allocated before the loop.
te.func @same(%A: tensor<16x?xf32> {kc.shape = affine_map<()[n] -> (16, n)>}) -> tensor<?x16xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = 16, %j = %n] {
    %a = te.read %A[%i, %j] : tensor<16x?xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x?xf32>
  %C = te.compute "C" [%i = %n, %j = 16] {
    %x = te.read %B[%j, %i] : tensor<16x?xf32>
    te.yield %x : f32
  } : tensor<?x16xf32>
  %D = te.compute "D" [%i = %n, %j = 16] {
    %x = te.read %C[%i, %j] : tensor<?x16xf32>
    te.yield %x : f32
  } : tensor<?x16xf32>
  te.return %D : tensor<?x16xf32>
}

// A sum over what the loop makes: it is added up as it comes, the init before.
te.func @columns(%A: tensor<16x8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%k = 16, %j = 8] {
    %a = te.read %A[%k, %j] : tensor<16x8xf32>
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %S = te.compute "S" [%i = 8] reduce sum [%r = 16] {
    %x = te.read %B[%r, %i] : tensor<16x8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// ROWS:      func.func @rows(
// ROWS-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// ROWS-NEXT:   tir.for %i in 16 {
// ROWS-NEXT:     tir.for %j in 8 {
// ROWS-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// ROWS-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:         %b = arith.addf %a, %a : f32
// ROWS-NEXT:         tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:     tir.for %j_1 in 8 {
// ROWS-NEXT:       tir.block "C" (spatial %v_i in 14 = %i - 2, spatial %v_j in 8 = %j_1) where (%i >= 2) do {
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
// TILE-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// TILE-NEXT:   tir.for %i_o in 4 {
// TILE-NEXT:     tir.for %i_i in 4 {
// TILE-NEXT:       tir.for %j in 8 {
// TILE-NEXT:         tir.block "B" (spatial %v_i in 16 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) do {
// TILE-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %b = arith.addf %a, %a : f32
// TILE-NEXT:           tir.store %b, %B[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:     tir.for %i in 4 {
// TILE-NEXT:       tir.for %j_1 in 8 {
// TILE-NEXT:         tir.block "C" (spatial %v_i in 14 = %i_o * 4 + %i - 2, spatial %v_j in 8 = %j_1) where (%i_o * 4 + %i >= 2) do {
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

// POINT:      func.func @same(
// POINT-NEXT:   %n = tir.symbol "n"
// POINT-NEXT:   %B = tir.alloc "B" (%n) : memref<16x?xf32>
// POINT-NEXT:   %C = tir.alloc "C" (%n) : memref<?x16xf32>
// POINT-NEXT:   tir.for %i in 16 {
// POINT-NEXT:     tir.for %j in %n {
// POINT-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in %n = %j) do {
// POINT-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<16x?xf32>
// POINT-NEXT:         %b = arith.addf %a, %a : f32
// POINT-NEXT:         tir.store %b, %B[%v_i, %v_j] : memref<16x?xf32>
// POINT-NEXT:       }
// POINT-NEXT:       tir.for %i_1 in 1 {
// POINT-NEXT:         tir.for %j_1 in 1 {
// POINT-NEXT:           tir.block "C" (spatial %v_i in %n = %j, spatial %v_j in 16 = %i) do {
// POINT-NEXT:             %x = tir.load %B[%v_j, %v_i] : memref<16x?xf32>
// POINT-NEXT:             tir.store %x, %C[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:           }
// POINT-NEXT:         }
// POINT-NEXT:       }
// POINT-NEXT:       tir.block "D" (spatial %v_i in %n = %j, spatial %v_j in 16 = %i) do {
// POINT-NEXT:         %x = tir.load %C[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:         tir.store %x, %D[%v_i, %v_j] : memref<?x16xf32>
// POINT-NEXT:       }
// POINT-NEXT:     }
// POINT-NEXT:   }
// POINT-NEXT:   func.return
// POINT-NEXT: }

// SUM:      func.func @columns(
// SUM-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// SUM-NEXT:   tir.for %k in 16 {
// SUM-NEXT:     tir.for %j in 8 {
// SUM-NEXT:       tir.block "B" (spatial %v_k in 16 = %k, spatial %v_j in 8 = %j) do {
// SUM-NEXT:         %a = tir.load %A[%v_k, %v_j] : memref<16x8xf32>
// SUM-NEXT:         %b = arith.mulf %a, %a : f32
// SUM-NEXT:         tir.store %b, %B[%v_k, %v_j] : memref<16x8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:     tir.for %i in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_i in 8 = %i, reduce %v_r in 16 = %k) init {
// SUM-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %0, %S[%v_i] : memref<8xf32>
// SUM-NEXT:       } do {
// SUM-NEXT:         %x = tir.load %B[%v_r, %v_i] : memref<16x8xf32>
// SUM-NEXT:         %1 = tir.load %S[%v_i] : memref<8xf32>
// SUM-NEXT:         %2 = arith.addf %1, %x : f32
// SUM-NEXT:         tir.store %2, %S[%v_i] : memref<8xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }

// RUN: kc-opt %s --reverse-compute-at="func=two_producers block=S loop=i" | FileCheck %s --check-prefix=LAST
// RUN: not kc-opt %s --reverse-compute-at="func=two_producers block=S loop=i index=0" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BETWEEN

// Behind the last of its producers in the loop.
// LAST-LABEL: func.func @two_producers
// LAST:       tir.for %i in 8 {
// LAST:         tir.block "P"
// LAST:         tir.block "Q"
// LAST:         tir.block "S"
// LAST-NOT:   tir.for %s

// BETWEEN: error[KC3215]: reverse_compute_at: index 0 in loop i
// BETWEEN: block Q    <-- child 1, the last producer
// BETWEEN: why: the block must come after its last producer: 1 to 1, -1 or -2
// BETWEEN-NEXT: try: index=-1
// BETWEEN-NEXT: try: index=1
func.func @two_producers(%A: memref<8xf32>, %S: memref<8xf32>) {
  %P = tir.alloc "P" : memref<8xf32>
  %Q = tir.alloc "Q" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "P" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %P[%v] : memref<8xf32>
    }
    tir.block "Q" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %Q[%v] : memref<8xf32>
    }
  }
  tir.for %s in 8 {
    tir.block "S" (spatial %v in 8 = %s) do {
      %p = tir.load %P[%v] : memref<8xf32>
      %q = tir.load %Q[%v] : memref<8xf32>
      %x = arith.addf %p, %q : f32
      tir.store %x, %S[%v] : memref<8xf32>
    }
  }
  func.return
}

// RUN: kc-opt %s --reverse-compute-at="func=allocated_before block=C loop=b" | FileCheck %s --check-prefix=STAYS

// What is written to before the producers stays where it is allocated.
// STAYS-LABEL: func.func @allocated_before
// STAYS-NEXT:    %C = tir.alloc "C"
// STAYS-NEXT:    tir.for %z in 8 {
// STAYS:         tir.for %b in 8 {
// STAYS:           tir.block "B"
// STAYS:           tir.block "C"
// STAYS:         tir.for %d in 16 {
// STAYS-NEXT:      tir.block "D"
func.func @allocated_before(%A: memref<8xf32>, %B: memref<8xf32>, %D: memref<16xf32>, %x: f32) {
  %C = tir.alloc "C" : memref<16xf32>
  tir.for %z in 8 {
    tir.block "Z" (spatial %v in 8 = %z) do {
      tir.store %x, %C[%v + 8] : memref<16xf32>
    }
  }
  tir.for %b in 8 {
    tir.block "B" (spatial %v in 8 = %b) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %B[%v] : memref<8xf32>
    }
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v in 8 = %c) do {
      %b = tir.load %B[%v] : memref<8xf32>
      tir.store %b, %C[%v] : memref<16xf32>
    }
  }
  tir.for %d in 16 {
    tir.block "D" (spatial %v in 16 = %d) do {
      %c = tir.load %C[%v] : memref<16xf32>
      tir.store %c, %D[%v] : memref<16xf32>
    }
  }
  func.return
}

// RUN: kc-opt %s --reverse-compute-at="func=digits block=C loop=o" | FileCheck %s --check-prefix=DIGITS
// RUN: kc-opt %s --reverse-compute-at="func=digits block=C loop=x" | FileCheck %s --check-prefix=BOTH

// An iteration of o completes 32 values of q, which P has as two digits; one of x completes eight of
// them where the loop of the low digit is split.
// DIGITS-LABEL: func.func @digits(
// DIGITS:         tir.for %o in 2 {
// DIGITS:           tir.block "P"
// DIGITS:           tir.for %q in 32 {
// DIGITS-NEXT:        tir.for %y in 8 vectorized {
// DIGITS-NEXT:          tir.block "C" (spatial %v_q in 64 = %o * 32 + %q, spatial %v_y in 8 = %y) do {
// BOTH-LABEL:   func.func @digits(
// BOTH:           tir.for %x in 4 {
// BOTH:             tir.block "P"
// BOTH:             tir.for %q in 8 {
// BOTH-NEXT:          tir.for %y in 8 vectorized {
// BOTH-NEXT:            tir.block "C" (spatial %v_q in 64 = %o * 32 + %x * 8 + %q, spatial %v_y in 8 = %y) do {
func.func @digits(%A: memref<2x32x8xf32>, %P: memref<2x32x8xf32>, %C: memref<64x8xf32>) {
  tir.for %o in 2 {
    tir.for %x in 4 {
      tir.for %r in 8 {
        tir.for %t in 8 {
          tir.block "P" (spatial %v_o in 2 = %o, spatial %v_r in 32 = %x * 8 + %r, spatial %v_t in 8 = %t) do {
            %a = tir.load %A[%v_o, %v_r, %v_t] : memref<2x32x8xf32>
            tir.store %a, %P[%v_o, %v_r, %v_t] : memref<2x32x8xf32>
          }
        }
      }
    }
  }
  tir.for %q in 64 {
    tir.for %y in 8 vectorized {
      tir.block "C" (spatial %v_q in 64 = %q, spatial %v_y in 8 = %y) do {
        %p = tir.load %P[%v_q floordiv 32, %v_q mod 32, %v_y] : memref<2x32x8xf32>
        tir.store %p, %C[%v_q, %v_y] : memref<64x8xf32>
      }
    }
  }
  func.return
}
