// What prefetch refuses, and what it says then.
// RUN: not kc-opt %s --prefetch="func=f block=C buffer=X loop=i" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --vectorize="func=f block=C loop=j" --prefetch="func=f block=C buffer=B loop=k" 2>&1 | FileCheck %s --check-prefix=VECTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --prefetch="func=f block=C buffer=A loop=i offset=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --prefetch="func=f block=C buffer=A loop=i offset=2147483648" 2>&1 | FileCheck %s --check-prefix=HUGE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --prefetch="func=f block=C buffer=B loop=i" 2>&1 | FileCheck %s --check-prefix=SAME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --prefetch="func=f block=C buffer=B loop=z" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --compute-at="func=g block=B loop=i" --prefetch="func=g block=D buffer=B loop=i" 2>&1 | FileCheck %s --check-prefix=OWN --match-full-lines --strict-whitespace

te.func @f(%A: tensor<16x64xf32>, %B: tensor<64x8xf32>) -> tensor<16x8xf32> {
  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
    %a = te.read %A[%i, %k] : tensor<16x64xf32>
    %b = te.read %B[%k, %j] : tensor<64x8xf32>
    %x = arith.mulf %a, %b : f32
    te.yield %x : f32
  } : tensor<16x8xf32>
  te.return %C : tensor<16x8xf32>
}

te.func @g(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%i = 16] {
    %a = te.read %A[%i] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  %D = te.compute "D" [%i = 16] {
    %b = te.read %B[%i] : tensor<16xf32>
    te.yield %b : f32
  } : tensor<16xf32>
  te.return %D : tensor<16xf32>
}

//NAME:error[KC3300]: prefetch: block C reads no buffer X
//NAME-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//NAME-NEXT:   |  for i in 16:
//NAME-NEXT:   |    for j in 8:
//NAME-NEXT:   |      for k in 64:
//NAME-NEXT:   |        block C    <-- here
//NAME-NEXT:  why: it reads 0: A, 1: B, 2: C
//NAME-NEXT:  try: the buffers are: A, B, C

//VECTOR:error[KC3481]: prefetch: loop j is vectorized
//VECTOR-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//VECTOR-NEXT:   |  for i in 16:
//VECTOR-NEXT:   |    for j in 8 vectorized:    <-- vectorized
//VECTOR-NEXT:   |      for k in 64:    <-- the loop
//VECTOR-NEXT:   |        block C
//VECTOR-NEXT:  why: the lanes of a vector are one access, so there is no next iteration
//VECTOR-NEXT:  try: prefetch in a loop around it

//NEGATIVE:error[KC3482]: prefetch: offset -1 for loop i
//NEGATIVE-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//NEGATIVE-NEXT:   |  for i in 16:    <-- here
//NEGATIVE-NEXT:   |    for j in 8:
//NEGATIVE-NEXT:   |      for k in 64:
//NEGATIVE-NEXT:   |        block C
//NEGATIVE-NEXT:  why: the offset must be 0 to 2^31 - 1 iterations
//NEGATIVE-NEXT:  try: offset=1

//HUGE:error[KC3482]: prefetch: offset 2147483648 for loop i
//HUGE-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//HUGE-NEXT:   |  for i in 16:    <-- here
//HUGE-NEXT:   |    for j in 8:
//HUGE-NEXT:   |      for k in 64:
//HUGE-NEXT:   |        block C
//HUGE-NEXT:  why: the offset must be 0 to 2^31 - 1 iterations
//HUGE-NEXT:  try: offset=1

//SAME:error[KC3483]: prefetch: block C reads elements of B that do not depend on i
//SAME-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//SAME-NEXT:   |  for i in 16:    <-- the loop
//SAME-NEXT:   |    for j in 8:
//SAME-NEXT:   |      for k in 64:
//SAME-NEXT:   |        block C    <-- reads B
//SAME-NEXT:  why: its indices are not affine in the loop, or each iteration reads the same elements
//SAME-NEXT:  try: loop=j
//SAME-NEXT:  try: loop=k

//LOOP:error[KC3003]: there is no loop 'z' around block C
//LOOP-NEXT:  --> {{.*}}prefetch_invalid.mlir:11:3  %C = te.compute "C" [%i = 16, %j = 8] reduce sum [%k = 64] {
//LOOP-NEXT:   |  for i in 16:
//LOOP-NEXT:   |    for j in 8:
//LOOP-NEXT:   |      for k in 64:
//LOOP-NEXT:   |        block C
//LOOP-NEXT:  try: the loops are: i, j, k

//OWN:error[KC3485]: prefetch: B is allocated in loop i
//OWN-NEXT:  --> {{.*}}prefetch_invalid.mlir:25:3  %D = te.compute "D" [%i = 16] {
//OWN-NEXT:   |  for i in 16:    <-- the loop
//OWN-NEXT:   |    alloc B
//OWN-NEXT:   |    block B
//OWN-NEXT:   |    block D    <-- reads B
//OWN-NEXT:  why: each iteration has its own buffer, without the data of the next iteration
//OWN-NEXT:  try: prefetch the inputs of the block that writes B
