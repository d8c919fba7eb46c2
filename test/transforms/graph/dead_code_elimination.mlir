// RUN: kc-opt %s --dead-code-elimination | FileCheck %s
// RUN: kc-opt %s --dead-code-elimination --dead-code-elimination | FileCheck %s
// RUN: kc-opt %s --dead-code-elimination=inline_once=true | FileCheck %s --check-prefix=ONCE
// RUN: kc-opt %s --dead-code-elimination=ignore_impurity=true | FileCheck %s --check-prefix=ALL

// Of the value nothing uses only what it needs goes: chains, branches, calls of pure functions.
// A call of a value that may be any function stays, unless impurity is ignored.
// CHECK-LABEL: @main
// CHECK-NEXT: graph.call_indirect %f(%x)
// CHECK-NEXT: %kept = graph.let "kept" = %x
// CHECK-NEXT: graph.if %c
// CHECK-NEXT: graph.yield %kept
// CHECK: graph.exp(%kept)
// CHECK-NEXT: graph.yield
// CHECK: graph.return
// ONCE-LABEL: @once
// ONCE-NEXT: graph.exp(%x)
// ONCE-NEXT: graph.return
// ALL-LABEL: @main
// ALL-NOT: call_indirect
// ALL: graph.return
graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>, %f: !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>) -> tensor<4xf32> {
  %0 = graph.exp(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.log(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.call @pure(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.call_indirect %f(%x) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  %kept = graph.let "kept" = %x : tensor<4xf32>
  %unused = graph.if %c -> tensor<4xf32> {
    graph.yield %2 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  %r = graph.if %c -> tensor<4xf32> {
    %4 = graph.log(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %kept : tensor<4xf32>
  } else {
    %5 = graph.exp(%kept) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %5 : tensor<4xf32>
  }
  graph.return %r : tensor<4xf32>
}
graph.func @pure(%x: tensor<4xf32>) -> tensor<4xf32> {
  graph.return %x : tensor<4xf32>
}
graph.func @once(%x: tensor<4xf32>) -> tensor<4xf32> {
  %v = graph.let "v" = %x : tensor<4xf32>
  %0 = graph.exp(%v) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
