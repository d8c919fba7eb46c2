// RUN: kc-opt %s --elide > %t.elided
// RUN: FileCheck %s --check-prefix=ELIDED < %t.elided
// RUN: kc-opt %t.elided --params=%s | FileCheck %s
// RUN: kc-opt %s | kc-opt | FileCheck %s

// Elements of a large constant stand once in the resources of the file; --elide leaves them out, and
// --params reads them from another file that has them. Equal elements and small constants stay.
// CHECK: graph.constant dense_resource<c[[HASH:[0-9a-f]+]]_260B> : tensor<65xf32>
// CHECK: graph.constant dense<1.000000e+00> : tensor<100xf32>
// CHECK: graph.constant dense_resource<c[[HASH]]_260B> : tensor<5x13xf32>
// CHECK: dialect_resources: {
// CHECK-NEXT: builtin: {
// CHECK-NEXT: c[[HASH]]_260B: "0x40000000{{0+100}}"
// CHECK-NEXT: }
// ELIDED: graph.constant dense_resource<c{{[0-9a-f]+}}_260B> : tensor<65xf32>
// ELIDED-NOT: dialect_resources
graph.func @main() -> tuple<tensor<65xf32>, tensor<100xf32>, tensor<5x13xf32>> {
  %0 = graph.constant dense_resource<c9f11dd81b058f733_260B> : tensor<65xf32>
  %1 = graph.constant dense<1.0> : tensor<100xf32>
  %2 = graph.constant dense_resource<c9f11dd81b058f733_260B> : tensor<5x13xf32>
  %3 = graph.tuple(%0, %1, %2) : tensor<65xf32>, tensor<100xf32>, tensor<5x13xf32>
  graph.return %3 : tuple<tensor<65xf32>, tensor<100xf32>, tensor<5x13xf32>>
}

{-#
  dialect_resources: {
    builtin: {
      c9f11dd81b058f733_260B: "0x400000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000100"
    }
  }
#-}
