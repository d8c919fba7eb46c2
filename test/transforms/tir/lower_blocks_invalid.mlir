// RUN: kc-opt %s --lower-blocks --split-input-file --verify-diagnostics

func.func @init(%A: memref<8xf32>, %x: f32) {
  tir.for %k in 8 {
    // expected-error@+1 {{block C has an init region}}
    tir.block "C" (reduce %v in 8 = %k) init {
      tir.store %x, %A[0] : memref<8xf32>
    } do {
    }
  }
  func.return
}
