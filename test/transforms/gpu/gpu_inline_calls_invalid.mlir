// RUN: not kc-opt %s --split-input-file --gpu-inline-calls 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4373]: gpu-inline-calls: @even cannot be inlined into its callers
//CHECK-NEXT:  --> {{.*}}gpu_inline_calls_invalid.mlir:14:3  func.func @even(%x: i32) -> i32 {
//CHECK-NEXT:  why: it calls itself, and kernels contain all their code inline
//CHECK-NEXT:  try: use loops and branches of scf instead of blocks and recursive calls

//CHECK:error[KC4373]: gpu-inline-calls: @jump cannot be inlined into its callers
//CHECK-NEXT:  --> {{.*}}gpu_inline_calls_invalid.mlir:27:3  func.func @jump(%x: i32) -> i32 {
//CHECK-NEXT:  why: it has several blocks, which a loop around a call cannot contain
//CHECK-NEXT:  try: use loops and branches of scf instead of blocks and recursive calls

gpu.module @m {
  func.func @even(%x: i32) -> i32 {
    %y = func.call @odd(%x) : (i32) -> i32
    func.return %y : i32
  }
  func.func @odd(%x: i32) -> i32 {
    %y = func.call @even(%x) : (i32) -> i32
    func.return %y : i32
  }
}

// -----

gpu.module @m {
  func.func @jump(%x: i32) -> i32 {
    cf.br ^next
  ^next:
    func.return %x : i32
  }
}
