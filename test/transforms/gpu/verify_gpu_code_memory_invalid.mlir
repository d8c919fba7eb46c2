// RUN: not kc-opt %s --verify-gpu-code --split-input-file 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC3408]: verify-gpu-code: block C reads a value that another thread writes to L
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:23:7  tir.block "C" (spatial %w in 2 = %b, spatial %v in 32 = %q) do {
//CHECK-NEXT:   |  for b in 2 blockIdx.x:
//CHECK-NEXT:   |    for p in 32 threadIdx.x:
//CHECK-NEXT:   |      block L    <-- writes L
//CHECK-NEXT:   |    for q in 32 threadIdx.x:
//CHECK-NEXT:   |      block C    <-- reads L
//CHECK-NEXT:  why: threadIdx.x 0 reads L[31], which threadIdx.x 31 writes; threads of threadIdx.x do not share local memory
//CHECK-NEXT:  try: in shared memory, all threads of a block see L
// The local memory of a thread, read by another one.
func.func @turned(%A: memref<64xf32>, %C: memref<64xf32>) {
  %L = tir.alloc "L" : memref<64xf32, "local">
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %p in 32 thread "threadIdx.x" {
      tir.block "L" (spatial %v in 64 = %b * 32 + %p) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %L[%v] : memref<64xf32, "local">
      }
    }
    tir.for %q in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %w in 2 = %b, spatial %v in 32 = %q) do {
        %s = tir.load %L[%w * 32 + 31 - %v] : memref<64xf32, "local">
        tir.store %s, %C[%w * 32 + %v] : memref<64xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3408]: verify-gpu-code: block C reads a value that another thread writes to L
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:54:7  tir.block "C" (spatial %v in 64 = %b * 32 + %q) do {
//CHECK-NEXT:   |  for b in 2 blockIdx.x:
//CHECK-NEXT:   |    for p in 32 threadIdx.x:
//CHECK-NEXT:   |      block L    <-- writes L
//CHECK-NEXT:   |    for q in 32:
//CHECK-NEXT:   |      block C    <-- reads L
//CHECK-NEXT:  why: block C is in no loop of threadIdx.x, so it would run in all of these threads, which do not share local memory
//CHECK-NEXT:  try: in shared memory, all threads of a block see L
// What is in no loop of threadIdx.x runs in all of the threads.
func.func @unbound(%A: memref<64xf32>, %C: memref<64xf32>) {
  %L = tir.alloc "L" : memref<64xf32, "local">
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %p in 32 thread "threadIdx.x" {
      tir.block "L" (spatial %v in 64 = %b * 32 + %p) do {
        %a = tir.load %A[%v] : memref<64xf32>
        tir.store %a, %L[%v] : memref<64xf32, "local">
      }
    }
    tir.for %q in 32 {
      tir.block "C" (spatial %v in 64 = %b * 32 + %q) do {
        %s = tir.load %L[%v] : memref<64xf32, "local">
        tir.store %s, %C[%v] : memref<64xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3408]: verify-gpu-code: block C reads a value that another warp writes to W
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:81:5  tir.block "C" (spatial %v in 64 = %p) do {
//CHECK-NEXT:   |  for p in 64 threadIdx.x:
//CHECK-NEXT:   |    alloc W
//CHECK-NEXT:   |    block W    <-- writes W
//CHECK-NEXT:   |    block C    <-- reads W
//CHECK-NEXT:  why: threadIdx.x 0 reads W[63], which threadIdx.x 63 writes; a warp is 32 threads
//CHECK-NEXT:  try: in shared memory, all threads of a block see W
// A warp is 32 threads.
func.func @warps(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %p in 64 thread "threadIdx.x" {
    %W = tir.alloc "W" : memref<64xf32, "warp">
    tir.block "W" (spatial %v in 64 = %p) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %W[%v] : memref<64xf32, "warp">
    }
    tir.block "C" (spatial %v in 64 = %p) do {
      %s = tir.load %W[63 - %v] : memref<64xf32, "warp">
      tir.store %s, %C[%v] : memref<64xf32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3408]: verify-gpu-code: block B reads a value that another thread block writes to S
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:111:7  tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
//CHECK-NEXT:   |  for t in 4 threadIdx.x:
//CHECK-NEXT:   |    alloc S
//CHECK-NEXT:   |    for p in 8 blockIdx.x:
//CHECK-NEXT:   |      block S    <-- writes S
//CHECK-NEXT:   |    for q in 8 blockIdx.x:
//CHECK-NEXT:   |      block B    <-- reads S
//CHECK-NEXT:  why: blockIdx.x 0 reads S[0, 7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other
// Shared memory is that of a thread block.
func.func @blocks(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<4x8xf32, "shared">
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "S" (spatial %v in 4 = %t, spatial %w in 8 = %p) do {
        %a = tir.load %A[%v, %w] : memref<4x8xf32>
        tir.store %a, %S[%v, %w] : memref<4x8xf32, "shared">
      }
    }
    tir.for %q in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 4 = %t, spatial %w in 8 = %q) do {
        %s = tir.load %S[%v, 7 - %w] : memref<4x8xf32, "shared">
        tir.store %s, %B[%v, %w] : memref<4x8xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3408]: verify-gpu-code: block B reads a value that another thread block writes to G
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:141:7  tir.block "B" (spatial %v in 8 = %q) do {
//CHECK-NEXT:   |  for t in 1 threadIdx.x:
//CHECK-NEXT:   |    for p in 8 blockIdx.x:
//CHECK-NEXT:   |      block G    <-- writes G
//CHECK-NEXT:   |    for q in 8 blockIdx.x:
//CHECK-NEXT:   |      block B    <-- reads G
//CHECK-NEXT:  why: blockIdx.x 0 reads G[7], which blockIdx.x 7 writes; thread blocks run in any order and do not wait for each other
// Text can hold what bind would have refused.
func.func @global(%A: memref<8xf32>, %B: memref<8xf32>) {
  %G = tir.alloc "G" : memref<8xf32>
  tir.for %t in 1 thread "threadIdx.x" {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "G" (spatial %v in 8 = %p) do {
        %a = tir.load %A[%v] : memref<8xf32>
        tir.store %a, %G[%v] : memref<8xf32>
      }
    }
    tir.for %q in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v in 8 = %q) do {
        %a = tir.load %G[7 - %v] : memref<8xf32>
        tir.store %a, %B[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3417]: verify-gpu-code: several thread blocks write one element of B
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:159:5  tir.block "B" (spatial %v in 8 = %p) do {
//CHECK-NEXT:   |  for p in 8 blockIdx.x:
//CHECK-NEXT:   |    block B    <-- writes B
//CHECK-NEXT:  why: blockIdx.x 0 and blockIdx.x 1 write B[0]; thread blocks run in any order and do not wait for each other
func.func @one(%A: memref<8xf32>, %B: memref<1xf32>) {
  tir.for %p in 8 thread "blockIdx.x" {
    tir.block "B" (spatial %v in 8 = %p) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %B[0] : memref<1xf32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3408]: verify-gpu-code: block B reads a value that another thread block writes to A
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:178:5  tir.block "B" (spatial %v in 1 = %t) do {
//CHECK-NEXT:   |  for t in 1 threadIdx.x:
//CHECK-NEXT:   |    block B    <-- reads A
//CHECK-NEXT:   |    for p in 8 blockIdx.x:
//CHECK-NEXT:   |      block A    <-- writes A
//CHECK-NEXT:  why: block B is in no loop of blockIdx.x, so it would run in all of these blocks, which run in any order
func.func @all(%A: memref<8xf32>, %B: memref<1xf32>) {
  tir.for %t in 1 thread "threadIdx.x" {
    tir.block "B" (spatial %v in 1 = %t) do {
      %a = tir.load %A[0] : memref<8xf32>
      tir.store %a, %B[0] : memref<1xf32>
    }
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "A" (spatial %v in 8 = %p) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block C reads L, which block L writes in the kernel
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:213:5  tir.block "C" (spatial %v in 8 = %i) do {
//CHECK-NEXT:   |  for i in 8:
//CHECK-NEXT:   |    block C    <-- reads L
//CHECK-NEXT:   |  for p in 8 threadIdx.x:
//CHECK-NEXT:   |    block L    <-- writes L
//CHECK-NEXT:  why: local memory lasts only as long as a thread, and is gone when block C at (i=0) reads L[0]
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts L into global memory
// Memory of threads is gone when the kernel has ended: the host cannot read it,
func.func @behind(%A: memref<8xf32>, %C: memref<8xf32>) {
  %L = tir.alloc "L" : memref<8xf32, "local">
  tir.for %p in 8 thread "threadIdx.x" {
    tir.block "L" (spatial %v in 8 = %p) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %L[%v] : memref<8xf32, "local">
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %a = tir.load %L[%v] : memref<8xf32, "local">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block C reads S, which block S writes outside the kernel
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:242:5  tir.block "C" (spatial %v in 8 = %p) do {
//CHECK-NEXT:   |  for p in 8 threadIdx.x:
//CHECK-NEXT:   |    block C    <-- reads S
//CHECK-NEXT:   |  for i in 8:
//CHECK-NEXT:   |    block S    <-- writes S
//CHECK-NEXT:  why: shared memory lasts only as long as a thread block, and is gone when block C at (p=0) reads S[0]
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts S into global memory
// nor fill it before,
func.func @filled(%A: memref<8xf32>, %C: memref<8xf32>) {
  %S = tir.alloc "S" : memref<8xf32, "shared">
  tir.for %i in 8 {
    tir.block "S" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %S[%v] : memref<8xf32, "shared">
    }
  }
  tir.for %p in 8 thread "threadIdx.x" {
    tir.block "C" (spatial %v in 8 = %p) do {
      %a = tir.load %S[%v] : memref<8xf32, "shared">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block C reads S, which block S writes in another kernel
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:271:5  tir.block "C" (spatial %v in 8 = %p) do {
//CHECK-NEXT:   |  for p in 8 threadIdx.x:
//CHECK-NEXT:   |    block C    <-- reads S
//CHECK-NEXT:   |  for p in 8 threadIdx.x:
//CHECK-NEXT:   |    block S    <-- writes S
//CHECK-NEXT:  why: warp memory lasts only as long as a warp, and is gone when block C at (p=0) reads S[0]
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts S into global memory
// nor does it go from kernel to kernel,
func.func @another(%A: memref<8xf32>, %C: memref<8xf32>) {
  %S = tir.alloc "S" : memref<8xf32, "warp">
  tir.for %p in 8 thread "threadIdx.x" {
    tir.block "S" (spatial %v in 8 = %p) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %S[%v] : memref<8xf32, "warp">
    }
  }
  tir.for %p in 8 thread "threadIdx.x" {
    tir.block "C" (spatial %v in 8 = %p) do {
      %a = tir.load %S[%v] : memref<8xf32, "warp">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block S reads S, which it writes in an earlier launch of the kernel
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:294:7  tir.block "S" (spatial %v in 8 = %p, reduce %w in 4 = %k) init {
//CHECK-NEXT:   |  for k in 4:
//CHECK-NEXT:   |    for p in 8 threadIdx.x:
//CHECK-NEXT:   |      block S    <-- reads S
//CHECK-NEXT:  why: local memory lasts only as long as a thread, and is gone when block S at (k=1, p=0) reads S[0]
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts S into global memory
// or from launch to launch.
func.func @earlier(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  %S = tir.alloc "S" : memref<8xf32, "local">
  tir.for %k in 4 {
    tir.for %p in 8 thread "threadIdx.x" {
      tir.block "S" (spatial %v in 8 = %p, reduce %w in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v] : memref<8xf32, "local">
      } do {
        %a = tir.load %A[%v, %w] : memref<8x4xf32>
        %s = tir.load %S[%v] : memref<8xf32, "local">
        %r = arith.addf %s, %a : f32
        tir.store %r, %S[%v] : memref<8xf32, "local">
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3403]: verify-gpu-code: p has 2 threads of threadIdx.x, p 4
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:328:5  tir.for %p in 2 thread "threadIdx.x" {
//CHECK-NEXT:   |  for b in 2 blockIdx.x:
//CHECK-NEXT:   |    for p in 4 threadIdx.x:    <-- 4 threadIdx.x
//CHECK-NEXT:   |      block A
//CHECK-NEXT:   |    for p in 2 threadIdx.x:    <-- 2 threadIdx.x
//CHECK-NEXT:   |      block B
//CHECK-NEXT:  why: loops bound to threadIdx.x in one kernel are the same threads, so their extents must be equal
//CHECK-NEXT:  try: split p by factors=?,4
//CHECK-NEXT:  try: bind p to another axis
func.func @extents(%A: memref<8xf32>) {
  tir.for %b in 2 thread "blockIdx.x" {
    tir.for %p in 4 thread "threadIdx.x" {
      tir.block "A" (spatial %v in 8 = %b * 4 + %p) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
    tir.for %p in 2 thread "threadIdx.x" {
      tir.block "B" (spatial %v in 8 = %b * 4 + %p) do {
        %zero = arith.constant 1.0 : f32
        tir.store %zero, %A[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3441]: verify-gpu-code: the size of the shared buffer S is not known where the kernel is launched
//CHECK-NEXT:  --> {{.*}}verify_gpu_code_memory_invalid.mlir:350:7  %S = tir.alloc "S"(%m) : memref<?xf32, "shared">
//CHECK-NEXT:   |  S: ?xf32
//CHECK-NEXT:  why: a launch states how much shared memory each block has, the same for all blocks
//CHECK-NEXT:  try: split the loops by constant factors, and use compute_at at the outer loop
func.func @ragged(%M: memref<8xi32>, %A: memref<8xf32>, %B: memref<8x8xf32>) {
  tir.for %b in 8 thread "blockIdx.x" {
    tir.for %i in 8 thread "threadIdx.x" {
      %0 = tir.load %M[%b] : memref<8xi32>
      %m = arith.index_cast %0 : i32 to index
      %S = tir.alloc "S"(%m) : memref<?xf32, "shared">
      tir.for %j in %m {
        %1 = tir.load %A[%j] : memref<8xf32>
        tir.store %1, %S[%j] : memref<?xf32, "shared">
      }
      tir.for %j in %m {
        %1 = tir.load %S[%m - 1 - %j] : memref<?xf32, "shared">
        tir.store %1, %B[%b, %i] : memref<8x8xf32>
      }
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block out reads L, which block sum writes outside the kernel
//CHECK-NEXT:  --> {{.*}}:[[# @LINE + 23]]:5  tir.block "out" () do {
//CHECK-NEXT:   |  for r in 1 blockIdx.y:
//CHECK-NEXT:   |    for k in 0:
//CHECK-NEXT:   |      block sum    <-- writes L
//CHECK-NEXT:   |    block out    <-- reads L
//CHECK-NEXT:  why: local memory lasts only as long as a thread, and is gone when block out at (r=0) reads L[]
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts L into global memory
// The initial value of a reduction over nothing, which begins with the loop of the kernel.
func.func @nothing(%A: memref<0xi32>, %B: memref<i32>) {
  %L = tir.alloc "L" : memref<i32, "local">
  tir.for %r in 1 thread "blockIdx.y" {
    tir.for %k in 0 {
      tir.block "sum" (reduce %u in 1 = %r, reduce %v in 0 = %k) init {
        %z = arith.constant 0 : i32
        tir.store %z, %L[] : memref<i32, "local">
      } do {
        %a = tir.load %A[%v] : memref<0xi32>
        %l = tir.load %L[] : memref<i32, "local">
        %s = arith.addi %a, %l : i32
        tir.store %s, %L[] : memref<i32, "local">
      }
    }
    tir.block "out" () do {
      %l = tir.load %L[] : memref<i32, "local">
      tir.store %l, %B[] : memref<i32>
    }
  }
  func.return
}

// -----

//CHECK:error[KC3416]: verify-gpu-code: block out reads L, which block sum writes outside the kernel
//CHECK-NEXT:  --> {{.*}}:[[# @LINE + 23]]:5  tir.block "out" () do {
//CHECK-NEXT:   |  for r in 1 blockIdx.y:
//CHECK-NEXT:   |    for k in n:
//CHECK-NEXT:   |      block sum    <-- writes L
//CHECK-NEXT:   |    block out    <-- reads L
//CHECK-NEXT:  why: local memory lasts only as long as a thread, and is gone when block out at (r=0) reads L[] (for n = 0)
//CHECK-NEXT:  try: compute_at or reverse_compute_at brings both into one kernel
//CHECK-NEXT:  try: set_scope puts L into global memory
// As before, of a reduction that may be over nothing.
func.func @sized(%A: memref<?xi32>, %B: memref<i32>, %n: index) {
  %L = tir.alloc "L" : memref<i32, "local">
  tir.for %r in 1 thread "blockIdx.y" {
    tir.for %k in %n {
      tir.block "sum" (reduce %u in 1 = %r, reduce %v in %n = %k) init {
        %z = arith.constant 0 : i32
        tir.store %z, %L[] : memref<i32, "local">
      } do {
        %a = tir.load %A[%v] : memref<?xi32>
        %l = tir.load %L[] : memref<i32, "local">
        %s = arith.addi %a, %l : i32
        tir.store %s, %L[] : memref<i32, "local">
      }
    }
    tir.block "out" () do {
      %l = tir.load %L[] : memref<i32, "local">
      tir.store %l, %B[] : memref<i32>
    }
  }
  func.return
}
