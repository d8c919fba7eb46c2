// What an iteration of a loop reads of a buffer is copied at its start: the box around it.
// RUN: kc-opt %s --split="func=stencil block=C loop=i factors=4,8" --read-at="func=stencil loop=i_o block=C buffer=A scope=local" \
// RUN:   | FileCheck %s --check-prefix=STENCIL
// RUN: kc-opt %s --split="func=sizes block=C loop=i factors=?,4" --read-at="func=sizes loop=i_o block=C buffer=0" \
// RUN:   | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --read-at="func=two loop=i block=D buffer=A" | FileCheck %s --check-prefix=TWO
// RUN: kc-opt %s --read-at="func=product loop=k block=P buffer=B" | FileCheck %s --check-prefix=PRODUCT

te.func @stencil(%A: tensor<40xf32>) -> tensor<32xf32> {
  %C = te.compute "C" [%i = 32] {
    %x = te.read %A[%i + 1] : tensor<40xf32>
    %y = te.read %A[%i + 3] : tensor<40xf32>
    %c = arith.mulf %x, %y : f32
    te.yield %c : f32
  } : tensor<32xf32>
  te.return %C : tensor<32xf32>
}

te.func @sizes(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] {
    %x = te.read %A[%i] : tensor<?xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// W writes another part; both of the readers get the copy, which stands before the first of them.
func.func @two(%A: memref<16xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 4 {
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %A[%v_i + 12] : memref<16xf32>
    }
    tir.block "C" (spatial %v_i in 4 = %i) do {
      %x = tir.load %A[%v_i * 2] : memref<16xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    tir.block "D" (spatial %v_i in 4 = %i) do {
      %x = tir.load %A[%v_i * 2 + 1] : memref<16xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

te.func @product(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %P = te.compute "P" [%i = 4, %j = 6] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x6xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x6xf32>
  te.return %P : tensor<4x6xf32>
}

// STENCIL:      func.func @stencil(
// STENCIL-NEXT:   tir.for %i_o in 4 {
// STENCIL-NEXT:     %A_local = tir.alloc "A_local" : memref<40xf32, "local">
// STENCIL-NEXT:     tir.for %ax0 in 10 {
// STENCIL-NEXT:       tir.block "A_local" (spatial %v0 in 40 = %i_o * 8 + %ax0 + 1) annotations {auto_copy = 1 : i64} do {
// STENCIL-NEXT:         %value = tir.load %A[%v0] : memref<40xf32>
// STENCIL-NEXT:         tir.store %value, %A_local[%v0] : memref<40xf32, "local">
// STENCIL-NEXT:       }
// STENCIL-NEXT:     }
// STENCIL-NEXT:     tir.for %i_i in 8 {
// STENCIL-NEXT:       tir.block "C" (spatial %v_i in 32 = %i_o * 8 + %i_i) do {
// STENCIL-NEXT:         %x = tir.load %A_local[%v_i + 1] : memref<40xf32, "local">
// STENCIL-NEXT:         %y = tir.load %A_local[%v_i + 3] : memref<40xf32, "local">
// STENCIL-NEXT:         %c = arith.mulf %x, %y : f32
// STENCIL-NEXT:         tir.store %c, %C[%v_i] : memref<32xf32>
// STENCIL-NEXT:       }
// STENCIL-NEXT:     }
// STENCIL-NEXT:   }
// STENCIL-NEXT:   func.return
// STENCIL-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %i_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT:   tir.for %i_o in %i_size {
// SIZES-NEXT:     %A_global = tir.alloc "A_global" (%n) : memref<?xf32>
// SIZES-NEXT:     tir.for %ax0 in 4 {
// SIZES-NEXT:       tir.block "A_global" (spatial %v0 in %n = %i_o * 4 + %ax0) where (%i_o * 4 + %ax0 < %n) annotations {auto_copy = 1 : i64} do {
// SIZES-NEXT:         %value = tir.load %A[%v0] : memref<?xf32>
// SIZES-NEXT:         tir.store %value, %A_global[%v0] : memref<?xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:     tir.for %i_i in 4 {
// SIZES-NEXT:       tir.block "C" (spatial %v_i in %n = %i_o * 4 + %i_i) where (%i_o * 4 + %i_i < %n) do {
// SIZES-NEXT:         %x = tir.load %A_global[%v_i] : memref<?xf32>
// SIZES-NEXT:         tir.store %x, %C[%v_i] : memref<?xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// TWO:      func.func @two(
// TWO-NEXT:   tir.for %i in 4 {
// TWO-NEXT:     tir.block "W" (spatial %v_i in 4 = %i) do {
// TWO-NEXT:       %x = arith.constant 1.000000e+00 : f32
// TWO-NEXT:       tir.store %x, %A[%v_i + 12] : memref<16xf32>
// TWO-NEXT:     }
// TWO-NEXT:     %A_global = tir.alloc "A_global" : memref<16xf32>
// TWO-NEXT:     tir.for %ax0 in 2 {
// TWO-NEXT:       tir.block "A_global" (spatial %v0 in 16 = %i * 2 + %ax0) annotations {auto_copy = 1 : i64} do {
// TWO-NEXT:         %value = tir.load %A[%v0] : memref<16xf32>
// TWO-NEXT:         tir.store %value, %A_global[%v0] : memref<16xf32>
// TWO-NEXT:       }
// TWO-NEXT:     }
// TWO-NEXT:     tir.block "C" (spatial %v_i in 4 = %i) do {
// TWO-NEXT:       %x = tir.load %A_global[%v_i * 2] : memref<16xf32>
// TWO-NEXT:       tir.store %x, %C[%v_i] : memref<8xf32>
// TWO-NEXT:     }
// TWO-NEXT:     tir.block "D" (spatial %v_i in 4 = %i) do {
// TWO-NEXT:       %x = tir.load %A_global[%v_i * 2 + 1] : memref<16xf32>
// TWO-NEXT:       tir.store %x, %D[%v_i] : memref<8xf32>
// TWO-NEXT:     }
// TWO-NEXT:   }
// TWO-NEXT:   func.return
// TWO-NEXT: }

// PRODUCT:      func.func @product(
// PRODUCT-NEXT:   tir.for %i in 4 {
// PRODUCT-NEXT:     tir.for %j in 6 {
// PRODUCT-NEXT:       tir.for %k in 8 {
// PRODUCT-NEXT:         %B_global = tir.alloc "B_global" : memref<8x6xf32>
// PRODUCT-NEXT:         tir.for %ax0 in 1 {
// PRODUCT-NEXT:           tir.for %ax1 in 1 {
// PRODUCT-NEXT:             tir.block "B_global" (spatial %v0 in 8 = %k, spatial %v1 in 6 = %j) annotations {auto_copy = 1 : i64} do {
// PRODUCT-NEXT:               %value = tir.load %B[%v0, %v1] : memref<8x6xf32>
// PRODUCT-NEXT:               tir.store %value, %B_global[%v0, %v1] : memref<8x6xf32>
// PRODUCT-NEXT:             }
// PRODUCT-NEXT:           }
// PRODUCT-NEXT:         }
// PRODUCT-NEXT:         tir.block "P" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j, reduce %v_k in 8 = %k) init {
// PRODUCT-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// PRODUCT-NEXT:           tir.store %0, %P[%v_i, %v_j] : memref<4x6xf32>
// PRODUCT-NEXT:         } do {
// PRODUCT-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// PRODUCT-NEXT:           %b = tir.load %B_global[%v_k, %v_j] : memref<8x6xf32>
// PRODUCT-NEXT:           %c = arith.mulf %a, %b : f32
// PRODUCT-NEXT:           %1 = tir.load %P[%v_i, %v_j] : memref<4x6xf32>
// PRODUCT-NEXT:           %2 = arith.addf %1, %c : f32
// PRODUCT-NEXT:           tir.store %2, %P[%v_i, %v_j] : memref<4x6xf32>
// PRODUCT-NEXT:         }
// PRODUCT-NEXT:       }
// PRODUCT-NEXT:     }
// PRODUCT-NEXT:   }
// PRODUCT-NEXT:   func.return
// PRODUCT-NEXT: }

// RUN: kc-opt %s --target=cuda --read-at="func=alike loop=t block=B buffer=A scope=local" | FileCheck %s --check-prefix=ALIKE

// Every thread block makes the copy, of what none of them writes.
// ALIKE-LABEL: func.func @alike
// ALIKE-NEXT:    tir.for %t in 4 thread "threadIdx.x" {
// ALIKE-NEXT:      %A_local = tir.alloc "A_local" : memref<4x8xf32, "local">
// ALIKE:           tir.for %p in 8 thread "blockIdx.x" {
// ALIKE-NEXT:        tir.block "B"
// ALIKE-NEXT:          %a = tir.load %A_local
func.func @alike(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %p) do {
        %a = tir.load %A[%v, %w] : memref<4x8xf32>
        tir.store %a, %B[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}
