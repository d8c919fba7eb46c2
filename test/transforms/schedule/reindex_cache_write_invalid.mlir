// What reindex_cache_write refuses, and what it says then.
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=A scope=local index-map=(i,j,k)->(j,i)" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=C scope=fast index-map=(i,j,k)->(j,i)" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=C scope=local index-map=(i,j)->(j,i)" 2>&1 | FileCheck %s --check-prefix=RANK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=C scope=local index-map=(i,j,k)->(j-1,i)" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=C scope=local index-map=(i,j,k)->(i)" 2>&1 | FileCheck %s --check-prefix=MIXED --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reindex-cache-write="block=C buffer=C scope=local index-map=(i,j,k)->(k,j,i)" 2>&1 | FileCheck %s --check-prefix=REDUCED --match-full-lines --strict-whitespace

te.func @product(%A: tensor<4x6xf32>, %B: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
    %a = te.read %A[%i, %k] : tensor<4x6xf32>
    %b = te.read %B[%k, %j] : tensor<6x8xf32>
    %c = arith.mulf %a, %b : f32
    te.yield %c : f32
  } : tensor<4x8xf32>
  te.return %C : tensor<4x8xf32>
}

//NAME:error[KC3300]: reindex_cache_write: block C writes no buffer A
//NAME-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for j in 8:
//NAME-NEXT:   |      for k in 6:
//NAME-NEXT:   |        block C    <-- here
//NAME-NEXT:  why: it writes 0: C
//NAME-NEXT:  try: the buffers are: C

//SCOPE:error[KC3301]: reindex_cache_write: target llvm has no memory scope 'fast'
//SCOPE-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:9:1  te.func @product(%A: tensor<4x6xf32>, %B: tensor<6x8xf32>) -> tensor<4x8xf32> {
//SCOPE-NEXT:  try: the scopes are: global, local, shared, shared.dyn, warp, wmma.matrix_a, wmma.matrix_b, wmma.accumulator

//RANK:error[KC3501]: reindex_cache_write: (i, j)->(j, i) takes 2 indices
//RANK-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//RANK-NEXT:   |  for i in 4:
//RANK-NEXT:   |    for j in 8:
//RANK-NEXT:   |      for k in 6:
//RANK-NEXT:   |        block C    <-- here
//RANK-NEXT:  why: block C has the variables v_i, v_j, v_k
//RANK-NEXT:  try: index_map=(i, j, k)->(...)

//NEGATIVE:error[KC3503]: reindex_cache_write: (i, j, k)->(j - 1, i) maps block C to indices outside any buffer
//NEGATIVE-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//NEGATIVE-NEXT:   |  for i in 4:
//NEGATIVE-NEXT:   |    for j in 8:
//NEGATIVE-NEXT:   |      for k in 6:
//NEGATIVE-NEXT:   |        block C    <-- here
//NEGATIVE-NEXT:  why: (v_i=0, v_j=0) would be at [-1, 0]
//NEGATIVE-NEXT:  try: add an offset that makes the smallest index 0

//MIXED:error[KC3531]: reindex_cache_write: (i, j, k)->(i) mixes elements
//MIXED-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//MIXED-NEXT:   |  for i in 4:
//MIXED-NEXT:   |    for j in 8:
//MIXED-NEXT:   |      for k in 6:
//MIXED-NEXT:   |        block C    <-- here
//MIXED-NEXT:  why: two elements of C would share one element of the new buffer: those of (v_i=0, v_j=0) and (v_i=0, v_j=1)
//MIXED-NEXT:  try: use a map that depends on exactly v_i, v_j

//REDUCED:error[KC3531]: reindex_cache_write: (i, j, k)->(k, j, i) mixes elements
//REDUCED-NEXT:  --> {{.*}}reindex_cache_write_invalid.mlir:10:3  %C = te.compute "C" [%i = 4, %j = 8] reduce sum [%k = 6] {
//REDUCED-NEXT:   |  for i in 4:
//REDUCED-NEXT:   |    for j in 8:
//REDUCED-NEXT:   |      for k in 6:
//REDUCED-NEXT:   |        block C    <-- here
//REDUCED-NEXT:  why: two elements of the new buffer would share one element of C: those of (v_i=0, v_j=0, v_k=0) and (v_i=0, v_j=0, v_k=1)
//REDUCED-NEXT:  try: use a map that depends on exactly v_i, v_j
