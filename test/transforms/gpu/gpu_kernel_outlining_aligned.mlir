// RUN: kc-opt %s --gpu-kernel-outlining | FileCheck %s

// Memory of a block begins where the launch says.
// CHECK-LABEL: func.func @aligned(
// CHECK:         gpu.func @aligned_kernel() workgroup(%S: memref<64xf32, #gpu.address_space<workgroup>> {llvm.align = 1024 : i64}, %T: memref<8xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// CHECK:           %D = gpu.dynamic_shared_memory {llvm.align = 1024 : i64} : memref<?xi8, #gpu.address_space<workgroup>>
func.func @aligned(%c: index, %s: i32) {
  gpu.launch blocks(%a, %b, %d) in (%e = %c, %g = %c, %h = %c) threads(%i, %j, %k) in (%l = %c, %m = %c, %n = %c) dynamic_shared_memory_size %s workgroup(%S : memref<64xf32, #gpu.address_space<workgroup>>, %T : memref<8xf32, #gpu.address_space<workgroup>>) {
    %D = gpu.dynamic_shared_memory {llvm.align = 1024 : i64} : memref<?xi8, #gpu.address_space<workgroup>>
    gpu.terminator
  } {workgroup_alignments = array<i64: 1024, 16>}
  func.return
}
