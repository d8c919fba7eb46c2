// Dot products and products of small matrices of Armv8.2 and later.

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

// C[i] += A[k] * B[i, k], u8 by i8
module @neon_usdot_4x4 attributes {kc.features = ["i8mm"]} {
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
    %s = llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
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
    %s = llvm.call_intrinsic "llvm.aarch64.neon.usdot.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    tir.store %s, %C[0] : memref<4xi32, strided<[1], offset: ?>>, vector<4xi32>
    func.return
  }
}

// C[i] += A[k] * B[i, k], bf16 into f32. The instruction takes subnormal numbers as 0.
module @neon_bfdot_4x2 attributes {kc.features = ["bf16"]} {
  func.func @description(%A: memref<2xbf16>, %B: memref<4x2xbf16>, %C: memref<4xf32>) {
    tir.for %i in 4 {
      tir.for %k in 2 {
        tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 2 = %k) init {
          %zero = arith.constant 0.000000e+00 : f32
          tir.store %zero, %C[%v_i] : memref<4xf32>
        } do {
          %c = tir.load %C[%v_i] : memref<4xf32>
          %a = tir.load %A[%v_k] : memref<2xbf16>
          %b = tir.load %B[%v_i, %v_k] : memref<4x2xbf16>
          %x = arith.extf %a : bf16 to f32
          %y = arith.extf %b : bf16 to f32
          %p = arith.mulf %x, %y : f32
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i] : memref<4xf32>
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<2xbf16, strided<[1], offset: ?>>, %B: memref<4x2xbf16, strided<[?, 1], offset: ?>>, %C: memref<4xf32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<2xbf16, strided<[1], offset: ?>>, vector<2xbf16>
    %a_i32 = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<8xbf16>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b0_i32 = vector.bitcast %b0 : vector<2xbf16> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b1_i32 = vector.bitcast %b1 : vector<2xbf16> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b2_i32 = vector.bitcast %b2 : vector<2xbf16> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b3_i32 = vector.bitcast %b3 : vector<2xbf16> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<8xbf16>
    %c = arith.constant dense<0.000000e+00> : vector<4xf32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"(%c, %a_all, %b_all) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
    tir.store %s, %C[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    func.return
  }
  func.func @init(%A: memref<2xbf16, strided<[?], offset: ?>>, %B: memref<4x2xbf16, strided<[?, ?], offset: ?>>, %C: memref<4xf32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0.000000e+00> : vector<4xf32>
    tir.store %zero, %C[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    func.return
  }
  func.func @update(%A: memref<2xbf16, strided<[1], offset: ?>>, %B: memref<4x2xbf16, strided<[?, 1], offset: ?>>, %C: memref<4xf32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<2xbf16, strided<[1], offset: ?>>, vector<2xbf16>
    %a_i32 = vector.bitcast %a : vector<2xbf16> to vector<1xi32>
    %a_word = vector.extract %a_i32[0] : i32 from vector<1xi32>
    %a_words = vector.broadcast %a_word : i32 to vector<4xi32>
    %a_all = vector.bitcast %a_words : vector<4xi32> to vector<8xbf16>
    %b_none = arith.constant dense<0> : vector<4xi32>
    %b0 = tir.load %B[0, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b0_i32 = vector.bitcast %b0 : vector<2xbf16> to vector<1xi32>
    %b0_word = vector.extract %b0_i32[0] : i32 from vector<1xi32>
    %b_to0 = vector.insert %b0_word, %b_none [0] : i32 into vector<4xi32>
    %b1 = tir.load %B[1, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b1_i32 = vector.bitcast %b1 : vector<2xbf16> to vector<1xi32>
    %b1_word = vector.extract %b1_i32[0] : i32 from vector<1xi32>
    %b_to1 = vector.insert %b1_word, %b_to0 [1] : i32 into vector<4xi32>
    %b2 = tir.load %B[2, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b2_i32 = vector.bitcast %b2 : vector<2xbf16> to vector<1xi32>
    %b2_word = vector.extract %b2_i32[0] : i32 from vector<1xi32>
    %b_to2 = vector.insert %b2_word, %b_to1 [2] : i32 into vector<4xi32>
    %b3 = tir.load %B[3, 0] : memref<4x2xbf16, strided<[?, 1], offset: ?>>, vector<2xbf16>
    %b3_i32 = vector.bitcast %b3 : vector<2xbf16> to vector<1xi32>
    %b3_word = vector.extract %b3_i32[0] : i32 from vector<1xi32>
    %b_to3 = vector.insert %b3_word, %b_to2 [3] : i32 into vector<4xi32>
    %b_all = vector.bitcast %b_to3 : vector<4xi32> to vector<8xbf16>
    %c = tir.load %C[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.bfdot.v4f32.v8bf16"(%c, %a_all, %b_all) : (vector<4xf32>, vector<8xbf16>, vector<8xbf16>) -> vector<4xf32>
    tir.store %s, %C[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    func.return
  }
}

// C[i, j] += A[i, k] * B[j, k], i8 by i8
module @neon_smmla_2x2x8 attributes {kc.features = ["i8mm"]} {
  func.func @description(%A: memref<2x8xi8>, %B: memref<2x8xi8>, %C: memref<2x2xi32>) {
    tir.for %i in 2 {
      tir.for %j in 2 {
        tir.for %k in 8 {
          tir.block "C" (spatial %v_i in 2 = %i, spatial %v_j in 2 = %j, reduce %v_k in 8 = %k) init {
            %zero = arith.constant 0 : i32
            tir.store %zero, %C[%v_i, %v_j] : memref<2x2xi32>
          } do {
            %c = tir.load %C[%v_i, %v_j] : memref<2x2xi32>
            %a = tir.load %A[%v_i, %v_k] : memref<2x8xi8>
            %b = tir.load %B[%v_j, %v_k] : memref<2x8xi8>
            %x = arith.extsi %a : i8 to i32
            %y = arith.extsi %b : i8 to i32
            %p = arith.muli %x, %y : i32
            %s = arith.addi %c, %p : i32
            tir.store %s, %C[%v_i, %v_j] : memref<2x2xi32>
          }
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<2x8xi8, strided<[?, 1], offset: ?>>, %B: memref<2x8xi8, strided<[?, 1], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %a0 = tir.load %A[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a1 = tir.load %A[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a_all = vector.shuffle %a0, %a1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0 = tir.load %B[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b1 = tir.load %B[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b_all = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %c = arith.constant dense<0> : vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    %s0 = vector.shuffle %s, %s [0, 1] : vector<4xi32>, vector<4xi32>
    %s1 = vector.shuffle %s, %s [2, 3] : vector<4xi32>, vector<4xi32>
    tir.store %s0, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %s1, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
  func.func @init(%A: memref<2x8xi8, strided<[?, ?], offset: ?>>, %B: memref<2x8xi8, strided<[?, ?], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<2xi32>
    tir.store %zero, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %zero, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
  func.func @update(%A: memref<2x8xi8, strided<[?, 1], offset: ?>>, %B: memref<2x8xi8, strided<[?, 1], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %a0 = tir.load %A[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a1 = tir.load %A[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a_all = vector.shuffle %a0, %a1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0 = tir.load %B[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b1 = tir.load %B[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b_all = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %c0 = tir.load %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    %c1 = tir.load %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    %c = vector.shuffle %c0, %c1 [0, 1, 2, 3] : vector<2xi32>, vector<2xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.smmla.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    %s0 = vector.shuffle %s, %s [0, 1] : vector<4xi32>, vector<4xi32>
    %s1 = vector.shuffle %s, %s [2, 3] : vector<4xi32>, vector<4xi32>
    tir.store %s0, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %s1, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
}

// C[i, j] += A[i, k] * B[j, k], u8 by u8
module @neon_ummla_2x2x8 attributes {kc.features = ["i8mm"]} {
  func.func @description(%A: memref<2x8xi8>, %B: memref<2x8xi8>, %C: memref<2x2xi32>) {
    tir.for %i in 2 {
      tir.for %j in 2 {
        tir.for %k in 8 {
          tir.block "C" (spatial %v_i in 2 = %i, spatial %v_j in 2 = %j, reduce %v_k in 8 = %k) init {
            %zero = arith.constant 0 : i32
            tir.store %zero, %C[%v_i, %v_j] : memref<2x2xi32>
          } do {
            %c = tir.load %C[%v_i, %v_j] : memref<2x2xi32>
            %a = tir.load %A[%v_i, %v_k] : memref<2x8xi8>
            %b = tir.load %B[%v_j, %v_k] : memref<2x8xi8>
            %x = arith.extui %a : i8 to i32
            %y = arith.extui %b : i8 to i32
            %p = arith.muli %x, %y : i32
            %s = arith.addi %c, %p : i32
            tir.store %s, %C[%v_i, %v_j] : memref<2x2xi32>
          }
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<2x8xi8, strided<[?, 1], offset: ?>>, %B: memref<2x8xi8, strided<[?, 1], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %a0 = tir.load %A[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a1 = tir.load %A[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a_all = vector.shuffle %a0, %a1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0 = tir.load %B[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b1 = tir.load %B[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b_all = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %c = arith.constant dense<0> : vector<4xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.ummla.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    %s0 = vector.shuffle %s, %s [0, 1] : vector<4xi32>, vector<4xi32>
    %s1 = vector.shuffle %s, %s [2, 3] : vector<4xi32>, vector<4xi32>
    tir.store %s0, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %s1, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
  func.func @init(%A: memref<2x8xi8, strided<[?, ?], offset: ?>>, %B: memref<2x8xi8, strided<[?, ?], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %zero = arith.constant dense<0> : vector<2xi32>
    tir.store %zero, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %zero, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
  func.func @update(%A: memref<2x8xi8, strided<[?, 1], offset: ?>>, %B: memref<2x8xi8, strided<[?, 1], offset: ?>>, %C: memref<2x2xi32, strided<[?, 1], offset: ?>>) {
    %a0 = tir.load %A[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a1 = tir.load %A[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %a_all = vector.shuffle %a0, %a1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %b0 = tir.load %B[0, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b1 = tir.load %B[1, 0] : memref<2x8xi8, strided<[?, 1], offset: ?>>, vector<8xi8>
    %b_all = vector.shuffle %b0, %b1 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] : vector<8xi8>, vector<8xi8>
    %c0 = tir.load %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    %c1 = tir.load %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    %c = vector.shuffle %c0, %c1 [0, 1, 2, 3] : vector<2xi32>, vector<2xi32>
    %s = llvm.call_intrinsic "llvm.aarch64.neon.ummla.v4i32.v16i8"(%c, %a_all, %b_all) : (vector<4xi32>, vector<16xi8>, vector<16xi8>) -> vector<4xi32>
    %s0 = vector.shuffle %s, %s [0, 1] : vector<4xi32>, vector<4xi32>
    %s1 = vector.shuffle %s, %s [2, 3] : vector<4xi32>, vector<4xi32>
    tir.store %s0, %C[0, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    tir.store %s1, %C[1, 0] : memref<2x2xi32, strided<[?, 1], offset: ?>>, vector<2xi32>
    func.return
  }
}
