// RUN: not kc-opt %s --split-input-file --lower-warp-memory 2>&1 >/dev/null | FileCheck %s --match-full-lines --strict-whitespace

//CHECK:error[KC4226]: lower-warp-memory: the size of W is not constant
//CHECK-NEXT:  --> {{.*}}lower_warp_memory_invalid.mlir:12:7  %W = tir.alloc "W" : memref<32xf32, "warp">
//CHECK-NEXT:  why: each thread of loop y has its own copy, and the number of threads is not constant
//CHECK-NEXT:  try: split y by a constant factor, and bind that part

func.func @rows(%A: memref<?x32xf32> {kc.shape = affine_map<()[s0] -> (s0, 32)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %y in %n thread "threadIdx.y" {
    tir.for %x in 32 thread "threadIdx.x" {
      %W = tir.alloc "W" : memref<32xf32, "warp">
      %0 = tir.load %A[%y, %x] : memref<?x32xf32>
      tir.store %0, %W[%x] : memref<32xf32, "warp">
    }
  }
  func.return
}
