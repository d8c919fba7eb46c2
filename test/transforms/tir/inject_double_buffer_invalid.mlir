// RUN: not kc-opt %s --inject-double-buffer 2>&1 | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4201]: inject-double-buffer: block T is left
//CHECK-NEXT:  --> {{.*}}inject_double_buffer_invalid.mlir:10:5  tir.block "T" (spatial %v_i in 8 = %i) do {
//CHECK-NEXT:  why: this pass moves iterations of loops, not instances of blocks
//CHECK-NEXT:  try: run lower-init-block and lower-blocks first
func.func @f(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    %T = tir.alloc "T" {tir.double_buffer} : memref<1xf32>
    tir.block "T" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %T[0] : memref<1xf32>
    }
    %t = tir.load %T[0] : memref<1xf32>
    tir.store %t, %C[%i] : memref<8xf32>
  }
  func.return
}
