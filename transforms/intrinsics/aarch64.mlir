// The dot product instructions of Armv8.2.

// C[i] += A[k] * B[i, k], i8 by i8
module @neon_sdot_4x4 attributes {kc.features = ["dotprod"]} {
  func.func @description(%A: memref<4xi8>, %B: memref<4x4xi8>, %C: memref<4xi32>) {
    tir.for %i in 4 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 4 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : memref<4xi32>
        } do {
          %c = tir.load %C[%v_i] : memref<4xi32>
          %a = tir.load %A[%v_k] : memref<4xi8>
          %b = tir.load %B[%v_i, %v_k] : memref<4x4xi8>
          %x = arith.extsi %a : i8 to i32
          %y = arith.extsi %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i] : memref<4xi32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<4x4xi8, strided<[?, 1], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<16xi8>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<16xi8>
    %c = arith.constant dense<0> : vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    tir.store %s, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
  func.func @init(%A: memref<4xi8, strided<[?], offset: ?>>, %B: memref<4x4xi8, strided<[?, ?], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<4xi32>
    tir.store %zero, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
  func.func @update(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<4x4xi8, strided<[?, 1], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<16xi8>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<16xi8>
    %c = tir.load %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.sdot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    tir.store %s, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
}

// C[i] += A[k] * B[i, k], u8 by u8
module @neon_udot_4x4 attributes {kc.features = ["dotprod"]} {
  func.func @description(%A: memref<4xi8>, %B: memref<4x4xi8>, %C: memref<4xi32>) {
    tir.for %i in 4 {
      tir.for %k in 4 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 4 = %k) init {
          %zero = arith.constant 0 : i32
          tir.store %zero, %C[%v_i] : memref<4xi32>
        } do {
          %c = tir.load %C[%v_i] : memref<4xi32>
          %a = tir.load %A[%v_k] : memref<4xi8>
          %b = tir.load %B[%v_i, %v_k] : memref<4x4xi8>
          %x = arith.extui %a : i8 to i32
          %y = arith.extui %b : i8 to i32
          %p = arith.muli %x, %y : i32
          %s = arith.addi %c, %p : i32
          tir.store %s, %C[%v_i] : memref<4xi32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<4x4xi8, strided<[?, 1], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<16xi8>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<16xi8>
    %c = arith.constant dense<0> : vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.udot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    tir.store %s, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
  func.func @init(%A: memref<4xi8, strided<[?], offset: ?>>, %B: memref<4x4xi8, strided<[?, ?], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<4xi32>
    tir.store %zero, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
  func.func @update(%A: memref<4xi8, strided<[1], offset: ?>>, %B: memref<4x4xi8, strided<[?, 1], offset: ?>>, %C: memref<4xi32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xi8, strided<[1], offset: ?>>, vector<4xi8>
    %a_i32 = vector.bitcast %a : vector<4xi8> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<16xi8>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b0_i32 = vector.bitcast %b0 : vector<4xi8> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b1_i32 = vector.bitcast %b1 : vector<4xi8> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b2_i32 = vector.bitcast %b2 : vector<4xi8> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x4xi8, strided<[?, 1], offset: ?>>, vector<4xi8>
    %b3_i32 = vector.bitcast %b3 : vector<4xi8> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<16xi8>
    %c = tir.load %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.udot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    tir.store %s, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
}
