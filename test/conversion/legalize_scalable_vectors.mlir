// RUN: kc-opt %s --legalize-scalable-vectors | FileCheck %s

// CHECK-LABEL: func.func @parts(%v: vector<8xf32>, %A: memref<2xvector<4xf32>>) -> (vector<8xf32>, index)
// CHECK-NEXT:    %n = arith.constant 1 : index
// CHECK-NEXT:    %k = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK-NEXT:    %p = vector.extract_strided_slice %v {offsets = [4], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
// CHECK-NEXT:    %s = vector.insert_strided_slice %p, %k {offsets = [0], strides = [1]} : vector<4xf32> into vector<8xf32>
// CHECK-NEXT:    func.return %s, %n : vector<8xf32>, index
func.func @parts(%v: vector<[8]xf32>, %A: memref<2xvector<[4]xf32>>) -> (vector<[8]xf32>, index) {
  %n = vector.vscale
  %k = arith.constant dense<2.0> : vector<[8]xf32>
  %p = vector.scalable.extract %v[4] : vector<[4]xf32> from vector<[8]xf32>
  %s = vector.scalable.insert %p, %k[0] : vector<[4]xf32> into vector<[8]xf32>
  return %s, %n : vector<[8]xf32>, index
}

// CHECK-LABEL: func.func @elements(%t: tensor<4xvector<4xf32>>, %i: index) -> vector<4xf32>
// CHECK-NEXT:    %e = tensor.extract %t[%i] : tensor<4xvector<4xf32>>
func.func @elements(%t: tensor<4xvector<[4]xf32>>, %i: index) -> vector<[4]xf32> {
  %e = tensor.extract %t[%i] : tensor<4xvector<[4]xf32>>
  return %e : vector<[4]xf32>
}

// Arguments of blocks, and what loops carry.
// CHECK-LABEL: func.func @carried
// CHECK:         scf.for %i = %lo to %hi step %one iter_args(%t = %v) -> (vector<4xf32>)
func.func @carried(%v: vector<[4]xf32>, %lo: index, %hi: index) -> vector<[4]xf32> {
  %one = arith.constant 1 : index
  %r = scf.for %i = %lo to %hi step %one iter_args(%t = %v) -> (vector<[4]xf32>) {
    %s = arith.addf %t, %v : vector<[4]xf32>
    scf.yield %s : vector<[4]xf32>
  }
  return %r : vector<[4]xf32>
}
