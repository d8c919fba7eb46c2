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
