// Dot products of x86-64. The rows of B are one register where they are neighbours in memory.

// C[i] += A[k] * B[i, k], u8 by i8
module @avx512_vnni_dot_16x4 attributes {kc.features = ["avx512vnni"]} {
  func.func @description(%A: memref<4xi8>, %B: memref<16x4xi8>, %C: memref<16xi32>) {
    tir.for %i in 16 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 4 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : memref<16xi32>
        } do {
          %c = tir.load %C[%v_i] : memref<16xi32>
          %a = tir.load %A[%v_k] : memref<4xi8>
          %b = tir.load %B[%v_i, %v_k] : memref<16x4xi8>
          %x = arith.extui %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i] : memref<16xi32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<16x4xi8, strided<[?, 1], offset: ?>>, %C: memref<16xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<16xi32>
    %a_all = vector.bitcast %a_words : vector<16xi32> to vector<64xi8>
    %b0 = tir.load %B[0, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1 = tir.load %B[1, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2 = tir.load %B[2, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3 = tir.load %B[3, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4 = tir.load %B[4, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5 = tir.load %B[5, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6 = tir.load %B[6, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7 = tir.load %B[7, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b8 = tir.load %B[8, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b9 = tir.load %B[9, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b10 = tir.load %B[10, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b11 = tir.load %B[11, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b12 = tir.load %B[12, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b13 = tir.load %B[13, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b14 = tir.load %B[14, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b15 = tir.load %B[15, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b8_to_9 = vector.shuffle %b8, %b9 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b10_to_11 = vector.shuffle %b10, %b11 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b12_to_13 = vector.shuffle %b12, %b13 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b14_to_15 = vector.shuffle %b14, %b15 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b8_to_11 = vector.shuffle %b8_to_9, %b10_to_11 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b12_to_15 = vector.shuffle %b12_to_13, %b14_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0_to_7 = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %b8_to_15 = vector.shuffle %b8_to_11, %b12_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %b_all = vector.shuffle %b0_to_7, %b8_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] : vector<32xi8>, vector<32xi8>
    %c = arith.constant dense<0> : vector<16xi32>
    %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%c, %a_all, %b_all) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
    tir.store %s, %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    func.return
  }
  func.func @init(%A: memref<4xi8, strided<[?], offset: ?>>, %B: memref<16x4xi8, strided<[?, ?], offset: ?>>, %C: memref<16xi32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<16xi32>
    tir.store %zero, %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    func.return
  }
  func.func @update(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<16x4xi8, strided<[?, 1], offset: ?>>, %C: memref<16xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<16xi32>
    %a_all = vector.bitcast %a_words : vector<16xi32> to vector<64xi8>
    %b0 = tir.load %B[0, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1 = tir.load %B[1, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2 = tir.load %B[2, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3 = tir.load %B[3, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4 = tir.load %B[4, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5 = tir.load %B[5, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6 = tir.load %B[6, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7 = tir.load %B[7, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b8 = tir.load %B[8, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b9 = tir.load %B[9, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b10 = tir.load %B[10, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b11 = tir.load %B[11, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b12 = tir.load %B[12, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b13 = tir.load %B[13, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b14 = tir.load %B[14, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b15 = tir.load %B[15, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b8_to_9 = vector.shuffle %b8, %b9 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b10_to_11 = vector.shuffle %b10, %b11 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b12_to_13 = vector.shuffle %b12, %b13 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b14_to_15 = vector.shuffle %b14, %b15 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b8_to_11 = vector.shuffle %b8_to_9, %b10_to_11 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b12_to_15 = vector.shuffle %b12_to_13, %b14_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0_to_7 = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %b8_to_15 = vector.shuffle %b8_to_11, %b12_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %b_all = vector.shuffle %b0_to_7, %b8_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63] : vector<32xi8>, vector<32xi8>
    %c = tir.load %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%c, %a_all, %b_all) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
    tir.store %s, %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    func.return
  }
}

// C[i] += A[k] * B[i, k], u8 by i8, with registers of 256 bits (AVX-VNNI)
module @avx_vnni_dot_8x4 attributes {kc.features = ["avxvnni"]} {
  func.func @description(%A: memref<4xi8>, %B: memref<8x4xi8>, %C: memref<8xi32>) {
    tir.for %i in 8 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : memref<8xi32>
        } do {
          %c = tir.load %C[%v_i] : memref<8xi32>
          %a = tir.load %A[%v_k] : memref<4xi8>
          %b = tir.load %B[%v_i, %v_k] : memref<8x4xi8>
          %x = arith.extui %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i] : memref<8xi32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<8x4xi8, strided<[?, 1], offset: ?>>, %C: memref<8xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<8xi32>
    %a_all = vector.bitcast %a_words : vector<8xi32> to vector<32xi8>
    %b0 = tir.load %B[0, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1 = tir.load %B[1, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2 = tir.load %B[2, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3 = tir.load %B[3, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4 = tir.load %B[4, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5 = tir.load %B[5, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6 = tir.load %B[6, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7 = tir.load %B[7, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b_all = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %c = arith.constant dense<0> : vector<8xi32>
    %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%c, %a_all, %b_all) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
    tir.store %s, %C[0] : memref<8xi32, strided<[1], offset: ?>>, vector<8xi32>
    func.return
  }
  func.func @init(%A: memref<4xi8, strided<[?], offset: ?>>, %B: memref<8x4xi8, strided<[?, ?], offset: ?>>, %C: memref<8xi32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<8xi32>
    tir.store %zero, %C[0] : memref<8xi32, strided<[1], offset: ?>>, vector<8xi32>
    func.return
  }
  func.func @update(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<8x4xi8, strided<[?, 1], offset: ?>>, %C: memref<8xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<8xi32>
    %a_all = vector.bitcast %a_words : vector<8xi32> to vector<32xi8>
    %b0 = tir.load %B[0, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1 = tir.load %B[1, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2 = tir.load %B[2, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3 = tir.load %B[3, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4 = tir.load %B[4, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5 = tir.load %B[5, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6 = tir.load %B[6, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7 = tir.load %B[7, 0] : memref<8x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xi8>, vector<4xi8>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b_all = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xi8>, vector<16xi8>
    %c = tir.load %C[0] : memref<8xi32, strided<[1], offset: ?>>, vector<8xi32>
    %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.256"(%c, %a_all, %b_all) : (vector<8xi32>, vector<32xi8>, vector<32xi8>) -> vector<8xi32>
    tir.store %s, %C[0] : memref<8xi32, strided<[1], offset: ?>>, vector<8xi32>
    func.return
  }
}

// C[i] += A[k] * B[i, k], bf16 into f32 (AVX-512 BF16). The instruction takes subnormal numbers as 0.
module @avx512_bf16_dot_16x2 attributes {kc.features = ["avx512bf16"]} {
  func.func @description(%A: memref<2xbf16>, %B: memref<16x2xbf16>, %C: memref<16xf32>) {
    tir.for %i in 16 {
      tir.for %k in 2 {
        tir.block "C" (spatial %v_i in 16 = %i, reduce %v_k in 2 = %k) init {
          %zero = arith.constant 0.000000e+00 : f32
          tir.store %zero, %C[%v_i] : memref<16xf32>
        } do {
          %c = tir.load %C[%v_i] : memref<16xf32>
          %a = tir.load %A[%v_k] : memref<2xbf16>
          %b = tir.load %B[%v_i, %v_k] : memref<16x2xbf16>
          %x = arith.extf %a : bf16 to f32
          %y = arith.extf %b : bf16 to f32
          %p = arith.mulf %x, %y : f32
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i] : memref<16xf32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<2xbf16, strided<[1], offset: ?>>, %B: memref<16x2xbf16, strided<[?, 1], offset: ?>>, %C: memref<16xf32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<2xbf16, strided<[1], offset: ?>>, vector<2xbf16>
    %a_i32 = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<16xi32>
    %a_all = vector.bitcast %a_words : vector<16xi32> to vector<32xbf16>
    %b0 = tir.load %B[0, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b1 = tir.load %B[1, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b2 = tir.load %B[2, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b3 = tir.load %B[3, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b4 = tir.load %B[4, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b5 = tir.load %B[5, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b6 = tir.load %B[6, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b7 = tir.load %B[7, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b8 = tir.load %B[8, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b9 = tir.load %B[9, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b10 = tir.load %B[10, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b11 = tir.load %B[11, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b12 = tir.load %B[12, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b13 = tir.load %B[13, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b14 = tir.load %B[14, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b15 = tir.load %B[15, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b8_to_9 = vector.shuffle %b8, %b9 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b10_to_11 = vector.shuffle %b10, %b11 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b12_to_13 = vector.shuffle %b12, %b13 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b14_to_15 = vector.shuffle %b14, %b15 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b8_to_11 = vector.shuffle %b8_to_9, %b10_to_11 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b12_to_15 = vector.shuffle %b12_to_13, %b14_to_15 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b0_to_7 = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xbf16>, vector<8xbf16>
    %b8_to_15 = vector.shuffle %b8_to_11, %b12_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xbf16>, vector<8xbf16>
    %b_all = vector.shuffle %b0_to_7, %b8_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xbf16>, vector<16xbf16>
    %c = arith.constant dense<0.000000e+00> : vector<16xf32>
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %a_all, %b_all) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    tir.store %s, %C[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    func.return
  }
  func.func @init(%A: memref<2xbf16, strided<[?], offset: ?>>, %B: memref<16x2xbf16, strided<[?, ?], offset: ?>>, %C: memref<16xf32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0.000000e+00> : vector<16xf32>
    tir.store %zero, %C[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    func.return
  }
  func.func @update(%A: memref<2xbf16, strided<[1], offset: ?>>, %B: memref<16x2xbf16, strided<[?, 1], offset: ?>>, %C: memref<16xf32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<2xbf16, strided<[1], offset: ?>>, vector<2xbf16>
    %a_i32 = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<16xi32>
    %a_all = vector.bitcast %a_words : vector<16xi32> to vector<32xbf16>
    %b0 = tir.load %B[0, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b1 = tir.load %B[1, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b2 = tir.load %B[2, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b3 = tir.load %B[3, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b4 = tir.load %B[4, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b5 = tir.load %B[5, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b6 = tir.load %B[6, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b7 = tir.load %B[7, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b8 = tir.load %B[8, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b9 = tir.load %B[9, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b10 = tir.load %B[10, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b11 = tir.load %B[11, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b12 = tir.load %B[12, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b13 = tir.load %B[13, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b14 = tir.load %B[14, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b15 = tir.load %B[15, 0] : memref<16x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b0_to_1 = vector.shuffle %b0, %b1 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b2_to_3 = vector.shuffle %b2, %b3 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b4_to_5 = vector.shuffle %b4, %b5 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b6_to_7 = vector.shuffle %b6, %b7 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b8_to_9 = vector.shuffle %b8, %b9 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b10_to_11 = vector.shuffle %b10, %b11 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b12_to_13 = vector.shuffle %b12, %b13 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b14_to_15 = vector.shuffle %b14, %b15 [0, 1, 2, 3] : vector<2xbf16>, vector<2xbf16>
    %b0_to_3 = vector.shuffle %b0_to_1, %b2_to_3 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b4_to_7 = vector.shuffle %b4_to_5, %b6_to_7 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b8_to_11 = vector.shuffle %b8_to_9, %b10_to_11 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b12_to_15 = vector.shuffle %b12_to_13, %b14_to_15 [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xbf16>, vector<4xbf16>
    %b0_to_7 = vector.shuffle %b0_to_3, %b4_to_7 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xbf16>, vector<8xbf16>
    %b8_to_15 = vector.shuffle %b8_to_11, %b12_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xbf16>, vector<8xbf16>
    %b_all = vector.shuffle %b0_to_7, %b8_to_15 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31] : vector<16xbf16>, vector<16xbf16>
    %c = tir.load %C[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %s = llvm.call_intrinsic "llvm.x86.avx512bf16.dpbf16ps.512"(%c, %a_all, %b_all) : (vector<16xf32>, vector<32xbf16>, vector<32xbf16>) -> vector<16xf32>
    tir.store %s, %C[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    func.return
  }
}
