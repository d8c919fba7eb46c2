// RUN: kc-opt %s --bind="func=sum block=C loop=i thread_axis=blockIdx.x" --bind="func=sum block=C loop=j thread_axis=threadIdx.x" | FileCheck %s
// RUN: kc-opt %s --bind="func=sum block=C loop=k thread_axis=threadIdx.x" | FileCheck %s --check-prefix=CROSS
// RUN: kc-opt %s --bind="func=sum block=C loop=i thread_axis=vthread" --bind="func=sum block=C loop=j thread_axis=vthread.x" | FileCheck %s --check-prefix=VIRTUAL
// RUN: kc-opt %s --bind="func=dynamic loop=i thread_axis=threadIdx.x" | FileCheck %s --check-prefix=DYNAMIC
// RUN: kc-opt %s --bind="func=tile block=A_shared loop=v0 thread_axis=threadIdx.x" | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --bind="func=sum block=C loop=i thread_axis=blockIdx.x" --bind="func=sum block=C loop=i thread_axis=blockIdx.x" 2>&1 >/dev/null | FileCheck %s --check-prefix=AGAIN --match-full-lines --strict-whitespace
// RUN: kc-opt %s --bind="func=sum block=C loop=i thread_axis=threadIdx.x" --bind="func=sum block=C loop=i thread_axis=blockIdx.x" 2>/dev/null | FileCheck %s --check-prefix=ANEW
// RUN: kc-opt %s --bind="func=sum block=C loop=i thread_axis=threadIdx.x" --bind="func=sum block=C loop=i thread_axis=blockIdx.x" 2>&1 >/dev/null | FileCheck %s --check-prefix=NEW --match-full-lines --strict-whitespace
// RUN: kc-opt %s --bind="func=sum block=C loop=j thread_axis=vthread" --unroll="func=sum block=C loop=j" 2>/dev/null | FileCheck %s --check-prefix=UNBOUND
// RUN: kc-opt %s --bind="func=sum block=C loop=j thread_axis=vthread" --unroll="func=sum block=C loop=j" 2>&1 >/dev/null | FileCheck %s --check-prefix=UNROLL --match-full-lines --strict-whitespace
// RUN: kc-opt %s --bind="func=once loop=i thread_axis=threadIdx.x" 2>&1 >/dev/null | FileCheck %s --check-prefix=ONE --match-full-lines --strict-whitespace
// RUN: kc-opt %s --bind="func=once loop=i thread_axis=threadIdx.x" --mlir-print-op-generic 2>/dev/null | kc-opt - | FileCheck %s --check-prefix=GENERIC

// CHECK:       tir.for %i in 16 thread "blockIdx.x" {
// CHECK-NEXT:    tir.for %j in 12 thread "threadIdx.x" {
// CHECK-NEXT:      tir.for %k in 8 {

// CROSS:       tir.for %i in 16 {
// CROSS-NEXT:    tir.for %j in 12 {
// CROSS-NEXT:      tir.for %k in 8 thread "threadIdx.x" {

// VIRTUAL:     tir.for %i in 16 thread "vthread" {
// VIRTUAL-NEXT:  tir.for %j in 12 thread "vthread.x" {

//AGAIN:warning[KC3410]: bind: loop i is already bound to blockIdx.x
//AGAIN-NEXT:  why: nothing changes

// ANEW:        tir.for %i in 16 thread "blockIdx.x" {

//NEW:warning[KC3401]: bind: loop i is bound again
//NEW-NEXT:  why: it was bound to threadIdx.x, now it is bound to blockIdx.x

// UNBOUND:     tir.for %j in 12 unrolled {

//UNROLL:warning[KC3401]: unroll: loop j is bound no longer
//UNROLL-NEXT:  why: it was bound to vthread, now its body is repeated

//ONE:warning[KC3412]: bind: loop i has one iteration
//ONE-NEXT:  why: there is only one threadIdx.x, so no work is shared
func.func @sum(%A: memref<16x12x8xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_j, %v_k] : memref<16x12x8xf32>
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %a : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

// The number of threads is checked when the kernel is launched.
// DYNAMIC-LABEL: func.func @dynamic
// DYNAMIC:         tir.for %i in %n thread "threadIdx.x" {
func.func @dynamic(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "B" (spatial %v in %n = %i) do {
      %a = tir.load %A[%v] : memref<?xf32>
      %b = arith.addf %a, %a : f32
      tir.store %b, %A[%v] : memref<?xf32>
    }
  }
  func.return
}

// Each thread loaded the whole tile; now each loads one element of it.
// TILE-LABEL:  func.func @tile
// TILE:            tir.for %t in 8 thread "threadIdx.x" {
// TILE-NEXT:         %A_shared = tir.alloc
// TILE-NEXT:         tir.for %v0 in 8 thread "threadIdx.x" {
func.func @tile(%A: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %b in 8 thread "blockIdx.x" {
    tir.for %t in 8 thread "threadIdx.x" {
      %A_shared = tir.alloc "A_shared" : memref<64xf32, "shared">
      tir.for %v0 in 8 {
        tir.block "A_shared" (spatial %v in 64 = %b * 8 + %v0) do {
          %a = tir.load %A[%v] : memref<64xf32>
          tir.store %a, %A_shared[%v] : memref<64xf32, "shared">
        }
      }
      tir.block "C" (spatial %w_b in 8 = %b, spatial %w_t in 8 = %t) do {
        %c = tir.load %A_shared[%w_b * 8 + 7 - %w_t] : memref<64xf32, "shared">
        tir.store %c, %C[%w_b * 8 + %w_t] : memref<64xf32>
      }
    }
  }
  func.return
}

// GENERIC-LABEL: func.func @once
// GENERIC:         tir.for %i in 1 thread "threadIdx.x" {
func.func @once(%C: memref<1xf32>) {
  tir.for %i in 1 {
    tir.block "D" (spatial %v in 1 = %i) do {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %C[%v] : memref<1xf32>
    }
  }
  func.return
}
