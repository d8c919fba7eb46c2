// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%x: f32, %y: i32) {
  // expected-error@+1 {{tir.combine: the combiner r takes two tuples and gives one, all of the same types, not (f32) and (i32) and (f32)}}
  %z = "tir.combine"(%x, %y) <{combiner_name = "r", identity = [0.0 : f32], operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%a: f32, %b: f32):
    "tir.yield"(%a) : (f32) -> ()
  }) : (f32, i32) -> f32
  func.return
}

// -----

func.func @f(%x: f32, %n: i32) {
  // expected-error@+1 {{tir.combine: the combiner r must take (f32) twice and (i32), not (f32, f32)}}
  %z = "tir.combine"(%x, %x, %n) <{combiner_name = "r", identity = [0.0 : f32], operandSegmentSizes = array<i32: 1, 1, 1>}> ({
  ^bb0(%a: f32, %b: f32):
    tir.yield %a : f32
  }) : (f32, f32, i32) -> f32
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.combine: the combiner r must yield (f32), not (f32, f32)}}
  %z = tir.combine "r" (%x) (%x) by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a, %b : f32, f32
  }
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.combine: the combiner r must use nothing but its arguments; tir.yield uses a value from outside}}
  %z = tir.combine "r" (%x) (%x) by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %x : f32
  }
  func.return
}

// -----

func.func @f() {
  // expected-error@+1 {{tir.combine: the combiner r combines nothing}}
  "tir.combine"() <{combiner_name = "r", identity = [], operandSegmentSizes = array<i32: 0, 0, 0>}> ({
    "tir.yield"() : () -> ()
  }) : () -> ()
  func.return
}

// -----

func.func @f(%x: f32, %y: f32) {
  // expected-error@+1 {{tir.combine: the combiner r takes 2 values and is given 3}}
  %z = tir.combine "r" (%x) (%x, %y) by (%a: f32) (%b: f32) identity [0.0 : f32] {
    tir.yield %a : f32
  }
  func.return
}
