// Vector code for any CPU.

// C[0] += A[k] * B[k]
module @dot_f32_4 {
  func.func @description(%A: memref<4xf32>, %B: memref<4xf32>, %C: memref<1xf32>) {
    tir.for %k in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<4xf32>
        %b = tir.load %B[%v_k] : memref<4xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<1xf32>
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4xf32, strided<[1], offset: ?>>, %B: memref<4xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %a = tir.load %A[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    %b = tir.load %B[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    %p = arith.mulf %a, %b : vector<4xf32>
    %s = vector.reduction <add>, %p fastmath<reassoc> : vector<4xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @init(%A: memref<4xf32, strided<[?], offset: ?>>, %B: memref<4xf32, strided<[?], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %zero = arith.constant 0.0 : f32
    tir.store %zero, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @update(%A: memref<4xf32, strided<[1], offset: ?>>, %B: memref<4xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %c = tir.load %C[0] : memref<1xf32, strided<[?], offset: ?>>
    %a = tir.load %A[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    %b = tir.load %B[0] : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>
    %p = arith.mulf %a, %b : vector<4xf32>
    %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<4xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
}

// C[0] += A[k] * B[k]
module @dot_f32_8 {
  func.func @description(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<1xf32>) {
    tir.for %k in 8 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 8 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<8xf32>
        %b = tir.load %B[%v_k] : memref<8xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<1xf32>
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<8xf32, strided<[1], offset: ?>>, %B: memref<8xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %a = tir.load %A[0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %b = tir.load %B[0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %p = arith.mulf %a, %b : vector<8xf32>
    %s = vector.reduction <add>, %p fastmath<reassoc> : vector<8xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @init(%A: memref<8xf32, strided<[?], offset: ?>>, %B: memref<8xf32, strided<[?], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %zero = arith.constant 0.0 : f32
    tir.store %zero, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @update(%A: memref<8xf32, strided<[1], offset: ?>>, %B: memref<8xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %c = tir.load %C[0] : memref<1xf32, strided<[?], offset: ?>>
    %a = tir.load %A[0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %b = tir.load %B[0] : memref<8xf32, strided<[1], offset: ?>>, vector<8xf32>
    %p = arith.mulf %a, %b : vector<8xf32>
    %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<8xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
}

// C[0] += A[k] * B[k]
module @dot_f32_16 {
  func.func @description(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<1xf32>) {
    tir.for %k in 16 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 16 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<16xf32>
        %b = tir.load %B[%v_k] : memref<16xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        tir.store %s, %C[%v_i] : memref<1xf32>
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<16xf32, strided<[1], offset: ?>>, %B: memref<16xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %a = tir.load %A[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %b = tir.load %B[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %p = arith.mulf %a, %b : vector<16xf32>
    %s = vector.reduction <add>, %p fastmath<reassoc> : vector<16xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @init(%A: memref<16xf32, strided<[?], offset: ?>>, %B: memref<16xf32, strided<[?], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %zero = arith.constant 0.0 : f32
    tir.store %zero, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
  func.func @update(%A: memref<16xf32, strided<[1], offset: ?>>, %B: memref<16xf32, strided<[1], offset: ?>>, %C: memref<1xf32, strided<[?], offset: ?>>) {
    %c = tir.load %C[0] : memref<1xf32, strided<[?], offset: ?>>
    %a = tir.load %A[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %b = tir.load %B[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    %p = arith.mulf %a, %b : vector<16xf32>
    %s = vector.reduction <add>, %p, %c fastmath<reassoc> : vector<16xf32> into f32
    tir.store %s, %C[0] : memref<1xf32, strided<[?], offset: ?>>
    func.return
  }
}

// B[j] = A[j]
module @copy_f32_16 {
  func.func @description(%A: memref<16xf32>, %B: memref<16xf32>) {
    tir.for %j in 16 {
      tir.block "B" (spatial %v_j in 16 = %j) do {
        %a = tir.load %A[%v_j] : memref<16xf32>
        tir.store %a, %B[%v_j] : memref<16xf32>
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<16xf32, strided<[1], offset: ?>>, %B: memref<16xf32, strided<[1], offset: ?>>) {
    %a = tir.load %A[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    tir.store %a, %B[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    func.return
  }
}

// B[j] = 0
module @fill_f32_16 {
  func.func @description(%B: memref<16xf32>) {
    tir.for %j in 16 {
      tir.block "B" (spatial %v_j in 16 = %j) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %B[%v_j] : memref<16xf32>
      }
    }
    func.return
  }
  func.func @implementation(%B: memref<16xf32, strided<[1], offset: ?>>) {
    %zero = arith.constant dense<0.0> : vector<16xf32>
    tir.store %zero, %B[0] : memref<16xf32, strided<[1], offset: ?>>, vector<16xf32>
    func.return
  }
}

// C[i, j] += A[i, k] * B[k, j], a row of C a vector
module @matmul_f32_4x4x4 {
  func.func @description(%A: memref<4x4xf32>, %B: memref<4x4xf32>, %C: memref<4x4xf32>) {
    tir.for %i in 4 {
      tir.for %j in 4 {
        tir.for %k in 4 {
          tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j, reduce %v_k in 4 = %k) init {
            %zero = arith.constant 0.0 : f32
            tir.store %zero, %C[%v_i, %v_j] : memref<4x4xf32>
          } do {
            %c = tir.load %C[%v_i, %v_j] : memref<4x4xf32>
            %a = tir.load %A[%v_i, %v_k] : memref<4x4xf32>
            %b = tir.load %B[%v_k, %v_j] : memref<4x4xf32>
            %p = arith.mulf %a, %b : f32
            %s = arith.addf %c, %p : f32
            tir.store %s, %C[%v_i, %v_j] : memref<4x4xf32>
          }
        }
      }
    }
    func.return
  }
  func.func @implementation(%A: memref<4x4xf32, strided<[?, ?], offset: ?>>, %B: memref<4x4xf32, strided<[?, 1], offset: ?>>, %C: memref<4x4xf32, strided<[?, 1], offset: ?>>) {
    %b0 = tir.load %B[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b1 = tir.load %B[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b2 = tir.load %B[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b3 = tir.load %B[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %zero = arith.constant dense<0.0> : vector<4xf32>
    %a00 = tir.load %A[0, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v00 = vector.broadcast %a00 : f32 to vector<4xf32>
    %p00 = arith.mulf %v00, %b0 : vector<4xf32>
    %s00 = arith.addf %zero, %p00 : vector<4xf32>
    %a01 = tir.load %A[0, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v01 = vector.broadcast %a01 : f32 to vector<4xf32>
    %p01 = arith.mulf %v01, %b1 : vector<4xf32>
    %s01 = arith.addf %s00, %p01 : vector<4xf32>
    %a02 = tir.load %A[0, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v02 = vector.broadcast %a02 : f32 to vector<4xf32>
    %p02 = arith.mulf %v02, %b2 : vector<4xf32>
    %s02 = arith.addf %s01, %p02 : vector<4xf32>
    %a03 = tir.load %A[0, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v03 = vector.broadcast %a03 : f32 to vector<4xf32>
    %p03 = arith.mulf %v03, %b3 : vector<4xf32>
    %s03 = arith.addf %s02, %p03 : vector<4xf32>
    tir.store %s03, %C[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a10 = tir.load %A[1, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v10 = vector.broadcast %a10 : f32 to vector<4xf32>
    %p10 = arith.mulf %v10, %b0 : vector<4xf32>
    %s10 = arith.addf %zero, %p10 : vector<4xf32>
    %a11 = tir.load %A[1, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v11 = vector.broadcast %a11 : f32 to vector<4xf32>
    %p11 = arith.mulf %v11, %b1 : vector<4xf32>
    %s11 = arith.addf %s10, %p11 : vector<4xf32>
    %a12 = tir.load %A[1, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v12 = vector.broadcast %a12 : f32 to vector<4xf32>
    %p12 = arith.mulf %v12, %b2 : vector<4xf32>
    %s12 = arith.addf %s11, %p12 : vector<4xf32>
    %a13 = tir.load %A[1, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v13 = vector.broadcast %a13 : f32 to vector<4xf32>
    %p13 = arith.mulf %v13, %b3 : vector<4xf32>
    %s13 = arith.addf %s12, %p13 : vector<4xf32>
    tir.store %s13, %C[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a20 = tir.load %A[2, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v20 = vector.broadcast %a20 : f32 to vector<4xf32>
    %p20 = arith.mulf %v20, %b0 : vector<4xf32>
    %s20 = arith.addf %zero, %p20 : vector<4xf32>
    %a21 = tir.load %A[2, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v21 = vector.broadcast %a21 : f32 to vector<4xf32>
    %p21 = arith.mulf %v21, %b1 : vector<4xf32>
    %s21 = arith.addf %s20, %p21 : vector<4xf32>
    %a22 = tir.load %A[2, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v22 = vector.broadcast %a22 : f32 to vector<4xf32>
    %p22 = arith.mulf %v22, %b2 : vector<4xf32>
    %s22 = arith.addf %s21, %p22 : vector<4xf32>
    %a23 = tir.load %A[2, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v23 = vector.broadcast %a23 : f32 to vector<4xf32>
    %p23 = arith.mulf %v23, %b3 : vector<4xf32>
    %s23 = arith.addf %s22, %p23 : vector<4xf32>
    tir.store %s23, %C[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a30 = tir.load %A[3, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v30 = vector.broadcast %a30 : f32 to vector<4xf32>
    %p30 = arith.mulf %v30, %b0 : vector<4xf32>
    %s30 = arith.addf %zero, %p30 : vector<4xf32>
    %a31 = tir.load %A[3, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v31 = vector.broadcast %a31 : f32 to vector<4xf32>
    %p31 = arith.mulf %v31, %b1 : vector<4xf32>
    %s31 = arith.addf %s30, %p31 : vector<4xf32>
    %a32 = tir.load %A[3, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v32 = vector.broadcast %a32 : f32 to vector<4xf32>
    %p32 = arith.mulf %v32, %b2 : vector<4xf32>
    %s32 = arith.addf %s31, %p32 : vector<4xf32>
    %a33 = tir.load %A[3, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v33 = vector.broadcast %a33 : f32 to vector<4xf32>
    %p33 = arith.mulf %v33, %b3 : vector<4xf32>
    %s33 = arith.addf %s32, %p33 : vector<4xf32>
    tir.store %s33, %C[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    func.return
  }
  func.func @init(%A: memref<4x4xf32, strided<[?, ?], offset: ?>>, %B: memref<4x4xf32, strided<[?, ?], offset: ?>>, %C: memref<4x4xf32, strided<[?, 1], offset: ?>>) {
    %zero = arith.constant dense<0.0> : vector<4xf32>
    tir.store %zero, %C[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    tir.store %zero, %C[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    tir.store %zero, %C[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    tir.store %zero, %C[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    func.return
  }
  func.func @update(%A: memref<4x4xf32, strided<[?, ?], offset: ?>>, %B: memref<4x4xf32, strided<[?, 1], offset: ?>>, %C: memref<4x4xf32, strided<[?, 1], offset: ?>>) {
    %b0 = tir.load %B[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b1 = tir.load %B[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b2 = tir.load %B[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %b3 = tir.load %B[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %c0 = tir.load %C[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a00 = tir.load %A[0, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v00 = vector.broadcast %a00 : f32 to vector<4xf32>
    %p00 = arith.mulf %v00, %b0 : vector<4xf32>
    %s00 = arith.addf %c0, %p00 : vector<4xf32>
    %a01 = tir.load %A[0, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v01 = vector.broadcast %a01 : f32 to vector<4xf32>
    %p01 = arith.mulf %v01, %b1 : vector<4xf32>
    %s01 = arith.addf %s00, %p01 : vector<4xf32>
    %a02 = tir.load %A[0, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v02 = vector.broadcast %a02 : f32 to vector<4xf32>
    %p02 = arith.mulf %v02, %b2 : vector<4xf32>
    %s02 = arith.addf %s01, %p02 : vector<4xf32>
    %a03 = tir.load %A[0, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v03 = vector.broadcast %a03 : f32 to vector<4xf32>
    %p03 = arith.mulf %v03, %b3 : vector<4xf32>
    %s03 = arith.addf %s02, %p03 : vector<4xf32>
    tir.store %s03, %C[0, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %c1 = tir.load %C[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a10 = tir.load %A[1, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v10 = vector.broadcast %a10 : f32 to vector<4xf32>
    %p10 = arith.mulf %v10, %b0 : vector<4xf32>
    %s10 = arith.addf %c1, %p10 : vector<4xf32>
    %a11 = tir.load %A[1, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v11 = vector.broadcast %a11 : f32 to vector<4xf32>
    %p11 = arith.mulf %v11, %b1 : vector<4xf32>
    %s11 = arith.addf %s10, %p11 : vector<4xf32>
    %a12 = tir.load %A[1, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v12 = vector.broadcast %a12 : f32 to vector<4xf32>
    %p12 = arith.mulf %v12, %b2 : vector<4xf32>
    %s12 = arith.addf %s11, %p12 : vector<4xf32>
    %a13 = tir.load %A[1, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v13 = vector.broadcast %a13 : f32 to vector<4xf32>
    %p13 = arith.mulf %v13, %b3 : vector<4xf32>
    %s13 = arith.addf %s12, %p13 : vector<4xf32>
    tir.store %s13, %C[1, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %c2 = tir.load %C[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a20 = tir.load %A[2, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v20 = vector.broadcast %a20 : f32 to vector<4xf32>
    %p20 = arith.mulf %v20, %b0 : vector<4xf32>
    %s20 = arith.addf %c2, %p20 : vector<4xf32>
    %a21 = tir.load %A[2, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v21 = vector.broadcast %a21 : f32 to vector<4xf32>
    %p21 = arith.mulf %v21, %b1 : vector<4xf32>
    %s21 = arith.addf %s20, %p21 : vector<4xf32>
    %a22 = tir.load %A[2, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v22 = vector.broadcast %a22 : f32 to vector<4xf32>
    %p22 = arith.mulf %v22, %b2 : vector<4xf32>
    %s22 = arith.addf %s21, %p22 : vector<4xf32>
    %a23 = tir.load %A[2, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v23 = vector.broadcast %a23 : f32 to vector<4xf32>
    %p23 = arith.mulf %v23, %b3 : vector<4xf32>
    %s23 = arith.addf %s22, %p23 : vector<4xf32>
    tir.store %s23, %C[2, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %c3 = tir.load %C[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    %a30 = tir.load %A[3, 0] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v30 = vector.broadcast %a30 : f32 to vector<4xf32>
    %p30 = arith.mulf %v30, %b0 : vector<4xf32>
    %s30 = arith.addf %c3, %p30 : vector<4xf32>
    %a31 = tir.load %A[3, 1] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v31 = vector.broadcast %a31 : f32 to vector<4xf32>
    %p31 = arith.mulf %v31, %b1 : vector<4xf32>
    %s31 = arith.addf %s30, %p31 : vector<4xf32>
    %a32 = tir.load %A[3, 2] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v32 = vector.broadcast %a32 : f32 to vector<4xf32>
    %p32 = arith.mulf %v32, %b2 : vector<4xf32>
    %s32 = arith.addf %s31, %p32 : vector<4xf32>
    %a33 = tir.load %A[3, 3] : memref<4x4xf32, strided<[?, ?], offset: ?>>
    %v33 = vector.broadcast %a33 : f32 to vector<4xf32>
    %p33 = arith.mulf %v33, %b3 : vector<4xf32>
    %s33 = arith.addf %s32, %p33 : vector<4xf32>
    tir.store %s33, %C[3, 0] : memref<4x4xf32, strided<[?, 1], offset: ?>>, vector<4xf32>
    func.return
  }
}
