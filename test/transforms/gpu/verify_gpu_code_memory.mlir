// RUN: kc-opt %s --verify-gpu-code --target="cuda -arch=sm_80" | FileCheck %s

// Each of two kernels fills the local memory that it reads: what is in no loop of threadIdx.x is done
// by each thread for itself.
// CHECK-LABEL: func.func @again
func.func @again(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  %L = tir.alloc "L" : memref<8xf32, "local">
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %i in 8 {
      tir.block "L" (spatial %v in 8 = %i) do {
        %a = tir.load %A[%v] : memref<8xf32>
        tir.store %a, %L[%v] : memref<8xf32, "local">
      }
    }
    tir.for %t in 8 thread "threadIdx.x" {
      tir.block "B" (spatial %v in 8 = %t) do {
        %a = tir.load %L[7 - %v] : memref<8xf32, "local">
        tir.store %a, %B[%v] : memref<8xf32>
      }
    }
  }
  tir.for %t in 8 thread "threadIdx.x" {
    tir.block "L2" (spatial %v in 8 = %t) do {
      %a = tir.load %B[%v] : memref<8xf32>
      tir.store %a, %L[%v] : memref<8xf32, "local">
    }
    tir.block "C" (spatial %v in 8 = %t) do {
      %a = tir.load %L[%v] : memref<8xf32, "local">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// What the host has of memory that would be a thread's is ordinary memory.
// CHECK-LABEL: func.func @host
func.func @host(%A: memref<8xf32>, %C: memref<8xf32>) {
  %L = tir.alloc "L" : memref<8xf32, "local">
  tir.for %i in 8 {
    tir.block "L" (spatial %v in 8 = %i) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %L[%v] : memref<8xf32, "local">
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %a = tir.load %L[7 - %v] : memref<8xf32, "local">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  tir.for %t in 8 thread "threadIdx.x" {
    tir.block "D" (spatial %v in 8 = %t) do {
      %a = tir.load %C[%v] : memref<8xf32>
      tir.store %a, %A[%v] : memref<8xf32>
    }
  }
  func.return
}

// Threads of one warp exchange values, also where there are several warps; rows of 16 threads are
// halves of warps.
// CHECK-LABEL: func.func @warps
func.func @warps(%A: memref<64xf32>, %B: memref<64xf32>, %C: memref<64xf32>) {
  tir.for %t in 64 thread "threadIdx.x" {
    %W = tir.alloc "W" : memref<64xf32, "warp">
    tir.block "W" (spatial %v in 64 = %t) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %W[%v] : memref<64xf32, "warp">
    }
    tir.block "B" (spatial %v in 64 = %t) do {
      %a = tir.load %W[(%v floordiv 32) * 32 + (%v * 5 + 1) mod 32] : memref<64xf32, "warp">
      tir.store %a, %B[%v] : memref<64xf32>
    }
  }
  tir.for %y in 4 thread "threadIdx.y" {
    tir.for %x in 16 thread "threadIdx.x" {
      %V = tir.alloc "V" : memref<16xf32, "warp">
      tir.block "V" (spatial %v in 4 = %y, spatial %w in 16 = %x) do {
        %a = tir.load %A[%v * 16 + %w] : memref<64xf32>
        tir.store %a, %V[%w] : memref<16xf32, "warp">
      }
      tir.block "C" (spatial %v in 4 = %y, spatial %w in 16 = %x) do {
        %a = tir.load %V[15 - %w] : memref<16xf32, "warp">
        tir.store %a, %C[%v * 16 + %w] : memref<64xf32>
      }
    }
  }
  func.return
}

// Blocks of threads may compute the same element, each for itself, also in global memory; and what
// one has written is there for all in the next kernel.
// CHECK-LABEL: func.func @overlapping
func.func @overlapping(%A: memref<10xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    %T = tir.alloc "T" : memref<10xf32>
    tir.for %i in 4 {
      tir.block "T" (spatial %v in 10 = %b * 2 + %i) do {
        %a = tir.load %A[%v] : memref<10xf32>
        tir.store %a, %T[%v] : memref<10xf32>
      }
    }
    tir.for %i in 2 {
      tir.block "B" (spatial %v in 8 = %b * 2 + %i) do {
        %a = tir.load %T[%v] : memref<10xf32>
        %c = tir.load %T[%v + 2] : memref<10xf32>
        %d = arith.addf %a, %c : f32
        tir.store %d, %B[%v] : memref<8xf32>
      }
    }
  }
  tir.for %b in 8 thread "blockIdx.x" {
    tir.block "C" (spatial %v in 8 = %b) do {
      %a = tir.load %B[7 - %v] : memref<8xf32>
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// A host loop launches the kernel again and again, and its blocks read what others wrote before.
// CHECK-LABEL: func.func @launches
func.func @launches(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %k in 4 {
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "B" (opaque %w in 4 = %k, spatial %v in 8 = %p) do {
        %a = tir.load %A[7 - %v] : memref<8xf32>
        tir.store %a, %B[%v] : memref<8xf32>
      }
    }
    tir.for %p in 8 thread "blockIdx.x" {
      tir.block "A" (opaque %w in 4 = %k, spatial %v in 8 = %p) do {
        %b = tir.load %B[%v] : memref<8xf32>
        tir.store %b, %A[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// Virtual threads alone are no kernel, and share the memory that is allocated around them.
// CHECK-LABEL: func.func @virtual
func.func @virtual(%A: memref<8xf32>, %C: memref<8xf32>) {
  %L = tir.alloc "L" : memref<8xf32, "local">
  tir.for %u in 8 thread "vthread" {
    tir.block "L" (spatial %v in 8 = %u) do {
      %a = tir.load %A[%v] : memref<8xf32>
      tir.store %a, %L[%v] : memref<8xf32, "local">
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v in 8 = %i) do {
      %a = tir.load %L[7 - %v] : memref<8xf32, "local">
      tir.store %a, %C[%v] : memref<8xf32>
    }
  }
  func.return
}

// A kernel may have no threads: then it exchanges nothing.
// CHECK-LABEL: func.func @empty
func.func @empty(%B: memref<2x4xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    %W = tir.alloc "W" : memref<4xf32, "warp">
    tir.for %p in 0 thread "threadIdx.x" {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %W[%p] : memref<4xf32, "warp">
    }
    tir.for %q in 0 thread "threadIdx.x" {
      %w = tir.load %W[3 - %q] : memref<4xf32, "warp">
      tir.store %w, %B[%y, %q] : memref<2x4xf32>
    }
  }
  func.return
}
