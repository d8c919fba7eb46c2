// RUN: kc-opt %s | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s

func.func @f(%v: vector<[8]xf32>, %p: vector<4xf32>, %a: vector<[4]xf32>, %b: vector<2xf32>, %c: vector<2x[4]xf32>) -> index {
  %n = vector.vscale
  %e = vector.scalable.extract %v[4] : vector<[4]xf32> from vector<[8]xf32>
  %i = vector.scalable.insert %p, %v[4] : vector<4xf32> into vector<[8]xf32>
  %o = vector.outerproduct %b, %a, %c {kind = #vector.kind<add>} : vector<2xf32>, vector<[4]xf32>
  return %n : index
}

// CHECK: %n = vector.vscale
// CHECK-NEXT: %e = vector.scalable.extract %v[4] : vector<[4]xf32> from vector<[8]xf32>
// CHECK-NEXT: %i = vector.scalable.insert %p, %v[4] : vector<4xf32> into vector<[8]xf32>
// CHECK-NEXT: %o = vector.outerproduct %b, %a, %c {kind = #vector.kind<add>} : vector<2xf32>, vector<[4]xf32>
