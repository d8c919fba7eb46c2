// What reverse_compute_inline refuses, and what it says then.
// RUN: not kc-opt %s --reverse-compute-inline="func=two block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TWO
// RUN: not kc-opt %s --reverse-compute-inline="func=two block=A2" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not kc-opt %s --reverse-compute-inline="func=sum block=S" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REDUCTION
// RUN: not kc-opt %s --reverse-compute-inline="func=sum block=D" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OFSUM
// RUN: not kc-opt %s --reverse-compute-inline="func=readers block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=READERS
// RUN: not kc-opt %s --reverse-compute-inline="func=several block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SEVERAL
// RUN: not kc-opt %s --reverse-compute-inline="func=less block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS
// RUN: not kc-opt %s --reverse-compute-inline="func=broadcast block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kc-opt %s --reverse-compute-inline="func=between block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BETWEEN
// RUN: not kc-opt %s --reverse-compute-inline="func=changed block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHANGED
// RUN: not kc-opt %s --reverse-compute-inline="func=carried block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE

te.func @two(%A: tensor<8xf32>) -> tensor<8xf32> {
  %A2 = te.compute "A2" [%a = 8] {
    %x = te.read %A[%a] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  %B = te.compute "B" [%b = 8] {
    %x = te.read %A[7 - %b] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %A2[%c] : tensor<8xf32>
    %y = te.read %B[%c] : tensor<8xf32>
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

te.func @sum(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8, %d = 4] {
    %a = te.read %A[%b, %d] : tensor<8x4xf32>
    te.yield %a : f32
  } : tensor<8x4xf32>
  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
    %x = te.read %B[%i, %k] : tensor<8x4xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  %D = te.compute "D" [%d = 8] {
    %x = te.read %S[%d] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %D : tensor<8xf32>
}

te.func @readers(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %B[%c] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  %D = te.compute "D" [%d = 8] {
    %x = te.read %B[%d] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %C, %D : tensor<8xf32>, tensor<8xf32>
}

te.func @several(%A: tensor<8xf32>) -> tensor<7xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 7] {
    %x = te.read %B[%c] : tensor<8xf32>
    %y = te.read %B[%c + 1] : tensor<8xf32>
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } : tensor<7xf32>
  te.return %C : tensor<7xf32>
}

te.func @less(%A: tensor<8xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 4] {
    %x = te.read %B[%c + 2] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

te.func @broadcast(%A: tensor<8xf32>) -> tensor<8x4xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 8, %d = 4] {
    %x = te.read %B[%c] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8x4xf32>
  te.return %C : tensor<8x4xf32>
}

func.func @between(%A: memref<8xf32>, %O: memref<8xf32>, %D: memref<1xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.block "D" (opaque %u in 1 = 0) do {
    %x = tir.load %O[5] : memref<8xf32>
    tir.store %x, %D[0] : memref<1xf32>
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c] : memref<8xf32>
      tir.store %x, %O[%v_c] : memref<8xf32>
    }
  }
  func.return
}

func.func @changed(%A: memref<8xf32>, %W: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %w in 8 {
    %z = arith.constant 0.0 : f32
    tir.store %z, %W[%w] : memref<8xf32>
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c] : memref<8xf32>
      %w = tir.load %W[%v_c] : memref<8xf32>
      %p = arith.mulf %x, %w : f32
      tir.store %p, %C[%v_c] : memref<8xf32>
    }
  }
  func.return
}

func.func @carried(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i - 1) where (%i >= 1) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  func.return
}

// TWO:      error[KC3240]: reverse_compute_inline: block C has 2 producers
// TWO-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:34:3  %C = te.compute "C" [%c = 8] {
// TWO-NEXT:    |  for c in 8:
// TWO-NEXT:    |    block C    <-- here
// TWO-NEXT:   why: its inputs are written by block A2, block B; it can be inlined into only one of them
// TWO-NEXT:   try: compute_inline B first

// NONE:      error[KC3240]: reverse_compute_inline: block A2 has 0 producers
// NONE-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:26:3  %A2 = te.compute "A2" [%a = 8] {
// NONE-NEXT:    |  for a in 8:
// NONE-NEXT:    |    block A2    <-- here
// NONE-NEXT:   why: no block writes its inputs

// REDUCTION:      error[KC3220]: reverse_compute_inline: block S is a reduction
// REDUCTION-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:48:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// REDUCTION-NEXT:    |  for i in 8:
// REDUCTION-NEXT:    |    for k in 4:
// REDUCTION-NEXT:    |      block S    <-- here
// REDUCTION-NEXT:   why: an element is the result of many iterations, which a single expression cannot compute
// REDUCTION-NEXT:   try: reverse_compute_at computes a block inside a loop of its producer

// OFSUM:      error[KC3220]: reverse_compute_inline: block S is a reduction
// OFSUM-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:48:3  %S = te.compute "S" [%i = 8] reduce sum [%k = 4] {
// OFSUM-NEXT:    |  for i in 8:
// OFSUM-NEXT:    |    for k in 4:
// OFSUM-NEXT:    |      block S    <-- here
// OFSUM-NEXT:   why: an element is the result of many iterations, which a single expression cannot compute
// OFSUM-NEXT:   try: reverse_compute_at computes a block inside a loop of its producer

// READERS:      error[KC3241]: reverse_compute_inline: B is also read by block D
// READERS-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:60:3  %B = te.compute "B" [%b = 8] {
// READERS-NEXT:    |  for b in 8:
// READERS-NEXT:    |    block B    <-- writes B
// READERS-NEXT:   why: buffer B would be removed

// SEVERAL:      error[KC3242]: reverse_compute_inline: block C does not access B element by element
// SEVERAL-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:80:3  %C = te.compute "C" [%c = 7] {
// SEVERAL-NEXT:    |  for c in 7:
// SEVERAL-NEXT:    |    block C    <-- here
// SEVERAL-NEXT:   why: it reads several elements of B at once
// SEVERAL-NEXT:   try: compute_inline B

// LESS:      error[KC3243]: reverse_compute_inline: blocks B and C do not access the same elements of B
// LESS-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:94:3  %C = te.compute "C" [%c = 4] {
// LESS-NEXT:    |  for c in 4:
// LESS-NEXT:    |    block C    <-- reads B
// LESS-NEXT:   why: block C does not read [0]
// LESS-NEXT:   try: compute_inline B

// UNKNOWN:      error[KC3242]: reverse_compute_inline: block C does not access B element by element
// UNKNOWN-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:106:3  %C = te.compute "C" [%c = 8, %d = 4] {
// UNKNOWN-NEXT:    |  for c in 8:
// UNKNOWN-NEXT:    |    for d in 4:
// UNKNOWN-NEXT:    |      block C    <-- here
// UNKNOWN-NEXT:   why: v_c, v_d do not follow from the read element of B by one affine map
// UNKNOWN-NEXT:   try: compute_inline B

// BETWEEN:      error[KC3232]: reverse_compute_inline: block D reads O before block C writes it
// BETWEEN-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:121:3  tir.block "D" (opaque %u in 1 = 0) do {
// BETWEEN-NEXT:    |  block D    <-- reads O
// BETWEEN-NEXT:   why: block D comes between the new place and the old one

// CHANGED:      error[KC3207]: reverse_compute_inline: W, which block C reads, is written by tir.store in between
// CHANGED-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:147:5  tir.block "C" (spatial %v_c in 8 = %c) do {
// CHANGED-NEXT:    |  for c in 8:
// CHANGED-NEXT:    |    block C    <-- reads W
// CHANGED-NEXT:   why: tir.store at (w=0) runs between the old place and the new one

// BEFORE:      error[KC3214]: reverse_compute_inline: block B comes after block C
// BEFORE-NEXT:   --> {{.*}}reverse_compute_inline_invalid.mlir:160:5  tir.block "C" (spatial %v_i in 8 = %i - 1) where (%i >= 1) do {
// BEFORE-NEXT:    |  for i in 8:
// BEFORE-NEXT:    |    block C    <-- here
// BEFORE-NEXT:    |    block B    <-- writes B
// BEFORE-NEXT:   why: it reads values of an earlier iteration
