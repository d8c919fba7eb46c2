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
