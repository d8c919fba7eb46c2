// RUN: not kc-opt %s --parallel="block=C loop=i" --split="block=C loop=i factors=?,4" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=other loop=p factors=?,2" 2>&1 | FileCheck %s --check-prefix=NOTE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=?,?" 2>&1 | FileCheck %s --check-prefix=OPEN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=4" 2>&1 | FileCheck %s --check-prefix=ONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=?,0" 2>&1 | FileCheck %s --check-prefix=ZERO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=?,9223372036854775808" 2>&1 | FileCheck %s --check-prefix=HUGE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=2,5" 2>&1 | FileCheck %s --check-prefix=COVER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=matmul loop=j factors=?,width" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=?,4 names=i,lane" 2>&1 | FileCheck %s --check-prefix=NAMES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=j factors=?,4" --split="block=C loop=j factors=?,4" 2>&1 | FileCheck %s --check-prefix=GONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=matmul block=D loop=j factors=?,4" 2>&1 | FileCheck %s --check-prefix=BLOCK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C factors=?,4" 2>&1 | FileCheck %s --check-prefix=MISSING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=other loop=z factors=4,8" 2>&1 | FileCheck %s --check-prefix=SYMBOLS --match-full-lines --strict-whitespace

//KIND:error[KC3010]: split: loop i is already parallel
//KIND-NEXT:  --> {{.*}}split_invalid.mlir:120:3  tir.for %i in 16 {
//KIND-NEXT:   |  for i in 16 parallel:    <-- here
//KIND-NEXT:   |    for j in 12:
//KIND-NEXT:   |      for k in 8:
//KIND-NEXT:   |        block C
//KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
//KIND-NEXT:  try: split first, then parallel one of the results

//NOTE:error[KC3011]: split: loop p is annotated (pragma)
//NOTE-NEXT:  --> {{.*}}split_invalid.mlir:166:3  tir.for %p in 4 annotations {pragma = 1 : i64} {
//NOTE-NEXT:   |  for p in 4:    <-- here
//NOTE-NEXT:   |    for q in 4:
//NOTE-NEXT:   |      store to A
//NOTE-NEXT:   |    for r in 4:
//NOTE-NEXT:   |      store to A
//NOTE-NEXT:  why: the annotation refers to this loop and would be lost
//NOTE-NEXT:  try: split first, then annotate one of the results

//OPEN:error[KC3020]: split: factors ?,? for loop j
//OPEN-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//OPEN-NEXT:   |  for i in 16:
//OPEN-NEXT:   |    for j in 12:    <-- here
//OPEN-NEXT:   |      for k in 8:
//OPEN-NEXT:   |        block C
//OPEN-NEXT:  why: a split needs at least one factor, and at most one is open (?)
//OPEN-NEXT:  try: factors=?,8

//ONE:error[KC3022]: split: factors 4 do not cover loop j
//ONE-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//ONE-NEXT:   |  for i in 16:
//ONE-NEXT:   |    for j in 12:    <-- here
//ONE-NEXT:   |      for k in 8:
//ONE-NEXT:   |        block C
//ONE-NEXT:  why: they give 4 iterations, the extent is 12
//ONE-NEXT:  try: leave one open: factors=?,4

//ZERO:error[KC3021]: split: factor 0 for loop j
//ZERO-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//ZERO-NEXT:   |  for i in 16:
//ZERO-NEXT:   |    for j in 12:    <-- here
//ZERO-NEXT:   |      for k in 8:
//ZERO-NEXT:   |        block C
//ZERO-NEXT:  why: a factor is the extent of a loop, so it must be at least 1
//ZERO-NEXT:  try: factors=?,4
//ZERO-NEXT:  try: factors=?,2

//HUGE:error[KC3021]: split: the factors ?,9223372036854775808 of loop j multiply to 9223372036854775808
//HUGE-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//HUGE-NEXT:   |  for i in 16:
//HUGE-NEXT:   |    for j in 12:    <-- here
//HUGE-NEXT:   |      for k in 8:
//HUGE-NEXT:   |        block C
//HUGE-NEXT:  why: the product must fit 64 bits (at most 9223372036854775807)
//HUGE-NEXT:  try: factors=?,4
//HUGE-NEXT:  try: factors=?,2

//COVER:error[KC3022]: split: factors 2,5 do not cover loop j
//COVER-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//COVER-NEXT:   |  for i in 16:
//COVER-NEXT:   |    for j in 12:    <-- here
//COVER-NEXT:   |      for k in 8:
//COVER-NEXT:   |        block C
//COVER-NEXT:  why: they give 10 iterations, the extent is 12
//COVER-NEXT:  try: leave one open: factors=?,5

//NAME:error[KC3023]: split: 'width' is neither a number nor a symbolic size of @matmul
//NAME-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//NAME-NEXT:  try: use a number or ?

//NAMES:error[KC3024]: split: names i,lane for 2 loops
//NAMES-NEXT:  --> {{.*}}split_invalid.mlir:121:5  tir.for %j in 12 {
//NAMES-NEXT:   |  for i in 16:
//NAMES-NEXT:   |    for j in 12:    <-- here
//NAMES-NEXT:   |      for k in 8:
//NAMES-NEXT:   |        block C
//NAMES-NEXT:  why: each new loop needs its own name, an identifier that is not in use

//GONE:error[KC3003]: there is no loop 'j' around block C
//GONE-NEXT:  --> {{.*}}split_invalid.mlir:123:9  tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
//GONE-NEXT:   |  for i in 16:
//GONE-NEXT:   |    for j_o in 3:
//GONE-NEXT:   |      for j_i in 4:
//GONE-NEXT:   |        for k in 8:
//GONE-NEXT:   |          block C
//GONE-NEXT:  why: j was split into j_o, j_i
//GONE-NEXT:  try: did you mean 'j_o' or 'j_i'?

//BLOCK:error[KC3001]: there is no block 'D' in @matmul
//BLOCK-NEXT:  --> {{.*}}split_invalid.mlir:119:1  func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
//BLOCK-NEXT:  try: the blocks are: C

//MISSING:error[KC0013]: split: the option 'loop' is missing
//MISSING-NEXT:   |  loop: the loop to split
//MISSING-NEXT:  try: loop=<loop>

//SYMBOLS:error[KC3022]: split: factors 4,8 do not cover loop z
//SYMBOLS-NEXT:  --> {{.*}}split_invalid.mlir:149:3  tir.for %z in %n {
//SYMBOLS-NEXT:   |  for z in n:    <-- here
//SYMBOLS-NEXT:   |    store to B
//SYMBOLS-NEXT:  why: they give 32 iterations, the extent is symbolic
//SYMBOLS-NEXT:  try: leave one open: factors=?,8


func.func @matmul(%A: memref<16x8xf32>, %B: memref<8x12xf32>, %C: memref<16x12xf32>) {
  tir.for %i in 16 {
    tir.for %j in 12 {
      tir.for %k in 8 {
        tir.block "C" (spatial %v_i in 16 = %i, spatial %v_j in 12 = %j, reduce %v_k in 8 = %k) init {
          %zero = arith.constant 0.0 : f32
          tir.store %zero, %C[%v_i, %v_j] : memref<16x12xf32>
        } do {
          %a = tir.load %A[%v_i, %v_k] : memref<16x8xf32>
          %b = tir.load %B[%v_k, %v_j] : memref<8x12xf32>
          %p = arith.mulf %a, %b : f32
          %c = tir.load %C[%v_i, %v_j] : memref<16x12xf32>
          %s = arith.addf %c, %p : f32
          tir.store %s, %C[%v_i, %v_j] : memref<16x12xf32>
        }
      }
    }
  }
  func.return
}

func.func @other(%A: memref<9x9xf32>, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %I: memref<8xi64>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %x in 8 {
    tir.for %y in 8 {
      %a = tir.load %A[%x, %y + 1] : memref<9x9xf32>
      tir.store %a, %A[%x + 1, %y] : memref<9x9xf32>
    }
  }
  tir.for %z in %n {
    %b = tir.load %B[%z] : memref<?xf32>
    tir.store %b, %B[%z] : memref<?xf32>
  }
  tir.for %u in 8 {
    %size = tir.apply (%u + 1)
    tir.for %v in %size {
      %c = tir.load %A[%u, %v] : memref<9x9xf32>
      tir.store %c, %A[%v, %u] : memref<9x9xf32>
    }
  }
  tir.for %g in 8 {
    %l = tir.load %I[%g] : memref<8xi64>
    %w = arith.index_cast %l : i64 to index
    %d = tir.load %A[0, %g] : memref<9x9xf32>
    tir.store %d, %A[%w, 1] : memref<9x9xf32>
  }
  tir.for %p in 4 annotations {pragma = 1 : i64} {
    tir.for %q in 4 {
      %e = tir.load %A[%p, %q] : memref<9x9xf32>
      tir.store %e, %A[%p, %q] : memref<9x9xf32>
    }
    tir.for %r in 4 {
      %f = tir.load %A[%p, %r] : memref<9x9xf32>
      tir.store %f, %A[%p, %r] : memref<9x9xf32>
    }
  }
  func.return
}

func.func @maybe_empty(%A: memref<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %R: memref<4xf32>)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 4 {
    tir.for %k in %n {
      tir.block "R" (spatial %v_i in 4 = %i, reduce %v_k in %n = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %R[%v_i] : memref<4xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x?xf32>
        %r = tir.load %R[%v_i] : memref<4xf32>
        %s = arith.addf %r, %a : f32
        tir.store %s, %R[%v_i] : memref<4xf32>
      }
    }
  }
  func.return
}
