// RUN: kc-opt %s --to-cps | FileCheck %s
// RUN: kc-opt %s --to-cps --partial-evaluate --remove-unused-functions | FileCheck %s --check-prefix=BACK

// CHECK-LABEL: graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32>
// CHECK-NEXT: [[ID:%.*]] = graph.fn ([[Y:%.*]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: graph.return [[Y]]
// CHECK: [[R:%.*]] = graph.call @main_cps(%x, %c, [[ID]])
// CHECK-NEXT: graph.return [[R]]
// CHECK-NOT: graph.func private @f(
// CHECK-LABEL: graph.func private @main_cps
// CHECK-SAME: %k: !graph.fn<(tensor<4xf32>) -> !graph.type_var<"Answer">>) -> !graph.type_var<"Answer"> {
// CHECK-NEXT: [[REST:%.*]] = graph.fn ([[V:%.*]]: tensor<4xf32>) -> !graph.type_var<"Answer"> {
// CHECK-NEXT: [[JOIN:%.*]] = graph.fn ([[S:%.*]]: tensor<4xf32>) -> !graph.type_var<"Answer"> {
// CHECK-NEXT: [[E:%.*]] = graph.exp([[S]])
// CHECK-NEXT: graph.call_indirect %k([[E]])
// CHECK: graph.if %c -> !graph.type_var<"Answer"> {
// CHECK-NEXT: graph.call @f_cps([[V]], [[JOIN]])
// CHECK: } else {
// CHECK-NEXT: graph.call_indirect [[JOIN]]([[V]])
// CHECK: graph.call @f_cps(%x, [[REST]])
// CHECK-LABEL: graph.func private @f_cps
// CHECK-NEXT: [[N:%.*]] = graph.negative(%a)
// CHECK-NEXT: graph.call_indirect %k([[N]])

// BACK-NOT: graph.fn
// BACK-NOT: graph.call
// BACK: graph.exp

graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = graph.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %r = graph.if %c -> tensor<4xf32> {
    %1 = graph.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %0 : tensor<4xf32>
  }
  %2 = graph.exp(%r) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %2 : tensor<4xf32>
}
graph.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.negative(%a) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
