// RUN: kc-opt %s --target="cuda -arch=sm_90a" --split-input-file --specialize-warps --verify-diagnostics

// There are no whole warps.
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 48 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
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
          %x = tir.load %S[%k mod 2, %t mod 8, %t mod 32] : memref<2x8x32xf16, "shared">
          tir.store %x, %B[%b, %k, %g * 128 + %t] : memref<4x8x256xf16>
        }
      }
    }
  }
  func.return
}
func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)

// -----

// More threads than a block has.
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x1024xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 8 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
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
          tir.store %x, %B[%b, %k, %g * 128 + %t] : memref<4x8x1024xf16>
        }
      }
    }
  }
  func.return
}
func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)

// -----

// A row along another axis.
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.z" {
      tir.for %t in 128 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
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

// -----

// Memory says which box it is.
func.func @f(%I: memref<8xindex>, %A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
        %full = tir.alloc "S_full" {tir.mbarriers, tir.warp_specialized} : memref<2xi64, "shared">
        %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
        tir.mbarrier_init %full : memref<2xi64, "shared">
        tir.for %k in 8 {
          %n = tir.load %I[%k] : memref<8xindex>
          tir.mbarrier_expect %full[%k mod 2], 512 : memref<2xi64, "shared">
          %bar = tir.view %full[%k mod 2] : memref<2xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
          %a = tir.view %A[%n, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
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

// -----

// A thread says whether it is copied.
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
        %full = tir.alloc "S_full" {tir.mbarriers, tir.warp_specialized} : memref<2xi64, "shared">
        %S = tir.alloc "S" : memref<2x8x32xf16, "shared">
        tir.mbarrier_init %full : memref<2xi64, "shared">
        tir.for %k in 8 {
          tir.mbarrier_expect %full[%k mod 2], 512 : memref<2xi64, "shared">
          %bar = tir.view %full[%k mod 2] : memref<2xi64, "shared"> to memref<1xi64, strided<[1], offset: ?>, "shared">
          %a = tir.view %A[%k * 8, 0] : memref<64x32xf16> to memref<8x32xf16, strided<[?, 1], offset: ?>>
          %s = tir.view %S[%k mod 2, 0, 0] : memref<2x8x32xf16, "shared"> to memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">
          tir.if (%t < 1) {
          tir.call @start(read %a, write %s, update %bar) {tir.async_copy} : (memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)
          }
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

// -----

// The last tile is read behind the loop.
func.func @f(%A: memref<64x32xf16>, %B: memref<4x8x256xf16>) {
  tir.for %b in 4 thread "blockIdx.x" {
    tir.for %g in 2 thread "threadIdx.y" {
      tir.for %t in 128 thread "threadIdx.x" {
        // expected-error@+1 {{KC4251: specialize-warps: separate warps cannot do the copies to S}}
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
        %y = tir.load %S[0, 0, 0] : memref<2x8x32xf16, "shared">
        tir.store %y, %B[%b, 0, %g * 128 + %t] : memref<4x8x256xf16>
      }
    }
  }
  func.return
}
func.func private @start(memref<8x32xf16, strided<[?, 1], offset: ?>>, memref<8x32xf16, strided<[?, 1], offset: ?>, "shared">, memref<1xi64, strided<[1], offset: ?>, "shared">)
