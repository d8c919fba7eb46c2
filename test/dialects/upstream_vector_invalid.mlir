// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%v: vector<2x3xf32>) {
  // expected-error@+1 {{vector.transpose: [0, 0] is not a permutation of 2 dimensions}}
  %0 = vector.transpose %v, [0, 0] : vector<2x3xf32> to vector<2x2xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>) {
  // expected-error@+1 {{vector.transpose: vector<2x3xf32> is not of the shape 3x2}}
  %0 = vector.transpose %v, [1, 0] : vector<2x3xf32> to vector<2x3xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>) {
  // expected-error@+1 {{vector.shape_cast: vector<2x3xf32> does not have as many elements as vector<5xf32>}}
  %0 = vector.shape_cast %v : vector<2x3xf32> to vector<5xf32>
  return
}

// -----

func.func @f() {
  // expected-error@+1 {{vector.constant_mask: [3] do not fit in vector<2xi1>}}
  %0 = vector.constant_mask [3] : vector<2xi1>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>) {
  // expected-error@+1 {{vector.extract_strided_slice: 2 elements from 1 on are not within 2, of vector<2x3xf32>}}
  %0 = vector.extract_strided_slice %v {offsets = [1], sizes = [2], strides = [1]} : vector<2x3xf32> to vector<2x3xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>, %p: vector<2xf32>) {
  // expected-error@+1 {{vector.insert_strided_slice: the strides are 1}}
  %0 = vector.insert_strided_slice %p, %v {offsets = [0, 0], strides = [2]} : vector<2xf32> into vector<2x3xf32>
  return
}

// -----

func.func @f(%A: memref<8xf32>, %i: index, %at: vector<4xi32>, %m: vector<8xi1>, %p: vector<8xf32>) {
  // expected-error@+1 {{vector.gather: vector<4xi32> is not of the shape 8}}
  %0 = vector.gather %A[%i] [%at], %m, %p : memref<8xf32>, vector<4xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  return
}

// -----

func.func @f(%A: memref<8x8xf32>, %i: index, %at: vector<8xi32>, %m: vector<8xi1>, %p: vector<8xf32>) {
  // expected-error@+1 {{vector.scatter: 1 indices into memref<8x8xf32>}}
  vector.scatter %A[%i] [%at], %m, %p : memref<8x8xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>, %c: vector<2xf32>) {
  // expected-error@+1 {{vector.scan: 2 is not a dimension of vector<2x3xf32>}}
  %0, %1 = vector.scan <add>, %v, %c {inclusive = true, reduction_dim = 2 : i64} : vector<2x3xf32>, vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>, %c: vector<2xf32>) {
  // expected-error@+1 {{vector.scan: vector<2xf32> is not of the shape 3}}
  %0, %1 = vector.scan <add>, %v, %c {inclusive = true, reduction_dim = 0 : i64} : vector<2x3xf32>, vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<2x3xf32>, %c: vector<2xf32>) {
  // expected-error@+1 {{vector.multi_reduction: [2] are not dimensions of vector<2x3xf32>}}
  %0 = vector.multi_reduction <add>, %v, %c [2] : vector<2x3xf32> to vector<2xf32>
  return
}

// -----

func.func @f(%a: vector<2x3xf32>, %b: vector<4xf32>, %c: vector<2xf32>) {
  // expected-error@+1 {{vector.contract: dimension d1 has the sizes 3 and 4}}
  %0 = vector.contract {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} %a, %b, %c : vector<2x3xf32>, vector<4xf32> into vector<2xf32>
  return
}

// -----

func.func @f(%a: vector<2x3xf32>, %b: vector<3xf32>, %c: vector<2xf32>) {
  // expected-error@+1 {{vector.contract: unknown iterator type 'window'}}
  %0 = vector.contract {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "window"]} %a, %b, %c : vector<2x3xf32>, vector<3xf32> into vector<2xf32>
  return
}

// -----

func.func @f(%v: vector<8xf32>, %m: vector<8xi1>) {
  // expected-error@+1 {{vector.mask: arith.negf has no lanes to be masked}}
  %0 = vector.mask %m { arith.negf %v : vector<8xf32> } : vector<8xi1> -> vector<8xf32>
  return
}

// -----

func.func @f(%v: vector<3xf32>) {
  // expected-error@+1 {{vector.deinterleave: vector<3xf32> has an odd number of lanes}}
  %0, %1 = vector.deinterleave %v : vector<3xf32> -> vector<1xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{vector.from_elements: 3 elements for vector<3xf32>}}
  %0 = vector.from_elements %x, %x : vector<3xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{vector.print: a text is printed alone}}
  vector.print %x : f32 str "x"
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{vector.print: the punctuation must be one of no_punctuation, newline, comma, open, close}}
  vector.print %x : f32 punctuation <dot>
  return
}

// -----

func.func @f(%p: vector<3xf32>, %v: vector<[8]xf32>) {
  // expected-error@+1 {{vector.scalable.insert: position 4 is not a multiple of the size of vector<3xf32>}}
  %0 = vector.scalable.insert %p, %v[4] : vector<3xf32> into vector<[8]xf32>
  return
}

// -----

func.func @f(%v: vector<8xf32>) {
  // expected-error@+1 {{vector.scalable.extract: vector<4xf32> cannot be a part of vector<8xf32>, which must have one scalable size}}
  %0 = vector.scalable.extract %v[4] : vector<4xf32> from vector<8xf32>
  return
}

// -----

func.func @f(%m: memref<4xvector<8xf32>>) {
  // expected-error@+1 {{vector.type_cast: memref<4xvector<8xf32>> and memref<vector<8x4xf32>> are not the same elements in constant numbers}}
  %0 = vector.type_cast %m : memref<4xvector<8xf32>> to memref<vector<8x4xf32>>
  return
}
