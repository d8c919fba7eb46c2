// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.thread_allreduce: over blockIdx.x; threads along threadIdx.x, threadIdx.y, threadIdx.z combine values}}
  %z = tir.thread_allreduce "r" (%x) over ["blockIdx.x"] by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.thread_allreduce: over no axis; threads along threadIdx.x, threadIdx.y, threadIdx.z combine values}}
  %z = tir.thread_allreduce "r" (%x) over [] by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a : f32
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.thread_allreduce: the combiner r must yield (f32), not (f32, f32)}}
  %z = tir.thread_allreduce "r" (%x) over ["threadIdx.x"] by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a, %b : f32, f32
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.thread_allreduce: the combiner r takes 2 values, and 2 are given}}
  %z, %y = tir.thread_allreduce "r" (%x, %x) over ["threadIdx.x"] by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a : f32
  }
  func.return
}
