// A block writes to a new buffer in a layout of choice, which is copied back.
// RUN: kc-opt %s --reindex-cache-write="func=flat block=C buffer=C scope=local index-map=(i,j)->(j,i)" | FileCheck %s --check-prefix=FLAT
// RUN: kc-opt %s --reindex-cache-write="func=product block=C buffer=0 scope=global index-map=(i,j,k)->(i//2,j//3,i%2,j%3)" | FileCheck %s --check-prefix=TILES
// RUN: kc-opt %s --reindex-cache-write="func=flat block=C buffer=C scope=shared index-map=(i,j)->(j,i)" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

func.func @flat(%A: memref<4x8xf32>, %C: memref<32xf32>) {
  tir.for %i in 4 {
    tir.for %j in 8 {
      tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
        %x = tir.load %A[%v_i, %v_j] : memref<4x8xf32>
        tir.store %x, %C[%v_i * 8 + %v_j] : memref<32xf32>
      }
    }
  }
  func.return
}

te.func @product(%A: tensor<4x6xf32>, %B: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
    %a = te.read %A[%i, %k] : tensor<4x6xf32>
    %b = te.read %B[%k, %j] : tensor<6x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

// FLAT:      func.func @flat(
// FLAT-NEXT:   %C_local = tir.alloc "C_local" : memref<8x4xf32, "local">
// FLAT-NEXT:   tir.for %i in 4 {
// FLAT-NEXT:     tir.for %j in 8 {
// FLAT-NEXT:       tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
// FLAT-NEXT:         %x = tir.load %A[%v_i, %v_j] : memref<4x8xf32>
// FLAT-NEXT:         tir.store %x, %C_local[%v_j, %v_i] : memref<8x4xf32, "local">
// FLAT-NEXT:       }
// FLAT-NEXT:     }
// FLAT-NEXT:   }
// FLAT-NEXT:   tir.for %ax0 in 4 {
// FLAT-NEXT:     tir.for %ax1 in 8 {
// FLAT-NEXT:       tir.block "C_local" (spatial %v0 in 4 = %ax0, spatial %v1 in 8 = %ax1) do {
// FLAT-NEXT:         %value = tir.load %C_local[%v1, %v0] : memref<8x4xf32, "local">
// FLAT-NEXT:         tir.store %value, %C[%v0 * 8 + %v1] : memref<32xf32>
// FLAT-NEXT:       }
// FLAT-NEXT:     }
// FLAT-NEXT:   }
// FLAT-NEXT:   func.return
// FLAT-NEXT: }

// TILES:      func.func @product(
// TILES-NEXT:   %C_global = tir.alloc "C_global" : memref<2x3x2x3xf32>
// TILES-NEXT:   tir.for %i in 4 {
// TILES-NEXT:     tir.for %j in 8 {
// TILES-NEXT:       tir.for %k in 6 {
// TILES-NEXT:         tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, reduce %v_k in 6 = %k) init {
// TILES-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// TILES-NEXT:           tir.store %0, %C_global[%v_i floordiv 2, %v_j floordiv 3, %v_i mod 2, %v_j mod 3] : memref<2x3x2x3xf32>
// TILES-NEXT:         } do {
// TILES-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<4x6xf32>
// TILES-NEXT:           %b = tir.load %B[%v_k, %v_j] : memref<6x8xf32>
// TILES-NEXT:           %c = arith.mulf %a, %b : f32
// TILES-NEXT:           %1 = tir.load %C_global[%v_i floordiv 2, %v_j floordiv 3, %v_i mod 2, %v_j mod 3] : memref<2x3x2x3xf32>
// TILES-NEXT:           %2 = arith.addf %1, %c : f32
// TILES-NEXT:           tir.store %2, %C_global[%v_i floordiv 2, %v_j floordiv 3, %v_i mod 2, %v_j mod 3] : memref<2x3x2x3xf32>
// TILES-NEXT:         }
// TILES-NEXT:       }
// TILES-NEXT:     }
// TILES-NEXT:   }
// TILES-NEXT:   tir.for %ax0 in 4 {
// TILES-NEXT:     tir.for %ax1 in 8 {
// TILES-NEXT:       tir.block "C_global" (spatial %v0 in 4 = %ax0, spatial %v1 in 8 = %ax1) do {
// TILES-NEXT:         %value = tir.load %C_global[%v0 floordiv 2, %v1 floordiv 3, %v0 mod 2, %v1 mod 3] : memref<2x3x2x3xf32>
// TILES-NEXT:         tir.store %value, %C[%v0, %v1] : memref<4x8xf32>
// TILES-NEXT:       }
// TILES-NEXT:     }
// TILES-NEXT:   }
// TILES-NEXT:   func.return
// TILES-NEXT: }

//WARN:warning[KC3302]: reindex_cache_write: the scope 'shared' is useless on target llvm
//WARN-NEXT:  --> {{.*}}reindex_cache_write.mlir:9:7  tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
//WARN-NEXT:  why: every thread of a CPU sees all memory, there is none that only a group of them shares
//WARN-NEXT:  try: scope=global
//WARN-NEXT:  try: scope=local
