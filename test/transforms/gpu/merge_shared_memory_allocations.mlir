// RUN: kc-opt %s --merge-shared-memory-allocations | FileCheck %s
// RUN: kc-opt %s --merge-shared-memory-allocations --merge-shared-memory-allocations | FileCheck %s
// RUN: kc-opt %s --merge-shared-memory-allocations --thread-sync | FileCheck %s --check-prefix=SYNC

// T begins to be used where S is no more: they are in one place, and a barrier is in between.
// CHECK-LABEL: func.func @turned_twice
// CHECK: %S = tir.alloc "S" {tir.shared_offset = 0 : i64} : memref<64x64xf32, "shared.dyn">
// CHECK: %T = tir.alloc "T" {tir.shared_offset = 0 : i64} : memref<64x64xf32, "shared.dyn">
// SYNC-LABEL: func.func @turned_twice
// SYNC: tir.store %{{.*}}, %S
// SYNC: gpu.barrier
// SYNC: tir.load %S
// SYNC: gpu.barrier
// SYNC: tir.store %{{.*}}, %T
// SYNC: gpu.barrier
// SYNC: tir.load %T
// SYNC-NOT: gpu.barrier
// SYNC: func.return
func.func @turned_twice(%A: memref<4x64x64xf32>, %B: memref<4x64x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %t in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<64x64xf32, "shared.dyn">
      tir.for %j in 64 {
        %0 = tir.load %A[%b, %t, %j] : memref<4x64x64xf32>
        tir.store %0, %S[%t, %j] : memref<64x64xf32, "shared.dyn">
      }
      tir.for %j in 64 {
        %0 = tir.load %S[%j, %t] : memref<64x64xf32, "shared.dyn">
        tir.store %0, %B[%b, %t, %j] : memref<4x64x64xf32>
      }
      %T = tir.alloc "T" : memref<64x64xf32, "shared.dyn">
      tir.for %j in 64 {
        %0 = tir.load %B[%b, %t, %j] : memref<4x64x64xf32>
        tir.store %0, %T[%t, %j] : memref<64x64xf32, "shared.dyn">
      }
      tir.for %j in 64 {
        %0 = tir.load %T[63 - %j, %t] : memref<64x64xf32, "shared.dyn">
        tir.store %0, %B[%b, %t, %j] : memref<4x64x64xf32>
      }
    }
  }
  func.return
}

// Each thread reads its own element of S, and writes its own of T, which is at the same address: no
// barrier.
// SYNC-LABEL: func.func @own_elements
// SYNC-NOT: gpu.barrier
// SYNC: func.return
func.func @own_elements(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared.dyn">
    %T = tir.alloc "T" : memref<64xf32, "shared.dyn">
    %0 = tir.load %A[%t] : memref<64xf32>
    tir.store %0, %S[%t] : memref<64xf32, "shared.dyn">
    %1 = tir.load %S[%t] : memref<64xf32, "shared.dyn">
    tir.store %1, %T[%t] : memref<64xf32, "shared.dyn">
    %2 = tir.load %T[%t] : memref<64xf32, "shared.dyn">
    tir.store %2, %B[%t] : memref<64xf32>
  }
  func.return
}

// R is alive with both others: the largest is placed first, and the small one behind the one of the
// others that it may not touch.
// CHECK-LABEL: func.func @three
// CHECK: %R = tir.alloc "R" {tir.shared_offset = 1024 : i64} : memref<65xf32, "shared.dyn">
// CHECK: %S = tir.alloc "S" {tir.shared_offset = 0 : i64} : memref<256xf32, "shared.dyn">
// CHECK: %T = tir.alloc "T" {tir.shared_offset = 0 : i64} : memref<64xf32, "shared.dyn">
func.func @three(%A: memref<256xf32>, %B: memref<64xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %R = tir.alloc "R" : memref<65xf32, "shared.dyn">
    %S = tir.alloc "S" : memref<256xf32, "shared.dyn">
    %T = tir.alloc "T" : memref<64xf32, "shared.dyn">
    %0 = tir.load %A[%t] : memref<256xf32>
    tir.store %0, %R[%t] : memref<65xf32, "shared.dyn">
    tir.store %0, %S[%t * 4] : memref<256xf32, "shared.dyn">
    %1 = tir.load %S[255 - 4 * %t] : memref<256xf32, "shared.dyn">
    tir.store %1, %T[%t] : memref<64xf32, "shared.dyn">
    %2 = tir.load %T[63 - %t] : memref<64xf32, "shared.dyn">
    %3 = tir.load %R[63 - %t] : memref<65xf32, "shared.dyn">
    %4 = arith.addf %2, %3 : f32
    tir.store %4, %B[%t] : memref<64xf32>
  }
  func.return
}

// What S has from one iteration is read in the next one: it is alive throughout the loop, and T with
// it. In the other loop each iteration has buffers of its own.
// CHECK-LABEL: func.func @carried
// CHECK: %S = tir.alloc "S" {tir.shared_offset = 0 : i64} : memref<64xf32, "shared.dyn">
// CHECK: %T = tir.alloc "T" {tir.shared_offset = 256 : i64} : memref<64xf32, "shared.dyn">
// CHECK: %U = tir.alloc "U" {tir.shared_offset = 0 : i64} : memref<64xf32, "shared.dyn">
// CHECK: %V = tir.alloc "V" {tir.shared_offset = 0 : i64} : memref<64xf32, "shared.dyn">
func.func @carried(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<64xf32, "shared.dyn">
    %0 = tir.load %A[%t] : memref<64xf32>
    tir.store %0, %S[%t] : memref<64xf32, "shared.dyn">
    tir.for %k in 4 {
      %T = tir.alloc "T" : memref<64xf32, "shared.dyn">
      %1 = tir.load %S[63 - %t] : memref<64xf32, "shared.dyn">
      tir.store %1, %T[%t] : memref<64xf32, "shared.dyn">
      %2 = tir.load %T[63 - %t] : memref<64xf32, "shared.dyn">
      tir.store %2, %S[%t] : memref<64xf32, "shared.dyn">
    }
    tir.for %k in 4 {
      %U = tir.alloc "U" : memref<64xf32, "shared.dyn">
      %V = tir.alloc "V" : memref<64xf32, "shared.dyn">
      %1 = tir.load %A[%t] : memref<64xf32>
      tir.store %1, %U[%t] : memref<64xf32, "shared.dyn">
      %2 = tir.load %U[63 - %t] : memref<64xf32, "shared.dyn">
      tir.store %2, %V[%t] : memref<64xf32, "shared.dyn">
      %3 = tir.load %V[63 - %t] : memref<64xf32, "shared.dyn">
      tir.store %3, %B[%t] : memref<64xf32>
    }
  }
  func.return
}

// 32 KiB are static, and stay as they are.
// CHECK-LABEL: func.func @small
// CHECK: %S = tir.alloc "S" : memref<8192xf32, "shared">
func.func @small(%A: memref<64xf32>, %B: memref<64xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<8192xf32, "shared">
    %0 = tir.load %A[%t] : memref<64xf32>
    tir.store %0, %S[%t] : memref<8192xf32, "shared">
    %1 = tir.load %S[%t] : memref<8192xf32, "shared">
    tir.store %1, %B[%t] : memref<64xf32>
  }
  func.return
}

// Static buffers of 16 KiB, one used after the other, share memory; the small one stays by itself.
// CHECK-LABEL: func.func @static
// CHECK: %S = tir.alloc "S" {tir.shared_offset = 0 : i64} : memref<4096xf32, "shared">
// CHECK: %T = tir.alloc "T" {tir.shared_offset = 0 : i64} : memref<64x64xf16, "shared">
// CHECK: %R = tir.alloc "R" : memref<64xf32, "shared">
// SYNC-LABEL: func.func @static
// SYNC: tir.store %{{.*}}, %S
// SYNC: gpu.barrier
// SYNC: tir.load %S
// SYNC: gpu.barrier
// SYNC: tir.store %{{.*}}, %T
// SYNC-NOT: gpu.barrier
// SYNC: func.return
func.func @static(%A: memref<64xf32>, %B: memref<64xf16>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<4096xf32, "shared">
    %T = tir.alloc "T" : memref<64x64xf16, "shared">
    %R = tir.alloc "R" : memref<64xf32, "shared">
    %0 = tir.load %A[%t] : memref<64xf32>
    tir.store %0, %S[%t] : memref<4096xf32, "shared">
    %1 = tir.load %S[63 - %t] : memref<4096xf32, "shared">
    tir.store %1, %R[%t] : memref<64xf32, "shared">
    %2 = tir.load %R[%t] : memref<64xf32, "shared">
    %3 = arith.truncf %2 : f32 to f16
    tir.store %3, %T[%t, 0] : memref<64x64xf16, "shared">
    %4 = tir.load %T[%t, 0] : memref<64x64xf16, "shared">
    tir.store %4, %B[%t] : memref<64xf16>
  }
  func.return
}
