// What transform_block_layout refuses, and what it says then.
// RUN: not kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=RANK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=product block=C loop=i factors=?,2" --transform-block-layout="func=product block=C index-map=(i,j,k)->(j,i,k)" 2>&1 | FileCheck %s --check-prefix=SPLIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=chain block=E index-map=(i)->(i)" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=chain block=N index-map=()->(0)" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=chain block=D index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=INSIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --parallel="func=product block=C loop=i" --transform-block-layout="func=product block=C index-map=(i,j,k)->(j,i,k)" 2>&1 | FileCheck %s --check-prefix=PARALLEL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j,k)->(i,j,k-1)" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j,k)->(i,j//2,k)" 2>&1 | FileCheck %s --check-prefix=CLASH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j,k)->(i,j//3,j%3,k)" 2>&1 | FileCheck %s --check-prefix=HOLE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=product block=C index-map=(i,j,k)->(i*8+k,j)" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=once block=O index-map=(i,k)->(i)" 2>&1 | FileCheck %s --check-prefix=ONCE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=chain block=S index-map=(i)->(6-i)" 2>&1 | FileCheck %s --check-prefix=ORDER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --transform-block-layout="func=chain block=R index-map=(i,k)->(i,3-k)" 2>&1 | FileCheck %s --check-prefix=START --match-full-lines --strict-whitespace

te.func @product(%A: tensor<4x8xf32>, %B: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
    %a = te.read %A[%i, %k] : tensor<4x8xf32>
    %b = te.read %B[%k, %j] : tensor<8x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

te.func @once(%A: tensor<4x1xf32>) -> tensor<4xf32> {
  %O = te.compute "O" [%i = 4] reduce sum [%k = 1] {
    %a = te.read %A[%i, %k] : tensor<4x1xf32>
    te.yield %a : f32
  } : tensor<4xf32>
  te.return %O : tensor<4xf32>
}

func.func @chain(%A: memref<8xi32>, %B: memref<8xi32>, %C: memref<4xi32>) {
  tir.for %i in 7 {
    tir.block "S" (opaque %v in 7 = %i) do {
      %x = tir.load %A[%v] : memref<8xi32>
      tir.store %x, %A[%v + 1] : memref<8xi32>
    }
  }
  tir.for %i in 4 {
    tir.block "E" (spatial %v in 8 = %i) do {
      %x = tir.load %A[%v] : memref<8xi32>
      tir.store %x, %B[%v] : memref<8xi32>
    }
  }
  tir.block "N" () do {
    %x = tir.load %A[0] : memref<8xi32>
    tir.store %x, %B[0] : memref<8xi32>
  }
  tir.for %i in 4 {
    %e = tir.apply (%i floordiv 4 + 2)
    tir.for %j in %e {
      tir.block "D" (spatial %v in 4 = %i, spatial %w in %e = %j) do {
        %x = tir.load %A[%v + %w] : memref<8xi32>
        tir.store %x, %B[%v * 2 + %w] : memref<8xi32>
      }
    }
  }
  // What R reads of its own result is what it has made so far.
  tir.for %i in 4 {
    tir.for %k in 4 {
      tir.block "R" (spatial %v in 4 = %i, reduce %w in 4 = %k) init {
        %0 = arith.constant 0 : i32
        tir.store %0, %C[%v] : memref<4xi32>
      } do {
        %x = tir.load %A[%w] : memref<8xi32>
        %1 = tir.load %C[%v] : memref<4xi32>
        %2 = arith.addi %1, %x : i32
        tir.store %2, %C[%v] : memref<4xi32>
        tir.store %x, %B[%w] : memref<8xi32>
      }
    }
  }
  func.return
}

//RANK:error[KC3501]: transform_block_layout: (i, j)->(j, i) takes 2 indices
//RANK-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//RANK-NEXT:   |  for i in 4:
//RANK-NEXT:   |    for j in 8:
//RANK-NEXT:   |      for k in 8:
//RANK-NEXT:   |        block C    <-- here
//RANK-NEXT:  why: block C has the variables v_i, v_j, v_k
//RANK-NEXT:  try: index_map=(i, j, k)->(...)

//SPLIT:error[KC3520]: transform_block_layout: block C does not have a separate loop for each variable
//SPLIT-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//SPLIT-NEXT:   |  for i_o in 2:
//SPLIT-NEXT:   |    for i_i in 2:
//SPLIT-NEXT:   |      for j in 8:
//SPLIT-NEXT:   |        for k in 8:
//SPLIT-NEXT:   |          block C    <-- here
//SPLIT-NEXT:  why: v_i is not bound to a separate loop among the 3 around the block
//SPLIT-NEXT:  try: transform_block_layout before split, fuse and compute_at

//EXTENT:error[KC3520]: transform_block_layout: block E does not have a separate loop for each variable
//EXTENT-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:42:5  tir.block "E" (spatial %v in 8 = %i) do {
//EXTENT-NEXT:   |  for i in 4:
//EXTENT-NEXT:   |    block E    <-- here
//EXTENT-NEXT:  why: v and its loop i have different extents
//EXTENT-NEXT:  try: transform_block_layout before split, fuse and compute_at

//NONE:error[KC3520]: transform_block_layout: block N does not have a separate loop for each variable
//NONE-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:47:3  tir.block "N" () do {
//NONE-NEXT:   |  block N    <-- here
//NONE-NEXT:  why: block N has no variables

//INSIDE:error[KC3520]: transform_block_layout: block D does not have a separate loop for each variable
//INSIDE-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:54:7  tir.block "D" (spatial %v in 4 = %i, spatial %w in %e = %j) do {
//INSIDE-NEXT:   |  for i in 4:
//INSIDE-NEXT:   |    for j in e:
//INSIDE-NEXT:   |      block D    <-- here
//INSIDE-NEXT:  why: the extent of w is computed inside i
//INSIDE-NEXT:  try: transform_block_layout before split, fuse and compute_at

//PARALLEL:error[KC3010]: transform_block_layout: loop i is already parallel
//PARALLEL-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//PARALLEL-NEXT:   |  for i in 4 parallel:    <-- here
//PARALLEL-NEXT:   |    for j in 8:
//PARALLEL-NEXT:   |      for k in 8:
//PARALLEL-NEXT:   |        block C
//PARALLEL-NEXT:  why: a loop must be restructured before it gets a kind of execution
//PARALLEL-NEXT:  try: transform_block_layout first, then parallel one of the results

//NEGATIVE:error[KC3503]: transform_block_layout: (i, j, k)->(i, j, k - 1) maps block C to iterations outside any loop
//NEGATIVE-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//NEGATIVE-NEXT:   |  for i in 4:
//NEGATIVE-NEXT:   |    for j in 8:
//NEGATIVE-NEXT:   |      for k in 8:
//NEGATIVE-NEXT:   |        block C    <-- here
//NEGATIVE-NEXT:  why: [0, 0, 0] would be [0, 0, -1]
//NEGATIVE-NEXT:  try: add an offset that makes the smallest index 0

//CLASH:error[KC3521]: transform_block_layout: (i, j, k)->(i, j floordiv 2, k) is not one-to-one on block C
//CLASH-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//CLASH-NEXT:   |  for i in 4:
//CLASH-NEXT:   |    for j in 8:
//CLASH-NEXT:   |      for k in 8:
//CLASH-NEXT:   |        block C    <-- here
//CLASH-NEXT:  why: iterations [0, 0, 0] and [0, 1, 0] would both be [0, 0, 0]
//CLASH-NEXT:  try: use factors that divide the extents
//CLASH-NEXT:  try: split the loops, which handles tails

//HOLE:error[KC3521]: transform_block_layout: (i, j, k)->(i, j floordiv 3, j mod 3, k) is not one-to-one on block C
//HOLE-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//HOLE-NEXT:   |  for i in 4:
//HOLE-NEXT:   |    for j in 8:
//HOLE-NEXT:   |      for k in 8:
//HOLE-NEXT:   |        block C    <-- here
//HOLE-NEXT:  why: no iteration of the block would be mapped to [0, 2, 2, 0]
//HOLE-NEXT:  try: use factors that divide the extents
//HOLE-NEXT:  try: split the loops, which handles tails

//MIXED:error[KC3522]: transform_block_layout: result 0 of (i, j, k)->(i * 8 + k, j) mixes types of variables
//MIXED-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:17:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 8] {
//MIXED-NEXT:   |  for i in 4:
//MIXED-NEXT:   |    for j in 8:
//MIXED-NEXT:   |      for k in 8:
//MIXED-NEXT:   |        block C    <-- here
//MIXED-NEXT:  why: it depends on v_i (spatial), v_k (reduce): an instance could neither run in any order nor be an update
//MIXED-NEXT:  try: fuse spatial variables with spatial ones, reduce with reduce

//ONCE:error[KC3522]: transform_block_layout: no result of (i, k)->(i) is a reduce variable
//ONCE-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:27:3  %O = te.compute "O" [%i = 4] reduce sum [%k = 1] {
//ONCE-NEXT:   |  for i in 4:
//ONCE-NEXT:   |    for k in 1:
//ONCE-NEXT:   |      block O    <-- here
//ONCE-NEXT:  why: block O initialises where its reduce variables are 0
//ONCE-NEXT:  try: keep a reduce variable of extent 1

//ORDER:error[KC3523]: transform_block_layout: the order of (i)->(i * -1 + 6) changes the result
//ORDER-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:36:5  tir.block "S" (opaque %v in 7 = %i) do {
//ORDER-NEXT:   |  for i in 7:
//ORDER-NEXT:   |    block S    <-- here
//ORDER-NEXT:  why: S at (i=0) writes A[1], which S at (i=1) reads

//START:error[KC3523]: transform_block_layout: the order of (i, k)->(i, k * -1 + 3) changes the result
//START-NEXT:  --> {{.*}}transform_block_layout_invalid.mlir:63:7  tir.block "R" (spatial %v in 4 = %i, reduce %w in 4 = %k) init {
//START-NEXT:   |  for i in 4:
//START-NEXT:   |    for k in 4:
//START-NEXT:   |      block R    <-- here
//START-NEXT:  why: R at (i=0, k=0) writes C[0], which R at (i=0, k=1) updates
