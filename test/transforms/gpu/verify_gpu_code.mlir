// RUN: kc-opt %s --verify-gpu-code --target="cuda -arch=sm_60" --split-input-file --verify-diagnostics | FileCheck %s
// RUN: kc-opt %s --verify-gpu-code --split-input-file --target="cuda -arch=sm_80" 2>&1 | FileCheck %s --check-prefix=LARGER
// RUN: not kc-opt %s --verify-gpu-code --split-input-file --target="cuda -arch=sm_60" 2>&1 >/dev/null | FileCheck %s --check-prefix=TEXT --match-full-lines --strict-whitespace

// What fits stays as it is.
// CHECK-LABEL: func.func @fits
// CHECK:         tir.for %t in 64 thread "threadIdx.x"
func.func @fits(%A: memref<64xf32>, %B: memref<64xf32>) {
  %S = tir.alloc "S" : memref<64xf32, "shared">
  tir.for %t in 64 thread "threadIdx.x" {
    tir.block "S" (spatial %v in 64 = %t) do {
      %a = tir.load %A[%v] : memref<64xf32>
      tir.store %a, %S[%v] : memref<64xf32, "shared">
    }
    tir.block "B" (spatial %v in 64 = %t) do {
      %a = tir.load %S[%v] : memref<64xf32, "shared">
      tir.store %a, %B[%v] : memref<64xf32>
    }
  }
  func.return
}

// -----

// The size that counts is that of what one block uses: 64 of 65536 elements.
// CHECK-LABEL: func.func @compacted
func.func @compacted(%A: memref<65536xf32>, %B: memref<65536xf32>) {
  %S = tir.alloc "S" : memref<65536xf32, "shared">
  tir.for %b in 1024 thread "blockIdx.x" {
    tir.for %t in 64 thread "threadIdx.x" {
      tir.block "S" (spatial %v in 65536 = %b * 64 + %t) do {
        %a = tir.load %A[%v] : memref<65536xf32>
        tir.store %a, %S[%v] : memref<65536xf32, "shared">
      }
      tir.block "B" (spatial %v in 65536 = %b * 64 + %t) do {
        %a = tir.load %S[%v] : memref<65536xf32, "shared">
        tir.store %a, %B[%v] : memref<65536xf32>
      }
    }
  }
  func.return
}

// -----

// Two tiles of 32 KiB: too much for sm_60, and no problem for sm_80.
// LARGER-LABEL: func.func @tiles
//TEXT:error[KC3440]: verify-gpu-code: a block of @tiles uses 64 KiB of shared memory, sm_60 allows 48 KiB
//TEXT-NEXT:  --> {{.*}}verify_gpu_code.mlir:57:3  %S = tir.alloc "S" : memref<1024x8192xf32, "shared">
//TEXT-NEXT:   |  S      32 KiB  1x8192xf32
//TEXT-NEXT:   |  T      32 KiB  1x8192xf32
//TEXT-NEXT:  why: the shared buffers of a block that are alive at the same time occupy disjoint memory
//TEXT-NEXT:  try: compute_at S at k_o: 512 B instead of 32 KiB
//TEXT-NEXT:  try: compute_at T at k_o: 512 B instead of 32 KiB
func.func @tiles(%A: memref<1024x8192xf32>, %B: memref<1024xf32>) {
  // expected-error@+1 {{verify-gpu-code: a block of @tiles uses 64 KiB of shared memory, sm_60 allows 48 KiB}}
  %S = tir.alloc "S" : memref<1024x8192xf32, "shared">
  %T = tir.alloc "T" : memref<1024x8192xf32, "shared">
  tir.for %b in 1024 thread "blockIdx.x" {
    tir.for %t in 128 thread "threadIdx.x" {
      tir.for %l in 64 {
        tir.block "S" (spatial %v in 1024 = %b, spatial %v_l in 8192 = %l * 128 + %t) do {
          %a = tir.load %A[%v, %v_l] : memref<1024x8192xf32>
          tir.store %a, %S[%v, %v_l] : memref<1024x8192xf32, "shared">
        }
      }
    }
    tir.for %t in 128 thread "threadIdx.x" {
      tir.for %l in 64 {
        tir.block "T" (spatial %v in 1024 = %b, spatial %v_l in 8192 = %l * 128 + %t) do {
          %a = tir.load %A[%v, %v_l] : memref<1024x8192xf32>
          tir.store %a, %T[%v, %v_l] : memref<1024x8192xf32, "shared">
        }
      }
    }
    tir.for %k_o in 64 {
      tir.for %k_i in 128 {
        tir.block "B" (spatial %v in 1024 = %b, reduce %v_k in 8192 = %k_o * 128 + %k_i) do {
          %s = tir.load %S[%v, %v_k] : memref<1024x8192xf32, "shared">
          %t = tir.load %T[%v, %v_k] : memref<1024x8192xf32, "shared">
          %p = arith.mulf %s, %t : f32
          %b0 = tir.load %B[%v] : memref<1024xf32>
          %b1 = arith.addf %b0, %p : f32
          tir.store %b1, %B[%v] : memref<1024xf32>
        }
      }
    }
  }
  func.return
}
