// RUN: kc-opt %s --make-coroutines | FileCheck %s

// A call is a suspension, a return the last one; memory of the thread is part of the coroutine, and
// parameters lead to memory that others change.
// CHECK-LABEL: builtin.module {
// CHECK-NEXT:    llvm.func internal @thread(%p: !llvm.ptr) -> !llvm.ptr attributes {passthrough = ["presplitcoroutine"]} {
// CHECK-NEXT:      %one = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT:      %L = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
// CHECK-NEXT:      %0 = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:      %1 = llvm.mlir.constant(0 : i32) : i32
// CHECK-NEXT:      %2 = llvm.mlir.none : !llvm.token
// CHECK-NEXT:      %3 = llvm.mlir.constant(false) : i1
// CHECK-NEXT:      %4 = llvm.mlir.constant(true) : i1
// CHECK-NEXT:      %5 = llvm.call_intrinsic "llvm.coro.id"(%1, %0, %0, %0) : (i32, !llvm.ptr, !llvm.ptr, !llvm.ptr) -> !llvm.token
// CHECK-NEXT:      %6 = llvm.mlir.constant(64 : i64) : i64
// CHECK-NEXT:      %7 = llvm.call_intrinsic "llvm.coro.size.i64"() : () -> i64
// CHECK-NEXT:      %8 = llvm.mlir.constant(63 : i64) : i64
// CHECK-NEXT:      %9 = llvm.add %7, %8 : i64
// CHECK-NEXT:      %10 = llvm.mlir.constant(-64 : i64) : i64
// CHECK-NEXT:      %11 = llvm.and %9, %10 : i64
// CHECK-NEXT:      %12 = llvm.call @aligned_alloc(%6, %11) : (i64, i64) -> !llvm.ptr
// CHECK-NEXT:      %13 = llvm.call_intrinsic "llvm.coro.begin"(%5, %12) : (!llvm.token, !llvm.ptr) -> !llvm.ptr
// CHECK-NEXT:      %14 = llvm.call_intrinsic "llvm.coro.suspend"(%2, %3) : (!llvm.token, i1) -> i8
// CHECK-NEXT:      llvm.switch %14 : i8, ^bb5 [
// CHECK-NEXT:        0: ^bb1,
// CHECK-NEXT:        1: ^bb4
// CHECK-NEXT:      ]
// CHECK-NEXT:    ^bb1:
// CHECK-NEXT:      %15 = llvm.load %p : !llvm.ptr -> f32
// CHECK-NEXT:      %16 = llvm.call_intrinsic "llvm.coro.suspend"(%2, %3) : (!llvm.token, i1) -> i8
// CHECK-NEXT:      llvm.switch %16 : i8, ^bb5 [
// CHECK-NEXT:        0: ^bb2,
// CHECK-NEXT:        1: ^bb4
// CHECK-NEXT:      ]
// CHECK-NEXT:    ^bb2:
// CHECK-NEXT:      %17 = llvm.load %p : !llvm.ptr -> f32
// CHECK-NEXT:      %18 = llvm.fadd %15, %17 : f32
// CHECK-NEXT:      llvm.store %18, %L : f32, !llvm.ptr
// CHECK-NEXT:      %null = llvm.mlir.zero : !llvm.ptr
// CHECK-NEXT:      %19 = llvm.call_intrinsic "llvm.coro.suspend"(%2, %4) : (!llvm.token, i1) -> i8
// CHECK-NEXT:      llvm.switch %19 : i8, ^bb5 [
// CHECK-NEXT:        0: ^bb3,
// CHECK-NEXT:        1: ^bb4
// CHECK-NEXT:      ]
// CHECK-NEXT:    ^bb3:
// CHECK-NEXT:      llvm.unreachable
// CHECK-NEXT:    ^bb4:
// CHECK-NEXT:      %20 = llvm.call_intrinsic "llvm.coro.free"(%5, %13) : (!llvm.token, !llvm.ptr) -> !llvm.ptr
// CHECK-NEXT:      llvm.call @free(%20) : (!llvm.ptr) -> ()
// CHECK-NEXT:      llvm.br ^bb5
// CHECK-NEXT:    ^bb5:
// CHECK-NEXT:      llvm.call_intrinsic "llvm.coro.end"(%13, %3, %2) : (!llvm.ptr, i1, !llvm.token) -> ()
// CHECK-NEXT:      llvm.return %13 : !llvm.ptr
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.func @other(%p: !llvm.ptr {llvm.noalias}) {
// CHECK-NEXT:      llvm.return
// CHECK-NEXT:    }
// CHECK-NEXT:    llvm.func @aligned_alloc(i64, i64) -> !llvm.ptr
// CHECK-NEXT:    llvm.func @free(!llvm.ptr)
// CHECK-NEXT:  }
llvm.func @kc_suspend()
llvm.func internal @thread(%p: !llvm.ptr {llvm.noalias}) -> !llvm.ptr attributes {kc.coroutine} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %L = llvm.alloca %one x f32 : (i64) -> !llvm.ptr
  %0 = llvm.load %p : !llvm.ptr -> f32
  llvm.call @kc_suspend() : () -> ()
  %1 = llvm.load %p : !llvm.ptr -> f32
  %2 = llvm.fadd %0, %1 : f32
  llvm.store %2, %L : f32, !llvm.ptr
  %null = llvm.mlir.zero : !llvm.ptr
  llvm.return %null : !llvm.ptr
}
llvm.func @other(%p: !llvm.ptr {llvm.noalias}) {
  llvm.return
}
