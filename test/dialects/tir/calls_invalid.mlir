// RUN: kc-opt %s --split-input-file --verify-diagnostics

func.func @f(%A: memref<8xf32>) {
  // expected-error@+1 {{tir.call_extern: f: operand 0 of type memref<8xf32> is neither read nor written; a buffer is one of read, write, update, other values are none}}
  tir.call_extern "f"(%A) : (memref<8xf32>)
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.call_extern: f: operand 0 of type f32 is 'read'; a buffer is one of read, write, update, other values are none}}
  tir.call_extern "f"(read %x) : (f32)
  func.return
}

// -----

func.func @f(%A: memref<8xf32>) {
  // expected-error@+1 {{tir.call_extern: f: operand 0 is a buffer; a pure function takes scalars}}
  %r = tir.call_extern pure "f"(read %A) : (memref<8xf32>) -> f32
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.call_extern: f is pure and has no result, so it has no effect}}
  tir.call_extern pure "f"(%x) : (f32)
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.call_extern: f is given text, which only packed functions take}}
  tir.call_extern "f"("text", %x) : (f32)
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.call_extern: the function has no name}}
  tir.call_extern ""(%x) : (f32)
  func.return
}

// -----

func.func @f(%x: f32) {
  // expected-error@+1 {{tir.call_extern: f returns a buffer; a call returns a scalar}}
  %r = tir.call_extern "f"(%x) : (f32) -> memref<8xf32>
  func.return
}

// -----

func.func private @g(i64)
func.func @f(%n: index) {
  // expected-error@+1 {{tir.call: @g is (i64) -> (), and is called with (index)}}
  tir.call @g(%n) : (index)
  func.return
}
