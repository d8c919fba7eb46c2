// RUN: kc-opt %s --gpu-kernel-outlining --verify-diagnostics

func.func @f(%n: index) {
  // expected-error@+1 {{gpu-kernel-outlining: @f is not a gpu.module}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) module(@f) {
    gpu.terminator
  }
  func.return
}
