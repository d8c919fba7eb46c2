// RUN: not kc-opt %s --legalize-scalable-vectors 2>&1 | FileCheck %s
// A part behind the first multiple.

func.func @behind(%v: vector<[4]xf32>, %p: vector<8xf32>) -> vector<[4]xf32> {
  %s = vector.scalable.insert %p, %v[8] : vector<8xf32> into vector<[4]xf32>
  return %s : vector<[4]xf32>
}

// CHECK: error[KC4303]: legalize-scalable-vectors: the part at 8 is not in vector<[4]xf32>
// CHECK-NEXT: legalize_scalable_vectors_invalid.mlir:5:3  %s = vector.scalable.insert %p, %v[8] : vector<8xf32> into vector<[4]xf32>
// CHECK-NEXT: why: vscale is 1: vectors of scalable size have the size in the brackets
