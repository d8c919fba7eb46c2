// The initial value of a reduction over nothing is stored in front of its outermost loop: what uses
// its memory does not come into that loop, or leave it.
// RUN: not kc-opt %s --merge="func=nothing loops=i,k" 2>&1 >/dev/null | FileCheck %s --check-prefix=MERGED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --fuse-loops="func=sized loops=i,k" 2>&1 >/dev/null | FileCheck %s --check-prefix=FUSED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --distribute="func=shared loop=k block=sum" 2>&1 >/dev/null | FileCheck %s --check-prefix=PARTED --match-full-lines --strict-whitespace
// RUN: kc-opt %s --merge="func=apart loops=i,k" --merge="func=counted loops=i,k" | FileCheck %s

//MERGED:error[KC3455]: merge: running i and k together changes the result
//MERGED-NEXT:  --> {{.*}}:[[# @LINE + 8]]:3  tir.for %i in 2 {
//MERGED-NEXT:   |  for i in 2:    <-- to be merged
//MERGED-NEXT:   |    block copy
//MERGED-NEXT:   |  for k in 2:    <-- to be merged
//MERGED-NEXT:   |    for l in 0:
//MERGED-NEXT:   |      block sum
//MERGED-NEXT:  why: where the reduction of sum over w is empty, its initial value is stored in front of the loop, and loop i uses the same memory
func.func @nothing(%A: memref<2x0xf32>, %L: memref<f32>) {
  tir.for %i in 2 {
    tir.block "copy" (spatial %v in 2 = %i) where (%i < 1) do {
      %z = arith.constant 1.0 : f32
      tir.store %z, %L[] : memref<f32>
    }
  }
  tir.for %k in 2 {
    tir.for %l in 0 {
      tir.block "sum" (reduce %v in 2 = %k, reduce %w in 0 = %l) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %L[] : memref<f32>
      } do {
        %a = tir.load %A[%v, %w] : memref<2x0xf32>
        %s = tir.load %L[] : memref<f32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %L[] : memref<f32>
      }
    }
  }
  func.return
}

//FUSED:error[KC3455]: merge: running i_s and k_s together changes the result
//FUSED-NEXT:  --> {{.*}}:[[# @LINE + 8]]:3  tir.for %i in 2 {
//FUSED-NEXT:   |  for i_s in 3:    <-- to be merged
//FUSED-NEXT:   |    block before
//FUSED-NEXT:   |  for k_s in 3:    <-- to be merged
//FUSED-NEXT:   |    for l in n:
//FUSED-NEXT:   |      block sum
//FUSED-NEXT:  why: where the reduction of sum over w is empty, its initial value is stored in front of the loop, and loop i_s uses the same memory
func.func @sized(%A: memref<2x?xf32>, %M: memref<2xf32>, %L: memref<f32>, %n: index) {
  tir.for %i in 2 {
    tir.block "before" (spatial %v in 2 = %i) do {
      %m = tir.load %L[] : memref<f32>
      tir.store %m, %M[%v] : memref<2xf32>
    }
  }
  tir.for %k in 2 {
    tir.for %l in %n {
      tir.block "sum" (reduce %v in 2 = %k, reduce %v_w in %n = %l) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %L[] : memref<f32>
      } do {
        %a = tir.load %A[%v, %v_w] : memref<2x?xf32>
        %s = tir.load %L[] : memref<f32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %L[] : memref<f32>
      }
    }
  }
  func.return
}

//PARTED:error[KC3464]: distribute: running the iterations of k before block sum first changes the result
//PARTED-NEXT:  --> {{.*}}:[[# @LINE + 7]]:3  tir.for %k in 2 {
//PARTED-NEXT:   |  for k in 2:    <-- here
//PARTED-NEXT:   |    block before
//PARTED-NEXT:   |    for l in 0:
//PARTED-NEXT:   |      block sum
//PARTED-NEXT:  why: where the reduction of sum over w is empty, its initial value is stored in front of the loop, and block before uses the same memory
func.func @shared(%A: memref<2x0xf32>, %M: memref<2xf32>, %L: memref<f32>) {
  tir.for %k in 2 {
    tir.block "before" (spatial %v in 2 = %k) do {
      %m = tir.load %M[%v] : memref<2xf32>
      %n = arith.addf %m, %m : f32
      tir.store %n, %M[%v] : memref<2xf32>
    }
    tir.for %l in 0 {
      tir.block "sum" (reduce %v in 2 = %k, reduce %w in 0 = %l) init {
        %z = tir.load %M[0] : memref<2xf32>
        tir.store %z, %L[] : memref<f32>
      } do {
        %a = tir.load %A[%v, %w] : memref<2x0xf32>
        %s = tir.load %L[] : memref<f32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %L[] : memref<f32>
      }
    }
  }
  func.return
}

// Other memory.
// CHECK-LABEL: func.func @apart
// CHECK:         tir.for %i_m in 2 {
func.func @apart(%A: memref<2x0xf32>, %B: memref<2xf32>, %L: memref<f32>) {
  tir.for %i in 2 {
    tir.block "set" (spatial %v in 2 = %i) do {
      %z = arith.constant 1.0 : f32
      tir.store %z, %B[%v] : memref<2xf32>
    }
  }
  tir.for %k in 2 {
    tir.for %l in 0 {
      tir.block "sum" (reduce %v in 2 = %k, reduce %w in 0 = %l) init {
        %z = arith.constant 0.0 : f32
        tir.store %z, %L[] : memref<f32>
      } do {
        %a = tir.load %A[%v, %w] : memref<2x0xf32>
        %s = tir.load %L[] : memref<f32>
        %t = arith.addf %s, %a : f32
        tir.store %t, %L[] : memref<f32>
      }
    }
  }
  func.return
}

// Where the merged loop is empty, the first of the two was too.
// CHECK-LABEL: func.func @counted
// CHECK:         tir.for %i_m in %n {
func.func @counted(%A: memref<?xf32>, %L: memref<?xf32>, %n: index) {
  tir.for %i in %n {
    tir.block "set" (spatial %v in %n = %i) do {
      %z = arith.constant 1.0 : f32
      tir.store %z, %L[%v + 1] : memref<?xf32>
    }
  }
  tir.for %k in %n {
    tir.block "sum" (reduce %v in %n = %k) init {
      %z = arith.constant 0.0 : f32
      tir.store %z, %L[0] : memref<?xf32>
    } do {
      %a = tir.load %A[%v] : memref<?xf32>
      %s = tir.load %L[0] : memref<?xf32>
      %t = arith.addf %s, %a : f32
      tir.store %t, %L[0] : memref<?xf32>
    }
  }
  func.return
}
