// A loop is cut into consecutive ones.
// RUN: kc-opt %s --split="func=tail loop=i factors=?,8" --loop-partition="func=tail loop=i_o factors=?,1" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --loop-partition="func=tail loop=i factors=2,?,30" | FileCheck %s --check-prefix=THREE
// RUN: kc-opt %s --loop-partition="func=tail loop=i factors=64" | FileCheck %s --check-prefix=REST
// RUN: kc-opt %s --loop-partition="func=tail loop=i factors=?,1 preserve-unit-iters=false" | FileCheck %s --check-prefix=UNIT
// RUN: kc-opt %s --split="func=symbolic block=B loop=i factors=?,8" --loop-partition="func=symbolic loop=i_o factors=?,1" | FileCheck %s --check-prefix=SYMBOLIC
// RUN: kc-opt %s --loop-partition="func=symbolic loop=k factors=4" | FileCheck %s --check-prefix=REDUCE
// RUN: kc-opt %s --loop-partition="func=symbolic loop=k factors=?,4" | FileCheck %s --check-prefix=LAST
// RUN: kc-opt %s --loop-partition="func=symbolic loop=i factors=m,?" | FileCheck %s --check-prefix=FACTOR
// RUN: kc-opt %s --split="func=plain loop=p factors=?,4" --loop-partition="func=plain loop=p_o factors=?,1" | FileCheck %s --check-prefix=PLAIN
// RUN: kc-opt %s --loop-partition="func=triangle loop=i factors=3" | FileCheck %s --check-prefix=TRIANGLE

// The full tiles need no predicate; the blocks and buffers of the other part have names of their own.
// TAIL-LABEL: func.func @tail(
// TAIL-NEXT:    tir.for %i_o_0 in 12 {
// TAIL-NEXT:      tir.for %i_i in 8 {
// TAIL-NEXT:        tir.block "B" (spatial %v_i in 100 = %i_o_0 * 8 + %i_i) do {
// TAIL-NEXT:          %a = tir.load %A[%v_i] : memref<100xf32>
// TAIL-NEXT:          tir.store %a, %B[%v_i] : memref<100xf32>
// TAIL-NEXT:        }
// TAIL-NEXT:      }
// TAIL-NEXT:    }
// TAIL-NEXT:    tir.for %i_o_1 in 1 {
// TAIL-NEXT:      tir.for %i_i_1 "i_i" in 8 {
// TAIL-NEXT:        tir.block "B_1" (spatial %v_i in 100 = %i_o_1 * 8 + %i_i_1 + 96) where (%i_o_1 * 8 + %i_i_1 < 4) do {
// TAIL-NEXT:          %a = tir.load %A[%v_i] : memref<100xf32>
// TAIL-NEXT:          tir.store %a, %B[%v_i] : memref<100xf32>
// TAIL-NEXT:        }
// TAIL-NEXT:      }
// TAIL-NEXT:    }
// TAIL-NEXT:    func.return

// THREE-LABEL: func.func @tail(
// THREE-NEXT:    tir.for %[[I0:i_0]] in 2 {
// THREE-NEXT:      tir.block "B" (spatial %v_i in 100 = %[[I0]]) do {
// THREE:         tir.for %i_1 in 68 {
// THREE-NEXT:      tir.block "B_1" (spatial %v_i in 100 = %i_1 + 2) do {
// THREE:         tir.for %i_2 in 30 {
// THREE-NEXT:      tir.block "B_2" (spatial %v_i in 100 = %i_2 + 70) do {

// REST-LABEL: func.func @tail(
// REST-NEXT:    tir.for %[[I0:i_0]] in 64 {
// REST:         tir.for %i_1 in 36 {
// REST-NEXT:      tir.block "B_1" (spatial %v_i in 100 = %i_1 + 64) do {

// UNIT-LABEL: func.func @tail(
// UNIT:         tir.for %i_1 in 1 {
// UNIT-NEXT:      tir.block "B_1" (spatial %v_i in 100 = 99) do {
te.func @tail(%A: tensor<100xf32>) -> tensor<100xf32> {
  %B = te.compute "B" [%i = 100] {
    %a = te.read %A[%i] : tensor<100xf32>
    te.yield %a : f32
  } : tensor<100xf32>
  te.return %B : tensor<100xf32>
}

// For sizes that give no full tile, the first loop runs no iteration.
// SYMBOLIC-LABEL: func.func @symbolic(
// SYMBOLIC:         %[[TILES:.*]] = tir.apply (%n ceildiv 8)
// SYMBOLIC-NEXT:    %[[FULL:.*]] = tir.apply max(%[[TILES]] - 1, 0)
// SYMBOLIC-NEXT:    %[[END:.*]] = tir.apply min(1, %[[TILES]])
// SYMBOLIC-NEXT:    tir.for %[[I0:i_o_0]] in %[[FULL]] {
// SYMBOLIC-NEXT:      tir.for %i_i in 8 {
// SYMBOLIC-NEXT:        tir.block "B" (spatial %v_i in %n = %[[I0]] * 8 + %i_i) do {
// SYMBOLIC:         tir.for %i_o_1 in %[[END]] {
// SYMBOLIC-NEXT:      tir.for %i_i_1 "i_i" in 8 {
// SYMBOLIC-NEXT:        tir.block "B_1" (spatial %v_i in %n = %i_o_1 * 8 + %[[FULL]] * 8 + %i_i_1) where (%i_o_1 * 8 + %[[FULL]] * 8 + %i_i_1 < %n) do {

// The second part never starts a reduction.
// REDUCE-LABEL: func.func @symbolic(
// REDUCE:         tir.for %j in 9 {
// REDUCE-NEXT:      tir.for %[[K0:k_0]] in %{{.*}} {
// REDUCE-NEXT:        tir.block "C" (spatial %v_j in 9 = %j, reduce %v_k in %n = %[[K0]]) init {
// REDUCE:           tir.for %k_1 in %{{.*}} {
// REDUCE-NEXT:        tir.block "C_1" (spatial %v_j in 9 = %j, reduce %v_k in %n = %k_1 + 4) do {

// Where the first part may be empty, the second one may have to start it.
// LAST-LABEL: func.func @symbolic(
// LAST:         tir.block "C" (spatial %v_j in 9 = %j, reduce %v_k in %n = %{{.*}}) init {
// LAST:         tir.block "C_1" (spatial %v_j in 9 = %j, reduce %v_k in %n = %k_1 + %{{.*}}) init {

// FACTOR-LABEL: func.func @symbolic(
// FACTOR:         %[[FIRST:.*]] = tir.apply min(%m, %n)
// FACTOR-NEXT:    %[[LEFT:.*]] = tir.apply max(%n - %m, 0)
// FACTOR-NEXT:    tir.for %[[I0:i_0]] in %[[FIRST]] {
// FACTOR-NEXT:      tir.block "B" (spatial %v_i in %n = %[[I0]]) do {
// FACTOR:         tir.for %i_1 in %[[LEFT]] {
// FACTOR-NEXT:      tir.block "B_1" (spatial %v_i in %n = %i_1 + %m) do {
te.func @symbolic(%A: tensor<?x9xf32> {kc.shape = affine_map<()[n, m] -> (n, 9)>}, %D: tensor<?xf32> {kc.shape = affine_map<()[n, m] -> (m)>}) -> (tensor<?xf32>, tensor<9xf32>)
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %B = te.compute "B" [%i = %n] {
    %a = te.read %A[%i, 0] : tensor<?x9xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%j = 9] reduce sum [%k = %n] {
    %a = te.read %A[%k, %j] : tensor<?x9xf32>
    te.yield %a : f32
  } : tensor<9xf32>
  te.return %B, %C : tensor<?xf32>, tensor<9xf32>
}

// Without blocks it is tir.if that goes; a buffer in the loop is one for each part.
// PLAIN-LABEL: func.func @plain(
// PLAIN-NEXT:    tir.for %p_o_0 in 2 {
// PLAIN-NEXT:      tir.for %p_i in 4 {
// PLAIN-NEXT:        %T = tir.alloc "T" : memref<1xf32>
// PLAIN-NEXT:        %x = tir.load %A[%p_o_0 * 4 + %p_i] : memref<10xf32>
// PLAIN-NEXT:        tir.store %x, %T[0] : memref<1xf32>
// PLAIN-NEXT:        %y = tir.load %T[0] : memref<1xf32>
// PLAIN-NEXT:        tir.store %y, %B[%p_o_0 * 4 + %p_i] : memref<10xf32>
// PLAIN-NEXT:      }
// PLAIN-NEXT:    }
// PLAIN-NEXT:    tir.for %p_o_1 in 1 {
// PLAIN-NEXT:      tir.for %p_i_1 "p_i" in 4 {
// PLAIN-NEXT:        tir.if (%p_o_1 * 4 + %p_i_1 < 2) {
// PLAIN-NEXT:          %T_1 = tir.alloc "T_1" : memref<1xf32>
// PLAIN-NEXT:          %x_1 = tir.load %A[%p_o_1 * 4 + %p_i_1 + 8] : memref<10xf32>
func.func @plain(%A: memref<10xf32>, %B: memref<10xf32>) {
  tir.for %p in 10 {
    %T = tir.alloc "T" : memref<1xf32>
    %x = tir.load %A[%p] : memref<10xf32>
    tir.store %x, %T[0] : memref<1xf32>
    %y = tir.load %T[0] : memref<1xf32>
    tir.store %y, %B[%p] : memref<10xf32>
  }
  func.return
}

// Extents of the loops inside follow.
// TRIANGLE-LABEL: func.func @triangle(
// TRIANGLE:         tir.for %i_1 in 5 {
// TRIANGLE-NEXT:      %[[SIZE:.*]] = tir.apply (%i_1 + 4)
// TRIANGLE-NEXT:      tir.for %{{.*}} in %[[SIZE]] {
func.func @triangle(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  tir.for %i in 8 {
    %size = tir.apply (%i + 1)
    tir.for %j in %size {
      %x = tir.load %A[%i, %j] : memref<8x8xf32>
      tir.store %x, %B[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}
