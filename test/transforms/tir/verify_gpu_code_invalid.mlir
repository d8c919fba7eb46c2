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

// -----

func.func @symbolic(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<64xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  // expected-error@+1 {{verify-gpu-code: the size of the shared buffer S is not constant}}
  %S = tir.alloc "S" (%n) : memref<?xf32, "shared">
  tir.for %t in 64 thread "threadIdx.x" {
    tir.for %i in %n {
      tir.block "S" (spatial %v in %n = %i) do {
        %a = tir.load %A[%v] : memref<?xf32>
        tir.store %a, %S[%v] : memref<?xf32, "shared">
      }
    }
    tir.for %i in %n {
      tir.block "B" (spatial %v_t in 64 = %t, reduce %v in %n = %i) do {
        %a = tir.load %S[%v] : memref<?xf32, "shared">
        %b = tir.load %B[%v_t] : memref<64xf32>
        %c = arith.addf %a, %b : f32
        tir.store %c, %B[%v_t] : memref<64xf32>
      }
    }
  }
  func.return
}
