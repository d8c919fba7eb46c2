// A loop with what is in it, or several blocks, becomes a block.
// RUN: kc-opt %s --split="func=matmul loop=k factors=?,4" --blockize="func=matmul loop=k_i" | FileCheck %s --check-prefix=REDUCE
// RUN: kc-opt %s --split="func=matmul loop=j factors=?,4" --reorder="func=matmul loops=j_o,k,j_i" --blockize="func=matmul loop=k preserve-unit-iters=false" | FileCheck %s --check-prefix=WHOLE
// RUN: kc-opt %s --split="func=tail loop=i factors=?,4" --blockize="func=tail loop=i_i" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --split="func=sizes loop=i factors=?,4" --blockize="func=sizes loop=i_i" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --blockize="func=captured loop=j" | FileCheck %s --check-prefix=CAPTURED
// RUN: kc-opt %s --blockize="func=chain blocks=B,C" | FileCheck %s --check-prefix=CHAIN
// RUN: kc-opt %s --blockize="func=stencil blocks=C,B" | FileCheck %s --check-prefix=STENCIL
// RUN: kc-opt %s --split="func=matmul loop=k factors=?,4" --blockize="func=matmul loop=k_i" --decompose-reduction="func=matmul block=C_o loop=k_o" --parallel="func=matmul block=C_o loop=i" | FileCheck %s --check-prefix=AFTER

te.func @matmul(%A: tensor<8x16xf32>, %B: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %C = te.compute "C" [%i = 8, %j = 8] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<8x16xf32>
    %b = te.read %B[%k, %j] : tensor<16x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<8x8xf32>
  te.return %C : tensor<8x8xf32>
}

// The last tile is not full: what is about the tile's loops is asked in the tile.
te.func @tail(%A: tensor<10xf32>) -> tensor<10xf32> {
  %B = te.compute "B" [%i = 10] {
    %a = te.read %A[%i] : tensor<10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  te.return %B : tensor<10xf32>
}

te.func @sizes(%A: tensor<?x16xf32> {kc.shape = affine_map<()[n] -> (n, 16)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<?x16xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// The body uses a loop outside: it becomes the variable that is equal to it.
func.func @captured(%B: memref<8x8xindex>) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 8 = %j) do {
        %x = arith.addi %i, %v_j : index
        tir.store %x, %B[%v_i, %v_j] : memref<8x8xindex>
      }
    }
  }
  func.return
}

func.func @chain(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 8 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<8x8xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<8x8xf32>
      }
    }
    tir.for %j in 8 {
      tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 8 = %j) do {
        %b = tir.load %B[%v_i, 7 - %v_j] : memref<8x8xf32>
        tir.store %b, %C[%v_i, %v_j] : memref<8x8xf32>
      }
    }
  }
  func.return
}

// What one iteration writes, the next one reads: the variable promises nothing.
func.func @stencil(%A: memref<9xf32>, %B: memref<9xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 9 = %i + 1) do {
      %a = tir.load %A[%v_i] : memref<9xf32>
      tir.store %a, %B[%v_i] : memref<9xf32>
    }
    tir.block "C" (spatial %v_i in 9 = %i + 1) do {
      %b = tir.load %B[%v_i - 1] : memref<9xf32>
      tir.store %b, %C[%v_i - 1] : memref<8xf32>
    }
  }
  func.return
}

// REDUCE-LABEL: func.func @matmul(
// REDUCE-NEXT: tir.for %i in 8 {
// REDUCE-NEXT: tir.for %j in 8 {
// REDUCE-NEXT: tir.for %k_o in 4 {
// REDUCE-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j, reduce %v_k_o in 4 = %k_o) init {
// REDUCE-NEXT: tir.block "C_init" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o) do {
// REDUCE-NEXT: %0 = arith.constant 0.000000e+00 : f32
// REDUCE-NEXT: tir.store %0, %C[%v_i, %v_j] : memref<8x8xf32>
// REDUCE-NEXT: }
// REDUCE-NEXT: } do {
// REDUCE-NEXT: tir.for %k_i in 4 {
// REDUCE-NEXT: tir.block "C" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o, reduce %v_k in 16 = %v_k_o * 4 + %k_i) do {
// REDUCE-NEXT: %a = tir.load %A[%v_i, %v_k] : memref<8x16xf32>
// REDUCE-NEXT: %b = tir.load %B[%v_k, %v_j] : memref<16x8xf32>
// REDUCE-NEXT: %p = arith.mulf %a, %b : f32
// REDUCE-NEXT: %0 = tir.load %C[%v_i, %v_j] : memref<8x8xf32>
// REDUCE-NEXT: %1 = arith.addf %0, %p : f32
// REDUCE-NEXT: tir.store %1, %C[%v_i, %v_j] : memref<8x8xf32>
// REDUCE-NEXT: }
// REDUCE-NEXT: }
// REDUCE-NEXT: }
// REDUCE-NEXT: }
// REDUCE-NEXT: }
// REDUCE-NEXT: }
// REDUCE-NEXT: func.return

// WHOLE-LABEL: func.func @matmul(
// WHOLE-NEXT: tir.for %i in 8 {
// WHOLE-NEXT: tir.for %j_o in 2 {
// WHOLE-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 2 = %j_o) do {
// WHOLE-NEXT: tir.for %k in 16 {
// WHOLE-NEXT: tir.for %j_i in 4 {
// WHOLE-NEXT: tir.block "C" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o * 4 + %j_i, reduce %v_k in 16 = %k) init {
// WHOLE-NEXT: %0 = arith.constant 0.000000e+00 : f32
// WHOLE-NEXT: tir.store %0, %C[%v_i, %v_j] : memref<8x8xf32>
// WHOLE-NEXT: } do {
// WHOLE-NEXT: %a = tir.load %A[%v_i, %v_k] : memref<8x16xf32>
// WHOLE-NEXT: %b = tir.load %B[%v_k, %v_j] : memref<16x8xf32>
// WHOLE-NEXT: %p = arith.mulf %a, %b : f32
// WHOLE-NEXT: %1 = tir.load %C[%v_i, %v_j] : memref<8x8xf32>
// WHOLE-NEXT: %2 = arith.addf %1, %p : f32
// WHOLE-NEXT: tir.store %2, %C[%v_i, %v_j] : memref<8x8xf32>
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: func.return

// TAIL-LABEL: func.func @tail(
// TAIL-NEXT: tir.for %i_o in 3 {
// TAIL-NEXT: tir.block "B_o" (spatial %v_i_o in 3 = %i_o) do {
// TAIL-NEXT: tir.for %i_i in 4 {
// TAIL-NEXT: tir.block "B" (spatial %v_i in 10 = %v_i_o * 4 + %i_i) where (%v_i_o * 4 + %i_i < 10) do {
// TAIL-NEXT: %a = tir.load %A[%v_i] : memref<10xf32>
// TAIL-NEXT: tir.store %a, %B[%v_i] : memref<10xf32>
// TAIL-NEXT: }
// TAIL-NEXT: }
// TAIL-NEXT: }
// TAIL-NEXT: }
// TAIL-NEXT: func.return

// SIZES-LABEL: func.func @sizes(
// SIZES-NEXT: %n = tir.symbol "n"
// SIZES-NEXT: %i_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT: tir.for %i_o in %i_size {
// SIZES-NEXT: %v_i_o_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT: tir.block "C_o" (spatial %v_i_o in %v_i_o_size = %i_o, reduce %v_k_o in 1 = 0) init {
// SIZES-NEXT: tir.for %i_i_init in 4 {
// SIZES-NEXT: tir.block "C_init" (spatial %v_i in %n = %v_i_o * 4 + %i_i_init) where (%v_i_o * 4 + %i_i_init < %n) do {
// SIZES-NEXT: %0 = arith.constant 0.000000e+00 : f32
// SIZES-NEXT: tir.store %0, %C[%v_i] : memref<?xf32>
// SIZES-NEXT: }
// SIZES-NEXT: }
// SIZES-NEXT: } do {
// SIZES-NEXT: tir.for %i_i in 4 {
// SIZES-NEXT: tir.for %k in 16 {
// SIZES-NEXT: tir.block "C" (spatial %v_i in %n = %v_i_o * 4 + %i_i, reduce %v_k in 16 = %k) where (%v_i_o * 4 + %i_i < %n) do {
// SIZES-NEXT: %a = tir.load %A[%v_i, %v_k] : memref<?x16xf32>
// SIZES-NEXT: %0 = tir.load %C[%v_i] : memref<?xf32>
// SIZES-NEXT: %1 = arith.addf %0, %a : f32
// SIZES-NEXT: tir.store %1, %C[%v_i] : memref<?xf32>
// SIZES-NEXT: }
// SIZES-NEXT: }
// SIZES-NEXT: }
// SIZES-NEXT: }
// SIZES-NEXT: }
// SIZES-NEXT: func.return

// CAPTURED-LABEL: func.func @captured(
// CAPTURED-NEXT: tir.for %i in 8 {
// CAPTURED-NEXT: tir.block "B_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 1 = 0) do {
// CAPTURED-NEXT: tir.for %j in 8 {
// CAPTURED-NEXT: tir.block "B" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %j) do {
// CAPTURED-NEXT: %x = arith.addi %v_i_o, %v_j : index
// CAPTURED-NEXT: tir.store %x, %B[%v_i, %v_j] : memref<8x8xindex>
// CAPTURED-NEXT: }
// CAPTURED-NEXT: }
// CAPTURED-NEXT: }
// CAPTURED-NEXT: }
// CAPTURED-NEXT: func.return

// CHAIN-LABEL: func.func @chain(
// CHAIN-NEXT: tir.for %i in 8 {
// CHAIN-NEXT: tir.block "B_C_o" (spatial %v_i_o in 8 = %i) do {
// CHAIN-NEXT: tir.for %j in 8 {
// CHAIN-NEXT: tir.block "B" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %j) do {
// CHAIN-NEXT: %a = tir.load %A[%v_i, %v_j] : memref<8x8xf32>
// CHAIN-NEXT: tir.store %a, %B[%v_i, %v_j] : memref<8x8xf32>
// CHAIN-NEXT: }
// CHAIN-NEXT: }
// CHAIN-NEXT: tir.for %j_1 "j" in 8 {
// CHAIN-NEXT: tir.block "C" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %j_1) do {
// CHAIN-NEXT: %b = tir.load %B[%v_i, %v_j * -1 + 7] : memref<8x8xf32>
// CHAIN-NEXT: tir.store %b, %C[%v_i, %v_j] : memref<8x8xf32>
// CHAIN-NEXT: }
// CHAIN-NEXT: }
// CHAIN-NEXT: }
// CHAIN-NEXT: }
// CHAIN-NEXT: func.return

// STENCIL-LABEL: func.func @stencil(
// STENCIL-NEXT: tir.for %i in 8 {
// STENCIL-NEXT: tir.block "B_C_o" (opaque %v_i_o in 9 = %i + 1) do {
// STENCIL-NEXT: tir.block "B" (spatial %v_i in 9 = %v_i_o) do {
// STENCIL-NEXT: %a = tir.load %A[%v_i] : memref<9xf32>
// STENCIL-NEXT: tir.store %a, %B[%v_i] : memref<9xf32>
// STENCIL-NEXT: }
// STENCIL-NEXT: tir.block "C" (spatial %v_i in 9 = %v_i_o) do {
// STENCIL-NEXT: %b = tir.load %B[%v_i - 1] : memref<9xf32>
// STENCIL-NEXT: tir.store %b, %C[%v_i - 1] : memref<8xf32>
// STENCIL-NEXT: }
// STENCIL-NEXT: }
// STENCIL-NEXT: }
// STENCIL-NEXT: func.return

// AFTER-LABEL: func.func @matmul(
// AFTER-NEXT: tir.for %i in 8 parallel {
// AFTER-NEXT: tir.for %j in 8 {
// AFTER-NEXT: tir.block "C_o_init" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j) do {
// AFTER-NEXT: tir.block "C_init" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o) do {
// AFTER-NEXT: %0 = arith.constant 0.000000e+00 : f32
// AFTER-NEXT: tir.store %0, %C[%v_i, %v_j] : memref<8x8xf32>
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: tir.for %k_o in 4 {
// AFTER-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j, reduce %v_k_o in 4 = %k_o) do {
// AFTER-NEXT: tir.for %k_i in 4 {
// AFTER-NEXT: tir.block "C" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o, reduce %v_k in 16 = %v_k_o * 4 + %k_i) do {
// AFTER-NEXT: %a = tir.load %A[%v_i, %v_k] : memref<8x16xf32>
// AFTER-NEXT: %b = tir.load %B[%v_k, %v_j] : memref<16x8xf32>
// AFTER-NEXT: %p = arith.mulf %a, %b : f32
// AFTER-NEXT: %0 = tir.load %C[%v_i, %v_j] : memref<8x8xf32>
// AFTER-NEXT: %1 = arith.addf %0, %p : f32
// AFTER-NEXT: tir.store %1, %C[%v_i, %v_j] : memref<8x8xf32>
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: }
// AFTER-NEXT: func.return
