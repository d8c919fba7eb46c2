// Constants that are given by some of their elements are kept with all.
// RUN: kc-opt %s | FileCheck %s

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
