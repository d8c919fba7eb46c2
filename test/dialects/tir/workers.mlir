// RUN: kc-opt %s --split-input-file | kc-opt --split-input-file | FileCheck %s
// RUN: kc-opt %s --convert-to-llvm | FileCheck %s --check-prefix=LLVM

// CHECK-LABEL: func.func @f
// CHECK-NEXT:    %n = tir.num_threads
// CHECK:         scf.parallel
// CHECK-NEXT:      %k = tir.thread_number below %n
// LLVM:        %[[COUNT:.*]] = llvm.call @kc_pool_num_threads() : () -> i32
// LLVM-NEXT:   %n = llvm.sext %[[COUNT]] : i32 to i64
func.func @f(%A: memref<8xindex>) {
  %n = tir.num_threads
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %k = tir.thread_number below %n
    memref.store %k, %A[%i] : memref<8xindex>
    scf.reduce
  }
  func.return
}
