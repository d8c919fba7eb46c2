// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @too_few(%n: index) {
  // expected-error@+1 {{tensor.empty: 1 operands for 2 dynamic sizes}}
  %e = tensor.empty(%n) : tensor<?x4x?xi32>
  return
}

// -----

func.func @too_many(%n: index) {
  // expected-error@+1 {{tensor.empty: 1 operands for 0 dynamic sizes}}
  %e = tensor.empty(%n) : tensor<3xi32>
  return
}

// -----

func.func @concatenated(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{tensor.concat: dimension 2 is out of range for rank 2}}
  %c = tensor.concat dim(2) %a, %a : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @concatenated_before(%a: tensor<4x2xf32>) {
  // expected-error@+1 {{tensor.concat: dimension -1 is out of range for rank 2}}
  %c = tensor.concat dim(-1) %a, %a : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @elements(%x: f32) {
  // expected-error@+1 {{tensor.from_elements: 2 operands for the elements of tensor<3xf32>}}
  %e = tensor.from_elements %x, %x : tensor<3xf32>
  return
}

// -----

func.func @allocated() {
  // expected-error@+1 {{bufferization.alloc_tensor: 0 operands for 1 dynamic sizes}}
  %e = bufferization.alloc_tensor() : tensor<?xf32>
  return
}

// -----

func.func @copied(%t: tensor<?xf32>, %n: index) {
  // expected-error@+1 {{bufferization.alloc_tensor: 1 operands for 0 dynamic sizes}}
  %e = bufferization.alloc_tensor(%n) copy(%t) : tensor<?xf32>
  return
}
