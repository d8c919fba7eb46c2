// RUN: not kc-opt %s --split-input-file --convert-tir-to-gpu --target=cuda 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4225]: convert-tir-to-gpu: A is used outside of a kernel: did you forget to bind a loop?
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:38:7  tir.store %0, %A[%i, %j] : memref<8x8xf32>
//CHECK-NEXT:   |  the loops around it: for i in 8, for j in 8
//CHECK-NEXT:  why: the arrays of a function for a GPU are in its memory, and loop j runs on the host
//CHECK-NEXT:  try: bind i to "blockIdx.x", or a part of it to "threadIdx.x"
//CHECK:error[KC4225]: convert-tir-to-gpu: A is used outside of a kernel: did you forget to bind a loop?
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:46:3  tir.store %0, %A[0] : memref<8xf32>
//CHECK-NEXT:  why: the arrays of a function for a GPU are in its memory, and it is outside of all loops
//CHECK-NEXT:  try: sch.bind(sch.add_unit_loop(sch.get_block("root")), "threadIdx.x"): one thread does it
//CHECK-NEXT:  try: kc.auto_schedule chooses threads for the whole function
//CHECK:error[KC4226]: convert-tir-to-gpu: the size of L is not constant
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:53:5  %L = tir.alloc "L"(%n) : memref<?xf32, "local">
//CHECK-NEXT:  why: it is local memory of a thread, whose size must be constant
//CHECK-NEXT:  try: split the loops by constant factors, and compute it at the outer one
//CHECK:error[KC4226]: convert-tir-to-gpu: the size of S is unknown at the launch of the kernel
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:64:7  %S = tir.alloc "S"(%m) : memref<?xf32, "shared">
//CHECK-NEXT:  why: it is shared memory of a block, whose size the host computes before the launch
//CHECK-NEXT:  try: split the loops by constant factors, and compute it at the outer one
//CHECK:error[KC4226]: convert-tir-to-gpu: W is memory of a warp
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:74:5  %W = tir.alloc "W" : memref<32xf32, "warp">
//CHECK-NEXT:  why: a GPU has memory of blocks and of threads
//CHECK-NEXT:  try: run --lower-warp-memory before
//CHECK:error[KC4226]: convert-tir-to-gpu: argument S of given is shared memory
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:81:1  func.func @given(%S: memref<32xf32, "shared">, %A: memref<32xf32>) {
//CHECK-NEXT:  why: such memory begins and ends with a kernel, and no caller has it
//CHECK-NEXT:  try: pass global memory, and copy it in the kernel (cache_read)
//CHECK:error[KC4226]: convert-tir-to-gpu: R is a ring of mbarriers
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:91:5  %R = tir.alloc "R" : memref<2xi64, "shared">
//CHECK-NEXT:  why: waits at mbarriers must be lowered before their memory
//CHECK-NEXT:  try: run --lower-tensor-copies before

func.func @unbound(%A: memref<8x8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      %0 = arith.constant 0.0 : f32
      tir.store %0, %A[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}
// -----
func.func @outside(%A: memref<8xf32>) {
  %0 = arith.constant 0.0 : f32
  tir.store %0, %A[0] : memref<8xf32>
  func.return
}
// -----
func.func @dynamic(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 8 thread "threadIdx.x" {
    %L = tir.alloc "L"(%n) : memref<?xf32, "local">
    %0 = tir.load %A[%i] : memref<?xf32>
    tir.store %0, %L[%i] : memref<?xf32, "local">
  }
  func.return
}
// -----
func.func @ragged(%A: memref<8xf32>) {
  tir.for %b in 8 thread "blockIdx.x" {
    tir.for %i in 8 thread "threadIdx.x" {
      %m = tir.apply (%b + 1)
      %S = tir.alloc "S"(%m) : memref<?xf32, "shared">
      %0 = tir.load %A[%i] : memref<8xf32>
      tir.store %0, %S[0] : memref<?xf32, "shared">
    }
  }
  func.return
}
// -----
func.func @warp(%A: memref<32xf32>) {
  tir.for %i in 32 thread "threadIdx.x" {
    %W = tir.alloc "W" : memref<32xf32, "warp">
    %0 = tir.load %A[%i] : memref<32xf32>
    tir.store %0, %W[%i] : memref<32xf32, "warp">
  }
  func.return
}
// -----
func.func @given(%S: memref<32xf32, "shared">, %A: memref<32xf32>) {
  tir.for %i in 32 thread "threadIdx.x" {
    %0 = tir.load %S[%i] : memref<32xf32, "shared">
    tir.store %0, %A[%i] : memref<32xf32>
  }
  func.return
}
// -----
func.func @ring(%A: memref<32xf32>) {
  tir.for %t in 32 thread "threadIdx.x" {
    %R = tir.alloc "R" : memref<2xi64, "shared">
    tir.mbarrier_init %R : memref<2xi64, "shared">
    %0 = arith.constant 0.0 : f32
    tir.store %0, %A[%t] : memref<32xf32>
  }
  func.return
}
// -----
func.func @before(%A: memref<32xf32>) {
  %L = tir.alloc "L" : memref<1xf32, "local">
  tir.for %t in 32 thread "threadIdx.x" {
    %0 = arith.constant 0.0 : f32
    tir.store %0, %L[0] : memref<1xf32, "local">
    %1 = tir.load %L[0] : memref<1xf32, "local">
    tir.store %1, %A[%t] : memref<32xf32>
  }
  func.return
}

//CHECK:error[KC4226]: convert-tir-to-gpu: L is local memory outside of a kernel
//CHECK-NEXT:  --> {{.*}}convert_tir_to_gpu_invalid.mlir:100:3  %L = tir.alloc "L" : memref<1xf32, "local">
//CHECK-NEXT:  why: such memory begins and ends with a kernel
//CHECK-NEXT:  try: run --unify-thread-binding before
