// RUN: kc-opt %s | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | kc-opt | FileCheck %s
// RUN: kc-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --cse --dce | kc-opt | FileCheck %s

// Several results, combiners of regions, conditions and initial values.

// CHECK-LABEL: te.func @argmax(%A: tensor<8x16xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
// CHECK-NEXT:    %M_v0, %M_v1 = te.compute "M" [%i = 8] reduce "argmax" [%k = 16] (%ia: i32, %va: f32) (%ib: i32, %vb: f32) identity [-1 : i32, 0xff800000 : f32] {
// CHECK-NEXT:      %c = arith.cmpf oge, %va, %vb : f32
// CHECK-NEXT:      %x = arith.select %c, %ia, %ib : i32
// CHECK-NEXT:      %y = arith.select %c, %va, %vb : f32
// CHECK-NEXT:      te.yield %x, %y : i32, f32
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %n = arith.index_cast %k : index to i32
// CHECK-NEXT:      %a = te.read %A[%i, %k] : tensor<8x16xf32>
// CHECK-NEXT:      te.yield %n, %a : i32, f32
// CHECK-NEXT:    } : tensor<8xi32>, tensor<8xf32>
// CHECK-NEXT:    te.return %M_v0, %M_v1 : tensor<8xi32>, tensor<8xf32>

// GENERIC:      %M_v0, %M_v1 = "te.compute"()
// GENERIC-SAME:   identity = [-1 : i32, 0xff800000 : f32]}> ({
te.func @argmax(%A: tensor<8x16xf32>) -> (tensor<8xi32>, tensor<8xf32>) {
  %M_v0, %M_v1 = te.compute "M" [%i = 8] reduce "argmax" [%k = 16]
      (%ia: i32, %va: f32) (%ib: i32, %vb: f32) identity [-1 : i32, 0xFF800000 : f32] {
    %c = arith.cmpf oge, %va, %vb : f32
    %x = arith.select %c, %ia, %ib : i32
    %y = arith.select %c, %va, %vb : f32
    te.yield %x, %y : i32, f32
  } do {
    %n = arith.index_cast %k : index to i32
    %a = te.read %A[%i, %k] : tensor<8x16xf32>
    te.yield %n, %a : i32, f32
  } : tensor<8xi32>, tensor<8xf32>
  te.return %M_v0, %M_v1 : tensor<8xi32>, tensor<8xf32>
}

// CHECK-LABEL: te.func @parts
// CHECK-NEXT:    %P_v0, %P_v1 = te.compute "P" [%i = 8] {
// CHECK-NEXT:      %a = te.read %A[%i] : tensor<8xf32>
// CHECK-NEXT:      %b = arith.negf %a : f32
// CHECK-NEXT:      te.yield %a, %b : f32, f32
// CHECK-NEXT:    } : tensor<8xf32>, tensor<8xf32>
// CHECK-NEXT:    te.return %P_v1 : tensor<8xf32>
te.func @parts(%A: tensor<8xf32>) -> tensor<8xf32> {
  %P_v0, %P_v1 = te.compute "P" [%i = 8] {
    %a = te.read %A[%i] : tensor<8xf32>
    %b = arith.negf %a : f32
    te.yield %a, %b : f32, f32
  } : tensor<8xf32>, tensor<8xf32>
  te.return %P_v1 : tensor<8xf32>
}

// CHECK-LABEL: te.func @where_and_init
// CHECK:         %S = te.compute "S" [%i = 8] reduce sum [%k = %n] where {
// CHECK-NEXT:      %m = te.read %M[%i, %k] : tensor<8x?xi1>
// CHECK-NEXT:      te.condition (%i + %k < %n, %i >= 1), %m
// CHECK-NEXT:    } init {
// CHECK-NEXT:      %b = te.read %B[%i] : tensor<8xf32>
// CHECK-NEXT:      te.yield %b : f32
// CHECK-NEXT:    } attributes {key = 1 : i64} do {
// CHECK-NEXT:      %a = te.read %A[%i, %i + %k] : tensor<8x?xf32>
// CHECK-NEXT:      te.yield %a : f32
// CHECK-NEXT:    } : tensor<8xf32>
// CHECK-NEXT:    %T = te.compute "T" [%i = 8] reduce prod [%j = 4] where {
// CHECK-NEXT:      te.condition %c
// CHECK-NEXT:    } do {
te.func @where_and_init(%A: tensor<8x?xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>},
    %M: tensor<8x?xi1> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %B: tensor<8xf32>, %c: i1)
    -> (tensor<8xf32>, tensor<8xf32>) attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %S = te.compute "S" [%i = 8] reduce sum [%k = %n] where {
    %m = te.read %M[%i, %k] : tensor<8x?xi1>
    te.condition (%i + %k < %n, %i > 0), %m
  } init {
    %b = te.read %B[%i] : tensor<8xf32>
    te.yield %b : f32
  } attributes {key = 1} do {
    %a = te.read %A[%i, %i + %k] : tensor<8x?xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %T = te.compute "T" [%i = 8] reduce prod [%j = 4] where { te.condition %c } do {
    %s = te.read %S[%j] : tensor<8xf32>
    te.yield %s : f32
  } : tensor<8xf32>
  te.return %S, %T : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: te.func @one_value
// CHECK-NEXT:    %D = te.compute "D" [] reduce "gcd" [%k = 4] (%a: i64) (%b: i64) identity [0 : i64] {
// CHECK:           te.yield %c : i64
// CHECK-NEXT:    } init {
// CHECK-NEXT:      te.yield %x : i64
// CHECK-NEXT:    } do {
te.func @one_value(%A: tensor<4xi64>, %x: i64) -> tensor<i64> {
  %D = te.compute "D" [] reduce "gcd" [%k = 4] (%a: i64) (%b: i64) identity [0 : i64] {
    %c = arith.ori %a, %b : i64
    te.yield %c : i64
  } init { te.yield %x : i64 } do {
    %e = te.read %A[%k] : tensor<4xi64>
    te.yield %e : i64
  } : tensor<i64>
  te.return %D : tensor<i64>
}

// Extents that differ from element to element.

// CHECK-LABEL: te.func @ragged
// CHECK:         %S = te.compute "S" [%i = 8] reduce sum [%k = ?, %j = 2, %l = ?] domain {
// CHECK-NEXT:      %n = te.read %N[%i] : tensor<8xi32>
// CHECK-NEXT:      %e = arith.index_cast %n : i32 to index
// CHECK-NEXT:      te.yield %e, %i : index, index
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %a = te.read %A[%i, %k + %j + %l] : tensor<8x32xf32>
te.func @ragged(%A: tensor<8x32xf32>, %N: tensor<8xi32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = ?, %j = 2, %l = ?] domain {
    %n = te.read %N[%i] : tensor<8xi32>
    %e = arith.index_cast %n : i32 to index
    te.yield %e, %i : index, index
  } do {
    %a = te.read %A[%i, %k + %j + %l] : tensor<8x32xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}
