// What a block will read is named some iterations before.
// RUN: kc-opt %s --prefetch="block=C buffer=A loop=i offset=2" | FileCheck %s --check-prefix=ROW
// RUN: kc-opt %s --prefetch="block=C buffer=1 loop=k" | FileCheck %s --check-prefix=ELEMENT
// RUN: kc-opt %s --split="block=C loop=i factors=?,4" --split="block=C loop=k factors=?,32" --reorder="block=C loops=i_o,k_o,i_i,k_i" --prefetch="block=C buffer=A loop=k_o" | FileCheck %s --check-prefix=TILE
// RUN: kc-opt %s --prefetch="block=S buffer=D loop=p offset=4" | FileCheck %s --check-prefix=COLUMNS
// RUN: kc-opt %s --parallel="block=C loop=i" --prefetch="block=C buffer=A loop=i" 2>&1 | FileCheck %s --check-prefix=PARALLEL --match-full-lines --strict-whitespace
// RUN: kc-opt %s --prefetch="block=C buffer=A loop=i offset=0" 2>&1 | FileCheck %s --check-prefix=NOW --match-full-lines --strict-whitespace
// RUN: kc-opt %s --prefetch="block=C buffer=B loop=k" --vectorize="block=C loop=j" --lower-init-block --lower-blocks --vectorize-loop | FileCheck %s --check-prefix=VECTOR
// RUN: kc-opt %s --prefetch="block=C buffer=B loop=k" --reorder="block=C loops=k,j" --fuse="block=C loops=i,k" | FileCheck %s --check-prefix=MOVED

// A row of 64 elements is 4 lines.
// ROW:      tir.for %i in %n {
// ROW-NEXT:   tir.for %p1 in 4 {
// ROW-NEXT:     tir.prefetch %A[%i + 2, %p1 * 16] : memref<?x64xf32>
// ROW-NEXT:   }
// ROW-NEXT:   tir.for %j in 8 {

// ELEMENT:      tir.for %k in 64 {
// ELEMENT-NEXT:   tir.prefetch %B[%k + 1, %j] : memref<64x8xf32>
// ELEMENT-NEXT:   tir.block "C"

// TILE:      tir.for %k_o in 2 {
// TILE-NEXT:   tir.for %p0 in 4 {
// TILE-NEXT:     tir.for %p1 in 2 {
// TILE-NEXT:       tir.prefetch %A[%i_o * 4 + %p0, %k_o * 32 + %p1 * 16 + 32] : memref<?x64xf32>
// TILE-NEXT:     }
// TILE-NEXT:   }

// A dimension that is read as a whole, of symbolic size.
// COLUMNS:      %[[LINES:.*]] = tir.apply (%n ceildiv 8)
// COLUMNS-NEXT: tir.for %p in %m {
// COLUMNS-NEXT:   tir.for %p1 in %[[LINES]] {
// COLUMNS-NEXT:     tir.prefetch %D[%p + 4, %p1 * 8] : memref<?x?xf64>

//PARALLEL:warning[KC3484]: prefetch: prefetching 1 ahead in loop i is of little use
//PARALLEL-NEXT:  --> {{.*}}prefetch.mlir:57:3  %C = te.compute "C" [%i = %n, %j = 8] reduce sum [%k = 64] {
//PARALLEL-NEXT:  why: the next iterations of a parallel loop may run on other cores
//PARALLEL-NEXT:  try: prefetch in a serial loop

//NOW:warning[KC3484]: prefetch: prefetching 0 ahead in loop i is of little use
//NOW-NEXT:  --> {{.*}}prefetch.mlir:57:3  %C = te.compute "C" [%i = %n, %j = 8] reduce sum [%k = 64] {
//NOW-NEXT:  why: it is read immediately afterwards
//NOW-NEXT:  try: offset=1

// VECTOR:      tir.for %k in 64 {
// VECTOR-NEXT:   tir.prefetch %B[%k + 1, 0] : memref<64x8xf32>
// VECTOR:        tir.load %B[%k, 0] : memref<64x8xf32>, vector<8xf32>

// Loops that are restructured take it along.
// MOVED:      tir.for %i_k_fused in %{{.*}} {
// MOVED-NEXT:   tir.for %j in 8 {
// MOVED-NEXT:     tir.prefetch %B[%i_k_fused mod 64 + 1, %j] : memref<64x8xf32>
te.func @f(%A: tensor<?x64xf32> {kc.shape = affine_map<()[n, m] -> (n, 64)>}, %B: tensor<64x8xf32>, %D: tensor<?x?xf64> {kc.shape = affine_map<()[n, m] -> (m, n)>}) -> (tensor<?x8xf32>, tensor<?xf64>)
    attributes {kc.symbols = ["n", "m"]} {
  %n = te.symbol "n"
  %m = te.symbol "m"
  %C = te.compute "C" [%i = %n, %j = 8] reduce sum [%k = 64] {
    %a = te.read %A[%i, %k] : tensor<?x64xf32>
    %b = te.read %B[%k, %j] : tensor<64x8xf32>
    %x = arith.mulf %a, %b : f32
    te.yield %x : f32
  } : tensor<?x8xf32>
  %S = te.compute "S" [%p = %m] reduce sum [%q = %n] {
    %d = te.read %D[%p, %q] : tensor<?x?xf64>
    te.yield %d : f64
  } : tensor<?xf64>
  te.return %C, %S : tensor<?x8xf32>, tensor<?xf64>
}
