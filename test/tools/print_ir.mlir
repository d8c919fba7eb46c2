// Which dumps there are: before and after the named passes, and only where something changed.
// RUN: kc-opt %s --mlir-print-ir-before=dce --mlir-print-ir-after=licm --licm --dce 2>&1 >/dev/null | FileCheck %s --check-prefix=NAMED
// RUN: kc-opt %s --mlir-print-ir-before-all --licm --dce 2>&1 >/dev/null | FileCheck %s --check-prefix=BEFORE
// RUN: kc-opt %s --mlir-print-ir-after-change --licm --dce 2>&1 >/dev/null | FileCheck %s --check-prefix=CHANGE
// RUN: kc-opt %s --mlir-print-ir-after-all --mlir-print-op-generic --dce 2>&1 >/dev/null | FileCheck %s --check-prefix=GENERIC

// NAMED:      // -----// IR Dump After LoopInvariantCodeMotionPass (licm) //----- //
// NAMED-NEXT: builtin.module {
// NAMED-NEXT:   func.func @f() {
// NAMED-NEXT:     %x = arith.constant 1 : i32
// NAMED:      // -----// IR Dump Before DeadCodeElimination (dce) //----- //
// NAMED-NOT:  IR Dump

// BEFORE:     IR Dump Before LoopInvariantCodeMotionPass (licm)
// BEFORE:     IR Dump Before DeadCodeElimination (dce)
// BEFORE-NOT: IR Dump

// CHANGE-NOT:  (licm)
// CHANGE:      // -----// IR Dump After DeadCodeElimination (dce) //----- //
// CHANGE-NEXT: builtin.module {
// CHANGE-NEXT:   func.func @f() {
// CHANGE-NEXT:     func.return
// CHANGE-NEXT:   }
// CHANGE-NEXT: }

// GENERIC:      IR Dump After DeadCodeElimination (dce)
// GENERIC-NEXT: "builtin.module"() ({

func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
