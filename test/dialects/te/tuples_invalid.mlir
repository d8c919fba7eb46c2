// RUN: kc-opt %s --split-input-file --verify-diagnostics

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: the body of C yields 2 values for 1 tensors}}
  %C = te.compute "C" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a, %a : f32, f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: C has spatial extents [4] but the type tensor<5xf32>}}
  %C, %D = te.compute "C" [%i = 4] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a, %a : f32, f32
  } : tensor<4xf32>, tensor<5xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner sum of C is for one value, not 2}}
  %C, %D = te.compute "C" [] reduce sum [%k = 4] {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a, %a : f32, f32
  } : tensor<f32>, tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must take (f32) twice, not (f32, i32)}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: i32) identity [0.0 : f32] {
    te.yield %a : f32
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must have an identity of the types (f32), not [0 : i32]}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: f32) identity [0 : i32] {
    te.yield %a : f32
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must yield (f32), not (i1)}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: f32) identity [0.0 : f32] {
    %c = arith.cmpf olt, %a, %b : f32
    te.yield %c : i1
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>, %x: f32) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must use nothing but its arguments; arith.addf uses a value from outside}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: f32) identity [0.0 : f32] {
    %c = arith.addf %a, %x : f32
    te.yield %c : f32
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>, %B: memref<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must be free of side effects; memref.alloc is not}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: f32) identity [0.0 : f32] {
    %m = memref.alloc() : memref<4xf32>
    te.yield %a : f32
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the combiner of C must end with te.yield}}
  %C = te.compute "C" [] reduce "r" [%k = 4] (%a: f32) (%b: f32) identity [0.0 : f32] {
    %c = arith.addf %a, %b : f32
  } do {
    %e = te.read %A[%k] : tensor<4xf32>
    te.yield %e : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: C has where, which only reductions have}}
  %C = te.compute "C" [%i = 4] where { te.condition (%i < 2) } do {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: C has init, which only reductions have}}
  %C = te.compute "C" [%i = 4] init {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } do {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>, %x: f64) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the init of C yields f64 for elements of type f32}}
  %C = te.compute "C" [] reduce sum [%k = 4] init { te.yield %x : f64 } do {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>, %x: i1) -> tensor<f32> {
  // expected-error@+1 {{te.compute: the where of C must end with te.condition}}
  %C = te.compute "C" [] reduce sum [%k = 4] where { te.yield %x : i1 } do {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  %C = te.compute "C" [] reduce sum [%k = 4] where {
    // expected-error@+1 {{te.condition: it needs a constraint or a value}}
    te.condition ()
  } do {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<f32> {
  // expected-error@+1 {{te.compute: C must have either a named combiner, or one with a name, a region and an identity}}
  %C = "te.compute"() <{compute_name = "C", axis_names = [], reduce_names = ["k"], static_extents = array<i64: 4>, combiner = #te<combiner sum>, combiner_name = "x"}> ({
  ^bb0(%k: index):
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  }, {}, {}, {}, {}) : () -> tensor<f32>
  te.return %C : tensor<f32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: the domain of C must yield an index for each of its 1 extents that are ?}}
  %C = te.compute "C" [%i = 4] reduce sum [%k = ?] domain { te.yield %i, %i : index, index } do {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{te.compute: extents are ? if, and only if, there is a domain}}
  %C = te.compute "C" [%i = 4] reduce sum [%k = ?] {
    %a = te.read %A[%k] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

// -----

te.func @f(%A: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+1 {{te.compute: the extent of a spatial axis cannot be ?}}
  %C = te.compute "C" [%i = ?] {
    %a = te.read %A[%i] : tensor<4xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// -----

te.func @f(%A: tensor<4x5xui8>) -> tensor<4xui8> {
  // expected-error@+1 {{te.compute: the combiner of B combines ui8; integers are signless}}
  %B = te.compute "B" [%i = 4] reduce "first" [%k = 5] (%x: ui8) (%y: ui8) identity [0 : ui8] {
    te.yield %x : ui8
  } do {
    %a = te.read %A[%i, %k] : tensor<4x5xui8>
    te.yield %a : ui8
  } : tensor<4xui8>
  te.return %B : tensor<4xui8>
}
