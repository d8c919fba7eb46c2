// Splits that need a predicate, where none is allowed.
// RUN: not kc-opt %s --split="block=B loop=i factors=?,32 disable-predication" 2>&1 | FileCheck %s --check-prefix=NUMBER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=E loop=i factors=?,8 disable-predication" 2>&1 | FileCheck %s --check-prefix=PRIME --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=i factors=?,8 disable-predication" 2>&1 | FileCheck %s --check-prefix=SYMBOL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="block=C loop=i factors=?,n disable-predication" 2>&1 | FileCheck %s --check-prefix=BOTH --match-full-lines --strict-whitespace

te.func @f(%A: tensor<100xf32>, %D: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>}) -> (tensor<100xf32>, tensor<?xf32>, tensor<97xf32>) attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%i = 100] {
    %a = te.read %A[%i] : tensor<100xf32>
    te.yield %a : f32
  } : tensor<100xf32>
  %C = te.compute "C" [%i = %n] {
    %a = te.read %D[%i] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  %E = te.compute "E" [%i = 97] {
    %a = te.read %A[%i] : tensor<100xf32>
    te.yield %a : f32
  } : tensor<97xf32>
  te.return %B, %C, %E : tensor<100xf32>, tensor<?xf32>, tensor<97xf32>
}

//NUMBER:error[KC3497]: split: loop i cannot be split by ?,32 without a predicate
//NUMBER-NEXT:  --> {{.*}}split_options_invalid.mlir:9:3  %B = te.compute "B" [%i = 100] {
//NUMBER-NEXT:   |  for i in 100:    <-- here
//NUMBER-NEXT:   |    block B
//NUMBER-NEXT:  why: 100 iterations are not a multiple of 32
//NUMBER-NEXT:  try: factors=?,50
//NUMBER-NEXT:  try: factors=?,25
//NUMBER-NEXT:  try: factors=?,20

//PRIME:error[KC3497]: split: loop i cannot be split by ?,8 without a predicate
//PRIME-NEXT:  --> {{.*}}split_options_invalid.mlir:17:3  %E = te.compute "E" [%i = 97] {
//PRIME-NEXT:   |  for i in 97:    <-- here
//PRIME-NEXT:   |    block E
//PRIME-NEXT:  why: 97 iterations are not a multiple of 8
//PRIME-NEXT:  try: disable-predication=false

//SYMBOL:error[KC3497]: split: loop i cannot be split by ?,8 without a predicate
//SYMBOL-NEXT:  --> {{.*}}split_options_invalid.mlir:13:3  %C = te.compute "C" [%i = %n] {
//SYMBOL-NEXT:   |  for i in n:    <-- here
//SYMBOL-NEXT:   |    block C
//SYMBOL-NEXT:  why: n is not known to be a multiple of the factors
//SYMBOL-NEXT:  try: disable-predication=false

//BOTH:error[KC3497]: split: loop i cannot be split by ?,n without a predicate
//BOTH-NEXT:  --> {{.*}}split_options_invalid.mlir:13:3  %C = te.compute "C" [%i = %n] {
//BOTH-NEXT:   |  for i in n:    <-- here
//BOTH-NEXT:   |    block C
//BOTH-NEXT:  why: n is not known to be a multiple of the factors
//BOTH-NEXT:  try: disable-predication=false
