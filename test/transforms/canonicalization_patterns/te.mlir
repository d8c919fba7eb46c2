// RUN: kc-opt %s --canonicalize | FileCheck %s

// CHECK-LABEL: te.func @reads(
// CHECK:         te.compute "B" [%i = 8] {
// CHECK-NEXT:      %v = te.read %A[%i * 2 + 2] : tensor<32xf32>
// CHECK-NEXT:      te.yield %v : f32
te.func @reads(%A: tensor<32xf32>) -> tensor<8xf32> {
  %c1 = arith.constant 1 : index
  %B = te.compute "B" [%i = 8] {
    %j = arith.addi %i, %c1 : index
    %v = te.read %A[%j * 2] : tensor<32xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %B : tensor<8xf32>
}

// CHECK-LABEL: te.func @terms(
// CHECK:         te.compute "B" [%i = 8] reduce sum [%k = 4] {
// CHECK-NEXT:      te.read %A[%i + %k] : tensor<32xf32>
// CHECK:         te.compute "C" [%i = 8] reduce sum [%k = 4] where {
// CHECK-NEXT:      te.condition (%i + %k < 6)
// CHECK:         te.compute "D" [%i = 8] reduce sum [%k = 4] where {
// CHECK-NEXT:      te.condition (0 >= 5)
te.func @terms(%A: tensor<32xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %c1 = arith.constant 1 : index
  %B = te.compute "B" [%i = 8] reduce sum [%k = 4] where {
    te.condition (%i + %k < 11)
  } do {
    %v = te.read %A[%i + %k] : tensor<32xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%i = 8] reduce sum [%k = 4] where {
    %j = arith.addi %k, %c1 : index
    te.condition (%i + %j < 7, %k >= 0)
  } do {
    %v = te.read %A[%i + %k] : tensor<32xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  %D = te.compute "D" [%i = 8] reduce sum [%k = 4] where {
    te.condition (-5 >= 0)
  } do {
    %v = te.read %A[%i + %k] : tensor<32xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %B, %C, %D : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// What nobody reads is not computed.
// CHECK-LABEL: te.func @unused(
// CHECK-NEXT:    te.return %A : tensor<8xf32>
te.func @unused(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%i = 8] {
    %v = te.read %A[%i] : tensor<8xf32>
    te.yield %v : f32
  } : tensor<8xf32>
  te.return %A : tensor<8xf32>
}
