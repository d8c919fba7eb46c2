// RUN: kc-opt %s --split-input-file --verify-diagnostics

te.func @f(%I: tensor<1x4xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{te.scan: state 0 of S has the type tensor<7x4xf32>; its first dimension must be 8}}
  %S = te.scan "S" [%t = 8] (%s: tensor<7x4xf32> = %I: tensor<1x4xf32>) {
    %U = te.compute "U" [%i = 4] {
      %a = te.read %s[%t - 1, %i] : tensor<7x4xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    te.yield %U : tensor<4xf32>
  }
  te.return %S : tensor<7x4xf32>
}

// -----

te.func @f(%I: tensor<1x5xf32>) -> tensor<8x4xf32> {
  // expected-error@+1 {{te.scan: state 0 of S has the type tensor<8x4xf32>; its initial tensor has the type tensor<1x5xf32>, but may differ only in the first dimension}}
  %S = te.scan "S" [%t = 8] (%s: tensor<8x4xf32> = %I: tensor<1x5xf32>) {
    %U = te.compute "U" [%i = 4] {
      %a = te.read %s[%t - 1, %i] : tensor<8x4xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    te.yield %U : tensor<4xf32>
  }
  te.return %S : tensor<8x4xf32>
}

// -----

te.func @f(%I: tensor<1xf32>, %J: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // expected-error@+1 {{te.scan: the initial tensors of S must have the same constant number of rows, at least 1; that of state 1 has the type tensor<2xf32>}}
  %S, %T = te.scan "S" [%t = 8] (%s: tensor<8xf32> = %I: tensor<1xf32>, %r: tensor<8xf32> = %J: tensor<2xf32>) {
    %U, %V = te.compute "U" [] {
      %a = te.read %s[%t - 1] : tensor<8xf32>
      te.yield %a, %a : f32, f32
    } : tensor<f32>, tensor<f32>
    te.yield %U, %V : tensor<f32>, tensor<f32>
  }
  te.return %S, %T : tensor<8xf32>, tensor<8xf32>
}

// -----

te.func @f(%I: tensor<9xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{te.scan: S has 8 rows, fewer than the 9 initial ones}}
  %S = te.scan "S" [%t = 8] (%s: tensor<8xf32> = %I: tensor<9xf32>) {
    %U = te.compute "U" [] {
      %a = te.read %s[%t - 1] : tensor<8xf32>
      te.yield %a : f32
    } : tensor<f32>
    te.yield %U : tensor<f32>
  }
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%I: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{te.scan: the region of S yields (tensor<4xf32>); a row of its states is (tensor<f32>)}}
  %S = te.scan "S" [%t = 8] (%s: tensor<8xf32> = %I: tensor<1xf32>) {
    %U = te.compute "U" [%i = 4] {
      %a = te.read %s[%t - 1] : tensor<8xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    te.yield %U : tensor<4xf32>
  }
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%I: tensor<1xf32>, %A: tensor<f32>) -> tensor<8xf32> {
  // expected-error@+1 {{te.scan: the region of S must yield different results of its computes}}
  %S = te.scan "S" [%t = 8] (%s: tensor<8xf32> = %I: tensor<1xf32>) {
    te.yield %A : tensor<f32>
  }
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%I: tensor<1xf32>, %A: tensor<f32>) -> tensor<8xf32> {
  // expected-error@+1 {{te.scan: the region of S holds arith.constant; it holds only te.compute}}
  %S = te.scan "S" [%t = 8] (%s: tensor<8xf32> = %I: tensor<1xf32>) {
    %c = arith.constant 1.0 : f32
    %U = te.compute "U" [] { te.yield %c : f32 } : tensor<f32>
    te.yield %U : tensor<f32>
  }
  te.return %S : tensor<8xf32>
}

// -----

te.func @f(%I: tensor<1xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{te.scan: the name 'my scan' is not an identifier}}
  %S = te.scan "my scan" [%t = 8] (%s: tensor<8xf32> = %I: tensor<1xf32>) {
    %U = te.compute "U" [] {
      %a = te.read %s[%t - 1] : tensor<8xf32>
      te.yield %a : f32
    } : tensor<f32>
    te.yield %U : tensor<f32>
  }
  te.return %S : tensor<8xf32>
}
