// tensor.generate as upstream has it, and what it becomes.
// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --raise-to-tir | FileCheck %s --check-prefix=TIR
// REQUIRES: mlir
// RUN: kc-opt %s | mlir-opt | FileCheck %s --check-prefix=UPSTREAM

// CHECK:      %g = tensor.generate %n {
// CHECK-NEXT: ^bb0(%i: index, %j: index):
// CHECK-NEXT:   %k = arith.addi %i, %j : index
// CHECK-NEXT:   tensor.yield %k : index
// CHECK-NEXT: } : tensor<?x4xindex>
// UPSTREAM: tensor.generate %arg0 {
// UPSTREAM: ^bb0(%arg1: index, %arg2: index):
// UPSTREAM: } : tensor<?x4xindex>
// TIR:      tir.block "g" (spatial %v_d0 in %n = %d0, spatial %v_d1 in 4 = %d1) do {
// TIR-NEXT:   %k = arith.addi %v_d0, %v_d1 : index
// TIR-NEXT:   tir.store %k, %g[%v_d0, %v_d1] : memref<?x4xindex>
func.func @f(%n: index) -> tensor<?x4xindex> {
  %g = tensor.generate %n {
  ^bb0(%i: index, %j: index):
    %k = arith.addi %i, %j : index
    tensor.yield %k : index
  } : tensor<?x4xindex>
  return %g : tensor<?x4xindex>
}
