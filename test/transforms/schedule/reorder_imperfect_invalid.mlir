// What reorder refuses of imperfect nests, and what it says then.
// RUN: not kc-opt %s --reorder="func=rows loops=k,i" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=value loops=j,i" 2>&1 | FileCheck %s --check-prefix=VALUE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=symbolic loops=j,i" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=allocated loops=j,i" 2>&1 | FileCheck %s --check-prefix=ALLOC --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=rows loop=k" --reorder="func=rows loops=k,i" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=rows loop=k factors=2,4" --vectorize="func=rows loop=k_i" --reorder="func=rows loops=k_i,i" 2>&1 | FileCheck %s --check-prefix=INNER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder="func=branch loops=j,i" 2>&1 | FileCheck %s --check-prefix=BRANCH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tile="func=rows loops=i,k factors=2,2" 2>&1 | FileCheck %s --check-prefix=TILE --match-full-lines --strict-whitespace

//      ORDER:error[KC3035]: reorder: the order k, i changes the result
// ORDER-NEXT:  --> {{.*}}:[[# @LINE + 33]]:5  tir.for %k in 8 {
// ORDER-NEXT:   |  for i in 8:    <-- reordered from here
// ORDER-NEXT:   |    for k in 8:
// ORDER-NEXT:   |      block A
// ORDER-NEXT:   |      block S
// ORDER-NEXT:  why: S at (i=0, k=7) writes S[1], which A at (i=1, k=0) reads
//      KIND:error[KC3032]: reorder: k is not the only child of i
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 26]]:5  tir.for %k in 8 {
// KIND-NEXT:   |  for i in 8:    <-- also holds block S
// KIND-NEXT:   |    for k in 8 vectorized:    <-- here
// KIND-NEXT:   |      block A
// KIND-NEXT:   |    block S
// KIND-NEXT:  why: block S would move into one iteration of k, which is vectorized
//      INNER:error[KC3032]: reorder: k_o is not the only child of i
// INNER-NEXT:  --> {{.*}}:[[# @LINE + 19]]:5  tir.for %k in 8 {
// INNER-NEXT:   |  for i in 8:    <-- also holds block S
// INNER-NEXT:   |    for k_o in 2:    <-- here
// INNER-NEXT:   |      for k_i in 4 vectorized:
// INNER-NEXT:   |        block A
// INNER-NEXT:   |    block S
// INNER-NEXT:  why: block S would move into one iteration of k_i, which is vectorized
// INNER-NEXT:  try: one nest is k_o, k_i
//      TILE:error[KC3035]: reorder: the order i_o, k_o, i_i, k_i changes the result
// TILE-NEXT:  --> {{.*}}:[[# @LINE + 10]]:5  tir.for %k in 8 {
// TILE-NEXT:   |  for i_o in 4:    <-- reordered from here
// TILE-NEXT:   |    for i_i in 2:
// TILE-NEXT:   |      for k_o in 4:
// TILE-NEXT:   |        for k_i in 2:
// TILE-NEXT:   |          block A
// TILE-NEXT:   |          block S
// TILE-NEXT:  why: S at (i_o=0, i_i=0, k_o=3, k_i=1) writes S[1], which A at (i_o=0, i_i=1, k_o=0, k_i=0) reads
func.func @rows(%A: memref<8x9xf32>, %S: memref<9xf32>) {
  tir.for %i in 8 {
    tir.for %k in 8 {
      tir.block "A" (opaque %v_i in 8 = %i, opaque %v_k in 8 = %k) do {
        %s = tir.load %S[%v_i] : memref<9xf32>
        tir.store %s, %A[%v_i, %v_k] : memref<8x9xf32>
      }
    }
    tir.block "S" (opaque %v_i in 8 = %i) do {
      %a = tir.load %A[%v_i, 0] : memref<8x9xf32>
      tir.store %a, %S[%v_i + 1] : memref<9xf32>
    }
  }
  func.return
}

//      VALUE:error[KC3032]: reorder: j is not the only child of i
// VALUE-NEXT:  --> {{.*}}:[[# @LINE + 9]]:5  tir.for %j in 8 {
// VALUE-NEXT:   |  for i in 8:    <-- also holds tir.load
// VALUE-NEXT:   |    for j in 8:    <-- here
// VALUE-NEXT:   |      store to A
// VALUE-NEXT:  why: j uses a result of tir.load in every iteration
func.func @value(%A: memref<8x8xf32>, %B: memref<8xf32>) {
  tir.for %i in 8 {
    %c = tir.load %B[%i] : memref<8xf32>
    %b = arith.negf %c : f32
    tir.for %j in 8 {
      tir.store %b, %A[%i, %j] : memref<8x8xf32>
    }
  }
  func.return
}

//      EMPTY:error[KC3032]: reorder: j is not the only child of i
// EMPTY-NEXT:  --> {{.*}}:[[# @LINE + 11]]:5  tir.for %j in %n {
// EMPTY-NEXT:   |  for i in 8:    <-- also holds tir.store
// EMPTY-NEXT:   |    store to B
// EMPTY-NEXT:   |    for j in n:    <-- here
// EMPTY-NEXT:   |      store to A
// EMPTY-NEXT:  why: tir.store would move into an iteration of j, which may have none: its extent is n
func.func @symbolic(%A: memref<8x?xf32> {kc.shape = affine_map<()[s0] -> (8, s0)>}, %B: memref<8xf32>, %x: f32)
    attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in 8 {
    tir.store %x, %B[%i] : memref<8xf32>
    tir.for %j in %n {
      tir.store %x, %A[%i, %j] : memref<8x?xf32>
    }
  }
  func.return
}

//      ALLOC:error[KC3032]: reorder: j is not the only child of i
// ALLOC-NEXT:  --> {{.*}}:[[# @LINE + 11]]:5  tir.for %j in 8 {
// ALLOC-NEXT:   |  for i in 8:    <-- also holds alloc T, loop k
// ALLOC-NEXT:   |    alloc T
// ALLOC-NEXT:   |    for j in 8:    <-- here
// ALLOC-NEXT:   |      store to T
// ALLOC-NEXT:   |    for k in 8:
// ALLOC-NEXT:   |      store to B
// ALLOC-NEXT:  why: alloc T would belong to one iteration of j
func.func @allocated(%A: memref<8x8xf32>, %B: memref<8x8xf32>) {
  tir.for %i in 8 {
    %T = tir.alloc "T" : memref<8xf32>
    tir.for %j in 8 {
      %a = tir.load %A[%i, %j] : memref<8x8xf32>
      tir.store %a, %T[%j] : memref<8xf32>
    }
    tir.for %k in 8 {
      %t = tir.load %T[%k] : memref<8xf32>
      tir.store %t, %B[%i, %k] : memref<8x8xf32>
    }
  }
  func.return
}

//      BRANCH:error[KC3032]: reorder: j is not the only child of i
// BRANCH-NEXT:  --> {{.*}}:[[# @LINE + 11]]:7  tir.for %j in 8 {
// BRANCH-NEXT:   |  for i in 8:    <-- also holds tir.store
// BRANCH-NEXT:   |    store to B
// BRANCH-NEXT:   |    if ...:
// BRANCH-NEXT:   |      for j in 8:    <-- here
// BRANCH-NEXT:   |        store to A
// BRANCH-NEXT:  why: j is in a branch of i, which would guard a part of it
func.func @branch(%A: memref<8x8xf32>, %B: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.store %x, %B[%i] : memref<8xf32>
    tir.if (%i >= 2) {
      tir.for %j in 8 {
        tir.store %x, %A[%i, %j] : memref<8x8xf32>
      }
    }
  }
  func.return
}
