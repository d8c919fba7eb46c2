// What mlir-opt refuses too: accesses of another rank, views of another type, maps without a result.
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
