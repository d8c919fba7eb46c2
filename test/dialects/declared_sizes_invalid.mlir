// RUN: kc-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{func.func: kc.shape of argument 0 is of 1 symbol, and kc.symbols names 0}}
func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = []} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.shape of argument 0 has 2 sizes, and memref<?xf32> 1 dimension}}
func.func @f(%A: memref<?xf32> {kc.shape = affine_map<()[n] -> (n, n)>}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.shape of argument 1 is of dimensions; sizes are of symbols alone}}
func.func @f(%n: index, %A: memref<?xf32> {kc.shape = affine_map<(d0)[n] -> (d0)>}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.shape of argument 0 says the sizes of f32, which has none}}
func.func @f(%x: f32 {kc.shape = affine_map<()[n] -> (n)>}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.shape of argument 0 is ["n"]; sizes are an affine_map of symbols}}
func.func @f(%A: memref<?xf32> {kc.shape = ["n"]}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.symbol of argument 0 is 5 : i32, no name}}
func.func @f(%n: index {kc.symbol = 5 : i32}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.symbol of argument 0, which is of the type vector<4xindex>; sizes are indices or integers}}
func.func @f(%n: vector<4xindex> {kc.symbol = "n"}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{func.func: kc.symbol of argument 0, which is of the type f32; sizes are indices or integers}}
func.func @f(%n: f32 {kc.symbol = "n"}) attributes {kc.symbols = ["n"]} {
  func.return
}

// -----

// expected-error@+1 {{te.func: kc.symbol of argument 0, which is of the type tensor<4xi32>; sizes are indices or integers}}
te.func @f(%n: tensor<4xi32> {kc.symbol = "n"}) -> tensor<4xi32> attributes {kc.symbols = ["n"]} {
  te.return %n : tensor<4xi32>
}
