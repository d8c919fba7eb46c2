// What decompose_reduction refuses, and what it says then.
// RUN: not kc-opt %s --decompose-reduction="func=sum block=B loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not kc-opt %s --decompose-reduction="func=sum block=S loop=k" --decompose-reduction="func=sum block=S loop=k" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// RUN: not kc-opt %s --decompose-reduction="func=sum block=S loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOLOOP
// RUN: not kc-opt %s --reorder="func=sum block=S loops=k,i" --decompose-reduction="func=sum block=S loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INSIDE
// RUN: not kc-opt %s --decompose-reduction="func=used block=S loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=USED

te.func @sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8, %d = 4] {
    %a = te.read %A[%b, %d] : tensor<8x4xf32>
    te.yield %a : f32
  } : tensor<8x4xf32>
  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
    %x = te.read %B[%i, %k] : tensor<8x4xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

func.func @used(%A: memref<8x4xf32>, %S: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %S[7 - %v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
    tir.for %k in 4 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%v_i] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<8x4xf32>
        %s = tir.load %S[%v_i] : memref<8xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

// NONE:      error[KC3250]: decompose_reduction: block B has no init
// NONE-NEXT:   --> {{.*}}decompose_reduction_invalid.mlir:14:3  %B = te.compute "B" [%b = 8, %d = 4] {
// NONE-NEXT:    |  for b in 8:
// NONE-NEXT:    |    for d in 4:
// NONE-NEXT:    |      block B    <-- here
// NONE-NEXT:   why: there is nothing to decompose

// AGAIN:      error[KC3250]: decompose_reduction: block S has no init
// AGAIN-NEXT:   --> {{.*}}decompose_reduction_invalid.mlir:18:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// AGAIN-NEXT:    |  for i in 8:
// AGAIN-NEXT:    |    block S_init
// AGAIN-NEXT:    |    for k in 4:
// AGAIN-NEXT:    |      block S    <-- here
// AGAIN-NEXT:   why: there is nothing to decompose

// NOLOOP:      error[KC3003]: there is no loop 'b' around block S
// NOLOOP-NEXT:   --> {{.*}}decompose_reduction_invalid.mlir:18:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// NOLOOP-NEXT:    |  for i in 8:
// NOLOOP-NEXT:    |    for k in 4:
// NOLOOP-NEXT:    |      block S
// NOLOOP-NEXT:   why: b is a loop of block B
// NOLOOP-NEXT:   try: the loops are: i, k

// INSIDE:      error[KC3252]: decompose_reduction: loop i is inside the reduction loop k
// INSIDE-NEXT:   --> {{.*}}decompose_reduction_invalid.mlir:18:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// INSIDE-NEXT:    |  for k in 4:    <-- drives the reduction of S
// INSIDE-NEXT:    |    for i in 8:    <-- the loop
// INSIDE-NEXT:    |      block S
// INSIDE-NEXT:   why: each iteration of k would initialise again
// INSIDE-NEXT:   try: loop=k

// USED:      error[KC3253]: decompose_reduction: the init of block S cannot be proven to do the same before loop i
// USED-NEXT:   --> {{.*}}decompose_reduction_invalid.mlir:32:7  tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 4 = %k) init {
// USED-NEXT:    |  for i in 8:    <-- the loop
// USED-NEXT:    |    block D
// USED-NEXT:    |    for k in 4:
// USED-NEXT:    |      block S    <-- here
// USED-NEXT:   why: another statement in the loop uses the elements that it writes, an iteration is repeated, or its indices are not affine

// A skewed loop has fewer iterations than there are elements where the reduction has no terms.
// RUN: not kc-opt %s --decompose-reduction="func=skewed block=S loop=k" 2>&1 | FileCheck %s --check-prefix=SKEWED --match-full-lines --strict-whitespace
func.func @skewed(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>}, %S: memref<?xf32> {kc.shape = affine_map<()[s0, s1] -> (s1)>}) attributes {kc.symbols = ["m", "n"]} {
  %m = tir.symbol "m"
  %n = tir.symbol "n"
  %steps = tir.apply (%n + %m - 1)
  tir.for %k in %m {
    tir.for %i in %steps {
      tir.block "S" (spatial %v_i in %n = %i - %k, reduce %v_k in %m = %k) where (%k < %i + 1, %i < %n + %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<?xf32>
      } do {
        %a = tir.load %A[%v_k, %v_i] : memref<?x?xf32>
        %s = tir.load %S[%v_i] : memref<?xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<?xf32>
      }
    }
  }
  func.return
}
//SKEWED:error[KC3253]: decompose_reduction: the init of block S cannot be proven to do the same before loop k
//SKEWED-NEXT:  --> {{.*}}decompose_reduction_invalid.mlir:93:7  tir.block "S" (spatial %v_i in %n = %i - %k, reduce %v_k in %m = %k) where (%k < %i + 1, %i < %n ...
//SKEWED-NEXT:   |  for k in m:    <-- the loop
//SKEWED-NEXT:   |    for i in steps:
//SKEWED-NEXT:   |      block S    <-- here
//SKEWED-NEXT:  why: the initial value would not be stored where a size is 0 and the reduction is empty
