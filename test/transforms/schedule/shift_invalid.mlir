// What shift refuses, and what it says then.
// RUN: not kc-opt %s --shift="func=copy loop=i" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --shift="func=copy loop=i by=-1 after=1" 2>&1 | FileCheck %s --check-prefix=BACK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --shift="func=copy loop=i by=9223372036854775800" 2>&1 | FileCheck %s --check-prefix=LONG --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=copy loop=i" --shift="func=copy loop=i by=1" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --shift="func=sum loop=k by=1" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace

//      NONE:error[KC3458]: shift: 0 iterations before i and 0 after it
// NONE-NEXT:  --> {{.*}}:[[# @LINE + 25]]:3  tir.for %i in 16 {
// NONE-NEXT:   |  for i in 16:    <-- here
// NONE-NEXT:   |    block B
// NONE-NEXT:  why: this leaves the loop unchanged
// NONE-NEXT:  try: by=1
// NONE-NEXT:  try: after=1
//      BACK:error[KC3458]: shift: -1 iterations before i and 1 after it
// BACK-NEXT:  --> {{.*}}:[[# @LINE + 18]]:3  tir.for %i in 16 {
// BACK-NEXT:   |  for i in 16:    <-- here
// BACK-NEXT:   |    block B
// BACK-NEXT:  why: a loop starts at 0, so it is shifted by at least 1 empty iteration
// BACK-NEXT:  try: by=1
// BACK-NEXT:  try: after=1
//      LONG:error[KC3458]: shift: 9223372036854775800 iterations before i and 0 after it
// LONG-NEXT:  --> {{.*}}:[[# @LINE + 11]]:3  tir.for %i in 16 {
// LONG-NEXT:   |  for i in 16:    <-- here
// LONG-NEXT:   |    block B
// LONG-NEXT:  why: the loop would have more than 9223372036854775807 iterations
//      KIND:error[KC3010]: shift: loop i is already parallel
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 16 {
// KIND-NEXT:   |  for i in 16 parallel:    <-- here
// KIND-NEXT:   |    block B
// KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:  try: shift first, then parallel one of the results
func.func @copy(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
  }
  func.return
}

//      EMPTY:error[KC3036]: shift: the reduction loop k of R may have no iteration
// EMPTY-NEXT:  --> {{.*}}:[[# @LINE + 9]]:5  tir.for %k in %n {
// EMPTY-NEXT:   |  for i in 4:
// EMPTY-NEXT:   |    for k in n:    <-- here
// EMPTY-NEXT:   |      block R
// EMPTY-NEXT:  why: R then stores its initial value, but the condition on the new iterations would suppress that store
func.func @sum(%A: memref<4x?xf32> {kc.shape = affine_map<()[s0] -> (4, s0)>}, %R: memref<4xf32>)
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
