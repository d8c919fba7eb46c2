// Expectations name a part of the title, or the code.
// RUN: kc-opt %s --split-input-file --verify-diagnostics --split="block=C loop=j factors=?,4" --allow-unregistered-dialect >/dev/null

// expected-error@+1 {{there is no operation 'tir.fro'}}
tir.fro %i in 4 {}

// -----
// expected-error @below {{KC1101: func.return: expected arguments to have the same types}}
func.func @f() -> i32 { func.return }

// -----
func.func @f(%a: i32) -> i32 {
  // expected-error-re@+1 {{%{{[a-z]}} is used but not defined}}
  func.return %b : i32
}

// -----
func.func @f() { // expected-error {{there is no block 'C' in @f}}
  func.return
}

// -----
  %0 = "a.b"(%1) : (i32) -> i32
  // expected-error@-1 {{KC1201}}
  %1 = "a.c"() : () -> i32
