// RUN: kc-opt %s --canonicalize-cast | FileCheck %s
// RUN: kc-opt %s --canonicalize-cast --canonicalize-cast | FileCheck %s

// The softmax keeps the cast; a narrowing cast is shared.
// CHECK-LABEL: @main
// CHECK-NEXT: [[A:%.*]] = graph.cast(%x) <dtype = "float32">
// CHECK-NEXT: [[B:%.*]] = graph.cast(%x) <dtype = "float32">
// CHECK-NEXT: [[E:%.*]] = graph.exp([[B]])
// CHECK-NEXT: [[S:%.*]] = graph.nn.softmax([[A]])
// CHECK-NEXT: [[C:%.*]] = graph.cast(%x) <dtype = "float32">
// CHECK-NEXT: graph.add([[C]], [[C]])
// CHECK-NEXT: [[N:%.*]] = graph.cast([[E]]) <dtype = "int8">
// CHECK-NEXT: graph.abs([[N]])
// CHECK-NEXT: graph.negative([[N]])
graph.func @main(%x: tensor<4xsi8>) -> tuple<tensor<4xf32>, tensor<4xf32>, tensor<4xsi8>, tensor<4xsi8>> {
  %0 = graph.cast(%x) <dtype = "float32"> : (tensor<4xsi8>) -> tensor<4xf32>
  %1 = graph.exp(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.nn.softmax(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add(%0, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.cast(%1) <dtype = "int8"> : (tensor<4xf32>) -> tensor<4xsi8>
  %5 = graph.abs(%4) : (tensor<4xsi8>) -> tensor<4xsi8>
  %6 = graph.negative(%4) : (tensor<4xsi8>) -> tensor<4xsi8>
  %r = graph.tuple(%2, %3, %5, %6) : tensor<4xf32>, tensor<4xf32>, tensor<4xsi8>, tensor<4xsi8>
  graph.return %r : tuple<tensor<4xf32>, tensor<4xf32>, tensor<4xsi8>, tensor<4xsi8>>
}
