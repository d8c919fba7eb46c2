// RUN: kc-opt %s --eliminate-common-subexpr | FileCheck %s
// RUN: kc-opt %s --eliminate-common-subexpr --eliminate-common-subexpr | FileCheck %s
// RUN: kc-opt %s --eliminate-common-subexpr=fskip=exp | FileCheck %s --check-prefix=SKIP

// Equal operators, constants and tuples, so that the fields of equal tuples are equal; other
// attributes are other values. A branch reuses, and does not lend.
// CHECK-LABEL: @main
// CHECK-NEXT: [[E:%.*]] = graph.exp(%x)
// CHECK-NEXT: [[S:%.*]] = graph.sum(%x) <axis = [0]>
// CHECK-NEXT: [[U:%.*]] = graph.sum(%x) <axis = [1]>
// CHECK-NEXT: [[T:%.*]] = graph.tuple([[E]], [[S]])
// CHECK-NEXT: [[G:%.*]] = graph.tuple_get_item [[T]][0]
// CHECK-NEXT: [[A:%.*]] = graph.add([[G]], [[G]])
// CHECK-NEXT: graph.if
// CHECK-NEXT: graph.log([[E]])
// CHECK-NEXT: graph.yield
// CHECK-NEXT: else
// CHECK-NEXT: graph.log([[E]])
// SKIP-COUNT-2: graph.exp(%x)
graph.func @main(%x: tensor<4x4xf32>, %c: tensor<i1>) -> tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>> {
  %0 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.sum(%x) <axis = [0]> : (tensor<4x4xf32>) -> tensor<4xf32>
  %3 = graph.sum(%x) <axis = [1]> : (tensor<4x4xf32>) -> tensor<4xf32>
  %t = graph.tuple(%0, %2) : tensor<4x4xf32>, tensor<4xf32>
  %u = graph.tuple(%1, %2) : tensor<4x4xf32>, tensor<4xf32>
  %a = graph.tuple_get_item %t[0] : tuple<tensor<4x4xf32>, tensor<4xf32>>
  %b = graph.tuple_get_item %u[0] : tuple<tensor<4x4xf32>, tensor<4xf32>>
  %s = graph.add(%a, %b) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = graph.if %c -> tensor<4x4xf32> {
    %4 = graph.exp(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %5 = graph.log(%4) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %5 : tensor<4x4xf32>
  } else {
    %6 = graph.log(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %6 : tensor<4x4xf32>
  }
  %o = graph.tuple(%s, %r, %3) : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>
  graph.return %o : tuple<tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>>
}
