// RUN: not kc-translate %s --to=ptx --target="cuda -arch=sm_80" 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=cuda --target=cuda 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=opencl --target=opencl 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=metal --target=metal 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=amdgcn --target=rocm 2>&1 | FileCheck %s
// RUN: not kc-translate %s --to=spirv --target=opencl 2>&1 | FileCheck %s
// CHECK:      error[KC4363]: the module has no kernel
// CHECK-NEXT:   why: no loop of more than 0 iterations is bound to blocks or threads, and there is no gpu.module
// CHECK-NEXT:   try: bind a loop: s[C].bind(i, te.thread_axis("blockIdx.x"))

func.func @f(%A: memref<4xf32>) {
  func.return
}
