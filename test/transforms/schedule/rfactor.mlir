// A loop of a reduction becomes spatial: its partial results, and their reduction.
// RUN: kc-opt %s --split="func=sums loop=k factors=?,4" --rfactor="func=sums loop=k_o" | FileCheck %s --check-prefix=OUTER
// RUN: kc-opt %s --split="func=sums loop=k factors=?,4" --rfactor="func=sums loop=k_i factor-axis=-1" | FileCheck %s --check-prefix=INNER
// RUN: kc-opt %s --rfactor="func=products loop=k factor-axis=1" | FileCheck %s --check-prefix=WHOLE
// RUN: kc-opt %s --split="func=sizes loop=k factors=?,4" --rfactor="func=sizes loop=k_o" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --split="func=tail loop=k factors=5,4" --parallel="func=tail loop=i" --rfactor="func=tail loop=k_o" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --rfactor="func=inside loop=k" | FileCheck %s --check-prefix=INSIDE

te.func @sums(%A: tensor<8x10xf32>) -> tensor<8xf32> {
  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
    %a = te.read %A[%i, %k] : tensor<8x10xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

// Without another loop of the reduction nothing is added to partial results.
te.func @products(%A: tensor<8x10xi8>) -> tensor<8xi8> {
  %C = te.compute "C" [%i = 8] reduce prod [%k = 10] {
    %a = te.read %A[%i, %k] : tensor<8x10xi8>
    te.yield %a : i8
  } : tensor<8xi8>
  te.return %C : tensor<8xi8>
}

// Without any element (n is 0) there is no partial result either, and the init remains.
te.func @sizes(%A: tensor<?xf64> {kc.shape = affine_map<()[n] -> (n)>})
    -> tensor<1xf64> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = 1] reduce max [%k = %n] {
    %a = te.read %A[%k] : tensor<?xf64>
    te.yield %a : f64
  } : tensor<1xf64>
  te.return %C : tensor<1xf64>
}

// The last partial results have no element: they are not read.
te.func @tail(%A: tensor<8x10xf32>) -> tensor<8xf32> {
  %C = te.compute "C" [%i = 8] reduce min [%k = 10] {
    %a = te.read %A[%i, %k] : tensor<8x10xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

// In the loop of another block, and from an init of its own.
func.func @inside(%A: memref<8x10xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 10 {
      tir.for %l in 10 {
        tir.block "C" (spatial %v_i in 8 = %i, reduce %v_k in 10 = %k, reduce %v_l in 10 = %l) init {
          %b = tir.load %B[%v_i] : memref<8xf32>
          tir.store %b, %C[%v_i] : memref<8xf32>
        } do {
          %c = tir.load %C[%v_i] : memref<8xf32>
          %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
          %d = arith.addf %a, %c fastmath<contract> : f32
          tir.store %d, %C[%v_i] : memref<8xf32>
        }
      }
    }
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %c = tir.load %C[%v_i] : memref<8xf32>
      tir.store %c, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// OUTER:      func.func @sums(
// OUTER-NEXT:   %C_rf = tir.alloc "C_rf" : memref<3x8xf32>
// OUTER-NEXT:   tir.for %i in 8 {
// OUTER-NEXT:     tir.for %k_o in 3 {
// OUTER-NEXT:       tir.for %k_i in 4 {
// OUTER-NEXT:         tir.block "C_rf" (spatial %v_k_o in 3 = %k_o, spatial %v_i in 8 = %i, reduce %v_k_i in 4 = %k_i) where (%k_o * 4 + %k_i < 10) init {
// OUTER-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// OUTER-NEXT:           tir.store %0, %C_rf[%v_k_o, %v_i] : memref<3x8xf32>
// OUTER-NEXT:         } do {
// OUTER-NEXT:           %a = tir.load %A[%v_i, %v_k_o * 4 + %v_k_i] : memref<8x10xf32>
// OUTER-NEXT:           %1 = tir.load %C_rf[%v_k_o, %v_i] : memref<3x8xf32>
// OUTER-NEXT:           %2 = arith.addf %1, %a : f32
// OUTER-NEXT:           tir.store %2, %C_rf[%v_k_o, %v_i] : memref<3x8xf32>
// OUTER-NEXT:         }
// OUTER-NEXT:       }
// OUTER-NEXT:     }
// OUTER-NEXT:   }
// OUTER-NEXT:   tir.for %i_1 "i" in 8 {
// OUTER-NEXT:     tir.for %k_o_1 "k_o" in 3 {
// OUTER-NEXT:       tir.block "C" (reduce %v_k_o in 3 = %k_o_1, spatial %v_i in 8 = %i_1) init {
// OUTER-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// OUTER-NEXT:         tir.store %0, %C[%v_i] : memref<8xf32>
// OUTER-NEXT:       } do {
// OUTER-NEXT:         %1 = tir.load %C[%v_i] : memref<8xf32>
// OUTER-NEXT:         %part = tir.load %C_rf[%v_k_o, %v_i] : memref<3x8xf32>
// OUTER-NEXT:         %2 = arith.addf %1, %part : f32
// OUTER-NEXT:         tir.store %2, %C[%v_i] : memref<8xf32>
// OUTER-NEXT:       }
// OUTER-NEXT:     }
// OUTER-NEXT:   }
// OUTER-NEXT:   func.return
// OUTER-NEXT: }

// INNER:      func.func @sums(
// INNER-NEXT:   %C_rf = tir.alloc "C_rf" : memref<8x4xf32>
// INNER-NEXT:   tir.for %i in 8 {
// INNER-NEXT:     tir.for %k_o in 3 {
// INNER-NEXT:       tir.for %k_i in 4 {
// INNER-NEXT:         tir.block "C_rf" (spatial %v_k_i in 4 = %k_i, spatial %v_i in 8 = %i, reduce %v_k_o in 3 = %k_o) where (%k_o * 4 + %k_i < 10) init {
// INNER-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// INNER-NEXT:           tir.store %0, %C_rf[%v_i, %v_k_i] : memref<8x4xf32>
// INNER-NEXT:         } do {
// INNER-NEXT:           %a = tir.load %A[%v_i, %v_k_o * 4 + %v_k_i] : memref<8x10xf32>
// INNER-NEXT:           %1 = tir.load %C_rf[%v_i, %v_k_i] : memref<8x4xf32>
// INNER-NEXT:           %2 = arith.addf %1, %a : f32
// INNER-NEXT:           tir.store %2, %C_rf[%v_i, %v_k_i] : memref<8x4xf32>
// INNER-NEXT:         }
// INNER-NEXT:       }
// INNER-NEXT:     }
// INNER-NEXT:   }
// INNER-NEXT:   tir.for %i_1 "i" in 8 {
// INNER-NEXT:     tir.for %k_i_1 "k_i" in 4 {
// INNER-NEXT:       tir.block "C" (reduce %v_k_i in 4 = %k_i_1, spatial %v_i in 8 = %i_1) init {
// INNER-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// INNER-NEXT:         tir.store %0, %C[%v_i] : memref<8xf32>
// INNER-NEXT:       } do {
// INNER-NEXT:         %1 = tir.load %C[%v_i] : memref<8xf32>
// INNER-NEXT:         %part = tir.load %C_rf[%v_i, %v_k_i] : memref<8x4xf32>
// INNER-NEXT:         %2 = arith.addf %1, %part : f32
// INNER-NEXT:         tir.store %2, %C[%v_i] : memref<8xf32>
// INNER-NEXT:       }
// INNER-NEXT:     }
// INNER-NEXT:   }
// INNER-NEXT:   func.return
// INNER-NEXT: }

// WHOLE:      func.func @products(
// WHOLE-NEXT:   %C_rf = tir.alloc "C_rf" : memref<8x10xi8>
// WHOLE-NEXT:   tir.for %i in 8 {
// WHOLE-NEXT:     tir.for %k in 10 {
// WHOLE-NEXT:       tir.block "C_rf" (spatial %v_k in 10 = %k, spatial %v_i in 8 = %i) do {
// WHOLE-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<8x10xi8>
// WHOLE-NEXT:         tir.store %a, %C_rf[%v_i, %v_k] : memref<8x10xi8>
// WHOLE-NEXT:       }
// WHOLE-NEXT:     }
// WHOLE-NEXT:   }
// WHOLE-NEXT:   tir.for %i_1 "i" in 8 {
// WHOLE-NEXT:     tir.for %k_1 "k" in 10 {
// WHOLE-NEXT:       tir.block "C" (reduce %v_k in 10 = %k_1, spatial %v_i in 8 = %i_1) init {
// WHOLE-NEXT:         %0 = arith.constant 1 : i8
// WHOLE-NEXT:         tir.store %0, %C[%v_i] : memref<8xi8>
// WHOLE-NEXT:       } do {
// WHOLE-NEXT:         %1 = tir.load %C[%v_i] : memref<8xi8>
// WHOLE-NEXT:         %part = tir.load %C_rf[%v_i, %v_k] : memref<8x10xi8>
// WHOLE-NEXT:         %2 = arith.muli %1, %part : i8
// WHOLE-NEXT:         tir.store %2, %C[%v_i] : memref<8xi8>
// WHOLE-NEXT:       }
// WHOLE-NEXT:     }
// WHOLE-NEXT:   }
// WHOLE-NEXT:   func.return
// WHOLE-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %k_size = tir.apply (%n ceildiv 4)
// SIZES-NEXT:   %C_rf = tir.alloc "C_rf" (%k_size) : memref<?x1xf64>
// SIZES-NEXT:   tir.for %i in 1 {
// SIZES-NEXT:     tir.for %k_o in %k_size {
// SIZES-NEXT:       tir.for %k_i in 4 {
// SIZES-NEXT:         tir.block "C_rf" (spatial %v_k_o in %k_size = %k_o, spatial %v_i in 1 = %i, reduce %v_k_i in 4 = %k_i) where (%k_o * 4 + %k_i < %n) init {
// SIZES-NEXT:           %0 = arith.constant 0xfff0000000000000 : f64
// SIZES-NEXT:           tir.store %0, %C_rf[%v_k_o, %v_i] : memref<?x1xf64>
// SIZES-NEXT:         } do {
// SIZES-NEXT:           %a = tir.load %A[%v_k_o * 4 + %v_k_i] : memref<?xf64>
// SIZES-NEXT:           %1 = tir.load %C_rf[%v_k_o, %v_i] : memref<?x1xf64>
// SIZES-NEXT:           %2 = arith.maximumf %1, %a : f64
// SIZES-NEXT:           tir.store %2, %C_rf[%v_k_o, %v_i] : memref<?x1xf64>
// SIZES-NEXT:         }
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   tir.for %i_1 "i" in 1 {
// SIZES-NEXT:     tir.for %k_o_1 "k_o" in %k_size {
// SIZES-NEXT:       tir.block "C" (reduce %v_k_o in %k_size = %k_o_1, spatial %v_i in 1 = %i_1) init {
// SIZES-NEXT:         %0 = arith.constant 0xfff0000000000000 : f64
// SIZES-NEXT:         tir.store %0, %C[%v_i] : memref<1xf64>
// SIZES-NEXT:       } do {
// SIZES-NEXT:         %1 = tir.load %C[%v_i] : memref<1xf64>
// SIZES-NEXT:         %part = tir.load %C_rf[%v_k_o, %v_i] : memref<?x1xf64>
// SIZES-NEXT:         %2 = arith.maximumf %1, %part : f64
// SIZES-NEXT:         tir.store %2, %C[%v_i] : memref<1xf64>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// TAIL:      func.func @tail(
// TAIL-NEXT:   %C_rf = tir.alloc "C_rf" : memref<5x8xf32>
// TAIL-NEXT:   tir.for %i in 8 parallel {
// TAIL-NEXT:     tir.for %k_o in 5 {
// TAIL-NEXT:       tir.for %k_i in 4 {
// TAIL-NEXT:         tir.block "C_rf" (spatial %v_k_o in 5 = %k_o, spatial %v_i in 8 = %i, reduce %v_k_i in 4 = %k_i) where (%k_o * 4 + %k_i < 10) init {
// TAIL-NEXT:           %0 = arith.constant 0x7f800000 : f32
// TAIL-NEXT:           tir.store %0, %C_rf[%v_k_o, %v_i] : memref<5x8xf32>
// TAIL-NEXT:         } do {
// TAIL-NEXT:           %a = tir.load %A[%v_i, %v_k_o * 4 + %v_k_i] : memref<8x10xf32>
// TAIL-NEXT:           %1 = tir.load %C_rf[%v_k_o, %v_i] : memref<5x8xf32>
// TAIL-NEXT:           %2 = arith.minimumf %1, %a : f32
// TAIL-NEXT:           tir.store %2, %C_rf[%v_k_o, %v_i] : memref<5x8xf32>
// TAIL-NEXT:         }
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   tir.for %i_1 "i" in 8 parallel {
// TAIL-NEXT:     tir.for %k_o_1 "k_o" in 5 {
// TAIL-NEXT:       tir.block "C" (reduce %v_k_o in 5 = %k_o_1, spatial %v_i in 8 = %i_1) where (%k_o_1 < 3) init {
// TAIL-NEXT:         %0 = arith.constant 0x7f800000 : f32
// TAIL-NEXT:         tir.store %0, %C[%v_i] : memref<8xf32>
// TAIL-NEXT:       } do {
// TAIL-NEXT:         %1 = tir.load %C[%v_i] : memref<8xf32>
// TAIL-NEXT:         %part = tir.load %C_rf[%v_k_o, %v_i] : memref<5x8xf32>
// TAIL-NEXT:         %2 = arith.minimumf %1, %part : f32
// TAIL-NEXT:         tir.store %2, %C[%v_i] : memref<8xf32>
// TAIL-NEXT:       }
// TAIL-NEXT:     }
// TAIL-NEXT:   }
// TAIL-NEXT:   func.return
// TAIL-NEXT: }

// INSIDE:      func.func @inside(
// INSIDE-NEXT:   tir.for %i in 8 {
// INSIDE-NEXT:     %C_rf = tir.alloc "C_rf" : memref<10x8xf32>
// INSIDE-NEXT:     tir.for %k in 10 {
// INSIDE-NEXT:       tir.for %l in 10 {
// INSIDE-NEXT:         tir.block "C_rf" (spatial %v_k in 10 = %k, spatial %v_i in 8 = %i, reduce %v_l in 10 = %l) init {
// INSIDE-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// INSIDE-NEXT:           tir.store %0, %C_rf[%v_k, %v_i] : memref<10x8xf32>
// INSIDE-NEXT:         } do {
// INSIDE-NEXT:           %c = tir.load %C_rf[%v_k, %v_i] : memref<10x8xf32>
// INSIDE-NEXT:           %a = tir.load %A[%v_i, %v_k] : memref<8x10xf32>
// INSIDE-NEXT:           %d = arith.addf %a, %c fastmath<contract> : f32
// INSIDE-NEXT:           tir.store %d, %C_rf[%v_k, %v_i] : memref<10x8xf32>
// INSIDE-NEXT:         }
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.for %k_1 in 10 {
// INSIDE-NEXT:       tir.block "C" (reduce %v_k in 10 = %k_1, spatial %v_i in 8 = %i) init {
// INSIDE-NEXT:         %b = tir.load %B[%v_i] : memref<8xf32>
// INSIDE-NEXT:         tir.store %b, %C[%v_i] : memref<8xf32>
// INSIDE-NEXT:       } do {
// INSIDE-NEXT:         %c = tir.load %C[%v_i] : memref<8xf32>
// INSIDE-NEXT:         %part = tir.load %C_rf[%v_k, %v_i] : memref<10x8xf32>
// INSIDE-NEXT:         %d = arith.addf %part, %c fastmath<contract> : f32
// INSIDE-NEXT:         tir.store %d, %C[%v_i] : memref<8xf32>
// INSIDE-NEXT:       }
// INSIDE-NEXT:     }
// INSIDE-NEXT:     tir.block "D" (spatial %v_i in 8 = %i) do {
// INSIDE-NEXT:       %c = tir.load %C[%v_i] : memref<8xf32>
// INSIDE-NEXT:       tir.store %c, %D[%v_i] : memref<8xf32>
// INSIDE-NEXT:     }
// INSIDE-NEXT:   }
// INSIDE-NEXT:   func.return
// INSIDE-NEXT: }
