// What privatize refuses, and what it says then.
// RUN: not kc-opt %s --privatize="func=passed block=T loop=i" 2>&1 | FileCheck %s --check-prefix=PASSED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --privatize="func=outside block=T loop=i" 2>&1 | FileCheck %s --check-prefix=OUTSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --privatize="func=inside block=T loop=i" 2>&1 | FileCheck %s --check-prefix=INSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --privatize="func=inside block=B loop=i" 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --privatize="func=aligned block=T loop=i" 2>&1 | FileCheck %s --check-prefix=NOTES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --privatize="func=gathered block=T loop=i" 2>&1 | FileCheck %s --check-prefix=UNKNOWN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=inside loop=k" --privatize="func=inside block=T loop=k" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace

//      PASSED:error[KC3487]: privatize: a copy of T for each iteration of i changes the result
// PASSED-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 16 {
// PASSED-NEXT:   |  for i in 16:    <-- here
// PASSED-NEXT:   |    block T
// PASSED-NEXT:   |    block B
// PASSED-NEXT:  why: block B at (i=1) reads T[0], which that iteration of i has not written
func.func @passed(%A: memref<16xf32>, %B: memref<16xf32>) {
  %T = tir.alloc "T" : memref<2xf32>
  tir.for %i in 16 {
    tir.block "T" (opaque %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %T[%v_i mod 2] : memref<2xf32>
    }
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %t = tir.load %T[0] : memref<2xf32>
      tir.store %t, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}

//      OUTSIDE:error[KC3486]: privatize: block B uses T outside i
// OUTSIDE-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 16 {
// OUTSIDE-NEXT:   |  for i in 16:    <-- here
// OUTSIDE-NEXT:   |    block T
// OUTSIDE-NEXT:  why: outside i, no iteration selects a copy
func.func @outside(%A: memref<16xf32>, %B: memref<1xf32>) {
  %T = tir.alloc "T" : memref<1xf32>
  tir.for %i in 16 {
    tir.block "T" (opaque %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %T[0] : memref<1xf32>
    }
  }
  tir.block "B" () do {
    %t = tir.load %T[0] : memref<1xf32>
    tir.store %t, %B[0] : memref<1xf32>
  }
  func.return
}

//      INSIDE:error[KC3486]: privatize: T is allocated in i
// INSIDE-NEXT:  --> {{.*}}:[[# @LINE + 29]]:3  tir.for %i in 4 {
// INSIDE-NEXT:   |  for i in 4:    <-- here
// INSIDE-NEXT:   |    alloc T
// INSIDE-NEXT:   |    for k in 16:
// INSIDE-NEXT:   |      block T
// INSIDE-NEXT:   |    for j in 16:
// INSIDE-NEXT:   |      block B
// INSIDE-NEXT:  why: so each iteration already has its own copy
//      ARGUMENT:error[KC3320]: privatize: B of block B is an argument of the function
// ARGUMENT-NEXT:  --> {{.*}}:[[# @LINE + 29]]:7  tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 16 = %j) do {
// ARGUMENT-NEXT:   |  for i in 4:
// ARGUMENT-NEXT:   |    alloc T
// ARGUMENT-NEXT:   |    for k in 16:
// ARGUMENT-NEXT:   |      block T
// ARGUMENT-NEXT:   |    for j in 16:
// ARGUMENT-NEXT:   |      block B    <-- here
// ARGUMENT-NEXT:  why: the caller decides where an argument is and how it is laid out
// ARGUMENT-NEXT:  try: cache_write gives block B its own buffer
//      KIND:error[KC3010]: privatize: loop k is already parallel
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 12]]:5  tir.for %k in 16 {
// KIND-NEXT:   |  for i in 4:
// KIND-NEXT:   |    alloc T
// KIND-NEXT:   |    for k in 16 parallel:    <-- here
// KIND-NEXT:   |      block T
// KIND-NEXT:   |    for j in 16:
// KIND-NEXT:   |      block B
// KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:  try: privatize first, then parallel one of the results
func.func @inside(%A: memref<4x16xf32>, %B: memref<4x16xf32>) {
  tir.for %i in 4 {
    %T = tir.alloc "T" : memref<16xf32>
    tir.for %k in 16 {
      tir.block "T" (opaque %v_i in 4 = %i, spatial %v_k in 16 = %k) do {
        %a = tir.load %A[%v_i, %v_k] : memref<4x16xf32>
        tir.store %a, %T[%v_k] : memref<16xf32>
      }
    }
    tir.for %j in 16 {
      tir.block "B" (spatial %v_i in 4 = %i, spatial %v_j in 16 = %j) do {
        %t = tir.load %T[%v_j] : memref<16xf32>
        tir.store %t, %B[%v_i, %v_j] : memref<4x16xf32>
      }
    }
  }
  func.return
}

//      NOTES:error[KC3488]: privatize: T has tir.storage_align
// NOTES-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 16 {
// NOTES-NEXT:   |  for i in 16:    <-- here
// NOTES-NEXT:   |    block T
// NOTES-NEXT:  why: the annotation refers to dimensions, whose numbers change
// NOTES-NEXT:  try: privatize first
func.func @aligned(%A: memref<16xf32>, %B: memref<16xf32>) {
  %T = tir.alloc "T" {tir.storage_align = [array<i64: 0, 32, 8>]} : memref<2xf32>
  tir.for %i in 16 {
    tir.block "T" (opaque %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %T[0] : memref<2xf32>
    }
  }
  func.return
}

//      UNKNOWN:error[KC3487]: privatize: a copy of T for each iteration of i cannot be proven to keep the result
// UNKNOWN-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %i in 16 {
// UNKNOWN-NEXT:   |  for i in 16:    <-- here
// UNKNOWN-NEXT:   |    block T
// UNKNOWN-NEXT:   |    block B
// UNKNOWN-NEXT:  why: at is not affine
func.func @gathered(%A: memref<16xf32>, %I: memref<16xindex>, %B: memref<16xf32>) {
  %T = tir.alloc "T" : memref<16xf32>
  tir.for %i in 16 {
    tir.block "T" (opaque %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %T[%v_i] : memref<16xf32>
    }
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %at = tir.load %I[%v_i] : memref<16xindex>
      %t = tir.load %T[%at] : memref<16xf32>
      tir.store %t, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}
