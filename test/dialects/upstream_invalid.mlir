// What mlir-opt refuses too: accesses of another rank, views of another type, maps without a result;
// and what it prints, but does not read: affine.delinearize_index without a result.
// RUN: kc-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @load(%A: memref<8xf32>, %n: index) {
  // expected-error@+1 {{affine.load: an index for each dimension of memref<8xf32>}}
  %0 = affine.load %A[%n, %n] : memref<8xf32>
  func.return
}

// -----

func.func @store(%A: memref<4x4xf32>, %n: index, %x: f32) {
  // expected-error@+1 {{affine.store: an index for each dimension of memref<4x4xf32>}}
  affine.store %x, %A[%n] : memref<4x4xf32>
  func.return
}

// -----

func.func @vectors(%A: memref<8xf32>, %n: index) {
  // expected-error@+1 {{affine.vector_load: an index for each dimension of memref<8xf32>}}
  %0 = affine.vector_load %A[%n, %n] : memref<8xf32>, vector<4xf32>
  func.return
}

// -----

func.func @transpose(%A: memref<8xf32>) {
  // expected-error@+1 {{memref.transpose: memref<8xf32> in another order is not memref<9xf32>}}
  %0 = memref.transpose %A (i) -> (i) : memref<8xf32> to memref<9xf32>
  func.return
}

// -----

func.func @rank(%A: memref<8xf32>) {
  // expected-error@+1 {{memref.transpose: memref<8xf32> in another order is not memref<f32>}}
  %0 = memref.transpose %A (i) -> (i) : memref<8xf32> to memref<f32>
  func.return
}

// -----

func.func @nothing(%n: index) {
  // expected-error@+1 {{affine.max: the largest of at least one result}}
  %0 = affine.max affine_map<(d0) -> ()>(%n)
  func.return
}

// -----

func.func @kind(%x: f32) {
  // expected-error@+1 {{affine.parallel: addi reduces no f32}}
  %r = affine.parallel (%i) = (0) to (8) reduce ("addi") -> (f32) {
    affine.yield %x : f32
  }
  func.return
}

// -----

func.func @product(%A: memref<8xf32>, %n: index) {
  // expected-error@+1 {{one operand of a product must be a symbol or a number}}
  %0 = affine.load %A[%n * symbol(%n)] : memref<8xf32>
  func.return
}

// -----

func.func @divisor(%A: memref<8xf32>, %n: index) {
  // expected-error@+1 {{floordiv needs a symbol or a number as its divisor}}
  %0 = affine.load %A[%n floordiv symbol(%n)] : memref<8xf32>
  func.return
}

// -----

func.func @no_index(%n: index) {
  // expected-error@+1 {{affine.delinearize_index: at least one result; MLIR prints one without, and cannot read it}}
  "affine.delinearize_index"(%n) <{static_basis = array<i64>}> : (index) -> ()
  func.return
}

// -----

func.func @threads(%n: index) {
  // expected-error@+1 {{scf.forall: mapping is about 1 of the loops; there are 2}}
  scf.forall (%i, %j) in (4, %n) {
  } {mapping = [#gpu.thread<x>, #gpu.mask<3>]}
  func.return
}

// -----

func.func @masks(%n: index) {
  // expected-error@+1 {{scf.forall: mapping has 2 masks, not at most one}}
  scf.forall (%i) in (%n) {
  } {mapping = [#gpu.mask<1>, #gpu.warp<x>, #gpu.mask<3>]}
  func.return
}

// -----

func.func @no_mapping(%n: index) {
  // expected-error@+1 {{scf.forall: mapping needs an attribute such as #gpu.block<x> or #gpu.thread<y> for each loop, not 5 : i64}}
  scf.forall (%i) in (%n) {
  } {mapping = [5]}
  func.return
}

// -----

func.func @f(%a: memref<8xf32>) {
  // expected-error@+1 {{memref.subview: an offset, a size and a stride for each of 1 dimensions}}
  %v = memref.subview %a[1] [4] [] : memref<8xf32> to memref<4xf32, strided<[1], offset: 1>>
  return
}

// -----

func.func @f(%a: tensor<8x8xf32>) {
  // expected-error@+1 {{tensor.extract_slice: an offset, a size and a stride for each of 2 dimensions}}
  %v = tensor.extract_slice %a[1] [4] [1] : tensor<8x8xf32> to tensor<4xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{affine.parallel: the body yields a value for each result}}
  %r = affine.parallel (%i) = (1) to (8) reduce ("addi") -> (i32) {
    affine.yield %x : f32
  }
  return
}

// -----

func.func @f(%x: vector<4xi32>) {
  // expected-error@+1 {{affine.parallel: addi reduces no vector<4xi32>}}
  %r = affine.parallel (%i) = (1) to (8) reduce ("addi") -> (vector<4xi32>) {
    affine.yield %x : vector<4xi32>
  }
  return
}

// -----

func.func @f(%a: tensor<8xi64>) {
  // expected-error@+1 {{tensor.extract_slice: tensor<4xf32> has other elements than tensor<8xi64>}}
  %v = tensor.extract_slice %a[1] [4] [1] : tensor<8xi64> to tensor<4xf32>
  return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{arith.truncf: it rounds to_nearest_even, and not upward}}
  %0 = arith.truncf %x upward : f32 to bf16
  return
}

// -----

func.func @f(%n: i32) {
  // expected-error@+1 {{scf.for unsigned: loops compare numbers that have signs}}
  scf.for unsigned %i = %n to %n step %n : i32 {
  }
  return
}

// -----

func.func @f(%A: memref<24xf32>, %n: index) {
  // expected-error@+1 {{memref.reinterpret_cast: the size of dimension 1 is an operand, but 4 in the type}}
  %0 = memref.reinterpret_cast %A to offset: [0], sizes: [3, %n], strides: [4, 1] : memref<24xf32> to memref<3x4xf32>
  return
}

// -----

func.func @load(%A: memref<10xf32>, %n: index) {
  // expected-error@+1 {{affine.load: result 'result' at position 0 does not verify}}
  %0 = "affine.load"(%A, %n) <{map = affine_map<(d0) -> (d0)>}> : (memref<10xf32>, index) -> f64
  return
}

// -----

func.func @store(%A: memref<10xf32>, %n: index, %x: f64) {
  // expected-error@+1 {{affine.store: operand 'memref' at position 1 does not verify}}
  "affine.store"(%x, %A, %n) <{map = affine_map<(d0) -> (d0)>}> : (f64, memref<10xf32>, index) -> ()
  return
}

// -----

func.func @if(%n: index) {
  // expected-error@+1 {{affine.if: region 'then_region' at position 0 expected a single block, but got 0 blocks}}
  "affine.if"(%n) <{condition = affine_set<(d0) : (d0 >= 0)>}> ({
  }, {
  }) : (index) -> ()
  return
}

// -----

func.func @else(%n: index) {
  // expected-error@+1 {{affine.if: a branch is one block}}
  "affine.if"(%n) <{condition = affine_set<(d0) : (d0 >= 0)>}> ({
    "affine.yield"() : () -> ()
  }, {
    "affine.yield"() : () -> ()
  ^second:
    "affine.yield"() : () -> ()
  }) : (index) -> ()
  return
}

// -----

func.func @cast_of_size(%A: memref<3x4xf32>) {
  // expected-error@+1 {{memref.cast: memref<3x4xf32> is never memref<?x5xf32>}}
  %0 = memref.cast %A : memref<3x4xf32> to memref<?x5xf32>
  func.return
}

// -----

func.func @cast_of_strides(%A: memref<3x4xf32>) {
  // expected-error@+1 {{memref.cast: memref<3x4xf32> is never memref<3x4xf32, strided<[5, 1]>>}}
  %0 = memref.cast %A : memref<3x4xf32> to memref<3x4xf32, strided<[5, 1]>>
  func.return
}

// -----

func.func @cast_of_elements(%A: memref<*xf32>) {
  // expected-error@+1 {{memref.cast: memref<*xf32> is never memref<?xi32>}}
  %0 = memref.cast %A : memref<*xf32> to memref<?xi32>
  func.return
}
