// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: te.func @cumulative_sum
// CHECK:         %S = te.scan "S" [%t = %m] (%s: tensor<?x8xf32> = %F: tensor<1x8xf32>) {
// CHECK-NEXT:      %U = te.compute "U" [%i = 8] {
// CHECK-NEXT:        %p = te.read %s[%t - 1, %i] : tensor<?x8xf32>
// CHECK-NEXT:        %x = te.read %X[%t, %i] : tensor<?x8xf32>
// CHECK-NEXT:        %u = arith.addf %p, %x : f32
// CHECK-NEXT:        te.yield %u : f32
// CHECK-NEXT:      } : tensor<8xf32>
// CHECK-NEXT:      te.yield %U : tensor<8xf32>
// CHECK-NEXT:    }
// CHECK-NEXT:    te.return %S : tensor<?x8xf32>

// GENERIC: "te.scan"(%m, %F) <{scan_name = "S", axis_name = "t", extent = -9223372036854775808 : i64, operandSegmentSizes = array<i32: 1, 1>}> ({
// GENERIC-NEXT: ^{{.*}}(%t: index, %s: tensor<?x8xf32>):
te.func @cumulative_sum(%X: tensor<?x8xf32> {kc.shape = affine_map<()[s0] -> (s0, 8)>})
    -> tensor<?x8xf32> attributes {kc.symbols = ["m"]} {
  %m = te.symbol "m"
  %F = te.compute "F" [%z = 1, %i = 8] {
    %x = te.read %X[0, %i] : tensor<?x8xf32>
    te.yield %x : f32
  } : tensor<1x8xf32>
  %S = te.scan "S" [%t = %m] (%s: tensor<?x8xf32> = %F: tensor<1x8xf32>) {
    %U = te.compute "U" [%i = 8] {
      %p = te.read %s[%t - 1, %i] : tensor<?x8xf32>
      %x = te.read %X[%t, %i] : tensor<?x8xf32>
      %u = arith.addf %p, %x : f32
      te.yield %u : f32
    } : tensor<8xf32>
    te.yield %U : tensor<8xf32>
  }
  te.return %S : tensor<?x8xf32>
}

// Two states, one made from the other's new row.

// CHECK-LABEL: te.func @two_states
// CHECK:         %W_v0, %W_v1 = te.scan "W" [%t = 10] (%a: tensor<10xf32> = %A: tensor<2xf32>, %b: tensor<10x4xi32> = %B: tensor<2x4xi32>) attributes {key} {
// CHECK-NEXT:      %U = te.compute "U" [] {
// CHECK:           %V = te.compute "V" [%i = 4] {
// CHECK:             %u = te.read %U[] : tensor<f32>
// CHECK:           te.yield %U, %V : tensor<f32>, tensor<4xi32>
te.func @two_states(%A: tensor<2xf32>, %B: tensor<2x4xi32>) -> (tensor<10xf32>, tensor<10x4xi32>) {
  %W_v0, %W_v1 = te.scan "W" [%t = 10] (%a: tensor<10xf32> = %A: tensor<2xf32>,
      %b: tensor<10x4xi32> = %B: tensor<2x4xi32>) attributes {key} {
    %U = te.compute "U" [] {
      %p = te.read %a[%t - 2] : tensor<10xf32>
      te.yield %p : f32
    } : tensor<f32>
    %V = te.compute "V" [%i = 4] {
      %u = te.read %U[] : tensor<f32>
      %q = te.read %b[%t - 1, %i] : tensor<10x4xi32>
      %v = arith.fptosi %u : f32 to i32
      %w = arith.addi %q, %v : i32
      te.yield %w : i32
    } : tensor<4xi32>
    te.yield %U, %V : tensor<f32>, tensor<4xi32>
  }
  te.return %W_v0, %W_v1 : tensor<10xf32>, tensor<10x4xi32>
}
