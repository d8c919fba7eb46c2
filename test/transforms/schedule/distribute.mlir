// A loop becomes two, of which the second does the rest of what each iteration did.
// RUN: kc-opt %s --distribute="func=two loop=i block=C" | FileCheck %s --check-prefix=TWO
// RUN: kc-opt %s --distribute="func=two loop=i block=C" --merge="func=two loops=i,i_d" | FileCheck %s --check-prefix=AGAIN
// RUN: kc-opt %s --distribute="func=index loop=i block=C" | FileCheck %s --check-prefix=INDEX

// TWO-LABEL: func.func @two(
// TWO-NEXT:    tir.for %i in 16 {
// TWO-NEXT:      tir.block "B" (spatial %v_i in 16 = %i) do {
// TWO:         tir.for %i_d in 16 {
// TWO-NEXT:      tir.block "C" (spatial %v_j in 16 = %i_d) do {
// AGAIN-LABEL: func.func @two(
// AGAIN-NEXT:    tir.for %i_m in 16 {
// AGAIN-NEXT:      tir.block "B" (spatial %v_i in 16 = %i_m) do {
// AGAIN:           tir.block "C" (spatial %v_j in 16 = %i_m) do {
//       FIRST:error[KC3463]: distribute: i has no operations before block B
//  FIRST-NEXT:  --> {{.*}}:[[# @LINE + 6]]:3  tir.for %i in 16 {
//  FIRST-NEXT:   |  for i in 16:    <-- here
//  FIRST-NEXT:   |    block B
//  FIRST-NEXT:   |    block C
//  FIRST-NEXT:  why: distribute divides the body before the block, and neither part may be empty
func.func @two(%A: memref<16xf32>, %B: memref<16xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
    tir.block "C" (spatial %v_j in 16 = %i) do {
      %a = tir.load %B[%v_j] : memref<16xf32>
      tir.store %a, %C[%v_j] : memref<16xf32>
    }
  }
  func.return
}

// Both parts need the index, and both compute it.
// INDEX-LABEL: func.func @index(
// INDEX-NEXT:    tir.for %i in 4 {
// INDEX-NEXT:      %k = arith.muli %i, %n : index
// INDEX-NEXT:      tir.store %x, %B[%k] : memref<?xf32>
// INDEX-NEXT:    }
// INDEX-NEXT:    tir.for %i_d in 4 {
// INDEX-NEXT:      %k_1 = arith.muli %i_d, %n : index
// INDEX-NEXT:      tir.block "C" (opaque %v_k in 99 = %k_1) do {
func.func @index(%B: memref<?xf32>, %C: memref<99xf32>, %n: index, %x: f32) {
  tir.for %i in 4 {
    %k = arith.muli %i, %n : index
    tir.store %x, %B[%k] : memref<?xf32>
    tir.block "C" (opaque %v_k in 99 = %k) do {
      tir.store %x, %C[%v_k] : memref<99xf32>
    }
  }
  func.return
}
