// RUN: kc-opt %s --vectorize-loop --split-input-file --verify-diagnostics

func.func @own_buffer(%A: memref<8xf32>) {
  tir.for %j in 8 vectorized {
    // expected-warning@+1 {{the loop j is not vectorized and runs serially}}
    %t = tir.alloc "t" : memref<1xf32>
  }
  func.return
}

// -----

func.func @nested(%A: memref<8x8xf32>, %x: f32) {
  // expected-warning@+1 {{the loop i is not vectorized and runs serially}}
  tir.for %i in 8 vectorized {
    tir.for %j in 8 vectorized {
      tir.store %x, %A[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}

// -----

func.func @one_element(%A: memref<8xf32>, %x: f32) {
  tir.for %j in 8 vectorized {
    // expected-error@+1 {{all lanes of j write the same element}}
    tir.store %x, %A[0] : memref<8xf32>
  }
  func.return
}

// -----

func.func @block(%A: memref<8xf32>, %x: f32) {
  tir.for %j in 8 vectorized {
    // expected-error@+1 {{there is a block, C}}
    tir.block "C" (spatial %v in 8 = %j) do {
      tir.store %x, %A[%v] : memref<8xf32>
    }
  }
  func.return
}
