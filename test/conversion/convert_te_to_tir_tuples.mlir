// RUN: kc-opt %s --convert-te-to-tir | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir | kc-opt | FileCheck %s
// RUN: kc-opt %s --convert-te-to-tir --lower-init-block | FileCheck %s --check-prefix=INIT
// RUN: kc-opt %s --convert-te-to-tir --lower-init-block --lower-blocks | FileCheck %s --check-prefix=BODY

// One block stores all results; what the buffers held is read before.

// CHECK-LABEL: func.func @argmin(%A: memref<8x16xf32> {{.*}}, %M_v1: memref<8xf32> {{.*}}) attributes {kc.unscheduled} {
// CHECK-NEXT:    %M_v0 = tir.alloc "M_v0" : memref<8xi32>
// CHECK-NEXT:    tir.for %i in 8 {
// CHECK-NEXT:      tir.for %k in 16 {
// CHECK-NEXT:        tir.block "M" (spatial %v_i in 8 = %i, reduce %v_k in 16 = %k) init {
// CHECK-NEXT:          [[I:%.*]] = arith.constant -1 : i32
// CHECK-NEXT:          [[V:%.*]] = arith.constant 0x7f800000 : f32
// CHECK-NEXT:          tir.store [[I]], %M_v0[%v_i] : memref<8xi32>
// CHECK-NEXT:          tir.store [[V]], %M_v1[%v_i] : memref<8xf32>
// CHECK-NEXT:        } do {
// CHECK-NEXT:          %n = arith.index_cast %v_k : index to i32
// CHECK-NEXT:          %a = tir.load %A[%v_i, %v_k] : memref<8x16xf32>
// CHECK-NEXT:          [[I0:%.*]] = tir.load %M_v0[%v_i] : memref<8xi32>
// CHECK-NEXT:          [[V0:%.*]] = tir.load %M_v1[%v_i] : memref<8xf32>
// CHECK-NEXT:          [[I1:%.*]], [[V1:%.*]] = tir.combine "argmin" ([[I0]], [[V0]]) (%n, %a) by (%ia: i32, %va: f32) (%ib: i32, %vb: f32) identity [-1 : i32, 0x7f800000 : f32] {
// CHECK-NEXT:            %c = arith.cmpf ole, %va, %vb : f32
// CHECK-NEXT:            %x = arith.select %c, %ia, %ib : i32
// CHECK-NEXT:            %y = arith.minimumf %va, %vb : f32
// CHECK-NEXT:            tir.yield %x, %y : i32, f32
// CHECK-NEXT:          }
// CHECK-NEXT:          tir.store [[I1]], %M_v0[%v_i] : memref<8xi32>
// CHECK-NEXT:          tir.store [[V1]], %M_v1[%v_i] : memref<8xf32>

// INIT-LABEL: func.func @argmin
// INIT:         tir.block "M_init" (spatial %v_i in 8 = %i) do {
// INIT:           tir.store %{{.*}}, %M_v0[%v_i] : memref<8xi32>
// INIT-NEXT:      tir.store %{{.*}}, %M_v1[%v_i] : memref<8xf32>
// INIT-NEXT:    }
// INIT-NEXT:    tir.for %k in 16 {
// INIT-NEXT:      tir.block "M" (spatial %v_i in 8 = %i, reduce %v_k in 16 = %k) do {

// The combiner's ops are there once blocks are gone.

// BODY-LABEL: func.func @argmin
// BODY:           [[I0:%.*]] = tir.load %M_v0[%i] : memref<8xi32>
// BODY-NEXT:      [[V0:%.*]] = tir.load %M_v1[%i] : memref<8xf32>
// BODY-NEXT:      %c = arith.cmpf ole, [[V0]], %a : f32
// BODY-NEXT:      %x = arith.select %c, [[I0]], %n : i32
// BODY-NEXT:      %y = arith.minimumf [[V0]], %a : f32
// BODY-NEXT:      tir.store %x, %M_v0[%i] : memref<8xi32>
// BODY-NEXT:      tir.store %y, %M_v1[%i] : memref<8xf32>
te.func @argmin(%A: tensor<8x16xf32>) -> tensor<8xf32> {
  %M_v0, %M_v1 = te.compute "M" [%i = 8] reduce "argmin" [%k = 16]
      (%ia: i32, %va: f32) (%ib: i32, %vb: f32) identity [-1 : i32, 0x7F800000 : f32] {
    %c = arith.cmpf ole, %va, %vb : f32
    %x = arith.select %c, %ia, %ib : i32
    %y = arith.minimumf %va, %vb : f32
    te.yield %x, %y : i32, f32
  } do {
    %n = arith.index_cast %k : index to i32
    %a = te.read %A[%i, %k] : tensor<8x16xf32>
    te.yield %n, %a : i32, f32
  } : tensor<8xi32>, tensor<8xf32>
  te.return %M_v1 : tensor<8xf32>
}

// Terms that are left out, and another start.

// CHECK-LABEL: func.func @some
// CHECK:         tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) init {
// CHECK-NEXT:      %b = tir.load %B[%v_i] : memref<8xf32>
// CHECK-NEXT:      tir.store %b, %S[%v_i] : memref<8xf32>
// CHECK-NEXT:    } do {
// CHECK-NEXT:      %m = tir.load %M[%v_k] : memref<8xi1>
// CHECK-NEXT:      [[W:%.*]] = arith.extui %m : i1 to i64
// CHECK-NEXT:      [[C:%.*]] = arith.index_cast [[W]] : i64 to index
// CHECK-NEXT:      tir.if (%v_i + %v_k < 8, [[C]] == 1) {
// CHECK-NEXT:        %a = tir.load %A[%v_i + %v_k] : memref<8xf32>
// CHECK-NEXT:        [[OLD:%.*]] = tir.load %S[%v_i] : memref<8xf32>
// CHECK-NEXT:        [[NEW:%.*]] = arith.addf [[OLD]], %a : f32
// CHECK-NEXT:        tir.store [[NEW]], %S[%v_i] : memref<8xf32>
te.func @some(%A: tensor<8xf32>, %M: tensor<8xi1>, %B: tensor<8xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 8] where {
    %m = te.read %M[%k] : tensor<8xi1>
    te.condition (%i + %k < 8), %m
  } init {
    %b = te.read %B[%i] : tensor<8xf32>
    te.yield %b : f32
  } do {
    %a = te.read %A[%i + %k] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// A scan: rows from the start, then a loop over time. What a step makes has a row for each time.

// CHECK-LABEL: func.func @scan(
// CHECK-NEXT:    %m = tir.symbol "m"
// CHECK-NEXT:    [[N:%.*]] = tir.apply (%m - 2)
// CHECK-NEXT:    %T = tir.alloc "T" (%m) : memref<?x8xf32>
// CHECK-NEXT:    tir.for %c0 in 2 {
// CHECK-NEXT:      tir.for %c1 in 8 {
// CHECK-NEXT:        tir.block "S_init" (spatial [[C0:%v_c0]] in 2 = %c0, spatial [[C1:%v_c1]] in 8 = %c1) where (%c0 < %m) do {
// CHECK-NEXT:          [[F:%.*]] = tir.load %F{{\[}}[[C0]], [[C1]]] : memref<2x8xf32>
// CHECK-NEXT:          tir.store [[F]], %S{{\[}}[[C0]], [[C1]]] : memref<?x8xf32>
// CHECK:         tir.for %t in [[N]] {
// CHECK-NEXT:      tir.for %i in 8 {
// CHECK-NEXT:        tir.block "T" (spatial %v_t in %m = %t + 2, spatial %v_i in 8 = %i) do {
// CHECK-NEXT:          %p = tir.load %S[%v_t - 2, %v_i] : memref<?x8xf32>
// CHECK-NEXT:          tir.store %p, %T[%v_t, %v_i] : memref<?x8xf32>
// CHECK:           tir.for %{{.*}} "i" in 8 {
// CHECK-NEXT:        tir.for %k in 8 {
// CHECK-NEXT:          tir.block "U" (spatial %v_t in %m = %t + 2, spatial %v_i in 8 = %{{.*}}, reduce %v_k in 8 = %k) init {
// CHECK-NEXT:            [[Z:%.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT:            tir.store [[Z]], %S[%v_t, %v_i] : memref<?x8xf32>
// CHECK-NEXT:          } do {
// CHECK-NEXT:            %a = tir.load %T[%v_t, %v_k] : memref<?x8xf32>
te.func @scan(%F: tensor<2x8xf32>) -> tensor<?x8xf32> attributes {kc.symbols = ["m"]} {
  %m = te.symbol "m"
  %S = te.scan "S" [%t = %m] (%s: tensor<?x8xf32> = %F: tensor<2x8xf32>) {
    %T = te.compute "T" [%i = 8] {
      %p = te.read %s[%t - 2, %i] : tensor<?x8xf32>
      te.yield %p : f32
    } : tensor<8xf32>
    %U = te.compute "U" [%i = 8] reduce sum [%k = 8] {
      %a = te.read %T[%k] : tensor<8xf32>
      te.yield %a : f32
    } : tensor<8xf32>
    te.yield %U : tensor<8xf32>
  }
  te.return %S : tensor<?x8xf32>
}
