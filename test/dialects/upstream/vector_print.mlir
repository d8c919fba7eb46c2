// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%v: vector<4xf32>, %x: f32) {
  vector.print %v : vector<4xf32>
  vector.print %x : f32 punctuation <comma>
  vector.print str "abc"
  // As MLIR prints its generic form: the punctuation of a text is the default, and unused.
  "vector.print"() <{punctuation = #vector.punctuation<newline>, stringLiteral = "d"}> : () -> ()
  vector.print punctuation <newline>
  %c = arith.constant 0 : index
  return
}

// CHECK: vector.print %v : vector<4xf32>
// CHECK: vector.print %x : f32 punctuation <comma>
// CHECK: vector.print str "abc"
// CHECK: vector.print str "d"
// CHECK: vector.print punctuation <newline>
// CHECK-NEXT: %c = arith.constant 0 : index
