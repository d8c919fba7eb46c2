// What storage_align refuses, and what it says then.
// RUN: not kc-opt %s --storage-align="block=B buffer=1 axis=0 factor=8" 2>&1 | FileCheck %s --check-prefix=BUFFER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="block=C buffer=C axis=0 factor=8" 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="block=B buffer=B axis=2 factor=8" 2>&1 | FileCheck %s --check-prefix=AXIS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="block=B buffer=B axis=-3 factor=8" 2>&1 | FileCheck %s --check-prefix=LOW --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="block=B buffer=B axis=0 factor=0" 2>&1 | FileCheck %s --check-prefix=FACTOR --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --storage-align="block=B buffer=B axis=0 factor=8 offset=9" 2>&1 | FileCheck %s --check-prefix=OFFSET --match-full-lines --strict-whitespace

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

//BUFFER:error[KC3300]: storage_align: block B writes no buffer 1
//BUFFER-NEXT:  --> {{.*}}storage_align_invalid.mlir:10:3  %B = te.compute "B" [%i = 6, %j = 4] {
//BUFFER-NEXT:   |  for i in 6:
//BUFFER-NEXT:   |    for j in 4:
//BUFFER-NEXT:   |      block B    <-- here
//BUFFER-NEXT:  why: it writes 0: B
//BUFFER-NEXT:  try: buffer=0

//ARGUMENT:error[KC3320]: storage_align: C of block C is an argument of the function
//ARGUMENT-NEXT:  --> {{.*}}storage_align_invalid.mlir:14:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//ARGUMENT-NEXT:   |  for i in 4:
//ARGUMENT-NEXT:   |    for k in 6:
//ARGUMENT-NEXT:   |      block C    <-- here
//ARGUMENT-NEXT:  why: the caller decides where an argument is and how it is laid out
//ARGUMENT-NEXT:  try: cache_write gives block C its own buffer

//AXIS:error[KC3321]: storage_align: B has no axis 2
//AXIS-NEXT:  --> {{.*}}storage_align_invalid.mlir:10:3  %B = te.compute "B" [%i = 6, %j = 4] {
//AXIS-NEXT:   |  for i in 6:
//AXIS-NEXT:   |    for j in 4:
//AXIS-NEXT:   |      block B    <-- here
//AXIS-NEXT:  why: it has 2 dimensions
//AXIS-NEXT:  try: axis=0
//AXIS-NEXT:  try: axis=1

//LOW:error[KC3321]: storage_align: B has no axis -3
//LOW-NEXT:  --> {{.*}}storage_align_invalid.mlir:10:3  %B = te.compute "B" [%i = 6, %j = 4] {
//LOW-NEXT:   |  for i in 6:
//LOW-NEXT:   |    for j in 4:
//LOW-NEXT:   |      block B    <-- here
//LOW-NEXT:  why: it has 2 dimensions
//LOW-NEXT:  try: axis=0
//LOW-NEXT:  try: axis=1

//FACTOR:error[KC3322]: storage_align: factor 0 and offset 0 for B
//FACTOR-NEXT:  --> {{.*}}storage_align_invalid.mlir:10:3  %B = te.compute "B" [%i = 6, %j = 4] {
//FACTOR-NEXT:   |  for i in 6:
//FACTOR-NEXT:   |    for j in 4:
//FACTOR-NEXT:   |      block B    <-- here
//FACTOR-NEXT:  why: a distance of factor * n + offset needs factor >= 1 and 0 <= offset < factor
//FACTOR-NEXT:  try: factor=1

//OFFSET:error[KC3322]: storage_align: factor 8 and offset 9 for B
//OFFSET-NEXT:  --> {{.*}}storage_align_invalid.mlir:10:3  %B = te.compute "B" [%i = 6, %j = 4] {
//OFFSET-NEXT:   |  for i in 6:
//OFFSET-NEXT:   |    for j in 4:
//OFFSET-NEXT:   |      block B    <-- here
//OFFSET-NEXT:  why: a distance of factor * n + offset needs factor >= 1 and 0 <= offset < factor
//OFFSET-NEXT:  try: factor=8 offset=1
