// RUN: kc-opt %s --convert-te-to-tir | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir | kc-opt | FileCheck %s

// The documentation's example: a reduction becomes a block with an init.
// CHECK-LABEL: func.func @row_sum(
// CHECK-SAME:    %A: memref<8x4xf32> {kc.name = "A", kc.role = "in"},
// CHECK-SAME:    %S: memref<8xf32> {kc.name = "S", kc.role = "out"})
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.for %k in 4 {
// CHECK-NEXT:        tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
// CHECK-NEXT:          %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:          tir.store %[[ZERO]], %S[%v_i] : memref<8xf32>
// CHECK-NEXT:        } do {
// CHECK-NEXT:          %a = tir.load %A[%v_i, %v_k] : memref<8x4xf32>
// CHECK-NEXT:          %[[OLD:.*]] = tir.load %S[%v_i] : memref<8xf32>
// CHECK-NEXT:          %[[NEW:.*]] = arith.addf %[[OLD]], %a : f32
// CHECK-NEXT:          tir.store %[[NEW]], %S[%v_i] : memref<8xf32>
te.func @row_sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
    %a = te.read %A[%i, %k] : tensor<8x4xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// The identity of each combiner, by type: the lowest and highest i8, all ones as unsigned.
// CHECK-LABEL: func.func @identities
// CHECK:       arith.constant 1 : i8
// CHECK:       arith.muli
// CHECK:       arith.constant 127 : i8
// CHECK:       arith.minsi
// CHECK:       arith.constant -128 : i8
// CHECK:       arith.maxsi
// CHECK:       arith.constant -1 : i8
// CHECK:       arith.minui
// CHECK:       arith.constant 0 : i8
// CHECK:       arith.maxui
te.func @identities(%A: tensor<4xi8>)
    -> (tensor<i8>, tensor<i8>, tensor<i8>, tensor<i8>, tensor<i8>) {
  %P = te.compute "P" [] reduce prod [%k = 4] {
    %a = te.read %A[%k] : tensor<4xi8>
    te.yield %a : i8
  } : tensor<i8>
  %L = te.compute "L" [] reduce min [%k = 4] {
    %a = te.read %A[%k] : tensor<4xi8>
    te.yield %a : i8
  } : tensor<i8>
  %H = te.compute "H" [] reduce max [%k = 4] {
    %a = te.read %A[%k] : tensor<4xi8>
    te.yield %a : i8
  } : tensor<i8>
  %UL = te.compute "UL" [] reduce umin [%k = 4] {
    %a = te.read %A[%k] : tensor<4xi8>
    te.yield %a : i8
  } : tensor<i8>
  %UH = te.compute "UH" [] reduce umax [%k = 4] {
    %a = te.read %A[%k] : tensor<4xi8>
    te.yield %a : i8
  } : tensor<i8>
  te.return %P, %L, %H, %UL, %UH : tensor<i8>, tensor<i8>, tensor<i8>, tensor<i8>, tensor<i8>
}

// A tensor that is not returned is allocated; a symbolic size is a value of the function.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %C: memref<?xf32> {kc.name = "C", kc.role = "out", kc.shape = affine_map<()[s0] -> (s0)>})
// CHECK-SAME:    attributes {kc.symbols = ["n"], kc.unscheduled}
// CHECK:         %n = tir.symbol "n"
// CHECK:         %B = tir.alloc "B" (%n) : memref<?xf32>
// CHECK:         tir.for %i in %n {
// CHECK-NEXT:      tir.block "B" (spatial %v_i in %n = %i) do {
// CHECK:         tir.for %i_1 "i" in %n {
// CHECK-NEXT:      tir.block "C" (spatial %v_i in %n = %{{.*}}) do {
te.func @chain(%A: tensor<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) -> tensor<?xf32>
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    %b = arith.addf %a, %a : f32
    te.yield %b : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%i = %n] {
    %b = te.read %B[%i] : tensor<?xf32>
    %c = arith.mulf %b, %b : f32
    te.yield %c : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// An input that is returned is copied.
// CHECK-LABEL: func.func @identity(
// CHECK:         tir.for %c0 in 3 {
// CHECK-NEXT:      tir.block "copy" (spatial %v_c0 in 3 = %c0) do {
te.func @identity(%A: tensor<3xf32>) -> tensor<3xf32> {
  te.return %A : tensor<3xf32>
}

// The caller's order of arguments: the result first.
// CHECK-LABEL: func.func @ordered(%B: memref<3xf32> {{.*}}kc.role = "out"}, %A: memref<3xf32> {{.*}}kc.role = "in"}) attributes {kc.unscheduled} {
te.func @ordered(%A: tensor<3xf32>) -> tensor<3xf32> attributes {kc.arg_order = array<i64: 1, 0>} {
  %B = te.compute "B" [%i = 3] {
    %a = te.read %A[%i] : tensor<3xf32>
    te.yield %a : f32
  } : tensor<3xf32>
  te.return %B : tensor<3xf32>
}

// Reads in the regions of other operations become loads as well.
// CHECK-LABEL: func.func @branch
// CHECK:           %r = scf.if %c -> (f32) {
// CHECK-NEXT:        %a = tir.load %A[%v_i] : memref<8xf32>
// CHECK-NEXT:        scf.yield %a : f32
// CHECK-NEXT:      } else {
// CHECK-NEXT:        scf.yield %x : f32
// CHECK-NEXT:      }
// CHECK-NEXT:      tir.store %r, %B[%v_i] : memref<8xf32>
te.func @branch(%A: tensor<8xf32>, %c: i1, %x: f32) -> tensor<8xf32> {
  %B = te.compute "B" [%i = 8] {
    %r = scf.if %c -> (f32) {
      %a = te.read %A[%i] : tensor<8xf32>
      scf.yield %a : f32
    } else {
      scf.yield %x : f32
    }
    te.yield %r : f32
  } : tensor<8xf32>
  te.return %B : tensor<8xf32>
}
