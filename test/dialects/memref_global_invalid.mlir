// RUN: kc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{memref.global: the initial value is a tensor<2x2xf32>, not a tensor<2x2xui8>}}
"memref.global"() <{sym_name = "t", type = memref<2x2xui8>, initial_value = dense<1.0> : tensor<2x2xf32>}> : () -> ()

// -----

// expected-error @+1 {{memref.global: the initial value is a tensor<4xf32>, not a tensor<2x2xf32>}}
"memref.global"() <{sym_name = "t", type = memref<2x2xf32>, initial_value = dense<1.0> : tensor<4xf32>}> : () -> ()

// -----

memref.global @t : memref<2x2xi8> = dense<1>
func.func @f() {
  // expected-error @+1 {{memref.get_global: @t is a memref<2x2xi8>, not a memref<2x2xf32>}}
  %t = memref.get_global @t : memref<2x2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{memref.get_global: @f is not a memref.global}}
  %t = memref.get_global @f : memref<2x2xf32>
  return
}

// -----

func.func @f() {
  // expected-error @+1 {{memref.get_global: @t is not a memref.global}}
  %t = memref.get_global @t : memref<2x2xf32>
  return
}
