// online_softmax: a running maximum and sum for each row, and the products that are weighted by the
// powers; the division by the sum waits until the row is complete.
// RUN: kc-opt %s --split="loop=j factors=4,8 block=M" --online-softmax="block=M loop=j_o" | FileCheck %s
// RUN: kc-opt %s --split="loop=j factors=4,8 block=M" --online-softmax="block=M loop=j_o" | kc-opt | FileCheck %s

te.func @attention(%S: tensor<16x32xf32>, %V: tensor<32x4xf16>) -> tensor<16x4xf32> {
  %M = te.compute "M" [%i = 16] reduce max [%j = 32] {
    %s = te.read %S[%i, %j] : tensor<16x32xf32>
    te.yield %s : f32
  } : tensor<16xf32>
  %E = te.compute "E" [%i = 16, %j = 32] {
    %s = te.read %S[%i, %j] : tensor<16x32xf32>
    %m = te.read %M[%i] : tensor<16xf32>
    %d = arith.subf %s, %m : f32
    %e = math.exp %d : f32
    te.yield %e : f32
  } : tensor<16x32xf32>
  %T = te.compute "T" [%i = 16] reduce sum [%j = 32] {
    %e = te.read %E[%i, %j] : tensor<16x32xf32>
    te.yield %e : f32
  } : tensor<16xf32>
  %P = te.compute "P" [%i = 16, %j = 32] {
    %e = te.read %E[%i, %j] : tensor<16x32xf32>
    %t = te.read %T[%i] : tensor<16xf32>
    %p = arith.divf %e, %t : f32
    %h = arith.truncf %p : f32 to f16
    te.yield %h : f16
  } : tensor<16x32xf16>
  %O = te.compute "O" [%i = 16, %d = 4] reduce sum [%j = 32] {
    %h = te.read %P[%i, %j] : tensor<16x32xf16>
    %p = arith.extf %h : f16 to f32
    %g = te.read %V[%j, %d] : tensor<32x4xf16>
    %v = arith.extf %g : f16 to f32
    %x = arith.mulf %p, %v : f32
    te.yield %x : f32
  } : tensor<16x4xf32>
  te.return %O : tensor<16x4xf32>
}

// CHECK: builtin.module {
// CHECK-NEXT:   func.func @attention(%S: memref<16x32xf32> {kc.name = "S", kc.role = "in"}, %V: memref<32x4xf16> {kc.name = "V", kc.role = "in"}, %O: memref<16x4xf32> {kc.name = "O", kc.role = "out"}) {
// CHECK-NEXT:     %M = tir.alloc "M" : memref<16xf32>
// CHECK-NEXT:     %M_previous = tir.alloc "M_previous" : memref<16xf32>
// CHECK-NEXT:     %M_rescale = tir.alloc "M_rescale" : memref<16xf32>
// CHECK-NEXT:     %O_sum = tir.alloc "O_sum" : memref<16x4xf32>
// CHECK-NEXT:     %E = tir.alloc "E" : memref<16x32xf32>
// CHECK-NEXT:     %T = tir.alloc "T" : memref<16xf32>
// CHECK-NEXT:     %P = tir.alloc "P" : memref<16x32xf16>
// CHECK-NEXT:     tir.for %i in 16 {
// CHECK-NEXT:       tir.block "M_init" (spatial %v_i in 16 = %i) do {
// CHECK-NEXT:         %0 = arith.constant -3.40282347e+38 : f32
// CHECK-NEXT:         tir.store %0, %M[%v_i] : memref<16xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.block "T_init" (spatial %v_i in 16 = %i) do {
// CHECK-NEXT:         %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:         tir.store %0, %T[%v_i] : memref<16xf32>
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.for %d in 4 {
// CHECK-NEXT:         tir.block "O_init" (spatial %v_i in 16 = %i, spatial %v_d in 4 = %d) do {
// CHECK-NEXT:           %0 = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:           tir.store %0, %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:       tir.for %j_o in 4 {
// CHECK-NEXT:         tir.block "M_previous" (spatial %v_i in 16 = %i) do {
// CHECK-NEXT:           %0 = tir.load %M[%v_i] : memref<16xf32>
// CHECK-NEXT:           tir.store %0, %M_previous[%v_i] : memref<16xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %j_i in 8 {
// CHECK-NEXT:           tir.block "M" (spatial %v_i in 16 = %i, reduce %v_j in 32 = %j_o * 8 + %j_i) do {
// CHECK-NEXT:             %s = tir.load %S[%v_i, %v_j] : memref<16x32xf32>
// CHECK-NEXT:             %0 = tir.load %M[%v_i] : memref<16xf32>
// CHECK-NEXT:             %1 = arith.maximumf %0, %s : f32
// CHECK-NEXT:             tir.store %1, %M[%v_i] : memref<16xf32>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.block "M_rescale" (spatial %v_i in 16 = %i) do {
// CHECK-NEXT:           %0 = tir.load %M[%v_i] : memref<16xf32>
// CHECK-NEXT:           %1 = tir.load %M_previous[%v_i] : memref<16xf32>
// CHECK-NEXT:           %2 = arith.subf %1, %0 : f32
// CHECK-NEXT:           %3 = math.exp %2 : f32
// CHECK-NEXT:           tir.store %3, %M_rescale[%v_i] : memref<16xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %j_i_1 in 8 {
// CHECK-NEXT:           tir.block "E" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j_o * 8 + %j_i_1) do {
// CHECK-NEXT:             %s = tir.load %S[%v_i, %v_j] : memref<16x32xf32>
// CHECK-NEXT:             %m = tir.load %M[%v_i] : memref<16xf32>
// CHECK-NEXT:             %d_1 = arith.subf %s, %m : f32
// CHECK-NEXT:             %e = math.exp %d_1 : f32
// CHECK-NEXT:             tir.store %e, %E[%v_i, %v_j] : memref<16x32xf32>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.block "T_rescale" (spatial %v_i in 16 = %i) do {
// CHECK-NEXT:           %0 = tir.load %T[%v_i] : memref<16xf32>
// CHECK-NEXT:           %1 = tir.load %M_rescale[%v_i] : memref<16xf32>
// CHECK-NEXT:           %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:           tir.store %2, %T[%v_i] : memref<16xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %j_i_2 in 8 {
// CHECK-NEXT:           tir.block "T" (spatial %v_i in 16 = %i, reduce %v_j in 32 = %j_o * 8 + %j_i_2) do {
// CHECK-NEXT:             %e = tir.load %E[%v_i, %v_j] : memref<16x32xf32>
// CHECK-NEXT:             %0 = tir.load %T[%v_i] : memref<16xf32>
// CHECK-NEXT:             %1 = arith.addf %0, %e : f32
// CHECK-NEXT:             tir.store %1, %T[%v_i] : memref<16xf32>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %j_i_3 in 8 {
// CHECK-NEXT:           tir.block "P" (spatial %v_i in 16 = %i, spatial %v_j in 32 = %j_o * 8 + %j_i_3) do {
// CHECK-NEXT:             %e = tir.load %E[%v_i, %v_j] : memref<16x32xf32>
// CHECK-NEXT:             %h = arith.truncf %e : f32 to f16
// CHECK-NEXT:             tir.store %h, %P[%v_i, %v_j] : memref<16x32xf16>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %d_1 in 4 {
// CHECK-NEXT:           tir.block "O_rescale" (spatial %v_i in 16 = %i, spatial %v_d in 4 = %d_1) do {
// CHECK-NEXT:             %0 = tir.load %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:             %1 = tir.load %M_rescale[%v_i] : memref<16xf32>
// CHECK-NEXT:             %2 = arith.mulf %0, %1 : f32
// CHECK-NEXT:             tir.store %2, %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:         tir.for %d_2 in 4 {
// CHECK-NEXT:           tir.for %j_i_4 in 8 {
// CHECK-NEXT:             tir.block "O" (spatial %v_i in 16 = %i, spatial %v_d in 4 = %d_2, reduce %v_j in 32 = %j_o * 8 + %j_i_4) do {
// CHECK-NEXT:               %h = tir.load %P[%v_i, %v_j] : memref<16x32xf16>
// CHECK-NEXT:               %p = arith.extf %h : f16 to f32
// CHECK-NEXT:               %g = tir.load %V[%v_j, %v_d] : memref<32x4xf16>
// CHECK-NEXT:               %v = arith.extf %g : f16 to f32
// CHECK-NEXT:               %x = arith.mulf %p, %v : f32
// CHECK-NEXT:               %0 = tir.load %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:               %1 = arith.addf %0, %x : f32
// CHECK-NEXT:               tir.store %1, %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:             }
// CHECK-NEXT:           }
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     tir.for %i_1 "i" in 16 {
// CHECK-NEXT:       tir.for %d_3 "d" in 4 {
// CHECK-NEXT:         tir.block "O_quotient" (spatial %v_i in 16 = %i_1, spatial %v_d in 4 = %d_3) do {
// CHECK-NEXT:           %0 = tir.load %O_sum[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:           %1 = tir.load %T[%v_i] : memref<16xf32>
// CHECK-NEXT:           %2 = arith.divf %0, %1 : f32
// CHECK-NEXT:           tir.store %2, %O[%v_i, %v_d] : memref<16x4xf32>
// CHECK-NEXT:         }
// CHECK-NEXT:       }
// CHECK-NEXT:     }
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
