// RUN: not kc-opt %s --infer-type 2>&1 | FileCheck %s

// CHECK: error[KC2482]: graph.match: no case is that of (Cons(_, Cons(_, _)), Off())
graph.data @List <"A"> { Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>), Nil() }
graph.data @Flag { On(), Off() }
graph.func @main(%t: tuple<!graph.adt<"List", tensor<f32>>, !graph.adt<"Flag">>, %z: tensor<f32>) -> tensor<f32> {
  %r = graph.match %t : tuple<!graph.adt<"List", tensor<f32>>, !graph.adt<"Flag">> -> tensor<f32> {
    case (Nil(), _) {
      graph.yield %z : tensor<f32>
    }
    case (Cons(%x: tensor<f32>, Nil()), _) {
      graph.yield %x : tensor<f32>
    }
    case (Cons(%x: tensor<f32>, Cons(_, _)), On()) {
      graph.yield %x : tensor<f32>
    }
  }
  graph.return %r : tensor<f32>
}
