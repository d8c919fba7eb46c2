// What blocks read is copied before the first of them: as far out as the buffer keeps its values,
// and as much as is read there.
// RUN: kc-opt %s --cache-read="func=rows block=C buffer=B scope=local" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --cache-read="func=rows block=B buffer=0" | FileCheck %s --check-prefix=PART
// RUN: kc-opt %s --compute-at="func=rows block=B loop=i" --cache-read="func=rows block=C buffer=B" \
// RUN:   | FileCheck %s --check-prefix=INSIDE
// RUN: kc-opt %s --split="func=tail block=C loop=i factors=?,4" --compute-at="func=tail block=B loop=i_o" \
// RUN:   --cache-read="func=tail block=C buffer=B" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --cache-read="func=versions block=C buffer=A consumers=C" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --cache-read="func=in_place block=A buffer=A" | FileCheck %s --check-prefix=PLACE
// RUN: kc-opt %s --cache-read="func=sizes block=C buffer=A" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --cache-read="func=scalar block=B buffer=A" | FileCheck %s --check-prefix=SCALAR
// RUN: kc-opt %s --cache-read="func=unnamed block=B buffer=A" | FileCheck %s --check-prefix=DIM
// RUN: kc-opt %s --cache-read="func=rows block=C buffer=B scope=shared" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

te.func @rows(%A: tensor<20x8xf32>) -> tensor<14x8xf32> {
  %B = te.compute "B" [%i = 16, %j = 8] {
    %a = te.read %A[%i + 2, %j] : tensor<20x8xf32>
    te.yield %a : f32
  } : tensor<16x8xf32>
  %C = te.compute "C" [%i = 14, %j = 8] {
    %x = te.read %B[%i, %j] : tensor<16x8xf32>
    %y = te.read %B[%i + 2, %j] : tensor<16x8xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<14x8xf32>
  te.return %C : tensor<14x8xf32>
}

te.func @tail(%A: tensor<10xf32>) -> tensor<10xf32> {
  %B = te.compute "B" [%i = 10] {
    %a = te.read %A[%i] : tensor<10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  %C = te.compute "C" [%i = 10] {
    %x = te.read %B[%i] : tensor<10xf32>
    te.yield %x : f32
  } : tensor<10xf32>
  te.return %C : tensor<10xf32>
}

func.func @versions(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "W" (spatial %v_i in 8 = %i) do {
      %x = tir.load %C[7 - %v_i] : memref<8xf32>
      tir.store %x, %A[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @in_place(%A: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "A" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      %y = arith.addf %x, %x : f32
      tir.store %y, %A[%v_i] : memref<8xf32>
    }
  }
  func.return
}

te.func @sizes(%A: tensor<?x8xf32> {kc.shape = affine_map<()[n] -> (n + 1, 8)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] reduce sum [%k = 4] {
    %x = te.read %A[%i + 1, %k * 2] : tensor<?x8xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

te.func @scalar(%A: tensor<f32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 4] {
    %a = te.read %A[] : tensor<f32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %B : tensor<4xf32>
}

func.func @unnamed(%A: memref<?xf32>, %B: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "B" (spatial %v_i in 4 = %i) do {
      %x = tir.load %A[%v_i] : memref<?xf32>
      tir.store %x, %B[%v_i] : memref<4xf32>
    }
  }
  func.return
}

// ROWS:      func.func @rows(
// ROWS-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// ROWS-NEXT:   tir.for %i in 16 {
// ROWS-NEXT:     tir.for %j in 8 {
// ROWS-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// ROWS-NEXT:         %a = tir.load %A[%v_i + 2, %v_j] : memref<20x8xf32>
// ROWS-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<16x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   %B_local = tir.alloc "B_local" : memref<16x8xf32, "local">
// ROWS-NEXT:   tir.for %ax0 in 16 {
// ROWS-NEXT:     tir.for %ax1 in 8 {
// ROWS-NEXT:       tir.block "B_local" (spatial %v0 in 16 = %ax0, spatial %v1 in 8 = %ax1) do {
// ROWS-NEXT:         %value = tir.load %B[%v0, %v1] : memref<16x8xf32>
// ROWS-NEXT:         tir.store %value, %B_local[%v0, %v1] : memref<16x8xf32, "local">
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   tir.for %i_1 "i" in 14 {
// ROWS-NEXT:     tir.for %j_1 "j" in 8 {
// ROWS-NEXT:       tir.block "C" (spatial %v_i in 14 = %i_1, spatial %v_j in 8 = %j_1) do {
// ROWS-NEXT:         %x = tir.load %B_local[%v_i, %v_j] : memref<16x8xf32, "local">
// ROWS-NEXT:         %y = tir.load %B_local[%v_i + 2, %v_j] : memref<16x8xf32, "local">
// ROWS-NEXT:         %c = arith.mulf %x, %y : f32
// ROWS-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// ROWS-NEXT:       }
// ROWS-NEXT:     }
// ROWS-NEXT:   }
// ROWS-NEXT:   func.return
// ROWS-NEXT: }

// PART:      func.func @rows(
// PART-NEXT:   %B = tir.alloc "B" : memref<16x8xf32>
// PART-NEXT:   %A_global = tir.alloc "A_global" : memref<20x8xf32>
// PART-NEXT:   tir.for %ax0 in 16 {
// PART-NEXT:     tir.for %ax1 in 8 {
// PART-NEXT:       tir.block "A_global" (spatial %v0 in 20 = %ax0 + 2, spatial %v1 in 8 = %ax1) do {
// PART-NEXT:         %value = tir.load %A[%v0, %v1] : memref<20x8xf32>
// PART-NEXT:         tir.store %value, %A_global[%v0, %v1] : memref<20x8xf32>
// PART-NEXT:       }
// PART-NEXT:     }
// PART-NEXT:   }
// PART-NEXT:   tir.for %i in 16 {
// PART-NEXT:     tir.for %j in 8 {
// PART-NEXT:       tir.block "B" (spatial %v_i in 16 = %i, spatial %v_j in 8 = %j) do {
// PART-NEXT:         %a = tir.load %A_global[%v_i + 2, %v_j] : memref<20x8xf32>
// PART-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<16x8xf32>
// PART-NEXT:       }
// PART-NEXT:     }
// PART-NEXT:   }
// PART-NEXT:   tir.for %i_1 "i" in 14 {
// PART-NEXT:     tir.for %j_1 "j" in 8 {
// PART-NEXT:       tir.block "C" (spatial %v_i in 14 = %i_1, spatial %v_j in 8 = %j_1) do {
// PART-NEXT:         %x = tir.load %B[%v_i, %v_j] : memref<16x8xf32>
// PART-NEXT:         %y = tir.load %B[%v_i + 2, %v_j] : memref<16x8xf32>
// PART-NEXT:         %c = arith.mulf %x, %y : f32
// PART-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// PART-NEXT:       }
// PART-NEXT:     }
// PART-NEXT:   }
// PART-NEXT:   func.return
// PART-NEXT: }

// INSIDE:      func.func @rows(
// INSIDE-NEXT:   tir.for %i in 14 {
// INSIDE-NEXT:     %B = tir.alloc "B" : memref<16x8xf32>
// INSIDE-NEXT:     tir.for %i_1 in 3 {
// INSIDE-NEXT:       tir.for %j_1 in 8 {
// INSIDE-NEXT:         tir.block "B" (spatial %v_i in 16 = %i + %i_1, spatial %v_j in 8 = %j_1) do {
// INSIDE-NEXT:           %a = tir.load %A[%v_i + 2, %v_j] : memref<20x8xf32>
// INSIDE-NEXT:           tir.store %a, %B[%v_i, %v_j] : memref<16x8xf32>
// INSIDE-NEXT:         }
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     %B_global = tir.alloc "B_global" : memref<16x8xf32>
// INSIDE-NEXT:     tir.for %ax0 in 3 {
// INSIDE-NEXT:       tir.for %ax1 in 8 {
// INSIDE-NEXT:         tir.block "B_global" (spatial %v0 in 16 = %i + %ax0, spatial %v1 in 8 = %ax1) do {
// INSIDE-NEXT:           %value = tir.load %B[%v0, %v1] : memref<16x8xf32>
// INSIDE-NEXT:           tir.store %value, %B_global[%v0, %v1] : memref<16x8xf32>
// INSIDE-NEXT:         }
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.for %j in 8 {
// INSIDE-NEXT:       tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 8 = %j) do {
// INSIDE-NEXT:         %x = tir.load %B_global[%v_i, %v_j] : memref<16x8xf32>
// INSIDE-NEXT:         %y = tir.load %B_global[%v_i + 2, %v_j] : memref<16x8xf32>
// INSIDE-NEXT:         %c = arith.mulf %x, %y : f32
// INSIDE-NEXT:         tir.store %c, %C[%v_i, %v_j] : memref<14x8xf32>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:   }
// INSIDE-NEXT:   func.return
// INSIDE-NEXT: }

// TAIL:      func.func @tail(
// TAIL-NEXT:   tir.for %i_o in 3 {
// TAIL-NEXT:     %B = tir.alloc "B" : memref<10xf32>
// TAIL-NEXT:     tir.for %i in 4 {
// TAIL-NEXT:       tir.block "B" (spatial %v_i in 10 = %i_o * 4 + %i) where (%i_o * 4 + %i < 10) do {
// TAIL-NEXT:         %a = tir.load %A[%v_i] : memref<10xf32>
// TAIL-NEXT:         tir.store %a, %B[%v_i] : memref<10xf32>
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:     %B_global = tir.alloc "B_global" : memref<10xf32>
// TAIL-NEXT:     tir.for %ax0 in 4 {
// TAIL-NEXT:       tir.block "B_global" (spatial %v0 in 10 = %i_o * 4 + %ax0) where (%i_o * 4 + %ax0 < 10) do {
// TAIL-NEXT:         %value = tir.load %B[%v0] : memref<10xf32>
// TAIL-NEXT:         tir.store %value, %B_global[%v0] : memref<10xf32>
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:     tir.for %i_i in 4 {
// TAIL-NEXT:       tir.block "C" (spatial %v_i in 10 = %i_o * 4 + %i_i) where (%i_o * 4 + %i_i < 10) do {
// TAIL-NEXT:         %x = tir.load %B_global[%v_i] : memref<10xf32>
// TAIL-NEXT:         tir.store %x, %C[%v_i] : memref<10xf32>
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   func.return
// TAIL-NEXT: }

// ONE:      func.func @versions(
// ONE-NEXT:   %A_global = tir.alloc "A_global" : memref<8xf32>
// ONE-NEXT:   tir.for %ax0 in 8 {
// ONE-NEXT:     tir.block "A_global" (spatial %v0 in 8 = %ax0) do {
// ONE-NEXT:       %value = tir.load %A[%v0] : memref<8xf32>
// ONE-NEXT:       tir.store %value, %A_global[%v0] : memref<8xf32>
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   tir.for %i in 8 {
// ONE-NEXT:     tir.block "C" (spatial %v_i in 8 = %i) do {
// ONE-NEXT:       %x = tir.load %A_global[%v_i] : memref<8xf32>
// ONE-NEXT:       tir.store %x, %C[%v_i] : memref<8xf32>
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   tir.for %i_1 "i" in 8 {
// ONE-NEXT:     tir.block "W" (spatial %v_i in 8 = %i_1) do {
// ONE-NEXT:       %x = tir.load %C[%v_i * -1 + 7] : memref<8xf32>
// ONE-NEXT:       tir.store %x, %A[%v_i] : memref<8xf32>
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   tir.for %i_2 "i" in 8 {
// ONE-NEXT:     tir.block "D" (spatial %v_i in 8 = %i_2) do {
// ONE-NEXT:       %x = tir.load %A[%v_i] : memref<8xf32>
// ONE-NEXT:       tir.store %x, %D[%v_i] : memref<8xf32>
// ONE-NEXT:     }
// ONE-NEXT:   }
// ONE-NEXT:   func.return
// ONE-NEXT: }

// PLACE:      func.func @in_place(
// PLACE-NEXT:   %A_global = tir.alloc "A_global" : memref<8xf32>
// PLACE-NEXT:   tir.for %ax0 in 8 {
// PLACE-NEXT:     tir.block "A_global" (spatial %v0 in 8 = %ax0) do {
// PLACE-NEXT:       %value = tir.load %A[%v0] : memref<8xf32>
// PLACE-NEXT:       tir.store %value, %A_global[%v0] : memref<8xf32>
// PLACE-NEXT:     }
// PLACE-NEXT:   }
// PLACE-NEXT:   tir.for %i in 8 {
// PLACE-NEXT:     tir.block "A" (spatial %v_i in 8 = %i) do {
// PLACE-NEXT:       %x = tir.load %A_global[%v_i] : memref<8xf32>
// PLACE-NEXT:       %y = arith.addf %x, %x : f32
// PLACE-NEXT:       tir.store %y, %A[%v_i] : memref<8xf32>
// PLACE-NEXT:     }
// PLACE-NEXT:   }
// PLACE-NEXT:   func.return
// PLACE-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %0 = tir.apply (%n + 1)
// SIZES-NEXT:   %A_global = tir.alloc "A_global" (%0) : memref<?x8xf32>
// SIZES-NEXT:   tir.for %ax0 in %0 {
// SIZES-NEXT:     tir.for %ax1 in 7 {
// SIZES-NEXT:       tir.block "A_global" (spatial %v0 in %0 = %ax0, spatial %v1 in 8 = %ax1) do {
// SIZES-NEXT:         %value = tir.load %A[%v0, %v1] : memref<?x8xf32>
// SIZES-NEXT:         tir.store %value, %A_global[%v0, %v1] : memref<?x8xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   tir.for %i in %n {
// SIZES-NEXT:     tir.for %k in 4 {
// SIZES-NEXT:       tir.block "C" (spatial %v_i in %n = %i, reduce %v_k in 4 = %k) init {
// SIZES-NEXT:         %1 = arith.constant 0.000000e+00 : f32
// SIZES-NEXT:         tir.store %1, %C[%v_i] : memref<?xf32>
// SIZES-NEXT:       } do {
// SIZES-NEXT:         %x = tir.load %A_global[%v_i + 1, %v_k * 2] : memref<?x8xf32>
// SIZES-NEXT:         %2 = tir.load %C[%v_i] : memref<?xf32>
// SIZES-NEXT:         %3 = arith.addf %2, %x : f32
// SIZES-NEXT:         tir.store %3, %C[%v_i] : memref<?xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// SCALAR:      func.func @scalar(
// SCALAR-NEXT:   %A_global = tir.alloc "A_global" : memref<f32>
// SCALAR-NEXT:   tir.block "A_global" () do {
// SCALAR-NEXT:     %value = tir.load %A[] : memref<f32>
// SCALAR-NEXT:     tir.store %value, %A_global[] : memref<f32>
// SCALAR-NEXT:   }
// SCALAR-NEXT:   tir.for %i in 4 {
// SCALAR-NEXT:     tir.block "B" (spatial %v_i in 4 = %i) do {
// SCALAR-NEXT:       %a = tir.load %A_global[] : memref<f32>
// SCALAR-NEXT:       tir.store %a, %B[%v_i] : memref<4xf32>
// SCALAR-NEXT:     }
// SCALAR-NEXT:   }
// SCALAR-NEXT:   func.return
// SCALAR-NEXT: }

// DIM:      func.func @unnamed(
// DIM-NEXT:   %0 = arith.constant 0 : index
// DIM-NEXT:   %1 = memref.dim %A, %0 : memref<?xf32>
// DIM-NEXT:   %A_global = tir.alloc "A_global" (%1) : memref<?xf32>
// DIM-NEXT:   tir.for %ax0 in 4 {
// DIM-NEXT:     tir.block "A_global" (spatial %v0 in %1 = %ax0) where (%ax0 < %1) do {
// DIM-NEXT:       %value = tir.load %A[%v0] : memref<?xf32>
// DIM-NEXT:       tir.store %value, %A_global[%v0] : memref<?xf32>
// DIM-NEXT:     }
// DIM-NEXT:   }
// DIM-NEXT:   tir.for %i in 4 {
// DIM-NEXT:     tir.block "B" (spatial %v_i in 4 = %i) do {
// DIM-NEXT:       %x = tir.load %A_global[%v_i] : memref<?xf32>
// DIM-NEXT:       tir.store %x, %B[%v_i] : memref<4xf32>
// DIM-NEXT:     }
// DIM-NEXT:   }
// DIM-NEXT:   func.return
// DIM-NEXT: }

//WARN:warning[KC3302]: cache_read: the scope 'shared' is useless on target llvm
//WARN-NEXT:  --> {{.*}}cache_read.mlir:21:3  %C = te.compute "C" [%i = 14, %j = 8] {
//WARN-NEXT:  why: every thread of a CPU sees all memory, there is none that only a group of them shares
//WARN-NEXT:  try: scope=global
//WARN-NEXT:  try: scope=local
