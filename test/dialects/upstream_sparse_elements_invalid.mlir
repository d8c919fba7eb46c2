// Constants that are given by places they do not have, or by too many values.
// RUN: kc-opt %s --split-input-file --verify-diagnostics -o /dev/null

func.func @outside() {
  // expected-error@+1 {{sparse: [1, 3] is not an index of tensor<2x3xf32>}}
  %a = arith.constant sparse<[[0, 0], [1, 3]], [1.0, 5.0]> : tensor<2x3xf32>
  return
}

// -----

func.func @rank() {
  // expected-error@+1 {{sparse: each place has 2 indices}}
  %a = arith.constant sparse<[[0], [1]], [1.0, 5.0]> : tensor<2x3xf32>
  return
}

// -----

func.func @count() {
  // expected-error@+1 {{sparse: 2 places have 3 values}}
  %a = arith.constant sparse<[[0, 0], [1, 2]], [1.0, 5.0, 6.0]> : tensor<2x3xf32>
  return
}

// -----

func.func @large() {
  // expected-error@+1 {{sparse: tensor<100000x100000xf32> has more than 16777216 elements}}
  %a = arith.constant sparse<[[0, 0]], 1.0> : tensor<100000x100000xf32>
  return
}
