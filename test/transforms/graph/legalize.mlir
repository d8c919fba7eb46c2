// RUN: kc-opt %s --legalize --qnn-legalize | FileCheck %s
// RUN: kc-opt %s --legalize --legalize | FileCheck %s

// Nothing is registered, so nothing is replaced.
// CHECK: graph.nn.relu(%x)
// CHECK-NEXT: graph.return
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.nn.relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
