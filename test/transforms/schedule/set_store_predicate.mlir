// RUN: kc-opt %s --set-store-predicate='func=threads block=C condition="threadIdx.x == 0"' | FileCheck %s --check-prefix=THREAD
// RUN: kc-opt %s --set-store-predicate='func=threads block=C condition="t < 2 and 3 <= i + 3"' | FileCheck %s --check-prefix=LOOP
// RUN: kc-opt %s --set-store-predicate='func=reduced block=C condition="threadIdx.x == 0"' | FileCheck %s --check-prefix=REDUCED
// RUN: kc-opt %s --set-store-predicate='func=reduced block=D condition="threadIdx.x mod 8 == 5"' | FileCheck %s --check-prefix=OUTSIDE

// All 32 threads store the same.
// THREAD:  tir.block "C" (spatial %v in 16 = %i) where (%t == 0) do {
// LOOP:    tir.block "C" (spatial %v in 16 = %i) where (%t < 2, %i >= 0) do {
func.func @threads(%A: memref<16xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 thread "blockIdx.x" {
    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 16 = %i) do {
        %a = tir.load %A[%v] : memref<16xf32>
        tir.store %a, %C[%v] : memref<16xf32>
      }
    }
  }
  func.return
}

// The threads combine their values, and one of them stores the sum.
// REDUCED: tir.block "C" (spatial %v in 16 = %i, reduce %k in 32 = %t) annotations {store_predicate = "threadIdx.x == 0"} init {
// OUTSIDE: tir.block "D" (spatial %v in 16 = %i) annotations {store_predicate = "threadIdx.x mod 8 == 5"} do {
func.func @reduced(%A: memref<16x32xf32>, %C: memref<16xf32>, %D: memref<16xf32>) {
  tir.for %i in 16 thread "blockIdx.x" {
    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 16 = %i, reduce %k in 32 = %t) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v] : memref<16xf32>
      } do {
        %a = tir.load %A[%v, %k] : memref<16x32xf32>
        %c = tir.load %C[%v] : memref<16xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %C[%v] : memref<16xf32>
      }
    }
    tir.block "D" (spatial %v in 16 = %i) do {
      %c = tir.load %C[%v] : memref<16xf32>
      tir.store %c, %D[%v] : memref<16xf32>
    }
  }
  func.return
}
