// Constants that are given by some of their elements are kept with all.
// RUN: kc-opt %s --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @f
func.func @f() {
  // CHECK: dense<{{\[\[}}1.000000e+00, 0.000000e+00, 0.000000e+00], [0.000000e+00, 0.000000e+00, 5.000000e+00]]> : tensor<2x3xf32>
  %a = arith.constant sparse<[[0, 0], [1, 2]], [1.0, 5.0]> : tensor<2x3xf32>
  // CHECK: dense<[-2, 0, -2]> : tensor<3xi32>
  %b = arith.constant sparse<[[0], [2]], -2> : tensor<3xi32>
  // CHECK: dense<0.000000e+00> : tensor<2x3xf16>
  %c = arith.constant sparse<> : tensor<2x3xf16>
  // CHECK: dense<[false, false, true]> : vector<3xi1>
  %d = arith.constant sparse<2, true> : vector<3xi1>
  return
}

// -----

func.func @outside() {
  // expected-error@+1 {{sparse: [1, 3] is no place in tensor<2x3xf32>}}
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
