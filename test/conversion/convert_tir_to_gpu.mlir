// RUN: kc-opt %s --convert-tir-to-gpu --target=cuda | FileCheck %s

// Loops of threads become a launch, buffers memory of the block and of the thread.
// CHECK-LABEL: func.func @exchange(%A: memref<4x64xf32>, %B: memref<4x64xf32>) {
// CHECK-NEXT:    %0 = arith.constant 1 : index
// CHECK-NEXT:    %1 = arith.constant 4 : index
// CHECK-NEXT:    %2 = arith.constant 64 : index
// CHECK-NEXT:    gpu.launch blocks(%b, %by, %bz) in (%grid_x = %1, %grid_y = %0, %grid_z = %0) threads(%i, %ty, %tz) in (%block_x = %2, %block_y = %0, %block_z = %0) module(@kernels) function(@exchange_kernel) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>) private(%L: memref<1xf32, #gpu.address_space<private>>) {
// CHECK-NEXT:      %3 = tir.load %A[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:      tir.store %3, %S[%i] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      tir.store %3, %L[0] : memref<1xf32, #gpu.address_space<private>>
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %4 = tir.load %S[%i * -1 + 63] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      tir.store %4, %B[%b, %i] : memref<4x64xf32>
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @exchange(%A: memref<4x64xf32>, %B: memref<4x64xf32>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %i in 64 thread "threadIdx.x" {
      %S = tir.alloc "S" : memref<64xf32, "shared">
      %L = tir.alloc "L" : memref<1xf32, "local">
      %0 = tir.load %A[%b, %i] : memref<4x64xf32>
      tir.store %0, %S[%i] : memref<64xf32, "shared">
      tir.store %0, %L[0] : memref<1xf32, "local">
      gpu.barrier
      %1 = tir.load %S[63 - %i] : memref<64xf32, "shared">
      tir.store %1, %B[%b, %i] : memref<4x64xf32>
    }
  }
  func.return
}

// A grid that may be empty is not launched; loops around a kernel are host code; memory between
// kernels is the device's.
// CHECK-LABEL: func.func @steps(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
// CHECK-NEXT:    %n = tir.symbol "n"
// CHECK-NEXT:    %G = gpu.alloc (%n) : memref<?xf32>
// CHECK-NEXT:    tir.for %k in 3 {
// CHECK-NEXT:      %0 = arith.constant 1 : index
// CHECK-NEXT:      tir.if (%n >= 1) {
// CHECK-NEXT:        gpu.launch blocks(%b, %by, %bz) in (%grid_x = %n, %grid_y = %0, %grid_z = %0) threads(%tx, %ty, %tz) in (%block_x = %0, %block_y = %0, %block_z = %0) module(@kernels) function(@steps_kernel) {
// CHECK-NEXT:          %1 = tir.load %A[%b] : memref<?xf32>
// CHECK-NEXT:          tir.store %1, %G[%b] : memref<?xf32>
// CHECK-NEXT:          gpu.terminator
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      tir.if (%n >= 1) {
// CHECK-NEXT:        gpu.launch blocks(%bx, %c, %bz) in (%grid_x = %1, %grid_y = %n, %grid_z = %1) threads(%tx, %ty, %tz) in (%block_x = %1, %block_y = %1, %block_z = %1) module(@kernels) function(@steps_kernel) {
// CHECK-NEXT:          %2 = tir.load %G[%c] : memref<?xf32>
// CHECK-NEXT:          tir.store %2, %A[%c] : memref<?xf32>
// CHECK-NEXT:          gpu.terminator
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:    }
// CHECK-NEXT:    gpu.dealloc %G : memref<?xf32>
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @steps(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %G = tir.alloc "G"(%n) : memref<?xf32>
  tir.for %k in 3 parallel {
    tir.for %b in %n thread "blockIdx.x" {
      %0 = tir.load %A[%b] : memref<?xf32>
      tir.store %0, %G[%b] : memref<?xf32>
    }
    tir.for %c in %n thread "blockIdx.y" {
      %0 = tir.load %G[%c] : memref<?xf32>
      tir.store %0, %A[%c] : memref<?xf32>
    }
  }
  func.return
}

// Dynamic shared memory: parts at multiples of 16 bytes.
// CHECK-LABEL: func.func @dynamic(%A: memref<8xf32>) {
// CHECK-NEXT:    %0 = arith.constant 1 : index
// CHECK-NEXT:    %1 = arith.constant 8 : index
// CHECK-NEXT:    %2 = arith.constant 48 : i32
// CHECK-NEXT:    gpu.launch blocks(%bx, %by, %bz) in (%grid_x = %0, %grid_y = %0, %grid_z = %0) threads(%i, %ty, %tz) in (%block_x = %1, %block_y = %0, %block_z = %0) dynamic_shared_memory_size %2 module(@kernels) function(@dynamic_kernel) {
// CHECK-NEXT:      %3 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %S = memref.view %3[%4][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<3xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %5 = arith.constant 16 : index
// CHECK-NEXT:      %T = memref.view %3[%5][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %6 = tir.load %A[%i] : memref<8xf32>
// CHECK-NEXT:      tir.store %6, %S[0] : memref<3xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      tir.store %6, %T[%i] : memref<8xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @dynamic(%A: memref<8xf32>) {
  tir.for %i in 8 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<3xf32, "shared.dyn">
    %T = tir.alloc "T" : memref<8xf32, "shared.dyn">
    %0 = tir.load %A[%i] : memref<8xf32>
    tir.store %0, %S[0] : memref<3xf32, "shared.dyn">
    tir.store %0, %T[%i] : memref<8xf32, "shared.dyn">
  }
  func.return
}

// More than 48 KiB of shared memory is dynamic.
// CHECK-LABEL: func.func @large(%A: memref<8xf32>) {
// CHECK-NEXT:    %0 = arith.constant 1 : index
// CHECK-NEXT:    %1 = arith.constant 8 : index
// CHECK-NEXT:    %2 = arith.constant 49168 : i32
// CHECK-NEXT:    gpu.launch blocks(%bx, %by, %bz) in (%grid_x = %0, %grid_y = %0, %grid_z = %0) threads(%i, %ty, %tz) in (%block_x = %1, %block_y = %0, %block_z = %0) dynamic_shared_memory_size %2 module(@kernels) function(@large_kernel) {
// CHECK-NEXT:      %3 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %4 = arith.constant 0 : index
// CHECK-NEXT:      %S = memref.view %3[%4][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<12289xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %5 = tir.load %A[%i] : memref<8xf32>
// CHECK-NEXT:      tir.store %5, %S[%i] : memref<12289xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @large(%A: memref<8xf32>) {
  tir.for %i in 8 thread "threadIdx.x" {
    %S = tir.alloc "S" : memref<12289xf32, "shared">
    %0 = tir.load %A[%i] : memref<8xf32>
    tir.store %0, %S[%i] : memref<12289xf32, "shared">
  }
  func.return
}

// The host computes how many bytes of dynamic memory there are, and where a buffer begins behind one
// whose size it knows; a constant one is the first.
// CHECK-LABEL: func.func @rows(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
// CHECK-NEXT:    %n = tir.symbol "n"
// CHECK-NEXT:    %0 = arith.constant 1 : index
// CHECK-NEXT:    %1 = arith.constant 8 : index
// CHECK-NEXT:    %2 = arith.constant 32 : index
// CHECK-NEXT:    %3 = arith.constant 2147483632 : index
// CHECK-NEXT:    %4 = arith.constant 0 : index
// CHECK-NEXT:    %5 = arith.constant 16 : index
// CHECK-NEXT:    %6 = arith.constant 15 : index
// CHECK-NEXT:    %7 = arith.constant 80 : index
// CHECK-NEXT:    %m = tir.apply (%n * 2)
// CHECK-NEXT:    %8 = arith.constant 2 : index
// CHECK-NEXT:    %9 = arith.minsi %m, %3 : index
// CHECK-NEXT:    %10 = arith.maxsi %9, %4 : index
// CHECK-NEXT:    %11 = arith.muli %8, %10 : index
// CHECK-NEXT:    %12 = arith.minsi %11, %3 : index
// CHECK-NEXT:    %13 = arith.addi %7, %12 : index
// CHECK-NEXT:    %14 = arith.addi %13, %6 : index
// CHECK-NEXT:    %15 = arith.divui %14, %5 : index
// CHECK-NEXT:    %16 = arith.muli %15, %5 : index
// CHECK-NEXT:    %17 = arith.minsi %16, %3 : index
// CHECK-NEXT:    %18 = arith.constant 12 : index
// CHECK-NEXT:    %19 = arith.minsi %n, %3 : index
// CHECK-NEXT:    %20 = arith.maxsi %19, %4 : index
// CHECK-NEXT:    %21 = arith.muli %18, %20 : index
// CHECK-NEXT:    %22 = arith.minsi %21, %3 : index
// CHECK-NEXT:    %23 = arith.addi %17, %22 : index
// CHECK-NEXT:    %24 = arith.addi %23, %6 : index
// CHECK-NEXT:    %25 = arith.divui %24, %5 : index
// CHECK-NEXT:    %26 = arith.muli %25, %5 : index
// CHECK-NEXT:    %27 = arith.minsi %26, %3 : index
// CHECK-NEXT:    %28 = arith.index_cast %27 : index to i32
// CHECK-NEXT:    gpu.launch blocks(%b, %by, %bz) in (%grid_x = %1, %grid_y = %0, %grid_z = %0) threads(%i, %ty, %tz) in (%block_x = %2, %block_y = %0, %block_z = %0) dynamic_shared_memory_size %28 module(@kernels) function(@rows_kernel) {
// CHECK-NEXT:      %29 = gpu.dynamic_shared_memory : memref<?xi8, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %30 = arith.constant 0 : index
// CHECK-NEXT:      %D = memref.view %29[%30][] : memref<?xi8, #gpu.address_space<workgroup>> to memref<20xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %S = memref.view %29[%7][%m] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %T = memref.view %29[%17][%n] : memref<?xi8, #gpu.address_space<workgroup>> to memref<?x3xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %m_1 = tir.apply (%n * 2)
// CHECK-NEXT:      %31 = tir.load %A[%i] : memref<?xf32>
// CHECK-NEXT:      %32 = arith.truncf %31 : f32 to f16
// CHECK-NEXT:      tir.store %32, %S[%i] : memref<?xf16, #gpu.address_space<workgroup>>
// CHECK-NEXT:      tir.store %31, %T[%i, 1] : memref<?x3xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      tir.store %31, %D[0] : memref<20xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      gpu.terminator
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
// CHECK-NEXT:  }
func.func @rows(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %b in 8 thread "blockIdx.x" {
    tir.for %i in 32 thread "threadIdx.x" {
      %m = tir.apply (%n * 2)
      %S = tir.alloc "S"(%m) : memref<?xf16, "shared">
      %T = tir.alloc "T"(%n) : memref<?x3xf32, "shared">
      %D = tir.alloc "D" : memref<20xf32, "shared.dyn">
      %0 = tir.load %A[%i] : memref<?xf32>
      %1 = arith.truncf %0 : f32 to f16
      tir.store %1, %S[%i] : memref<?xf16, "shared">
      tir.store %0, %T[%i, 1] : memref<?x3xf32, "shared">
      tir.store %0, %D[0] : memref<20xf32, "shared.dyn">
    }
  }
  func.return
}

// A function that a kernel calls takes memory of the block as the kernel has it.

// CHECK-LABEL: func.func @calls(
// CHECK:           tir.call @half(update %s) : (memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>)
// CHECK:       func.func private @half(%s: memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>) {
// CHECK-NEXT:    tir.call @half_of_two(update %s) : (memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>)
// CHECK:       func.func private @half_of_two(memref<4xf32, strided<[1], offset: ?>, #gpu.address_space<workgroup>>) -> ()
func.func @calls(%A: memref<8xf32>) {
  tir.for %b in 2 thread "blockIdx.x" {
    %S = tir.alloc "S" : memref<8xf32, "shared">
    tir.for %t in 2 thread "threadIdx.x" {
      %s = tir.view %S[%t * 4] : memref<8xf32, "shared"> to memref<4xf32, strided<[1], offset: ?>, "shared">
      tir.call @half(update %s) : (memref<4xf32, strided<[1], offset: ?>, "shared">)
    }
  }
  func.return
}
func.func private @half(%s: memref<4xf32, strided<[1], offset: ?>, "shared">) {
  tir.call @half_of_two(update %s) : (memref<4xf32, strided<[1], offset: ?>, "shared">)
  func.return
}
func.func private @half_of_two(memref<4xf32, strided<[1], offset: ?>, "shared">)
