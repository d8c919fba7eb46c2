// What set_scope refuses, and what it says then.
// RUN: not kc-opt %s --set-scope="block=B buffer=A scope=local" 2>&1 | FileCheck %s --check-prefix=READ --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-scope="block=B buffer=B scope=loca" 2>&1 | FileCheck %s --check-prefix=SCOPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-scope="block=C buffer=C scope=local" 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-scope="block=B buffer=B" 2>&1 | FileCheck %s --check-prefix=MISSING --match-full-lines --strict-whitespace

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

//READ:error[KC3300]: set_scope: block B writes no buffer A
//READ-NEXT:  --> {{.*}}set_scope_invalid.mlir:8:3  %B = te.compute "B" [%i = 6, %j = 4] {
//READ-NEXT:   |  for i in 6:
//READ-NEXT:   |    for j in 4:
//READ-NEXT:   |      block B    <-- here
//READ-NEXT:  why: it writes 0: B
//READ-NEXT:  try: the buffers are: B

//SCOPE:error[KC3301]: set_scope: target llvm has no memory scope 'loca'
//SCOPE-NEXT:  --> {{.*}}set_scope_invalid.mlir:7:1  te.func @two(%A: tensor<6x4xf32>) -> tensor<4xf32> {
//SCOPE-NEXT:  try: did you mean 'local' or 'global'?

//ARGUMENT:error[KC3320]: set_scope: C of block C is an argument of the function
//ARGUMENT-NEXT:  --> {{.*}}set_scope_invalid.mlir:12:3  %C = te.compute "C" [%i = 4] reduce sum [%k = 6] {
//ARGUMENT-NEXT:   |  for i in 4:
//ARGUMENT-NEXT:   |    for k in 6:
//ARGUMENT-NEXT:   |      block C    <-- here
//ARGUMENT-NEXT:  why: the caller decides where an argument is and how it is laid out
//ARGUMENT-NEXT:  try: cache_write gives block C its own buffer

//MISSING:error[KC0013]: set-scope: the option 'scope' is missing
//MISSING-NEXT:   |  scope: the memory scope
//MISSING-NEXT:  try: scope=<name>
