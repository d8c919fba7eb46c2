// What pad_einsum refuses, and what it says then.
// RUN: not kc-opt %s --pad-einsum="func=maximum block=M padding=4,4" 2>&1 | FileCheck %s --check-prefix=MAX --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=plus block=S padding=4,4" 2>&1 | FileCheck %s --check-prefix=PLUS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=plus block=S padding=4" 2>&1 | FileCheck %s --check-prefix=COUNT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=plus block=S padding=4,0" 2>&1 | FileCheck %s --check-prefix=ZERO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=plus block=S loop=i factors=2,3" --pad-einsum="func=plus block=S padding=4,1" 2>&1 | FileCheck %s --check-prefix=SPLIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=predicate block=P padding=4" 2>&1 | FileCheck %s --check-prefix=PREDICATE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=shared block=P padding=4" 2>&1 | FileCheck %s --check-prefix=SHARED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=stencil block=S padding=4" 2>&1 | FileCheck %s --check-prefix=STENCIL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=unit block=U padding=4,4" 2>&1 | FileCheck %s --check-prefix=UNIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=divided block=D padding=4" 2>&1 | FileCheck %s --check-prefix=DIVIDED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --pad-einsum="func=twice block=T padding=4" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace

te.func @maximum(%A: tensor<6x7xf32>) -> tensor<6xf32> {
  %M = te.compute "M" [%i = 6] reduce max [%k = 7] {
    %a = te.read %A[%i, %k] : tensor<6x7xf32>
    te.yield %a : f32
  } : tensor<6xf32>
  te.return %M : tensor<6xf32>
}

// A[i] may be infinite.
te.func @plus(%A: tensor<6xf32>, %B: tensor<7xf32>) -> tensor<6xf32> {
  %S = te.compute "S" [%i = 6] reduce sum [%k = 7] {
    %a = te.read %A[%i] : tensor<6xf32>
    %b = te.read %B[%k] : tensor<7xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<6xf32>
  te.return %S : tensor<6xf32>
}

func.func @predicate(%A: memref<6xf32>, %B: memref<6xf32>) {
  tir.for %i in 6 {
    tir.block "P" (spatial %v in 6 = %i) where (%i < 5) do {
      %x = tir.load %A[%v] : memref<6xf32>
      tir.store %x, %B[%v] : memref<6xf32>
    }
  }
  func.return
}

func.func @shared(%A: memref<6xf32>, %B: memref<6xf32>, %C: memref<6xf32>) {
  tir.for %i in 6 {
    tir.block "P" (spatial %v in 6 = %i) do {
      %x = tir.load %A[%v] : memref<6xf32>
      tir.store %x, %B[%v] : memref<6xf32>
    }
    tir.block "Q" (spatial %v in 6 = %i) do {
      %x = tir.load %A[%v] : memref<6xf32>
      tir.store %x, %C[%v] : memref<6xf32>
    }
  }
  func.return
}

func.func @stencil(%A: memref<8xf32>, %B: memref<6xf32>) {
  tir.for %i in 6 {
    tir.block "S" (spatial %v in 6 = %i) do {
      %x = tir.load %A[5 - %v] : memref<8xf32>
      tir.store %x, %B[%v] : memref<6xf32>
    }
  }
  func.return
}

func.func @unit(%A: memref<6xf32>, %B: memref<6xf32>) {
  tir.for %i in 6 {
    tir.for %j in 1 {
      tir.block "U" (spatial %v in 6 = %i, spatial %w in 1 = %j) do {
        %x = tir.load %A[%v] : memref<6xf32>
        tir.store %x, %B[%v] : memref<6xf32>
      }
    }
  }
  func.return
}

func.func @divided(%A: memref<6xi32>, %B: memref<6xi32>) {
  tir.for %i in 6 {
    tir.block "D" (spatial %v in 6 = %i) do {
      %x = tir.load %A[%v] : memref<6xi32>
      %c = arith.constant 9 : i32
      %y = arith.divsi %c, %x : i32
      tir.store %y, %B[%v] : memref<6xi32>
    }
  }
  func.return
}

func.func @twice(%B: memref<6xf32>, %C: memref<6xf32>) {
  tir.for %i in 6 {
    tir.block "T" (spatial %v in 6 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%v] : memref<6xf32>
      tir.store %x, %C[%v] : memref<6xf32>
    }
  }
  func.return
}

//MAX:error[KC3609]: pad_einsum: v_k of block M cannot be padded with 0
//MAX-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:15:3  %M = te.compute "M" [%i = 6] reduce max [%k = 7] {
//MAX-NEXT:   |  for i in 6:
//MAX-NEXT:   |    for k in 7:
//MAX-NEXT:   |      block M    <-- here
//MAX-NEXT:  why: it is reduced by arith.maximumf, whose neutral element is not 0
//MAX-NEXT:  try: padding=4,1

//PLUS:error[KC3609]: pad_einsum: v_k of block S cannot be padded with 0
//PLUS-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:24:3  %S = te.compute "S" [%i = 6] reduce sum [%k = 7] {
//PLUS-NEXT:   |  for i in 6:
//PLUS-NEXT:   |    for k in 7:
//PLUS-NEXT:   |      block S    <-- here
//PLUS-NEXT:  why: the summands are not products of elements that are 0 in the padding: those with the index v_k
//PLUS-NEXT:  try: padding=4,1

//COUNT:error[KC3606]: pad_einsum: padding=4 for block S
//COUNT-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:24:3  %S = te.compute "S" [%i = 6] reduce sum [%k = 7] {
//COUNT-NEXT:   |  for i in 6:
//COUNT-NEXT:   |    for k in 7:
//COUNT-NEXT:   |      block S    <-- here
//COUNT-NEXT:  why: it has 2 variables: v_i, v_k; each needs a number, at least 1
//COUNT-NEXT:  try: padding=16,16

//ZERO:error[KC3606]: pad_einsum: padding=4,0 for block S
//ZERO-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:24:3  %S = te.compute "S" [%i = 6] reduce sum [%k = 7] {
//ZERO-NEXT:   |  for i in 6:
//ZERO-NEXT:   |    for k in 7:
//ZERO-NEXT:   |      block S    <-- here
//ZERO-NEXT:  why: it has 2 variables: v_i, v_k; each needs a number, at least 1
//ZERO-NEXT:  try: padding=16,16

//SPLIT:error[KC3607]: pad_einsum: block S is not bound to separate loops
//SPLIT-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:24:3  %S = te.compute "S" [%i = 6] reduce sum [%k = 7] {
//SPLIT-NEXT:   |  for i_o in 2:
//SPLIT-NEXT:   |    for i_i in 3:
//SPLIT-NEXT:   |      for k in 7:
//SPLIT-NEXT:   |        block S    <-- here
//SPLIT-NEXT:  why: v_i is not bound to a loop that contains only the block
//SPLIT-NEXT:  try: pad_einsum before its loops are split, fused or shared with other blocks

//PREDICATE:error[KC3607]: pad_einsum: block P is not bound to separate loops
//PREDICATE-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:35:5  tir.block "P" (spatial %v in 6 = %i) where (%i < 5) do {
//PREDICATE-NEXT:   |  for i in 6:
//PREDICATE-NEXT:   |    block P    <-- here
//PREDICATE-NEXT:  why: it has a predicate
//PREDICATE-NEXT:  try: pad_einsum before its loops are split, fused or shared with other blocks

//SHARED:error[KC3607]: pad_einsum: block P is not bound to separate loops
//SHARED-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:45:5  tir.block "P" (spatial %v in 6 = %i) do {
//SHARED-NEXT:   |  for i in 6:
//SHARED-NEXT:   |    block P    <-- here
//SHARED-NEXT:   |    block Q
//SHARED-NEXT:  why: v is not bound to a loop that contains only the block
//SHARED-NEXT:  try: pad_einsum before its loops are split, fused or shared with other blocks

//STENCIL:error[KC3608]: pad_einsum: block S reads A at an index that is not a variable
//STENCIL-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:59:5  tir.block "S" (spatial %v in 6 = %i) do {
//STENCIL-NEXT:   |  for i in 6:
//STENCIL-NEXT:   |    block S    <-- here
//STENCIL-NEXT:  why: an einsum accesses elements whose indices are variables and constants

//UNIT:error[KC3608]: pad_einsum: w of block U is not an index of B
//UNIT-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:70:7  tir.block "U" (spatial %v in 6 = %i, spatial %w in 1 = %j) do {
//UNIT-NEXT:   |  for i in 6:
//UNIT-NEXT:   |    for j in 1:
//UNIT-NEXT:   |      block U    <-- here
//UNIT-NEXT:  why: values computed for the padding would overwrite the result
//UNIT-NEXT:  try: padding=4,1

//DIVIDED:error[KC3610]: pad_einsum: arith.divsi in block D may fail on padding
//DIVIDED-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:81:5  tir.block "D" (spatial %v in 6 = %i) do {
//DIVIDED-NEXT:   |  for i in 6:
//DIVIDED-NEXT:   |    block D    <-- here
//DIVIDED-NEXT:  why: a divisor in the padding is 0

//TWICE:error[KC3200]: pad_einsum: block T is neither complete nor a reduction
//TWICE-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:93:5  tir.block "T" (spatial %v in 6 = %i) do {
//TWICE-NEXT:   |  for i in 6:
//TWICE-NEXT:   |    block T    <-- here
//TWICE-NEXT:  why: it has 2 stores, not one
//TWICE-NEXT:  try: use pad_einsum on a block that computes each element of one buffer

// More iterations of a reduction would be lanes of one vector.
// RUN: not kc-opt %s --pad-einsum="func=lanes block=S padding=1,4" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
//LANES:error[KC3607]: pad_einsum: loop k of block S cannot be padded
//LANES-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:196:5  tir.for %k in 1 vectorized {
//LANES-NEXT:   |  for i in 8:
//LANES-NEXT:   |    for k in 1 vectorized:    <-- here
//LANES-NEXT:   |      block S
//LANES-NEXT:  why: it is vectorized, and its iterations would all update one element
//LANES-NEXT:  try: pad before loops are vectorized, parallel or bound
func.func @lanes(%A: memref<8x1xf32>, %S: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 1 vectorized {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 1 = %k) init {
        %0 = arith.constant 0.0 : f32
        tir.store %0, %S[%v_i] : memref<8xf32>
      } do {
        %1 = tir.load %A[%v_i, %v_k] : memref<8x1xf32>
        %2 = tir.load %S[%v_i] : memref<8xf32>
        %3 = arith.addf %2, %1 : f32
        tir.store %3, %S[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

// More threads than there are.
// RUN: not kc-opt %s --pad-einsum="func=bound block=C padding=4" 2>&1 | FileCheck %s --check-prefix=BOUND --match-full-lines --strict-whitespace
//BOUND:error[KC3607]: pad_einsum: loop i of block C cannot be padded
//BOUND-NEXT:  --> {{.*}}pad_einsum_invalid.mlir:220:3  tir.for %i in 7 thread "threadIdx.x" {
//BOUND-NEXT:   |  for i in 7 threadIdx.x:    <-- here
//BOUND-NEXT:   |    block C
//BOUND-NEXT:  why: it is bound to threadIdx.x, and would have more iterations than threads
//BOUND-NEXT:  try: pad before loops are vectorized, parallel or bound
func.func @bound(%A: memref<7xf32>, %C: memref<7xf32>) {
  tir.for %i in 7 thread "threadIdx.x" {
    tir.block "C" (spatial %v_i in 7 = %i) do {
      %1 = tir.load %A[%v_i] : memref<7xf32>
      tir.store %1, %C[%v_i] : memref<7xf32>
    }
  }
  func.return
}

// A variable with one value has more of them once it is padded.
// RUN: not kc-opt %s --pad-einsum="func=before block=P padding=4" 2>&1 | FileCheck %s --check-prefix=BEFORE --match-full-lines --strict-whitespace
//BEFORE:error[KC3608]: pad_einsum: block P reads A at an index that is not a variable
//BEFORE:  why: an einsum accesses elements whose indices are variables and constants
func.func @before(%A: memref<0xf16>, %P: memref<1xf16>) {
  tir.for %i in 1 {
    tir.block "P" (spatial %v_i in 1 = %i) do {
      %0 = arith.constant 1 : index
      %1 = arith.cmpi sge, %v_i, %0 : index
      %2 = scf.if %1 -> (f16) {
        %3 = tir.load %A[%v_i - 1] : memref<0xf16>
        scf.yield %3 : f16
      } else {
        %4 = arith.constant 0.0 : f16
        scf.yield %4 : f16
      }
      tir.store %2, %P[%v_i] : memref<1xf16>
    }
  }
  func.return
}

// The condition never holds, but it would on the padding.
// RUN: not kc-opt %s --pad-einsum="func=condition block=P padding=4,1" 2>&1 | FileCheck %s --check-prefix=CONDITION --match-full-lines --strict-whitespace
//CONDITION:error[KC3608]: pad_einsum: block P reads A at an index that is not a variable
//CONDITION:  why: an einsum accesses elements whose indices are variables and constants
func.func @condition(%A: memref<6xf32>, %P: memref<3x6xf32>) {
  tir.for %i in 3 {
    tir.for %j in 6 {
      tir.block "P" (spatial %v_i in 3 = %i, spatial %v_j in 6 = %j) do {
        %0 = arith.constant 3 : index
        %1 = arith.cmpi sge, %v_i, %0 : index
        %2 = scf.if %1 -> (f32) {
          %3 = tir.load %A[%v_j + 6] : memref<6xf32>
          scf.yield %3 : f32
        } else {
          %4 = arith.constant 0.0 : f32
          scf.yield %4 : f32
        }
        tir.store %2, %P[%v_i, %v_j] : memref<3x6xf32>
      }
    }
  }
  func.return
}
