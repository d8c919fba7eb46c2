// What cache_write refuses, and what it says then.
// RUN: not kc-opt %s --cache-write="func=holes block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=holes block=C scope=LOCAL" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=holes block=C buffer=C" 2>&1 | FileCheck %s --check-prefix=HOLES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=unknown block=C buffer=C" 2>&1 | FileCheck %s --check-prefix=SIZE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=mixed block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=seen block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=SEEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=update block=S buffer=S" 2>&1 | FileCheck %s --check-prefix=UPDATE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=lanes block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=stored block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=STORED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=holes block=C buffer=C consumers=C" 2>&1 | FileCheck %s --check-prefix=CONSUMER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=several block=B buffer=B consumers=C,D" 2>&1 | FileCheck %s --check-prefix=OLD --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=several block=B buffer=B consumers=C,E" 2>&1 | FileCheck %s --check-prefix=NEWER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=before block=B buffer=B consumers=D" 2>&1 | FileCheck %s --check-prefix=BEFORE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --cache-write="func=nothing block=S buffer=S scope=local" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace

func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i * 2] : memref<16xf32>
    }
  }
  func.return
}

func.func @unknown(%n: index, %C: memref<?xf32>) {
  tir.for %i in %n {
    tir.block "C" (spatial %v_i in %n = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<?xf32>
    }
  }
  func.return
}

// B reads what it writes in this and in other iterations.
func.func @mixed(%B: memref<9xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 1 {
      tir.block "B" (spatial %v_i in 9 = %i + 1) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %B[%v_i] : memref<9xf32>
        tir.for %k in 8 {
          %y = tir.load %B[%k] : memref<9xf32>
          tir.store %y, %D[%k] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

func.func @seen(%B: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = arith.constant 2.0 : f32
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @update(%A: memref<4x8xf32>, %S: memref<4xf32>) {
  tir.for %i in 4 {
    tir.block "S_init" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 0.0 : f32
      tir.store %x, %S[%v_i] : memref<4xf32>
    }
    tir.for %k in 8 {
      tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
        %x = tir.load %A[%v_i, %v_k] : memref<4x8xf32>
        %s = tir.load %S[%v_i] : memref<4xf32>
        %t = arith.addf %s, %x : f32
        tir.store %t, %S[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 vectorized {
    %B = tir.alloc "B" : memref<1xf32>
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %B[0] : memref<1xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %B[0] : memref<1xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @stored(%B: memref<8xf32>) {
  func.call @change(%B) : (memref<8xf32>) -> ()
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// D reads an element that B does not write, E one that W writes later.
func.func @several(%B: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 4 {
    tir.block "B" (spatial %v_i in 4 = %i) do {
      %x = arith.constant 2.0 : f32
      tir.store %x, %B[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "C" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 4 {
    tir.block "D" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i + 1] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  tir.block "W" () do {
    %x = arith.constant 2.0 : f32
    tir.store %x, %B[2] : memref<8xf32>
  }
  tir.for %i in 4 {
    tir.block "E" (spatial %v_i in 4 = %i) do {
      %x = tir.load %B[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

// D is in front of B, and never runs.
func.func @before(%A: memref<1xf32>, %C: memref<1xf32>) {
  %B = tir.alloc "B" : memref<1xf32>
  tir.for %i in 1 {
    tir.if (%i >= 1) {
      tir.block "D" (spatial %v in 1 = %i) do {
        %x = tir.load %B[%v] : memref<1xf32>
        tir.store %x, %C[%v] : memref<1xf32>
      }
    }
  }
  tir.for %i in 1 {
    tir.block "B" (spatial %v in 1 = %i) do {
      %x = tir.load %A[%v] : memref<1xf32>
      tir.store %x, %B[%v] : memref<1xf32>
    }
  }
  func.return
}

// The updates are over nothing, so S_local would be copied without a value.
func.func @nothing(%A: memref<0xf32>, %S: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %k in 0 {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 0 = %k) do {
        %a = tir.load %A[%v_k] : memref<0xf32>
        %s = tir.load %S[%v_i] : memref<8xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

//NAME:error[KC3300]: cache_write: block C writes no buffer A
//NAME-NEXT:  --> {{.*}}cache_write_invalid.mlir:19:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//NAME-NEXT:   |  for i in 8:
//NAME-NEXT:   |    block C    <-- here
//NAME-NEXT:  why: it writes 0: C
//NAME-NEXT:  try: the buffers are: C

//SCOPE:error[KC3301]: cache_write: target llvm has no memory scope 'LOCAL'
//SCOPE-NEXT:  --> {{.*}}cache_write_invalid.mlir:17:1  func.func @holes(%A: memref<8xf32>, %C: memref<16xf32>) {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, shared.dyn, warp, wmma.matrix_a, wmma.matrix_b, wmma.accumulator

//HOLES:error[KC3306]: cache_write: block C does not write all of C that would be copied
//HOLES-NEXT:  --> {{.*}}cache_write_invalid.mlir:19:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//HOLES-NEXT:   |  for i in 8:
//HOLES-NEXT:   |    block C    <-- here
//HOLES-NEXT:  why: element [1] is in the bounding box of its writes, but is not written

//SIZE:error[KC3306]: cache_write: block C may not write all of C that would be copied
//SIZE-NEXT:  --> {{.*}}cache_write_invalid.mlir:29:5  tir.block "C" (spatial %v_i in %n = %i) do {
//SIZE-NEXT:   |  for i in n:
//SIZE-NEXT:   |    block C    <-- here
//SIZE-NEXT:  why: a size of the buffer is known only at the call

//MIXED:error[KC3308]: cache_write: block B reads both old and its own new elements of B
//MIXED-NEXT:  --> {{.*}}cache_write_invalid.mlir:41:7  tir.block "B" (spatial %v_i in 9 = %i + 1) do {
//MIXED-NEXT:   |  for i in 8:
//MIXED-NEXT:   |    for j in 1:
//MIXED-NEXT:   |      block B    <-- here
//MIXED-NEXT:   |        for k in 8:
//MIXED-NEXT:   |          store to D
//MIXED-NEXT:  why: it reads element [0] before writing it, and others after
//MIXED-NEXT:  try: cache_inplace of B, which first copies its old values

//SEEN:error[KC3307]: cache_write: block D reads B before it would be copied
//SEEN-NEXT:  --> {{.*}}cache_write_invalid.mlir:60:5  tir.block "D" (spatial %v_i in 8 = %i) do {
//SEEN-NEXT:   |  for i in 8 vectorized:
//SEEN-NEXT:   |    block B    <-- writes B
//SEEN-NEXT:   |    block D    <-- reads B
//SEEN-NEXT:  why: block D at (i=0) reads what block B at (i=0) writes

//UPDATE:error[KC3308]: cache_write: block S reads both old and its own new elements of S
//UPDATE-NEXT:  --> {{.*}}cache_write_invalid.mlir:75:7  tir.block "S" (spatial %v_i in 4 = %i, reduce %v_k in 8 = %k) do {
//UPDATE-NEXT:   |  for i in 4:
//UPDATE-NEXT:   |    block S_init
//UPDATE-NEXT:   |    for k in 8:
//UPDATE-NEXT:   |      block S    <-- here
//UPDATE-NEXT:  why: it reads element [0] before writing it, and others after
//UPDATE-NEXT:  try: cache_write before decompose_reduction: the init then belongs to the block
//UPDATE-NEXT:  try: cache_inplace of S, which first copies its old values

//LANES:error[KC3310]: cache_write: a copy of B cannot be placed
//LANES-NEXT:  --> {{.*}}cache_write_invalid.mlir:89:5  tir.block "B" (spatial %v_i in 8 = %i) do {
//LANES-NEXT:   |  for i in 8 vectorized:
//LANES-NEXT:   |    alloc B
//LANES-NEXT:   |    block B    <-- here
//LANES-NEXT:   |    block C
//LANES-NEXT:  why: B exists only in a vectorized loop, whose lanes would share the copy
//LANES-NEXT:  try: cache_write first, then vectorize

//STORED:error[KC3303]: cache_write: B of block B is used by func.call
//STORED-NEXT:  --> {{.*}}cache_write_invalid.mlir:104:3  func.call @change(%B) : (memref<8xf32>) -> ()
//STORED-NEXT:   |  func.call    <-- uses B
//STORED-NEXT:  why: the effect of func.call on it is unknown

//CONSUMER:error[KC3304]: cache_write: block C cannot read a copy of C of block C
//CONSUMER-NEXT:  --> {{.*}}cache_write_invalid.mlir:19:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//CONSUMER-NEXT:   |  for i in 8:
//CONSUMER-NEXT:   |    block C    <-- here
//CONSUMER-NEXT:  why: it does not read C

//OLD:error[KC3600]: cache_write: block D reads elements of B that block B has not written
//OLD-NEXT:  --> {{.*}}cache_write_invalid.mlir:129:5  tir.block "D" (spatial %v_i in 4 = %i) do {
//OLD-NEXT:   |  for i in 4:
//OLD-NEXT:   |    block D    <-- reads B
//OLD-NEXT:  why: element [4] is not yet in the new buffer
//OLD-NEXT:  try: consumers=C

//NEWER:error[KC3600]: cache_write: block E reads elements of B that block W has written
//NEWER-NEXT:  --> {{.*}}cache_write_invalid.mlir:139:5  tir.block "E" (spatial %v_i in 4 = %i) do {
//NEWER-NEXT:   |  for i in 4:
//NEWER-NEXT:   |    block E    <-- reads B
//NEWER-NEXT:  why: block W writes the element that is read at (i=2), which the new buffer does not contain
//NEWER-NEXT:  try: consumers=C

//BEFORE:error[KC3600]: cache_write: block D reads elements of B that block B has not written
//BEFORE-NEXT:  --> {{.*}}e_invalid.mlir:152:7  tir.block "D" (spatial %v in 1 = %i) do {
//BEFORE-NEXT:   |  for i in 1:
//BEFORE-NEXT:   |    if ...:
//BEFORE-NEXT:   |      block D    <-- reads B
//BEFORE-NEXT:  why: it comes before block B

//NOTHING:error[KC3306]: cache_write: block S does not write all of S that would be copied
//NOTHING-NEXT:  --> {{.*}}cache_write_invalid.mlir:171:7  tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 0 = %k) do {
//NOTHING-NEXT:   |  for i in 8:
//NOTHING-NEXT:   |    for k in 0:
//NOTHING-NEXT:   |      block S    <-- here
//NOTHING-NEXT:  why: element [0] is in the bounding box of its writes, but is not written
//NOTHING-NEXT:  try: cache_inplace of S, which first copies its old values

// The last part of a loop, which may have no iteration where the reduction is not over nothing.
// RUN: not kc-opt %s --cache-write="func=part block=S buffer=S" 2>&1 | FileCheck %s --check-prefix=PART --match-full-lines --strict-whitespace
func.func @part(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %S: memref<1xf32>) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  %last = tir.apply max(min(1, %n - 2), 0)
  tir.for %i in 1 {
    tir.for %k in %last {
      tir.block "S" (spatial %v_i in 1 = %i, reduce %v_k in %n = %last - 1 - %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %S[%v_i] : memref<1xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<?xf32>
        %s = tir.load %S[%v_i] : memref<1xf32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %S[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}
//PART:error[KC3306]: cache_write: block S does not write all of S that would be copied
//PART-NEXT:  --> {{.*}}cache_write_invalid.mlir:288:7  tir.block "S" (spatial %v_i in 1 = %i, reduce %v_k in %n = %last - 1 - %k) init {
//PART-NEXT:   |  for i in 1:
//PART-NEXT:   |    for k in last:
//PART-NEXT:   |      block S    <-- here
//PART-NEXT:  why: element [0] (for n = 1) is in the bounding box of its writes, but is not written
//PART-NEXT:  try: cache_inplace of S, which first copies its old values
