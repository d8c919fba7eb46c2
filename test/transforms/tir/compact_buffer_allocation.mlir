// Buffers move into the loops that use them and shrink to what is used there, if no value is carried
// from one iteration to the next.
// RUN: kc-opt %s --split="func=rows block=C loop=i factors=?,4" --compute-at="func=rows block=B loop=i_o" --compact-buffer-allocation="func=rows" \
// RUN:   | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --compact-buffer-allocation="func=sum" | FileCheck %s --check-prefix=SUM
// RUN: kc-opt %s --compact-buffer-allocation="func=carried" | FileCheck %s --check-prefix=CARRIED
// RUN: kc-opt %s --compact-buffer-allocation="func=lanes" | FileCheck %s --check-prefix=LANES
// RUN: kc-opt %s --compact-buffer-allocation="func=sizes" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --compact-buffer-allocation="func=part" | FileCheck %s --check-prefix=PART
// RUN: kc-opt %s --compact-buffer-allocation="func=neighbours" | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: kc-opt %s --compact-buffer-allocation="func=threads" | FileCheck %s --check-prefix=THREADS
// RUN: kc-opt %s --compact-buffer-allocation="func=empty" | FileCheck %s --check-prefix=EMPTY

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

// An accumulator moves into %i, not into %k, where it would not be smaller.
func.func @sum(%A: memref<4x8xf32>, %C: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32, "local">
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%v_i] : memref<4xf32, "local">
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32, "local">
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<4xf32, "local">
      }
      tir.block "C" (spatial %v_i in 4 = %i) where (%k == 7) do {
        %s = tir.load %S[%v_i] : memref<4xf32, "local">
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

// C reads what B wrote in the iteration before: the buffer stays outside, and its box is all of it.
func.func @carried(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    %x = tir.load %A[%i] : memref<8xf32>
    tir.store %x, %B[%i] : memref<8xf32>
    tir.if (%i > 0) {
      %y = tir.load %B[%i - 1] : memref<8xf32>
      tir.store %y, %C[%i] : memref<8xf32>
    }
  }
  func.return
}

// Not into lanes; the loop around them is the place.
func.func @lanes(%A: memref<4x8xf32>, %C: memref<4x8xf32>) {
  %B = tir.alloc "B" : memref<4x8xf32>
  tir.for %i in 4 parallel {
    tir.for %j in 8 vectorized {
      %x = tir.load %A[%i, %j] : memref<4x8xf32>
      tir.store %x, %B[%i, %j] : memref<4x8xf32>
      %y = tir.load %B[%i, %j] : memref<4x8xf32>
      tir.store %y, %C[%i, %j] : memref<4x8xf32>
    }
  }
  func.return
}

// The dynamic dimension goes, and its size with it; the other is used as a whole.
func.func @sizes(%A: memref<?x?xf32>, %C: memref<?x?xf32>) attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  %m = tir.symbol "m"
  %B = tir.alloc "B" (%n, %m) : memref<?x?xf32>
  tir.for %i in %n {
    tir.for %j in %m {
      %x = tir.load %A[%i, %j] : memref<?x?xf32>
      tir.store %x, %B[%i, %j] : memref<?x?xf32>
    }
    tir.for %k in %m {
      %y = tir.load %B[%i, %k] : memref<?x?xf32>
      tir.store %y, %C[%i, %k] : memref<?x?xf32>
    }
  }
  func.return
}

// Only a part is ever used.
func.func @part(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<100xf32>
  tir.for %i in 8 {
    %x = tir.load %A[%i] : memref<8xf32>
    tir.store %x, %B[%i * 3 + 10] : memref<100xf32>
  }
  tir.for %j in 8 {
    %y = tir.load %B[31 - %j * 3] : memref<100xf32>
    tir.store %y, %C[%j] : memref<8xf32>
  }
  func.return
}

// TILE:      func.func @rows(
// TILE-NEXT:   tir.for %i_o in 4 {
// TILE-NEXT:     %B = tir.alloc "B" : memref<6x8xf32>
// TILE-NEXT:     tir.for %i in 6 {
// TILE-NEXT:       tir.for %j_1 in 8 {
// TILE-NEXT:         tir.block "B" (spatial %v_i in 16 = %i_o * 4 + %i, spatial %v_j in 8 = %j_1) where (%i_o * 4 + %i < 16) do {
// TILE-NEXT:           %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
// TILE-NEXT:           %b = arith.addf %a, %a : f32
// TILE-NEXT:           tir.store %b, %B[%v_i - %i_o * 4, %v_j] : memref<6x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:     tir.for %i_i in 4 {
// TILE-NEXT:       tir.for %j in 8 {
// TILE-NEXT:         tir.block "C" (spatial %v_i in 14 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) where (%i_o * 4 + %i_i < 14) do {
// TILE-NEXT:           %x = tir.load %B[%v_i - %i_o * 4, %v_j] : memref<6x8xf32>
// TILE-NEXT:           %y = tir.load %B[%v_i - %i_o * 4 + 2, %v_j] : memref<6x8xf32>
// TILE-NEXT:           %c = arith.mulf %x, %y : f32
// TILE-NEXT:           tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// TILE-NEXT:         }
// TILE-NEXT:       }
// TILE-NEXT:     }
// TILE-NEXT:   }
// TILE-NEXT:   func.return
// TILE-NEXT: }

// SUM:      func.func @sum(
// SUM-NEXT:   tir.for %i in 4 {
// SUM-NEXT:     %S = tir.alloc "S" : memref<1xf32, "local">
// SUM-NEXT:     tir.for %k in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// SUM-NEXT:         %z = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %z, %S[0] : memref<1xf32, "local">
// SUM-NEXT:       } do {
// SUM-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// SUM-NEXT:         %s = tir.load %S[0] : memref<1xf32, "local">
// SUM-NEXT:         %t = arith.addf %s, %a : f32
// SUM-NEXT:         tir.store %t, %S[0] : memref<1xf32, "local">
// SUM-NEXT:       }
// SUM-NEXT:       tir.block "C" (spatial %v_i in 4 = %i) where (%k == 7) do {
// SUM-NEXT:         %s = tir.load %S[0] : memref<1xf32, "local">
// SUM-NEXT:         tir.store %s, %C[%v_i] : memref<4xf32>
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }

// CARRIED:      func.func @carried(
// CARRIED-NEXT:   %B = tir.alloc "B" : memref<8xf32>
// CARRIED-NEXT:   tir.for %i in 8 {
// CARRIED-NEXT:     %x = tir.load %A[%i] : memref<8xf32>
// CARRIED-NEXT:     tir.store %x, %B[%i] : memref<8xf32>
// CARRIED-NEXT:     tir.if (%i >= 1) {
// CARRIED-NEXT:       %y = tir.load %B[%i - 1] : memref<8xf32>
// CARRIED-NEXT:       tir.store %y, %C[%i] : memref<8xf32>
// CARRIED-NEXT:     }
// CARRIED-NEXT:   }
// CARRIED-NEXT:   func.return
// CARRIED-NEXT: }

// LANES:      func.func @lanes(
// LANES-NEXT:   tir.for %i in 4 parallel {
// LANES-NEXT:     %B = tir.alloc "B" : memref<1x8xf32>
// LANES-NEXT:     tir.for %j in 8 vectorized {
// LANES-NEXT:       %x = tir.load %A[%i, %j] : memref<4x8xf32>
// LANES-NEXT:       tir.store %x, %B[0, %j] : memref<1x8xf32>
// LANES-NEXT:       %y = tir.load %B[0, %j] : memref<1x8xf32>
// LANES-NEXT:       tir.store %y, %C[%i, %j] : memref<4x8xf32>
// LANES-NEXT:     }
// LANES-NEXT:   }
// LANES-NEXT:   func.return
// LANES-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %m = tir.symbol "m"
// SIZES-NEXT:   tir.for %i in %n {
// SIZES-NEXT:     %B = tir.alloc "B" (%m) : memref<1x?xf32>
// SIZES-NEXT:     tir.for %j in %m {
// SIZES-NEXT:       %x = tir.load %A[%i, %j] : memref<?x?xf32>
// SIZES-NEXT:       tir.store %x, %B[0, %j] : memref<1x?xf32>
// SIZES-NEXT:     }
// SIZES-NEXT:     tir.for %k in %m {
// SIZES-NEXT:       %y = tir.load %B[0, %k] : memref<1x?xf32>
// SIZES-NEXT:       tir.store %y, %C[%i, %k] : memref<?x?xf32>
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// PART:      func.func @part(
// PART-NEXT:   %B = tir.alloc "B" : memref<22xf32>
// PART-NEXT:   tir.for %i in 8 {
// PART-NEXT:     %x = tir.load %A[%i] : memref<8xf32>
// PART-NEXT:     tir.store %x, %B[%i * 3] : memref<22xf32>
// PART-NEXT:   }
// PART-NEXT:   tir.for %j in 8 {
// PART-NEXT:     %y = tir.load %B[%j * -3 + 21] : memref<22xf32>
// PART-NEXT:     tir.store %y, %C[%j] : memref<8xf32>
// PART-NEXT:   }
// PART-NEXT:   func.return
// PART-NEXT: }

// Neighbouring rows are read as one. All four of B and two of C are written before; of D a row is
// read that is none of them, and of E the second row is read before both are written.
// NEIGHBOURS-LABEL: func.func @neighbours
// NEIGHBOURS-NEXT:    %D = tir.alloc "D" : memref<16xf32>
// NEIGHBOURS-NEXT:    %E = tir.alloc "E" : memref<16xf32>
// NEIGHBOURS-NEXT:    tir.for %i in 4 {
// NEIGHBOURS-DAG:       tir.alloc "B" : memref<4xf32>
// NEIGHBOURS-DAG:       tir.alloc "C" : memref<4xf32>
func.func @neighbours(%A: memref<4x4xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  %C = tir.alloc "C" : memref<16xf32>
  %D = tir.alloc "D" : memref<16xf32>
  %E = tir.alloc "E" : memref<16xf32>
  tir.for %i in 4 {
    %e1 = tir.load %E[%i * 4 + 1] : memref<16xf32>
    tir.store %e1, %A[%i, 0] : memref<4x4xf32>
    tir.for %j in 4 {
      %a = tir.load %A[%i, %j] : memref<4x4xf32>
      tir.store %a, %B[%i * 4 + %j] : memref<16xf32>
      tir.store %a, %C[%i * 4 + %j] : memref<16xf32>
      tir.store %a, %E[%i * 4 + %j] : memref<16xf32>
    }
    tir.for %j in 3 {
      %a = tir.load %A[%i, %j] : memref<4x4xf32>
      tir.store %a, %D[%i * 4 + %j] : memref<16xf32>
    }
    %b0 = tir.load %B[%i * 4] : memref<16xf32>
    %b1 = tir.load %B[%i * 4 + 1] : memref<16xf32>
    %b2 = tir.load %B[%i * 4 + 2] : memref<16xf32>
    %b3 = tir.load %B[%i * 4 + 3] : memref<16xf32>
    %c1 = tir.load %C[%i * 4 + 1] : memref<16xf32>
    %c3 = tir.load %C[%i * 4 + 3] : memref<16xf32>
    %e0 = tir.load %E[%i * 4] : memref<16xf32>
    %sum0 = arith.addf %b0, %b1 : f32
    %sum1 = arith.addf %b2, %b3 : f32
    %sum2 = arith.addf %c1, %c3 : f32
    tir.store %sum0, %A[%i, 1] : memref<4x4xf32>
    tir.store %sum1, %A[%i, 2] : memref<4x4xf32>
    tir.store %sum2, %A[%i, 3] : memref<4x4xf32>
    tir.store %e0, %A[%i, 0] : memref<4x4xf32>
    tir.for %unused in 1 {
      %d0 = tir.load %D[%i * 4] : memref<16xf32>
      %d1 = tir.load %D[%i * 4 + 1] : memref<16xf32>
      %d2 = tir.load %D[%i * 4 + 2] : memref<16xf32>
      %d3 = tir.load %D[%i * 4 + 3] : memref<16xf32>
      %sum3 = arith.addf %d0, %d1 : f32
      %sum4 = arith.addf %d2, %d3 : f32
      tir.store %sum3, %A[%i, 0] : memref<4x4xf32>
      tir.store %sum4, %A[%i, 1] : memref<4x4xf32>
    }
    tir.for %j in 4 {
      %b0_1 = tir.load %B[%i * 4] : memref<16xf32>
      %b1_1 = tir.load %B[%i * 4 + 1] : memref<16xf32>
      %sum5 = arith.addf %b0_1, %b1_1 : f32
      tir.store %sum5, %A[%i, %j] : memref<4x4xf32>
    }
  }
  func.return
}

// Memory that threads share has an element for each of them, also where their index is computed from
// the number of the thread, or loaded; their own has one. A dimension that no thread moves is as small
// as it can be.
// THREADS-LABEL: func.func @threads
// THREADS:         %T = tir.alloc "T" (%n) : memref<?x1xi32, "shared">
// THREADS:         %L = tir.alloc "L" : memref<1x1xi32, "local">
// THREADS:         %P = tir.alloc "P" (%n) : memref<?x1xi32, "shared">
func.func @threads(%A: memref<?x8xi32>, %I: memref<4xi32>, %C: memref<?x8xi32>, %n: index) {
  tir.for %t in 4 thread "threadIdx.x" {
    tir.for %s in %n {
      %two = arith.constant 2 : index
      %row = tir.linearize [%t, %s] by [%two, %n]
      %found = tir.load %I[%t] : memref<4xi32>
      %place = arith.index_cast %found : i32 to index
      tir.for %j in 8 {
        %T = tir.alloc "T" (%n) : memref<?x8xi32, "shared">
        %L = tir.alloc "L" (%n) : memref<?x8xi32, "local">
        %P = tir.alloc "P" (%n) : memref<?x8xi32, "shared">
        %x = tir.load %A[%row, %j] : memref<?x8xi32>
        tir.store %x, %T[%row, %j] : memref<?x8xi32, "shared">
        tir.store %x, %L[%row, %j] : memref<?x8xi32, "local">
        tir.store %x, %P[%place, %j] : memref<?x8xi32, "shared">
        %y = tir.load %T[%row, %j] : memref<?x8xi32, "shared">
        %z = tir.load %L[%row, %j] : memref<?x8xi32, "local">
        %p = tir.load %P[%place, %j] : memref<?x8xi32, "shared">
        %w = arith.addi %y, %z : i32
        %v = arith.addi %w, %p : i32
        tir.store %v, %C[%row, %j] : memref<?x8xi32>
      }
    }
  }
  func.return
}

// Where %n is 0, the init is for all 16 elements, and not for the 10 that the loops count.

// EMPTY-LABEL: func.func @empty
// EMPTY:         %T = tir.alloc "T" : memref<16xf32>
func.func @empty(%S: memref<16xf32>, %m: index {kc.symbol = "n"}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %T = tir.alloc "T" : memref<16xf32>
  tir.for %i in 8 {
    tir.for %k in 3 {
      tir.block "T" (spatial %v_i in 16 = %i + %k, reduce %v_k in %n = %k) where (%k < %n) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %T[%v_i] : memref<16xf32>
      } do {
        %c = tir.load %T[%v_i] : memref<16xf32>
        %s = arith.addf %c, %c : f32
        tir.store %s, %T[%v_i] : memref<16xf32>
      }
    }
  }
  tir.for %i in 4 {
    tir.block "S" (spatial %v_i in 4 = %i) do {
      %a = tir.load %T[%v_i] : memref<16xf32>
      tir.store %a, %S[%v_i] : memref<16xf32>
    }
  }
  func.return
}
