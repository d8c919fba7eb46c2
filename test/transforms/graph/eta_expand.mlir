// RUN: kc-opt %s --eta-expand=expand_global_var=true | FileCheck %s
// RUN: kc-opt %s --eta-expand=expand_global_var=true --eta-expand=expand_global_var=true | FileCheck %s
// RUN: kc-opt %s --eta-expand | FileCheck %s --check-prefix=NONE

// CHECK-LABEL: @main
// CHECK-NEXT: [[F:%.*]] = graph.fn ([[X:%.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: [[R:%.*]] = graph.call @g([[X]])
// CHECK-NEXT: graph.return [[R]]
// CHECK: graph.call_indirect [[F]](%x)
// NONE: graph.function_ref @g
graph.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %f = graph.function_ref @g : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  %0 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
graph.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}

// CHECK-LABEL: @boxed
// CHECK-NEXT: graph.fn ([[V:%.*]]: tensor<4xf32>) -> !graph.adt<"Box"> {
// CHECK-NEXT: graph.construct @Box Box([[V]]) : (tensor<4xf32>) -> !graph.adt<"Box">
// NONE-LABEL: @boxed
// NONE-NEXT: graph.fn
// NONE-NEXT: graph.construct @Box Box(
graph.data @Box { Box(tensor<4xf32>) }
graph.func @boxed(%x: tensor<4xf32>) -> !graph.adt<"Box"> {
  %f = graph.constructor @Box Box : !graph.fn<(tensor<4xf32>) -> !graph.adt<"Box">>
  %0 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> !graph.adt<"Box">>, (tensor<4xf32>) -> !graph.adt<"Box">
  graph.return %0 : !graph.adt<"Box">
}
