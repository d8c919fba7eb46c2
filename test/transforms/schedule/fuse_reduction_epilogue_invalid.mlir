// What fuse_reduction_epilogue refuses, and what it says then.
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=relu reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=RELU --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=relu reduction-block=R epilogue-block=S" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=twice reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=shared reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=SHARED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=shared reduction-block=S epilogue-block=Q" 2>&1 | FileCheck %s --check-prefix=OTHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=output reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=OUTPUT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=part reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=PART --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=outer reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=OUTER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=partial reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=PARTIAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=changed reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=CHANGED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=used reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=USED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-reduction-epilogue="func=known reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=KNOWN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --decompose-reduction="func=relu block=S loop=k" --fuse-reduction-epilogue="func=relu reduction-block=S epilogue-block=R" 2>&1 | FileCheck %s --check-prefix=DECOMPOSED --match-full-lines --strict-whitespace

te.func @relu(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4] {
    %zero = arith.constant 0.0 : f32
    %x = te.read %S[%i] : tensor<4xf32>
    %z = arith.maximumf %x, %zero : f32
    te.yield %z : f32
  } : tensor<4xf32>
  te.return %R : tensor<4xf32>
}

te.func @twice(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4] {
    %x = te.read %S[%i] : tensor<4xf32>
    %y = arith.mulf %x, %x : f32
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<4xf32>
  te.return %R : tensor<4xf32>
}

te.func @shared(%A: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4] {
    %x = te.read %S[%i] : tensor<4xf32>
    %z = arith.addf %x, %x : f32
    te.yield %z : f32
  } : tensor<4xf32>
  %T = te.compute "T" [%i = 4] {
    %x = te.read %S[%i] : tensor<4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %Q = te.compute "Q" [%i = 4] {
    %x = te.read %T[%i] : tensor<4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %R, %Q : tensor<4xf32>, tensor<4xf32>
}

te.func @output(%A: tensor<4x8xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4] {
    %x = te.read %S[%i] : tensor<4xf32>
    %y = te.read %b[%i] : tensor<4xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<4xf32>
  te.return %S, %R : tensor<4xf32>, tensor<4xf32>
}

te.func @part(%A: tensor<4x8xf32>, %b: tensor<4xf32>) -> tensor<3xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 3] {
    %x = te.read %S[%i + 1] : tensor<4xf32>
    %y = te.read %b[%i] : tensor<4xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<3xf32>
  te.return %R : tensor<3xf32>
}

te.func @outer(%A: tensor<4x8xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
    %x = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  %R = te.compute "R" [%i = 4, %j = 5] {
    %x = te.read %S[%i] : tensor<4xf32>
    %y = te.read %b[%j] : tensor<5xf32>
    %z = arith.addf %x, %y : f32
    te.yield %z : f32
  } : tensor<4x5xf32>
  te.return %R : tensor<4x5xf32>
}

// R reads what is summed up so far.
func.func @partial(%A: memref<4x8xf32>, %R: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32>
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<4xf32>
      } do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
      tir.block "R" (spatial %v_i in 4 = %i) do {
        %one = arith.constant 1.0 : f32
        %x = tir.load %S[%v_i] : memref<4xf32>
        %y = arith.addf %x, %one : f32
        tir.store %y, %R[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

// W changes the bias in between.
func.func @changed(%A: memref<4x8xf32>, %b: memref<4xf32>, %R: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32>
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<4xf32>
      } do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %one = arith.constant 1.0 : f32
      tir.store %one, %b[%v_i] : memref<4xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "R" (spatial %v_i in 4 = %i) do {
      %x = tir.load %S[%v_i] : memref<4xf32>
      %y = tir.load %b[%v_i] : memref<4xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %R[%v_i] : memref<4xf32>
    }
  }
  func.return
}

// W reads what was in R before.
func.func @used(%A: memref<4x8xf32>, %b: memref<4xf32>, %R: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32>
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<4xf32>
      } do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %x = tir.load %R[%v_i] : memref<4xf32>
      tir.store %x, %b[%v_i] : memref<4xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "R" (spatial %v_i in 4 = %i) do {
      %x = tir.load %S[%v_i] : memref<4xf32>
      %one = arith.constant 1.0 : f32
      %z = arith.addf %x, %one : f32
      tir.store %z, %R[%v_i] : memref<4xf32>
    }
  }
  func.return
}

// The bias is made after the reduction.
func.func @known(%A: memref<4x8xf32>, %R: memref<4xf32>) {
  %S = tir.alloc "S" : memref<4xf32>
  tir.for %i in 4 {
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<4xf32>
      } do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  %b = tir.alloc "b" : memref<4xf32>
  tir.for %i in 4 {
    tir.block "W" (spatial %v_i in 4 = %i) do {
      %one = arith.constant 1.0 : f32
      tir.store %one, %b[%v_i] : memref<4xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "R" (spatial %v_i in 4 = %i) do {
      %x = tir.load %S[%v_i] : memref<4xf32>
      %y = tir.load %b[%v_i] : memref<4xf32>
      %z = arith.addf %x, %y : f32
      tir.store %z, %R[%v_i] : memref<4xf32>
    }
  }
  func.return
}

//RELU:error[KC3616]: fuse_reduction_epilogue: block R is not another step of the reduction S
//RELU-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:21:3  %R = te.compute "R" [%i = 4] {
//RELU-NEXT:   |  for i in 4:
//RELU-NEXT:   |    block R    <-- the epilogue
//RELU-NEXT:  why: it stores the result of arith.maximumf; S is reduced by arith.addf; it would be applied to partial results
//RELU-NEXT:  try: reverse_compute_at block=R loop=i: an element is complete there

//ORDER:error[KC3615]: fuse_reduction_epilogue: block R is not a reduction
//ORDER-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:21:3  %R = te.compute "R" [%i = 4] {
//ORDER-NEXT:   |  for i in 4:
//ORDER-NEXT:   |    block R    <-- here
//ORDER-NEXT:  why: a reduction can only absorb a block that is not a reduction

//TWICE:error[KC3616]: fuse_reduction_epilogue: block R is not another step of the reduction S
//TWICE-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:35:3  %R = te.compute "R" [%i = 4] {
//TWICE-NEXT:   |  for i in 4:
//TWICE-NEXT:   |    block R    <-- the epilogue
//TWICE-NEXT:  why: the other operand of arith.addf also depends on S; it would be applied to partial results
//TWICE-NEXT:  try: reverse_compute_at block=R loop=i: an element is complete there

//SHARED:error[KC3241]: fuse_reduction_epilogue: S is also read by block T
//SHARED-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:45:3  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
//SHARED-NEXT:   |  for i in 4:
//SHARED-NEXT:   |    for k in 8:
//SHARED-NEXT:   |      block S    <-- writes S
//SHARED-NEXT:  why: buffer S would be removed

//OTHER:error[KC3241]: fuse_reduction_epilogue: S is also read by block R and block T
//OTHER-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:45:3  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
//OTHER-NEXT:   |  for i in 4:
//OTHER-NEXT:   |    for k in 8:
//OTHER-NEXT:   |      block S    <-- writes S
//OTHER-NEXT:  why: buffer S would be removed

//OUTPUT:error[KC3202]: fuse_reduction_epilogue: S of block S is an output
//OUTPUT-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:66:3  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
//OUTPUT-NEXT:   |  for i in 4:
//OUTPUT-NEXT:   |    for k in 8:
//OUTPUT-NEXT:   |      block S    <-- here
//OUTPUT-NEXT:  why: the caller reads all of it after the call
//OUTPUT-NEXT:  try: cache_write gives block S its own buffer

//PART:error[KC3243]: fuse_reduction_epilogue: blocks S and R do not access the same elements of S
//PART-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:84:3  %R = te.compute "R" [%i = 3] {
//PART-NEXT:   |  for i in 3:
//PART-NEXT:   |    block R    <-- reads S
//PART-NEXT:  why: block R does not read [0]

//OUTER:error[KC3242]: fuse_reduction_epilogue: block R does not access S element by element
//OUTER-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:98:3  %R = te.compute "R" [%i = 4, %j = 5] {
//OUTER-NEXT:   |  for i in 4:
//OUTER-NEXT:   |    for j in 5:
//OUTER-NEXT:   |      block R    <-- here
//OUTER-NEXT:  why: no index of the load of S is v_j plus a constant, so v_j cannot be derived from the written element

//PARTIAL:error[KC3617]: fuse_reduction_epilogue: block R reads partial results of S
//PARTIAL-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:121:7  tir.block "R" (spatial %v_i in 4 = %i) do {
//PARTIAL-NEXT:   |  for i in 4:
//PARTIAL-NEXT:   |    for k in 8:
//PARTIAL-NEXT:   |      block S    <-- writes S
//PARTIAL-NEXT:   |      block R    <-- reads S
//PARTIAL-NEXT:  why: it reads an element at (i=0, k=0) that is updated at (i=0, k=1), later

//CHANGED:error[KC3207]: fuse_reduction_epilogue: b, which block R reads, is written by block W in between
//CHANGED-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:153:5  tir.block "R" (spatial %v_i in 4 = %i) do {
//CHANGED-NEXT:   |  for i in 4:
//CHANGED-NEXT:   |    block R    <-- reads b
//CHANGED-NEXT:  why: block W at (i=0) runs between the old place and the new one

//USED:error[KC3232]: fuse_reduction_epilogue: block W reads R before block R writes it
//USED-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:178:5  tir.block "W" (spatial %v_i in 4 = %i) do {
//USED-NEXT:   |  for i in 4:
//USED-NEXT:   |    for k in 8:
//USED-NEXT:   |      block S
//USED-NEXT:   |    block W    <-- reads R
//USED-NEXT:  why: block W at (i=0) comes between the new place and the old one

//KNOWN:error[KC3208]: fuse_reduction_epilogue: block R cannot be computed in block S
//KNOWN-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:218:5  tir.block "R" (spatial %v_i in 4 = %i) do {
//KNOWN-NEXT:   |  for i in 4:
//KNOWN-NEXT:   |    block R    <-- here
//KNOWN-NEXT:  why: it uses the buffer b, which is not available there
//KNOWN-NEXT:  try: move the block that writes b out first

//DECOMPOSED:error[KC3200]: fuse_reduction_epilogue: block S is neither complete nor a reduction
//DECOMPOSED-NEXT:  --> {{.*}}fuse_reduction_epilogue_invalid.mlir:17:3  %S = te.compute "S" [%i = 4] reduce sum [%k = 8] {
//DECOMPOSED-NEXT:   |  for i in 4:
//DECOMPOSED-NEXT:   |    block S_init
//DECOMPOSED-NEXT:   |    for k in 8:
//DECOMPOSED-NEXT:   |      block S    <-- here
//DECOMPOSED-NEXT:  why: its initialisation is another block, so S has two writers
//DECOMPOSED-NEXT:  try: use fuse_reduction_epilogue on a block that computes each element of one buffer
