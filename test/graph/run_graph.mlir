// RUN: kc-run %s --interpret | FileCheck %s
// RUN: kc-run %s --interpret -e sum --sizes=n=3 | FileCheck %s --check-prefix=SUM
// RUN: not kc-run %s --interpret -e sum 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not kc-run %s --interpret -e som 2>&1 | FileCheck %s --check-prefix=NAME

// CHECK: output_0: float32[2]
// CHECK-NEXT: [2. 6.]
// CHECK: output_1: float32[2]
// CHECK-NEXT: [1. 3.]
graph.func @main() -> tuple<tensor<2xf32>, tensor<2xf32>> {
  %c = graph.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %0 = graph.add(%c, %c) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %t = graph.tuple(%0, %c) : tensor<2xf32>, tensor<2xf32>
  graph.return %t : tuple<tensor<2xf32>, tensor<2xf32>>
}

// SUM: output: float32[3]
// SIZE: error[KC0061]: sum: the size n is not known
// NAME: error[KC0063]: there is no function 'som'
graph.func @sum(%x: tensor<?xf32, #graph.dims<"n">>) -> tensor<?xf32, #graph.dims<"n">> {
  %0 = graph.add(%x, %x) : (tensor<?xf32, #graph.dims<"n">>, tensor<?xf32, #graph.dims<"n">>) -> tensor<?xf32, #graph.dims<"n">>
  graph.return %0 : tensor<?xf32, #graph.dims<"n">>
}
