// A block and its loops iterate over other variables; buffers stay.
// RUN: kc-opt %s --transform-block-layout="func=two block=B index-map=(i,j)->(i*6+j)" | FileCheck %s --check-prefix=FUSED
// RUN: kc-opt %s --transform-block-layout="func=two block=B index-map=(i,j)->(j,i//7,i%7)" | FileCheck %s --check-prefix=TILED
// RUN: kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j,k)->(k//4,i*8+j,k%4)" | FileCheck %s --check-prefix=PRODUCT
// RUN: kc-opt %s --transform-block-layout="func=sized block=T index-map=(i,j)->(j,i)" | FileCheck %s --check-prefix=SIZED
// RUN: kc-opt %s --transform-block-layout="func=guarded block=B index-map=(i,j)->(i*4+j)" | FileCheck %s --check-prefix=GUARD
// RUN: kc-opt %s --transform-block-layout="func=unit block=B index-map=(i,j)->(j)" | FileCheck %s --check-prefix=UNIT
// RUN: kc-opt %s --transform-block-layout="func=unit block=C index-map=(i)->()" | FileCheck %s --check-prefix=NONE

te.func @two(%A: tensor<14x6xf32>) -> tensor<14x6xf32> {
  %B = te.compute "B" [%i = 14, %j = 6] {
    %a = te.read %A[%i, %j] : tensor<14x6xf32>
    te.yield %a : f32
  } : tensor<14x6xf32>
  te.return %B : tensor<14x6xf32>
}

te.func @product(%A: tensor<4x8xf32>, %B: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

te.func @sized(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>}) -> tensor<?x?xf32>
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %T = te.compute "T" [%i = %n, %j = %m] {
    %a = te.read %A[%i, %j] : tensor<?x?xf32>
    te.yield %a : f32
  } : tensor<?x?xf32>
  te.return %T : tensor<?x?xf32>
}

// The predicate and what else uses the loops go along.
func.func @guarded(%A: memref<5x4xf32>, %B: memref<5x4xf32>) {
  tir.for %x in 2 {
    tir.for %i in 5 {
      %d = tir.apply (%i + %x)
      tir.for %j in 4 {
        tir.block "B" (spatial %v_i in 5 = %i, spatial %v_j in 4 = %j) where (%i * 4 + %j < 18, %d < 5) do {
          %a = tir.load %A[%v_i, %v_j] : memref<5x4xf32>
          tir.store %a, %B[%v_i, %v_j] : memref<5x4xf32>
        }
      }
    }
  }
  func.return
}

func.func @unit(%A: memref<1x4xf32>, %B: memref<1x4xf32>) {
  tir.for %i in 1 {
    tir.for %j in 4 {
      tir.block "B" (spatial %v_i in 1 = %i, spatial %v_j in 4 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<1x4xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<1x4xf32>
      }
    }
  }
  tir.for %i in 1 {
    tir.block "C" (spatial %v_i in 1 = %i) do {
      %a = tir.load %A[%v_i, 0] : memref<1x4xf32>
      tir.store %a, %B[%v_i, 0] : memref<1x4xf32>
    }
  }
  func.return
}

// FUSED:      func.func @two(
// FUSED-NEXT:   tir.for %ax0 in 84 {
// FUSED-NEXT:     tir.block "B" (spatial %v_ax0 in 84 = %ax0) do {
// FUSED-NEXT:       %a = tir.load %A[%v_ax0 floordiv 6, %v_ax0 mod 6] : memref<14x6xf32>
// FUSED-NEXT:       tir.store %a, %B[%v_ax0 floordiv 6, %v_ax0 mod 6] : memref<14x6xf32>
// FUSED-NEXT:     }
// FUSED-NEXT:   }
// FUSED-NEXT:   func.return
// FUSED-NEXT: }

// TILED:      func.func @two(
// TILED-NEXT:   tir.for %ax0 in 6 {
// TILED-NEXT:     tir.for %ax1 in 2 {
// TILED-NEXT:       tir.for %ax2 in 7 {
// TILED-NEXT:         tir.block "B" (spatial %v_ax0 in 6 = %ax0, spatial %v_ax1 in 2 = %ax1, spatial %v_ax2 in 7 = %ax2) do {
// TILED-NEXT:           %a = tir.load %A[%v_ax1 * 7 + %v_ax2, %v_ax0] : memref<14x6xf32>
// TILED-NEXT:           tir.store %a, %B[%v_ax1 * 7 + %v_ax2, %v_ax0] : memref<14x6xf32>
// TILED-NEXT:         }
// TILED-NEXT:       }
// TILED-NEXT:     }
// TILED-NEXT:   }
// TILED-NEXT:   func.return
// TILED-NEXT: }

// PRODUCT:      func.func @product(
// PRODUCT-NEXT:   tir.for %ax0 in 2 {
// PRODUCT-NEXT:     tir.for %ax1 in 32 {
// PRODUCT-NEXT:       tir.for %ax2 in 4 {
// PRODUCT-NEXT:         tir.block "C" (reduce %v_ax0 in 2 = %ax0, spatial %v_ax1 in 32 = %ax1, reduce %v_ax2 in 4 = %ax2) init {
// PRODUCT-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// PRODUCT-NEXT:           tir.store %0, %C[%v_ax1 floordiv 8, %v_ax1 mod 8] : memref<4x8xf32>
// PRODUCT-NEXT:         } do {
// PRODUCT-NEXT:           %a = tir.load %A[%v_ax1 floordiv 8, %v_ax0 * 4 + %v_ax2] : memref<4x8xf32>
// PRODUCT-NEXT:           %b = tir.load %B[%v_ax0 * 4 + %v_ax2, %v_ax1 mod 8] : memref<8x8xf32>
// PRODUCT-NEXT:           %c = arith.mulf %a, %b : f32
// PRODUCT-NEXT:           %1 = tir.load %C[%v_ax1 floordiv 8, %v_ax1 mod 8] : memref<4x8xf32>
// PRODUCT-NEXT:           %2 = arith.addf %1, %c : f32
// PRODUCT-NEXT:           tir.store %2, %C[%v_ax1 floordiv 8, %v_ax1 mod 8] : memref<4x8xf32>
// PRODUCT-NEXT:         }
// PRODUCT-NEXT:       }
// PRODUCT-NEXT:     }
// PRODUCT-NEXT:   }
// PRODUCT-NEXT:   func.return
// PRODUCT-NEXT: }

// SIZED:      func.func @sized(
// SIZED-NEXT:   %n = tir.symbol "n"
// SIZED-NEXT:   %m = tir.symbol "m"
// SIZED-NEXT:   tir.for %ax0 in %m {
// SIZED-NEXT:     tir.for %ax1 in %n {
// SIZED-NEXT:       tir.block "T" (spatial %v_ax0 in %m = %ax0, spatial %v_ax1 in %n = %ax1) do {
// SIZED-NEXT:         %a = tir.load %A[%v_ax1, %v_ax0] : memref<?x?xf32>
// SIZED-NEXT:         tir.store %a, %T[%v_ax1, %v_ax0] : memref<?x?xf32>
// SIZED-NEXT:       }
// SIZED-NEXT:     }
// SIZED-NEXT:   }
// SIZED-NEXT:   func.return
// SIZED-NEXT: }

// GUARD:      func.func @guarded(
// GUARD-NEXT:   tir.for %x in 2 {
// GUARD-NEXT:     tir.for %ax0 in 20 {
// GUARD-NEXT:       %d = tir.apply (%ax0 floordiv 4 + %x)
// GUARD-NEXT:       tir.block "B" (spatial %v_ax0 in 20 = %ax0) where (%ax0 < 18, %d < 5) do {
// GUARD-NEXT:         %a = tir.load %A[%v_ax0 floordiv 4, %v_ax0 mod 4] : memref<5x4xf32>
// GUARD-NEXT:         tir.store %a, %B[%v_ax0 floordiv 4, %v_ax0 mod 4] : memref<5x4xf32>
// GUARD-NEXT:       }
// GUARD-NEXT:     }
// GUARD-NEXT:   }
// GUARD-NEXT:   func.return
// GUARD-NEXT: }

// UNIT:      func.func @unit(
// UNIT-NEXT:   tir.for %ax0 in 4 {
// UNIT-NEXT:     tir.block "B" (spatial %v_ax0 in 4 = %ax0) do {
// UNIT-NEXT:       %a = tir.load %A[0, %v_ax0] : memref<1x4xf32>
// UNIT-NEXT:       tir.store %a, %B[0, %v_ax0] : memref<1x4xf32>
// UNIT-NEXT:     }
// UNIT-NEXT:   }
// UNIT-NEXT:   tir.for %i in 1 {
// UNIT-NEXT:     tir.block "C" (spatial %v_i in 1 = %i) do {
// UNIT-NEXT:       %a = tir.load %A[%v_i, 0] : memref<1x4xf32>
// UNIT-NEXT:       tir.store %a, %B[%v_i, 0] : memref<1x4xf32>
// UNIT-NEXT:     }
// UNIT-NEXT:   }
// UNIT-NEXT:   func.return
// UNIT-NEXT: }

// NONE:      func.func @unit(
// NONE-NEXT:   tir.for %i in 1 {
// NONE-NEXT:     tir.for %j in 4 {
// NONE-NEXT:       tir.block "B" (spatial %v_i in 1 = %i, spatial %v_j in 4 = %j) do {
// NONE-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<1x4xf32>
// NONE-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<1x4xf32>
// NONE-NEXT:       }
// NONE-NEXT:     }
// NONE-NEXT:   }
// NONE-NEXT:   tir.block "C" () do {
// NONE-NEXT:     %a = tir.load %A[0, 0] : memref<1x4xf32>
// NONE-NEXT:     tir.store %a, %B[0, 0] : memref<1x4xf32>
// NONE-NEXT:   }
// NONE-NEXT:   func.return
// NONE-NEXT: }
