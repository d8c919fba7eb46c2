"""Programs of graphs for several tests, with abbreviated types, and what they compute."""

import kc

SHORT = {
    "FUNC": "!graph.fn<(VEC) -> VEC>",
    "PAIR": "tuple<VEC, VEC>",
    "VEC": "tensor<2xf32>",
    "MAT": "tensor<4x16xf32>",
    "WIDE": 'tensor<?x8xf32, #graph.dims<"2 * n", 8>>',
    "THIN": 'tensor<?x1xf32, #graph.dims<"2 * n", 1>>',
    "ROWS": 'tensor<?x16xf32, #graph.dims<"n", 16>>',
    "INTO": 'tensor<?x8xf32, #graph.dims<"n", 8>>',
    "TALL": 'tensor<?x16xf32, #graph.dims<"2 * n", 16>>',
}
"""Types in the programs of these tests."""


def parsed(text: str) -> kc.IRModule:
    """The module of a text with abbreviated types."""
    for short, written in SHORT.items():
        text = text.replace(short, written)
    return kc.IRModule.parse(text)


NETWORK = """
graph.func @main(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>) -> MAT {
  %0 = graph.nn.dense(%x, %w) : (tensor<4x8xf32>, tensor<16x8xf32>) -> MAT
  %1 = graph.nn.bias_add(%0, %b) <axis = -1> : (MAT, tensor<16xf32>) -> MAT
  %2 = graph.nn.relu(%1) : (MAT) -> MAT
  %3 = graph.nn.softmax(%2) : (MAT) -> MAT
  graph.return %3 : MAT
}
"""

TUPLES = """
graph.func @main(%t: PAIR, %c: tensor<i1>) -> tuple<VEC, tuple<VEC>> {
  %a = graph.tuple_get_item %t[0] : PAIR
  %b = graph.tuple_get_item %t[1] : PAIR
  %s = graph.if %c -> VEC {
    %d = graph.subtract(%a, %b) : (VEC, VEC) -> VEC
    graph.yield %d : VEC
  } else {
    graph.yield %b : VEC
  }
  %v = graph.let "v" = %s : VEC
  %u = graph.tuple(%v) : VEC
  %r = graph.tuple(%a, %u) : VEC, tuple<VEC>
  graph.return %r : tuple<VEC, tuple<VEC>>
}
"""

LOOP = """
graph.func @main(%x: tensor<f32>, %n: tensor<si32>) -> tuple<tensor<f32>, tensor<si32>> {
  %s = graph.tuple(%x, %n) : tensor<f32>, tensor<si32>
  %r = graph.while (%a = %s) -> tuple<tensor<f32>, tensor<si32>> {
    %i = graph.tuple_get_item %a[1] : tuple<tensor<f32>, tensor<si32>>
    %zero = graph.constant dense<0> : tensor<si32>
    %more = graph.greater(%i, %zero) : (tensor<si32>, tensor<si32>) -> tensor<i1>
    graph.yield %more : tensor<i1>
  } do (%b) {
    %y = graph.tuple_get_item %b[0] : tuple<tensor<f32>, tensor<si32>>
    %j = graph.tuple_get_item %b[1] : tuple<tensor<f32>, tensor<si32>>
    %one = graph.constant dense<1> : tensor<si32>
    %k = graph.subtract(%j, %one) : (tensor<si32>, tensor<si32>) -> tensor<si32>
    %z = graph.add(%y, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %t = graph.tuple(%z, %k) : tensor<f32>, tensor<si32>
    graph.yield %t : tuple<tensor<f32>, tensor<si32>>
  }
  graph.return %r : tuple<tensor<f32>, tensor<si32>>
}
"""

FUNCTIONS = """
graph.func @main(%x: VEC, %z: VEC) -> VEC {
  %f = graph.fn (%y: VEC) -> VEC {
    %q = graph.multiply(%y, %z) : (VEC, VEC) -> VEC
    graph.return %q : VEC
  }
  %1 = graph.call @twice(%f, %x) : (FUNC, VEC) -> VEC
  %g = graph.closure @minus(%x) : (VEC) -> FUNC
  %2 = graph.call @twice(%g, %1) : (FUNC, VEC) -> VEC
  %h = graph.function_ref @negated : FUNC
  %3 = graph.call_indirect %h(%2) : FUNC, (VEC) -> VEC
  graph.return %3 : VEC
}
graph.func @twice(%f: FUNC, %x: VEC) -> VEC {
  %1 = graph.call_indirect %f(%x) : FUNC, (VEC) -> VEC
  %2 = graph.call_indirect %f(%1) : FUNC, (VEC) -> VEC
  graph.return %2 : VEC
}
graph.func @minus(%a: VEC, %b: VEC) -> VEC {
  %1 = graph.subtract(%a, %b) : (VEC, VEC) -> VEC
  graph.return %1 : VEC
}
graph.func @negated(%a: VEC) -> VEC {
  %1 = graph.negative(%a) : (VEC) -> VEC
  graph.return %1 : VEC
}
graph.func @adder(%z: VEC) -> FUNC {
  %f = graph.fn (%y: VEC) -> VEC {
    %q = graph.add(%y, %z) : (VEC, VEC) -> VEC
    graph.return %q : VEC
  }
  graph.return %f : FUNC
}
"""

RECURSION = """
graph.func @main(%n: tensor<si64>) -> tensor<si64> {
  %one = graph.constant dense<1> : tensor<si64>
  %more = graph.greater(%n, %one) : (tensor<si64>, tensor<si64>) -> tensor<i1>
  %r = graph.if %more -> tensor<si64> {
    %m = graph.subtract(%n, %one) : (tensor<si64>, tensor<si64>) -> tensor<si64>
    %f = graph.call @main(%m) : (tensor<si64>) -> tensor<si64>
    %p = graph.add(%n, %f) : (tensor<si64>, tensor<si64>) -> tensor<si64>
    graph.yield %p : tensor<si64>
  } else {
    graph.yield %one : tensor<si64>
  }
  graph.return %r : tensor<si64>
}
graph.func @endless(%n: tensor<si64>) -> tensor<si64> {
  %r = graph.call @endless(%n) : (tensor<si64>) -> tensor<si64>
  graph.return %r : tensor<si64>
}
"""

DEEP = """
graph.func @main(%x: ROWS) -> ROWS {
  %0 = graph.nn.softmax(%x) : (ROWS) -> ROWS
  %1 = graph.nn.softmax(%0) : (ROWS) -> ROWS
  %2 = graph.nn.softmax(%1) : (ROWS) -> ROWS
  %3 = graph.add(%2, %1) : (ROWS, ROWS) -> ROWS
  %4 = graph.nn.softmax(%3) : (ROWS) -> ROWS
  graph.return %4 : ROWS
}
"""
