// Arguments get the layout of their strides; what they are used for stays as it is.
// RUN: kc-opt %s --apply-strides | FileCheck %s
// RUN: kc-opt %s --apply-strides | kc-opt | FileCheck %s
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %A: memref<8x64xf32, strided<[?, 1]>> {kc.strides = ["s0", 1 : i64]}
// CHECK-SAME: %B: memref<8x64xf32, strided<[128, 2]>> {kc.strides = [128 : i64, 2 : i64]}
// CHECK-SAME: %C: memref<8x64xf32>)
// CHECK: tir.load %A[%i, %j] : memref<8x64xf32, strided<[?, 1]>>
// CHECK: tir.store %a, %B[%i, %j] : memref<8x64xf32, strided<[128, 2]>>
// CHECK: tir.store %a, %C[%i, %j] : memref<8x64xf32>

// The stride follows the pointer. Neighbours are a vector where the innermost stride is 1.
// LLVM-LABEL: llvm.func @rows(
// LLVM-SAME: %A: !llvm.ptr {{[^%]*}}, %A_size: i64, %B: !llvm.ptr {{[^%]*}}, %C: !llvm.ptr {{[^%]*}})
// LLVM: llvm.mul %{{.*}}, %A_size
// LLVM: llvm.load {{.*}} -> vector<8xf32>
// LLVM-COUNT-8: llvm.store %{{.*}} : f32, !llvm.ptr
// LLVM: llvm.store %{{.*}} : vector<8xf32>, !llvm.ptr
func.func @rows(%A: memref<8x64xf32> {kc.strides = ["s0", 1]}, %B: memref<8x64xf32> {kc.strides = [128, 2]}, %C: memref<8x64xf32>) {
  tir.for %i in 8 {
    tir.for %jo in 8 {
      tir.for %ji in 8 vectorized {
        %j = tir.apply (%jo * 8 + %ji)
        %a = tir.load %A[%i, %j] : memref<8x64xf32>
        tir.store %a, %B[%i, %j] : memref<8x64xf32>
        tir.store %a, %C[%i, %j] : memref<8x64xf32>
      }
    }
  }
  func.return
}
