// RUN: kc-opt %s --lower-thread-allreduce | FileCheck %s

// A warp: shuffles.
// CHECK-LABEL: func.func @warp(%A: memref<4x8xi32>, %B: memref<4x8xi32>) {
// CHECK-NEXT:    tir.for %y in 4 thread "threadIdx.y" {
// CHECK-NEXT:      tir.for %x in 8 thread "threadIdx.x" {
// CHECK-NEXT:        %0 = tir.load %A[%y, %x] : memref<4x8xi32>
// CHECK-NEXT:        %1 = arith.constant 32 : i32
// CHECK-NEXT:        %2 = arith.constant 4 : i32
// CHECK-NEXT:        %3, %4 = gpu.shuffle xor %0, %2, %1 : i32
// CHECK-NEXT:        %5 = arith.addi %0, %3 : i32
// CHECK-NEXT:        %6 = arith.constant 2 : i32
// CHECK-NEXT:        %7, %8 = gpu.shuffle xor %5, %6, %1 : i32
// CHECK-NEXT:        %9 = arith.addi %5, %7 : i32
// CHECK-NEXT:        %10 = arith.constant 1 : i32
// CHECK-NEXT:        %11, %12 = gpu.shuffle xor %9, %10, %1 : i32
// CHECK-NEXT:        %13 = arith.addi %9, %11 : i32
// CHECK-NEXT:        tir.store %13, %B[%y, %x] : memref<4x8xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @warp(%A: memref<4x8xi32>, %B: memref<4x8xi32>) {
  tir.for %y in 4 thread "threadIdx.y" {
    tir.for %x in 8 thread "threadIdx.x" {
      %0 = tir.load %A[%y, %x] : memref<4x8xi32>
      %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
        %2 = arith.addi %a, %b : i32
        tir.yield %2 : i32
      }
      tir.store %1, %B[%y, %x] : memref<4x8xi32>
    }
  }
  func.return
}

// Two warps: shuffles, then what they have left in shared memory.
// CHECK-LABEL: func.func @warps(%A: memref<64xi32>, %B: memref<64xi32>) {
// CHECK-NEXT:    tir.for %x in 64 thread "threadIdx.x" {
// CHECK-NEXT:      %reduced = tir.alloc "reduced" : memref<1x2xi32, "shared">
// CHECK-NEXT:      %0 = tir.load %A[%x] : memref<64xi32>
// CHECK-NEXT:      %1 = arith.constant 32 : i32
// CHECK-NEXT:      %2 = arith.constant 16 : i32
// CHECK-NEXT:      %3, %4 = gpu.shuffle xor %0, %2, %1 : i32
// CHECK-NEXT:      %5 = arith.addi %0, %3 : i32
// CHECK-NEXT:      %6 = arith.constant 8 : i32
// CHECK-NEXT:      %7, %8 = gpu.shuffle xor %5, %6, %1 : i32
// CHECK-NEXT:      %9 = arith.addi %5, %7 : i32
// CHECK-NEXT:      %10 = arith.constant 4 : i32
// CHECK-NEXT:      %11, %12 = gpu.shuffle xor %9, %10, %1 : i32
// CHECK-NEXT:      %13 = arith.addi %9, %11 : i32
// CHECK-NEXT:      %14 = arith.constant 2 : i32
// CHECK-NEXT:      %15, %16 = gpu.shuffle xor %13, %14, %1 : i32
// CHECK-NEXT:      %17 = arith.addi %13, %15 : i32
// CHECK-NEXT:      %18 = arith.constant 1 : i32
// CHECK-NEXT:      %19, %20 = gpu.shuffle xor %17, %18, %1 : i32
// CHECK-NEXT:      %21 = arith.addi %17, %19 : i32
// CHECK-NEXT:      tir.if (%x mod 32 == 0) {
// CHECK-NEXT:        tir.store %21, %reduced[0, %x floordiv 32] : memref<1x2xi32, "shared">
// CHECK-NEXT:      }
// CHECK-NEXT:      %22 = tir.load %reduced[0, %x mod 2] : memref<1x2xi32, "shared">
// CHECK-NEXT:      %23 = arith.constant 32 : i32
// CHECK-NEXT:      %24 = arith.constant 1 : i32
// CHECK-NEXT:      %25, %26 = gpu.shuffle xor %22, %24, %23 : i32
// CHECK-NEXT:      %27 = arith.addi %22, %25 : i32
// CHECK-NEXT:      tir.store %27, %B[%x] : memref<64xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @warps(%A: memref<64xi32>, %B: memref<64xi32>) {
  tir.for %x in 64 thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<64xi32>
    %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
      %2 = arith.addi %a, %b : i32
      tir.yield %2 : i32
    }
    tir.store %1, %B[%x] : memref<64xi32>
  }
  func.return
}

// Three warps: one after the other.
// CHECK-LABEL: func.func @three(%A: memref<96xi32>, %B: memref<96xi32>) {
// CHECK-NEXT:    tir.for %x in 96 thread "threadIdx.x" {
// CHECK-NEXT:      %reduced = tir.alloc "reduced" : memref<1x3xi32, "shared">
// CHECK-NEXT:      %0 = tir.load %A[%x] : memref<96xi32>
// CHECK-NEXT:      %1 = arith.constant 32 : i32
// CHECK-NEXT:      %2 = arith.constant 16 : i32
// CHECK-NEXT:      %3, %4 = gpu.shuffle xor %0, %2, %1 : i32
// CHECK-NEXT:      %5 = arith.addi %0, %3 : i32
// CHECK-NEXT:      %6 = arith.constant 8 : i32
// CHECK-NEXT:      %7, %8 = gpu.shuffle xor %5, %6, %1 : i32
// CHECK-NEXT:      %9 = arith.addi %5, %7 : i32
// CHECK-NEXT:      %10 = arith.constant 4 : i32
// CHECK-NEXT:      %11, %12 = gpu.shuffle xor %9, %10, %1 : i32
// CHECK-NEXT:      %13 = arith.addi %9, %11 : i32
// CHECK-NEXT:      %14 = arith.constant 2 : i32
// CHECK-NEXT:      %15, %16 = gpu.shuffle xor %13, %14, %1 : i32
// CHECK-NEXT:      %17 = arith.addi %13, %15 : i32
// CHECK-NEXT:      %18 = arith.constant 1 : i32
// CHECK-NEXT:      %19, %20 = gpu.shuffle xor %17, %18, %1 : i32
// CHECK-NEXT:      %21 = arith.addi %17, %19 : i32
// CHECK-NEXT:      tir.if (%x mod 32 == 0) {
// CHECK-NEXT:        tir.store %21, %reduced[0, %x floordiv 32] : memref<1x3xi32, "shared">
// CHECK-NEXT:      }
// CHECK-NEXT:      %22 = tir.load %reduced[0, 0] : memref<1x3xi32, "shared">
// CHECK-NEXT:      %23 = tir.load %reduced[0, 1] : memref<1x3xi32, "shared">
// CHECK-NEXT:      %24 = arith.addi %22, %23 : i32
// CHECK-NEXT:      %25 = tir.load %reduced[0, 2] : memref<1x3xi32, "shared">
// CHECK-NEXT:      %26 = arith.addi %24, %25 : i32
// CHECK-NEXT:      tir.store %26, %B[%x] : memref<96xi32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @three(%A: memref<96xi32>, %B: memref<96xi32>) {
  tir.for %x in 96 thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<96xi32>
    %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
      %2 = arith.addi %a, %b : i32
      tir.yield %2 : i32
    }
    tir.store %1, %B[%x] : memref<96xi32>
  }
  func.return
}

// Threads that are no neighbours: halves in shared memory.
// CHECK-LABEL: func.func @columns(%A: memref<3x8xi32>, %B: memref<3x8xi32>) {
// CHECK-NEXT:    tir.for %y in 3 thread "threadIdx.y" {
// CHECK-NEXT:      tir.for %x in 8 thread "threadIdx.x" {
// CHECK-NEXT:        %reduced = tir.alloc "reduced" : memref<8x3xi32, "shared">
// CHECK-NEXT:        %0 = tir.load %A[%y, %x] : memref<3x8xi32>
// CHECK-NEXT:        tir.store %0, %reduced[%x, %y] : memref<8x3xi32, "shared">
// CHECK-NEXT:        tir.if (%y < 1) {
// CHECK-NEXT:          %1 = tir.load %reduced[%x, %y] : memref<8x3xi32, "shared">
// CHECK-NEXT:          %2 = tir.load %reduced[%x, %y + 2] : memref<8x3xi32, "shared">
// CHECK-NEXT:          %3 = arith.addi %1, %2 : i32
// CHECK-NEXT:          tir.store %3, %reduced[%x, %y] : memref<8x3xi32, "shared">
// CHECK-NEXT:        }
// CHECK-NEXT:        tir.if (%y < 1) {
// CHECK-NEXT:          %4 = tir.load %reduced[%x, %y] : memref<8x3xi32, "shared">
// CHECK-NEXT:          %5 = tir.load %reduced[%x, %y + 1] : memref<8x3xi32, "shared">
// CHECK-NEXT:          %6 = arith.addi %4, %5 : i32
// CHECK-NEXT:          tir.store %6, %reduced[%x, %y] : memref<8x3xi32, "shared">
// CHECK-NEXT:        }
// CHECK-NEXT:        %7 = tir.load %reduced[%x, 0] : memref<8x3xi32, "shared">
// CHECK-NEXT:        tir.store %7, %B[%y, %x] : memref<3x8xi32>
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @columns(%A: memref<3x8xi32>, %B: memref<3x8xi32>) {
  tir.for %y in 3 thread "threadIdx.y" {
    tir.for %x in 8 thread "threadIdx.x" {
      %0 = tir.load %A[%y, %x] : memref<3x8xi32>
      %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.y"] by (%a: i32) (%b: i32) identity [0 : i32] {
        %2 = arith.addi %a, %b : i32
        tir.yield %2 : i32
      }
      tir.store %1, %B[%y, %x] : memref<3x8xi32>
    }
  }
  func.return
}

// The user's combiner has the values in the order of the threads. One thread: nothing to do.
// CHECK-LABEL: func.func @ordered(%A: memref<2xf32>, %B: memref<2xf32>) {
// CHECK-NEXT:    tir.for %x in 2 thread "threadIdx.x" {
// CHECK-NEXT:      %0 = tir.load %A[%x] : memref<2xf32>
// CHECK-NEXT:      %1 = arith.constant 32 : i32
// CHECK-NEXT:      %2 = arith.constant 1 : i32
// CHECK-NEXT:      %3, %4 = gpu.shuffle xor %0, %2, %1 : f32
// CHECK-NEXT:      %5 = tir.apply (%x)
// CHECK-NEXT:      %6 = arith.constant 0 : index
// CHECK-NEXT:      %7 = arith.cmpi eq, %5, %6 : index
// CHECK-NEXT:      %8 = arith.select %7, %0, %3 : f32
// CHECK-NEXT:      %9 = arith.select %7, %3, %0 : f32
// CHECK-NEXT:      %10 = arith.cmpf oge, %8, %9 : f32
// CHECK-NEXT:      %11 = arith.select %10, %8, %9 : f32
// CHECK-NEXT:      tir.store %11, %B[%x] : memref<2xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @ordered(%A: memref<2xf32>, %B: memref<2xf32>) {
  tir.for %x in 2 thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<2xf32>
    %1 = tir.thread_allreduce "f" (%0) over ["threadIdx.x", "threadIdx.y"] by (%a: f32) (%b: f32) identity [0.0 : f32] {
      %2 = arith.cmpf oge, %a, %b : f32
      %3 = arith.select %2, %a, %b : f32
      tir.yield %3 : f32
    }
    %4 = tir.thread_allreduce "f" (%1) over ["threadIdx.y"] by (%a: f32) (%b: f32) identity [0.0 : f32] {
      %5 = arith.addf %a, %b : f32
      tir.yield %5 : f32
    }
    tir.store %4, %B[%x] : memref<2xf32>
  }
  func.return
}

// A number of threads that the launch gives: halves of as many as a block can have.
// CHECK-LABEL: func.func @dynamic(
// CHECK:         tir.for %x in %n thread "threadIdx.x" {
// CHECK-NEXT:      %reduced = tir.alloc "reduced" (%n) : memref<?xi32, "shared">
// CHECK-NEXT:      %0 = tir.load %A[%x] : memref<?xi32>
// CHECK-NEXT:      tir.store %0, %reduced[%x] : memref<?xi32, "shared">
// CHECK-NEXT:      tir.if (%x < 512, %x < %n - 512) {
// CHECK-NEXT:        %1 = tir.load %reduced[%x] : memref<?xi32, "shared">
// CHECK-NEXT:        %2 = tir.load %reduced[%x + 512] : memref<?xi32, "shared">
// CHECK-NEXT:        %3 = arith.addi %1, %2 : i32
// CHECK-NEXT:        tir.store %3, %reduced[%x] : memref<?xi32, "shared">
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.if (%x < 256, %x < %n - 256) {
// CHECK:           tir.if (%x < 1, %x < %n - 1) {
// CHECK:           %[[R:[0-9]+]] = tir.load %reduced[0] : memref<?xi32, "shared">
// CHECK-NEXT:      tir.store %[[R]], %A[%x] : memref<?xi32>
func.func @dynamic(%A: memref<?xi32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %x in %n thread "threadIdx.x" {
    %0 = tir.load %A[%x] : memref<?xi32>
    %1 = tir.thread_allreduce "add" (%0) over ["threadIdx.x"] by (%a: i32) (%b: i32) identity [0 : i32] {
      %2 = arith.addi %a, %b : i32
      tir.yield %2 : i32
    }
    tir.store %1, %A[%x] : memref<?xi32>
  }
  func.return
}
