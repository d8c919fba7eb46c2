// RUN: kc-opt %s --convert-tir-to-scf --split-input-file --verify-diagnostics

func.func @block() {
  // expected-error@+1 {{block C is left}}
  tir.block "C" () do {
  }
  func.return
}

// -----

func.func @vectorized(%A: memref<8xf32>, %x: f32) {
  // expected-error@+1 {{the vectorized loop i was not lowered}}
  tir.for %i in 8 vectorized {
    tir.store %x, %A[%i] : memref<8xf32>
  }
  func.return
}

// -----

func.func @symbol() attributes {kc.symbols = ["n"]} {
  // expected-error@+1 {{no argument determines the size n}}
  %n = tir.symbol "n"
  func.return
}

// -----

func.func @branches(%A: memref<8xf32>, %x: f32, %q: i1) {
  // expected-error@+1 {{@branches has branches}}
  cf.cond_br %q, ^a, ^b
^a:
  tir.store %x, %A[0] : memref<8xf32>
  cf.br ^b
^b:
  func.return
}
