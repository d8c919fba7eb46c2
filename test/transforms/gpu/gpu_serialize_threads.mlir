// RUN: kc-opt %s --split-input-file --gpu-serialize-threads | FileCheck %s

// What is uniform is computed once, what follows from the number of a thread where it is used, and
// the rest is kept. Memory that is used between two barriers alone serves one thread after another.
// CHECK-LABEL: gpu.func @exchange
// CHECK-SAME: (%A: memref<4x64xf32>) workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>>) kernel attributes {kc.serial_threads, known_block_size = array<i32: 64, 1, 1>} {
// CHECK-NEXT:      %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = arith.constant 32 : index
// CHECK-NEXT:      %3 = arith.constant 64 : index
// CHECK-NEXT:      %L = memref.alloca() : memref<2xf32>
// CHECK-NEXT:      %P = memref.alloc() : memref<64x2xf32>
// CHECK-NEXT:      %4 = memref.alloc() : memref<64xf32>
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c63 = arith.constant 63 : index
// CHECK-NEXT:      %b = gpu.block_id x
// CHECK-NEXT:      scf.for %tid_x = %0 to %3 step %1 {
// CHECK-NEXT:        %5 = memref.load %A[%b, %tid_x] : memref<4x64xf32>
// CHECK-NEXT:        memref.store %5, %4[%tid_x] : memref<64xf32>
// CHECK-NEXT:        memref.store %5, %S[%tid_x] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:        memref.store %5, %P[%tid_x, %c0] : memref<64x2xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %tid_x_1 = %0 to %3 step %1 {
// CHECK-NEXT:        %6 = arith.subi %c63, %tid_x_1 : index
// CHECK-NEXT:        %7 = memref.load %4[%tid_x_1] : memref<64xf32>
// CHECK-NEXT:        %8 = memref.load %S[%6] : memref<64xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:        memref.store %8, %L[%c0] : memref<2xf32>
// CHECK-NEXT:        %9 = memref.load %L[%c0] : memref<2xf32>
// CHECK-NEXT:        %10 = memref.load %P[%tid_x_1, %c0] : memref<64x2xf32>
// CHECK-NEXT:        %11 = arith.addf %9, %10 : f32
// CHECK-NEXT:        %12 = arith.addf %11, %7 : f32
// CHECK-NEXT:        memref.store %12, %A[%b, %tid_x_1] : memref<4x64xf32>
// CHECK-NEXT:      }
// CHECK-NEXT:      memref.dealloc %P : memref<64x2xf32>
// CHECK-NEXT:      memref.dealloc %4 : memref<64xf32>
// CHECK-NEXT:      gpu.return
// CHECK-NEXT:    }
gpu.module @m {
  gpu.func @exchange(%A: memref<4x64xf32>) workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>) private(%L : memref<2xf32, #gpu.address_space<private>>, %P : memref<2xf32, #gpu.address_space<private>>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c63 = arith.constant 63 : index
    %b = gpu.block_id x
    %t = gpu.thread_id x
    %0 = memref.load %A[%b, %t] : memref<4x64xf32>
    memref.store %0, %S[%t] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %0, %P[%c0] : memref<2xf32, #gpu.address_space<private>>
    %1 = arith.subi %c63, %t : index
    gpu.barrier
    %2 = memref.load %S[%1] : memref<64xf32, #gpu.address_space<workgroup>>
    memref.store %2, %L[%c0] : memref<2xf32, #gpu.address_space<private>>
    %3 = memref.load %L[%c0] : memref<2xf32, #gpu.address_space<private>>
    %4 = memref.load %P[%c0] : memref<2xf32, #gpu.address_space<private>>
    %5 = arith.addf %3, %4 : f32
    %6 = arith.addf %5, %0 : f32
    memref.store %6, %A[%b, %t] : memref<4x64xf32>
    gpu.return
  }
}
// -----
// A loop that all threads take alike stays around loops over them; what an iteration gives to the
// next one is kept. Lanes keep values first, and read those of others then. The size of a block is
// that of the launch.
// CHECK-LABEL: gpu.func @sum
// CHECK:           %0 = arith.constant 0 : index
// CHECK-NEXT:      %1 = arith.constant 1 : index
// CHECK-NEXT:      %2 = gpu.block_dim x
// CHECK-NEXT:      %3 = gpu.block_dim y
// CHECK-NEXT:      %4 = gpu.block_dim z
// CHECK-NEXT:      %5 = arith.muli %2, %3 : index
// CHECK-NEXT:      %6 = arith.muli %5, %4 : index
// CHECK-NEXT:      %7 = arith.constant 32 : index
// CHECK-NEXT:      %acc = memref.alloc(%6) : memref<?xf32>
// CHECK-NEXT:      %s = memref.alloc(%6) : memref<?xf32>
// CHECK-NEXT:      %c0 = arith.constant 0 : index
// CHECK-NEXT:      %c1 = arith.constant 1 : index
// CHECK-NEXT:      %one = arith.constant 1 : i32
// CHECK-NEXT:      %w = arith.constant 32 : i32
// CHECK-NEXT:      scf.for %tid_z = %0 to %4 step %1 {
// CHECK-NEXT:        scf.for %tid_y = %0 to %3 step %1 {
// CHECK-NEXT:          %8 = arith.muli %tid_z, %3 : index
// CHECK-NEXT:          %9 = arith.addi %8, %tid_y : index
// CHECK-NEXT:          scf.for %tid_x = %0 to %2 step %1 {
// CHECK-NEXT:            %10 = arith.muli %9, %2 : index
// CHECK-NEXT:            %11 = arith.addi %10, %tid_x : index
// CHECK-NEXT:            %x = memref.load %A[%tid_x] : memref<?xf32>
// CHECK-NEXT:            memref.store %x, %acc[%11] : memref<?xf32>
// CHECK-NEXT:          }
// CHECK-NEXT:        }
// CHECK-NEXT:      }
// CHECK-NEXT:      scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:        scf.for %tid_z_1 = %0 to %4 step %1 {
// CHECK:               %[[OWN:[0-9]+]] = arith.addi %{{[0-9]+}}, %tid_x_1 : index
// CHECK-NEXT:          %acc_1 = memref.load %acc[%[[OWN]]] : memref<?xf32>
// CHECK:               %[[INSIDE:[0-9]+]] = arith.cmpi ult, %[[DOWN:[0-9]+]], %6 : index
// CHECK-NEXT:          %[[VALID:[0-9]+]] = arith.andi %{{[0-9]+}}, %[[INSIDE]] : i1
// CHECK-NEXT:          %[[READ:[0-9]+]] = arith.select %[[VALID]], %[[DOWN]], %[[OWN]] : index
// CHECK-NEXT:          %acc_2 = memref.load %acc[%[[READ]]] : memref<?xf32>
// CHECK-NEXT:          %s_1 = arith.addf %acc_1, %acc_2 : f32
// CHECK-NEXT:          memref.store %s_1, %s[%[[OWN]]] : memref<?xf32>
// CHECK:             scf.for %tid_z_2 = %0 to %4 step %1 {
// CHECK:               %[[NEXT:[0-9]+]] = arith.addi %{{[0-9]+}}, %tid_x_2 : index
// CHECK-NEXT:          %s_2 = memref.load %s[%[[NEXT]]] : memref<?xf32>
// CHECK-NEXT:          memref.store %s_2, %acc[%[[NEXT]]] : memref<?xf32>
// CHECK:           scf.for %tid_z_3 = %0 to %4 step %1 {
// CHECK:             %[[LAST:[0-9]+]] = arith.addi %{{[0-9]+}}, %tid_x_3 : index
// CHECK-NEXT:        %r = memref.load %acc[%[[LAST]]] : memref<?xf32>
// CHECK-NEXT:        memref.store %r, %A[%tid_x_3] : memref<?xf32>
gpu.module @m {
  gpu.func @sum(%A: memref<?xf32>, %n: index) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1 : i32
    %w = arith.constant 32 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<?xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (f32) {
      %y, %valid = gpu.shuffle down %acc, %one, %w : f32
      %s = arith.addf %acc, %y : f32
      scf.yield %s : f32
    }
    memref.store %r, %A[%t] : memref<?xf32>
    gpu.return
  }
}
// -----
// Left alone: threads that do not wait, that wait where a condition is not the same in all, and in a
// loop that is not counted.
// CHECK-LABEL: gpu.func @alone
// CHECK-SAME: (%A: memref<64xf32>) kernel {
// CHECK-LABEL: gpu.func @some
// CHECK-SAME: (%A: memref<64xf32>) kernel {
// CHECK:         gpu.barrier
// CHECK-LABEL: gpu.func @until
// CHECK-SAME: (%A: memref<64xf32>) kernel {
// CHECK:         gpu.barrier
gpu.module @m {
  gpu.func @alone(%A: memref<64xf32>) kernel {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    memref.store %x, %A[%t] : memref<64xf32>
    gpu.return
  }
  gpu.func @some(%A: memref<64xf32>) kernel {
    %c32 = arith.constant 32 : index
    %t = gpu.thread_id x
    %few = arith.cmpi ult, %t, %c32 : index
    scf.if %few {
      gpu.barrier
    }
    gpu.return
  }
  gpu.func @until(%A: memref<64xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %n = scf.while (%i = %c0) : (index) -> index {
      %more = arith.cmpi ult, %i, %c4 : index
      scf.condition(%more) %i : index
    } do {
    ^bb0(%i: index):
      gpu.barrier
      %next = arith.addi %i, %c1 : index
      scf.yield %next : index
    }
    gpu.return
  }
}
