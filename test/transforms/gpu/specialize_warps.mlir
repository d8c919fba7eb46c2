// RUN: kc-opt %s --target="cuda -arch=sm_90a" --specialize-warps | FileCheck %s

// One more row of threads starts the copies, behind those who read what they overwrite; the others
// get registers of it. 384 threads begin with 168 registers each.
// CHECK:      tir.for %b in 4 thread "blockIdx.x" annotations {nvvm.minctasm = 1 : i32} {
// CHECK-NEXT:   tir.for %g in 3 thread "threadIdx.y" {
// CHECK-NEXT:     tir.for %t in 128 thread "threadIdx.x" {
// CHECK-NEXT:       %full = tir.alloc "S_full" {tir.mbarriers, tir.warp_specialized} : memref<2xi64, "shared">
// CHECK-NEXT:       %S_empty = tir.alloc "S_empty" {tir.mbarriers} : memref<2xi64, "shared">
// CHECK-NEXT:       %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
// CHECK-NEXT:       tir.mbarrier_init %full : memref<2xi64, "shared">
// CHECK-NEXT:       tir.mbarrier_init %S_empty, 8 : memref<2xi64, "shared">
// CHECK-NEXT:       tir.if (%g >= 2) attributes {tir.role = "producer"} {
// CHECK-NEXT:         nvvm.setmaxregister decrease 40
// CHECK-NEXT:         tir.for %k in 8 {
// CHECK-NEXT:           tir.mbarrier_wait %S_empty[%k mod 2] phase [%k floordiv 2 - 1] : memref<2xi64, "shared">
// CHECK-NEXT:           tir.mbarrier_expect %full[%k mod 2], 512 : memref<2xi64, "shared">
// CHECK-NEXT:           tir.view %full
// CHECK-NEXT:           tir.view %A[%k * 8, 0]
// CHECK-NEXT:           tir.view %S[%k mod 2, 0, 0]
// CHECK-NEXT:           tir.call @start({{.*}}
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.if (%g < 2) attributes {tir.role = "consumer"} {
// CHECK-NEXT:         nvvm.setmaxregister increase 232
// CHECK-NEXT:         tir.for %{{.*}} "k" in 8 {
// CHECK-NEXT:           tir.mbarrier_wait %full[
// CHECK-NEXT:           tir.load %S[{{.*}}
// CHECK-NEXT:           tir.mbarrier_arrive %S_empty[{{.*}}
// CHECK-NEXT:           tir.store {{.*}}
// CHECK-NEXT:         }
// CHECK-NEXT:       }
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        %full = tir.alloc "S_full" {tir.mbarriers, tir.warp_specialized} : memref<2xi64, "shared">
        %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
        tir.mbarrier_init %full : memref<2xi64, "shared">
        tir.for %k in 8 {
          tir.mbarrier_expect %full[%k mod 2], 512 : memref<2xi64, "shared">
          %bar = tir.view %full[%k mod 2] : memref<2xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
          %a = tir.view %A[%k * 8, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
          %s = tir.view %S[%k mod 2, 0, 0] : memref<2x8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
          tir.call @start(read %a, write %s, update %bar) {tir.async_copy} : (memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)
          tir.mbarrier_wait %full[%k mod 2] phase [%k floordiv 2] : memref<2xi64, "shared">
          %x = tir.load %S[%k mod 2, %t mod 8, %t floordiv 8] : memref<2x8x32xf16, "shared">
          tir.store %x, %B[%b, %k, %g * 128 + %t] : memref<4x8x256xf16>
        }
      }
    }
  }
  func.return
}
func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)
