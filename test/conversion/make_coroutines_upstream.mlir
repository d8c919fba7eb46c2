// REQUIRES: mlir-translate
// RUN: kc-opt %S/make_coroutines.mlir --make-coroutines | mlir-translate --mlir-to-llvmir | FileCheck %s

// CHECK:      define internal ptr @thread(ptr %{{.*}}) #[[GROUP:[0-9]+]]
// CHECK:        alloca float
// CHECK:        call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
// CHECK:        call ptr @llvm.coro.begin(
// CHECK:        call i8 @llvm.coro.suspend(token none, i1 false)
// CHECK:        call i8 @llvm.coro.suspend(token none, i1 true)
// CHECK:        call void @llvm.coro.end(
// CHECK:      attributes #[[GROUP]] = { presplitcoroutine }
