// The commands of the README, on the files in examples/.
// RUN: kc-opt %S/../../examples/matmul.mlir --split --vectorize | FileCheck %s
// RUN: kc-opt %S/../../examples/matmul.mlir --tile="block=C loops=i,j factors=32,32" | FileCheck %s --check-prefix=TILE
// RUN: not kc-opt %S/../../examples/matmul.mlir --parallel="block=C loop=k" 2>&1 | FileCheck %s --check-prefix=REFUSED
// RUN: kc-translate %S/../../examples/matmul.mlir --to=asm --target="llvm -mcpu=znver4" | FileCheck %s --check-prefix=ASM
// RUN: kc-opt %S/../../examples/vector_add.mlir --split="block=C loop=i factors=?,8" --vectorize --parallel | FileCheck %s --check-prefix=ADD

// CHECK:      tir.for %i in 1024 {
// CHECK-NEXT:   tir.for %j_o in 128 {
// CHECK-NEXT:     tir.for %j_i in 8 vectorized {
// CHECK-NEXT:       tir.for %k in 1024 {
// CHECK-NEXT:         tir.block "C" (spatial %v_i in 1024 = %i, spatial %v_j in 1024 = %j_o * 8 + %j_i, reduce %v_k in 1024 = %k) init {

// TILE:      tir.for %i_o in 32 {
// TILE-NEXT:   tir.for %j_o in 32 {
// TILE-NEXT:     tir.for %i_i in 32 {
// TILE-NEXT:       tir.for %j_i in 32 {

// REFUSED:      error[KC3040]: parallel: loop k is a reduction of C
// REFUSED-NEXT:   --> {{.*}}matmul.mlir:7:3  %C = te.compute "C" [%i = 1024, %j = 1024] reduce sum [%k = 1024] {
// REFUSED-NEXT:    |  for i in 1024:
// REFUSED-NEXT:    |    for j in 1024:
// REFUSED-NEXT:    |      for k in 1024:    <-- here
// REFUSED-NEXT:    |        block C
// REFUSED-NEXT:   why: C at (k=0) writes C[0, 0], which C at (k=1) updates (for i = 0, j = 0)
// REFUSED-NEXT:   try: parallel a spatial loop: i, j

// ASM: matmul:
// ASM: vfmadd

// ADD:      tir.for %i_o in %i_size parallel {
// ADD-NEXT:   tir.for %i_i in 8 vectorized {
