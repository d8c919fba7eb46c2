// RUN: kc-opt %s --gpu-kernel-outlining --verify-diagnostics

// A kernel has no copy of the function that launches it: that function is in the middle of a change.

func.func @itself(%A: memref<64xf32>) {
  %one = arith.constant 1 : index
  // expected-error@+1 {{gpu-kernel-outlining: the kernel names @itself}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%sx = %one, %sy = %one, %sz = %one) {
    func.call @itself(%A) : (memref<64xf32>) -> ()
    gpu.terminator
  }
  func.return
}
