// RUN: kc-opt %s --convert-to-llvm | FileCheck %s

// CHECK-DAG:   llvm.mlir.global internal constant @kc_text("( ( %g ), ( %g ) )\0A\00")
// CHECK-DAG:   llvm.mlir.global internal constant @kc_text_0("100%%\00")
// CHECK-LABEL: llvm.func @shown(%v: vector<2xf32>
// CHECK:         %[[FIRST:.*]] = llvm.extractelement %v
// CHECK:         %[[WIDE:.*]] = llvm.fpext %[[FIRST]] : f32 to f64
// CHECK:         %[[TEXT:.*]] = llvm.mlir.addressof @kc_text : !llvm.ptr
// CHECK:         llvm.call @printf(%[[TEXT]], %[[WIDE]], %{{.*}}) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, f64, f64) -> i32
// CHECK:         llvm.call @fflush
// CHECK:         llvm.call @printf
// CHECK:       llvm.func @printf(!llvm.ptr, ...) -> i32
func.func @shown(%v: vector<2x1xf32>) {
  vector.print %v : vector<2x1xf32>
  vector.print str "100%"
  return
}
