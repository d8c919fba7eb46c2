// RUN: kc-opt %s --gpu-expand-collectives | FileCheck %s

// Whole warps combine by a butterfly, and what each has is in shared memory.
// CHECK-LABEL: gpu.func @block
// CHECK-SAME: (%A: memref<64xf32>) workgroup(%reduced: memref<32xf32, #gpu.address_space<workgroup>>) kernel
// CHECK-NEXT:      %t = gpu.thread_id x
// CHECK-NEXT:      %x = memref.load %A[%t] : memref<64xf32>
// CHECK-NEXT:      %0 = arith.constant 1 : i32
// CHECK-NEXT:      %1 = arith.constant 32 : i32
// CHECK-NEXT:      %2, %3 = gpu.shuffle xor %x, %0, %1 : f32
// CHECK-NEXT:      %4 = arith.addf %x, %2 : f32
// CHECK-COUNT-4:   gpu.shuffle xor
// CHECK-NEXT:      %24 = arith.addf %19, %22 : f32
// CHECK-NEXT:      %25 = arith.constant 0 : index
// CHECK-NEXT:      %26 = gpu.lane_id
// CHECK-NEXT:      %27 = arith.cmpi eq, %26, %25 : index
// CHECK-NEXT:      %28 = gpu.subgroup_id : index
// CHECK-NEXT:      %29 = gpu.num_subgroups : index
// CHECK-NEXT:      scf.if %27 {
// CHECK-NEXT:        memref.store %24, %reduced[%28] : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %30 = memref.load %reduced[%25] : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %31 = arith.constant 1 : index
// CHECK-NEXT:      %32 = arith.constant 1 : index
// CHECK-NEXT:      %r = scf.for %33 = %31 to %29 step %32 iter_args(%34 = %30) -> (f32) {
// CHECK-NEXT:        %35 = memref.load %reduced[%33] : memref<32xf32, #gpu.address_space<workgroup>>
// CHECK-NEXT:        %36 = arith.addf %34, %35 : f32
// CHECK-NEXT:        scf.yield %36 : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      memref.store %r, %A[%t] : memref<64xf32>

// A block that is one warp needs no memory; a warp that may lack lanes asks which there are.
// CHECK-LABEL: gpu.func @warp
// CHECK-SAME: (%A: memref<?xi32>) kernel
// CHECK-NOT:       gpu.barrier
// CHECK:           %[[THERE:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK-NEXT:      arith.select %[[THERE]], %{{.*}}, %{{.*}} : i32
// CHECK:           %r, %{{.*}} = gpu.shuffle idx %{{.*}}, %{{.*}}, %{{.*}} : i32

// CHECK-LABEL: gpu.func @lanes
// CHECK:           %0 = gpu.lane_id
// CHECK-NEXT:      %1 = arith.constant 3 : index
// CHECK-NEXT:      %2 = arith.addi %0, %1 : index
// CHECK-NEXT:      %3 = arith.constant 8 : index
// CHECK-NEXT:      %4 = arith.remui %2, %3 : index
// CHECK-NEXT:      %5 = arith.constant 8 : i32
// CHECK-NEXT:      %6 = arith.index_cast %4 : index to i32
// CHECK-NEXT:      %r, %v = gpu.shuffle idx %x, %6, %5 : f32
// CHECK-NEXT:      %7 = arith.constant 32 : i32
// CHECK-NEXT:      %s, %8 = gpu.shuffle idx %r, %three, %7 : f32

// A combiner with branches stays.
// CHECK-LABEL: gpu.func @branches
// CHECK:           gpu.all_reduce %x {
gpu.module @m {
  gpu.func @block(%A: memref<64xf32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<64xf32>
    %r = gpu.all_reduce add %x {} : (f32) -> (f32)
    memref.store %r, %A[%t] : memref<64xf32>
    gpu.return
  }
  gpu.func @warp(%A: memref<?xi32>) kernel attributes {known_block_size = array<i32: 20, 1, 1>} {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<?xi32>
    %r = gpu.all_reduce maxsi %x {} : (i32) -> (i32)
    memref.store %r, %A[%t] : memref<?xi32>
    gpu.return
  }
  gpu.func @lanes(%A: memref<?xf32>) kernel {
    %three = arith.constant 3 : i32
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<?xf32>
    %r, %v = gpu.rotate %x, 3, 8 : f32
    %s = gpu.subgroup_broadcast %r, specific_lane %three : f32
    memref.store %s, %A[%t] : memref<?xf32>
    gpu.return
  }
  gpu.func @branches(%A: memref<?xi32>) kernel {
    %t = gpu.thread_id x
    %x = memref.load %A[%t] : memref<?xi32>
    %r = gpu.all_reduce %x {
    ^bb0(%y: i32, %z: i32):
      %less = arith.cmpi slt, %y, %z : i32
      cf.cond_br %less, ^bb1, ^bb2
    ^bb1:
      gpu.yield %y : i32
    ^bb2:
      gpu.yield %z : i32
    } : (i32) -> (i32)
    memref.store %r, %A[%t] : memref<?xi32>
    gpu.return
  }
}
