// A unified diff for each pass, on standard error and without colours away from a terminal.
// RUN: kc-opt %s --licm --dce --diff 2>&1 >/dev/null | FileCheck %s

// CHECK:      // licm changed nothing
// CHECK-NEXT: --- before dce
// CHECK-NEXT: +++ after dce
// CHECK-NEXT: @@ -1,6 +1,5 @@
// CHECK-NEXT: {{^ builtin.module}} {
// CHECK-NEXT: {{^ +func.func}} @f() {
// CHECK-NEXT: {{^- +}}%x = arith.constant 1 : i32
// CHECK-NEXT: {{^ +func.return}}
// CHECK-NEXT: {{^ +}}}
// CHECK-NEXT: {{^ }}}

func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
