// A block computes into a new buffer, init and updates alike, which is copied behind it: as far out
// as nothing notices, and as much as the block writes there.
// RUN: kc-opt %s --cache-write="func=sums block=S scope=local" | FileCheck %s --check-prefix=SUM
// RUN: kc-opt %s --compute-at="func=rows block=B loop=i" --cache-write="func=rows block=B buffer=B" \
// RUN:   | FileCheck %s --check-prefix=INSIDE
// RUN: kc-opt %s --split="func=sizes block=C loop=i factors=?,4" --cache-write="func=sizes block=C buffer=0" \
// RUN:   | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --cache-write="func=part block=P buffer=A" | FileCheck %s --check-prefix=PART
// RUN: kc-opt %s --cache-write="func=two block=T buffer=D scope=local" | FileCheck %s --check-prefix=TWO
// RUN: kc-opt %s --cache-write="func=several block=B buffer=B scope=local consumers=C,E" \
// RUN:   | FileCheck %s --check-prefix=READERS
// RUN: kc-opt %s --cache-write="func=sums block=S scope=warp" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

te.func @sums(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %S : tensor<4xf32>
}

te.func @rows(%A: tensor<16xf32>) -> tensor<14xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  %C = te.compute "C" [%i = 14] {
    %x = te.read %B[%i] : tensor<16xf32>
    %y = te.read %B[%i + 2] : tensor<16xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<14xf32>
  te.return %C : tensor<14xf32>
}

te.func @sizes(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>})
    -> tensor<?x2xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n, %j = 2] {
    %x = te.read %A[%i] : tensor<?xf32>
    te.yield %x : f32
  } : tensor<?x2xf32>
  te.return %C : tensor<?x2xf32>
}

// What is outside of the box keeps its value.
func.func @part(%A: memref<16xf32>) {
  tir.for %i in 8 {
    tir.block "P" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i + 8] : memref<16xf32>
      tir.store %x, %A[7 - %v_i] : memref<16xf32>
    }
  }
  func.return
}

func.func @two(%C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "T" (spatial %v_i in 8 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
      %y = tir.load %D[%v_i] : memref<8xf32>
      tir.store %y, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// C and E read what B writes, D reads the buffer that W writes too.
func.func @several(%B: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 4 {
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 4 {
    tir.for %j in 2 {
      tir.block "B" (spatial %v_i in 8 = %i * 2 + %j) do {
        %x = arith.constant 2.0 : f32
        tir.store %x, %B[%v_i] : memref<8xf32>
      }
    }
    tir.block "C" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i * 2] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "E" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i + 4] : memref<8xf32>
      tir.store %x, %C[%v_i + 4] : memref<8xf32>
    }
  }
  func.return
}

// SUM:      func.func @sums(
// SUM-NEXT:   %S_local = tir.alloc "S_local" : memref<4xf32, "local">
// SUM-NEXT:   tir.for %i in 4 {
// SUM-NEXT:     tir.for %k in 8 {
// SUM-NEXT:       tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// SUM-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// SUM-NEXT:         tir.store %0, %S_local[%v_i] : memref<4xf32, "local">
// SUM-NEXT:       } do {
// SUM-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// SUM-NEXT:         %1 = tir.load %S_local[%v_i] : memref<4xf32, "local">
// SUM-NEXT:         %2 = arith.addf %1, %a : f32
// SUM-NEXT:         tir.store %2, %S_local[%v_i] : memref<4xf32, "local">
// SUM-NEXT:       }
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   tir.for %ax0 in 4 {
// SUM-NEXT:     tir.block "S_local" (spatial %v0 in 4 = %ax0) do {
// SUM-NEXT:       %value = tir.load %S_local[%v0] : memref<4xf32, "local">
// SUM-NEXT:       tir.store %value, %S[%v0] : memref<4xf32>
// SUM-NEXT:     }
// SUM-NEXT:   }
// SUM-NEXT:   func.return
// SUM-NEXT: }

// INSIDE:      func.func @rows(
// INSIDE-NEXT:   tir.for %i in 14 {
// INSIDE-NEXT:     %B = tir.alloc "B" : memref<16xf32>
// INSIDE-NEXT:     %B_global = tir.alloc "B_global" : memref<16xf32>
// INSIDE-NEXT:     tir.for %i_1 in 3 {
// INSIDE-NEXT:       tir.block "B" (spatial %v_i in 16 = %i + %i_1) do {
// INSIDE-NEXT:         %a = tir.load %A[%v_i] : memref<16xf32>
// INSIDE-NEXT:         tir.store %a, %B_global[%v_i] : memref<16xf32>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.for %ax0 in 3 {
// INSIDE-NEXT:       tir.block "B_global" (spatial %v0 in 16 = %i + %ax0) do {
// INSIDE-NEXT:         %value = tir.load %B_global[%v0] : memref<16xf32>
// INSIDE-NEXT:         tir.store %value, %B[%v0] : memref<16xf32>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.block "C" (spatial %v_i in 14 = %i) do {
// INSIDE-NEXT:       %x = tir.load %B[%v_i] : memref<16xf32>
// INSIDE-NEXT:       %y = tir.load %B[%v_i + 2] : memref<16xf32>
// INSIDE-NEXT:       %c = arith.mulf %x, %y : f32
// INSIDE-NEXT:       tir.store %c, %C[%v_i] : memref<14xf32>
// INSIDE-NEXT:     }
// INSIDE-NEXT:   }
// INSIDE-NEXT:   func.return
// INSIDE-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %i_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT:   %C_global = tir.alloc "C_global" (%n) : memref<?x2xf32>
// SIZES-NEXT:   tir.for %i_o in %i_size {
// SIZES-NEXT:     tir.for %i_i in 4 {
// SIZES-NEXT:       tir.for %j in 2 {
// SIZES-NEXT:         tir.block "C" (spatial %v_i in %n = %i_o * 4 + %i_i, spatial %v_j in 2 = %j) where (%i_o * 4 + %i_i < %n) do {
// SIZES-NEXT:           %x = tir.load %A[%v_i] : memref<?xf32>
// SIZES-NEXT:           tir.store %x, %C_global[%v_i, %v_j] : memref<?x2xf32>
// SIZES-NEXT:         }
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   tir.for %ax0 in %n {
// SIZES-NEXT:     tir.for %ax1 in 2 {
// SIZES-NEXT:       tir.block "C_global" (spatial %v0 in %n = %ax0, spatial %v1 in 2 = %ax1) do {
// SIZES-NEXT:         %value = tir.load %C_global[%v0, %v1] : memref<?x2xf32>
// SIZES-NEXT:         tir.store %value, %C[%v0, %v1] : memref<?x2xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// PART:      func.func @part(
// PART-NEXT:   %A_global = tir.alloc "A_global" : memref<16xf32>
// PART-NEXT:   tir.for %i in 8 {
// PART-NEXT:     tir.block "P" (spatial %v_i in 8 = %i) do {
// PART-NEXT:       %x = tir.load %A[%v_i + 8] : memref<16xf32>
// PART-NEXT:       tir.store %x, %A_global[%v_i * -1 + 7] : memref<16xf32>
// PART-NEXT:     }
// PART-NEXT:   }
// PART-NEXT:   tir.for %ax0 in 8 {
// PART-NEXT:     tir.block "A_global" (spatial %v0 in 16 = %ax0) do {
// PART-NEXT:       %value = tir.load %A_global[%v0] : memref<16xf32>
// PART-NEXT:       tir.store %value, %A[%v0] : memref<16xf32>
// PART-NEXT:     }
// PART-NEXT:   }
// PART-NEXT:   func.return
// PART-NEXT: }

// TWO:      func.func @two(
// TWO-NEXT:   %D_local = tir.alloc "D_local" : memref<8xf32, "local">
// TWO-NEXT:   tir.for %i in 8 {
// TWO-NEXT:     tir.block "T" (spatial %v_i in 8 = %i) do {
// TWO-NEXT:       %x = arith.constant 1.000000e+00 : f32
// TWO-NEXT:       tir.store %x, %C[%v_i] : memref<8xf32>
// TWO-NEXT:       tir.store %x, %D_local[%v_i] : memref<8xf32, "local">
// TWO-NEXT:       %y = tir.load %D_local[%v_i] : memref<8xf32, "local">
// TWO-NEXT:       tir.store %y, %C[%v_i] : memref<8xf32>
// TWO-NEXT:     }
// TWO-NEXT:   }
// TWO-NEXT:   tir.for %ax0 in 8 {
// TWO-NEXT:     tir.block "D_local" (spatial %v0 in 8 = %ax0) do {
// TWO-NEXT:       %value = tir.load %D_local[%v0] : memref<8xf32, "local">
// TWO-NEXT:       tir.store %value, %D[%v0] : memref<8xf32>
// TWO-NEXT:     }
// TWO-NEXT:   }
// TWO-NEXT:   func.return
// TWO-NEXT: }

// READERS:      func.func @several(
// READERS-NEXT:   tir.for %i in 4 {
// READERS-NEXT:     tir.block "W" (spatial %v_i in 4 = %i) do {
// READERS-NEXT:       %x = arith.constant 1.000000e+00 : f32
// READERS-NEXT:       tir.store %x, %B[%v_i] : memref<8xf32>
// READERS-NEXT:     }
// READERS-NEXT:   }
// READERS-NEXT:   %B_local = tir.alloc "B_local" : memref<8xf32, "local">
// READERS-NEXT:   tir.for %i_1 "i" in 4 {
// READERS-NEXT:     tir.for %j in 2 {
// READERS-NEXT:       tir.block "B" (spatial %v_i in 8 = %i_1 * 2 + %j) do {
// READERS-NEXT:         %x = arith.constant 2.000000e+00 : f32
// READERS-NEXT:         tir.store %x, %B_local[%v_i] : memref<8xf32, "local">
// READERS-NEXT:       }
// READERS-NEXT:     }
// READERS-NEXT:     tir.block "C" (spatial %v_i in 4 = %i_1) do {
// READERS-NEXT:       %x = tir.load %B_local[%v_i * 2] : memref<8xf32, "local">
// READERS-NEXT:       tir.store %x, %C[%v_i] : memref<8xf32>
// READERS-NEXT:     }
// READERS-NEXT:   }
// READERS-NEXT:   tir.for %ax0 in 8 {
// READERS-NEXT:     tir.block "B_local" (spatial %v0 in 8 = %ax0) do {
// READERS-NEXT:       %value = tir.load %B_local[%v0] : memref<8xf32, "local">
// READERS-NEXT:       tir.store %value, %B[%v0] : memref<8xf32>
// READERS-NEXT:     }
// READERS-NEXT:   }
// READERS-NEXT:   tir.for %i_2 "i" in 8 {
// READERS-NEXT:     tir.block "D" (spatial %v_i in 8 = %i_2) do {
// READERS-NEXT:       %x = tir.load %B[%v_i] : memref<8xf32>
// READERS-NEXT:       tir.store %x, %D[%v_i] : memref<8xf32>
// READERS-NEXT:     }
// READERS-NEXT:   }
// READERS-NEXT:   tir.for %i_3 "i" in 4 {
// READERS-NEXT:     tir.block "E" (spatial %v_i in 4 = %i_3) do {
// READERS-NEXT:       %x = tir.load %B_local[%v_i + 4] : memref<8xf32, "local">
// READERS-NEXT:       tir.store %x, %C[%v_i + 4] : memref<8xf32>
// READERS-NEXT:     }
// READERS-NEXT:   }
// READERS-NEXT:   func.return
// READERS-NEXT: }

//WARN:warning[KC3302]: cache_write: the scope 'warp' is useless on target llvm
//WARN-NEXT:  --> {{.*}}cache_write.mlir:15:3  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
//WARN-NEXT:  why: a CPU has no warps, whose registers could hold it
//WARN-NEXT:  try: scope=global
//WARN-NEXT:  try: scope=local
