// What reverse_compute_at refuses, and what it says then.
// RUN: not kc-opt %s --reverse-compute-at="func=two block=B loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SOURCE
// RUN: not kc-opt %s --reverse-compute-at="func=three block=D loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HOLDS
// RUN: not kc-opt %s --reverse-compute-at="func=two block=C loop=c" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOLOOP
// RUN: not kc-opt %s --reverse-compute-at="func=two block=C loop=d" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=MORE
// RUN: not kc-opt %s --reverse-compute-at="func=less block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LESS
// RUN: not kc-opt %s --reverse-compute-at="func=later block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LATER
// RUN: not kc-opt %s --reverse-compute-at="func=between block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BETWEEN
// RUN: not kc-opt %s --parallel="func=sum block=B loop=k" --reverse-compute-at="func=sum block=S loop=k" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=THREADS
// RUN: not kc-opt %s --parallel="func=halo block=B loop=b" --reverse-compute-at="func=halo block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HALO
// RUN: not kc-opt %s --reverse-compute-at="func=two block=C loop=b index=3" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INDEX
// RUN: not kc-opt %s --reverse-compute-at="func=two block=C loop=b" --reverse-compute-at="func=two block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALREADY
// RUN: not kc-opt %s --reverse-compute-at="func=carried block=C loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE

te.func @two(%A: tensor<8x4xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8, %d = 4] {
    %a = te.read %A[%b, %d] : tensor<8x4xf32>
    te.yield %a : f32
  } : tensor<8x4xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %B[%c, 0] : tensor<8x4xf32>
    %y = te.read %B[%c, 3] : tensor<8x4xf32>
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

te.func @three(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %B[%c] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  %D = te.compute "D" [%d = 8] {
    %x = te.read %C[%d] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %D : tensor<8xf32>
}

// No iteration of %b completes C[7] at 7 + 1.
func.func @less(%A: memref<8xf32>, %B: memref<9xf32>, %C: memref<8xf32>) {
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<9xf32>
    }
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c + 1] : memref<9xf32>
      tir.store %x, %C[%v_c] : memref<8xf32>
    }
  }
  func.return
}

// The end of B comes from a second block.
func.func @later(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.block "end" (opaque %u in 1 = 0) do {
    %z = arith.constant 0.0 : f32
    tir.store %z, %B[7] : memref<8xf32>
  }
  tir.for %c in 8 {
    tir.block "C" (spatial %v_c in 8 = %c) do {
      %x = tir.load %B[%v_c] : memref<8xf32>
      tir.store %x, %C[%v_c] : memref<8xf32>
    }
  }
  func.return
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

te.func @sum(%A: tensor<16x8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%k = 16, %j = 8] {
    %a = te.read %A[%k, %j] : tensor<16x8xf32>
    %b = arith.mulf %a, %a : f32
    te.yield %b : f32
  } : tensor<16x8xf32>
  %S = te.compute "S" [%i = 8] reduce sum [%r = 16] {
    %x = te.read %B[%r, %i] : tensor<16x8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %S : tensor<8xf32>
}

// What C reads was written by another thread.
te.func @halo(%A: tensor<10xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 10] {
    %a = te.read %A[%b] : tensor<10xf32>
    te.yield %a : f32
  } : tensor<10xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %B[%c] : tensor<10xf32>
    %y = te.read %B[%c + 2] : tensor<10xf32>
    %s = arith.addf %x, %y : f32
    te.yield %s : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

func.func @carried(%B: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    tir.for %b in 8 {
      tir.block "B" (spatial %v_b in 8 = %b) do {
        %z = arith.constant 0.0 : f32
        tir.store %z, %B[%v_b] : memref<8xf32>
      }
    }
  }
  func.return
}

// SOURCE:      error[KC3230]: reverse_compute_at: no block writes an input of block B
// SOURCE-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:28:3  %B = te.compute "B" [%b = 8, %d = 4] {
// SOURCE-NEXT:    |  for b in 8:
// SOURCE-NEXT:    |    for d in 4:
// SOURCE-NEXT:    |      block B    <-- here
// SOURCE-NEXT:   why: reverse_compute_at moves a block into a loop around its producers
// SOURCE-NEXT:   try: it is not legal at any loop

// HOLDS:      error[KC3201]: reverse_compute_at: there is no loop 'b' around the producers of D
// HOLDS-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:46:3  %C = te.compute "C" [%c = 8] {
// HOLDS-NEXT:    |  for c in 8:
// HOLDS-NEXT:    |    block C    <-- this is the one
// HOLDS-NEXT:   why: b is a loop of block B
// HOLDS-NEXT:   try: the loops are: c

// NOLOOP:      error[KC3201]: reverse_compute_at: there is no loop 'c' around the producers of C
// NOLOOP-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:28:3  %B = te.compute "B" [%b = 8, %d = 4] {
// NOLOOP-NEXT:    |  for b in 8:
// NOLOOP-NEXT:    |    for d in 4:
// NOLOOP-NEXT:    |      block B    <-- this is the one
// NOLOOP-NEXT:   why: c is a loop of block C
// NOLOOP-NEXT:   try: the loops are: b, d

// MORE:      error[KC3231]: reverse_compute_at: block C would run more than once in loop d
// MORE-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:32:3  %C = te.compute "C" [%c = 8] {
// MORE-NEXT:    |  for c in 8:
// MORE-NEXT:    |    block C    <-- here
// MORE-NEXT:   why: for the same values at (b=0, d=0) and at (b=0, d=1)
// MORE-NEXT:   try: legal: loop=b

// LESS:      error[KC3231]: reverse_compute_at: block C does not run exactly once in loop b
// LESS-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:66:5  tir.block "C" (spatial %v_c in 8 = %c) do {
// LESS-NEXT:    |  for c in 8:
// LESS-NEXT:    |    block C    <-- here
// LESS-NEXT:   why: it would not run for v_c=7
// LESS-NEXT:   try: it is not legal at any loop

// LATER:      error[KC3207]: reverse_compute_at: B, which block C reads, is written by block end in between
// LATER-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:88:5  tir.block "C" (spatial %v_c in 8 = %c) do {
// LATER-NEXT:    |  for c in 8:
// LATER-NEXT:    |    block C    <-- reads B
// LATER-NEXT:   why: block end runs between the old place and the new one
// LATER-NEXT:   try: it is not legal at any loop

// BETWEEN:      error[KC3232]: reverse_compute_at: block D reads O before block C writes it
// BETWEEN-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:104:3  tir.block "D" (opaque %u in 1 = 0) do {
// BETWEEN-NEXT:    |  block D    <-- reads O
// BETWEEN-NEXT:   why: block D comes between the new place and the old one
// BETWEEN-NEXT:   try: it is not legal at any loop

// THREADS:      error[KC3233]: reverse_compute_at: block S would add to an element before it is initialised
// THREADS-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:123:3  %S = te.compute "S" [%i = 8] reduce sum [%r = 16] {
// THREADS-NEXT:    |  for i in 8:
// THREADS-NEXT:    |    for r in 16:
// THREADS-NEXT:    |      block S    <-- here
// THREADS-NEXT:   why: the update is at (k=1), the init at (k=0)
// THREADS-NEXT:   try: it is not legal at any loop

// HALO:      error[KC3207]: reverse_compute_at: B, which block C reads, is written by block B in between
// HALO-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:136:3  %C = te.compute "C" [%c = 8] {
// HALO-NEXT:    |  for c in 8:
// HALO-NEXT:    |    block C    <-- reads B
// HALO-NEXT:   why: block B at (b=0) runs between the old place and the new one
// HALO-NEXT:   try: it is not legal at any loop

// INDEX:      error[KC3215]: reverse_compute_at: index 3 in loop b
// INDEX-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:28:3  %B = te.compute "B" [%b = 8, %d = 4] {
// INDEX-NEXT:    |  for b in 8:    <-- the loop
// INDEX-NEXT:    |    for d in 4:    <-- child 0, the last producer
// INDEX-NEXT:    |      block B
// INDEX-NEXT:   why: the block must come after its last producer: 0 to 0, -1 or -2
// INDEX-NEXT:   try: index=-1
// INDEX-NEXT:   try: index=0

// ALREADY:      error[KC3213]: reverse_compute_at: block C is already in loop b
// ALREADY-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:32:3  %C = te.compute "C" [%c = 8] {
// ALREADY-NEXT:    |  for b in 8:    <-- the loop
// ALREADY-NEXT:    |    for d in 4:
// ALREADY-NEXT:    |      block B
// ALREADY-NEXT:    |    block C    <-- the block
// ALREADY-NEXT:   why: a block can only be moved into a loop that does not contain it

// BEFORE:      error[KC3214]: reverse_compute_at: loop b comes after block C
// BEFORE-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:151:5  tir.for %b in 8 {
// BEFORE-NEXT:    |  for i in 8:
// BEFORE-NEXT:    |    block C    <-- the block
// BEFORE-NEXT:    |    for b in 8:    <-- the loop
// BEFORE-NEXT:    |      block B
// BEFORE-NEXT:   why: the block reads earlier values, not those that the loop writes later
// BEFORE-NEXT:   try: it is not legal at any loop

// RUN: not kc-opt %s --reverse-compute-at="func=empty block=S loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=EMPTY

// The sum of nothing is stored, though no iteration of %b would do it.
func.func @empty(%A: memref<0xf32>, %S: memref<4xf32>) {
  %B = tir.alloc "B" : memref<0xf32>
  tir.for %b in 0 {
    tir.block "B" (spatial %v_b in 0 = %b) do {
      %a = tir.load %A[%v_b] : memref<0xf32>
      tir.store %a, %B[%v_b] : memref<0xf32>
    }
  }
  tir.for %i in 4 {
    tir.for %k in 0 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%v_i] : memref<4xf32>
      } do {
        %s = tir.load %S[%v_i] : memref<4xf32>
        %x = tir.load %B[%v_k] : memref<0xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

// EMPTY:      error[KC3231]: reverse_compute_at: block S does not run exactly once in loop b
// EMPTY-NEXT:   --> {{.*}}reverse_compute_at_invalid.mlir:266:7  tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
// EMPTY-NEXT:    |  for i in 4:
// EMPTY-NEXT:    |    for k in 0:
// EMPTY-NEXT:    |      block S    <-- here
// EMPTY-NEXT:   why: loop b has no iteration
// EMPTY-NEXT:   try: it is not legal at any loop
