// RUN: kc-opt %s --target="cuda -arch=sm_90a" --inject-software-pipeline | FileCheck %s

// Copies of boxes that are one step ahead: a ring of two mbarriers, made once. Iteration t uses slot
// t mod 2 in its phase t floordiv 2, and who reads waits for it.
// CHECK:      %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
// CHECK-NEXT: %S_full = tir.alloc "S_full" {tir.mbarriers} : memref<2xi64, "shared">
// CHECK-NEXT: tir.mbarrier_init %S_full : memref<2xi64, "shared">
// CHECK-NEXT: %[[T:.*]] = tir.apply (0)
// CHECK:      tir.mbarrier_expect %S_full[%[[T]] mod 2], 512 : memref<2xi64, "shared">
// CHECK-NEXT: %[[SLOT:.*]] = tir.view %S_full[%[[T]] mod 2] :
// CHECK-NEXT: tir.call @start(read %a, write %s, update %[[SLOT]]) {tir.async_copy} :
// CHECK-NEXT: tir.for %k in 7 {
// CHECK-NEXT:   %[[NEXT:.*]] = tir.apply (%k + 1)
// CHECK:        tir.mbarrier_expect %S_full[%[[NEXT]] mod 2], 512 : memref<2xi64, "shared">
// CHECK:        tir.call @start(
// CHECK-NEXT:   %[[NOW:.*]] = tir.apply (%k)
// CHECK-NEXT:   tir.mbarrier_wait %S_full[%[[NOW]] mod 2] phase [%[[NOW]] floordiv 2] : memref<2xi64, "shared">
// CHECK-NEXT:   tir.for %j in 32 thread "threadIdx.x" {
// CHECK:      %[[LAST:.*]] = tir.apply (7)
// CHECK-NEXT: tir.mbarrier_wait %S_full[%[[LAST]] mod 2] phase [%[[LAST]] floordiv 2] : memref<2xi64, "shared">
  func.func @f(%A: memref<64x32xf16>, %B: memref<64x32xf16>) {
    tir.for %b in 1 thread "blockIdx.x" {
      tir.for %k in 8 annotations {software_pipeline_stage = [0, 1], software_pipeline_async_stages = [0]} {
        %S = tir.alloc "S" : memref<8x32xf16, "shared">
        %a = tir.view %A[%k * 8, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
        %s = tir.view %S[0, 0] : memref<8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
        tir.call @copy(read %a, write %s) : (memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">)
        tir.for %j in 32 thread "threadIdx.x" {
          tir.for %i in 8 {
            %x = tir.load %S[%i, %j] : memref<8x32xf16, "shared">
            tir.store %x, %B[%k * 8 + %i, %j] : memref<64x32xf16>
          }
        }
      }
    }
    func.return
  }
  func.func private @copy(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.start = @start}
  func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">) attributes {kc.lanes = @lane}
  func.func private @lane(%A: memref<8x32xf16, strided<[?, 1], offset: ?>>, %C: memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, %B: memref<1xi64, strided<[1], offset: ?>, "shared">) {
    tir.load_box %A, %C, %B : memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
    func.return
  }
