// RUN: kc-opt %s --split-input-file | kc-opt --split-input-file | FileCheck %s
// RUN: kc-opt %s --split-input-file --mlir-print-op-generic | kc-opt --split-input-file | FileCheck %s
// RUN: kc-opt %s --split-input-file --cse --dce --canonicalize | FileCheck %s --check-prefix=CLEAN
// RUN: kc-opt %s --split-input-file --convert-tir-to-scf | FileCheck %s --check-prefix=SCF
// RUN: not kc-opt %s --split-input-file --parallel="loop=repeat" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not kc-opt %s --split-input-file --unroll="loop=repeat" 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not kc-opt %s --split-input-file --vectorize="loop=i" 2>&1 | FileCheck %s --check-prefix=LANES

// CHECK-LABEL: func.func @halve
// CHECK:           tir.for %repeat in 9223372036854775807 while {
// CHECK:             tir.if (%{{.*}} == 1) {
// CHECK:             }
// CHECK-NEXT:        tir.condition %{{.*}}
// CHECK-NEXT:      }

// The condition has no result and must stay.
// CLEAN-LABEL: func.func @halve
// CLEAN:           tir.condition %{{.*}}

// SCF-LABEL: func.func @halve
// SCF:           scf.for %i
// SCF-NEXT:        %[[BEGINS:.*]] = arith.constant true
// SCF-NEXT:        scf.while (%[[HELD:.*]] = %[[BEGINS]]) : (i1) -> () {
// SCF-NEXT:          scf.condition(%[[HELD]])
// SCF-NEXT:        } do {
// SCF-NEXT:          %[[X:.*]] = memref.load %A[%i] : memref<8xi32>
// SCF:               %[[HOLDS:.*]] = arith.cmpi sgt, %[[X]]
// SCF:               scf.if %{{.*}} {
// SCF:                 memref.store
// SCF:               }
// SCF:               scf.yield %[[HOLDS]] : i1
// SCF-NEXT:        }

// KIND:      error[KC3010]: {{parallel|unroll}}: loop repeat is a while
// KIND:        why: its trip count is known only when it ends
// KIND-NEXT:   try: schedule the loops around it or inside it

// LANES:      error[KC3044]: vectorize: loop i is around the while loop repeat
// LANES:        why: the lanes would leave it after different numbers of iterations
// LANES-NEXT:   try: use parallel on i or on a loop around it
func.func @halve(%A: memref<8xi32>) {
  %one = arith.constant 1 : i32
  tir.for %i in 8 {
    tir.for %repeat in 9223372036854775807 while {
      %x = tir.load %A[%i] : memref<8xi32>
      %c = arith.cmpi sgt, %x, %one : i32
      %w = arith.extui %c : i1 to i64
      %t = arith.index_cast %w : i64 to index
      tir.if (%t == 1) {
        %h = arith.shrsi %x, %one : i32
        tir.store %h, %A[%i] : memref<8xi32>
      }
      tir.condition %c
    }
  }
  func.return
}
