// RUN: kc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{ml_program.global: the value is a f64, not a i64}}
ml_program.global private @n(4.0 : f64) : i64

// -----

// expected-error@+1 {{ml_program.global: the value is a i32, not a f32}}
ml_program.global private @x(4 : i32) : f32
