// What compute_root refuses, and what it says then.
// RUN: not kc-opt %s --reverse-compute-at="func=two block=C loop=i" --compute-root="func=two block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTPUT
// RUN: not kc-opt %s --compute-root="func=changed block=B" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHANGED
// RUN: not kc-opt %s --compute-root="func=unfinished block=S" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNFINISHED
// RUN: not kc-opt %s --compute-at="func=three block=C loop=j" --compute-at="func=three block=B loop=j" --compute-root="func=three block=C" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOCAL

te.func @two(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%i = 8] {
    %a = te.read %A[%i] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  %C = te.compute "C" [%c = 8] {
    %x = te.read %B[%c] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %C : tensor<8xf32>
}

func.func @changed(%A: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[7 - %v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %A[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @unfinished(%A: memref<8x4xf32>, %C: memref<8x4xf32>) {
  %S = tir.alloc "S" : memref<8xf32>
  tir.for %i in 8 {
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
      tir.block "C" (spatial %v_i in 8 = %i, spatial %v_k in 4 = %k) do {
        %x = tir.load %S[%v_i] : memref<8xf32>
        tir.store %x, %C[%v_i, %v_k] : memref<8x4xf32>
      }
    }
  }
  func.return
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
  %D = te.compute "D" [%j = 8] {
    %x = te.read %C[%j] : tensor<8xf32>
    te.yield %x : f32
  } : tensor<8xf32>
  te.return %D : tensor<8xf32>
}

// OUTPUT:      error[KC3202]: compute_root: C of block C is an output
// OUTPUT-NEXT:   --> {{.*}}compute_root_invalid.mlir:16:3  %C = te.compute "C" [%c = 8] {
// OUTPUT-NEXT:    |  for i in 8:
// OUTPUT-NEXT:    |    block B
// OUTPUT-NEXT:    |    block C    <-- here
// OUTPUT-NEXT:   why: the caller reads all of it after the call
// OUTPUT-NEXT:   try: cache_write gives block C its own buffer

// CHANGED:      error[KC3207]: compute_root: A, which block B reads, is written by block C in between
// CHANGED-NEXT:   --> {{.*}}compute_root_invalid.mlir:26:5  tir.block "B" (spatial %v_b in 8 = %i) do {
// CHANGED-NEXT:    |  for i in 8:
// CHANGED-NEXT:    |    block B    <-- reads A
// CHANGED-NEXT:    |    block C    <-- writes A
// CHANGED-NEXT:   why: block C at (i=3) runs between the old place and the new one

// UNFINISHED:      error[KC3260]: compute_root: block C reads an unfinished reduction of block S
// UNFINISHED-NEXT:   --> {{.*}}compute_root_invalid.mlir:51:7  tir.block "C" (spatial %v_i in 8 = %i, spatial %v_k in 4 = %k) do {
// UNFINISHED-NEXT:    |  for i in 8:
// UNFINISHED-NEXT:    |    for k in 4:
// UNFINISHED-NEXT:    |      block S    <-- updates
// UNFINISHED-NEXT:    |      block C    <-- reads
// UNFINISHED-NEXT:   why: block C at (i=0, k=0) reads an element that block S at (i=0, k=1) updates later

// LOCAL:      error[KC3208]: compute_root: block C cannot be computed at the root
// LOCAL-NEXT:   --> {{.*}}compute_root_invalid.mlir:65:3  %C = te.compute "C" [%c = 8] {
// LOCAL-NEXT:    |  for j in 8:
// LOCAL-NEXT:    |    alloc C
// LOCAL-NEXT:    |    alloc B
// LOCAL-NEXT:    |    block B
// LOCAL-NEXT:    |    block C    <-- here
// LOCAL-NEXT:    |    block D
// LOCAL-NEXT:   why: it uses the buffer B, which is not available there
// LOCAL-NEXT:   try: move the block that writes B out first

// RUN: not kc-opt %s --compute-root="func=unread block=B" 2>&1 | FileCheck %s --check-prefix=UNREAD

func.func @unread(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// UNREAD:      error[KC3203]: compute_root: nothing reads B of block B
// UNREAD-NEXT:   --> {{.*}}compute_root_invalid.mlir:{{[0-9]+}}:5  tir.block "B" (spatial %v_b in 8 = %i) do {
// UNREAD-NEXT:    |  for i in 8:
// UNREAD-NEXT:    |    block B    <-- here
// UNREAD-NEXT:    |    block C
// UNREAD-NEXT: why: compute_root computes a block for its consumers
