// RUN: kc-opt %s --split="block=C loop=j factors=?,32" | FileCheck %s
// RUN: kc-opt %s --split="block=C loop=i factors=2,?,2" | FileCheck %s --check-prefix=THREE
// RUN: kc-opt %s --split="block=C loop=i factors=4,? names=outer,inner" | FileCheck %s --check-prefix=NAMES
// RUN: kc-opt %s --split="block=S loop=i factors=4,?" | FileCheck %s --check-prefix=PARTS
// RUN: kc-opt %s --split="block=S loop=i factors=?,m" | FileCheck %s --check-prefix=SYMBOL
// RUN: kc-opt %s --split="func=plain loop=i factors=?,4" | FileCheck %s --check-prefix=PLAIN
// RUN: kc-opt %s --split="func=indirect loop=i factors=?,4" | FileCheck %s --check-prefix=LOAD
// RUN: kc-opt %s --split="func=tile loop=i factors=?,4" | FileCheck %s --check-prefix=ALLOC
// RUN: kc-opt %s --split="func=rows loop=i factors=?,4" | FileCheck %s --check-prefix=ROWS
// RUN: kc-opt %s --split | FileCheck %s --check-prefix=BARE
// RUN: kc-opt %s --split="block=C loop=j factors=?,32" --split="block=C loop=j_i factors=?,8" | FileCheck %s --check-prefix=TWICE

// 100 iterations are 4 times 32 with a guard; 16 are divided without one.
// CHECK-LABEL: func.func @constant
// CHECK:       tir.for %i in 16 {
// CHECK-NEXT:    tir.for %j_o in 4 {
// CHECK-NEXT:      tir.for %j_i in 32 {
// CHECK-NEXT:        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 100 = %j_o * 32 + %j_i) where (%j_o * 32 + %j_i < 100) do {
// CHECK-NEXT:          %a = tir.load %A[%v_i, %v_j] : memref<16x100xf32>
// CHECK-NEXT:          tir.store %a, %C[%v_i, %v_j] : memref<16x100xf32>

// THREE-LABEL: func.func @constant
// (xDSL prints %i_0 as %i, and the loop's name beside it.)
// THREE:       tir.for %[[I0:i_0]] in 2 {
// THREE-NEXT:    tir.for %i_1 in 4 {
// THREE-NEXT:      tir.for %i_2 in 2 {
// THREE-NEXT:        tir.for %j in 100 {
// THREE-NEXT:          tir.block "C" (spatial %v_i in 16 = %[[I0]] * 8 + %i_1 * 2 + %i_2, spatial %v_j in 100 = %j) do {

// NAMES:       tir.for %outer in 4 {
// NAMES-NEXT:    tir.for %inner in 4 {
// NAMES:           spatial %v_i in 16 = %outer * 4 + %inner,

// 100 is 3 * 32 + 4: in tiles of 8, the guard of the first split stays and no other is needed.
// TWICE:       tir.for %j_o in 4 {
// TWICE-NEXT:    tir.for %j_i_o in 4 {
// TWICE-NEXT:      tir.for %j_i_i in 8 {
// TWICE-NEXT:        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 100 = %j_o * 32 + %j_i_o * 8 + %j_i_i) where (%j_o * 32 + %j_i_o * 8 + %j_i_i < 100) do {

// The bare flag: the innermost spatial loop by 8 lanes (256 bits of f32).
// BARE-LABEL: func.func @constant
// BARE:       tir.for %i in 16 {
// BARE-NEXT:    tir.for %j_o in 13 {
// BARE-NEXT:      tir.for %j_i in 8 {
// BARE:             where (%j_o * 8 + %j_i < 100)
func.func @constant(%A: memref<16x100xf32>, %C: memref<16x100xf32>) {
  tir.for %i in 16 {
    tir.for %j in 100 {
      tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 100 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<16x100xf32>
        tir.store %a, %C[%v_i, %v_j] : memref<16x100xf32>
      }
    }
  }
  func.return
}

// A symbolic extent in 4 parts: the size of a part is known at run time only.
// PARTS-LABEL: func.func @symbolic
// PARTS:       %i_size = tir.apply (%n ceildiv 4)
// PARTS:       tir.for %i_o in 4 {
// PARTS-NEXT:    tir.for %i_i in %i_size {
// PARTS-NEXT:      %i = tir.linearize [%i_o, %i_i] by [%{{.*}}, %i_size]
// PARTS-NEXT:      tir.block "S" (spatial %v_i in %n = %i) where (%i < %n) do {

// A symbolic factor counts as 1 where it is not positive.
// SYMBOL-LABEL: func.func @symbolic
// SYMBOL:       %[[M:.*]] = tir.apply max(%m, 1)
// SYMBOL:       %i_size = arith.ceildivsi %n, %{{.*}} : index
// SYMBOL:       tir.for %i_o in %i_size {
// SYMBOL-NEXT:    tir.for %i_i in %[[M]] {
// SYMBOL-NEXT:      %i = tir.linearize [%i_o, %i_i] by [%i_size, %[[M]]]
// SYMBOL-NEXT:      tir.block "S" (spatial %v_i in %n = %i) where (%i < %n) do {
func.func @symbolic(
    %A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>},
    %B: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0)>})
    attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.block "S" (spatial %v_i in %n = %i) do {
      %a = tir.load %A[%v_i, 0] : memref<?x?xf32>
      tir.store %a, %B[%v_i] : memref<?xf32>
    }
  }
  func.return
}

// Without blocks the guard is a tir.if.
// PLAIN-LABEL: func.func @plain
// PLAIN:       tir.for %i_o in 3 {
// PLAIN-NEXT:    tir.for %i_i in 4 {
// PLAIN-NEXT:      tir.if (%i_o * 4 + %i_i < 10) {
// PLAIN-NEXT:        %a = tir.load %A[%i_o * 4 + %i_i] : memref<10xf32>
// PLAIN-NEXT:        tir.store %a, %B[%i_o * -4 - %i_i + 9] : memref<10xf32>
func.func @plain(%A: memref<10xf32>, %B: memref<10xf32>) {
  tir.for %i in 10 {
    %a = tir.load %A[%i] : memref<10xf32>
    tir.store %a, %B[9 - %i] : memref<10xf32>
  }
  func.return
}

// What is read for a block is guarded too.
// LOAD-LABEL: func.func @indirect
// LOAD:         tir.for %i_i in 4 {
// LOAD-NEXT:      tir.if (%i_o * 4 + %i_i < 10) {
// LOAD-NEXT:        %at = tir.load %I[%i_o * 4 + %i_i] : memref<10xindex>
// LOAD-NEXT:        tir.block "G" (spatial %v_i in 10 = %i_o * 4 + %i_i) do {
func.func @indirect(%A: memref<99xf32>, %I: memref<10xindex>, %B: memref<10xf32>) {
  tir.for %i in 10 {
    %at = tir.load %I[%i] : memref<10xindex>
    tir.block "G" (spatial %v_i in 10 = %i) do {
      %a = tir.load %A[%at] : memref<99xf32>
      tir.store %a, %B[%v_i] : memref<10xf32>
    }
  }
  func.return
}

// Elements of types without a width in bits.
// BARE-LABEL: func.func @complex
// BARE:         tir.for %i_o in 4 {
// BARE-NEXT:      tir.for %i_i in 4 {
func.func @complex(%A: memref<16xcomplex<f32>>, %x: complex<f32>) {
  tir.for %i in 16 {
    tir.block "Z" (spatial %v_i in 16 = %i) do {
      tir.store %x, %A[%v_i] : memref<16xcomplex<f32>>
    }
  }
  func.return
}

// Memory of a fixed size needs no guard, so what threads share stays theirs: the guard is that of
// the blocks. One that the loop computes the size of does.
// ALLOC-LABEL: func.func @tile
// ALLOC:       tir.for %i_o in 3 {
// ALLOC-NEXT:    tir.for %i_i in 4 {
// ALLOC-NEXT:      %T = tir.alloc "T" : memref<8xf32, "shared">
// ALLOC-NEXT:      tir.for %j in 8 thread "threadIdx.x" {
// ALLOC-NEXT:        tir.block "T" (spatial %v_i in 10 = %i_o * 4 + %i_i, spatial %v_j in 8 = %j) where (%i_o * 4 + %i_i < 10) do {
// ALLOC:           tir.block "B" (spatial %v_i in 10 = %i_o * 4 + %i_i, spatial %v_j in 8 = %{{.*}}) where (%i_o * 4 + %i_i < 10) do {
func.func @tile(%A: memref<10x8xf32>, %B: memref<10x8xf32>) {
  tir.for %i in 10 {
    %T = tir.alloc "T" : memref<8xf32, "shared">
    tir.for %j in 8 thread "threadIdx.x" {
      tir.block "T" (spatial %v_i in 10 = %i, spatial %v_j in 8 = %j) do {
        %a = tir.load %A[%v_i, %v_j] : memref<10x8xf32>
        tir.store %a, %T[%v_j] : memref<8xf32, "shared">
      }
    }
    tir.for %j in 8 thread "threadIdx.x" {
      tir.block "B" (spatial %v_i in 10 = %i, spatial %v_j in 8 = %j) do {
        %t = tir.load %T[7 - %v_j] : memref<8xf32, "shared">
        tir.store %t, %B[%v_i, %v_j] : memref<10x8xf32>
      }
    }
  }
  func.return
}

// ROWS-LABEL: func.func @rows
// ROWS:       tir.for %i_i in 4 {
// ROWS-NEXT:    tir.if (%i_o * 4 + %i_i < 10) {
// ROWS-NEXT:      %[[SIZE:.*]] = tir.apply (%i_o * -4 - %i_i + 10)
// ROWS-NEXT:      %T = tir.alloc "T" (%[[SIZE]]) : memref<?xf32>
func.func @rows(%A: memref<10xf32>) {
  tir.for %i in 10 {
    %rest = tir.apply (10 - %i)
    %T = tir.alloc "T" (%rest) : memref<?xf32>
    tir.for %j in %rest {
      tir.block "T" (spatial %v_i in 10 = %i, spatial %v_j in %rest = %j) do {
        %a = tir.load %A[%v_i] : memref<10xf32>
        tir.store %a, %T[%v_j] : memref<?xf32>
      }
    }
  }
  func.return
}
