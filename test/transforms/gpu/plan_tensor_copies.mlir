// RUN: kc-opt %s --target="cuda -arch=sm_90a" --plan-tensor-copies | FileCheck %s

// A copy that is in no pipeline is waited for where it stands; the phase is how often it was done.
// CHECK:      %S_full = tir.alloc "S_full" {tir.mbarriers} : memref<1xi64, "shared">
// CHECK-NEXT: tir.mbarrier_init %S_full : memref<1xi64, "shared">
// CHECK-NEXT: tir.for %k in 8 {
// CHECK:        tir.mbarrier_expect %S_full[%k mod 1], 512 : memref<1xi64, "shared">
// CHECK-NEXT:   %[[SLOT:.*]] = tir.view %S_full[%k mod 1] :
// CHECK-NEXT:   tir.call @start(read %a, write %s, update %[[SLOT]]) {tir.async_copy} :
// CHECK-NEXT:   tir.mbarrier_wait %S_full[%k mod 1] phase [%k floordiv 1] : memref<1xi64, "shared">
// CHECK-NEXT:   tir.for %j
// CHECK-NOT:  @copy
  func.func @f(%A: memref<64x32xf16>, %B: memref<64x32xf16>) {
    tir.for %b in 1 thread "blockIdx.x" {
      tir.for %k in 8 {
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
