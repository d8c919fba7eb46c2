// What offset_operand refuses, and what it says then.
// RUN: not kc-opt %s --offset-operand="func=argument block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=ARGUMENT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --offset-operand="func=wide block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=WIDE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --offset-operand="func=goes_on block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=INIT --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --offset-operand="func=square block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=SQUARE --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --split="func=argument loop=k factors=?,2" --offset-operand="func=argument block=C buffer=A" 2>&1 | FileCheck %s --check-prefix=SPLIT --match-full-lines --strict-whitespace

func.func @argument(%A: memref<4xi8> {kc.name = "A"}, %B: memref<4xi8> {kc.name = "B"}, %C: memref<1xi32> {kc.name = "C", kc.role = "out"}) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
      %zero = arith.constant 0 : i32
      tir.store %zero, %C[%v_i] : memref<1xi32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xi32>
      %a = tir.load %A[%v_k] : memref<4xi8>
      %x = arith.extsi %a : i8 to i32
      %b = tir.load %B[%v_k] : memref<4xi8>
      %y = arith.extsi %b : i8 to i32
      %p = arith.muli %x, %y : i32
      %s = arith.addi %c, %p : i32
      tir.store %s, %C[%v_i] : memref<1xi32>
    }
  }
  func.return
}

//ARGUMENT:error[KC3641]: offset_operand: the function does not allocate A of block C
//ARGUMENT:  why: its owner would see the inverted sign bits of its elements
//ARGUMENT-NEXT:  try: cache_read of A first
//SPLIT:error[KC3607]: offset_operand: block C is not bound to separate loops
//SPLIT:  why: v_k is not bound to a loop that contains only the block
//SPLIT-NEXT:  try: offset_operand before its loops are split, fused or shared with other blocks

func.func @wide(%A: memref<4xi32> {kc.name = "A"}, %B: memref<4xi32> {kc.name = "B"}, %C: memref<1xi32> {kc.name = "C", kc.role = "out"}) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
      %zero = arith.constant 0 : i32
      tir.store %zero, %C[%v_i] : memref<1xi32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xi32>
      %a = tir.load %A[%v_k] : memref<4xi32>
      %b = tir.load %B[%v_k] : memref<4xi32>
      %p = arith.muli %a, %b : i32
      %s = arith.addi %c, %p : i32
      tir.store %s, %C[%v_i] : memref<1xi32>
    }
  }
  func.return
}

//WIDE:error[KC3640]: offset_operand: block C is not a sum of products of integers
//WIDE:  why: its terms are not products of two loaded integers that are extended
//WIDE-NEXT:  try: use a block like C[i, j] += int32(A[i, k]) * int32(B[k, j])

func.func @goes_on(%A: memref<4xi8> {kc.name = "A"}, %B: memref<4xi8> {kc.name = "B"}, %C: memref<1xi32> {kc.name = "C", kc.role = "out"}) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
      %two = arith.constant 2 : i32
      tir.store %two, %C[%v_i] : memref<1xi32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xi32>
      %a = tir.load %A[%v_k] : memref<4xi8>
      %x = arith.extsi %a : i8 to i32
      %b = tir.load %B[%v_k] : memref<4xi8>
      %y = arith.extsi %b : i8 to i32
      %p = arith.muli %x, %y : i32
      %s = arith.addi %c, %p : i32
      tir.store %s, %C[%v_i] : memref<1xi32>
    }
  }
  func.return
}

//INIT:error[KC3640]: offset_operand: block C is not a sum of products of integers
//INIT:  why: its sums do not start at 0

func.func @square(%A: memref<4xi8> {kc.name = "A"}, %C: memref<1xi32> {kc.name = "C", kc.role = "out"}) {
  tir.for %k in 4 {
    tir.block "C" (spatial %v_i in 1 = 0, reduce %v_k in 4 = %k) init {
      %zero = arith.constant 0 : i32
      tir.store %zero, %C[%v_i] : memref<1xi32>
    } do {
      %c = tir.load %C[%v_i] : memref<1xi32>
      %a = tir.load %A[%v_k] : memref<4xi8>
      %x = arith.extsi %a : i8 to i32
      %b = tir.load %A[%v_k] : memref<4xi8>
      %y = arith.extsi %b : i8 to i32
      %p = arith.muli %x, %y : i32
      %s = arith.addi %c, %p : i32
      tir.store %s, %C[%v_i] : memref<1xi32>
    }
  }
  func.return
}

//SQUARE:error[KC3640]: offset_operand: A is not one factor of the products of block C
//SQUARE:  why: it is both factors
