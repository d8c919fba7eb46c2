// What annotate refuses, and what it says then.
// RUN: not kc-opt %s --annotate="key=x value=1" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="loop=j key=x value=1" --annotate="loop=j key=x value=2" 2>&1 | FileCheck %s --check-prefix=OTHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="loop=i key=x value=1" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="block=D key=x" 2>&1 | FileCheck %s --check-prefix=BLOCK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --annotate="block=B loop=j key=x" --split="block=B loop=j factors=?,2" 2>&1 | FileCheck %s --check-prefix=KEPT --match-full-lines --strict-whitespace

te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
  %B = te.compute "B" [%i = 6, %j = 4] {
    %a = te.read %A[%i, %j] : tensor<6x4xf32>
    te.yield %a : f32
  } : tensor<6x4xf32>
  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
    %x = te.read %B[%k, %i] : tensor<6x4xf32>
    te.yield %x : f32
  } : tensor<4xf32>
  te.return %C : tensor<4xf32>
}

//NOTHING:error[KC3342]: annotate: neither a loop nor a block is named
//NOTHING-NEXT:  --> {{.*}}annotate_invalid.mlir:8:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
//NOTHING-NEXT:  try: block=NAME
//NOTHING-NEXT:  try: loop=NAME
//NOTHING-NEXT:  try: block=NAME loop=NAME

//OTHER:error[KC3340]: annotate: loop j already has the annotation 'x'
//OTHER-NEXT:  --> {{.*}}annotate_invalid.mlir:9:3  %B = te.compute "B" [%i = 6, %j = 4] {
//OTHER-NEXT:   |  for i in 6:
//OTHER-NEXT:   |    for j in 4:    <-- here
//OTHER-NEXT:   |      block B
//OTHER-NEXT:  why: its value is 1 : i64, not 2 : i64
//OTHER-NEXT:  try: unannotate x first

//LOOP:error[KC3004]: there are 2 loops 'i' in @two
//LOOP-NEXT:  --> {{.*}}annotate_invalid.mlir:13:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//LOOP-NEXT:   |  alloc B
//LOOP-NEXT:   |  for i in 6:    <-- this one?
//LOOP-NEXT:   |    for j in 4:
//LOOP-NEXT:   |      block B
//LOOP-NEXT:   |  for i in 4:    <-- this one?
//LOOP-NEXT:   |    for k in 6:
//LOOP-NEXT:   |      block C
//LOOP-NEXT:  try: name the block too: block=NAME

//BLOCK:error[KC3001]: there is no block 'D' in @two
//BLOCK-NEXT:  --> {{.*}}annotate_invalid.mlir:8:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
//BLOCK-NEXT:  try: the blocks are: B, C

//KEPT:error[KC3011]: split: loop j is annotated (x)
//KEPT-NEXT:  --> {{.*}}annotate_invalid.mlir:9:3  %B = te.compute "B" [%i = 6, %j = 4] {
//KEPT-NEXT:   |  for i in 6:
//KEPT-NEXT:   |    for j in 4:    <-- here
//KEPT-NEXT:   |      block B
//KEPT-NEXT:  why: the annotation refers to this loop and would be lost
//KEPT-NEXT:  try: split first, then annotate one of the results
