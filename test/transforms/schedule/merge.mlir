// Sibling loops become one loop.
// RUN: kc-opt %s --merge="func=two loops=i,i blocks=B,C" | FileCheck %s --check-prefix=ONE
// RUN: kc-opt %s --merge="func=two loops=j,j blocks=B,C" | FileCheck %s --check-prefix=DEEP
// RUN: kc-opt %s --merge="func=reduction loops=i,i blocks=S,D" | FileCheck %s --check-prefix=REDUCE
// RUN: kc-opt %s --merge="func=symbolic loops=i,i blocks=B,C" | FileCheck %s --check-prefix=SYMBOLIC
// RUN: kc-opt %s --split="func=symbolic block=B loop=i factors=?,4" --split="func=symbolic block=C loop=i factors=?,4" --merge="func=symbolic loops=i_i,i_i blocks=B,C" | FileCheck %s --check-prefix=TAIL
// RUN: kc-opt %s --merge="func=between loops=p,r" | FileCheck %s --check-prefix=BETWEEN
// RUN: kc-opt %s --merge="func=three loops=c,a,b" | FileCheck %s --check-prefix=THREE
// RUN: kc-opt %s --merge="func=triangle loops=j,q" | FileCheck %s --check-prefix=TRIANGLE
// RUN: kc-opt %s --fuse="func=fused block=B loops=i,j" --fuse="func=fused block=C loops=i,j" --merge="func=fused loops=i_j_fused,i_j_fused blocks=B,C" | FileCheck %s --check-prefix=FUSED

// ONE-LABEL: func.func @two(
// ONE-NEXT:    %B = tir.alloc "B" : memref<6x4xf32>
// ONE-NEXT:    tir.for %i_m in 6 {
// ONE-NEXT:      tir.for %j in 4 {
// ONE-NEXT:        tir.block "B" (spatial %v_i in 6 = %i_m, spatial %v_j in 4 = %j) do {
// ONE-NEXT:          %a = tir.load %A[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:          tir.store %a, %B[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:        }
// ONE-NEXT:      }
// ONE-NEXT:      tir.for %j_1 "j" in 4 {
// ONE-NEXT:        tir.block "C" (spatial %v_i in 6 = %i_m, spatial %v_j in 4 = %j_1) do {
// ONE-NEXT:          %x = tir.load %B[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:          tir.store %x, %C[%v_i, %v_j] : memref<6x4xf32>
// ONE-NEXT:        }
// ONE-NEXT:      }
// ONE-NEXT:    }
// ONE-NEXT:    func.return

// The loops around those that are named are merged too, level by level.
// DEEP-LABEL: func.func @two(
// DEEP:         tir.for %i_m in 6 {
// DEEP-NEXT:      tir.for %j_m in 4 {
// DEEP-NEXT:        tir.block "B" (spatial %v_i in 6 = %i_m, spatial %v_j in 4 = %j_m) do {
// DEEP:             tir.block "C" (spatial %v_i in 6 = %i_m, spatial %v_j in 4 = %j_m) do {
te.func @two(%A: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 6, %j = 4] {
    %x = te.read %B[%i, %j] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<6x4xf32>
  te.return %C : tensor<6x4xf32>
}

// A row is summed up, init included, before it is used; the results of another iteration are not.
// REDUCE-LABEL: func.func @reduction(
// REDUCE:         tir.for %i_m in 6 {
// REDUCE-NEXT:      tir.for %k in 4 {
// REDUCE-NEXT:        tir.block "S" (spatial %v_i in 6 = %i_m, reduce %v_k in 4 = %k) init {
// REDUCE:           tir.for %j in 4 {
// REDUCE-NEXT:        tir.block "D" (spatial %v_i in 6 = %i_m, spatial %v_j in 4 = %j) do {
te.func @reduction(%A: tensor<6x4xf32>) -> tensor<6x4xf32> {
  %S = te.compute "S" [%i = 6] reduce sum [%k = 4] {
    %a = te.read %A[%i, %k] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6xf32>
  %D = te.compute "D" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    %x = te.read %S[%i] : tensor<6xf32>
    %y = arith.divf %a, %x : f32
    te.yield %y : f32
  } : tensor<6x4xf32>
  te.return %D : tensor<6x4xf32>
}

// SYMBOLIC-LABEL: func.func @symbolic(
// SYMBOLIC:         tir.for %i_m in %n {
// SYMBOLIC-NEXT:      tir.block "B" (spatial %v_i in %n = %i_m) do {
// SYMBOLIC:           tir.block "C" (spatial %v_i in %n = %i_m) do {

// The sizes of the outer loops are computed twice; that they are equal is proven.
// TAIL-LABEL: func.func @symbolic(
// TAIL:         %[[SIZE:.*]] = tir.apply (%n ceildiv 4)
// TAIL:         tir.for %i_o_m in %[[SIZE]] {
// TAIL-NEXT:      tir.for %i_i_m in 4 {
// TAIL-NEXT:        tir.block "B" (spatial %v_i in %n = %i_o_m * 4 + %i_i_m) where (%i_o_m * 4 + %i_i_m < %n) do {
// TAIL:             tir.block "C" (spatial %v_i in %n = %i_o_m * 4 + %i_i_m) where (%i_o_m * 4 + %i_i_m < %n) do {
te.func @symbolic(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %C = te.compute "C" [%i = %n] {
    %x = te.read %B[%i] : tensor<?xf32>
    te.yield %x : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

// The alloc and what q does go in front; what s does needs p and goes behind.
// BETWEEN-LABEL: func.func @between(
// BETWEEN-NEXT:    %T = tir.alloc "T" : memref<8xf32>
// BETWEEN-NEXT:    tir.for %q in 8 {
// BETWEEN-NEXT:      %y = tir.load %A[%q] : memref<8xf32>
// BETWEEN-NEXT:      tir.store %y, %T[%q] : memref<8xf32>
// BETWEEN-NEXT:    }
// BETWEEN-NEXT:    tir.for %p_m in 8 {
// BETWEEN-NEXT:      %x = tir.load %A[%p_m] : memref<8xf32>
// BETWEEN-NEXT:      tir.store %x, %B[%p_m] : memref<8xf32>
// BETWEEN-NEXT:      %z = tir.load %T[%p_m] : memref<8xf32>
// BETWEEN-NEXT:      tir.store %z, %C[%p_m] : memref<8xf32>
// BETWEEN-NEXT:    }
// BETWEEN-NEXT:    tir.for %s in 8 {
// BETWEEN-NEXT:      %u = tir.load %B[%s] : memref<8xf32>
// BETWEEN-NEXT:      tir.store %u, %D[%s] : memref<8xf32>
// BETWEEN-NEXT:    }
// BETWEEN-NEXT:    func.return
func.func @between(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %p in 8 {
    %x = tir.load %A[%p] : memref<8xf32>
    tir.store %x, %B[%p] : memref<8xf32>
  }
  %T = tir.alloc "T" : memref<8xf32>
  tir.for %s in 8 {
    %u = tir.load %B[%s] : memref<8xf32>
    tir.store %u, %D[%s] : memref<8xf32>
  }
  tir.for %q in 8 {
    %y = tir.load %A[%q] : memref<8xf32>
    tir.store %y, %T[%q] : memref<8xf32>
  }
  tir.for %r in 8 {
    %z = tir.load %T[%r] : memref<8xf32>
    tir.store %z, %C[%r] : memref<8xf32>
  }
  func.return
}

// The order in the text decides, not that of the names. A later element than the one needed is there.
// THREE-LABEL: func.func @three(
// THREE-NEXT:    tir.for %a_m in 8 {
// THREE-NEXT:      %x = tir.load %A[%a_m] : memref<9xf32>
// THREE-NEXT:      tir.store %x, %B[%a_m + 1] : memref<9xf32>
// THREE-NEXT:      %y = tir.load %B[%a_m] : memref<9xf32>
// THREE-NEXT:      tir.store %y, %C[%a_m] : memref<9xf32>
// THREE-NEXT:      %z = tir.load %C[%a_m] : memref<9xf32>
// THREE-NEXT:      tir.store %z, %A[%a_m] : memref<9xf32>
// THREE-NEXT:    }
// THREE-NEXT:    func.return
func.func @three(%A: memref<9xf32>, %B: memref<9xf32>, %C: memref<9xf32>) {
  tir.for %a in 8 {
    %x = tir.load %A[%a] : memref<9xf32>
    tir.store %x, %B[%a + 1] : memref<9xf32>
  }
  tir.for %b in 8 {
    %y = tir.load %B[%b] : memref<9xf32>
    tir.store %y, %C[%b] : memref<9xf32>
  }
  tir.for %c in 8 {
    %z = tir.load %C[%c] : memref<9xf32>
    tir.store %z, %A[%c] : memref<9xf32>
  }
  func.return
}

// Extents may depend on the loops around, when they do so alike.
// TRIANGLE-LABEL: func.func @triangle(
// TRIANGLE-NEXT:    tir.for %i_m in 8 {
// TRIANGLE-NEXT:      %[[SIZE:.*]] = tir.apply (%i_m + 1)
// TRIANGLE-NEXT:      tir.for %j_m in %[[SIZE]] {
// TRIANGLE-NEXT:        %x = tir.load %A[%i_m, %j_m] : memref<8x8xf32>
// TRIANGLE-NEXT:        tir.store %x, %B[%i_m, %j_m] : memref<8x8xf32>
// TRIANGLE-NEXT:        %y = tir.load %B[%i_m, %j_m] : memref<8x8xf32>
// TRIANGLE-NEXT:        tir.store %y, %C[%j_m, %i_m] : memref<8x8xf32>
// TRIANGLE-NEXT:      }
// TRIANGLE-NEXT:    }
// TRIANGLE-NEXT:    func.return
func.func @triangle(%A: memref<8x8xf32>, %B: memref<8x8xf32>, %C: memref<8x8xf32>) {
  tir.for %i in 8 {
    %size = tir.apply (%i + 1)
    tir.for %j in %size {
      %x = tir.load %A[%i, %j] : memref<8x8xf32>
      tir.store %x, %B[%i, %j] : memref<8x8xf32>
    }
  }
  tir.for %p in 8 {
    %size = tir.apply (%p + 1)
    tir.for %q in %size {
      %y = tir.load %B[%p, %q] : memref<8x8xf32>
      tir.store %y, %C[%q, %p] : memref<8x8xf32>
    }
  }
  func.return
}

// Fused loops of symbolic extents: the same order of the same elements.
// FUSED-LABEL: func.func @fused(
// FUSED:         tir.for %i_j_fused_m in %{{.*}} {
// FUSED:           tir.block "B" (
// FUSED:           tir.block "C" (
te.func @fused(%A: tensor<?x?xf32> {kc.shape = affine_map<()[n, m] -> (n, m)>}) -> tensor<?x?xf32> attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %B = te.compute "B" [%i = %n, %j = %m] {
    %a = te.read %A[%i, %j] : tensor<?x?xf32>
    te.yield %a : f32
  } : tensor<?x?xf32>
  %C = te.compute "C" [%i = %n, %j = %m] {
    %x = te.read %B[%i, %j] : tensor<?x?xf32>
    te.yield %x : f32
  } : tensor<?x?xf32>
  te.return %C : tensor<?x?xf32>
}
