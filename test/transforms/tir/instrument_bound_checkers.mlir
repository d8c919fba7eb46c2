// Every access is checked, and its function left where it is outside; what calls one that was left
// leaves too.
// RUN: kc-opt %s --convert-tir-to-scf --instrument-bound-checkers | FileCheck %s
// RUN: kc-opt %s --convert-tir-to-scf --instrument-bound-checkers | kc-opt | FileCheck %s
// RUN: kc-opt %s --convert-tir-to-scf --instrument-bound-checkers --convert-to-llvm | FileCheck %s --check-prefix=LLVM
// RUN: kc-opt %s --lower-to-llvm | FileCheck %s --check-prefix=WITHOUT

// WITHOUT-NOT: kc_out_of_bounds

// The record comes last; what is checked is an attribute of the function.
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME: %A: memref<?xf32>, %i: index, %x: f32, %record: memref<6xi64>)
// CHECK-SAME: bound_checks = [{number = 0 : i64, access = "written", buffer = "A", rank = 1 : i64, lanes = 1 : i64, file = "{{.*}}instrument_bound_checkers.mlir", line = [[# @LINE + 13]] : i64, column = 3 : i64}]
// CHECK: [[N:%.*]] = memref.dim %A
// CHECK: [[IN:%.*]] = arith.cmpi ult, %i, [[N]] : index
// CHECK: [[OUT:%.*]] = arith.xori [[IN]]
// CHECK: scf.if [[OUT]] {
// CHECK:   [[SITE:%.*]] = arith.constant 0 : i64
// CHECK:   func.call @kc_out_of_bounds_1(%record, [[SITE]], %i, [[N]])
// CHECK: }
// CHECK: cf.assert [[IN]], "A is accessed outside of its bounds" {leaves}
// CHECK-NEXT: memref.store %x, %A[%i]
// LLVM-LABEL: llvm.func @scalar(
// LLVM-NOT: bound_checks
func.func @scalar(%A: memref<?xf32>, %i: index, %x: f32) {
  tir.store %x, %A[%i] : memref<?xf32>
  func.return
}

// Four lanes: from 0 to four less than the size.
// CHECK-LABEL: func.func @lanes(
// CHECK: [[ROW:%.*]] = arith.cmpi ult, %i, %{{.*}} : index
// CHECK: [[LAST:%.*]] = arith.subi %{{.*}}, %{{.*}} : index
// CHECK: [[LOW:%.*]] = arith.cmpi sle, %j, [[LAST]] : index
// CHECK: [[BOTH:%.*]] = arith.andi [[ROW]], [[LOW]] : i1
// CHECK: [[NATURAL:%.*]] = arith.cmpi sge, %j, %{{.*}} : index
// CHECK: arith.andi [[BOTH]], [[NATURAL]] : i1
// CHECK: func.call @kc_out_of_bounds_2
// CHECK: vector.load
func.func @lanes(%A: memref<8x16xf32>, %i: index, %j: index, %B: memref<8x16xf32>) {
  %v = tir.load %A[%i, %j] : memref<8x16xf32>, vector<4xf32>
  tir.store %v, %B[0, 0] : memref<8x16xf32>, vector<4xf32>
  func.return
}

// A lane that is masked off is not checked.
// CHECK-LABEL: func.func @masked(
// CHECK: [[ACTIVE:%.*]] = vector.extract %m[0]
// CHECK: [[IN:%.*]] = arith.cmpi ult
// CHECK: [[IDLE:%.*]] = arith.xori [[ACTIVE]]
// CHECK: [[FINE:%.*]] = arith.ori [[IN]], [[IDLE]] : i1
// CHECK: cf.assert [[FINE]]
// CHECK: vector.extract %m[1]
// CHECK: cf.assert
// CHECK-NEXT: vector.maskedload
func.func @masked(%A: memref<?xf32>, %i: index, %m: vector<2xi1>, %v: vector<2xf32>) {
  %w = "vector.maskedload"(%A, %i, %m, %v) : (memref<?xf32>, index, vector<2xi1>, vector<2xf32>) -> vector<2xf32>
  func.return
}

// Every iteration that starts after one was wrong leaves, and so does what is after the loop.
// CHECK-LABEL: func.func @threads(
// CHECK: scf.parallel
// CHECK: [[WRONG:%.*]] = memref.load %record
// CHECK: [[WELL:%.*]] = arith.cmpi eq, [[WRONG]]
// CHECK-NEXT: cf.assert [[WELL]], "an access was outside of its bounds" {leaves}
// CHECK: memref.store
// CHECK: scf.reduce
// CHECK: memref.load %record
// CHECK: cf.assert %{{.*}}, "an access was outside of its bounds" {leaves}
// CHECK: func.return
// LLVM-LABEL: llvm.func internal @threads_parallel_0_body(
// LLVM: llvm.cond_br %{{.*}}, ^[[ON:.*]], ^[[OFF:bb[0-9]+]]
// LLVM: ^[[OFF]]:
// LLVM-NEXT: llvm.return
func.func @threads(%A: memref<64xf32>, %x: f32) {
  tir.for %i in 64 parallel {
    tir.store %x, %A[%i] : memref<64xf32>
  }
  func.return
}

// A function that is called gets the record of its caller, which looks at it.
// CHECK-LABEL: func.func @caller(
// CHECK: func.call @scalar(%A, %i, %x, %record)
// CHECK: cf.assert %{{.*}}, "an access was outside of its bounds" {leaves}
// CHECK: func.call @outside(%A)
// CHECK-NOT: cf.assert
// CHECK: func.return
func.func @caller(%A: memref<?xf32>, %i: index, %x: f32) {
  func.call @scalar(%A, %i, %x) : (memref<?xf32>, index, f32) -> ()
  func.call @outside(%A) : (memref<?xf32>) -> ()
  func.return
}
// CHECK: func.func private @outside(memref<?xf32>) -> ()
func.func private @outside(memref<?xf32>)

// A hint may be about anything, and memory of rank 0 has no index.
// CHECK-LABEL: func.func @nothing_to_check(
// CHECK-NOT: cf.assert
// CHECK: func.return
func.func @nothing_to_check(%A: memref<?xf32>, %i: index, %B: memref<f32>, %x: f32) {
  tir.prefetch %A[%i + 1000] : memref<?xf32>
  tir.store %x, %B[] : memref<f32>
  func.return
}

// The first that is wrong is written to the record.
// CHECK-LABEL: func.func private @kc_out_of_bounds_1(
// CHECK: [[COUNT:%.*]] = memref.atomic_rmw addi %{{.*}}, %{{.*}}[%{{.*}}] : (i64, memref<
// CHECK: [[FIRST:%.*]] = arith.cmpi eq, [[COUNT]]
// CHECK: scf.if [[FIRST]] {
// CHECK-COUNT-3: memref.store
// LLVM-LABEL: llvm.func internal @kc_out_of_bounds_1(
// LLVM: llvm.atomicrmw add {{.*}} acq_rel
