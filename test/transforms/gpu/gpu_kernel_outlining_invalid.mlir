// RUN: not kc-opt %s --gpu-kernel-outlining 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4220]: gpu-kernel-outlining: @f is not a gpu.module
//CHECK-NEXT:  --> {{.*}}gpu_kernel_outlining_invalid.mlir:9:3  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx...
//CHECK-NEXT:  why: module(...) of a launch names the module of its kernel, and @f is a func.func
//CHECK-NEXT:  try: module(@f_1)

func.func @f(%n: index) {
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %n, %gz = %n) threads(%tx, %ty, %tz) in (%sx = %n, %sy = %n, %sz = %n) module(@f) {
    gpu.terminator
  }
  func.return
}
