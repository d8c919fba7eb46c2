// RUN: kc-opt %s --split-input-file | FileCheck %s
// RUN: kc-opt %s --split-input-file --mlir-print-op-generic | kc-opt --split-input-file | FileCheck %s
// RUN: kc-opt %s --split-input-file | kc-opt --split-input-file | FileCheck %s

// CHECK: graph.data @List <"A"> { Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>), Nil() }
graph.data @List <"A"> { Cons(!graph.type_var<"A">, !graph.adt<"List", !graph.type_var<"A">>), Nil() }
// CHECK-LABEL: @main
graph.func @main(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %e = graph.construct @List Nil() : () -> !graph.adt<"List", tensor<f32>>
  %e = graph.construct @List Nil() : () -> !graph.adt<"List", tensor<f32>>
  // CHECK: %c = graph.constructor @List Cons : !graph.fn<(tensor<f32>, !graph.adt<"List", tensor<f32>>) -> !graph.adt<"List", tensor<f32>>>
  %c = graph.constructor @List Cons : !graph.fn<(tensor<f32>, !graph.adt<"List", tensor<f32>>) -> !graph.adt<"List", tensor<f32>>>
  %l = graph.construct @List Cons(%x, %e) : (tensor<f32>, !graph.adt<"List", tensor<f32>>) -> !graph.adt<"List", tensor<f32>>
  %t = graph.tuple(%l, %x) : !graph.adt<"List", tensor<f32>>, tensor<f32>
  // CHECK: %r = graph.match %t : tuple<!graph.adt<"List", tensor<f32>>, tensor<f32>> -> tensor<f32> {
  // CHECK-NEXT: case (Cons(%h: tensor<f32>, Nil()), _) {
  // CHECK-NEXT: graph.yield %h
  // CHECK-NEXT: }
  // CHECK-NEXT: case (_, %y: tensor<f32>) {
  %r = graph.match %t : tuple<!graph.adt<"List", tensor<f32>>, tensor<f32>> -> tensor<f32> {
    case (Cons(%h: tensor<f32>, Nil()), _) {
      graph.yield %h : tensor<f32>
    }
    case (_, %y: tensor<f32>) {
      graph.yield %y : tensor<f32>
    }
  }
  // CHECK: graph.match %l partial
  %s = graph.match %l partial : !graph.adt<"List", tensor<f32>> -> tensor<f32> {
    case Cons(%h: tensor<f32>, _) {
      graph.yield %h : tensor<f32>
    }
  }
  graph.return %r : tensor<f32>
}

// -----

// CHECK-LABEL: @references
graph.func @references(%x: tensor<f32>) -> tensor<f32> {
  // CHECK: %r = graph.ref_create %x : tensor<f32> -> !graph.ref<tensor<f32>>
  %r = graph.ref_create %x : tensor<f32> -> !graph.ref<tensor<f32>>
  // CHECK: %w = graph.ref_write %r, %x : !graph.ref<tensor<f32>>, tensor<f32> -> tuple<>
  %w = graph.ref_write %r, %x : !graph.ref<tensor<f32>>, tensor<f32> -> tuple<>
  // CHECK: graph.ref_read %r : !graph.ref<tensor<f32>> -> tensor<f32>
  %v = graph.ref_read %r : !graph.ref<tensor<f32>> -> tensor<f32>
  graph.return %v : tensor<f32>
}

// -----

// CHECK-LABEL: @recursive
graph.func @recursive(%n: tensor<si32>) -> tensor<si32> {
  // CHECK: %f = graph.fn rec %self (%i: tensor<si32>) -> tensor<si32> {
  // CHECK-NEXT: graph.call_indirect %self(%i)
  %f = graph.fn rec %self (%i: tensor<si32>) -> tensor<si32> {
    %o = graph.call_indirect %self(%i) : !graph.fn<(tensor<si32>) -> tensor<si32>>, (tensor<si32>) -> tensor<si32>
    graph.return %o : tensor<si32>
  }
  graph.return %n : tensor<si32>
}

// -----

// CHECK-LABEL: @scan
graph.func @scan(%x: tensor<3x2xf32>, %y: tensor<3xf32>, %c: tensor<2xf32>) -> tuple<tensor<2xf32>, tensor<3x2xf32>> {
  %xs = graph.tuple(%x, %y) : tensor<3x2xf32>, tensor<3xf32>
  // CHECK: %r = graph.scan reverse (%a = %c, %b in %xs) : tensor<2xf32>, tuple<tensor<3x2xf32>, tensor<3xf32>> {
  %r = graph.scan reverse (%a = %c, %b in %xs) : tensor<2xf32>, tuple<tensor<3x2xf32>, tensor<3xf32>> {
    %d = graph.tuple_get_item %b[0] : tuple<tensor<2xf32>, tensor<f32>>
    %s = graph.add(%a, %d) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    graph.yield %s, %d : tensor<2xf32>, tensor<2xf32>
  }
  graph.return %r : tuple<tensor<2xf32>, tensor<3x2xf32>>
}
