// RUN: kc-opt %s --inline | FileCheck %s
// RUN: kc-opt %s --inline --inline | FileCheck %s

// A chain of calls, two callers, a call in a branch; a recursive function and one of another
// compiler stay, as does the function that a value refers to.
// CHECK-LABEL: @main
// CHECK-NEXT: graph.if
// CHECK-NEXT: [[A:%.*]] = graph.negative(%x)
// CHECK-NEXT: [[B:%.*]] = graph.exp([[A]])
// CHECK-NEXT: graph.yield [[B]]
// CHECK: [[C:%.*]] = graph.negative
// CHECK-NEXT: graph.call @again([[C]])
// CHECK-NEXT: graph.call @elsewhere
// CHECK-NEXT: graph.function_ref @referred
// CHECK-NOT: @outer
// CHECK-NOT: @inner
// CHECK: graph.func @again
// CHECK: graph.func @elsewhere
// CHECK: graph.func @referred
// CHECK-LABEL: @second
// CHECK-NEXT: graph.negative
graph.func @main(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = graph.if %c -> tensor<4xf32> {
    %1 = graph.call @outer(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  %2 = graph.call @inner(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.call @again(%2) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.call @elsewhere(%3) : (tensor<4xf32>) -> tensor<4xf32>
  %f = graph.function_ref @referred : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>
  %5 = graph.call_indirect %f(%4) : !graph.fn<(tensor<4xf32>) -> tensor<4xf32>>, (tensor<4xf32>) -> tensor<4xf32>
  graph.return %5 : tensor<4xf32>
}
graph.func @outer(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline} {
  %0 = graph.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = graph.exp(%0) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %1 : tensor<4xf32>
}
graph.func @inner(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline} {
  %0 = graph.negative(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
graph.func @again(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline} {
  %c = graph.constant dense<false> : tensor<i1>
  %0 = graph.if %c -> tensor<4xf32> {
    %1 = graph.call @again(%x) : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  } else {
    graph.yield %x : tensor<4xf32>
  }
  graph.return %0 : tensor<4xf32>
}
graph.func @elsewhere(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline, compiler = "npu"} {
  graph.return %x : tensor<4xf32>
}
graph.func @referred(%x: tensor<4xf32>) -> tensor<4xf32> attributes {inline} {
  graph.return %x : tensor<4xf32>
}
graph.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.call @inner(%x) : (tensor<4xf32>) -> tensor<4xf32>
  graph.return %0 : tensor<4xf32>
}
