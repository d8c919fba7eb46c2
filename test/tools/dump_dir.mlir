// One numbered file a stage; the lowering that a schedule flag implies is a stage of its own.
// RUN: rm -rf %t && kc-opt %s --parallel --cse --dump-dir=%t/deep/er -o %t.out
// RUN: ls %t/deep/er | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=TE --input-file=%t/deep/er/00_input.mlir
// RUN: FileCheck %s --check-prefix=TIR --input-file=%t/deep/er/01_convert-te-to-tir.mlir
// RUN: FileCheck %s --check-prefix=PARALLEL --input-file=%t/deep/er/02_parallel.mlir
// RUN: diff %t/deep/er/03_cse.mlir %t.out

// FILES:      00_input.mlir
// FILES-NEXT: 01_convert-te-to-tir.mlir
// FILES-NEXT: 02_parallel.mlir
// FILES-NEXT: 03_cse.mlir

// TE:       te.compute "B" [%i = 16] {
// TIR:      tir.for %i in 16 {
// PARALLEL: tir.for %i in 16 parallel {

te.func @double(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    %s = arith.addf %a, %a : f32
    te.yield %s : f32
  } : tensor<16xf32>
  te.return %B : tensor<16xf32>
}
