// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: 1 indices for a buffer of rank 2 (memref<8x8xf32>)}}
  %a = tir.view %A[0] : memref<8x8xf32> to memref<4xf32, strided<[1], offset: ?>>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: memref<4xf64, strided<[1], offset: ?>> is not a part of memref<8x8xf32>}}
  %a = tir.view %A[0, 0] : memref<8x8xf32> to memref<4xf64, strided<[1], offset: ?>>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: 9 elements along dimension 1 of memref<8x8xf32>; a view has a constant shape that fits}}
  %a = tir.view %A[0, 0] : memref<8x8xf32> to memref<9xf32, strided<[1], offset: ?>>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: ? elements along dimension 1 of memref<8x8xf32>; a view has a constant shape that fits}}
  %a = tir.view %A[0, 0] : memref<8x8xf32> to memref<?xf32, strided<[1], offset: ?>>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: neighbours along dimension 0 of memref<8x8xf32> are 8 elements apart, not 4}}
  %a = tir.view %A[0, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[4, 1], offset: ?>>
  func.return
}

// -----

func.func @f(%A: memref<8x8xf32>) {
  // expected-error@+1 {{tir.view: memref<4x4xf32, strided<[?, ?], offset: ?>> must go along 2 dimensions of memref<8x8xf32> in increasing order, not along [1, 0]}}
  %a = tir.view %A[0, 0] along [1, 0] : memref<8x8xf32> to memref<4x4xf32, strided<[?, ?], offset: ?>>
  func.return
}

// -----

func.func private @g(memref<8xf32>)
func.func @f(%A: memref<8xf32>) {
  // expected-error@+1 {{tir.call: argument 0 of type memref<8xf32> is neither read nor written; a buffer is one of read, write, update, other values are none}}
  tir.call @g(%A) : (memref<8xf32>)
  func.return
}

// -----

func.func @f(%A: memref<64x16xf16, "shared">) {
  // expected-error@+1 {{tir.matrix_descriptor: along "k" or "mn", not "m"}}
  %d = tir.matrix_descriptor %A along "m" : memref<64x16xf16, "shared">
  func.return
}

// -----

func.func @f(%A: memref<64x16xf16>) {
  // expected-error@+1 {{tir.matrix_descriptor: a tile is a matrix in shared memory, not memref<64x16xf16>}}
  %d = tir.matrix_descriptor %A along "k" : memref<64x16xf16>
  func.return
}

// -----

func.func private @g(index)
func.func @f(%n: index) {
  // expected-error@+1 {{tir.call: argument 0 of type index is 'read'; a buffer is one of read, write, update, other values are none}}
  tir.call @g(read %n) : (index)
  func.return
}
