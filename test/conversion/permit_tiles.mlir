// RUN: kc-opt %s --permit-tiles --target="llvm -mcpu=sapphirerapids" | FileCheck %s
// RUN: kc-opt %s --permit-tiles --permit-tiles --target="llvm -mcpu=sapphirerapids" | FileCheck %s
// RUN: kc-opt %s --permit-tiles --target="llvm -mtriple=x86_64-pc-windows-msvc -mcpu=sapphirerapids" | FileCheck %s --check-prefix=FREE

// Where a system has to be asked, the first configuration asks.
// CHECK:       llvm.mlir.global internal @kc.tiles_permitted(0 : i8)
// CHECK:       llvm.func @syscall(i64, i64, i64) -> i64
// CHECK:       llvm.func internal @kc.configure_tiles(%configuration: !llvm.ptr) {
// CHECK:         llvm.cond_br %is_permitted weights([1000, 1]), ^{{.*}}, ^{{.*}}
// CHECK:         llvm.call_intrinsic "llvm.x86.ldtilecfg"(%configuration) : (!llvm.ptr) -> ()
// CHECK:       llvm.func internal @kc.permit_tiles()
// CHECK:         %arch_prctl = llvm.mlir.constant(158 : i64) : i64
// CHECK-NEXT:    %request = llvm.mlir.constant(4131 : i64) : i64
// CHECK-NEXT:    %tile_data = llvm.mlir.constant(18 : i64) : i64
// CHECK-LABEL: llvm.func @f(%shapes: !llvm.ptr) attributes {passthrough = ["no-builtins"]} {
// CHECK-NEXT:    llvm.call @kc.configure_tiles(%shapes) : (!llvm.ptr) -> ()
// CHECK-NEXT:    llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
// CHECK-NEXT:    llvm.call @kc.configure_tiles(%shapes) : (!llvm.ptr) -> ()
// CHECK-NOT:   @kc.configure_tiles

// FREE-NOT:    kc.
// FREE:        llvm.func @f(%shapes: !llvm.ptr) attributes {passthrough = ["no-builtins"]} {
// FREE-NEXT:     llvm.call_intrinsic "llvm.x86.ldtilecfg"(%shapes) : (!llvm.ptr) -> ()
llvm.func @f(%shapes: !llvm.ptr) {
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%shapes) : (!llvm.ptr) -> ()
  llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%shapes) : (!llvm.ptr) -> ()
  llvm.return
}
