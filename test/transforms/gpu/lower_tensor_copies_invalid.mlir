// RUN: not kc-opt %s --target="cuda -arch=sm_90a" --split-input-file --lower-tensor-copies 2>&1 >/dev/null | FileCheck %s

// CHECK:      error[KC4250]: lower-tensor-copies: boxes of 8 x 32 of A cannot be copied as a whole
// CHECK:      why: the box depends on threadIdx.x, but one thread copies it for the whole block
// CHECK:      error[KC4250]: lower-tensor-copies: boxes of 8 x 32 of A cannot be copied as a whole
// CHECK:      why: the stride of dimension 0 of A is known only at the call, but must be a multiple of 16 bytes

// One thread copies for its block.
func.func @f(%A: memref<64x32xf16>, %B: memref<64x32xf16>) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %j in 32 thread "threadIdx.x" {
      %S_full = tir.alloc "S_full" {tir.mbarriers} : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<8x32xf16, "shared">
      tir.mbarrier_init %S_full : memref<1xi64, "shared">
      tir.for %k in 8 {
        %a = tir.view %A[%j, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
        %s = tir.view %S[0, 0] : memref<8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
        tir.mbarrier_expect %S_full[%k mod 1], 512 : memref<1xi64, "shared">
        %0 = tir.view %S_full[%k mod 1] : memref<1xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
        gpu.barrier
        tir.load_box %a, %s, %0 : memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
        tir.mbarrier_wait %S_full[%k mod 1] phase [%k floordiv 1] : memref<1xi64, "shared">
        tir.for %i in 8 {
          %x = tir.load %S[%i, %j] : memref<8x32xf16, "shared">
          tir.store %x, %B[%k * 8 + %i, %j] : memref<64x32xf16>
        }
      }
    }
  }
  func.return
}

// -----

// The call says how far rows are apart.
func.func @f(%A: memref<64x?xf16>, %B: memref<64x32xf16>) {
  tir.for %b in 1 thread "blockIdx.x" {
    tir.for %j in 32 thread "threadIdx.x" {
      %S_full = tir.alloc "S_full" {tir.mbarriers} : memref<1xi64, "shared">
      %S = tir.alloc "S" : memref<8x32xf16, "shared">
      tir.mbarrier_init %S_full : memref<1xi64, "shared">
      tir.for %k in 8 {
        %a = tir.view %A[%k * 8, 0] : memref<64x?xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
        %s = tir.view %S[0, 0] : memref<8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
        tir.mbarrier_expect %S_full[%k mod 1], 512 : memref<1xi64, "shared">
        %0 = tir.view %S_full[%k mod 1] : memref<1xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
        gpu.barrier
        tir.load_box %a, %s, %0 : memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">
        tir.mbarrier_wait %S_full[%k mod 1] phase [%k floordiv 1] : memref<1xi64, "shared">
        tir.for %i in 8 {
          %x = tir.load %S[%i, %j] : memref<8x32xf16, "shared">
          tir.store %x, %B[%k * 8 + %i, %j] : memref<64x32xf16>
        }
      }
    }
  }
  func.return
}
