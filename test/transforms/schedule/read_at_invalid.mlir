// What read_at refuses, and what it says then.
// RUN: not kc-opt %s --read-at="func=versions loop=i block=C buffer=Q" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=versions loop=i block=C buffer=A scope=glob" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=called loop=i block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=CALL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=versions loop=x block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=versions loop=i block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=VERSIONS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=inner loop=i block=C buffer=B" 2>&1 | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=lanes loop=j block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=LANES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=combined loop=t block=B buffer=B scope=local" 2>&1 | FileCheck %s --check-prefix=COMBINED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --read-at="func=grid loop=i block=B buffer=A" 2>&1 | FileCheck %s --check-prefix=GRID --match-full-lines --strict-whitespace

// W writes what C reads in the next iteration of j, and in the same of i.
func.func @versions(%A: memref<32xf32>, %C: memref<32xf32>) {
  tir.for %i in 4 {
    tir.for %j in 4 {
      tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
        %x = tir.load %A[%v_i * 8 + %v_j] : memref<32xf32>
        tir.store %x, %C[%v_i * 8 + %v_j] : memref<32xf32>
      }
      tir.block "W" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %A[%v_i * 8 + %v_j + 1] : memref<32xf32>
      }
    }
  }
  func.return
}

func.func private @change(memref<8xf32>)

func.func @called(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    func.call @change(%A) : (memref<8xf32>) -> ()
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %x = tir.load %A[%v_i] : memref<8xf32>
      tir.store %x, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @inner(%C: memref<8xf32>) {
  tir.for %i in 2 {
    tir.for %j in 4 {
      %B = tir.alloc "B" : memref<1xf32>
      tir.block "B" () do {
        %x = arith.constant 1.0 : f32
        tir.store %x, %B[0] : memref<1xf32>
      }
      tir.for %k in 1 {
        tir.block "C" (spatial %v in 8 = %i * 4 + %j + %k) do {
          %x = tir.load %B[0] : memref<1xf32>
          tir.store %x, %C[%v] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

func.func @lanes(%A: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 2 {
    tir.for %j in 4 vectorized {
      tir.block "C" (spatial %v in 8 = %i * 4 + %j) do {
        %x = tir.load %A[%v] : memref<8xf32>
        tir.store %x, %C[%v] : memref<8xf32>
      }
    }
  }
  func.return
}

// The threads add up A: each of them would start with what B was before any of them added.
func.func @combined(%A: memref<3x4xi32>, %B: memref<i32>) {
  tir.for %t in 4 thread "threadIdx.x" {
    tir.for %k in 3 {
      tir.block "B" (reduce %v_t in 4 = %t, reduce %v_k in 3 = %k) do {
        %a = tir.load %A[%v_k, %v_t] : memref<3x4xi32>
        %b = tir.load %B[] : memref<i32>
        %s = arith.addi %b, %a : i32
        tir.store %s, %B[] : memref<i32>
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

//NAME:error[KC3300]: read_at: block C reads no buffer Q
//NAME-NEXT:  --> {{.*}}read_at_invalid.mlir:16:7  tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for j in 4:
//NAME-NEXT:   |      block C    <-- here
//NAME-NEXT:   |      block W
//NAME-NEXT:  why: it reads 0: A
//NAME-NEXT:  try: the buffers are: A

//SCOPE:error[KC3301]: read_at: target llvm has no memory scope 'glob'
//SCOPE-NEXT:  --> {{.*}}read_at_invalid.mlir:13:1  func.func @versions(%A: memref<32xf32>, %C: memref<32xf32>) {
//SCOPE-NEXT:  try: did you mean 'global'?

//CALL:error[KC3303]: read_at: A of block C is used by func.call
//CALL-NEXT:  --> {{.*}}read_at_invalid.mlir:33:5  func.call @change(%A) : (memref<8xf32>) -> ()
//CALL-NEXT:   |  for i in 8:
//CALL-NEXT:   |    func.call    <-- uses A
//CALL-NEXT:   |    block C
//CALL-NEXT:  why: the effect of func.call on it is unknown

//LOOP:error[KC3003]: there is no loop 'x' around block C
//LOOP-NEXT:  --> {{.*}}read_at_invalid.mlir:16:7  tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
//LOOP-NEXT:   |  for i in 4:
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block C
//LOOP-NEXT:   |      block W
//LOOP-NEXT:  try: the loops are: i, j

//VERSIONS:error[KC3305]: read_at: A changes between the copy and what block C reads
//VERSIONS-NEXT:  --> {{.*}}read_at_invalid.mlir:16:7  tir.block "C" (spatial %v_i in 4 = %i, spatial %v_j in 4 = %j) do {
//VERSIONS-NEXT:   |  for i in 4:
//VERSIONS-NEXT:   |    for j in 4:
//VERSIONS-NEXT:   |      block C    <-- reads A
//VERSIONS-NEXT:   |      block W    <-- writes A
//VERSIONS-NEXT:  why: block W at (i=0, j=0) writes what is read at (i=0, j=1)
//VERSIONS-NEXT:  try: legal: loop=j

//INNER:error[KC3603]: read_at: B of block C does not exist yet in loop i
//INNER-NEXT:  --> {{.*}}read_at_invalid.mlir:51:9  tir.block "C" (spatial %v in 8 = %i * 4 + %j + %k) do {
//INNER-NEXT:   |  for i in 2:    <-- the loop
//INNER-NEXT:   |    for j in 4:
//INNER-NEXT:   |      alloc B
//INNER-NEXT:   |      block B
//INNER-NEXT:   |      for k in 1:
//INNER-NEXT:   |        block C    <-- the block
//INNER-NEXT:  why: B is allocated further inside
//INNER-NEXT:  try: legal: loop=j or loop=k

//LANES:error[KC3211]: read_at: loop j is vectorized
//LANES-NEXT:  --> {{.*}}read_at_invalid.mlir:63:5  tir.for %j in 4 vectorized {
//LANES-NEXT:   |  for i in 2:
//LANES-NEXT:   |    for j in 4 vectorized:    <-- vectorized
//LANES-NEXT:   |      block C
//LANES-NEXT:  why: the lanes of j would share one copy of A
//LANES-NEXT:  try: read_at first, then vectorize
//LANES-NEXT:  try: legal: loop=i

//COMBINED:error[KC3305]: read_at: B changes between the copy and what block B reads
//COMBINED-NEXT:  --> {{.*}}t_invalid.mlir:77:7  tir.block "B" (reduce %v_t in 4 = %t, reduce %v_k in 3 = %k) do {
//COMBINED-NEXT:   |  for t in 4 threadIdx.x:
//COMBINED-NEXT:   |    for k in 3:
//COMBINED-NEXT:   |      block B    <-- reads B
//COMBINED-NEXT:  why: block B at (t=1, k=0) writes what is read at (t=0, k=0)
//COMBINED-NEXT:  try: it is not legal in any loop

//GRID:error[KC3409]: read_at: the copy of A would be in the kernel, but in no loop of blockIdx.x
//GRID-NEXT:  --> {{.*}}t_invalid.mlir:92:7  tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 8 = %j) do {
//GRID-NEXT:   |  for i in 4 threadIdx.x:    <-- threadIdx.x
//GRID-NEXT:   |    for j in 8 blockIdx.x:    <-- blockIdx.x
//GRID-NEXT:   |      block B    <-- here
//GRID-NEXT:  why: every block along blockIdx.x would write it, which is in global memory
//GRID-NEXT:  try: legal: loop=j

// RUN: not kc-opt %s --read-at="func=started loop=k block=C buffer=B" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace

// The init of a reduction over nothing reads B.
func.func @started(%A: memref<?xf32>, %B: memref<4xf32>, %C: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in %n {
      tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %b = tir.load %B[%v_i] : memref<4xf32>
        tir.store %b, %C[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<?xf32>
        %c = tir.load %C[%v_i] : memref<4xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %C[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}

//EMPTY:error[KC3619]: read_at: the reduction of block C may be empty
//EMPTY-NEXT:  --> {{.*}}read_at_invalid.mlir:182:7  tir.block "C" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
//EMPTY-NEXT:   |  for i in 4:
//EMPTY-NEXT:   |    for k in n:    <-- then does not run
//EMPTY-NEXT:   |      block C    <-- then still reads B
//EMPTY-NEXT:  why: the initial value is computed from B, and a copy in loop k would be skipped
//EMPTY-NEXT:  try: legal: loop=i

// RUN: not kc-opt %s --read-at="func=partial loop=k block=C buffer=L" 2>&1 | FileCheck %s --check-prefix=PARTIAL --match-full-lines --strict-whitespace
// RUN: kc-opt %s --read-at="func=partial loop=k block=C buffer=L scope=local" 2>&1 | FileCheck %s --check-prefix=OWN

// Each thread block writes one element of its L, and a copy of what C may read is of both.
func.func @partial(%A: memref<2xf32>, %N: memref<4xi32>, %C: memref<4xf32>) {
  tir.for %i in 4 thread "blockIdx.x" {
    %L = tir.alloc "L" : memref<2xf32, "local">
    tir.block "L" (spatial %v in 2 = %i mod 2) do {
      %a = tir.load %A[%v] : memref<2xf32>
      tir.store %a, %L[%v] : memref<2xf32, "local">
    }
    tir.for %k in 1 {
      tir.block "C" (spatial %v in 4 = %i) do {
        %n = tir.load %N[%v] : memref<4xi32>
        %j = arith.index_cast %n : i32 to index
        %x = tir.load %L[%j] : memref<2xf32, "local">
        tir.store %x, %C[%v] : memref<4xf32>
      }
    }
  }
  func.return
}

//PARTIAL:error[KC3415]: read_at: the threads of i overwrite each other's values in a global copy of L
//PARTIAL-NEXT:  --> {{.*}}read_at_invalid.mlir:216:7  tir.block "C" (spatial %v in 4 = %i) do {
//PARTIAL-NEXT:   |  for i in 4 blockIdx.x:    <-- blockIdx.x
//PARTIAL-NEXT:   |    alloc L    <-- each thread has its own (local)
//PARTIAL-NEXT:   |    block L
//PARTIAL-NEXT:   |    for k in 1:
//PARTIAL-NEXT:   |      block C
//PARTIAL-NEXT:  why: blockIdx.x 0 would copy L[1], which it has not written, for all threads of blockIdx.x
//PARTIAL-NEXT:  try: scope=local

// OWN: tir.alloc "L_local" : memref<2xf32, "local">
