// RUN: not kc-opt %s --split-input-file --unify-thread-binding 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4221]: unify-thread-binding: loop j has 32 threads of threadIdx.x, i has 64
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:26:5  tir.for %j in 32 thread "threadIdx.x" {
//CHECK-NEXT:  why: a kernel is launched once, with one number of threads along each axis
//CHECK-NEXT:  try: split the loops so that both have the same extent
//CHECK:error[KC4221]: unify-thread-binding: the number of threadIdx.x is computed in the kernel
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:36:5  tir.for %i in %n thread "threadIdx.x" {
//CHECK-NEXT:  why: loop i has n iterations, and a kernel is launched with the number of its threads
//CHECK-NEXT:  try: bind a loop whose extent is a constant or depends on sizes of the function
//CHECK:error[KC4222]: unify-thread-binding: a kernel cannot allocate G in global memory
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:47:7  %G = tir.alloc "G" : memref<64xf32>
//CHECK-NEXT:  why: global memory is allocated before a kernel is launched, and it is allocated in loop k, anew in each iteration
//CHECK-NEXT:  try: give G the scope "local" or "shared"
//CHECK:error[KC4201]: unify-thread-binding: block B is left
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:59:5  tir.block "B" (spatial %v in 64 = %i) do {
//CHECK-NEXT:  why: this pass runs after blocks are lowered
//CHECK-NEXT:  try: run --lower-init-block --lower-blocks first

func.func @extents(%A: memref<64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %0 = arith.constant 0.0 : f32
    tir.for %i in 64 thread "threadIdx.x" {
      tir.store %0, %A[%i] : memref<64xf32>
    }
    tir.for %j in 32 thread "threadIdx.x" {
      tir.store %0, %A[%j] : memref<64xf32>
    }
  }
  func.return
}
// -----
func.func @computed(%A: memref<64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %n = tir.apply (%b + 1)
    tir.for %i in %n thread "threadIdx.x" {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %A[%i] : memref<64xf32>
    }
  }
  func.return
}
// -----
func.func @global(%A: memref<64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %k in 4 {
      %G = tir.alloc "G" : memref<64xf32>
      %0 = arith.constant 0.0 : f32
      tir.store %0, %G[%b] : memref<64xf32>
      %1 = tir.load %G[%b] : memref<64xf32>
      tir.store %1, %A[%b] : memref<64xf32>
    }
  }
  func.return
}
// -----
func.func @block(%A: memref<64xf32>) {
  tir.for %i in 64 thread "blockIdx.x" {
    tir.block "B" (spatial %v in 64 = %i) do {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %A[%v] : memref<64xf32>
    }
  }
  func.return
}
// -----
//CHECK:error[KC4224]: unify-thread-binding: virtual threads cannot share L
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:74:7  %L = tir.alloc "L" : memref<4xf32, "local">
//CHECK-NEXT:  why: each thread of loop v needs a part of a larger buffer, but the number of threads of vthread.y is not a constant
//CHECK-NEXT:  try: allocate L in the loops of all virtual threads that use it
func.func @threads_of_a_call(%A: memref<64xf32>, %n: index) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %v in %n thread "vthread.y" {
      %L = tir.alloc "L" : memref<4xf32, "local">
      tir.for %x in 4 thread "vthread.x" {
        %0 = tir.load %A[%b + %x] : memref<64xf32>
        tir.store %0, %L[%x] : memref<4xf32, "local">
      }
      %1 = tir.load %L[0] : memref<4xf32, "local">
      tir.store %1, %A[%b + %v] : memref<64xf32>
    }
  }
  func.return
}
// -----
//CHECK:error[KC4224]: unify-thread-binding: virtual threads cannot share L
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:93:7  %L = tir.alloc "L" (%n) : memref<?xf32, "local">
//CHECK-NEXT:  why: each thread of loop v needs a part of a larger buffer, but its size is known only at the launch
//CHECK-NEXT:  try: allocate L in the loops of all virtual threads that use it
func.func @size_of_a_call(%A: memref<64xf32>, %n: index) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %v in 2 thread "vthread.y" {
      %L = tir.alloc "L" (%n) : memref<?xf32, "local">
      tir.for %x in 4 thread "vthread.x" {
        %0 = tir.load %A[%b + %x] : memref<64xf32>
        tir.store %0, %L[%x] : memref<?xf32, "local">
      }
      %1 = tir.load %L[0] : memref<?xf32, "local">
      tir.store %1, %A[%b + %v] : memref<64xf32>
    }
  }
  func.return
}
// -----
//CHECK:error[KC4224]: unify-thread-binding: virtual threads cannot share L
//CHECK-NEXT:  --> {{.*}}unify_thread_binding_invalid.mlir:112:7  %L = tir.alloc "L" : memref<4xf32, "local">
//CHECK-NEXT:  why: each thread of loop v needs a part of a larger buffer, but tir.view uses the whole buffer
//CHECK-NEXT:  try: allocate L in the loops of all virtual threads that use it
func.func @whole(%A: memref<64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %v in 2 thread "vthread.y" {
      %L = tir.alloc "L" : memref<4xf32, "local">
      tir.for %x in 4 thread "vthread.x" {
        %0 = tir.load %A[%b + %x] : memref<64xf32>
        tir.store %0, %L[%x] : memref<4xf32, "local">
      }
      %P = tir.view %L[0] : memref<4xf32, "local"> to memref<2xf32, strided<[1], offset: ?>, "local">
      %1 = tir.load %L[1] : memref<4xf32, "local">
      tir.store %1, %A[%b + %v] : memref<64xf32>
    }
  }
  func.return
}
