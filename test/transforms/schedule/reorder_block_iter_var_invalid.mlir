// What reorder_block_iter_var refuses, and what it says then.
// RUN: not kc-opt %s --reorder-block-iter-var="block=C order=1" 2>&1 | FileCheck %s --check-prefix=SHORT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder-block-iter-var="block=C order=1,1" 2>&1 | FileCheck %s --check-prefix=TWICE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --reorder-block-iter-var="block=C order=i,k" 2>&1 | FileCheck %s --check-prefix=NAMES --match-full-lines --strict-whitespace

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

//SHORT:error[KC3350]: reorder_block_iter_var: order 1 for block C
//SHORT-NEXT:  --> {{.*}}reorder_block_iter_var_invalid.mlir:11:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//SHORT-NEXT:   |  for i in 4:
//SHORT-NEXT:   |    for k in 6:
//SHORT-NEXT:   |      block C    <-- here
//SHORT-NEXT:  why: it has 2 variables (v_i, v_k); each of them must be given once by its position
//SHORT-NEXT:  try: order=1,0

//TWICE:error[KC3350]: reorder_block_iter_var: order 1,1 for block C
//TWICE-NEXT:  --> {{.*}}reorder_block_iter_var_invalid.mlir:11:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//TWICE-NEXT:   |  for i in 4:
//TWICE-NEXT:   |    for k in 6:
//TWICE-NEXT:   |      block C    <-- here
//TWICE-NEXT:  why: it has 2 variables (v_i, v_k); each of them must be given once by its position
//TWICE-NEXT:  try: order=1,0

//NAMES:error[KC0012]: reorder-block-iter-var: option 'order' takes an integer, not 'i'
//NAMES-NEXT:   |  block=C order=i,k
//NAMES-NEXT:   |                ^
