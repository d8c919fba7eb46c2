// What write_at refuses, and what it says then.
// RUN: not kc-opt %s --write-at="func=product loop=k block=P buffer=A" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=product loop=k block=P scope=wrap" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=product loop=j_o block=P" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=product loop=k block=P" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=holes loop=i block=C" 2>&1 | FileCheck %s --check-prefix=HOLES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=seen loop=i block=C" 2>&1 | FileCheck %s --check-prefix=SEEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=inner loop=i block=B" 2>&1 | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=lanes loop=j block=C" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=called loop=i block=C" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=empty loop=k block=C" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=turns loop=t block=B scope=local" 2>&1 | FileCheck %s --check-prefix=TURNS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --write-at="func=grid loop=i block=B" 2>&1 | FileCheck %s --check-prefix=GRID --match-full-lines --strict-whitespace

te.func @product(%A: tensor<4x8xf32>) -> tensor<4xf32> {
  %P = te.compute "P" [%i = 4] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %P : tensor<4xf32>
}

func.func @holes(%C: memref<16xf32>) {
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %C[%v * 2] : memref<16xf32>
      }
    }
  }
  func.return
}

func.func @seen(%C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 2 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %C[%v] : memref<8xf32>
      }
      tir.block "D" (spatial %v in 8 = %i * 4 + %j) do {
        %x = tir.load %C[%v] : memref<8xf32>
        tir.store %x, %D[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @inner(%C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 1 {
      %B = tir.alloc "B" : memref<1xf32>
      tir.block "B" () do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %B[0] : memref<1xf32>
      }
      tir.block "C" (spatial %v in 8 = %i) do {
        %x = tir.load %B[0] : memref<1xf32>
        tir.store %x, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @lanes(%C: memref<8xf32>) {
  tir.for %i in 2 vectorized {
    tir.for %j in 4 {
      tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @called(%C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = arith.constant 1.0 : f32
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
    func.call @change(%C) : (memref<8xf32>) -> ()
  }
  func.return
}

// In iteration k thread t writes B[(t + k) mod 4]: all of them write all of B, one after the other.
func.func @turns(%A: memref<4x4xi32>, %B: memref<4xi32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    tir.for %k in 4 {
      tir.block "B" (spatial %v_t in 4 = %t, opaque %v_k in 4 = %k) do {
        %a = tir.load %A[%v_k, %v_t] : memref<4x4xi32>
        tir.store %a, %B[(%v_t + %v_k) mod 4] : memref<4xi32>
      }
    }
  }
  func.return
}

// B is computed in blocks of threads, j, and its copy would be made in each of them.
func.func @grid(%A: memref<4x8xf32>, %B: memref<4x8xf32>) {
  tir.for %i in 4 thread "threadIdx.x" {
    tir.for %j in 8 thread "blockIdx.x" {
      tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
        %x = tir.load %A[%v_i, %v_j] : memref<4x8xf32>
        tir.store %x, %B[%v_i, %v_j] : memref<4x8xf32>
      }
    }
  }
  func.return
}

//NAME:error[KC3300]: write_at: block P writes no buffer A
//NAME-NEXT:  --> {{.*}}write_at_invalid.mlir:16:3  %P = te.compute "P" [%i = 4] reduce sum [%k = 8] {
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for k in 8:
//NAME-NEXT:   |      block P    <-- here
//NAME-NEXT:  why: it writes 0: P
//NAME-NEXT:  try: the buffers are: P

//SCOPE:error[KC3301]: write_at: target llvm has no memory scope 'wrap'
//SCOPE-NEXT:  --> {{.*}}write_at_invalid.mlir:15:1  te.func @product(%A: tensor<4x8xf32>) -> tensor<4xf32> {
//SCOPE-NEXT:  try: did you mean 'warp'?

//LOOP:error[KC3003]: there is no loop 'j_o' around block P
//LOOP-NEXT:  --> {{.*}}write_at_invalid.mlir:16:3  %P = te.compute "P" [%i = 4] reduce sum [%k = 8] {
//LOOP-NEXT:   |  for i in 4:
//LOOP-NEXT:   |    for k in 8:
//LOOP-NEXT:   |      block P
//LOOP-NEXT:  try: the loops are: i, k

//MIXED:error[KC3308]: write_at: block P reads both old and its own new elements of P
//MIXED-NEXT:  --> {{.*}}write_at_invalid.mlir:16:3  %P = te.compute "P" [%i = 4] reduce sum [%k = 8] {
//MIXED-NEXT:   |  for i in 4:
//MIXED-NEXT:   |    for k in 8:
//MIXED-NEXT:   |      block P    <-- here
//MIXED-NEXT:  why: it reads element [0] before writing it, and others after
//MIXED-NEXT:  try: legal: loop=i

//HOLES:error[KC3306]: write_at: block C does not write all of C that would be copied
//HOLES-NEXT:  --> {{.*}}write_at_invalid.mlir:26:7  tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
//HOLES-NEXT:   |  for i in 2:
//HOLES-NEXT:   |    for j in 4:
//HOLES-NEXT:   |      block C    <-- here
//HOLES-NEXT:  why: element [1] is in the bounding box of its writes, but is not written
//HOLES-NEXT:  try: legal: loop=j

//SEEN:error[KC3307]: write_at: block D reads C before it would be copied
//SEEN-NEXT:  --> {{.*}}write_at_invalid.mlir:42:7  tir.block "D" (spatial %v in 8 = %i * 4 + %j) do {
//SEEN-NEXT:   |  for i in 2:
//SEEN-NEXT:   |    for j in 4:
//SEEN-NEXT:   |      block C    <-- writes C
//SEEN-NEXT:   |      block D    <-- reads C
//SEEN-NEXT:  why: block D at (i=0, j=0) reads what block C at (i=0, j=0) writes
//SEEN-NEXT:  try: legal: loop=j

//INNER:error[KC3603]: write_at: B of block B does not exist yet in loop i
//INNER-NEXT:  --> {{.*}}write_at_invalid.mlir:55:7  tir.block "B" () do {
//INNER-NEXT:   |  for i in 8:    <-- the loop
//INNER-NEXT:   |    for j in 1:
//INNER-NEXT:   |      alloc B
//INNER-NEXT:   |      block B    <-- the block
//INNER-NEXT:   |      block C
//INNER-NEXT:  why: B is allocated further inside
//INNER-NEXT:  try: legal: loop=j

//LANES:error[KC3211]: write_at: loop i is vectorized
//LANES-NEXT:  --> {{.*}}write_at_invalid.mlir:70:5  tir.for %j in 4 {
//LANES-NEXT:   |  for i in 2 vectorized:    <-- vectorized
//LANES-NEXT:   |    for j in 4:    <-- here
//LANES-NEXT:   |      block C
//LANES-NEXT:  why: the lanes of i would share one copy of C
//LANES-NEXT:  try: write_at first, then vectorize

//CALL:error[KC3303]: write_at: C of block C is used by func.call
//CALL-NEXT:  --> {{.*}}write_at_invalid.mlir:88:5  func.call @change(%C) : (memref<8xf32>) -> ()
//CALL-NEXT:   |  for i in 8:
//CALL-NEXT:   |    block C
//CALL-NEXT:   |    func.call    <-- uses C
//CALL-NEXT:  why: the effect of func.call on it is unknown

func.func @empty(%A: memref<0xf32>, %C: memref<4xf32>) {
  tir.for %i in 4 {
    tir.for %k in 0 {
      tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<0xf32>
        %c = tir.load %C[%v_i] : memref<4xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

//EMPTY:error[KC3619]: write_at: the reduction of block C over v_k may be empty
//EMPTY-NEXT:  --> {{.*}}write_at_invalid.mlir:191:7  tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in 0 = %k) init {
//EMPTY-NEXT:   |  for i in 4:
//EMPTY-NEXT:   |    for k in 0:    <-- then does not run
//EMPTY-NEXT:   |      block C    <-- then its initial value
//EMPTY-NEXT:  why: the initial value is stored where the reduction begins, and a copy in k would be skipped
//EMPTY-NEXT:  try: legal: loop=i

//TURNS:error[KC3408]: write_at: each thread would copy back values that others write to B
//TURNS-NEXT:  --> {{.*}}t_invalid.mlir:97:7  tir.block "B" (spatial %v_t in 4 = %t, opaque %v_k in 4 = %k) do {
//TURNS-NEXT:   |  for t in 4 threadIdx.x:    <-- threadIdx.x
//TURNS-NEXT:   |    for k in 4:
//TURNS-NEXT:   |      block B    <-- here
//TURNS-NEXT:  why: threadIdx.x 0 copies back B[0], which threadIdx.x 1 writes; threads of threadIdx.x do not share local memory
//TURNS-NEXT:  try: scope=shared: one copy for all threads of a block
//TURNS-NEXT:  try: legal: loop=k

//GRID:error[KC3409]: write_at: the copy of B would be in the kernel, but in no loop of blockIdx.x
//GRID-NEXT:  --> {{.*}}t_invalid.mlir:110:7  tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
//GRID-NEXT:   |  for i in 4 threadIdx.x:    <-- threadIdx.x
//GRID-NEXT:   |    for j in 8 blockIdx.x:    <-- blockIdx.x
//GRID-NEXT:   |      block B    <-- here
//GRID-NEXT:  why: every block along blockIdx.x would write B, which is in global memory
//GRID-NEXT:  try: legal: loop=j

// The last part of a loop, which may have no iteration where the reduction is not over nothing.
// RUN: not kc-opt %s --write-at="func=part loop=i block=S" 2>&1 | FileCheck %s --check-prefix=PART --match-full-lines --strict-whitespace
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
//PART:error[KC3306]: write_at: block S does not write all of S that would be copied
//PART-NEXT:  --> {{.*}}write_at_invalid.mlir:237:7  tir.block "S" (spatial %v_i in 1 = %i, reduce %v_k in %n = %last - 1 - %k) init {
//PART-NEXT:   |  for i in 1:
//PART-NEXT:   |    for k in last:
//PART-NEXT:   |      block S    <-- here
//PART-NEXT:  why: element [0] (for n = 1) is in the bounding box of its writes, but is not written
//PART-NEXT:  try: it is not legal in any loop
