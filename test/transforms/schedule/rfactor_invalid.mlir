// What rfactor refuses, and what it says then.
// RUN: not kc-opt %s --unroll="func=sums loop=k" --rfactor="func=sums loop=k" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=two loop=k" 2>&1 | FileCheck %s --check-prefix=TWO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=two loop=j" 2>&1 | FileCheck %s --check-prefix=OUTSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-reduction="func=sums block=C loop=k" --rfactor="func=sums block=C loop=k" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=pointwise loop=i" 2>&1 | FileCheck %s --check-prefix=POINT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=sums loop=k factors=?,4" --rfactor="func=sums loop=i" 2>&1 | FileCheck %s --check-prefix=SPATIAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse="func=sums loops=i,k" --rfactor="func=sums loop=i_k_fused" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=repeated loop=k" 2>&1 | FileCheck %s --check-prefix=REPEATED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=shifted loop=k" 2>&1 | FileCheck %s --check-prefix=SHIFTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=sums loop=k factor-axis=2" 2>&1 | FileCheck %s --check-prefix=AXIS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=sizes loop=k factors=?,4" --rfactor="func=sizes loop=k_i" 2>&1 | FileCheck %s --check-prefix=START --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=triangle loop=k" 2>&1 | FileCheck %s --check-prefix=FIRST --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --rfactor="func=never loop=k" 2>&1 | FileCheck %s --check-prefix=NEVER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=sizes loop=k factors=4,?" --rfactor="func=sizes loop=k_i" 2>&1 | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace

te.func @sums(%A: tensor<8x10xf32>) -> tensor<8xf32> {
  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
    %a = te.read %A[%i, %k] : tensor<8x10xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

func.func @two(%A: memref<4x4xf32>, %C: memref<1xf32>, %D: memref<4xf32>) {
  tir.for %k in 4 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k, reduce %v_j in 4 = %j) init {
        %x = arith.constant 0.0 : f32
        tir.store %x, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k, %v_j] : memref<4x4xf32>
        %d = arith.addf %a, %c : f32
        tir.store %d, %C[%v_i] : memref<1xf32>
      }
    }
    tir.block "D" (spatial %v_k in 4 = %k) do {
      %c = tir.load %C[0] : memref<1xf32>
      tir.store %c, %D[%v_k] : memref<4xf32>
    }
  }
  func.return
}

te.func @pointwise(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%i = 8] {
    %a = te.read %A[%i] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %B : tensor<8xf32>
}

func.func @repeated(%A: memref<4xf32>, %C: memref<1xf32>) {
  tir.for %r in 2 {
    tir.for %k in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
        %x = arith.constant 0.0 : f32
        tir.store %x, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<4xf32>
        %d = arith.addf %a, %c : f32
        tir.store %d, %C[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}

func.func @shifted(%A: memref<4xf32>, %C: memref<1xf32>) {
  tir.for %k in 3 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k + 1) init {
      %x = arith.constant 0.0 : f32
      tir.store %x, %C[%v_i] : memref<1xf32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xf32>
      %a = tir.load %A[%v_k] : memref<4xf32>
      %d = arith.addf %a, %c : f32
      tir.store %d, %C[%v_i] : memref<1xf32>
    }
  }
  func.return
}

te.func @sizes(%A: tensor<8x?xf32> {kc.shape = affine_map<()[n] -> (8, n)>})
    -> tensor<8xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = 8] reduce sum [%k = %n] {
    %a = te.read %A[%i, %k] : tensor<8x?xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

// The partial result of k = 0 has no first element.
func.func @triangle(%A: memref<4x4xf32>, %C: memref<1xf32>) {
  tir.for %k in 4 {
    tir.for %l in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k, reduce %v_l in 4 = %l)
          where (%k + %l >= 1) init {
        %x = arith.constant 0.0 : f32
        tir.store %x, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k, %v_l] : memref<4x4xf32>
        %d = arith.addf %a, %c : f32
        tir.store %d, %C[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}

func.func @never(%A: memref<4xf32>, %C: memref<1xf32>) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) where (%k >= 9) init {
      %x = arith.constant 0.0 : f32
      tir.store %x, %C[%v_i] : memref<1xf32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xf32>
      %a = tir.load %A[%v_k] : memref<4xf32>
      %d = arith.addf %a, %c : f32
      tir.store %d, %C[%v_i] : memref<1xf32>
    }
  }
  func.return
}

//KIND:error[KC3010]: rfactor: loop k is already unrolled
//KIND-NEXT:  --> {{.*}}rfactor_invalid.mlir:18:3  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
//KIND-NEXT:   |  for i in 8:
//KIND-NEXT:   |    for k in 10 unrolled:    <-- here
//KIND-NEXT:   |      block C
//KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
//KIND-NEXT:  try: rfactor first, then unroll one of the results

//TWO:error[KC3330]: rfactor: loop k must contain one block, and nothing else
//TWO-NEXT:  --> {{.*}}rfactor_invalid.mlir:26:3  tir.for %k in 4 {
//TWO-NEXT:   |  for k in 4:    <-- here
//TWO-NEXT:   |    for j in 4:
//TWO-NEXT:   |      block C
//TWO-NEXT:   |    block D
//TWO-NEXT:  why: it contains loop j and block D

//OUTSIDE:error[KC3333]: rfactor: C is reduced over k too, which contains more than C
//OUTSIDE-NEXT:  --> {{.*}}rfactor_invalid.mlir:27:5  tir.for %j in 4 {
//OUTSIDE-NEXT:   |  for k in 4:
//OUTSIDE-NEXT:   |    for j in 4:    <-- the loop
//OUTSIDE-NEXT:   |      block C    <-- the block
//OUTSIDE-NEXT:   |    block D
//OUTSIDE-NEXT:  why: one iteration of k does not have all partial results

//INIT:error[KC3200]: rfactor: block C is neither complete nor a reduction
//INIT-NEXT:  --> {{.*}}rfactor_invalid.mlir:18:3  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
//INIT-NEXT:   |  for i in 8:
//INIT-NEXT:   |    block C_init
//INIT-NEXT:   |    for k in 10:
//INIT-NEXT:   |      block C    <-- here
//INIT-NEXT:  why: its initialisation is another block, so C has two writers
//INIT-NEXT:  try: use rfactor on a block that computes each element of one buffer

//POINT:error[KC3331]: rfactor: block B is not a reduction
//POINT-NEXT:  --> {{.*}}rfactor_invalid.mlir:47:3  %B = te.compute "B" [%i = 8] {
//POINT-NEXT:   |  for i in 8:    <-- the loop
//POINT-NEXT:   |    block B    <-- the block
//POINT-NEXT:  why: it has no reduce variable, so there are no partial results

//SPATIAL:error[KC3332]: rfactor: loop i is not a loop of the reduction of C
//SPATIAL-NEXT:  --> {{.*}}rfactor_invalid.mlir:18:3  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
//SPATIAL-NEXT:   |  for i in 8:    <-- the loop
//SPATIAL-NEXT:   |    for k_o in 3:
//SPATIAL-NEXT:   |      for k_i in 4:
//SPATIAL-NEXT:   |        block C    <-- the block
//SPATIAL-NEXT:  why: it drives spatial variables
//SPATIAL-NEXT:  try: loop=k_o
//SPATIAL-NEXT:  try: loop=k_i

//MIXED:error[KC3332]: rfactor: loop i_k_fused drives spatial and reduce variables of C
//MIXED-NEXT:  --> {{.*}}rfactor_invalid.mlir:18:3  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
//MIXED-NEXT:   |  for i_k_fused in 80:    <-- the loop
//MIXED-NEXT:   |    block C    <-- the block
//MIXED-NEXT:  why: its iterations are both elements and parts of a reduction
//MIXED-NEXT:  try: rfactor first, then fuse

//REPEATED:error[KC3332]: rfactor: loop r drives no variable of C
//REPEATED-NEXT:  --> {{.*}}rfactor_invalid.mlir:56:5  tir.for %k in 4 {
//REPEATED-NEXT:   |  for r in 2:
//REPEATED-NEXT:   |    for k in 4:    <-- the loop
//REPEATED-NEXT:   |      block C    <-- the block
//REPEATED-NEXT:  why: its iterations repeat the same work

//SHIFTED:error[KC3334]: rfactor: the init of C may run elsewhere than at the start of its loops
//SHIFTED-NEXT:  --> {{.*}}rfactor_invalid.mlir:72:3  tir.for %k in 3 {
//SHIFTED-NEXT:   |  for k in 3:    <-- the loop
//SHIFTED-NEXT:   |    block C    <-- the block
//SHIFTED-NEXT:  why: it runs where all reduce variables are 0, which is not exactly where k is 0

//AXIS:error[KC3335]: rfactor: factor_axis 2 for block C
//AXIS-NEXT:  --> {{.*}}rfactor_invalid.mlir:18:3  %C = te.compute "C" [%i = 8] reduce sum [%k = 10] {
//AXIS-NEXT:   |  for i in 8:
//AXIS-NEXT:   |    for k in 10:
//AXIS-NEXT:   |      block C    <-- here
//AXIS-NEXT:  why: C has 1 dimension, the new buffer one more
//AXIS-NEXT:  try: factor-axis=0
//AXIS-NEXT:  try: factor-axis=1

//START:error[KC3336]: rfactor: the predicate of C may leave out its start
//START-NEXT:  --> {{.*}}rfactor_invalid.mlir:89:3  %C = te.compute "C" [%i = 8] reduce sum [%k = %n] {
//START-NEXT:   |  for i in 8:
//START-NEXT:   |    for k_o in k_size:
//START-NEXT:   |      for k_i in 4:    <-- the loop
//START-NEXT:   |        block C    <-- the block
//START-NEXT:  why: the first iteration of k_i is not run at (i=0, k_i=0) (for n = 0)
//START-NEXT:  try: loop=k_o

//FIRST:error[KC3336]: rfactor: the predicate of C may leave out the start of a partial result
//FIRST-NEXT:  --> {{.*}}rfactor_invalid.mlir:98:3  tir.for %k in 4 {
//FIRST-NEXT:   |  for k in 4:    <-- the loop
//FIRST-NEXT:   |    for l in 4:
//FIRST-NEXT:   |      block C    <-- the block
//FIRST-NEXT:  why: it holds at (k=0, l=1), and not where l is 0 instead

//NEVER:error[KC3336]: rfactor: the predicate of C never holds
//NEVER-NEXT:  --> {{.*}}rfactor_invalid.mlir:116:3  tir.for %k in 4 {
//NEVER-NEXT:   |  for k in 4:    <-- the loop
//NEVER-NEXT:   |    block C    <-- the block
//NEVER-NEXT:  why: there is nothing to reduce

//INNER:error[KC3337]: rfactor: k is not known outside of the loops of C
//INNER-NEXT:  --> {{.*}}rfactor_invalid.mlir:89:3  %C = te.compute "C" [%i = 8] reduce sum [%k = %n] {
//INNER-NEXT:   |  for i in 8:
//INNER-NEXT:   |    for k_o in 4:
//INNER-NEXT:   |      for k_i in k_size:    <-- the loop
//INNER-NEXT:   |        block C    <-- the block
//INNER-NEXT:  why: the reduction of the partial results has loops of its own, and needs it
