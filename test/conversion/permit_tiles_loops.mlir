// RUN: kc-opt %s --permit-tiles --target="llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids" | kc-translate - --to=asm --target="llvm -mtriple=x86_64-linux-gnu -mcpu=sapphirerapids" | FileCheck %s

// Elsewhere LLVM makes a call of such a loop, which may change the registers.
// CHECK-LABEL: without_tiles:
// CHECK:         memset
// CHECK-LABEL: with_tiles:
// CHECK:         ldtilecfg
// CHECK-NOT:     memset
// CHECK:         tilerelease
llvm.func @without_tiles(%A: !llvm.ptr, %n: i64) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %p = llvm.getelementptr %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %p : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^end:
  llvm.return
}
llvm.func @with_tiles(%A: !llvm.ptr, %n: i64, %shapes: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.call_intrinsic "llvm.x86.ldtilecfg"(%shapes) : (!llvm.ptr) -> ()
  llvm.br ^loop(%zero : i64)
^loop(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %p = llvm.getelementptr %A[%i] : (!llvm.ptr, i64) -> !llvm.ptr, i64
  llvm.store %zero, %p : i64, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^loop(%next : i64)
^end:
  llvm.call_intrinsic "llvm.x86.tilerelease"() : () -> ()
  llvm.return
}
