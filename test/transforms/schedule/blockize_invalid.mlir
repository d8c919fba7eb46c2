// What blockize refuses, and what it says then.
// RUN: not kc-opt %s --blockize="func=two" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=two loop=i blocks=B,C" 2>&1 | FileCheck %s --check-prefix=BOTH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=two loop=i" 2>&1 | FileCheck %s --check-prefix=TWO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=plain loop=i" 2>&1 | FileCheck %s --check-prefix=PLAIN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=overlap loop=x" 2>&1 | FileCheck %s --check-prefix=BINDING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=divided loop=x" 2>&1 | FileCheck %s --check-prefix=ATOM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=sizes loop=i factors=4,?" --blockize="func=sizes loop=i_i" 2>&1 | FileCheck %s --check-prefix=SIZES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=predicate loop=j" 2>&1 | FileCheck %s --check-prefix=PREDICATE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=never loop=j" 2>&1 | FileCheck %s --check-prefix=NEVER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=captured loop=j" 2>&1 | FileCheck %s --check-prefix=CAPTURED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=repeated loop=r" 2>&1 | FileCheck %s --check-prefix=REPEATED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=shifted loop=k" 2>&1 | FileCheck %s --check-prefix=SHIFTED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=reads loop=k" 2>&1 | FileCheck %s --check-prefix=READS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=three blocks=B,D" 2>&1 | FileCheck %s --check-prefix=BETWEEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=apart blocks=B,C,D" 2>&1 | FileCheck %s --check-prefix=SHARED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=variables blocks=B,C" 2>&1 | FileCheck %s --check-prefix=VARIABLES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=reduced blocks=B,C" 2>&1 | FileCheck %s --check-prefix=REDUCED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --blockize="func=guarded blocks=B,C" 2>&1 | FileCheck %s --check-prefix=GUARDED --match-full-lines --strict-whitespace

func.func @two(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @plain(%A: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 1 {
      %a = tir.load %A[%i] : memref<8xf32>
      tir.store %a, %A[%i] : memref<8xf32>
    }
  }
  func.return
}

// Tiles of 3 at a distance of 2.
func.func @overlap(%A: memref<9xf32>, %B: memref<9xf32>) {
  tir.for %i in 4 {
    tir.for %x in 3 {
      tir.block "B" (spatial %v_i in 9 = %i * 2 + %x) do {
        %a = tir.load %A[%v_i] : memref<9xf32>
        tir.store %a, %B[%v_i] : memref<9xf32>
      }
    }
  }
  func.return
}

func.func @divided(%A: memref<9xf32>, %B: memref<9xf32>) {
  tir.for %i in 4 {
    tir.for %x in 3 {
      tir.block "B" (spatial %v_i in 9 = (%i + %x) floordiv 2) do {
        %a = tir.load %A[%v_i] : memref<9xf32>
        tir.store %a, %B[%v_i] : memref<9xf32>
      }
    }
  }
  func.return
}

te.func @sizes(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %C = te.compute "C" [%i = %n] {
    %a = te.read %A[%i] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %C : tensor<?xf32>
}

func.func @predicate(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %r in 4 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_j in 8 = %j) where (%r + %j < 8) do {
        %a = tir.load %A[%v_j] : memref<8xf32>
        tir.store %a, %B[%v_j] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @never(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %j in 8 {
    tir.block "B" (spatial %v_j in 8 = %j) where (%j >= 8) do {
      %a = tir.load %A[%v_j] : memref<8xf32>
      tir.store %a, %B[%v_j] : memref<8xf32>
    }
  }
  func.return
}

func.func @captured(%A: memref<8xf32>, %B: memref<8x8xf32>) {
  tir.for %i in 4 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_i in 8 = %i + 1, spatial %v_j in 8 = %j) do {
        %a = tir.load %A[%i] : memref<8xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<8x8xf32>
      }
    }
  }
  func.return
}

func.func @repeated(%A: memref<4xf32>, %C: memref<1xf32>) {
  tir.for %r in 2 {
    tir.for %k in 4 {
      tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
        %x = arith.constant 0.0 : f32
        tir.store %x, %C[%v_i] : memref<1xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<1xf32>
        %a = tir.load %A[%v_k] : memref<4xf32>
        %d = arith.addf %a, %c : f32
        tir.store %d, %C[%v_i] : memref<1xf32>
      }
    }
  }
  func.return
}

func.func @shifted(%A: memref<4xf32>, %C: memref<1xf32>) {
  tir.for %k in 3 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k + 1) init {
      %x = arith.constant 0.0 : f32
      tir.store %x, %C[%v_i] : memref<1xf32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xf32>
      %a = tir.load %A[%v_k] : memref<4xf32>
      %d = arith.addf %a, %c : f32
      tir.store %d, %C[%v_i] : memref<1xf32>
    }
  }
  func.return
}

func.func @reads(%A: memref<4xf32>, %C: memref<2xf32>) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
      %x = tir.load %C[1] : memref<2xf32>
      tir.store %x, %C[%v_i] : memref<2xf32>
    } do {
      %c = tir.load %C[%v_i] : memref<2xf32>
      %a = tir.load %A[%v_k] : memref<4xf32>
      %d = arith.addf %a, %c : f32
      tir.store %d, %C[%v_i] : memref<2xf32>
    }
  }
  func.return
}

func.func @three(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %C[%v_i] : memref<8xf32>
    }
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @apart(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %C[%v_i] : memref<8xf32>
    }
  }
  tir.for %i in 8 {
    tir.block "D" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %D[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @variables(%A: memref<8xf32>, %B: memref<8x8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.for %j in 8 {
      tir.block "B" (spatial %v_i in 8 = %i, spatial %v_j in 8 = %j) do {
        %a = tir.load %A[%v_i] : memref<8xf32>
        tir.store %a, %B[%v_i, %v_j] : memref<8x8xf32>
      }
      tir.block "C" (spatial %v_i in 8 = %i) do {
        %a = tir.load %A[%v_i] : memref<8xf32>
        tir.store %a, %C[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

func.func @reduced(%A: memref<8xf32>, %B: memref<1xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v in 1 = 0, reduce %v_i in 8 = %i) do {
      %b = tir.load %B[%v] : memref<1xf32>
      %a = tir.load %A[%v_i] : memref<8xf32>
      %c = arith.addf %b, %a : f32
      tir.store %c, %B[%v] : memref<1xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

func.func @guarded(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
  tir.for %i in 8 {
    tir.block "B" (spatial %v_i in 8 = %i) where (%i < 4) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %B[%v_i] : memref<8xf32>
    }
    tir.block "C" (spatial %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i] : memref<8xf32>
      tir.store %a, %C[%v_i] : memref<8xf32>
    }
  }
  func.return
}

//NONE:error[KC3550]: blockize: name a loop or blocks
//NONE-NEXT:  --> {{.*}}blockize_invalid.mlir:21:1  func.func @two(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
//NONE-NEXT:  try: loop=NAME
//NONE-NEXT:  try: blocks=NAME,NAME

//BOTH:error[KC3550]: blockize: name a loop or blocks, not both
//BOTH-NEXT:  --> {{.*}}blockize_invalid.mlir:21:1  func.func @two(%A: memref<8xf32>, %B: memref<8xf32>, %C: memref<8xf32>) {
//BOTH-NEXT:  try: loop=NAME
//BOTH-NEXT:  try: blocks=NAME,NAME

//TWO:error[KC3551]: blockize: loop i must contain one block, and nothing else
//TWO-NEXT:  --> {{.*}}blockize_invalid.mlir:22:3  tir.for %i in 8 {
//TWO-NEXT:   |  for i in 8:    <-- here
//TWO-NEXT:   |    block B
//TWO-NEXT:   |    block C
//TWO-NEXT:  why: i contains block B and block C
//TWO-NEXT:  try: blocks=B,C

//PLAIN:error[KC3551]: blockize: loop i must contain one block, and nothing else
//PLAIN-NEXT:  --> {{.*}}blockize_invalid.mlir:36:3  tir.for %i in 8 {
//PLAIN-NEXT:   |  for i in 8:    <-- here
//PLAIN-NEXT:   |    for j in 1:
//PLAIN-NEXT:   |      store to A
//PLAIN-NEXT:  why: j contains tir.load and tir.store

//BINDING:error[KC3552]: blockize: the variable v_i of block B does not divide at x
//BINDING-NEXT:  --> {{.*}}blockize_invalid.mlir:48:5  tir.for %x in 3 {
//BINDING-NEXT:   |  for i in 4:
//BINDING-NEXT:   |    for x in 3:    <-- here
//BINDING-NEXT:   |      block B    <-- v_i is bound to loops inside and outside
//BINDING-NEXT:  why: the part with x takes 3 values and the rest goes in steps of 2, so the two would overlap

//ATOM:error[KC3552]: blockize: the variable v_i of block B does not divide at x
//ATOM-NEXT:  --> {{.*}}blockize_invalid.mlir:60:5  tir.for %x in 3 {
//ATOM-NEXT:   |  for i in 4:
//ATOM-NEXT:   |    for x in 3:    <-- here
//ATOM-NEXT:   |      block B    <-- v_i is bound to loops inside and outside
//ATOM-NEXT:  why: a part of it depends on loops on both sides

//SIZES:error[KC3552]: blockize: the variable v_i of block C does not divide at i_i
//SIZES-NEXT:  --> {{.*}}blockize_invalid.mlir:73:3  %C = te.compute "C" [%i = %n] {
//SIZES-NEXT:   |  for i_o in 4:
//SIZES-NEXT:   |    for i_i in i_size:    <-- here
//SIZES-NEXT:   |      block C    <-- v_i is bound to loops inside and outside
//SIZES-NEXT:  why: a part of it depends on loops on both sides

//PREDICATE:error[KC3553]: blockize: the predicate of block B does not divide at j
//PREDICATE-NEXT:  --> {{.*}}blockize_invalid.mlir:82:5  tir.for %j in 8 {
//PREDICATE-NEXT:   |  for r in 4:
//PREDICATE-NEXT:   |    for j in 8:    <-- here
//PREDICATE-NEXT:   |      block B
//PREDICATE-NEXT:  why: a condition depends on loops both inside and outside, and not on the block's variables

//NEVER:error[KC3553]: blockize: the predicate of block B never holds
//NEVER-NEXT:  --> {{.*}}blockize_invalid.mlir:94:5  tir.block "B" (spatial %v_j in 8 = %j) where (%j >= 8) do {
//NEVER-NEXT:   |  for j in 8:
//NEVER-NEXT:   |    block B    <-- here
//NEVER-NEXT:  why: no iteration runs the block

//CAPTURED:error[KC3554]: blockize: i is used in loop j
//CAPTURED-NEXT:  --> {{.*}}blockize_invalid.mlir:104:5  tir.for %j in 8 {
//CAPTURED-NEXT:   |  for i in 4:
//CAPTURED-NEXT:   |    for j in 8:    <-- here
//CAPTURED-NEXT:   |      block B
//CAPTURED-NEXT:  why: i is not a variable of the new block

//REPEATED:error[KC3555]: blockize: the init of block C cannot become the init of the tile
//REPEATED-NEXT:  --> {{.*}}blockize_invalid.mlir:117:7  tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
//REPEATED-NEXT:   |  for r in 2:    <-- the tile
//REPEATED-NEXT:   |    for k in 4:
//REPEATED-NEXT:   |      block C    <-- here
//REPEATED-NEXT:  why: an iteration of the tile initialises what another one has accumulated
//REPEATED-NEXT:  try: preserve-unit-iters=false

//SHIFTED:error[KC3555]: blockize: the init of block C cannot become the init of the tile
//SHIFTED-NEXT:  --> {{.*}}blockize_invalid.mlir:133:5  tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k + 1) init {
//SHIFTED-NEXT:   |  for k in 3:    <-- the tile
//SHIFTED-NEXT:   |    block C    <-- here
//SHIFTED-NEXT:  why: the reduction does not start where its loops in the tile start
//SHIFTED-NEXT:  try: preserve-unit-iters=false

//READS:error[KC3555]: blockize: the init of block C cannot become the init of the tile
//READS-NEXT:  --> {{.*}}blockize_invalid.mlir:148:5  tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
//READS-NEXT:   |  for k in 4:    <-- the tile
//READS-NEXT:   |    block C    <-- here
//READS-NEXT:  why: it reads a buffer that the block writes
//READS-NEXT:  try: preserve-unit-iters=false

//BETWEEN:error[KC3556]: blockize: the blocks are not neighbours
//BETWEEN-NEXT:  --> {{.*}}blockize_invalid.mlir:163:5  tir.block "B" (spatial %v_i in 8 = %i) do {
//BETWEEN-NEXT:   |  for i in 8:
//BETWEEN-NEXT:   |    block B    <-- here
//BETWEEN-NEXT:   |    block C    <-- in between
//BETWEEN-NEXT:   |    block D    <-- here
//BETWEEN-NEXT:  why: block C comes between them

//SHARED:error[KC3556]: blockize: loop i does not contain exactly one of the blocks
//SHARED-NEXT:  --> {{.*}}blockize_invalid.mlir:180:3  tir.for %i in 8 {
//SHARED-NEXT:   |  for i in 8:    <-- here
//SHARED-NEXT:   |    block B
//SHARED-NEXT:   |    block C
//SHARED-NEXT:  why: each block includes the loops that contain only that block

//VARIABLES:error[KC3557]: blockize: blocks B and C have different variables outside the new block
//VARIABLES-NEXT:  --> {{.*}}blockize_invalid.mlir:206:7  tir.block "C" (spatial %v_i in 8 = %i) do {
//VARIABLES-NEXT:   |  for i in 8:
//VARIABLES-NEXT:   |    for j in 8:
//VARIABLES-NEXT:   |      block B    <-- has i, j outside
//VARIABLES-NEXT:   |      block C    <-- has i outside
//VARIABLES-NEXT:  why: each variable of the new block must be a variable of every block in it

//REDUCED:error[KC3557]: blockize: the reduction of block B continues outside the new block
//REDUCED-NEXT:  --> {{.*}}blockize_invalid.mlir:217:5  tir.block "B" (spatial %v in 1 = 0, reduce %v_i in 8 = %i) do {
//REDUCED-NEXT:   |  for i in 8:
//REDUCED-NEXT:   |    block B    <-- here
//REDUCED-NEXT:   |    block C
//REDUCED-NEXT:  why: its variable v_i is bound to loops around all the blocks, and several blocks do not form one reduction

//GUARDED:error[KC3557]: blockize: blocks B and C run in different iterations of the loops around them
//GUARDED-NEXT:  --> {{.*}}blockize_invalid.mlir:237:5  tir.block "C" (spatial %v_i in 8 = %i) do {
//GUARDED-NEXT:   |  for i in 8:
//GUARDED-NEXT:   |    block B
//GUARDED-NEXT:   |    block C    <-- here
//GUARDED-NEXT:  why: the new block can have only one predicate

// RUN: not kc-opt %s --blockize="func=ragged loop=i" 2>&1 | FileCheck %s --check-prefix=RAGGED --match-full-lines --strict-whitespace
//      RAGGED:error[KC3555]: blockize: the init of block S cannot become the init of the tile
// RAGGED-NEXT:  --> {{.*}}blockize_invalid.mlir:[[# @LINE + 11]]:7  tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) init {
// RAGGED-NEXT:   |  for i in 8:    <-- the tile
// RAGGED-NEXT:   |    for k in e:
// RAGGED-NEXT:   |      block S    <-- here
// RAGGED-NEXT:  why: loop k may have no iteration
// RAGGED-NEXT:  try: preserve-unit-iters=false
//  RAGGED-NOT:{{.}}
func.func @ragged(%A: memref<8xf32>, %S: memref<8xf32>) {
  tir.for %i in 8 {
    %e = tir.apply (%i - 2)
    tir.for %k in %e {
      tir.block "S" (spatial %v_i in 8 = %i, reduce %v_k in 8 = %k) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %S[%v_i] : memref<8xf32>
      } do {
        %a = tir.load %A[%v_k] : memref<8xf32>
        %s = tir.load %S[%v_i] : memref<8xf32>
        %t = arith.addf %a, %s : f32
        tir.store %t, %S[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}

// A condition on the number of a thread stays with the loop whose iterations the threads share.
// RUN: not kc-opt %s --blockize="func=shared loop=o" 2>&1 | FileCheck %s --check-prefix=ABSENT --match-full-lines --strict-whitespace
//ABSENT:error[KC3553]: blockize: the predicate of block B does not divide at loop o
//ABSENT-NEXT:  --> {{.*}}blockize_invalid.mlir:409:5  tir.for %o in 8 {
//ABSENT-NEXT:   |  for t in 2 threadIdx.x:    <-- threadIdx.x
//ABSENT-NEXT:   |    for o in 8:
//ABSENT-NEXT:   |      for i in 2 threadIdx.x:    <-- threadIdx.x
//ABSENT-NEXT:   |        block B
//ABSENT-NEXT:  why: a condition on t would keep threads away from i, where they wait for each other
//ABSENT-NEXT:  try: leave i unbound
func.func @shared(%A: memref<8xf32>, %B: memref<8xf32>) {
  tir.for %t in 2 thread "threadIdx.x" {
    tir.for %o in 8 {
      tir.for %i in 2 thread "threadIdx.x" {
        tir.block "B" (spatial %v in 8 = %o) where (%t < 1, %i < 1) do {
          %0 = tir.load %A[%v] : memref<8xf32>
          tir.store %0, %B[%v] : memref<8xf32>
        }
      }
    }
  }
  func.return
}

// A tile without iterations has no start of its reduction.
// RUN: not kc-opt %s --blockize="func=nothing loop=f" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
//NOTHING:error[KC3555]: blockize: the init of block C cannot become the init of the tile
//NOTHING-NEXT:  --> {{.*}}blockize_invalid.mlir:431:5  tir.block "C" (spatial %v in 0 = %f, reduce %r in 1 = %f) init {
//NOTHING-NEXT:   |  for f in 0:    <-- the tile
//NOTHING-NEXT:   |    block C    <-- here
//NOTHING-NEXT:  why: loop f may have no iteration
//NOTHING-NEXT:  try: preserve-unit-iters=false
func.func @nothing(%B: memref<0xf32>, %C: memref<0xf32>) {
  tir.for %f in 0 {
    tir.block "C" (spatial %v in 0 = %f, reduce %r in 1 = %f) init {
      %b = tir.load %B[%v] : memref<0xf32>
      tir.store %b, %C[%v] : memref<0xf32>
    } do {
      %c = tir.load %C[%v] : memref<0xf32>
      %0 = arith.addf %c, %c : f32
      tir.store %0, %C[%v] : memref<0xf32>
    }
  }
  func.return
}

// The start of a reduction is not that of a part of it, behind as many terms as the sizes say.
// RUN: not kc-opt %s --loop-partition="func=largest loop=k factors=?,1" --blockize="func=largest loop=k_1" 2>&1 | FileCheck %s --check-prefix=BEHIND --match-full-lines --strict-whitespace
//BEHIND:error[KC3555]: blockize: the init of block C_1 cannot become the init of the tile
//BEHIND-NEXT:  --> {{.*}}blockize_invalid.mlir:457:7  tir.block "C" (spatial %v_i in 8 = %i, reduce %v_k in %n = %k) init {
//BEHIND-NEXT:   |  for i in 8:
//BEHIND-NEXT:   |    for k_0 in k_0_size:
//BEHIND-NEXT:   |      block C
//BEHIND-NEXT:   |    for k_1 in k_1_size:    <-- the tile
//BEHIND-NEXT:   |      block C_1    <-- here
//BEHIND-NEXT:  why: the reduction does not start where its loops in the tile start
//BEHIND-NEXT:  try: preserve-unit-iters=false
func.func @largest(%A: memref<8x?xf32>, %C: memref<8xf32>, %n: index) {
  tir.for %i in 8 {
    tir.for %k in %n {
      tir.block "C" (spatial %v_i in 8 = %i, reduce %v_k in %n = %k) init {
        %x = arith.constant 0xff800000 : f32
        tir.store %x, %C[%v_i] : memref<8xf32>
      } do {
        %c = tir.load %C[%v_i] : memref<8xf32>
        %a = tir.load %A[%v_i, %v_k] : memref<8x?xf32>
        %0 = arith.maximumf %c, %a : f32
        tir.store %0, %C[%v_i] : memref<8xf32>
      }
    }
  }
  func.return
}
