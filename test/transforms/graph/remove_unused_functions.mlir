// RUN: kc-opt %s --remove-unused-functions | FileCheck %s
// RUN: kc-opt %s --remove-unused-functions=entry_functions=other,main | FileCheck %s --check-prefix=TWO
// RUN: not kc-opt %s --remove-unused-functions=entry_functions=predict 2>&1 | FileCheck %s --check-prefix=MISSING

// Calls, references and closures reach functions; functions that call each other do not keep themselves.
// CHECK: graph.func @main
// CHECK: graph.func @called
// CHECK: graph.func @referred
// CHECK: graph.func @closed
// CHECK-NOT: graph.func
// TWO: graph.func @main
// TWO: graph.func @other
// MISSING: error[KC2410]: remove-unused-functions: the module has no function 'predict'
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call @called(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %f = graph.function_ref @referred : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  %1 = graph.call_indirect %f(%0) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  %g = graph.closure @closed(%x) : (tensor<4xf32>) -> !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  %2 = graph.call_indirect %g(%1) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
graph.func @called(%x: tensor<4xf32>) -> tensor<4xf32> {
  graph.return %x : tensor<4xf32>
}
graph.func @referred(%x: tensor<4xf32>) -> tensor<4xf32> {
  graph.return %x : tensor<4xf32>
}
graph.func @closed(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  graph.return %y : tensor<4xf32>
}
graph.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  graph.return %x : tensor<4xf32>
}
graph.func @ping(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call @pong(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
graph.func @pong(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call @ping(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
