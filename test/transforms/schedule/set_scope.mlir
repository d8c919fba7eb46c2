// The type of a buffer, and of all that uses it, gets a memory scope.
// RUN: kc-opt %s --set-scope="block=B buffer=B scope=local" | FileCheck %s --check-prefix=LOCAL
// RUN: kc-opt %s --set-scope="block=B buffer=0 scope=local" --set-scope="block=B buffer=B scope=global" | FileCheck %s --check-prefix=BACK
// RUN: kc-opt %s --set-scope="block=B buffer=B scope=shared" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARN --match-full-lines --strict-whitespace

te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// LOCAL:      func.func @two(
// LOCAL-NEXT:   %B = tir.alloc "B" : memref<6x4xf32, "local">
// LOCAL-NEXT:   tir.for %i in 6 {
// LOCAL-NEXT:     tir.for %j in 4 {
// LOCAL-NEXT:       tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// LOCAL-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// LOCAL-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32, "local">
// LOCAL-NEXT:       }
// LOCAL-NEXT:     }
// LOCAL-NEXT:   }
// LOCAL-NEXT:   tir.for %i_1 "i" in 4 {
// LOCAL-NEXT:     tir.for %k in 6 {
// LOCAL-NEXT:       tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// LOCAL-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// LOCAL-NEXT:         tir.store %0, %C[%v_i] : memref<4xf32>
// LOCAL-NEXT:       } do {
// LOCAL-NEXT:         %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32, "local">
// LOCAL-NEXT:         %1 = tir.load %C[%v_i] : memref<4xf32>
// LOCAL-NEXT:         %2 = arith.addf %1, %x : f32
// LOCAL-NEXT:         tir.store %2, %C[%v_i] : memref<4xf32>
// LOCAL-NEXT:       }
// LOCAL-NEXT:     }
// LOCAL-NEXT:   }
// LOCAL-NEXT:   func.return
// LOCAL-NEXT: }

// BACK:      func.func @two(
// BACK-NEXT:   %B = tir.alloc "B" : memref<6x4xf32>
// BACK-NEXT:   tir.for %i in 6 {
// BACK-NEXT:     tir.for %j in 4 {
// BACK-NEXT:       tir.block "B" (spatial %v_i in 6 = %i, spatial %v_j in 4 = %j) do {
// BACK-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// BACK-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// BACK-NEXT:       }
// BACK-NEXT:     }
// BACK-NEXT:   }
// BACK-NEXT:   tir.for %i_1 "i" in 4 {
// BACK-NEXT:     tir.for %k in 6 {
// BACK-NEXT:       tir.block "C" (spatial %v_i in 4 = %i_1, reduce %v_k in 6 = %k) init {
// BACK-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// BACK-NEXT:         tir.store %0, %C[%v_i] : memref<4xf32>
// BACK-NEXT:       } do {
// BACK-NEXT:         %x = tir.load %B[%v_k, %v_i] : memref<6x4xf32>
// BACK-NEXT:         %1 = tir.load %C[%v_i] : memref<4xf32>
// BACK-NEXT:         %2 = arith.addf %1, %x : f32
// BACK-NEXT:         tir.store %2, %C[%v_i] : memref<4xf32>
// BACK-NEXT:       }
// BACK-NEXT:     }
// BACK-NEXT:   }
// BACK-NEXT:   func.return
// BACK-NEXT: }

//WARN:warning[KC3302]: set_scope: the scope 'shared' is useless on target llvm
//WARN-NEXT:  --> {{.*}}set_scope.mlir:7:3  %B = te.compute "B" [%i = 6, %j = 4] {
//WARN-NEXT:  why: every thread of a CPU sees all memory, there is none that only a group of them shares
//WARN-NEXT:  try: scope=global
//WARN-NEXT:  try: scope=local
