// RUN: kc-opt %s --gpu-to-llvm | FileCheck %s

// A map is 128 bytes of the host, which the driver fills: type 6 (f16), two dimensions, a swizzle of
// 128 bytes, fetched by 256. The launch gets its place, and a bit that says so.
// CHECK:       %map = llvm.alloca %{{.*}} x i64 {alignment = 64 : i64} : (i64) -> !llvm.ptr
// CHECK:       %[[FORM:.*]] = llvm.mlir.constant(50528774 : i64) : i64
// CHECK:       llvm.call @kc_gpu_tensor_map(%record, %map, %A, %[[FORM]], %[[COLUMNS:.*]], %[[ROWS:.*]], %[[ONE:.*]], %[[ONE]], %[[ONE]], %[[BYTES:.*]], %[[NONE:.*]], %[[NONE]], %[[NONE]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) :
// CHECK:       llvm.store %map, %words : !llvm.ptr, !llvm.ptr
// CHECK:       llvm.call @kc_gpu_launch_with_maps(%record, %{{.*}}, %words, %{{.*}}, %[[MAPS:.*]]) :
module attributes {gpu.container_module} {
  func.func @f(%A: memref<100x128xf16>) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    %all = memref.cast %A : memref<100x128xf16> to memref<*xf16>
    %map = nvgpu.tma.create.descriptor %all box[%c64, %c64] : memref<*xf16> -> <tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%map : !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>)
    func.return
  }
  gpu.module @m {
    gpu.func @k(%A: !nvgpu.tensormap.descriptor<tensor = memref<64x64xf16, #gpu.address_space<workgroup>>, swizzle = swizzle_128b, l2promo = l2promo_256b, oob = zero, interleave = none>) kernel {
      gpu.return
    }
  }
}
