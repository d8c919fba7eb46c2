// RUN: kc-opt %s --convert-nvvm-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @k
// CHECK:           %t = gpu.thread_id x
// CHECK-NEXT:      %t_1 = arith.index_cast %t : index to i32
// CHECK-NEXT:      %l = gpu.lane_id
// CHECK-NEXT:      %l_1 = arith.index_cast %l : index to i32
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      gpu.barrier
// CHECK-NEXT:      %0 = arith.constant 16 : i32
// CHECK-NEXT:      %x, %v = gpu.shuffle xor %t_1, %l_1, %0 : i32
// CHECK-NEXT:      %[[ALL:.*]] = arith.constant -1 : i32
// CHECK-NEXT:      nvvm.bar.warp.sync %[[ALL]] : i32
// CHECK-NEXT:      %[[LANE:.*]] = gpu.lane_id
// CHECK-NEXT:      %[[ZERO:.*]] = arith.constant 0 : index
// CHECK-NEXT:      %e = arith.cmpi eq, %[[LANE]], %[[ZERO]] : index
// CHECK:           scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (i32) {
// CHECK:             gpu.shuffle idx
// CHECK:             arith.shli
// CHECK-NEXT:        arith.ori

// A barrier of some threads, a mask of some lanes, a clamp that no segment has, and copies stay.
// CHECK-LABEL: gpu.func @stays
// CHECK:           nvvm.barrier id = %c1 number_of_threads = %c32
// CHECK-NEXT:      nvvm.shfl.sync bfly %c1
// CHECK-NEXT:      nvvm.shfl.sync bfly %all
// CHECK-NEXT:      nvvm.cp.async.commit.group
gpu.module @m {
  gpu.func @k(%A: memref<?xi32>) kernel {
    %all = arith.constant -1 : i32
    %clamp = arith.constant 4127 : i32
    %t = nvvm.read.ptx.sreg.tid.x : i32
    %l = nvvm.read.ptx.sreg.laneid : i32
    nvvm.barrier0
    nvvm.barrier
    nvvm.memory.barrier <cta>
    %s = nvvm.shfl.sync bfly %all, %t, %l, %clamp {return_value_and_is_valid} : i32 -> !llvm.struct<(i32, i1)>
    %x = llvm.extractvalue %s[0] : !llvm.struct<(i32, i1)>
    %v = llvm.extractvalue %s[1] : !llvm.struct<(i32, i1)>
    %e = nvvm.elect.sync -> i1
    %p = arith.andi %e, %v : i1
    %r = nvvm.vote.sync ballot %all, %p -> i32
    %i = arith.index_cast %t : i32 to index
    %y = arith.addi %r, %x : i32
    memref.store %y, %A[%i] : memref<?xi32>
    gpu.return
  }
  gpu.func @stays() kernel {
    %all = arith.constant -1 : i32
    %c1 = arith.constant 1 : i32
    %c32 = arith.constant 32 : i32
    nvvm.barrier id = %c1 number_of_threads = %c32
    %x = nvvm.shfl.sync bfly %c1, %c32, %c1, %c32 : i32 -> i32
    %y = nvvm.shfl.sync bfly %all, %c32, %c1, %c32 : i32 -> i32
    nvvm.cp.async.commit.group
    gpu.return
  }
}
