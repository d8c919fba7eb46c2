// A block accesses a buffer through a new one, at its own variables.
// RUN: kc-opt %s --reindex="func=conv block=C buffer=read:0" | FileCheck %s --check-prefix=READ
// RUN: kc-opt %s --reindex="func=product block=C buffer=C" | FileCheck %s --check-prefix=WRITE
// RUN: kc-opt %s --reindex="func=sized block=T buffer=A" | FileCheck %s --check-prefix=SIZED
// RUN: kc-opt %s --reindex="func=padded block=P buffer=A" | FileCheck %s --check-prefix=PADDED
// RUN: kc-opt %s --reindex="func=inner block=D buffer=B" | FileCheck %s --check-prefix=INNER

te.func @conv(%X: tensor<16xf32>, %K: tensor<3xf32>) -> tensor<7xf32> {
  %C = te.compute "C" [%i = 7] reduce sum [%k = 3] {
    %x = te.read %X[%i * 2 + %k] : tensor<16xf32>
    %w = te.read %K[%k] : tensor<3xf32>
    %c = arith.mulf %x, %w : f32
    te.yield %c : f32
  } : tensor<7xf32>
  te.return %C : tensor<7xf32>
}

// The initial value and the updates go to the new buffer.
func.func @product(%A: memref<4x8xf32>, %C: memref<16xf32>) {
  tir.for %i in 4 {
    tir.for %j in 4 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v in 4 = %i, spatial %w in 4 = %j, reduce %r in 8 = %k) init {
          %0 = arith.constant 0.0 : f32
          tir.store %0, %C[%v * 4 + %w] : memref<16xf32>
        } do {
          %a = tir.load %A[%v, %r] : memref<4x8xf32>
          %b = tir.load %A[%w, %r] : memref<4x8xf32>
          %c = arith.mulf %a, %b : f32
          %1 = tir.load %C[%v * 4 + %w] : memref<16xf32>
          %2 = arith.addf %1, %c : f32
          tir.store %2, %C[%v * 4 + %w] : memref<16xf32>
        }
      }
    }
  }
  func.return
}

te.func @sized(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>}) -> tensor<?x?xf32>
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %T = te.compute "T" [%i = %m, %j = %n] {
    %a = te.read %A[%j, %i] : tensor<?x?xf32>
    te.yield %a : f32
  } : tensor<?x?xf32>
  te.return %T : tensor<?x?xf32>
}

// The instances that read outside of the buffer do not run, and nothing is copied for them.
func.func @padded(%A: memref<8xf32>, %B: memref<10xf32>) {
  tir.for %i in 10 {
    tir.block "P" (spatial %v in 10 = %i) where (%i >= 1, %i < 9) do {
      %x = tir.load %A[%v - 1] : memref<8xf32>
      tir.store %x, %B[%v] : memref<10xf32>
    }
  }
  func.return
}

// B changes in each iteration of i: the copy is of what one iteration reads.
func.func @inner(%A: memref<8x4xf32>, %B: memref<4xf32>, %D: memref<8x4xf32>) {
  tir.for %i in 8 {
    tir.for %j in 4 {
      tir.block "B" (spatial %v in 4 = %j, opaque %w in 8 = %i) do {
        %x = tir.load %A[%w, %v] : memref<8x4xf32>
        tir.store %x, %B[%v] : memref<4xf32>
      }
    }
    tir.for %j in 4 {
      tir.block "D" (spatial %v in 8 = %i, spatial %w in 4 = %j) do {
        %x = tir.load %B[3 - %w] : memref<4xf32>
        tir.store %x, %D[%v, %w] : memref<8x4xf32>
      }
    }
  }
  func.return
}

// READ:      func.func @conv(
// READ-NEXT:   %X_reindex = tir.alloc "X_reindex" : memref<7x3xf32>
// READ-NEXT:   tir.for %ax0 in 7 {
// READ-NEXT:     tir.for %ax1 in 3 {
// READ-NEXT:       tir.block "X_reindex" (spatial %v0 in 7 = %ax0, spatial %v1 in 3 = %ax1) do {
// READ-NEXT:         %value = tir.load %X[%v0 * 2 + %v1] : memref<16xf32>
// READ-NEXT:         tir.store %value, %X_reindex[%v0, %v1] : memref<7x3xf32>
// READ-NEXT:       }
// READ-NEXT:     }
// READ-NEXT:   }
// READ-NEXT:   tir.for %i in 7 {
// READ-NEXT:     tir.for %k in 3 {
// READ-NEXT:       tir.block "C" (spatial %v_i in 7 = %i, reduce %v_k in 3 = %k) init {
// READ-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// READ-NEXT:         tir.store %0, %C[%v_i] : memref<7xf32>
// READ-NEXT:       } do {
// READ-NEXT:         %x = tir.load %X_reindex[%v_i, %v_k] : memref<7x3xf32>
// READ-NEXT:         %w = tir.load %K[%v_k] : memref<3xf32>
// READ-NEXT:         %c = arith.mulf %x, %w : f32
// READ-NEXT:         %1 = tir.load %C[%v_i] : memref<7xf32>
// READ-NEXT:         %2 = arith.addf %1, %c : f32
// READ-NEXT:         tir.store %2, %C[%v_i] : memref<7xf32>
// READ-NEXT:       }
// READ-NEXT:     }
// READ-NEXT:   }
// READ-NEXT:   func.return
// READ-NEXT: }

// WRITE:      func.func @product(
// WRITE-NEXT:   %C_reindex = tir.alloc "C_reindex" : memref<4x4xf32>
// WRITE-NEXT:   tir.for %i in 4 {
// WRITE-NEXT:     tir.for %j in 4 {
// WRITE-NEXT:       tir.for %k in 8 {
// WRITE-NEXT:         tir.block "C" (spatial %v in 4 = %i, spatial %w in 4 = %j, reduce %r in 8 = %k) init {
// WRITE-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// WRITE-NEXT:           tir.store %0, %C_reindex[%v, %w] : memref<4x4xf32>
// WRITE-NEXT:         } do {
// WRITE-NEXT:           %a = tir.load %A[%v, %r] : memref<4x8xf32>
// WRITE-NEXT:           %b = tir.load %A[%w, %r] : memref<4x8xf32>
// WRITE-NEXT:           %c = arith.mulf %a, %b : f32
// WRITE-NEXT:           %1 = tir.load %C_reindex[%v, %w] : memref<4x4xf32>
// WRITE-NEXT:           %2 = arith.addf %1, %c : f32
// WRITE-NEXT:           tir.store %2, %C_reindex[%v, %w] : memref<4x4xf32>
// WRITE-NEXT:         }
// WRITE-NEXT:       }
// WRITE-NEXT:     }
// WRITE-NEXT:   }
// WRITE-NEXT:   tir.for %ax0 in 4 {
// WRITE-NEXT:     tir.for %ax1 in 4 {
// WRITE-NEXT:       tir.block "C_reindex" (spatial %v0 in 4 = %ax0, spatial %v1 in 4 = %ax1) do {
// WRITE-NEXT:         %value = tir.load %C_reindex[%v0, %v1] : memref<4x4xf32>
// WRITE-NEXT:         tir.store %value, %C[%v0 * 4 + %v1] : memref<16xf32>
// WRITE-NEXT:       }
// WRITE-NEXT:     }
// WRITE-NEXT:   }
// WRITE-NEXT:   func.return
// WRITE-NEXT: }

// SIZED:      func.func @sized(
// SIZED-NEXT:   %n = tir.symbol "n"
// SIZED-NEXT:   %m = tir.symbol "m"
// SIZED-NEXT:   %A_reindex = tir.alloc "A_reindex" (%m, %n) : memref<?x?xf32>
// SIZED-NEXT:   tir.for %ax0 in %m {
// SIZED-NEXT:     tir.for %ax1 in %n {
// SIZED-NEXT:       tir.block "A_reindex" (spatial %v0 in %m = %ax0, spatial %v1 in %n = %ax1) do {
// SIZED-NEXT:         %value = tir.load %A[%v1, %v0] : memref<?x?xf32>
// SIZED-NEXT:         tir.store %value, %A_reindex[%v0, %v1] : memref<?x?xf32>
// SIZED-NEXT:       }
// SIZED-NEXT:     }
// SIZED-NEXT:   }
// SIZED-NEXT:   tir.for %i in %m {
// SIZED-NEXT:     tir.for %j in %n {
// SIZED-NEXT:       tir.block "T" (spatial %v_i in %m = %i, spatial %v_j in %n = %j) do {
// SIZED-NEXT:         %a = tir.load %A_reindex[%v_i, %v_j] : memref<?x?xf32>
// SIZED-NEXT:         tir.store %a, %T[%v_i, %v_j] : memref<?x?xf32>
// SIZED-NEXT:       }
// SIZED-NEXT:     }
// SIZED-NEXT:   }
// SIZED-NEXT:   func.return
// SIZED-NEXT: }

// PADDED:      func.func @padded(
// PADDED-NEXT:   %A_reindex = tir.alloc "A_reindex" : memref<10xf32>
// PADDED-NEXT:   tir.for %ax0 in 10 {
// PADDED-NEXT:     tir.block "A_reindex" (spatial %v0 in 10 = %ax0) where (%ax0 >= 1, %ax0 < 9) do {
// PADDED-NEXT:       %value = tir.load %A[%v0 - 1] : memref<8xf32>
// PADDED-NEXT:       tir.store %value, %A_reindex[%v0] : memref<10xf32>
// PADDED-NEXT:     }
// PADDED-NEXT:   }
// PADDED-NEXT:   tir.for %i in 10 {
// PADDED-NEXT:     tir.block "P" (spatial %v in 10 = %i) where (%i >= 1, %i < 9) do {
// PADDED-NEXT:       %x = tir.load %A_reindex[%v] : memref<10xf32>
// PADDED-NEXT:       tir.store %x, %B[%v] : memref<10xf32>
// PADDED-NEXT:     }
// PADDED-NEXT:   }
// PADDED-NEXT:   func.return
// PADDED-NEXT: }

// INNER:      func.func @inner(
// INNER-NEXT:   tir.for %i in 8 {
// INNER-NEXT:     tir.for %j in 4 {
// INNER-NEXT:       tir.block "B" (spatial %v in 4 = %j, opaque %w in 8 = %i) do {
// INNER-NEXT:         %x = tir.load %A[%w, %v] : memref<8x4xf32>
// INNER-NEXT:         tir.store %x, %B[%v] : memref<4xf32>
// INNER-NEXT:       }
// INNER-NEXT:     }
// INNER-NEXT:     %B_reindex = tir.alloc "B_reindex" : memref<4xf32>
// INNER-NEXT:     tir.for %ax0 in 4 {
// INNER-NEXT:       tir.block "B_reindex" (spatial %v0 in 4 = %ax0) do {
// INNER-NEXT:         %value = tir.load %B[%v0 * -1 + 3] : memref<4xf32>
// INNER-NEXT:         tir.store %value, %B_reindex[%v0] : memref<4xf32>
// INNER-NEXT:       }
// INNER-NEXT:     }
// INNER-NEXT:     tir.for %j_1 "j" in 4 {
// INNER-NEXT:       tir.block "D" (spatial %v in 8 = %i, spatial %w in 4 = %j_1) do {
// INNER-NEXT:         %x = tir.load %B_reindex[%w] : memref<4xf32>
// INNER-NEXT:         tir.store %x, %D[%v, %w] : memref<8x4xf32>
// INNER-NEXT:       }
// INNER-NEXT:     }
// INNER-NEXT:   }
// INNER-NEXT:   func.return
// INNER-NEXT: }

// What the block writes it writes to the buffer itself: the new one has its old values.
// RUN: kc-opt %s --reindex="func=update block=U buffer=read:0" | FileCheck %s --check-prefix=UPDATE
func.func @update(%A: memref<16xf32>) {
  tir.for %i in 8 {
    tir.block "U" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v * 2] : memref<16xf32>
      %y = arith.addf %x, %x : f32
      tir.store %y, %A[%v * 2] : memref<16xf32>
    }
  }
  func.return
}
// UPDATE:      func.func @update(
// UPDATE-NEXT:   %A_reindex = tir.alloc "A_reindex" : memref<8xf32>
// UPDATE-NEXT:   tir.for %ax0 in 8 {
// UPDATE-NEXT:     tir.block "A_reindex" (spatial %v0 in 8 = %ax0) do {
// UPDATE-NEXT:       %value = tir.load %A[%v0 * 2] : memref<16xf32>
// UPDATE-NEXT:       tir.store %value, %A_reindex[%v0] : memref<8xf32>
// UPDATE-NEXT:     }
// UPDATE-NEXT:   }
// UPDATE-NEXT:   tir.for %i in 8 {
// UPDATE-NEXT:     tir.block "U" (spatial %v in 8 = %i) do {
// UPDATE-NEXT:       %x = tir.load %A_reindex[%v] : memref<8xf32>
// UPDATE-NEXT:       %y = arith.addf %x, %x : f32
// UPDATE-NEXT:       tir.store %y, %A[%v * 2] : memref<16xf32>
// UPDATE-NEXT:     }
// UPDATE-NEXT:   }
// UPDATE-NEXT:   func.return

// Each iteration of j changes the element that it then reads: the copy is in the loop of j.
// RUN: kc-opt %s --reindex="func=innermost block=D buffer=B" | FileCheck %s --check-prefix=INNERMOST
func.func @innermost(%A: memref<8x4xf32>, %B: memref<8xf32>, %D: memref<8x4xf32>) {
  tir.for %i in 8 {
    tir.for %j in 4 {
      tir.block "B" (spatial %v in 8 = %i, opaque %w in 4 = %j) do {
        %x = tir.load %A[%v, %w] : memref<8x4xf32>
        tir.store %x, %B[%v] : memref<8xf32>
      }
      tir.block "D" (spatial %v in 8 = %i, spatial %w in 4 = %j) do {
        %x = tir.load %B[%v] : memref<8xf32>
        tir.store %x, %D[%v, %w] : memref<8x4xf32>
      }
    }
  }
  func.return
}
// INNERMOST:      func.func @innermost(
// INNERMOST-NEXT:   tir.for %i in 8 {
// INNERMOST-NEXT:     tir.for %j in 4 {
// INNERMOST-NEXT:       tir.block "B"
// INNERMOST:            %B_reindex = tir.alloc "B_reindex" : memref<8xf32>
// INNERMOST-NEXT:       tir.for %ax0 in 1 {
// INNERMOST-NEXT:         tir.block "B_reindex" (spatial %v0 in 8 = %i) do {
// INNERMOST-NEXT:           %value = tir.load %B[%v0] : memref<8xf32>
// INNERMOST-NEXT:           tir.store %value, %B_reindex[%v0] : memref<8xf32>
// INNERMOST:            tir.block "D"
// INNERMOST-NEXT:         %x = tir.load %B_reindex[%v] : memref<8xf32>

// Each iteration of i writes two elements, of which T reads one: these two are copied there.
// RUN: kc-opt %s --reindex="func=pairs block=C buffer=C" | FileCheck %s --check-prefix=PAIRS
func.func @pairs(%A: memref<16xf32>, %C: memref<16xf32>, %T: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 2 {
      tir.block "C" (spatial %v in 16 = %i * 2 + %j) do {
        %x = tir.load %A[%v] : memref<16xf32>
        tir.store %x, %C[%v] : memref<16xf32>
      }
    }
    tir.block "T" (spatial %v in 8 = %i) do {
      %x = tir.load %C[%v * 2 + 1] : memref<16xf32>
      tir.store %x, %T[%v] : memref<8xf32>
    }
  }
  func.return
}
// PAIRS:      func.func @pairs(
// PAIRS-NEXT:   tir.for %i in 8 {
// PAIRS-NEXT:     %C_reindex = tir.alloc "C_reindex" : memref<16xf32>
// PAIRS-NEXT:     tir.for %j in 2 {
// PAIRS-NEXT:       tir.block "C" (spatial %v in 16 = %i * 2 + %j) do {
// PAIRS:              tir.store %x, %C_reindex[%v] : memref<16xf32>
// PAIRS:          tir.for %ax0 in 2 {
// PAIRS-NEXT:       tir.block "C_reindex" (spatial %v0 in 16 = %i * 2 + %ax0) do {
// PAIRS-NEXT:         %value = tir.load %C_reindex[%v0] : memref<16xf32>
// PAIRS-NEXT:         tir.store %value, %C[%v0] : memref<16xf32>
// PAIRS:          tir.block "T" (spatial %v in 8 = %i) do {
