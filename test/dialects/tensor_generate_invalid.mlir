// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @sizes(%n: index) {
  // expected-error@+1 {{tensor.generate: one operand for each size that is ?}}
  %g = tensor.generate %n {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xindex>
  return
}

// -----

func.func @indices() {
  // expected-error@+1 {{tensor.generate: the body takes an index for each dimension}}
  %g = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4x4xindex>
  return
}

// -----

func.func @element() {
  // expected-error@+1 {{tensor.generate: the body yields one f32}}
  %g = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %i : index
  } : tensor<4xf32>
  return
}
