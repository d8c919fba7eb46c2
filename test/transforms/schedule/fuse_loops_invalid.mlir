// What fuse-loops refuses, and what it says then.
// RUN: not kc-opt %s --fuse-loops="func=turned loops=i" 2>&1 | FileCheck %s --check-prefix=ONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-loops="func=gathered loops=i,j" 2>&1 | FileCheck %s --check-prefix=GATHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-loops="func=grows loops=i,j" 2>&1 | FileCheck %s --check-prefix=GROWS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-loops="func=grows loops=i,k" 2>&1 | FileCheck %s --check-prefix=LENGTHS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=turned loop=i" --fuse-loops="func=turned loops=i,j" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace

//      ONE:error[KC3450]: fuse_loops: 1 loop to fuse
// ONE-NEXT:  --> {{.*}}:[[# @LINE + 12]]:3  tir.for %i in 8 {
// ONE-NEXT:   |  for i in 8:    <-- here
// ONE-NEXT:   |    store to B
// ONE-NEXT:  why: fuse-loops fuses exactly two adjacent loops
// ONE-NEXT:  try: loops=i,j
//      KIND:error[KC3010]: shift: loop i is already parallel
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 8 {
// KIND-NEXT:   |  for i in 8 parallel:    <-- here
// KIND-NEXT:   |    store to B
// KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:  try: shift first, then parallel one of the results
func.func @turned(%A: memref<8x8xf32>, %B: memref<8xf32>, %x: f32) {
  tir.for %i in 8 {
    tir.store %x, %B[%i] : memref<8xf32>
  }
  tir.for %j in 8 {
    %b = tir.load %B[7] : memref<8xf32>
    tir.store %b, %A[%j, 0] : memref<8x8xf32>
    tir.store %b, %B[7 - %j] : memref<8xf32>
  }
  func.return
}

//      GATHER:error[KC3498]: fuse_loops: the number of iterations by which j must be delayed is unknown
// GATHER-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 16 {
// GATHER-NEXT:   |  for i in 16:    <-- to be fused
// GATHER-NEXT:   |    store to A
// GATHER-NEXT:   |  for j in 16:    <-- to be fused
// GATHER-NEXT:   |    store to B
// GATHER-NEXT:  why: at is not affine
func.func @gathered(%A: memref<16xf32>, %I: memref<16xindex>, %B: memref<16xf32>, %x: f32) {
  tir.for %i in 16 {
    tir.store %x, %A[%i] : memref<16xf32>
  }
  tir.for %j in 16 {
    %at = tir.load %I[%j] : memref<16xindex>
    %a = tir.load %A[%at] : memref<16xf32>
    tir.store %a, %B[%j] : memref<16xf32>
  }
  func.return
}

//      GROWS:error[KC3498]: fuse_loops: the number of iterations by which j must be delayed is unknown
// GROWS-NEXT:  --> {{.*}}:[[# @LINE + 16]]:3  tir.for %i in %n {
// GROWS-NEXT:   |  for i in n:    <-- to be fused
// GROWS-NEXT:   |    store to A
// GROWS-NEXT:   |  for j in n:    <-- to be fused
// GROWS-NEXT:   |    store to B
// GROWS-NEXT:  why: the distance grows with the sizes
//      LENGTHS:error[KC3454]: merge: loop i has n iterations, k has 5
// LENGTHS-NEXT:  --> {{.*}}:[[# @LINE + 9]]:3  tir.for %i in %n {
// LENGTHS-NEXT:   |  for i in n:    <-- to be merged
// LENGTHS-NEXT:   |    store to A
// LENGTHS-NEXT:   |  for k in 5:    <-- to be merged
// LENGTHS-NEXT:   |    if ...:
// LENGTHS-NEXT:   |      store to B
// LENGTHS-NEXT:  why: they are not equal for n = 0
func.func @grows(%A: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %B: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}, %x: f32) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %i in %n {
    tir.store %x, %A[%i] : memref<?xf32>
  }
  tir.for %j in %n {
    %a = tir.load %A[%n - 1 - %j] : memref<?xf32>
    tir.store %a, %B[%j] : memref<?xf32>
  }
  tir.for %k in 5 {
    tir.if (%k < %n) {
      %a = tir.load %A[%k] : memref<?xf32>
      tir.store %a, %B[%k] : memref<?xf32>
    }
  }
  func.return
}
