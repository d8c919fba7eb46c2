// RUN: not kc-opt %s --set-scope="func=blocks block=T_init buffer=T scope=global" 2>&1 | FileCheck %s --check-prefix=BLOCKS --match-full-lines --strict-whitespace

// Memory that each thread block has of its own, where all of them initialise it.
//BLOCKS:error[KC3409]: set_scope: block T_init is in the kernel, but in no loop of blockIdx.y
//BLOCKS-NEXT:  --> {{.*}}set_scope_threads_invalid.mlir:18:7  tir.block "T_init" (spatial %v_i in 8 = %i, spatial %v_j in 2 = %j0) do {
//BLOCKS-NEXT:   |  for i in 8 blockIdx.x:    <-- blockIdx.x
//BLOCKS-NEXT:   |    for j0 in 2:
//BLOCKS-NEXT:   |      block T_init    <-- writes T
//BLOCKS-NEXT:   |    for j in 2 blockIdx.y:    <-- blockIdx.y
//BLOCKS-NEXT:   |      block B
//BLOCKS-NEXT:  why: every block along blockIdx.y would run it, and write to T, which would be in global memory
//BLOCKS-NEXT:  try: compute it in loop j
//BLOCKS-NEXT:  try: bind a loop that also contains it
func.func @blocks(%A: memref<8x2xf32>, %B: memref<8x2xf32>) {
  %T = tir.alloc "T" : memref<8x2xf32, "local">
  tir.for %i in 8 thread "blockIdx.x" {
    tir.for %j0 in 2 {
      tir.block "T_init" (spatial %v_i in 8 = %i, spatial %v_j in 2 = %j0) do {
        %0 = arith.constant 0.0 : f32
        tir.store %0, %T[%v_i, %v_j] : memref<8x2xf32, "local">
      }
    }
    tir.for %j in 2 thread "blockIdx.y" {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 2 = %j) do {
        %0 = tir.load %A[%v_i, %v_j] : memref<8x2xf32>
        %1 = tir.load %T[%v_i, %v_j] : memref<8x2xf32, "local">
        %2 = arith.addf %0, %1 : f32
        tir.store %2, %B[%v_i, %v_j] : memref<8x2xf32>
      }
    }
  }
  func.return
}
