// What compute_inline refuses, and what it says then.
// RUN: not kc-opt %s --compute-inline="func=sum block=C" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not kc-opt %s --compute-inline="func=sum block=S" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REDUCTION
// RUN: not kc-opt %s --compute-inline="func=variables block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VARIABLES
// RUN: not kc-opt %s --compute-inline="func=unwritten block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not kc-opt %s --compute-inline="func=changed block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHANGED
// RUN: not kc-opt %s --compute-inline="func=carried block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CARRIED
// RUN: not kc-opt %s --compute-inline="func=local block=B" 2>&1 | FileCheck %s --check-prefix=LOCAL
// RUN: not kc-opt %s --compute-inline="func=itself block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ITSELF

te.func @sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
    %a = te.read %A[%i, %k] : tensor<8x4xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%i = 8] {
    %x = te.read %S[%i] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

func.func @variables(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b * 2] : memref<16xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i * 2] : memref<16xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @unwritten(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<9xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<9xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i + 1] : memref<9xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @changed(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
    tir.block "W" (spatial %v_i in 8 = %i) do {
      %z = arith.constant 0.0 : f32
      tir.store %z, %A[%v_i] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @carried(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[0] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) where (%i >= 1) do {
      %x = tir.load %B[%v_i - 1] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    tir.block "W" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %A[0] : memref<8xf32>
    }
  }
  func.return
}

func.func @local(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    %T = tir.alloc "T" : memref<8xf32>
    tir.block "T" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %T[%v_b] : memref<8xf32>
    }
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %T[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c] : memref<8xf32>
      tir.store %x, %C[%v_c] : memref<8xf32>
    }
  }
  func.return
}

func.func @itself(%C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %B[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c] : memref<8xf32>
      tir.store %x, %C[%v_c] : memref<8xf32>
    }
  }
  func.return
}

// OUTPUT:      error[KC3202]: compute_inline: C of block C is an output
// OUTPUT-NEXT:   --> {{.*}}compute_inline_invalid.mlir:22:3  %C = te.compute "C" [%i = 8] {
// OUTPUT-NEXT:    |  for i in 8:
// OUTPUT-NEXT:    |    block C    <-- here
// OUTPUT-NEXT:   why: the caller reads all of it after the call
// OUTPUT-NEXT:   try: cache_write gives block C its own buffer

// REDUCTION:      error[KC3220]: compute_inline: block S is a reduction
// REDUCTION-NEXT:   --> {{.*}}compute_inline_invalid.mlir:18:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// REDUCTION-NEXT:    |  for i in 8:
// REDUCTION-NEXT:    |    for k in 4:
// REDUCTION-NEXT:    |      block S    <-- here
// REDUCTION-NEXT:   why: an element is the result of many iterations, which a single expression cannot compute
// REDUCTION-NEXT:   try: compute_at computes it inside a loop of its consumer

// VARIABLES:      error[KC3221]: compute_inline: block B does not store at its own variables
// VARIABLES-NEXT:   --> {{.*}}compute_inline_invalid.mlir:32:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// VARIABLES-NEXT:    |  for b in 8:
// VARIABLES-NEXT:    |    block B    <-- here
// VARIABLES-NEXT:   why: no index of the store is v_b plus a constant, so v_b cannot be derived from the element that is read

// UNWRITTEN:      error[KC3206]: compute_inline: block C reads elements of B that block B does not write
// UNWRITTEN-NEXT:   --> {{.*}}compute_inline_invalid.mlir:55:5  tir.block "C" (spatial %v_i in 8 = %i) do {
// UNWRITTEN-NEXT:    |  for i in 8:
// UNWRITTEN-NEXT:    |    block C    <-- reads B
// UNWRITTEN-NEXT:   why: element [8] is not written

// CHANGED:      error[KC3207]: compute_inline: A, which block B reads, is written by block W in between
// CHANGED-NEXT:   --> {{.*}}compute_inline_invalid.mlir:66:5  tir.block "B" (spatial %v_b in 8 = %i) do {
// CHANGED-NEXT:    |  for i in 8:
// CHANGED-NEXT:    |    block B    <-- reads A
// CHANGED-NEXT:    |    block W    <-- writes A
// CHANGED-NEXT:    |    block C
// CHANGED-NEXT:   why: block W at (i=0) runs between the old place and the new one

// CARRIED:      error[KC3207]: compute_inline: A, which block B reads, is written by block W in between
// CARRIED-NEXT:   --> {{.*}}compute_inline_invalid.mlir:85:5  tir.block "B" (spatial %v_b in 8 = %i) do {
// CARRIED-NEXT:    |  for i in 8:
// CARRIED-NEXT:    |    block B    <-- reads A
// CARRIED-NEXT:    |    block C
// CARRIED-NEXT:    |    block W    <-- writes A
// CARRIED-NEXT:   why: block W at (i=0) runs between the old place and the new one

// LOCAL:      error[KC3208]: compute_inline: block B cannot be computed in block C
// LOCAL-NEXT:   --> {{.*}}compute_inline_invalid.mlir:109:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// LOCAL-NEXT:    |  for b in 8:
// LOCAL-NEXT:    |    alloc T
// LOCAL-NEXT:    |    block T
// LOCAL-NEXT:    |    block B    <-- here
// LOCAL-NEXT:   why: it uses the buffer T, which is not available there
// LOCAL-NEXT:   try: move the block that writes T out first

// ITSELF:      error[KC3200]: compute_inline: block B is neither complete nor a reduction
// ITSELF-NEXT:   --> {{.*}}compute_inline_invalid.mlir:126:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// ITSELF-NEXT:    |  for b in 8:
// ITSELF-NEXT:    |    block B    <-- here
// ITSELF-NEXT:   why: it reads B, which it writes
// ITSELF-NEXT:   try: use compute_inline on a block that computes each element of one buffer

// A branch that computes a value may do nothing besides.
// RUN: not kc-opt %s --compute-inline="func=besides block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BESIDES
func.func @besides(%A: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>, %c: i1) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %x = scf.if %c -> (f32) {
        %a = tir.load %A[%v_b] : memref<8xf32>
        tir.store %a, %D[%v_b] : memref<8xf32>
        scf.yield %a : f32
      } else {
        %a = tir.load %A[%v_b] : memref<8xf32>
        scf.yield %a : f32
      }
      tir.store %x, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}
// BESIDES:      error[KC3200]: compute_inline: block B is neither complete nor a reduction
// BESIDES-NEXT:   --> {{.*}}compute_inline_invalid.mlir:205:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// BESIDES-NEXT:    |  for b in 8:
// BESIDES-NEXT:    |    block B    <-- here
// BESIDES-NEXT:   why: it contains scf.if
// BESIDES-NEXT:   try: use compute_inline on a block that computes each element of one buffer
