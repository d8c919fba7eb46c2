// RUN: kc-opt %s --narrow-data-type | FileCheck %s
// RUN: kc-opt %s --narrow-data-type=bits=16 | FileCheck %s --check-prefix=SHORT

// The loop, and what is computed with its variable; accesses take indices.
// CHECK-LABEL: func.func @quotients
// CHECK-NEXT:    %0 = arith.constant 0 : i32
// CHECK-NEXT:    %1 = arith.constant 420 : i32
// CHECK-NEXT:    %2 = arith.constant 7 : i32
// CHECK-NEXT:    %3 = arith.constant 1 : i32
// CHECK-NEXT:    scf.for %i = %0 to %1 step %3 : i32 {
// CHECK-NEXT:      [[I:%.*]] = arith.index_cast %i : i32 to index
// CHECK-NEXT:      %q = arith.divui %i, %2 : i32
// CHECK-NEXT:      [[Q:%.*]] = arith.index_cast %q : i32 to index
// CHECK-NEXT:      %r = arith.remui %i, %2 : i32
// CHECK-NEXT:      [[R:%.*]] = arith.index_cast %r : i32 to index
// CHECK-NEXT:      %x = memref.load %A{{\[}}[[Q]], [[R]]] : memref<60x7xf32>
// CHECK-NEXT:      memref.store %x, %B{{\[}}[[I]]] : memref<420xf32>
// CHECK-NEXT:    }
// SHORT-LABEL: func.func @quotients
// SHORT:         %q = arith.divui %i, %{{.*}} : i16
func.func @quotients(%A: memref<60x7xf32>, %B: memref<420xf32>) {
  %c0 = arith.constant 0 : index
  %c420 = arith.constant 420 : index
  %c7 = arith.constant 7 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c420 step %c1 {
    %q = arith.divui %i, %c7 : index
    %r = arith.remui %i, %c7 : index
    %x = memref.load %A[%q, %r] : memref<60x7xf32>
    memref.store %x, %B[%i] : memref<420xf32>
  }
  func.return
}

// A size that is known at the call only may be large: the loop stays as it is, and so does a sum
// with its variable. A remainder is small, whatever it is of.
// CHECK-LABEL: func.func @sizes
// CHECK:         scf.for %i = %c0 to %n step %c1 {
// CHECK-NEXT:      %s = arith.addi %i, %c7 : index
// CHECK-NEXT:      %r = arith.remui %i, %c7 : index
// CHECK-NEXT:      [[R:%.*]] = arith.index_cast %r : index to i32
// CHECK-NEXT:      %d = arith.muli [[R]], %{{.*}} : i32
// CHECK-NEXT:      [[D:%.*]] = arith.index_cast %d : i32 to index
// CHECK-NEXT:      memref.store %z, %A{{\[}}[[D]]] : memref<?xf32>
// CHECK-NEXT:      memref.store %z, %A[%s] : memref<?xf32>
func.func @sizes(%A: memref<?xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  scf.for %i = %c0 to %n step %c1 {
    %s = arith.addi %i, %c7 : index
    %r = arith.remui %i, %c7 : index
    %d = arith.muli %r, %c7 : index
    memref.store %z, %A[%d] : memref<?xf32>
    memref.store %z, %A[%s] : memref<?xf32>
  }
  func.return
}

// Integers are narrowed, too; a quotient of unsigned numbers is not, if one may be negative: -1
// would be 2**32 - 1, and not 2**64 - 1.
// CHECK-LABEL: func.func @integers(%a: i32, %b: i32) -> (i64, i64, i1) {
// CHECK-NEXT:    %wide = arith.extsi %a : i32 to i64
// CHECK-NEXT:    %c3 = arith.constant 3 : i64
// CHECK-NEXT:    %0 = arith.constant 3 : i32
// CHECK-NEXT:    %half = arith.divsi %a, %0 : i32
// CHECK-NEXT:    [[HALF:%.*]] = arith.extsi %half : i32 to i64
// CHECK-NEXT:    %unsigned = arith.divui %wide, %c3 : i64
// CHECK-NEXT:    %less = arith.cmpi slt, %a, %b : i32
// CHECK-NEXT:    func.return [[HALF]], %unsigned, %less : i64, i64, i1
func.func @integers(%a: i32, %b: i32) -> (i64, i64, i1) {
  %wide = arith.extsi %a : i32 to i64
  %second = arith.extsi %b : i32 to i64
  %c3 = arith.constant 3 : i64
  %half = arith.divsi %wide, %c3 : i64
  %unsigned = arith.divui %wide, %c3 : i64
  %less = arith.cmpi slt, %wide, %second : i64
  func.return %half, %unsigned, %less : i64, i64, i1
}

// The last step of a loop goes past its end: here to 2**31.
// CHECK-LABEL: func.func @last_step
// CHECK:         scf.for %i = %c0 to %end step %c1 {
func.func @last_step(%A: memref<8xf32>, %z: f32) {
  %c0 = arith.constant 0 : index
  %end = arith.constant 2147483647 : index
  %c1 = arith.constant 2 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %end step %c1 {
    %r = arith.remui %i, %c8 : index
    memref.store %z, %A[%r] : memref<8xf32>
  }
  func.return
}
