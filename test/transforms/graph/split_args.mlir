// RUN: kc-opt %s --split-args=max_function_args=2 | FileCheck %s
// RUN: kc-opt %s --split-args=max_function_args=2 --split-args=max_function_args=2 | FileCheck %s
// RUN: kc-opt %s --split-args | FileCheck %s --check-prefix=NONE
// RUN: not kc-opt %s --split-args=max_function_args=1 2>&1 | FileCheck %s --check-prefix=BAD

// CHECK-LABEL: @main
// CHECK-NEXT: [[A:%.*]] = graph.concatenate(%a, %b) <axis = -1>
// CHECK-NEXT: [[B:%.*]] = graph.annotation.stop_fusion([[A]])
// CHECK-NEXT: [[C:%.*]] = graph.concatenate(%c, %d) <axis = -1>
// CHECK-NEXT: [[D:%.*]] = graph.annotation.stop_fusion([[C]])
// CHECK-NEXT: [[E:%.*]] = graph.concatenate([[B]], [[D]]) <axis = -1>
// CHECK-NEXT: [[F:%.*]] = graph.annotation.stop_fusion([[E]])
// CHECK-NEXT: graph.concatenate([[F]], %e) <axis = -1> {{.*}} -> tensor<2x10xf32>
// NONE: graph.concatenate(%a, %b, %c, %d, %e)
// BAD: error[KC2460]: split-args: max_function_args is 1
graph.func @main(%a: tensor<2x1xf32>, %b: tensor<2x2xf32>, %c: tensor<2x3xf32>, %d: tensor<2x2xf32>, %e: tensor<2x2xf32>) -> tensor<2x10xf32> {
  %0 = graph.concatenate(%a, %b, %c, %d, %e) <axis = -1> : (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x10xf32>
  graph.return %0 : tensor<2x10xf32>
}
