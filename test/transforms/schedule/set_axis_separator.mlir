// Which dimensions form an axis of physical memory is noted at the buffer.
// RUN: kc-opt %s --set-axis-separator="block=B buffer=B axis-separators=1,2" | FileCheck %s --check-prefix=ALLOC
// RUN: kc-opt %s --set-axis-separator="block=B buffer=read:0 axis-separators=1" | FileCheck %s --check-prefix=SIGARG
// RUN: kc-opt %s --set-axis-separator="block=B buffer=A axis-separators=1" --set-axis-separator="block=B buffer=A axis-separators=2" \
// RUN:   --set-axis-separator="block=B buffer=B axis-separators=2" --set-axis-separator="block=B buffer=B" | FileCheck %s --check-prefix=SIGLAST
// RUN: kc-opt %s --set-axis-separator="block=B buffer=B axis-separators=1" --set-axis-separator="block=C buffer=C axis-separators=2" \
// RUN:   --compute-at="block=B loop=j" --lower-to-llvm | FileCheck %s --check-prefix=FLAT
// RUN: kc-opt %s --set-axis-separator="block=B buffer=B axis-separators=2" --compute-at="block=B loop=j" --compact-buffer-allocation | FileCheck %s --check-prefix=KEPT

te.func @f(%A: tensor<4x8x2xf32>) -> tensor<4x8x2xf32> {
  %B = te.compute "B" [%i = 4, %j = 8, %k = 2] {
    %a = te.read %A[%i, %j, %k] : tensor<4x8x2xf32>
    te.yield %a : f32
  } : tensor<4x8x2xf32>
  %C = te.compute "C" [%i = 4, %j = 8, %k = 2] {
    %b = te.read %B[%i, %j, 1 - %k] : tensor<4x8x2xf32>
    te.yield %b : f32
  } : tensor<4x8x2xf32>
  te.return %C : tensor<4x8x2xf32>
}

// ALLOC:      func.func @f(%A: memref<4x8x2xf32> {kc.name = "A", kc.role = "in"}, %C: memref<4x8x2xf32> {kc.name = "C", kc.role = "out"}) {
// ALLOC-NEXT:   %B = tir.alloc "B" {tir.axis_separators = array<i64: 1, 2>} : memref<4x8x2xf32>
// ALLOC-NEXT:   tir.for %i in 4 {
// ALLOC-NEXT:     tir.for %j in 8 {
// ALLOC-NEXT:       tir.for %k in 2 {
// ALLOC-NEXT:         tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_k in 2 = %k) do {
// ALLOC-NEXT:           %a = tir.load %A[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// ALLOC-NEXT:           tir.store %a, %B[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// ALLOC-NEXT:         }
// ALLOC-NEXT:       }
// ALLOC-NEXT:     }
// ALLOC-NEXT:   }
// ALLOC-NEXT:   tir.for %i_1 "i" in 4 {
// ALLOC-NEXT:     tir.for %j_1 "j" in 8 {
// ALLOC-NEXT:       tir.for %k_1 "k" in 2 {
// ALLOC-NEXT:         tir.block "C" (spatial %v_i in 4 = %i_1, spatial %v_j in 8 = %j_1, spatial %v_k in 2 = %k_1) do {
// ALLOC-NEXT:           %b = tir.load %B[%v_i, %v_j, %v_k * -1 + 1] : memref<4x8x2xf32>
// ALLOC-NEXT:           tir.store %b, %C[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// ALLOC-NEXT:         }
// ALLOC-NEXT:       }
// ALLOC-NEXT:     }
// ALLOC-NEXT:   }
// ALLOC-NEXT:   func.return
// ALLOC-NEXT: }

// SIGARG:      func.func @f(%A: memref<4x8x2xf32> {kc.name = "A", kc.role = "in", kc.axis_separators = array<i64: 1>}, %C: memref<4x8x2xf32> {kc.name = "C", kc.role = "out"}) {
// SIGARG-NEXT:   %B = tir.alloc "B" : memref<4x8x2xf32>
// SIGARG-NEXT:   tir.for %i in 4 {
// SIGARG-NEXT:     tir.for %j in 8 {
// SIGARG-NEXT:       tir.for %k in 2 {
// SIGARG-NEXT:         tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_k in 2 = %k) do {
// SIGARG-NEXT:           %a = tir.load %A[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGARG-NEXT:           tir.store %a, %B[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGARG-NEXT:         }
// SIGARG-NEXT:       }
// SIGARG-NEXT:     }
// SIGARG-NEXT:   }
// SIGARG-NEXT:   tir.for %i_1 "i" in 4 {
// SIGARG-NEXT:     tir.for %j_1 "j" in 8 {
// SIGARG-NEXT:       tir.for %k_1 "k" in 2 {
// SIGARG-NEXT:         tir.block "C" (spatial %v_i in 4 = %i_1, spatial %v_j in 8 = %j_1, spatial %v_k in 2 = %k_1) do {
// SIGARG-NEXT:           %b = tir.load %B[%v_i, %v_j, %v_k * -1 + 1] : memref<4x8x2xf32>
// SIGARG-NEXT:           tir.store %b, %C[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGARG-NEXT:         }
// SIGARG-NEXT:       }
// SIGARG-NEXT:     }
// SIGARG-NEXT:   }
// SIGARG-NEXT:   func.return
// SIGARG-NEXT: }

// SIGLAST:      func.func @f(%A: memref<4x8x2xf32> {kc.name = "A", kc.role = "in", kc.axis_separators = array<i64: 2>}, %C: memref<4x8x2xf32> {kc.name = "C", kc.role = "out"}) {
// SIGLAST-NEXT:   %B = tir.alloc "B" : memref<4x8x2xf32>
// SIGLAST-NEXT:   tir.for %i in 4 {
// SIGLAST-NEXT:     tir.for %j in 8 {
// SIGLAST-NEXT:       tir.for %k in 2 {
// SIGLAST-NEXT:         tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_k in 2 = %k) do {
// SIGLAST-NEXT:           %a = tir.load %A[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGLAST-NEXT:           tir.store %a, %B[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGLAST-NEXT:         }
// SIGLAST-NEXT:       }
// SIGLAST-NEXT:     }
// SIGLAST-NEXT:   }
// SIGLAST-NEXT:   tir.for %i_1 "i" in 4 {
// SIGLAST-NEXT:     tir.for %j_1 "j" in 8 {
// SIGLAST-NEXT:       tir.for %k_1 "k" in 2 {
// SIGLAST-NEXT:         tir.block "C" (spatial %v_i in 4 = %i_1, spatial %v_j in 8 = %j_1, spatial %v_k in 2 = %k_1) do {
// SIGLAST-NEXT:           %b = tir.load %B[%v_i, %v_j, %v_k * -1 + 1] : memref<4x8x2xf32>
// SIGLAST-NEXT:           tir.store %b, %C[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// SIGLAST-NEXT:         }
// SIGLAST-NEXT:       }
// SIGLAST-NEXT:     }
// SIGLAST-NEXT:   }
// SIGLAST-NEXT:   func.return
// SIGLAST-NEXT: }

// KEPT:      func.func @f(%A: memref<4x8x2xf32> {kc.name = "A", kc.role = "in"}, %C: memref<4x8x2xf32> {kc.name = "C", kc.role = "out"}) {
// KEPT-NEXT:   tir.for %i in 4 {
// KEPT-NEXT:     tir.for %j in 8 {
// KEPT-NEXT:       %B = tir.alloc "B" {tir.axis_separators = array<i64: 2>} : memref<1x1x2xf32>
// KEPT-NEXT:       tir.for %k_1 in 2 {
// KEPT-NEXT:         tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_k in 2 = %k_1) do {
// KEPT-NEXT:           %a = tir.load %A[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// KEPT-NEXT:           tir.store %a, %B[0, 0, %v_k] : memref<1x1x2xf32>
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:       tir.for %k in 2 {
// KEPT-NEXT:         tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j, spatial %v_k in 2 = %k) do {
// KEPT-NEXT:           %b = tir.load %B[0, 0, %v_k * -1 + 1] : memref<1x1x2xf32>
// KEPT-NEXT:           tir.store %b, %C[%v_i, %v_j, %v_k] : memref<4x8x2xf32>
// KEPT-NEXT:         }
// KEPT-NEXT:       }
// KEPT-NEXT:     }
// KEPT-NEXT:   }
// KEPT-NEXT:   func.return
// KEPT-NEXT: }

// FLAT-NOT: separators
// FLAT: llvm.func @f
// FLAT-NOT: separators
