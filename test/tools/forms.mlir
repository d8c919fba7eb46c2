// The generic form, source locations, and operations that nobody defines.
// RUN: kc-opt %s --allow-unregistered-dialect | FileCheck %s
// RUN: kc-opt %s --allow-unregistered-dialect --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: kc-opt %s --allow-unregistered-dialect --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: kc-opt %s --allow-unregistered-dialect | kc-opt - --allow-unregistered-dialect | FileCheck %s
// RUN: not kc-opt %s 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK:      func.func @f() {
// CHECK-NEXT:   "foo.bar"() : () -> ()

// GENERIC:      "func.func"() <{sym_name = "f", function_type = () -> ()}> ({
// GENERIC-NEXT:   "foo.bar"() : () -> ()

// LOC: "foo.bar"() : () -> () loc("{{.*}}forms.mlir":21:3)

// UNKNOWN:      error[KC1002]: there is no operation 'foo.bar'
// UNKNOWN-NEXT: forms.mlir:21:3  "foo.bar"() : () -> ()
// UNKNOWN-NEXT: why: there is no dialect 'foo'

func.func @f() {
  "foo.bar"() : () -> ()
  func.return
}
