// A reduction starts from what would be combined with its result.
// RUN: kc-opt %s --fuse-reduction-epilogue="func=bias reduction-block=C epilogue-block=D" | FileCheck %s --check-prefix=BIAS
// RUN: kc-opt %s --fuse-reduction-epilogue="func=relu reduction-block=M epilogue-block=R" | FileCheck %s --check-prefix=RELU
// RUN: kc-opt %s --fuse-reduction-epilogue="func=sizes reduction-block=S epilogue-block=D" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --split="func=bias block=C loop=j factors=?,4" --fuse-reduction-epilogue="func=bias reduction-block=C epilogue-block=D" \
// RUN:   | FileCheck %s --check-prefix=TAIL

te.func @bias(%A: tensor<4x8xf32>, %B: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %C = te.compute "C" [%i = 4, %j = 6] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    %y = te.read %B[%k, %j] : tensor<8x6xf32>
    %z = arith.mulf %x, %y : f32
    te.yield %z : f32
  } : tensor<4x6xf32>
  %D = te.compute "D" [%i = 4, %j = 6] {
    %x = te.read %C[%i, %j] : tensor<4x6xf32>
    %y = te.read %b[%j] : tensor<6xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<4x6xf32>
  te.return %D : tensor<4x6xf32>
}

// A maximum with 0 is one more step of a maximum; the result is transposed.
te.func @relu(%A: tensor<4x6x8xf32>) -> tensor<6x4xf32> {
  %M = te.compute "M" [%i = 4, %j = 6] reduce max [%k = 8] {
    %x = te.read %A[%i, %j, %k] : tensor<4x6x8xf32>
    te.yield %x : f32
  } : tensor<4x6xf32>
  %R = te.compute "R" [%a = 6, %b = 4] {
    %zero = arith.constant 0.0 : f32
    %x = te.read %M[%b, %a] : tensor<4x6xf32>
    %z = arith.maximumf %zero, %x : f32
    te.yield %z : f32
  } : tensor<6x4xf32>
  te.return %R : tensor<6x4xf32>
}

// The sum of no element is the bias.
te.func @sizes(%A: tensor<?x?xi32> {kc.shape = affine_map<()[n, m] -> (n, m)>}, %c: tensor<?xi32> {kc.shape = affine_map<()[n, m] -> (n)>})
    -> tensor<?xi32> attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %S = te.compute "S" [%i = %n] reduce sum [%k = %m] {
    %x = te.read %A[%i, %k] : tensor<?x?xi32>
    te.yield %x : i32
  } : tensor<?xi32>
  %D = te.compute "D" [%i = %n] {
    %x = te.read %S[%i] : tensor<?xi32>
    %y = te.read %c[%i] : tensor<?xi32>
    %two = arith.constant 2 : i32
    %w = arith.muli %y, %two : i32
    %z = arith.addi %w, %x : i32
    te.yield %z : i32
  } : tensor<?xi32>
  te.return %D : tensor<?xi32>
}

// BIAS:      func.func @bias(
// BIAS-NEXT:   tir.for %i in 4 {
// BIAS-NEXT:     tir.for %j in 6 {
// BIAS-NEXT:       tir.for %k in 8 {
// BIAS-NEXT:         tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j, reduce %v_k in 8 = %k) init {
// BIAS-NEXT:           %y = tir.load %b[%v_j] : memref<6xf32>
// BIAS-NEXT:           tir.store %y, %D[%v_i, %v_j] : memref<4x6xf32>
// BIAS-NEXT:         } do {
// BIAS-NEXT:           %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// BIAS-NEXT:           %y_1 = tir.load %B[%v_k, %v_j] : memref<8x6xf32>
// BIAS-NEXT:           %z = arith.mulf %x, %y_1 : f32
// BIAS-NEXT:           %0 = tir.load %D[%v_i, %v_j] : memref<4x6xf32>
// BIAS-NEXT:           %1 = arith.addf %0, %z : f32
// BIAS-NEXT:           tir.store %1, %D[%v_i, %v_j] : memref<4x6xf32>
// BIAS-NEXT:         }
// BIAS-NEXT:       }
// BIAS-NEXT:     }
// BIAS-NEXT:   }
// BIAS-NEXT:   func.return
// BIAS-NEXT: }

// RELU:      func.func @relu(
// RELU-NEXT:   tir.for %i in 4 {
// RELU-NEXT:     tir.for %j in 6 {
// RELU-NEXT:       tir.for %k in 8 {
// RELU-NEXT:         tir.block "M" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j, reduce %v_k in 8 = %k) init {
// RELU-NEXT:           %zero = arith.constant 0.000000e+00 : f32
// RELU-NEXT:           tir.store %zero, %R[%v_j, %v_i] : memref<6x4xf32>
// RELU-NEXT:         } do {
// RELU-NEXT:           %x = tir.load %A[%v_i, %v_j, %v_k] : memref<4x6x8xf32>
// RELU-NEXT:           %0 = tir.load %R[%v_j, %v_i] : memref<6x4xf32>
// RELU-NEXT:           %1 = arith.maximumf %0, %x : f32
// RELU-NEXT:           tir.store %1, %R[%v_j, %v_i] : memref<6x4xf32>
// RELU-NEXT:         }
// RELU-NEXT:       }
// RELU-NEXT:     }
// RELU-NEXT:   }
// RELU-NEXT:   func.return
// RELU-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %m = tir.symbol "m"
// SIZES-NEXT:   tir.for %i in %n {
// SIZES-NEXT:     tir.for %k in %m {
// SIZES-NEXT:       tir.block "S" (spatial %v_i in %n = %i, reduce %v_k in %m = %k) init {
// SIZES-NEXT:         %y = tir.load %c[%v_i] : memref<?xi32>
// SIZES-NEXT:         %two = arith.constant 2 : i32
// SIZES-NEXT:         %w = arith.muli %y, %two : i32
// SIZES-NEXT:         tir.store %w, %D[%v_i] : memref<?xi32>
// SIZES-NEXT:       } do {
// SIZES-NEXT:         %x = tir.load %A[%v_i, %v_k] : memref<?x?xi32>
// SIZES-NEXT:         %0 = tir.load %D[%v_i] : memref<?xi32>
// SIZES-NEXT:         %1 = arith.addi %0, %x : i32
// SIZES-NEXT:         tir.store %1, %D[%v_i] : memref<?xi32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// TAIL:      func.func @bias(
// TAIL-NEXT:   tir.for %i in 4 {
// TAIL-NEXT:     tir.for %j_o in 2 {
// TAIL-NEXT:       tir.for %j_i in 4 {
// TAIL-NEXT:         tir.for %k in 8 {
// TAIL-NEXT:           tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 6 = %j_o * 4 + %j_i, reduce %v_k in 8 = %k) where (%j_o * 4 + %j_i < 6) init {
// TAIL-NEXT:             %y = tir.load %b[%v_j] : memref<6xf32>
// TAIL-NEXT:             tir.store %y, %D[%v_i, %v_j] : memref<4x6xf32>
// TAIL-NEXT:           } do {
// TAIL-NEXT:             %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
// TAIL-NEXT:             %y_1 = tir.load %B[%v_k, %v_j] : memref<8x6xf32>
// TAIL-NEXT:             %z = arith.mulf %x, %y_1 : f32
// TAIL-NEXT:             %0 = tir.load %D[%v_i, %v_j] : memref<4x6xf32>
// TAIL-NEXT:             %1 = arith.addf %0, %z : f32
// TAIL-NEXT:             tir.store %1, %D[%v_i, %v_j] : memref<4x6xf32>
// TAIL-NEXT:           }
// TAIL-NEXT:         }
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   func.return
// TAIL-NEXT: }
