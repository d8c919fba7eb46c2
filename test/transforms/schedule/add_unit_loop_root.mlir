// Of the root: a loop of one iteration around statements that are in none, with what uses their values.
// RUN: kc-opt %s --add-unit-loop="block=root" --bind="loop=u thread-axis=threadIdx.x" | FileCheck %s
// RUN: not kc-opt %s --bind="loop=j thread-axis=threadIdx.x" --add-unit-loop="block=root" 2>&1 | FileCheck %s --check-prefix=BOUND --match-full-lines --strict-whitespace
// RUN: not kc-opt %s --add-unit-loop="block=root" --add-unit-loop="block=root" 2>&1 | FileCheck %s --check-prefix=NONE --match-full-lines --strict-whitespace

// %half is computed of what the loop does not have in it, and stays outside: the last loop uses it. The loop over
// %j has a bound that a statement loads, as %M has its size, and %L is memory of a thread: they go with the statements.
func.func @main(%A: memref<8xi64>, %B: memref<8xi64>, %n: index) {
  %L = tir.alloc "L" : memref<1xi64, "local">
  tir.for %i in 8 {
    %0 = arith.constant 0 : i64
    tir.store %0, %B[%i] : memref<8xi64>
  }
  %a = tir.load %A[0] : memref<8xi64>
  tir.store %a, %L[0] : memref<1xi64, "local">
  %half = tir.apply (%n floordiv 2)
  %count = arith.index_cast %a : i64 to index
  %M = tir.alloc "M" (%count) : memref<?xi64>
  tir.for %j in %count {
    %1 = tir.load %L[0] : memref<1xi64, "local">
    tir.store %1, %M[%j] : memref<?xi64>
    tir.store %1, %B[%j] : memref<8xi64>
  }
  tir.for %k in %half {
    %2 = tir.load %A[%k] : memref<8xi64>
    tir.store %2, %B[%k] : memref<8xi64>
  }
  func.return
}

// CHECK:      func.func @main(%A: memref<8xi64>, %B: memref<8xi64>, %n: index) {
// CHECK-NEXT:   %L = tir.alloc "L" : memref<1xi64, "local">
// CHECK-NEXT:   tir.for %i in 8 {
// CHECK-NEXT:     %0 = arith.constant 0 : i64
// CHECK-NEXT:     tir.store %0, %B[%i] : memref<8xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   %half = tir.apply (%n floordiv 2)
// CHECK-NEXT:   tir.for %u in 1 thread "threadIdx.x" {
// CHECK-NEXT:     %a = tir.load %A[0] : memref<8xi64>
// CHECK-NEXT:     tir.store %a, %L[0] : memref<1xi64, "local">
// CHECK-NEXT:     %count = arith.index_cast %a : i64 to index
// CHECK-NEXT:     %M = tir.alloc "M" (%count) : memref<?xi64>
// CHECK-NEXT:     tir.for %j in %count {
// CHECK-NEXT:       %1 = tir.load %L[0] : memref<1xi64, "local">
// CHECK-NEXT:       tir.store %1, %M[%j] : memref<?xi64>
// CHECK-NEXT:       tir.store %1, %B[%j] : memref<8xi64>
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT:   tir.for %k in %half {
// CHECK-NEXT:     %2 = tir.load %A[%k] : memref<8xi64>
// CHECK-NEXT:     tir.store %2, %B[%k] : memref<8xi64>
// CHECK-NEXT:   }
// CHECK-NEXT:   func.return
// CHECK-NEXT: }

//BOUND:error[KC3345]: add_unit_loop: the statements outside all loops cannot be moved into a loop
//BOUND-NEXT:  --> {{.*}}add_unit_loop_root.mlir:19:3  tir.for %j in %count {
//BOUND-NEXT:   |  for j in count threadIdx.x:    <-- here
//BOUND-NEXT:   |    store to M
//BOUND-NEXT:   |    store to B
//BOUND-NEXT:  why: loop j, which uses their results, is bound to threadIdx.x
//BOUND-NEXT:  try: name the block or loop to surround: block=NAME or loop=NAME

//NONE:error[KC3345]: add_unit_loop: no statement is outside a loop
//NONE-NEXT:  --> {{.*}}add_unit_loop_root.mlir:8:1  func.func @main(%A: memref<8xi64>, %B: memref<8xi64>, %n: index) {
//NONE-NEXT:   |  alloc L
//NONE-NEXT:   |  for i in 8:
//NONE-NEXT:   |    store to B
//NONE-NEXT:   |  for u in 1:
//NONE-NEXT:   |    store to L
//NONE-NEXT:   |    alloc M
//NONE-NEXT:   |    for j in count:
//NONE-NEXT:   |  ...
//NONE-NEXT:  why: block=root puts a loop around the statements outside all loops
//NONE-NEXT:  try: name the block or loop to surround: block=NAME or loop=NAME
