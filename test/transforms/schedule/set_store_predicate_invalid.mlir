// RUN: not kc-opt %s --set-store-predicate='func=reduced block=D condition="threadIdx.x == 32"' 2>&1 | FileCheck %s --check-prefix=NOTHING --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="t == 0"' 2>&1 | FileCheck %s --check-prefix=EACH --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=L condition="t == 0"' 2>&1 | FileCheck %s --check-prefix=LOCAL --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="u == 0"' 2>&1 | FileCheck %s --check-prefix=LOOP --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="threadIdx.y == 0"' 2>&1 | FileCheck %s --check-prefix=AXIS --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="t + 0"' 2>&1 | FileCheck %s --check-prefix=SUM --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="t * t == 0"' 2>&1 | FileCheck %s --check-prefix=PRODUCT --match-full-lines --strict-whitespace

//NOTHING:error[KC3421]: set_store_predicate: with 'threadIdx.x == 32' block D stores nothing
//NOTHING-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:95:5  tir.block "D" (spatial %v in 16 = %i) do {
//NOTHING-NEXT:   |  for i in 16 blockIdx.x:
//NOTHING-NEXT:   |    for t in 32 threadIdx.x:
//NOTHING-NEXT:   |      block C
//NOTHING-NEXT:   |    block D    <-- here
//NOTHING-NEXT:  why: no thread meets the condition

//EACH:error[KC3421]: set_store_predicate: with 't == 0' block A does not store all of its present elements
//EACH-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//EACH-NEXT:   |  for t in 8 threadIdx.x:
//EACH-NEXT:   |    block A    <-- here
//EACH-NEXT:   |    alloc L
//EACH-NEXT:   |    block L
//EACH-NEXT:  why: no thread would do its work for v=1 at (t=1)

//LOCAL:error[KC3421]: set_store_predicate: with 't == 0' block L does not store all of its present elements
//LOCAL-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:110:5  tir.block "L" (spatial %v in 1 = 0) do {
//LOCAL-NEXT:   |  for t in 8 threadIdx.x:
//LOCAL-NEXT:   |    block A
//LOCAL-NEXT:   |    alloc L
//LOCAL-NEXT:   |    block L    <-- here
//LOCAL-NEXT:  why: no thread would do its work for v=0 at (t=1)

//LOOP:error[KC3420]: set_store_predicate: 'u == 0' is not a condition of block A
//LOOP-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//LOOP-NEXT:   |  for t in 8 threadIdx.x:
//LOOP-NEXT:   |    block A    <-- here
//LOOP-NEXT:   |    alloc L
//LOOP-NEXT:   |    block L
//LOOP-NEXT:  why: there is no loop u around block A
//LOOP-NEXT:  try: there are: t, threadIdx.x

//AXIS:error[KC3420]: set_store_predicate: 'threadIdx.y == 0' is not a condition of block A
//AXIS-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//AXIS-NEXT:   |  for t in 8 threadIdx.x:
//AXIS-NEXT:   |    block A    <-- here
//AXIS-NEXT:   |    alloc L
//AXIS-NEXT:   |    block L
//AXIS-NEXT:  why: there is no threadIdx.y in the kernel of block A
//AXIS-NEXT:  try: did you mean 'threadIdx.x'?

//SUM:error[KC3420]: set_store_predicate: 't + 0' is not a condition of block A
//SUM-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//SUM-NEXT:   |  for t in 8 threadIdx.x:
//SUM-NEXT:   |    block A    <-- here
//SUM-NEXT:   |    alloc L
//SUM-NEXT:   |    block L
//SUM-NEXT:  why: 't + 0' is not a single comparison
//SUM-NEXT:  try: threadIdx.x == 0

//PRODUCT:error[KC3420]: set_store_predicate: 't * t == 0' is not a condition of block A
//PRODUCT-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//PRODUCT-NEXT:   |  for t in 8 threadIdx.x:
//PRODUCT-NEXT:   |    block A    <-- here
//PRODUCT-NEXT:   |    alloc L
//PRODUCT-NEXT:   |    block L
//PRODUCT-NEXT:  why: a product of two indices is not affine
//PRODUCT-NEXT:  try: threadIdx.x == 0


func.func @threads(%A: memref<16xf32>, %C: memref<16xf32>) {
  tir.for %i in 16 thread "blockIdx.x" {
    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 16 = %i) do {
        %a = tir.load %A[%v] : memref<16xf32>
        tir.store %a, %C[%v] : memref<16xf32>
      }
    }
  }
  func.return
}

func.func @reduced(%A: memref<16x32xf32>, %C: memref<16xf32>, %D: memref<16xf32>) {
  tir.for %i in 16 thread "blockIdx.x" {
    tir.for %t in 32 thread "threadIdx.x" {
      tir.block "C" (spatial %v in 16 = %i, reduce %k in 32 = %t) init {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %C[%v] : memref<16xf32>
      } do {
        %a = tir.load %A[%v, %k] : memref<16x32xf32>
        %c = tir.load %C[%v] : memref<16xf32>
        %s = arith.addf %c, %a : f32
        tir.store %s, %C[%v] : memref<16xf32>
      }
    }
    tir.block "D" (spatial %v in 16 = %i) do {
      %c = tir.load %C[%v] : memref<16xf32>
      tir.store %c, %D[%v] : memref<16xf32>
    }
  }
  func.return
}

func.func @each(%A: memref<8xf32>) {
  tir.for %t in 8 thread "threadIdx.x" {
    tir.block "A" (spatial %v in 8 = %t) do {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %A[%v] : memref<8xf32>
    }
    %L = tir.alloc "L" : memref<1xf32, "local">
    tir.block "L" (spatial %v in 1 = 0) do {
      %zero = arith.constant 0.0 : f32
      tir.store %zero, %L[%v] : memref<1xf32, "local">
    }
  }
  func.return
}

// RUN: not kc-opt %s --set-store-predicate='func=reduced block=D condition="threadIdx.x == i"' 2>&1 | FileCheck %s --check-prefix=MIXED
// MIXED: error[KC3420]: set_store_predicate: 'threadIdx.x == i' is not a condition of block D
// MIXED: why: block D is in no loop of threadIdx.x, and stores once along it
// MIXED-NEXT: try: compare threadIdx.x with a number, as in threadIdx.x == 0

// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="t =="' 2>&1 | FileCheck %s --check-prefix=SIDE
// SIDE: error[KC3420]: set_store_predicate: 't ==' is not a condition of block A
// SIDE: why: '' is not one side of a comparison

// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="t, 7 == 0"' 2>&1 | FileCheck %s --check-prefix=SIDES
// SIDES: error[KC3420]: set_store_predicate: 't, 7 == 0' is not a condition of block A
// SIDES: why: 't, 7' is not one side of a comparison

// Virtual threads run one after another on a CPU: none stores for another.
// RUN: not kc-opt %s --set-store-predicate='func=virtual block=T condition="vthread.x == 0"' 2>&1 | FileCheck %s --check-prefix=VIRTUAL
// VIRTUAL: error[KC3421]: set_store_predicate: with 'vthread.x == 0' block T does not store all of its present elements
// VIRTUAL-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:[[# @LINE + 11]]:7  tir.block "T" (spatial %w in 1 = 0, opaque %u in 8 = %j) do {
// VIRTUAL-NEXT:   |  for i in 2 vthread.x:
// VIRTUAL-NEXT:   |    for j in 8:
// VIRTUAL-NEXT:   |      block T    <-- here
// VIRTUAL-NEXT:   |      block C
// VIRTUAL-NEXT:  why: no thread would do its work for w=0, u=0 at (i=1, j=0)

func.func @virtual(%A: memref<8xf32>, %C: memref<2x8xf32>) {
  %T = tir.alloc "T" : memref<1xf32>
  tir.for %i in 2 thread "vthread.x" {
    tir.for %j in 8 {
      tir.block "T" (spatial %w in 1 = 0, opaque %u in 8 = %j) do {
        %a = tir.load %A[%u] : memref<8xf32>
        tir.store %a, %T[%w] : memref<1xf32>
      }
      tir.block "C" (spatial %v in 2 = %i, spatial %u in 8 = %j) do {
        %t = tir.load %T[0] : memref<1xf32>
        tir.store %t, %C[%v, %u] : memref<2x8xf32>
      }
    }
  }
  func.return
}

// RUN: not kc-opt %s --set-store-predicate='func=each block=A condition="0 <= t < 4"' 2>&1 | FileCheck %s --check-prefix=CHAIN --match-full-lines --strict-whitespace
//CHAIN:error[KC3420]: set_store_predicate: '0 <= t < 4' is not a condition of block A
//CHAIN-NEXT:  --> {{.*}}set_store_predicate_invalid.mlir:105:5  tir.block "A" (spatial %v in 8 = %t) do {
//CHAIN-NEXT:   |  for t in 8 threadIdx.x:
//CHAIN-NEXT:   |    block A    <-- here
//CHAIN-NEXT:   |    alloc L
//CHAIN-NEXT:   |    block L
//CHAIN-NEXT:  why: '0 <= t < 4' is not a single comparison
//CHAIN-NEXT:  try: threadIdx.x == 0

// One example is enough, and it is of a loop of threads.
// RUN: not kc-opt %s --set-store-predicate='func=plane block=P condition="x =="' 2>&1 | FileCheck %s --check-prefix=PLANE --match-full-lines --strict-whitespace
//      PLANE:error[KC3420]: set_store_predicate: 'x ==' is not a condition of block P
// PLANE-NEXT:  --> {{.*}}
// PLANE-NEXT:   |  for y in 2 threadIdx.y:
// PLANE-NEXT:   |    for x in 4 threadIdx.x:
// PLANE-NEXT:   |      block P    <-- here
// PLANE-NEXT:  why: '' is not one side of a comparison
// PLANE-NEXT:  try: threadIdx.y == 0
//  PLANE-NOT:{{.}}
func.func @plane(%A: memref<2x4xf32>) {
  tir.for %y in 2 thread "threadIdx.y" {
    tir.for %x in 4 thread "threadIdx.x" {
      tir.block "P" (spatial %v in 2 = %y, spatial %w in 4 = %x) do {
        %zero = arith.constant 0.0 : f32
        tir.store %zero, %A[%v, %w] : memref<2x4xf32>
      }
    }
  }
  func.return
}
