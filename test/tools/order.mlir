// The order of the flags is the order of the passes, one dash or two, and a flag may come twice.
// RUN: kc-opt %s --mlir-print-ir-after-all --cse -dce --cse 2>&1 >/dev/null | FileCheck %s
// RUN: kc-opt %s --mlir-print-ir-after-all --pass-pipeline='builtin.module(cse,func.func(dce,any(cse)))' 2>&1 >/dev/null | FileCheck %s

// CHECK:      // -----// IR Dump After CommonSubexpressionElimination (cse) //----- //
// CHECK-NEXT: builtin.module {
// CHECK:      // -----// IR Dump After DeadCodeElimination (dce) //----- //
// CHECK:      // -----// IR Dump After CommonSubexpressionElimination (cse) //----- //
// CHECK-NOT:  IR Dump

func.func @f() {
  func.return
}
