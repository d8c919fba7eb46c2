// RUN: not kc-opt %s --evaluate-prepared 2>&1 | FileCheck %s

// CHECK: error[KC4111]: evaluate-prepared: argument 0 of @main.prepare is not a global
// CHECK: evaluate_prepared_invalid.mlir:7
// CHECK: why: a function with kc.prepares runs when its module is built: the attribute kc.global of each argument must name a global of its type
// CHECK: try: lift-constant-blocks makes such functions
func.func private @main.prepare(%W: memref<2x3xi16>) attributes {kc.prepares} {
  func.return
}
