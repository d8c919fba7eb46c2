// RUN: kc-opt %s --split-input-file --verify-diagnostics

te.func @f(%A: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{te.return: returns (tensor<4xf32>), but @f declares (tensor<5xf32>)}}
  te.return %A : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<5xf32> {
  // expected-error@+1 {{te.compute: C has spatial extents [4] but the type tensor<5xf32>}}
  %C = te.compute "C" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<5xf32>
  te.return %C : tensor<5xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf64> {
  // expected-error@+1 {{te.compute: the body of C yields f32 for elements of type f64}}
  %C = te.compute "C" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf64>
  te.return %C : tensor<4xf64>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner umax of C is for integers, not f32}}
  %C = te.compute "C" [] reduce umax [%k = 4] {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4x4xf32>) -> tensor<4xf32> {
  %C = te.compute "C" [%i = 4] {
    // expected-error@+1 {{te.read: 1 indices for a tensor of rank 2 (tensor<4x4xf32>)}}
    %a = te.read %A[%i] : tensor<4x4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: C has two axes of one name}}
  %C = te.compute "C" [%i = 4] reduce sum [%k "i" = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: the name 'my tensor' is not an identifier}}
  %C = te.compute "my tensor" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xindex>) -> tensor<index> {
  // expected-error@+1 {{te.compute: the combiner sum of C is for integers and floats, not index}}
  %C = te.compute "C" [] reduce sum [%k = 4] {
    %a = te.read %A[%k] : tensor<4xindex>
    te.yield %a : index
  } : tensor<index>
  te.return %C : tensor<index>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'te.read' expects ancestor op 'te.compute'}}
  %a = te.read %A[0] : tensor<4xf32>
  te.return %A : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  %C = te.compute "C" [%i = 4] {
    // expected-error@+1 {{'te.compute' expects parent op to be one of 'te.func', 'te.scan'}}
    %D = te.compute "D" [%j = 4] {
      %a = te.read %A[%j] : tensor<4xf32>
      te.yield %a : f32
    } : tensor<4xf32>
    %d = te.read %D[%i] : tensor<4xf32>
    te.yield %d : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

// expected-error@+1 {{te.func: test.op in @f works on tensors; only te.compute, te.extern and te.scan do}}
te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = "test.op"(%A) : (tensor<4xf32>) -> tensor<4xf32>
  te.return %B : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: the name 'é' is not an identifier}}
  %C = te.compute "é" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

// expected-error@+1 {{te.func: @f has a tensor<4xvector<2xf32>>; the elements of tensors are scalars}}
te.func @f(%A: tensor<4xvector<2xf32>>) -> tensor<4xvector<2xf32>> {
  te.return %A : tensor<4xvector<2xf32>>
}

// -----

// expected-error@+1 {{te.func: te.compute in @f gives a tensor<4xvector<2xf32>>; the elements of tensors are scalars}}
te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    %v = vector.broadcast %a : f32 to vector<2xf32>
    te.yield %v : vector<2xf32>
  } : tensor<4xvector<2xf32>>
  te.return %A : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4x5xui8>) -> tensor<4xui8> {
  // expected-error@+1 {{te.compute: the combiner sum of B is for signless integers and floats, not ui8}}
  %B = te.compute "B" [%i = 4] reduce sum [%k = 5] {
    %a = te.read %A[%i, %k] : tensor<4x5xui8>
    te.yield %a : ui8
  } : tensor<4xui8>
  te.return %B : tensor<4xui8>
}
