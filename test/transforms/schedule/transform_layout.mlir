// A buffer in another layout: all its accesses change, loops and blocks stay.
// RUN: kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i//4,j,i%4)" | FileCheck %s --check-prefix=TILED
// RUN: kc-opt %s --transform-layout="func=two block=B buffer=read:0 index-map=(i,j)->(j,axis_separator,i)" | FileCheck %s --check-prefix=SIGARG
// RUN: kc-opt %s --transform-layout="func=two block=C buffer=C index-map=(i,j)->(i//4,j//4,i%4,j%4) pad-value=-1.5" | FileCheck %s --check-prefix=SIGPAD
// RUN: kc-opt %s --transform-layout="func=sum block=S buffer=write:0 index-map=(i)->(i*2) pad-value=(i)->(i+7)" | FileCheck %s --check-prefix=SIGODD
// RUN: kc-opt %s --transform-layout="func=sized block=B buffer=B index-map=affine_map<(d0)->(d0 floordiv 4,d0 mod 4)> pad-value=0" \
// RUN:   | FileCheck %s --check-prefix=SIGSIZED
// RUN: kc-opt %s --transform-layout="func=sized block=C buffer=T index-map=(i)->(i//4,i%4)" | FileCheck %s --check-prefix=SIZEDALLOC
// RUN: kc-opt %s --transform-layout="func=dims block=B buffer=A index-map=(i,j)->(j,i)" | FileCheck %s --check-prefix=SIGDIMS
// RUN: kc-opt %s --transform-layout="func=two block=B buffer=B index-map=(i,j)->(i,j)" 2>&1 >/dev/null | FileCheck %s --check-prefix=SAME --match-full-lines --strict-whitespace
// RUN: kc-opt %s --transform-layout="func=two block=B buffer=A index-map=(i,j)->(i//4,j,i%4) pad-value=0" 2>&1 >/dev/null | FileCheck %s --check-prefix=NOPAD --match-full-lines --strict-whitespace

te.func @two(%A: tensor<14x6xf32>) -> tensor<14x6xf32> {
  %B = te.compute "B" [%i = 14, %j = 6] {
    %a = te.read %A[%i, %j] : tensor<14x6xf32>
    te.yield %a : f32
  } : tensor<14x6xf32>
  %C = te.compute "C" [%i = 14, %j = 6] {
    %x = te.read %B[%i, 5 - %j] : tensor<14x6xf32>
    te.yield %x : f32
  } : tensor<14x6xf32>
  te.return %C : tensor<14x6xf32>
}

// The initial value and the updates of a reduction move together.
te.func @sum(%A: tensor<4x8xi32>) -> tensor<4xi32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xi32>
    te.yield %a : i32
  } : tensor<4xi32>
  te.return %S : tensor<4xi32>
}

// Sizes are known at the call: the padding is what is left of the last row, if anything.
te.func @sized(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> (tensor<?xf32>, tensor<?xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %T = te.compute "T" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %B = te.compute "B" [%i = %n] {
    %a = te.read %T[%i] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%i = %n] {
    %t = te.read %T[%i] : tensor<?xf32>
    %b = te.read %B[%i] : tensor<?xf32>
    %c = arith.addf %t, %b : f32
    te.yield %c : f32
  } : tensor<?xf32>
  te.return %B, %C : tensor<?xf32>, tensor<?xf32>
}

// A size that is asked for is what it was.
func.func @dims(%A: memref<?x8xf32> {kc.shape = affine_map<()[n] -> (n, 8)>}, %B: memref<?x8xf32> {kc.shape = affine_map<()[n] -> (n, 8)>})
    attributes {kc.symbols = ["n"]} {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x8xf32>
  tir.for %i in %n {
    tir.block "B" (spatial %v in %n = %i) do {
      %x = tir.load %A[%v, 3] : memref<?x8xf32>
      tir.store %x, %B[%v, 0] : memref<?x8xf32>
    }
  }
  func.return
}

// TILED:      func.func @two(
// TILED-NEXT:   %B = tir.alloc "B" : memref<4x6x4xf32>
// TILED-NEXT:   tir.for %i in 14 {
// TILED-NEXT:     tir.for %j in 6 {
// TILED-NEXT:       tir.block "B" (spatial %v_i in 14 = %i, spatial %v_j in 6 = %j) do {
// TILED-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<14x6xf32>
// TILED-NEXT:         tir.store %a, %B[%v_i floordiv 4, %v_j, %v_i mod 4] : memref<4x6x4xf32>
// TILED-NEXT:       }
// TILED-NEXT:     }
// TILED-NEXT:   }
// TILED-NEXT:   tir.for %i_1 "i" in 14 {
// TILED-NEXT:     tir.for %j_1 "j" in 6 {
// TILED-NEXT:       tir.block "C" (spatial %v_i in 14 = %i_1, spatial %v_j in 6 = %j_1) do {
// TILED-NEXT:         %x = tir.load %B[%v_i floordiv 4, %v_j * -1 + 5, %v_i mod 4] : memref<4x6x4xf32>
// TILED-NEXT:         tir.store %x, %C[%v_i, %v_j] : memref<14x6xf32>
// TILED-NEXT:       }
// TILED-NEXT:     }
// TILED-NEXT:   }
// TILED-NEXT:   func.return
// TILED-NEXT: }

// SIGARG:      func.func @two(%A: memref<6x14xf32> {kc.name = "A", kc.role = "in", kc.axis_separators = array<i64: 1>}, %C: memref<14x6xf32> {kc.name = "C", kc.role = "out"}) {
// SIGARG-NEXT:   %B = tir.alloc "B" : memref<14x6xf32>
// SIGARG-NEXT:   tir.for %i in 14 {
// SIGARG-NEXT:     tir.for %j in 6 {
// SIGARG-NEXT:       tir.block "B" (spatial %v_i in 14 = %i, spatial %v_j in 6 = %j) do {
// SIGARG-NEXT:         %a = tir.load %A[%v_j, %v_i] : memref<6x14xf32>
// SIGARG-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<14x6xf32>
// SIGARG-NEXT:       }
// SIGARG-NEXT:     }
// SIGARG-NEXT:   }
// SIGARG-NEXT:   tir.for %i_1 "i" in 14 {
// SIGARG-NEXT:     tir.for %j_1 "j" in 6 {
// SIGARG-NEXT:       tir.block "C" (spatial %v_i in 14 = %i_1, spatial %v_j in 6 = %j_1) do {
// SIGARG-NEXT:         %x = tir.load %B[%v_i, %v_j * -1 + 5] : memref<14x6xf32>
// SIGARG-NEXT:         tir.store %x, %C[%v_i, %v_j] : memref<14x6xf32>
// SIGARG-NEXT:       }
// SIGARG-NEXT:     }
// SIGARG-NEXT:   }
// SIGARG-NEXT:   func.return
// SIGARG-NEXT: }

// SIGPAD:      func.func @two(%A: memref<14x6xf32> {kc.name = "A", kc.role = "in"}, %C: memref<4x2x4x4xf32> {kc.name = "C", kc.role = "out"}) {
// SIGPAD-NEXT:   %B = tir.alloc "B" : memref<14x6xf32>
// SIGPAD-NEXT:   tir.for %i in 14 {
// SIGPAD-NEXT:     tir.for %j in 6 {
// SIGPAD-NEXT:       tir.block "B" (spatial %v_i in 14 = %i, spatial %v_j in 6 = %j) do {
// SIGPAD-NEXT:         %a = tir.load %A[%v_i, %v_j] : memref<14x6xf32>
// SIGPAD-NEXT:         tir.store %a, %B[%v_i, %v_j] : memref<14x6xf32>
// SIGPAD-NEXT:       }
// SIGPAD-NEXT:     }
// SIGPAD-NEXT:   }
// SIGPAD-NEXT:   tir.for %i_1 "i" in 14 {
// SIGPAD-NEXT:     tir.for %j_1 "j" in 6 {
// SIGPAD-NEXT:       tir.block "C" (spatial %v_i in 14 = %i_1, spatial %v_j in 6 = %j_1) do {
// SIGPAD-NEXT:         %x = tir.load %B[%v_i, %v_j * -1 + 5] : memref<14x6xf32>
// SIGPAD-NEXT:         tir.store %x, %C[%v_i floordiv 4, %v_j floordiv 4, %v_i mod 4, %v_j mod 4] : memref<4x2x4x4xf32>
// SIGPAD-NEXT:       }
// SIGPAD-NEXT:     }
// SIGPAD-NEXT:   }
// SIGPAD-NEXT:   tir.for %ax0 in 1 {
// SIGPAD-NEXT:     tir.for %ax1 in 2 {
// SIGPAD-NEXT:       tir.for %ax2 in 2 {
// SIGPAD-NEXT:         tir.for %ax3 in 4 {
// SIGPAD-NEXT:           tir.block "C_pad" (spatial %v0 in 4 = %ax0 + 3, spatial %v1 in 2 = %ax1, spatial %v2 in 4 = %ax2 + 2, spatial %v3 in 4 = %ax3) do {
// SIGPAD-NEXT:             %0 = arith.constant -1.500000e+00 : f32
// SIGPAD-NEXT:             tir.store %0, %C[%v0, %v1, %v2, %v3] : memref<4x2x4x4xf32>
// SIGPAD-NEXT:           }
// SIGPAD-NEXT:         }
// SIGPAD-NEXT:       }
// SIGPAD-NEXT:     }
// SIGPAD-NEXT:   }
// SIGPAD-NEXT:   tir.for %ax0_1 "ax0" in 4 {
// SIGPAD-NEXT:     tir.for %ax1_1 "ax1" in 1 {
// SIGPAD-NEXT:       tir.for %ax2_1 "ax2" in 4 {
// SIGPAD-NEXT:         tir.for %ax3_1 "ax3" in 2 {
// SIGPAD-NEXT:           tir.block "C_pad_1" (spatial %v0 in 4 = %ax0_1, spatial %v1 in 2 = %ax1_1 + 1, spatial %v2 in 4 = %ax2_1, spatial %v3 in 4 = %ax3_1 + 2) where (%ax0_1 * 4 + %ax2_1 < 14) do {
// SIGPAD-NEXT:             %0 = arith.constant -1.500000e+00 : f32
// SIGPAD-NEXT:             tir.store %0, %C[%v0, %v1, %v2, %v3] : memref<4x2x4x4xf32>
// SIGPAD-NEXT:           }
// SIGPAD-NEXT:         }
// SIGPAD-NEXT:       }
// SIGPAD-NEXT:     }
// SIGPAD-NEXT:   }
// SIGPAD-NEXT:   func.return
// SIGPAD-NEXT: }

// SIGODD:      func.func @sum(%A: memref<4x8xi32> {kc.name = "A", kc.role = "in"}, %S: memref<7xi32> {kc.name = "S", kc.role = "out"}) {
// SIGODD-NEXT:   tir.for %i in 4 {
// SIGODD-NEXT:     tir.for %k in 8 {
// SIGODD-NEXT:       tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
// SIGODD-NEXT:         %0 = arith.constant 0 : i32
// SIGODD-NEXT:         tir.store %0, %S[%v_i * 2] : memref<7xi32>
// SIGODD-NEXT:       } do {
// SIGODD-NEXT:         %a = tir.load %A[%v_i, %v_k] : memref<4x8xi32>
// SIGODD-NEXT:         %1 = tir.load %S[%v_i * 2] : memref<7xi32>
// SIGODD-NEXT:         %2 = arith.addi %1, %a : i32
// SIGODD-NEXT:         tir.store %2, %S[%v_i * 2] : memref<7xi32>
// SIGODD-NEXT:       }
// SIGODD-NEXT:     }
// SIGODD-NEXT:   }
// SIGODD-NEXT:   tir.for %ax0 in 5 {
// SIGODD-NEXT:     tir.block "S_pad" (spatial %v0 in 7 = %ax0 + 1) where (0 == %ax0 mod 2) do {
// SIGODD-NEXT:       %0 = tir.apply (%v0 + 7)
// SIGODD-NEXT:       %1 = arith.index_cast %0 : index to i32
// SIGODD-NEXT:       tir.store %1, %S[%v0] : memref<7xi32>
// SIGODD-NEXT:     }
// SIGODD-NEXT:   }
// SIGODD-NEXT:   func.return
// SIGODD-NEXT: }

// SIGSIZED:      func.func @sized(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>, kc.name = "A", kc.role = "in"}, %B: memref<?x4xf32> {kc.name = "B", kc.role = "out", kc.shape = affine_map<()[s0] -> ((s0 ceildiv 4), 4)>}, %C: memref<?xf32> {kc.name = "C", kc.role = "out", kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
// SIGSIZED-NEXT:   %n = tir.symbol "n"
// SIGSIZED-NEXT:   %0 = tir.apply (%n ceildiv 4)
// SIGSIZED-NEXT:   %T = tir.alloc "T" (%n) : memref<?xf32>
// SIGSIZED-NEXT:   tir.for %i in %n {
// SIGSIZED-NEXT:     tir.block "T" (spatial %v_i in %n = %i) do {
// SIGSIZED-NEXT:       %a = tir.load %A[%v_i] : memref<?xf32>
// SIGSIZED-NEXT:       tir.store %a, %T[%v_i] : memref<?xf32>
// SIGSIZED-NEXT:     }
// SIGSIZED-NEXT:   }
// SIGSIZED-NEXT:   tir.for %i_1 "i" in %n {
// SIGSIZED-NEXT:     tir.block "B" (spatial %v_i in %n = %i_1) do {
// SIGSIZED-NEXT:       %a = tir.load %T[%v_i] : memref<?xf32>
// SIGSIZED-NEXT:       tir.store %a, %B[%v_i floordiv 4, %v_i mod 4] : memref<?x4xf32>
// SIGSIZED-NEXT:     }
// SIGSIZED-NEXT:   }
// SIGSIZED-NEXT:   tir.for %ax0 in %0 {
// SIGSIZED-NEXT:     tir.for %ax1 in 3 {
// SIGSIZED-NEXT:       tir.block "B_pad" (spatial %v0 in %0 = %ax0, spatial %v1 in 4 = %ax1 + 1) where (%ax0 * 4 < %n, %n < %ax0 * 4 + %ax1 + 2) do {
// SIGSIZED-NEXT:         %1 = arith.constant 0.000000e+00 : f32
// SIGSIZED-NEXT:         tir.store %1, %B[%v0, %v1] : memref<?x4xf32>
// SIGSIZED-NEXT:       }
// SIGSIZED-NEXT:     }
// SIGSIZED-NEXT:   }
// SIGSIZED-NEXT:   tir.for %i_2 "i" in %n {
// SIGSIZED-NEXT:     tir.block "C" (spatial %v_i in %n = %i_2) do {
// SIGSIZED-NEXT:       %t = tir.load %T[%v_i] : memref<?xf32>
// SIGSIZED-NEXT:       %b = tir.load %B[%v_i floordiv 4, %v_i mod 4] : memref<?x4xf32>
// SIGSIZED-NEXT:       %c = arith.addf %t, %b : f32
// SIGSIZED-NEXT:       tir.store %c, %C[%v_i] : memref<?xf32>
// SIGSIZED-NEXT:     }
// SIGSIZED-NEXT:   }
// SIGSIZED-NEXT:   func.return
// SIGSIZED-NEXT: }

// SIZEDALLOC:      func.func @sized(
// SIZEDALLOC-NEXT:   %n = tir.symbol "n"
// SIZEDALLOC-NEXT:   %0 = tir.apply (%n ceildiv 4)
// SIZEDALLOC-NEXT:   %T = tir.alloc "T" (%0) : memref<?x4xf32>
// SIZEDALLOC-NEXT:   tir.for %i in %n {
// SIZEDALLOC-NEXT:     tir.block "T" (spatial %v_i in %n = %i) do {
// SIZEDALLOC-NEXT:       %a = tir.load %A[%v_i] : memref<?xf32>
// SIZEDALLOC-NEXT:       tir.store %a, %T[%v_i floordiv 4, %v_i mod 4] : memref<?x4xf32>
// SIZEDALLOC-NEXT:     }
// SIZEDALLOC-NEXT:   }
// SIZEDALLOC-NEXT:   tir.for %i_1 "i" in %n {
// SIZEDALLOC-NEXT:     tir.block "B" (spatial %v_i in %n = %i_1) do {
// SIZEDALLOC-NEXT:       %a = tir.load %T[%v_i floordiv 4, %v_i mod 4] : memref<?x4xf32>
// SIZEDALLOC-NEXT:       tir.store %a, %B[%v_i] : memref<?xf32>
// SIZEDALLOC-NEXT:     }
// SIZEDALLOC-NEXT:   }
// SIZEDALLOC-NEXT:   tir.for %i_2 "i" in %n {
// SIZEDALLOC-NEXT:     tir.block "C" (spatial %v_i in %n = %i_2) do {
// SIZEDALLOC-NEXT:       %t = tir.load %T[%v_i floordiv 4, %v_i mod 4] : memref<?x4xf32>
// SIZEDALLOC-NEXT:       %b = tir.load %B[%v_i] : memref<?xf32>
// SIZEDALLOC-NEXT:       %c = arith.addf %t, %b : f32
// SIZEDALLOC-NEXT:       tir.store %c, %C[%v_i] : memref<?xf32>
// SIZEDALLOC-NEXT:     }
// SIZEDALLOC-NEXT:   }
// SIZEDALLOC-NEXT:   func.return
// SIZEDALLOC-NEXT: }

// SIGDIMS:      func.func @dims(%A: memref<8x?xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %B: memref<?x8xf32> {kc.shape = affine_map<()[s0] -> (s0, 8)>}) attributes {kc.symbols = ["n"]} {
// SIGDIMS-NEXT:   %n = tir.symbol "n"
// SIGDIMS-NEXT:   %c0 = arith.constant 0 : index
// SIGDIMS-NEXT:   tir.for %i in %n {
// SIGDIMS-NEXT:     tir.block "B" (spatial %v in %n = %i) do {
// SIGDIMS-NEXT:       %x = tir.load %A[3, %v] : memref<8x?xf32>
// SIGDIMS-NEXT:       tir.store %x, %B[%v, 0] : memref<?x8xf32>
// SIGDIMS-NEXT:     }
// SIGDIMS-NEXT:   }
// SIGDIMS-NEXT:   func.return
// SIGDIMS-NEXT: }

//SAME:warning[KC3511]: transform_layout changes nothing
//SAME-NEXT:  --> {{.*}}transform_layout.mlir:14:3  %B = te.compute "B" [%i = 14, %j = 6] {
//SAME-NEXT:  why: (i, j)->(i, j) leaves every element of B in place

//NOPAD:warning[KC3512]: transform_layout: nothing of A gets the pad_value
//NOPAD-NEXT:  --> {{.*}}transform_layout.mlir:14:3  %B = te.compute "B" [%i = 14, %j = 6] {
//NOPAD-NEXT:  why: the function only reads it, so its padding holds what the caller put there
