// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --cse --dce | FileCheck %s --check-prefix=CLEAN

// CHECK-LABEL: te.func @f(%A: tensor<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %x: f32) -> tensor<4xf32> attributes {kc.symbols = ["n"]} {
// CHECK-NEXT:    %n = te.symbol "n"
// CHECK-NEXT:    %S = te.compute "S" [%i = 4] reduce max [%k = %n] {
// CHECK-NEXT:      %a = te.read %A[%i, %n - %k - 1] : tensor<4x?xf32>
// CHECK-NEXT:      te.yield %a : f32
// CHECK-NEXT:    } : tensor<4xf32>
// CHECK-NEXT:    %T = te.compute "T" [%i = 4] {
// CHECK-NEXT:      %s = te.read %S[(%i floordiv 2) * 2 + %i mod 2] : tensor<4xf32>
// CHECK:           te.yield %{{.*}} : f32
// CHECK-NEXT:    } : tensor<4xf32>

// GENERIC:     "te.compute"(%n) <{compute_name = "S", axis_names = ["i"], reduce_names = ["k"]
// GENERIC-SAME:  combiner = #te<combiner max>}>

// Equal reads are one after CSE; a compute that nobody reads is gone.
// CLEAN:       %T = te.compute "T"
// CLEAN-NEXT:    %s = te.read %S
// CLEAN-NEXT:    %u = arith.mulf %s, %s : f32
// CLEAN-NOT:   "unused"
te.func @f(%A: tensor<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %x: f32)
    -> tensor<4xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %S = te.compute "S" [%i = 4] reduce max [%k = %n] {
    %a = te.read %A[%i, %n - %k - 1] : tensor<4x?xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  %T = te.compute "T" [%i = 4] {
    %s = te.read %S[(%i floordiv 2) * 2 + %i mod 2] : tensor<4xf32>
    %t = te.read %S[(%i floordiv 2) * 2 + %i mod 2] : tensor<4xf32>
    %u = arith.mulf %s, %t : f32
    te.yield %u : f32
  } : tensor<4xf32>
  %U = te.compute "unused" [] {
    te.yield %x : f32
  } : tensor<f32>
  te.return %T : tensor<4xf32>
}
