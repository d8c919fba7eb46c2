// RUN: kc-opt %s --gpu-to-llvm | FileCheck %s

// A constant table is memory of the host: kernels get a copy of it, which ends with the block.
// CHECK-LABEL:   llvm.func @f(
// CHECK:           %[[TABLE:.*]] = llvm.mlir.addressof @table : !llvm.ptr
// CHECK:           %[[COPY:.*]] = llvm.call @kc_gpu_alloc(%record, %{{.*}}) : (!llvm.ptr, i64) -> !llvm.ptr
// CHECK:           llvm.call @kc_gpu_copy(%record, %[[COPY]], %[[TABLE]], %{{.*}}) : (!llvm.ptr, !llvm.ptr, !llvm.ptr, i64) -> ()
// CHECK:           llvm.store %[[COPY]], %{{.*}} : !llvm.ptr, !llvm.ptr
// CHECK:           llvm.call @kc_gpu_launch(
// CHECK:           llvm.call @kc_gpu_free(%record, %[[COPY]]) : (!llvm.ptr, !llvm.ptr) -> ()
// CHECK-NEXT:      llvm.return
module attributes {gpu.container_module} {
  memref.global "private" constant @table : memref<3xf32> = dense<[1.0, 2.0, 3.0]>
  func.func @f(%A: memref<3xf32>) {
    %c1 = arith.constant 1 : index
    %t = memref.get_global @table : memref<3xf32>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%A : memref<3xf32>, %t : memref<3xf32>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: memref<3xf32>, %t: memref<3xf32>) kernel {
      gpu.return
    }
  }
}
