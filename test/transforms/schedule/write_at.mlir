// What an iteration of a loop writes to a buffer is copied there at its end: a reduction is complete
// then, with its init.
// RUN: kc-opt %s --split="func=product block=P loop=j factors=2,3" --reorder="func=product block=P loops=j_o,k,j_i" --write-at="func=product loop=j_o block=P buffer=P scope=local" \
// RUN:   | FileCheck %s --check-prefix=PRODUCT
// RUN: kc-opt %s --split="func=sizes block=C loop=i factors=?,4" --write-at="func=sizes loop=i_o block=C buffer=0" \
// RUN:   | FileCheck %s --check-prefix=SIZES

te.func @product(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %P = te.compute "P" [%i = 4, %j = 6] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x6xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x6xf32>
  te.return %P : tensor<4x6xf32>
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

// PRODUCT:      func.func @product(
// PRODUCT-NEXT:   tir.for %i in 4 {
// PRODUCT-NEXT:     tir.for %j_o in 2 {
// PRODUCT-NEXT:       %P_local = tir.alloc "P_local" : memref<4x6xf32, "local">
// PRODUCT-NEXT:       tir.for %k in 8 {
// PRODUCT-NEXT:         tir.for %j_i in 3 {
// PRODUCT-NEXT:           tir.block "P" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j_o * 3 + %j_i, reduce %v_k in 8 = %k) init {
// PRODUCT-NEXT:             %0 = arith.constant 0.000000e+00 : f32
// PRODUCT-NEXT:             tir.store %0, %P_local[%v_i, %v_j] : memref<4x6xf32, "local">
// PRODUCT-NEXT:           } do {
// PRODUCT-NEXT:             %a = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// PRODUCT-NEXT:             %b = tir.load %B[%v_k, %v_j] : memref<8x6xf32>
// PRODUCT-NEXT:             %c = arith.mulf %a, %b : f32
// PRODUCT-NEXT:             %1 = tir.load %P_local[%v_i, %v_j] : memref<4x6xf32, "local">
// PRODUCT-NEXT:             %2 = arith.addf %1, %c : f32
// PRODUCT-NEXT:             tir.store %2, %P_local[%v_i, %v_j] : memref<4x6xf32, "local">
// PRODUCT-NEXT:           }
// PRODUCT-NEXT:         }
// PRODUCT-NEXT:       }
// PRODUCT-NEXT:       tir.for %ax0 in 1 {
// PRODUCT-NEXT:         tir.for %ax1 in 3 {
// PRODUCT-NEXT:           tir.block "P_local" (spatial %v0 in 4 = %i, spatial %v1 in 6 = %j_o * 3 + %ax1) annotations {auto_copy = 1 : i64} do {
// PRODUCT-NEXT:             %value = tir.load %P_local[%v0, %v1] : memref<4x6xf32, "local">
// PRODUCT-NEXT:             tir.store %value, %P[%v0, %v1] : memref<4x6xf32>
// PRODUCT-NEXT:           }
// PRODUCT-NEXT:         }
// PRODUCT-NEXT:       }
// PRODUCT-NEXT:     }
// PRODUCT-NEXT:   }
// PRODUCT-NEXT:   func.return
// PRODUCT-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %i_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT:   tir.for %i_o in %i_size {
// SIZES-NEXT:     %C_global = tir.alloc "C_global" (%n) : memref<?xf32>
// SIZES-NEXT:     tir.for %i_i in 4 {
// SIZES-NEXT:       tir.block "C" (spatial %v_i in %n = %i_o * 4 + %i_i) where (%i_o * 4 + %i_i < %n) do {
// SIZES-NEXT:         %x = tir.load %A[%v_i] : memref<?xf32>
// SIZES-NEXT:         tir.store %x, %C_global[%v_i] : memref<?xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:     tir.for %ax0 in 4 {
// SIZES-NEXT:       tir.block "C_global" (spatial %v0 in %n = %i_o * 4 + %ax0) where (%i_o * 4 + %ax0 < %n) annotations {auto_copy = 1 : i64} do {
// SIZES-NEXT:         %value = tir.load %C_global[%v0] : memref<?xf32>
// SIZES-NEXT:         tir.store %value, %C[%v0] : memref<?xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }
