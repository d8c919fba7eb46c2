// What is not as expected: a diagnostic nobody expects, one that is missing, a wrong line or kind.
// RUN: not kc-opt %s --split-input-file --verify-diagnostics 2>&1 >/dev/null | FileCheck %s

// CHECK:      error[KC0041]: unexpected error: KC1002: there is no operation 'tir.fro'
// CHECK-NEXT: verify_diagnostics_fails.mlir:24:1  tir.fro %i in 4 {}
// CHECK-NEXT: error[KC0042]: expected error was not produced: there is no operation
// CHECK-NEXT: verify_diagnostics_fails.mlir:27 
// CHECK-NEXT: error[KC0041]: unexpected error: KC1002: there is no operation 'tir.fru'
// CHECK-NEXT: verify_diagnostics_fails.mlir:32:1
// CHECK-NEXT: error[KC0042]: expected error was not produced: there is no operation
// CHECK-NEXT: verify_diagnostics_fails.mlir:31 
// CHECK-NEXT: error[KC0041]: unexpected error: KC1002: there is no operation 'tir.frx'
// CHECK-NEXT: verify_diagnostics_fails.mlir:36:1
// CHECK-NEXT: error[KC0042]: expected warning was not produced: there is no operation
// CHECK-NEXT: verify_diagnostics_fails.mlir:35 
// CHECK-NEXT: error[KC0040]: this is not a well-formed expectation
// CHECK-NEXT: verify_diagnostics_fails.mlir:39 
// CHECK-NEXT: try: // {{expected.error}}@+1
// CHECK-NEXT: error[KC0040]: '@next' is not a place
// CHECK-NEXT: verify_diagnostics_fails.mlir:42 
// CHECK-NOT:  error[

// -----
tir.fro %i in 4 {}

// -----
// expected-error@+1 {{there is no operation}}
tir.for %i in 4 {}

// -----
// expected-error {{there is no operation}}
tir.fru %i in 4 {}

// -----
// expected-warning@+1 {{there is no operation}}
tir.frx %i in 4 {}

// -----
// expected-error@+1 {there is no operation}
tir.for %i in 4 {}
// -----
// expected-error@next {{there is no operation}}
tir.for %i in 4 {}
