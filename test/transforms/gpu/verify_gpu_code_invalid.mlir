// RUN: kc-opt %s --verify-gpu-code --split-input-file --verify-diagnostics

// Text can hold what bind would have refused.
func.func @threads(%A: memref<4096xf32>, %x: f32) {
  // expected-error@+1 {{verify-gpu-code: 2048 threads in one block of @threads, cuda allows 1024}}
  tir.for %t in 64 thread "threadIdx.x" {
    tir.for %u in 32 thread "threadIdx.y" {
      tir.block "A" (spatial %v in 2048 = %t * 32 + %u) do {
        tir.store %x, %A[%v] : memref<4096xf32>
      }
    }
  }
  func.return
}
