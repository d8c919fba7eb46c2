// RUN: not kc-opt %s --split-input-file 2>&1 | FileCheck %s

// CHECK: there is no graph.data @List
graph.func @main() -> !graph.adt<"List"> {
  %e = graph.construct @List Nil() : () -> !graph.adt<"List">
  graph.return %e : !graph.adt<"List">
}

// -----

// CHECK: graph.construct: @Flag has no constructor Of; it has On, Off
graph.data @Flag { On(), Off() }
graph.func @main() -> !graph.adt<"Flag"> {
  %e = graph.construct @Flag Of() : () -> !graph.adt<"Flag">
  graph.return %e : !graph.adt<"Flag">
}

// -----

// CHECK: graph.data @Flag: two constructors are named On
graph.data @Flag { On(), On() }

// -----

// CHECK: On has 0 fields, the pattern 1
graph.data @Flag { On(), Off() }
graph.func @main(%x: !graph.adt<"Flag">) -> !graph.adt<"Flag"> {
  %r = graph.match %x : !graph.adt<"Flag"> -> !graph.adt<"Flag"> {
    case On(_) { graph.yield %x : !graph.adt<"Flag"> }
  }
  graph.return %r : !graph.adt<"Flag">
}

// -----

// CHECK: an argument of a case is tensor<f32>, the part of the value is tensor<si32>
graph.data @Box { Box(tensor<si32>) }
graph.func @main(%x: !graph.adt<"Box">) -> tensor<f32> {
  %r = graph.match %x : !graph.adt<"Box"> -> tensor<f32> {
    case Box(%a: tensor<f32>) { graph.yield %a : tensor<f32> }
  }
  graph.return %r : tensor<f32>
}

// -----

// CHECK: graph.ref_write: the value is tensor<si32>, the reference !graph.ref<tensor<f32>>
graph.func @main(%x: !graph.ref<tensor<f32>>, %y: tensor<si32>) -> tuple<> {
  %w = graph.ref_write %x, %y : !graph.ref<tensor<f32>>, tensor<si32> -> tuple<>
  graph.return %w : tuple<>
}

// -----

// CHECK: the tensors have 3 and 4 slices
graph.func @main(%x: tensor<3xf32>, %y: tensor<4xf32>, %c: tensor<f32>) -> tuple<tensor<f32>, tensor<3xf32>> {
  %xs = graph.tuple(%x, %y) : tensor<3xf32>, tensor<4xf32>
  %r = graph.scan (%a = %c, %b in %xs) : tensor<f32>, tuple<tensor<3xf32>, tensor<4xf32>> {
    graph.yield %a, %a : tensor<f32>, tensor<f32>
  }
  graph.return %r : tuple<tensor<f32>, tensor<3xf32>>
}
