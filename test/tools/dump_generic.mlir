// Files in the generic form, which MLIR reads at every stage; what is printed stays as it was.
// REQUIRES: mlir
// RUN: rm -rf %t && mkdir %t && cp %s %t/in.mlir
// RUN: kc-opt %t/in.mlir --split --vectorize --lower-to-llvm --dump-dir=%t/llvm --dump-generic \
// RUN:   | FileCheck %s --check-prefix=OUTPUT
// RUN: kc-opt %t/in.mlir --lower-to-c --dump-dir=%t/c --dump-generic -o /dev/null
// RUN: kc-opt %t/in.mlir --bind="block=C loop=i thread=threadIdx.x" --lower-to-nvvm \
// RUN:   --target="cuda -arch=sm_80" --dump-dir=%t/nvvm --dump-generic -o /dev/null
// RUN: ls %t/llvm | FileCheck %s --check-prefix=FILES
// RUN: sed -s '$a // -----' %t/llvm/*.mlir %t/c/*.mlir %t/nvvm/*.mlir \
// RUN:   | mlir-opt --allow-unregistered-dialect --split-input-file -o /dev/null
// RUN: FileCheck %s --check-prefix=INPUT --input-file=%t/llvm/00_input.mlir

// The flag alone says nothing.
// RUN: not kc-opt %t/in.mlir --dump-generic 2>&1 | FileCheck %s --check-prefix=ALONE

// OUTPUT: llvm.func @product
// FILES:      00_input.mlir
// FILES-NEXT: 01_convert-te-to-tir.mlir
// FILES-NEXT: 02_split.mlir
// FILES:      convert-to-llvm.mlir
// INPUT: "te.func"
// INPUT: "te.compute"
// ALONE: error[KC0002]: --dump-generic without --dump-dir

te.func @product(%A: tensor<16x8xf32>, %B: tensor<8x32xf32>) -> tensor<16x32xf32> {
  %C = te.compute "C" [%i = 16, %j = 32] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<16x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x32xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<16x32xf32>
  te.return %C : tensor<16x32xf32>
}
