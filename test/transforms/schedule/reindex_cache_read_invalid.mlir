// What reindex_cache_read refuses, and what it says then.
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=Q scope=local index-map=(i,j,k)->(k,i)" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=A scope=fast index-map=(i,j,k)->(k,i)" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=A scope=local index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=RANK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=A scope=local index-map=(i,j,k)->(k-1,i)" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=A scope=local index-map=(i,j,k)->(k,i//2)" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-read="block=C buffer=A scope=local index-map=(i,j,k)->(k,i+j)" 2>&1 | FileCheck %s --check-prefix=OTHER --match-full-lines --strict-whitespace

te.func @product(%A: tensor<4x6xf32>, %B: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
    %a = te.read %A[%i, %k] : tensor<4x6xf32>
    %b = te.read %B[%k, %j] : tensor<6x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

//NAME:error[KC3300]: reindex_cache_read: block C reads no buffer Q
//NAME-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for j in 8:
//NAME-NEXT:   |      for k in 6:
//NAME-NEXT:   |        block C    <-- here
//NAME-NEXT:  why: it reads 0: A, 1: B, 2: C
//NAME-NEXT:  try: the buffers are: A, B, C

//SCOPE:error[KC3301]: reindex_cache_read: target llvm has no memory scope 'fast'
//SCOPE-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:9:1  te.func @product(%A: tensor<4x6xf32>, %B: tensor<6x8xf32>) -> tensor<4x8xf32> {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, shared.dyn, warp, wmma.matrix_a, wmma.matrix_b, wmma.accumulator

//RANK:error[KC3501]: reindex_cache_read: (i, j)->(j, i) takes 2 indices
//RANK-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//RANK-NEXT:   |  for i in 4:
//RANK-NEXT:   |    for j in 8:
//RANK-NEXT:   |      for k in 6:
//RANK-NEXT:   |        block C    <-- here
//RANK-NEXT:  why: block C has the variables v_i, v_j, v_k
//RANK-NEXT:  try: index_map=(i, j, k)->(...)

//NEGATIVE:error[KC3503]: reindex_cache_read: (i, j, k)->(k - 1, i) maps block C to indices outside any buffer
//NEGATIVE-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//NEGATIVE-NEXT:   |  for i in 4:
//NEGATIVE-NEXT:   |    for j in 8:
//NEGATIVE-NEXT:   |      for k in 6:
//NEGATIVE-NEXT:   |        block C    <-- here
//NEGATIVE-NEXT:  why: (v_i=0, v_k=0) would be at [-1, 0]
//NEGATIVE-NEXT:  try: add an offset that makes the smallest index 0

//MIXED:error[KC3531]: reindex_cache_read: (i, j, k)->(k, i floordiv 2) mixes elements
//MIXED-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//MIXED-NEXT:   |  for i in 4:
//MIXED-NEXT:   |    for j in 8:
//MIXED-NEXT:   |      for k in 6:
//MIXED-NEXT:   |        block C    <-- here
//MIXED-NEXT:  why: two elements of A would share one element of the new buffer: those of (v_i=0, v_k=0) and (v_i=1, v_k=0)
//MIXED-NEXT:  try: use a map that depends on exactly v_i, v_k

//OTHER:error[KC3531]: reindex_cache_read: (i, j, k)->(k, i + j) mixes elements
//OTHER-NEXT:  --> {{.*}}reindex_cache_read_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//OTHER-NEXT:   |  for i in 4:
//OTHER-NEXT:   |    for j in 8:
//OTHER-NEXT:   |      for k in 6:
//OTHER-NEXT:   |        block C    <-- here
//OTHER-NEXT:  why: two elements of A would share one element of the new buffer: those of (v_i=0, v_j=1, v_k=0) and (v_i=1, v_j=0, v_k=0)
//OTHER-NEXT:  try: use a map that depends on exactly v_i, v_k
