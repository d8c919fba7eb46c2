// RUN: kc-opt %s --apply-strides --split-input-file --verify-diagnostics

func.func @view(%A: memref<8x64xf32> {kc.name = "A", kc.strides = ["s0", 1]}) {
  // expected-error@+1 {{apply-strides: A has declared strides, and tir.view uses it}}
  %v = tir.view %A[0, 0] : memref<8x64xf32> to memref<8x8xf32, strided<[64, 1], offset: ?>>
  func.return
}

// -----

// expected-error@+1 {{apply-strides: A has 2 dimensions and 1 strides}}
func.func @rank(%A: memref<8x64xf32> {kc.strides = ["s0"]}) {
  func.return
}

// -----

// expected-error@+1 {{apply-strides: kc.strides = [1.000000e+00 : f64, 1 : i64]}}
func.func @kind(%A: memref<8x64xf32> {kc.strides = [1.0, 1]}) {
  func.return
}
