// A buffer keeps what the next iteration needs again.
// RUN: kc-opt %s --compute-at="block=B loop=i" --rolling-buffer="block=B" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --split="block=C loop=i factors=?,4" --split="block=C loop=j factors=?,8" --reorder="block=C loops=i_o,j_o,i_i,j_i" --compute-at="block=B loop=j_o" --rolling-buffer="block=B buffer=B" | FileCheck %s --check-prefix=TILES
// RUN: kc-opt %s --compute-at="block=B loop=i" --rolling-buffer="block=B" --loop-partition="block=C loop=i factors=1" | FileCheck %s --check-prefix=PEELED

// ROWS-LABEL: func.func @f(
// ROWS-NEXT:    %B = tir.alloc "B" : memref<3x16xf32>
// ROWS-NEXT:    tir.for %i in 14 {
// ROWS-NEXT:      tir.for %i_1 in 3 {
// ROWS-NEXT:        tir.for %j_1 in 16 {
// ROWS-NEXT:          tir.block "B" (opaque %v_i in 16 = %i + %i_1, spatial %v_j in 16 = %j_1) where ((%i + 13) floordiv 14 * 2 < %i_1 + 1) do {
// ROWS-NEXT:            %a = tir.load %A[%v_i, %v_j] : memref<16x16xf32>
// ROWS-NEXT:            tir.store %a, %B[%v_i mod 3, %v_j] : memref<3x16xf32>
// ROWS-NEXT:          }
// ROWS-NEXT:        }
// ROWS-NEXT:      }
// ROWS-NEXT:      tir.for %j in 16 {
// ROWS-NEXT:        tir.block "C" (spatial %v_i in 14 = %i, spatial %v_j in 16 = %j) do {
// ROWS-NEXT:          %x = tir.load %B[%v_i mod 3, %v_j] : memref<3x16xf32>
// ROWS-NEXT:          %y = tir.load %B[(%v_i + 2) mod 3, %v_j] : memref<3x16xf32>

// The outermost loop along which it can roll; the tails keep their conditions.
// TILES-LABEL: func.func @f(
// TILES-NEXT:    %B = tir.alloc "B" : memref<6x16xf32>
// TILES-NEXT:    tir.for %i_o in 4 {
// TILES-NEXT:      tir.for %j_o in 2 {
// TILES-NEXT:        tir.for %i in 6 {
// TILES-NEXT:          tir.for %j in 8 {
// TILES-NEXT:            tir.block "B" (opaque %v_i in 16 = %i_o * 4 + %i, spatial %v_j in 16 = %j_o * 8 + %j) where (%i_o * 4 + %i < 16, (%i_o + 3) floordiv 4 * 2 < %i + 1) do {
// TILES-NEXT:              %a = tir.load %A[%v_i, %v_j] : memref<16x16xf32>
// TILES-NEXT:              tir.store %a, %B[%v_i mod 6, %v_j] : memref<6x16xf32>

// The first iteration computes all three rows, the others one.
// PEELED:      tir.for %[[I:i_0]] in 1 {
// PEELED:          tir.block "B" (opaque %v_i in 16 = %[[I]] + %{{.*}}, spatial %v_j in 16 = %{{.*}}) do {
// PEELED:      tir.for %[[I1:.*]] in 13 {
// PEELED-NEXT:   tir.for %[[D:.*]] "i_1" in 3 {
// PEELED-NEXT:     tir.for %[[J:.*]] "j_1" in 16 {
// PEELED-NEXT:       tir.block "B_1" (opaque %v_i in 16 = %[[I1]] + %[[D]] + 1, spatial %v_j in 16 = %[[J]]) where (
te.func @f(%A: tensor<16x16xf32>) -> tensor<14x16xf32> {
  %B = te.compute "B" [%i = 16, %j = 16] {
    %a = te.read %A[%i, %j] : tensor<16x16xf32>
    te.yield %a : f32
  } : tensor<16x16xf32>
  %C = te.compute "C" [%i = 14, %j = 16] {
    %x = te.read %B[%i, %j] : tensor<16x16xf32>
    %y = te.read %B[%i + 2, %j] : tensor<16x16xf32>
    %b = arith.addf %x, %y : f32
    te.yield %b : f32
  } : tensor<14x16xf32>
  te.return %C : tensor<14x16xf32>
}
