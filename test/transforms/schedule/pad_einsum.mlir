// The iterations of an einsum become multiples of given numbers: producers pad what it reads with
// zeros, and the result is cropped.
// RUN: kc-opt %s --pad-einsum="func=matmul block=C padding=4,4,8" | FileCheck %s --check-prefix=MATMUL
// RUN: kc-opt %s --pad-einsum="func=matmul block=C padding=1,1,4" | FileCheck %s --check-prefix=REDUCE
// RUN: kc-opt %s --pad-einsum="func=sizes block=C padding=16,1" | FileCheck %s --check-prefix=SIZES
// RUN: kc-opt %s --pad-einsum="func=filters block=C padding=1,4,1" | FileCheck %s --check-prefix=FILTERS
// RUN: kc-opt %s --pad-einsum="func=filters block=C padding=4,1,1" | FileCheck %s --check-prefix=IMAGE
// RUN: kc-opt %s --pad-einsum="func=trace block=T padding=4" | FileCheck %s --check-prefix=TRACE
// RUN: kc-opt %s --pad-einsum="func=matmul block=C padding=1,3,7" 2>&1 >/dev/null | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace

te.func @matmul(%A: tensor<6x7xf32>, %B: tensor<7x9xf32>) -> tensor<6x9xf32> {
  %C = te.compute "C" [%i = 6, %j = 9] reduce sum [%k = 7] {
    %a = te.read %A[%i, %k] : tensor<6x7xf32>
    %b = te.read %B[%k, %j] : tensor<7x9xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<6x9xf32>
  te.return %C : tensor<6x9xf32>
}

te.func @sizes(%A: tensor<?x3xf32> {kc.shape = affine_map<()[n] -> (n, 3)>}, %B: tensor<3xf32>)
    -> tensor<?x3xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n, %j = 3] {
    %x = te.read %A[%i, %j] : tensor<?x3xf32>
    %y = te.read %B[%j] : tensor<3xf32>
    %z = math.exp %x : f32
    %c = arith.divf %z, %y : f32
    te.yield %c : f32
  } : tensor<?x3xf32>
  te.return %C : tensor<?x3xf32>
}

// Heads of queries share keys, two each: a quotient of what is not padded.
// RUN: kc-opt %s --pad-einsum="func=heads block=S padding=1,4,1" | FileCheck %s --check-prefix=HEADS
// RUN: not kc-opt %s --pad-einsum="func=heads block=S padding=4,4,1" 2>&1 | FileCheck %s --check-prefix=DIVIDED
te.func @heads(%Q: tensor<6x7xf32>, %K: tensor<3x5x7xf32>) -> tensor<6x5xf32> {
  %S = te.compute "S" [%h = 6, %j = 5] reduce sum [%e = 7] {
    %q = te.read %Q[%h, %e] : tensor<6x7xf32>
    %k = te.read %K[%h floordiv 2, %j, %e] : tensor<3x5x7xf32>
    %s = arith.mulf %q, %k : f32
    te.yield %s : f32
  } : tensor<6x5xf32>
  te.return %S : tensor<6x5xf32>
}

// HEADS:      func.func @heads(
// HEADS-NEXT:   %K_pad = tir.alloc "K_pad" : memref<3x8x7xf32>
// HEADS-NEXT:   tir.for %ax0 in 3 {
// HEADS-NEXT:     tir.for %ax1 in 8 {
// HEADS-NEXT:       tir.for %ax2 in 7 {
// HEADS-NEXT:         tir.block "K_pad" (spatial %v0 in 3 = %ax0, spatial %v1 in 8 = %ax1, spatial %v2 in 7 = %ax2) do {
// HEADS-NEXT:           %0 = arith.constant 5 : index
// HEADS-NEXT:           %1 = arith.cmpi slt, %v1, %0 : index
// HEADS-NEXT:           %2 = scf.if %1 -> (f32) {
// HEADS-NEXT:             %value = tir.load %K[%v0, %v1, %v2] : memref<3x5x7xf32>
// HEADS:            tir.block "S" (spatial %v_h in 6 = %h, spatial %v_j in 8 = %j, reduce %v_e in 7 = %e)
// HEADS:              tir.load %K_pad[%v_h floordiv 2, %v_j, %v_e] : memref<3x8x7xf32>

// DIVIDED: error[KC3608]: pad_einsum: block S reads K at an index that is not a variable

// The diagonal of a row of matrices.
func.func @trace(%A: memref<3x6x6xi32>, %T: memref<6xi32>) {
  tir.for %i in 6 {
    tir.block "T" (spatial %v in 6 = %i) do {
      %x = tir.load %A[1, %v, %v] : memref<3x6x6xi32>
      tir.store %x, %T[%v] : memref<6xi32>
    }
  }
  func.return
}

// MATMUL:      func.func @matmul(
// MATMUL-NEXT:   %A_pad = tir.alloc "A_pad" : memref<8x8xf32>
// MATMUL-NEXT:   tir.for %ax0 in 8 {
// MATMUL-NEXT:     tir.for %ax1 in 8 {
// MATMUL-NEXT:       tir.block "A_pad" (spatial %v0 in 8 = %ax0, spatial %v1 in 8 = %ax1) do {
// MATMUL-NEXT:         %0 = arith.constant 6 : index
// MATMUL-NEXT:         %1 = arith.cmpi slt, %v0, %0 : index
// MATMUL-NEXT:         %2 = arith.constant 7 : index
// MATMUL-NEXT:         %3 = arith.cmpi slt, %v1, %2 : index
// MATMUL-NEXT:         %4 = arith.andi %1, %3 : i1
// MATMUL-NEXT:         %5 = scf.if %4 -> (f32) {
// MATMUL-NEXT:           %value = tir.load %A[%v0, %v1] : memref<6x7xf32>
// MATMUL-NEXT:           scf.yield %value : f32
// MATMUL-NEXT:         } else {
// MATMUL-NEXT:           %6 = arith.constant 0.000000e+00 : f32
// MATMUL-NEXT:           scf.yield %6 : f32
// MATMUL-NEXT:         }
// MATMUL-NEXT:         tir.store %5, %A_pad[%v0, %v1] : memref<8x8xf32>
// MATMUL-NEXT:       }
// MATMUL-NEXT:     }
// MATMUL-NEXT:   }
// MATMUL-NEXT:   %B_pad = tir.alloc "B_pad" : memref<8x12xf32>
// MATMUL-NEXT:   tir.for %ax0_1 "ax0" in 8 {
// MATMUL-NEXT:     tir.for %ax1_1 "ax1" in 12 {
// MATMUL-NEXT:       tir.block "B_pad" (spatial %v0 in 8 = %ax0_1, spatial %v1 in 12 = %ax1_1) do {
// MATMUL-NEXT:         %0 = arith.constant 7 : index
// MATMUL-NEXT:         %1 = arith.cmpi slt, %v0, %0 : index
// MATMUL-NEXT:         %2 = arith.constant 9 : index
// MATMUL-NEXT:         %3 = arith.cmpi slt, %v1, %2 : index
// MATMUL-NEXT:         %4 = arith.andi %1, %3 : i1
// MATMUL-NEXT:         %5 = scf.if %4 -> (f32) {
// MATMUL-NEXT:           %value = tir.load %B[%v0, %v1] : memref<7x9xf32>
// MATMUL-NEXT:           scf.yield %value : f32
// MATMUL-NEXT:         } else {
// MATMUL-NEXT:           %6 = arith.constant 0.000000e+00 : f32
// MATMUL-NEXT:           scf.yield %6 : f32
// MATMUL-NEXT:         }
// MATMUL-NEXT:         tir.store %5, %B_pad[%v0, %v1] : memref<8x12xf32>
// MATMUL-NEXT:       }
// MATMUL-NEXT:     }
// MATMUL-NEXT:   }
// MATMUL-NEXT:   %C_pad = tir.alloc "C_pad" : memref<8x12xf32>
// MATMUL-NEXT:   tir.for %i in 8 {
// MATMUL-NEXT:     tir.for %j in 12 {
// MATMUL-NEXT:       tir.for %k in 8 {
// MATMUL-NEXT:         tir.block "C" (spatial %v_i in 8 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
// MATMUL-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// MATMUL-NEXT:           tir.store %0, %C_pad[%v_i, %v_j] : memref<8x12xf32>
// MATMUL-NEXT:         } do {
// MATMUL-NEXT:           %a = tir.load %A_pad[%v_i, %v_k] : memref<8x8xf32>
// MATMUL-NEXT:           %b = tir.load %B_pad[%v_k, %v_j] : memref<8x12xf32>
// MATMUL-NEXT:           %c = arith.mulf %a, %b : f32
// MATMUL-NEXT:           %1 = tir.load %C_pad[%v_i, %v_j] : memref<8x12xf32>
// MATMUL-NEXT:           %2 = arith.addf %1, %c : f32
// MATMUL-NEXT:           tir.store %2, %C_pad[%v_i, %v_j] : memref<8x12xf32>
// MATMUL-NEXT:         }
// MATMUL-NEXT:       }
// MATMUL-NEXT:     }
// MATMUL-NEXT:   }
// MATMUL-NEXT:   tir.for %ax0_2 "ax0" in 6 {
// MATMUL-NEXT:     tir.for %ax1_2 "ax1" in 9 {
// MATMUL-NEXT:       tir.block "C_crop" (spatial %v0 in 6 = %ax0_2, spatial %v1 in 9 = %ax1_2) do {
// MATMUL-NEXT:         %value = tir.load %C_pad[%v0, %v1] : memref<8x12xf32>
// MATMUL-NEXT:         tir.store %value, %C[%v0, %v1] : memref<6x9xf32>
// MATMUL-NEXT:       }
// MATMUL-NEXT:     }
// MATMUL-NEXT:   }
// MATMUL-NEXT:   func.return
// MATMUL-NEXT: }

// REDUCE:      func.func @matmul(
// REDUCE-NEXT:   %A_pad = tir.alloc "A_pad" : memref<6x8xf32>
// REDUCE-NEXT:   tir.for %ax0 in 6 {
// REDUCE-NEXT:     tir.for %ax1 in 8 {
// REDUCE-NEXT:       tir.block "A_pad" (spatial %v0 in 6 = %ax0, spatial %v1 in 8 = %ax1) do {
// REDUCE-NEXT:         %0 = arith.constant 7 : index
// REDUCE-NEXT:         %1 = arith.cmpi slt, %v1, %0 : index
// REDUCE-NEXT:         %2 = scf.if %1 -> (f32) {
// REDUCE-NEXT:           %value = tir.load %A[%v0, %v1] : memref<6x7xf32>
// REDUCE-NEXT:           scf.yield %value : f32
// REDUCE-NEXT:         } else {
// REDUCE-NEXT:           %3 = arith.constant 0.000000e+00 : f32
// REDUCE-NEXT:           scf.yield %3 : f32
// REDUCE-NEXT:         }
// REDUCE-NEXT:         tir.store %2, %A_pad[%v0, %v1] : memref<6x8xf32>
// REDUCE-NEXT:       }
// REDUCE-NEXT:     }
// REDUCE-NEXT:   }
// REDUCE-NEXT:   %B_pad = tir.alloc "B_pad" : memref<8x9xf32>
// REDUCE-NEXT:   tir.for %ax0_1 "ax0" in 8 {
// REDUCE-NEXT:     tir.for %ax1_1 "ax1" in 9 {
// REDUCE-NEXT:       tir.block "B_pad" (spatial %v0 in 8 = %ax0_1, spatial %v1 in 9 = %ax1_1) do {
// REDUCE-NEXT:         %0 = arith.constant 7 : index
// REDUCE-NEXT:         %1 = arith.cmpi slt, %v0, %0 : index
// REDUCE-NEXT:         %2 = scf.if %1 -> (f32) {
// REDUCE-NEXT:           %value = tir.load %B[%v0, %v1] : memref<7x9xf32>
// REDUCE-NEXT:           scf.yield %value : f32
// REDUCE-NEXT:         } else {
// REDUCE-NEXT:           %3 = arith.constant 0.000000e+00 : f32
// REDUCE-NEXT:           scf.yield %3 : f32
// REDUCE-NEXT:         }
// REDUCE-NEXT:         tir.store %2, %B_pad[%v0, %v1] : memref<8x9xf32>
// REDUCE-NEXT:       }
// REDUCE-NEXT:     }
// REDUCE-NEXT:   }
// REDUCE-NEXT:   tir.for %i in 6 {
// REDUCE-NEXT:     tir.for %j in 9 {
// REDUCE-NEXT:       tir.for %k in 8 {
// REDUCE-NEXT:         tir.block "C" (spatial %v_i in 6 = %i, spatial %v_j in 9 = %j, reduce %v_k in 8 = %k) init {
// REDUCE-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// REDUCE-NEXT:           tir.store %0, %C[%v_i, %v_j] : memref<6x9xf32>
// REDUCE-NEXT:         } do {
// REDUCE-NEXT:           %a = tir.load %A_pad[%v_i, %v_k] : memref<6x8xf32>
// REDUCE-NEXT:           %b = tir.load %B_pad[%v_k, %v_j] : memref<8x9xf32>
// REDUCE-NEXT:           %c = arith.mulf %a, %b : f32
// REDUCE-NEXT:           %1 = tir.load %C[%v_i, %v_j] : memref<6x9xf32>
// REDUCE-NEXT:           %2 = arith.addf %1, %c : f32
// REDUCE-NEXT:           tir.store %2, %C[%v_i, %v_j] : memref<6x9xf32>
// REDUCE-NEXT:         }
// REDUCE-NEXT:       }
// REDUCE-NEXT:     }
// REDUCE-NEXT:   }
// REDUCE-NEXT:   func.return
// REDUCE-NEXT: }

// SIZES:      func.func @sizes(
// SIZES-NEXT:   %n = tir.symbol "n"
// SIZES-NEXT:   %n_padded = tir.apply ((%n ceildiv 16) * 16)
// SIZES-NEXT:   %A_pad = tir.alloc "A_pad" (%n_padded) : memref<?x3xf32>
// SIZES-NEXT:   tir.for %ax0 in %n_padded {
// SIZES-NEXT:     tir.for %ax1 in 3 {
// SIZES-NEXT:       tir.block "A_pad" (spatial %v0 in %n_padded = %ax0, spatial %v1 in 3 = %ax1) do {
// SIZES-NEXT:         %0 = arith.cmpi slt, %v0, %n : index
// SIZES-NEXT:         %1 = scf.if %0 -> (f32) {
// SIZES-NEXT:           %value = tir.load %A[%v0, %v1] : memref<?x3xf32>
// SIZES-NEXT:           scf.yield %value : f32
// SIZES-NEXT:         } else {
// SIZES-NEXT:           %2 = arith.constant 0.000000e+00 : f32
// SIZES-NEXT:           scf.yield %2 : f32
// SIZES-NEXT:         }
// SIZES-NEXT:         tir.store %1, %A_pad[%v0, %v1] : memref<?x3xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   %C_pad = tir.alloc "C_pad" (%n_padded) : memref<?x3xf32>
// SIZES-NEXT:   tir.for %i in %n_padded {
// SIZES-NEXT:     tir.for %j in 3 {
// SIZES-NEXT:       tir.block "C" (spatial %v_i in %n_padded = %i, spatial %v_j in 3 = %j) do {
// SIZES-NEXT:         %x = tir.load %A_pad[%v_i, %v_j] : memref<?x3xf32>
// SIZES-NEXT:         %y = tir.load %B[%v_j] : memref<3xf32>
// SIZES-NEXT:         %z = math.exp %x : f32
// SIZES-NEXT:         %c = arith.divf %z, %y : f32
// SIZES-NEXT:         tir.store %c, %C_pad[%v_i, %v_j] : memref<?x3xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   tir.for %ax0_1 "ax0" in %n {
// SIZES-NEXT:     tir.for %ax1_1 "ax1" in 3 {
// SIZES-NEXT:       tir.block "C_crop" (spatial %v0 in %n = %ax0_1, spatial %v1 in 3 = %ax1_1) do {
// SIZES-NEXT:         %value = tir.load %C_pad[%v0, %v1] : memref<?x3xf32>
// SIZES-NEXT:         tir.store %value, %C[%v0, %v1] : memref<?x3xf32>
// SIZES-NEXT:       }
// SIZES-NEXT:     }
// SIZES-NEXT:   }
// SIZES-NEXT:   func.return
// SIZES-NEXT: }

// TRACE:      func.func @trace(
// TRACE-NEXT:   %A_pad = tir.alloc "A_pad" : memref<8xi32>
// TRACE-NEXT:   tir.for %ax0 in 8 {
// TRACE-NEXT:     tir.block "A_pad" (spatial %v0 in 8 = %ax0) do {
// TRACE-NEXT:       %0 = arith.constant 6 : index
// TRACE-NEXT:       %1 = arith.cmpi slt, %v0, %0 : index
// TRACE-NEXT:       %2 = scf.if %1 -> (i32) {
// TRACE-NEXT:         %value = tir.load %A[1, %v0, %v0] : memref<3x6x6xi32>
// TRACE-NEXT:         scf.yield %value : i32
// TRACE-NEXT:       } else {
// TRACE-NEXT:         %3 = arith.constant 0 : i32
// TRACE-NEXT:         scf.yield %3 : i32
// TRACE-NEXT:       }
// TRACE-NEXT:       tir.store %2, %A_pad[%v0] : memref<8xi32>
// TRACE-NEXT:     }
// TRACE-NEXT:   }
// TRACE-NEXT:   %T_pad = tir.alloc "T_pad" : memref<8xi32>
// TRACE-NEXT:   tir.for %i in 8 {
// TRACE-NEXT:     tir.block "T" (spatial %v in 8 = %i) do {
// TRACE-NEXT:       %x = tir.load %A_pad[%v] : memref<8xi32>
// TRACE-NEXT:       tir.store %x, %T_pad[%v] : memref<8xi32>
// TRACE-NEXT:     }
// TRACE-NEXT:   }
// TRACE-NEXT:   tir.for %ax0_1 "ax0" in 6 {
// TRACE-NEXT:     tir.block "T_crop" (spatial %v0 in 6 = %ax0_1) do {
// TRACE-NEXT:       %value = tir.load %T_pad[%v0] : memref<8xi32>
// TRACE-NEXT:       tir.store %value, %T[%v0] : memref<6xi32>
// TRACE-NEXT:     }
// TRACE-NEXT:   }
// TRACE-NEXT:   func.return
// TRACE-NEXT: }

//NONE:warning[KC3611]: pad_einsum: block C needs no padding
//NONE-NEXT:  --> {{.*}}pad_einsum.mlir:12:3  %C = te.compute "C" [%i = 6, %j = 9] reduce sum [%k = 7] {
//NONE-NEXT:  why: its extents are already multiples of the padding

// What no padded variable moves may have any index: here the image of a convolution, whose filters
// are padded.
te.func @filters(%A: tensor<9xf32>, %F: tensor<3x6xf32>) -> tensor<7x6xf32> {
  %C = te.compute "C" [%i = 7, %o = 6] reduce sum [%k = 3] {
    %a = te.read %A[%i + %k] : tensor<9xf32>
    %f = te.read %F[%k, %o] : tensor<3x6xf32>
    %p = arith.mulf %a, %f : f32
    te.yield %p : f32
  } : tensor<7x6xf32>
  te.return %C : tensor<7x6xf32>
}

// FILTERS:      func.func @filters(
// FILTERS:        %F_pad = tir.alloc "F_pad" : memref<3x8xf32>
// FILTERS:        %C_pad = tir.alloc "C_pad" : memref<7x8xf32>
// FILTERS:        tir.block "C" (spatial %v_i in 7 = %i, spatial %v_o in 8 = %o, reduce %v_k in 3 = %k)
// FILTERS:          %a = tir.load %A[%v_i + %v_k] : memref<9xf32>
// FILTERS:          %f = tir.load %F_pad[%v_k, %v_o] : memref<3x8xf32>
// FILTERS:        tir.block "C_crop" (spatial %v0 in 7 = %{{.*}}, spatial %v1 in 6 = %{{.*}})

// Its positions, or its taps, are padded with what the image then has to have beyond its end.
// IMAGE:        %A_pad = tir.alloc "A_pad" : memref<10xf32>
// IMAGE:        tir.for %[[X:.*]] in 10 {
// IMAGE-NEXT:     tir.block "A_pad" (spatial %v0 in 10 = %[[X]]) do {
// IMAGE-NEXT:       %[[LIMIT:.*]] = arith.constant 9 : index
// IMAGE-NEXT:       %[[INSIDE:.*]] = arith.cmpi slt, %v0, %[[LIMIT]] : index
// IMAGE:        tir.block "C" (spatial %v_i in 8 = %i, spatial %v_o in 6 = %o, reduce %v_k in 3 = %k)
// IMAGE:          %a = tir.load %A_pad[%v_i + %v_k] : memref<10xf32>
// IMAGE:          %f = tir.load %F[%v_k, %v_o] : memref<3x6xf32>
// IMAGE:        tir.block "C_crop" (spatial %v0 in 7 = %{{.*}}, spatial %v1 in 6 = %{{.*}})

// An image that has the elements is read as it is; of integers, filters that are 0 suffice.
// RUN: kc-opt %s --pad-einsum="func=taps block=C padding=1,1,4" | FileCheck %s --check-prefix=TAPS
te.func @taps(%A: tensor<16xi8>, %F: tensor<3x6xi8>) -> tensor<7x6xi32> {
  %C = te.compute "C" [%i = 7, %o = 6] reduce sum [%k = 3] {
    %a = te.read %A[2 * %i + %k] : tensor<16xi8>
    %f = te.read %F[%k, %o] : tensor<3x6xi8>
    %x = arith.extui %a : i8 to i32
    %y = arith.extsi %f : i8 to i32
    %p = arith.muli %x, %y : i32
    te.yield %p : i32
  } : tensor<7x6xi32>
  te.return %C : tensor<7x6xi32>
}

// TAPS:      func.func @taps(
// TAPS-NOT:    A_pad
// TAPS:        %F_pad = tir.alloc "F_pad" : memref<4x6xi8>
// TAPS:        tir.block "C" (spatial %v_i in 7 = %i, spatial %v_o in 6 = %o, reduce %v_k in 4 = %k)
// TAPS:          %a = tir.load %A[%v_i * 2 + %v_k] : memref<16xi8>
// TAPS:          %f = tir.load %F_pad[%v_k, %v_o] : memref<4x6xi8>
