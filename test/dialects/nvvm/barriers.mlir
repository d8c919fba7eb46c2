// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// Barriers of blocks, warps and clusters.
// CHECK-LABEL: llvm.func @barriers
llvm.func @barriers(%i: i32, %j: i32) {
  // CHECK: nvvm.barrier0
  // GENERIC: "nvvm.barrier0"() : () -> ()
  nvvm.barrier0
  // CHECK: nvvm.barrier0 {note}
  // GENERIC: "nvvm.barrier0"() {note} : () -> ()
  nvvm.barrier0 {note}
  // CHECK: nvvm.barrier
  // GENERIC: "nvvm.barrier"() <{operandSegmentSizes = array<i32: 0, 0, 0>}> : () -> ()
  nvvm.barrier
  // CHECK: nvvm.barrier id = %i
  // GENERIC: "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i32) -> ()
  nvvm.barrier id = %i
  // CHECK: nvvm.barrier id = %i number_of_threads = %j
  // GENERIC: "nvvm.barrier"(%i, %j) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (i32, i32) -> ()
  nvvm.barrier id = %i number_of_threads = %j
  // CHECK: %{{.*}} = nvvm.barrier #nvvm.reduction<popc> %i -> i32
  // GENERIC: %{{.*}} = "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>, reductionOp = #nvvm.reduction<popc>}> : (i32) -> i32
  %0 = nvvm.barrier #nvvm.reduction<popc> %i -> i32
  // CHECK: %{{.*}} = nvvm.barrier #nvvm.reduction<and> %i -> i32
  // GENERIC: %{{.*}} = "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>, reductionOp = #nvvm.reduction<and>}> : (i32) -> i32
  %1 = nvvm.barrier #nvvm.reduction<and> %i -> i32
  // CHECK: %{{.*}} = nvvm.barrier #nvvm.reduction<or> %i -> i32 {note}
  // GENERIC: %{{.*}} = "nvvm.barrier"(%i) <{operandSegmentSizes = array<i32: 0, 0, 1>, reductionOp = #nvvm.reduction<or>}> {note} : (i32) -> i32
  %2 = nvvm.barrier #nvvm.reduction<or> %i -> i32 {note}
  // CHECK: nvvm.barrier.arrive number_of_threads = %i
  // GENERIC: "nvvm.barrier.arrive"(%i) : (i32) -> ()
  nvvm.barrier.arrive number_of_threads = %i
  // CHECK: nvvm.barrier.arrive id = %i number_of_threads = %j
  // GENERIC: "nvvm.barrier.arrive"(%i, %j) : (i32, i32) -> ()
  nvvm.barrier.arrive id = %i number_of_threads = %j
  // CHECK: nvvm.barrier.arrive id = %i number_of_threads = %j {note}
  // GENERIC: "nvvm.barrier.arrive"(%i, %j) {note} : (i32, i32) -> ()
  nvvm.barrier.arrive id = %i number_of_threads = %j {note}
  // CHECK: nvvm.bar.warp.sync %i : i32
  // GENERIC: "nvvm.bar.warp.sync"(%i) : (i32) -> ()
  nvvm.bar.warp.sync %i : i32
  // CHECK: nvvm.cluster.arrive
  // GENERIC: "nvvm.cluster.arrive"() : () -> ()
  nvvm.cluster.arrive
  // CHECK: nvvm.cluster.arrive {aligned}
  // GENERIC: "nvvm.cluster.arrive"() <{aligned}> : () -> ()
  nvvm.cluster.arrive {aligned}
  // CHECK: nvvm.cluster.arrive.relaxed
  // GENERIC: "nvvm.cluster.arrive.relaxed"() : () -> ()
  nvvm.cluster.arrive.relaxed
  // CHECK: nvvm.cluster.arrive.relaxed {aligned}
  // GENERIC: "nvvm.cluster.arrive.relaxed"() <{aligned}> : () -> ()
  nvvm.cluster.arrive.relaxed {aligned}
  // CHECK: nvvm.cluster.wait
  // GENERIC: "nvvm.cluster.wait"() : () -> ()
  nvvm.cluster.wait
  // CHECK: nvvm.cluster.wait {aligned}
  // GENERIC: "nvvm.cluster.wait"() <{aligned}> : () -> ()
  nvvm.cluster.wait {aligned}
  llvm.return
}
