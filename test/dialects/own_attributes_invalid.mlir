// RUN: kc-opt %s --split-input-file --verify-diagnostics

// Values of attributes of kc's own that are of no use to it are refused where they are read.

// expected-error@+1 {{func.func: kc.name of argument 0 is 5 : i32; it is a name, as text}}
func.func @f(%A: memref<8xf32> {kc.name = 5 : i32}) {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.name of argument 1 is ""; it is a name, as text}}
func.func @f(%n: index, %A: memref<8xf32> {kc.name = ""}) {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.dtype of argument 0 is f32; it is a name, as text}}
func.func @f(%A: memref<8xf32> {kc.dtype = f32}) {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.role of argument 0 is "result"; it is "in", "out" or "inout"}}
func.func @f(%A: memref<8xf32> {kc.role = "result"}) {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.symbols is [1 : i64]; it is a list of different names, as texts}}
func.func @f(%A: memref<8xf32>) attributes {kc.symbols = [1]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.symbols is ["n", "n"]; it is a list of different names, as texts}}
func.func @f(%A: memref<8xf32>) attributes {kc.symbols = ["n", "n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.requires is [{why = "so"}]; it is a list of conditions, as kc prints them}}
func.func @f(%A: memref<8xf32>) attributes {kc.requires = [{why = "so"}]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.requires is of more sizes than kc.symbols names, 1}}
func.func @f(%A: memref<8xf32>) attributes {kc.symbols = ["n"], kc.requires = [{condition = affine_set<()[n, m] : (m - n >= 0)>}]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.unscheduled is true; it is a mark, without a value}}
func.func @f(%A: memref<8xf32>) attributes {kc.unscheduled = true} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.pointers is "C"; it is a mark, without a value}}
func.func private @f(f32) attributes {kc.pointers = "C"}

// -----

// expected-error@+1 {{te.func: kc.arg_order is [0 : i64, 1 : i64]; it is an array of integers: array<i64: 0, 1>}}
te.func @f(%A: tensor<8xf32>) -> tensor<8xf32> attributes {kc.arg_order = [0, 1]} {
  te.return %A : tensor<8xf32>
}

// -----

// expected-error@+1 {{func.func: kc.pointers is of declared functions; this one has a body}}
func.func @f(%A: memref<8xf32>) attributes {kc.pointers} {
  func.return
}
