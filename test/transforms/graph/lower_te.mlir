// RUN: kc-opt %s --split-input-file --verify-diagnostics --lower-te | FileCheck %s

// Constants of several elements stand beside the function, groups are taken apart, and a result that
// is an argument is copied.
graph.func private @fused(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> attributes {primitive} {
  %0 = graph.add(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp(%0) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}

graph.func @main(%x: tensor<4xf32>) -> tuple<tensor<4xf32>, tensor<4xf32>> {
  %w = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.call @fused(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.tuple(%0, %x) : tensor<4xf32>, tensor<4xf32>
  graph.return %1 : tuple<tensor<4xf32>, tensor<4xf32>>
}

// CHECK-NOT:   graph.
// CHECK:       memref.global constant @main_w : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]>
// CHECK:       func.func @main(%x: memref<4xf32> {{.*}}, %T_exp: memref<4xf32> {{.*}}, %T_identity: memref<4xf32>
// CHECK-NEXT:    %w = memref.get_global @main_w : memref<4xf32>
// CHECK:         tir.block "T_add"
// CHECK:         tir.block "T_exp"
// CHECK:         tir.block "T_identity"
// CHECK-NOT:   graph.

// -----

// A name is a size of the loops.
graph.func @named(%x: tensor<?xsi32, #graph.dims<"n">>) -> tensor<?xsi32, #graph.dims<"n">> {
  %0 = graph.negative(%x) : (tensor<?xsi32, #graph.dims<"n">>) -> tensor<?xsi32, #graph.dims<"n">>
  graph.return %0 : tensor<?xsi32, #graph.dims<"n">>
}

// CHECK:       func.func @named(%x: memref<?xi32>
// CHECK:         tir.symbol "n"
// CHECK:         tir.block "T_negative"

// -----

graph.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{lower-te: @branches has graph.if}}
  %0 = graph.if %c -> tensor<4xf32> {
    %1 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  graph.return %0 : tensor<4xf32>
}
