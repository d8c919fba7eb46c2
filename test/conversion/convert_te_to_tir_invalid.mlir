// RUN: kc-opt %s --split-input-file --verify-diagnostics --convert-te-to-tir

te.func @beyond(%A: tensor<8xf32>) -> tensor<8xf32> {
  %C = te.compute "C" [%i = 8] {
    // expected-error@+1 {{C reads outside A: index 8 of dimension 0, which has the size 8}}
    %a = te.read %A[%i + 1] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

// -----

// The first element that does: i = 4 reads A[-1].
te.func @before(%A: tensor<8xf32>) -> tensor<8xf32> {
  %C = te.compute "C" [%i = 8] {
    // expected-error@+1 {{C reads outside A: index -1 of dimension 0, which has the size 8}}
    %a = te.read %A[3 - %i] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

// -----

// expected-error@+1 {{convert-te-to-tir: kc.arg_order of @order is [0, 0]}}
te.func @order(%A: tensor<3xf32>) -> tensor<3xf32> attributes {kc.arg_order = array<i64: 0, 0>} {
  te.return %A : tensor<3xf32>
}

// -----

te.func @size(%A: tensor<8xf32>, %x: index) -> tensor<?xf32> {
  // expected-error@+1 {{convert-te-to-tir: the size of C is not a function of the symbols of @size}}
  %C = te.compute "C" [%i = %x] {
    %a = te.read %A[0] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// -----

// expected-error@+1 {{convert-te-to-tir: the size of A is not a function of the symbols of @copy}}
te.func @copy(%A: tensor<?xf32>) -> tensor<?xf32> {
  te.return %A : tensor<?xf32>
}
