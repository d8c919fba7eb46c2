// AVX-512 VNNI. The rows of B are one register where they are neighbours in memory.

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
    %b_none = arith.constant dense<0> : vector<16xi32>
    %b0 = tir.load %B[0, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<16xi32>
    %b1 = tir.load %B[1, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<16xi32>
    %b2 = tir.load %B[2, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<16xi32>
    %b3 = tir.load %B[3, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<16xi32>
    %b4 = tir.load %B[4, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4_i32 = vector.bitcast %b4 : vector<4xi8> to vector<1xi32>
    %b4_word = vector.extract %b4_i32[0] : i32 from vector<1xi32>
    %b_to4 = vector.insert %b4_word, %b_to3 [4] : i32 into vector<16xi32>
    %b5 = tir.load %B[5, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5_i32 = vector.bitcast %b5 : vector<4xi8> to vector<1xi32>
    %b5_word = vector.extract %b5_i32[0] : i32 from vector<1xi32>
    %b_to5 = vector.insert %b5_word, %b_to4 [5] : i32 into vector<16xi32>
    %b6 = tir.load %B[6, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6_i32 = vector.bitcast %b6 : vector<4xi8> to vector<1xi32>
    %b6_word = vector.extract %b6_i32[0] : i32 from vector<1xi32>
    %b_to6 = vector.insert %b6_word, %b_to5 [6] : i32 into vector<16xi32>
    %b7 = tir.load %B[7, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7_i32 = vector.bitcast %b7 : vector<4xi8> to vector<1xi32>
    %b7_word = vector.extract %b7_i32[0] : i32 from vector<1xi32>
    %b_to7 = vector.insert %b7_word, %b_to6 [7] : i32 into vector<16xi32>
    %b8 = tir.load %B[8, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b8_i32 = vector.bitcast %b8 : vector<4xi8> to vector<1xi32>
    %b8_word = vector.extract %b8_i32[0] : i32 from vector<1xi32>
    %b_to8 = vector.insert %b8_word, %b_to7 [8] : i32 into vector<16xi32>
    %b9 = tir.load %B[9, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b9_i32 = vector.bitcast %b9 : vector<4xi8> to vector<1xi32>
    %b9_word = vector.extract %b9_i32[0] : i32 from vector<1xi32>
    %b_to9 = vector.insert %b9_word, %b_to8 [9] : i32 into vector<16xi32>
    %b10 = tir.load %B[10, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b10_i32 = vector.bitcast %b10 : vector<4xi8> to vector<1xi32>
    %b10_word = vector.extract %b10_i32[0] : i32 from vector<1xi32>
    %b_to10 = vector.insert %b10_word, %b_to9 [10] : i32 into vector<16xi32>
    %b11 = tir.load %B[11, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b11_i32 = vector.bitcast %b11 : vector<4xi8> to vector<1xi32>
    %b11_word = vector.extract %b11_i32[0] : i32 from vector<1xi32>
    %b_to11 = vector.insert %b11_word, %b_to10 [11] : i32 into vector<16xi32>
    %b12 = tir.load %B[12, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b12_i32 = vector.bitcast %b12 : vector<4xi8> to vector<1xi32>
    %b12_word = vector.extract %b12_i32[0] : i32 from vector<1xi32>
    %b_to12 = vector.insert %b12_word, %b_to11 [12] : i32 into vector<16xi32>
    %b13 = tir.load %B[13, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b13_i32 = vector.bitcast %b13 : vector<4xi8> to vector<1xi32>
    %b13_word = vector.extract %b13_i32[0] : i32 from vector<1xi32>
    %b_to13 = vector.insert %b13_word, %b_to12 [13] : i32 into vector<16xi32>
    %b14 = tir.load %B[14, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b14_i32 = vector.bitcast %b14 : vector<4xi8> to vector<1xi32>
    %b14_word = vector.extract %b14_i32[0] : i32 from vector<1xi32>
    %b_to14 = vector.insert %b14_word, %b_to13 [14] : i32 into vector<16xi32>
    %b15 = tir.load %B[15, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b15_i32 = vector.bitcast %b15 : vector<4xi8> to vector<1xi32>
    %b15_word = vector.extract %b15_i32[0] : i32 from vector<1xi32>
    %b_to15 = vector.insert %b15_word, %b_to14 [15] : i32 into vector<16xi32>
    %b_all = vector.bitcast %b_to15 : vector<16xi32> to vector<64xi8>
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
    %b_none = arith.constant dense<0> : vector<16xi32>
    %b0 = tir.load %B[0, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<16xi32>
    %b1 = tir.load %B[1, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<16xi32>
    %b2 = tir.load %B[2, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<16xi32>
    %b3 = tir.load %B[3, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<16xi32>
    %b4 = tir.load %B[4, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b4_i32 = vector.bitcast %b4 : vector<4xi8> to vector<1xi32>
    %b4_word = vector.extract %b4_i32[0] : i32 from vector<1xi32>
    %b_to4 = vector.insert %b4_word, %b_to3 [4] : i32 into vector<16xi32>
    %b5 = tir.load %B[5, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b5_i32 = vector.bitcast %b5 : vector<4xi8> to vector<1xi32>
    %b5_word = vector.extract %b5_i32[0] : i32 from vector<1xi32>
    %b_to5 = vector.insert %b5_word, %b_to4 [5] : i32 into vector<16xi32>
    %b6 = tir.load %B[6, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b6_i32 = vector.bitcast %b6 : vector<4xi8> to vector<1xi32>
    %b6_word = vector.extract %b6_i32[0] : i32 from vector<1xi32>
    %b_to6 = vector.insert %b6_word, %b_to5 [6] : i32 into vector<16xi32>
    %b7 = tir.load %B[7, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b7_i32 = vector.bitcast %b7 : vector<4xi8> to vector<1xi32>
    %b7_word = vector.extract %b7_i32[0] : i32 from vector<1xi32>
    %b_to7 = vector.insert %b7_word, %b_to6 [7] : i32 into vector<16xi32>
    %b8 = tir.load %B[8, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b8_i32 = vector.bitcast %b8 : vector<4xi8> to vector<1xi32>
    %b8_word = vector.extract %b8_i32[0] : i32 from vector<1xi32>
    %b_to8 = vector.insert %b8_word, %b_to7 [8] : i32 into vector<16xi32>
    %b9 = tir.load %B[9, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b9_i32 = vector.bitcast %b9 : vector<4xi8> to vector<1xi32>
    %b9_word = vector.extract %b9_i32[0] : i32 from vector<1xi32>
    %b_to9 = vector.insert %b9_word, %b_to8 [9] : i32 into vector<16xi32>
    %b10 = tir.load %B[10, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b10_i32 = vector.bitcast %b10 : vector<4xi8> to vector<1xi32>
    %b10_word = vector.extract %b10_i32[0] : i32 from vector<1xi32>
    %b_to10 = vector.insert %b10_word, %b_to9 [10] : i32 into vector<16xi32>
    %b11 = tir.load %B[11, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b11_i32 = vector.bitcast %b11 : vector<4xi8> to vector<1xi32>
    %b11_word = vector.extract %b11_i32[0] : i32 from vector<1xi32>
    %b_to11 = vector.insert %b11_word, %b_to10 [11] : i32 into vector<16xi32>
    %b12 = tir.load %B[12, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b12_i32 = vector.bitcast %b12 : vector<4xi8> to vector<1xi32>
    %b12_word = vector.extract %b12_i32[0] : i32 from vector<1xi32>
    %b_to12 = vector.insert %b12_word, %b_to11 [12] : i32 into vector<16xi32>
    %b13 = tir.load %B[13, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b13_i32 = vector.bitcast %b13 : vector<4xi8> to vector<1xi32>
    %b13_word = vector.extract %b13_i32[0] : i32 from vector<1xi32>
    %b_to13 = vector.insert %b13_word, %b_to12 [13] : i32 into vector<16xi32>
    %b14 = tir.load %B[14, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b14_i32 = vector.bitcast %b14 : vector<4xi8> to vector<1xi32>
    %b14_word = vector.extract %b14_i32[0] : i32 from vector<1xi32>
    %b_to14 = vector.insert %b14_word, %b_to13 [14] : i32 into vector<16xi32>
    %b15 = tir.load %B[15, 0] : memref<16x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b15_i32 = vector.bitcast %b15 : vector<4xi8> to vector<1xi32>
    %b15_word = vector.extract %b15_i32[0] : i32 from vector<1xi32>
    %b_to15 = vector.insert %b15_word, %b_to14 [15] : i32 into vector<16xi32>
    %b_all = vector.bitcast %b_to15 : vector<16xi32> to vector<64xi8>
    %c = tir.load %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    %s = llvm.call_intrinsic "llvm.x86.avx512.vpdpbusd.512"(%c, %a_all, %b_all) : (vector<16xi32>, vector<64xi8>, vector<64xi8>) -> vector<16xi32>
    tir.store %s, %C[0] : memref<16xi32, strided<[1], offset: ?>>, vector<16xi32>
    func.return
  }
}
