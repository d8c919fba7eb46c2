// RUN: kc-opt %s --split-input-file --verify-diagnostics --convert-te-to-tir

// The condition leaves out what would be outside, but not all of it.

te.func @f(%A: tensor<8xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 8] where { te.condition (%i + %k < 9) } do {
    // expected-error@+1 {{KC2030: S reads outside A: index 8 of dimension 0, which has the size 8}}
    %a = te.read %A[%i + %k] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%A: tensor<8xf32>, %B: tensor<4xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 8] init {
    // expected-error@+1 {{KC2030: S reads outside B: index 4 of dimension 0, which has the size 4}}
    %b = te.read %B[%i] : tensor<4xf32>
    te.yield %b : f32
  } do {
    %a = te.read %A[%k] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%I: tensor<1x4xf32>) -> tensor<8x4xf32> {
  %S = te.scan "S" [%t = 8] (%s: tensor<8x4xf32> = %I: tensor<1x4xf32>) {
    %U = te.compute "U" [%i = 4] {
      // expected-error@+1 {{KC2050: U reads a row of s that S may not have computed}}
      %a = te.read %s[%t, %i] : tensor<8x4xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    te.yield %U : tensor<4xf32>
  }
  te.return %S : tensor<8x4xf32>
}

// -----

te.func @f(%I: tensor<1x4xf32>) -> tensor<?x4xf32> attributes {kc.symbols = ["m"]} {
  %m = te.symbol "m"
  %S = te.scan "S" [%t = %m] (%s: tensor<?x4xf32> = %I: tensor<1x4xf32>) {
    %U = te.compute "U" [%i = 4] {
      // expected-error@+1 {{KC2050: U reads a row of s that S may not have computed}}
      %a = te.read %s[%t - 2, %i] : tensor<?x4xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    te.yield %U : tensor<4xf32>
  }
  te.return %S : tensor<?x4xf32>
}

// -----

te.func @f(%I: tensor<1xi64>) -> tensor<8xi64> {
  %S = te.scan "S" [%t = 8] (%s: tensor<8xi64> = %I: tensor<1xi64>) {
    %U = te.compute "U" [] {
      %a = te.read %s[%t - 1] : tensor<8xi64>
      %n = arith.index_cast %a : i64 to index
      // expected-error@+1 {{KC2050: U reads a row of s that S may not have computed}}
      %b = te.read %s[%n] : tensor<8xi64>
      te.yield %b : i64
    } : tensor<i64>
    te.yield %U : tensor<i64>
  }
  te.return %S : tensor<8xi64>
}
