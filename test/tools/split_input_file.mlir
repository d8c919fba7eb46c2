// Each part is an input of its own; locations count lines of the whole file.
// RUN: not kc-opt %s --split-input-file --dce 2>%t.err | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERROR --input-file=%t.err
// RUN: rm -f %t.out && not kc-opt %s --split-input-file -o %t.out 2>/dev/null
// RUN: not ls %t.out

// CHECK:      builtin.module {
// CHECK-NEXT: }
// CHECK-NEXT: // -----
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @f() {
// CHECK-NEXT:     func.return
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: // -----
// CHECK-NEXT: builtin.module {
// CHECK-NEXT:   func.func @h() {

// ERROR:      error[KC1002]: there is no operation 'arith.constnt'
// ERROR-NEXT: split_input_file.mlir:31:8  %x = arith.constnt 1 : i32
// ERROR-NEXT: ^
// ERROR-NEXT: try: did you mean 'arith.constant'

// -----
func.func @f() {
  %x = arith.constant 1 : i32
  func.return
}
// -----
func.func @g() {
  %x = arith.constnt 1 : i32
  func.return
}
// -----
func.func @h() {
  func.return
}
