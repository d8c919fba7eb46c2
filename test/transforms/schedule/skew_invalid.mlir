// What skew refuses, and what it says then.
// RUN: not kc-opt %s --skew="func=two loops=i" 2>&1 | FileCheck %s --check-prefix=ONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=i,i" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=i,t" 2>&1 | FileCheck %s --check-prefix=TURNED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=t,k" 2>&1 | FileCheck %s --check-prefix=APART --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=t,i factor=0" 2>&1 | FileCheck %s --check-prefix=ZERO --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=t,i factor=9223372036854775807" 2>&1 | FileCheck %s --check-prefix=LONG --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=two loop=k" --skew="func=two loops=k,l" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=triangle loops=t,i" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=sum loops=i,k" 2>&1 | FileCheck %s --check-prefix=EMPTY --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=around loops=k,i factor=-1" 2>&1 | FileCheck %s --check-prefix=AROUND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --skew="func=two loops=t,i" --reorder="func=two loops=i_s,t" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace

//      ONE:error[KC3466]: skew: 1 loop to skew
// ONE-NEXT:  --> {{.*}}:[[# @LINE + 53]]:5  tir.for %i in 16 {
// ONE-NEXT:   |  for t in 4:
// ONE-NEXT:   |    for i in 16:    <-- here
// ONE-NEXT:   |      store to A
// ONE-NEXT:  why: a loop is skewed by one loop around it
// ONE-NEXT:  try: loops=t,i factor=1
//      TWICE:error[KC3030]: skew: loop i is named twice
// TWICE-NEXT:  --> {{.*}}:[[# @LINE + 46]]:5  tir.for %i in 16 {
// TWICE-NEXT:   |  for t in 4:
// TWICE-NEXT:   |    for i in 16:    <-- here
// TWICE-NEXT:   |      store to A
//      TURNED:error[KC3466]: skew: loop t is not inside i
// TURNED-NEXT:  --> {{.*}}:[[# @LINE + 40]]:3  tir.for %t in 4 {
// TURNED-NEXT:   |  for t in 4:    <-- here
// TURNED-NEXT:   |    for i in 16:
// TURNED-NEXT:   |      store to A
// TURNED-NEXT:  why: its start must depend on a loop that surrounds it
// TURNED-NEXT:  try: loops=t,i
//      APART:error[KC3466]: skew: loop k is not inside t
// APART-NEXT:  --> {{.*}}:[[# @LINE + 39]]:3  tir.for %k in 8 {
// APART-NEXT:   |  for k in 8:    <-- here
// APART-NEXT:   |    for l in 8:
// APART-NEXT:   |      store to B
// APART-NEXT:  why: its start must depend on a loop that surrounds it
//      ZERO:error[KC3467]: skew: factor 0
// ZERO-NEXT:  --> {{.*}}:[[# @LINE + 28]]:5  tir.for %i in 16 {
// ZERO-NEXT:   |  for t in 4:
// ZERO-NEXT:   |    for i in 16:    <-- here
// ZERO-NEXT:   |      store to A
// ZERO-NEXT:  why: i already starts at the same place in each iteration of t
// ZERO-NEXT:  try: factor=1
//      LONG:error[KC3467]: skew: skewing i by 9223372036854775807 gives it 27670116110564327437 iterations
// LONG-NEXT:  --> {{.*}}:[[# @LINE + 21]]:5  tir.for %i in 16 {
// LONG-NEXT:   |  for t in 4:
// LONG-NEXT:   |    for i in 16:    <-- here
// LONG-NEXT:   |      store to A
// LONG-NEXT:  why: there may be at most 9223372036854775807
//      KIND:error[KC3010]: skew: loop k is already parallel
// KIND-NEXT:  --> {{.*}}:[[# @LINE + 20]]:3  tir.for %k in 8 {
// KIND-NEXT:   |  for k in 8 parallel:    <-- here
// KIND-NEXT:   |    for l in 8:
// KIND-NEXT:   |      store to B
// KIND-NEXT:  why: a loop must be restructured before it gets a kind of execution
// KIND-NEXT:  try: skew first, then parallel one of the results
//      ORDER:error[KC3035]: reorder: the order i_s, t changes the result
// ORDER-NEXT:  --> {{.*}}:[[# @LINE + 8]]:5  tir.for %i in 16 {
// ORDER-NEXT:   |  for t in 4:    <-- reordered from here
// ORDER-NEXT:   |    for i_s in 19:
// ORDER-NEXT:   |      if ...:
// ORDER-NEXT:   |        store to A
// ORDER-NEXT:  why: the statement at (t=0, i_s=2) writes A[4], which the statement at (t=1, i_s=1) reads
func.func @two(%A: memref<24xf32>, %B: memref<8x8xf32>) {
  tir.for %t in 4 {
    tir.for %i in 16 {
      %a = tir.load %A[%i + 4] : memref<24xf32>
      tir.store %a, %A[%i + 2] : memref<24xf32>
    }
  }
  tir.for %k in 8 {
    tir.for %l in 8 {
      %b = tir.load %B[%k, %l] : memref<8x8xf32>
      tir.store %b, %B[%k, %l] : memref<8x8xf32>
    }
  }
  func.return
}

//      EXTENT:error[KC3468]: skew: the extent of i depends on t
// EXTENT-NEXT:  --> {{.*}}:[[# @LINE + 8]]:5  tir.for %i in %size {
// EXTENT-NEXT:   |  for t in 4:
// EXTENT-NEXT:   |    for i in size:    <-- here
// EXTENT-NEXT:   |      store to A
// EXTENT-NEXT:  why: the skewed loop needs one extent for all iterations of t
func.func @triangle(%A: memref<16xf32>) {
  tir.for %t in 4 {
    %size = tir.apply (%t + 1)
    tir.for %i in %size {
      %a = tir.load %A[%i] : memref<16xf32>
      tir.store %a, %A[%i] : memref<16xf32>
    }
  }
  func.return
}

//      EMPTY:error[KC3036]: skew: the reduction loop k of R may have no iteration
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

//      AROUND:error[KC3036]: skew: the reduction loop k of R may have no iteration
// AROUND-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %k in 0 {
// AROUND-NEXT:   |  for k in 0:    <-- here
// AROUND-NEXT:   |    for i in n:
// AROUND-NEXT:   |      block R
// AROUND-NEXT:  why: R then stores its initial value, but the condition on the new iterations would suppress that store
func.func @around(%A: memref<?x0xf32> {kc.shape = affine_map<()[s0] -> (s0, 0)>}, %R: memref<?xf32> {kc.shape = affine_map<()[s0] -> (s0)>}) attributes {kc.symbols = ["n"]} {
  %n = tir.symbol "n"
  tir.for %k in 0 {
    tir.for %i in %n {
      tir.block "R" (spatial %v_i in %n = %i, reduce %v_k in 0 = %k) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %R[%v_i] : memref<?xf32>
      } do {
        %a = tir.load %A[%v_i, %v_k] : memref<?x0xf32>
        %r = tir.load %R[%v_i] : memref<?xf32>
        %s = arith.addf %r, %a : f32
        tir.store %s, %R[%v_i] : memref<?xf32>
      }
    }
  }
  func.return
}

// RUN: not kc-opt %s --skew="func=long loops=i,j factor=1024" 2>&1 | FileCheck %s --check-prefix=NUMBERS --match-full-lines --strict-whitespace
//      NUMBERS:error[KC3499]: skew: indices of loop j would have constants of more than 64 bits
// NUMBERS-NEXT:  --> {{.*}}:[[# @LINE + 8]]:5  tir.for %j in %n {
// NUMBERS-NEXT:   |  for i in 1048576:
// NUMBERS-NEXT:   |    for j in n:    <-- here
// NUMBERS-NEXT:   |      store to A
// NUMBERS-NEXT:  why: its variable becomes an expression with constants up to 1073740800, which the constants in the indices multiply
func.func @long(%A: memref<?x?xf32> {kc.shape = affine_map<()[s0, s1] -> (s0, s1)>}, %x: f32) attributes {kc.symbols = ["n", "m"]} {
  %n = tir.symbol "n"
  tir.for %i in 1048576 {
    tir.for %j in %n {
      tir.store %x, %A[%i, %j * 1099511627776] : memref<?x?xf32>
    }
  }
  func.return
}
