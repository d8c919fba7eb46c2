// RUN: kc-opt %s --target="cuda -arch=sm_90a" --inject-software-pipeline | FileCheck %s

// Warps of their own are to copy: iterations stay in order, with versions and a ring. Both go on
// from one tile to the next, as who copies does.
// CHECK:      %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
// CHECK:      tir.for %k in 7 {
// CHECK:        tir.view %S[(%t + %k) mod 2, 0, 0]
// CHECK-NEXT:   tir.mbarrier_expect %S_full[(%t * 7 + %k) mod 2], 512 : memref<2xi64, "shared">
// CHECK:        tir.call @start({{.*}}
// CHECK-NEXT:   tir.mbarrier_wait %S_full[(%t * 7 + %k) mod 2] phase [(%t * 7 + %k) floordiv 2] : memref<2xi64, "shared">
// CHECK:          tir.load %S[(%t + %k) mod 2, %i, %j]
  func.func @f(%A: memref<64x32xf16>, %B: memref<64x32xf16>) {
    tir.for %b in 1 thread "blockIdx.x" {
      tir.for %t in 3 {
      tir.for %k in 7 annotations {software_pipeline_stage = [0, 1], software_pipeline_async_stages = [0], software_pipeline_warp_specialize = true} {
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
    }
    func.return
  }
  func.func private @copy(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">) attributes {kc.start = @start}
  func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">) attributes {kc.lanes = @lane}
  func.func private @lane(%A: memref<8x32xf16, strided<[?, 1], offset: ?>>, %C: memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, %B: memref<1xi64, strided<[1], offset: ?>, "shared">) {
    tir.load_box %A, %C, %B : memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
    func.return
  }
