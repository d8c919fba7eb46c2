// RUN: not kc-opt %s --infer-type --split-input-file 2>&1 | FileCheck %s

// CHECK: error[KC2400]: nn.dense: the operands do not fit
// CHECK: why: the last sizes of data and weight are 8 and 9, but must be equal
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x9xf32>) -> !graph.unknown {
  %t = graph.let "t" = %w : tensor<16x9xf32>
  %u = graph.fn (%y: !graph.unknown) -> !graph.unknown {
    %0 = graph.nn.dense(%x, %y) : (tensor<4x8xf32>, !graph.unknown) -> !graph.unknown
    graph.return %0 : !graph.unknown
  }
  %v = graph.call_indirect %u(%t) : !graph.fn<(!graph.unknown) -> !graph.unknown>, (tensor<16x9xf32>) -> !graph.unknown
  graph.return %v : !graph.unknown
}
// -----
// CHECK: error[KC2401]: @main: the type of x is not known
graph.func @main(%x: !graph.unknown) -> !graph.unknown {
  %0 = graph.nn.relu(%x) : (!graph.unknown) -> !graph.unknown
  graph.return %0 : !graph.unknown
}
// -----
// CHECK: error[KC1101]: graph.call: @f is (!graph.unknown, !graph.unknown) -> !graph.unknown, the call is (tensor<4xf32>) -> !graph.unknown
graph.func @main(%x: tensor<4xf32>) -> !graph.unknown {
  %0 = graph.call @f(%x) : (tensor<4xf32>) -> !graph.unknown
  graph.return %0 : !graph.unknown
}
graph.func private @f(%x: !graph.unknown, %y: !graph.unknown) -> !graph.unknown {
  graph.return %x : !graph.unknown
}
