// RUN: kc-opt %s --raise-to-tir | FileCheck %s

// CHECK-LABEL: func.func @mapped(
// CHECK: tir.block {{.*}} (spatial %[[I:.+]] in 4 = {{.*}}) do {
// CHECK: %[[J:.+]] = arith.addi %[[I]], %[[I]] : index
// CHECK: tir.store %[[J]], %t[%[[I]]] : memref<4xindex>
func.func @mapped(%t: memref<4xindex>) {
  linalg.map outs(%t : memref<4xindex>) (%o: index) {
    %i = linalg.index 0 : index
    %j = arith.addi %i, %i : index
    linalg.yield %j : index
  }
  return
}

// CHECK-LABEL: func.func @reduced(
// CHECK: tir.block {{.*}} (spatial %{{.*}} in 2 = {{.*}}, reduce %[[K:.+]] in 3 = {{.*}})
// CHECK: arith.index_cast %[[K]] : index to i64
func.func @reduced(%a: memref<2x3xi64>, %t: memref<2xi64>) {
  linalg.reduce ins(%a: memref<2x3xi64>) outs(%t : memref<2xi64>) dimensions = [1] (%x: i64, %o: i64) {
    %i = linalg.index 1 : index
    %k = arith.index_cast %i : index to i64
    %m = arith.muli %x, %k : i64
    %j = arith.addi %o, %m : i64
    linalg.yield %j : i64
  }
  return
}
