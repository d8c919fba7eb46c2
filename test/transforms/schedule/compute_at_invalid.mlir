// What compute_at refuses, and what it says then.
// RUN: not kc-opt %s --compute-at="func=not_a_definition block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=STORES
// RUN: not kc-opt %s --compute-at="func=init_elsewhere block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INIT
// RUN: not kc-opt %s --compute-at="func=two block=B loop=q" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOLOOP
// RUN: not kc-opt %s --compute-at="func=two block=B loop=b" 2>&1 | FileCheck %s --check-prefix=OWN
// RUN: not kc-opt %s --compute-at="func=two block=D loop=c" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTPUT
// RUN: not kc-opt %s --compute-at="func=unread block=B loop=b" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNREAD
// RUN: not kc-opt %s --compute-at="func=two block=B loop=c" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=OUTSIDE
// RUN: not kc-opt %s --compute-at="func=two_writers block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITERS
// RUN: not kc-opt %s --compute-at="func=unwritten block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITTEN
// RUN: not kc-opt %s --compute-at="func=parts block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PARTS
// RUN: not kc-opt %s --compute-at="func=changed block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=CHANGED
// RUN: not kc-opt %s --compute-at="func=local block=B loop=c" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=LOCAL
// RUN: not kc-opt %s --compute-at="func=predicate block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=PREDICATE
// RUN: not kc-opt %s --compute-at="func=repeated block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REPEATED
// RUN: not kc-opt %s --vectorize="func=one block=C loop=j" --compute-at="func=one block=B loop=j" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=VECTOR
// RUN: not kc-opt %s --parallel="func=one block=B loop=b" --compute-at="func=one block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=KIND
// RUN: not kc-opt %s --compute-at="func=scope block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SCOPE
// RUN: not kc-opt %s --compute-at="func=one block=B loop=j" --compute-at="func=one block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALREADY
// RUN: not kc-opt %s --compute-at="func=carried block=B loop=j" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BEFORE
// RUN: not kc-opt %s --compute-at="func=one block=B loop=i index=1" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=INDEX
// RUN: not kc-opt %s --split="func=one block=C loop=i factors=?,4" --compute-at="func=one block=B loop=i" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=GONE

func.func @not_a_definition(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[0] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[0] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// The instances of v_b = 7 set B[0], after those of v_b = 0 have added to it.
func.func @init_elsewhere(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.for %k in 4 {
      tir.block "B" (spatial %v_b in 8 = %b, reduce %v_k in 4 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %B[7 - %v_b] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_b, %v_k] : memref<8x4xf32>
        %old = tir.load %B[%v_b] : memref<8xf32>
        %sum = arith.addf %old, %a : f32
        tir.store %sum, %B[%v_b] : memref<8xf32>
      }
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

te.func @two(%A: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
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

te.func @unread(%A: tensor<8xf32>) -> tensor<8xf32> {
  %B = te.compute "B" [%b = 8] {
    %a = te.read %A[%b] : tensor<8xf32>
    te.yield %a : f32
  } : tensor<8xf32>
  te.return %A : tensor<8xf32>
}

func.func @two_writers(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %d in 4 {
    tir.block "D" (spatial %v_d in 4 = %d) do {
      %a = tir.load %A[%v_d * 2] : memref<8xf32>
      tir.store %a, %B[%v_d] : memref<8xf32>
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

func.func @parts(%A: memref<16xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<16xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 16 = %b * 2) do {
      %a = tir.load %A[%v_b] : memref<16xf32>
      tir.store %a, %B[%v_b] : memref<16xf32>
    }
  }
  tir.for %i in 4 {
    tir.for %j in 2 {
      tir.block "C" (spatial %v_i in 8 = %i * 2 + %j) do {
        %x = tir.load %B[%v_i * 2] : memref<16xf32>
        tir.store %x, %C[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @changed(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    tir.block "W" (spatial %v_i in 8 = 7 - %i) do {
      %x = tir.load %C[7 - %v_i] : memref<8xf32>
      tir.store %x, %A[%v_i] : memref<8xf32>
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

func.func @predicate(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) where (%b < 7) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
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

func.func @repeated(%A: memref<8x4xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.for %k in 4 {
      tir.for %again in 2 {
        tir.block "B" (spatial %v_b in 8 = %b, reduce %v_k in 4 = %k) init {
          %z = arith.constant 0.0 : f32
          tir.store %z, %B[%v_b] : memref<8xf32>
        } do {
          %a = tir.load %A[%v_b, %v_k] : memref<8x4xf32>
          %s = tir.load %B[%v_b] : memref<8xf32>
          %t = arith.addf %s, %a : f32
          tir.store %t, %B[%v_b] : memref<8xf32>
        }
      }
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

te.func @one(%A: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %B = te.compute "B" [%b = 8, %d = 16] {
    %a = te.read %A[%b, %d] : tensor<8x16xf32>
    te.yield %a : f32
  } : tensor<8x16xf32>
  %C = te.compute "C" [%i = 8, %j = 16] {
    %x = te.read %B[%i, %j] : tensor<8x16xf32>
    te.yield %x : f32
  } : tensor<8x16xf32>
  te.return %C : tensor<8x16xf32>
}

func.func @scope(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %b in 8 {
    tir.block "B" (spatial %v_b in 8 = %b) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  tir.block "outer" (opaque %u in 1 = 0) do {
    tir.for %i in 8 {
      %x = tir.load %B[%i] : memref<8xf32>
      tir.store %x, %C[%i] : memref<8xf32>
    }
  }
  func.return
}

func.func @carried(%A: memref<8xf32>, %C: memref<8xf32>) {
  %B = tir.alloc "B" : memref<8xf32>
  tir.for %i in 8 {
    tir.for %j in 1 {
      tir.block "C" (spatial %v_i in 7 = %i - 1) where (%i >= 1) do {
        %x = tir.load %B[%v_i] : memref<8xf32>
        tir.store %x, %C[%v_i] : memref<8xf32>
      }
    }
    tir.block "B" (spatial %v_b in 8 = %i) do {
      %a = tir.load %A[%v_b] : memref<8xf32>
      tir.store %a, %B[%v_b] : memref<8xf32>
    }
  }
  func.return
}

// INIT:      error[KC3200]: compute_at: block B is neither complete nor a reduction
// INIT-NEXT:   --> {{.*}}compute_at_invalid.mlir:66:7  tir.block "B" (spatial %v_b in 8 = %b, reduce %v_k in 4 = %k) init {
// INIT-NEXT:    |  for b in 8:
// INIT-NEXT:    |    for k in 4:
// INIT-NEXT:    |      block B    <-- here
// INIT-NEXT:   why: its init does not store to the element of B that it updates
// INIT-NEXT:   try: use compute_at on a block that computes each element of one buffer
// STORES:      error[KC3200]: compute_at: block B is neither complete nor a reduction
// STORES-NEXT:   --> {{.*}}compute_at_invalid.mlir:47:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// STORES-NEXT:    |  for b in 8:
// STORES-NEXT:    |    block B    <-- here
// STORES-NEXT:   why: v_b does not follow from the written element of B
// STORES-NEXT:   try: use compute_at on a block that computes each element of one buffer

// NOLOOP:      error[KC3201]: compute_at: there is no loop 'q' around the consumers of B
// NOLOOP-NEXT:   --> {{.*}}compute_at_invalid.mlir:91:3  %C = te.compute "C" [%c = 8] {
// NOLOOP-NEXT:    |  for c in 8:
// NOLOOP-NEXT:    |    block C    <-- this is one of them
// NOLOOP-NEXT:   why: the consumers are block C, block D
// NOLOOP-NEXT:   try: the loops are: c, d

// OWN:      error[KC3201]: compute_at: there is no loop 'b' around the consumers of B
// OWN-NEXT:   --> {{.*}}compute_at_invalid.mlir:91:3  %C = te.compute "C" [%c = 8] {
// OWN-NEXT:    |  for c in 8:
// OWN-NEXT:    |    block C    <-- this is one of them
// OWN-NEXT:   why: b is a loop of block B
// OWN-NEXT:   try: the loops are: c, d

// OUTPUT:      error[KC3202]: compute_at: D of block D is an output
// OUTPUT-NEXT:   --> {{.*}}compute_at_invalid.mlir:95:3  %D = te.compute "D" [%d = 8] {
// OUTPUT-NEXT:    |  for d in 8:
// OUTPUT-NEXT:    |    block D    <-- here
// OUTPUT-NEXT:   why: the caller reads all of it after the call
// OUTPUT-NEXT:   try: cache_write gives block D its own buffer

// UNREAD:      error[KC3203]: compute_at: nothing reads B of block B
// UNREAD-NEXT:   --> {{.*}}compute_at_invalid.mlir:103:3  %B = te.compute "B" [%b = 8] {
// UNREAD-NEXT:    |  for b in 8:
// UNREAD-NEXT:    |    block B    <-- here
// UNREAD-NEXT:   why: compute_at moves a block into a loop around its consumers

// OUTSIDE:      error[KC3204]: compute_at: block D reads B outside loop c
// OUTSIDE-NEXT:   --> {{.*}}compute_at_invalid.mlir:95:3  %D = te.compute "D" [%d = 8] {
// OUTSIDE-NEXT:    |  for d in 8:
// OUTSIDE-NEXT:    |    block D    <-- reads B
// OUTSIDE-NEXT:   why: all consumers of block B must be in the loop at which it is computed
// OUTSIDE-NEXT:   try: it is not legal at any loop

// WRITERS:      error[KC3205]: compute_at: B is also used by block D
// WRITERS-NEXT:   --> {{.*}}compute_at_invalid.mlir:119:5  tir.block "D" (spatial %v_d in 4 = %d) do {
// WRITERS-NEXT:    |  for d in 4:
// WRITERS-NEXT:    |    block D    <-- uses B
// WRITERS-NEXT:   why: block B must be the only writer of B, and only loads may read it

// UNWRITTEN:      error[KC3206]: compute_at: block C reads elements of B that block B does not write in loop i
// UNWRITTEN-NEXT:   --> {{.*}}compute_at_invalid.mlir:142:5  tir.block "C" (spatial %v_i in 8 = %i) do {
// UNWRITTEN-NEXT:    |  for i in 8:
// UNWRITTEN-NEXT:    |    block C    <-- reads B
// UNWRITTEN-NEXT:   why: element [8] is not written
// UNWRITTEN-NEXT:   try: it is not legal at any loop

// PARTS:      error[KC3209]: compute_at: block B does not run for all needed elements in loop i
// PARTS-NEXT:   --> {{.*}}compute_at_invalid.mlir:153:5  tir.block "B" (spatial %v_b in 16 = %b * 2) do {
// PARTS-NEXT:    |  for b in 8:
// PARTS-NEXT:    |    block B    <-- here
// PARTS-NEXT:   why: it does not run for v_b=1, which is in the bounding box of all reads
// PARTS-NEXT:   try: legal: loop=j

// CHANGED:      error[KC3207]: compute_at: A, which block B reads, is written by block W in between
// CHANGED-NEXT:   --> {{.*}}compute_at_invalid.mlir:172:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// CHANGED-NEXT:    |  for b in 8:
// CHANGED-NEXT:    |    block B    <-- reads A
// CHANGED-NEXT:   why: block W at (i=3) runs between the old place and the new one
// CHANGED-NEXT:   try: it is not legal at any loop

// LOCAL:      error[KC3208]: compute_at: block B cannot be computed in loop c
// LOCAL-NEXT:   --> {{.*}}compute_at_invalid.mlir:198:5  tir.block "B" (spatial %v_b in 8 = %b) do {
// LOCAL-NEXT:    |  for b in 8:
// LOCAL-NEXT:    |    alloc T
// LOCAL-NEXT:    |    block T
// LOCAL-NEXT:    |    block B    <-- here
// LOCAL-NEXT:   why: it uses the buffer T, which is not available there
// LOCAL-NEXT:   try: move the block that writes T out first

// PREDICATE:      error[KC3209]: compute_at: block B does not run for all needed elements in loop i
// PREDICATE-NEXT:   --> {{.*}}compute_at_invalid.mlir:215:5  tir.block "B" (spatial %v_b in 8 = %b) where (%b < 7) do {
// PREDICATE-NEXT:    |  for b in 8:
// PREDICATE-NEXT:    |    block B    <-- here
// PREDICATE-NEXT:   why: it does not run for v_b=7, which is in the bounding box of all reads
// PREDICATE-NEXT:   try: it is not legal at any loop

// REPEATED:      error[KC3209]: compute_at: block B runs more than once for the same values of its variables
// REPEATED-NEXT:   --> {{.*}}compute_at_invalid.mlir:234:9  tir.block "B" (spatial %v_b in 8 = %b, reduce %v_k in 4 = %k) init {
// REPEATED-NEXT:    |  for b in 8:
// REPEATED-NEXT:    |    for k in 4:
// REPEATED-NEXT:    |      for again in 2:
// REPEATED-NEXT:    |        block B    <-- here
// REPEATED-NEXT:   why: it does at (b=0, k=0, again=0) and at (b=0, k=0, again=1), and a reduction accumulates each time it runs
// REPEATED-NEXT:   try: it is not legal at any loop

// VECTOR:      error[KC3211]: compute_at: loop j is vectorized
// VECTOR-NEXT:   --> {{.*}}compute_at_invalid.mlir:260:3  %C = te.compute "C" [%i = 8, %j = 16] {
// VECTOR-NEXT:    |  for i in 8:
// VECTOR-NEXT:    |    for j in 16 vectorized:    <-- vectorized
// VECTOR-NEXT:    |      block C
// VECTOR-NEXT:   why: the lanes of j would share one B
// VECTOR-NEXT:   try: compute_at first, then vectorize

// KIND:      error[KC3010]: compute_at: loop b is already parallel
// KIND-NEXT:   --> {{.*}}compute_at_invalid.mlir:256:3  %B = te.compute "B" [%b = 8, %d = 16] {
// KIND-NEXT:    |  for b in 8 parallel:    <-- here
// KIND-NEXT:    |    for d in 16:
// KIND-NEXT:    |      block B
// KIND-NEXT:   why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:   try: compute_at first, then parallel one of the results

// SCOPE:      error[KC3201]: compute_at: there is no loop 'i' around the consumers of B
// SCOPE-NEXT:   --> {{.*}}compute_at_invalid.mlir:275:3  tir.block "outer" (opaque %u in 1 = 0) do {
// SCOPE-NEXT:    |  block outer    <-- this is the one
// SCOPE-NEXT:    |    for i in 8:
// SCOPE-NEXT:    |      store to C
// SCOPE-NEXT:   why: the consumers are block outer
// SCOPE-NEXT:   try: it is not legal at any loop

// ALREADY:      error[KC3213]: compute_at: block B is already in loop i
// ALREADY-NEXT:   --> {{.*}}compute_at_invalid.mlir:256:3  %B = te.compute "B" [%b = 8, %d = 16] {
// ALREADY-NEXT:    |  for i in 8:    <-- the loop
// ALREADY-NEXT:    |    for j in 16:
// ALREADY-NEXT:    |      alloc B
// ALREADY-NEXT:    |      block B    <-- the block
// ALREADY-NEXT:    |      block C
// ALREADY-NEXT:   why: a block can only be moved into a loop that does not contain it
// ALREADY-NEXT:   try: move B outside all loops with compute_root first

// BEFORE:      error[KC3214]: compute_at: loop j comes before block B
// BEFORE-NEXT:   --> {{.*}}compute_at_invalid.mlir:287:5  tir.for %j in 1 {
// BEFORE-NEXT:    |  for i in 8:
// BEFORE-NEXT:    |    for j in 1:    <-- the loop
// BEFORE-NEXT:    |      block C
// BEFORE-NEXT:    |    block B    <-- the block
// BEFORE-NEXT:   why: the loop reads values of an earlier iteration, not those of the B that would be moved
// BEFORE-NEXT:   try: it is not legal at any loop

// INDEX:      error[KC3215]: compute_at: index 1 in loop i
// INDEX-NEXT:   --> {{.*}}compute_at_invalid.mlir:260:3  %C = te.compute "C" [%i = 8, %j = 16] {
// INDEX-NEXT:    |  for i in 8:    <-- the loop
// INDEX-NEXT:    |    for j in 16:    <-- child 0, the first consumer
// INDEX-NEXT:    |      block C
// INDEX-NEXT:   why: the block must come before its first consumer: 0 to 0, -1 or -2
// INDEX-NEXT:   try: index=-1
// INDEX-NEXT:   try: index=0

// GONE:      error[KC3201]: compute_at: there is no loop 'i' around the consumers of B
// GONE-NEXT:   --> {{.*}}compute_at_invalid.mlir:260:3  %C = te.compute "C" [%i = 8, %j = 16] {
// GONE-NEXT:    |  for i_o in 2:
// GONE-NEXT:    |    for i_i in 4:
// GONE-NEXT:    |      for j in 16:
// GONE-NEXT:    |        block C    <-- this is the one
// GONE-NEXT:   why: i was split into i_o, i_i
// GONE-NEXT:   try: did you mean 'i_o' or 'i_i'?
