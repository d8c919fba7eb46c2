// RUN: kc-opt %s --infer-type --split-input-file | FileCheck %s


// A parameter of a type is found from the fields, also where a constructor has none.
// CHECK-LABEL: graph.func @two
// CHECK: graph.construct @List Nil() : () -> !graph.adt<"List", tensor<f32>>
// CHECK: graph.call @length({{.*}}) : (!graph.adt<"List", tensor<f32>>) -> tensor<si32>
// CHECK: case Cons(%h: tensor<f32>, _)
graph.data @List <"A"> { Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>), Nil() }
graph.func @two(%x: tensor<f32>) -> tuple<!graph.unknown, !graph.unknown> {
  %e = graph.construct @List Nil() : () -> !graph.unknown
  %l = graph.construct @List Cons(%x, %e) : (tensor<f32>, !graph.unknown) -> !graph.unknown
  %n = graph.call @length(%l) : (!graph.unknown) -> !graph.unknown
  %m = graph.match %l partial : !graph.unknown -> !graph.unknown {
    case Cons(%h: !graph.unknown, _) {
      graph.yield %h : !graph.unknown
    }
  }
  %r = graph.tuple(%n, %m) : !graph.unknown, !graph.unknown
  graph.return %r : tuple<!graph.unknown, !graph.unknown>
}
graph.func @length(%l: !graph.adt<"List", !graph.type_var<"A">>) -> tensor<si32> {
  %r = graph.match %l : !graph.adt<"List", !graph.type_var<"A">> -> tensor<si32> {
    case Nil() {
      %z = graph.constant dense<0> : tensor<si32>
      graph.yield %z : tensor<si32>
    }
    case Cons(_, %t: !graph.adt<"List", !graph.type_var<"A">>) {
      %n = graph.call @length(%t) : (!graph.adt<"List", !graph.type_var<"A">>) -> tensor<si32>
      %one = graph.constant dense<1> : tensor<si32>
      %m = graph.add(%n, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
      graph.yield %m : tensor<si32>
    }
  }
  graph.return %r : tensor<si32>
}
