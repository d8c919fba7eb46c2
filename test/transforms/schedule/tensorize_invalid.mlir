// What tensorize refuses, and what it says then.
// RUN: not kc-opt %s --tensorize="func=sums loop=k tensor-intrin=dot_f32_5" 2>&1 | FileCheck %s --check-prefix=UNKNOWN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums tensor-intrin=dot_f32_4" 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums loop=k tensor-intrin=avx512_vnni_dot_16x4" 2>&1 | FileCheck %s --check-prefix=FEATURE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums loop=k tensor-intrin=dot_f32_4" 2>&1 | FileCheck %s --check-prefix=EXTENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums loop=k tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=KIND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums loop=i tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=COUNT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums loop=k tensor-intrin=dot_f32_16" 2>&1 | FileCheck %s --check-prefix=VALUE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=sums block=C tensor-intrin=dot_f32_16" 2>&1 | FileCheck %s --check-prefix=BLOCK --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=doubles loop=j tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=TYPE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=reversed loop=j tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=ELEMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=square loop=k tensor-intrin=dot_f32_16" 2>&1 | FileCheck %s --check-prefix=ALIAS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=gather loop=j tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=GATHER --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=tail loop=j factors=?,16" --tensorize="func=tail loop=j_i tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=TAIL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=sizes loop=j factors=?,16" --tensorize="func=sizes loop=j_i tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=SIZES --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=columns loop=i tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=COLUMN --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --tensorize="func=two loop=i tensor-intrin=copy_f32_16" 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace

te.func @sums(%A: tensor<16x16xf32>) -> tensor<16xf32> {
  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
    %a = te.read %A[%i, %k] : tensor<16x16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  te.return %C : tensor<16xf32>
}

te.func @doubles(%A: tensor<16xf64>) -> tensor<16xf64> {
  %B = te.compute "B" [%j = 16] {
    %a = te.read %A[%j] : tensor<16xf64>
    te.yield %a : f64
  } : tensor<16xf64>
  te.return %B : tensor<16xf64>
}

te.func @reversed(%A: tensor<16xf32>) -> tensor<16xf32> {
  %B = te.compute "B" [%j = 16] {
    %a = te.read %A[15 - %j] : tensor<16xf32>
    te.yield %a : f32
  } : tensor<16xf32>
  te.return %B : tensor<16xf32>
}

// The result is added to the row that it is read from.
func.func @square(%A: memref<17xf32>) {
  tir.for %k in 16 {
    tir.block "C" (reduce %v_k in 16 = %k) do {
      %c = tir.load %A[16] : memref<17xf32>
      %a = tir.load %A[%v_k] : memref<17xf32>
      %b = tir.load %A[%v_k] : memref<17xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      tir.store %s, %A[16] : memref<17xf32>
    }
  }
  func.return
}

func.func @gather(%A: memref<64xf32>, %I: memref<16xindex>, %B: memref<16xf32>) {
  tir.for %j in 16 {
    tir.block "B" (spatial %v_j in 16 = %j) do {
      %at = tir.load %I[%v_j] : memref<16xindex>
      %a = tir.load %A[%at] : memref<64xf32>
      tir.store %a, %B[%v_j] : memref<16xf32>
    }
  }
  func.return
}

te.func @tail(%A: tensor<40xf32>) -> tensor<40xf32> {
  %B = te.compute "B" [%j = 40] {
    %a = te.read %A[%j] : tensor<40xf32>
    te.yield %a : f32
  } : tensor<40xf32>
  te.return %B : tensor<40xf32>
}

te.func @sizes(%A: tensor<?xf32> {kc.shape = affine_map<()[n] -> (n)>})
    -> tensor<?xf32> attributes {kc.symbols = ["n"]} {
  %n = te.symbol "n"
  %B = te.compute "B" [%j = %n] {
    %a = te.read %A[%j] : tensor<?xf32>
    te.yield %a : f32
  } : tensor<?xf32>
  te.return %B : tensor<?xf32>
}

func.func @columns(%A: memref<16x8xf32>, %B: memref<8x16xf32>) {
  tir.for %j in 8 {
    tir.for %i in 16 {
      tir.block "B" (spatial %v_j in 8 = %j, spatial %v_i in 16 = %i) do {
        %a = tir.load %A[%v_i, %v_j] : memref<16x8xf32>
        tir.store %a, %B[%v_j, %v_i] : memref<8x16xf32>
      }
    }
  }
  func.return
}

func.func @two(%A: memref<16xf32>, %B: memref<16xf32>) {
  tir.for %i in 16 {
    tir.block "B" (spatial %v_i in 16 = %i) do {
      %a = tir.load %A[%v_i] : memref<16xf32>
      tir.store %a, %B[%v_i] : memref<16xf32>
    }
    tir.block "A" (spatial %v_i in 16 = %i) do {
      %z = arith.constant 0.0 : f32
      tir.store %z, %A[%v_i] : memref<16xf32>
    }
  }
  func.return
}

//UNKNOWN:error[KC3560]: tensorize: unknown tensor intrinsic 'dot_f32_5'
//UNKNOWN-NEXT:  --> {{.*}}tensorize_invalid.mlir:19:1  te.func @sums(%A: tensor<16x16xf32>) -> tensor<16xf32> {
//UNKNOWN-NEXT:  try: did you mean 'dot_f32_8' or 'dot_f32_4' or 'dot_f32_16'?

//NOTHING:error[KC3566]: tensorize: name a loop or a block
//NOTHING-NEXT:  --> {{.*}}tensorize_invalid.mlir:19:1  te.func @sums(%A: tensor<16x16xf32>) -> tensor<16xf32> {
//NOTHING-NEXT:  try: loop=NAME
//NOTHING-NEXT:  try: block=NAME

//FEATURE:error[KC3561]: tensorize: avx512_vnni_dot_16x4 needs avx512vnni, which the target does not have
//FEATURE-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//FEATURE-NEXT:   |  for i in 16:
//FEATURE-NEXT:   |    for k in 16:    <-- here
//FEATURE-NEXT:   |      block C
//FEATURE-NEXT:  why: the target is llvm -mcpu=x86-64-v3 -mtriple=x86_64-unknown-linux-gnu
//FEATURE-NEXT:  try: -mattr=+avx512vnni, or a CPU with these features

//EXTENT:error[KC3562]: tensorize: block C_o does not match dot_f32_4: loop k has 16 iterations, not 4
//EXTENT-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//EXTENT-NEXT:   |  the block:
//EXTENT-NEXT:   |    for k in 16:
//EXTENT-NEXT:   |      C[v_i_o] = C[v_i_o] + A[v_i_o, k]
//EXTENT-NEXT:   |  the description:
//EXTENT-NEXT:   |    for k in 4:
//EXTENT-NEXT:   |      init C[0] = 0
//EXTENT-NEXT:   |      C[0] = C[0] + A[k] * B[k]
//EXTENT-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:20:3, against portable.mlir:6:5

//KIND:error[KC3562]: tensorize: block C_o does not match copy_f32_16: loop k drives reduce variables, not spatial variables
//KIND-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//KIND-NEXT:   |  the block:
//KIND-NEXT:   |    for k in 16:
//KIND-NEXT:   |      C[v_i_o] = C[v_i_o] + A[v_i_o, k]
//KIND-NEXT:   |  the description:
//KIND-NEXT:   |    for j in 16:
//KIND-NEXT:   |      B[j] = A[j]
//KIND-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:20:3, against portable.mlir:132:5

//COUNT:error[KC3562]: tensorize: block C_o does not match copy_f32_16: 2 loops (i, k), not 1 loop (j)
//COUNT-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//COUNT-NEXT:   |  the block:
//COUNT-NEXT:   |    for i in 16, k in 16:
//COUNT-NEXT:   |      C[i] = C[i] + A[i, k]
//COUNT-NEXT:   |  the description:
//COUNT-NEXT:   |    for j in 16:
//COUNT-NEXT:   |      B[j] = A[j]
//COUNT-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:20:3, against portable.mlir:133:7

//VALUE:error[KC3562]: tensorize: block C_o does not match dot_f32_16: it computes tir.load, not arith.mulf
//VALUE-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//VALUE-NEXT:   |  the block:
//VALUE-NEXT:   |    for k in 16:
//VALUE-NEXT:   |      C[v_i_o] = C[v_i_o] + A[v_i_o, k]
//VALUE-NEXT:   |  the description:
//VALUE-NEXT:   |    for k in 16:
//VALUE-NEXT:   |      init C[0] = 0
//VALUE-NEXT:   |      C[0] = C[0] + A[k] * B[k]
//VALUE-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:21:5, against portable.mlir:98:9

//BLOCK:error[KC3562]: tensorize: block C does not match dot_f32_16: it contains tir.load, tir.store, not loops around one block
//BLOCK-NEXT:  --> {{.*}}tensorize_invalid.mlir:20:3  %C = te.compute "C" [%i = 16] reduce sum [%k = 16] {
//BLOCK-NEXT:   |  the block:
//BLOCK-NEXT:   |    without loops:
//BLOCK-NEXT:   |      C[v_i] = C[v_i] + A[v_i, v_k]
//BLOCK-NEXT:   |  the description:
//BLOCK-NEXT:   |    for k in 16:
//BLOCK-NEXT:   |      init C[0] = 0
//BLOCK-NEXT:   |      C[0] = C[0] + A[k] * B[k]
//BLOCK-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:20:3

//TYPE:error[KC3562]: tensorize: block B_o does not match copy_f32_16: B has elements of f64, B of f32
//TYPE-NEXT:  --> {{.*}}tensorize_invalid.mlir:28:3  %B = te.compute "B" [%j = 16] {
//TYPE-NEXT:   |  the block:
//TYPE-NEXT:   |    for j in 16:
//TYPE-NEXT:   |      B[j] = A[j]
//TYPE-NEXT:   |  the description:
//TYPE-NEXT:   |    for j in 16:
//TYPE-NEXT:   |      B[j] = A[j]
//TYPE-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:30:5, against portable.mlir:135:9

//ELEMENT:error[KC3562]: tensorize: block B_o does not match copy_f32_16: it accesses A[(j * -1) + 15] instead of A[j]
//ELEMENT-NEXT:  --> {{.*}}tensorize_invalid.mlir:36:3  %B = te.compute "B" [%j = 16] {
//ELEMENT-NEXT:   |  the block:
//ELEMENT-NEXT:   |    for j in 16:
//ELEMENT-NEXT:   |      B[j] = A[(j * -1) + 15]
//ELEMENT-NEXT:   |  the description:
//ELEMENT-NEXT:   |    for j in 16:
//ELEMENT-NEXT:   |      B[j] = A[j]
//ELEMENT-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:37:5, against portable.mlir:134:9

//ALIAS:error[KC3562]: tensorize: block C_o does not match dot_f32_16: A, which it writes, is both C and A of the description
//ALIAS-NEXT:  --> {{.*}}tensorize_invalid.mlir:46:5  tir.block "C" (reduce %v_k in 16 = %k) do {
//ALIAS-NEXT:   |  the block:
//ALIAS-NEXT:   |    for k in 16:
//ALIAS-NEXT:   |      A[16] = A[16] + A[k] * A[k]
//ALIAS-NEXT:   |  the description:
//ALIAS-NEXT:   |    for k in 16:
//ALIAS-NEXT:   |      init C[0] = 0
//ALIAS-NEXT:   |      C[0] = C[0] + A[k] * B[k]
//ALIAS-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:46:5

//GATHER:error[KC3562]: tensorize: block B_o does not match copy_f32_16: it accesses A[at] instead of A[j]
//GATHER-NEXT:  --> {{.*}}tensorize_invalid.mlir:60:5  tir.block "B" (spatial %v_j in 16 = %j) do {
//GATHER-NEXT:   |  the block:
//GATHER-NEXT:   |    for j in 16:
//GATHER-NEXT:   |      B[j] = A[at]
//GATHER-NEXT:   |  the description:
//GATHER-NEXT:   |    for j in 16:
//GATHER-NEXT:   |      B[j] = A[j]
//GATHER-NEXT:  why: the first difference is at {{.*}}tensorize_invalid.mlir:62:7, against portable.mlir:134:9

//TAIL:error[KC3563]: tensorize: the tile of B is not full
//TAIL-NEXT:  --> {{.*}}tensorize_invalid.mlir:70:3  %B = te.compute "B" [%j = 40] {
//TAIL-NEXT:   |  for j_o in 3:
//TAIL-NEXT:   |    block B_o    <-- here
//TAIL-NEXT:   |      for j_i in 16:
//TAIL-NEXT:   |        block B
//TAIL-NEXT:  why: B does not run at (j_o=2, j_i=8), but copy_f32_16 runs all 16 iterations

//SIZES:error[KC3563]: tensorize: the tile of B is not full
//SIZES-NEXT:  --> {{.*}}tensorize_invalid.mlir:80:3  %B = te.compute "B" [%j = %n] {
//SIZES-NEXT:   |  for j_o in j_size:
//SIZES-NEXT:   |    block B_o    <-- here
//SIZES-NEXT:   |      for j_i in 16:
//SIZES-NEXT:   |        block B
//SIZES-NEXT:  why: B does not run at (j_o=0, j_i=1) (for n = 1), but copy_f32_16 runs all 16 iterations

//COLUMN:error[KC3564]: tensorize: A does not have the layout that copy_f32_16 needs
//COLUMN-NEXT:  --> {{.*}}tensorize_invalid.mlir:90:7  tir.block "B" (spatial %v_j in 8 = %j, spatial %v_i in 16 = %i) do {
//COLUMN-NEXT:   |  for j in 8:
//COLUMN-NEXT:   |    block B_o    <-- here
//COLUMN-NEXT:   |      for i in 16:
//COLUMN-NEXT:   |        block B
//COLUMN-NEXT:  why: the stride of dimension 0 of A is 8 elements, not 1; its argument A is memref<16xf32, strided<[1], offset: ?>>
//COLUMN-NEXT:  try: transform_layout of A, so that a tile has the layout of the argument

//LOOP:error[KC3551]: tensorize: loop i must contain one block, and nothing else
//LOOP-NEXT:  --> {{.*}}tensorize_invalid.mlir:100:3  tir.for %i in 16 {
//LOOP-NEXT:   |  for i in 16:    <-- here
//LOOP-NEXT:   |    block B
//LOOP-NEXT:   |    block A
//LOOP-NEXT:  why: i contains block B and block A
//LOOP-NEXT:  try: give B and A separate loops
