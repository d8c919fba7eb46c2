// What a loop or a block does is done by a tensor intrinsic.
// RUN: kc-opt %s --split="func=matmul loop=i factors=?,4" --split="func=matmul loop=j factors=?,4" --split="func=matmul loop=k factors=?,4" --reorder="func=matmul loops=i_o,j_o,k_o,i_i,j_i,k_i" --tensorize="func=matmul loop=i_i tensor-intrin=matmul_f32_4x4x4" | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --split="func=dots loop=k factors=?,4" --tensorize="func=dots loop=k_i tensor-intrin=dot_f32_4" | FileCheck %s --check-prefix=DOT
// RUN: kc-opt %s --tensorize="func=dots loop=k tensor-intrin=dot_f32_16" | FileCheck %s --check-prefix=WHOLE
// RUN: kc-opt %s --split="func=dots loop=k factors=?,8" --blockize="func=dots loop=k_i" --decompose-reduction="func=dots block=C_o loop=k_o" --tensorize="func=dots block=C_o tensor-intrin=dot_f32_8" | FileCheck %s --check-prefix=UPDATE
// RUN: kc-opt %s --split="func=biased loop=k factors=?,8" --tensorize="func=biased loop=k_i tensor-intrin=dot_f32_8" | FileCheck %s --check-prefix=BIAS
// RUN: kc-opt %s --tensorize="func=rows block=B loop=j tensor-intrin=copy_f32_16" --tensorize="func=rows block=C loop=j tensor-intrin=fill_f32_16" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --target="llvm -mcpu=cascadelake" --tensorize="func=bytes loop=i tensor-intrin=avx512_vnni_dot_16x4" | FileCheck %s --check-prefix=BYTES

te.func @matmul(%A: tensor<8x8xf32>, %B: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %C = te.compute "C" [%i = 8, %j = 8] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<8x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x8xf32>
    %p = arith.mulf %a, %b : f32
    te.yield %p : f32
  } : tensor<8x8xf32>
  te.return %C : tensor<8x8xf32>
}

// Of a matrix and the rows of another.
te.func @dots(%A: tensor<8x16xf32>, %B: tensor<8x16xf32>) -> tensor<8x8xf32> {
  %C = te.compute "C" [%i = 8, %j = 8] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<8x16xf32>
    %b = te.read %B[%j, %k] : tensor<8x16xf32>
    %p = arith.mulf %b, %a : f32
    te.yield %p : f32
  } : tensor<8x8xf32>
  te.return %C : tensor<8x8xf32>
}

// The init is another than that of the intrinsic: it stays.
func.func @biased(%A: memref<16xf32>, %B: memref<16xf32>, %X: memref<1xf32>, %C: memref<1xf32>) {
  tir.for %k in 16 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 16 = %k) init {
      %x = tir.load %X[%v_i] : memref<1xf32>
      tir.store %x, %C[%v_i] : memref<1xf32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xf32>
      %a = tir.load %A[%v_k] : memref<16xf32>
      %b = tir.load %B[%v_k] : memref<16xf32>
      %p = arith.mulf %a, %b : f32
      %d = arith.addf %p, %c : f32
      tir.store %d, %C[%v_i] : memref<1xf32>
    }
  }
  func.return
}

func.func @rows(%A: memref<4x2x16xf32>, %B: memref<4x16xf32>, %C: memref<4x16xf32>) {
  tir.for %i in 4 {
    tir.for %j in 16 {
      tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 16 = %j) do {
        %a = tir.load %A[%v_i, 1, %v_j] : memref<4x2x16xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<4x16xf32>
      }
    }
    tir.for %j in 16 {
      tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 16 = %j) do {
        %z = arith.constant 0.0 : f32
        tir.store %z, %C[%v_i, %v_j] : memref<4x16xf32>
      }
    }
  }
  func.return
}

func.func @bytes(%A: memref<2x8xi8>, %B: memref<2x16x4xi8>, %C: memref<2x16xi32>) {
  tir.for %m in 2 {
    tir.for %k_o in 2 {
      tir.for %i in 16 {
        tir.for %k in 4 {
          tir.block "C" (spatial %v_m in 2 = %m, spatial %v_i in 16 = %i, reduce %v_k in 8 = %k_o * 4 + %k) init {
            %zero = arith.constant 0 : i32
            tir.store %zero, %C[%v_m, %v_i] : memref<2x16xi32>
          } do {
            %c = tir.load %C[%v_m, %v_i] : memref<2x16xi32>
            %a = tir.load %A[%v_m, %v_k] : memref<2x8xi8>
            %b = tir.load %B[%v_k floordiv 4, %v_i, %v_k mod 4] : memref<2x16x4xi8>
            %x = arith.extui %a : i8 to i32
            %y = arith.extsi %b : i8 to i32
            %p = arith.muli %x, %y : i32
            %s = arith.addi %c, %p : i32
            tir.store %s, %C[%v_m, %v_i] : memref<2x16xi32>
          }
        }
      }
    }
  }
  func.return
}

// TILE-LABEL: func.func @matmul(
// TILE-NEXT: tir.for %i_o in 2 {
// TILE-NEXT: tir.for %j_o in 2 {
// TILE-NEXT: tir.for %k_o in 2 {
// TILE-NEXT: tir.block "C_o" (spatial %v_i_o in 2 = %i_o, spatial %v_j_o in 2 = %j_o, reduce %v_k_o in 2 = %k_o) init {
// TILE-NEXT: %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
// TILE-NEXT: tir.store %zero, %C[%v_i_o * 4, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: tir.store %zero, %C[%v_i_o * 4 + 1, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: tir.store %zero, %C[%v_i_o * 4 + 2, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: tir.store %zero, %C[%v_i_o * 4 + 3, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: } do {
// TILE-NEXT: %b0 = tir.load %B[%v_k_o * 4, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %b1 = tir.load %B[%v_k_o * 4 + 1, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %b2 = tir.load %B[%v_k_o * 4 + 2, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %b3 = tir.load %B[%v_k_o * 4 + 3, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %c0 = tir.load %C[%v_i_o * 4, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %a00 = tir.load %A[%v_i_o * 4, %v_k_o * 4] : memref<8x8xf32>
// TILE-NEXT: %v00 = vector.broadcast %a00 : f32 to vector<4xf32>
// TILE-NEXT: %p00 = arith.mulf %v00, %b0 : vector<4xf32>
// TILE-NEXT: %s00 = arith.addf %c0, %p00 : vector<4xf32>
// TILE-NEXT: %a01 = tir.load %A[%v_i_o * 4, %v_k_o * 4 + 1] : memref<8x8xf32>
// TILE-NEXT: %v01 = vector.broadcast %a01 : f32 to vector<4xf32>
// TILE-NEXT: %p01 = arith.mulf %v01, %b1 : vector<4xf32>
// TILE-NEXT: %s01 = arith.addf %s00, %p01 : vector<4xf32>
// TILE-NEXT: %a02 = tir.load %A[%v_i_o * 4, %v_k_o * 4 + 2] : memref<8x8xf32>
// TILE-NEXT: %v02 = vector.broadcast %a02 : f32 to vector<4xf32>
// TILE-NEXT: %p02 = arith.mulf %v02, %b2 : vector<4xf32>
// TILE-NEXT: %s02 = arith.addf %s01, %p02 : vector<4xf32>
// TILE-NEXT: %a03 = tir.load %A[%v_i_o * 4, %v_k_o * 4 + 3] : memref<8x8xf32>
// TILE-NEXT: %v03 = vector.broadcast %a03 : f32 to vector<4xf32>
// TILE-NEXT: %p03 = arith.mulf %v03, %b3 : vector<4xf32>
// TILE-NEXT: %s03 = arith.addf %s02, %p03 : vector<4xf32>
// TILE-NEXT: tir.store %s03, %C[%v_i_o * 4, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %c1 = tir.load %C[%v_i_o * 4 + 1, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %a10 = tir.load %A[%v_i_o * 4 + 1, %v_k_o * 4] : memref<8x8xf32>
// TILE-NEXT: %v10 = vector.broadcast %a10 : f32 to vector<4xf32>
// TILE-NEXT: %p10 = arith.mulf %v10, %b0 : vector<4xf32>
// TILE-NEXT: %s10 = arith.addf %c1, %p10 : vector<4xf32>
// TILE-NEXT: %a11 = tir.load %A[%v_i_o * 4 + 1, %v_k_o * 4 + 1] : memref<8x8xf32>
// TILE-NEXT: %v11 = vector.broadcast %a11 : f32 to vector<4xf32>
// TILE-NEXT: %p11 = arith.mulf %v11, %b1 : vector<4xf32>
// TILE-NEXT: %s11 = arith.addf %s10, %p11 : vector<4xf32>
// TILE-NEXT: %a12 = tir.load %A[%v_i_o * 4 + 1, %v_k_o * 4 + 2] : memref<8x8xf32>
// TILE-NEXT: %v12 = vector.broadcast %a12 : f32 to vector<4xf32>
// TILE-NEXT: %p12 = arith.mulf %v12, %b2 : vector<4xf32>
// TILE-NEXT: %s12 = arith.addf %s11, %p12 : vector<4xf32>
// TILE-NEXT: %a13 = tir.load %A[%v_i_o * 4 + 1, %v_k_o * 4 + 3] : memref<8x8xf32>
// TILE-NEXT: %v13 = vector.broadcast %a13 : f32 to vector<4xf32>
// TILE-NEXT: %p13 = arith.mulf %v13, %b3 : vector<4xf32>
// TILE-NEXT: %s13 = arith.addf %s12, %p13 : vector<4xf32>
// TILE-NEXT: tir.store %s13, %C[%v_i_o * 4 + 1, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %c2 = tir.load %C[%v_i_o * 4 + 2, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %a20 = tir.load %A[%v_i_o * 4 + 2, %v_k_o * 4] : memref<8x8xf32>
// TILE-NEXT: %v20 = vector.broadcast %a20 : f32 to vector<4xf32>
// TILE-NEXT: %p20 = arith.mulf %v20, %b0 : vector<4xf32>
// TILE-NEXT: %s20 = arith.addf %c2, %p20 : vector<4xf32>
// TILE-NEXT: %a21 = tir.load %A[%v_i_o * 4 + 2, %v_k_o * 4 + 1] : memref<8x8xf32>
// TILE-NEXT: %v21 = vector.broadcast %a21 : f32 to vector<4xf32>
// TILE-NEXT: %p21 = arith.mulf %v21, %b1 : vector<4xf32>
// TILE-NEXT: %s21 = arith.addf %s20, %p21 : vector<4xf32>
// TILE-NEXT: %a22 = tir.load %A[%v_i_o * 4 + 2, %v_k_o * 4 + 2] : memref<8x8xf32>
// TILE-NEXT: %v22 = vector.broadcast %a22 : f32 to vector<4xf32>
// TILE-NEXT: %p22 = arith.mulf %v22, %b2 : vector<4xf32>
// TILE-NEXT: %s22 = arith.addf %s21, %p22 : vector<4xf32>
// TILE-NEXT: %a23 = tir.load %A[%v_i_o * 4 + 2, %v_k_o * 4 + 3] : memref<8x8xf32>
// TILE-NEXT: %v23 = vector.broadcast %a23 : f32 to vector<4xf32>
// TILE-NEXT: %p23 = arith.mulf %v23, %b3 : vector<4xf32>
// TILE-NEXT: %s23 = arith.addf %s22, %p23 : vector<4xf32>
// TILE-NEXT: tir.store %s23, %C[%v_i_o * 4 + 2, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %c3 = tir.load %C[%v_i_o * 4 + 3, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: %a30 = tir.load %A[%v_i_o * 4 + 3, %v_k_o * 4] : memref<8x8xf32>
// TILE-NEXT: %v30 = vector.broadcast %a30 : f32 to vector<4xf32>
// TILE-NEXT: %p30 = arith.mulf %v30, %b0 : vector<4xf32>
// TILE-NEXT: %s30 = arith.addf %c3, %p30 : vector<4xf32>
// TILE-NEXT: %a31 = tir.load %A[%v_i_o * 4 + 3, %v_k_o * 4 + 1] : memref<8x8xf32>
// TILE-NEXT: %v31 = vector.broadcast %a31 : f32 to vector<4xf32>
// TILE-NEXT: %p31 = arith.mulf %v31, %b1 : vector<4xf32>
// TILE-NEXT: %s31 = arith.addf %s30, %p31 : vector<4xf32>
// TILE-NEXT: %a32 = tir.load %A[%v_i_o * 4 + 3, %v_k_o * 4 + 2] : memref<8x8xf32>
// TILE-NEXT: %v32 = vector.broadcast %a32 : f32 to vector<4xf32>
// TILE-NEXT: %p32 = arith.mulf %v32, %b2 : vector<4xf32>
// TILE-NEXT: %s32 = arith.addf %s31, %p32 : vector<4xf32>
// TILE-NEXT: %a33 = tir.load %A[%v_i_o * 4 + 3, %v_k_o * 4 + 3] : memref<8x8xf32>
// TILE-NEXT: %v33 = vector.broadcast %a33 : f32 to vector<4xf32>
// TILE-NEXT: %p33 = arith.mulf %v33, %b3 : vector<4xf32>
// TILE-NEXT: %s33 = arith.addf %s32, %p33 : vector<4xf32>
// TILE-NEXT: tir.store %s33, %C[%v_i_o * 4 + 3, %v_j_o * 4] : memref<8x8xf32>, vector<4xf32>
// TILE-NEXT: }
// TILE-NEXT: }
// TILE-NEXT: }
// TILE-NEXT: }
// TILE-NEXT: func.return

// DOT-LABEL: func.func @dots(
// DOT-NEXT: tir.for %i in 8 {
// DOT-NEXT: tir.for %j in 8 {
// DOT-NEXT: tir.for %k_o in 4 {
// DOT-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j, reduce %v_k_o in 4 = %k_o) init {
// DOT-NEXT: %zero = arith.constant 0.000000e+00 : f32
// DOT-NEXT: tir.store %zero, %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// DOT-NEXT: } do {
// DOT-NEXT: %c = tir.load %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// DOT-NEXT: %a = tir.load %B[%v_j_o, %v_k_o * 4] : memref<8x16xf32>, vector<4xf32>
// DOT-NEXT: %b = tir.load %A[%v_i_o, %v_k_o * 4] : memref<8x16xf32>, vector<4xf32>
// DOT-NEXT: %p = arith.mulf %a, %b : vector<4xf32>
// DOT-NEXT: %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<4xf32> into f32
// DOT-NEXT: tir.store %s, %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// DOT-NEXT: }
// DOT-NEXT: }
// DOT-NEXT: }
// DOT-NEXT: }
// DOT-NEXT: func.return

// WHOLE-LABEL: func.func @dots(
// WHOLE-NEXT: tir.for %i in 8 {
// WHOLE-NEXT: tir.for %j in 8 {
// WHOLE-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j, reduce %v_k_o in 1 = 0) do {
// WHOLE-NEXT: %a = tir.load %B[%v_j_o, 0] : memref<8x16xf32>, vector<16xf32>
// WHOLE-NEXT: %b = tir.load %A[%v_i_o, 0] : memref<8x16xf32>, vector<16xf32>
// WHOLE-NEXT: %p = arith.mulf %a, %b : vector<16xf32>
// WHOLE-NEXT: %s = vector.reduction <add>, %p fastmath<reassoc> : vector<16xf32> into f32
// WHOLE-NEXT: tir.store %s, %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: }
// WHOLE-NEXT: func.return

// UPDATE-LABEL: func.func @dots(
// UPDATE-NEXT: tir.for %i in 8 {
// UPDATE-NEXT: tir.for %j in 8 {
// UPDATE-NEXT: tir.block "C_o_init" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j) do {
// UPDATE-NEXT: tir.block "C_init" (spatial %v_i in 8 = %v_i_o, spatial %v_j in 8 = %v_j_o) do {
// UPDATE-NEXT: %0 = arith.constant 0.000000e+00 : f32
// UPDATE-NEXT: tir.store %0, %C[%v_i, %v_j] : memref<8x8xf32>
// UPDATE-NEXT: }
// UPDATE-NEXT: }
// UPDATE-NEXT: tir.for %k_o in 2 {
// UPDATE-NEXT: tir.block "C_o" (spatial %v_i_o in 8 = %i, spatial %v_j_o in 8 = %j, reduce %v_k_o in 2 = %k_o) do {
// UPDATE-NEXT: %c = tir.load %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// UPDATE-NEXT: %a = tir.load %B[%v_j_o, %v_k_o * 8] : memref<8x16xf32>, vector<8xf32>
// UPDATE-NEXT: %b = tir.load %A[%v_i_o, %v_k_o * 8] : memref<8x16xf32>, vector<8xf32>
// UPDATE-NEXT: %p = arith.mulf %a, %b : vector<8xf32>
// UPDATE-NEXT: %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<8xf32> into f32
// UPDATE-NEXT: tir.store %s, %C[%v_i_o, %v_j_o] : memref<8x8xf32>
// UPDATE-NEXT: }
// UPDATE-NEXT: }
// UPDATE-NEXT: }
// UPDATE-NEXT: }
// UPDATE-NEXT: func.return

// BIAS-LABEL: func.func @biased(
// BIAS-NEXT: tir.for %k_o in 2 {
// BIAS-NEXT: tir.block "C_o" (spatial %v_i_o in 1 = 0, reduce %v_k_o in 2 = %k_o) init {
// BIAS-NEXT: tir.block "C_init" (spatial %v_i in 1 = 0) do {
// BIAS-NEXT: %x = tir.load %X[%v_i] : memref<1xf32>
// BIAS-NEXT: tir.store %x, %C[%v_i] : memref<1xf32>
// BIAS-NEXT: }
// BIAS-NEXT: } do {
// BIAS-NEXT: %c = tir.load %C[0] : memref<1xf32>
// BIAS-NEXT: %a = tir.load %A[%v_k_o * 8] : memref<16xf32>, vector<8xf32>
// BIAS-NEXT: %b = tir.load %B[%v_k_o * 8] : memref<16xf32>, vector<8xf32>
// BIAS-NEXT: %p = arith.mulf %a, %b : vector<8xf32>
// BIAS-NEXT: %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<8xf32> into f32
// BIAS-NEXT: tir.store %s, %C[0] : memref<1xf32>
// BIAS-NEXT: }
// BIAS-NEXT: }
// BIAS-NEXT: func.return

// ROWS-LABEL: func.func @rows(
// ROWS-NEXT: tir.for %i in 4 {
// ROWS-NEXT: tir.block "B_o" (spatial %v_i_o in 4 = %i, spatial %v_j_o in 1 = 0) do {
// ROWS-NEXT: %a = tir.load %A[%v_i_o, 1, 0] : memref<4x2x16xf32>, vector<16xf32>
// ROWS-NEXT: tir.store %a, %B[%v_i_o, 0] : memref<4x16xf32>, vector<16xf32>
// ROWS-NEXT: }
// ROWS-NEXT: tir.block "C_o" (spatial %v_i_o in 4 = %i, spatial %v_j_o in 1 = 0) do {
// ROWS-NEXT: %zero = arith.constant dense<0.000000e+00> : vector<16xf32>
// ROWS-NEXT: tir.store %zero, %C[%v_i_o, 0] : memref<4x16xf32>, vector<16xf32>
// ROWS-NEXT: }
// ROWS-NEXT: }
// ROWS-NEXT: func.return

// BYTES-LABEL: func.func @bytes(
// BYTES-NEXT: tir.for %m in 2 {
// BYTES-NEXT: tir.for %k_o in 2 {
// BYTES-NEXT: tir.block "C_o" (spatial %v_m_o in 2 = %m, spatial %v_i_o in 1 = 0, reduce %v_k_o in 2 = %k_o) init {
// BYTES-NEXT: %zero = arith.constant dense<0> : vector<16xi32>
// BYTES-NEXT: tir.store %zero, %C[%v_m_o, 0] : memref<2x16xi32>, vector<16xi32>
// BYTES-NEXT: } do {
// BYTES-NEXT: %a = tir.load %A[%v_m_o, %v_k_o * 4] : memref<2x8xi8>, vector<4xi8>
// BYTES-NEXT: %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
// BYTES-NEXT: %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
// BYTES-NEXT: %a_words = vector.broadcast %a_word : i32 to vector<16xi32>
// BYTES-NEXT: %a_all = vector.bitcast %a_words : vector<16xi32> to vector<64xi8>
// BYTES-NEXT: %b0 = tir.load %B[%v_k_o, 0, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b1 = tir.load %B[%v_k_o, 1, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b2 = tir.load %B[%v_k_o, 2, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b3 = tir.load %B[%v_k_o, 3, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b4 = tir.load %B[%v_k_o, 4, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b5 = tir.load %B[%v_k_o, 5, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b6 = tir.load %B[%v_k_o, 6, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b7 = tir.load %B[%v_k_o, 7, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b8 = tir.load %B[%v_k_o, 8, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b9 = tir.load %B[%v_k_o, 9, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b10 = tir.load %B[%v_k_o, 10, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b11 = tir.load %B[%v_k_o, 11, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b12 = tir.load %B[%v_k_o, 12, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b13 = tir.load %B[%v_k_o, 13, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b14 = tir.load %B[%v_k_o, 14, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %b15 = tir.load %B[%v_k_o, 15, 0] : memref<2x16x4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_0:[a-z0-9_]+]] = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_1:[a-z0-9_]+]] = vector.shuffle %b2, %b3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_2:[a-z0-9_]+]] = vector.shuffle %b4, %b5 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_3:[a-z0-9_]+]] = vector.shuffle %b6, %b7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_4:[a-z0-9_]+]] = vector.shuffle %b8, %b9 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_5:[a-z0-9_]+]] = vector.shuffle %b10, %b11 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_6:[a-z0-9_]+]] = vector.shuffle %b12, %b13 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO8_7:[a-z0-9_]+]] = vector.shuffle %b14, %b15 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
// BYTES-NEXT: %[[TO16_0:[a-z0-9_]+]] = vector.shuffle %[[TO8_0]], %[[TO8_1]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
// BYTES-NEXT: %[[TO16_1:[a-z0-9_]+]] = vector.shuffle %[[TO8_2]], %[[TO8_3]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
// BYTES-NEXT: %[[TO16_2:[a-z0-9_]+]] = vector.shuffle %[[TO8_4]], %[[TO8_5]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
// BYTES-NEXT: %[[TO16_3:[a-z0-9_]+]] = vector.shuffle %[[TO8_6]], %[[TO8_7]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
// BYTES-NEXT: %[[TO32_0:[a-z0-9_]+]] = vector.shuffle %[[TO16_0]], %[[TO16_1]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
// BYTES-NEXT: %[[TO32_1:[a-z0-9_]+]] = vector.shuffle %[[TO16_2]], %[[TO16_3]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
// BYTES-NEXT: %b_all = vector.shuffle %[[TO32_0]], %[[TO32_1]] [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] : vector<32xi8>, vector<32xi8>
// BYTES-NEXT: %c = tir.load %C[%v_m_o, 0] : memref<2x16xi32>, vector<16xi32>
// BYTES-NEXT: %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%c, %a_all, %b_all) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
// BYTES-NEXT: tir.store %s, %C[%v_m_o, 0] : memref<2x16xi32>, vector<16xi32>
// BYTES-NEXT: }
// BYTES-NEXT: }
// BYTES-NEXT: }
// BYTES-NEXT: func.return
