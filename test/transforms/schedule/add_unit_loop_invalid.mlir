// What add_unit_loop refuses, and what it says then.
// RUN: not kc-opt %s --add-unit-loop="func=two" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --add-unit-loop="loop=z" 2>&1 | FileCheck %s --check-prefix=NAME --match-full-lines --strict-whitespace

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

//NOTHING:error[KC3342]: add_unit_loop: neither a loop nor a block is named
//NOTHING-NEXT:  --> {{.*}}add_unit_loop_invalid.mlir:5:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
//NOTHING-NEXT:  try: block=NAME
//NOTHING-NEXT:  try: loop=NAME
//NOTHING-NEXT:  try: block=NAME loop=NAME

//NAME:error[KC3003]: there is no loop 'z' in @two
//NAME-NEXT:  --> {{.*}}add_unit_loop_invalid.mlir:5:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
//NAME-NEXT:   |  alloc B
//NAME-NEXT:   |  for i in 6:
//NAME-NEXT:   |    for j in 4:
//NAME-NEXT:   |      block B
//NAME-NEXT:   |  for i in 4:
//NAME-NEXT:   |    for k in 6:
//NAME-NEXT:   |      block C
//NAME-NEXT:  try: the loops are: i, j, k
